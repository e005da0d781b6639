//! Names of openings.
//!
//! `openings.tsv` has the columns of lichess-org/chess-openings: `eco`, `name`, `pgn`. Codes and
//! names are from there (CC0). The lines are those under which the catalogue OCN-1 of Club d'Escacs
//! Figueres finds them (CC BY 4.0, `ocn-chess` 1.2.1 on PyPI): 3,324 positions with 3,048 different
//! names. Positions that only the original has are missing.
//!
//! A game is named after its last position that has a name, whatever the move order.

use std::{collections::HashMap, sync::LazyLock};

use serde::Serialize;
use shakmaty::{Chess, EnPassantMode, Position as _, san::San, zobrist::Zobrist64};

const TABLE: &str = include_str!("openings.tsv");

static OPENINGS: LazyLock<HashMap<Zobrist64, Opening>> = LazyLock::new(|| {
    let rows = TABLE.lines().skip(1).filter_map(row);
    rows.map(|(opening, position)| (key(&position), opening))
        .collect()
});

/// The most plies of an opening in the table; a longer game needs no further lookup.
pub const LONGEST: usize = 36;

/// An opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Opening {
    /// The ECO code.
    pub eco: &'static str,
    /// The name in English.
    pub name: &'static str,
}

impl Opening {
    /// The opening whose name belongs to this position.
    ///
    /// ```
    /// use remisd_pgn::openings::Opening;
    /// use shakmaty::{Chess, Position as _, san::San};
    ///
    /// let mut position = Chess::default();
    /// for word in ["e4", "c5"] {
    ///     let san: San = word.parse()?;
    ///     position.play_unchecked(san.to_move(&position)?);
    /// }
    /// assert_eq!(Opening::at(&position).map(|opening| opening.eco), Some("B20"));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn at(position: &Chess) -> Option<Self> {
        OPENINGS.get(&key(position)).copied()
    }
}

fn key(position: &Chess) -> Zobrist64 {
    position.zobrist_hash(EnPassantMode::Legal)
}

/// The opening in a table row, and the position that it leads to.
fn row(row: &'static str) -> Option<(Opening, Chess)> {
    let mut columns = row.split('\t');
    let (eco, name, pgn) = (columns.next()?, columns.next()?, columns.next()?);
    let mut position = Chess::default();
    for word in pgn.split(' ').filter(|word| !word.ends_with('.')) {
        let played = word.parse::<San>().ok()?.to_move(&position).ok()?;
        position.play_unchecked(played);
    }
    Some((Opening { eco, name }, position))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_played_and_has_a_position_and_a_name_of_its_own() {
        let rows = TABLE.lines().skip(1).count();
        let read: Vec<_> = TABLE.lines().skip(1).filter_map(row).collect();
        assert_eq!(read.len(), rows);
        assert!(rows > 3_000, "{rows}");
        assert_eq!(OPENINGS.len(), rows, "two rows lead to one position");
        for (opening, position) in &read {
            let eco = opening.eco.as_bytes();
            assert!(
                matches!(eco, [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']),
                "{opening:?}"
            );
            let made = 2 * (position.fullmoves().get() - 1) + u32::from(position.turn().is_black());
            assert!(made as usize <= LONGEST, "{opening:?}: {made} plies");
        }
    }
}
