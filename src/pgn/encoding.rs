//! Bytes of a file as UTF-8: UTF-16 by its byte-order mark, everything else as it is.
//!
//! Files are put together of others, so a mark may stand anywhere: one at the beginning of a
//! line changes the encoding from there on. What is no UTF-8 afterwards is Windows-1252, and
//! [`super::text`] decides that line by line.

use std::io::{self, Read};

/// So much is read at a time.
const CHUNK: usize = 1 << 15;
/// With so much pending something can be handed on: what is held back is less.
const ENOUGH: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Nothing was read yet.
    Unknown,
    /// One byte after the other: UTF-8 or Windows-1252.
    Bytes,
    LittleEndian,
    BigEndian,
}

/// Reads a file and hands it on without UTF-16.
#[derive(Debug)]
pub(super) struct Decoder<R> {
    read: R,
    encoding: Encoding,
    /// What was read and is not handed on yet: a mark may be cut in two.
    pending: Vec<u8>,
    /// The last byte that was handed on.
    last: u8,
    ended: bool,
}

impl<R: Read> Decoder<R> {
    pub(super) const fn new(read: R) -> Self {
        Self {
            read,
            encoding: Encoding::Unknown,
            pending: Vec::new(),
            last: b'\n',
            ended: false,
        }
    }

    /// Appends more text; `false` when there is none left.
    ///
    /// # Errors
    ///
    /// What the file says, and UTF-32, which nobody writes games in.
    pub(super) fn more(&mut self, out: &mut Vec<u8>) -> io::Result<bool> {
        let before = out.len();
        while out.len() == before {
            if self.ended && self.pending.is_empty() {
                return Ok(false);
            }
            self.fill()?;
            if self.encoding == Encoding::Unknown {
                self.encoding = self.detected()?;
            }
            match self.encoding {
                Encoding::Unknown | Encoding::Bytes => self.bytes(out),
                Encoding::LittleEndian => self.units(u16::from_le_bytes, out),
                Encoding::BigEndian => self.units(u16::from_be_bytes, out),
            }
            self.last = out.last().copied().unwrap_or(self.last);
        }
        Ok(true)
    }

    /// Reads a chunk; enough is pending then, or the file has ended.
    fn fill(&mut self) -> io::Result<()> {
        while !self.ended && self.pending.len() < ENOUGH {
            let start = self.pending.len();
            self.pending.resize(start + CHUNK, 0);
            let read = self.read.read(&mut self.pending[start..]);
            self.pending.truncate(start + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.ended = true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn detected(&self) -> io::Result<Encoding> {
        match self.pending[..] {
            [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the text is in UTF-32: save it as UTF-8",
            )),
            // Without a mark: PGN begins with a letter, a digit or a bracket.
            [0xff, 0xfe, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..] => Ok(Encoding::LittleEndian),
            [0xfe, 0xff, ..] | [0, 1..=0x7f, 0, 1..=0x7f, ..] => Ok(Encoding::BigEndian),
            _ => Ok(Encoding::Bytes),
        }
    }

    /// Hands bytes on, up to a mark of UTF-16 at the beginning of a line.
    fn bytes(&mut self, out: &mut Vec<u8>) {
        // A mark and a character behind it have four bytes.
        let known = if self.ended {
            self.pending.len()
        } else {
            self.pending.len().saturating_sub(3)
        };
        let mut last = self.last;
        let mut end = known;
        for at in 0..known {
            let margin = matches!(last, b'\n' | b'\r' | 0x1a);
            last = self.pending[at];
            if !margin {
                continue;
            }
            let mark = match self.pending[at..] {
                [0xff, 0xfe, _, 0, ..] => Encoding::LittleEndian,
                [0xfe, 0xff, 0, _, ..] => Encoding::BigEndian,
                _ => continue,
            };
            self.encoding = mark;
            end = at;
            break;
        }
        out.extend(self.pending.drain(..end));
    }

    /// Hands UTF-16 on, up to the mark of a file in UTF-8 or of the other order.
    fn units(&mut self, of: fn([u8; 2]) -> u16, out: &mut Vec<u8>) {
        let known = if self.ended {
            self.pending.len()
        } else {
            self.pending.len() - 3
        };
        let before = self.encoding;
        let mut at = 0;
        let mut units = Vec::new();
        while at + 1 < known {
            match self.pending[at..] {
                [0xef, 0xbb, 0xbf, ..] => {
                    self.encoding = Encoding::Bytes;
                    break;
                }
                [a, b, ..] if of([a, b]) == 0xfffe => {
                    self.encoding = match self.encoding {
                        Encoding::LittleEndian => Encoding::BigEndian,
                        _ => Encoding::LittleEndian,
                    };
                    break;
                }
                // Half a character waits for its other half.
                [a, b, ..]
                    if (0xd800..0xdc00).contains(&of([a, b])) && at + 3 >= known && !self.ended =>
                {
                    break;
                }
                [a, b, ..] => units.push(of([a, b])),
                _ => break,
            }
            at += 2;
        }
        // Half a unit at the end of the file is nothing.
        let left_over = self.ended && self.encoding == before && at + 1 >= self.pending.len();
        let end = if left_over { self.pending.len() } else { at };
        self.pending.drain(..end);
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}
