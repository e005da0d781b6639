/**
 * Estimates when a payload was really sent.
 *
 * A daemon without a broker publishes its backlog on reconnecting, with the old `time` of each
 * entry. `received` is then much too late. The offset between the two computers' clocks is part of
 * `received - time`; the fastest payload of the same daemon shows how large it is.
 *
 * Clocks may be set. When the server's clock jumps forward, earlier payloads keep the estimate of
 * that time, and their moments are shifted by the jump. When a daemon's clock jumps forward, its
 * earlier payloads also keep their estimate, without a shift.
 */

import type { Audience } from './topics';

/** The fields of a payload that are read. */
interface Dated {
  session?: string;
  seq?: number;
  time?: string;
  /** Of `health`: how long the daemon has run. */
  up_ms?: number;
}

const DELAYED = new Set(['game', 'draw', 'offer']);
/** More runs of daemons than a tournament has. */
const SESSIONS = 128;
/** A time earlier by more than this shows a clock set back; smaller differences are rounding. */
const SET_BACK_MS = 1000;
/**
 * A payload faster than the fastest one by more than this shows that a clock was set. Smaller
 * differences come from varying latency.
 */
const LEAP_MS = 2000;
/** Two payloads with latencies this similar, received this far apart, were both sent promptly. */
const ALIKE_MS = 500;
const APART_MS = 2000;
/** The interval between two beats of the server. */
const BEAT_MS = 2000;

/** The smallest `received - time` of some topics within one run of a daemon. */
class Least {
  private least = Infinity;
  /** When that payload was received, and when any payload was last received. */
  private at = -Infinity;
  private last = -Infinity;
  /** Whether that payload was not held up, because another one agrees with it. */
  private sure = false;
  /** The value for times of the daemon before its clock jumped forward. */
  private before: { until: number; least: number } | null = null;

  hear(sent: number, received: number): void {
    const late = received - sent;
    // If the server's clock was set back instead, earlier payloads appear later by that amount.
    if (late < this.least - LEAP_MS && this.sure && received >= this.last)
      this.before = { until: sent, least: this.least };
    if (late < this.least - ALIKE_MS) {
      this.sure = false;
      this.at = received;
    } else if (late < this.least + ALIKE_MS && received - this.at > APART_MS) {
      this.sure = true;
    }
    this.least = Math.min(this.least, late);
    this.last = Math.max(this.last, received);
  }

  /** The value for a payload with this time of the daemon. */
  of(sent: number): number {
    return this.before !== null && sent < this.before.until ? this.before.least : this.least;
  }
}

/** What is known of one run of a daemon. */
interface Session {
  prompt: Least;
  /** For the topics that the public receives with a delay. */
  delayed: Least;
  /** The newest entry of each board, and its time. */
  newest: Map<string, { seq: number; time: number }>;
}

export class Lateness {
  private sessions = new Map<string, Session>();
  /** What was known before the server's clock jumped forward, for payloads received until then. */
  private before: { known: Lateness; until: number; leap: number; at: number } | null = null;

  /** Records a payload that the server received live. */
  hear(topic: string, payload: unknown, received: string | null, audience: Audience): void {
    if (received === null || typeof payload !== 'object' || payload === null) return;
    const { session: id, seq, time, up_ms: upMs } = payload as Dated;
    const sent = Date.parse(time ?? '');
    const came = Date.parse(received);
    if (typeof id !== 'string' || Number.isNaN(came - sent)) return;
    if (this.isBefore(came)) return this.before?.known.hear(topic, payload, received, audience);
    const session = this.sessionOf(id);
    const [board = '', leaf = '', ...more] = topic.split('/');
    if (more.length === 0 && typeof seq === 'number') noteEntry(session, board, seq, sent);
    // Boards may rest for minutes, and `health` comes every few seconds.
    if (typeof upMs === 'number') noteEntry(session, '', upMs, sent);
    (isDelayed(leaf, audience) ? session.delayed : session.prompt).hear(sent, came);
  }

  /**
   * The server's clock was set forward by `leap` and now shows `now`. Every feed reports it; only
   * the first report counts.
   */
  leap(now: number, leap: number): void {
    if (this.before !== null && now - leap < this.before.at) return;
    // The jump lies between two beats. A payload older than the beat by more than half of the jump
    // came before it.
    const until = now - (leap + BEAT_MS) / 2;
    const known = new Lateness();
    known.sessions = this.sessions;
    known.before = this.before;
    this.sessions = new Map();
    this.before = { known, until, leap, at: now };
  }

  /**
   * When a payload was sent, on the server's clock, in milliseconds since 1970.
   *
   * That is at most `received`, and at most as long after its `time` as for the fastest payload of
   * the session. `delayMs` is given for a topic that the public receives with this delay.
   */
  sentAt(id: string | undefined, time: string, received: string, delayMs: number | null): number {
    const came = Date.parse(received);
    if (this.before !== null && this.isBefore(came))
      return this.before.known.sentAt(id, time, received, delayMs) + this.before.leap;
    const session = id === undefined ? undefined : this.sessions.get(id);
    if (session === undefined) return came;
    const said = Date.parse(time);
    // An unknown delay cannot be taken into account.
    const byOthers = delayMs ? session.prompt.of(said) + delayMs : Infinity;
    const least = delayMs === null ? session.prompt.of(said) : Math.min(session.delayed.of(said), byOthers);
    const sent = said + least;
    return Number.isNaN(sent) ? came : Math.min(came, sent);
  }

  /**
   * When a payload was received, on the server's clock as it is now; `time` if the server did not
   * receive it live.
   */
  moment(received: string | null, time: string): number {
    return received === null ? Date.parse(time) : this.sentAt(undefined, time, received, null);
  }

  private isBefore(came: number): boolean {
    return this.before !== null && came <= this.before.until;
  }

  private sessionOf(id: string): Session {
    const known = this.sessions.get(id) ?? { prompt: new Least(), delayed: new Least(), newest: new Map() };
    // Keep the most recently used session last.
    this.sessions.delete(id);
    this.sessions.set(id, known);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
    return known;
  }
}

/**
 * Records an entry. A later entry with an earlier time shows that the daemon's clock was set back,
 * which invalidates earlier estimates.
 */
function noteEntry(session: Session, board: string, seq: number, time: number): void {
  const before = session.newest.get(board);
  if (before !== undefined && seq < before.seq) return;
  if (before !== undefined && seq > before.seq && time < before.time - SET_BACK_MS) {
    session.prompt = new Least();
    session.delayed = new Least();
  }
  session.newest.set(board, { seq, time });
}

function isDelayed(leaf: string, audience: Audience): boolean {
  return audience === 'public' && DELAYED.has(leaf);
}

/** What all feeds of this page have received; they share one server. */
export const lateness = new Lateness();
