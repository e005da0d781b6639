//! Names of openings, for broadcasts. They are not for players or for screens in the hall.

use axum::{
    Json,
    extract::Query,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;
use shakmaty::{Chess, Position as _, uci::UciMove};

use super::answer::Refusal;
use crate::pgn::openings::{LONGEST, Opening};

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
fn named(moves: &str) -> Result<Option<Opening>, Refusal> {
    let mut position = Chess::default();
    let mut found = None;
    for uci in moves.split(',').filter(|uci| !uci.is_empty()).take(LONGEST) {
        let bad = || {
            Refusal::Bad(format!(
                "\"{}\" is not a move there",
                uci.chars().take(8).collect::<String>()
            ))
        };
        let played = uci.parse::<UciMove>().map_err(|_| bad())?;
        let played = played.to_move(&position).map_err(|_| bad())?;
        position.play_unchecked(played);
        found = Opening::at(&position).or(found);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_position_with_a_name_counts_however_it_was_reached() {
        let name = |moves| named(moves).unwrap().map(|opening| opening.name);
        assert_eq!(name(""), None);
        assert_eq!(name("a2a3"), Some("Anderssen's Opening"));
        assert_eq!(name("e2e4,c7c5"), Some("Sicilian Defense"));
        let transposed = "g1f3,d7d5,d2d4,g8f6,c2c4,e7e6,b1c3";
        assert_eq!(
            name(transposed),
            Some("Queen's Gambit Declined: Three Knights Variation")
        );
        assert_eq!(name("e2e4,c7c5,h2h3,a7a6"), Some("Sicilian Defense"));
        assert!(named("e2e4,e2e4").is_err());
        assert!(named("zz").is_err());
    }
}
