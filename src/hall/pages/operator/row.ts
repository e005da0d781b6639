/** A row of the table: a board, what is wrong with it, and how its broadcast is. */

import { h, fill } from '../lib/dom';
import { playerOf } from '../lib/players';
import { v } from '../lib/vocabulary';
import { SIDES } from '../lib/topics';
import { boardFaults, worst, type Fault, type Level } from './faults';
import type { Hall, LichessGame } from './hall';
import { clockTime, t } from './words';

/** The columns, in their order. */
export const COLUMNS = ['board', 'wrong', 'line', 'players', 'delay', 'lichess'] as const;

export interface Row {
  readonly element: HTMLTableRowElement;
  /** Draws the row anew, and returns how bad the board is. */
  draw(hall: Hall, now: number): Level;
}

/** What is wrong and what to do, as a list. */
export function faultList(faults: readonly Fault[]): HTMLElement {
  if (faults.length === 0) return h('p', { class: 'fine' }, t('fine'));
  const items = faults.map(({ level, what, todo }) =>
    h(
      'li',
      { class: level },
      h('strong', {}, `${level === 'red' ? '● ' : '▲ '}${what}`),
      todo === '' ? null : h('span', { class: 'todo' }, todo),
    ),
  );
  return h('ul', { class: 'faults' }, ...items);
}

const lines = (texts: readonly string[]): HTMLElement =>
  h('div', {}, ...texts.filter((text) => text !== '').map((text) => h('p', {}, text)));

function lineCell(hall: Hall, id: string): HTMLElement {
  const { link, availability } = hall.boards.get(id) ?? {};
  const reconnects = link?.counters.reconnects ?? 0;
  return lines([
    v(availability?.state ?? 'unknown'),
    link === undefined ? '' : t('reconnects', { count: reconnects }),
    link?.battery === null || link === undefined ? '' : t('battery', { battery: link.battery }),
    link === undefined ? '' : t(link.orientation),
  ]);
}

function playersCell(hall: Hall, id: string): HTMLElement {
  const headers = hall.boards.get(id)?.game?.headers;
  const names = SIDES.map((side) => h('p', {}, h('bdi', {}, playerOf(headers, side).name)));
  const number = [headers?.['Round'], headers?.['Board']].filter((part) => part !== undefined);
  return h('div', {}, ...names, number.length > 0 ? h('p', { class: 'soft' }, number.join(' · ')) : null);
}

function delayCell(hall: Hall, id: string): HTMLElement {
  const waits = hall.nodeOf(id)?.[1].broadcast?.delays[id];
  if (waits === undefined || waits.plies === 0) return lines([t('nothing_waits')]);
  return lines([
    t('plies_wait', { count: waits.plies }),
    waits.all_at === undefined ? t('until_plies') : t('until', { time: clockTime(waits.all_at) }),
  ]);
}

function replacedWords(game: LichessGame): string[] {
  return (game.replaced ?? []).map(({ from_ply: ply, moves }) =>
    t('replaced_moves', { moves: `${Math.ceil(ply / 2)}${ply % 2 === 1 ? '.' : '…'} ${moves}` }),
  );
}

function lichessCell(hall: Hall, id: string): HTMLElement {
  const lichess = hall.nodeOf(id)?.[1].broadcast?.lichess;
  if (lichess === undefined) return lines(['–']);
  const games = lichess.boards[id]?.games ?? [];
  const error = lichess.boards[id]?.error;
  const last = games.findLast((game) => game.left_over !== true);
  return lines([
    last === undefined
      ? t(lichess.dry_run ? 'not_sent' : 'not_pushed')
      : t('pushed', { count: last.plies, time: clockTime(last.taken_at) }),
    error === undefined ? '' : t('game_error', { reason: error }),
    ...games.flatMap(replacedWords),
  ]);
}

/** Makes the row of a board. */
export function makeRow(id: string): Row {
  const element = h('tr', { 'data-board': id });
  let drawn = '';
  return {
    element,
    draw(hall, now) {
      const faults = boardFaults(hall, id, now);
      const level = worst(faults);
      const cells: Record<(typeof COLUMNS)[number], HTMLElement> = {
        board: h('div', { class: `badge ${level}` }, id),
        wrong: faultList(faults),
        line: lineCell(hall, id),
        players: playersCell(hall, id),
        delay: delayCell(hall, id),
        lichess: lichessCell(hall, id),
      };
      const key = COLUMNS.map((column) => cells[column].outerHTML).join('');
      if (key !== drawn) {
        drawn = key;
        element.className = level;
        fill(
          element,
          h('th', { scope: 'row', 'data-column': 'board' }, cells.board),
          ...COLUMNS.slice(1).map((column) =>
            h(
              'td',
              { 'data-column': column },
              h('span', { class: 'label', 'aria-hidden': 'true' }, t(column)),
              cells[column],
            ),
          ),
        );
      }
      return level;
    },
  };
}
