// All actions by name: those that alerts propose, and those that are always available.

import type { Remedy } from '../handling';
import { acknowledge } from '../acknowledge';
import type { Alert } from '../payloads';
import type { Key } from '../say';
import type { Subject } from '../subject';
import * as moment from './applies';
import { ruleOnAgreement, ruleOnClaim, ruleOnQuickplay, voidTouches } from './claim';
import { adjustClocks, clockSet, pause, resume, ruleOnBothFlags, ruleOnFlag } from './clock';
import {
  confirmEarlier,
  confirmEnd,
  earlierResult,
  enterResult,
  keepResult,
  overruleEnd,
  playOn,
  proposedResult,
} from './end';
import { ruleOnIllegalMove, ruleOnIllegalPosition } from './irregular';
import { chooseCandidate, confirmPromotion, correct, correctPromotion, headers, newGame, setup } from './record';
import { keepRecord, takeAccount } from './version';
import { answerOffer, claim, offer, resign, touch } from './said';

export type Action = (subject: Subject, alert: Alert) => Promise<boolean>;

/** The action for each remedy of an alert. */
export const REMEDY_ACTIONS: Record<Remedy, Action> = {
  acknowledge: (subject, alert) => acknowledge(subject.board, alert),
  confirm_end: confirmEnd,
  overrule_end: overruleEnd,
  rule_claim: (subject) => ruleOnClaim(subject),
  rule_quickplay: ruleOnQuickplay,
  rule_agreement: (subject) => ruleOnAgreement(subject),
  rule_flag: ruleOnFlag,
  void_touches: (subject) => voidTouches(subject),
  clock_set: clockSet,
  resume: (subject) => resume(subject),
  correct: (subject, alert) =>
    alert.code === 'promotion_assumed' ? correctPromotion(subject, alert) : correct(subject, alert),
  candidates: chooseCandidate,
  promotion: confirmPromotion,
  keep_record: keepRecord,
  take_account: takeAccount,
  result: (subject, alert) => enterResult(subject, alert),
  proposed_result: proposedResult,
  play_on: playOn,
  keep_result: keepResult,
  earlier_result: earlierResult,
  confirm_earlier: confirmEarlier,
};

export interface MenuItem {
  id: string;
  label: Key;
  open: (subject: Subject) => Promise<boolean>;
  /** Whether the action applies to the board now. */
  applies: (subject: Subject) => boolean;
}

const item = (
  id: string,
  label: Key,
  open: (subject: Subject) => Promise<boolean>,
  applies: (subject: Subject) => boolean,
): MenuItem => ({ id, label, open, applies });

/** The actions at a board, in groups. */
export const MENU: { title: Key; items: MenuItem[] }[] = [
  {
    title: 'menu.clock',
    items: [
      item('pause', 'menu.pause', pause, moment.canPause),
      item('resume', 'menu.resume', resume, moment.canResume),
      item('adjust', 'menu.adjust', adjustClocks, moment.goesOn),
    ],
  },
  {
    title: 'menu.said',
    items: [
      item('offer', 'menu.offer', offer, moment.goesOn),
      item('answer', 'menu.answer', answerOffer, moment.hasOffer),
      item('claim', 'menu.claim', claim, moment.goesOn),
      item('resign', 'menu.resign', resign, moment.goesOn),
      item('touch', 'menu.touch', touch, moment.goesOn),
      item('void', 'menu.void', voidTouches, moment.hasTouches),
    ],
  },
  {
    title: 'menu.rulings',
    items: [
      item('rule-claim', 'menu.rule_claim', ruleOnClaim, moment.hasClaim),
      item('rule-quickplay', 'menu.rule_quickplay', (subject) => ruleOnQuickplay(subject), moment.hasQuickplay),
      item('rule-agreement', 'menu.rule_agreement', ruleOnAgreement, moment.hasAgreement),
      item('illegal-move', 'menu.illegal_move', ruleOnIllegalMove, moment.canRuleIllegalMove),
      item('illegal-position', 'menu.illegal_position', ruleOnIllegalPosition, moment.knowsIllegalPosition),
      item('flag', 'menu.flag', (subject) => ruleOnFlag(subject), moment.mayHaveFlag),
      item('both-flags', 'menu.both_flags', ruleOnBothFlags, moment.mayHaveFlag),
    ],
  },
  {
    title: 'menu.game',
    items: [
      item('result', 'menu.result', (subject) => enterResult(subject), moment.isKnown),
      item('correct', 'menu.correct', (subject) => correct(subject), moment.isKnown),
      item('headers', 'menu.headers', headers, moment.isKnown),
      item('setup', 'menu.setup', setup, moment.isKnown),
      item('new', 'menu.new', newGame, moment.isKnown),
    ],
  },
];

/** The actions that apply now, which the menu enables. */
export function applying(subject: Subject): Set<string> {
  const items = MENU.flatMap((group) => group.items);
  return new Set(items.filter((one) => one.applies(subject)).map((one) => one.id));
}
