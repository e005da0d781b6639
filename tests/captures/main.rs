//! Recordings of other boards and programs, read by the tracker.
//!
//! | capture | what it is | how it is replayed |
//! |---|---|---|
//! | [`dgt`] | an emulated DGT board with three real drivers, with times | the bytes through the real codec, at their times |
//! | [`livechess`] | a real DGT board, reported by `LiveChess` once a second | each placement at its time |
//! | [`certabo`] | frames of a real board, without times | tags mapped to pieces by calibration, a placement every two seconds |
//! | [`chessup`] | a real game of 90 plies, as moves decided by the board | each move by a simple hand, with and without piece identities |
//! | [`squaresense`] | a constructed log of analogue values, without times | a threshold, and half a second per line |
//!
//! No public capture of a real DGT board's own bytes is known; the serial protocol tested here
//! comes from an emulator. The readers of the other families exist only in these tests and know
//! just enough of their formats for the captures.
//!
//! Not replayed:
//!
//! - the only exchange of a Millennium `ChessLink`: it contains a version and no position;
//! - the real log of squaresense: it shows nothing on any square;
//! - the vectors of Chessnut, iChessOne and Tabutronic Sentio: constructed frames of the start
//!   position, with and without two pawns, no two of them a move apart;
//! - truncated or corrupted Certabo frames: they test a decoder that does not exist yet.
#![allow(clippy::unwrap_used, missing_docs)]

mod certabo;
mod chessup;
mod dgt;
mod livechess;
mod squaresense;

use remisd_hand::{Mismatch, Reading, Settings, Tracker};
use remisd_vocabulary::{
    sensor::{Seen, Sensed},
    time::Moment,
};
use shakmaty::{CastlingMode, Chess, Square};

/// The tracker, driven at the times of a capture.
struct Reader {
    tracker: Tracker,
    now: u64,
    moves: Vec<String>,
    mismatches: Vec<Mismatch>,
    new_games: usize,
    corrections: usize,
}

impl Reader {
    fn at(position: Chess) -> Self {
        Self {
            tracker: Tracker::new(Settings::default(), position),
            now: 0,
            moves: Vec::new(),
            mismatches: Vec::new(),
            new_games: 0,
            corrections: 0,
        }
    }

    fn sense(&mut self, sensed: &Sensed) {
        self.tracker.sense(sensed, Moment::from_millis(self.now));
        self.collect();
    }

    fn see(&mut self, square: Square, seen: Seen) {
        self.sense(&Sensed::Square(square, seen));
    }

    /// Advances the time to `then`, in steps like those of a real clock.
    fn until(&mut self, then: u64) {
        while self.now < then {
            self.now = then.min(self.now + 50);
            self.tracker.tick(Moment::from_millis(self.now));
            self.collect();
        }
    }

    fn rest(&mut self, ms: u64) {
        self.until(self.now + ms);
    }

    fn collect(&mut self) {
        for reading in self.tracker.readings() {
            match reading {
                Reading::Settled(settled) => {
                    let uci = settled.m.to_uci(CastlingMode::Standard);
                    self.moves.push(uci.to_string());
                }
                Reading::Revised { .. } | Reading::Withdrawn => self.corrections += 1,
                Reading::Mismatch(mismatch) => self.mismatches.push(mismatch),
                Reading::NewGame => self.new_games += 1,
                _ => {}
            }
        }
    }

    /// The mismatched squares at the end, with what is seen there.
    fn amiss(&self) -> Vec<(Square, Seen)> {
        let mismatch = self.tracker.mismatch().into_iter();
        let squares = mismatch.flat_map(|mismatch| &mismatch.squares);
        squares
            .map(|differing| (differing.square, differing.seen))
            .collect()
    }
}
