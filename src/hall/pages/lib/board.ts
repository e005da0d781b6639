/** A read-only board: chessground without interaction. */

import { Chessground } from 'chessground';
import type { Config } from 'chessground/config';
import type { Key } from 'chessground/types';
import { positionWords, squaresOf, turnOf } from './fen';
import { v } from './vocabulary';
import { h } from './dom';
import type { Side } from './topics';

export interface BoardOptions {
  orientation?: Side;
  coordinates?: boolean;
  /** Highlights the last move; on by default. */
  lastMove?: boolean;
  /** Animates changes of position, unless the viewer prefers reduced motion. */
  animate?: boolean;
}

export interface Board {
  readonly element: HTMLElement;
  /**
   * Shows a position; `check` marks the king of the side having the move. Showing the same position
   * again is free.
   */
  show(fen: string, lastUci?: string | null, check?: boolean): void;
  orient(side: Side): void;
  destroy(): void;
}

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** Makes a board. Its element is a square as wide as its container. */
export function makeBoard(options: BoardOptions = {}): Board {
  const inner = h('div', { class: 'cg-host' });
  // Chessground's own elements mean nothing to screen readers, so the frame carries the label.
  const element = h('div', { class: 'board', role: 'img', 'aria-label': v('empty_board') }, inner);
  const ground = Chessground(inner, {
    fen: '8/8/8/8/8/8/8/8',
    orientation: options.orientation ?? 'white',
    coordinates: options.coordinates ?? true,
    viewOnly: true,
    disableContextMenu: false,
    highlight: { lastMove: options.lastMove ?? true, check: true },
    animation: { enabled: (options.animate ?? true) && !still.matches, duration: 180 },
    drawable: { enabled: false, visible: false },
  });
  let shown = '';
  return {
    element,
    show(fen, lastUci = null, check = false) {
      const key = `${fen}|${lastUci}|${check}`;
      if (key === shown) return;
      shown = key;
      const config: Config = { fen, turnColor: turnOf(fen), check, lastMove: squaresOf(lastUci) as Key[] };
      ground.set(config);
      element.setAttribute('aria-label', `${v('position')}. ${positionWords(fen)}`);
    },
    orient(side) {
      if (ground.state.orientation !== side) ground.toggleOrientation();
    },
    destroy() {
      ground.destroy();
      element.remove();
    },
  };
}
