/** What the page knows: the newest value of each topic that an operator needs. */

import { byName } from '../lib/store';
import type { Availability, Envelope, Game, NodeState } from '../lib/topics';

/** `remisd/link/1`, as far as the page reads it. */
export interface Link extends Envelope {
  up: boolean;
  reason?: string | null;
  kind: string;
  port: string;
  battery: number | null;
  orientation: 'normal' | 'rotated';
  clock_reversed?: boolean;
  counters: { reconnects?: number; bad_frames?: number };
  faulty_squares: string[];
}

/** `remisd/health/1`, as far as the page reads it. */
export interface Health {
  session: string;
  time: string;
  alive: boolean;
  journal_answers: boolean;
  namesakes?: string[];
  broker: { up: boolean; reconnects: number };
  boards: { board: string; answers: boolean; not_recorded: number }[];
}

/** What is at fault where PGN files go. */
export type ExitCause = 'settings' | 'disk' | 'network' | 'host_key' | 'certificate' | 'login' | 'server';

export interface Exit {
  path?: string;
  written_at?: string;
  error?: string;
  cause?: ExitCause;
}

export interface LichessRound {
  round: number;
  id: string;
  closed: boolean;
  behind: boolean;
  taken_at?: string;
  error?: string;
}

export interface LichessGame {
  id: string;
  round: number;
  plies: number;
  taken_at: string;
  replaced?: { from_ply: number; moves: string }[];
  replaced_more?: number;
  /** It is no longer sent: other people play under another id. */
  left_over?: boolean;
  stale_tags?: string[];
}

export interface LichessOrder {
  role: string;
  id: string;
  by?: string;
  verb: string;
  round: number;
  time: string;
  state: 'waiting' | 'sent' | 'done' | 'failed' | 'unknown';
  reason?: string;
  made?: string;
}

/** `remisd/broadcast/1`. */
export interface Broadcast {
  session: string;
  time: string;
  unkept?: string;
  folder?: Exit;
  upload?: Exit;
  delays: Record<string, { plies: number; next_at?: string; all_at?: string }>;
  lichess?: {
    creates: boolean;
    dry_run: boolean;
    halted_until?: string;
    fault?: string;
    rounds: LichessRound[];
    unassigned?: number;
    boards: Record<string, { error?: string; games: LichessGame[] }>;
    orders: LichessOrder[];
  };
  phones: { name: string; test?: { time: string; ok?: boolean; answer?: string } }[];
}

export interface Board {
  game?: Game | undefined;
  link?: Link | undefined;
  availability?: Availability | undefined;
}

export interface Node {
  state?: NodeState | undefined;
  health?: Health | undefined;
  broadcast?: Broadcast | undefined;
  /** When the health was last heard, on the server's clock. */
  heardAt: number;
  /** The leaves that cannot be read. */
  unreadable: string[];
}

const BOARD_LEAVES = ['game', 'link', 'availability'] as const;

export class Hall {
  readonly boards = new Map<string, Board>();
  readonly nodes = new Map<string, Node>();
  /** The topics whose payload the server cannot read. */
  private readonly unreadable = new Set<string>();

  /** Takes a value of the feed; false if the page does not need it. */
  take(topic: string, payload: unknown, received: string | null, isUnreadable = false): boolean {
    if (isUnreadable) this.unreadable.add(topic);
    else this.unreadable.delete(topic);
    const [first = '', second = '', third = ''] = topic.split('/');
    if (first === 'node' && third !== '') return this.takeNode(second, third, payload, received);
    const leaf = BOARD_LEAVES.find((one) => one === second);
    if (leaf === undefined) return false;
    const board = { ...this.boards.get(first), [leaf]: payload ?? undefined };
    if (BOARD_LEAVES.every((one) => board[one] === undefined) && this.unreadableOf(first).length === 0)
      this.boards.delete(first);
    else this.boards.set(first, board);
    return true;
  }

  private takeNode(name: string, leaf: string, payload: unknown, received: string | null): boolean {
    const node = this.nodes.get(name) ?? { heardAt: 0, unreadable: [] };
    node.unreadable = this.unreadableOf(`node/${name}`);
    if (leaf === 'health') {
      const health = payload as Health | null;
      node.health = health ?? undefined;
      node.heardAt = Date.parse(received ?? health?.time ?? '') || 0;
    } else if (leaf === 'state') node.state = (payload as NodeState | null) ?? undefined;
    else if (leaf === 'broadcast') node.broadcast = (payload as Broadcast | null) ?? undefined;
    else return false;
    const { state, health, broadcast } = node;
    if (state === undefined && health === undefined && broadcast === undefined && node.unreadable.length === 0)
      this.nodes.delete(name);
    else this.nodes.set(name, node);
    return true;
  }

  /** The leaves of a board, such as `b1`, or of a node, such as `node/n1`, that cannot be read. */
  unreadableOf(place: string): string[] {
    const of = [...this.unreadable].filter((topic) => topic.startsWith(`${place}/`));
    return of.map((topic) => topic.slice(place.length + 1));
  }

  /** The boards, b2 before b10. */
  names(): string[] {
    return [...this.boards.keys()].sort(byName);
  }

  /** The node that serves a board: the one with the session of the board's availability. */
  nodeOf(board: string): [string, Node] | undefined {
    const session = this.boards.get(board)?.availability?.session;
    if (session === undefined) return undefined;
    return [...this.nodes].find(([, node]) => node.state?.session === session);
  }
}
