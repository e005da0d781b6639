//! What keeps a text from being TOML, in plain words.

use super::{problem::Problem, value::Origin};

/// What the parser says first, and the same for people: what is wrong, and what would be right.
const WORDS: [(&str, &str, &str); 14] = [
    (
        "duplicate key",
        "this key or section is defined twice",
        "each one is allowed once; only [[board]], [[notify]] and [[tournament]] are repeated",
    ),
    (
        "key with no value",
        "there is no `=` after the key",
        "for example: key = value",
    ),
    (
        "unclosed table",
        "the section is not closed",
        "for example: [site]",
    ),
    (
        "unclosed array table",
        "the section is not closed",
        "for example: [[board]]",
    ),
    (
        "invalid basic string",
        "the text is not closed, or contains a character that is not allowed",
        "a text is on one line and ends with the quote it begins with",
    ),
    (
        "invalid literal string",
        "the text is not closed, or contains a character that is not allowed",
        "a text is on one line and ends with the quote it begins with",
    ),
    (
        "string values must be quoted",
        "this is not a value",
        "a text in straight quotes, a whole number, true or false, or a list in [ ]",
    ),
    ("invalid boolean", "this is not a value", "true or false"),
    (
        "unclosed array",
        "the list is not closed",
        "for example: [\"one\", \"two\"]",
    ),
    (
        "unclosed inline table",
        "the section in braces is not closed",
        "for example: { key = value }",
    ),
    (
        "unquoted keys cannot be empty",
        "there is no name here",
        "for example: key = value, or [section]",
    ),
    (
        "invalid unquoted key",
        "this is not the name of a key",
        "letters from a to z, digits, `-` and `_`",
    ),
    (
        "missing escaped value",
        "\\ is followed by something that has no meaning",
        "\\\\ for a \\, or the whole text in single quotes",
    ),
    (
        "unexpected key or value",
        "this does not belong after the value",
        "one key in each line; a comment begins with #",
    ),
];

/// The first place at which `text` is not TOML. Nothing of the text is in the message: it may be a
/// secret.
pub fn problem(text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message();
    let first = message.split(", expected").next().unwrap_or(message);
    let is_number = [
        "leading zero",
        "invalid fraction",
        "invalid integer",
        "digit",
    ];
    let known = WORDS.iter().find(|(words, ..)| *words == first);
    let (message, allowed) = match known {
        Some((_, message, allowed)) => (*message, *allowed),
        None if is_number.iter().any(|word| first.contains(word)) => {
            ("this is not a number", "a whole number, such as 900")
        }
        None => (
            "the file cannot be read from here on",
            "see the example remisd.toml",
        ),
    };
    let is_empty = |span: &std::ops::Range<usize>| {
        let rest = text.get(span.start..).unwrap_or_default();
        rest.is_empty() || rest.starts_with(['\n', '\r', '#'])
    };
    let span = error.span();
    let message = if first == "string values must be quoted" && span.as_ref().is_some_and(is_empty)
    {
        "the key has no value"
    } else {
        message
    };
    Problem {
        key: String::new(),
        origin: span.map_or(Origin::Default, Origin::File),
        message: message.to_owned(),
        allowed: allowed.to_owned(),
        beside: None,
    }
}
