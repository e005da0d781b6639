/**
 * A small board for pages with many boards.
 *
 * Its piece elements are kept and moved only when necessary. It uses the style sheet of the large
 * board and has no animation.
 */

import { pieces, positionWords, squaresOf } from './fen';
import { h } from './dom';
import { v } from './vocabulary';
import type { Side } from './topics';

export interface Miniature {
  readonly element: HTMLElement;
  show(fen: string, lastUci?: string | null): void;
  orient(side: Side): void;
}

/** Makes a small board; `silent` hides it from screen readers if the text beside it is enough. */
export function makeMiniature(silent = false): Miniature {
  const field = h('div', { class: 'cg-wrap mini-field' });
  const element = silent
    ? h('div', { class: 'board mini', 'aria-hidden': 'true' }, field)
    : h('div', { class: 'board mini', role: 'img', 'aria-label': v('empty_board') }, field);
  const there = new Map<string, HTMLElement>();
  let flipped = false;
  let shown = { fen: '', uci: '' };

  const place = (item: HTMLElement, square: string): void => {
    const file = square.charCodeAt(0) - 97;
    const rank = Number(square[1]) - 1;
    item.style.transform = `translate(${(flipped ? 7 - file : file) * 100}%, ${(flipped ? rank : 7 - rank) * 100}%)`;
  };

  /** Keeps what is unchanged, removes what is gone and adds what is new. */
  const lay = (wanted: Map<string, string>): void => {
    for (const [key, item] of there) {
      if (wanted.has(key)) continue;
      item.remove();
      there.delete(key);
    }
    for (const [key, names] of wanted) {
      if (there.has(key)) continue;
      const [tag, square] = key.split(':') as [string, string];
      const item = document.createElement(tag);
      item.className = names;
      place(item, square);
      there.set(key, item);
      field.append(item);
    }
  };

  return {
    element,
    show(fen, lastUci = null) {
      if (shown.fen === fen && shown.uci === (lastUci ?? '')) return;
      shown = { fen, uci: lastUci ?? '' };
      const wanted = new Map<string, string>();
      for (const square of squaresOf(lastUci)) wanted.set(`square:${square}`, 'last-move');
      for (const [square, piece] of pieces(fen))
        wanted.set(`piece:${square}:${piece.side}:${piece.kind}`, `${piece.kind} ${piece.side}`);
      lay(wanted);
      if (!silent) element.setAttribute('aria-label', `${v('position')}. ${positionWords(fen)}`);
    },
    orient(side) {
      if (flipped === (side === 'black')) return;
      flipped = side === 'black';
      for (const [key, item] of there) place(item, key.split(':')[1] ?? 'a1');
    },
  };
}
