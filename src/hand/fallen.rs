//! Pieces that were knocked over: onto a square to which they could have moved, or put up again
//! where nobody saw it.

use shakmaty::{Color, Move, Position};

use super::{
    changes::Change,
    order::placed_on,
    present::KNOCKED_MS,
    story::{Story, piece_of},
    tracker::Tracker,
};
use crate::{board::event::Seen, time::Millis};

impl Tracker {
    /// When a ply of a line may count as made where its player put down another piece after it and
    /// before the reply: it may have been knocked over, and he made another move.
    pub(super) fn not_fallen_at(&self, line: &[Move], ply: usize) -> Millis {
        let m = line[ply];
        let is_step = m.from().is_some_and(|from| from.distance(m.to()) == 1);
        if !is_step || m.is_capture() {
            return 0;
        }
        let came = self.changes.at(m.to()).unwrap_or(0);
        if self.puts_down_another(line, ply, came) {
            came + KNOCKED_MS
        } else {
            0
        }
    }

    /// Whether the player of a ply was seen to put down a piece of another kind between `came` and the
    /// time at which the reply came to stand, where that piece had not stood before.
    fn puts_down_another(&self, line: &[Move], ply: usize, came: Millis) -> bool {
        let root = &self.hypotheses[0];
        let moved = line[ply].role().of(mover_of(root.after.turn(), ply));
        let landed = self.changes.since(root.told).filter_map(|change| {
            let Seen::Piece(piece) = change.seen else {
                return None;
            };
            (change.at >= came).then_some((change.square, piece))
        });
        let reply = line.get(ply + 1);
        landed
            .take_while(|(square, _)| reply.is_none_or(|reply| placed_on(*reply) != *square))
            .any(|(square, piece)| {
                let stood = root.after.board().piece_at(square) == Some(piece);
                piece.color == moved.color && piece.role != moved.role && !stood
            })
    }
}

/// Who makes a ply of a line that `first` begins.
const fn mover_of(first: Color, ply: usize) -> Color {
    if ply.is_multiple_of(2) {
        first
    } else {
        first.other()
    }
}

/// When the piece of a move was taken up again, if it was knocked over when it left its square at
/// `left`: it came to lie beside it, where no move of the line brings a piece, while its player put
/// down another one, and lay there no longer than a piece that was knocked over.
pub(super) fn taken_up_again(
    story: Story<'_>,
    m: Move,
    mover: Color,
    left: Millis,
) -> Option<Millis> {
    let from = m.from().filter(|_| !m.is_castle())?;
    let piece = piece_of(m).of(mover);
    // What all squares told at once have to say was done at any time.
    let seen = || {
        let about = left.saturating_sub(story.scan_ms);
        let changes = story.changes.since_from(story.told, about);
        changes.filter(|change| !change.at_once)
    };
    let until = left.saturating_add(story.scan_ms);
    let within = |change: &Change| change.at <= until;
    let brought = |square| story.line.iter().any(|m| placed_on(*m) == square);
    let lies = |change: &Change| {
        let is_piece = change.seen == Seen::Piece(piece);
        is_piece && change.square.distance(from) == 1 && !brought(change.square)
    };
    let fallen = seen().take_while(within).find(lies)?;
    let another = |change: Change| matches!(change.seen, Seen::Piece(other) if other.color == mover && other != piece);
    let again = seen().find(|change| change.square == fallen.square && change.at > fallen.at)?;
    let soon = again.at <= fallen.at + KNOCKED_MS;
    (soon && seen().take_while(within).any(another)).then_some(again.at)
}
