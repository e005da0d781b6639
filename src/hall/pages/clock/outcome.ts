/**
 * What has become of what a player said: his offer, his claim. The topics hold only what stands; what ended, and how, is
 * told by what they hold before and after.
 */

import { opponent, SIDES, type Clock, type Offer, type Result, type Side } from '../lib/topics';
import { v } from '../lib/vocabulary';
import { t } from './words';

/** What the topics of the board hold. */
export interface Standing {
  offer: Offer | undefined;
  clock: Clock | undefined;
  result: Result | undefined;
}

/** Whether players have nothing more to say: the game has a result, or they have ended it themselves. */
export function isOver({ clock, result }: Standing): boolean {
  return (result !== undefined && result.score !== '*') || clock?.decided != null;
}

/** Whether a claim waits for its ruling. */
export function isClaimed({ clock }: Standing): boolean {
  return clock?.paused?.reason === 'claim';
}

const BY_CLAIM = ['threefold_claim', 'fifty_move_claim', 'quickplay'];

export class Outcome {
  /** Who has made the newest offer that was no claim, and whether it stands. */
  private offered: { by: Side; stands: boolean } | null = null;
  /** Who has made the newest claim, and whether it is still checked. */
  private claimed: { by: Side; open: boolean; incorrect: boolean } | null = null;
  private readonly texts: Record<Side, string> = { white: '', black: '' };

  /** A player has claimed at this very tablet. */
  claims(by: Side): void {
    this.claimed = { by, open: true, incorrect: false };
    this.offered = null;
  }

  /** Takes what the topics hold now. */
  take(standing: Standing): void {
    this.follow(standing);
    for (const side of SIDES) this.texts[side] = this.textFor(side, standing);
  }

  /** What the player of a side is told. */
  of(side: Side): string {
    return this.texts[side];
  }

  private follow({ offer, clock, result }: Standing): void {
    const checked = isClaimed({ offer, clock, result });
    if (offer?.by_claim && this.claimed?.open !== true) this.claims(offer.by);
    else if (offer && !offer.by_claim) {
      this.offered = { by: offer.by, stands: true };
      // What came of an earlier claim is old news now.
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
