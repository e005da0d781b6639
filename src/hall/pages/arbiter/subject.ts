// The board of an action, as the dialogs see it: from a tile or from the opened board, which knows
// more.

import type { Alert, ClockTopic, Draw, Game, Side, Tile } from './payloads';
import type { Seen } from './hall';
import { isolated } from '../lib/plain';
import { language } from '../lib/words';
import { san, t } from './say';
import type { Reading } from './times';

/** What a decision depends on: the game, the open claim, or the exact position. */
export type About = 'game' | 'claim' | 'position';

export interface Subject {
  board: string;
  /** The newest entry visible to the arbiter. */
  seq(): number;
  tile(): Seen<Tile> | undefined;
  clock(): Seen<ClockTopic> | undefined;
  /** The clocks, as far as the board is seen. */
  reading(): Reading | null;
  alerts(): Alert[];
  /** Only for an opened board. */
  game(): Game | undefined;
  draw(): Draw | undefined;
  /** The number of illegal moves ruled, as far as the received entries show. */
  illegalMoves(side: Side): number | null;
  /** The server's clock. */
  now(): number;
  /** A key that must stay the same for a decision to remain valid. */
  moment(about: About): string;
  /** The present state in words, shown after a change. */
  nowText(): string;
  /** Calls back on every change; returns a function that stops it. */
  watch(changed: () => void): () => void;
  label(): string;
}

/** `Board b1 · Smit – Jansen`. */
export function labelOf(board: string, tile: Tile | undefined): string {
  const players = tile ? playersOf(tile) : null;
  return players ? `${t('board')} ${board} · ${players}` : `${t('board')} ${board}`;
}

/** `Smit – Jansen`, or null if neither has a name. */
export function playersOf(tile: Pick<Tile, 'headers'>): string | null {
  const { White, Black } = tile.headers;
  return White || Black ? `${isolated(White || t('side.white'))} – ${isolated(Black || t('side.black'))}` : null;
}

/** The key that invalidates a decision when it changes. */
export function momentOf(about: About, tile: Tile | undefined, alerts: readonly Alert[]): string {
  const game = `${tile?.game ?? ''}/${tile?.result?.score ?? ''}`;
  const claims = alerts
    .filter((alert) => alert.code.startsWith('claim_'))
    .map((alert) => `${alert.id}:${String(alert.arguments['verdict'] ?? '')}`);
  if (about === 'claim') return `${tile?.game ?? ''}/${claims.join()}`;
  if (about === 'game') return game;
  const versions = alerts
    .filter((alert) => alert.code === 'accounts_differ')
    .map((alert) => `${alert.id}:${String(alert.arguments['other'])}:${String(alert.arguments['dropped'])}`);
  return `${game}/${tile?.ply ?? 0}/${tile?.last?.uci ?? ''}/${claims.join()}/${versions.join()}`;
}

/** `24… Nf6, White to move`. */
export function stateText(tile: Tile | undefined): string {
  if (!tile) return '';
  if (tile.result) return t('state.over', { score: tile.result.score });
  const ply = tile.ply ?? 0;
  const turn = t(tile.turn === 'white' ? 'state.white_to_move' : 'state.black_to_move');
  return tile.last ? `${moveNumber(ply, tile)} ${san(tile.last.san)}, ${within(turn)}` : turn;
}

/** Dutch writes colours in lower case within a sentence. */
function within(text: string): string {
  return language === 'nl' ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

/** `4…Ng8` for the position after a ply, `start` before the first move. */
export function plyLabel(game: Game | undefined, ply: number): string {
  if (ply === 0) return t('ply.beginning');
  const move = game?.moves[ply - 1];
  if (!game || !move) return t('ply.number', { ply });
  const [, turn, , , , first] = game.start_fen.split(' ');
  const halves = ply - 1 + (turn === 'b' ? 1 : 0);
  return `${(Number(first) || 1) + Math.floor(halves / 2)}${halves % 2 === 0 ? '.' : '…'}${san(move.san)}`;
}

/**
 * `24.` or `24…` for the move that was ply number `ply`, counted from the FEN if that has a move
 * number.
 */
export function moveNumber(ply: number, of: { fen: string; turn: Side }): string {
  const full = Number(of.fen.split(' ')[5]);
  const byBlack = of.turn === 'white';
  const number = Number.isFinite(full) && full > 0 ? (byBlack ? full - 1 : full) : Math.ceil(ply / 2);
  return byBlack ? `${number}…` : `${number}.`;
}
