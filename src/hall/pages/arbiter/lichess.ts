// Moves that a correction has replaced and that Lichess still shows: the arbiter can have the round
// sent anew.

import { askReset } from '../lib/confirm_command';
import { h } from '../lib/dom';
import { t } from './say';

/** A round that shows moves of the board that were corrected. */
export interface Outdated {
  node: string;
  round: number;
  moves: string[];
}

interface Broadcast {
  lichess?: {
    boards: Record<string, { games: { round: number; replaced?: { moves: string }[] }[] }>;
  };
}

/** The outdated rounds of a board after a node's `broadcast`. */
export function outdatedRounds(
  before: readonly Outdated[],
  node: string,
  payload: unknown,
  board: string,
): readonly Outdated[] {
  const games = (payload as Broadcast | null)?.lichess?.boards[board]?.games ?? [];
  const rounds = new Map<number, string[]>();
  for (const { round, replaced = [] } of games) {
    if (replaced.length === 0) continue;
    rounds.set(round, [...(rounds.get(round) ?? []), ...replaced.map(({ moves }) => moves)]);
  }
  const others = before.filter((one) => one.node !== node);
  return [...others, ...[...rounds].map(([round, moves]) => ({ node, round, moves }))];
}

/** The notice for the head of an opened board, with the button. */
export function outdatedNotice({ node, round, moves }: Outdated): HTMLElement {
  return h(
    'p',
    { class: 'doubt lichess' },
    `${t('lichess.replaced', { moves: moves.join(' / ') })} `,
    h(
      'button',
      { type: 'button', 'data-key': `lichess-${node}-${round}`, onclick: () => askReset('arbiter', node, round) },
      t('lichess.reset'),
    ),
  );
}
