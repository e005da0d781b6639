//! Limits of any reader: a piece that was on a square only between two scans and moved on from
//! there, and the order of moves during an outage.

use std::collections::{BTreeMap, BTreeSet};

use remisd::simulate::score::Score;
use remisd_vocabulary::sensor::{LinkReport, Seen, Sensed};
use shakmaty::{Chess, EnPassantMode, Move, Piece, Position, Square};

/// Tracks which pieces the board has reported on their squares.
#[derive(Debug, Clone, Default)]
pub struct Hidden {
    /// The number of plies made when a piece was last reported on each square.
    reported: BTreeMap<Square, usize>,
    /// Plies made so far.
    made: usize,
    /// For each departure from a square: the number of plies made by then, and when a piece was
    /// last reported there.
    left: BTreeSet<(usize, Square, usize)>,
    /// The number of plies made when the current outage began, if there is one.
    down: Option<usize>,
    /// The plies made during each outage: the first, and the one after the last.
    unseen: Vec<(usize, usize)>,
}

impl Hidden {
    pub fn hand(&mut self, square: Square, piece: Option<Piece>) {
        if piece.is_none() {
            let reported = self.reported.get(&square).copied().unwrap_or(0);
            self.left.insert((self.made, square, reported));
        }
    }

    pub fn made(&mut self, ply: usize) {
        self.made = ply + 1;
    }

    pub fn sensed(&mut self, sensed: &Sensed) {
        match sensed {
            // An outage reported repeatedly before a dump counts from its first report.
            Sensed::Link(LinkReport::Down { .. }) => {
                self.down.get_or_insert(self.made);
            }
            Sensed::Square(square, seen) if *seen != Seen::Empty => {
                self.reported.insert(*square, self.made);
            }
            Sensed::Placement(placement) => {
                let down = self.down.take();
                self.unseen.extend(down.map(|first| (first, self.made)));
                let squares = Square::ALL.into_iter();
                let standing = squares.filter(|&square| placement.get(square) != Seen::Empty);
                self.reported
                    .extend(standing.map(|square| (square, self.made)));
            }
            _ => {}
        }
    }

    /// The first ply that no reader could determine.
    pub fn first(&self, score: &Score) -> Option<usize> {
        let passed = self.first_passed(score);
        [passed, self.first_in_any_order(score)]
            .into_iter()
            .flatten()
            .min()
    }

    /// The first of three plies made during an outage in which the first and the last could be
    /// exchanged: same squares, same side to move, same rights.
    fn first_in_any_order(&self, score: &Score) -> Option<usize> {
        let played = |ply: usize| score.plies.get(ply).map(|ply| ply.played);
        let exchanged = |first: usize| {
            let mut truth = score.start.clone();
            for ply in &score.plies[..first] {
                truth.play_unchecked(ply.played);
            }
            let mut other = truth.clone();
            let [one, two, three] = [played(first)?, played(first + 1)?, played(first + 2)?];
            for m in [one, two, three] {
                truth.play_unchecked(m);
            }
            for m in [three, two, one] {
                if !other.is_legal(m) {
                    return None;
                }
                other.play_unchecked(m);
            }
            let rights = |position: &Chess| {
                let castles = position.castles().castling_rights();
                (castles, position.ep_square(EnPassantMode::Legal))
            };
            let is_same = truth.board() == other.board() && rights(&truth) == rights(&other);
            is_same.then_some(first)
        };
        let three = self.unseen.iter().filter(|(first, end)| first + 3 <= *end);
        three.filter_map(|(first, _)| exchanged(*first)).min()
    }

    /// The first ply that ended on a square where it was never seen, if the same piece could have
    /// moved via another square or been captured on one. The reports fit both lines.
    fn first_passed(&self, score: &Score) -> Option<usize> {
        let mut position = score.start.clone();
        for (ply, played) in score.plies.iter().enumerate() {
            let to = played.played.to();
            // The reply is made, or nearly made, when the piece moves on.
            let unseen = self.left.iter().any(|&(made, square, reported)| {
                square == to && (ply + 1..=ply + 3).contains(&made) && reported <= ply
            });
            let reply = score.plies.get(ply + 1).filter(|_| unseen);
            if reply.is_some_and(|reply| taken_elsewhere(&position, played.played, reply.played)) {
                return Some(ply);
            }
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

/// Whether the piece of `there` may have gone to another square and been captured there by a move
/// that looks like `reply`, en passant or not.
fn taken_elsewhere(before: &Chess, there: Move, reply: Move) -> bool {
    let after = |moves: [Move; 2]| {
        let mut position = before.clone();
        for m in moves {
            if !position.is_legal(m) {
                return None;
            }
            position.play_unchecked(m);
        }
        Some(position)
    };
    let truth = after([there, reply]);
    before.legal_moves().into_iter().any(|other| {
        let same = other.from() == there.from() && other.to() != there.to();
        if !same || other.is_capture() {
            return false;
        }
        let mut position = before.clone();
        position.play_unchecked(other);
        let replies = position.legal_moves().into_iter();
        let mut like = replies.filter(|m| m.from() == reply.from() && m.to() == reply.to());
        like.any(|m| {
            let other = after([other, m]);
            (other.zip(truth.clone())).is_some_and(|(other, truth)| other.board() == truth.board())
        })
    })
}

/// Whether the piece of `there` may reach the target of `on` via another square.
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
