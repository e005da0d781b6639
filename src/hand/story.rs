//! What the changes of the squares, one by one and in their order, say for and against a
//! line of moves.
//!
//! Each move needs some changes: a piece leaves its square, another one is taken, a piece
//! comes to stand. What no move needs was something else (a piece put right, a stop on
//! the way), and costs. So do moves whose pieces came to stand in another order than that
//! of the line, by as much as the scans of a board can hardly explain.

use std::collections::VecDeque;

use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::castling;
use crate::{board::event::Seen, time::Millis};

/// Each change of a square that no move of a line needs.
const UNTOLD: u32 = 1;
/// As much again for a piece that stood there, and for a scan of the board, for two, for four.
const UNTOLD_STAND: u32 = 1;
const MOST_FOR_STAND: u32 = 4;
/// Two changes in the wrong order, by up to so many hundredths of a scan of the board. How
/// likely it is that they were seen so falls with the square of what is left of the scan.
const LATE: [(u64, u32); 4] = [(25, 1), (55, 2), (80, 3), (100, 4)];
/// Two changes in an order that no scan explains.
const TOO_LATE: u32 = 6;
/// And more for each of these times, from the second on.
const LONG_BEFORE_MS: Millis = 600;
const MOST_FOR_LONG_BEFORE: u32 = 12;
/// Who is in a hurry lifts his piece so long before the other one is released.
const EARLY_MS: Millis = 120;
const MOST_FOR_EARLY: u32 = 3;
/// What a hand needs at least from the release of one piece to that of the next.
const HAND_MS: Millis = 180;
/// Somebody pressed while his piece stood where none of his moves ends.
const PRESSED_ELSEWHERE: u32 = 4;
/// Presses that are remembered.
const MOST_PRESSES: usize = 16;
/// Changes that are remembered, one by one.
const MOST_CHANGES: usize = 128;

/// One square that changed.
#[derive(Debug, Clone, Copy)]
struct Change {
    at: Millis,
    square: Square,
    seen: Seen,
    /// All squares were told at once: it may have happened long before.
    at_once: bool,
}

impl Change {
    fn is_empty(self) -> bool {
        self.seen == Seen::Empty
    }

    /// Whether this may be `piece` coming to stand there.
    fn shows(self, piece: Piece) -> bool {
        match self.seen {
            Seen::Piece(seen) => seen == piece,
            Seen::Occupied => true,
            Seen::Empty | Seen::ResultPiece(_) => false,
        }
    }
}

/// The changes of the squares.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    last: [Option<Millis>; 64],
    /// When nobody had looked for a while.
    blind_until: Option<Millis>,
    /// The newest last.
    order: VecDeque<Change>,
    /// How many there have been.
    count: u64,
    /// What stood when the lever was turned, the newest last.
    presses: VecDeque<Pressed>,
}

/// What stood when a player pressed the clock.
#[derive(Debug, Clone, Copy)]
struct Pressed {
    /// How many changes there had been.
    told: u64,
    by: Color,
    /// His pieces, as far as their kinds are known.
    pieces: Bitboard,
}

impl Changes {
    pub(super) const fn none() -> Self {
        Self {
            last: [None; 64],
            blind_until: None,
            order: VecDeque::new(),
            count: 0,
            presses: VecDeque::new(),
        }
    }

    /// A player has pressed the clock while so many of his pieces were seen to stand.
    pub(super) fn note_press(&mut self, by: Color, pieces: Bitboard) {
        let told = self.count;
        self.presses.push_back(Pressed { told, by, pieces });
        if self.presses.len() > MOST_PRESSES {
            self.presses.pop_front();
        }
    }

    /// Takes one change: told by itself, or when all squares were told `at_once`.
    pub(super) fn note(&mut self, square: Square, seen: Seen, at_once: bool, at: Millis) {
        self.last[square as usize] = Some(at);
        self.count += 1;
        self.order.push_back(Change {
            at,
            square,
            seen,
            at_once,
        });
        if self.order.len() > MOST_CHANGES {
            self.order.pop_front();
        }
    }

    /// Nobody knows what has changed: anything may have.
    pub(super) fn note_all(&mut self, now: Millis) {
        self.last = [Some(now); 64];
        self.blind_until = Some(now);
        self.order.clear();
        self.presses.clear();
    }

    /// How many changes there have been so far.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// When `square` last changed.
    pub(super) const fn at(&self, square: Square) -> Option<Millis> {
        self.last[square as usize]
    }

    /// Whether the last change of a square was told together with all others.
    pub(super) fn was_told_at_once(&self, square: Square) -> bool {
        let mut newest = self.order.iter().rev();
        newest
            .find(|change| change.square == square)
            .is_some_and(|change| change.at_once)
    }

    /// How many squares changed last at this moment.
    pub(super) fn at_once(&self, at: Millis) -> usize {
        self.last.iter().filter(|last| **last == Some(at)).count()
    }

    /// How many pieces can have come to stand on `square` at `since` or later.
    pub(super) fn landings(&self, square: Square, since: Millis) -> usize {
        if self.blind_until.is_some_and(|until| until >= since) {
            return usize::MAX;
        }
        let lands = |change: &&Change| change.square == square && !change.is_empty();
        let new = self
            .order
            .iter()
            .rev()
            .take_while(|change| change.at >= since);
        new.filter(lands).count()
    }

    /// The squares that changed at `since` or later.
    pub(super) fn after(&self, since: Millis) -> Bitboard {
        Square::ALL
            .into_iter()
            .filter(|&square| self.at(square).is_some_and(|at| at >= since))
            .collect()
    }

    /// What has changed since there had been `count` changes, in order.
    fn since(&self, count: u64) -> impl DoubleEndedIterator<Item = Change> + '_ {
        let new = usize::try_from(self.count.saturating_sub(count)).unwrap_or(usize::MAX);
        let known = self.order.len().saturating_sub(new);
        self.order.range(known..).copied()
    }
}

/// When the piece of a move left its square and came to stand, as far as it was seen.
#[derive(Debug, Clone, Copy, Default)]
struct Times {
    lifted: Option<Millis>,
    placed: Option<Millis>,
    /// The time of its coming is that of all squares being told at once.
    placed_before: bool,
}

/// What has changed since a position stood, told by the moves of a line and by what is going
/// on now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Story<'a> {
    pub(super) changes: &'a Changes,
    /// How many changes there had been when the position stood.
    pub(super) told: u64,
    /// The moves since then.
    pub(super) line: &'a [Move],
    /// The position after them.
    pub(super) after: &'a Chess,
    /// The squares on which something is going on.
    pub(super) now: Bitboard,
    pub(super) scan_ms: Millis,
}

/// What a story costs. The piece of the `last` move may still be on its way.
pub(super) fn cost(story: Story<'_>, last: Option<Move>) -> u32 {
    if story.changes.count() <= story.told {
        return 0;
    }
    untold(story, last) + wrong_order(story) + pressed_elsewhere(story)
}

/// Who presses has moved: his pieces stand as after one of his moves, or are still as they
/// were, but for those that he has taken up again.
fn pressed_elsewhere(story: Story<'_>) -> u32 {
    let Story {
        told,
        line,
        after,
        now,
        ..
    } = story;
    let newer = |pressed: &&Pressed| pressed.told > told;
    let matches = |pressed: &Pressed| {
        let pieces = pressed.pieces & !now;
        let mut mover = after.turn();
        let mut stood = after.board().by_color(pressed.by);
        for &m in line.iter().rev() {
            mover = mover.other();
            if mover != pressed.by {
                // What was taken by this move stood before.
                stood |= changed_by(m).collect::<Bitboard>();
                continue;
            }
            if pieces.is_subset(stood) {
                return true;
            }
            let (to, from) = ends_of(m);
            stood = (stood & !to) | from;
        }
        pieces.is_subset(stood)
    };
    let amiss = (story.changes.presses.iter().rev())
        .take_while(newer)
        .any(|pressed| !matches(pressed));
    if amiss { PRESSED_ELSEWHERE } else { 0 }
}

/// Where the pieces of a move stand after it, and where before.
fn ends_of(m: Move) -> (Bitboard, Bitboard) {
    match m {
        Move::Castle { king, rook } => {
            let (king_to, rook_to) = castling::targets(king, rook);
            (
                Bitboard::from(king_to) | Bitboard::from(rook_to),
                Bitboard::from(king) | Bitboard::from(rook),
            )
        }
        _ => (
            Bitboard::from(m.to()),
            m.from().map_or(Bitboard::EMPTY, Bitboard::from),
        ),
    }
}

/// What the changes cost that nothing needs.
fn untold(story: Story<'_>, last: Option<Move>) -> u32 {
    let Story {
        changes,
        told,
        line,
        now,
        scan_ms,
        ..
    } = story;
    let mut needed = [0_u8; 64];
    let mut way = Bitboard::EMPTY;
    for &m in line {
        for square in changed_by(m) {
            needed[square as usize] = needed[square as usize].saturating_add(1);
        }
    }
    // A piece that nobody saw leave its square or come to the next was not seen on the way
    // between them.
    let seen: Bitboard = changes.since(told).map(|change| change.square).collect();
    let shown = |m: &&Move| {
        let left = m.from().is_some_and(|from| seen.contains(from));
        left && seen.contains(m.to())
    };
    for &m in line
        .iter()
        .filter(shown)
        .chain(last.as_ref().filter(|_| line.is_empty()))
    {
        if let Some(from) = m.from() {
            way |= attacks::between(from, m.to());
        }
    }
    for square in now {
        needed[square as usize] = needed[square as usize].saturating_add(1);
    }
    let mut cost = 0;
    // When an untold piece came to stand on each square.
    let mut landed = [None; 64];
    for change in changes.since(told) {
        let landing: Option<Millis> = landed[change.square as usize].take();
        if let Some(at) = landing {
            let scans = (change.at - at) / scan_ms.max(1);
            let doublings = scans.checked_ilog2().map_or(0, |twice| twice + 1);
            cost += (UNTOLD_STAND + doublings).min(MOST_FOR_STAND);
        }
        let needed = &mut needed[change.square as usize];
        if *needed > 0 && may_stand(story, change) {
            *needed -= 1;
        } else if !way.contains(change.square) {
            cost += UNTOLD;
            landed[change.square as usize] = (!change.is_empty()).then_some(change.at);
        }
    }
    cost
}

/// Whether one of the moves, or what is going on now, can have brought to its square what a
/// change shows.
fn may_stand(story: Story<'_>, change: Change) -> bool {
    let Seen::Piece(piece) = change.seen else {
        return true;
    };
    if story.now.contains(change.square) {
        return true;
    }
    let mut to_move = story.after.turn();
    story.line.iter().rev().any(|&m| {
        to_move = to_move.other();
        let by = to_move;
        // Whoever stood there before may have been put right.
        let back = m.from() == Some(change.square) && m.role().of(by) == piece;
        let pawn = m.promotion().is_some() && piece == Role::Pawn.of(by);
        let brings = piece_of(m).of(by) == piece || pawn;
        let rook = m.is_castle() && piece == Role::Rook.of(by);
        back || ((brings || rook) && ends_of(m).0.contains(change.square))
    })
}

/// What a move brings to its square.
fn piece_of(m: Move) -> Role {
    m.promotion().unwrap_or(m.role())
}

/// The pieces of earlier plies come to stand before those of later ones, and are lifted
/// before those stand; no hand lifts a piece before it has put down the last.
fn wrong_order(story: Story<'_>) -> u32 {
    let Story { line, scan_ms, .. } = story;
    if line.len() < 2 {
        return 0;
    }
    let times = times(story);
    let late = |first: Option<Millis>, second: Option<Millis>| match (first, second) {
        (Some(first), Some(second)) if first > second => late_by(first - second, scan_ms),
        _ => 0,
    };
    let mut cost = (times.iter())
        .map(|one| late(one.lifted, one.placed).saturating_sub(1))
        .sum();
    for ply in 0..line.len() - 1 {
        let (one, reply) = (times[ply], times[ply + 1]);
        // Whoever lifts too early may place too early: that is said once.
        let early = reply.lifted.map(|lifted| lifted + EARLY_MS);
        // A piece that nobody saw come to stand did so after it was lifted.
        let placed = one.placed.or(one.lifted);
        cost += late(placed, reply.placed).max(late(placed, early).min(MOST_FOR_EARLY));
        cost += late(one.lifted, reply.placed);
        if !one.placed_before {
            cost += long_before(reply.placed, one.placed);
        }
        if let Some(again) = times.get(ply + 2)
            && line[ply + 2].from() != Some(line[ply].to())
        {
            let next = again.placed.map(|placed| placed.saturating_sub(HAND_MS));
            cost += late(one.placed, again.lifted).max(late(one.placed, next));
        }
    }
    cost
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
    let Story { line, now, .. } = story;
    let mut all: Vec<Change> = story.changes.since(story.told).collect();
    // What is going on now is no part of the moves.
    for square in now {
        if let Some(last) = all.iter().rposition(|change| change.square == square) {
            all.remove(last);
        }
    }
    let mut seen = |square: Square, piece: Option<Piece>| {
        let last = all.iter().rposition(|change| {
            change.square == square && piece.map_or(change.is_empty(), |piece| change.shows(piece))
        })?;
        let Change { at, at_once, .. } = all[last];
        // What came before on this square belongs to earlier moves.
        let mut index = 0;
        all.retain(|change| {
            index += 1;
            index <= last || change.square != square
        });
        Some((at, at_once))
    };
    let mut times = vec![Times::default(); line.len()];
    let mut mover = story.after.turn();
    for (ply, m) in line.iter().enumerate().rev() {
        mover = mover.other();
        if let Some((at, at_once)) = seen(placed_on(*m), Some(piece_of(*m).of(mover))) {
            (times[ply].placed, times[ply].placed_before) = (Some(at), at_once);
        }
        times[ply].lifted = m.from().and_then(|from| seen(from, None)).map(|(at, _)| at);
    }
    times
}

/// Where the piece of a move comes to stand: the king, for castling.
fn placed_on(m: Move) -> Square {
    match m {
        Move::Castle { king, rook } => castling::targets(king, rook).0,
        _ => m.to(),
    }
}

/// The squares that a move changes, as often as it may be seen to.
pub(super) fn changed_by(m: Move) -> impl Iterator<Item = Square> {
    let (squares, count) = match m {
        Move::Normal {
            from,
            to,
            capture,
            promotion,
            ..
        } => {
            // The pawn stands there first, and is taken off.
            let more = 2 * usize::from(promotion.is_some()) + usize::from(capture.is_some());
            ([from, to, to, to, to], 2 + more)
        }
        Move::EnPassant { from, to } => {
            let taken = Square::from_coords(to.file(), from.rank());
            ([from, to, taken, to, to], 3)
        }
        Move::Castle { king, rook } => {
            let (king_to, rook_to) = castling::targets(king, rook);
            ([king, rook, king_to, rook_to, rook_to], 4)
        }
        Move::Put { to, .. } => ([to; 5], 1),
    };
    squares.into_iter().take(count)
}
