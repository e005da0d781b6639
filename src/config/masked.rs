//! Masks a configuration for error messages, so that no secret reaches a log, even under a misspelt
//! key.
//!
//! Only the values of known keys without secrets are shown. Every other value is replaced by
//! asterisks, one for each byte, so that positions in the text stay the same.

use std::collections::HashSet;

use super::{part::Part as _, raw};

/// Parts of a key's name that mark its value as a secret.
const SECRET: [&str; 5] = ["password", "passphrase", "secret", "token", "private"];
/// Suffixes of keys that only name the place of a secret.
const ELSEWHERE: [&str; 2] = ["_file", "_credential"];

/// The text, with asterisks for everything that may be secret.
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

/// The state at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between keys.
    Keys,
    /// After a hidden value that may continue, such as a list over several lines.
    List,
    /// In a hidden triple-quoted string.
    Hidden(&'static str),
    /// In a shown triple-quoted string.
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

/// Copies a line that may contain keys, up to the first hidden value.
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
        let key = key_before(&line[..equals]);
        if !shown.contains(key) {
            stars(value, out);
            if text.starts_with('#') {
                return State::Keys;
            }
            return open.map_or(State::List, State::Hidden);
        }
        let length = value.len() - begins.len() + quoted_length(begins);
        // The query of an address of games is often a secret.
        let query = value[..length].find('?').filter(|_| key == "source");
        let (address, query) = value[..length].split_at(query.map_or(length, |at| at + 1));
        without_password(address, out);
        stars(query, out);
        if let Some(quotes) = open {
            out.push_str(&value[length..]);
            return State::Shown(quotes);
        }
        at = equals + 1 + length;
    }
    if at == 0 {
        // No recognisable key: `password: hunter2`, or a value without its key.
        let word = line.len() - line.trim_start().len() + name_length(text);
        out.push_str(&line[..word]);
        stars(&line[word..], out);
    } else {
        out.push_str(&line[at..]);
    }
    State::Keys
}

/// The length of the quoted string at the start of a value; 0 if there is none or it has no end.
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

/// Whether the line contains something like a key with a value.
fn has_key(line: &str) -> bool {
    line.find('=')
        .is_some_and(|at| !key_before(&line[..at]).is_empty())
}

/// The last part of the key at the end of `text`.
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

/// Writes asterisks for everything except quotes, spaces and line ends.
fn stars(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\n' | '\r' | ' ' | '"' | '\'' => out.push(c),
            c => out.extend(std::iter::repeat_n('*', c.len_utf8())),
        }
    }
}

/// An address without its user, whose name may be followed by a password. The scheme may be missing.
pub(super) fn without_user(address: &str) -> String {
    let Some((before, server)) = address.rsplit_once('@') else {
        return address.to_owned();
    };
    match before.split_once("://") {
        Some((scheme, _)) => format!("{scheme}://…@{server}"),
        None => format!("…@{server}"),
    }
}

/// Writes a value; of an address with a password, the password as asterisks.
fn without_password(value: &str, out: &mut String) {
    let scheme = value.split_once("://");
    // The scheme may have been forgotten.
    let bare = value.trim_start_matches([' ', '\t', '"', '\'']);
    let begin = scheme.map_or(value.len() - bare.len(), |(scheme, _)| {
        scheme.len() + "://".len()
    });
    let password = Some(&value[begin..]).and_then(|rest| {
        let authority = rest.split(['/', ' ']).next()?;
        let (user, _) = authority.rsplit_once('@')?;
        let colon = user.find(':')?;
        Some((begin + colon + 1, begin + user.len()))
    });
    let Some((start, end)) = password else {
        out.push_str(value);
        return;
    };
    out.push_str(&value[..start]);
    stars(&value[start..end], out);
    out.push_str(&value[end..]);
}

/// The keys whose values may be shown.
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
    fn the_password_in_an_address_is_hidden() {
        let text = "upload_url = \"sftp://a:hunter2@x/y\" # there\nfolder = \"/x\"\n";
        assert_eq!(without_secrets(text), text.replace("hunter2", "*******"));
    }

    #[test]
    fn the_query_of_a_source_is_hidden() {
        let text = "source = \"https://x/y.pgn?key=hunter2\" # there\nnumber = 2\n";
        let hidden = text.replace("key=hunter2", "***********");
        assert_eq!(without_secrets(text), hidden);
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
