/** What is known of every board: the newest value of each topic, and when it came. */

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

  /** Takes a value of the feed; returns the board that it is of, or null where it is of a node. */
  take(topic: string, payload: unknown, received: string | null): string | null {
    const [first = '', second = '', third = ''] = topic.split('/');
    if (third !== '') {
      if (third === 'state') {
        if (payload === null) this.nodes.delete(second);
        else this.nodes.set(second, payload as NodeState);
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
    const state = this.get(board, 'availability')?.payload;
    if (state === undefined) return true; // nobody says otherwise
    if (state.state !== 'online') return false;
    // The node that serves a board is the one with its session.
    for (const node of this.nodes.values()) {
      if (node.session === state.session) return node.state === 'online';
    }
    return true;
  }
}

/** Board names in the order of their numbers. */
export function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
