//! Finds out from the start position on which side White sits.
//!
//! A board numbers its squares from its own corner and never reports its orientation. Only the
//! start position is unambiguous: turned by 180 degrees, each queen stands beside the other king.

use serde::{Deserialize, Serialize};

use remisd_vocabulary::sensor::{Orientation, Placement};

/// The configured orientation of a board.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum OrientationSetting {
    /// Detected whenever the start position is on the board.
    #[default]
    Auto,
    /// As the maker intended, whatever is on the board.
    Normal,
    /// Turned by 180 degrees, whatever is on the board.
    Rotated,
}

/// Tracks the orientation of a board and converts its squares.
///
/// ```
/// use remisd_board::orientation::{OrientationSetting, OrientationTracker};
/// use remisd_vocabulary::sensor::{Orientation, Placement};
/// let mut turn = OrientationTracker::new(OrientationSetting::Auto, None);
/// let raw = Placement::start().rotated();
/// assert_eq!(turn.observe(&raw), Some(Orientation::Rotated));
/// assert_eq!(turn.placement(&raw), Placement::start());
/// ```
#[derive(Debug, Clone)]
pub struct OrientationTracker {
    auto: bool,
    current: Orientation,
    reported: Orientation,
}

impl OrientationTracker {
    /// Starts with the setting, or with the orientation `known` from before if it is to be
    /// detected. The consumer is assumed to know `known`, or `Normal` if that is `None`.
    #[must_use]
    pub fn new(setting: OrientationSetting, known: Option<Orientation>) -> Self {
        Self {
            auto: setting == OrientationSetting::Auto,
            current: match setting {
                OrientationSetting::Auto => known.unwrap_or_default(),
                OrientationSetting::Normal => Orientation::Normal,
                OrientationSetting::Rotated => Orientation::Rotated,
            },
            reported: known.unwrap_or_default(),
        }
    }

    /// The orientation, as far as known.
    #[must_use]
    pub const fn current(&self) -> Orientation {
        self.current
    }

    /// Examines a placement in the board's own squares. Returns the orientation if it differs from
    /// the one last reported.
    pub fn observe(&mut self, raw: &Placement) -> Option<Orientation> {
        if self.auto {
            let start = Placement::start();
            if *raw == start {
                self.current = Orientation::Normal;
            } else if raw.rotated() == start {
                self.current = Orientation::Rotated;
            }
        }
        let reported = std::mem::replace(&mut self.reported, self.current);
        (reported != self.current).then_some(self.current)
    }

    /// Converts a placement from the board's own squares to chess squares.
    #[must_use]
    pub fn placement(&self, raw: &Placement) -> Placement {
        match self.current {
            Orientation::Normal => raw.clone(),
            Orientation::Rotated => raw.rotated(),
        }
    }

    /// Converts one of the board's own squares to a chess square.
    #[must_use]
    pub fn square(&self, raw: shakmaty::Square) -> shakmaty::Square {
        match self.current {
            Orientation::Normal => raw,
            // a1 is 0 and h8 is 63.
            Orientation::Rotated => shakmaty::Square::new(63 - raw as u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Square;

    use super::*;
    use crate::dgt::table::seen;
    use remisd_vocabulary::sensor::Seen;

    #[test]
    fn it_turns_and_turns_back_on_the_start_array_only() {
        let mut turn = OrientationTracker::new(OrientationSetting::Auto, None);
        let turned = Placement::start().rotated();
        assert_eq!(turn.observe(&Placement::start()), None);
        assert_eq!(turn.observe(&turned), Some(Orientation::Rotated));
        assert_eq!(turn.observe(&turned), None);
        let mut played = turned.clone();
        played.set(Square::D2, Seen::Empty);
        assert_eq!(turn.observe(&played), None);
        assert_eq!(turn.current(), Orientation::Rotated);
        assert_eq!(turn.observe(&Placement::start()), Some(Orientation::Normal));
    }

    #[test]
    fn a_setting_is_final_and_a_memory_is_not() {
        let turned = Placement::start().rotated();
        let mut fixed =
            OrientationTracker::new(OrientationSetting::Normal, Some(Orientation::Rotated));
        assert_eq!(fixed.observe(&turned), Some(Orientation::Normal));
        assert_eq!(fixed.observe(&turned), None);
        let mut known =
            OrientationTracker::new(OrientationSetting::Auto, Some(Orientation::Rotated));
        assert_eq!(known.observe(&turned), None);
        assert_eq!(known.current(), Orientation::Rotated);
    }

    proptest! {
        #[test]
        fn squares_and_placements_turn_alike(codes in prop::collection::vec(0u8..16, 64), rotated: bool) {
            let known = if rotated { Orientation::Rotated } else { Orientation::Normal };
            let turn = OrientationTracker::new(OrientationSetting::Auto, Some(known));
            let mut raw = Placement::empty();
            for (square, code) in Square::ALL.into_iter().zip(codes) {
                raw.set(square, seen(code).unwrap());
            }
            let chess = turn.placement(&raw);
            for square in Square::ALL {
                prop_assert_eq!(chess.get(turn.square(square)), raw.get(square));
            }
        }
    }
}
