/**
 * When a payload was really sent.
 *
 * What a daemon could not tell while it had no broker it tells when the line is back, with the old `time` of its entry: then
 * `received` is much too late. How much of `received - time` is only the difference of two computers' clocks is what the
 * promptest payload of the same daemon tells.
 */

import type { Audience } from './topics';

/** What of a payload is looked at. */
interface Dated {
  session?: string;
  seq?: number;
  time?: string;
}

/** What is known of one start of a daemon. */
interface Session {
  /** The smallest `received - time`, and that of the topics that the public gets later. */
  least: number;
  leastDelayed: number;
  /** The newest entry of each board, and its time. */
  newest: Map<string, { seq: number; time: number }>;
}

const DELAYED = new Set(['game', 'draw', 'offer']);
/** More daemons and starts of them than a tournament has. */
const SESSIONS = 64;
/** By how much a clock that is set back differs from times that are only rounded. */
const SET_BACK_MS = 1000;

export class Lateness {
  private readonly sessions = new Map<string, Session>();

  /** Takes note of a payload that the server was there for. */
  hear(topic: string, payload: unknown, received: string | null, audience: Audience): void {
    if (received === null || typeof payload !== 'object' || payload === null) return;
    const { session: id, seq, time } = payload as Dated;
    const sent = Date.parse(time ?? '');
    const late = Date.parse(received) - sent;
    if (typeof id !== 'string' || Number.isNaN(late)) return;
    const session = this.sessionOf(id);
    const [board = '', leaf = '', ...more] = topic.split('/');
    if (more.length === 0 && typeof seq === 'number') noteEntry(session, board, seq, sent);
    if (isDelayed(leaf, audience)) session.leastDelayed = Math.min(session.leastDelayed, late);
    else session.least = Math.min(session.least, late);
  }

  /** Forgets everything: the server's clock was set. */
  forget(): void {
    this.sessions.clear();
  }

  /**
   * When a payload was sent, by the server's clock, in milliseconds since 1970: not later than it was received, and not later
   * after its `time` than the promptest of its session. `delayMs` is given for a topic that the public gets later by that.
   */
  sentAt(id: string | undefined, time: string, received: string, delayMs: number | null): number {
    const session = id === undefined ? undefined : this.sessions.get(id);
    const came = Date.parse(received);
    if (session === undefined) return came;
    // A delay of which this server does not know cannot be reckoned with.
    const byOthers = delayMs ? session.least + delayMs : Infinity;
    const least = delayMs === null ? session.least : Math.min(session.leastDelayed, byOthers);
    const sent = Date.parse(time) + least;
    return Number.isNaN(sent) ? came : Math.min(came, sent);
  }

  private sessionOf(id: string): Session {
    const known = this.sessions.get(id) ?? { least: Infinity, leastDelayed: Infinity, newest: new Map() };
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
    session.least = Infinity;
    session.leastDelayed = Infinity;
  }
  session.newest.set(board, { seq, time });
}

function isDelayed(leaf: string, audience: Audience): boolean {
  return audience === 'public' && DELAYED.has(leaf);
}

/** What all feeds of this page have heard: they have one server. */
export const lateness = new Lateness();
