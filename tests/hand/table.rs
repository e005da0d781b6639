//! A simulated board, a hand and a tracker, connected directly.

use std::env;

use remisd_hand::{MismatchReason, Reading, Settings, SettledBy, Tracker};
use remisd_vocabulary::{
    sensor::{ClockReading, LinkReport, Placement, Seen, Sensed},
    time::{Moment, Span},
};
use shakmaty::{Board, CastlingMode, Chess, Color, Move, Piece, Position, Role, Square, fen::Fen};

/// How many hypotheses are printed after every event: for tuning the model.
const SHOWN: &str = "HAND_SHOW";

/// A board, a hand and a tracker in simulated time.
pub struct Table {
    /// The first position of the game.
    pub position: Chess,
    pub tracker: Tracker,
    pub now: Moment,
    pub moves: Vec<Move>,
    pub mismatches: Vec<MismatchReason>,
    /// The squares that the newest mismatch names.
    pub named: Vec<Square>,
    /// The winners of the results shown on the board.
    pub proposed: Vec<Option<Color>>,
    pub agreed: usize,
    pub new_games: usize,
    pub withdrawn: Vec<Move>,
    /// The moves of the game before, when the next one began.
    pub ended: Vec<Move>,
    /// The moves that were perhaps on the board when a game was left.
    pub unsettled: Vec<Move>,
    pub touched: Vec<(Square, Color)>,
    pub settled_by: Vec<SettledBy>,
    lever: Color,
    runs: bool,
}

impl Table {
    pub fn new() -> Self {
        Self::at(Chess::default())
    }

    /// A game that starts from a position in FEN.
    pub fn of(fen: &str) -> Self {
        let fen: Fen = fen.parse().expect("it is FEN");
        Self::at(
            fen.into_position(CastlingMode::Standard)
                .expect("it is a position"),
        )
    }

    pub fn at(position: Chess) -> Self {
        let placement = Placement::from(position.board());
        Self::seen_as(position, placement)
    }

    /// A game that starts from a position in FEN, on a board that only detects occupied squares.
    pub fn without_kinds(fen: &str) -> Self {
        let position = Self::of(fen).position;
        let mut placement = Placement::empty();
        for square in position.board().occupied() {
            placement.set(square, Seen::Occupied);
        }
        Self::seen_as(position, placement)
    }

    fn seen_as(position: Chess, placement: Placement) -> Self {
        let lever = position.turn();
        let mut table = Self {
            tracker: Tracker::new(Settings::default(), position.clone()),
            position,
            now: Moment::START,
            moves: vec![],
            mismatches: vec![],
            named: vec![],
            proposed: vec![],
            agreed: 0,
            new_games: 0,
            withdrawn: vec![],
            ended: vec![],
            unsettled: vec![],
            touched: vec![],
            settled_by: vec![],
            lever,
            runs: true,
        };
        table.sense(&Sensed::Placement(placement));
        table
    }

    pub fn sense(&mut self, sensed: &Sensed) {
        self.tracker.sense(sensed, self.now);
        let most = env::var(SHOWN).ok().and_then(|most| most.parse().ok());
        if let Some(most) = most {
            eprintln!("{} {sensed:?}\n{}", self.now, self.tracker.inspect(most));
        }
        self.collect();
    }

    pub fn see(&mut self, square: Square, seen: Seen) {
        self.wait(200);
        self.sense(&Sensed::Square(square, seen));
    }

    pub fn lift(&mut self, square: Square) {
        self.see(square, Seen::Empty);
    }

    pub fn place(&mut self, square: Square, role: Role, color: Color) {
        self.see(square, Seen::Piece(role.of(color)));
    }

    pub fn wait(&mut self, ms: u64) {
        let until = self.now + Span::from_millis(ms);
        while let Some(deadline) = self.tracker.deadline().filter(|d| *d <= until) {
            self.now = self.now.max(deadline);
            self.tracker.tick(self.now);
            self.collect();
        }
        self.now = until;
    }

    fn collect(&mut self) {
        for reading in self.tracker.readings() {
            if env::var_os(SHOWN).is_some() {
                eprintln!("{} {reading:?}", self.now);
            }
            match reading {
                Reading::Settled(settled) => {
                    self.moves.push(settled.m);
                    self.settled_by.push(settled.by);
                }
                Reading::Revised { now } => {
                    self.moves.pop();
                    self.moves.push(now);
                }
                Reading::Withdrawn => {
                    self.withdrawn.extend(self.moves.pop());
                }
                Reading::Mismatch(mismatch) => {
                    self.mismatches.push(mismatch.reason);
                    self.named = mismatch.squares.iter().map(|seen| seen.square).collect();
                }
                Reading::Agreed => self.agreed += 1,
                Reading::Touched {
                    square,
                    by,
                    sure: false,
                } => self.touched.push((square, by)),
                Reading::Proposed(proposal) => self.proposed.push(proposal.winner),
                Reading::Touched { .. } | Reading::Faulty(_) => {}
                Reading::Unsettled(m) => self.unsettled.push(m),
                Reading::NewGame => {
                    self.new_games += 1;
                    self.ended = std::mem::take(&mut self.moves);
                }
            }
        }
    }

    /// Plays a script of events separated by `, `. Each has a time in milliseconds, starting one
    /// second from now, and an event. The event is a square after a FEN piece letter, `#` (a piece
    /// of unknown kind) or `-` (empty); or the clock event `press`, `stop` or `start`.
    pub fn replay(&mut self, seen: &str) {
        let begin = self.now + Span::from_millis(1_000);
        for report in seen.split(", ") {
            let (at, report) = report.split_once(' ').expect("a time and what is seen");
            let at: u64 = at.parse().expect("milliseconds");
            let left = begin + Span::from_millis(at) - self.now;
            self.wait(left.as_millis());
            match report {
                "press" => self.press(),
                "stop" => self.run(false),
                "start" => self.run(true),
                _ => {}
            }
            if ["press", "stop", "start"].contains(&report) {
                continue;
            }
            let (piece, square) = report.split_at(1);
            let square: Square = square.parse().expect("a square");
            let seen = match piece {
                "-" => Seen::Empty,
                "#" => Seen::Occupied,
                _ => Seen::Piece(
                    piece
                        .parse::<char>()
                        .ok()
                        .and_then(Piece::from_char)
                        .expect("a piece"),
                ),
            };
            self.sense(&Sensed::Square(square, seen));
        }
    }

    pub fn out_of_sight(&mut self) {
        let reason = "the cable was pulled".to_owned();
        let code = remisd_vocabulary::sensor::DownCode::Unplugged;
        self.sense(&Sensed::Link(LinkReport::Down { code, reason }));
    }

    /// Loses sight of the board for two seconds. Then two dumps show this board, and it stands.
    pub fn out_of_sight_until(&mut self, board: &str) {
        self.out_of_sight();
        self.wait(2_000);
        for _ in 0..2 {
            self.wait(600);
            self.look(board);
        }
        self.wait(10_000);
    }

    /// Sends a dump; `board` is the first field of a FEN.
    pub fn look(&mut self, board: &str) {
        let board = Board::from_ascii_board_fen(board.as_bytes()).expect("it is a board");
        self.sense(&Sensed::Placement(Placement::from(&board)));
    }

    /// The moves that are not in doubt.
    pub fn certain(&self) -> &[Move] {
        let doubted = self
            .tracker
            .mismatch()
            .map_or(0, |mismatch| mismatch.doubted);
        &self.moves[..self.moves.len().saturating_sub(doubted)]
    }

    pub fn uci(&self) -> Vec<String> {
        uci(&self.moves)
    }

    /// Reports the clock with its current lever. At the start the clock of the player having the
    /// move runs.
    pub fn lever_is_there(&mut self) {
        self.clock();
    }

    /// Turns the clock round: Black's side of it becomes White's.
    pub fn turn_clock_round(&mut self) {
        self.lever = self.lever.other();
        self.clock();
    }

    /// Presses the clock for the player whose clock runs.
    pub fn press(&mut self) {
        self.lever = self.lever.other();
        self.clock();
    }

    /// Stops the clock, or starts it again.
    pub fn run(&mut self, runs: bool) {
        self.runs = runs;
        self.clock();
    }

    /// Removes the clock.
    pub fn unplug(&mut self) {
        self.runs = false;
        self.sense_clock(None);
    }

    fn clock(&mut self) {
        self.sense_clock(Some(self.lever));
    }

    fn sense_clock(&mut self, lever: Option<Color>) {
        self.sense(&Sensed::Clock(ClockReading {
            white_ms: 1,
            black_ms: 1,
            running: self.runs.then_some(self.lever),
            lever,
            flag: None,
            low_battery: false,
        }));
    }
}

pub fn uci(moves: &[Move]) -> Vec<String> {
    let written = moves.iter().map(|m| m.to_uci(CastlingMode::Standard));
    written.map(|m| m.to_string()).collect()
}

/// The moves read from a script of events, see [`Table::replay`]. A clock is there if the script
/// presses it.
pub fn read(fen: &str, seen: &str) -> Vec<String> {
    let mut table = Table::of(fen);
    if seen.contains("press") {
        table.lever_is_there();
    }
    table.replay(seen);
    table.wait(5_000);
    table.uci()
}
