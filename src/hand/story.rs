//! What the changes of the squares, one by one and in their order, say for and against a
//! line of moves.
//!
//! Each move needs some changes: a piece leaves its square, another one is taken, a piece
//! comes to stand. What no move needs was something else (a piece put right, a stop on
//! the way), and costs. So do moves whose pieces came to stand in another order than that
//! of the line, by as much as the scans of a board can hardly explain.

use shakmaty::{Bitboard, Chess, Color, Move, Piece, Position, Role, Square, attacks};

use super::{
    castling,
    changes::{Change, Changes},
    order::{placed_on, wrong_order},
    pressed::pressed_elsewhere,
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

/// Each change of a square that no move of a line needs.
const UNTOLD: u32 = 1;
/// And more where a pawn was promoted, if it shows another kind than that of the line.
const OTHER_KIND: u32 = 6;
/// And more where the kind is not known, if the piece had been taken up together with another one
/// and nothing else was put down since: who does that puts the other one there, and has captured.
const UNTOLD_EXCHANGE: u32 = 4;
/// And if pieces of both players did so.
const UNTOLD_OF_BOTH: u32 = 6;
/// And for a piece that stood there, and for a scan of the board, for two, for four.
const UNTOLD_STAND: u32 = 1;
/// The most of that, and for a stop on the way, which costs as much for two scans, for four, for eight.
const MOST_FOR_STAND: u32 = 4;

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

/// Where the pieces of a move stand after it, and where before.
pub(super) fn ends_of(m: Move) -> (Bitboard, Bitboard) {
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
    for &m in line {
        for square in changed_by(m) {
            needed[square as usize] = needed[square as usize].saturating_add(1);
        }
    }
    let way = on_the_way(story, last);
    for square in now {
        needed[square as usize] = needed[square as usize].saturating_add(1);
    }
    // The move that brought the piece which was seen last, on each square.
    let mut reached = [0; 64];
    let mut cost = 0;
    // Whose pieces came to stand where they do not stay.
    let mut stopped = [false; 2];
    // When an untold piece came to stand on each square.
    let mut landed = [None; 64];
    // When a piece on its way was put down there.
    let mut stops: [Option<Millis>; 64] = [None; 64];
    // What has been taken up since anything was put down.
    let mut up = changes.up_before(told);
    for change in changes.since(told) {
        let exchanged =
            change.seen == Seen::Occupied && up.contains(change.square) && up.count() > 1;
        if change.is_empty() {
            up.add(change.square);
        } else {
            up = Bitboard::EMPTY;
        }
        let landing: Option<Millis> = landed[change.square as usize].take();
        if let Some(at) = landing {
            let scans = (change.at - at) / scan_ms.max(1);
            let doublings = scans.checked_ilog2().map_or(0, |twice| twice + 1);
            cost += (UNTOLD_STAND + doublings).min(MOST_FOR_STAND);
        }
        if let Some(at) = stops[change.square as usize].take() {
            let scans = (change.at - at) / scan_ms.max(1);
            cost += scans.checked_ilog2().unwrap_or(0).min(MOST_FOR_STAND);
        }
        let needed = &mut needed[change.square as usize];
        let reached = &mut reached[change.square as usize];
        if let Some(ply) = may_stand(story, change, *reached).filter(|_| *needed > 0) {
            *needed -= 1;
            *reached = ply;
        } else if change.at >= way[change.square as usize] {
            cost += UNTOLD
                + OTHER_KIND * u32::from(promoted_otherwise(story, change))
                + UNTOLD_EXCHANGE * u32::from(exchanged);
            landed[change.square as usize] = (!change.is_empty()).then_some(change.at);
            // What all squares told at once have for a moment may be misread.
            if let Seen::Piece(piece) = change.seen
                && !change.at_once
                && story.after.board().piece_at(change.square) != Some(piece)
            {
                stopped[piece.color as usize] = true;
            }
        } else if !change.is_empty() {
            stops[change.square as usize] = Some(change.at);
        }
    }
    // Hardly both players at once put a piece where it does not stay.
    cost + UNTOLD_OF_BOTH * u32::from(stopped == [true, true])
}

/// Until when a change of each square may be that of a piece on its way between the squares of its move; 0
/// where none passes. The piece of the `last` move may still be on its way, if there are no others.
fn on_the_way(story: Story<'_>, last: Option<Move>) -> [Millis; 64] {
    let Story {
        changes,
        told,
        line,
        ..
    } = story;
    // A piece that nobody saw leave its square or come to the next was not seen on the way
    // between them.
    let seen: Bitboard = changes.since(told).map(|change| change.square).collect();
    // Where kinds are not known nobody sees a piece come to where it takes another one.
    let unknown = changes
        .since(told)
        .any(|change| change.seen == Seen::Occupied);
    let shown = |m: Move| {
        let left = m.from().is_some_and(|from| seen.contains(from));
        left && (seen.contains(m.to()) || (unknown && m.is_capture()))
    };
    let mut until = [0; 64];
    let mut mover = story.after.turn();
    for &m in line.iter().rev() {
        mover = mover.other();
        let Some(from) = m.from().filter(|_| shown(m)) else {
            continue;
        };
        // Where it had come to stand, it was not on its way any more.
        let piece = piece_of(m).of(mover);
        let came = (changes.since(told))
            .rfind(|change| change.square == placed_on(m) && change.shows(piece))
            .filter(|_| !m.is_castle())
            .map_or(Millis::MAX, |change| change.at + story.scan_ms);
        for square in attacks::between(from, m.to()) {
            let until = &mut until[square as usize];
            *until = came.max(*until);
        }
    }
    if let Some(m) = last.filter(|_| line.is_empty())
        && let Some(from) = m.from()
    {
        for square in attacks::between(from, m.to()) {
            until[square as usize] = Millis::MAX;
        }
    }
    until
}

/// The first of the moves from `reached` on that can have brought to its square what a change
/// shows, if it was not brought by what is going on now.
fn may_stand(story: Story<'_>, change: Change, reached: usize) -> Option<usize> {
    let Seen::Piece(piece) = change.seen else {
        return Some(reached);
    };
    if story.now.contains(change.square) {
        return Some(reached);
    }
    let turn = story.after.turn();
    let brings = |ply: usize| {
        let m = story.line[ply];
        let later = story.line.len() - ply;
        let by = if later.is_multiple_of(2) {
            turn
        } else {
            turn.other()
        };
        // Whoever stood there before may have been put right.
        let back = m.from() == Some(change.square) && m.role().of(by) == piece;
        let pawn = m.promotion().is_some() && piece == Role::Pawn.of(by);
        let brings = piece_of(m).of(by) == piece || pawn;
        let rook = m.is_castle() && piece == Role::Rook.of(by);
        back || ((brings || rook) && ends_of(m).0.contains(change.square))
    };
    (reached..story.line.len()).find(|&ply| brings(ply))
}

/// Whether a change shows where a pawn was promoted another kind of piece than it became.
fn promoted_otherwise(story: Story<'_>, change: Change) -> bool {
    let Seen::Piece(Piece { color, role }) = change.seen else {
        return false;
    };
    let mut to_move = story.after.turn();
    story.line.iter().rev().any(|&m| {
        to_move = to_move.other();
        let here = to_move == color && m.to() == change.square;
        let kind = m.promotion().filter(|_| here && role != Role::Pawn);
        kind.is_some_and(|kind| kind != role)
    })
}

/// Who makes a ply of a line that `first` begins.
pub(super) const fn mover_of(first: Color, ply: usize) -> Color {
    if ply.is_multiple_of(2) {
        first
    } else {
        first.other()
    }
}

/// What a move brings to its square.
pub(super) fn piece_of(m: Move) -> Role {
    m.promotion().unwrap_or(m.role())
}

/// Where a piece stood that a move takes.
pub(super) fn taken_by(m: Move) -> Option<Square> {
    match m {
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => m.is_capture().then(|| m.to()),
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
        Move::EnPassant { from, to } => ([from, to, taken_by(m).unwrap_or(to), to, to], 3),
        Move::Castle { king, rook } => {
            let (king_to, rook_to) = castling::targets(king, rook);
            ([king, rook, king_to, rook_to, rook_to], 4)
        }
        Move::Put { to, .. } => ([to; 5], 1),
    };
    squares.into_iter().take(count)
}

#[cfg(test)]
mod tests {
    use shakmaty::{
        Bitboard, CastlingMode, Chess, Color, Position, Square, fen::Fen, uci::UciMove,
    };

    use super::{Story, untold};
    use crate::changes::Changes;
    use remisd_vocabulary::{sensor::Seen, time::Millis};

    /// What the changes cost that the move of a rook from e1 to e5 does not need, if it stands on e3 for
    /// so long.
    fn with_a_stop_of(ms: Millis) -> u32 {
        let fen: Fen = "6k1/8/8/8/8/8/8/4R1K1 w - - 0 1".parse().unwrap();
        let mut after: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let m = "e1e5".parse::<UciMove>().unwrap().to_move(&after).unwrap();
        after.play_unchecked(m);
        let mut changes = Changes::none();
        let told = changes.count();
        let rook = Seen::Piece(Color::White.rook());
        changes.note(Square::E1, Seen::Empty, false, 1_000);
        changes.note(Square::E3, rook, false, 1_300);
        changes.note(Square::E3, Seen::Empty, false, 1_300 + ms);
        changes.note(Square::E5, rook, false, 1_500 + ms);
        let story = Story {
            changes: &changes,
            told,
            line: &[m],
            after: &after,
            now: Bitboard::EMPTY,
            scan_ms: 250,
        };
        untold(story, None)
    }

    #[test]
    fn a_stop_on_the_way_costs_the_more_the_longer_it_is() {
        let costs = [100, 499, 500, 999, 1_000, 2_000, 60_000].map(with_a_stop_of);
        assert_eq!(costs, [0, 0, 1, 1, 2, 3, 4]);
    }
}
