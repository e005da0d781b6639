//! Pieces that were knocked over: onto a square to which they could have moved, or put up again
//! where nobody saw it.

use shakmaty::{Chess, Color, Move, Piece, Position, Square, attacks};

use super::{
    changes::Change,
    order::placed_on,
    present::KNOCKED_MS,
    story::{Story, mover_of, piece_of},
    tracker::Tracker,
};
use remisd_vocabulary::{sensor::Seen, time::Millis};

impl Tracker {
    /// When a ply of a line may count as made where its player put down another piece after it: it may
    /// have been knocked over, and he made another move.
    pub(super) fn not_fallen_at(&self, line: &[Move], ply: usize) -> Millis {
        let m = line[ply];
        let Some(from) = m.from().filter(|_| !m.is_capture()) else {
            return 0;
        };
        let came = self.changes.at(m.to()).unwrap_or(0);
        let from_where_it_stood =
            from.distance(m.to()) == 1 && self.puts_down_another(line, ply, came);
        let fell = self.fell_at(line, ply).map_or(0, |at| at + KNOCKED_MS);
        fell.max(if from_where_it_stood {
            came + KNOCKED_MS
        } else {
            0
        })
    }

    /// Whether the piece of a move has gone to the next square in the very scan in which another one of its
    /// player, which stands beside where it came from, came there: that one may have knocked it over.
    pub(super) fn may_have_fallen_beside(&self, before: &Chess, m: Move) -> bool {
        // What came into sight with the board came at any time.
        let came = (self.changes.at(m.to())).filter(|at| *at > self.found_at);
        let (Some(sight), Some(from), Some(came)) = (&self.sight, m.from(), came) else {
            return false;
        };
        let one_step = from.distance(m.to()) == 1 && !m.is_capture();
        let own = sight.pieces().by_color(before.turn());
        let beside = (attacks::king_attacks(from) & own).without(m.to());
        let came_with_it = |square| {
            let at = self.changes.at(square);
            at.is_some_and(|at| at.abs_diff(came) <= self.settings.scan_ms)
        };
        one_step && beside.into_iter().any(came_with_it)
    }

    /// Whether the player of a ply was seen to put down a piece of another kind between `came` and the
    /// time at which the reply came to stand, where that piece had not stood before.
    fn puts_down_another(&self, line: &[Move], ply: usize, came: Millis) -> bool {
        let root = &self.hypotheses[0];
        let moved = self.piece_of_ply(line, ply);
        let reply = line.get(ply + 1);
        self.landed_since(came)
            .take_while(|(square, _)| reply.is_none_or(|reply| placed_on(*reply) != *square))
            .any(|(square, piece)| {
                let stood = root.after.board().piece_at(square) == Some(piece);
                piece.color == moved.color && piece.role != moved.role && !stood
            })
    }

    /// When the piece of a ply came to where it is, if such a one had stood on a square beside, for a scan
    /// at least, until the very scan in which it came, and its player put down another one after that.
    fn fell_at(&self, line: &[Move], ply: usize) -> Option<Millis> {
        let (to, from) = (placed_on(line[ply]), line[ply].from());
        let moved = self.piece_of_ply(line, ply);
        let scan_ms = self.settings.scan_ms;
        let since = self.hypotheses[0].told;
        // It may have been taken up since, to be put right.
        let comes = |change: &Change| change.square == to && change.seen == Seen::Piece(moved);
        let came = self.changes.since(since).rfind(comes)?.at;
        let beside = attacks::king_attacks(to).into_iter();
        let mut beside = beside.filter(|square| Some(*square) != from);
        let fell = beside.any(|square| {
            let here = |change: &Change| change.square == square && change.at <= came + scan_ms;
            let mut newest = self.changes.since(since).filter(here).rev();
            let left = newest.next().filter(|change| change.is_empty());
            left.is_some_and(|left| {
                let stood = newest.next().map_or_else(
                    || self.root().board().piece_at(square) == Some(moved),
                    |stood| stood.seen == Seen::Piece(moved) && stood.at + scan_ms <= left.at,
                );
                stood && left.at.abs_diff(came) <= scan_ms
            })
        });
        let another = |(square, piece): (Square, Piece)| piece.color == moved.color && square != to;
        (fell && self.landed_since(came).any(another)).then_some(came)
    }

    /// What was put down since `at`, and where.
    fn landed_since(&self, at: Millis) -> impl Iterator<Item = (Square, Piece)> + '_ {
        let changes = self.changes.since_from(self.hypotheses[0].told, at);
        changes.filter_map(|change| match change.seen {
            Seen::Piece(piece) => Some((change.square, piece)),
            Seen::Empty | Seen::Occupied | Seen::ResultPiece(_) => None,
        })
    }

    /// Which piece makes a ply of a line.
    fn piece_of_ply(&self, line: &[Move], ply: usize) -> Piece {
        let mover = mover_of(self.root().turn(), ply);
        line[ply].role().of(mover)
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
