//! Which settled plies are in doubt again when the board contradicts the game.
//!
//! What is settled was clearer than anything else, and may be wrong all the same: a piece that was knocked
//! over stands where it could have moved, another one was taken than the board can tell. Then the board
//! contradicts the game later, mostly where the ply and what it had beaten differ. A ply is borne out on a
//! square that has shown for a while what stands there after it; where no kinds are seen, and both would
//! look alike there, it never is.

use shakmaty::{Bitboard, Board, Color, Move, Piece, Position, Role, Square, attacks};

use super::{
    Mismatch, MismatchReason, changes::Changes, lead::common_start, sight::Sight,
    story::changed_by, tracker::Tracker,
};
use crate::time::Millis;

/// What shows for so long what stands there after a ply bears it out.
const BORNE_OUT_MS: Millis = 3_000;

/// A line that cost so much more than the settled one does not speak against it.
const NEAR: u32 = 12;

/// The same for one that could not be told from it by what is seen.
const NEAR_UNSEEN: u32 = 8;

/// The plies since the game was taken up, and where each of them may prove wrong.
#[derive(Debug, Clone)]
pub(super) struct Contested {
    plies: usize,
    /// The first ply that each square may speak against.
    marks: [Option<Mark>; 64],
    /// The first ply that is in doubt, while the board contradicts the game.
    since: Option<usize>,
}

/// A ply that a square may speak against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// How many plies there were before it.
    ply: usize,
    /// When it was settled.
    at: Millis,
    /// The piece that stands there if it was another one, where that looks the same.
    other: Option<Piece>,
}

/// A line that was beaten when plies were settled.
struct Rival {
    /// How many of these it begins with.
    common: usize,
    /// The squares on which its moves and theirs were made.
    squares: Bitboard,
    /// The pieces that it has where others stand after them and look the same.
    alike: Vec<(Square, Piece)>,
}

impl Contested {
    pub(super) const fn none() -> Self {
        Self {
            plies: 0,
            marks: [None; 64],
            since: None,
        }
    }

    /// A move that `mover` made and that was settled at `at`.
    fn settle(&mut self, m: Move, mover: Color, at: Millis) {
        let ply = self.plies;
        self.plies += 1;
        let mut carried = None;
        if let Some(from) = m.from()
            && let Some(mark) = self.marks[from as usize]
            && let Some(other) = mark.other
        {
            if !m.is_castle() && may_have_moved(other, mover, from, m.to()) {
                carried = Some(mark);
            } else {
                self.refute(mark.ply);
            }
        }
        // Nobody takes a piece of his own.
        let taken = self.marks[m.to() as usize].filter(|_| m.is_capture());
        if let Some(mark) =
            taken.filter(|mark| mark.other.is_some_and(|other| other.color == mover))
        {
            self.refute(mark.ply);
        }
        for square in changed_by(m) {
            self.marks[square as usize] = Some(Mark {
                ply,
                at,
                other: None,
            });
        }
        // Which piece stands there is no surer than it was where it came from.
        if carried.is_some() {
            self.marks[m.to() as usize] = carried;
        }
    }

    /// What stands on squares that look the same speaks no more against a ply: what was played since could
    /// not have been.
    fn refute(&mut self, ply: usize) {
        for mark in &mut self.marks {
            *mark = mark.filter(|mark| mark.ply != ply || mark.other.is_none());
        }
    }

    /// The squares on which a rival differs may speak against a ply that was settled at `at`, as long as
    /// nothing is played there.
    fn contest(&mut self, ply: usize, at: Millis, rival: &Rival) {
        for square in rival.squares {
            let mark = &mut self.marks[square as usize];
            if mark.is_none_or(|mark| mark.other.is_none() && mark.at + BORNE_OUT_MS <= at) {
                *mark = Some(Mark {
                    ply,
                    at,
                    other: None,
                });
            }
        }
        for &(square, other) in &rival.alike {
            let mark = &mut self.marks[square as usize];
            if mark.is_none_or(|mark| mark.other.is_none()) {
                let other = Some(other);
                *mark = Some(Mark { ply, at, other });
            }
        }
    }

    /// The last ply was none.
    pub(super) fn withdraw(&mut self) {
        self.plies = self.plies.saturating_sub(1);
    }

    /// The last ply was this move.
    pub(super) fn replace_last(&mut self, m: Move, mover: Color, at: Millis) {
        self.withdraw();
        self.settle(m, mover, at);
    }

    /// The board agrees with the game again.
    pub(super) fn agree(&mut self) {
        self.since = None;
    }

    /// The board contradicts the game, and `doubted` of the settled plies, the last ones, are in doubt.
    pub(super) fn doubt(&mut self, doubted: usize) {
        self.since = Some(self.plies.saturating_sub(doubted));
    }
}

impl Tracker {
    /// Notes the first plies of a line that are being settled now, and where each of them may prove wrong.
    pub(super) fn note_contested(&mut self, index: usize, plies: usize) {
        let now = self.changed_at;
        let rivals = self.rivals(index, plies);
        let line = self.hypotheses[index].line[..plies].to_vec();
        let first = self.contested.plies;
        let mut mover = self.root().turn();
        for m in line {
            self.contested.settle(m, mover, now);
            mover = mover.other();
        }
        for rival in rivals {
            self.contested.contest(first + rival.common, now, &rival);
        }
    }

    /// The lines that are beaten when the first plies of the line `index` are settled, and were near.
    fn rivals(&self, index: usize, plies: usize) -> Vec<Rival> {
        let chosen = &self.hypotheses[index];
        let line = &chosen.line;
        let total = self.total(index, self.changed_at);
        let unknown = self.sight.as_ref().map_or(Bitboard::EMPTY, Sight::unknown);
        let rivals = self
            .hypotheses
            .iter()
            .enumerate()
            .filter_map(|(other, rival)| {
                let common = common_start(line, &rival.line);
                let by = self.total(other, self.changed_at).saturating_sub(total);
                if common >= plies || by >= NEAR {
                    return None;
                }
                let moves = line[common..plies].iter().chain(&rival.line[common..]);
                let unseen = by < NEAR_UNSEEN;
                let unknown = if unseen { unknown } else { Bitboard::EMPTY };
                Some(Rival {
                    common,
                    squares: moves.flat_map(|&m| changed_by(m)).collect(),
                    alike: alike(chosen.after.board(), rival.after.board(), unknown),
                })
            });
        rivals.collect()
    }

    /// How many of the settled plies, the last ones, are in doubt by what is amiss now.
    pub(super) fn doubted(&self, amiss: &Mismatch) -> usize {
        let squares: Bitboard = match amiss.reason {
            // These were made as they were read.
            MismatchReason::EarlierPosition => Bitboard::EMPTY,
            MismatchReason::Ambiguous => (amiss.candidates.iter())
                .filter_map(|line| line.first().and_then(|m| m.from()))
                .collect(),
            MismatchReason::NoLegalMove
            | MismatchReason::PawnNotPromoted
            | MismatchReason::PieceMissing => amiss.squares.iter().map(|at| at.square).collect(),
        };
        let speaks = |square: Square| {
            let mark = self.contested.marks[square as usize]?;
            let against = match mark.other {
                Some(_) => amiss.reason != MismatchReason::Ambiguous,
                None => !self.is_borne_out(square, mark.at),
            };
            against.then_some(mark.ply)
        };
        let since = squares.into_iter().filter_map(speaks);
        let since = since.chain(self.contested.since).min();
        since.map_or(0, |since| self.contested.plies.saturating_sub(since))
    }

    /// Whether a square has shown for a while, since `settled`, what stands there in the game.
    fn is_borne_out(&self, square: Square, settled: Millis) -> bool {
        let expected = self.root().board().piece_at(square);
        shown_for(&self.changes, square, expected, settled, self.changed_at) >= BORNE_OUT_MS
    }
}

/// For how long a square has shown what is expected there without a break, the longest time that did not
/// end before `settled`.
fn shown_for(
    changes: &Changes,
    square: Square,
    expected: Option<Piece>,
    settled: Millis,
    now: Millis,
) -> Millis {
    // What is not remembered any more contradicted nothing.
    let mut shown = Some(settled);
    let mut longest = 0;
    for change in changes.since(0).filter(|change| change.square == square) {
        if expected.map_or(change.is_empty(), |piece| change.shows(piece)) {
            shown = Some(shown.map_or(change.at, |from| from.min(change.at)));
        } else if let Some(from) = shown.take()
            && change.at >= settled
        {
            longest = longest.max(change.at.saturating_sub(from));
        }
    }
    shown.map_or(longest, |from| longest.max(now.saturating_sub(from)))
}

/// The pieces of `other` where two boards look alike, since kinds are not known there, and are not.
fn alike(one: &Board, other: &Board, unknown: Bitboard) -> Vec<(Square, Piece)> {
    let both = one.occupied() & other.occupied() & unknown;
    let pieces = both.into_iter().filter_map(|square| {
        let piece = other.piece_at(square)?;
        (one.piece_at(square) != Some(piece)).then_some((square, piece))
    });
    pieces.collect()
}

/// Whether `piece` is one of `mover` and may go from one square to another, whatever stands between.
fn may_have_moved(piece: Piece, mover: Color, from: Square, to: Square) -> bool {
    let reach = match piece.role {
        // A pawn moves forward, and a double step is one of two.
        Role::Pawn => {
            let up = |square: Square| square.offset(piece.color.fold_wb(8, -8));
            let steps = [up(from), up(from).and_then(up)];
            let steps: Bitboard = steps.into_iter().flatten().collect();
            steps | attacks::pawn_attacks(piece.color, from)
        }
        role => attacks::attacks(from, Piece { role, ..piece }, Bitboard::EMPTY),
    };
    piece.color == mover && reach.contains(to)
}

#[cfg(test)]
#[path = "contested_tests.rs"]
mod tests;
