//! Promotions out of the ordinary: a rook upside down, a queen that has to be fetched, the wrong
//! piece first.

use crate::{
    chance::Chance,
    games::Moves,
    person::Manner,
    plan::{Plan, Promoting},
};

/// The game continues for some moves after its first promotion at least.
#[must_use]
pub fn plan(_moves: &Moves, chance: &mut Chance) -> Plan {
    Plan {
        promoting: chance.weighted(&[
            (Promoting::Inverted, 0.4),
            (Promoting::InvertedExchanged, 0.2),
            (Promoting::Fetched, 0.25),
            (Promoting::WrongFirst, 0.15),
        ]),
        ..Plan::of(if chance.happens(0.5) {
            Manner::BLITZ
        } else {
            Manner::ORDINARY
        })
    }
}
