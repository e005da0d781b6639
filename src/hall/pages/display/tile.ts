/**
 * One board on a screen in the hall: players, position, last move, clocks, result.
 *
 * Players can read such screens, so counters, move numbers and hints must not appear, whatever the
 * topics contain.
 */

import { formatClock, isoDuration, remaining } from '../lib/clocks';
import { h, setText, show } from '../lib/dom';
import { setFlag } from '../lib/flags';
import { makeMiniature } from '../lib/miniature';
import { sanIn } from '../lib/notation';
import { fit, nameForms, playerOf, tableOf } from '../lib/players';
import { points, reasonWords, scoreText, v } from '../lib/vocabulary';
import type { Live } from '../lib/live';
import { SIDES, type Side } from '../lib/topics';
import { t } from './words';

const EMPTY = '8/8/8/8/8/8/8/8 w - - 0 1';

export interface Tile {
  readonly element: HTMLElement;
  draw(): void;
  tick(now: number): void;
}

function makeSide(side: Side) {
  const colour = h('span', { class: 'colour', role: 'img', 'aria-label': v(side) });
  const point = h('span', { class: 'points', hidden: true });
  const title = h('span', { class: 'title' });
  const name = h('bdi', { class: 'name' });
  const flag = h('img', { class: 'flag', alt: '', hidden: true });
  const federation = h('span', { class: 'federation' });
  const clock = h('time', { class: 'clock', hidden: true });
  return {
    point,
    title,
    name,
    flag,
    federation,
    clock,
    element: h('div', { class: `player ${side}` }, colour, point, title, name, flag, federation, clock),
  };
}

/** Makes the tile of a board. */
export function makeTile(live: Live, id: string): Tile {
  const board = makeMiniature();
  const sides = { white: makeSide('white'), black: makeSide('black') };
  const table = h('span', { class: 'table digits' });
  const move = h('span', { class: 'move' });
  const note = h('span', { class: 'note' });
  const element = h(
    'article',
    { class: 'tile' },
    sides.black.element,
    board.element,
    sides.white.element,
    h('div', { class: 'line' }, table, move, note),
  );
  let over = false;

  return {
    element,
    draw() {
      const game = live.store.get(id, 'game')?.payload;
      const number = tableOf(game?.headers, id);
      setText(table, t('table', { table: number }));
      element.setAttribute('aria-label', `${id}`);
      if (game === undefined) {
        // What was known before must not stand there as if it were current.
        setText(note, live.store.isUnreadable(id) ? t('offline') : '');
        board.show(EMPTY);
        setText(move, '');
        return;
      }
      const published = live.store.get(id, 'result')?.payload;
      const result = game.result ?? (published?.session === game.session ? published : null);
      over = result !== null && result.score !== '*';
      const last = game.moves.at(-1);
      board.show(game.fen, last?.uci);
      for (const side of SIDES) {
        const player = playerOf(game.headers, side);
        const of = sides[side];
        const point = over && result !== null ? points(result.score, side) : '';
        setText(of.title, player.title);
        const drawn = setFlag(of.flag, player.federation);
        // There is room for a code, but not for the name of a team.
        setText(of.federation, !drawn && /^[A-Z]{3}$/.test(player.federation) ? player.federation : '');
        setText(of.point, point);
        show(of.point, point !== '');
        of.element.classList.toggle('winner', point === '1');
        fit(of.name, nameForms(player));
      }
      element.classList.toggle('over', over);
      // Next to a result a bare number cannot be misread, and leaves room for the reason.
      if (over) setText(table, number);
      setText(
        move,
        over && result !== null
          ? `${scoreText(result.score)} · ${reasonWords(result.reason)}`
          : last === undefined
            ? ''
            : sanIn(last.san, 'figurine'),
      );
      // After the game the pieces may be anywhere and the board may be put away.
      setText(note, over ? '' : live.store.online(id) ? (game.uncertain ? v('uncertain') : '') : t('offline'));
    },
    tick(now) {
      const reading = live.gameClock(id);
      for (const side of SIDES) {
        const left = remaining(reading, side, now);
        const { clock, element: bar } = sides[side];
        show(clock, left !== null);
        if (left === null) continue;
        setText(clock, formatClock(left));
        const duration = isoDuration(left);
        if (clock.dateTime !== duration) clock.dateTime = duration;
        bar.classList.toggle('running', reading?.running === side && !over);
        clock.classList.toggle('wide', left >= 3_600_000);
      }
    },
  };
}
