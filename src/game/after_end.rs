//! What players decide in a game that is already over, when that is not announced to them.
//!
//! They resign or agree to a draw, and as far as they know that ends the game. In law it was over
//! before. If that end is set aside, because the arbiter overrules it or the moves that made it
//! are taken back, the decision of the players comes into force.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fact, Game, HeldResignation, LossBy, ResultReason, Side, WaitsFor};
use remisd_laws::{Ply, Score};

/// What players have decided after an end that was not announced to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecidedAfterEnd {
    /// What.
    pub what: Decided,
    /// The player who has resigned; null for what both have decided.
    pub by: Option<Side>,
    /// Whether the arbiter had consented to it.
    pub consented: bool,
    /// After which ply.
    pub ply: Ply,
}

/// What players can decide between themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// They have agreed to a draw.
    Agreement,
    /// One has resigned.
    Resignation,
}

impl From<HeldResignation> for DecidedAfterEnd {
    /// What the resignation has waited for has ended the game.
    fn from(held: HeldResignation) -> Self {
        Self {
            what: Decided::Resignation,
            by: Some(held.by),
            consented: false,
            ply: held.ply,
        }
    }
}

impl Game {
    /// What the players have decided between themselves, as both of them know it.
    ///
    /// It need not count: an end that was not announced may go before it, or the arbiter may have
    /// to consent.
    #[must_use]
    pub fn decided_by_players(&self) -> Option<Decided> {
        let goes_on = self.result().is_none() || self.is_secretly_over();
        let agreed = self.pending_agreement().filter(|_| goes_on);
        let decided = self.outcome.decided_by_players();
        decided.or_else(|| agreed.map(|_| Decided::Agreement))
    }

    /// Records a decision that comes too late: the end remains in force, and is not announced.
    pub(super) fn decide_after_end(
        &mut self,
        what: Decided,
        by: Option<Side>,
        consented: bool,
    ) -> Vec<Fact> {
        let decided = DecidedAfterEnd {
            what,
            by,
            consented,
            ply: self.ply(),
        };
        self.outcome.decide_late(decided);
        self.stop_comparing();
        let mut facts = self.end_offer_with_game();
        facts.push(Fact::DecidedAfterEnd(decided));
        facts
    }

    /// What the players have decided comes into force if the end before it has been removed. While
    /// there is such an end, the decision is remembered.
    pub(super) fn take_up_decided(&mut self) -> Vec<Fact> {
        if self.result().is_some() || self.held_resignation().is_some() {
            return Vec::new();
        }
        let Some(decided) = self.outcome.take_late() else {
            return self.offers_behind_end();
        };
        if let (Decided::Resignation, Some(loser)) = (decided.what, decided.by) {
            if self.open_claim().is_some() {
                return self.hold_resignation(loser.into(), WaitsFor::Claim, None);
            }
            return self.lose(LossBy::Resignation, loser.into(), false);
        }
        let article = self.regulations.edition.articles.agreement;
        let reason = ResultReason::Agreement;
        self.conclude(Score::Draw, reason, article, decided.consented)
    }
}
