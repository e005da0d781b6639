//! The text of a configuration as an error may show it: a secret near a mistake, or with its key
//! misspelt, must not come into a log.
//!
//! Only the values of keys that are known and hold no secret are shown. Every other value is
//! stars, byte for byte, so that places in the text stay what they are.

use std::collections::HashSet;

use super::raw::{self, Part as _};

/// What the name of a key has in it whose value is a secret.
const SECRET: [&str; 5] = ["password", "passphrase", "secret", "token", "private"];
/// What the name of a key ends in that only says where a secret is kept.
const ELSEWHERE: [&str; 2] = ["_file", "_credential"];

/// The text with stars for what may be secret.
pub fn without_secrets(text: &str) -> String {
    let shown = shown_keys();
    let mut out = String::with_capacity(text.len());
    let mut state = State::Keys;
    for line in text.split_inclusive('\n') {
        state = match state {
            State::Hidden(quotes) => hidden_line(line, quotes, &mut out),
            State::Shown(quotes) => {
                out.push_str(line);
                if line.contains(quotes) {
                    State::Keys
                } else {
                    State::Shown(quotes)
                }
            }
            State::Keys => keys(line, &shown, &mut out),
            State::List if has_key(line) => keys(line, &shown, &mut out),
            State::List => {
                stars(line, &mut out);
                State::List
            }
        };
    }
    out
}

/// Where a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between the keys.
    Keys,
    /// Behind a value that is hidden and may go on: a list in several lines.
    List,
    /// In a text in three quotes that is hidden.
    Hidden(&'static str),
    /// In one that is shown.
    Shown(&'static str),
}

fn hidden_line(line: &str, quotes: &'static str, out: &mut String) -> State {
    if let Some(end) = line.find(quotes) {
        stars(&line[..end], out);
        out.push_str(quotes);
        stars(&line[end + quotes.len()..], out);
        State::Keys
    } else {
        stars(line, out);
        State::Hidden(quotes)
    }
}

/// A line in which keys may stand: shown up to the first value that is hidden.
fn keys(line: &str, shown: &HashSet<String>, out: &mut String) -> State {
    let text = line.trim_start();
    if text.is_empty() || text.starts_with(['#', '[', '"', '\'', ']', '}', ',']) && !has_key(line) {
        out.push_str(line);
        return State::Keys;
    }
    let mut at = 0;
    while let Some(equals) = line[at..].find('=').map(|found| at + found) {
        let value = &line[equals + 1..];
        out.push_str(&line[at..=equals]);
        let begins = value.trim_start_matches([' ', '\t']);
        let quotes = ["\"\"\"", "'''"]
            .into_iter()
            .find(|quotes| begins.starts_with(quotes));
        let open = quotes.filter(|quotes| !begins[quotes.len()..].contains(quotes));
        if !shown.contains(key_before(&line[..equals])) {
            stars(value, out);
            if text.starts_with('#') {
                return State::Keys;
            }
            return open.map_or(State::List, State::Hidden);
        }
        let length = value.len() - begins.len() + quoted_length(begins);
        out.push_str(&value[..length]);
        if let Some(quotes) = open {
            out.push_str(&value[length..]);
            return State::Shown(quotes);
        }
        at = equals + 1 + length;
    }
    if at == 0 {
        // No key that could be told: `password: hunter2`, or a value without its key.
        let word = line.len() - line.trim_start().len() + name_length(text);
        out.push_str(&line[..word]);
        stars(&line[word..], out);
    } else {
        out.push_str(&line[at..]);
    }
    State::Keys
}

/// How long a text in quotes is at the beginning of a value; 0 if it is none, or has no end.
fn quoted_length(value: &str) -> usize {
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return 0;
    };
    let mut escaped = false;
    for (at, c) in value.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    0
}

/// Whether something on the line looks like a key with its value.
fn has_key(line: &str) -> bool {
    line.find('=')
        .is_some_and(|at| !key_before(&line[..at]).is_empty())
}

/// The last part of the key that ends a text.
fn key_before(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '\t', '"', '\'']);
    let start = text.rfind(|c: char| !is_of_a_name(c)).map_or(0, |at| {
        at + text[at..].chars().next().map_or(0, char::len_utf8)
    });
    &text[start..]
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !is_of_a_name(c)).unwrap_or(text.len())
}

fn is_of_a_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Stars for everything but quotes, spaces and the ends of lines.
fn stars(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\n' | '\r' | ' ' | '"' | '\'' => out.push(c),
            c => out.extend(std::iter::repeat_n('*', c.len_utf8())),
        }
    }
}

/// The keys whose values may be seen.
fn shown_keys() -> HashSet<String> {
    let mut keys = HashSet::new();
    let mut see = |path: &str, _: &mut dyn super::value::Value| {
        let names = path.split('.').filter(|name| !is_secret(name));
        keys.extend(names.map(str::to_owned));
    };
    raw::File::default().walk("", &mut see);
    raw::Board::default().walk("board", &mut see);
    keys
}

fn is_secret(name: &str) -> bool {
    SECRET.iter().any(|secret| name.contains(secret))
        && !ELSEWHERE.iter().any(|elsewhere| name.ends_with(elsewhere))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_hidden_byte_for_byte() {
        let text = "password = \"pässword=1\"\npassword_file = \"/x\"\nmqtt.password = 'a'";
        let hidden = without_secrets(text);
        assert_eq!(hidden.len(), text.len());
        assert!(
            !hidden.contains("ssword=1") && hidden.contains("/x"),
            "{hidden}"
        );
        assert!(hidden.ends_with("mqtt.password = '*'"), "{hidden}");
        let text = "password = \"\"\"\nhunter2\n\"\"\"\nid = 5";
        let hidden = without_secrets(text);
        assert_eq!(hidden, text.replace("hunter2", "*******"));
    }

    #[test]
    fn the_value_of_a_key_that_is_not_known_is_hidden() {
        for text in [
            "passwrod = \"hunter2\"",
            "public_password = 'hunter2'",
            "Password=\"hunter2\"",
            "mqtt.pasword = \"hunter2\"",
            "mqtt = { url = \"mqtt://a\", pass = \"hunter2\" }",
            "password: hunter2",
            "password hunter2",
            "password = hunter2",
            "pasword = '''\nhunter2\n'''",
            "pass = [\n  \"hunter2\",\n  \"hunter2\",\n]",
            "lichess_token = \"hunter2\"",
            "url = \"mqtt://a\" pass = \"hunter2\"",
            "\"passwrod\" = \"hunter2\"",
        ] {
            let hidden = without_secrets(text);
            assert_eq!(hidden.len(), text.len(), "{text}");
            assert!(!hidden.contains("hunter"), "{text}: {hidden}");
        }
    }

    #[test]
    fn what_is_no_secret_is_shown() {
        let text = "# id = b\n[mqtt]\nurl = \"mqtt://a/?b=c\" # there\nid = '''\nx = y\n'''\n\
            [http]\nnames = [\n  \"a\",\n]\nsite = { id = \"x\", node = \"y\" }\n[[board]]\nport = \"/dev/x\"\n";
        assert_eq!(without_secrets(text), text);
    }

    #[test]
    fn a_value_in_a_comment_hides_nothing_behind_it() {
        let text = "# pass = '''hunter2\n[mqtt]\n# pasword = [\nurl = \"mqtt://a\"\n";
        let hidden = "# pass = '''*******\n[mqtt]\n# pasword = *\nurl = \"mqtt://a\"\n";
        assert_eq!(without_secrets(text), hidden);
    }
}
