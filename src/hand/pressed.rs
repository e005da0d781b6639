//! What stood on the board when a player pressed his clock, held against a line of moves.

use shakmaty::{Bitboard, Position, Square};

use super::{
    changes::{Change, Pressed},
    story::{Story, changed_by, ends_of},
};
use crate::board::event::Seen;

/// Somebody pressed while his piece stood where none of his moves ends.
const PRESSED_ELSEWHERE: u32 = 4;

/// Who presses has moved: his pieces stand as after one of his moves, or are still as they
/// were, but for those that he has taken up again.
pub(super) fn pressed_elsewhere(story: Story<'_>) -> u32 {
    let Story {
        told,
        line,
        after,
        now,
        ..
    } = story;
    let presses = story.changes.presses_since(told);
    if presses.count() == 0 {
        return 0;
    }
    let fallen = fallen(story);
    let matches = |pressed: &Pressed| {
        // What is told to have been left soon after had been left when he pressed: the board tells
        // later than the clock.
        let gone: Bitboard = (story.changes.since(pressed.told))
            .take_while(|change| change.at <= pressed.at + story.scan_ms / 2)
            .filter(|change| change.is_empty())
            .map(|change| change.square)
            .collect();
        let pieces = pressed.pieces & !(now | fallen | gone);
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
    let amiss = story.changes.presses_since(told).any(|one| !matches(one));
    if amiss { PRESSED_ELSEWHERE } else { 0 }
}

/// The squares on which pieces lay that had been knocked over there from another one, and were
/// put up on that again.
fn fallen(story: Story<'_>) -> Bitboard {
    let Story {
        changes,
        told,
        line,
        after,
        scan_ms,
        ..
    } = story;
    let moved: Bitboard = line.iter().copied().flat_map(changed_by).collect();
    let mut fallen = Bitboard::EMPTY;
    for (index, lies) in changes.since(told).enumerate() {
        let Seen::Piece(piece) = lies.seen else {
            continue;
        };
        if moved.contains(lies.square) {
            continue;
        }
        let home = |at: Square| !moved.contains(at) && after.board().piece_at(at) == Some(piece);
        let falls = |change: &Change| {
            change.is_empty() && home(change.square) && change.at.abs_diff(lies.at) <= scan_ms
        };
        let stands = |from: Square| {
            let up = |change: Change| change.square == from && change.shows(piece);
            changes.since(told).skip(index + 1).any(up)
        };
        if (changes.since(told)).any(|change| falls(&change) && stands(change.square)) {
            fallen.add(lies.square);
        }
    }
    fallen
}
