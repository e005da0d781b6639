//! What the board showed last before it went out of sight, and first when it came back: a line that
//! was played in between leads through both.

use shakmaty::{Bitboard, Chess, Move, Position};

use super::{
    sight::Sight,
    story::{ends_of, taken_by},
};

/// A piece that the board did not show, although the line does not take it up next.
const MISSING: u32 = 3;
/// A piece that it showed where the line has none.
const FOREIGN: u32 = 4;
/// The most that both looks at the board say: they may have been in the middle of anything.
const MOST: u32 = 12;

/// The two ends of a time in which nobody saw the board.
#[derive(Debug, Clone, Default)]
pub(super) struct Gap {
    before: Option<Sight>,
    after: Option<Sight>,
}

impl Gap {
    /// The board goes out of sight. Where it was not in sight, nothing new was seen.
    pub(super) fn begin(&mut self, sight: Option<Sight>) {
        if sight.is_some() {
            self.before = sight;
        }
        self.after = None;
    }

    /// The board comes into sight.
    pub(super) fn end(&mut self, sight: &Sight) {
        self.after = Some(sight.clone());
    }

    /// What was played since is settled, or somebody has said what stands there.
    pub(super) fn close(&mut self) {
        *self = Self::default();
    }

    /// Whether a position was the last thing that was seen, but for the squares that are ignored.
    pub(super) fn began_at(&self, position: &Chess, ignored: Bitboard) -> bool {
        let before = self.before.as_ref();
        before.is_some_and(|sight| {
            let difference = sight.difference(position.board());
            difference.without(ignored).is_none()
        })
    }

    /// What it costs a line that was played from a position on that it does not lead through what
    /// was seen, but for the squares that are ignored. So much of what was seen last has been
    /// `charged` already.
    pub(super) fn cost(&self, from: &Chess, line: &[Move], ignored: Bitboard, charged: u32) -> u32 {
        let cost = |look: &Option<Sight>| {
            let sight = look.as_ref();
            sight.map_or(0, |sight| apart(sight, from, line, ignored))
        };
        (cost(&self.before).saturating_sub(charged) + cost(&self.after)).min(MOST)
    }
}

/// What lies between a look at the board and the nearest position of a line.
fn apart(sight: &Sight, from: &Chess, line: &[Move], ignored: Bitboard) -> u32 {
    let mut position = from.clone();
    let mut least = MOST;
    for ply in 0..=line.len() {
        let next = line.get(ply).copied();
        let difference = sight.difference(position.board()).without(ignored);
        let missing = difference.missing & !next.map_or(Bitboard::EMPTY, taken_up);
        let count = |squares: Bitboard| u32::try_from(squares.count()).unwrap_or(64);
        least = least.min(MISSING * count(missing) + FOREIGN * count(difference.foreign));
        if let Some(next) = next {
            position.play_unchecked(next);
        }
    }
    least
}

/// The squares whose pieces are in hands while a move is made.
fn taken_up(m: Move) -> Bitboard {
    ends_of(m).1 | taken_by(m).map_or(Bitboard::EMPTY, Bitboard::from)
}
