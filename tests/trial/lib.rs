//! Plays games with a simulated hand on a simulated board and reads them in virtual time. Bytes and
//! session are the same as on a port, but there is no port and no waiting.
//!
//! `benches/hand.rs` measures with it, `tests/hand_profiles.rs` checks with it.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by a panic"
)]

pub mod grade;
mod hidden;
mod naive;
mod pushed;
pub mod show;
mod table;

use remisd::{
    pgn::Games,
    simulate::{
        Profile,
        play::Mark,
        score::{self, Score},
    },
};
use remisd_hand::{Reading, Settings, SettledBy, Tracker};
use remisd_vocabulary::{sensor::Sensed, time::Moment};
use shakmaty::{Chess, Color, Move, Position as _, Rank};

pub use self::grade::{Grade, Outcome};
use self::{hidden::Hidden, naive::Naive, pushed::Pushed, table::Table};

/// The files with the games to play.
pub const FILES: [&str; 2] = ["otb-2025.pgn", "online-draws.pgn"];
/// How long the board is watched at the end: longer than any time limit of the tracker and than the
/// interval between two dumps.
const REST_MS: u64 = 45_000;
/// How many hypotheses a log shows after each event.
const SHOWN: usize = 8;

/// What the sensors know about a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensing {
    /// Its identity.
    Identity,
    /// Only its presence.
    Occupancy,
}

impl Sensing {
    /// Both kinds of board.
    pub const ALL: [Self; 2] = [Self::Identity, Self::Occupancy];

    /// The name in tables and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Occupancy => "occupancy",
        }
    }
}

/// How a game is played and seen.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// How the simulated hand plays.
    pub profile: Profile,
    /// What the sensors know about a piece.
    pub sensing: Sensing,
    /// Whether a clock with a visible lever is beside the board.
    pub lever: bool,
    /// Whether it is placed the other way round than assumed.
    pub reversed: bool,
    /// The seed of the gestures.
    pub seed: u64,
}

impl Setting {
    /// The setting for the game with this number; every game has its own gestures.
    #[must_use]
    pub const fn of(self, game: usize) -> Self {
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(game as u64);
        Self { seed, ..self }
    }
}

/// A move settled by the tracker.
#[derive(Debug, Clone, Copy)]
pub struct Made {
    /// The move.
    pub m: Move,
    /// When it was last reported, in milliseconds.
    pub at: u64,
    /// The time since the last reported event of the ply: a change of one of its squares, or its
    /// press.
    pub after: u64,
    /// Whether it was marked as assumed.
    pub assumed: bool,
}

/// One line of a game's log.
#[derive(Debug, Clone)]
pub enum Entry {
    /// The hand puts a piece on a square or removes it.
    Hand(shakmaty::Square, Option<shakmaty::Piece>),
    /// Any other act, in words.
    Done(String),
    /// A moment that only the hand knows.
    Mark(Mark),
    /// An event passed to the tracker.
    Sensed(Sensed),
    /// An output of the tracker.
    Read(Reading),
    /// The tracker's best hypotheses, as text.
    Accounts(String),
}

/// The account of one game.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// The moves read, in the order of the game.
    pub moves: Vec<Made>,
    /// When the last piece of each ply was released, in milliseconds.
    pub released: Vec<u64>,
    /// The number of plies revised or withdrawn.
    pub corrections: usize,
    /// The results shown on the board by the kings; `None` is a draw.
    pub shown: Vec<Option<Color>>,
    /// The results proposed by the tracker; `None` is a draw.
    pub proposed: Vec<Option<Color>>,
    /// The number of mismatches reported before the last ply was complete.
    pub alarms: usize,
    /// Whether a mismatch was open some time after the end of the game.
    pub mismatch: bool,
    /// Whether a mismatch was open at the end, or when a new game began.
    pub stopped: bool,
    /// The number of moves not in doubt by the last reported mismatch.
    pub undoubted: Option<usize>,
    /// The moves read by the baseline.
    pub naive: Vec<Move>,
    /// The number of settled plies each time the clock was found to be placed the other way round.
    pub turned: Vec<usize>,
    /// The first ply that no reader can determine.
    pub hidden: Option<usize>,
    /// Nanoseconds per reported square or placement.
    pub costs: Vec<u64>,
    /// Everything that happened, with its time in microseconds, if logging was requested.
    pub log: Vec<(u64, Entry)>,
}

/// All games of the repository that have moves.
pub fn games() -> Vec<Score> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/games/");
    FILES
        .iter()
        .flat_map(|file| {
            let text = std::fs::read_to_string(format!("{folder}{file}")).expect("it is there");
            debug_assert!(Games::new(text.as_bytes()).next().is_some());
            score::read(&text).expect("it has games")
        })
        .flatten()
        .filter(|score| !score.plies.is_empty())
        .collect()
}

/// Whether new moves still belong to the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The Laws have ended it, and the tracker rests.
    Closed,
    /// Another game has begun.
    NewGame,
}

/// Follows one game.
struct Trial<'a> {
    score: &'a Score,
    tracker: Tracker,
    naive: Naive,
    hidden: Hidden,
    /// Present only if pieces cannot be identified.
    pushed: Option<Pushed>,
    account: Account,
    logs: bool,
    /// Nanoseconds since an arbitrary moment.
    stopwatch: fn() -> u64,
    state: State,
    /// Whether the pieces are used for something other than the game.
    over: bool,
    ticked: Option<Moment>,
    /// When each square was last reported as changed.
    changed: [u64; 64],
    /// Whether the clock is placed the other way round than assumed.
    reversed: bool,
    /// The last change of the lever: the side to move since, and when it was reported.
    pressed: Option<(Color, u64)>,
}

/// Plays one game and reads it.
pub fn play(score: &Score, setting: Setting, stopwatch: fn() -> u64, logs: bool) -> Account {
    let mut table = Table::new(score, setting);
    let mut trial = Trial {
        score,
        tracker: Tracker::new(Settings::default(), score.start.clone()),
        naive: Naive::new(score.start.clone(), setting.sensing),
        hidden: Hidden::default(),
        pushed: (setting.sensing == Sensing::Occupancy).then(Pushed::default),
        account: Account::default(),
        logs,
        stopwatch,
        state: State::Open,
        over: false,
        ticked: None,
        changed: [0; 64],
        reversed: setting.reversed,
        pressed: None,
    };
    let mut end = None;
    loop {
        let deadline = trial.deadline();
        let next = table.next_at().min(deadline.unwrap_or(u64::MAX));
        if end.is_some_and(|end| next > end) {
            break;
        }
        if deadline.is_some_and(|deadline| deadline <= next) {
            trial.tick(next);
        }
        let happened = table.advance(next);
        for entry in happened {
            trial.take(entry, next);
        }
        if end.is_none() && table.is_finished() {
            end = Some(next + REST_MS * 1_000);
        }
    }
    trial.finish()
}

impl Trial<'_> {
    /// When the tracker wants to be called, in microseconds.
    fn deadline(&self) -> Option<u64> {
        let deadline = self.tracker.deadline()?;
        // A deadline that passed without effect is not repeated.
        (self.ticked != Some(deadline)).then_some(deadline.as_millis() * 1_000)
    }

    fn tick(&mut self, now_us: u64) {
        self.ticked = self.tracker.deadline();
        self.tracker.tick(Moment::from_millis(now_us / 1_000));
        self.read(now_us);
    }

    fn take(&mut self, entry: Entry, now_us: u64) {
        match &entry {
            Entry::Mark(mark) => self.mark(*mark, now_us / 1_000),
            Entry::Sensed(sensed) => {
                self.hidden.sensed(sensed);
                if let Some(pushed) = &mut self.pushed {
                    pushed.sensed(sensed);
                }
                self.note(sensed, now_us / 1_000);
                let begun = (self.stopwatch)();
                self.tracker
                    .sense(sensed, Moment::from_millis(now_us / 1_000));
                let cost = (self.stopwatch)().saturating_sub(begun);
                if matches!(sensed, Sensed::Square(..) | Sensed::Placement(_)) {
                    self.account.costs.push(cost);
                }
                if !self.over {
                    self.naive.sense(sensed, now_us / 1_000);
                }
                self.ticked = None;
            }
            Entry::Hand(square, piece) => self.hidden.hand(*square, *piece),
            Entry::Done(_) | Entry::Read(_) | Entry::Accounts(_) => {}
        }
        let sensed = matches!(entry, Entry::Sensed(_));
        self.log(now_us, entry);
        if sensed {
            self.read(now_us);
            self.weigh(now_us);
        }
    }

    fn weigh(&mut self, now_us: u64) {
        if !self.logs {
            return;
        }
        let accounts = self.tracker.inspect(SHOWN);
        self.log(now_us, Entry::Accounts(accounts));
    }

    /// Records the times of reports that may belong to the next plies.
    fn note(&mut self, sensed: &Sensed, at: u64) {
        match sensed {
            Sensed::Square(square, _) => self.changed[*square as usize] = at,
            Sensed::Clock(reading) => {
                let turned = |to: &Color| self.pressed.is_none_or(|(before, _)| before != *to);
                let reading = if self.reversed {
                    reading.reversed()
                } else {
                    *reading
                };
                if let Some(to) = reading.lever.filter(turned) {
                    self.pressed = Some((to, at));
                }
            }
            _ => {}
        }
    }

    /// How long ago a ply settled at `at` was completely reported.
    fn after(&self, m: Move, at: u64) -> u64 {
        let castling = m.castling_side().map(|side| {
            let color = Color::from_white(m.to().rank() == Rank::First);
            [side.king_to(color), side.rook_to(color)]
        });
        let squares = [m.from(), Some(m.to())].into_iter().flatten();
        let squares = squares.chain(castling.into_iter().flatten());
        let changed = squares.map(|square| self.changed[square as usize]).max();
        let ply = self.account.moves.len();
        let first = self.score.start.turn();
        let mover = if ply.is_multiple_of(2) {
            first
        } else {
            first.other()
        };
        let pressed = self.pressed.filter(|(to, _)| mover != *to);
        let pressed = pressed.map_or(0, |(_, at)| at);
        at.saturating_sub(changed.unwrap_or(0).max(pressed))
    }

    fn mark(&mut self, mark: Mark, at: u64) {
        match mark {
            Mark::Made { ply } => {
                debug_assert_eq!(self.account.released.len(), ply);
                self.account.released.push(at);
                self.hidden.made(ply);
                if let Some(pushed) = &mut self.pushed {
                    pushed.made(ply);
                }
            }
            Mark::After => {
                self.over = true;
                self.naive.rest(at);
                self.account.mismatch = self.tracker.mismatch().is_some();
            }
            Mark::Shown(winner) => self.account.shown.push(winner),
        }
    }

    fn log(&mut self, now_us: u64, entry: Entry) {
        if self.logs {
            self.account.log.push((now_us, entry));
        }
    }

    fn read(&mut self, now_us: u64) {
        let known = self.account.turned.len() % 2 == 1;
        let turned = self.tracker.clock_is_reversed() != known;
        for reading in self.tracker.readings() {
            self.log(now_us, Entry::Read(reading.clone()));
            if self.state != State::NewGame {
                self.reading(reading, now_us / 1_000);
            }
        }
        if turned {
            self.account.turned.push(self.account.moves.len());
        }
        if self.state == State::Open && self.is_closed_by_the_laws() {
            self.state = State::Closed;
            self.tracker.close();
        }
    }

    fn reading(&mut self, reading: Reading, at: u64) {
        let after = match &reading {
            Reading::Settled(settled) => self.after(settled.m, at),
            _ => 0,
        };
        let account = &mut self.account;
        let made = |m, by| Made {
            m,
            at,
            after,
            assumed: by == Some(SettledBy::Assumed),
        };
        match reading {
            Reading::Settled(settled) => account.moves.push(made(settled.m, Some(settled.by))),
            Reading::Revised { now } => {
                account.corrections += 1;
                if let Some(last) = account.moves.last_mut() {
                    *last = made(now, None);
                }
            }
            Reading::Withdrawn => {
                account.corrections += 1;
                account.moves.pop();
            }
            Reading::Proposed(proposal) => account.proposed.push(proposal.winner),
            Reading::NewGame => {
                account.stopped |= self.tracker.mismatch().is_some();
                self.state = State::NewGame;
            }
            Reading::Mismatch(mismatch) => {
                account.undoubted = account.moves.len().checked_sub(mismatch.doubted);
                let played_on = account.released.len() < self.score.plies.len();
                account.alarms += usize::from(played_on);
                account.stopped = true;
            }
            Reading::Agreed => {
                account.stopped = false;
                account.undoubted = None;
            }
            Reading::Touched { .. } | Reading::Faulty(_) | Reading::Unsettled(_) => {}
        }
    }

    /// Whether the moves read so far end in checkmate or stalemate.
    fn is_closed_by_the_laws(&self) -> bool {
        let mut position: Chess = self.score.start.clone();
        for made in &self.account.moves {
            match position.play(made.m) {
                Ok(after) => position = after,
                // A tracker that settles an illegal move is wrong anyway.
                Err(_) => return false,
            }
        }
        position.legal_moves().is_empty()
    }

    fn finish(mut self) -> Account {
        if !self.over {
            self.account.mismatch = self.tracker.mismatch().is_some();
        }
        self.account.naive = self.naive.moves;
        let pushed = self
            .pushed
            .as_ref()
            .and_then(|pushed| pushed.first(self.score));
        let hidden = self.hidden.first(self.score);
        self.account.hidden = hidden.into_iter().chain(pushed).min();
        self.account
    }
}
