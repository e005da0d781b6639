//! Positions that the board clearly showed, held against lines that do not lead through them.

use shakmaty::{Board, Chess, Move, Position, attacks};

use super::{
    Hypothesis, castling::is_first_half_of, due::UNSEEN_MS, hypothesis::Stood, lead::common_start,
};
use remisd_vocabulary::time::Millis;

const MOST_FOR_STANDS: u32 = 24;
/// A square that told nothing of its piece while the board showed the rest of a position.
const DEAD_SENSOR: u32 = 2;
/// A position that showed for less may be what a scan saw of two others.
pub(super) const SEEN_MS: Millis = 120;

/// What all the positions cost that the board clearly showed after `from`, and that do not
/// look like it. Lines that were on the board at the same time look the same and count once.
fn sum_of_stands<'a>(
    from: &Hypothesis,
    all: impl IntoIterator<Item = &'a Hypothesis>,
    cost: impl Fn(&[Move], Stood, &Board) -> u32,
) -> u32 {
    let length = from.line.len();
    let mut costs: Vec<(Millis, u32)> = all
        .into_iter()
        .filter_map(|other| Some((other, other.stood.filter(|stood| stood.clear_ms > 0)?)))
        .filter(|(other, _)| other.line.len() > length && other.goes_on_from(from))
        .filter(|(other, _)| other.after.board() != from.after.board())
        .map(|(other, stood)| {
            let shown = other.after.board();
            (stood.from, cost(&other.line[length..], stood, shown))
        })
        .collect();
    costs.sort_unstable();
    costs.dedup_by_key(|(from, _)| *from);
    costs
        .into_iter()
        .map(|(_, cost)| cost)
        .sum::<u32>()
        .min(MOST_FOR_STANDS)
}

/// What it costs a line from a hypothesis on that it does not lead through what the board clearly
/// showed: the positions after those of `shown`.
pub(super) fn avoided<'a>(
    from: &Hypothesis,
    line: &[Move],
    shown: impl IntoIterator<Item = &'a Hypothesis>,
) -> u32 {
    let boards = boards(&from.after, line);
    sum_of_stands(from, shown, |suffix, stood, shown| {
        unexplained_stand((suffix, stood, shown), line, &boards)
    })
}

/// The board clearly showed the position after `stood`; a line that does not lead through
/// it must say why.
fn unexplained_stand(
    (suffix, stood, shown): (&[Move], Stood, &Board),
    line: &[Move],
    boards: &[Board],
) -> u32 {
    let common = common_start(suffix, line);
    let (Some(&other), Some(&made)) = (suffix.get(common), line.get(common)) else {
        return 0;
    };
    if stood.clear_ms < UNSEEN_MS && lacks_one(shown, boards) {
        return DEAD_SENSOR;
    }
    let long = u32::try_from(stood.clear_ms).unwrap_or(u32::MAX);
    let only = suffix.len() == common + 1;
    if only && is_on_the_way(other, made) {
        return if stood.answered && stood.clear_ms >= SEEN_MS {
            1 + long / 200
        } else {
            long / 1_500
        };
    }
    if stood.clear_ms < SEEN_MS {
        return 1;
    }
    let hovers = other.from() == made.from() && other.to() != made.to();
    if only && !stood.answered && hovers {
        return (1 + long / 500).min(5);
    }
    (1 + long / 200).min(10)
}

/// The boards after each move of a line.
fn boards(from: &Chess, line: &[Move]) -> Vec<Board> {
    let mut position = from.clone();
    let played = line.iter().map(|&m| {
        position.play_unchecked(m);
        position.board().clone()
    });
    played.collect()
}

/// Whether the board showed, but for a piece that one square did not tell of, what stood after one
/// of the moves of a line.
fn lacks_one(shown: &Board, boards: &[Board]) -> bool {
    let lacks = |board: &Board| {
        let missing = board.occupied() & !shown.occupied();
        let pieces = |square| board.piece_at(square) == shown.piece_at(square);
        missing.count() == 1
            && shown.occupied().is_subset(board.occupied())
            && (board.occupied() & !missing).into_iter().all(pieces)
    };
    boards.iter().any(lacks)
}

/// Whether a piece that makes `m` may have shown itself as `stop` before.
fn is_on_the_way(stop: Move, m: Move) -> bool {
    let (Some(from), Some(stopped_from)) = (m.from(), stop.from()) else {
        return false;
    };
    match (stop, m) {
        (Move::Normal { .. }, Move::Castle { .. }) => is_first_half_of(stop, m),
        _ => from == stopped_from && attacks::between(from, m.to()).contains(stop.to()),
    }
}

/// The board clearly showed lines that go on from this one: whoever believes that they
/// were not played must believe that all of it was put back.
pub(super) fn returned(hypothesis: &Hypothesis, all: &[Hypothesis]) -> u32 {
    sum_of_stands(hypothesis, all, |suffix, stood, _| {
        let long = u32::try_from(stood.clear_ms).unwrap_or(u32::MAX);
        if suffix.len() == 1 && !stood.answered {
            (long / 500).min(4)
        } else {
            (1 + long / 200).min(10)
        }
    })
}
