// Which board needs the arbiter first. Pure, so that it can be tested without a page.

import type { Alert, Level } from './payloads';

/** What an alarm class weighs, the most urgent last. */
const WEIGHT: Record<Level, number> = { grey: 1, amber: 2, red: 3 };

/** An acknowledged alert still stands, but somebody is on his way: it comes after all that nobody has seen. */
const UNSEEN = 10;

/** How urgent an alert is; escalated red is the most. */
export function urgencyOf(alert: Alert): number {
  const weight = WEIGHT[alert.level] ?? 0;
  if (alert.acknowledged_by !== null) return weight;
  return UNSEEN + weight + (alert.level === 'red' && alert.escalated ? 1 : 0);
}

/** The alerts, the most urgent first, of equals the oldest. */
export function byUrgency(alerts: readonly Alert[]): Alert[] {
  return [...alerts].sort(
    (a, b) => urgencyOf(b) - urgencyOf(a) || a.since.localeCompare(b.since) || a.id.localeCompare(b.id),
  );
}

/** A place in the order of boards. */
export interface Rank {
  board: string;
  urgency: number;
  since: string;
}

/** Where a board stands with these alerts; with `extra` where the console itself knows of trouble. */
export function rankOf(board: string, alerts: readonly Alert[], extra: number): Rank {
  const first = byUrgency(alerts)[0];
  const urgency = first ? urgencyOf(first) : 0;
  if (!first || extra > urgency) return { board, urgency: extra, since: '' };
  return { board, urgency, since: first.since };
}

/** What a board that nobody vouches for weighs: like a grey alert that nobody has seen. */
export const UNTRUSTED = UNSEEN + WEIGHT.grey;

const names = new Intl.Collator('en', { numeric: true });

/** `b2` before `b10`. */
export function byNumber(a: string, b: string): number {
  return names.compare(a, b);
}

/** The more urgent first; of equals the one that has waited longer, then the lower number. */
export function compareRanks(a: Rank, b: Rank): number {
  return b.urgency - a.urgency || a.since.localeCompare(b.since) || byNumber(a.board, b.board);
}
