//! The presses of the clock as a count of plies.
//!
//! Who has moved presses, so that every turn of the lever stands for a ply. A clock tells a
//! press late, and players who move at once do not press at all; but nobody presses for a
//! move that he has not made. Where the board shows two plies and the lever has turned four
//! times, two were made so fast that the board has hardly seen them.

use shakmaty::{Color, Position};

use super::{
    Hypothesis,
    tracker::{Tracker, Watching},
};
use remisd_vocabulary::{sensor::ClockReading, time::Millis};

/// A press for which a line has no ply.
const PRESS: u32 = 4;
/// A ply that should have been pressed for by now, and the one before it that was not: they
/// were made at once.
const UNPRESSED: u32 = 2;
/// Settled plies whose presses may still be told.
const MOST_AWAITED: i64 = 1;
/// Until a press is told that follows a ply.
pub(super) const TOLD_MS: Millis = 900;

/// How the clock lever last turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turned {
    /// Whose move it is since.
    pub(super) to: Color,
    /// When.
    pub(super) at: Millis,
}

/// How often the lever has turned, and how many of the turns stand for plies that are
/// settled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Presses {
    /// The last turn.
    pub(super) last: Option<Turned>,
    count: i64,
    settled: i64,
}

impl Presses {
    /// The lever has turned.
    pub(super) const fn turn(&mut self, to: Color, at: Millis) {
        self.last = Some(Turned { to, at });
        self.count += 1;
    }

    /// The lever was taken for the other player's: all that it said was said of him.
    pub(super) fn reverse(&mut self) {
        if let Some(last) = &mut self.last {
            last.to = last.to.other();
        }
    }

    /// So many plies are settled; fewer than none are withdrawn. Of two presses between which the
    /// clock did not tell of the lever, it tells nothing: those come no more.
    pub(super) const fn settle(&mut self, plies: i64) {
        self.settled += plies;
        while self.settled - self.count > MOST_AWAITED {
            self.settled -= 2;
        }
    }

    /// The board has shown a line for long: whatever was pressed was pressed for it. Who has
    /// made its last move may not have pressed yet.
    pub(super) fn agree(&mut self, line: usize, turn: Color) {
        let plies = i64::try_from(line).unwrap_or(i64::MAX);
        let waits = self.last.is_some_and(|last| last.to != turn);
        self.settled = self.count - plies + i64::from(waits);
    }

    /// Whether so many plies have been pressed for, if anybody presses.
    pub(super) fn covers(&self, plies: usize) -> bool {
        self.last.is_none()
            || i64::try_from(plies).is_ok_and(|plies| self.count - self.settled >= plies)
    }

    /// How many more turns there were than a line has plies.
    pub(super) fn surplus(&self, hypothesis: &Hypothesis) -> i64 {
        let plies = i64::try_from(hypothesis.line.len()).unwrap_or(i64::MAX);
        self.count - self.settled - plies
    }

    /// What the count costs a line whose last plies were made `ago`, the last one first.
    pub(super) fn cost(
        &self,
        hypothesis: &Hypothesis,
        ago: impl Iterator<Item = Option<Millis>>,
    ) -> u32 {
        if self.last.is_none() {
            return 0;
        }
        let surplus = self.surplus(hypothesis);
        if surplus > 0 {
            return PRESS * u32::try_from(surplus).unwrap_or(0);
        }
        let awaited = ago
            .take_while(|ago| ago.is_some_and(|ago| ago < TOLD_MS))
            .count();
        // The press for the last one may never come: the game is over, or he forgets.
        let missing = -surplus - i64::try_from(awaited).unwrap_or(0).max(1);
        UNPRESSED * u32::try_from((missing + 1) / 2).unwrap_or(0)
    }

    /// Whether it is the move of the side that has it after a line.
    pub(super) fn agrees(&self, hypothesis: &Hypothesis) -> bool {
        self.last
            .is_none_or(|last| last.to == hypothesis.after.turn())
    }
}

impl Tracker {
    /// The clock has told of its lever, and whether it runs.
    pub(super) fn hear_clock(&mut self, reading: &ClockReading, now: Millis) {
        let lever = (reading.lever).map(|assumed| self.clock_way.player(assumed));
        let before = std::mem::replace(&mut self.lever, lever);
        // A lever that nobody touches says nothing, whichever side is down.
        if let (Some(before), Some(to)) = (before, lever)
            && before != to
        {
            self.note_turn(to, reading.running.is_some(), now);
            self.presses.turn(to, now);
            if let Some(sight) = &self.sight {
                let by = to.other();
                self.changes
                    .note_press(by, sight.pieces().by_color(by), now);
            }
            self.pressed(now);
        } else if before.is_none() && self.gap && self.watching == Watching::Game {
            // Whose move it is now says something of what was done out of sight.
            self.explain(now);
        }
        if self.watching == Watching::Game {
            self.hear_running(reading, now);
        }
    }
}
