//! What a server says, fit for the log and the topics.
//!
//! A server can repeat a request, and with it the token. So every text of a server becomes a
//! [`ServerText`] before anything else reads it.

use std::fmt;

use remisd_vocabulary::text::OneLine;

use super::token::Token;

/// How many characters are shown.
const SHOWN: usize = 200;
/// What stands for a secret.
const CUT: &str = "…";
/// The name of the header that holds the token.
const HEADER: &str = "authorization";
/// The scheme of the token in that header.
const SCHEME: &str = "bearer";
/// A shorter word after the scheme is no token.
const SHORTEST_TOKEN: usize = 8;

/// One short line of a server, without the token and without any value of `Authorization`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerText(String);

impl ServerText {
    /// What is left of a text.
    pub(super) fn new(text: &str, token: &Token) -> Self {
        // Control characters first: one inside the token would hide it.
        let line = OneLine::new(text);
        let line = line.as_str().replace(token.reveal(), CUT);
        let line = without_tokens(&without_headers(&line));
        Self(OneLine::bounded(&line, SHOWN).into())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ServerText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Cuts the values of `Authorization: <scheme> <value>`, in JSON, HTML or a dump of headers.
fn without_headers(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = split_at_word(rest, HEADER) {
        kept.push_str(before);
        let value = after.trim_start_matches([' ', '"', '\'', '\\', ':', '=', '>', '[', '(']);
        let between = &after[..after.len() - value.len()];
        rest = after;
        if between.contains([':', '=', '"']) {
            let (first, behind) = word(value);
            // The scheme is a word of its own.
            let second = behind.strip_prefix(' ').filter(|_| !first.is_empty());
            kept.push_str(between);
            kept.push_str(CUT);
            rest = second.map_or(behind, |second| word(second).1);
        }
    }
    kept + rest
}

/// Cuts what follows the scheme, if it can be a token.
fn without_tokens(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = split_at_word(rest, SCHEME) {
        kept.push_str(before);
        let value = after.trim_start_matches([' ', '"', '\'', '\\', ':', '=', '+', '%', '2', '0']);
        let (token, behind) = word(value);
        rest = after;
        if token.len() >= SHORTEST_TOKEN {
            kept.push_str(&after[..after.len() - value.len()]);
            kept.push_str(CUT);
            rest = behind;
        }
    }
    kept + rest
}

/// A line up to the end of a word in any case, and what follows it.
fn split_at_word<'a>(line: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    // Only ASCII changes, so the places are the same.
    let at = line.to_ascii_lowercase().find(word)?;
    Some(line.split_at(at + word.len()))
}

/// The characters of a scheme or a token that a text begins with, and what follows them.
fn word(text: &str) -> (&str, &str) {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | '<' | ',' | ';');
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_no_control_character_and_no_long_text_is_shown() {
        let token = Token::new("lip_SECRET123").unwrap();
        for (text, expected) in [
            ("Cannot play Kx\nat ply 2", "Cannot play Kx at ply 2"),
            ("you sent lip_SECRET123!", "you sent …!"),
            ("you sent lip_\u{1b}SEC\u{200b}RET123", "you sent …"),
            (
                "Authorization: Bearer lip_SECRET123\r\nHost: a",
                "Authorization: … Host: a",
            ),
            (
                r#"{"AUTHORIZATION":"Basic dXNlcjpwYXNz","a":1}"#,
                r#"{"AUTHORIZATION":"…","a":1}"#,
            ),
            ("authorization=other_one; x", "authorization=…; x"),
            (
                "The authorization has expired",
                "The authorization has expired",
            ),
            ("bearer lip_OTHER456 is old", "bearer … is old"),
            ("Bearer token missing", "Bearer token missing"),
        ] {
            assert_eq!(ServerText::new(text, &token).as_str(), expected, "{text:?}");
        }
        // A token that would be cut off by the bound is not shown in part.
        let long = format!("{}lip_SECRET123", "x".repeat(SHOWN - 5));
        let text = ServerText::new(&long, &token);
        assert!(!text.as_str().contains("lip") && text.as_str().chars().count() <= SHOWN);
    }
}
