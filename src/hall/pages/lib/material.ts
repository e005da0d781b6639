/** The material advantage of a side, as broadcasts show it: pieces and their value in pawns. */

import { pieces } from './fen';
import { opponent, type Side } from './topics';

const WORTH = { queen: 9, rook: 5, bishop: 3, knight: 3, pawn: 1 } as const;
const SIGNS = { queen: '♛', rook: '♜', bishop: '♝', knight: '♞', pawn: '♟' } as const;
const KINDS = ['queen', 'rook', 'bishop', 'knight', 'pawn'] as const;

/** `♜♟ +4`: a side's advantage; empty if it has none. */
export function materialOf(fen: string, side: Side): string {
  const count = { white: new Map<string, number>(), black: new Map<string, number>() };
  for (const [, piece] of pieces(fen)) count[piece.side].set(piece.kind, (count[piece.side].get(piece.kind) ?? 0) + 1);
  const ahead = (kind: string, of: Side): number => (count[of].get(kind) ?? 0) - (count[opponent(of)].get(kind) ?? 0);
  const signs = KINDS.map((kind) => SIGNS[kind].repeat(Math.max(0, ahead(kind, side)))).join('');
  const worth = KINDS.reduce((sum, kind) => sum + WORTH[kind] * ahead(kind, side), 0);
  return [signs, worth > 0 ? `+${worth}` : ''].filter(Boolean).join(' ');
}
