//! The alerts in words. Programs read the code and the arguments; this is for people.

use crate::game::{Alert, AlertCode};

/// The text of an alert in English.
#[must_use]
pub fn english(alert: &Alert) -> String {
    let article = alert.article.as_deref().unwrap_or("?");
    let argument = |name: &str| match alert.arguments.get(name) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    };
    match alert.code {
        AlertCode::Fivefold => format!(
            "The same position for the fifth time at ply {} ({article}). The game is drawn. Stop the clock.",
            argument("ply")
        ),
        AlertCode::SeventyFiveMove => format!(
            "75 moves by each player without pawn move and capture at ply {} ({article}). The game is drawn. Stop the clock.",
            argument("ply")
        ),
        AlertCode::DeadPosition => format!(
            "Dead position at ply {}: neither player can mate by any series of legal moves ({article}). The game is drawn. Stop the clock.",
            argument("ply")
        ),
        AlertCode::GameOver => format!(
            "The game is over: {} at ply {} ({article}).",
            argument("kind"),
            argument("ply")
        ),
        AlertCode::ThreefoldClaimable => format!(
            "A draw by threefold repetition can be claimed ({article}, {} to move). Do not intervene.",
            argument("by")
        ),
        AlertCode::FiftyMoveClaimable => format!(
            "A draw by the fifty-move rule can be claimed ({article}, {} to move). Do not intervene.",
            argument("by")
        ),
        AlertCode::BoardMismatch => format!(
            "The board shows what no legal move explains since ply {} ({}): {}.",
            argument("since_ply"),
            argument("reason").replace('_', " "),
            squares(alert)
        ),
        AlertCode::BoardLost => format!("The board does not answer: {}.", argument("reason")),
        code => code.as_str().replace('_', " "),
    }
}

fn squares(alert: &Alert) -> String {
    let squares = alert.arguments.get("squares");
    let names: Vec<&str> = squares
        .and_then(serde_json::Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(serde_json::Value::as_str)
        .collect();
    names.join(" ")
}
