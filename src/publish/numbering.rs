//! Journal entry numbers as each audience counts them.

use super::topic::Audience;
use remisd_game::{Game, Numbers};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// How far each audience has counted at some moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seqs {
    arbiter: EntrySeq,
    others: Numbers,
}

impl Seqs {
    /// The counts at the last entry of a game.
    #[must_use]
    pub fn of(game: &Game) -> Self {
        Self {
            arbiter: game.seq(),
            others: game.numbers().clone(),
        }
    }

    /// The greater count for each audience.
    #[must_use]
    pub fn max(self, other: &Self) -> Self {
        Self {
            arbiter: self.arbiter.max(other.arbiter),
            others: self.others.max(&other.others),
        }
    }

    /// How far this audience has counted.
    #[must_use]
    pub const fn seq(&self, audience: Audience) -> AudienceSeq {
        match audience {
            Audience::Arbiter => AudienceSeq::of_entry(self.arbiter),
            Audience::Operator => self.others.operator,
            Audience::Public => self.others.public,
            Audience::Hall => self.others.hall,
            Audience::Player => self.others.player,
        }
    }
}

/// The number of a game: the `seq` of the entry that began it, as the audience counts.
#[must_use]
pub fn game_number(audience: Audience, game: &Game) -> AudienceSeq {
    let began = game.numbers_at_start();
    match audience {
        Audience::Arbiter => AudienceSeq::of_entry(game.number()),
        Audience::Operator => began.operator,
        Audience::Public => began.public,
        Audience::Hall => began.hall,
        Audience::Player => began.player,
    }
}
