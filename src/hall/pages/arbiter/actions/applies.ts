// The preconditions of the actions. An action that does not apply stays in the menu, disabled.

import { remaining } from '../../lib/clocks';
import { illegalPositionDraws } from '../laws';
import { SIDES } from '../../lib/topics';
import type { Subject } from '../subject';

/** The game is known; before that no action applies. */
export const isKnown = (subject: Subject): boolean => subject.tile() !== undefined;

/** The game has no result. To continue a finished game, its result is withdrawn first. */
export const goesOn = (subject: Subject): boolean => isKnown(subject) && !subject.tile()?.payload.result;

/** The clock is not already to be stopped. */
export const canPause = (subject: Subject): boolean => goesOn(subject) && !subject.clock()?.payload.paused;

/** The clock is to be stopped, is stopped, or is unknown. */
export function canResume(subject: Subject): boolean {
  const stands = subject.reading()?.at.running == null;
  return goesOn(subject) && (stands || Boolean(subject.clock()?.payload.paused));
}

/** An offer stands. */
export const hasOffer = (subject: Subject): boolean => goesOn(subject) && Boolean(subject.draw()?.offer);

/** A player has touched a piece during this move, or a claim is contested because of that. */
export const hasTouches = (subject: Subject): boolean =>
  goesOn(subject) && ((subject.draw()?.touched?.length ?? 0) > 0 || has(subject, 'claim_contested'));

const IN_THE_LAST_MINUTES = ['quickplay', 'increment'];

/** A claim is waiting for a ruling. */
export function hasClaim(subject: Subject): boolean {
  const claim = subject.draw()?.claim;
  if (claim && !IN_THE_LAST_MINUTES.includes(claim.kind)) return true;
  const made = subject.alerts().some(({ code, arguments: values }) => {
    return code === 'claim_made' && !IN_THE_LAST_MINUTES.includes(String(values['kind']));
  });
  return made || has(subject, 'claim_contested', 'claim_reconsidered');
}

/** A claim or request in the last two minutes is waiting for a decision. */
export const hasQuickplay = (subject: Subject): boolean =>
  has(subject, 'decision_postponed') ||
  subject
    .alerts()
    .some(
      ({ code, arguments: values }) => code === 'claim_made' && IN_THE_LAST_MINUTES.includes(String(values['kind'])),
    );

/** An agreement or an offer is waiting for consent. */
export const hasAgreement = (subject: Subject): boolean => has(subject, 'agreement_restricted', 'offer_restricted');

/** The game is in progress, or such a ruling has ended it and may be withdrawn. */
export const canRuleIllegalMove = (subject: Subject): boolean =>
  goesOn(subject) || subject.tile()?.payload.result?.reason === 'illegal_move';

/** The Laws of the event provide for a draw by an illegal position. */
export function knowsIllegalPosition(subject: Subject): boolean {
  const game = subject.game();
  return goesOn(subject) && (game === undefined || illegalPositionDraws(game.laws, game.rate));
}

/** A flag may have fallen: the clock reports it, a time has run out, or no clock is known. */
export function mayHaveFlag(subject: Subject): boolean {
  const reading = subject.reading();
  if (!goesOn(subject)) return false;
  if (reading === null || reading.flag !== null || has(subject, 'flag_fall', 'decision_needed')) return true;
  return SIDES.some((side) => (remaining(reading.at, side, subject.now()) ?? 0) <= 0);
}

function has(subject: Subject, ...codes: string[]): boolean {
  return subject.alerts().some(({ code }) => codes.includes(code));
}
