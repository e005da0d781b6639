//! The editions of the FIDE Laws of Chess, each as one table.

use std::{fmt, str::FromStr};

/// One edition of the Laws, as far as draws depend on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Edition {
    /// The name that people write in configurations: `fide-2023`.
    pub id: &'static str,
    /// The first day on which it is in force, `YYYY-MM-DD`.
    pub in_force_from: &'static str,
    /// The congress that adopted it.
    pub adopted: &'static str,
    /// The numbers of its articles.
    pub articles: Articles,
    /// Occurrences of a position, the present one included, from which a draw can be claimed.
    pub claimable_occurrences: u32,
    /// Halfmoves without pawn move and capture from which a draw can be claimed.
    pub claimable_halfmoves: u32,
    /// When repetition ends the game by itself; `None` where no article says so.
    pub fivefold: Option<Fivefold>,
    /// Halfmoves without pawn move and capture that end the game by themselves.
    pub automatic_halfmoves: Option<u32>,
}

/// How an edition counts the repetition that ends the game by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fivefold {
    /// At least this many occurrences, whatever was played between them.
    AnySpacing {
        /// Occurrences, the present one included.
        occurrences: u32,
    },
}

/// The numbers under which an edition's rules stand.
#[derive(Debug, PartialEq, Eq)]
pub struct Articles {
    /// Checkmate.
    pub checkmate: &'static str,
    /// Stalemate.
    pub stalemate: &'static str,
    /// Dead position.
    pub dead_position: &'static str,
    /// Threefold repetition by an intended move.
    pub threefold_intended: &'static str,
    /// Threefold repetition that has just appeared.
    pub threefold_appeared: &'static str,
    /// Fifty moves by an intended move.
    pub fifty_intended: &'static str,
    /// Fifty moves that have been made.
    pub fifty_appeared: &'static str,
    /// Fivefold repetition; empty where the edition has none.
    pub fivefold: &'static str,
    /// 75 moves; empty where the edition has none.
    pub seventy_five: &'static str,
}

/// Every edition known, oldest first.
pub static EDITIONS: &[&Edition] = &[&FIDE_2023];

/// In force since 1 January 2023 (93rd FIDE Congress, Chennai 2022).
pub static FIDE_2023: Edition = Edition {
    id: "fide-2023",
    in_force_from: "2023-01-01",
    adopted: "93rd FIDE Congress, Chennai 2022",
    articles: Articles {
        checkmate: "5.1.1",
        stalemate: "5.2.1",
        dead_position: "5.2.2",
        threefold_intended: "9.2.1",
        threefold_appeared: "9.2.2",
        fifty_intended: "9.3.1",
        fifty_appeared: "9.3.2",
        fivefold: "9.6.1",
        seventy_five: "9.6.2",
    },
    claimable_occurrences: 3,
    claimable_halfmoves: 100,
    fivefold: Some(Fivefold::AnySpacing { occurrences: 5 }),
    automatic_halfmoves: Some(150),
};

/// The edition in force today.
///
/// # Panics
///
/// Never: the table is not empty.
#[must_use]
pub fn newest() -> &'static Edition {
    EDITIONS.last().expect("the table of editions is not empty")
}

/// The edition with this name.
///
/// # Errors
///
/// [`UnknownEdition`] names what was asked for and what there is.
pub fn find(id: &str) -> Result<&'static Edition, UnknownEdition> {
    EDITIONS
        .iter()
        .copied()
        .find(|edition| edition.id == id)
        .ok_or_else(|| UnknownEdition {
            refused: id.chars().take(64).collect(),
        })
}

/// A name that no edition has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEdition {
    /// The name asked for.
    pub refused: String,
}

impl fmt::Display for UnknownEdition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown edition \"{}\"; known are", self.refused)?;
        for (i, edition) in EDITIONS.iter().enumerate() {
            write!(f, "{} {}", if i == 0 { "" } else { "," }, edition.id)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownEdition {}

impl FromStr for &'static Edition {
    type Err = UnknownEdition;

    fn from_str(id: &str) -> Result<Self, UnknownEdition> {
        find(id)
    }
}

/// The rate of play, which decides on penalties and illegal moves.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// 60 minutes or more for each player.
    #[default]
    Standard,
    /// More than 10 but less than 60 minutes for each player.
    Rapid,
    /// 10 minutes or less for each player.
    Blitz,
}

/// A word that is no rate of play.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown rate \"{refused}\"; known are standard, rapid, blitz")]
pub struct UnknownRate {
    /// The word.
    pub refused: String,
}

impl FromStr for Rate {
    type Err = UnknownRate;

    fn from_str(word: &str) -> Result<Self, UnknownRate> {
        match word {
            "standard" => Ok(Self::Standard),
            "rapid" => Ok(Self::Rapid),
            "blitz" => Ok(Self::Blitz),
            other => Err(UnknownRate {
                refused: other.chars().take(64).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edition_is_found_by_its_name() {
        for edition in EDITIONS {
            assert_eq!(find(edition.id), Ok(*edition));
        }
    }

    #[test]
    fn editions_stand_in_the_order_in_which_they_came_into_force() {
        assert!(EDITIONS.is_sorted_by_key(|edition| edition.in_force_from));
    }

    #[test]
    fn an_unknown_edition_is_answered_with_the_known_ones() {
        let message = find("fide-1066").unwrap_err().to_string();
        assert!(
            message.contains("fide-1066") && message.contains("fide-2023"),
            "{message}"
        );
    }
}
