//! Promotions on boards that do not know their pieces: what the pawn has become is taken
//! for a queen, or the arbiter is asked.

use shakmaty::{Chess, Move, Position, Role, uci::UciMove};

use super::{Promotion, SettledBy, tracker::Tracker};

/// What a pawn may become.
const KINDS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Tracker {
    /// The first ply of a hypothesis's line at which it has to be asked what a pawn has
    /// become: the sensors do not know it, and its later moves do not show it.
    pub(super) fn asked_promotion(&self, index: usize) -> Option<usize> {
        if self.settings.promotion != Promotion::Ask {
            return None;
        }
        let line = &self.hypotheses[index].line;
        let mut before = self.root().clone();
        for (ply, &m) in line.iter().enumerate() {
            if self.is_kind_unseen(m) && may_be_another(&before, &line[ply..]) {
                return Some(ply);
            }
            before.play_unchecked(m);
        }
        None
    }

    /// Whether all that speaks for `line` and not for `other` is that pawns are taken to have become
    /// queens.
    pub(super) fn assumes(&self, line: &[Move], other: &[Move]) -> bool {
        let queen = |m: &Move, other: &Move| {
            m.promotion() == Some(Role::Queen)
                && other.promotion().is_some()
                && (m.from(), m.to()) == (other.from(), other.to())
        };
        self.settings.promotion == Promotion::Queen
            && self
                .sight
                .as_ref()
                .is_some_and(|sight| sight.unknown().any())
            && line.len() == other.len()
            && line
                .iter()
                .zip(other)
                .all(|(m, other)| m == other || queen(m, other))
    }

    /// What settles a move: a promotion whose piece nobody has seen is only assumed.
    pub(super) fn settled_by(&self, m: Move, by: SettledBy) -> SettledBy {
        if self.settings.promotion == Promotion::Queen && self.is_kind_unseen(m) {
            SettledBy::Assumed
        } else {
            by
        }
    }

    /// Whether a pawn was promoted to what the sensors cannot tell.
    fn is_kind_unseen(&self, m: Move) -> bool {
        m.promotion().is_some()
            && (self.sight.as_ref()).is_some_and(|sight| {
                sight.unknown().any() && sight.pieces().piece_at(m.to()).is_none()
            })
    }
}

/// Whether the moves of `line`, which begins with a promotion, could be made as well if
/// the pawn had become something else.
fn may_be_another(before: &Chess, line: &[Move]) -> bool {
    let Some((first, later)) = line.split_first() else {
        return false;
    };
    let mode = before.castles().mode();
    let written: Vec<UciMove> = later.iter().map(|m| m.to_uci(mode)).collect();
    let mut others = (KINDS.into_iter()).filter(|kind| Some(*kind) != first.promotion());
    others.any(|kind| {
        let Move::Normal {
            role,
            from,
            capture,
            to,
            ..
        } = *first
        else {
            return false;
        };
        let mut position = before.clone();
        let promotion = Some(kind);
        position.play_unchecked(Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        });
        written.iter().all(|uci| match uci.to_move(&position) {
            Ok(m) => {
                position.play_unchecked(m);
                true
            }
            Err(_) => false,
        })
    })
}
