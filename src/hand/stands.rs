//! Positions that the board clearly showed, held against lines that do not lead through them.

use shakmaty::{Move, Position, attacks};

use super::{Hypothesis, castling::is_first_half_of, hypothesis::Stood};
use crate::time::Millis;

const MOST_FOR_STANDS: u32 = 24;
/// A position that showed for less may be what a scan saw of two others.
pub(super) const SEEN_MS: Millis = 120;

/// What all the positions cost that the board clearly showed after `from`, and that do not
/// look like it. Lines that were on the board at the same time look the same and count once.
pub(super) fn sum_of_stands(
    from: &Hypothesis,
    all: &[Hypothesis],
    cost: impl Fn(&[Move], Stood) -> u32,
) -> u32 {
    let length = from.line.len();
    let mut costs: Vec<(Millis, u32)> = all
        .iter()
        .filter(|other| other.line.len() > length && other.goes_on_from(from))
        .filter(|other| other.after.board() != from.after.board())
        .filter_map(|other| {
            let stood = other.stood.filter(|stood| stood.clear_ms > 0)?;
            Some((stood.from, cost(&other.line[length..], stood)))
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

/// The board clearly showed the position after `stood`; a line that does not lead through
/// it must say why.
pub(super) fn unexplained_stand(suffix: &[Move], line: &[Move], stood: Stood) -> u32 {
    let common = suffix.iter().zip(line).take_while(|(a, b)| a == b).count();
    let (Some(&other), Some(&made)) = (suffix.get(common), line.get(common)) else {
        return 0;
    };
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
    sum_of_stands(hypothesis, all, |suffix, stood| {
        let long = u32::try_from(stood.clear_ms).unwrap_or(u32::MAX);
        if suffix.len() == 1 && !stood.answered {
            (long / 500).min(4)
        } else {
            (1 + long / 200).min(10)
        }
    })
}
