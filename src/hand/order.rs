//! In which order the pieces of a line were seen to be lifted and to come to stand.
//!
//! A board looks at one square after the other, so that what happened within a scan is told in
//! any order. What was told so much later than what must have followed it costs the line.

use shakmaty::{Bitboard, Move, Piece, Position, Square};

use super::{
    castling,
    changes::Change,
    fallen::taken_up_again,
    story::{Story, piece_of, taken_by},
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

/// Two changes in the wrong order, by up to so many hundredths of a scan of the board. How
/// likely it is that they were seen so falls with the square of what is left of the scan.
const LATE: [(u64, u32); 4] = [(25, 1), (55, 2), (80, 3), (100, 4)];
/// Two changes in an order that no scan explains.
const TOO_LATE: u32 = 8;
/// And more for each of these times, from the second on.
const LONG_BEFORE_MS: Millis = 600;
const MOST_FOR_LONG_BEFORE: u32 = 12;
/// A piece that came to a square between two that the line brings there, itself another one.
const OTHER_BETWEEN: u32 = 2;
/// The most for a square that its piece was told to have left long after it stood elsewhere: its
/// sensor was dead.
const MOST_FOR_DEAD: u32 = 2;
/// A piece that was told to stand long after the reply to it, although it was lifted before.
const DEAD_ARRIVAL: u32 = 6;
/// Who is in a hurry lifts his piece so long before the other one is released.
const EARLY_MS: Millis = 120;
const MOST_FOR_EARLY: u32 = 3;
/// A reply that stood before the move that it answers was begun: no line is believed with one.
const ANSWERED_BEFORE: u32 = 16;
/// A piece that moved away and came back, and was not seen to have left.
const NEVER_LEFT: u32 = 8;
/// A piece is carried no longer, mostly.
const CARRIED_MS: Millis = 2_500;
/// Each of these times that it is.
const LONG_HELD_MS: Millis = 1_500;
const MOST_FOR_HELD: u32 = 3;
/// Who takes a piece off first takes his own one up no later, mostly.
const LEFT_ALONE_MS: Millis = 1_500;
/// Each of these times that he does.
const LONG_LEFT_ALONE_MS: Millis = 800;
const MOST_FOR_LEFT_ALONE: u32 = 4;
/// And nobody plays on meanwhile: each ply that came to stand between.
const PLAYED_BETWEEN: u32 = 2;
const MOST_FOR_PLAYED_BETWEEN: u32 = 8;
/// What a hand needs at least from the release of one piece to that of the next.
const HAND_MS: Millis = 180;

/// When the piece of a move left its square and came to stand, as far as it was seen.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    lifted: Option<Millis>,
    /// The time of its leaving is that of all squares being told at once.
    lifted_before: bool,
    placed: Option<Millis>,
    /// So is that of its coming.
    placed_before: bool,
    /// Other pieces that were seen to come there before the next move brought one.
    others: u32,
}

/// The pieces of earlier plies come to stand before those of later ones, and are lifted
/// before those stand; no hand lifts a piece before it has put down the last.
pub(super) fn wrong_order(story: Story<'_>) -> u32 {
    let Story { line, scan_ms, .. } = story;
    let mut times = times(story);
    let late = |first: Option<Millis>, second: Option<Millis>| match (first, second) {
        (Some(first), Some(second)) if first > second => late_by(first - second, scan_ms),
        _ => 0,
    };
    // Where kinds are known, what was done meanwhile is seen, too.
    let mut changes = story.changes.since(story.told);
    let unknown = changes.any(|change| change.seen == Seen::Occupied);
    let mut cost = never_left(story);
    for (ply, m) in line.iter().enumerate() {
        let (before, from) = times.split_at_mut(ply);
        let one = &mut from[0];
        if m.is_promotion() {
            // The pawn may be taken off when the other piece stands.
            one.lifted = None;
        }
        if unknown {
            cost += held(one.lifted, one.placed) + left_alone(story, *m, one, before);
        }
        let late = late(one.lifted, one.placed).saturating_sub(1);
        if late + 1 < TOO_LATE {
            // Of a move that stands alone, any scan explains it.
            cost += if line.len() > 1 { late } else { 0 };
        } else {
            cost += late;
            if !one.lifted_before {
                // Then when that was told says nothing of when it was.
                cost += long_before(one.placed, one.lifted).min(MOST_FOR_DEAD);
                one.lifted = None;
            }
        }
        cost += OTHER_BETWEEN * one.others;
    }
    for ply in 0..line.len().saturating_sub(1) {
        let (one, reply) = (times[ply], times[ply + 1]);
        // Whoever lifts too early may place too early: that is said once.
        let early = reply.lifted.map(|lifted| lifted + EARLY_MS);
        // A piece that nobody saw come to stand did so after it was lifted.
        let placed = one.placed.or(one.lifted);
        let early = late(placed, early).min(MOST_FOR_EARLY) + long_before(reply.lifted, one.lifted);
        // Who answers a piece that has not been taken up yet takes it.
        let sooner = if one.lifted_before || reply.lifted_before {
            0
        } else {
            late(one.lifted, reply.lifted)
        };
        let early = early.max(sooner) + answered_before(one, reply, scan_ms);
        // Where both were lifted in their order, a dead sensor has told late of the first.
        let in_order =
            matches!((one.lifted, reply.lifted), (Some(one), Some(reply)) if one + scan_ms < reply);
        let most = if in_order { DEAD_ARRIVAL } else { TOO_LATE };
        cost += late(placed, reply.placed).min(most).max(early);
        cost += late(one.lifted, reply.placed);
        if !one.placed_before && !in_order {
            cost += long_before(reply.placed, one.placed);
        }
        if let Some(again) = times.get(ply + 2)
            && line[ply + 2].from() != Some(line[ply].to())
        {
            let next = again.placed.map(|placed| placed.saturating_sub(HAND_MS));
            cost += late(placed, again.lifted).max(late(placed, next));
        }
    }
    cost
}

/// What it costs that pieces moved away and came back, and their squares were not found empty as often as
/// they were left.
fn never_left(story: Story<'_>) -> u32 {
    let Story { line, changes, .. } = story;
    if !changes.remembers(story.told) {
        return 0;
    }
    let returns = |(ply, m): (usize, &Move)| {
        let own = line[ply + 1..].iter().skip(1).step_by(2);
        let back = |later: &&Move| m.from() == Some(later.to()) && later.role() == m.role();
        m.from().filter(|_| own.clone().any(|later| back(&later)))
    };
    let returned: Vec<Square> = line.iter().enumerate().filter_map(returns).collect();
    let squares: Bitboard = returned.iter().copied().collect();
    let unseen = squares.into_iter().map(|from| {
        let left = line.iter().filter(|m| m.from() == Some(from)).count();
        let empty = |change: &Change| change.square == from && change.is_empty();
        let seen = changes.since(story.told).filter(empty).count();
        let returned = returned.iter().filter(|square| **square == from).count();
        left.saturating_sub(seen).min(returned)
    });
    NEVER_LEFT * u32::try_from(unseen.sum::<usize>()).unwrap_or(u32::MAX)
}

/// What it costs that a piece which is taken was off the board for long before its captor was taken
/// up, or while others were played: it was not taken off to be captured.
fn left_alone(story: Story<'_>, m: Move, one: &Times, before: &[Times]) -> u32 {
    let (Some(lifted), Some(placed)) = (one.lifted, one.placed) else {
        return 0;
    };
    let taken = taken_by(m);
    let here = |change: &Change| taken == Some(change.square) && change.at <= placed;
    // Who takes in passing lands elsewhere: what left before the pawn came was another piece.
    let last = |change: &Change| change.is_empty() || m.is_en_passant();
    let taken_off = (story.changes.since(story.told))
        .rfind(|change| here(change) && last(change))
        .filter(|change| change.is_empty());
    let Some(off) = taken_off.map(|change| change.at) else {
        return 0;
    };
    let long = lifted.saturating_sub(off + LEFT_ALONE_MS) / LONG_LEFT_ALONE_MS;
    let long = u32::try_from(long)
        .unwrap_or(u32::MAX)
        .min(MOST_FOR_LEFT_ALONE);
    let between = off + 2 * story.scan_ms..lifted;
    let seen = before.iter().filter(|one| !one.placed_before);
    let came = seen.filter_map(|one| one.placed);
    let plies = came.filter(|at| between.contains(at)).count();
    let plies = u32::try_from(plies).unwrap_or(u32::MAX);
    long + PLAYED_BETWEEN
        .saturating_mul(plies)
        .min(MOST_FOR_PLAYED_BETWEEN)
}

/// What it costs that a reply stood before the move that it answers was begun.
fn answered_before(one: Times, reply: Times, scan_ms: Millis) -> u32 {
    let told_at_once = one.lifted_before || reply.placed_before;
    match (reply.placed, one.lifted) {
        (Some(replied), Some(begun)) if !told_at_once && replied + 2 * scan_ms < begun => {
            ANSWERED_BEFORE
        }
        _ => 0,
    }
}

/// What it costs that a piece was in the hand: hands carry most of them for a second or two.
fn held(lifted: Option<Millis>, placed: Option<Millis>) -> u32 {
    let (Some(lifted), Some(placed)) = (lifted, placed) else {
        return 0;
    };
    let long = placed.saturating_sub(lifted + CARRIED_MS) / LONG_HELD_MS;
    u32::try_from(long).unwrap_or(u32::MAX).min(MOST_FOR_HELD)
}

/// What it costs besides that a piece stood long before the one that it answers: no scan
/// explains that.
fn long_before(reply: Option<Millis>, answered: Option<Millis>) -> u32 {
    let (Some(reply), Some(answered)) = (reply, answered) else {
        return 0;
    };
    let long = answered.saturating_sub(reply + LONG_BEFORE_MS) / LONG_BEFORE_MS;
    u32::try_from(long)
        .unwrap_or(u32::MAX)
        .min(MOST_FOR_LONG_BEFORE)
}

/// What it costs that a change was seen so much later than one that must have followed it.
pub(super) fn late_by(late: Millis, scan_ms: Millis) -> u32 {
    let part = 100 * late / scan_ms.max(1);
    let fits = LATE.into_iter().find(|(most, _)| part <= *most);
    fits.map_or(TOO_LATE, |(_, cost)| cost)
}

/// When the pieces of each move were seen to be lifted and placed: the last times at which
/// that can have been.
fn times(story: Story<'_>) -> Vec<Times> {
    let Story { line, scan_ms, .. } = story;
    let mut told = BySquare::of(story);
    let mut times = vec![Times::default(); line.len()];
    let mut mover = story.after.turn();
    // When a later piece had come, told by the slowest scan.
    let mut replied = Millis::MAX;
    for (ply, m) in line.iter().enumerate().rev() {
        mover = mover.other();
        let piece = piece_of(*m).of(mover);
        let landing = if is_of_an_earlier_move(&told, &line[..ply], *m, piece, scan_ms) {
            None
        } else {
            // What stood when the reply came, and comes there again, was put right.
            let stood = |until: &Millis| {
                let mut all = told.all(placed_on(*m)).iter();
                let last = all.rfind(|change| change.at <= *until);
                last.is_some_and(|change| change.seen == Seen::Piece(piece))
            };
            // It may have been knocked over within a scan of that, told before it or after it.
            let until = (0..3).map(|scans| replied.saturating_sub(scans * scan_ms));
            let until = until.into_iter().find(stood).unwrap_or(Millis::MAX);
            told.take(placed_on(*m), Some(piece), until)
        };
        if let Some((at, at_once, others)) = landing {
            (times[ply].placed, times[ply].placed_before) = (Some(at), at_once);
            times[ply].others = others;
            replied = replied.min(at + scan_ms);
        }
        let until = times[ply].placed.map_or(Millis::MAX, |at| at + scan_ms);
        let lifted = m.from().and_then(|from| told.take(from, None, until));
        if let Some((at, at_once, _)) = lifted {
            let fallen = taken_up_again(story, *m, mover, at).filter(|_| !at_once);
            (times[ply].lifted, times[ply].lifted_before) = (fallen.or(Some(at)), at_once);
        }
    }
    times
}

/// Whether the piece of a move that was last seen where the move ends came there by an `earlier` one:
/// it did so before this one left its square.
fn is_of_an_earlier_move(
    told: &BySquare,
    earlier: &[Move],
    m: Move,
    piece: Piece,
    scan_ms: Millis,
) -> bool {
    if !earlier.iter().any(|earlier| earlier.to() == m.to()) {
        return false;
    }
    let left = m.from().and_then(|from| {
        let mut all = told.all(from).iter();
        all.rfind(|change| change.is_empty())
    });
    let shown = |change: &&Change| change.shows(piece);
    let last = told.all(placed_on(m)).iter().rfind(shown);
    matches!((left, last), (Some(left), Some(last)) if left.at > last.at + scan_ms)
}

/// The changes of a story, square by square.
struct BySquare {
    /// Of each square in their order.
    changes: Vec<Change>,
    /// Where those of each square begin, and where the last ones end.
    begins: [usize; 65],
    /// How many of each square, the oldest, are still open: what comes after is told by a later move.
    open: [usize; 64],
}

impl BySquare {
    fn of(story: Story<'_>) -> Self {
        let mut changes: Vec<Change> = story.changes.since(story.told).collect();
        changes.sort_by_key(|change| change.square);
        let mut begins = [0; 65];
        for change in &changes {
            begins[change.square as usize + 1] += 1;
        }
        for square in 1..begins.len() {
            begins[square] += begins[square - 1];
        }
        let mut told = Self {
            changes,
            begins,
            open: [usize::MAX; 64],
        };
        // What is going on now is no part of the moves.
        for square in story.now {
            told.open[square as usize] = told.all(square).len().saturating_sub(1);
        }
        told
    }

    /// Those of one square.
    fn all(&self, square: Square) -> &[Change] {
        let square = square as usize;
        &self.changes[self.begins[square]..self.begins[square + 1]]
    }

    /// Takes the last open one at `until` or before in which a piece comes to a square, or leaves it,
    /// or the last one at all. Tells when that was, whether all squares were told at once then, and how
    /// many other pieces came there since. What came before on this square belongs to earlier moves.
    fn take(
        &mut self,
        square: Square,
        piece: Option<Piece>,
        until: Millis,
    ) -> Option<(Millis, bool, u32)> {
        let all = self.all(square);
        let open = &all[..self.open[square as usize].min(all.len())];
        let fits = |change: &Change| piece.map_or(change.is_empty(), |piece| change.shows(piece));
        // Who passes over a square later leaves it, too.
        let last = (open.iter())
            .rposition(|change| fits(change) && change.at <= until)
            .or_else(|| open.iter().rposition(fits))?;
        let Change { at, at_once, .. } = open[last];
        let other = |piece| {
            let later = open[last..].iter();
            later.filter(move |change| matches!(change.seen, Seen::Piece(seen) if seen != piece))
        };
        let others = piece.map_or(0, |piece| other(piece).count());
        self.open[square as usize] = last;
        Some((at, at_once, u32::try_from(others).unwrap_or(u32::MAX)))
    }
}

/// Where the piece of a move comes to stand: the king, for castling.
pub(super) fn placed_on(m: Move) -> Square {
    match m {
        Move::Castle { king, rook } => castling::targets(king, rook).0,
        _ => m.to(),
    }
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
