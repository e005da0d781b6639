/** The public boards, small and live. */

import { formatClock, remaining } from '../lib/clocks';
import { h, setText, show } from '../lib/dom';
import type { Live } from '../lib/live';
import { makeMiniature } from '../lib/miniature';
import { sanIn } from '../lib/notation';
import { fit, nameForms, playerOf } from '../lib/players';
import { moveNumber, scoreText, v } from '../lib/vocabulary';
import { SIDES, type Side } from '../lib/topics';
import { t } from './words';

export interface Card {
  readonly element: HTMLElement;
  draw(): void;
  tick(now: number): void;
}

/** Makes the card of a board, with links to its pages. */
export function makeCard(live: Live, id: string): Card {
  const board = makeMiniature();
  const make = (side: Side) => {
    const name = h('bdi', { class: 'name' });
    const clock = h('time', { class: 'clock' });
    return {
      name,
      clock,
      element: h(
        'p',
        { class: `player ${side}` },
        h('span', { class: 'colour', role: 'img', 'aria-label': v(side) }),
        name,
        clock,
      ),
    };
  };
  const sides = { white: make('white'), black: make('black') };
  const state = h('span', { class: 'state' });
  const news = h('p', { class: 'news' });
  const element = h(
    'article',
    { class: 'card', 'aria-label': t('board', { board: id }) },
    h('h3', null, t('board', { board: id }), state),
    sides.black.element,
    board.element,
    sides.white.element,
    news,
    h(
      'p',
      { class: 'links' },
      h('a', { href: `overlay?board=${id}` }, t('open_overlay')),
      h('a', { href: `clock?board=${id}` }, t('open_clock')),
    ),
  );

  return {
    element,
    draw() {
      const game = live.store.get(id, 'game')?.payload;
      const there = live.store.get(id, 'availability')?.payload.state ?? 'unknown';
      const online = live.store.online(id);
      setText(state, online ? '' : `⚠ ${v(there === 'online' ? 'lost' : there)}`);
      show(board.element, game !== undefined);
      for (const side of SIDES) fit(sides[side].name, nameForms(playerOf(game?.headers, side)));
      if (game === undefined) {
        setText(news, '');
        return;
      }
      const last = game.moves.at(-1);
      board.show(game.fen, last?.uci);
      const result = game.result;
      setText(
        news,
        result !== null && result.score !== '*'
          ? scoreText(result.score)
          : last === undefined
            ? t('no_moves')
            : `${moveNumber(game.ply ?? game.moves.length)} ${sanIn(last.san)}`,
      );
    },
    tick(now) {
      const reading = live.gameClock(id);
      for (const side of SIDES) {
        const left = remaining(reading, side, now);
        setText(sides[side].clock, left === null ? '' : formatClock(left));
        sides[side].clock.classList.toggle('running', reading?.running === side);
      }
    },
  };
}
