//! What follows the last move of a game.

use crate::Millis;
use shakmaty::{Board, Chess, Color, Move, Position as _, Role, Square};

use super::{BREATH, Hands};
use crate::{
    plan::Ending,
    script::{ClockDeed, Note},
    truth::What,
    world::Stood,
};

impl Hands<'_> {
    /// Ends the game as the plan says.
    pub(super) fn end_of(&mut self, plies: usize) {
        self.flush_press(Millis::MAX);
        let last = self.busy.max(self.ready);
        // judgement: resigning, agreeing, shaking hands.
        let over = last + 600 + self.chance.ms(3_500.0, 0.9);
        let ending = self.plan.ending;
        let decided = self.position.is_game_over();
        // The clock is stopped after most games (judgement); 6.11 asks for it only before calling.
        let stops = self.clock && ending != Ending::Stays && self.chance.happens(0.9);
        if stops {
            self.stop(over);
        }
        let shown = !matches!(ending, Ending::Analysis);
        let knowable = decided || stops || shown || plies == 0;
        self.script.happened(over, What::Over { knowable });
        self.busy = self.busy.max(over);
        let at = over + 800 + self.chance.ms(5_000.0, 0.9);
        match ending {
            Ending::Stays | Ending::Stopped => {}
            Ending::Analysis => {
                self.analyse(at);
            }
            Ending::Kings => {
                self.kings_sign(at);
            }
            Ending::KingsThenAnalysis => {
                let stood = self.kings_sign(at);
                let back = self.restore(stood, Color::White);
                let at = back + self.chance.ms(3_000.0, 0.6);
                self.analyse(at);
            }
            Ending::Tipped => self.tip(over + 100),
            Ending::Pushed => {
                self.push_together(at);
            }
            Ending::Cleared => {
                self.clear(at);
            }
            Ending::NextArray | Ending::SecondGame => {
                let stands = self.set_up(at);
                self.script.happened(stands, What::NewGame);
                self.script.note(stands, Note::NextArray);
                if ending == Ending::SecondGame {
                    let reset = stands + self.chance.ms(15_000.0, 0.6);
                    self.clock_deed(reset, ClockDeed::Reset);
                    self.busy = self.busy.max(reset);
                    self.script.note(reset, Note::SecondGame);
                }
            }
        }
    }

    /// The players try other moves, from the end or from earlier positions, without the clock.
    fn analyse(&mut self, start: Millis) {
        self.script.note(start, Note::Analysis);
        let mut at = start;
        let end = self.position.clone();
        let tries = 1 + self.chance.below(4);
        for _ in 0..tries {
            let plies = 1 + self.chance.below(9);
            for _ in 0..plies {
                let Some(m) = self.some_move() else { break };
                let made = self.make(m, at.max(self.busy + BREATH), false);
                self.position.play_unchecked(m);
                // judgement: quick hands, little thought, the moves explained while made.
                at = made.released + self.chance.ms(1_700.0, 0.8);
            }
            self.position = end.clone();
            if self.chance.happens(0.7) {
                at = self.restore(at, Color::White) + self.chance.ms(2_500.0, 0.8);
            } else {
                break;
            }
        }
    }

    /// A move that a player would look at: captures more often than the others.
    fn some_move(&mut self) -> Option<Move> {
        let moves: Vec<Move> = self.position.legal_moves().into_iter().collect();
        let captures: Vec<Move> = moves.iter().copied().filter(|m| m.is_capture()).collect();
        if !captures.is_empty() && self.chance.happens(0.35) {
            return self.chance.pick(&captures);
        }
        self.chance.pick(&moves)
    }

    /// The kings go to the centre: light squares White has won, dark ones Black, one of each draw
    /// (the vendor's page on results). What is there is put aside first.
    fn kings_sign(&mut self, start: Millis) -> Millis {
        self.script.note(start, Note::KingsSign);
        let light = [Square::D5, Square::E4];
        let dark = [Square::D4, Square::E5];
        let pair = match self.chance.below(3) {
            0 => light,
            1 => dark,
            _ => [light[self.chance.below(2)], dark[self.chance.below(2)]],
        };
        let pair = if self.chance.happens(0.5) {
            pair
        } else {
            [pair[1], pair[0]]
        };
        let mut at = start;
        let kings =
            [Color::White, Color::Black].map(|color| (color, self.position.board().king_of(color)));
        for square in pair {
            let is_king = kings.iter().any(|(_, king)| *king == Some(square));
            if !self.is_free(square) && !is_king {
                self.set(at, square, None);
                at += self.chance.ms(700.0, 0.6);
            }
        }
        // A king that stands where the other one is to go has to be lifted first.
        let both_first = self.chance.happens(0.3)
            || kings
                .iter()
                .any(|(_, king)| king.is_some_and(|king| pair.contains(&king)));
        let kings = if self.chance.happens(0.5) {
            kings
        } else {
            [kings[1], kings[0]]
        };
        if both_first {
            for (_, king) in kings {
                if let Some(king) = king {
                    self.lift(at, king);
                    at += self.chance.ms(300.0, 0.6);
                }
            }
        }
        for ((color, king), to) in kings.into_iter().zip(pair) {
            if let Some(king) = king.filter(|_| !both_first) {
                self.lift(at, king);
                at += self.chance.ms(450.0, 0.5);
            }
            self.set(at, to, Some(Stood::firm(Role::King.of(color))));
            at += self.chance.ms(900.0, 0.8);
        }
        // report: the vendor asks for about 5 s; people wait longer, as the board gives no sign.
        at + 6_000 + self.chance.ms(6_000.0, 0.6)
    }

    /// The loser's king is laid down: its coil is on edge then.
    fn tip(&mut self, at: Millis) {
        let Some(king) = self.position.board().king_of(self.position.turn()) else {
            return;
        };
        self.script.note(at, Note::KingTipped);
        let Some(stood) = self.lift(at, king) else {
            return;
        };
        let own = u16::try_from(self.chance.between(0, 500)).unwrap_or(0);
        self.set(at + 250, king, Some(Stood::loose(stood.piece, own)));
        self.busy += 20_000;
    }

    /// The pieces are swept into a heap, off the board or onto some of its squares.
    fn push_together(&mut self, start: Millis) -> Millis {
        self.script.note(start, Note::PushedTogether);
        let mut at = start;
        for square in self.shuffled_men() {
            let Some(stood) = self.lift(at, square) else {
                continue;
            };
            let free: Vec<Square> = Square::ALL
                .into_iter()
                .filter(|&other| self.is_free(other) && other.distance(square) <= 2)
                .collect();
            if let Some(to) = self.chance.pick(&free).filter(|_| self.chance.happens(0.6)) {
                let own = u16::try_from(self.chance.between(200, 1_000)).unwrap_or(500);
                self.set(at + 120, to, Some(Stood::loose(stood.piece, own)));
            }
            at += self.chance.ms(180.0, 0.8);
        }
        at
    }

    /// All pieces are taken off.
    fn clear(&mut self, start: Millis) -> Millis {
        self.script.note(start, Note::Cleared);
        let mut at = start;
        for square in self.shuffled_men() {
            self.lift(at, square);
            at += self.chance.ms(380.0, 0.8);
        }
        at
    }

    /// The array is set up for the next game: piece by piece from where they stand, the rest from
    /// beside the board.
    fn set_up(&mut self, start: Millis) -> Millis {
        let array: Board = Chess::default().board().clone();
        let mut at = start;
        let right = |hands: &Self, square: Square| {
            hands.world.get(square).map(|stood| stood.piece) == array.piece_at(square)
        };
        for square in self.shuffled_men() {
            if right(self, square) {
                continue;
            }
            let Some(stood) = self.lift(at, square) else {
                continue;
            };
            let home = Square::ALL
                .into_iter()
                .find(|&home| array.piece_at(home) == Some(stood.piece) && self.is_free(home));
            at += self.chance.ms(450.0, 0.5);
            if let Some(home) = home {
                self.set(at, home, Some(Stood::firm(stood.piece)));
                at += self.chance.ms(300.0, 0.7);
            }
        }
        let mut missing: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|&square| !right(self, square))
            .collect();
        while !missing.is_empty() {
            let square = missing.swap_remove(self.chance.below(missing.len()));
            at += self.chance.ms(550.0, 0.6);
            self.set(at, square, array.piece_at(square).map(Stood::firm));
        }
        for square in array.occupied() {
            if self.world.get(square).is_some_and(|stood| !stood.is_firm()) {
                at = self.adjust(square, at + 300);
            }
        }
        at
    }

    fn shuffled_men(&mut self) -> Vec<Square> {
        let mut men: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|&square| !self.is_free(square))
            .collect();
        for index in (1..men.len()).rev() {
            let other = self.chance.below(index + 1);
            men.swap(index, other);
        }
        men
    }
}
