//! What the Laws ask of the clock: pauses and changes of the remaining times.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{ClockState, Fact, Game, RefusalCode, Role, Side, obey::Refused, unsettled::Unsettled};
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
    /// Who asked for it; absent for a claim.
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
    /// Somebody asked for it.
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

/// Changes that may wait at once; an arbiter who orders more has a clock that does not listen.
const ADJUSTMENTS: usize = 16;

/// How White's and Black's clock change, by how a player's own and his opponent's do.
pub(super) const fn time_changes(
    player: Color,
    own: TimeChange,
    opponent: TimeChange,
) -> (TimeChange, TimeChange) {
    match player {
        Color::White => (own, opponent),
        Color::Black => (opponent, own),
    }
}

impl Adjustment {
    /// The number in its id.
    pub(super) fn number(&self) -> &str {
        self.id.trim_start_matches("adjustment-")
    }
}

impl Game {
    /// A player's remaining time, if there is a clock.
    pub(super) fn remaining_ms(&self, player: Color) -> Option<u64> {
        let clock = self.clock?;
        Some(player.fold_wb(clock.white_ms, clock.black_ms))
    }

    /// Takes in what the clock shows.
    ///
    /// What it has shown before is no new reading: it comes with the moves until the clock
    /// tells more.
    pub(super) fn clock_shows(&mut self, clock: Option<ClockState>) {
        if self.clock != clock {
            self.clock_at = clock.map(|_| self.time);
        }
        self.clock = clock;
        let shown = clock.and_then(|clock| clock.flag);
        self.known_flag.take_if(|known| shown != Some(*known));
    }

    /// The flag that has fallen in this game and that nothing was ruled on.
    pub(super) fn fallen_flag(&self) -> Option<Side> {
        let shown = self.clock?.flag;
        shown.filter(|flag| self.known_flag != Some(*flag))
    }

    /// The clock is to be stopped while a claim is checked.
    pub(super) fn pause_for_claim(&mut self) -> Vec<Fact> {
        if self.pause.is_some() {
            return Vec::new();
        }
        self.stop(PauseReason::Claim, None, self.ply(), self.time)
    }

    /// The same for a claim that is being made. Whoever claims may have stopped the clock
    /// before (9.5): that pause is the claim's, and ends with it.
    pub(super) fn pause_to_claim(&mut self, by: Color) -> Vec<Fact> {
        let claims = |role| match role {
            Role::White => by == Color::White,
            Role::Black => by == Color::Black,
            Role::Clock => true,
            Role::Arbiter | Role::Operator => false,
        };
        match self.pause {
            Some(pause) if pause.by.is_some_and(claims) => {
                self.stop(PauseReason::Claim, None, self.ply(), pause.since)
            }
            _ => self.pause_for_claim(),
        }
    }

    fn stop(
        &mut self,
        reason: PauseReason,
        by: Option<Role>,
        after: Ply,
        since: Timestamp,
    ) -> Vec<Fact> {
        self.pause = Some(Pause {
            reason,
            since,
            by,
            after,
        });
        vec![Fact::Paused { reason }]
    }

    pub(super) fn pause(
        &mut self,
        by: Role,
        unsettled: Option<&Unsettled>,
    ) -> Result<Vec<Fact>, Refused> {
        self.must_be_open_to_players()?;
        if self.pause.is_some() {
            let text = "the clock is paused already".to_owned();
            return Err((RefusalCode::WrongState, text));
        }
        let after = self.ply() + Ply::from(unsettled.is_some());
        Ok(self.stop(PauseReason::Command, Some(by), after, self.time))
    }

    pub(super) fn resume(&mut self, running: Option<Side>) -> Result<Vec<Fact>, Refused> {
        if self.pause.take().is_none() {
            return Err((
                RefusalCode::WrongState,
                "the clock is not paused".to_owned(),
            ));
        }
        let running = running.unwrap_or_else(|| self.turn().into());
        Ok(vec![Fact::Resumed { running }])
    }

    /// Whether the clock was stopped for this.
    pub(super) fn is_paused_for(&self, reason: PauseReason) -> bool {
        self.pause.is_some_and(|pause| pause.reason == reason)
    }

    /// A move is settled: play goes on, unless the arbiter has stopped it, or the move stood
    /// on the board before somebody did.
    pub(super) fn go_on_by_move(&mut self) -> Vec<Fact> {
        let ply = self.ply();
        let ends = |pause: Pause| pause.by != Some(Role::Arbiter) && ply > pause.after;
        if self.unruled_claim().is_none() && self.pause.is_some_and(ends) {
            return self.go_on();
        }
        Vec::new()
    }

    /// Play goes on: a clock that was stopped runs again.
    pub(super) fn go_on(&mut self) -> Vec<Fact> {
        if self.pause.take().is_none() {
            return Vec::new();
        }
        let running = Side::from(self.turn());
        vec![Fact::Resumed { running }]
    }

    /// Orders the clock to change the times; nothing when nothing changes.
    pub(super) fn order_adjustment(
        &mut self,
        white: TimeChange,
        black: TimeChange,
        reason: AdjustmentReason,
    ) -> Vec<Fact> {
        if (white, black) == (TimeChange::None, TimeChange::None) {
            return Vec::new();
        }
        let adjustment = Adjustment {
            // Players see it: it counts as they do.
            id: format!("adjustment-{}", self.numbering.players_next()),
            white,
            black,
            reason,
        };
        if self.adjustments.len() == ADJUSTMENTS {
            self.adjustments.remove(0);
        }
        self.adjustments.push(adjustment.clone());
        vec![Fact::AdjustmentOrdered(adjustment)]
    }

    /// What a change was ordered for is taken back: one that waits still is not to be made.
    pub(super) fn withdraw_adjustment(&mut self, id: &str) -> Option<Fact> {
        let at = self.adjustments.iter().position(|a| a.id == id)?;
        let id = self.adjustments.remove(at).id;
        Some(Fact::AdjustmentWithdrawn { id })
    }

    /// The clock, or the arbiter by hand, has made a change.
    pub(super) fn adjustment_made(&mut self, id: &str) -> Option<Fact> {
        let at = self.adjustments.iter().position(|a| a.id == id)?;
        let id = self.adjustments.remove(at).id;
        Some(Fact::AdjustmentMade { id })
    }
}
