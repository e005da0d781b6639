//! The reader to compare with: it believes a full dump and nothing else.

use remisd::board::event::{Placement, Seen};
use shakmaty::{Chess, Move, Position as _, Role, Square};

use super::Sensing;

/// A dump that shows what one legal move leads to is that move; any other is nothing.
pub struct Naive {
    position: Chess,
    sensing: Sensing,
    pub moves: Vec<Move>,
}

impl Naive {
    pub const fn new(position: Chess, sensing: Sensing) -> Self {
        Self {
            position,
            sensing,
            moves: Vec::new(),
        }
    }

    pub fn see(&mut self, placement: &Placement) {
        let made = self.position.legal_moves().into_iter().find(|&m| {
            let mut after = self.position.clone();
            after.play_unchecked(m);
            match self.sensing {
                Sensing::Identity => *placement == Placement::from(after.board()),
                Sensing::Occupancy => {
                    m.promotion().is_none_or(|role| role == Role::Queen)
                        && Square::ALL.into_iter().all(|square| {
                            let stands = placement.get(square) != Seen::Empty;
                            stands == after.board().piece_at(square).is_some()
                        })
                }
            }
        });
        if let Some(m) = made {
            self.position.play_unchecked(m);
            self.moves.push(m);
        }
    }
}
