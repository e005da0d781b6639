//! By which version of the daemon's judgement an entry of the journal was judged.
//!
//! A game that is over must not change when a newer daemon replays it. So each entry says how its
//! facts were found, and a replay finds them in the same way.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version of the judgement: how facts follow from inputs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Judgement(u8);

impl Judgement {
    /// The first one. Its entries do not name it.
    const FIRST: Self = Self(1);
    /// The one of this daemon.
    pub const CURRENT: Self = Self(2);

    /// Whether it is the first one.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.0 == Self::FIRST.0
    }

    /// Whether moves that nobody saw are in doubt, and whether a result is judged again when the
    /// record that it rests on is corrected.
    pub(super) const fn doubts_the_record(self) -> bool {
        !self.is_first()
    }
}

/// That of an entry that names none.
impl Default for Judgement {
    fn default() -> Self {
        Self::FIRST
    }
}
