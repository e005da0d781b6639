/**
 * What became of a player's offer or claim.
 *
 * The topics hold only the present state. What ended, and how, follows from comparing their content
 * before and after a change.
 */

import { opponent, SIDES, type Clock, type Offer, type Result, type Side } from '../lib/topics';
import { v } from '../lib/vocabulary';
import { t } from './words';

/** The content of the board's topics. */
export interface Standing {
  offer: Offer | undefined;
  clock: Clock | undefined;
  result: Result | undefined;
}

/**
 * Whether players have nothing more to say, because the game has a result or they have ended it.
 */
export function isOver({ clock, result }: Standing): boolean {
  return (result !== undefined && result.score !== '*') || clock?.decided != null;
}

/** Whether a claim is waiting for its ruling. */
export function isClaimed({ clock }: Standing): boolean {
  return clock?.paused?.reason === 'claim';
}

const BY_CLAIM = ['threefold_claim', 'fifty_move_claim', 'quickplay'];

export class Outcome {
  /** Who made the newest offer that was not a claim, and whether it stands. */
  private offered: { by: Side; stands: boolean } | null = null;
  /** Who made the newest claim, and whether it is still under examination. */
  private claimed: { by: Side; open: boolean; incorrect: boolean } | null = null;
  private readonly texts: Record<Side, string> = { white: '', black: '' };
  private readonly counts: Record<Side, number> = { white: 0, black: 0 };

  /** A player has claimed on this tablet. */
  claims(by: Side): void {
    this.counts[by] += 1;
    this.claimed = { by, open: true, incorrect: false };
    this.offered = null;
  }

  /** How many claims of a side are known. */
  claimsOf(side: Side): number {
    return this.counts[side];
  }

  /** Takes the current content of the topics. */
  take(standing: Standing): void {
    this.follow(standing);
    for (const side of SIDES) this.texts[side] = this.textFor(side, standing);
  }

  /** The text shown to the player of a side. */
  of(side: Side): string {
    return this.texts[side];
  }

  private follow({ offer, clock, result }: Standing): void {
    const checked = isClaimed({ offer, clock, result });
    if (offer?.by_claim && this.claimed?.open !== true) this.claims(offer.by);
    else if (offer && !offer.by_claim) {
      this.offered = { by: offer.by, stands: true };
      // The outcome of an earlier claim is no longer of interest.
      if (!checked) this.claimed = null;
    } else if (!offer && this.offered) this.offered.stands = false;
    if (!this.claimed) return;
    const adjusted = clock?.adjustment?.reason === 'incorrect_claim';
    if (checked) this.claimed.open = true;
    else if (clock && !offer?.by_claim) this.claimed.open = false;
    this.claimed.incorrect ||= adjusted;
  }

  private textFor(side: Side, standing: Standing): string {
    const { offer, clock, result } = standing;
    if (isClaimed(standing) && !isOver(standing) && this.claimed !== null) {
      return this.claimed.by === side ? t('claim_checked') : t('claim_by_other', { side: v(this.claimed.by) });
    }
    if (clock?.decided === 'agreement' || result?.reason === 'agreement') {
      if (this.offered === null) return t('agreed');
      return t(this.offered.by === side ? 'your_offer_accepted' : 'you_accepted');
    }
    if (this.claimed?.by === side && result && BY_CLAIM.includes(result.reason)) return t('claim_correct');
    if (isOver(standing)) return '';
    if (offer && offer.by === opponent(side))
      return t(offer.by_claim ? 'offered_by_claim' : 'offered', { side: v(offer.by) });
    if (offer) return offer.by_claim ? t('claim_checked') : t('you_offered');
    if (this.claimed?.by === side && !this.claimed.open)
      return t(this.claimed.incorrect ? 'claim_incorrect' : 'claim_not_granted');
    return this.offered?.by === side ? t('offer_over') : '';
  }
}
