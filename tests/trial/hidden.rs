//! What no reader of a board can know: a piece that stood on a square between two looks of
//! the board, and went on from there.

use std::collections::{BTreeMap, BTreeSet};

use remisd::{
    board::event::{Seen, Sensed},
    simulate::score::Score,
};
use shakmaty::{Chess, Move, Piece, Position, Square};

/// Watches which pieces the board has told of where they stood.
#[derive(Debug, Clone, Default)]
pub struct Hidden {
    /// How many plies had been made when a piece was last told of on each square.
    told: BTreeMap<Square, usize>,
    /// Plies made so far.
    made: usize,
    /// How many plies had been made when a piece left a square, and when one was last told
    /// of there.
    left: BTreeSet<(usize, Square, usize)>,
}

impl Hidden {
    pub fn hand(&mut self, square: Square, piece: Option<Piece>) {
        if piece.is_none() {
            let told = self.told.get(&square).copied().unwrap_or(0);
            self.left.insert((self.made, square, told));
        }
    }

    pub fn made(&mut self, ply: usize) {
        self.made = ply + 1;
    }

    pub fn sensed(&mut self, sensed: &Sensed) {
        match sensed {
            Sensed::Square(square, seen) if *seen != Seen::Empty => {
                self.told.insert(*square, self.made);
            }
            Sensed::Placement(placement) => {
                let squares = Square::ALL.into_iter();
                let standing = squares.filter(|&square| placement.get(square) != Seen::Empty);
                self.told.extend(standing.map(|square| (square, self.made)));
            }
            _ => {}
        }
    }

    /// The first ply that ended where nobody saw it, while the same piece could have gone by
    /// another square as well: everything that was told fits both.
    pub fn first(&self, score: &Score) -> Option<usize> {
        let mut position = score.start.clone();
        for (ply, played) in score.plies.iter().enumerate() {
            let to = played.played.to();
            // The reply is made, or nearly, when the piece goes on.
            let unseen = self.left.iter().any(|&(made, square, told)| {
                square == to && (ply + 1..=ply + 3).contains(&made) && told <= ply
            });
            let next = score.plies.get(ply + 1..ply + 3).unwrap_or_default();
            if let [reply, on] = next
                && unseen
                && on.played.from() == Some(to)
                && goes_by_another(&position, played.played, reply.played, on.played)
            {
                return Some(ply);
            }
            position.play_unchecked(played.played);
        }
        None
    }
}

/// Whether the piece of `there` can come to where `on` ends by way of another square.
fn goes_by_another(before: &Chess, there: Move, reply: Move, on: Move) -> bool {
    before.legal_moves().into_iter().any(|other| {
        let same = other.from() == there.from() && other.to() != there.to();
        if !same || other.is_capture() {
            return false;
        }
        let mut position = before.clone();
        position.play_unchecked(other);
        if !position.is_legal(reply) {
            return false;
        }
        position.play_unchecked(reply);
        let mut moves = position.legal_moves().into_iter();
        moves.any(|last| last.from() == Some(other.to()) && last.to() == on.to())
    })
}
