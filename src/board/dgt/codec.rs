//! Splits a stream of bytes into messages.
//!
//! ```text
//!   id|0x80  length>>7  length&0x7F  payload…      (length counts from id to the end)
//! ```
//!
//! Any byte with bit 7 set begins a new message, and unfinished bytes before it are noise. So the
//! decoder is in step again with the first complete message after any disturbance, however long.
//!
//! Unreadable input is an [`Item`] too, never an error: a decoder that returns an error ends its
//! stream, and the stream must survive noise.
//!
//! ```
//! use bytes::BytesMut;
//! use remisd_board::dgt::codec::{Codec, Item, Reply};
//! use tokio_util::codec::Decoder;
//!
//! let mut line = BytesMut::from(&[0x20, 0x8E, 0x00, 0x05, 0x34, 0x00][..]);
//! let mut codec = Codec::default();
//! assert_eq!(codec.decode(&mut line)?, Some(Item::Noise(1)));
//! let update = Reply::FieldUpdate { square: 0x34, piece: 0 };
//! assert_eq!(codec.decode(&mut line)?, Some(Item::Reply(update)));
//! # Ok::<_, std::io::Error>(())
//! ```

use std::io;

use bytes::{Buf, BytesMut};
use tokio_util::codec::Decoder;

use super::table::{self, HEADER, Length, id};

/// One item found on the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A decoded message.
    Reply(Reply),
    /// This many bytes that belong to no message, unfinished messages included.
    Noise(usize),
    /// A message of an unknown kind; its payload is skipped.
    Unknown {
        /// The first byte.
        id: u8,
        /// The total length it declares.
        length: usize,
    },
    /// A message of a known kind with an impossible length or content.
    Bad {
        /// The first byte.
        id: u8,
        /// The total length it declares.
        length: usize,
    },
    /// This many bytes of an EEPROM log. The log takes up to eight seconds, during which the board
    /// sends nothing else.
    Log(usize),
}

/// A message from the board, as on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// One piece code per square, from a8 to h1, each at most 0x0F.
    BoardDump(Box<[u8; 64]>),
    /// A single changed square.
    FieldUpdate {
        /// The index of the square, 0 to 63, from a8 to h1.
        square: u8,
        /// The new piece code; 0 for an empty square.
        piece: u8,
    },
    /// The clock's times, or its answer to a command: see [`super::clock`].
    Clock([u8; 7]),
    /// The address on the bus, 14 bits.
    BusAddress(u16),
    /// The serial number: five characters, normally digits.
    SerialNumber(String),
    /// The maker's trademark text.
    Trademark(String),
    /// The firmware version: 3 and 10 mean version 3.10.
    Version(u8, u8),
    /// A draughts board: one code for each of the 50 dark squares.
    DraughtsDump(Box<[u8; 50]>),
    /// The hardware version, in an undocumented format.
    HardwareVersion(Vec<u8>),
    /// The battery's nine bytes, decoded.
    Battery(Battery),
    /// The long serial number: ten characters.
    LongSerialNumber(String),
}

/// The known part of the battery's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Battery {
    /// The charge in percent, 0 to 100.
    pub percent: u8,
    /// Whether the battery is charging.
    pub charging: bool,
    /// Whether the battery is discharging.
    pub discharging: bool,
}

/// What the decoder does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// Waits for the first byte of a message.
    #[default]
    Message,
    /// Skips the rest of a message without use.
    PassOver { left: usize, log: bool },
}

/// The decoder of one line; it never buffers more than the longest message.
#[derive(Debug, Default)]
pub struct Codec {
    mode: Mode,
}

impl Decoder for Codec {
    type Item = Item;
    type Error = io::Error;

    fn decode(&mut self, line: &mut BytesMut) -> Result<Option<Item>, io::Error> {
        Ok(self.next(line))
    }

    fn decode_eof(&mut self, line: &mut BytesMut) -> Result<Option<Item>, io::Error> {
        let rest = line.len();
        Ok(self.next(line).or_else(|| {
            line.clear();
            (rest > 0).then_some(Item::Noise(rest))
        }))
    }
}

impl Codec {
    fn next(&mut self, line: &mut BytesMut) -> Option<Item> {
        if let Mode::PassOver { left, log } = self.mode
            && let Some(item) = self.pass_over(line, left, log)
        {
            return Some(item);
        }
        if line.is_empty() || self.mode != Mode::Message {
            return None;
        }
        match next_id(line) {
            Some(0) => self.message(line),
            Some(noise) => Some(drop_noise(line, noise)),
            None => Some(drop_noise(line, line.len())),
        }
    }

    /// Skips a message without use, up to its end or the first byte of the next.
    fn pass_over(&mut self, line: &mut BytesMut, left: usize, log: bool) -> Option<Item> {
        let here = left.min(line.len());
        let interrupted = next_id(&line[..here]);
        let passed = interrupted.unwrap_or(here);
        line.advance(passed);
        self.mode = if interrupted.is_some() || passed == left {
            Mode::Message
        } else {
            Mode::PassOver {
                left: left - passed,
                log,
            }
        };
        (log && passed > 0).then_some(Item::Log(passed))
    }

    /// Reads the message that begins at the start of the line.
    fn message(&mut self, line: &mut BytesMut) -> Option<Item> {
        let header = &line[..HEADER.min(line.len())];
        if let Some(cut) = next_id(&header[1..]) {
            return Some(drop_noise(line, cut + 1));
        }
        let &[id, high, low] = header else {
            return None;
        };
        let length = usize::from(high) << 7 | usize::from(low);
        if length < HEADER {
            line.advance(HEADER);
            return Some(Item::Bad { id, length });
        }
        let Some(row) = table::row(id) else {
            self.start_passing_over(line, length, false);
            return Some(Item::Unknown { id, length });
        };
        if !row.length.allows(length) {
            self.start_passing_over(line, length, false);
            return Some(Item::Bad { id, length });
        }
        if row.length == Length::Streamed {
            self.start_passing_over(line, length, true);
            return Some(Item::Log(HEADER));
        }
        let here = &line[..length.min(line.len())];
        if let Some(cut) = next_id(&here[HEADER..]) {
            return Some(drop_noise(line, HEADER + cut));
        }
        if here.len() < length {
            line.reserve(length - here.len());
            return None;
        }
        let reply = parse(id, &here[HEADER..]);
        line.advance(length);
        Some(reply.map_or(Item::Bad { id, length }, Item::Reply))
    }

    fn start_passing_over(&mut self, line: &mut BytesMut, length: usize, log: bool) {
        line.advance(HEADER);
        self.mode = match length - HEADER {
            0 => Mode::Message,
            left => Mode::PassOver { left, log },
        };
    }
}

/// Where the next message begins.
fn next_id(bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| byte & 0x80 != 0)
}

fn drop_noise(line: &mut BytesMut, count: usize) -> Item {
    line.advance(count);
    Item::Noise(count)
}

/// Decodes the payload of a known message of an allowed length; `None` if its content is
/// impossible.
fn parse(id: u8, payload: &[u8]) -> Option<Reply> {
    match id {
        id::BOARD_DUMP => {
            let codes = Box::new(<[u8; 64]>::try_from(payload).ok()?);
            let known = codes.iter().all(|&code| code <= 0x0F);
            known.then_some(Reply::BoardDump(codes))
        }
        id::FIELD_UPDATE => match *payload {
            // The maker's change log mentions a status bit above the piece code.
            [square @ 0..=63, piece] => Some(Reply::FieldUpdate {
                square,
                piece: piece & 0x0F,
            }),
            _ => None,
        },
        id::CLOCK => payload.try_into().ok().map(Reply::Clock),
        id::BUS_ADDRESS => match *payload {
            [high, low] => Some(Reply::BusAddress(u16::from(high) << 7 | u16::from(low))),
            _ => None,
        },
        id::SERIAL_NUMBER => printable(payload).map(Reply::SerialNumber),
        id::LONG_SERIAL_NUMBER => printable(payload).map(Reply::LongSerialNumber),
        id::TRADEMARK => Some(Reply::Trademark(
            String::from_utf8_lossy(payload).into_owned(),
        )),
        id::VERSION => match *payload {
            [main, sub] => Some(Reply::Version(main, sub)),
            _ => None,
        },
        id::DRAUGHTS_DUMP | id::DRAUGHTS_DUMP_TURNED => {
            let codes = Box::new(<[u8; 50]>::try_from(payload).ok()?);
            Some(Reply::DraughtsDump(codes))
        }
        id::HARDWARE_VERSION => Some(Reply::HardwareVersion(payload.to_vec())),
        id::BATTERY => match *payload {
            [percent @ 0..=100, .., status] => Some(Reply::Battery(Battery {
                percent,
                charging: status & 0x01 != 0,
                discharging: status & 0x02 != 0,
            })),
            _ => None,
        },
        _ => None,
    }
}

/// Accepts printable ASCII only, which is safe to show and to store.
fn printable(payload: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(payload).ok()?.trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    (plain && !text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests;
