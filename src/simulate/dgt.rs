//! A simulated DGT board: it scans its squares, answers commands, and speaks at 9600 bits per
//! second.
//!
//! ```text
//!   to the board   40 41 42 43 44 45 46 47 49 4A 4B 4C 4D 55, and 2B size 03 command … 00
//!   from it        id|0x80  length>>7  length&0x7F  payload
//! ```
//!
//! The squares are scanned one after the other, all 64 in 200 ms. A change is noticed when the scan
//! reaches it, so the later of two changes may be reported first. After power-up the board is in
//! bus mode; the first command for a single board ends that mode and is executed.
//!
//! It follows public knowledge of the protocol and has not been compared with a real board. Its
//! texts are its own.
//!
//! It contains neither a task nor a port: the caller supplies bytes and the time in microseconds of
//! the simulated world.

use std::collections::VecDeque;

use super::clock::SimulatedClock;
pub use super::quirks::Quirks;

/// The time between two squares of the scan.
pub const SCAN_SQUARE_US: u64 = 3_125;
/// The time that one byte takes on the line: ten bits.
pub const BYTE_US: u64 = 1_042;

const SECOND_US: u64 = 1_000_000;
/// While more bytes than this wait for the line, the board does not scan.
const BUSY_BYTES: usize = 256;
/// The most bytes kept for the line; an answer that does not fit is dropped.
const MOST_BYTES: usize = 16_384;
/// The usable part of the log's memory.
const LOG_BYTES: usize = 0x1F00;
/// Two events closer than this are marked as such in the log.
const SOON_US: u64 = 250_000;

/// The simulated board's serial number.
pub const SERIAL: &[u8; 5] = b"00042";
/// Its serial number in the long form.
pub const LONG_SERIAL: &[u8; 10] = b"0000000042";
/// The text that it sends instead of a maker's notice.
pub const NOTICE: &[u8] = b"remisd: this is a simulated board, not one by any maker\r\n";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// On a tournament's bus: sends nothing without a request.
    Bus,
    /// Alone: sends nothing without a request.
    Idle,
    /// Sends changes of squares, and the clock every second.
    Update,
    /// Sends changes of squares only.
    UpdateBoard,
    /// Sends changes of squares and of the clock.
    UpdateNice,
}

/// What is still missing of a longer message from the host.
#[derive(Debug, Clone)]
enum Input {
    Command,
    /// A clock message: its length is next.
    ClockLength,
    /// A clock message: `left` bytes are missing.
    ClockMessage {
        left: usize,
        message: Vec<u8>,
    },
    /// The rest of a bus command.
    Bus {
        left: u8,
    },
}

/// The simulated board.
#[derive(Debug)]
pub struct SimulatedBoard {
    mode: Mode,
    input: Input,
    /// The clock beside it.
    pub clock: SimulatedClock,
    /// The pieces that are really there.
    squares: [u8; 64],
    /// What the last scan saw.
    seen: [u8; 64],
    /// When the scan reaches a square that has changed.
    due: [Option<u64>; 64],
    /// Until when a square notices nothing.
    dead_until: [u64; 64],
    /// What a square shows for one scan.
    misread: [Option<u8>; 64],
    quirks: Quirks,
    serial: [u8; 5],
    next_clock: u64,
    clock_sent: Option<[u8; 7]>,
    line: VecDeque<u8>,
    line_at: u64,
    dump_requested: bool,
    log: VecDeque<u8>,
    logged_at: u64,
}

impl SimulatedBoard {
    /// Creates a board, just switched on, with these `squares` (piece codes, a8 to h1).
    #[must_use]
    pub fn new(squares: [u8; 64], clock: SimulatedClock) -> Self {
        let mut board = Self {
            mode: Mode::Bus,
            input: Input::Command,
            clock,
            squares,
            seen: squares,
            due: [None; 64],
            dead_until: [0; 64],
            misread: [None; 64],
            quirks: Quirks::default(),
            next_clock: SECOND_US,
            clock_sent: None,
            line: VecDeque::new(),
            line_at: 0,
            dump_requested: false,
            log: VecDeque::new(),
            logged_at: 0,
            serial: *SERIAL,
        };
        board.power_up();
        board
    }

    /// Sets the board's faults.
    #[must_use]
    pub fn with_quirks(mut self, quirks: Quirks) -> Self {
        self.quirks = quirks;
        self
    }

    /// Sets the board's serial number, five digits.
    #[must_use]
    pub const fn with_serial(mut self, serial: [u8; 5]) -> Self {
        self.serial = serial;
        self
    }

    /// Restores the state after power-up: all settings by the host are lost.
    pub fn power_up(&mut self) {
        self.mode = Mode::Bus;
        self.input = Input::Command;
        self.line.clear();
        self.dump_requested = false;
        self.clock_sent = None;
        self.write_log(&[0x7F, 0x7F, 0x7F, 0x6A]);
        for (index, code) in (0..).zip(self.squares) {
            if code != 0 {
                self.write_log(&[0x40 | code, index]);
            }
        }
    }

    /// Returns whether a host has requested a dump and updates.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.dump_requested && self.reports_squares()
    }

    fn reports_squares(&self) -> bool {
        matches!(
            self.mode,
            Mode::Update | Mode::UpdateBoard | Mode::UpdateNice
        )
    }

    /// Puts a piece (0: nothing) on the square with this index.
    pub fn put(&mut self, index: u8, code: u8, now: u64) {
        let square = usize::from(index & 63);
        self.squares[square] = code;
        let next = self.next_pass(index & 63, now);
        self.due[square].get_or_insert(next);
    }

    /// Returns when the scan next reaches a square, at `now` or later.
    fn next_pass(&self, index: u8, now: u64) -> u64 {
        let passes = u64::from(index) * self.quirks.square_us;
        let scan = self.quirks.scan_us();
        passes + now.saturating_sub(passes).div_ceil(scan) * scan
    }

    /// Makes the square with this index notice nothing until then.
    pub fn deaden(&mut self, index: u8, until: u64) {
        self.dead_until[usize::from(index & 63)] = until;
    }

    /// Makes the next scan see this piece (0: nothing) on the square, whatever is there.
    pub fn misread(&mut self, index: u8, code: u8, now: u64) {
        let square = usize::from(index & 63);
        self.misread[square] = Some(code);
        let next = self.next_pass(index & 63, now);
        self.due[square].get_or_insert(next);
    }

    /// Returns when [`Self::advance`] next has something to do.
    #[must_use]
    pub fn next_event(&self) -> u64 {
        let scan = self.due.iter().flatten().min().copied();
        scan.map_or(self.next_clock, |scan| scan.min(self.next_clock))
    }

    /// Returns when the line will have carried the next few bytes.
    #[must_use]
    pub fn next_byte(&self) -> Option<u64> {
        let some = self.line.len().min(16) as u64;
        (some > 0).then(|| self.line_at + some * BYTE_US)
    }

    /// Advances the scan and the clock to `now`. What was due at [`Self::next_event`] happens at
    /// `now`, so a later `now` delays it.
    pub fn advance(&mut self, now: u64) {
        for index in 0..64u8 {
            let square = usize::from(index);
            if self.due[square].is_none_or(|due| due > now) {
                continue;
            }
            if self.line.len() > BUSY_BYTES {
                self.due[square] = Some(now + self.quirks.scan_us());
                continue;
            }
            self.due[square] = None;
            self.scan(index, now);
        }
        if now >= self.next_clock {
            self.next_clock += (now - self.next_clock) / SECOND_US * SECOND_US + SECOND_US;
            self.clock.count(now);
            self.send_clock(self.mode == Mode::Update, now);
        }
    }

    fn scan(&mut self, index: u8, now: u64) {
        let square = usize::from(index);
        if now < self.dead_until[square] {
            self.due[square] = Some(self.next_pass(index, self.dead_until[square]));
            return;
        }
        let code = self.misread[square].take().unwrap_or(self.squares[square]);
        if code != self.squares[square] {
            self.due[square] = Some(now + self.quirks.scan_us());
        }
        if std::mem::replace(&mut self.seen[usize::from(index)], code) == code {
            return;
        }
        let soon = u8::from(now.saturating_sub(self.logged_at) < SOON_US) << 4;
        self.logged_at = now;
        self.write_log(&[0x40 | soon | code, index]);
        if self.reports_squares() && !self.quirks.dice.chance(self.quirks.lost) {
            self.send(0x8E, &[index, code], now);
        }
    }

    /// Reports a press of the lever or a new setting of the clock.
    pub fn clock_changed(&mut self, now: u64) {
        self.send_clock(false, now);
    }

    fn send_clock(&mut self, always: bool, now: u64) {
        let bytes = self.clock.bytes();
        let wanted = matches!(self.mode, Mode::Update | Mode::UpdateNice);
        if wanted && self.line.len() <= BUSY_BYTES && (always || self.clock_sent != Some(bytes)) {
            self.clock_sent = Some(bytes);
            self.send(0x8D, &bytes, now);
        }
    }

    /// Takes bytes from the host.
    pub fn receive(&mut self, bytes: &[u8], now: u64) {
        for &byte in bytes {
            self.receive_byte(byte, now);
        }
    }

    fn receive_byte(&mut self, byte: u8, now: u64) {
        self.input = match std::mem::replace(&mut self.input, Input::Command) {
            Input::Command => match byte {
                0x2B => Input::ClockLength,
                0x81..=0x8D => {
                    self.mode = Mode::Bus;
                    Input::Bus { left: 3 }
                }
                _ => {
                    self.command(byte, now);
                    Input::Command
                }
            },
            Input::ClockLength if (3..=15).contains(&byte) => Input::ClockMessage {
                left: usize::from(byte),
                message: Vec::new(),
            },
            Input::ClockMessage { left, mut message } => {
                message.push(byte);
                if left > 1 {
                    Input::ClockMessage {
                        left: left - 1,
                        message,
                    }
                } else {
                    self.clock_command(&message, now);
                    Input::Command
                }
            }
            Input::Bus { left } if left > 1 => Input::Bus { left: left - 1 },
            Input::ClockLength | Input::Bus { .. } => Input::Command,
        };
    }

    fn command(&mut self, byte: u8, now: u64) {
        let mode = match byte {
            0x40 => Mode::Idle,
            0x43 => Mode::Update,
            0x44 => Mode::UpdateBoard,
            0x4A => Mode::Bus,
            0x4B => Mode::UpdateNice,
            0x41 | 0x42 | 0x45..=0x47 | 0x49 | 0x4C | 0x4D | 0x55 if self.mode == Mode::Bus => {
                Mode::Idle
            }
            _ => self.mode,
        };
        if mode != self.mode {
            self.mode = mode;
            self.clock_sent = None;
        }
        match byte {
            0x41 => {
                self.clock.count(now);
                self.send(0x8D, &self.clock.bytes(), now);
            }
            0x42 => {
                self.dump_requested = true;
                self.send(0x86, &self.seen.clone(), now);
            }
            0x45 => self.send(0x91, &self.serial.clone(), now),
            0x46 => self.send(0x90, &[0x00, 0x2A], now),
            0x47 => self.send(0x92, NOTICE, now),
            0x49 => {
                let log: Vec<u8> = self.log.iter().copied().chain([0x6B]).collect();
                self.send(0x8F, &log, now);
            }
            0x4C => self.send(0xA0, &[87, 0x7F, 0x7F, 1, 30, 0, 0, 0, 0x02], now),
            0x4D => self.send(0x93, &[3, 1], now),
            0x55 => self.send(0xA2, LONG_SERIAL, now),
            _ => {}
        }
    }

    /// Answers a clock message `03 command … 00`.
    fn clock_command(&mut self, message: &[u8], now: u64) {
        let &[0x03, command, .., 0x00] = message else {
            return;
        };
        if !matches!(self.mode, Mode::Update | Mode::UpdateNice) {
            return;
        }
        let (ok, echo, detail) = match command {
            0x01..=0x03 | 0x0C | 0x0D => (0x10, 0x01, 0x00),
            0x08 | 0x0B => (0x10, command, 0x00),
            0x09 => (0x10, command, 0x20),
            // Setting the times needs a clock in the mode for it.
            0x0A => (0x40, command, 0x00),
            _ => return,
        };
        self.send(0x8D, &[0x0A, ok, echo, 0x00, detail, 0x00, 0x00], now);
    }

    fn send(&mut self, id: u8, payload: &[u8], now: u64) {
        if self.line.len() + payload.len() > MOST_BYTES {
            return;
        }
        if self.line.is_empty() {
            self.line_at = now;
        }
        let length = payload.len() + 3;
        // Both halves are masked to seven bits.
        let seven = |bits: usize| u8::try_from(bits & 0x7F).unwrap_or(0);
        self.line.extend([id, seven(length >> 7), seven(length)]);
        self.line.extend(payload);
    }

    fn write_log(&mut self, tags: &[u8]) {
        self.log.extend(tags);
        while self.log.len() > LOG_BYTES - 1 {
            self.log.pop_front();
        }
    }

    /// Returns the bytes that the line has carried by `now`.
    pub fn carried(&mut self, now: u64) -> Vec<u8> {
        let time = now.saturating_sub(self.line_at) / BYTE_US;
        let count = self
            .line
            .len()
            .min(usize::try_from(time).unwrap_or(usize::MAX));
        self.line_at += count as u64 * BYTE_US;
        let mut carried: Vec<u8> = self.line.drain(..count).collect();
        self.quirks.flip(&mut carried);
        carried
    }
}

#[cfg(test)]
mod tests;
