//! What the Laws ask of the clock: pauses and changes of the remaining times.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Color};

use super::{Fact, Game, Refusal, Role, Side, unsettled::Unsettled};
use remisd_laws::{Ply, TimeChange};
use remisd_vocabulary::time::as_rfc3339;

/// The clock is to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pause {
    /// Why.
    pub reason: PauseReason,
    /// Since when.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub since: Timestamp,
    /// The role that requested it; absent for a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Role>,
    /// The last ply that was on the board then, settled or not: a move after it ends what a
    /// player has asked for.
    #[serde(skip)]
    pub(super) after: Ply,
}

/// Why the clock is to be stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseReason {
    /// A claim is being checked.
    Claim,
    /// It was requested.
    Command,
}

/// A change of the remaining times that the clock has not yet made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Adjustment {
    /// Its id, for the clock to say that it is done.
    pub id: String,
    /// White's clock.
    pub white: TimeChange,
    /// Black's clock.
    pub black: TimeChange,
    /// Why.
    pub reason: AdjustmentReason,
}

/// Why the remaining times change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AdjustmentReason {
    /// A claim was not correct (9.5).
    IncorrectClaim,
    /// An illegal move (7.5).
    IllegalMove,
    /// A claim in the last two minutes.
    Quickplay,
    /// An increment of five seconds a move was granted.
    Increment,
    /// The arbiter's own decision.
    Arbiter,
    /// A ruling was taken back for which the clock had been changed already.
    Withdrawn,
}

/// How both clocks change, by how a player's own and the opponent's do.
pub(super) const fn time_changes(
    player: Color,
    own: TimeChange,
    opponent: TimeChange,
) -> ByColor<TimeChange> {
    let (white, black) = match player {
        Color::White => (own, opponent),
        Color::Black => (opponent, own),
    };
    ByColor { black, white }
}

impl Pause {
    /// Whether the arbiter has stopped the clock.
    pub(super) fn is_arbiters(&self) -> bool {
        self.by == Some(Role::Arbiter)
    }
}

impl Adjustment {
    /// What its id begins with; a number follows.
    pub(super) const PREFIX: &str = "adjustment-";

    /// The number in its id.
    pub(super) fn number(&self) -> &str {
        self.id.trim_start_matches(Self::PREFIX)
    }

    pub(super) const fn changes(&self) -> ByColor<TimeChange> {
        ByColor {
            black: self.black,
            white: self.white,
        }
    }
}

impl Game {
    /// The clock is to be stopped while a claim is checked; `by` is the player who makes it now.
    pub(super) fn pause_for_claim(&mut self, by: Option<Color>) -> Vec<Fact> {
        self.clock.stop_for_claim(by, self.ply(), self.now())
    }

    pub(super) fn pause(
        &mut self,
        by: Role,
        unsettled: Option<&Unsettled>,
    ) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        if self.pause_state().is_some() {
            return Err(Refusal::wrong_state("the clock is paused already"));
        }
        Ok(self.clock.stop(Pause {
            reason: PauseReason::Command,
            since: self.now(),
            by: Some(by),
            after: self.ply() + Ply::from(unsettled.is_some()),
        }))
    }

    pub(super) fn resume(&mut self, running: Option<Side>) -> Result<Vec<Fact>, Refusal> {
        let running = running.unwrap_or_else(|| self.turn().into());
        let resumed = self.clock.go_on(running);
        let resumed = resumed.ok_or_else(|| Refusal::wrong_state("the clock is not paused"))?;
        Ok(vec![resumed])
    }

    /// A move is settled: play continues, unless a claim is being checked.
    pub(super) fn go_on_by_move(&mut self) -> Option<Fact> {
        let turn = self.turn().into();
        let free = self.unruled_claim().is_none();
        free.then(|| self.clock.go_on_by_move(self.ply(), turn))?
    }

    /// Orders the clock to change the times; nothing when nothing changes.
    pub(super) fn order_adjustment(
        &mut self,
        changes: ByColor<TimeChange>,
        reason: AdjustmentReason,
    ) -> Vec<Fact> {
        // Players see the id: it counts as they do.
        let number = self.numbering.players_next();
        self.clock.order(number, changes, reason)
    }
}
