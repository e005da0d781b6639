/** Reads a FEN, also one with only four fields, and describes it in words for screen readers. */

import type { Side } from './topics';
import { v } from './vocabulary';

export type Kind = 'king' | 'queen' | 'rook' | 'bishop' | 'knight' | 'pawn';

export interface Piece {
  kind: Kind;
  side: Side;
}

const KINDS: Record<string, Kind> = { k: 'king', q: 'queen', r: 'rook', b: 'bishop', n: 'knight', p: 'pawn' };
const ORDER: readonly Kind[] = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];

/** The pieces by square, `a8` first as in the FEN. */
export function pieces(fen: string): Map<string, Piece> {
  const found = new Map<string, Piece>();
  const ranks = (fen.split(' ')[0] ?? '').split('/');
  ranks.slice(0, 8).forEach((rank, down) => {
    let file = 0;
    for (const sign of rank) {
      const kind = KINDS[sign.toLowerCase()];
      if (kind === undefined) {
        file += Number(sign) || 0;
        continue;
      }
      found.set(`${'abcdefgh'[file] ?? 'h'}${8 - down}`, {
        kind,
        side: sign === sign.toLowerCase() ? 'black' : 'white',
      });
      file++;
    }
  });
  return found;
}

/** The side having the move; White if the FEN does not say. */
export function turnOf(fen: string): Side {
  return fen.split(' ')[1] === 'b' ? 'black' : 'white';
}

/** The squares of a UCI move, without a promotion piece. */
export function squaresOf(uci: string | null | undefined): string[] {
  return uci && /^[a-h][1-8][a-h][1-8]/.test(uci) ? [uci.slice(0, 2), uci.slice(2, 4)] : [];
}

/** The position in words: `White: king e1, queen d1, …. Black: …`. */
export function positionWords(fen: string): string {
  const all = pieces(fen);
  if (all.size === 0) return v('empty_board');
  const side = (which: Side): string => {
    const own = [...all].filter(([, piece]) => piece.side === which);
    const listed = ORDER.flatMap((kind) => {
      const squares = own.filter(([, piece]) => piece.kind === kind).map(([square]) => square);
      return squares.length === 0 ? [] : [`${v(kind)} ${squares.sort().join(' ')}`];
    });
    return `${v(which)}: ${listed.join(', ')}`;
  };
  return `${side('white')}. ${side('black')}.`;
}
