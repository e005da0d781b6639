//! Decodes clock messages, first by side and then by colour.
//!
//! ```text
//!   8d 00 0a   b0   b1 b2   b3   b4 b5   b6
//!              │    │  │    │    │  │    └ 01 running, 02 lever up on the right, 04 battery low,
//!              │    │  │    │    │  │      08 right to move, 10 left to move, 20 no clock
//!              │    │  │    └────┴──┴ the left player, as the right one
//!              │    └──┴ minutes and seconds, BCD
//!              └ the right player: 0F hours (0 to 9), 10 and 40 flag fallen, 20 time per move
//! ```
//!
//! `8d 00 0a 00 05 09 01 23 45 11` is right 0:05:09, left 1:23:45, left runs.
//!
//! If the hours are 0A on either side, the message carries no times but the answer to a clock
//! command. The lever, not the bits 08 and 10, says whose move it is: the maker has changed the
//! meaning of those bits twice. The player whose side of the lever is up is to move. One clock,
//! however, uses the bits consistently. If lever and bits suddenly disagree with earlier messages,
//! a bit was flipped in transit, and the message is ignored until another one confirms it.
//!
//! The source is the maker's text and other drivers, tested against simulators. No recording of a
//! real clock is known.

use shakmaty::Color;

use remisd_vocabulary::sensor::{ClockReading, Orientation};

use super::ClockSide;

/// A larger increase needs a second message to confirm it: no increment is so large.
pub const LARGEST_INCREASE_MS: u64 = 3_600_000;

/// How far the times of a confirming message may differ from the doubted one.
const CONFIRMED_WITHIN_MS: u64 = 60_000;

/// One half of a clock, as seen by someone with the board's connector on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The left half.
    Left,
    /// The right half.
    Right,
}

/// What one half shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half {
    /// The remaining time in milliseconds: whole seconds, below ten hours.
    pub ms: u64,
    /// Whether this player's flag has fallen.
    pub flag: bool,
}

/// The times and the lever, by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockTimes {
    /// The left half.
    pub left: Half,
    /// The right half.
    pub right: Half,
    /// Whether one of the halves is counting.
    pub running: bool,
    /// The side whose lever is up: that player is to move.
    pub to_move: Side,
    /// Whether the bits 08 and 10 name the same player as the lever; `None` if they name neither
    /// player or both.
    pub bits_agree: Option<bool>,
    /// Whether the clock's battery is low.
    pub low_battery: bool,
}

/// The kinds of clock messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMessage {
    /// The times of both players.
    Times(ClockTimes),
    /// The four bytes that answer a clock command.
    Ack([u8; 4]),
    /// No clock is connected.
    Absent,
    /// Seven zero bytes, which may follow any clock command.
    Empty,
    /// Times that no clock can show.
    Impossible,
}

/// Reads the seven bytes of a clock message.
///
/// ```
/// use remisd_board::dgt::clock::{ClockMessage, decode};
/// assert_eq!(decode([0x0A, 0x10, 0x09, 0, 0x20, 0, 0]), ClockMessage::Ack([0x10, 0x09, 0x20, 0]));
/// assert_eq!(decode([0, 0, 0, 0, 0, 0, 0x20]), ClockMessage::Absent);
/// ```
#[must_use]
pub fn decode(raw: [u8; 7]) -> ClockMessage {
    let [b0, b1, b2, b3, b4, b5, status] = raw;
    if b0 & 0x0F == 0x0A || b3 & 0x0F == 0x0A {
        return ClockMessage::Ack([
            b1 & 0x7F | b3 << 3 & 0x80,
            b2 & 0x7F | b3 << 2 & 0x80,
            b4 & 0x7F | b0 << 3 & 0x80,
            b5 & 0x7F | b0 << 2 & 0x80,
        ]);
    }
    if status & 0x20 != 0 {
        return ClockMessage::Absent;
    }
    if raw == [0; 7] {
        return ClockMessage::Empty;
    }
    let (Some(right), Some(left)) = (half(b0, b1, b2), half(b3, b4, b5)) else {
        return ClockMessage::Impossible;
    };
    let to_move = if status & 0x02 != 0 {
        Side::Right
    } else {
        Side::Left
    };
    let by_bits = match status & 0x18 {
        0x08 => Some(Side::Right),
        0x10 => Some(Side::Left),
        _ => None,
    };
    ClockMessage::Times(ClockTimes {
        left,
        right,
        running: status & 0x01 != 0,
        to_move,
        bits_agree: by_bits.map(|side| side == to_move),
        low_battery: status & 0x04 != 0,
    })
}

fn half(hours: u8, minutes: u8, seconds: u8) -> Option<Half> {
    let whole = u64::from(hours & 0x0F);
    let seconds = whole * 3600 + u64::from(sixtieth(minutes)?) * 60 + u64::from(sixtieth(seconds)?);
    (whole <= 9).then_some(Half {
        ms: seconds * 1000,
        flag: hours & 0x50 != 0,
    })
}

/// Two decimal digits below 60.
fn sixtieth(bcd: u8) -> Option<u8> {
    let (tens, ones) = (bcd >> 4, bcd & 0x0F);
    (tens < 6 && ones < 10).then_some(tens * 10 + ones)
}

/// What a message changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing visible changed.
    None,
    /// The clock now shows this reading.
    Reading(ClockReading),
    /// Another message must confirm this one: an increase is too large, or the lever contradicts
    /// the other bits.
    Doubted,
}

/// Remembers the last reading and reports only changes, by colour.
#[derive(Debug)]
pub struct ClockWatch {
    white: ClockSide,
    times: Option<ClockTimes>,
    doubted: Option<ClockTimes>,
    /// Whether bits and lever agreed in the last accepted message.
    bits_agree: Option<bool>,
    reading: Option<ClockReading>,
}

impl ClockWatch {
    /// Starts without a reading. `white` is the side that shows White's time.
    #[must_use]
    pub const fn new(white: ClockSide) -> Self {
        Self {
            white,
            times: None,
            doubted: None,
            bits_agree: None,
            reading: None,
        }
    }

    /// Takes the times of a message.
    pub fn observe(&mut self, times: ClockTimes, orientation: Orientation) -> Change {
        let together = self.bits_agree.zip(times.bits_agree);
        let turned = together.is_some_and(|(before, now)| before != now);
        let lever = |times: ClockTimes| (times.to_move, times.bits_agree);
        let confirms =
            |doubted| close(doubted, times) && (!turned || lever(doubted) == lever(times));
        if let Some(known) = self.times
            && (turned || leaps(known, times))
            && !self.doubted.is_some_and(confirms)
        {
            self.doubted = Some(times);
            return Change::Doubted;
        }
        self.doubted = None;
        self.bits_agree = times.bits_agree.or(self.bits_agree);
        self.times = Some(times);
        self.orient(orientation)
    }

    /// Reports the same times again if turning the board swaps their colours.
    pub fn orient(&mut self, orientation: Orientation) -> Change {
        let Some(times) = self.times else {
            return Change::None;
        };
        let before = self.reading.and_then(|reading| reading.flag);
        let reading = in_colours(times, white_side(self.white, orientation), before);
        if self.reading.replace(reading) == Some(reading) {
            Change::None
        } else {
            Change::Reading(reading)
        }
    }

    /// Handles a clock that was disconnected. If it was stopped, its last reading is reported again
    /// without the lever: play may continue without a clock.
    pub fn leave(&mut self) -> Change {
        let stood = (self.reading).filter(|reading| reading.running.is_none());
        self.forget();
        stood.map_or(Change::None, |reading| {
            Change::Reading(ClockReading {
                lever: None,
                ..reading
            })
        })
    }

    /// Forgets everything, since another clock may follow; its first reading is always reported.
    pub const fn forget(&mut self) {
        self.times = None;
        self.doubted = None;
        self.bits_agree = None;
        self.reading = None;
    }
}

/// Whether either time went up by more than any increment explains.
fn leaps(from: ClockTimes, to: ClockTimes) -> bool {
    let leap = |from: Half, to: Half| to.ms > from.ms + LARGEST_INCREASE_MS;
    leap(from.left, to.left) || leap(from.right, to.right)
}

fn close(a: ClockTimes, b: ClockTimes) -> bool {
    let near = |a: Half, b: Half| a.ms.abs_diff(b.ms) <= CONFIRMED_WITHIN_MS;
    near(a.left, b.left) && near(a.right, b.right)
}

/// The side that shows White's time: by default the left, or the right on a board that is turned
/// round. The clock's own sides never turn. A clock placed the other way round shows when moves are
/// made: see `remisd_hand::Tracker::clock_is_reversed`.
#[must_use]
pub const fn white_side(setting: ClockSide, orientation: Orientation) -> Side {
    match (setting, orientation) {
        (ClockSide::Left, _) | (ClockSide::Auto, Orientation::Normal) => Side::Left,
        (ClockSide::Right, _) | (ClockSide::Auto, Orientation::Rotated) => Side::Right,
    }
}

/// Assigns the times to colours. `flag_before` decides which flag fell first when both have fallen.
#[must_use]
pub fn in_colours(times: ClockTimes, white: Side, flag_before: Option<Color>) -> ClockReading {
    let (white_half, black_half) = match white {
        Side::Left => (times.left, times.right),
        Side::Right => (times.right, times.left),
    };
    let to_move = Color::from_white(times.to_move == white);
    ClockReading {
        white_ms: white_half.ms,
        black_ms: black_half.ms,
        running: times.running.then_some(to_move),
        lever: Some(to_move),
        flag: match (white_half.flag, black_half.flag) {
            (false, false) => None,
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            (true, true) => flag_before.or(Some(to_move)),
        },
        low_battery: times.low_battery,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Right 0:05:09, left 1:23:45, running, left to move.
    const SAMPLE: [u8; 7] = [0x00, 0x05, 0x09, 0x01, 0x23, 0x45, 0x11];

    fn times(raw: [u8; 7]) -> ClockTimes {
        match decode(raw) {
            ClockMessage::Times(times) => times,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_worked_sample_reads() {
        let read = times(SAMPLE);
        assert_eq!(read.right.ms, (5 * 60 + 9) * 1000);
        assert_eq!(read.left.ms, (3600 + 23 * 60 + 45) * 1000);
        assert!(read.running && !read.low_battery && !read.left.flag && !read.right.flag);
        assert_eq!(read.to_move, Side::Left);
    }

    #[test]
    fn replies_absence_and_emptiness_are_no_times() {
        assert_eq!(
            decode([0x0A, 0x10, 0x09, 0x00, 0x22, 0x00, 0x00]),
            ClockMessage::Ack([0x10, 0x09, 0x22, 0])
        );
        // The high bits of the answer's bytes travel in b0 and b3.
        assert_eq!(
            decode([0x3A, 0x10, 0x08, 0x30, 0x25, 0x35, 0x00]),
            ClockMessage::Ack([0x90, 0x88, 0xA5, 0xB5])
        );
        assert_eq!(decode([0; 7]), ClockMessage::Empty);
        assert_eq!(
            decode([0x09, 0x77, 0x77, 0, 0, 0, 0x20]),
            ClockMessage::Absent
        );
    }

    #[test]
    fn impossible_times_are_refused() {
        // Seen on a real line: 12:08:08, with hours above nine.
        for raw in [
            [0x0C, 0x08, 0x08, 0, 0, 0, 1],
            [0, 0x60, 0, 0, 0, 0, 1],
            [0, 0, 0x1A, 0, 0, 0, 1],
            [0, 0, 0, 0, 0x71, 0, 1],
        ] {
            assert_eq!(decode(raw), ClockMessage::Impossible, "{raw:02x?}");
        }
    }

    #[test]
    fn flags_and_the_battery_are_reported() {
        let read = times([0x10, 0, 0, 0x40, 0, 0, 0x06]);
        assert!(read.right.flag && read.left.flag && read.low_battery && !read.running);
        assert_eq!(read.to_move, Side::Right);
        let first = in_colours(times([0, 5, 0, 0x40, 0, 0, 2]), Side::Left, None);
        assert_eq!(first.flag, Some(Color::White));
        assert_eq!(
            in_colours(read, Side::Left, first.flag).flag,
            Some(Color::White)
        );
    }

    #[test]
    fn white_is_left_unless_the_board_is_turned_or_it_is_set() {
        let sides = |setting| {
            [Orientation::Normal, Orientation::Rotated].map(|turn| white_side(setting, turn))
        };
        assert_eq!(sides(ClockSide::Auto), [Side::Left, Side::Right]);
        assert_eq!(sides(ClockSide::Left), [Side::Left, Side::Left]);
        assert_eq!(sides(ClockSide::Right), [Side::Right, Side::Right]);
        let reading = in_colours(times(SAMPLE), Side::Right, None);
        assert_eq!(
            (reading.white_ms, reading.running),
            (309_000, Some(Color::Black))
        );
    }

    #[test]
    fn only_changes_are_reported() {
        let mut watch = ClockWatch::new(ClockSide::Auto);
        let normal = Orientation::Normal;
        assert!(matches!(
            watch.observe(times(SAMPLE), normal),
            Change::Reading(_)
        ));
        assert_eq!(watch.observe(times(SAMPLE), normal), Change::None);
        assert!(matches!(
            watch.orient(Orientation::Rotated),
            Change::Reading(_)
        ));
        assert_eq!(watch.orient(Orientation::Rotated), Change::None);
        watch.forget();
        assert!(matches!(
            watch.observe(times(SAMPLE), normal),
            Change::Reading(_)
        ));
    }

    #[test]
    fn a_leap_upwards_needs_a_second_message() {
        let low = times([0, 0x05, 0, 0, 0x05, 0, 0]);
        let high = times([2, 0, 0, 2, 0, 0, 0]);
        let normal = Orientation::Normal;
        let mut watch = ClockWatch::new(ClockSide::Auto);
        watch.observe(low, normal);
        assert_eq!(watch.observe(high, normal), Change::Doubted);
        assert_eq!(watch.observe(low, normal), Change::None);
        assert_eq!(watch.observe(high, normal), Change::Doubted);
        assert!(matches!(watch.observe(high, normal), Change::Reading(_)));
    }

    #[test]
    fn a_stopped_clock_that_is_unplugged_is_reported_once() {
        let normal = Orientation::Normal;
        let mut watch = ClockWatch::new(ClockSide::Auto);
        assert_eq!(watch.leave(), Change::None);
        watch.observe(times([0, 0x05, 0, 0, 0x05, 0, 0x02]), normal);
        let gone = watch.leave();
        let Change::Reading(reading) = gone else {
            panic!("{gone:?}");
        };
        assert_eq!((reading.lever, reading.running), (None, None));
        assert_eq!(watch.leave(), Change::None);
    }

    #[test]
    fn a_lever_that_contradicts_the_other_bits_needs_a_second_message() {
        let mut watch = ClockWatch::new(ClockSide::Auto);
        let mut lever = |status| {
            let raw = times([0, 0x05, 0, 0, 0x05, 0, status]);
            match watch.observe(raw, Orientation::Normal) {
                Change::Reading(reading) => reading.lever,
                Change::None | Change::Doubted => None,
            }
        };
        // White is on the left. 0B: Black's clock runs, by the lever and by the bits.
        assert_eq!(lever(0x0B), Some(Color::Black));
        assert_eq!(lever(0x09), None, "bit 02 was turned");
        assert_eq!(lever(0x0B), None, "as before");
        assert_eq!(lever(0x11), Some(Color::White));
        // A clock that uses the bits the other way round does so in every message.
        assert_eq!(lever(0x13), None);
        assert_eq!(lever(0x13), Some(Color::Black));
        assert_eq!(lever(0x09), Some(Color::White));
    }

    proptest! {
        #[test]
        fn any_bytes_decode(raw in prop::array::uniform7(0u8..0x80)) {
            if let ClockMessage::Times(times) = decode(raw) {
                prop_assert!(times.left.ms < 36_000_000 && times.right.ms < 36_000_000);
            }
        }
    }
}
