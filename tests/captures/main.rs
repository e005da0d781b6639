//! What other boards and programs were recorded to say, read by the hand.
//!
//! | capture | what it is | what is made of it |
//! |---|---|---|
//! | [`dgt`] | an emulated DGT board with three real drivers, with its times | the bytes through the real codec, at their times |
//! | [`livechess`] | a real DGT board, as `LiveChess` told of it once a second | each placement at its time |
//! | [`certabo`] | frames of a real board, without times | tags into pieces by calibration, a placement every two seconds |
//! | [`chessup`] | a real game of 90 plies, as moves that the board has decided on | each move by a plain hand, with and without kinds of pieces |
//! | [`squaresense`] | a constructed log of analogue values, without times | a threshold, and half a second for each line |
//!
//! No public capture of a real DGT board's own bytes is known; what is read here of the
//! serial protocol comes from an emulator. The readers of the other families stand in
//! these tests only: they know as much of their formats as the captures need.
//!
//! Not replayed: the one exchange of a Millennium `ChessLink` holds a version and no
//! position; the real log of squaresense shows nothing on any square; the vectors of
//! Chessnut, iChessOne and Tabutronic Sentio are constructed single frames of the array,
//! and of one without two pawns, with no move between any two of them; Certabo frames
//! that are cut or falsified test a decoder that is not built yet.
#![allow(clippy::unwrap_used, missing_docs)]

mod certabo;
mod chessup;
mod dgt;
mod livechess;
mod squaresense;

use remisd_hand::{Mismatch, Reading, Settings, Tracker};
use remisd_vocabulary::sensor::{Seen, Sensed};
use shakmaty::{CastlingMode, Chess, Square};

/// The hand's reader in the times of a capture.
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

    fn tell(&mut self, sensed: &Sensed) {
        self.tracker.sense(sensed, self.now);
        self.collect();
    }

    fn see(&mut self, square: Square, seen: Seen) {
        self.tell(&Sensed::Square(square, seen));
    }

    /// Lets time pass until `then`, in steps that a clock would have.
    fn until(&mut self, then: u64) {
        while self.now < then {
            self.now = then.min(self.now + 50);
            self.tracker.tick(self.now);
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

    /// The squares that are amiss at the end, with what is seen there.
    fn amiss(&self) -> Vec<(Square, Seen)> {
        let mismatch = self.tracker.mismatch().into_iter();
        let squares = mismatch.flat_map(|mismatch| &mismatch.squares);
        squares
            .map(|differing| (differing.square, differing.seen))
            .collect()
    }
}
