//! Draw offers at a board: made, standing, answered (9.1).

mod restored;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Square};

use super::{
    Decided, Fact, Game, Refusal, ResultReason, Side, Status, refusal::truncated,
    unsettled::Unsettled,
};
use remisd_laws::{self as laws, Agreement, Decline, Ply, Score};

/// An offer that has not been answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StandingOffer {
    /// The player who offers.
    pub by: Side,
    /// After which ply.
    pub ply: Ply,
    /// Whether it came after the player's own move and before the player pressed the clock;
    /// null when the clock does not say. It is valid in any case.
    pub regular: Option<bool>,
    /// It is a claim that counts as an offer.
    pub by_claim: bool,
    /// The event asks for the arbiter's consent to the offer.
    pub restricted: bool,
    /// A condition that the player named; it is void.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// How often the player has offered since the opponent last did, this time included.
    pub times: u32,
}

/// How an offer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OfferEnd {
    /// The opponent accepted.
    Accepted,
    /// The opponent refused in words.
    RefusedOrally,
    /// The opponent refused by touching a piece.
    RefusedByTouch,
    /// The opponent refused by a move.
    RefusedByMove,
    /// The claim that it came with was checked.
    ClaimChecked,
    /// The game was over otherwise.
    GameOver,
}

impl From<Decline> for OfferEnd {
    fn from(how: Decline) -> Self {
        match how {
            Decline::Oral => Self::RefusedOrally,
            Decline::Touch => Self::RefusedByTouch,
            Decline::Move => Self::RefusedByMove,
        }
    }
}

/// An agreement that waits for the arbiter's consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgreementPending {
    /// The move from which none would be needed; null when it always is.
    pub before_move: Option<u32>,
    /// After which ply it was agreed.
    pub ply: Ply,
}

/// The offers of a game.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct OfferBook {
    standing: Option<StandingOffer>,
    /// Where the mark (=) is in the score: after which ply, by whom.
    marks: Vec<(Ply, Side)>,
    /// Who offered last, and how often in a row.
    streak: Option<(Side, u32)>,
    /// The offer that a touch has refused at this ply: the arbiter may restore it.
    refused_by_touch: Option<StandingOffer>,
    /// What the last move that refused anything has refused: it may turn out to be none.
    before_move: Option<restored::BeforeMove>,
    /// What the end of the game has ended: that end may fall.
    before_end: Option<restored::BeforeEnd>,
    /// The arbiter has consented to a draw as it was offered.
    consented: bool,
    pending: Option<AgreementPending>,
    /// The standing offer was accepted before the edition lets players agree.
    accepted_too_early: bool,
}

impl OfferBook {
    /// Forgets what belongs to the record of moves, when that begins again: the marks are those of
    /// moves that are not in it. An offer stays valid, and the number of each player's offers is
    /// kept. A draw that was agreed is left to the arbiter.
    pub(super) fn begin_anew(&mut self) {
        let standing = self.standing.take();
        let standing = standing.filter(|_| self.pending.is_none());
        *self = Self {
            standing: standing.map(|offer| StandingOffer { ply: 0, ..offer }),
            streak: self.streak,
            consented: self.consented,
            accepted_too_early: self.accepted_too_early,
            ..Self::default()
        };
    }
}

/// Marks (=) that are kept; a player who offers at every move fills no more.
const MARKS: usize = 1024;

impl Game {
    /// The standing offer.
    #[must_use]
    pub fn standing_offer(&self) -> Option<&StandingOffer> {
        self.offer_at_the_board()
            .filter(|_| self.result().is_none())
    }

    /// The standing offer as far as the players know: the game may be over in law without this
    /// being announced.
    #[must_use]
    pub const fn offer_at_the_board(&self) -> Option<&StandingOffer> {
        self.offers.standing.as_ref()
    }

    /// Where the mark (=) is in the score: after which ply, by whom.
    #[must_use]
    pub fn offer_marks(&self) -> &[(Ply, Side)] {
        &self.offers.marks
    }

    /// An agreement that waits for the arbiter's consent.
    #[must_use]
    pub const fn pending_agreement(&self) -> Option<AgreementPending> {
        self.offers.pending
    }

    pub(super) fn offer(
        &mut self,
        by: Color,
        condition: Option<&str>,
        by_claim: bool,
        unsettled: Option<&Unsettled>,
    ) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        let side = Side::from(by);
        if let Some(standing) = &mut self.offers.standing {
            let text = if standing.by == side {
                // It is valid as it was; but repeating it may distract the opponent.
                if !by_claim && self.offers.pending.is_none() {
                    standing.times = standing.times.saturating_add(1);
                    self.offers.streak = Some((side, standing.times));
                }
                "the offer stands already; it cannot be withdrawn and needs no repeating"
            } else {
                "the opponent's offer stands: accept or decline it"
            };
            if by_claim {
                // A claim counts as an offer, but there is one already.
                return Ok(Vec::new());
            }
            return Err(Refusal::wrong_state(text));
        }
        let times = match self.offers.streak {
            Some((last, times)) if last == side => times.saturating_add(1),
            _ => 1,
        };
        self.offers.streak = Some((side, times));
        let running = self.clock.running().map(Color::from);
        // The player has moved, although that is not settled yet.
        let moved = unsettled.is_some_and(|unsettled| unsettled.by == by);
        let turn = if moved { by.other() } else { self.turn() };
        let moves_each = self.record.moves_each();
        let moves_each = moves_each.saturating_add(u32::from(moved && by == Color::Black));
        let offer = StandingOffer {
            by: side,
            ply: self.ply() + Ply::from(moved),
            regular: laws::is_regular(turn, by, running),
            by_claim,
            restricted: laws::offer_is_restricted(&self.regulations, moves_each),
            condition: condition.map(truncated),
            times,
        };
        if self.offers.marks.len() < MARKS {
            self.offers.marks.push((offer.ply, side));
        }
        // What the opponent had offered may still turn out not to have been refused.
        if !by_claim {
            self.offers.refused_by_touch = None;
            self.offers.before_move = None;
        }
        self.offers.consented = false;
        self.offers.accepted_too_early = false;
        self.offers.standing = Some(offer.clone());
        Ok(vec![Fact::OfferMade(offer)])
    }

    pub(super) fn accept(&mut self, by: Color) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        self.must_be_offered_to(by)?;
        let article = self.regulations.edition.articles.agreement;
        match laws::agreement(&self.regulations, self.record.moves_each()) {
            Agreement::Stands { early } => {
                let mut facts = self.end_offer(OfferEnd::Accepted);
                if early {
                    facts.push(Fact::AgreedWithoutPlay);
                }
                facts.extend(self.agree(article, false));
                Ok(facts)
            }
            Agreement::TooEarly { moves, article } => {
                // It is refused, but the players may believe that they have agreed.
                self.offers.accepted_too_early = true;
                let text = format!(
                    "each player must have made {moves} move before a draw is agreed ({article})"
                );
                Err(Refusal::not_admissible(text))
            }
            Agreement::NeedsConsent { .. } if self.offers.consented => {
                let mut facts = self.end_offer(OfferEnd::Accepted);
                facts.extend(self.agree(article, true));
                Ok(facts)
            }
            Agreement::NeedsConsent { before_move, .. } => {
                let pending = AgreementPending {
                    before_move,
                    ply: self.ply(),
                };
                self.offers.pending = Some(pending);
                Ok(vec![Fact::AgreementPending(pending)])
            }
        }
    }

    /// The players have agreed to a draw.
    fn agree(&mut self, article: &str, consented: bool) -> Vec<Fact> {
        if self.is_secretly_over() {
            return self.decide_after_end(Decided::Agreement, None, consented);
        }
        self.conclude(Score::Draw, ResultReason::Agreement, article, consented)
    }

    /// Moves that each player must have made before the agreement could be valid that the players
    /// have made; `None` without an agreement.
    pub(super) fn agreed_too_early(&self) -> Option<u32> {
        let agreed = self.offers.standing.is_some() && self.offers.accepted_too_early;
        match laws::agreement(&self.regulations, self.record.moves_each()) {
            Agreement::TooEarly { moves, .. } if agreed => Some(moves),
            _ => None,
        }
    }

    pub(super) fn decline(&mut self, by: Color) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        if let Some(standing) = &self.offers.standing
            && standing.by == Side::from(by)
        {
            let article = self.regulations.edition.articles.offer;
            let text = format!("an offer cannot be withdrawn ({article})");
            return Err(Refusal::not_admissible(text));
        }
        self.must_be_offered_to(by)?;
        if self.offers.pending.is_some() {
            let article = self.regulations.edition.articles.agreement;
            let text = format!("the offer was accepted: the arbiter decides ({article})");
            return Err(Refusal::not_admissible(text));
        }
        Ok(self.decline_offer(Decline::Oral, None))
    }

    /// Whether there is an offer that this player has still to answer. An accepted one waits for
    /// the arbiter and can no longer be declined.
    pub(super) fn is_offered_to(&self, player: Side) -> bool {
        let offered = self.offers.standing.as_ref();
        offered.is_some_and(|offer| offer.by != player) && self.offers.pending.is_none()
    }

    /// The arbiter's ruling on an agreement that needs consent.
    pub(super) fn rule_on_agreement(&mut self, consent: bool) -> Result<Vec<Fact>, Refusal> {
        self.must_still_be_open()?;
        let Some(pending) = self.offers.pending.take() else {
            return self.rule_on_offer(consent);
        };
        let mut facts = vec![Fact::AgreementRuled { consent }];
        if consent {
            let article = self.regulations.edition.articles.agreement;
            self.offers.standing = None;
            facts.extend(self.conclude(Score::Draw, ResultReason::Agreement, article, true));
        } else {
            facts.extend(self.declined_since(pending.ply));
        }
        Ok(facts)
    }

    /// What has ended the game before the ruling goes before it.
    fn must_still_be_open(&self) -> Result<(), Refusal> {
        let text = match self.status() {
            Status::InProgress => return Ok(()),
            Status::Ended(result) | Status::Closed(result) => format!(
                "the game was over before: {}, after ply {}",
                result.score.as_str(),
                result.ply
            ),
            Status::LossPending(_) => "the game was lost before; enter a result".to_owned(),
        };
        Err(Refusal::wrong_state(text))
    }

    /// The arbiter does not consent, and play has continued meanwhile. Any move or touch by the
    /// opponent since accepting declines it after all.
    fn declined_since(&mut self, agreed_at: Ply) -> Vec<Fact> {
        let Some(offer) = &self.offers.standing else {
            return Vec::new();
        };
        let answering = offer.by.color().other();
        let made = self.ply().saturating_sub(agreed_at);
        let own_turn = self.turn() == answering;
        if made >= 2 || (made == 1 && !own_turn) {
            return self.decline_offer(Decline::Move, None);
        }
        let side = Side::from(answering);
        match self.touches.binding(side).map(|touch| touch.square) {
            square @ Some(_) => self.decline_offer(Decline::Touch, square),
            None => Vec::new(),
        }
    }

    /// Rules on an offer that the opponent has not answered yet.
    fn rule_on_offer(&mut self, consent: bool) -> Result<Vec<Fact>, Refusal> {
        let needed = laws::agreement(&self.regulations, self.record.moves_each());
        let restricted = laws::offer_is_restricted(&self.regulations, self.record.moves_each());
        let Agreement::NeedsConsent { .. } = needed else {
            return Err(nothing_waits());
        };
        let offer = self.offers.standing.as_mut().ok_or_else(nothing_waits)?;
        offer.restricted = restricted && !consent;
        self.offers.consented = consent;
        Ok(vec![Fact::AgreementRuled { consent }])
    }

    /// Ends a standing offer of the opponent of the player who has the move, if that is
    /// how this edition has it declined.
    pub(super) fn decline_offer(&mut self, how: Decline, square: Option<Square>) -> Vec<Fact> {
        if !laws::declines(self.regulations.edition, how) {
            return Vec::new();
        }
        let Some(offer) = self.offers.standing.take() else {
            return Vec::new();
        };
        self.offers.pending = None;
        let by = offer.by;
        if how == Decline::Touch {
            self.offers.refused_by_touch = Some(offer);
        }
        vec![Fact::OfferEnded {
            by,
            how: how.into(),
            square,
        }]
    }

    /// Ends a standing offer for another reason than an answer.
    pub(super) fn end_offer(&mut self, how: OfferEnd) -> Vec<Fact> {
        self.offers.pending = None;
        self.offers.refused_by_touch = None;
        let ended = self.offers.standing.take().map(|offer| Fact::OfferEnded {
            by: offer.by,
            how,
            square: None,
        });
        ended.into_iter().collect()
    }

    /// Forgets the marks of plies that the record no longer has. The mark of a standing offer waits
    /// for the move that replaces the one of the offer.
    pub(super) fn prune_marks(&mut self) {
        let ply = self.ply();
        let standing = self.offers.standing.as_ref();
        let standing = standing.map(|offer| (offer.ply, offer.by));
        let marks = &mut self.offers.marks;
        marks.retain(|mark| mark.0 <= ply || Some(*mark) == standing);
    }

    /// Ends the offer that a claim was, now that it has been checked; the opponent's own
    /// offer stays.
    pub(super) fn end_offer_of_claim(&mut self, claimant: Side) -> Vec<Fact> {
        let own = |offer: &StandingOffer| offer.by_claim && offer.by == claimant;
        if self.offers.standing.as_ref().is_some_and(own) {
            // What the opponent has offered before may still prove valid.
            let (touch, pending) = (self.offers.refused_by_touch.take(), self.offers.pending);
            let ended = self.end_offer(OfferEnd::ClaimChecked);
            self.offers.refused_by_touch = touch;
            self.offers.pending = pending;
            ended
        } else {
            Vec::new()
        }
    }

    /// Whether there is an offer that this player can answer.
    fn must_be_offered_to(&self, by: Color) -> Result<(), Refusal> {
        let standing = self.offers.standing.as_ref();
        if standing.is_some_and(|offer| offer.by != Side::from(by)) {
            return Ok(());
        }
        Err(Refusal::wrong_state("no offer of the opponent stands"))
    }
}

fn nothing_waits() -> Refusal {
    Refusal::wrong_state("no agreement waits for consent")
}
