/** The state of every board: the newest value of each topic, and when it arrived. */

import { lateness } from './lateness';
import type { Availability, Clock, Draw, Game, NodeState, Offer, Result } from './topics';

interface Leaves {
  game: Game;
  draw: Draw;
  offer: Offer;
  clock: Clock;
  result: Result;
  availability: Availability;
}

export interface Value<T> {
  payload: T;
  /** When the server received it; null if the broker had retained it. */
  received: string | null;
}

export class BoardStore {
  private readonly values = new Map<string, Map<string, Value<unknown>>>();
  readonly nodes = new Map<string, NodeState>();
  /** When the server received a node's state; null if the broker had retained it. */
  private readonly heard = new Map<string, string | null>();
  /** The nodes whose state cannot be read, and since when. What they last said is kept. */
  private readonly obscured = new Map<string, number>();
  /** The leaves of boards that cannot be read, and since when. */
  private readonly unreadable = new Map<string, Map<string, number>>();

  /** Takes a value of the feed. Returns its board, or null for a node's topic. */
  take(topic: string, payload: unknown, received: string | null, isUnreadable = false): string | null {
    const [first = '', second = '', third = ''] = topic.split('/');
    if (third !== '') {
      if (third === 'state') {
        mark(this.obscured, second, isUnreadable, received);
        if (isUnreadable) return null;
        if (payload === null) {
          this.nodes.delete(second);
          this.heard.delete(second);
        } else {
          this.nodes.set(second, payload as NodeState);
          this.heard.set(second, received);
        }
      }
      return null;
    }
    this.markLeaf(first, second, isUnreadable, received);
    const leaves = this.values.get(first) ?? new Map<string, Value<unknown>>();
    this.values.set(first, leaves);
    if (payload === null) leaves.delete(second);
    else leaves.set(second, { payload, received });
    if (leaves.size === 0) this.values.delete(first);
    return first;
  }

  private markLeaf(board: string, leaf: string, isUnreadable: boolean, received: string | null): void {
    const leaves = this.unreadable.get(board) ?? new Map<string, number>();
    mark(leaves, leaf, isUnreadable, received);
    if (leaves.size === 0) this.unreadable.delete(board);
    else this.unreadable.set(board, leaves);
  }

  /** Whether any leaf of the board has a payload that cannot be read. */
  isUnreadable(board: string): boolean {
    return this.unreadable.has(board);
  }

  get<L extends keyof Leaves>(board: string, leaf: L): Value<Leaves[L]> | null {
    return (this.values.get(board)?.get(leaf) as Value<Leaves[L]> | undefined) ?? null;
  }

  /** The known boards, b2 before b10. */
  boards(): string[] {
    return [...new Set([...this.values.keys(), ...this.unreadable.keys()])].sort(byName);
  }

  /** Whether the board's values are current: neither the board nor its node is reported offline. */
  online(board: string): boolean {
    return this.lostAt(board) === null;
  }

  /** Since when the board has not been seen, on the server's clock; null while it is seen. */
  lostAt(board: string): number | null {
    // What cannot be read may say that the board is lost, or that the game has gone on.
    const unreadable = this.unreadable.get(board);
    if (unreadable !== undefined) return Math.min(...unreadable.values());
    const availability = this.get(board, 'availability');
    if (availability === null) return null; // nothing says otherwise
    const { state, session } = availability.payload;
    if (state !== 'online') return momentOf(availability);
    // The node that serves a board is the one with the board's session.
    const own = [...this.nodes].find(([, node]) => node.session === session);
    // A board's values are stale if its node is gone or has restarted since.
    const areNodesKnown = this.nodes.size + this.obscured.size > 0;
    if (own === undefined) return areNodesKnown ? momentOf(availability) : null;
    const [name, node] = own;
    // For a lost node the broker publishes the will, whose time is that of the node's start.
    if (node.state !== 'online') return lateness.moment(this.heard.get(name) ?? null, node.time);
    // What cannot be read may say that the node is lost, or has restarted.
    return this.obscured.get(name) ?? null;
  }

  /** What a node says of itself. */
  stateOf({ node, state }: NodeState): NodeState['state'] | 'unknown' {
    return this.obscured.has(node) ? 'unknown' : state;
  }
}

/** Notes since when something cannot be read. */
function mark(since: Map<string, number>, name: string, isUnreadable: boolean, received: string | null): void {
  if (!isUnreadable) since.delete(name);
  else if (!since.has(name)) since.set(name, received === null ? 0 : Date.parse(received));
}

/** When a board's state was published, on the server's clock. */
export function momentOf({ payload, received }: Value<{ session?: string | undefined; time: string }>): number {
  const { session, time } = payload;
  return received === null ? Date.parse(time) : lateness.sentAt(session, time, received, null);
}

/** Orders board names by their numbers. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
