//! `remisd journal show`: the entries of a game.

use remisd_vocabulary::seq::EntrySeq;
use std::io::Write;

use bytes::Bytes;
use serde_json::Value;

use super::{
    later::results_of,
    played::doubts_of,
    selection::{Selection, found, report},
};
use crate::{cli::Outcome, pgn::names};
use remisd_journal::Entry;

/// The format in which entries are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One readable line each.
    Words,
    /// As stored.
    Json,
    /// The raw data on the board's line instead of the entries.
    Raw,
}

impl Selection {
    pub(super) fn show(
        &self,
        game: Option<EntrySeq>,
        form: Form,
        out: &mut dyn Write,
    ) -> anyhow::Result<Outcome> {
        let mut shown = false;
        let outcome = self.each_board(out, |board, out| {
            let segments = self.segments(board)?;
            let wanted = match game {
                Some(number) => segments.iter().find(|segment| segment.first() == number),
                None => segments.last(),
            };
            let Some(segment) = wanted else {
                return Ok(Outcome::Fine);
            };
            shown = true;
            if form == Form::Raw {
                let raw = self.reader.raw(board, segment.first())?;
                out.write_all(raw.as_bytes())?;
                return Ok(Outcome::Fine);
            }
            let number = segment.first();
            let segment = segment.read()?;
            let outcome = report(board, &doubts_of(&segment));
            for mut entry in segment.entries {
                if self.masks_names {
                    entry.body = without_names(&entry.body);
                }
                if form == Form::Json {
                    out.write_all(&entry.body)?;
                    writeln!(out)?;
                } else {
                    writeln!(out, "{board}  {}", in_words(&entry))?;
                }
            }
            if form == Form::Words {
                // What says how it ended although another game was on the board.
                for later in segments.iter().filter(|later| later.first() > number) {
                    let entries = later.read()?.entries.into_iter();
                    let about =
                        |entry: &Entry| results_of(entry).iter().any(|decided| decided.0 == number);
                    for entry in entries.filter(about) {
                        writeln!(out, "{board}  {}", in_words(&entry))?;
                    }
                }
            }
            Ok(outcome)
        })?;
        if outcome == Outcome::Failed && !shown {
            return Ok(outcome);
        }
        Ok(outcome.or(found(shown, game)))
    }
}

/// The body of an entry without anything that identifies a player.
fn without_names(body: &Bytes) -> Bytes {
    let Ok(mut json) = serde_json::from_slice::<Value>(body) else {
        return body.clone();
    };
    names::mask_headers(&mut json);
    let by_player = matches!(json["input"]["role"].as_str(), Some("white" | "black"));
    if by_player && let Some(input) = json["input"].as_object_mut() {
        input.remove("by");
    }
    Bytes::from(json.to_string())
}

/// An entry on one line.
fn in_words(entry: &Entry) -> String {
    let Ok(body) = serde_json::from_slice::<Value>(&entry.body) else {
        return format!("{:>8}  (cannot be read)", entry.seq);
    };
    let time = body["time"].as_str().unwrap_or("?");
    let facts = body["facts"].as_array().into_iter().flatten();
    let facts: Vec<String> = facts.map(named).collect();
    let mut line = format!("{:>8}  {time}  {}", entry.seq, named(&body["input"]));
    if !facts.is_empty() {
        line.push_str("  =>  ");
        line.push_str(&facts.join("; "));
    }
    line
}

/// An input or a fact: its type, then its values.
fn named(value: &Value) -> String {
    let Some(object) = value.as_object() else {
        return value.to_string();
    };
    let mut words = vec![
        object
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("?")
            .to_owned(),
    ];
    for (name, value) in object.iter().filter(|(name, _)| *name != "type") {
        let value = match value {
            Value::Null => continue,
            Value::String(text) if !text.contains([' ', '"']) => text.clone(),
            other => other.to_string(),
        };
        words.push(format!("{name}={value}"));
    }
    words.join(" ")
}
