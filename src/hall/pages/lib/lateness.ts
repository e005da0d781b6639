/**
 * When a payload was really sent.
 *
 * What a daemon could not tell while it had no broker it tells when the line is back, with the old `time` of its entry: then
 * `received` is much too late. How much of `received - time` is only the difference of two computers' clocks is what the
 * promptest payload of the same daemon tells.
 *
 * Clocks are set. What came before the server's clock leapt forward is reckoned with what was known then, and its moment is
 * moved by the leap; so is what a daemon said before its own clock leapt, without one.
 */

import type { Audience } from './topics';

/** What of a payload is looked at. */
interface Dated {
  session?: string;
  seq?: number;
  time?: string;
}

const DELAYED = new Set(['game', 'draw', 'offer']);
/** More daemons and starts of them than a tournament has. */
const SESSIONS = 64;
/** By how much a clock that is set back differs from times that are only rounded. */
const SET_BACK_MS = 1000;
/** By how much a payload is earlier than the promptest when a clock was set and none was only slow. */
const LEAP_MS = 2000;
/** Two payloads that are as late as each other although so much lies between them were sent at once. */
const ALIKE_MS = 500;
const APART_MS = 2000;
/** Between two beats of the server. */
const BEAT_MS = 2000;

/** The smallest `received - time` of some topics of a daemon's start. */
class Least {
  private least = Infinity;
  /** When that was received, and whatever was received last. */
  private at = -Infinity;
  private last = -Infinity;
  /** Whether it is that of a payload that was not held up: another one says the same. */
  private sure = false;
  /** What it was up to a time of the daemon, before its clock leapt forward. */
  private before: { until: number; least: number } | null = null;

  hear(sent: number, received: number): void {
    const late = received - sent;
    // Where the server's clock was set back instead, what came before is as late as that makes it.
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

  /** What it is for a payload of this time of the daemon. */
  of(sent: number): number {
    return this.before !== null && sent < this.before.until ? this.before.least : this.least;
  }
}

/** What is known of one start of a daemon. */
interface Session {
  prompt: Least;
  /** Of the topics that the public gets later. */
  delayed: Least;
  /** The newest entry of each board, and its time. */
  newest: Map<string, { seq: number; time: number }>;
}

export class Lateness {
  private sessions = new Map<string, Session>();
  /** What was known when the server's clock leapt forward: of what it received until then, by its clock of then. */
  private before: { known: Lateness; until: number; leap: number; at: number } | null = null;

  /** Takes note of a payload that the server was there for. */
  hear(topic: string, payload: unknown, received: string | null, audience: Audience): void {
    if (received === null || typeof payload !== 'object' || payload === null) return;
    const { session: id, seq, time } = payload as Dated;
    const sent = Date.parse(time ?? '');
    const came = Date.parse(received);
    if (typeof id !== 'string' || Number.isNaN(came - sent)) return;
    if (this.isBefore(came)) return this.before?.known.hear(topic, payload, received, audience);
    const session = this.sessionOf(id);
    const [board = '', leaf = '', ...more] = topic.split('/');
    if (more.length === 0 && typeof seq === 'number') noteEntry(session, board, seq, sent);
    (isDelayed(leaf, audience) ? session.delayed : session.prompt).hear(sent, came);
  }

  /** The server's clock was set forward by so much, and is `now`. Every feed says it, and the first one is heard. */
  leap(now: number, leap: number): void {
    if (this.before !== null && now - leap < this.before.at) return;
    // It leapt between two beats: what is older than the one by half of the leap came before.
    const until = now - (leap + BEAT_MS) / 2;
    const known = new Lateness();
    known.sessions = this.sessions;
    known.before = this.before;
    this.sessions = new Map();
    this.before = { known, until, leap, at: now };
  }

  /**
   * When a payload was sent, by the server's clock, in milliseconds since 1970: not later than it was received, and not later
   * after its `time` than the promptest of its session. `delayMs` is given for a topic that the public gets later by that.
   */
  sentAt(id: string | undefined, time: string, received: string, delayMs: number | null): number {
    const came = Date.parse(received);
    if (this.before !== null && this.isBefore(came))
      return this.before.known.sentAt(id, time, received, delayMs) + this.before.leap;
    const session = id === undefined ? undefined : this.sessions.get(id);
    if (session === undefined) return came;
    const said = Date.parse(time);
    // A delay of which this server does not know cannot be reckoned with.
    const byOthers = delayMs ? session.prompt.of(said) + delayMs : Infinity;
    const least = delayMs === null ? session.prompt.of(said) : Math.min(session.delayed.of(said), byOthers);
    const sent = said + least;
    return Number.isNaN(sent) ? came : Math.min(came, sent);
  }

  /** When something was received, by the server's clock as it is now; `time` where the server was not there for it. */
  moment(received: string | null, time: string): number {
    return received === null ? Date.parse(time) : this.sentAt(undefined, time, received, null);
  }

  private isBefore(came: number): boolean {
    return this.before !== null && came <= this.before.until;
  }

  private sessionOf(id: string): Session {
    const known = this.sessions.get(id) ?? { prompt: new Least(), delayed: new Least(), newest: new Map() };
    // The one that was heard last stands last.
    this.sessions.delete(id);
    this.sessions.set(id, known);
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
    return known;
  }
}

/** A later entry with an earlier time: the daemon's clock was set back, and what it said before tells nothing now. */
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

/** What all feeds of this page have heard: they have one server. */
export const lateness = new Lateness();
