// Which board needs the arbiter first. Pure, so that it can be tested without a page.

import type { Alert, Level } from './payloads';

/** The weight of an alert level; higher is more urgent. */
const WEIGHT: Record<Level, number> = { grey: 1, amber: 2, red: 3 };

/**
 * Added for unacknowledged alerts. Acknowledged ones still stand, but are being dealt with, so they
 * come last.
 */
const UNSEEN = 10;

/** The urgency of an alert; escalated red is the highest. */
export function urgencyOf(alert: Alert): number {
  const weight = WEIGHT[alert.level] ?? 0;
  if (alert.acknowledged_by !== null) return weight;
  return UNSEEN + weight + (alert.level === 'red' && alert.escalated ? 1 : 0);
}

/** The alerts, the most urgent first; the oldest first among equals. */
export function byUrgency(alerts: readonly Alert[]): Alert[] {
  return [...alerts].sort(
    (a, b) => urgencyOf(b) - urgencyOf(a) || a.since.localeCompare(b.since) || a.id.localeCompare(b.id),
  );
}

/** The rank of a board. */
export interface Rank {
  board: string;
  urgency: number;
  since: string;
}

/**
 * The rank of a board with these alerts; `extra` is the urgency of trouble known to the console.
 */
export function rankOf(board: string, alerts: readonly Alert[], extra: number): Rank {
  const first = byUrgency(alerts)[0];
  const urgency = first ? urgencyOf(first) : 0;
  if (!first || extra > urgency) return { board, urgency: extra, since: '' };
  return { board, urgency, since: first.since };
}

/** The urgency of a board whose values are in doubt: like an unacknowledged grey alert. */
export const UNTRUSTED = UNSEEN + WEIGHT.grey;

const names = new Intl.Collator('en', { numeric: true });

/** `b2` before `b10`. */
export function byNumber(a: string, b: string): number {
  return names.compare(a, b);
}

/** The more urgent first; among equals, the one that has waited longer, then the lower number. */
export function compareRanks(a: Rank, b: Rank): number {
  return b.urgency - a.urgency || a.since.localeCompare(b.since) || byNumber(a.board, b.board);
}
