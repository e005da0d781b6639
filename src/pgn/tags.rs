//! Tag pairs, in the spellings of people and programs.

/// Maximum length of a tag that continues on the next line, in bytes.
const LONGEST: usize = 4096;
/// The seven-tag roster, and the tags of a starting position.
const USUAL: [&str; 9] = [
    "Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp",
];

/// The tags that name a game: event, round, players and the like. They say nothing of its moves.
pub const GAME_TAGS: [&str; 22] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "WhiteFed",
    "BlackFed",
    "WhiteFideId",
    "BlackFideId",
    "WhiteTeam",
    "BlackTeam",
    "TimeControl",
    "Variant",
    "EventDate",
    "Section",
    "Stage",
    "GameId",
];

/// What a bracket begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// A tag pair, and its length in bytes.
    Pair {
        name: &'a str,
        value: String,
        length: usize,
        /// The value is in quotes, as the standard requires.
        quoted: bool,
    },
    /// A quoted value that does not end on this line.
    Open,
    /// Not a tag.
    None,
}

/// Reads the tag at the start of `text`, which begins with a bracket: `[Name "value"]`. The quotes
/// may be typographic, missing, or nested.
pub(super) fn tag(text: &str) -> Tag<'_> {
    let inside = text[1..].trim_start();
    let name_end = inside.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-')));
    let (name, rest) = inside.split_at(name_end.unwrap_or(inside.len()));
    if !name.starts_with(char::is_alphabetic) {
        return Tag::None;
    }
    let value = rest
        .trim_start()
        .trim_start_matches([':', '='])
        .trim_start();
    let at = text.len() - value.len();
    let Some(open) = value.chars().next().filter(|c| is_quote(*c)) else {
        return unquoted(name, value, at);
    };
    let body = &value[open.len_utf8()..];
    let body_at = at + open.len_utf8();
    match closing_quote(body) {
        Some((end, length)) => Tag::Pair {
            name,
            value: unescaped(&body[..end]),
            length: body_at + length,
            quoted: true,
        },
        None => Tag::Open,
    }
}

/// The value of a tag with unclosed quotes: everything that is there.
pub(super) fn unclosed(text: &str) -> Option<(&str, String)> {
    let Tag::Open = tag(text) else { return None };
    let inside = text[1..].trim_start();
    let (name, rest) = inside.split_once(is_quote)?;
    let value = rest.trim_end_matches(|c| c == ']' || is_quote(c));
    Some((
        name.trim_end_matches([' ', ':', '=']),
        unescaped(value.trim_end()),
    ))
}

/// Whether an open tag may continue on the next line.
pub(super) fn goes_on(open: &str, next: &str) -> bool {
    let next = next.trim();
    let ends = next.ends_with(']') || next.ends_with(is_quote);
    open.len() < LONGEST && ends && !next.starts_with('[')
}

/// Whether a tag belongs to the seven-tag roster or to a starting position.
pub(super) fn is_usual(name: &str) -> bool {
    USUAL.contains(&name)
}

/// Whether the line is a tag pair and nothing else; `usual` also requires one of the usual names.
pub(super) fn is_tag_line(line: &str, usual: bool) -> bool {
    if !line.starts_with('[') {
        return false;
    }
    match tag(line) {
        Tag::Pair {
            name,
            length,
            quoted: true,
            ..
        } => line[length..].trim().is_empty() && (!usual || is_usual(name)),
        _ => false,
    }
}

fn unquoted<'a>(name: &'a str, value: &str, at: usize) -> Tag<'a> {
    // A remark in brackets begins in lower case.
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase());
    let Some(end) = value.find(']').filter(|_| is_name) else {
        return Tag::None;
    };
    Tag::Pair {
        name,
        value: unescaped(value[..end].trim()),
        length: at + end + 1,
        quoted: false,
    }
}

const fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\u{201c}'
            | '\u{201d}'
            | '\u{201e}'
            | '\u{201f}'
            | '\u{2033}'
            | '\u{ab}'
            | '\u{bb}'
            | '\''
            | '\u{2018}'
            | '\u{2019}'
            | '\u{201a}'
            | '`'
    )
}

/// The end of the value and of the tag: at a quote before a bracket. An escaped quote counts only
/// if there is no other, since a Windows path may end in a backslash.
fn closing_quote(body: &str) -> Option<(usize, usize)> {
    let mut escaped_end = None;
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        if is_quote(c) {
            let rest = &body[at + c.len_utf8()..];
            let gap = rest.len() - rest.trim_start().len();
            if rest[gap..].starts_with(']') {
                let end = (at, at + c.len_utf8() + gap + 1);
                if !escaped {
                    return Some(end);
                }
                escaped_end.get_or_insert(end);
            }
        }
        escaped = c == '\\' && !escaped;
    }
    escaped_end
}

/// Resolves the escapes `\"` and `\\`.
fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut chars = value.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if matches!(chars.peek(), Some('"' | '\\')) => text.extend(chars.next()),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(text: &str) -> (String, String, &str) {
        match tag(text) {
            Tag::Pair {
                name,
                value,
                length,
                ..
            } => (name.to_owned(), value, &text[length..]),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn tags_are_read_however_they_are_written() {
        let table = [
            ("[White \"A\"]", "White", "A", ""),
            (
                "[White \"A\"] [Black \"B\"]",
                "White",
                "A",
                " [Black \"B\"]",
            ),
            ("[White\"A\"]1. e4", "White", "A", "1. e4"),
            ("[ White  \"A\" ]", "White", "A", ""),
            ("[White “A”]", "White", "A", ""),
            ("[White „A“]", "White", "A", ""),
            ("[White «A»]", "White", "A", ""),
            ("[White 'O'Neill']", "White", "O'Neill", ""),
            ("[White: \"A\"]", "White", "A", ""),
            ("[White=\"A\"]", "White", "A", ""),
            (
                "[Event \"The \"Big\" Open\"]",
                "Event",
                "The \"Big\" Open",
                "",
            ),
            (
                "[Event \"a \\\"b\\\" \\\\ c\"]",
                "Event",
                "a \"b\" \\ c",
                "",
            ),
            ("[Site \"C:\\games\\\"]", "Site", "C:\\games\\", ""),
            ("[Event \"a [b] c\"]", "Event", "a [b] c", ""),
            ("[WhiteElo 2100]", "WhiteElo", "2100", ""),
            ("[Event]", "Event", "", ""),
            ("[Event \"\"]", "Event", "", ""),
            ("[White-Elo \"1\"]", "White-Elo", "1", ""),
        ];
        for (text, name, value, rest) in table {
            assert_eq!(
                pair(text),
                (name.to_owned(), value.to_owned(), rest),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_tag_is_none_and_what_does_not_end_is_open() {
        for text in [
            "[",
            "[#]",
            "[%clk 1:00]",
            "[]",
            "[1-0 \"x\"]",
            "[see below]",
            "[see below",
        ] {
            assert_eq!(tag(text), Tag::None, "{text}");
        }
        assert_eq!(tag("[White \"A"), Tag::Open);
        assert_eq!(unclosed("[White \"A"), Some(("White", "A".to_owned())));
        assert_eq!(unclosed("[White \"A\""), Some(("White", "A".to_owned())));
        assert_eq!(unclosed("[White \"A]"), Some(("White", "A".to_owned())));
        assert!(goes_on("[Event \"a", "b\"]") && !goes_on("[Event \"a", "[Site \"b\"]"));
        assert!(is_tag_line("[White \"A\"] ", true) && !is_tag_line("[Foo \"A\"]", true));
        assert!(is_tag_line("[Foo \"A\"]", false) && !is_tag_line("[Foo A]", false));
    }
}
