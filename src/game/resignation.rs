//! Resignations, and what goes before them: a claim that was made first, a move that is
//! on the board and ends the game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{Decided, Fact, Game, LossBy, PauseReason, Refusal, Side, unsettled::Unsettled};
use remisd_laws::Ply;
use remisd_vocabulary::notation::MoveText;

/// A resignation that loses the game only if what came first has not ended it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HeldResignation {
    /// The player who has resigned.
    pub by: Side,
    /// After which ply.
    pub ply: Ply,
    /// What goes before it.
    pub waits_for: WaitsFor,
    /// The move that was on the board and was not settled yet.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<MoveText>,
}

/// What a resignation waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// The ruling on a claim.
    Claim,
    /// The move on the board.
    Move,
}

impl Game {
    pub(super) fn resign(
        &mut self,
        by: Color,
        unsettled: Option<&Unsettled>,
    ) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        if self.is_secretly_over() {
            // A game that is over cannot be lost; but that end may fall.
            return Ok(self.decide_after_end(Decided::Resignation, Some(by.into()), false));
        }
        if self.open_claim().is_some() {
            return Ok(self.hold_resignation(by, WaitsFor::Claim, None));
        }
        if let Some(last) = unsettled.filter(|last| last.ends_game()) {
            return Ok(self.hold_resignation(by, WaitsFor::Move, Some(last.text.clone())));
        }
        Ok(self.lose(LossBy::Resignation, by, false))
    }

    pub(super) fn hold_resignation(
        &mut self,
        by: Color,
        waits_for: WaitsFor,
        unsettled: Option<MoveText>,
    ) -> Vec<Fact> {
        let held = HeldResignation {
            by: by.into(),
            ply: self.ply(),
            waits_for,
            unsettled,
        };
        self.outcome.hold(held.clone());
        // For the players the game is over.
        let mut facts = self.end_offer_with_game();
        facts.push(Fact::ResignationHeld(held));
        facts
    }

    /// The move that a resignation has waited for is made: it may have ended the game.
    pub(super) fn resigned_after_move(&mut self, held: &HeldResignation) -> Vec<Fact> {
        if self.result().is_some() {
            return self.decide_after_end(Decided::Resignation, Some(held.by), false);
        }
        self.lose(LossBy::Resignation, held.by.into(), false)
    }

    /// A claim has not ended the game: a resignation that came after it does, or an end by
    /// the Laws; else the clock runs again.
    pub(super) fn go_on_after_claim(&mut self, by: &str) -> Vec<Fact> {
        if let Some(held) = self.outcome.release() {
            return self.lose(LossBy::Resignation, held.by.into(), false);
        }
        let on = self.result().is_none() || self.is_secretly_over();
        let running = self.turn().into();
        let mut facts = Vec::new();
        // A pause of the arbiter's own stays.
        if on && self.clock.is_paused_for(PauseReason::Claim) {
            facts.extend(self.clock.go_on(running));
        }
        facts.extend(self.end_stands(by));
        facts
    }
}
