//! The baseline: believes a full dump after a pause, and nothing else.

use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
use shakmaty::{Chess, Move, Position as _, Role, Square};

use crate::Sensing;

/// How long the squares must be unchanged, in milliseconds.
const REST_MS: u64 = 300;

/// Accepts a dump that one legal move explains as that move, and ignores any other.
pub struct Naive {
    position: Chess,
    sensing: Sensing,
    /// The last dump, and the time of the last change.
    shown: Placement,
    since: u64,
    pub moves: Vec<Move>,
}

impl Naive {
    pub const fn new(position: Chess, sensing: Sensing) -> Self {
        Self {
            position,
            sensing,
            shown: Placement::empty(),
            since: 0,
            moves: Vec::new(),
        }
    }

    /// Takes a change or a dump at `now`, in milliseconds.
    pub fn sense(&mut self, sensed: &Sensed, now: u64) {
        match sensed {
            Sensed::Square(..) => {
                self.rest(now);
                self.since = now;
            }
            Sensed::Placement(placement) => {
                self.rest(now);
                if *placement != self.shown {
                    self.shown = placement.clone();
                }
            }
            Sensed::Clock(_) | Sensed::Orientation(_) | Sensed::Link(_) => {}
        }
    }

    /// Handles a pause until `now`.
    pub fn rest(&mut self, now: u64) {
        if now < self.since + REST_MS {
            return;
        }
        let placement = &self.shown;
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
