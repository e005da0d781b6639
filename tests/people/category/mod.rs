//! The kinds of games that are emulated, one file each.

pub mod after;
pub mod blitz;
pub mod faulty;
pub mod incidents;
pub mod leaning;
pub mod ordinary;
pub mod plain;
pub mod promotion;
pub mod rests;
pub mod scramble;
pub mod tournament;

use crate::{chance::Chance, games::Moves, plan::Plan};

/// A kind of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// Careful players, a good board.
    Plain,
    /// Hours at the board, with what happens in hours.
    Tournament,
    /// The last minutes before the flag.
    Scramble,
    /// A board with lost updates, dead squares, misreads, outages.
    Faulty,
    /// Club members, children, beginners.
    Ordinary,
    /// Blitz from the first move.
    Blitz,
    /// What arbiters are called for.
    Incidents,
    /// Promotions with an upside-down rook, or with a queen that is not at hand.
    Promotion,
    /// Fingers that rest on the way.
    Rests,
    /// What follows a game.
    After,
    /// Pieces that lean, are dragged, are bumped into.
    Leaning,
}

impl Category {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 11] = [
        Self::Plain,
        Self::Tournament,
        Self::Scramble,
        Self::Faulty,
        Self::Ordinary,
        Self::Blitz,
        Self::Incidents,
        Self::Promotion,
        Self::Rests,
        Self::After,
        Self::Leaning,
    ];

    /// Its name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tournament => "tournament",
            Self::Scramble => "scramble",
            Self::Faulty => "faulty",
            Self::Ordinary => "ordinary",
            Self::Blitz => "blitz",
            Self::Incidents => "incidents",
            Self::Promotion => "promotion",
            Self::Rests => "rests",
            Self::After => "after",
            Self::Leaning => "leaning",
        }
    }

    /// The category of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|category| category.name() == name)
    }

    /// Whether its games need a promotion.
    #[must_use]
    pub const fn wants_promotion(self) -> bool {
        matches!(self, Self::Promotion)
    }

    /// What is to happen in one game of it. May cut the moves short.
    pub fn plan(self, moves: &mut Moves, clock: bool, chance: &mut Chance) -> Plan {
        match self {
            Self::Plain => plain::plan(),
            Self::Tournament => tournament::plan(chance),
            Self::Scramble => scramble::plan(moves, chance),
            Self::Faulty => faulty::plan(moves, chance),
            Self::Ordinary => ordinary::plan(moves, clock, chance),
            Self::Blitz => blitz::plan(chance),
            Self::Incidents => incidents::plan(moves, chance),
            Self::Promotion => promotion::plan(moves, chance),
            Self::Rests => rests::plan(moves, chance),
            Self::After => after::plan(moves, chance),
            Self::Leaning => leaning::plan(chance),
        }
    }
}

/// A ply of the game with at least `least` plies before it and some after.
fn some_ply(moves: &Moves, least: usize, chance: &mut Chance) -> usize {
    least + chance.below(moves.len().saturating_sub(least + 4).max(1))
}

/// Cuts the moves off after a random number, as games end that are not played to the end.
fn cut_short(moves: &mut Moves, least: usize, chance: &mut Chance) {
    let length = least + chance.below(moves.len().saturating_sub(least).max(1));
    moves.truncate(length.max(1));
}
