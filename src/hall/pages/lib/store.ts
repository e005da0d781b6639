/** What is known of every board: the newest value of each topic, and when it came. */

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
  /** When the server got it; null if it was there before the server was. */
  received: string | null;
}

export class BoardStore {
  private readonly values = new Map<string, Map<string, Value<unknown>>>();
  readonly nodes = new Map<string, NodeState>();
  /** When the server heard of a node's state; null if it was there before the server was. */
  private readonly heard = new Map<string, string | null>();

  /** Takes a value of the feed; returns the board that it is of, or null where it is of a node. */
  take(topic: string, payload: unknown, received: string | null): string | null {
    const [first = '', second = '', third = ''] = topic.split('/');
    if (third !== '') {
      if (third === 'state') {
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
    const leaves = this.values.get(first) ?? new Map<string, Value<unknown>>();
    this.values.set(first, leaves);
    if (payload === null) leaves.delete(second);
    else leaves.set(second, { payload, received });
    if (leaves.size === 0) this.values.delete(first);
    return first;
  }

  get<L extends keyof Leaves>(board: string, leaf: L): Value<Leaves[L]> | null {
    return (this.values.get(board)?.get(leaf) as Value<Leaves[L]> | undefined) ?? null;
  }

  /** The boards that something is known of, b2 before b10. */
  boards(): string[] {
    return [...this.values.keys()].sort(byName);
  }

  /** Whether the board's values are those of now: it is not said to be offline, nor its node to be gone. */
  online(board: string): boolean {
    return this.lostAt(board) === null;
  }

  /** Since when the board is not seen, by the server's clock; null while it is. */
  lostAt(board: string): number | null {
    const told = this.get(board, 'availability');
    if (told === null) return null; // nobody says otherwise
    const { state, session } = told.payload;
    if (state !== 'online') return momentOf(told);
    // The node that serves a board is the one with its session.
    const own = [...this.nodes].find(([, node]) => node.session === session);
    // Nobody vouches for a board of a node that is not there any more, or has been started anew since.
    if (own === undefined) return this.nodes.size > 0 ? momentOf(told) : null;
    const [name, node] = own;
    // The broker tells for a node that it is lost, in words that the node left there long before.
    return node.state === 'online' ? null : lateness.moment(this.heard.get(name) ?? null, node.time);
  }
}

/** When a board has said how it is, by the server's clock. */
export function momentOf({ payload, received }: Value<{ session?: string | undefined; time: string }>): number {
  const { session, time } = payload;
  return received === null ? Date.parse(time) : lateness.sentAt(session, time, received, null);
}

/** Board names in the order of their numbers. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
