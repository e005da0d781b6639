//! Removes the players' identities from PGN tags, for anonymous records and files.

use std::collections::BTreeMap;

use serde_json::Value;

/// Tags about a person that do not begin with a colour.
const OTHERS: [&str; 1] = ["annotator"];

/// The masked value of a tag; `None` if the tag is removed.
///
/// A player becomes `?`, the PGN form of an unknown name. Everything else about a player
/// (`WhiteFideId`, `BlackElo`, `WhiteTeam`, `BlackNA`, …) is removed, because title, rating and
/// club would identify them. An empty value, which removes a tag, stays empty.
#[must_use]
pub fn masked<'a>(tag: &str, value: &'a str) -> Option<&'a str> {
    let tag = tag.to_ascii_lowercase();
    let of_player = tag.starts_with("white") || tag.starts_with("black");
    if !of_player && !OTHERS.contains(&tag.as_str()) {
        return Some(value);
    }
    match tag.as_str() {
        "white" | "black" if value.is_empty() => Some(value),
        "white" | "black" => Some("?"),
        _ => None,
    }
}

/// Masks a set of tags.
#[must_use]
pub fn masked_tags(tags: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let kept = tags.iter().filter_map(|(tag, value)| {
        let value = masked(tag, value)?;
        Some((tag.clone(), value.to_owned()))
    });
    kept.collect()
}

/// Masks every `headers` in a JSON document, at any depth.
pub fn mask_headers(json: &mut Value) {
    match json {
        Value::Object(object) => {
            for (name, value) in object {
                match (name.as_str(), value) {
                    ("headers", Value::Object(headers)) => headers.retain(|tag, value| {
                        let text = value.as_str().unwrap_or("?");
                        let Some(masked) = masked(tag, text) else {
                            return false;
                        };
                        if masked != text || !value.is_string() {
                            *value = masked.into();
                        }
                        true
                    }),
                    (_, value) => mask_headers(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask_headers),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_remains_identifies_no_player() {
        let mut event = json!({
            "input": {"type": "command", "arguments": {"headers": {
                "White": "Anna", "WhiteFideId": "1503014", "blackElo": "2831", "Black": "",
                "Event": "Open", "TimeControl": "300", "Annotator": "Eva", "WhiteTeam": 5,
            }}},
            "facts": [{"type": "headers_set", "headers": {"White": "Anna", "Round": "1"}}],
        });
        mask_headers(&mut event);
        let expected = json!({
            "input": {"type": "command", "arguments": {"headers": {
                "White": "?", "Black": "", "Event": "Open", "TimeControl": "300",
            }}},
            "facts": [{"type": "headers_set", "headers": {"White": "?", "Round": "1"}}],
        });
        assert_eq!(event, expected);
    }
}
