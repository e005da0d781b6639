//! Plies whose piece is reported on two squares to which it could have gone.
//!
//! A piece that leans over a line is reported now on one square, now on the other. Which of them it
//! was put on, the reports do not say. The ply is in doubt until the piece is adjusted, or until it
//! makes a move that only one of the squares allows.

use std::sync::Arc;

use shakmaty::{Move, Position as _, Square, attacks};

use remisd_vocabulary::time::{Moment, Span};

use super::{
    decoder::Decoder,
    hypothesis::{Hypothesis, Regime},
    interpret::is_adjacent,
    tree::{Effect, Node},
};

/// The most plies that are remembered: a bound on memory.
const MAX_PLIES: usize = 64;
/// A ply that is off the announced line for this long is forgotten.
const MAX_PLIES_APART: u32 = 16;
/// Only the last plies are watched: a bound on time.
const MAX_PLIES_AGO: usize = 4;

/// A ply, and the other square on which its piece was reported.
#[derive(Debug)]
struct Leaning {
    node: Arc<Node>,
    other: u8,
    /// Its owner had the move whenever the other square reported it. That may have been the
    /// beginning of the next move.
    may_move: bool,
}

/// The plies of a game whose piece is, or was, reported on two squares.
#[derive(Debug, Default)]
pub(crate) struct LeaningPlies(Vec<Leaning>);

impl LeaningPlies {
    /// The depth of the first of these plies on the line to `last`.
    pub(crate) fn first_depth(&self, last: &Arc<Node>) -> Option<u32> {
        let on_line = |leaning: &&Leaning| is_on_line(&leaning.node, last);
        let depths = self.0.iter().filter(on_line);
        depths.map(|leaning| leaning.node.depth).min()
    }

    /// Adds the plies whose piece leans, and removes those that the announced plies, up to `last`,
    /// have decided. A piece counts as adjusted if its squares have not changed for `steady`.
    pub(crate) fn update(
        &mut self,
        decoder: &Decoder,
        last: &Arc<Node>,
        steady: Span,
        now: Moment,
    ) {
        let mut hypotheses = decoder.beam().hypotheses().iter();
        let Some(best) = hypotheses.find(|hypothesis| hypothesis.regime == Regime::Play) else {
            return;
        };
        self.0
            .retain(|leaning| is_open(leaning, last, decoder, steady, now));
        let line = std::iter::successors(Some(&best.node), |node| node.parent.as_ref());
        for (plies_ago, node) in line.take(MAX_PLIES_AGO).enumerate() {
            let Some(other) = other_square(node, best, decoder) else {
                continue;
            };
            let may_move = plies_ago % 2 == 1;
            let known = |leaning: &&mut Leaning| Arc::ptr_eq(&leaning.node, node);
            if let Some(known) = self.0.iter_mut().find(known) {
                known.may_move &= may_move;
            } else if self.0.len() < MAX_PLIES {
                let node = node.clone();
                self.0.push(Leaning {
                    node,
                    other,
                    may_move,
                });
            }
        }
    }
}

/// The neighbouring square that reports the piece of this ply, if the piece could have gone there.
/// The hypothesis takes that report for a false one.
fn other_square(node: &Node, hypothesis: &Hypothesis, decoder: &Decoder) -> Option<u8> {
    let (m, parent, shown) = (node.m?, node.parent.as_ref()?, decoder.shown()?);
    let (from, home) = (m.from()? as u8, m.to() as u8);
    let piece = node.board[usize::from(home)];
    if m.is_castle() || hypothesis.content_at(home) != piece {
        return None;
    }
    // A piece that stopped on its way is reported there first.
    let reports = |other: &u8| {
        shown[usize::from(*other)] == piece
            && hypothesis.content_at(*other) != piece
            && is_adjacent(home, *other)
            && decoder.changed_at(*other) > hypothesis.completed_at
    };
    (0..64).filter(reports).find(|&other| {
        let there = |e: &Effect| e.from == from && e.to == other && !e.m.is_castle();
        parent.effects().iter().any(there)
    })
}

fn is_on_line(node: &Arc<Node>, last: &Arc<Node>) -> bool {
    last.at(node.depth).is_some_and(|at| Arc::ptr_eq(at, node))
}

/// Whether nothing has decided yet between the two squares.
fn is_open(
    leaning: &Leaning,
    last: &Arc<Node>,
    decoder: &Decoder,
    steady: Span,
    now: Moment,
) -> bool {
    let node = &leaning.node;
    if !is_on_line(node, last) {
        // Its line may win, or win again, but not after many later plies.
        return last.depth < node.depth + MAX_PLIES_APART;
    }
    let Some(home) = node.m.map(Move::to) else {
        return false;
    };
    let line = std::iter::successors(Some(last), |node| node.parent.as_ref());
    let later = line.take_while(|at| at.depth > node.depth);
    // The first ply that took the piece from its square.
    let next = later
        .filter(|at| {
            at.m.is_some_and(|m| m.from() == Some(home) || m.to() == home)
        })
        .last();
    match next.and_then(|at| at.m.zip(at.parent.as_ref())) {
        Some((m, _)) if m.from() != Some(home) || m.is_castle() || leaning.may_move => false,
        Some((m, parent)) => {
            let other = Square::new(u32::from(leaning.other));
            let board = parent.position.board();
            let occupied = board.occupied().without(home).with(other);
            board
                .piece_at(home)
                .is_some_and(|piece| attacks::attacks(other, piece, occupied).contains(m.to()))
        }
        None => {
            let changed = [home as u8, leaning.other].map(|square| decoder.changed_at(square));
            let since = changed.into_iter().fold(decoder.sighted_at(), Moment::max);
            now < since + steady
        }
    }
}
