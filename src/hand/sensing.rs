//! What the tracker is told: squares, all of them at once, the clock, the cable.

use shakmaty::{Bitboard, Color, Position, Square};

use super::{
    Hypothesis,
    choice::Choice,
    course::Course,
    paused::Running,
    present::rested_elsewhere,
    sight::Sight,
    tracker::{Tracker, Watching},
};
use remisd_vocabulary::{
    sensor::{LinkReport, Placement, Seen, Sensed},
    time::Millis,
};

/// A press has been told by then, if one was made.
const PRESSED_MS: Millis = 1_200;

impl Tracker {
    /// Takes in one event that was heard at `now`. What nothing has disturbed until then
    /// is settled first, even if nobody has called [`Tracker::tick`] in time.
    pub fn sense(&mut self, sensed: &Sensed, now: Millis) {
        self.tick(now);
        let now = self.hand_time(now);
        match sensed {
            Sensed::Square(square, seen) => self.square(*square, *seen, now),
            Sensed::Placement(placement) => self.placement(placement, now),
            Sensed::Clock(reading) => self.hear_clock(reading, now),
            Sensed::Link(LinkReport::Up(_) | LinkReport::Down { .. }) => {
                if self.sight.is_some() {
                    self.rested(now);
                }
                for hypothesis in &mut self.hypotheses {
                    hypothesis.sum_up(&self.changes, self.settings.scan_ms);
                }
                self.out_of_sight.begin(self.sight.take());
                self.gap = true;
                // Nor does anybody know whose clock runs.
                self.lever = None;
                self.running = Running::Unknown;
                self.clock_way.interrupt();
                // Nor where the pieces have gone.
                self.course = Course::Onward;
                self.doubt =
                    (self.doubt.take()).and_then(|doubt| doubt.out_of_sight(self.changed_at));
            }
            Sensed::Orientation(_)
            | Sensed::Link(LinkReport::Device(_) | LinkReport::Counters(_)) => {}
        }
        self.take_clock_round(now);
    }

    fn square(&mut self, square: Square, seen: Seen, now: Millis) {
        // A change before the first placement says nothing about the other squares.
        let Some(sight) = &mut self.sight else { return };
        if sight.get(square) == seen {
            return;
        }
        self.rested(now);
        self.king_has_stepped(Bitboard::from_square(square), now);
        if seen == Seen::Empty {
            for hypothesis in &mut self.hypotheses {
                hypothesis.left_by(square);
            }
        }
        if let Some(sight) = &mut self.sight {
            sight.set(square, seen);
        }
        self.changes.note(square, seen, false, now);
        self.changed(now);
    }

    fn placement(&mut self, placement: &Placement, now: Millis) {
        let seen = Sight::new(placement);
        self.looked_at = now;
        if self.sight.is_none() {
            self.found_at = now;
            self.out_of_sight.end(&seen);
        }
        if self.sight.as_ref() == Some(&seen) {
            return;
        }
        // A board that was out of sight has not rested.
        if self.sight.is_some() {
            self.rested(now);
        }
        let differing: Bitboard = match &self.sight {
            Some(sight) => (Square::ALL.into_iter())
                .filter(|&square| sight.get(square) != seen.get(square))
                .collect(),
            None => Bitboard::FULL,
        };
        if self.sight.is_some() {
            self.king_has_stepped(differing, now);
        }
        if self.sight.is_some() {
            for square in differing {
                self.changes.note(square, seen.get(square), true, now);
            }
        } else {
            self.changes.note_all(now);
        }
        self.sight = Some(seen);
        self.changed(now);
    }

    /// Nothing has changed until now: what was on the board has stood for that long.
    fn rested(&mut self, now: Millis) {
        self.notice_going_back(now);
        let choice = self.choose(now);
        self.count_presses(choice, now);
        self.hold_rest_against(choice, now);
        for hypothesis in &mut self.hypotheses {
            if hypothesis.is_exact()
                && let Some(stood) = &mut hypothesis.stood
            {
                stood.until = now;
                if choice.stands {
                    stood.clear_ms += now.saturating_sub(self.changed_at.max(stood.from));
                }
            }
        }
    }

    /// The board has rested as after a line: that speaks against all that do not lead there.
    fn hold_rest_against(&mut self, choice: Choice, now: Millis) {
        let rest_ms = now.saturating_sub(self.changed_at);
        if !self.hypotheses[choice.best].is_exact() {
            return;
        }
        // Where several ways to the same position have long been possible, it has rested after all of
        // them: what was not seen will not be seen.
        let best = &self.hypotheses[choice.best];
        let long = (self.ambiguous_since).is_some_and(|at| now > at + self.settings.motion_ms);
        let twin = |other: &&Hypothesis| {
            let alike = other.line.len() == best.line.len() && other.after == best.after;
            other.line == best.line || (long && alike)
        };
        let shown: Vec<&Hypothesis> = self.hypotheses.iter().filter(twin).collect();
        let more: Vec<u32> = (self.hypotheses.iter())
            .map(|hypothesis| rested_elsewhere(hypothesis, &shown, rest_ms))
            .collect();
        for (hypothesis, more) in self.hypotheses.iter_mut().zip(more).skip(1) {
            hypothesis.rested_against += more;
            hypothesis.cost += more;
        }
    }

    /// What has long been clear was pressed for.
    fn count_presses(&mut self, choice: Choice, now: Millis) {
        let best = &self.hypotheses[choice.best];
        if choice.clear && best.is_exact() && now >= self.changed_at + PRESSED_MS {
            self.presses.agree(best.line.len(), best.after.turn());
        }
    }

    /// Whose move it is by a clock that is pressed, where the board has not seen what was done.
    pub(super) fn to_move(&self) -> Option<Color> {
        (self.lever).filter(|_| self.gap && self.presses.last.is_some())
    }

    /// The lever has turned: maybe more was played than was seen.
    pub(super) fn pressed(&mut self, now: Millis) {
        let best = self.choose(self.changed_at).best;
        let more = self.presses.surplus(&self.hypotheses[best]) > 0;
        if (more || self.gap) && self.watching == Watching::Game {
            self.explain(now);
        } else {
            self.decide(now);
        }
    }

    fn changed(&mut self, now: Millis) {
        self.changed_at = now;
        self.start_stood &= self.nearly_shows_start_array();
        self.explain(now);
        self.notice_touches(now);
    }
}
