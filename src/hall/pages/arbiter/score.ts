// The score sheet: moves with times, (=) marks, and what is reconstructed or uncertain.

import { formatRecorded } from '../lib/clocks';
import { h, type Child } from '../lib/dom';
import { correct } from './actions/record';
import type { Opened } from './opened';
import type { Game } from './payloads';
import { san, t, type Key } from './say';

/** The number of the first move, and whether Black makes it, from the starting position. */
function beginning(game: Game): { number: number; blackBegins: boolean } {
  const [, turn, , , , number] = game.start_fen.split(' ');
  return { number: Number(number) || 1, blackBegins: turn === 'b' };
}

export function scoreSection(opened: Opened): Child[] {
  const game = opened.game();
  if (!game || game.moves.length === 0) return [h('p', { class: 'nothing' }, t('score.empty'))];
  const { number, blackBegins } = beginning(game);
  const shift = blackBegins ? 1 : 0;
  const rows: HTMLElement[] = [];
  for (let row = 0; row * 2 - shift < game.moves.length; row++) {
    const white = row * 2 - shift;
    rows.push(
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, `${number + row}.`),
        cell(opened, game, white),
        cell(opened, game, white + 1),
      ),
    );
  }
  const marks = game.moves.some((move) => move.reconstructed) || game.uncertain || (game.offers?.length ?? 0) > 0;
  return [
    h(
      'div',
      { class: 'score-scroll', 'data-scroll': true, tabindex: '0', role: 'region', 'aria-label': t('part.score') },
      h(
        'table',
        { class: 'score' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, t('score.number')),
            h('th', { scope: 'col' }, t('side.white')),
            h('th', { scope: 'col' }, t('side.black')),
          ),
        ),
        h('tbody', {}, ...rows),
      ),
    ),
    marks ? h('p', { class: 'hint' }, t('score.legend')) : null,
    opened.looksAt === null
      ? null
      : h(
          'button',
          {
            type: 'button',
            'data-key': 'correct-here',
            onclick: () => void correct(opened, undefined, opened.looksAt ?? undefined),
          },
          t('score.correct_from', { ply: opened.looksAt }),
        ),
  ];
}

function cell(opened: Opened, game: Game, index: number): HTMLElement {
  const move = game.moves[index];
  if (!move) return h('td', {}, index < 0 ? '…' : '');
  const ply = index + 1;
  const since = game.uncertain?.since_ply;
  const uncertain = typeof since === 'number' && ply >= since;
  const offered = game.offers?.some((offer) => offer.ply === ply);
  const looked = (opened.looksAt ?? game.moves.length) === ply;
  const repeated = opened.draw()?.repetition;
  const again = repeated && repeated.count > 1 && repeated.plies.includes(ply);
  const names = ['move', looked ? 'looked' : '', again ? 'again' : ''].filter(Boolean).join(' ');
  return h(
    'td',
    {},
    h(
      'button',
      {
        type: 'button',
        class: names,
        'data-key': `move-${ply}`,
        'aria-current': looked ? 'true' : null,
        onclick: () => opened.lookAt(ply),
      },
      h('span', { class: 'unseen' }, `${t('ply.number', { ply })}: `),
      h('span', { class: 'san' }, san(move.san)),
      offered ? mark('(=)', 'score.offered') : null,
      move.reconstructed ? mark('~', 'score.reconstructed') : null,
      uncertain ? mark('?', 'score.uncertain') : null,
      again ? mark('⟳', 'score.repeated') : null,
      typeof move.clock_ms === 'number' ? h('span', { class: 'spent' }, formatRecorded(move.clock_ms)) : null,
    ),
  );
}

/** A mark beside a move: a sign to see, and words for screen readers. */
function mark(sign: string, words: Key): HTMLElement {
  return h(
    'span',
    { class: 'mark' },
    h('span', { 'aria-hidden': 'true' }, sign),
    h('span', { class: 'unseen' }, `, ${t(words)}`),
  );
}

/** Keeps the live position's last move in view. */
export function followScore(opened: Opened, body: HTMLElement): void {
  const box = body.querySelector<HTMLElement>('.score-scroll');
  const move = body.querySelector<HTMLElement>('.looked');
  if (!box || !move) return;
  const last = opened.looksAt === null;
  if (last) box.scrollTop = box.scrollHeight;
}
