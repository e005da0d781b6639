//! Careful players on a good board: the least that a reader must do.

use crate::{
    person::Manner,
    plan::{Ending, Plan},
};

/// Nothing is out of the ordinary; the clock is stopped at the end.
#[must_use]
pub fn plan() -> Plan {
    Plan {
        ending: Ending::Stopped,
        ..Plan::of(Manner::CAREFUL)
    }
}
