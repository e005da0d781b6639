// Every action by name: what the alerts propose, and what the arbiter can always do.

import type { Remedy } from '../handling';
import { acknowledge } from '../acknowledge';
import type { Alert } from '../payloads';
import type { Key } from '../say';
import type { Subject } from '../subject';
import { ruleOnAgreement, ruleOnClaim, ruleOnQuickplay, voidTouches } from './claim';
import { adjustClocks, clockSet, pause, resume, ruleOnBothFlags, ruleOnFlag } from './clock';
import { confirmEarlier, confirmEnd, earlierResult, enterResult, overruleEnd, playOn, proposedResult } from './end';
import { ruleOnIllegalMove, ruleOnIllegalPosition } from './irregular';
import { chooseCandidate, confirmPromotion, correct, correctPromotion, headers, newGame, setup } from './record';
import { answerOffer, claim, offer, resign, touch } from './said';

export type Action = (subject: Subject, alert: Alert) => Promise<boolean>;

/** What a remedy of an alert does. */
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
  result: (subject, alert) => enterResult(subject, alert),
  proposed_result: proposedResult,
  play_on: playOn,
  earlier_result: earlierResult,
  confirm_earlier: confirmEarlier,
};

export interface MenuItem {
  id: string;
  label: Key;
  open: (subject: Subject) => Promise<boolean>;
}

const item = (id: string, label: Key, open: (subject: Subject) => Promise<boolean>): MenuItem => ({ id, label, open });

/** What can always be done at a board, in groups. */
export const MENU: { title: Key; items: MenuItem[] }[] = [
  {
    title: 'menu.clock',
    items: [
      item('pause', 'menu.pause', pause),
      item('resume', 'menu.resume', resume),
      item('adjust', 'menu.adjust', adjustClocks),
    ],
  },
  {
    title: 'menu.said',
    items: [
      item('offer', 'menu.offer', offer),
      item('answer', 'menu.answer', answerOffer),
      item('claim', 'menu.claim', claim),
      item('resign', 'menu.resign', resign),
      item('touch', 'menu.touch', touch),
      item('void', 'menu.void', voidTouches),
    ],
  },
  {
    title: 'menu.rulings',
    items: [
      item('rule-claim', 'menu.rule_claim', ruleOnClaim),
      item('rule-quickplay', 'menu.rule_quickplay', (subject) => ruleOnQuickplay(subject)),
      item('rule-agreement', 'menu.rule_agreement', ruleOnAgreement),
      item('illegal-move', 'menu.illegal_move', ruleOnIllegalMove),
      item('illegal-position', 'menu.illegal_position', ruleOnIllegalPosition),
      item('flag', 'menu.flag', (subject) => ruleOnFlag(subject)),
      item('both-flags', 'menu.both_flags', ruleOnBothFlags),
    ],
  },
  {
    title: 'menu.game',
    items: [
      item('result', 'menu.result', (subject) => enterResult(subject)),
      item('correct', 'menu.correct', (subject) => correct(subject)),
      item('headers', 'menu.headers', headers),
      item('setup', 'menu.setup', setup),
      item('new', 'menu.new', newGame),
    ],
  },
];
