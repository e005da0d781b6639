// The opened board, with its own feed and everything that the arbiter may know about it.

import { openFeed, type Feed } from '../lib/feed';
import { fill, h } from '../lib/dom';
import { Diagram } from './diagram';
import type { Doubt, Hall, Seen } from './hall';
import { Journal } from './journal';
import type {
  Alert,
  Alerts,
  Availability,
  ClockTopic,
  Draw,
  Game,
  JournalEvent,
  Link,
  Result,
  Side,
  Tile,
} from './payloads';
import { applying } from './actions/menu';
import * as show from './sections';
import { labelOf, momentOf, stateText, type About, type Subject } from './subject';
import { t, type Key } from './say';
import { outdatedRounds, type Outdated } from './lichess';
import { readingOf, type Reading } from './times';

interface Known {
  game?: Seen<Game>;
  draw?: Seen<Draw>;
  alerts?: Seen<Alerts>;
  clock?: Seen<ClockTopic>;
  link?: Seen<Link>;
  availability?: Seen<Availability>;
  result?: Seen<Result & { seq: number }>;
}

/** The parts of the view, in their order on a phone. */
const PARTS = ['head', 'alerts', 'position', 'draws', 'actions', 'score', 'clock', 'device', 'journal'] as const;
export type Part = (typeof PARTS)[number];

/** The parts stacked in each column, if there is room for several. */
const COLUMNS: readonly [string, readonly Part[]][] = [
  ['head', ['head', 'alerts']],
  ['position', ['position']],
  ['draws', ['draws']],
  ['actions', ['actions']],
  ['score', ['score']],
  ['below', ['clock', 'device', 'journal']],
];

const TITLES: Partial<Record<Part, Key>> = {
  draws: 'part.draws',
  score: 'part.score',
  clock: 'part.clock',
  device: 'part.device',
  actions: 'part.actions',
  journal: 'part.journal',
};

/** The parts that each topic changes. */
const CHANGES: Record<string, readonly Part[]> = {
  game: ['head', 'position', 'draws', 'score', 'clock', 'device'],
  draw: ['draws', 'position', 'score'],
  alerts: ['alerts'],
  clock: ['position', 'clock'],
  link: ['device'],
  availability: ['head', 'device'],
  result: ['head'],
  event: ['journal'],
};

export class Opened implements Subject {
  readonly element: HTMLElement;
  readonly known: Known = {};
  readonly journal = new Journal();
  readonly diagram = new Diagram(480, true);
  /** The ply on display; null for the live position. */
  looksAt: number | null = null;
  showAll = false;
  /** The rounds in which Lichess shows moves of this board that were corrected, by node. */
  outdated: readonly Outdated[] = [];
  ready = false;
  private readonly parts = new Map<Part, HTMLElement>();
  private readonly dirty = new Set<Part>();
  private readonly watchers = new Set<() => void>();
  private readonly feed: Feed;
  private readonly timer: number;
  private frame = 0;
  private doubted: Doubt = null;
  /** The leaves of the board whose payload cannot be read. */
  private readonly unreadable = new Set<string>();
  /** The unacknowledged red alerts. */
  private urgent: ReadonlySet<string> = new Set();

  constructor(
    readonly board: string,
    readonly hall: Hall,
    private readonly whenReady: (opened: Opened) => void,
    ended: (code: string) => void,
  ) {
    this.element = h(
      'article',
      { class: 'opened', 'aria-label': `${t('board')} ${board}` },
      ...COLUMNS.map(([name, parts]) => {
        const sections = parts.map((part) => this.makePart(part));
        return h('div', { class: `column column-${name}` }, ...sections);
      }),
    );
    this.feed = openFeed(
      { audience: 'arbiter', boards: [board] },
      {
        value: (...value) => this.take(...value),
        ready: () => this.becomeReady(),
        ended,
      },
    );
    this.timer = window.setInterval(() => show.tickClocks(this), 250);
    this.touch(...PARTS);
  }

  /** Resumes after a new sign-in. */
  reopen(): void {
    this.feed.reopen();
  }

  close(): void {
    this.feed.close();
    window.clearInterval(this.timer);
    cancelAnimationFrame(this.frame);
    this.element.remove();
  }

  // The interface for dialogs.

  seq(): number {
    const seqs = Object.values(this.known).map((seen: Seen<{ seq: number }> | undefined) => seen?.payload.seq ?? 0);
    return Math.max(0, ...seqs);
  }

  tile(): Seen<Tile> | undefined {
    const game = this.known.game;
    return game && { payload: { ...game.payload, last: game.payload.moves.at(-1) ?? null }, received: game.received };
  }

  clock = (): Seen<ClockTopic> | undefined => this.known.clock;
  alerts = (): Alert[] => this.known.alerts?.payload.alerts ?? [];
  game = (): Game | undefined => this.known.game?.payload;
  /** The draw state now; nothing can be claimed in a game that has a result. */
  draw = (): Draw | undefined => {
    const draw = this.known.draw?.payload;
    return draw && this.game()?.result ? { ...draw, claims: [], arbiter_decides: [] } : draw;
  };
  illegalMoves = (of: Side): number | null => this.journal.illegalMoves(of);
  reading = (): Reading | null =>
    readingOf(this.tile(), this.clock(), undefined, this.hall.boards.get(this.board)?.lostAt ?? null);
  now = (): number => this.feed.now();
  label = (): string => labelOf(this.board, this.tile()?.payload);
  nowText = (): string => stateText(this.tile()?.payload);

  moment(about: About): string {
    return momentOf(about, this.tile()?.payload, this.alerts());
  }

  watch(changed: () => void): () => void {
    this.watchers.add(changed);
    return () => this.watchers.delete(changed);
  }

  doubt(): Doubt {
    return this.hall.boards.get(this.board)?.doubt ?? (this.unreadable.size > 0 ? 'unreadable' : null);
  }

  /** Whether this topic of the board has a payload that cannot be read. */
  isUnreadable(leaf: string): boolean {
    return this.unreadable.has(leaf);
  }

  /** The hall has changed: redraws if the doubt about this board has changed. */
  judge(): void {
    if (this.doubt() === this.doubted) return;
    this.doubted = this.doubt();
    this.touch('head', 'position');
  }

  /** Shows the position after a ply, or the live one. */
  lookAt(ply: number | null): void {
    const last = this.game()?.moves.length ?? 0;
    this.looksAt = ply === null || ply >= last ? null : Math.max(0, ply);
    this.touch('position', 'score', 'draws');
  }

  /** Redraws these parts in the next frame. */
  touch(...parts: readonly Part[]): void {
    for (const part of parts) this.dirty.add(part);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      for (const part of this.dirty) this.write(part);
      this.dirty.clear();
    });
  }

  private take(topic: string, payload: unknown, received: string | null, isUnreadable: boolean): void {
    const [board, leaf, last] = topic.split('/') as [string, string | undefined, string | undefined];
    if (board === 'node' && leaf && last === 'broadcast') {
      this.outdated = outdatedRounds(this.outdated, leaf, payload, this.board);
      this.touch('head');
    }
    if (board !== this.board || !leaf) return;
    if (leaf === 'event') {
      if (payload) this.journal.take(payload as JournalEvent);
    } else {
      if (isUnreadable !== this.unreadable.has(leaf)) this.touch('head', 'alerts');
      if (isUnreadable) this.unreadable.add(leaf);
      else this.unreadable.delete(leaf);
      if (leaf === 'alerts') for (const alert of (payload as Alerts | null)?.alerts ?? []) this.journal.know(alert);
      (this.known as Record<string, unknown>)[leaf] = payload === null ? undefined : { payload, received };
    }
    // A new game starts at the live position.
    if (leaf === 'game' && (payload as Game | null)?.moves.length === 0) this.looksAt = null;
    this.touch(...(CHANGES[leaf] ?? []));
    this.light();
    if (leaf === 'alerts') this.bringIntoView();
    for (const watcher of this.watchers) watcher();
  }

  /**
   * Enables the actions that apply now. The buttons themselves stay, as one may be under a finger.
   */
  private light(): void {
    const applies = applying(this);
    for (const button of this.parts.get('actions')?.querySelectorAll<HTMLButtonElement>('[data-action]') ?? [])
      button.disabled = !applies.has(button.dataset['action'] ?? '');
  }

  /**
   * Scrolls to the alerts when a new red one is not visible: it takes priority over everything
   * else.
   */
  private bringIntoView(): void {
    const red = this.alerts().filter((alert) => alert.level === 'red' && alert.acknowledged_by === null);
    const isNew = red.some((alert) => !this.urgent.has(alert.id));
    this.urgent = new Set(red.map((alert) => alert.id));
    if (!isNew || !this.ready) return;
    requestAnimationFrame(() => {
      const card = this.parts.get('alerts')?.querySelector('.alert');
      card?.scrollIntoView({ block: 'nearest' });
    });
  }

  private becomeReady(): void {
    const first = !this.ready;
    this.ready = true;
    this.touch(...PARTS);
    if (first) this.whenReady(this);
  }

  private makePart(part: Part): HTMLElement {
    const body = h('div', { class: 'part-body' });
    this.parts.set(part, body);
    const title = TITLES[part];
    const heading = title ? h('h3', { id: `part-${part}` }, t(title)) : null;
    return h(
      'section',
      { class: `part part-${part}`, 'aria-labelledby': heading ? `part-${part}` : null },
      heading,
      body,
    );
  }

  /** Redraws a part. The focus returns to the element with the same `data-key`. */
  private write(part: Part): void {
    const body = this.parts.get(part);
    if (!body) return;
    const focused = body.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset['key']
      : undefined;
    const scroll = body.querySelector<HTMLElement>('[data-scroll]')?.scrollTop;
    fill(body, ...show.SECTIONS[part](this));
    const again = scroll === undefined ? null : body.querySelector<HTMLElement>('[data-scroll]');
    if (again && scroll !== undefined) again.scrollTop = scroll;
    if (part === 'score') show.followScore(this, body);
    if (part === 'actions') this.light();
    if (focused) body.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }
}
