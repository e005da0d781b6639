//! Changes in words, one line each.

use std::borrow::Cow;

use serde::Serialize;

use super::account::News;
use crate::publish::payload::{AlertText, Claim, Draw, Game, GameResult};
use remisd_game::ResultReason;

/// A change as lines for a log.
pub fn lines(news: &News) -> Vec<String> {
    let line = match news {
        News::Game(number) => format!("game {number}"),
        News::Ply { draw, corrected } => ply(draw, *corrected),
        News::Moves {
            first,
            sans,
            corrected,
        } => moves(*first, sans, *corrected),
        News::Missed { ply, sans } => {
            let sans = sans.join(" ");
            format!("ply {ply:>3}  {sans} (and on: too fast to be shown one by one)")
        }
        News::Claims(claims) => {
            let claims = claims.iter();
            return claims.map(|c| format!("  claim  {}", claim(c))).collect();
        }
        News::NoClaims => "  claim  none any more".to_owned(),
        News::Raised(alert) => format!("  alert  {}", self::alert(alert)),
        News::Cleared(alert) => format!("  alert  over: {}", spaced(alert.code.as_str())),
        News::Result(result) => format!("result  {}", self::result(result)),
        News::NoResult => "result  none".to_owned(),
        News::Tracker(state) => format!("  board  tracking: {}", word(state)),
        News::Link(up) => format!("  board  line {}", if *up { "up" } else { "down" }),
        News::Availability(state) => format!("  board  {}", word(state)),
        News::Daemon(state) => format!("daemon  {state}"),
    };
    vec![line]
}

/// `ply  76  38... Kf8    repetition 3 (plies 68 72 76), halfmove clock 9`
fn ply(draw: &Draw, corrected: bool) -> String {
    let played = numbered_move(draw).unwrap_or_else(|| "starting position".to_owned());
    let (count, clock) = (draw.repetition.count, draw.halfmove_clock);
    let at = match count {
        0 | 1 => String::new(),
        _ => format!(" (plies {})", plies(draw)),
    };
    let word = if corrected { " (corrected)" } else { "" };
    format!(
        "ply {:>3}  {played:<13}  repetition {count}{at}, halfmove clock {clock}{word}",
        draw.ply
    )
}

/// `moves  38... Kf8 39. Ra7`, with moves that take the place of others marked.
fn moves(first: usize, sans: &[String], corrected: bool) -> String {
    let moves = sans.iter().enumerate().map(|(at, san)| {
        let (number, dots) = number(first + at);
        match dots {
            "..." if at > 0 => format!(" {san}"),
            _ => format!(" {number}{dots} {san}"),
        }
    });
    let moves: String = moves.collect();
    let (from, dots) = number(first);
    match (sans.is_empty(), corrected) {
        (true, _) => format!("moves  taken back from {from}{dots}"),
        (false, true) => format!("moves {moves} (corrected)"),
        (false, false) => format!("moves {moves}"),
    }
}

/// The last move of a game with its number: `38. Ra7`.
pub fn last_move(game: &Game) -> Option<String> {
    let last = game.moves.last()?;
    let (number, dots) = number(half_moves(&game.start_fen) + game.moves.len() - 1);
    Some(format!("{number}{dots} {}", last.san))
}

/// The plies of the repetition, `68 72 76`.
pub fn plies(draw: &Draw) -> String {
    let plies = draw.repetition.plies.iter().map(ToString::to_string);
    plies.collect::<Vec<_>>().join(" ")
}

/// The last move with its number: `38. Ra7`, `38... Kf8`.
pub fn numbered_move(draw: &Draw) -> Option<String> {
    let played = draw.last_move.as_ref()?;
    let (number, dots) = number(half_moves(&draw.fen).saturating_sub(1));
    Some(format!("{number}{dots} {}", played.san))
}

/// The index of the next move, counted in half-moves: twice the move number, plus one for Black.
pub fn half_moves(fen: &str) -> usize {
    let mut fields = fen.split_ascii_whitespace();
    let black = usize::from(fields.nth(1) == Some("b"));
    let number = fields.nth(3).and_then(|number| number.parse().ok());
    2 * number.unwrap_or(1_usize) + black
}

/// The move number and its dots.
pub const fn number(half_move: usize) -> (usize, &'static str) {
    (
        half_move / 2,
        if half_move.is_multiple_of(2) {
            "."
        } else {
            "..."
        },
    )
}

/// An ordinal such as `3rd`.
pub fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (1, 1 | 21..) => "st",
        (2, 2 | 22..) => "nd",
        (3, 3 | 23..) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// A claim with its article.
pub fn claim(claim: &Claim) -> String {
    let by = side(&claim.by);
    let what = match (claim.kind.as_ref(), &claim.intended) {
        ("threefold", None) => "threefold repetition on the board".to_owned(),
        ("threefold", Some(m)) => format!("threefold repetition with {}", m.san),
        ("fifty_move", None) => "50 moves without pawn or capture".to_owned(),
        ("fifty_move", Some(m)) => format!("with {} 50 moves without pawn or capture", m.san),
        (other, _) => spaced(other),
    };
    format!("{by} can claim a draw: {what} ({})", claim.article)
}

/// `White` or `Black`.
pub fn side(color: &str) -> &'static str {
    if color == "white" { "White" } else { "Black" }
}

/// An alert with its level.
pub fn alert(alert: &AlertText) -> String {
    let text = alert.text.get("en").or_else(|| alert.text.values().next());
    let text = text.map_or_else(|| alert.code.as_str(), String::as_str);
    format!("{}: {text}", word(&alert.level))
}

/// A result with its reason and article.
pub fn result(result: &GameResult) -> String {
    let score = word(&result.score).replace("1/2-1/2", "½-½");
    let reason = match result.reason {
        ResultReason::Fivefold => "fivefold repetition".to_owned(),
        ResultReason::SeventyFiveMove => "75 moves without pawn move or capture".to_owned(),
        other => word(&other),
    };
    let article = result.article.iter().map(|a| format!(", article {a}"));
    let ply = result.ply.iter().map(|ply| format!(", at ply {ply}"));
    let open = if result.confirmed {
        ""
    } else {
        ", not confirmed yet"
    };
    let rest: String = article.chain(ply).collect();
    format!("{score}  {reason}{rest}{open}")
}

/// The JSON name of a value.
pub fn word(value: &impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    spaced(value.as_str().unwrap_or("?"))
}

fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// The text on a single line, without control characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        text.replace(char::is_control, " ").into()
    } else {
        text.into()
    }
}
