//! What players decide in a game that was over already, without anybody having told them.
//!
//! They resign or agree to a draw, and their game is over for all that they know. In law it
//! was over before. If that end falls, because the arbiter overrules it or the moves that
//! made it are taken back, what they have decided comes into force.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Confirm, Fact, Game, HeldResignation, LossBy, ResultReason, Side, WaitsFor};
use remisd_laws::{Ply, Score};

/// What players have decided after an end that nobody had told them of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecidedAfterEnd {
    /// What.
    pub what: Decided,
    /// Who has resigned; null for what both have decided.
    pub by: Option<Side>,
    /// The arbiter had consented to it.
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
    /// What players have decided after an end that nobody had told them of.
    #[must_use]
    pub const fn decided_after_end(&self) -> Option<DecidedAfterEnd> {
        self.decided_after_end
    }

    /// What the players have decided between themselves, as both of them know it: also where an
    /// end counts that they were not told of, or where the arbiter has still to consent.
    #[must_use]
    pub fn decided_by_players(&self) -> Option<Decided> {
        if let Some(decided) = self.decided_after_end {
            return Some(decided.what);
        }
        let resigned = self.held_resignation().is_some()
            || (self.pending_loss()).is_some_and(|loss| loss.what == LossBy::Resignation);
        if resigned {
            return Some(Decided::Resignation);
        }
        match self.result().map(|result| result.reason) {
            Some(ResultReason::Agreement) => Some(Decided::Agreement),
            Some(ResultReason::Resignation) => Some(Decided::Resignation),
            Some(_) => None,
            None => self.pending_agreement().map(|_| Decided::Agreement),
        }
    }

    /// Remembers a decision that comes too late: the end stands, and nobody is told.
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
        self.decided_after_end = Some(decided);
        self.mismatch = None;
        let mut facts = self.end_offer_with_game();
        facts.push(Fact::DecidedAfterEnd(decided));
        facts
    }

    /// What the players have decided and the arbiter has not confirmed, where an end by the
    /// Laws is found with another score: it came first, even if it was not known.
    pub(super) fn overtaken_by(&self, score: Score) -> Option<DecidedAfterEnd> {
        let decided = |what, by, ply| DecidedAfterEnd {
            what,
            by,
            consented: false,
            ply,
        };
        if let Some(held) = self.held_resignation() {
            return Some(held.clone().into());
        }
        if let Some(loss) = self.pending_loss {
            let resigned = loss.what == LossBy::Resignation;
            return resigned.then(|| decided(Decided::Resignation, Some(loss.loser), self.ply()));
        }
        let result = self
            .result
            .as_ref()
            .filter(|result| result.score != score)?;
        let confirmed = result.confirmed && self.rules.confirm == Confirm::Arbiter;
        match (result.reason, result.score) {
            _ if confirmed => None,
            (ResultReason::Agreement, _) => Some(decided(Decided::Agreement, None, result.ply)),
            (ResultReason::Resignation, Score::WhiteWins) => {
                Some(decided(Decided::Resignation, Some(Side::Black), result.ply))
            }
            (ResultReason::Resignation, Score::BlackWins) => {
                Some(decided(Decided::Resignation, Some(Side::White), result.ply))
            }
            _ => None,
        }
    }

    /// What the players have decided comes into force if the end that went before it has
    /// fallen; as long as one stands, it is remembered.
    pub(super) fn take_up_decided(&mut self) -> Vec<Fact> {
        if self.result.is_some() || self.held_resignation().is_some() {
            return Vec::new();
        }
        let Some(decided) = self.decided_after_end.take() else {
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
