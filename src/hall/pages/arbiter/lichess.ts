// Corrected moves and earlier pairings that Lichess still shows: the arbiter can have the round sent
// anew.

import { askReset } from '../lib/confirm_command';
import { h } from '../lib/dom';
import { t } from './say';

/** A round that shows something of the board that is no longer so. */
export interface Outdated {
  node: string;
  round: number;
  /** Moves that were corrected. */
  moves: string[];
  /** Whether it shows an earlier pairing, or tags of one. */
  leftOver: boolean;
}

interface Shown {
  round: number;
  replaced?: { moves: string }[];
  left_over?: boolean;
  stale_tags?: string[];
}

interface Broadcast {
  lichess?: { boards: Record<string, { games: Shown[] }> };
}

/** The outdated rounds of a board after a node's `broadcast`. */
export function outdatedRounds(
  before: readonly Outdated[],
  node: string,
  payload: unknown,
  board: string,
): readonly Outdated[] {
  const games = (payload as Broadcast | null)?.lichess?.boards[board]?.games ?? [];
  const rounds = new Map<number, Outdated>();
  for (const { round, replaced = [], left_over = false, stale_tags = [] } of games) {
    const leftOver = left_over || stale_tags.length > 0;
    if (replaced.length === 0 && !leftOver) continue;
    const known = rounds.get(round);
    rounds.set(round, {
      node,
      round,
      moves: [...(known?.moves ?? []), ...replaced.map(({ moves }) => moves)],
      leftOver: leftOver || known?.leftOver === true,
    });
  }
  return [...before.filter((one) => one.node !== node), ...rounds.values()];
}

/** The notice for the head of an opened board, with the button. */
export function outdatedNotice({ node, round, moves, leftOver }: Outdated): HTMLElement {
  return h(
    'p',
    { class: 'doubt lichess' },
    moves.length > 0 ? `${t('lichess.replaced', { moves: moves.join(' / ') })} ` : null,
    leftOver ? `${t('lichess.left_over')} ` : null,
    h(
      'button',
      { type: 'button', 'data-key': `lichess-${node}-${round}`, onclick: () => askReset('arbiter', node, round) },
      t('lichess.reset'),
    ),
  );
}
