// Everything the console knows of the hall: the newest value of each topic, board by board, and whether
// anybody vouches for it.

import { lateness } from '../lib/lateness';
import { momentOf } from '../lib/store';
import type { Alerts, Availability, ClockTopic, Link, NodeState, Tile } from './payloads';
import { readingOf, type Reading } from './times';
import { byNumber, rankOf, UNTRUSTED, type Rank } from './urgency';

/** Why what stands on a board is only the last that was known. */
export type Doubt = 'node_lost' | 'node_silent' | 'node_offline' | 'offline' | 'unconfigured' | 'fault' | null;

export interface Seen<T> {
  payload: T;
  /** When it came, or null if it was there before the server was. */
  received: string | null;
}

export class Board {
  tile?: Seen<Tile>;
  alerts?: Seen<Alerts>;
  clock?: Seen<ClockTopic>;
  link?: Seen<Link>;
  availability?: Seen<Availability>;
  doubt: Doubt = null;
  /** Since when there is doubt, by the server's clock. */
  lostAt: number | null = null;

  constructor(readonly name: string) {}

  /** The newest journal entry that any of its topics rests on. */
  get seq(): number {
    const seen = [this.tile, this.alerts, this.clock, this.link, this.availability];
    return Math.max(0, ...seen.map((s) => s?.payload.seq ?? 0));
  }

  /** What its clocks show; where there is doubt, what they showed when it began. */
  get reading(): Reading | null {
    return readingOf(this.tile, this.clock, this.availability?.payload.session, this.lostAt);
  }

  /** Whether all its topics were cleared: the board is not there any more. */
  get isEmpty(): boolean {
    return !this.tile && !this.alerts && !this.clock && !this.link && !this.availability;
  }

  get rank(): Rank {
    return rankOf(this.name, this.alerts?.payload.alerts ?? [], this.doubt ? UNTRUSTED : 0);
  }
}

/** A node's state, and when the server heard of it. */
type Node = NodeState & { received: string | null };

/** A daemon tells how it is every ten seconds: one that has not for so long is out of reach, whatever its state says. */
const SILENT_MS = 30_000;

const LEAVES = new Set(['tile', 'alerts', 'clock', 'link', 'availability']);

export class Hall {
  readonly boards = new Map<string, Board>();
  private readonly nodes = new Map<string, Node>();
  /** When each node last told how it is, by the server's clock. */
  private readonly healths = new Map<string, number>();
  /** Those that have not for too long. */
  private readonly silent = new Set<string>();
  /** Which node says in its health that it has the board. */
  private readonly homes = new Map<string, string>();

  constructor(
    private readonly changed: (board: Board) => void,
    private readonly removed: (board: Board) => void,
  ) {}

  /** Takes in one value of the feed. */
  take(topic: string, payload: unknown, received: string | null): void {
    const [first, second] = topic.split('/', 2) as [string, string | undefined];
    if (first === 'node') return this.takeNode(topic, payload, received);
    if (!second || !LEAVES.has(second)) return;
    const board = this.boardNamed(first);
    const seen = payload === null ? undefined : { payload, received };
    (board as unknown as Record<string, unknown>)[second] = seen;
    if (second === 'availability') this.judge(board);
    if (board.isEmpty) {
      this.boards.delete(board.name);
      this.removed(board);
    } else {
      this.changed(board);
    }
  }

  /** The boards by their numbers. */
  byNumber(): Board[] {
    return [...this.boards.values()].sort((a, b) => byNumber(a.name, b.name));
  }

  /** The nodes that are gone. */
  gone(): NodeState[] {
    return [...this.nodes.values()].filter((node) => node.state !== 'online');
  }

  /** The nodes that say they are online, and have not told how they are for too long. */
  silentNodes(): string[] {
    return [...this.nodes.values()]
      .filter(({ node, state }) => state === 'online' && this.silent.has(node))
      .map(({ node }) => node);
  }

  /** Looks which nodes are silent at this time of the server. */
  beat(now: number): void {
    let changed = false;
    for (const [node, heard] of this.healths) {
      const isSilent = now - heard > SILENT_MS;
      changed ||= isSilent !== this.silent.has(node);
      if (isSilent) this.silent.add(node);
      else this.silent.delete(node);
    }
    if (changed) this.judgeAll();
  }

  private judgeAll(): void {
    for (const board of this.boards.values()) {
      if (this.judge(board)) this.changed(board);
    }
  }

  private boardNamed(name: string): Board {
    let board = this.boards.get(name);
    if (!board) {
      board = new Board(name);
      this.boards.set(name, board);
    }
    return board;
  }

  private takeNode(topic: string, payload: unknown, received: string | null): void {
    const [, node, leaf] = topic.split('/');
    if (!node) return;
    if (leaf === 'state') {
      if (payload === null) this.nodes.delete(node);
      else this.nodes.set(node, { ...(payload as NodeState), node, received });
    } else if (leaf === 'health' && payload !== null) {
      const { boards = [], time = '' } = payload as { boards?: { board: string }[]; time?: string };
      const heard = Date.parse(received ?? time);
      if (!Number.isNaN(heard)) this.healths.set(node, heard);
      // The next beat judges by it, too.
      let moved = this.silent.delete(node);
      for (const { board } of boards) {
        moved ||= this.homes.get(board) !== node;
        this.homes.set(board, node);
      }
      if (!moved) return;
    } else {
      return;
    }
    this.judgeAll();
  }

  /** The node of the board's session. */
  private nodeOf(board: Board): Node | undefined {
    const session = board.availability?.payload.session;
    return [...this.nodes.values()].find((node) => session !== undefined && node.session === session);
  }

  /** The node that the board was at: the one that names it, else the only one. */
  private homeOf(board: Board): Node | undefined {
    const home = this.homes.get(board.name);
    if (home !== undefined && this.nodes.has(home)) return this.nodes.get(home);
    return this.nodes.size === 1 ? [...this.nodes.values()][0] : undefined;
  }

  /** Judges whether anybody vouches for the board; returns whether that is another judgement. */
  private judge(board: Board): boolean {
    const { doubt, lostAt } = board;
    const own = this.nodeOf(board);
    const node = own ?? this.homeOf(board);
    const told = board.availability;
    const state = told?.payload.state ?? 'online';
    board.lostAt = told && state !== 'online' ? momentOf(told) : null;
    board.doubt = state === 'online' ? null : state;
    if (node && node.state !== 'online') {
      // A board that was lost before its node stands as it did then.
      board.lostAt ??= lateness.moment(node.received, node.time);
      board.doubt = node.state === 'lost' ? 'node_lost' : 'node_offline';
    } else if (node && this.silent.has(node.node)) {
      // Nobody knows: the board shows what was known when it was last heard of.
      board.lostAt ??= this.healths.get(node.node) ?? null;
      board.doubt = 'node_silent';
    } else if (told && own === undefined && this.nodes.size > 0) {
      // Its node is not there any more, or was started anew and has not told of the board.
      board.lostAt ??= momentOf(told);
      board.doubt ??= 'node_offline';
    }
    return doubt !== board.doubt || lostAt !== board.lostAt;
  }
}
