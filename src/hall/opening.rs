//! Names of openings, for broadcasts.
//!
//! The table holds the best-known openings in the columns of the public-domain collection of
//! lichess-org/chess-openings (`eco`, `name`, `pgn`), so the full collection can replace it. A game
//! is named after its last position that has a name, whatever the move order. The names are not for
//! players or for screens in the hall.

use std::{collections::HashMap, sync::LazyLock};

use axum::{
    Json,
    extract::Query,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shakmaty::{Chess, EnPassantMode, Position as _, san::San, uci::UciMove, zobrist::Zobrist64};

use super::answer::Refused;

const TABLE: &str = include_str!("openings.tsv");
/// The number of plies examined; no opening in the table is longer.
const PLIES: usize = 40;

static OPENINGS: LazyLock<HashMap<Zobrist64, Opening>> = LazyLock::new(|| {
    let rows = TABLE.lines().skip(1).filter_map(row);
    rows.map(|(opening, position)| (key(&position), opening))
        .collect()
});

/// An opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Opening {
    /// The ECO code.
    eco: &'static str,
    /// The name in English.
    name: &'static str,
}

/// The query of `GET api/opening`.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    /// The moves in UCI, separated by commas.
    moves: String,
}

/// Handles `GET api/opening`.
pub(super) async fn opening(Query(wish): Query<Wish>) -> Response {
    match named(&wish.moves) {
        Ok(Some(opening)) => Json(opening).into_response(),
        Ok(None) => Json(json!({})).into_response(),
        Err(refused) => refused.into_response(),
    }
}

/// The name of the last position that has one.
fn named(moves: &str) -> Result<Option<Opening>, Refused> {
    let mut position = Chess::default();
    let mut found = None;
    for uci in moves.split(',').filter(|uci| !uci.is_empty()).take(PLIES) {
        let bad = || {
            Refused::Bad(format!(
                "\"{}\" is no move there",
                uci.chars().take(8).collect::<String>()
            ))
        };
        let played = uci.parse::<UciMove>().map_err(|_| bad())?;
        let played = played.to_move(&position).map_err(|_| bad())?;
        position.play_unchecked(played);
        found = OPENINGS.get(&key(&position)).copied().or(found);
    }
    Ok(found)
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
        assert_eq!(OPENINGS.len(), rows, "two rows lead to one position");
        for (opening, _) in &read {
            let eco = opening.eco.as_bytes();
            assert!(
                matches!(eco, [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']),
                "{opening:?}"
            );
        }
    }

    #[test]
    fn the_last_position_with_a_name_counts_however_it_was_reached() {
        let name = |moves| named(moves).unwrap().map(|opening| opening.name);
        assert_eq!(name(""), None);
        assert_eq!(name("a2a3"), None);
        assert_eq!(name("e2e4,c7c5"), Some("Sicilian Defense"));
        let transposed = "g1f3,d7d5,d2d4,g8f6,c2c4,e7e6,b1c3";
        assert_eq!(
            name(transposed),
            Some("Queen's Gambit Declined: Three Knights Variation")
        );
        assert_eq!(name("e2e4,c7c5,a2a3,a7a6"), Some("Sicilian Defense"));
        assert!(named("e2e4,e2e4").is_err());
        assert!(named("zz").is_err());
    }
}
