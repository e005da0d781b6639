//! The simulated world of one game: hand, board, line, and the listening session.

use std::{collections::VecDeque, time::Duration};

use bytes::BytesMut;
use remisd::simulate::{
    clock::SimulatedClock,
    dgt::{Quirks, SimulatedBoard},
    hand::Hand,
    play::{Act, Player, Progress},
    score::Score,
};
use remisd_board::{
    dgt::{
        ClockSide, DgtTiming, clock::ClockWatch, codec::Codec, session::DgtSession, table as wire,
    },
    orientation::{OrientationSetting, OrientationTracker},
};
use remisd_vocabulary::sensor::{DownCode, LinkReport, Placement, Seen, Sensed};
use shakmaty::{Color, Piece, Square};
use tokio_util::codec::Decoder as _;

use crate::{Entry, Sensing, Setting};

/// The longest thinking time, as in a simulation on a pseudo-terminal.
const LONGEST_THOUGHT_US: u64 = 10_000_000;
/// The fastest and the slowest scan, in microseconds per square.
const SQUARE_US: [u64; 2] = [3_125, 3_906];
/// The longest time from a press of the clock to its report, in microseconds.
const CLOCK_LATE_US: u64 = 250_000;
/// The time until a lost line is noticed, in microseconds.
const NOTICED_US: u64 = 50_000;

/// One opened line.
struct OpenLine {
    session: DgtSession,
    codec: Codec,
    bytes: BytesMut,
    opened: u64,
}

impl OpenLine {
    fn open(now: u64, reconnects: u64, clock_white: ClockSide) -> Self {
        Self {
            session: DgtSession::new(
                DgtTiming::default(),
                "simulated",
                OrientationTracker::new(OrientationSetting::Normal, None),
                ClockWatch::new(clock_white),
                reconnects,
            ),
            codec: Codec::default(),
            bytes: BytesMut::new(),
            opened: now,
        }
    }

    fn elapsed(&self, now: u64) -> Duration {
        Duration::from_micros(now.saturating_sub(self.opened))
    }
}

/// The assumed side of White's time on the clock; it is really on the left.
const fn assumed(setting: Setting) -> ClockSide {
    if setting.reversed {
        ClockSide::Right
    } else {
        ClockSide::Left
    }
}

/// Everything except the tracker.
pub struct Table {
    setting: Setting,
    player: Player,
    board: SimulatedBoard,
    line: Option<OpenLine>,
    opened: u64,
    down_at: Option<u64>,
    /// Presses that the clock has not reported yet.
    presses: VecDeque<(u64, Color, Option<u64>)>,
    watched: bool,
    finished: bool,
    /// What was last reported of each square.
    reported: Placement,
}

impl Table {
    pub fn new(score: &Score, setting: Setting) -> Self {
        let hand = Hand::new(setting.profile, setting.seed);
        let player = Player::new(vec![Ok(score.clone())], hand, LONGEST_THOUGHT_US);
        let mut squares = [0; 64];
        for (square, piece) in player.board() {
            squares[usize::from(wire::index(square))] = wire::code(Seen::Piece(piece));
        }
        let mut quirks = Quirks::of(setting.profile, setting.seed);
        let spread = SQUARE_US[1] - SQUARE_US[0];
        quirks.square_us = SQUARE_US[0] + setting.seed.wrapping_mul(0x9E37_79B9) % spread;
        let clock = SimulatedClock::new(true, score.time_ms);
        Self {
            setting,
            player,
            board: SimulatedBoard::new(squares, clock).with_quirks(quirks),
            line: Some(OpenLine::open(0, 0, assumed(setting))),
            opened: 1,
            down_at: None,
            presses: VecDeque::new(),
            watched: false,
            finished: false,
            reported: Placement::empty(),
        }
    }

    /// Whether all games are over and nothing more will happen.
    pub const fn is_finished(&self) -> bool {
        self.finished
    }

    fn next_act(&mut self) -> Option<u64> {
        self.watched.then(|| self.player.next_at()).flatten()
    }

    /// The time of the next event, in microseconds.
    pub fn next_at(&mut self) -> u64 {
        let session = self.line.as_ref().map(|line| {
            let wake = u64::try_from(line.session.next_wake().as_micros()).unwrap_or(u64::MAX);
            line.opened.saturating_add(wake)
        });
        let all = [
            Some(self.board.next_event()),
            self.board.next_byte(),
            self.next_act(),
            session,
            self.down_at,
            self.presses.front().map(|(at, ..)| *at),
        ];
        all.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    /// Executes everything due at `now`.
    pub fn advance(&mut self, now: u64) -> Vec<Entry> {
        let mut happened = Vec::new();
        while self.next_act().is_some_and(|at| at <= now) {
            if let Some(act) = self.player.act(now) {
                self.act(&act, now, &mut happened);
            }
        }
        while let Some((at, by, time_ms)) = self.presses.front().copied()
            && at <= now
        {
            self.presses.pop_front();
            self.board.clock.press(by, time_ms, now);
            self.board.clock_changed(now);
        }
        if self.board.next_event() <= now {
            self.board.advance(now);
        }
        if self.down_at.is_some_and(|at| at <= now) {
            self.down_at = None;
            let reason = "the cable was pulled".to_owned();
            let code = DownCode::Unplugged;
            let down = LinkReport::Down { code, reason };
            happened.push(Entry::Sensed(Sensed::Link(down)));
        }
        let mut sensed = Vec::new();
        self.listen(now, &mut sensed);
        for one in sensed {
            let one = match self.setting.sensing {
                Sensing::Identity => Some(one),
                Sensing::Occupancy => self.without_kinds(one),
            };
            let silent = |sensed: &Sensed| {
                let clock = matches!(sensed, Sensed::Clock(_)) && !self.setting.lever;
                clock || matches!(sensed, Sensed::Link(LinkReport::Counters(_)))
            };
            happened.extend(one.filter(|one| !silent(one)).map(Entry::Sensed));
        }
        if !self.watched && self.board.is_watched() {
            self.watched = true;
            self.player.wait_until(now);
        }
        happened
    }

    fn act(&mut self, act: &Act, now: u64, happened: &mut Vec<Entry>) {
        match *act {
            Act::Put(square, piece) => {
                let code = piece.map_or(0, |piece| wire::code(Seen::Piece(piece)));
                self.board.put(wire::index(square), code, now);
                happened.push(Entry::Hand(square, piece));
            }
            Act::Press { by, time_ms } => {
                let late = now.wrapping_mul(0x9E37_79B9) % CLOCK_LATE_US;
                let before = self.presses.back().map_or(0, |(at, ..)| *at);
                let reported = (now + late).max(before + 1_000);
                self.presses.push_back((reported, by, time_ms));
                happened.push(Entry::Done(format!("{by} presses")));
            }
            Act::SetClock { time_ms, to_move } => {
                self.board.clock.set(time_ms, to_move);
                self.board.clock_changed(now);
            }
            Act::StartClock => {
                self.board.clock.start(now);
                self.board.clock_changed(now);
            }
            Act::StopClock => {
                self.board.clock.stop(now);
                self.board.clock_changed(now);
            }
            Act::Deaden(square, for_us) => {
                self.board.deaden(wire::index(square), now + for_us);
                happened.push(Entry::Done(format!(
                    "{square} is dead for {} ms",
                    for_us / 1_000
                )));
            }
            Act::Misread(square, piece) => {
                let code = piece.map_or(0, |piece| wire::code(Seen::Piece(piece)));
                self.board.misread(wire::index(square), code, now);
                let shown = piece.map_or('-', Piece::char);
                happened.push(Entry::Done(format!("{square} is misread as {shown}")));
            }
            Act::Unplug => {
                self.line = None;
                self.board.carried(now);
                self.down_at = Some(now + NOTICED_US);
                happened.push(Entry::Done("the line goes down".to_owned()));
            }
            Act::PlugIn => {
                self.board.power_up();
                self.line = Some(OpenLine::open(now, self.opened, assumed(self.setting)));
                self.opened += 1;
                happened.push(Entry::Done("the line comes up".to_owned()));
            }
            Act::Mark(mark) => happened.push(Entry::Mark(mark)),
            Act::Report(Progress::Finished) => self.finished = true,
            Act::Report(_) => {}
        }
    }

    /// Passes bytes to the session and its commands to the board.
    fn listen(&mut self, now: u64, sensed: &mut Vec<Sensed>) {
        let carried = self.board.carried(now);
        let Some(line) = &mut self.line else {
            return;
        };
        line.bytes.extend_from_slice(&carried);
        let elapsed = line.elapsed(now);
        while let Some(item) = line
            .codec
            .decode(&mut line.bytes)
            .expect("no port, no error")
        {
            line.session.receive(item, elapsed, sensed);
        }
        // The board always answers in the end.
        let _ = line.session.wake(elapsed, sensed);
        while let Some(command) = line.session.command(elapsed) {
            self.board.receive(&[command.byte()], now);
        }
    }

    /// What a board that cannot identify pieces would have reported.
    fn without_kinds(&mut self, sensed: Sensed) -> Option<Sensed> {
        let blind = |seen: Seen| match seen {
            Seen::Empty => Seen::Empty,
            Seen::Piece(_) | Seen::Occupied | Seen::ResultPiece(_) => Seen::Occupied,
        };
        match sensed {
            Sensed::Square(square, seen) => {
                let seen = blind(seen);
                let before = self.reported.set(square, seen);
                (before != seen).then_some(Sensed::Square(square, seen))
            }
            Sensed::Placement(placement) => {
                for square in Square::ALL {
                    self.reported.set(square, blind(placement.get(square)));
                }
                Some(Sensed::Placement(self.reported.clone()))
            }
            other => Some(other),
        }
    }
}
