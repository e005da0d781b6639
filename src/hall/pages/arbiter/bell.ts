// Attracts the arbiter's attention by sound, vibration, page title and screen reader. Sound and
// vibration are off until they are enabled on this device.

import { Wake } from '../lib/wake';
import { keyOf, whereOf, type Open } from './alarms';
import { cry } from './notes';
import { headline } from './say';

export type Call = 'sound' | 'vibration';

const STORED: Record<Call, string> = { sound: 'remisd.arbiter.sound', vibration: 'remisd.arbiter.vibration' };
/** The interval at which an escalated alert calls again. */
const AGAIN_MS = 6_000;
/** How long a browser may take to start the sound of a page that may play it. */
const SETTLING_MS = 500;

/** What this browser supports: iPhones do not vibrate. */
export const CAN: Record<Call, boolean> = {
  sound: typeof AudioContext === 'function',
  vibration: typeof navigator.vibrate === 'function',
};

export class Bell {
  /** Called when `silenced` changes. */
  onSilence: (silenced: boolean) => void = () => undefined;
  private readonly on: Record<Call, boolean> = { sound: stored('sound'), vibration: stored('vibration') };
  private readonly wake = new Wake();
  private audio: AudioContext | null = null;
  /** Whether the browser has had time to allow sound. */
  private settled = false;
  /** How often the bell must ring as soon as it can. */
  private missed = 0;
  /** How often the bell must ring for something that is no alert. */
  private calls = 0;
  private silent = false;
  private readonly known = new Set<string>();
  private first = true;
  private readonly title = document.title;

  constructor() {
    setInterval(() => this.insist(), AGAIN_MS);
    // Any touch of the page allows sound again.
    for (const touch of ['click', 'keydown', 'pointerup', 'touchend'])
      document.addEventListener(touch, () => this.resume(), { capture: true, passive: true });
    document.addEventListener('visibilitychange', () => this.resume());
    this.prepare();
  }

  private escalated = 0;

  wants(call: Call): boolean {
    return this.on[call] && CAN[call];
  }

  /** Whether alerts should sound but cannot, because the browser waits for a touch. */
  get silenced(): boolean {
    return this.wants('sound') && this.settled && this.audio?.state !== 'running';
  }

  /**
   * Turns a call on or off. Browsers allow sound only after a touch; turning it on is such a touch,
   * so it rings once.
   */
  set(call: Call, on: boolean): void {
    this.on[call] = on;
    try {
      localStorage.setItem(STORED[call], on ? 'on' : 'off');
    } catch {
      // The setting then lasts until the page is closed.
    }
    this.prepare();
    if (on) this.ring(1, call);
  }

  /** The user touched the page to enable sound: ring once as a confirmation. */
  unmute(): void {
    if (this.wants('sound')) this.sound(1);
  }

  /** Prepares everything that is turned on before it is needed. */
  private prepare(): void {
    this.wake.want(this.wants('sound') || this.wants('vibration'));
    if (this.wants('sound') && this.audio === null) {
      try {
        this.audio = new AudioContext();
        this.audio.addEventListener('statechange', () => this.changed());
      } catch {
        // A device without audio output; the page then shows that sound is off.
      }
      setTimeout(() => {
        this.settled = true;
        this.changed();
      }, SETTLING_MS);
    }
    this.changed();
  }

  private resume(): void {
    // A phone call also interrupts it.
    if (this.wants('sound') && this.audio !== null && this.audio.state !== 'running')
      void this.audio.resume().catch(() => undefined);
  }

  /** The browser has started or stopped allowing sound. */
  private changed(): void {
    const owed = Math.max(this.missed, this.calls);
    if (this.audio?.state === 'running' && owed > 0) {
      this.missed = 0;
      this.calls = 0;
      this.play(this.audio, owed);
    }
    if (this.silent === this.silenced) return;
    this.silent = this.silenced;
    this.onSilence(this.silent);
  }

  /** Takes the current alerts and announces each new red one once. */
  hear(open: readonly Open[]): void {
    const unseen = open.filter(({ alert }) => alert.acknowledged_by === null);
    const red = unseen.filter(({ alert }) => alert.level === 'red');
    // An old alert does not ring. If it still stands when its site is heard again, it is not new.
    const standing = red.filter((one) => one.old === undefined);
    const fresh = standing.filter((one) => !this.known.has(callOf(one)));
    const kept = red.filter((one) => one.old !== undefined && this.known.has(callOf(one)));
    this.known.clear();
    for (const one of [...standing, ...kept]) this.known.add(callOf(one));
    this.escalated = standing.filter(({ alert }) => alert.escalated).length;
    if (red.length === 0) this.missed = 0;
    document.title =
      red.length > 0
        ? `(${red.length}!) ${this.title}`
        : unseen.length > 0
          ? `(${unseen.length}) ${this.title}`
          : this.title;
    if (fresh.length === 0) return;
    cry(fresh.map((one) => `${whereOf(one)}: ${headline(one.alert)}`).join('. '));
    // Alerts from before the page was opened are visible and need not ring.
    if (!this.first) this.ring(fresh.some(({ alert }) => alert.escalated) ? 3 : 2);
  }

  /** Takes alerts from before the page was opened: they are visible and need not ring. */
  know(open: readonly Open[]): void {
    for (const one of open) this.known.add(callOf(one));
  }

  /** Calls once, for something that is no alert. */
  call(text: string): void {
    cry(text);
    this.calls = 2;
    this.ring(2);
    if (this.audio?.state === 'running' || !this.wants('sound')) this.calls = 0;
  }

  /** The first list is complete: from now on new alerts ring. */
  settle(): void {
    this.first = false;
  }

  private insist(): void {
    if (this.escalated > 0) this.ring(3);
  }

  private ring(times: number, only?: Call): void {
    if (only !== 'sound' && this.wants('vibration'))
      navigator.vibrate?.(Array.from({ length: times * 2 - 1 }, (_, i) => (i % 2 === 0 ? 200 : 120)));
    if (only !== 'vibration' && this.wants('sound')) this.sound(times);
  }

  /** Sounds now, or once as soon as possible: there is no point in repeating missed rings. */
  private sound(times: number): void {
    if (this.audio?.state === 'running') return this.play(this.audio, times);
    this.missed = Math.max(this.missed, times);
    this.resume();
  }

  /** Two tones, quiet enough for a playing hall. */
  private play(audio: AudioContext, times: number): void {
    for (let i = 0; i < times * 2; i++) {
      const at = audio.currentTime + 0.05 + i * 0.22;
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      tone.frequency.value = i % 2 === 0 ? 660 : 494;
      volume.gain.setValueAtTime(0, at);
      volume.gain.linearRampToValueAtTime(0.18, at + 0.02);
      volume.gain.linearRampToValueAtTime(0, at + 0.19);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.2);
    }
  }
}

function stored(call: Call): boolean {
  try {
    return localStorage.getItem(STORED[call]) === 'on';
  } catch {
    return false;
  }
}

/** The key of a call; an escalated alert is announced once more. */
function callOf(open: Open): string {
  return `${keyOf(open)}/${open.alert.escalated === true}`;
}
