//! Results that the players show on the board: the arbiter says what they mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{Fact, Game, Score, Side};
use remisd_hand::Sign;
use remisd_laws::Ply;

/// A result that the players have shown on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedResult {
    /// The score that it stands for.
    pub score: Score,
    /// How it was shown.
    pub sign: Sign,
    /// After which ply.
    pub ply: Ply,
}

impl ProposedResult {
    /// The winner, or `draw`, as the alert names it.
    pub(super) fn winner(self) -> &'static str {
        [Side::White, Side::Black]
            .into_iter()
            .find(|side| self.score == Score::won_by(Color::from(*side)))
            .map_or("draw", Side::as_str)
    }
}

impl Game {
    /// The result that the players have shown, until the arbiter has dealt with it.
    #[must_use]
    pub const fn proposed_result(&self) -> Option<ProposedResult> {
        self.proposed
    }

    /// The players have shown a result. One that the game has already is no news.
    pub(super) fn result_proposed(&mut self, winner: Option<Side>, sign: Sign) -> Vec<Fact> {
        let score = winner.map_or(Score::Draw, |side| Score::won_by(Color::from(side)));
        let known = self.result.as_ref().map(|result| result.score);
        let proposed = ProposedResult {
            score,
            sign,
            ply: self.ply(),
        };
        self.sign_shown = known == Some(score);
        if known == Some(score) || self.proposed == Some(proposed) {
            return Vec::new();
        }
        self.proposed = Some(proposed);
        vec![Fact::ResultProposed(proposed)]
    }

    /// The arbiter has seen a proposal and enters no result: the game goes on as it was.
    pub(super) fn decline_proposal(&mut self, by: String) -> Option<Fact> {
        self.proposed.take()?;
        Some(Fact::ProposalDeclined { by })
    }
}

/// Whether a proposal is dealt with when this has become true.
pub(super) const fn ends_proposal(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::GameStarted { .. }
            | Fact::PositionSet { .. }
            | Fact::Corrected { .. }
            | Fact::ResultSet(_)
            | Fact::ResultConfirmed { game: None, .. }
    )
}
