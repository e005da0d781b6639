// The remedies for each alert. Simple alerts are only acknowledged, with one tap. For the others
// the console offers the decisions that the Laws require, the likeliest first.

import type { Alert } from './payloads';

export type Remedy =
  | 'acknowledge'
  | 'confirm_end'
  | 'overrule_end'
  | 'rule_claim'
  | 'rule_quickplay'
  | 'rule_agreement'
  | 'rule_flag'
  | 'void_touches'
  | 'clock_set'
  | 'resume'
  | 'correct'
  | 'candidates'
  | 'promotion'
  | 'keep_record'
  | 'take_account'
  | 'result'
  | 'proposed_result'
  | 'play_on'
  | 'keep_result'
  | 'earlier_result'
  | 'confirm_earlier';

const REMEDIES: Record<string, Remedy[]> = {
  fivefold: ['confirm_end', 'overrule_end'],
  seventy_five_move: ['confirm_end', 'overrule_end'],
  dead_position: ['confirm_end', 'overrule_end'],
  game_over: ['confirm_end', 'overrule_end'],
  play_after_end: ['confirm_end', 'overrule_end', 'acknowledge'],
  claim_made: ['rule_claim', 'acknowledge'],
  flag_fall: ['rule_flag', 'acknowledge'],
  agreement_restricted: ['rule_agreement', 'acknowledge'],
  announced_move_not_played: ['correct', 'acknowledge'],
  clock_adjustment: ['clock_set'],
  decision_needed: ['result', 'acknowledge'],
  left_undecided: ['earlier_result', 'acknowledge'],
  offer_restricted: ['rule_agreement', 'acknowledge'],
  decision_postponed: ['rule_quickplay', 'acknowledge'],
  claim_contested: ['rule_claim', 'void_touches', 'acknowledge'],
  claim_reconsidered: ['rule_claim', 'acknowledge'],
  board_mismatch: ['candidates', 'correct', 'acknowledge'],
  clock_stopped: ['resume', 'acknowledge'],
  counts_restarted: ['acknowledge'],
  result_to_confirm: ['confirm_end', 'result'],
  result_unconfirmed: ['confirm_earlier', 'earlier_result'],
  result_proposed: ['proposed_result', 'play_on'],
  promotion_assumed: ['promotion', 'correct'],
  source_uncertain: ['correct', 'acknowledge'],
  source_rewritten: ['acknowledge', 'correct'],
  accounts_differ: ['keep_record', 'take_account', 'correct'],
  entries_lost: ['correct', 'acknowledge'],
  plies_reconstructed: ['acknowledge', 'correct'],
};

/** The remedies for an alert, the likeliest first. */
export function remediesFor(alert: Alert): Remedy[] {
  // A later daemon has codes that are not listed here.
  const listed = Object.hasOwn(REMEDIES, alert.code) ? REMEDIES[alert.code] : undefined;
  const remedies = [...(listed ?? (['acknowledge'] as Remedy[]))];
  const { kind, waits_for, candidates, left, differs, reason, result } = alert.arguments as {
    kind?: string;
    reason?: string;
    result?: string | null;
    differs?: string;
    left?: string | null;
    waits_for?: string;
    candidates?: string[];
  };
  if (alert.code === 'claim_made' && (kind === 'quickplay' || kind === 'increment')) remedies[0] = 'rule_quickplay';
  if (alert.code === 'decision_needed' && waits_for === 'claim') remedies[0] = 'rule_claim';
  // The record is that of the game before.
  if (alert.code === 'board_mismatch' && reason === 'start_array') remedies.splice(0, 2);
  // The game is over in any case.
  if (alert.code === 'result_proposed' && result) remedies[1] = 'keep_result';
  // The end itself is confirmed with its own alert.
  if (alert.code === 'play_after_end') remedies.shift();
  // The record of an earlier game cannot be corrected any more.
  if (alert.code === 'entries_lost' && left) remedies.shift();
  // A word that is no legal move cannot be taken over.
  if (alert.code === 'accounts_differ' && differs === 'word') remedies.splice(1, 1);
  return remedies.filter((remedy) => {
    if (remedy === 'acknowledge') return alert.acknowledged_by === null;
    if (remedy === 'candidates') return (candidates?.length ?? 0) > 0;
    return true;
  });
}

/**
 * Codes whose acknowledgement is a decision: it confirms a result, sets a clock or resumes a game.
 */
const WEIGHTY = new Set(Object.keys(REMEDIES).filter((code) => !REMEDIES[code]?.includes('acknowledge')));

/** Alerts that require a decision; acknowledging them is not enough. */
const TO_DECIDE = new Set([
  ...WEIGHTY,
  'claim_made',
  'claim_contested',
  'claim_reconsidered',
  'flag_fall',
  'agreement_restricted',
  'decision_needed',
]);

/** Whether acknowledging is all that can be done on the alert's tile. */
export function isSimple(alert: Alert): boolean {
  return !TO_DECIDE.has(alert.code);
}

/** Whether acknowledging only records that the alert was seen. */
export function isHarmless(alert: Alert): boolean {
  return !WEIGHTY.has(alert.code);
}
