//! Results that the players show on the board. The arbiter decides what they mean.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fact, Game, Score, Side};
use remisd_laws::Ply;
use remisd_vocabulary::reading::Sign;

/// A result that the players have shown on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProposedResult {
    /// The score that it means.
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
            .find(|side| self.score == Score::won_by(side.color()))
            .map_or("draw", Side::as_str)
    }
}

/// The result that is on the board as a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ShownResult {
    /// One that the game does not have, until the arbiter has dealt with it.
    proposed: Option<ProposedResult>,
    /// The players show the result that the game has already.
    known: bool,
}

impl ShownResult {
    /// The players show a result; `score` is the one that the game has.
    fn show(&mut self, result: ProposedResult, score: Option<Score>) -> Option<Fact> {
        self.known = score == Some(result.score);
        if self.known || self.proposed == Some(result) {
            return None;
        }
        self.proposed = Some(result);
        Some(Fact::ResultProposed(result))
    }

    /// The sign on the board no longer shows the game's result.
    pub(super) const fn forget_known(&mut self) {
        self.known = false;
    }

    /// The proposal is dealt with; returns whether there was one.
    pub(super) const fn settle(&mut self) -> bool {
        self.proposed.take().is_some()
    }
}

impl Game {
    /// The result that the players have shown, until the arbiter has dealt with it.
    #[must_use]
    pub const fn proposed_result(&self) -> Option<ProposedResult> {
        self.shown.proposed
    }

    /// Whether the players show the result on the board that the game has already.
    #[must_use]
    pub const fn shows_known_sign(&self) -> bool {
        self.shown.known
    }

    /// The players have shown a result. One that the game has already is not news.
    pub(super) fn result_proposed(&mut self, winner: Option<Side>, sign: Sign) -> Vec<Fact> {
        let shown = ProposedResult {
            score: winner.map_or(Score::Draw, |side| Score::won_by(side.color())),
            sign,
            ply: self.ply(),
        };
        if sign == Sign::Source {
            self.source.note_proposal(shown.score, shown.ply);
        }
        let score = self.result().map(|result| result.score);
        self.shown.show(shown, score).into_iter().collect()
    }

    /// The arbiter has seen a proposal and enters no result: the game continues as it was.
    pub(super) fn decline_proposal(&mut self, by: String) -> Option<Fact> {
        self.shown.settle().then_some(Fact::ProposalDeclined { by })
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
