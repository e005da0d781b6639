//! Which settled plies are in doubt again when the board contradicts the game.
//!
//! What is settled was clearer than anything else, and may be wrong all the same: a piece that was knocked
//! over stands where it could have moved, another one was taken than the board can tell. Then the board
//! contradicts the game later, mostly where the ply and what it had beaten differ. A ply is borne out on a
//! square that has shown for a while what stands there after it; where no kinds are seen, and both would
//! look alike there, it never is.

use shakmaty::{Bitboard, Board, Color, Move, Piece, Position, Role, Square, attacks};

use super::{
    Hypothesis, Mismatch, MismatchReason,
    lead::common_start,
    sight::Sight,
    story::{changed_by, taken_by},
    tracker::Tracker,
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

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
    marks: Marks,
    /// The same before the last ply.
    before: Marks,
    /// How many lines have been beaten so far.
    rivals: usize,
    /// The first ply that is in doubt, while the board contradicts the game.
    since: Option<usize>,
}

type Marks = [Option<Mark>; 64];

/// A ply that a square may speak against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    /// How many plies there were before it.
    ply: usize,
    /// When it was settled.
    at: Millis,
    /// What stands there if it was another one, where that looks the same.
    other: Option<Other>,
}

/// What a line that was beaten has where another piece stands and looks the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Other {
    piece: Piece,
    /// How many lines had been beaten before it.
    rival: usize,
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
            before: [None; 64],
            rivals: 0,
            since: None,
        }
    }

    /// A move that `mover` made and that was settled at `at`.
    fn settle(&mut self, m: Move, mover: Color, at: Millis) {
        let ply = self.plies;
        self.plies += 1;
        self.before = self.marks;
        let mut carried = None;
        if let Some(from) = m.from()
            && let Some(mark) = self.marks[from as usize]
            && let Some(other) = mark.other
        {
            if !m.is_castle() && may_have_moved(other.piece, mover, from, m.to()) {
                carried = Some(mark);
            } else {
                self.refute(other.rival);
            }
        }
        // Nobody takes a piece of his own.
        let taken = taken_by(m).and_then(|square| self.marks[square as usize]?.other);
        if let Some(other) = taken.filter(|other| other.piece.color == mover) {
            self.refute(other.rival);
        }
        for square in changed_by(m) {
            let mark = &mut self.marks[square as usize];
            // What was settled together may be wrong together.
            let together = mark.filter(|mark| mark.at == at && mark.other.is_none());
            let ply = together.map_or(ply, |mark| mark.ply);
            let other = None;
            *mark = Some(Mark { ply, at, other });
        }
        // Which piece stands there is no surer than it was where it came from.
        if carried.is_some() {
            self.marks[m.to() as usize] = carried;
        }
    }

    /// What a rival has on squares that look the same speaks against nothing any more: it could not have been
    /// played on like that.
    fn refute(&mut self, rival: usize) {
        for mark in &mut self.marks {
            *mark = mark.filter(|mark| mark.other.is_none_or(|other| other.rival != rival));
        }
    }

    /// The squares on which a rival differs may speak against the ply that was settled last, at `at`, as long
    /// as nothing is played there. Some bear out whatever was settled before.
    fn contest(&mut self, at: Millis, rival: &Rival, borne_out: Bitboard) {
        let last = self.plies.saturating_sub(1);
        let earlier = |mark: Option<Mark>, square| {
            let open = mark.filter(|mark| mark.at == at || !borne_out.contains(square));
            open.map_or(last, |mark| mark.ply.min(last))
        };
        for square in rival.squares {
            let mark = &mut self.marks[square as usize];
            if mark.is_none_or(|mark| mark.other.is_none()) {
                let ply = earlier(*mark, square);
                let other = None;
                *mark = Some(Mark { ply, at, other });
            }
        }
        for &(square, piece) in &rival.alike {
            let mark = &mut self.marks[square as usize];
            if mark.is_none_or(|mark| mark.other.is_none()) {
                let ply = earlier(*mark, square);
                let rival = self.rivals;
                let other = Some(Other { piece, rival });
                *mark = Some(Mark { ply, at, other });
            }
        }
        self.rivals += 1;
    }

    /// The last ply was none.
    pub(super) fn withdraw(&mut self) {
        self.plies = self.plies.saturating_sub(1);
        self.marks = self.before;
    }

    /// The last ply was this move.
    pub(super) fn replace_last(&mut self, m: Move, mover: Color, at: Millis) {
        self.withdraw();
        self.settle(m, mover, at);
    }

    /// The board agrees with the game again.
    pub(super) const fn agree(&mut self) {
        self.since = None;
    }

    /// The board contradicts the game, and `doubted` of the settled plies, the last ones, are in doubt.
    pub(super) const fn doubt(&mut self, doubted: usize) {
        if doubted > 0 {
            self.since = Some(self.plies.saturating_sub(doubted));
        }
    }
}

impl Tracker {
    /// Notes the first plies of a line that are being settled now, and where each of them may prove wrong.
    pub(super) fn note_contested(&mut self, index: usize, plies: usize) {
        let now = self.changed_at;
        let rivals = self.rivals(index, plies);
        let line = self.hypotheses[index].line[..plies].to_vec();
        let at_stake: Bitboard = rivals
            .iter()
            .map(|rival| rival.squares)
            .fold(Bitboard::EMPTY, |a, b| a | b);
        let borne_out = at_stake.into_iter().filter(|&square| {
            let mark = self.contested.marks[square as usize];
            mark.is_none_or(|mark| self.is_borne_out(square, mark.at))
        });
        let borne_out: Bitboard = borne_out.collect();
        let mut mover = self.root().turn();
        for (ply, m) in line.into_iter().enumerate() {
            self.contested.settle(m, mover, now);
            for rival in rivals.iter().filter(|rival| rival.common == ply) {
                self.contested.contest(now, rival, borne_out);
            }
            mover = mover.other();
        }
    }

    /// The lines that are beaten when the first plies of the line `index` are settled, and were near.
    fn rivals(&self, index: usize, plies: usize) -> Vec<Rival> {
        let (line, later) = self.hypotheses[index].line.split_at(plies);
        let mut settled = self.root().clone();
        for &m in line {
            settled.play_unchecked(m);
        }
        let later: Bitboard = later.iter().flat_map(|&m| changed_by(m)).collect();
        let total = self.total(index, self.changed_at);
        let unknown = self.sight.as_ref().map_or(Bitboard::EMPTY, Sight::unknown);
        let rival = |(other, rival): (usize, &Hypothesis)| {
            let common = common_start(line, &rival.line);
            let by = self.total(other, self.changed_at).saturating_sub(total);
            if common >= plies || by >= NEAR {
                return None;
            }
            let moves = line[common..].iter().chain(&rival.line[common..]);
            let changed: Bitboard = moves.flat_map(|&m| changed_by(m)).collect();
            let alike = if by < NEAR_UNSEEN {
                alike(settled.board(), rival.after.board(), unknown & !later)
            } else {
                Vec::new()
            };
            let looks = alike
                .iter()
                .map(|(square, _)| *square)
                .collect::<Bitboard>();
            Some(Rival {
                common,
                squares: changed | looks,
                alike,
            })
        };
        self.hypotheses
            .iter()
            .enumerate()
            .filter_map(rival)
            .collect()
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
        let agrees = |seen: Seen| match (expected, seen) {
            (None, seen) => seen == Seen::Empty,
            (Some(piece), Seen::Piece(seen)) => seen == piece,
            (Some(_), seen) => seen == Seen::Occupied,
        };
        let sight = self.sight.as_ref();
        let until = if sight.is_some_and(|sight| agrees(sight.get(square))) {
            self.changed_at
        } else {
            self.changes.at(square).unwrap_or(self.changed_at)
        };
        let mut longest = 0;
        // What is not remembered any more contradicted nothing, but for what was out of sight.
        let mut shown = Some(settled.max(self.changes.blind_until().unwrap_or(0)));
        for change in self
            .changes
            .since(0)
            .filter(|change| change.square == square)
        {
            if agrees(change.seen) {
                shown = Some(shown.map_or(change.at, |from| from.min(change.at)));
            } else if let Some(from) = shown.take()
                && change.at >= settled
            {
                longest = longest.max(change.at.saturating_sub(from));
            }
        }
        let last = shown.map_or(0, |from| until.saturating_sub(from));
        longest.max(last) >= BORNE_OUT_MS
    }
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
pub(super) fn may_have_moved(piece: Piece, mover: Color, from: Square, to: Square) -> bool {
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
