//! What the clock shows, and what it is ordered to do.

use jiff::Timestamp;
use shakmaty::{ByColor, Color};

use super::{Adjustment, AdjustmentReason, ClockState, Fact, Game, Pause, PauseReason, Role, Side};
use remisd_laws::{Ply, TimeChange};
use remisd_vocabulary::seq::AudienceSeq;

/// Adjustments that may wait at the same time. More mean that the clock does not listen.
const ADJUSTMENTS: usize = 16;

/// The clock of one board.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClockRecord {
    shown: Option<ClockState>,
    /// When it began to show that.
    shown_at: Option<Timestamp>,
    /// Since when it has run for the player who does not have the move.
    wrong_since: Option<Timestamp>,
    /// The fallen flag that the clock shows and that needs no ruling: the arbiter has ruled that
    /// play continues with it, or it fell in an earlier game.
    known_flag: Option<Side>,
    /// Whether the clock is to be stopped.
    pause: Option<Pause>,
    /// Changes of the remaining times that the clock has not made yet, oldest first.
    adjustments: Vec<Adjustment>,
}

impl ClockRecord {
    /// Another game begins. The clock may show a fallen flag until it is set.
    pub(super) fn begin_game(&mut self) {
        self.adjustments.clear();
        self.wrong_since = None;
        self.pause = None;
        if let Some(flag) = self.shown.as_mut().and_then(|clock| clock.flag.take()) {
            self.known_flag = Some(flag);
        }
    }

    /// The game continues from another position. A pause for a claim that is still being checked
    /// stays, and so does the arbiter's own.
    pub(super) fn set_up(&mut self, checking: bool) {
        let pause = self.pause.filter(|pause| checking || pause.is_arbiters());
        self.pause = pause.map(|pause| Pause { after: 0, ..pause });
    }

    /// Takes in what the clock shows. The same state is not a new reading: each move repeats it
    /// until the clock reports a change.
    pub(super) fn show(&mut self, clock: Option<ClockState>, now: Timestamp) {
        if self.shown != clock {
            self.shown_at = clock.map(|_| now);
        }
        self.shown = clock;
        let flag = clock.and_then(|clock| clock.flag);
        self.known_flag.take_if(|known| flag != Some(*known));
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(
        &mut self,
        shown: Option<ClockState>,
        shown_at: Option<Timestamp>,
        flag: Option<Side>,
    ) {
        self.shown = shown.or(self.shown);
        self.shown_at = shown_at.or(self.shown_at);
        self.known_flag = flag;
    }

    pub(super) const fn known_flag(&self) -> Option<Side> {
        self.known_flag
    }

    pub(super) fn running(&self) -> Option<Side> {
        self.shown.and_then(|clock| clock.running)
    }

    /// A player's remaining time, if there is a clock.
    pub(super) fn remaining_ms(&self, player: Color) -> Option<u64> {
        let clock = self.shown?;
        Some(player.fold_wb(clock.white_ms, clock.black_ms))
    }

    /// The flag that has fallen in this game and needs a ruling.
    pub(super) fn fallen_flag(&self) -> Option<Side> {
        let shown = self.shown?.flag;
        shown.filter(|flag| self.known_flag != Some(*flag))
    }

    /// Play continues with the flag that has fallen.
    pub(super) fn accept_flag(&mut self) {
        self.known_flag = self.shown.and_then(|clock| clock.flag);
    }

    /// Whether the clock is stopped although no pause was requested and no flag has fallen.
    pub(super) fn stands_unasked(&self) -> bool {
        let stands = |clock: ClockState| clock.running.is_none() && clock.flag.is_none();
        self.pause.is_none() && self.shown.is_some_and(stands)
    }

    /// Whose clock runs although `turn` has the move.
    pub(super) fn wrongly_running(&self, turn: Side) -> Option<Side> {
        let running = self.running().filter(|_| self.pause.is_none())?;
        (running != turn).then_some(running)
    }

    /// Notes whether the clock runs for the wrong player.
    pub(super) fn note_wrong(&mut self, wrong: bool, now: Timestamp) {
        self.wrong_since = match self.wrong_since {
            since @ Some(_) if wrong => since,
            _ => wrong.then_some(now),
        };
    }

    /// When the clock will have run for the wrong player for `after_ms`; `None` if it does not, or
    /// if `after_ms` is 0.
    pub(super) fn wrong_due(&self, after_ms: u64) -> Option<Timestamp> {
        let after = i64::try_from(after_ms).ok().filter(|ms| *ms > 0)?;
        let at = self.wrong_since?.as_millisecond().checked_add(after)?;
        Timestamp::from_millisecond(at).ok()
    }

    /// Whether the clock was stopped for this.
    pub(super) fn is_paused_for(&self, reason: PauseReason) -> bool {
        self.pause.is_some_and(|pause| pause.reason == reason)
    }

    /// Stops the clock.
    pub(super) fn stop(&mut self, pause: Pause) -> Vec<Fact> {
        self.pause = Some(pause);
        let reason = pause.reason;
        vec![Fact::Paused { reason }]
    }

    /// Stops the clock while a claim is checked.
    ///
    /// Whoever claims may have stopped the clock before (9.5): that pause becomes the claim's, and
    /// ends with it. `by` is the claimant of a claim that is being made.
    pub(super) fn stop_for_claim(
        &mut self,
        by: Option<Color>,
        after: Ply,
        now: Timestamp,
    ) -> Vec<Fact> {
        let own = |role| match role {
            Role::White => by == Some(Color::White),
            Role::Black => by == Some(Color::Black),
            Role::Clock => by.is_some(),
            Role::Arbiter | Role::Operator | Role::Board => false,
        };
        let since = match self.pause {
            None => now,
            Some(pause) if pause.by.is_some_and(own) => pause.since,
            Some(_) => return Vec::new(),
        };
        self.stop(Pause {
            reason: PauseReason::Claim,
            since,
            by: None,
            after,
        })
    }

    /// Ends a pause, if there is one. `running` is whose clock runs then.
    pub(super) fn go_on(&mut self, running: Side) -> Option<Fact> {
        self.pause.take()?;
        Some(Fact::Resumed { running })
    }

    /// A move is settled. It ends a pause, unless the arbiter has stopped the clock, or the move
    /// was on the board before the clock was stopped.
    pub(super) fn go_on_by_move(&mut self, ply: Ply, turn: Side) -> Option<Fact> {
        let ends = |pause: Pause| !pause.is_arbiters() && ply > pause.after;
        self.pause.filter(|pause| ends(*pause))?;
        self.go_on(turn)
    }

    /// Orders the clock to change the remaining times; nothing if nothing would change.
    pub(super) fn order(
        &mut self,
        number: AudienceSeq,
        changes: ByColor<TimeChange>,
        reason: AdjustmentReason,
    ) -> Vec<Fact> {
        if changes == ByColor::default() {
            return Vec::new();
        }
        let adjustment = Adjustment {
            id: format!("{}{number}", Adjustment::PREFIX),
            white: changes.white,
            black: changes.black,
            reason,
        };
        if self.adjustments.len() == ADJUSTMENTS {
            self.adjustments.remove(0);
        }
        self.adjustments.push(adjustment.clone());
        vec![Fact::AdjustmentOrdered(adjustment)]
    }

    /// The reason for an adjustment is gone: if it still waits, it is not to be made.
    pub(super) fn withdraw(&mut self, id: &str) -> Option<Fact> {
        let id = self.remove(id)?;
        Some(Fact::AdjustmentWithdrawn { id })
    }

    /// The clock, or the arbiter by hand, has made an adjustment.
    pub(super) fn made(&mut self, id: &str) -> Option<Fact> {
        let id = self.remove(id)?;
        Some(Fact::AdjustmentMade { id })
    }

    fn remove(&mut self, id: &str) -> Option<String> {
        let at = self.adjustments.iter().position(|a| a.id == id)?;
        Some(self.adjustments.remove(at).id)
    }
}

impl Game {
    /// The clock was read: it shows the time of the last move if its player has pressed now.
    pub(super) fn clock_read(&mut self, clock: Option<ClockState>) {
        if self.is_open_to_players() {
            self.record.note_press(self.clock.running(), clock);
        }
        self.clock.show(clock, self.now());
    }

    /// What the clock shows.
    #[must_use]
    pub const fn clock(&self) -> Option<ClockState> {
        self.clock.shown
    }

    /// When the clock began to show that: the running side has less time since.
    #[must_use]
    pub fn clock_at(&self) -> Option<Timestamp> {
        self.clock.shown.and(self.clock.shown_at)
    }

    /// Whether the clock is to be stopped.
    #[must_use]
    pub const fn pause_state(&self) -> Option<Pause> {
        self.clock.pause
    }

    /// Changes of the remaining times that the clock has not made yet, oldest first.
    #[must_use]
    pub fn adjustments(&self) -> &[Adjustment] {
        &self.clock.adjustments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FALLEN: ClockState = ClockState {
        white_ms: 0,
        black_ms: 1000,
        running: None,
        flag: Some(Side::White),
    };

    #[test]
    fn a_flag_of_the_last_game_needs_no_ruling_until_the_clock_is_set() {
        let mut clock = ClockRecord::default();
        clock.show(Some(FALLEN), Timestamp::UNIX_EPOCH);
        assert_eq!(clock.fallen_flag(), Some(Side::White));
        clock.begin_game();
        clock.show(Some(FALLEN), Timestamp::UNIX_EPOCH);
        assert_eq!(clock.fallen_flag(), None);
        clock.show(
            Some(ClockState {
                flag: None,
                ..FALLEN
            }),
            Timestamp::UNIX_EPOCH,
        );
        clock.show(Some(FALLEN), Timestamp::UNIX_EPOCH);
        assert_eq!(clock.fallen_flag(), Some(Side::White));
    }

    #[test]
    fn a_move_ends_no_pause_of_the_arbiter_and_none_that_came_after_it() {
        let stopped = |by, after| {
            let mut clock = ClockRecord::default();
            clock.stop(Pause {
                reason: PauseReason::Command,
                since: Timestamp::UNIX_EPOCH,
                by: Some(by),
                after,
            });
            clock.go_on_by_move(3, Side::Black).is_none()
        };
        assert!(!stopped(Role::White, 2));
        assert!(stopped(Role::White, 3));
        assert!(stopped(Role::Arbiter, 2));
    }
}
