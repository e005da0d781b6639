//! What arbiters are called for, or ought to be.

use crate::Millis;
use shakmaty::{Board, Color, Move, Position as _, Role, Square};

use super::{BREATH, Hands};
use crate::{
    plan::Gesture,
    script::{ClockDeed, Note},
    truth::What,
    world::{Stood, neighbours},
};

impl Hands<'_> {
    /// Lets the gesture happen before the move `m`. Returns when the player may make it.
    pub(super) fn incident(&mut self, gesture: Gesture, m: Move, start: Millis) -> Millis {
        let end = match gesture {
            Gesture::Illegal { pressed } => self.illegal(m, start, pressed),
            Gesture::TakenBack { arbiter } => self.taken_back(m, start, arbiter),
            Gesture::KnockedOver { stop } => self.knocked_over(start, stop),
            Gesture::Dispute { moved } => self.dispute(m, start, moved),
            Gesture::Pause => self.pause(start),
            Gesture::Unplug => self.unplug(start),
            Gesture::LongRest | Gesture::Reminded => start,
        };
        end.max(self.busy + BREATH)
    }

    /// An illegal move with the piece that is to move, put back.
    fn illegal(&mut self, m: Move, start: Millis, pressed: bool) -> Millis {
        let Some(from) = m.from() else { return start };
        let by = self.position.turn();
        let legal: Vec<Square> = self
            .position
            .legal_moves()
            .into_iter()
            .filter(|other| other.from() == Some(from))
            .map(Move::to)
            .collect();
        // Near the squares where it may go: a bishop on the next diagonal, a king into check.
        let wrong: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|&square| {
                self.is_free(square)
                    && !legal.contains(&square)
                    && square.distance(from) <= 4
                    && legal.iter().any(|near| near.distance(square) == 1)
            })
            .collect();
        let Some(to) = self.chance.pick(&wrong) else {
            return start;
        };
        self.script.note(start, Note::Illegal);
        let placed = self.carry(from, to, start, false);
        let released = placed + self.chance.ms(150.0, 0.6);
        if !pressed || !self.clock {
            // The player or the opponent notices (judgement).
            let notices = released + self.chance.ms(2_500.0, 0.8);
            let back = self.restore(notices, by);
            return back + self.chance.ms(4_000.0, 0.8);
        }
        self.flush_press(released);
        let press = released + self.chance.ms(450.0, 0.4);
        self.script.clock(press, ClockDeed::Press(by));
        let stops = press + self.chance.ms(3_000.0, 0.7);
        self.stop(stops);
        let comes = stops + self.chance.ms(12_000.0, 0.7);
        let back = self.restore(comes, by);
        // 7.5.5: the arbiter gives two minutes to the opponent; the times are set again.
        let runs = back + self.chance.ms(15_000.0, 0.6);
        self.resume(runs, by);
        runs + self.chance.ms(3_000.0, 0.7)
    }

    /// Another legal move is made and taken back.
    fn taken_back(&mut self, m: Move, start: Millis, arbiter: bool) -> Millis {
        let by = self.position.turn();
        let Some(other) = self.other_move(m, false) else {
            return start;
        };
        let before = self.position.clone();
        let made = self.make(other, start, false);
        self.released(other, made, true);
        let pressed = self.press_after(by, made, None);
        let notices = pressed.max(made.released) + self.chance.ms(3_500.0, 0.8);
        self.position = before;
        if arbiter && self.clock {
            self.stop(notices);
            let decided = notices + self.chance.ms(15_000.0, 0.6);
            let back = self.restore(decided, by);
            self.script.happened(back, What::TakenBack);
            self.script.note(back, Note::TakenBack);
            let runs = back + self.chance.ms(8_000.0, 0.6);
            self.resume(runs, by);
            return runs + self.chance.ms(3_000.0, 0.8);
        }
        self.flush_press(notices);
        let back = self.restore(notices, by);
        self.script.happened(back, What::TakenBack);
        self.script.note(back, Note::TakenBack);
        // By consent: the opponent presses the lever back (judgement: mostly).
        if self.clock && self.chance.happens(0.8) {
            let press = back + self.chance.ms(1_200.0, 0.6);
            self.script.clock(press, ClockDeed::Press(!by));
            self.busy = self.busy.max(press);
        }
        self.busy + self.chance.ms(4_000.0, 0.8)
    }

    /// Pieces fall, lie about and are set up again.
    fn knocked_over(&mut self, start: Millis, stop: bool) -> Millis {
        let pieces: Vec<Square> = self.position.board().occupied().into_iter().collect();
        let Some(centre) = self.chance.pick(&pieces) else {
            return start;
        };
        let mut fallen = vec![centre];
        // judgement: mostly two or three, sometimes half a wing.
        let most = 1 + self.chance.below(4);
        fallen.extend(
            neighbours(centre)
                .filter(|&square| !self.is_free(square))
                .take(most),
        );
        self.script.note(start, Note::KnockedOver);
        for (index, &square) in fallen.iter().enumerate() {
            let Some(stood) = self.world.get(square) else {
                continue;
            };
            let at = start + index as u64 * 45;
            self.set(at, square, None);
            // A lying piece has its coil on edge: it is felt rarely, and not where it stood.
            let free: Vec<Square> = neighbours(square)
                .filter(|&other| self.is_free(other))
                .collect();
            if let Some(lies) = self.chance.pick(&free).filter(|_| self.chance.happens(0.4)) {
                let own = u16::try_from(self.chance.between(0, 600)).unwrap_or(0);
                self.set(at + 60, lies, Some(Stood::loose(stood.piece, own)));
            }
        }
        let mut at = start + self.chance.ms(2_000.0, 0.6);
        if stop {
            self.stop(at);
            at += self.chance.ms(4_000.0, 0.6);
        }
        let up = self.restore(at, self.position.turn());
        if stop {
            let runs = up + self.chance.ms(4_000.0, 0.6);
            self.clock_deed(runs, ClockDeed::Run);
            self.busy = self.busy.max(runs);
        }
        self.busy + self.chance.ms(2_500.0, 0.8)
    }

    /// A piece was touched, and another one is to move, or has moved: the arbiter is called.
    fn dispute(&mut self, m: Move, start: Millis, moved: bool) -> Millis {
        let by = self.position.turn();
        let Some(from) = m.from() else { return start };
        let Some(stood) = self.lift(start, from) else {
            return start;
        };
        self.script.note(start, Note::Dispute);
        let back = start + self.chance.ms(1_100.0, 0.7);
        self.set(back, from, Some(stood));
        let mut at = back + self.chance.ms(900.0, 0.6);
        let other = moved.then(|| self.other_move(m, true)).flatten();
        if let Some(other) = other {
            let before = self.position.clone();
            let made = self.make(other, at, false);
            self.released(other, made, true);
            self.position = before;
            at = made.released;
        }
        let stops = at + self.chance.ms(2_500.0, 0.6);
        self.stop(stops);
        // judgement: half a minute to some minutes of talk.
        let decided = stops + self.chance.ms(40_000.0, 0.7);
        if other.is_some() {
            let restored = self.restore(decided, by);
            self.script.happened(restored, What::TakenBack);
            self.script.note(restored, Note::TakenBack);
        }
        let runs = self.busy.max(decided) + self.chance.ms(4_000.0, 0.6);
        self.clock_deed(runs, ClockDeed::Run);
        self.busy = self.busy.max(runs);
        runs + self.chance.ms(2_500.0, 0.8)
    }

    /// The clock is stopped and nothing happens: a claim, an offer with the arbiter, a fire alarm.
    fn pause(&mut self, start: Millis) -> Millis {
        self.stop(start);
        let runs = start + self.chance.ms(60_000.0, 0.8);
        self.clock_deed(runs, ClockDeed::Run);
        runs + self.chance.ms(5_000.0, 0.8)
    }

    /// The clock's cable slips out, and a person puts it back some time later.
    fn unplug(&mut self, start: Millis) -> Millis {
        self.script.note(start, Note::ClockUnplugged);
        self.clock_deed(start, ClockDeed::Unplug);
        let plugs = start + self.chance.ms(120_000.0, 0.8);
        self.clock_deed(plugs, ClockDeed::Plug);
        start
    }

    /// Another legal move than `m`, of another piece where `other_piece`; no castling and no
    /// promotion, which no one makes by mistake.
    fn other_move(&mut self, m: Move, other_piece: bool) -> Option<Move> {
        let moves: Vec<Move> = self
            .position
            .legal_moves()
            .into_iter()
            .filter(|other| {
                *other != m
                    && matches!(
                        other,
                        Move::Normal {
                            promotion: None,
                            ..
                        }
                    )
                    && (!other_piece || other.from() != m.from())
                    && other.role() != Role::King
            })
            .collect();
        let same: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|other| !other_piece && other.from() == m.from())
            .collect();
        let pool = if same.is_empty() || self.chance.happens(0.4) {
            &moves
        } else {
            &same
        };
        let pool = pool.clone();
        self.chance.pick(&pool)
    }

    /// Puts the board back to the position, piece by piece. Returns when the last one is placed.
    pub(super) fn restore(&mut self, start: Millis, by: Color) -> Millis {
        let board: Board = self.position.board().clone();
        let start = start.max(self.busy + BREATH);
        let mut at = start;
        let wrong: Vec<Square> = self.world.differing(&board).collect();
        // A piece in the wrong place is lifted, and mostly goes straight to where it belongs; a
        // missing one comes from beside the board.
        let mut missing: Vec<Square> = wrong
            .iter()
            .copied()
            .filter(|&square| board.piece_at(square).is_some())
            .collect();
        for square in wrong {
            let seen = self.world.get(square).map(|stood| stood.piece);
            if seen == board.piece_at(square) {
                continue;
            }
            let Some(stood) = self.lift(at, square) else {
                continue;
            };
            at += self.person(by).clone().carries(2, &mut self.chance);
            let home = missing
                .iter()
                .position(|&home| board.piece_at(home) == Some(stood.piece) && self.is_free(home));
            if let Some(home) = home {
                let home = missing.swap_remove(home);
                self.set(at, home, Some(Stood::firm(stood.piece)));
                at += self.chance.ms(350.0, 0.6);
            }
        }
        for square in missing {
            at += self.chance.ms(600.0, 0.6);
            let piece = board.piece_at(square).map(Stood::firm);
            self.set(at, square, piece);
        }
        at
    }
}
