//! The results of a round as a table: CSV with semicolons.

use std::io::Write;

use remisd_game::ResultReason;
use remisd_vocabulary::text::OneLine;

use super::round::{Round, Standing, score_text, tag};
use crate::{cli::journal::Recorded, pairings::FORMULA};

/// The columns. `Result` has certain results alone; what is not certain is `Provisional`.
const COLUMNS: [&str; 11] = [
    "Event",
    "Round",
    "Board",
    "White",
    "White FideId",
    "Black",
    "Black FideId",
    "Result",
    "Status",
    "Provisional",
    "Reason",
];

/// Writes the table. Names contain commas, so the values are parted by semicolons.
///
/// # Errors
///
/// The error of `out`.
pub(super) fn write(round: &Round, games: &[Recorded], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut table = csv::WriterBuilder::new().delimiter(b';').from_writer(out);
    table.write_record(COLUMNS)?;
    for recorded in games {
        let standing = Standing::of(recorded);
        let board = match tag(recorded, "Board") {
            "" => recorded.board.as_str(),
            board => board,
        };
        let reason = recorded.game.result().map(|result| reason(result.reason));
        let (number, reason) = (round.number.to_string(), reason.unwrap_or_default());
        let values = [
            round.event.as_str(),
            &number,
            board,
            tag(recorded, "White"),
            tag(recorded, "WhiteFideId"),
            tag(recorded, "Black"),
            tag(recorded, "BlackFideId"),
            score_text(standing.certain()),
            standing.word(),
            standing.provisional().map_or("", score_text),
            &reason,
        ];
        // A game has one line, whatever its tags hold.
        table.write_record(values.map(inert))?;
    }
    table.flush()?;
    Ok(())
}

/// A value on one line, which no spreadsheet takes for a formula. A dash and a number stay.
fn inert(value: &str) -> String {
    let line = String::from(OneLine::new(value));
    let is_number = |rest: &str| rest.bytes().all(|byte| byte.is_ascii_digit());
    match line.strip_prefix(FORMULA) {
        Some(rest) if !(line.starts_with(['+', '-']) && is_number(rest)) => format!("'{line}"),
        _ => line,
    }
}

/// The reason as in the topic `result`.
fn reason(reason: ResultReason) -> String {
    let text = serde_json::to_value(reason).ok();
    let text = text.as_ref().and_then(serde_json::Value::as_str);
    text.unwrap_or_default().to_owned()
}
