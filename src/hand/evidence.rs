//! What the events say for and against a line.
//!
//! A line does not only have to end in what is seen: it has to explain how that came
//! about. Costs are small numbers; a difference of [`margin`] is taken for clear.
//!
//! What single changes say is in [`super::story`], their order in [`super::order`]; here is what was seen of
//! whole positions, and what the board, the clock and the hands show now.

use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square, attacks};

use super::{
    Hypothesis,
    castling::is_first_half_of,
    changes::Changes,
    hypothesis::{FOREIGN, MISSING, Stood},
    lever::Presses,
    order::late_by,
    sight::{Difference, Sight},
};
use crate::{board::event::Seen, time::Millis};

/// What is cheaper by less than this is as good.
const MARGIN: u32 = 3;
/// One more for each of so many that the cheapest costs itself: where much is unexplained,
/// little decides nothing.
const COSTS_FOR_MARGIN: u32 = 5;
/// A ply whose position was never seen by itself.
const SKIPPED: u32 = 1;
/// Each further one, besides.
const SKIPPED_MORE: u32 = 1;
/// A piece that moves again, the reply to its first move never seen by itself.
const AGAIN: u32 = 1;
/// A line that costs so much at once is not believed, even if nothing else explains the squares.
pub(super) const INCREDIBLE: u32 = 9;
/// Nor one that costs so much in all: a single ply, more for each that follows, and any line.
const INCREDIBLE_IN_ALL: u32 = 18;
const INCREDIBLE_PER_PLY: u32 = 3;
const INCREDIBLE_IN_ANY: u32 = 30;
/// A move to a square on which nothing was seen.
const NOTHING_SEEN: u32 = 1;
/// And more, if the piece was played on from there: nobody saw it on that square at all.
const PASSED_UNSEEN: u32 = 3;
/// The same where all squares were told at once, so that more may have happened between.
const PASSED_BETWEEN: u32 = 1;
/// And more for each time that two moves of a hurried hand take.
const PASSED_SLOWLY: u32 = 2;
const MOST_FOR_SLOW: u32 = 6;
/// Two moves of the same piece, a glance at the reply between them.
const HURRY_MS: Millis = 700;
/// A piece that was taken where nobody saw it come to stand: it may still be in the hand.
const TAKEN_UNSEEN: u32 = 1;
/// A piece that nobody saw come to stand, on boards without kinds.
const UNSEEN_LANDING: u32 = 3;
/// A pawn that becomes anything but a queen, on boards without kinds.
const UNDERPROMOTED: u32 = 6;
/// A square whose sensor still tells of the piece that has left it, besides.
const STUCK: u32 = 3;
/// A clock lever that was turned to the other side since.
const LEVER: u32 = 6;
/// A capture may be thought over by so many times as much as anything else that is amiss.
const SLOW_CAPTURE: u32 = 4;
/// The most for a board that rests with a piece where it should not be.
const MOST_FOR_REST: u32 = 8;
/// And the most that it is held against a line for good, when the board rested as after another.
const MOST_FOR_LONG_REST: u32 = 8;
/// Within this time a piece that was knocked over is put up again.
const KNOCKED_MS: Millis = 2_200;
/// Each of these times that a piece stands longer where it should not.
const LONG_AMISS_MS: Millis = 500;
const MOST_FOR_LONG_AMISS: u32 = 12;
/// Moves that were made while a piece stood where it should not.
const PLAYED_ON: u32 = 4;
const MOST_FOR_STANDS: u32 = 24;
/// A position that showed for less may be what a scan saw of two others.
const SEEN_MS: Millis = 120;

/// How much more a line has to cost than the cheapest, which costs `best`, to be no rival.
pub(super) const fn margin(best: u32) -> u32 {
    MARGIN + best / COSTS_FOR_MARGIN
}

/// What a line of so many plies must cost at least to be believed no more.
pub(super) fn incredible_in_all(plies: usize) -> u32 {
    let later = u32::try_from(plies.saturating_sub(1)).unwrap_or(u32::MAX);
    let whole = INCREDIBLE_IN_ALL.saturating_add(INCREDIBLE_PER_PLY.saturating_mul(later));
    whole.min(INCREDIBLE_IN_ANY)
}

/// What a further line costs beyond the hypothesis it goes on from.
pub(super) fn cost(
    from: &Hypothesis,
    line: &[Move],
    all: &[Hypothesis],
    sight: &Sight,
    changes: &Changes,
) -> u32 {
    let unseen_origin = usize::from(!from.was_seen(SEEN_MS));
    let skipped = u32::try_from(line.len().saturating_sub(1) + unseen_origin).unwrap_or(u32::MAX);
    let many = SKIPPED_MORE * skipped.saturating_sub(1);
    let since = from.since();
    let unknown = sight.unknown();
    let happened = |square: Square| changes.at(square).is_some_and(|at| at >= since);
    // A piece that is taken at once may not have been seen where it was taken.
    let taken = |ply: usize| line.get(ply + 1).is_some_and(|m| m.to() == line[ply].to());
    let landed = |ply: usize| {
        let here = |m: &&Move| m.to() == line[ply].to();
        changes.landings(line[ply].to(), since) >= line[..=ply].iter().filter(here).count()
    };
    let unseen: u32 = line
        .iter()
        .enumerate()
        .map(|(ply, m)| {
            if unknown.contains(m.to()) {
                unseen(*m, landed(ply))
            } else {
                if taken(ply) {
                    return TAKEN_UNSEEN * u32::from(!landed(ply + 1));
                }
                let unseen = !happened(m.to());
                let goes_on = |later: &Move| later.from() == Some(m.to());
                let on = line[ply + 1..].iter().find(|later| goes_on(later));
                let passed = on.filter(|_| unseen).map(|on| passed(*m, *on, changes));
                NOTHING_SEEN * u32::from(unseen) + passed.unwrap_or(0)
            }
        })
        .sum();
    let stands = sum_of_stands(from, all, |suffix, stood| {
        unexplained_stand(suffix, line, stood)
    });
    SKIPPED * skipped + many + again(from, line) + unseen + stands
}

/// What it costs that a piece was moved to a square and on from there, and nobody saw it
/// stand: whoever does that within a scan of the board does it in a hurry.
fn passed(there: Move, on: Move, changes: &Changes) -> u32 {
    let lifted = there.from().and_then(|from| changes.at(from));
    let placed = changes.at(on.to());
    let slow = match (lifted, placed) {
        (Some(lifted), Some(placed)) => placed.saturating_sub(lifted + HURRY_MS) / HURRY_MS,
        _ => 0,
    };
    let slow = u32::try_from(slow).unwrap_or(u32::MAX);
    let at_once = |square: Square| changes.was_told_at_once(square);
    let unseen = if there.from().is_some_and(at_once) || at_once(on.to()) {
        PASSED_BETWEEN
    } else {
        PASSED_UNSEEN
    };
    unseen + (PASSED_SLOWLY * slow).min(MOST_FOR_SLOW)
}

/// What it costs that pieces moved again although the reply to their first move was never
/// seen by itself: they may only have been on their way.
fn again(from: &Hypothesis, line: &[Move]) -> u32 {
    let whole = [&from.line[..], line].concat();
    let first = from.line.len() + usize::from(from.was_seen(SEEN_MS));
    let again = |ply: &usize| whole[*ply].from() == Some(whole[*ply - 2].to());
    let moved = (first.max(2)..whole.len()).filter(again).count();
    AGAIN * u32::try_from(moved).unwrap_or(u32::MAX)
}

/// What all the positions cost that the board clearly showed after `from`, and that do not
/// look like it. Lines that were on the board at the same time look the same and count once.
fn sum_of_stands(
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

/// A move whose kind of piece nobody could see.
fn unseen(m: Move, landed: bool) -> u32 {
    let landing = UNSEEN_LANDING * u32::from(!landed);
    let promotion = match m.promotion() {
        Some(Role::Queen) | None => 0,
        Some(_) => UNDERPROMOTED,
    };
    landing + promotion
}

/// The board clearly showed the position after `stood`; a line that does not lead through
/// it must say why.
fn unexplained_stand(suffix: &[Move], line: &[Move], stood: Stood) -> u32 {
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

/// What is known now, besides the hypotheses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Now<'a> {
    pub(super) sight: &'a Sight,
    pub(super) changes: &'a Changes,
    pub(super) presses: &'a Presses,
    /// Whose move it is by the clock, where the board has not seen what was done.
    pub(super) to_move: Option<Color>,
    pub(super) at: Millis,
    /// For how long nothing has changed.
    pub(super) rest_ms: Millis,
    pub(super) scan_ms: Millis,
}

impl Now<'_> {
    /// What a hypothesis costs: what it left unexplained, and what is on the board, the
    /// clock and in the hands.
    pub(super) fn total(&self, hypothesis: &Hypothesis) -> u32 {
        let stuck = stuck(hypothesis, self.sight, self.changes);
        let strange = hypothesis.difference.foreign & !stuck;
        let dead = STUCK * u32::try_from(stuck.count()).unwrap_or(u32::MAX);
        hypothesis
            .cost
            .saturating_add(hypothesis.unexplained())
            .saturating_sub(sliding(hypothesis, self.sight, self.rest_ms))
            + hypothesis.story(self.changes, self.scan_ms)
            + dead
            + rests_amiss(hypothesis, strange, self.rest_ms)
            + stands_long(strange, self.changes, self.at)
            + played_on(hypothesis, strange, self.changes, self.scan_ms)
            + self.lever(hypothesis)
            + self.pressed(hypothesis)
    }

    /// What the lever says against it.
    fn lever(&self, hypothesis: &Hypothesis) -> u32 {
        let told = lever(hypothesis, self.presses, self.changes, self.scan_ms);
        let other = |to_move| to_move != hypothesis.after.turn();
        if self.to_move.is_some_and(other) {
            told.max(LEVER)
        } else {
            told
        }
    }

    /// What the number of presses says against it.
    fn pressed(&self, hypothesis: &Hypothesis) -> u32 {
        let made = hypothesis.line.iter().rev();
        let ago = made.map(|m| Some(self.at.saturating_sub(self.changes.at(m.to())?)));
        self.presses.cost(hypothesis, ago)
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

/// A piece that has just come to a square on its way to another one is no stranger there.
fn sliding(hypothesis: &Hypothesis, sight: &Sight, rest_ms: Millis) -> u32 {
    let hurry = u32::try_from(rest_ms / 100).unwrap_or(u32::MAX);
    let spared = (FOREIGN - MISSING).saturating_sub(hurry);
    let Some(at) = hypothesis.difference.foreign.single_square() else {
        return 0;
    };
    let position = &hypothesis.after;
    let board = position.board();
    let held = hypothesis.difference.missing & position.us() & board.sliders();
    if spared == 0 || held.is_empty() {
        return 0;
    }
    let may_be = |from: Square| match sight.get(at) {
        Seen::Piece(piece) => board.piece_at(from) == Some(piece),
        Seen::Occupied => true,
        Seen::Empty | Seen::ResultPiece(_) => false,
    };
    let on_the_way = |from: Square| {
        let reach = attacks::attacks(from, board.piece_at(from)?, sight.occupied().without(at));
        let goes_on = reach
            .into_iter()
            .any(|to| attacks::between(from, to).contains(at));
        Some(goes_on && may_be(from))
    };
    let slides = held
        .into_iter()
        .any(|from| on_the_way(from).unwrap_or(false));
    if slides { spared } else { 0 }
}

/// Two pieces of different players do not stay in the hand: a capture takes a moment. Nor
/// does a piece that should not be there come to rest.
fn rests_amiss(hypothesis: &Hypothesis, strange: Bitboard, rest_ms: Millis) -> u32 {
    let missing = hypothesis.difference.missing;
    let board = hypothesis.after.board();
    let both = (missing & board.white()).any() && (missing & board.black()).any();
    let long = u32::try_from(rest_ms / 500).unwrap_or(u32::MAX);
    if both && is_capturing(&hypothesis.after, missing) {
        long / SLOW_CAPTURE
    } else if both {
        long
    } else if strange.any() || (missing & hypothesis.after.them()).any() {
        // Who has moved does not take his piece up again and keep it.
        long.min(MOST_FOR_REST)
    } else {
        0
    }
}

/// A piece that stands where it should not was knocked over and is put up again soon, or it was
/// played there.
fn stands_long(strange: Bitboard, changes: &Changes, now: Millis) -> u32 {
    let since = (strange.into_iter())
        .filter_map(|square| changes.at(square))
        .min();
    let long = since.map_or(0, |since| {
        now.saturating_sub(since + KNOCKED_MS) / LONG_AMISS_MS
    });
    u32::try_from(long)
        .unwrap_or(u32::MAX)
        .min(MOST_FOR_LONG_AMISS)
}

/// What it costs a line for good that the board rested as after another one, which does not
/// go on from it, while a piece stood where it should not be.
pub(super) fn rested_elsewhere(
    hypothesis: &Hypothesis,
    shown: &Hypothesis,
    rest_ms: Millis,
) -> u32 {
    let Difference { foreign, missing } = hypothesis.difference;
    if foreign.is_empty() || missing.is_empty() || shown.goes_on_from(hypothesis) {
        return 0;
    }
    let long = u32::try_from(rest_ms / 500).unwrap_or(u32::MAX);
    long.min(MOST_FOR_LONG_REST.saturating_sub(hypothesis.rested_against))
}

/// Squares that moved pieces have left while their sensors still tell of them: they have not
/// looked yet, or are dead.
fn stuck(hypothesis: &Hypothesis, sight: &Sight, changes: &Changes) -> Bitboard {
    let foreign = hypothesis.difference.foreign;
    if foreign.is_empty() {
        return Bitboard::EMPTY;
    }
    let mut mover = hypothesis.after.turn();
    let mut stuck = Bitboard::EMPTY;
    for &m in hypothesis.line.iter().rev() {
        mover = mover.other();
        let Some(from) = m.from().filter(|from| foreign.contains(*from)) else {
            continue;
        };
        let stays = sight.get(from) == Seen::Piece(m.role().of(mover));
        if stays && changes.at(from) < changes.at(m.to()) {
            stuck.add(from);
        }
    }
    stuck
}

/// Whether the player having the move may be taking one of the pieces that are up with the
/// other.
fn is_capturing(position: &Chess, missing: Bitboard) -> bool {
    missing.count() == 2
        && position.legal_moves().into_iter().any(|m| {
            m.is_capture()
                && m.from().is_some_and(|from| missing.contains(from))
                && missing.contains(m.to())
        })
}

/// Something stands where it should not, or is missing, and has since before the last
/// moves were made: nobody plays with a piece in his hand.
fn played_on(
    hypothesis: &Hypothesis,
    strange: Bitboard,
    changes: &Changes,
    scan_ms: Millis,
) -> u32 {
    let mut last = hypothesis.line.iter().rev();
    let placed = last.next().and_then(|m| changes.at(m.to()));
    // Who replies takes his piece when the other has taken his, not sooner.
    let lifted = hypothesis.line.last().and_then(|m| changes.at(m.from()?));
    let before_it = last.next().and_then(|m| changes.at(m.to()));
    let before = |square: Square, played: Option<Millis>| match (changes.at(square), played) {
        (Some(at), Some(made)) if at < made => late_by(made - at, scan_ms).min(PLAYED_ON),
        _ => 0,
    };
    let strange = strange.into_iter();
    let strange = strange.map(|square| before(square, placed)).max();
    let held = hypothesis.difference.missing.into_iter().map(|square| {
        if hypothesis.after.them().contains(square) {
            before(square, placed)
        } else {
            before(square, before_it).max(before(square, lifted))
        }
    });
    // A piece that has been knocked over is missing in one place and strange in another.
    strange.into_iter().chain(held).max().unwrap_or(0)
}

/// Whether the piece of the last ply but one was up again when the reply to it was begun: it
/// was still on its way to another square.
pub(super) fn is_answered_in_flight(
    hypothesis: &Hypothesis,
    changes: &Changes,
    scan_ms: Millis,
) -> bool {
    let [.., answered, reply] = hypothesis.line[..] else {
        return false;
    };
    let up = hypothesis.difference.missing.contains(answered.to());
    match (
        changes.at(answered.to()),
        reply.from().and_then(|from| changes.at(from)),
    ) {
        (Some(lifted), Some(replied)) => up && lifted + 2 * scan_ms < replied,
        _ => false,
    }
}

/// The lever has been turned since the position stood, and not to the side to move.
fn lever(hypothesis: &Hypothesis, presses: &Presses, changes: &Changes, scan_ms: Millis) -> u32 {
    let placed = hypothesis.line.last().and_then(|m| changes.at(m.to()));
    let moved = placed.unwrap_or(0).max(hypothesis.from);
    let from = hypothesis.stood.map_or(moved, |stood| stood.from);
    match presses.last {
        // A clock tells a press a moment late: it may have been for the ply before.
        Some(turned) if turned.at > from && !presses.agrees(hypothesis) => {
            late_by(turned.at - from, scan_ms).min(LEVER)
        }
        _ => 0,
    }
}
