//! Which way round the clock stands, learnt from who moves.
//!
//! A clock has sides and no colours: on which of them White's time is, is assumed from how the board
//! lies. Who has moved presses, and then his opponent's time runs. Where his own does, ply after ply,
//! the clock stands the other way round.
//!
//! ```text
//!   White's ply stands ───── one turn of the lever ───── quiet ───── Black takes up a piece
//!                            to Black: as assumed
//!                            to White: the other way round
//! ```
//!
//! A ply says something only if the lever turned exactly once between it and the next one, while the
//! clock ran, and so long before the next one that it cannot be its press. Who forgets to press,
//! presses late or twice, or replies before the clock has told of a press, says nothing. One ply
//! whose press is as assumed outweighs all before it that were not.

use std::collections::VecDeque;

use shakmaty::{ByColor, Color, Move};

use super::{SettledBy, story::changed_by, tracker::Tracker};
use remisd_vocabulary::time::Millis;

/// Plies without one between them that says otherwise. One may be a press on the wrong side and two
/// that press and its being put right; with three, both players have pressed and one of them again.
const ENOUGH: u32 = 3;
/// From a press to the next ply: by then a clock has told of it, and the board of a piece that was
/// taken up before. See [`super::lever::TOLD_MS`]; a scan is added.
const QUIET_MS: Millis = super::lever::TOLD_MS;
/// Turns that are remembered: more than two between two plies say nothing.
const MOST_TURNS: usize = 8;

/// A turn of the lever.
#[derive(Debug, Clone, Copy)]
struct Turn {
    /// Whose move it was since.
    to: Color,
    /// The clock ran.
    runs: bool,
    at: Millis,
}

/// A settled ply as the board has seen it.
#[derive(Debug, Clone, Copy)]
struct Ply {
    by: Color,
    /// When the first of its squares last changed.
    began: Millis,
    /// When the last one did.
    stood: Millis,
}

/// What is known of how the clock stands.
#[derive(Debug)]
pub(super) struct ClockWay {
    /// Nobody has said how it stands.
    learns: bool,
    reversed: bool,
    /// It has just been found to stand the other way round, and nobody has heard of it.
    found: bool,
    /// The newest last.
    turns: VecDeque<Turn>,
    /// The last ply of the game, if the board has seen it.
    last: Option<Ply>,
    /// Plies of each player after which the lever turned to him.
    against: ByColor<u32>,
    scan_ms: Millis,
}

impl ClockWay {
    /// As assumed; for good unless it `learns`.
    pub(super) fn new(learns: bool, scan_ms: Millis) -> Self {
        Self {
            learns,
            reversed: false,
            found: false,
            turns: VecDeque::new(),
            last: None,
            against: ByColor::default(),
            scan_ms,
        }
    }

    /// Whose side of the clock is meant by the side that was taken for this player's.
    pub(super) const fn player(&self, assumed: Color) -> Color {
        if self.reversed {
            assumed.other()
        } else {
            assumed
        }
    }

    /// The lever has turned, while the clock `runs` or does not.
    fn turn(&mut self, to: Color, runs: bool, at: Millis) {
        self.turns.push_back(Turn { to, runs, at });
        if self.turns.len() > MOST_TURNS {
            self.turns.pop_front();
        }
    }

    /// The last ply is another one than it seemed, or was not seen: it says nothing.
    pub(super) const fn lose_ply(&mut self) {
        self.last = None;
    }

    /// Another game, or nobody has seen what was done meanwhile. What was learnt holds.
    pub(super) fn interrupt(&mut self) {
        self.last = None;
        self.turns.clear();
        self.against = ByColor::default();
    }

    /// A ply is settled.
    fn play(&mut self, ply: Ply) {
        let before = self.last.replace(ply).filter(|before| before.by != ply.by);
        let pressed = before.and_then(|before| Some((before.by, self.pressed(before, ply)?)));
        let Some((mover, to)) = pressed.filter(|_| self.learns) else {
            return;
        };
        if to != mover {
            self.against = ByColor::default();
            return;
        }
        *self.against.get_mut(mover) += 1;
        let ByColor { white, black } = self.against;
        // What one player does with the clock may be his habit; what both do is how it stands.
        if white > 0 && black > 0 && white + black >= ENOUGH {
            self.reversed = !self.reversed;
            self.found = true;
            self.interrupt();
        }
    }

    /// To whom the lever was turned for a ply, if that is beyond doubt.
    fn pressed(&self, ply: Ply, next: Ply) -> Option<Color> {
        // A press may be told sooner than the piece that was put down before it.
        let since = ply.stood.saturating_sub(self.scan_ms);
        let until = next.stood.saturating_sub(self.scan_ms);
        let between = |turn: &&Turn| turn.at >= since && turn.at <= until;
        let mut turns = self.turns.iter().filter(between);
        let (only, more) = (turns.next()?, turns.next());
        let early = only.at + QUIET_MS + self.scan_ms <= next.began;
        (more.is_none() && only.runs && early).then_some(only.to)
    }
}

impl Tracker {
    /// Whether the clock was found to stand the other way round than assumed: White's time is where
    /// Black's is told to be.
    #[must_use]
    pub const fn clock_is_reversed(&self) -> bool {
        self.clock_way.reversed
    }

    /// The lever has turned.
    pub(super) fn note_turn(&mut self, to: Color, runs: bool, now: Millis) {
        self.clock_way.turn(to, runs, now);
    }

    /// A ply is settled: it and the last press may tell how the clock stands.
    pub(super) fn note_ply(&mut self, m: Move, mover: Color, by: SettledBy) {
        let seen = changed_by(m).map(|square| self.changes.at(square));
        let seen: Option<Vec<Millis>> = seen.collect();
        let ends = seen.and_then(|seen| Some((*seen.iter().min()?, *seen.iter().max()?)));
        match ends.filter(|_| by != SettledBy::Reconstructed) {
            Some((began, stood)) => {
                let ply = Ply {
                    by: mover,
                    began,
                    stood,
                };
                self.clock_way.play(ply);
            }
            None => self.clock_way.lose_ply(),
        }
    }

    /// Takes the lever for the other player's if the clock was just found to stand so: that is no
    /// turn of it, and what it seemed to say before is forgotten.
    pub(super) fn take_clock_round(&mut self, now: Millis) {
        if !std::mem::take(&mut self.clock_way.found) {
            return;
        }
        self.lever = self.lever.map(Color::other);
        self.changes.forget_presses();
        self.presses.reverse();
        let best = &self.hypotheses[self.choose(self.changed_at).best];
        let (plies, turn) = (best.line.len(), shakmaty::Position::turn(&best.after));
        self.presses.agree(plies, turn);
        self.explain(now);
    }
}

#[cfg(test)]
#[path = "clock_way_tests.rs"]
mod tests;
