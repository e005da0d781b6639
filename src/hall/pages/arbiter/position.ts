// The pieces on their squares: read from a FEN and updated by UCI moves that the daemon found
// legal. The only rules implemented are castling, en passant and promotion.

/** 64 squares from a8 to h1: a piece as its FEN letter, or an empty string. */
export type Squares = string[];

export function squaresOf(fen: string): Squares {
  const squares: Squares = [];
  for (const c of fen.split(' ', 1)[0] ?? '') {
    if (c === '/') continue;
    const empty = Number(c);
    if (empty) squares.push(...Array<string>(empty).fill(''));
    else squares.push(c);
  }
  return squares.slice(0, 64);
}

/** The index of a square such as `e4` in [`Squares`]. */
export function indexOf(square: string): number {
  return (8 - Number(square[1])) * 8 + square.charCodeAt(0) - 97;
}

export function nameOf(index: number): string {
  return String.fromCharCode(97 + (index % 8)) + String(8 - Math.floor(index / 8));
}

/** The position after one more move. */
export function after(squares: Squares, uci: string): Squares {
  const next = [...squares];
  const from = indexOf(uci.slice(0, 2));
  const to = indexOf(uci.slice(2, 4));
  const man = next[from] ?? '';
  next[from] = '';
  if (isCastling(squares, man, from, to)) {
    castle(next, man, from, to);
    return next;
  }
  const enPassant = man.toLowerCase() === 'p' && from % 8 !== to % 8 && !squares[to];
  if (enPassant) next[Math.floor(from / 8) * 8 + (to % 8)] = '';
  const promoted = uci[4];
  next[to] = promoted ? (man === 'P' ? promoted.toUpperCase() : promoted) : man;
  return next;
}

/** A king that moves two files or, in Chess960, onto its own rook. */
function isCastling(squares: Squares, man: string, from: number, to: number): boolean {
  if (man.toLowerCase() !== 'k') return false;
  const own = man === 'K' ? 'R' : 'r';
  return squares[to] === own || Math.abs((from % 8) - (to % 8)) > 1;
}

function castle(next: Squares, king: string, from: number, to: number): void {
  const row = Math.floor(from / 8) * 8;
  const rook = king === 'K' ? 'R' : 'r';
  const short = to > from;
  const corner = next[to] === rook ? to : short ? row + 7 : row;
  next[corner] = '';
  next[row + (short ? 6 : 2)] = king;
  next[row + (short ? 5 : 3)] = rook;
}

/** The position after the first `ply` of these moves. */
export function atPly(startFen: string, moves: readonly { uci: string }[], ply: number): Squares {
  return moves.slice(0, ply).reduce((squares, move) => after(squares, move.uci), squaresOf(startFen));
}
