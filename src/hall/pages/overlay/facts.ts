/**
 * What the overlay shows besides a board's position: result, offer, counters, doubts. Reads only
 * `public`.
 */

import { moveNumber, reasonWords, scoreText, v } from '../lib/vocabulary';
import { sanIn } from '../lib/notation';
import type { Live } from '../lib/live';
import type { Envelope, Game, GameResult, Side } from '../lib/topics';
import type { Part } from './options';
import { t } from './words';

/**
 * The result that may be shown.
 *
 * The topic `result` is not delayed. If the moves are delayed, wait for the game's own result, so
 * that a broadcast never shows the end before its moves.
 */
export function resultOf(live: Live, board: string): GameResult | null {
  const own = live.store.get(board, 'game')?.payload.result ?? null;
  if (own !== null) return own.score === '*' ? null : own;
  if ((live.hello?.delay_ms ?? 0) > 0) return null;
  const result = live.store.get(board, 'result')?.payload ?? null;
  const session = live.store.get(board, 'game')?.payload.session;
  if (result === null || result.score === '*' || result.session !== session) return null;
  return isOfGame(live, board, result) ? result : null;
}

/** The side that offers a draw now. */
export function offerOf(live: Live, board: string): Side | null {
  const offer = live.store.get(board, 'offer')?.payload ?? null;
  return offer !== null && isOfGame(live, board, offer) ? offer.by : null;
}

/**
 * Whether a value is not older than the current game. A broker that was killed may have kept one that
 * had been cleared since.
 */
function isOfGame(live: Live, board: string, value: Envelope): boolean {
  const game = live.store.get(board, 'game')?.payload.game ?? 0;
  return value.seq >= game;
}

export function resultLine(result: GameResult): string {
  return `${scoreText(result.score)} · ${reasonWords(result.reason)}`;
}

/** The last move with its number. */
export function lastMove(game: Game): string {
  return game.moves.length === 0 ? '' : moveOf(game, game.moves.length);
}

/** A move with its number, by its ply in the record. */
function moveOf(game: Game, ply: number): string {
  const san = game.moves[ply - 1]?.san;
  return `${moveNumber(firstPly(game) + ply)}${san === undefined ? '' : ` ${sanIn(san, 'figurine')}`}`;
}

/** The number of plies before the first one of the record, if it begins from another position. */
function firstPly(game: Game): number {
  const [, turn, , , , number] = game.start_fen.split(' ');
  return 2 * (Math.max(1, Number(number ?? 1) || 1) - 1) + (turn === 'b' ? 1 : 0);
}

/** The counters. If play has gone on since, with the move after which they were counted. */
export function counters(live: Live, board: string, game: Game, shown: ReadonlySet<Part>): string[] {
  const draw = live.store.get(board, 'draw')?.payload;
  if (draw === undefined || draw.game !== game.game) return [];
  const texts: string[] = [];
  // If the delay is short, the public of a competition receives neither counter.
  const count = draw.repetition?.count ?? 0;
  if (shown.has('repetition') && count > 1) texts.push(t('repetition', { count }));
  if (shown.has('fifty') && draw.halfmove_clock !== undefined)
    texts.push(t('fifty', { count: Math.floor(draw.halfmove_clock / 2) }));
  if (texts.length === 0) return [];
  const behind = draw.ply < (game.ply ?? game.moves.length);
  return behind && draw.ply > 0 ? [...texts, t('counted_after', { move: moveOf(game, draw.ply) })] : texts;
}

/** Current doubts: moves that may be missing, or a board that is not seen. */
export function doubt(live: Live, board: string, game: Game): string {
  if (!live.store.online(board)) return t('offline');
  if (!game.uncertain) return '';
  const since = game.uncertain.since_ply;
  return since ? v('uncertain_since', { move: moveNumber(firstPly(game) + since) }) : v('uncertain');
}
