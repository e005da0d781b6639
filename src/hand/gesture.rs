//! A gesture: the hand that makes one ply.

use remisd_vocabulary::time::Moment;

use super::{
    content::{Content, EMPTY},
    cost::{Cost, IMPOSSIBLE},
    model::{Duration, Model},
};

/// The most gestures at a time: the ply being made, and two that began early.
pub(crate) const MAX_GESTURES: usize = 3;

/// The state of a gesture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It has not begun.
    Idle,
    /// It is between two of its squares.
    Moving,
    /// Its piece rests on this square and will move on, after this duration.
    Resting(u8, Duration),
    /// A pawn stands on this square of the last rank, and its promoted piece is awaited.
    AwaitsPiece(u8),
    /// It has placed its piece before the ply that it answers was complete.
    Placed,
}

/// The gesture that makes one ply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gesture {
    pub(crate) stage: Stage,
    /// The squares of its move that it has changed.
    pub(crate) touched: u64,
    /// The piece that it carries, and the square from which it was lifted.
    pub(crate) carried: Option<(u8, Content)>,
    /// The times of its first and of its last touch.
    pub(crate) first_touch: Moment,
    pub(crate) last_touch: Moment,
    /// The time at which it placed its piece, if it has.
    pub(crate) placed_at: Option<Moment>,
    /// The piece that it captured.
    pub(crate) captured: Content,
    /// The cost paid so far for the choice of the move.
    pub(crate) choice_cost: Cost,
}

impl Gesture {
    pub(crate) const IDLE: Self = Self {
        stage: Stage::Idle,
        touched: 0,
        carried: None,
        first_touch: Moment::START,
        last_touch: Moment::START,
        placed_at: None,
        captured: EMPTY,
        choice_cost: 0,
    };

    pub(crate) fn is_idle(&self) -> bool {
        self.stage == Stage::Idle
    }

    /// The cost of no touch since the last one.
    pub(crate) fn survival_cost(&self, now: Moment, model: &Model) -> Cost {
        let since = now - self.last_touch;
        match self.stage {
            Stage::Idle | Stage::Placed => 0,
            Stage::Moving => model.survival(Duration::Hold, since),
            Stage::Resting(_, duration) => model.survival(duration, since),
            Stage::AwaitsPiece(_) => model.survival(Duration::PromotionSwap, since),
        }
    }

    /// The cost of touching the next square now.
    pub(crate) fn continue_cost(&self, now: Moment, model: &Model) -> Cost {
        let since = now - self.last_touch;
        match self.stage {
            Stage::Idle => IMPOSSIBLE,
            Stage::Moving | Stage::Placed => model.density(Duration::Hold, since),
            Stage::Resting(_, duration) => model.density(duration, since),
            Stage::AwaitsPiece(_) => model.density(Duration::PromotionSwap, since),
        }
    }
}
