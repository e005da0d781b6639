//! The result at the end of the moves, in its many spellings.

/// The results with which a game can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    /// An unambiguous result.
    Outcome(&'static str),
    /// `0-0`: both have lost, or a player has castled.
    Zeros,
}

/// The result at the start of `text`, and its length in bytes.
pub(super) fn result(text: &str) -> Option<(Closing, usize)> {
    if text.starts_with('*') {
        return Some((Closing::Outcome("*"), 1));
    }
    let (white, rest) = points(text)?;
    let between = rest.trim_start_matches([' ', '\t']);
    let Some(dash) = between.chars().next().filter(|c| is_between(*c)) else {
        // `1/2` alone is a draw; `0.5` may mean something else.
        let draw = white == Points::Half && !text.starts_with('0') && ends(rest);
        return draw.then(|| (Closing::Outcome("1/2-1/2"), text.len() - rest.len()));
    };
    let behind = &between[dash.len_utf8()..];
    let after = behind.trim_start_matches([' ', '\t']);
    let apart = between.len() < rest.len() || after.len() < behind.len();
    let (black, rest) = points(after)?;
    let closing = match (white, black) {
        (Points::One, Points::None) => Closing::Outcome("1-0"),
        (Points::None, Points::One) => Closing::Outcome("0-1"),
        (Points::Half, Points::Half) => Closing::Outcome("1/2-1/2"),
        (Points::None, Points::None) if dash == ':' || apart => Closing::Outcome("0-0"),
        (Points::None, Points::None) => Closing::Zeros,
        _ => return None,
    };
    ends(rest).then(|| (closing, text.len() - rest.len()))
}

/// The value of the tag `Result`, if it is a result.
pub(super) fn of_tag(value: &str) -> Option<&'static str> {
    match result(value.trim())? {
        (Closing::Outcome(outcome), _) => Some(outcome),
        (Closing::Zeros, _) => Some("0-0"),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Points {
    None,
    Half,
    One,
}

fn points(text: &str) -> Option<(Points, &str)> {
    let words = [
        ("1/2", Points::Half),
        ("½", Points::Half),
        ("0.5", Points::Half),
        ("0,5", Points::Half),
        ("1", Points::One),
        ("0", Points::None),
    ];
    let mut words = words.into_iter();
    words.find_map(|(word, points)| Some((points, text.strip_prefix(word)?)))
}

fn is_between(c: char) -> bool {
    c == '-' || c == ':' || remisd_vocabulary::notation::is_dash(c)
}

/// Whether a result may end here: no word character follows.
fn ends(rest: &str) -> bool {
    let next = rest.chars().next();
    next.is_none_or(|c| {
        c.is_whitespace() || matches!(c, '{' | '(' | ')' | ';' | '[' | '}' | '.' | ',')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_however_they_are_written() {
        let table = [
            ("1-0", "1-0"),
            ("1–0 ", "1-0"),
            ("1:0", "1-0"),
            ("0 - 1", "0-1"),
            ("1/2-1/2{agreed}", "1/2-1/2"),
            ("½-½", "1/2-1/2"),
            ("½ : ½", "1/2-1/2"),
            ("0.5-0.5", "1/2-1/2"),
            ("0,5 : 0,5", "1/2-1/2"),
            ("1/2", "1/2-1/2"),
            ("½", "1/2-1/2"),
            ("*", "*"),
            ("0:0", "0-0"),
            ("0 - 0", "0-0"),
        ];
        for (text, outcome) in table {
            let found = result(text).map(|(closing, _)| closing);
            assert_eq!(found, Some(Closing::Outcome(outcome)), "{text}");
        }
        assert_eq!(result("0-0"), Some((Closing::Zeros, 3)));
        assert_eq!(result("0–0 *").unwrap().0, Closing::Zeros);
        for text in [
            "0-0-0", "1.", "1", "0", "1-1", "12", "1. e4", "0-0+", "1/2-0", "e4", "1/23", "10-0",
            "0.5",
        ] {
            assert_eq!(result(text), None, "{text}");
        }
        assert_eq!(of_tag("0-0"), Some("0-0"));
        assert_eq!(of_tag("?"), None);
    }
}
