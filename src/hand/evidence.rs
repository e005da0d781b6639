//! What the events say for and against a line.
//!
//! A line does not only have to end in what is seen: it has to explain how that came
//! about. Costs are small numbers; a difference of [`margin`] is taken for clear.
//!
//! What single changes say is in [`super::story`], their order in [`super::order`], whole positions
//! that were shown in [`super::stands`], and what is so now in [`super::present`]. Here is what the
//! moves of a line cost by themselves, and when a line is cheap enough.

use shakmaty::{Move, Position, Role, Square};

use super::{
    Hypothesis,
    changes::Changes,
    due::UNSEEN_MS,
    sight::Sight,
    stands::{SEEN_MS, avoided},
    story::{mover_of, piece_of},
};
use remisd_vocabulary::time::Millis;

/// What is cheaper by less than this is as good.
const MARGIN: u32 = 3;
/// One more for each of so many that the cheapest costs itself: where much is unexplained,
/// little decides nothing.
const COSTS_FOR_MARGIN: u32 = 5;
/// But not more than so many.
const MOST_MORE: u32 = 4;
/// A ply whose position was never seen by itself.
const SKIPPED: u32 = 1;
/// Each further one, besides.
const SKIPPED_MORE: u32 = 1;
/// A piece that moves again, the reply to its first move never seen by itself.
const AGAIN: u32 = 1;
/// A line that costs so much at once is not believed, even if nothing else explains the squares.
pub(super) const INCREDIBLE: u32 = 9;
/// Nor one that costs so much in all: a single ply, more for each that follows, up to so much, and
/// beyond a few plies for each.
const INCREDIBLE_IN_ALL: u32 = 18;
const INCREDIBLE_PER_PLY: u32 = 3;
const INCREDIBLE_IN_ANY: u32 = 30;
const BRIEF: u32 = 8;
const HURRIED_PER_PLY: u32 = 1;
/// The same where no kinds are seen: each capture out of sight costs something.
const HURRIED_WITHOUT_KINDS: u32 = 2;
/// A move to a square on which nothing was seen.
const NOTHING_SEEN: u32 = 1;
/// And more, if the piece was played on from there: nobody saw it on that square at all.
const PASSED_UNSEEN: u32 = 3;
/// The same where all squares were told at once, so that more may have happened between.
const PASSED_BETWEEN: u32 = 1;
/// And more for each time that two moves of a hurried hand take.
const PASSED_SLOWLY: u32 = 2;
const MOST_FOR_SLOW: u32 = 2;
/// The most for one that must have stood there for longer than a square is dead, or all squares
/// were not told.
const STOOD_UNSEEN: u32 = 10;
/// Two moves of the same piece, a glance at the reply between them.
pub(super) const HURRY_MS: Millis = 700;
/// A piece that was taken where nobody saw it come to stand: it may still be in the hand.
const TAKEN_UNSEEN: u32 = 1;
/// A piece that nobody saw come to stand, on boards without kinds.
const UNSEEN_LANDING: u32 = 3;
/// A pawn that becomes anything but a queen, on boards without kinds.
const UNDERPROMOTED: u32 = 6;

/// How much more a line has to cost than the cheapest, which costs `best`, to be no rival.
pub(super) const fn margin(best: u32) -> u32 {
    let more = best / COSTS_FOR_MARGIN;
    MARGIN + if more < MOST_MORE { more } else { MOST_MORE }
}

/// What a line of so many plies must cost at least to be believed no more.
pub(super) fn incredible_in_all(plies: usize, no_kinds: bool) -> u32 {
    let plies = u32::try_from(plies).unwrap_or(u32::MAX);
    let later = INCREDIBLE_PER_PLY.saturating_mul(plies.saturating_sub(1));
    let all = INCREDIBLE_IN_ALL.saturating_add(later);
    let brief = all.min(INCREDIBLE_IN_ANY);
    let per_ply = if no_kinds {
        HURRIED_WITHOUT_KINDS
    } else {
        HURRIED_PER_PLY
    };
    // A hurried hand leaves a little unexplained at each ply.
    brief.saturating_add(per_ply.saturating_mul(plies.saturating_sub(BRIEF)))
}

/// What a further line costs beyond the hypothesis it goes on from.
pub(super) fn cost(
    from: &Hypothesis,
    line: &[Move],
    all: &[Hypothesis],
    sight: &Sight,
    changes: &Changes,
    scan_ms: Millis,
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
        let to = line[ply].to();
        let made = line[..=ply].iter().filter(here).count();
        // Where the board never showed it, what was told since may be of its last moves.
        let (landings, before) = if from.stood.is_some() {
            (changes.landings(to, since), 0)
        } else {
            let before = from.untold.iter().filter(here).count();
            (changes.landings_after(to, from.told, since), before)
        };
        landings >= before + made
            // The board may tell of what was taken before it tells what took it.
            || (ply == 0
                && from.line.last().is_none_or(|last| last.to() != to)
                && changes.exchanged_since(since.saturating_sub(scan_ms)) == Some(to))
    };
    let lifted = |m: Move| m.from().and_then(|from| changes.at(from));
    let unseen: u32 = line
        .iter()
        .enumerate()
        .map(|(ply, m)| {
            if unknown.contains(m.to()) {
                let reply = line.get(ply + 1).filter(|_| taken(ply) && !landed(ply + 1));
                // Its square was told of before the reply was begun: it had come by then.
                let stood = |reply: &Move| {
                    happened(m.to()) && changes.at(m.to()) < lifted(*reply) && landed(ply)
                };
                let reply = reply.filter(|reply| !stood(reply));
                let slow = reply.map_or(0, |reply| slowly(lifted(*m), lifted(*reply)));
                unseen(*m, landed(ply)) + slow
            } else {
                if taken(ply) {
                    return TAKEN_UNSEEN * u32::from(!landed(ply + 1));
                }
                let mover = mover_of(from.after.turn(), ply);
                let only_others =
                    || changes.only_others_came(m.to(), piece_of(*m).of(mover), since);
                let unseen = !happened(m.to()) || only_others();
                let goes_on = |later: &Move| later.from() == Some(m.to());
                let on = line[ply + 1..].iter().find(|later| goes_on(later));
                let passed = on.filter(|_| unseen).map(|on| passed(*m, *on, changes));
                NOTHING_SEEN * u32::from(unseen) + passed.unwrap_or(0)
            }
        })
        .sum();
    SKIPPED * skipped + many + again(from, line) + unseen + avoided(from, line, all)
}

/// What it costs that a piece was moved to a square and on from there, and nobody saw it
/// stand: whoever does that within a scan of the board does it in a hurry.
fn passed(there: Move, on: Move, changes: &Changes) -> u32 {
    let lifted = there.from().and_then(|from| changes.at(from));
    let placed = changes.at(on.to());
    let slow = slowly(lifted, placed);
    let at_once = |square: Square| changes.was_told_at_once(square);
    let unseen = if there.from().is_some_and(at_once) || at_once(on.to()) {
        PASSED_BETWEEN
    } else {
        PASSED_UNSEEN
    };
    unseen + slow
}

/// What it costs that a piece which nobody saw stand was there from the first moment to the second:
/// more than two moves of a hurried hand take.
fn slowly(from: Option<Millis>, to: Option<Millis>) -> u32 {
    let slow = match (from, to) {
        (Some(from), Some(to)) => to.saturating_sub(from + HURRY_MS) / HURRY_MS,
        _ => 0,
    };
    let slow = u32::try_from(slow).unwrap_or(u32::MAX);
    let stood = matches!((from, to), (Some(from), Some(to)) if to > from + UNSEEN_MS);
    let most = if stood { STOOD_UNSEEN } else { MOST_FOR_SLOW };
    PASSED_SLOWLY.saturating_mul(slow).min(most)
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

/// A move whose kind of piece nobody could see.
fn unseen(m: Move, landed: bool) -> u32 {
    let landing = UNSEEN_LANDING * u32::from(!landed);
    let promotion = match m.promotion() {
        Some(Role::Queen) | None => 0,
        Some(_) => UNDERPROMOTED,
    };
    landing + promotion
}
