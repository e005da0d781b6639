//! Pressing the clock: in time, early, late, twice, from habit, or not at all.

use crate::Millis;
use shakmaty::Color;

use super::{Hands, Made};
use crate::{
    plan::Gesture,
    script::{ClockDeed, Note},
};

impl Hands<'_> {
    /// The player presses after a move. Returns the time of the press, or of the release.
    pub(super) fn press_after(
        &mut self,
        by: Color,
        made: Made,
        gesture: Option<Gesture>,
    ) -> Millis {
        if !self.clock {
            return made.released;
        }
        let manner = self.person(by).manner;
        let at = if gesture == Some(Gesture::Reminded) {
            // judgement: the opponent waits, points at the clock.
            self.script.note(made.released, Note::PressedLate);
            made.released + 4_000 + self.chance.ms(8_000.0, 0.7)
        } else if self.chance.happens(manner.forget) {
            self.script.note(made.released, Note::PressForgotten);
            // The press of the move before has happened, or never will.
            self.flush_press(made.released);
            return made.released;
        } else if self.chance.happens(manner.early) {
            self.script.note(made.placed, Note::PressedEarly);
            made.placed.saturating_sub(self.chance.between(0, 140))
        } else if self.chance.happens(manner.late) {
            self.script.note(made.released, Note::PressedLate);
            made.released + 1_500 + self.chance.ms(4_000.0, 0.8)
        } else {
            made.released + self.chance.ms(manner.press_ms, 0.45).max(80)
        };
        // What the opponent had not pressed by now stays unpressed: the move was answered.
        self.flush_press(at.saturating_sub(100));
        self.press = Some((at, by));
        if self.chance.happens(manner.twice) {
            let again = at + self.chance.ms(350.0, 0.6);
            self.script.note(again, Note::PressedTwice);
            self.script.clock(again, ClockDeed::Press(by));
        }
        if gesture == Some(Gesture::Reminded) {
            self.ready = at;
            self.busy = self.busy.max(at);
        }
        at
    }

    /// Lets the pending press happen if it comes before `until`.
    pub(super) fn flush_press(&mut self, until: Millis) {
        if let Some((at, by)) = self.press.take_if(|(at, _)| *at < until) {
            self.script.clock(at, ClockDeed::Press(by));
        }
        self.press = None;
    }

    /// The player presses without having moved, and the opponent presses back.
    pub(super) fn press_from_habit(&mut self, by: Color, at: Millis) -> Millis {
        if !self.clock {
            return at;
        }
        self.flush_press(at);
        self.script.note(at, Note::PressedFromHabit);
        self.script.clock(at, ClockDeed::Press(by));
        let back = at + self.chance.ms(1_600.0, 0.6);
        self.script.clock(back, ClockDeed::Press(!by));
        self.busy = self.busy.max(back);
        back + 200
    }

    /// Somebody stops the clock.
    pub(super) fn stop(&mut self, at: Millis) {
        if !self.clock {
            return;
        }
        self.flush_press(at);
        self.script.note(at, Note::ClockStopped);
        self.script.clock(at, ClockDeed::Stop);
        self.busy = self.busy.max(at);
    }

    /// The clock continues with this side to move.
    pub(super) fn resume(&mut self, at: Millis, to_move: Color) {
        self.clock_deed(at.saturating_sub(600), ClockDeed::Lever(to_move));
        self.clock_deed(at, ClockDeed::Run);
        self.busy = self.busy.max(at);
    }
}
