//! A move that is on the board when a command comes and is not settled yet. The player has
//! made it, although it is not in the record.

use shakmaty::{Chess, Color, Move, Position as _};

use super::{Command, Game, Touched};
use remisd_vocabulary::notation::MoveText;

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

    /// The piece of a move that is on the board has been touched, and more than that.
    pub(super) fn touched_by_moving(&self, unsettled: &Unsettled) -> Option<Touched> {
        let from = unsettled.m.from()?;
        Some(Touched {
            made: Some(unsettled.text.clone()),
            ..self.touched_now(unsettled.by.into(), from)
        })
    }
}
