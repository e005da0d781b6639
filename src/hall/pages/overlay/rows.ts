/**
 * Compact layouts for many games: a ticker in one line, and a table by table number. Both turn
 * pages.
 */

import { h, setText, show } from '../lib/dom';
import { formatClock, remaining } from '../lib/clocks';
import { playerOf, surname, tableOf } from '../lib/players';
import { scoreText } from '../lib/vocabulary';
import type { Live } from '../lib/live';
import { SIDES, type Side } from '../lib/topics';
import type { View } from './board_view';
import { doubt, lastMove, offerOf, resultOf } from './facts';
import type { Options } from './options';
import { corner } from './qr';
import { t } from './words';

/** The columns of a table that may have nothing in any game. */
const COLUMNS = ['ratings', 'clocks', 'moves'] as const;
type Column = (typeof COLUMNS)[number];

interface Row {
  element: HTMLElement;
  /** Whether the game has something in a column, even on a page that is not shown. */
  has(column: Column): boolean;
  draw(): void;
  tick(now: number): void;
}

/** One game in a line: table, White, score or clocks, Black. */
function makeRow(live: Live, id: string, options: Options, short: boolean): Row {
  const table = h('span', { class: 'table digits' });
  const names = { white: h('bdi', { class: 'name' }), black: h('bdi', { class: 'name' }) };
  const ratings = { white: h('span', { class: 'rating digits' }), black: h('span', { class: 'rating digits' }) };
  const clocks = { white: h('time', { class: 'clock' }), black: h('time', { class: 'clock' }) };
  const score = h('span', { class: 'score digits' });
  const move = h('span', { class: 'move digits' });
  const element = short
    ? h(
        'li',
        { class: 'item' },
        table,
        names.white,
        h('span', { class: 'centre' }, clocks.white, score, clocks.black),
        names.black,
        move,
      )
    : h(
        'tr',
        null,
        h('td', { class: 'of-table' }, table),
        h('td', { class: 'of-white' }, names.white),
        h('td', { class: 'of-rating' }, ratings.white),
        h('td', { class: 'of-clock' }, clocks.white),
        h('td', { class: 'of-score' }, score),
        h('td', { class: 'of-clock' }, clocks.black),
        h('td', { class: 'of-rating' }, ratings.black),
        h('td', { class: 'of-black' }, names.black),
        h('td', { class: 'of-move' }, move),
      );
  let over = false;
  const nameOf = (headers: Record<string, string>, side: Side): string => {
    const player = playerOf(headers, side);
    const title = options.shown.has('titles') && !short ? player.title : '';
    return [title, short ? surname(player) : player.name].filter(Boolean).join(' ');
  };
  return {
    element,
    has(column) {
      const game = live.store.get(id, 'game')?.payload;
      if (game === undefined) return false;
      if (column === 'ratings')
        return options.shown.has('ratings') && SIDES.some((side) => playerOf(game.headers, side).rating !== '');
      if (resultOf(live, id) !== null) return false;
      if (column === 'moves') return options.shown.has('lastmove');
      const now = live.now();
      return options.shown.has('clocks') && SIDES.some((side) => remaining(live.gameClock(id), side, now) !== null);
    },
    draw() {
      const game = live.store.get(id, 'game')?.payload;
      show(element, game !== undefined);
      if (game === undefined) return;
      const result = resultOf(live, id);
      over = result !== null;
      setText(table, tableOf(game.headers, id));
      for (const side of ['white', 'black'] as const) {
        setText(names[side], nameOf(game.headers, side));
        setText(ratings[side], options.shown.has('ratings') ? playerOf(game.headers, side).rating : '');
      }
      setText(score, result !== null && options.shown.has('result') ? scoreText(result.score) : short ? '' : '–');
      show(score, score.textContent !== '');
      element.classList.toggle('over', over);
      const offered = options.shown.has('offer') && !over && offerOf(live, id) !== null ? ' (=)' : '';
      const unsure = over || doubt(live, id, game) === '' ? '' : ' ?';
      setText(move, over || !options.shown.has('lastmove') ? '' : `${lastMove(game)}${offered}${unsure}`);
    },
    tick(now) {
      const reading = live.gameClock(id);
      for (const side of ['white', 'black'] as const) {
        const left = remaining(reading, side, now);
        show(clocks[side], options.shown.has('clocks') && left !== null && !over);
        if (left === null || over) continue;
        setText(clocks[side], formatClock(left));
        clocks[side].classList.toggle('running', reading?.running === side);
      }
    },
  };
}

/** Makes the layout `ticker` or `table`; `--line` is the height of a line. */
export function makeRows(live: Live, options: Options, kind: 'ticker' | 'table'): View {
  const list = kind === 'ticker' ? h('ul', { class: 'items' }) : h('tbody');
  const element =
    kind === 'ticker'
      ? h('main', { class: 'ticker' }, list)
      : h('main', { class: 'standings' }, h('table', { 'aria-label': t('standings') }, list));
  const old = h('p', { class: 'age digits', role: 'status', hidden: true });
  element.append(old);
  const rows = new Map<string, Row>();
  let first = 0;
  let fits = 1;

  function wanted(): string[] {
    const known = live.store.boards();
    return (options.boards.length > 0 ? options.boards.filter((id) => known.includes(id)) : known)
      .slice()
      .sort((a, b) => number(a) - number(b));
  }
  function number(id: string): number {
    return Number(tableOf(live.store.get(id, 'game')?.payload.headers, id)) || 0;
  }

  /** Leaves the room of a column in which no game has anything to the names. */
  function drawColumns(): void {
    const all = [...rows.values()];
    for (const column of COLUMNS) element.classList.toggle(`no-${column}`, !all.some((row) => row.has(column)));
  }

  /** Shows the rows of the current page, as many as fit. */
  function lay(): void {
    const all = [...rows.values()];
    if (first >= all.length) first = 0;
    const line =
      options.size ??
      (kind === 'ticker'
        ? Math.min(64, innerHeight)
        : Math.min(56, Math.max(30, Math.min(innerHeight / 14, innerWidth / 24))));
    document.documentElement.style.setProperty('--line', `${line}px`);
    fits =
      kind === 'ticker'
        ? Math.max(1, Math.floor(innerWidth / (line * 8.5)))
        : Math.max(1, Math.floor((innerHeight - corner().height - 4) / line));
    element.style.setProperty('--items', String(Math.min(fits, Math.max(1, all.length))));
    list.replaceChildren(...all.slice(first, first + fits).map((row) => row.element));
    for (const row of all.slice(first, first + fits)) row.draw();
    drawColumns();
  }

  setInterval(() => {
    if (rows.size <= fits) return;
    first += fits;
    lay();
    if (options.animate) list.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300 });
  }, options.seconds * 1000);
  addEventListener('resize', lay);

  return {
    element,
    draw() {
      const ids = wanted();
      if (ids.join() === [...rows.keys()].join()) {
        for (const row of rows.values()) if (row.element.isConnected) row.draw();
        drawColumns();
        return;
      }
      rows.clear();
      for (const id of ids) rows.set(id, makeRow(live, id, options, kind === 'ticker'));
      lay();
    },
    age(note) {
      setText(old, note);
      show(old, note !== '');
    },
    tick(now) {
      for (const row of rows.values()) if (row.element.isConnected) row.tick(now);
    },
  };
}
