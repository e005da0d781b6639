//! The lines of a text, in any encoding and with any line ends.
//!
//! The output is UTF-8 without byte-order marks and with plain spaces only. A line that is not
//! valid UTF-8 is decoded as Windows-1252. CR, LF, CRLF and the end-of-file mark of DOS end a line.
//! An overlong line is read in pieces, cut between words.

use std::{borrow::Cow, io};

use encoding_rs::WINDOWS_1252;

use super::encoding::Decoder;

/// Maximum length of a line that is read in one piece, in bytes.
const MAX_LINE: usize = 1 << 16;

/// An iterator over the lines of a text.
#[derive(Debug)]
pub struct Lines<R> {
    decoder: Decoder<R>,
    buffer: Vec<u8>,
    /// The start of the next line in the buffer.
    at: usize,
    /// The current line.
    pub text: String,
    /// Its line number, from 1.
    pub number: u64,
    /// The current line is the continuation of a very long one.
    pub goes_on: bool,
    /// The previous line was cut.
    cut: bool,
}

impl<R: io::Read> Lines<R> {
    /// Reads lines from these bytes.
    pub fn new(read: R) -> Self {
        Self {
            decoder: Decoder::new(read),
            buffer: Vec::new(),
            at: 0,
            text: String::new(),
            number: 0,
            goes_on: false,
            cut: false,
        }
    }

    /// Moves to the next line. Returns whether there is one.
    ///
    /// # Errors
    ///
    /// The error of the reader.
    pub fn advance(&mut self) -> io::Result<bool> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.at..];
            let found = rest[searched..].iter().position(|b| ends_line(*b));
            if let Some(length) = found.map(|found| searched + found) {
                // The byte after a CR shows whether it is a CRLF.
                if rest[length] == b'\r' && rest.len() == length + 1 && self.more()? {
                    searched = length;
                    continue;
                }
                let rest = &self.buffer[self.at..];
                let crlf = rest[length..].starts_with(b"\r\n");
                self.take(length, 1 + usize::from(crlf), false);
                return Ok(true);
            }
            if rest.len() > MAX_LINE {
                let length = last_gap(&rest[..MAX_LINE]).unwrap_or(MAX_LINE);
                self.take(length, 0, true);
                return Ok(true);
            }
            searched = rest.len();
            if !self.more()? {
                let length = self.buffer.len() - self.at;
                if length == 0 {
                    return Ok(false);
                }
                self.take(length, 0, false);
                return Ok(true);
            }
        }
    }

    fn more(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.at);
        self.at = 0;
        self.decoder.more(&mut self.buffer)
    }

    fn take(&mut self, length: usize, end: usize, cut: bool) {
        let line = &self.buffer[self.at..self.at + length];
        self.text.clear();
        push_cleaned(&decoded(line), &mut self.text);
        self.at += length + end;
        self.goes_on = self.cut;
        self.cut = cut;
        if !self.goes_on {
            self.number += 1;
        }
    }
}

const fn ends_line(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0x1a)
}

/// Where a long line can be cut: after the last space.
fn last_gap(line: &[u8]) -> Option<usize> {
    let gap = line.iter().rposition(|b| matches!(b, b' ' | b'\t'))?;
    Some(gap + 1)
}

/// Decodes a line as UTF-8, or else as Windows-1252.
fn decoded(line: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(line) {
        return Cow::Borrowed(text);
    }
    // Some programs cut UTF-8 inside a character or mix both encodings in a line. Keep each part
    // that is valid UTF-8, unless it falls into an implausible script.
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        let meant = |c: char| !matches!(c, '\u{250}'..='\u{36f}' | '\u{530}'..='\u{7ff}');
        if chunk.valid().chars().all(meant) {
            text.push_str(chunk.valid());
        } else {
            let (read, _) = WINDOWS_1252.decode_without_bom_handling(chunk.valid().as_bytes());
            text.push_str(&read);
        }
        let (read, _) = WINDOWS_1252.decode_without_bom_handling(chunk.invalid());
        text.push_str(&read);
    }
    Cow::Owned(text)
}

/// Appends a text with plain spaces, without byte-order marks and control characters.
fn push_cleaned(text: &str, out: &mut String) {
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t')) {
        out.push_str(text);
        return;
    }
    out.extend(text.chars().filter_map(|c| match c {
        // Byte-order marks, soft hyphens, zero-width spaces and joiners.
        '\0' | '\u{feff}' | '\u{fffe}' | '\u{ad}' | '\u{200b}' | '\u{2060}' => None,
        '\t' => Some(c),
        c if c.is_control() || c.is_whitespace() => Some(' '),
        c => Some(c),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<String> {
        let mut lines = Lines::new(bytes);
        let mut found = Vec::new();
        while lines.advance().unwrap() {
            found.push(lines.text.clone());
        }
        found
    }

    fn utf16(text: &str, of: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(of).collect()
    }

    #[test]
    fn lines_end_in_every_way_and_are_counted_alike() {
        for text in [
            "a\nb\n\nc",
            "a\rb\r\rc\r",
            "a\r\nb\r\n\r\nc\r\n",
            "a\x1ab\x1a\x1ac",
        ] {
            assert_eq!(lines(text.as_bytes()), ["a", "b", "", "c"], "{text:?}");
        }
    }

    #[test]
    fn every_encoding_is_read() {
        let text = "Müller, Jörg\n“é”";
        let expected = ["Müller, Jörg", "“é”"];
        let marked = format!("\u{feff}{text}");
        assert_eq!(lines(text.as_bytes()), expected);
        assert_eq!(lines(marked.as_bytes()), expected);
        // Without a mark it is recognised by its zero bytes.
        let tag = "[White \"Müller\"]";
        for of in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(lines(&utf16(&marked, of)), expected);
            assert_eq!(lines(&utf16(tag, of)), [tag]);
        }
        let (windows, _, _) = WINDOWS_1252.encode(text);
        assert_eq!(lines(&windows), expected);
    }

    #[test]
    fn files_in_different_encodings_may_be_put_together() {
        let (windows, _, _) = WINDOWS_1252.encode("Köln\n");
        let parts = [
            &utf16("\u{feff}Köln\n", u16::to_le_bytes)[..],
            "\u{feff}Köln\n".as_bytes(),
            &windows,
            &utf16("\u{feff}Köln\n", u16::to_be_bytes),
            &utf16("\u{feff}Köln\n", u16::to_le_bytes),
            "\u{feff}Köln\n".as_bytes(),
        ];
        assert_eq!(lines(&parts.concat()), ["Köln"; 6]);
    }

    #[test]
    fn a_line_with_a_character_cut_in_two_loses_that_one_alone() {
        assert_eq!(lines(b"M\xc3\xbcller, J\xc3"), ["Müller, JÃ"]);
        assert_eq!(lines(b"\xbbWei\xdf\xab"), ["»Weiß«"]);
    }

    #[test]
    fn spaces_are_plain_and_marks_are_gone() {
        assert_eq!(
            lines("a\u{a0}b\u{202f}c\u{2009}d\u{200b}e\0\u{7}".as_bytes()),
            ["a b c de "]
        );
    }

    #[test]
    fn a_line_of_any_length_is_cut_between_words() {
        let long = "1. Nf3 Nf6 ".repeat(20_000);
        let pieces = lines(long.as_bytes());
        assert!(pieces.len() > 2 && pieces.iter().all(|piece| piece.len() <= MAX_LINE));
        assert_eq!(pieces.concat(), long);
        assert!(
            pieces
                .iter()
                .all(|piece| piece.starts_with("1.") || piece.starts_with('N'))
        );
    }

    #[test]
    fn utf_32_is_refused_by_name() {
        let error = Lines::new(&b"\xff\xfe\0\0[\0\0\0"[..])
            .advance()
            .unwrap_err();
        assert!(error.to_string().contains("UTF-32"), "{error}");
    }
}
