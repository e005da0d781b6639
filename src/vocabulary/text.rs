//! Text from outside: names of players, events and people from a broker, a browser or a file.
//!
//! A name is one line. Control characters would break the line, the log or the terminal that shows
//! it. Characters that change the writing direction would reorder the text beside them, such as a
//! score or another name. Both are removed on entry. Letters of every script stay, including
//! right-to-left ones; pages isolate them with `bdi`.

use std::fmt;

/// One line of text, without characters that affect the text beside it.
///
/// ```
/// use remisd_vocabulary::text::OneLine;
///
/// assert_eq!(OneLine::new("Anna\u{202e}0-1\n").as_str(), "Anna0-1");
/// assert_eq!(OneLine::new("  Jan\tSmit ").as_str(), "Jan Smit");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneLine(String);

impl OneLine {
    /// Converts a text. Line breaks and tabs become spaces, and runs of spaces become one.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let mut line = String::with_capacity(text.len());
        for c in text.chars() {
            if c.is_whitespace() {
                if !line.is_empty() && !line.ends_with(' ') {
                    line.push(' ');
                }
            } else if !acts_on_others(c) {
                line.push(c);
            }
        }
        line.truncate(line.trim_end().len());
        Self(line)
    }

    /// Converts a text and keeps at most `most` characters of it.
    ///
    /// ```
    /// use remisd_vocabulary::text::OneLine;
    ///
    /// assert_eq!(OneLine::bounded("530 Login\r\nincorrect", 9).as_str(), "530 Login");
    /// ```
    #[must_use]
    pub fn bounded(text: &str, most: usize) -> Self {
        let Self(mut line) = Self::new(text);
        if let Some((end, _)) = line.char_indices().nth(most) {
            line.truncate(end);
            line.truncate(line.trim_end().len());
        }
        Self(line)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<OneLine> for String {
    fn from(line: OneLine) -> Self {
        line.0
    }
}

impl fmt::Display for OneLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Controls (Unicode category Cc), and formatting characters (Cf) that change the writing
/// direction, are invisible, or annotate. The joiners U+200C and U+200D stay, because names need
/// them.
fn acts_on_others(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_others_is_left_out() {
        for (text, line) in [
            ("Smit, Anna", "Smit, Anna"),
            ("\u{202e}annA\u{202c}", "annA"),
            ("\u{2066}Anna\u{2069}", "Anna"),
            ("\u{200f}Anna\u{61c}", "Anna"),
            ("A\u{0}n\u{1b}[31mna\u{7f}\u{9b}", "An[31mna"),
            ("Anna\r\n[Result \"1-0\"]", "Anna [Result \"1-0\"]"),
            ("Anna\u{2028}Bob\u{2029}", "Anna Bob"),
            ("\u{feff}Anna\u{a0} Smit", "Anna Smit"),
            ("A\u{200b}n\u{ad}na\u{e0041}", "Anna"),
            ("\u{202e}", ""),
        ] {
            assert_eq!(OneLine::new(text).as_str(), line, "{text:?}");
        }
    }

    #[test]
    fn names_of_every_script_stay() {
        for name in [
            "יעל כהן",
            "محمد علی",
            "Ðorđe Šarić",
            "李 超",
            "نرگس\u{200c}السادات",
            "Zoë",
        ] {
            assert_eq!(OneLine::new(name).as_str(), name);
        }
    }
}
