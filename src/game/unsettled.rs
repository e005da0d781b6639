//! Moves that are on the board and not settled. One that is there when a command comes counts as
//! made, although it is not in the record. One that was perhaps there when the game was decided or
//! left is only named.

use shakmaty::{Chess, Color, Move, Position as _, uci::UciMove};

use super::{Command, Fact, Game, Touched};
use remisd_vocabulary::{notation::MoveText, written::Written};

/// The move that was on the board when a command came.
#[derive(Debug, Clone)]
pub(super) struct Unsettled {
    m: Move,
    pub(super) by: Color,
    pub(super) text: MoveText,
    after: Chess,
}

impl Unsettled {
    /// Whether the game is over by it, as far as the board shows: mate, stalemate, or insufficient
    /// material on both sides.
    pub(super) fn ends_game(&self) -> bool {
        self.after.legal_moves().is_empty() || self.after.is_insufficient_material()
    }
}

impl Game {
    /// The move that was on the board when this command came; `None` if the daemon has seen none,
    /// or one that cannot be made here.
    pub(super) fn unsettled(&self, command: &Command) -> Option<Unsettled> {
        let uci = command.unsettled.as_ref()?.read().ok()?;
        let position = self.position();
        let m = uci.to_move(position).ok()?;
        let mut after = position.clone();
        after.play_unchecked(m);
        Some(Unsettled {
            m,
            by: position.turn(),
            text: MoveText::new(m, position),
            after,
        })
    }

    /// This move was perhaps on the board when the game was decided or left. One that cannot be
    /// made here changes nothing.
    pub(super) fn leave_unsettled(&mut self, uci: &Written<UciMove>) -> Option<Fact> {
        let ply = self.ply() + 1;
        let m = uci.read().ok()?.to_move(self.position()).ok()?;
        let m = MoveText::new(m, self.position());
        self.outcome.leave_unsettled(ply, m.clone());
        Some(Fact::MoveUnsettled { ply, m })
    }

    /// The move that was perhaps on the board when the game was decided or left, and is not in the
    /// record.
    #[must_use]
    pub fn unsettled_move(&self) -> Option<&MoveText> {
        let (ply, m) = self.outcome.unsettled()?;
        // Moves may have been made or taken back since.
        (*ply == self.ply() + 1 && !self.is_after_end(*ply)).then_some(m)
    }

    /// The piece of a move that is on the board has been touched, and more than that.
    pub(super) fn touched_by_moving(&self, unsettled: &Unsettled) -> Option<Touched> {
        let from = unsettled.m.from()?;
        Some(Touched {
            made: Some(unsettled.text.clone()),
            ..self.touched_now(unsettled.by.into(), from)
        })
    }
}
