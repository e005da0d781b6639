//! Converts JSON into arguments of messages.

use fluent_bundle::{FluentArgs, FluentValue};
use serde_json::{Map, Value};

use super::Words;

/// The arguments that are moves in standard algebraic notation.
const MOVES: [&str; 3] = ["move", "announced", "played"];

/// The word that a selector sees for an empty value.
pub(super) const NONE: &str = "none";

/// The largest number that the plural rules accept: 2^53.
const LARGEST: i64 = 1 << 53;

impl Words {
    pub(super) fn arguments(&self, arguments: &Map<String, Value>) -> FluentArgs<'static> {
        let values = arguments.iter().map(|(name, value)| {
            let value = match value {
                Value::String(san) if MOVES.contains(&name.as_str()) => {
                    Value::String(self.san(san))
                }
                value => value.clone(),
            };
            (name.clone(), argument(&value))
        });
        values.collect()
    }
}

fn argument(value: &Value) -> FluentValue<'static> {
    if let Some(number) = value.as_i64()
        && (-LARGEST..=LARGEST).contains(&number)
    {
        return FluentValue::from(number);
    }
    let text = plain(value);
    FluentValue::String(if text.is_empty() {
        NONE.into()
    } else {
        text.into()
    })
}

/// A value as text; the items of a list are joined by commas.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(plain).collect();
            parts.join(", ")
        }
        value => value.to_string(),
    }
}
