//! What the board, the clock and the hands show now, held against a line.

use shakmaty::{Bitboard, Chess, Color, Position, Square, attacks};

use super::{
    Hypothesis,
    changes::Changes,
    hypothesis::{FOREIGN, MISSING},
    lever::Presses,
    order::late_by,
    sight::{Difference, Sight},
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

/// A square whose sensor still tells of the piece that has left it, besides.
const STUCK: u32 = 3;
/// A clock lever that was turned to the other side since.
const LEVER: u32 = 6;
/// The same where nobody saw what was done: he may not have pressed yet, so that it makes lines
/// rivals, and decides nothing.
const OTHER_TO_MOVE: u32 = 2;
/// A capture may be thought over by so many times as much as anything else that is amiss.
const SLOW_CAPTURE: u32 = 4;
/// The most for a board that rests with a piece where it should not be.
const MOST_FOR_REST: u32 = 8;
/// Each of these times that it rests so.
pub(super) const REST_MS: Millis = 500;
/// When all of that has been held against it.
pub(super) const REST_IN_ALL_MS: Millis = MOST_FOR_REST as Millis * REST_MS;
/// And the most that it is held against a line for good, when the board rested as after another.
const MOST_FOR_LONG_REST: u32 = 8;
/// Within this time a piece that was knocked over is put up again.
pub(super) const KNOCKED_MS: Millis = 2_200;
/// Each of these times that a piece stands longer where it should not.
const LONG_AMISS_MS: Millis = 500;
const MOST_FOR_LONG_AMISS: u32 = 12;
/// The same for one that is missing, each.
const MOST_FOR_HELD: u32 = 5;
/// A piece that has been in the hand for longer may as well have taken another one, each.
const IDLE_MS: Millis = 3_000;
const LONG_IDLE_MS: Millis = 1_000;
/// When all of that has been held against it.
pub(super) const IDLE_IN_ALL_MS: Millis = IDLE_MS + MOST_FOR_HELD as Millis * LONG_IDLE_MS;
/// A piece that was taken up when another one had been put down where it could have captured.
const HELD_AFTER_EXCHANGE: u32 = 4;
/// Moves that were made while a piece stood where it should not.
const PLAYED_ON: u32 = 4;

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
            + self.held_long(hypothesis)
            + self.held_after_exchange(hypothesis)
            + self.lever(hypothesis)
            + self.pressed(hypothesis)
    }

    /// What the lever says against it.
    fn lever(&self, hypothesis: &Hypothesis) -> u32 {
        let told = lever(hypothesis, self.presses, self.changes, self.scan_ms);
        let other = |to_move| to_move != hypothesis.after.turn();
        if self.to_move.is_some_and(other) {
            told.max(OTHER_TO_MOVE)
        } else {
            told
        }
    }

    /// Where kinds are not known: a piece that is still missing when something has been played since,
    /// or has been missing for long, was put on another one, which it has taken.
    fn held_long(&self, hypothesis: &Hypothesis) -> u32 {
        if self.sight.knows_kinds() {
            return 0;
        }
        // Where something was played since, time alone changes nothing: what is clear now stays so
        // until the next change.
        let changed_at = self.at.saturating_sub(self.rest_ms);
        let played = (hypothesis.line.iter())
            .filter_map(|m| self.changes.at(m.to()))
            .max();
        let lifted = (hypothesis.difference.missing.into_iter())
            .filter_map(|square| self.changes.at(square));
        let long = lifted.map(|lifted| {
            let since = played.is_some_and(|played| lifted + self.scan_ms < played);
            let after = changed_at.saturating_sub(lifted + KNOCKED_MS) / LONG_AMISS_MS;
            let idle = self.at.saturating_sub(lifted + IDLE_MS) / LONG_IDLE_MS;
            let long = idle.max(if since { after } else { 0 });
            u32::try_from(long).unwrap_or(u32::MAX).min(MOST_FOR_HELD)
        });
        long.sum()
    }

    /// Where kinds are not known: who is told to have taken a piece up after another one was put down,
    /// or at most a scan before it, has put it there, and taken what stood there.
    fn held_after_exchange(&self, hypothesis: &Hypothesis) -> u32 {
        let Some(held) = hypothesis.difference.missing.single_square() else {
            return 0;
        };
        let lifted = self.changes.at(held).unwrap_or(0);
        let exchanged = (self.changes).exchanged_since(lifted.saturating_sub(self.scan_ms));
        let takes = |at: Square| {
            let captures = hypothesis.after.capture_moves();
            let unknown = self.sight.unknown().contains(at);
            unknown
                && captures
                    .iter()
                    .any(|m| m.from() == Some(held) && m.to() == at)
        };
        if exchanged.is_some_and(takes) {
            HELD_AFTER_EXCHANGE
        } else {
            0
        }
    }

    /// What the number of presses says against it.
    fn pressed(&self, hypothesis: &Hypothesis) -> u32 {
        let made = hypothesis.line.iter().rev();
        let ago = made.map(|m| Some(self.at.saturating_sub(self.changes.at(m.to())?)));
        self.presses.cost(hypothesis, ago)
    }
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
    let long = u32::try_from(rest_ms / REST_MS).unwrap_or(u32::MAX);
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

/// What it costs a line for good that the board rested as after others, none of which goes on from
/// it, while a piece stood where it should not be.
pub(super) fn rested_elsewhere(
    hypothesis: &Hypothesis,
    shown: &[&Hypothesis],
    rest_ms: Millis,
) -> u32 {
    let Difference { foreign, missing } = hypothesis.difference;
    let leads_there = || shown.iter().any(|shown| shown.goes_on_from(hypothesis));
    if foreign.is_empty() || missing.is_empty() || leads_there() {
        return 0;
    }
    let long = u32::try_from(rest_ms / REST_MS).unwrap_or(u32::MAX);
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
