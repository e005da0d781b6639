// What calls the arbiter when he does not look: a sound, a vibration, the title of the page, the screen reader. Sound
// and vibration are off until this device is told otherwise.

import type { Open } from './alarms';
import { cry } from './notes';
import { headline, t } from './say';

export type Call = 'sound' | 'vibration';

const STORED: Record<Call, string> = { sound: 'remisd.arbiter.sound', vibration: 'remisd.arbiter.vibration' };
/** How often an escalated alert calls again. */
const AGAIN_MS = 6_000;

export class Bell {
  private audio: AudioContext | null = null;
  private readonly known = new Set<string>();
  private first = true;
  private readonly title = document.title;

  constructor() {
    setInterval(() => this.insist(), AGAIN_MS);
  }

  private escalated = 0;

  wants(call: Call): boolean {
    try {
      return localStorage.getItem(STORED[call]) === 'on';
    } catch {
      return false;
    }
  }

  /** Browsers let a page sound only after it was touched: turning it on is that touch, and is heard. */
  set(call: Call, on: boolean): void {
    try {
      localStorage.setItem(STORED[call], on ? 'on' : 'off');
    } catch {
      // It then holds until the page is closed.
    }
    if (on) this.ring(1, call);
  }

  /** The alerts as they are now: new red ones are cried out, once each. */
  hear(open: readonly Open[]): void {
    const unseen = open.filter(({ alert }) => alert.acknowledged_by === null);
    const red = unseen.filter(({ alert }) => alert.level === 'red');
    const fresh = red.filter(({ board, alert }) => !this.known.has(keyOf(board.name, alert.id, alert.escalated)));
    this.known.clear();
    for (const { board, alert } of red) this.known.add(keyOf(board.name, alert.id, alert.escalated));
    this.escalated = red.filter(({ alert }) => alert.escalated).length;
    document.title =
      red.length > 0
        ? `(${red.length}!) ${this.title}`
        : unseen.length > 0
          ? `(${unseen.length}) ${this.title}`
          : this.title;
    if (fresh.length === 0) return;
    cry(fresh.map(({ board, alert }) => `${t('board')} ${board.name}: ${headline(alert)}`).join('. '));
    // What was open before the page was opened is in view; it need not ring.
    if (!this.first) this.ring(fresh.some(({ alert }) => alert.escalated) ? 3 : 2);
  }

  /** The first list has come: from now on what is new rings. */
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

  /** Two tones, low enough for a playing hall. */
  private sound(times: number): void {
    this.audio ??= new AudioContext();
    const audio = this.audio;
    void audio.resume();
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

/** An alert that is escalated is cried out once more. */
function keyOf(board: string, id: string, escalated: boolean | undefined): string {
  return `${board}/${id}/${escalated === true}`;
}
