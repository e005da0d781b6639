//! A simulated hand: what people do with the pieces, in which order and how fast.
//!
//! Times are those of the simulated world, in microseconds. The same seed gives
//! the same gestures.

use std::{fmt, str::FromStr};

use shakmaty::{Board, CastlingSide, Chess, Move, Piece, Position, Square};

/// How a hand behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Lifts and places, one piece after the other: the victim of a capture
    /// first, a castling king before its rook, a promoted pawn off and the new
    /// piece on.
    #[default]
    Plain,
}

impl Profile {
    /// Every profile there is.
    pub const ALL: [Self; 1] = [Self::Plain];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{refused}\" is no profile of a hand; profiles: plain")]
pub struct ProfileError {
    /// What was refused, cut to a printable length.
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

/// One movement: after a while, something stands (or nothing) on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gesture {
    /// The time since the gesture before, in microseconds.
    pub after_us: u64,
    /// Where.
    pub square: Square,
    /// What stands there now.
    pub piece: Option<Piece>,
}

/// A hand with a profile and a mind of its own.
#[derive(Debug, Clone)]
pub struct Hand {
    profile: Profile,
    dice: Dice,
}

impl Hand {
    /// A hand that behaves the same for the same `seed`.
    #[must_use]
    pub const fn new(profile: Profile, seed: u64) -> Self {
        Self {
            profile,
            dice: Dice(seed),
        }
    }

    /// The gestures of one ply, the first of them counted from the decision.
    pub fn ply(&mut self, before: &Chess, played: Move) -> Vec<Gesture> {
        let Profile::Plain = self.profile;
        let steps = plain(before, played);
        steps
            .into_iter()
            .enumerate()
            .map(|(step, (square, piece))| Gesture {
                after_us: if step == 0 { 0 } else { self.dice.ms(120, 450) },
                square,
                piece,
            })
            .collect()
    }

    /// How long a player thinks when nothing says so, in microseconds.
    pub fn think(&mut self) -> u64 {
        self.dice.ms(800, 2_000)
    }

    /// From the last piece to the clock, in microseconds.
    pub fn reach_for_the_clock(&mut self) -> u64 {
        self.dice.ms(150, 500)
    }

    /// Clears away what stands wrong and sets up what is missing, in no order
    /// that a rule would know.
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
                after_us: self.dice.ms(40, 220),
                square,
                piece,
            })
            .collect()
    }
}

/// The steps of a careful player.
fn plain(before: &Chess, played: Move) -> Vec<(Square, Option<Piece>)> {
    let turn = before.turn();
    let own = |role: shakmaty::Role| Some(role.of(turn));
    match played {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => {
            let victim = capture.map(|_| (to, None));
            let put = (to, own(promotion.unwrap_or(role)));
            victim.into_iter().chain([(from, None), put]).collect()
        }
        Move::EnPassant { from, to } => {
            let victim = Square::from_coords(to.file(), from.rank());
            vec![
                (victim, None),
                (from, None),
                (to, own(shakmaty::Role::Pawn)),
            ]
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            vec![
                (king, None),
                (side.king_to(turn), own(shakmaty::Role::King)),
                (rook, None),
                (side.rook_to(turn), own(shakmaty::Role::Rook)),
            ]
        }
        Move::Put { role, to } => vec![(to, own(role))],
    }
}

/// Random numbers that are the same everywhere (`SplitMix64`).
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Between `least` and `most` milliseconds, in microseconds.
    const fn ms(&mut self, least: u64, most: u64) -> u64 {
        least * 1000 + self.next() % ((most - least) * 1000)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.next() % (last as u64 + 1);
            // Below the length of a slice, so it fits.
            items.swap(last, usize::try_from(chosen).unwrap_or(last));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::score;

    /// The squares of a ply's gestures, `-` before an emptied one.
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
    fn unknown_profiles_are_refused_with_a_list() {
        let error = "sloppy".parse::<Profile>().unwrap_err();
        assert!(error.to_string().ends_with("profiles: plain"));
    }
}
