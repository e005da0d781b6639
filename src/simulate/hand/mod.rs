//! A simulated hand: what people do with the pieces, in which order and how fast.
//!
//! Times are those of the simulated world, in microseconds. The same seed gives the same gestures.

mod dice;
mod habits;
mod motion;
mod ply;

use std::{fmt, str::FromStr};

use shakmaty::{Board, Chess, Move, Piece, Square};

pub(super) use self::{dice::Dice, habits::Habits, ply::Movements};

/// How a hand behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Lifts and places one piece after the other: the captured piece first, a castling king before
    /// its rook, a promoted pawn off and then the new piece on.
    #[default]
    Plain,
    /// Behaves like players at a tournament: slides, adjusts pieces, stops on other squares, and
    /// captures, castles and promotes in every order.
    Tournament,
    /// Behaves like players short of time: a piece is lifted before the previous one is released,
    /// two plies fall within one scan of the board, pieces are knocked over.
    Scramble,
    /// [`Self::Tournament`] on a faulty board: it loses updates, misreads pieces and has squares
    /// that notice nothing for a while. Its line flips bits and breaks.
    Faulty,
    /// [`Self::Tournament`] with what players do after the game: the kings show the result, the
    /// board is cleared, the game is analysed.
    Endings,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 5] = [
        Self::Plain,
        Self::Tournament,
        Self::Scramble,
        Self::Faulty,
        Self::Endings,
    ];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tournament => "tournament",
            Self::Scramble => "scramble",
            Self::Faulty => "faulty",
            Self::Endings => "endings",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is not a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "\"{refused}\" is not a profile of a hand; profiles: plain, tournament, scramble, faulty, endings"
)]
pub struct ProfileError {
    /// The refused name, cut to a printable length.
    pub refused: String,
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Self, ProfileError> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| ProfileError {
                refused: text.chars().take(64).collect(),
            })
    }
}

/// One movement: after some time, a piece (or nothing) is on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gesture {
    /// The time since the previous gesture, in microseconds.
    pub after_us: u64,
    /// The square.
    pub square: Square,
    /// The piece that is there now.
    pub piece: Option<Piece>,
}

/// A hand with a profile and its own random numbers.
#[derive(Debug, Clone)]
pub struct Hand {
    habits: &'static Habits,
    pub(super) dice: Dice,
}

impl Hand {
    /// Creates a hand that behaves the same for the same `seed`.
    #[must_use]
    pub const fn new(profile: Profile, seed: u64) -> Self {
        Self {
            habits: profile.habits(),
            dice: Dice::new(seed),
        }
    }

    /// Returns the hand's habits.
    pub(super) const fn habits(&self) -> &'static Habits {
        self.habits
    }

    /// Returns the gestures of one ply; the first is timed from the decision.
    pub fn ply(&mut self, before: &Chess, played: Move) -> Vec<Gesture> {
        self.movements(before, played).steps
    }

    /// Returns the gestures of one ply together with when it is made and when the clock is pressed.
    pub(super) fn movements(&mut self, before: &Chess, played: Move) -> Movements {
        ply::movements(&mut self.dice, self.habits, before, played)
    }

    /// Returns how long a player thinks if the game does not determine it, in microseconds.
    pub fn think(&mut self) -> u64 {
        self.dice.ms_skewed(self.habits.think)
    }

    /// Returns the time from the last piece to the clock, in microseconds.
    pub fn reach_for_the_clock(&mut self) -> u64 {
        self.dice.ms(self.habits.press)
    }

    /// Clears away misplaced pieces and sets up missing ones, in random order.
    pub fn set_up(&mut self, from: &Board, to: &Board) -> Vec<Gesture> {
        let mut wrong: Vec<Square> = Square::ALL
            .into_iter()
            .filter(|&square| from.piece_at(square) != to.piece_at(square))
            .collect();
        self.dice.shuffle(&mut wrong);
        let mut steps: Vec<(Square, Option<Piece>)> = wrong
            .iter()
            .filter(|&&square| from.piece_at(square).is_some())
            .map(|&square| (square, None))
            .collect();
        self.dice.shuffle(&mut wrong);
        steps.extend(
            wrong
                .iter()
                .filter_map(|&square| Some((square, Some(to.piece_at(square)?)))),
        );
        steps
            .into_iter()
            .map(|(square, piece)| Gesture {
                after_us: self.dice.ms((40, 220)),
                square,
                piece,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;

    use super::*;
    use crate::simulate::score;

    /// The squares of a ply's gestures, with `-` before an emptied one.
    fn steps(pgn: &str) -> String {
        let game = score::read(pgn).unwrap().remove(0).unwrap();
        let (last, earlier) = game.plies.split_last().unwrap();
        let mut position = game.start;
        for ply in earlier {
            position.play_unchecked(ply.played);
        }
        let gestures = Hand::new(Profile::Plain, 1).ply(&position, last.played);
        let words: Vec<String> = gestures
            .iter()
            .map(|gesture| match gesture.piece {
                Some(piece) => format!("{}{}", piece.char(), gesture.square),
                None => format!("-{}", gesture.square),
            })
            .collect();
        words.join(" ")
    }

    #[test]
    fn a_plain_hand_moves_in_the_customary_order() {
        assert_eq!(steps("1. e4 *"), "-e2 Pe4");
        assert_eq!(steps("1. e4 d5 2. exd5 *"), "-d5 -e4 Pd5");
        assert_eq!(steps("1. e4 a6 2. e5 d5 3. exd6 *"), "-d5 -e5 Pd6");
        assert_eq!(
            steps("1. e4 e5 2. Nf3 Nc6 3. Be2 a6 4. O-O *"),
            "-e1 Kg1 -h1 Rf1"
        );
        let promotion = "[FEN \"4k3/P7/8/8/8/8/8/4K3 w - - 0 1\"]\n\n1. a8=N *";
        assert_eq!(steps(promotion), "-a7 Na8");
    }

    #[test]
    fn gestures_lead_to_the_position_and_are_the_same_for_the_same_seed() {
        let game = score::read("1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 *")
            .unwrap()
            .remove(0)
            .unwrap();
        let play = |seed| {
            let mut hand = Hand::new(Profile::Plain, seed);
            let mut position = game.start.clone();
            let mut board = position.board().clone();
            let mut all = Vec::new();
            let mut take = |gestures: Vec<Gesture>, board: &mut Board| {
                for gesture in &gestures {
                    match gesture.piece {
                        Some(piece) => board.set_piece_at(gesture.square, piece),
                        None => board.discard_piece_at(gesture.square),
                    }
                }
                all.extend(gestures);
            };
            for ply in &game.plies {
                take(hand.ply(&position, ply.played), &mut board);
                position.play_unchecked(ply.played);
                assert_eq!(board, *position.board());
            }
            take(hand.set_up(&board, game.start.board()), &mut board);
            assert_eq!(board, *game.start.board());
            all
        };
        assert_eq!(play(7), play(7));
        assert_ne!(play(7), play(8));
    }

    #[test]
    fn whatever_a_hand_does_on_its_way_the_move_is_made_in_the_end() {
        let captures = "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qxg2 4. Bxg2 Bh3 5. Bxh3 *";
        let game = score::read(captures).unwrap().remove(0).unwrap();
        for (profile, seed) in Profile::ALL
            .into_iter()
            .flat_map(|p| (0..4_000).map(move |s| (p, s)))
        {
            let mut hand = Hand::new(profile, seed);
            let mut position = game.start.clone();
            for ply in &game.plies {
                let mut board = position.board().clone();
                for gesture in hand.ply(&position, ply.played) {
                    match gesture.piece {
                        Some(piece) => board.set_piece_at(gesture.square, piece),
                        None => board.discard_piece_at(gesture.square),
                    }
                }
                position.play_unchecked(ply.played);
                assert_eq!(
                    board,
                    *position.board(),
                    "{profile:?}, seed {seed}, {}",
                    ply.played
                );
            }
        }
    }

    #[test]
    fn unknown_profiles_are_refused_with_a_list() {
        let error = "sloppy".parse::<Profile>().unwrap_err();
        assert!(error.to_string().contains("profiles: plain, "));
    }
}
