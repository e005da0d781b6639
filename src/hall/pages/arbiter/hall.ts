// The console's state of the hall: the newest value of each topic per board, and whether the values
// are current.

import { lateness } from '../lib/lateness';
import { momentOf } from '../lib/store';
import type { Alerts, Availability, ClockTopic, Link, NodeState, Tile } from './payloads';
import { readingOf, type Reading } from './times';
import { byNumber, rankOf, UNTRUSTED, type Rank } from './urgency';

/** Why the values of a board are only its last known ones. */
export type Doubt =
  'node_lost' | 'node_silent' | 'node_offline' | 'offline' | 'unconfigured' | 'fault' | 'unreadable' | null;

export interface Seen<T> {
  payload: T;
  /** When it arrived, or null if the broker had retained it. */
  received: string | null;
}

export class Board {
  tile?: Seen<Tile>;
  alerts?: Seen<Alerts>;
  clock?: Seen<ClockTopic>;
  link?: Seen<Link>;
  availability?: Seen<Availability>;
  /** The topics whose payload cannot be read, and since when. */
  readonly unreadable = new Map<string, number>();
  doubt: Doubt = null;
  /** Since when the board is in doubt, on the server's clock. */
  lostAt: number | null = null;

  constructor(readonly name: string) {}

  /** The newest journal entry on which any of its topics is based. */
  get seq(): number {
    const seen = [this.tile, this.alerts, this.clock, this.link, this.availability];
    return Math.max(0, ...seen.map((s) => s?.payload.seq ?? 0));
  }

  /** The clocks; in doubt, their times when the doubt began. */
  get reading(): Reading | null {
    return readingOf(this.tile, this.clock, this.availability?.payload.session, this.lostAt);
  }

  /** Whether all topics have been cleared, so the board no longer exists. */
  get isEmpty(): boolean {
    const known = this.tile ?? this.alerts ?? this.clock ?? this.link ?? this.availability;
    return known === undefined && this.unreadable.size === 0;
  }

  get rank(): Rank {
    return rankOf(this.name, this.alerts?.payload.alerts ?? [], this.doubt ? UNTRUSTED : 0);
  }
}

/** `remisd/health/1`, as far as the page reads it. */
interface Health {
  time: string;
  boards: { board: string }[];
  namesakes?: string[];
}

/** A node's state, and when the server received it. */
type Node = NodeState & { received: string | null };

/**
 * Daemons publish their health every ten seconds. After this time without it, a daemon counts as
 * unreachable, whatever its state says.
 */
export const SILENT_MS = 30_000;

const LEAVES = new Set(['tile', 'alerts', 'clock', 'link', 'availability']);

export class Hall {
  readonly boards = new Map<string, Board>();
  private readonly nodes = new Map<string, Node>();
  /** When each node last published its health, on the server's clock. */
  private readonly healths = new Map<string, number>();
  /** The nodes whose health has come live, not only from the broker's memory. */
  private readonly live = new Set<string>();
  /** The nodes whose health is overdue. */
  private readonly silent = new Set<string>();
  /** The topics of nodes whose payload cannot be read. */
  private readonly unreadable = new Set<string>();
  /** The nodes whose name another daemon uses, too. */
  private readonly doubled = new Set<string>();
  /** The node that lists the board in its health. */
  private readonly homes = new Map<string, string>();

  constructor(
    private readonly changed: (board: Board) => void,
    private readonly removed: (board: Board) => void,
  ) {}

  /** Takes a value of the feed. */
  take(topic: string, payload: unknown, received: string | null, isUnreadable = false): void {
    const [first, second] = topic.split('/', 2) as [string, string | undefined];
    if (first === 'node') return this.takeNode(topic, payload, received, isUnreadable);
    if (!second || !LEAVES.has(second)) return;
    const board = this.boardNamed(first);
    const changes = isUnreadable ? !board.unreadable.has(second) : board.unreadable.delete(second);
    if (isUnreadable && changes) board.unreadable.set(second, received === null ? 0 : Date.parse(received));
    const seen = payload === null ? undefined : { payload, received };
    (board as unknown as Record<string, unknown>)[second] = seen;
    if (second === 'availability' || changes) this.judge(board);
    if (board.isEmpty) {
      this.boards.delete(board.name);
      this.removed(board);
    } else {
      this.changed(board);
    }
  }

  /** The boards in order of their numbers. */
  byNumber(): Board[] {
    return [...this.boards.values()].sort((a, b) => byNumber(a.name, b.name));
  }

  /** The nodes that have gone, except those that were switched off when they had no boards any more. */
  gone(): NodeState[] {
    const used = new Set([...this.boards.values()].map((board) => (this.nodeOf(board) ?? this.homeOf(board))?.node));
    return [...this.nodes.values()].filter(
      ({ node, state }) => state !== 'online' && (state !== 'offline' || used.has(node)),
    );
  }

  /** The nodes that claim to be online, but whose health is overdue. */
  silentNodes(): string[] {
    return [...this.nodes.values()]
      .filter(({ node, state }) => state === 'online' && this.silent.has(node))
      .map(({ node }) => node);
  }

  /** The nodes that claim to be online, but whose health has not come live. */
  unheardNodes(): string[] {
    return [...this.nodes.values()]
      .filter(({ node, state }) => state === 'online' && !this.live.has(node))
      .map(({ node }) => node);
  }

  /** The topics whose payload cannot be read, such as `b1/alerts`. */
  unreadableTopics(): string[] {
    const ofBoards = this.byNumber().flatMap((board) =>
      [...board.unreadable.keys()].map((leaf) => `${board.name}/${leaf}`),
    );
    return [...ofBoards, ...this.unreadable];
  }

  /** The nodes whose name another daemon uses, too: their values are a mixture of both. */
  doubledNodes(): string[] {
    return [...this.doubled].filter((node) => this.nodes.get(node)?.state === 'online' && !this.silent.has(node));
  }

  /**
   * The time up to which every daemon that claims to be online was heard, on the server's clock; null if
   * none was.
   */
  heardUntil(): number | null {
    const online = [...this.nodes.values()].filter(({ state }) => state === 'online');
    const heard = online.flatMap(({ node }) => this.healths.get(node) ?? []);
    return heard.length === 0 ? null : Math.min(...heard);
  }

  /** Whether any node of the site has ever been heard of. */
  get hasNodes(): boolean {
    return this.nodes.size > 0;
  }

  /** Updates which nodes are silent, at this time of the server. */
  beat(now: number): void {
    let changed = false;
    for (const [node, said] of this.healths) {
      // The time of a retained health is that of the node, whose clock may be fast.
      const heard = Math.min(said, now);
      if (heard < said) this.healths.set(node, heard);
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

  private takeNode(topic: string, payload: unknown, received: string | null, isUnreadable: boolean): void {
    const [, node, leaf] = topic.split('/');
    if (!node) return;
    if (isUnreadable) return this.takeUnreadable(topic, node, received);
    if (this.unreadable.delete(topic)) this.touchAll();
    if (leaf === 'state') {
      if (payload === null) this.nodes.delete(node);
      else this.nodes.set(node, { ...(payload as NodeState), node, received });
    } else if (leaf === 'health' && payload !== null) {
      if (!this.takeHealth(node, payload as Health, received)) return;
    } else {
      return;
    }
    this.judgeAll();
  }

  /** Takes the health of a node; returns whether boards may be judged otherwise because of it. */
  private takeHealth(node: string, { boards, time, namesakes = [] }: Health, received: string | null): boolean {
    const isDoubled = namesakes.length > 0;
    if (isDoubled !== this.doubled.has(node)) {
      if (isDoubled) this.doubled.add(node);
      else this.doubled.delete(node);
      this.touchAll();
    }
    const heard = Date.parse(received ?? time);
    if (!Number.isNaN(heard)) this.healths.set(node, heard);
    const isLive = received !== null;
    if (isLive) this.live.add(node);
    // What the broker had kept may be of an hour ago: the next beat judges it.
    let moved = isLive && this.silent.delete(node);
    for (const { board } of boards) {
      if (!isLive && this.isElsewhere(board, node)) continue;
      moved ||= this.homes.get(board) !== node;
      this.homes.set(board, node);
    }
    return moved;
  }

  /** The last state and the boards of the node stay; what it says now is unknown, but it was heard. */
  private takeUnreadable(topic: string, node: string, received: string | null): void {
    const isNew = !this.unreadable.has(topic);
    this.unreadable.add(topic);
    if (topic.endsWith('/health') && received !== null) {
      this.healths.set(node, Date.parse(received));
      this.live.add(node);
    }
    if (isNew) this.touchAll();
  }

  /** What is said of a node is shown beside all boards. */
  private touchAll(): void {
    this.judgeAll();
    this.boards.forEach((board) => this.changed(board));
  }

  /** Whether another node that is online has the board. */
  private isElsewhere(board: string, node: string): boolean {
    const home = this.homes.get(board);
    return home !== undefined && home !== node && this.nodes.get(home)?.state === 'online';
  }

  /** The node with the board's session. */
  private nodeOf(board: Board): Node | undefined {
    const session = board.availability?.payload.session;
    return [...this.nodes.values()].find((node) => session !== undefined && node.session === session);
  }

  /** The last node of the board: the one that lists it, or else the only one. */
  private homeOf(board: Board): Node | undefined {
    const home = this.homes.get(board.name);
    if (home !== undefined && this.nodes.has(home)) return this.nodes.get(home);
    return this.nodes.size === 1 ? [...this.nodes.values()][0] : undefined;
  }

  /** Updates the doubt about a board; returns whether it changed. */
  private judge(board: Board): boolean {
    const { doubt, lostAt } = board;
    const own = this.nodeOf(board);
    const node = own ?? this.homeOf(board);
    const availability = board.availability;
    const state = availability?.payload.state ?? 'online';
    board.lostAt = availability && state !== 'online' ? momentOf(availability) : null;
    board.doubt = state === 'online' ? null : state;
    if (node && node.state !== 'online') {
      // A board that was lost before its node keeps its earlier time.
      board.lostAt ??= lateness.moment(node.received, node.time);
      board.doubt = node.state === 'lost' ? 'node_lost' : 'node_offline';
    } else if (node && this.silent.has(node.node)) {
      // The state is unknown: the board shows its values from when its node was last heard.
      board.lostAt ??= this.healths.get(node.node) ?? null;
      board.doubt = 'node_silent';
    } else if (availability && own === undefined && this.nodes.size > 0) {
      // Its node is gone, or has restarted and not yet published the board.
      board.lostAt ??= momentOf(availability);
      board.doubt ??= 'node_offline';
    }
    if (board.unreadable.size > 0) {
      // What cannot be read may say that the clocks stand.
      board.lostAt ??= Math.min(...board.unreadable.values());
      board.doubt ??= 'unreadable';
    }
    return doubt !== board.doubt || lostAt !== board.lostAt;
  }
}
