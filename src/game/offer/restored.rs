//! Offers that are valid again: what ended or refused them did not count.
//!
//! An end of the game may fall, a move may be taken back, a touch may have been none.

use shakmaty::{Color, Position as _};

use super::{AgreementPending, OfferEnd, StandingOffer};
use crate::{Fact, Game, Side};
use remisd_laws::{Decline, Ply};

/// What there was of offers before a move.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BeforeMove {
    /// The move's ply.
    ply: Ply,
    standing: Option<StandingOffer>,
    refused_by_touch: Option<StandingOffer>,
}

/// What there was of offers before the game ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BeforeEnd {
    standing: Option<StandingOffer>,
    refused_by_touch: Option<StandingOffer>,
    pending: Option<AgreementPending>,
}

impl Game {
    /// Ends a standing offer with the game, and keeps in mind what there was.
    pub(crate) fn end_offer_with_game(&mut self) -> Vec<Fact> {
        let (standing, refused_by_touch) = (
            self.offers.standing.clone(),
            self.offers.refused_by_touch.clone(),
        );
        if standing.is_some() || refused_by_touch.is_some() {
            self.offers.before_end = Some(BeforeEnd {
                standing,
                refused_by_touch,
                pending: self.offers.pending,
            });
        }
        self.end_offer(OfferEnd::GameOver)
    }

    /// The end of the game has fallen: what it had ended of offers is as before.
    pub(crate) fn offers_behind_end(&mut self) -> Vec<Fact> {
        let Some(before) = self.offers.before_end.take() else {
            return Vec::new();
        };
        if self.offers.standing.is_some() {
            return Vec::new();
        }
        let refused =
            |offer: &StandingOffer| self.has_moved_since(offer.by.color().other(), offer.ply);
        // What both have agreed on is refused by no move.
        if before.pending.is_none() && before.standing.as_ref().is_some_and(refused) {
            return Vec::new();
        }
        self.offers.refused_by_touch = before.refused_by_touch;
        self.offers.pending = before.pending;
        self.stand_again(before.standing)
    }

    /// Whether a player has made a move after this ply.
    fn has_moved_since(&self, player: Color, ply: Ply) -> bool {
        // The player who begins makes the odd plies.
        let parity = u32::from(self.start().turn() == player);
        (ply + 1..=self.ply()).any(|made| made % 2 == parity)
    }

    /// Restores the offer that a touch of this player had refused, because the arbiter finds that
    /// it was no touch. It takes precedence over an offer that is only that player's claim.
    pub(crate) fn restore_offer(&mut self, touched_by: Side) -> Vec<Fact> {
        let refused = &mut self.offers.refused_by_touch;
        let offer = refused.take_if(|offer| offer.by != touched_by);
        self.stand_again(offer)
    }

    fn stand_again(&mut self, offer: Option<StandingOffer>) -> Vec<Fact> {
        let Some(offer) = offer else {
            return Vec::new();
        };
        let by = offer.by;
        self.offers.standing = Some(offer);
        vec![Fact::OfferRestored { by }]
    }

    /// What a move does to offers: the opponent's is refused, and what a touch had
    /// refused cannot be restored any more, unless the move turns out to be none.
    pub(crate) fn offers_after_move(&mut self, mover: Color) -> Vec<Fact> {
        let by_mover = Side::from(mover);
        let refused_by_touch = self.offers.refused_by_touch.take();
        let to_mover = self.is_offered_to(by_mover);
        let standing = self.offers.standing.clone().filter(|_| to_mover);
        if to_mover || refused_by_touch.is_some() {
            self.offers.before_move = Some(BeforeMove {
                ply: self.ply(),
                standing,
                refused_by_touch,
            });
        }
        if to_mover {
            self.decline_offer(Decline::Move, None)
        } else {
            Vec::new()
        }
    }

    /// What taking moves back does to offers: an offer is valid again if a withdrawn move refused
    /// it.
    pub(crate) fn offers_after_taking_back(&mut self) -> Vec<Fact> {
        let ply = self.ply();
        let Some(before) = self.offers.before_move.take_if(|before| before.ply > ply) else {
            return Vec::new();
        };
        let made = |offer: &StandingOffer| offer.ply <= ply;
        let over = self.result().is_some() && !self.is_open_to_players();
        let stands = self.offers.standing.as_ref();
        if stands.is_some_and(|offer| !offer.by_claim) || over {
            return Vec::new();
        }
        self.offers.refused_by_touch = before.refused_by_touch.filter(made);
        self.stand_again(before.standing.filter(made))
    }
}
