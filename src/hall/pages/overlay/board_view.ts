/** One board on air: the position between the players' bars, and a line of facts below. */

import { makeBoard } from '../lib/board';
import { h, setText, show } from '../lib/dom';
import { givesCheck } from '../lib/notation';
import { tableOf } from '../lib/players';
import { opponent, SIDES, type Side } from '../lib/topics';
import type { Live } from '../lib/live';
import { counters, doubt, lastMove, offerOf, resultLine, resultOf } from './facts';
import { openingOf } from './opening';
import type { Options } from './options';
import { makePlayerBar } from './player_bar';
import { t } from './words';

export interface View {
  readonly element: HTMLElement;
  draw(): void;
  tick(now: number): void;
  /** Shows how old the data is; empty while it is fresh. */
  age(note: string): void;
}

/** Makes the view of a board; `many` is set if several are side by side with less room. */
export function makeBoardView(live: Live, id: string, options: Options, many: boolean): View {
  const board = makeBoard({
    orientation: options.bottom,
    coordinates: options.shown.has('coordinates'),
    lastMove: options.shown.has('lastmove'),
    animate: options.animate,
  });
  const bars = {
    white: makePlayerBar('white', options.shown, many),
    black: makePlayerBar('black', options.shown, many),
  };
  const table = h('span', { class: 'table' });
  const headline = h('span', { class: 'headline' });
  const side = h('span', { class: 'aside digits' });
  const old = h('span', { class: 'age doubt digits', hidden: true });
  const line = h('div', { class: 'line' }, many ? table : null, headline, side, old);
  const counted = h('div', { class: 'line counters digits', hidden: true });
  const top: Side = opponent(options.bottom);
  const element = h(
    'section',
    { class: many ? 'view many' : 'view', 'aria-label': id },
    bars[top].element,
    h('div', { class: 'middle' }, board.element),
    bars[options.bottom].element,
    line,
    counted,
  );
  let over = false;

  function draw(): void {
    const game = live.store.get(id, 'game')?.payload;
    element.classList.toggle('empty', game === undefined);
    if (game === undefined) {
      setText(headline, t('waiting', { board: id }));
      show(line, live.hello !== null);
      return;
    }
    const result = resultOf(live, id);
    over = result !== null;
    const last = game.moves.at(-1);
    board.show(game.fen, last?.uci, givesCheck(last?.san));
    const offer = over ? null : offerOf(live, id);
    for (const one of SIDES) bars[one].update(game, result, offer);
    const resultText = result !== null && options.shown.has('result') ? resultLine(result) : '';
    const opening = options.shown.has('opening') && !many ? openingOf(game, draw) : '';
    setText(table, t('table', { table: tableOf(game.headers, id) }));
    setText(headline, resultText || opening || (many && options.shown.has('lastmove') ? lastMove(game) : ''));
    headline.classList.toggle('result', resultText !== '');
    const unsure = over ? '' : doubt(live, id, game);
    setText(side, unsure || (!many && options.shown.has('lastmove') && resultText === '' ? lastMove(game) : ''));
    side.classList.toggle('doubt', unsure !== '');
    const facts = counters(live, id, game, options.shown);
    setText(counted, facts.join(' · '));
    show(counted, facts.length > 0);
    show(line, headline.textContent !== '' || side.textContent !== '' || old.textContent !== '' || many);
  }

  return {
    element,
    draw,
    age(note) {
      // In place of the last move, so that it covers nothing, least of all a clock.
      setText(old, note);
      show(old, note !== '');
      show(side, note === '');
      if (note !== '') show(line, true);
    },
    tick(now) {
      const reading = live.gameClock(id);
      for (const one of SIDES) bars[one].tick(reading, now, over);
    },
  };
}
