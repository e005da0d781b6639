//! What stood on the board when a player pressed his clock, held against a line of moves.

use shakmaty::{Bitboard, Position, Square};

use super::{
    changes::{Change, Pressed},
    story::{Story, changed_by, ends_of, taken_by},
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

/// Somebody pressed while his piece stood where none of his moves ends.
const PRESSED_ELSEWHERE: u32 = 4;

/// Who presses has moved: his pieces stand as after one of his moves, or are still as they
/// were, but for those that have been taken up since.
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
        let mut pieces = pressed.pieces & !(now | fallen | gone);
        // What is missing now may have been taken up by the opponent in the meantime.
        let held = (held(story, pressed, story.scan_ms) & !(now | fallen))
            | (held(story, pressed, 2 * story.scan_ms) & now & !fallen);
        let mut mover = after.turn();
        let mut stood = after.board().by_color(pressed.by);
        // What the opponent takes next may be in his hand.
        let mut taken = Bitboard::EMPTY;
        let mut later = Bitboard::EMPTY;
        for &m in line.iter().rev() {
            mover = mover.other();
            let (to, from) = ends_of(m);
            if mover == pressed.by {
                if pieces.is_superset(to) {
                    // A sensor may go on telling of the piece that has left.
                    pieces &= !from;
                }
                let made = !came_after(story, pressed, to & !(later | pressed.pieces));
                if made && pieces.is_subset(stood) && (held & stood & !taken).is_empty() {
                    return true;
                }
                stood = (stood & !to) | from;
            } else {
                taken = taken_by(m).map_or(Bitboard::EMPTY, Bitboard::from);
                // What was taken by this move stood before.
                stood |= taken;
            }
            later |= to | from;
        }
        pieces.is_subset(stood) && (held & stood & !taken).is_empty()
    };
    let amiss = story.changes.presses_since(told).any(|one| !matches(one));
    if amiss { PRESSED_ELSEWHERE } else { 0 }
}

/// The squares that had been told to be left for so long when somebody pressed: what stood there was
/// in a hand, or stood elsewhere.
fn held(story: Story<'_>, pressed: &Pressed, ms: Millis) -> Bitboard {
    let before = usize::try_from(pressed.told.saturating_sub(story.told)).unwrap_or(usize::MAX);
    let mut held = Bitboard::EMPTY;
    for change in story.changes.since(story.told).take(before) {
        let left = change.is_empty() && change.at + ms <= pressed.at;
        held.set(change.square, left);
    }
    held
}

/// Whether a piece was told to come to one of `squares` more than a scan after somebody pressed.
fn came_after(story: Story<'_>, pressed: &Pressed, squares: Bitboard) -> bool {
    let mut all = story.changes.since(story.told);
    all.any(|change| {
        let late = change.at > pressed.at + story.scan_ms;
        late && !change.is_empty() && squares.contains(change.square)
    })
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
