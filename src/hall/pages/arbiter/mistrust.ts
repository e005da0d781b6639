// Why current values of a hall may be wrong, in words.

import type { Hall } from './hall';
import { t } from './say';

/** One sentence for each reason. */
export function mistrustTexts(hall: Hall): string[] {
  const topics = hall.unreadableTopics();
  return [
    ...hall.doubledNodes().map((node) => t('shell.node_doubled', { node })),
    ...(topics.length > 0 ? [t('shell.unreadable', { topics: shortList(topics) })] : []),
  ];
}

/** The most names that a banner holds. */
const MOST_NAMES = 8;

function shortList(names: readonly string[]): string {
  return names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ' …' : '');
}
