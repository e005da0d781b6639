//! Feeds a tracker with reports, and keeps what it reads.
#![allow(dead_code, reason = "each of the tests uses only a part of it")]

use remisd_hand::Tracker;
use remisd_vocabulary::reading::{Reading, Settings};
use remisd_vocabulary::sensor::{ClockReading, Placement, Seen, Sensed};
use remisd_vocabulary::time::Moment;
use shakmaty::{CastlingMode, Chess, Color, Move, Piece, Square, fen::Fen};

/// How a reading compares with what was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// A doubt remains, and reaches back to the first ply that is wrong.
    Doubtful,
    SilentlyWrong,
}

pub struct Feed {
    pub tracker: Tracker,
    pub moves: Vec<Move>,
    now: u64,
    /// The number of moves before the first doubtful one.
    undoubted: Option<usize>,
    kinds: bool,
    reported: Placement,
    lever: Color,
    runs: bool,
}

impl Feed {
    pub fn new(position: Chess, lever: Color, kinds: bool) -> Self {
        Self {
            tracker: Tracker::new(Settings::default(), position),
            moves: Vec::new(),
            now: 0,
            undoubted: None,
            kinds,
            reported: Placement::empty(),
            lever,
            runs: true,
        }
    }

    /// The position of a FEN.
    pub fn position(fen: &str) -> Chess {
        let fen: Fen = fen.parse().expect("it is FEN");
        fen.into_position(CastlingMode::Standard)
            .expect("it is a position")
    }

    pub fn wait_until(&mut self, at: u64) {
        while let Some(deadline) = self.tracker.deadline() {
            let due = deadline.as_millis().max(self.now + 1);
            if due > at {
                break;
            }
            self.now = due;
            self.tracker.tick(Moment::from_millis(due));
            self.collect();
        }
        self.now = at;
    }

    fn report(&mut self, sensed: &Sensed) {
        self.tracker.sense(sensed, Moment::from_millis(self.now));
        self.collect();
    }

    fn shown(&self, piece: Option<Piece>) -> Seen {
        match piece {
            None => Seen::Empty,
            Some(_) if !self.kinds => Seen::Occupied,
            Some(piece) => Seen::Piece(piece),
        }
    }

    pub fn square(&mut self, square: Square, piece: Option<Piece>) {
        let seen = self.shown(piece);
        if self.reported.set(square, seen) != seen {
            self.report(&Sensed::Square(square, seen));
        }
    }

    pub fn look(&mut self, board: &shakmaty::Board) {
        let mut placement = Placement::empty();
        for (square, piece) in board {
            placement.set(square, self.shown(Some(piece)));
        }
        self.reported = placement.clone();
        self.report(&Sensed::Placement(placement));
    }

    pub fn lever(&mut self, to: Color, runs: bool) {
        (self.lever, self.runs) = (to, runs);
        self.report(&Sensed::Clock(ClockReading {
            white_ms: 1,
            black_ms: 1,
            running: runs.then_some(to),
            lever: Some(to),
            flag: None,
            low_battery: false,
        }));
    }

    pub fn run(&mut self, runs: bool) {
        self.lever(self.lever, runs);
    }

    fn collect(&mut self) {
        for reading in self.tracker.readings() {
            match reading {
                Reading::Settled(settled) => self.moves.push(settled.m),
                Reading::Revised { now } => {
                    self.moves.pop();
                    self.moves.push(now);
                }
                Reading::Withdrawn => {
                    self.moves.pop();
                }
                Reading::Mismatch(mismatch) => {
                    self.undoubted = Some(self.moves.len().saturating_sub(mismatch.doubted));
                }
                Reading::Agreed => self.undoubted = None,
                Reading::NewGame
                | Reading::Unsettled(_)
                | Reading::Touched { .. }
                | Reading::Proposed(_)
                | Reading::Faulty(_) => {}
            }
        }
    }

    pub fn uci(&self) -> Vec<String> {
        let words = self.moves.iter();
        words
            .map(|m| m.to_uci(CastlingMode::Standard).to_string())
            .collect()
    }

    pub fn verdict(&self, truth: &[String]) -> Verdict {
        let read = self.uci();
        let right = read
            .iter()
            .zip(truth)
            .take_while(|(read, played)| read == played)
            .count();
        match self.undoubted {
            _ if right == truth.len() && right == read.len() => Verdict::Right,
            Some(undoubted) if undoubted <= right => Verdict::Doubtful,
            _ => Verdict::SilentlyWrong,
        }
    }
}
