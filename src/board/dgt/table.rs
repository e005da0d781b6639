//! The protocol as tables: commands, replies, pieces and squares.
//!
//! All messages from a board have the same layout:
//!
//! ```text
//!   id   len_hi len_lo  payload
//!   86     00     43    08 09 0a 0c 0b 0a 09 08 07 …
//! ```
//!
//! - `id`: the only byte of a message with bit 7 set;
//! - `len_hi`, `len_lo`: seven bits each; the length of the whole message, including these
//!   three bytes;
//! - `payload`: `length - 3` bytes below 0x80, see [`REPLIES`].
//!
//! There is no checksum. A corrupted byte is only corrected by the next dump.

use shakmaty::{Color, Piece, Role, Square};

use remisd_vocabulary::sensor::{ResultPiece, Seen};

/// The commands that may be sent to a board, one byte each.
///
/// The commands that jump to the boot loader (4E) or write the scan mode to permanent memory (51,
/// 53, 54) are missing, so that no mistake can send them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Command {
    /// Return to idle, in which nothing is sent without a request. Never answered.
    Reset = 0x40,
    /// Request one clock message.
    Clock = 0x41,
    /// Request one dump of all squares.
    Board = 0x42,
    /// Request the serial number of five digits.
    SerialNumber = 0x45,
    /// Report changed squares from now on, and the clock when it changes.
    UpdateNice = 0x4B,
    /// Request the battery's state, if the board has a battery.
    Battery = 0x4C,
    /// Request the firmware version.
    Version = 0x4D,
    /// Request the serial number of ten characters (newer boards).
    LongSerialNumber = 0x55,
}

impl Command {
    /// All commands.
    pub const ALL: [Self; 8] = [
        Self::Reset,
        Self::Clock,
        Self::Board,
        Self::SerialNumber,
        Self::UpdateNice,
        Self::Battery,
        Self::Version,
        Self::LongSerialNumber,
    ];

    /// The byte on the wire.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// The id of the answer, if the command has one.
    #[must_use]
    pub const fn answer(self) -> Option<u8> {
        match self {
            Self::Reset | Self::UpdateNice => None,
            Self::Clock => Some(id::CLOCK),
            Self::Board => Some(id::BOARD_DUMP),
            Self::SerialNumber => Some(id::SERIAL_NUMBER),
            Self::Battery => Some(id::BATTERY),
            Self::Version => Some(id::VERSION),
            Self::LongSerialNumber => Some(id::LONG_SERIAL_NUMBER),
        }
    }
}

/// The first bytes of all messages.
pub mod id {
    /// A dump of all 64 squares.
    pub const BOARD_DUMP: u8 = 0x86;
    /// The clock's times, or its answer to a clock command.
    pub const CLOCK: u8 = 0x8D;
    /// One changed square.
    pub const FIELD_UPDATE: u8 = 0x8E;
    /// The log in the board's permanent memory.
    pub const EEPROM_LOG: u8 = 0x8F;
    /// The address on the bus.
    pub const BUS_ADDRESS: u8 = 0x90;
    /// The serial number of five digits.
    pub const SERIAL_NUMBER: u8 = 0x91;
    /// The maker's trademark text.
    pub const TRADEMARK: u8 = 0x92;
    /// The firmware version.
    pub const VERSION: u8 = 0x93;
    /// A draughts board of 50 squares.
    pub const DRAUGHTS_DUMP: u8 = 0x94;
    /// A draughts board of 50 squares, turned round.
    pub const DRAUGHTS_DUMP_TURNED: u8 = 0x95;
    /// The hardware version.
    pub const HARDWARE_VERSION: u8 = 0x96;
    /// The battery's state.
    pub const BATTERY: u8 = 0xA0;
    /// The serial number of ten characters.
    pub const LONG_SERIAL_NUMBER: u8 = 0xA2;
}

/// The permitted length of a message, including its three header bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Exactly this length.
    Exactly(usize),
    /// From 3 up to this length.
    UpTo(usize),
    /// Any length; the message is skipped without being buffered.
    Streamed,
}

impl Length {
    /// Whether a message may declare a total length of `total` bytes.
    #[must_use]
    pub const fn allows(self, total: usize) -> bool {
        match self {
            Self::Exactly(length) => total == length,
            Self::UpTo(length) => total >= HEADER && total <= length,
            Self::Streamed => total >= HEADER,
        }
    }
}

/// The length of the header in bytes.
pub const HEADER: usize = 3;

/// One kind of message from the board.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The first byte.
    pub id: u8,
    /// The name used in this project.
    pub name: &'static str,
    /// The total length.
    pub length: Length,
    /// A complete message in hexadecimal.
    pub example: &'static str,
}

/// The start position as the board dumps it: a8, b8 … h1.
pub const START_DUMP: &str = "86 00 43 \
    08 09 0a 0c 0b 0a 09 08 07 07 07 07 07 07 07 07 \
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
    00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
    01 01 01 01 01 01 01 01 02 03 04 06 05 04 03 02";

const DRAUGHTS_EXAMPLE: &str = "94 00 35 \
    07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 \
    00 00 00 00 00 00 00 00 00 00 \
    01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01";

const DRAUGHTS_TURNED_EXAMPLE: &str = "95 00 35 \
    01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 01 \
    00 00 00 00 00 00 00 00 00 00 \
    07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07";

macro_rules! rows {
    ($($id:ident $name:literal $length:expr, $example:expr;)*) => {
        &[$(Row { id: id::$id, name: $name, length: $length, example: $example }),*]
    };
}

/// All known messages. Unknown ones are skipped by their declared length.
pub const REPLIES: &[Row] = rows! {
    BOARD_DUMP           "board dump"         Length::Exactly(67), START_DUMP;
    CLOCK                "clock"              Length::Exactly(10), "8d 00 0a 00 05 09 01 23 45 11";
    FIELD_UPDATE         "field update"       Length::Exactly(5),  "8e 00 05 34 00";
    EEPROM_LOG           "EEPROM log"         Length::Streamed,    "8f 00 08 7f 7f 7f 6a 6b";
    BUS_ADDRESS          "bus address"        Length::Exactly(5),  "90 00 05 08 01";
    SERIAL_NUMBER        "serial number"      Length::Exactly(8),  "91 00 08 30 31 30 32 35";
    TRADEMARK            "trademark"          Length::UpTo(512),
        "92 00 12 73 69 6d 75 6c 61 74 65 64 20 62 6f 61 72 64";
    VERSION              "version"            Length::Exactly(5),  "93 00 05 03 0a";
    DRAUGHTS_DUMP        "draughts dump"      Length::Exactly(53), DRAUGHTS_EXAMPLE;
    DRAUGHTS_DUMP_TURNED "draughts dump, turned" Length::Exactly(53), DRAUGHTS_TURNED_EXAMPLE;
    HARDWARE_VERSION     "hardware version"   Length::UpTo(16),    "96 00 05 01 02";
    BATTERY              "battery"            Length::Exactly(12), "a0 00 0c 57 7f 7f 03 0c 00 00 00 02";
    // Ten digits by the maker's text; one board reportedly answers "3.250010001", eleven
    // characters.
    LONG_SERIAL_NUMBER   "long serial number" Length::UpTo(14),
        "a2 00 0d 33 32 35 30 30 31 30 30 30 31";
};

/// The row of `id`, if the message is known.
#[must_use]
pub fn row(id: u8) -> Option<&'static Row> {
    REPLIES.iter().find(|row| row.id == id)
}

/// The piece codes of a board and their meanings. Code 0 is an empty square.
pub const PIECES: [(u8, Seen); 15] = [
    (0x1, man(Color::White, Role::Pawn)),
    (0x2, man(Color::White, Role::Rook)),
    (0x3, man(Color::White, Role::Knight)),
    (0x4, man(Color::White, Role::Bishop)),
    (0x5, man(Color::White, Role::King)),
    (0x6, man(Color::White, Role::Queen)),
    (0x7, man(Color::Black, Role::Pawn)),
    (0x8, man(Color::Black, Role::Rook)),
    (0x9, man(Color::Black, Role::Knight)),
    (0xA, man(Color::Black, Role::Bishop)),
    (0xB, man(Color::Black, Role::King)),
    (0xC, man(Color::Black, Role::Queen)),
    (0xD, Seen::ResultPiece(ResultPiece::Draw)),
    (0xE, Seen::ResultPiece(ResultPiece::WhiteWins)),
    (0xF, Seen::ResultPiece(ResultPiece::BlackWins)),
];

const fn man(color: Color, role: Role) -> Seen {
    Seen::Piece(Piece { color, role })
}

/// The meaning of a piece code on the wire; `None` above 0x0F.
///
/// ```
/// use remisd_board::dgt::table::seen;
/// use remisd_vocabulary::sensor::Seen;
/// assert_eq!(seen(0), Some(Seen::Empty));
/// assert_eq!(seen(0x10), None);
/// ```
#[must_use]
pub fn seen(code: u8) -> Option<Seen> {
    match code {
        0 => Some(Seen::Empty),
        0x1..=0xF => Some(PIECES[usize::from(code) - 1].1),
        _ => None,
    }
}

/// The code that a board sends for what is on a square.
#[must_use]
pub fn code(seen: Seen) -> u8 {
    PIECES
        .iter()
        .find(|(_, meaning)| *meaning == seen)
        .map_or(0, |(code, _)| *code)
}

/// The wire counts ranks from the eighth down, chess squares count from the first up. So the three
/// rank bits are inverted.
const RANKS_TURNED: u8 = 0b11_1000;

/// The square of a wire index (0 is a8, 7 is h8, 63 is h1) on a board that is not rotated; `None`
/// above 63.
#[must_use]
pub fn square(index: u8) -> Option<Square> {
    (index < 64).then(|| Square::new(u32::from(index ^ RANKS_TURNED)))
}

/// The wire index of a square on a board that is not rotated.
#[must_use]
pub fn index(square: Square) -> u8 {
    square as u8 ^ RANKS_TURNED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_could_harm_a_board_do_not_exist() {
        for forbidden in [0x4E, 0x51, 0x53, 0x54] {
            assert!(
                Command::ALL
                    .iter()
                    .all(|command| command.byte() != forbidden)
            );
        }
        assert!(Command::ALL.iter().all(|command| command.byte() < 0x80));
    }

    #[test]
    fn every_answer_is_in_the_table() {
        for command in Command::ALL {
            assert!(command.answer().is_none_or(|id| row(id).is_some()));
        }
    }

    #[test]
    fn piece_codes_and_their_meanings_are_one_to_one() {
        for value in 0..=0x0F {
            assert_eq!(seen(value).map(code), Some(value));
        }
        assert_eq!(seen(0x05), Some(man(Color::White, Role::King)));
        assert_eq!(seen(0x0C), Some(man(Color::Black, Role::Queen)));
    }

    #[test]
    fn squares_run_from_a8_to_h1() {
        for (index_on_wire, name) in [
            (0, "a8"),
            (7, "h8"),
            (8, "a7"),
            (0x34, "e2"),
            (56, "a1"),
            (63, "h1"),
        ] {
            let square = square(index_on_wire).unwrap();
            assert_eq!(square.to_string(), name);
            assert_eq!(index(square), index_on_wire);
        }
        assert_eq!(square(64), None);
    }
}
