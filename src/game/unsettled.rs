//! A move that stands on the board and is not settled yet, when a command comes: the player
//! has made it, although the record does not have it.

use shakmaty::{Chess, Color, Move, Position as _, uci::UciMove};

use super::{Command, Game, Side, Touched};
use remisd_vocabulary::notation::MoveText;

/// The move that stood on the board when a command came.
#[derive(Debug, Clone)]
pub(super) struct Unsettled {
    m: Move,
    pub(super) by: Color,
    pub(super) text: MoveText,
    after: Chess,
}

impl Unsettled {
    /// Whether the game is over by it, as far as the board shows: mate, stalemate, or nobody
    /// has the material to mate.
    pub(super) fn ends_game(&self) -> bool {
        self.after.legal_moves().is_empty() || self.after.is_insufficient_material()
    }
}

impl Game {
    /// The move that stood on the board when this command came; `None` where the table has
    /// seen none, or one that cannot be made here.
    pub(super) fn unsettled(&self, command: &Command) -> Option<Unsettled> {
        let uci: UciMove = command.unsettled.as_deref()?.parse().ok()?;
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

    /// The piece of a move that stands on the board has been touched, and more than that.
    pub(super) fn touched_by_moving(&self, unsettled: &Unsettled) -> Option<Touched> {
        Some(Touched {
            by: Side::from(unsettled.by),
            square: unsettled.m.from()?.to_string(),
            ply: self.ply(),
            time: self.time,
            adjusting: false,
            by_arbiter: false,
            sure: true,
            made: Some(unsettled.text.clone()),
        })
    }
}
