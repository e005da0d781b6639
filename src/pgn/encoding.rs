//! Decodes UTF-16, recognised by its byte-order mark or its zero bytes; other bytes pass unchanged.
//!
//! Files are often concatenated from others, so a byte-order mark may appear anywhere. At the start
//! of a line it changes the encoding from there on. Bytes that are not valid UTF-8 are
//! Windows-1252; [`super::text`] decides that line by line.

use std::io::{self, Read};

/// Bytes per read.
const CHUNK: usize = 1 << 15;
/// With this many bytes pending, some can be decoded; fewer may be held back.
const ENOUGH: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    /// Nothing has been read yet.
    Unknown,
    /// Single bytes: UTF-8 or Windows-1252.
    Bytes,
    LittleEndian,
    BigEndian,
}

/// Reads a file and decodes UTF-16.
#[derive(Debug)]
pub(super) struct Decoder<R> {
    read: R,
    encoding: Encoding,
    /// Bytes that are read but not yet decoded, since a mark may be split between two reads.
    pending: Vec<u8>,
    /// The last byte of the output.
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

    /// Appends more text; returns `false` at the end.
    ///
    /// # Errors
    ///
    /// The error of the underlying reader, or text in UTF-32, which is not supported.
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

    /// Reads until enough bytes are pending or the file has ended.
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
            // Without a mark, rely on zero bytes: PGN begins with a letter, a digit or a bracket.
            [0xff, 0xfe, ..] | [1..=0x7f, 0, 1..=0x7f, 0, ..] => Ok(Encoding::LittleEndian),
            [0xfe, 0xff, ..] | [0, 1..=0x7f, 0, 1..=0x7f, ..] => Ok(Encoding::BigEndian),
            _ => Ok(Encoding::Bytes),
        }
    }

    /// Copies bytes up to a UTF-16 mark at the start of a line.
    fn bytes(&mut self, out: &mut Vec<u8>) {
        // A mark and the following character take four bytes.
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

    /// Decodes UTF-16 up to a UTF-8 mark or a mark of the opposite byte order.
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
                // A high surrogate waits for its low surrogate.
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
        // Drop half a code unit at the end of the file.
        let left_over = self.ended && self.encoding == before && at + 1 >= self.pending.len();
        let end = if left_over { self.pending.len() } else { at };
        self.pending.drain(..end);
        for c in char::decode_utf16(units) {
            let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}
