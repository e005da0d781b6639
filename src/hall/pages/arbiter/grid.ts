// The tiles of all boards: which are shown, in which order, and keyboard navigation.

import { h } from '../lib/dom';
import type { Board } from './hall';
import { t } from './say';
import { TileView, type TileHandlers } from './tile';
import { byNumber, compareRanks } from './urgency';

export type Sort = 'urgency' | 'number';

/** Nothing must move under a finger: tiles are reordered only after this time without input. */
const REST_MS = 2_000;

export class Grid {
  readonly element = h('ul', { class: 'tiles', role: 'list' });
  readonly empty = h('p', { class: 'empty', hidden: true });
  private readonly views = new Map<string, TileView>();
  private readonly boards = new Map<string, Board>();
  private readonly dirty = new Set<string>();
  private current: string | null = null;
  private touched = 0;
  private inside = false;
  private waiting = 0;
  private frame = 0;
  private filter = '';
  private sort: Sort = 'urgency';

  constructor(
    private readonly handlers: TileHandlers,
    private readonly now: () => number,
  ) {
    this.element.setAttribute('aria-label', t('grid.label'));
    const touch = (): void => void (this.touched = performance.now());
    for (const event of ['pointerdown', 'pointermove', 'wheel', 'keydown', 'focusin']) {
      this.element.addEventListener(event, touch, { passive: true });
    }
    this.element.addEventListener('pointerenter', () => (this.inside = true));
    this.element.addEventListener('pointerleave', () => (this.inside = false));
    this.element.addEventListener('focusin', (event) => this.follow(event));
    setInterval(() => this.tick(), 1_000);
  }

  /** A board has changed; its tile is redrawn in the next frame. */
  change(board: Board): void {
    this.boards.set(board.name, board);
    this.dirty.add(board.name);
    this.schedule();
  }

  /** The board no longer exists. */
  remove(board: Board): void {
    this.boards.delete(board.name);
    this.dirty.delete(board.name);
    this.views.get(board.name)?.element.remove();
    this.views.delete(board.name);
    if (this.current === board.name) this.current = null;
    this.schedule();
  }

  show(filter: string, sort: Sort): void {
    this.filter = filter.trim().toLowerCase();
    this.sort = sort;
    this.touched = 0;
    this.arrange();
  }

  /** Shows the age of the data on every tile; null once it is fresh. */
  setStale(text: string | null): void {
    for (const view of this.views.values()) view.setStale(text);
  }

  /** The board selected by the keyboard. */
  get chosen(): Board | undefined {
    return this.current === null ? undefined : this.boards.get(this.current);
  }

  /** Moves through the tiles in their visible order; the layout determines the rows. */
  move(by: number | 'up' | 'down' | 'first' | 'last'): void {
    const shown = this.shown();
    if (shown.length === 0) return;
    // The first step only moves the focus into the grid.
    if (typeof by === 'number' && !this.element.contains(document.activeElement)) return this.restore();
    const at = this.current === null ? -1 : shown.findIndex((view) => view.element.dataset['board'] === this.current);
    const step =
      typeof by === 'number' ? by : by === 'up' ? -this.columns(shown) : by === 'down' ? this.columns(shown) : 0;
    let next = at < 0 ? 0 : at + step;
    if (by === 'first') next = 0;
    if (by === 'last') next = shown.length - 1;
    if (at >= 0 && (next < 0 || next >= shown.length)) return;
    this.focus(shown[Math.max(0, next)]);
  }

  /** Focuses the last selected tile, or the first one. */
  restore(): void {
    const view = this.current === null ? undefined : this.views.get(this.current);
    this.focus(view && !view.element.hidden ? view : this.shown()[0]);
  }

  private focus(view: TileView | undefined): void {
    if (!view) return;
    view.open.focus({ preventScroll: true });
    view.element.scrollIntoView({ block: 'nearest' });
  }

  private follow(event: Event): void {
    const tile = (event.target as Element).closest<HTMLElement>('.tile');
    const name = tile?.dataset['board'];
    if (!name || name === this.current) return;
    if (this.current !== null) this.views.get(this.current)?.open.setAttribute('tabindex', '-1');
    this.current = name;
    this.views.get(name)?.open.setAttribute('tabindex', '0');
  }

  private shown(): TileView[] {
    const names = [...this.element.children].map((tile) => (tile as HTMLElement).dataset['board'] ?? '');
    return names
      .map((name) => this.views.get(name))
      .filter((view) => view !== undefined && !view.element.hidden) as TileView[];
  }

  private columns(shown: TileView[]): number {
    const top = shown[0]?.element.offsetTop;
    const second = shown.findIndex((view) => view.element.offsetTop !== top);
    return second < 0 ? shown.length : second;
  }

  private schedule(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.writeDirty();
    });
  }

  private writeDirty(): void {
    const now = this.now();
    for (const name of this.dirty) {
      const board = this.boards.get(name);
      if (!board) continue;
      let view = this.views.get(name);
      if (!view) {
        view = new TileView(board, this.handlers);
        this.views.set(name, view);
        this.element.append(view.element);
      }
      view.update(board, now);
    }
    this.dirty.clear();
    this.arrange();
  }

  /** Sorts the tiles, now or once the grid is left alone. */
  private arrange(): void {
    const busy = this.inside || this.element.contains(document.activeElement);
    const rest = REST_MS - (performance.now() - this.touched);
    if (busy && rest > 0 && this.touched > 0) {
      this.waiting ||= window.setTimeout(() => {
        this.waiting = 0;
        this.arrange();
      }, rest + 20);
      return;
    }
    this.order();
  }

  private order(): void {
    const boards = [...this.boards.values()].filter((board) => this.views.has(board.name));
    const ranks = new Map(boards.map((board) => [board, board.rank]));
    boards.sort((a, b) => {
      if (this.sort === 'number') return byNumber(a.name, b.name);
      return compareRanks(ranks.get(a)!, ranks.get(b)!);
    });
    const focused = this.element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    let place = this.element.firstElementChild;
    let hidden = 0;
    for (const board of boards) {
      const view = this.views.get(board.name)!;
      const out = this.filter !== '' && !view.text.includes(this.filter);
      if (view.element.hidden !== out) view.element.hidden = out;
      if (out) hidden += 1;
      if (view.element === place) place = place.nextElementSibling;
      else this.element.insertBefore(view.element, place);
    }
    if (focused && document.activeElement !== focused) focused.focus({ preventScroll: true });
    this.ensureEntry();
    this.showEmptyText(boards.length, hidden);
  }

  /** Keeps one tile reachable with the Tab key. */
  private ensureEntry(): void {
    const view = this.current === null ? undefined : this.views.get(this.current);
    if (view && !view.element.hidden) return;
    const first = this.shown()[0];
    this.current = first?.element.dataset['board'] ?? null;
    first?.open.setAttribute('tabindex', '0');
  }

  private showEmptyText(count: number, hidden: number): void {
    this.empty.hidden = count > hidden;
    const text = count === 0 ? t('grid.none') : t('grid.no_match');
    if (this.empty.textContent !== text) this.empty.textContent = text;
    this.element.dataset['size'] = count - hidden <= 12 ? 'few' : 'many';
  }

  private tick(): void {
    if (document.hidden || !this.element.isConnected) return;
    const now = this.now();
    for (const view of this.views.values()) if (view.running) view.tick(now);
  }
}
