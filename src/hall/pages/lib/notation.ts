/** Moves as people write them: SAN with the letters of a language, or with figurines. */

import { language, type Language } from './words';

/** King, queen, rook, bishop, knight. */
const LETTERS: Record<Language | 'figurine', string> = { en: 'KQRBN', de: 'KDTLS', nl: 'KDTLP', figurine: '♔♕♖♗♘' };

export type Letters = keyof typeof LETTERS;

/** A move in SAN with other piece letters; castling and squares stay the same. */
export function sanIn(san: string, letters: Letters = language): string {
  const own = LETTERS[letters];
  return san.replace(/[KQRBN]/g, (piece) => own['KQRBN'.indexOf(piece)] ?? piece);
}

/** A move typed with the letters of the language, converted to SAN or UCI with English letters. */
export function sanFrom(written: string, letters: Letters = language): string {
  const text = written
    .trim()
    .replace(/^0-0-0/, 'O-O-O')
    .replace(/^0-0/, 'O-O');
  if (/^[a-h][1-8][a-h][1-8][a-z]?$/.test(text) || text.startsWith('O-O')) return text;
  const own = LETTERS[letters];
  const english = (piece: string): string => 'KQRBN'[own.indexOf(piece)] ?? piece;
  return text.replace(/^[A-Z♔-♘]/, english).replace(/=?([A-Z])(?=[+#]?$)/, (_, piece: string) => `=${english(piece)}`);
}

/** Whether the move gives check. */
export function givesCheck(san: string | undefined): boolean {
  return san !== undefined && /[+#]$/.test(san);
}
