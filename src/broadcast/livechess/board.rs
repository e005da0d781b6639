//! What is known of one board, from its topics.

use std::collections::BTreeMap;

use jiff::Timestamp;
use remisd_game::{ClockState, Side};
use remisd_topics::{self as topics, AvailabilityState, EntryRef, TrackerState};
use remisd_vocabulary::sensor::Placement;
use serde::de::DeserializeOwned;

use super::wire::{Clock, Eboard, State};

/// The most squares on which a board differs from a game that it follows: one piece on its way.
/// More is half a castling, or a ply that is settled a moment later.
const ON_THE_WAY: usize = 2;

/// What feeds show of a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its squares; `None` until they were seen.
    pub squares: Option<Placement>,
    /// Its clock.
    pub clock: Option<Clock>,
    /// Whether it can be read.
    pub state: Option<State>,
}

/// A board.
#[derive(Debug, Clone, Default)]
pub struct Board {
    link: Option<topics::Link>,
    availability: Option<AvailabilityState>,
    /// The game.
    game: Option<topics::Game>,
    clock: Option<Clock>,
    squares: Option<Placement>,
    /// The broker can be reached.
    connected: bool,
    /// The entry on which the newest value of each topic rests.
    entries: BTreeMap<String, EntryRef>,
}

impl Board {
    /// Notes the entry of a payload; false if a newer one was there before. A broker that was killed
    /// comes back with older values.
    pub fn follow(&mut self, leaf: &str, payload: &[u8]) -> bool {
        let Some(entry) = EntryRef::of_payload(payload) else {
            return true;
        };
        let known = self.entries.get(leaf);
        if known.is_some_and(|known| entry.is_overtaken_by(known)) {
            return false;
        }
        self.entries.insert(leaf.to_owned(), entry);
        true
    }

    /// Takes the value of a topic, which is empty if the topic was cleared. Others than those of
    /// [`super::hub`] are ignored, and so is what cannot be read.
    pub fn take(&mut self, leaf: &str, payload: &[u8], now: Timestamp) {
        match leaf {
            "link" => self.link = read(payload).or(self.link.take()),
            "availability" => {
                let availability: Option<topics::Availability> = read(payload);
                self.availability = availability.map(|availability| availability.state);
            }
            "game" => self.game = read(payload),
            "clock" => {
                let clock: Option<topics::Clock> = read(payload);
                self.clock = clock.as_ref().and_then(|clock| of_topic(clock, now));
            }
            "squares" => {
                let squares: Option<topics::Squares> = read(payload);
                let squares = squares.and_then(|squares| squares.placement.parse().ok());
                // What was last seen of a lost board stays.
                self.squares = squares.or(self.squares.take());
            }
            _ => {}
        }
    }

    /// Takes the game that the public sees, which says everything about the board.
    pub fn take_delayed(&mut self, leaf: &str, payload: &[u8], now: Timestamp) {
        if !matches!(leaf, "game" | "availability") {
            return;
        }
        self.take(leaf, payload, now);
        if let Some(game) = &self.game {
            self.squares = None;
            self.clock = game.clocks.map(|clock| of_game(clock, now));
        }
    }

    /// Notes whether the broker can be reached.
    pub fn connect(&mut self, connected: bool) {
        self.connected = connected;
    }

    /// The board's own serial number.
    #[must_use]
    pub fn serial(&self) -> Option<&str> {
        let serial = self.link.as_ref()?.serial.as_deref()?;
        (!serial.is_empty()).then_some(serial)
    }

    /// The game that is played, or was last.
    #[must_use]
    pub const fn game(&self) -> Option<&topics::Game> {
        self.game.as_ref()
    }

    /// The clock.
    #[must_use]
    pub const fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// The port without `/dev/`.
    #[must_use]
    pub fn source(&self) -> Option<String> {
        let link = self.link.as_ref().filter(|link| link.up)?;
        let port = link.port.strip_prefix("/dev/").unwrap_or(&link.port);
        (!port.is_empty()).then(|| port.to_owned())
    }

    /// What feeds show.
    #[must_use]
    pub fn shown(&self) -> Shown {
        Shown {
            squares: self.squares.clone().or_else(|| self.position()),
            clock: self.clock,
            state: self.state(),
        }
    }

    /// The board as clients see it in a list.
    #[must_use]
    pub fn eboard(&self, serialnr: String, name: &str) -> Eboard {
        let squares = self.shown().squares;
        let battery = self.link.as_ref().and_then(|link| link.battery);
        Eboard {
            serialnr,
            source: self.source(),
            state: self.state(),
            battery: battery.map(|percent| format!("{percent}%")),
            comment: Some(name.to_owned()),
            board: squares.as_ref().map(text),
            flipped: false,
            clock: self.clock,
        }
    }

    /// The same for programs that compare it with the moves of the game.
    ///
    /// While the game is followed, half a castling would look like a wrong game. So a board with
    /// more than one piece on its way shows the position of the game.
    #[must_use]
    pub fn settled_eboard(&self, serialnr: String, name: &str) -> Eboard {
        let mut eboard = self.eboard(serialnr, name);
        let follows = (self.game.as_ref()).is_some_and(|game| {
            game.result.is_none() && game.tracker.state == TrackerState::Following
        });
        if let (true, Some(position), Some(squares)) = (follows, self.position(), &self.squares)
            && squares.differing(&position).count() > ON_THE_WAY
        {
            eboard.board = Some(text(&position));
        }
        eboard
    }

    fn state(&self) -> Option<State> {
        match self.availability? {
            AvailabilityState::Unconfigured => None,
            AvailabilityState::Online if self.connected => Some(State::Active),
            AvailabilityState::Online | AvailabilityState::Offline | AvailabilityState::Fault => {
                Some(State::Inactive)
            }
        }
    }

    /// The position of the game.
    fn position(&self) -> Option<Placement> {
        let fen = &self.game.as_ref()?.fen;
        fen.split(' ').next()?.parse().ok()
    }
}

/// The squares as clients read them: only pieces of chess.
#[must_use]
pub fn text(squares: &Placement) -> String {
    // No client knows a piece that the board cannot identify.
    let text = squares.to_string();
    if !text.contains('?') {
        return text;
    }
    let mut known = squares.clone();
    for square in shakmaty::Square::ALL {
        if known.get(square).piece().is_none() {
            known.set(square, remisd_vocabulary::sensor::Seen::Empty);
        }
    }
    known.to_string()
}

fn of_topic(clock: &topics::Clock, now: Timestamp) -> Option<Clock> {
    let at = clock.at.as_deref().and_then(|at| at.parse().ok());
    Some(Clock {
        white: clock.white_ms? / 1000,
        black: clock.black_ms? / 1000,
        run: clock.running.map(is_white),
        time: at.unwrap_or(now).as_millisecond(),
    })
}

/// The clock in a delayed game: it counts from the moment at which the public sees it.
fn of_game(clock: ClockState, now: Timestamp) -> Clock {
    Clock {
        white: clock.white_ms / 1000,
        black: clock.black_ms / 1000,
        run: clock.running.map(is_white),
        time: now.as_millisecond(),
    }
}

/// Whether it is White.
fn is_white(side: Side) -> bool {
    side == Side::White
}

fn read<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    if payload.is_empty() {
        return None;
    }
    let read = serde_json::from_slice(payload);
    read.inspect_err(|error| tracing::warn!("a topic cannot be read: {error}"))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{availability, clock, game, link, squares};

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

    fn now() -> Timestamp {
        Timestamp::from_millisecond(1_000_000).unwrap()
    }

    fn board() -> Board {
        let mut board = Board::default();
        board.connect(true);
        for (leaf, payload) in [
            ("link", link("23946")),
            ("availability", availability("online")),
            ("game", game("")),
            ("squares", squares(START)),
        ] {
            board.take(leaf, &payload, now());
        }
        board
    }

    #[test]
    fn every_key_of_a_board_is_filled() {
        let board = board();
        let eboard = board.eboard("23946".to_owned(), "b1");
        assert_eq!(
            serde_json::to_string(&eboard).unwrap(),
            format!(
                r#"{{"serialnr":"23946","source":"ttyACM0","state":"ACTIVE","battery":"84%","comment":"b1","board":"{START}","flipped":false,"clock":null}}"#
            )
        );
    }

    #[test]
    fn a_board_never_seen_has_every_key_as_well() {
        let eboard = Board::default().eboard("b1".to_owned(), "b1");
        assert_eq!(
            serde_json::to_string(&eboard).unwrap(),
            r#"{"serialnr":"b1","source":null,"state":null,"battery":null,"comment":"b1","board":null,"flipped":false,"clock":null}"#
        );
    }

    #[test]
    fn a_lost_board_is_inactive_and_keeps_its_squares() {
        let mut board = board();
        board.take("availability", &availability("offline"), now());
        board.take("squares", b"", now());
        let shown = board.shown();
        assert_eq!(shown.state, Some(State::Inactive));
        assert_eq!(shown.squares, Some(Placement::start()));
        board.take("availability", &availability("online"), now());
        assert_eq!(board.shown().state, Some(State::Active));
        board.connect(false);
        assert_eq!(board.shown().state, Some(State::Inactive));
    }

    #[test]
    fn a_clock_counts_from_when_it_was_read() {
        let mut board = board();
        board.take("clock", &clock(90_500, 60_000, "white"), now());
        let read = Clock {
            white: 90,
            black: 60,
            run: Some(true),
            time: 500_000,
        };
        assert_eq!(board.shown().clock, Some(read));
        board.take("clock", b"", now());
        assert_eq!(board.shown().clock, None);
    }

    #[test]
    fn half_a_castling_does_not_look_like_a_wrong_game() {
        let mut board = board();
        let half = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1R2";
        board.take("squares", &squares(half), now());
        let name = || "b1".to_owned();
        assert_eq!(board.eboard(name(), "b1").board.as_deref(), Some(half));
        let settled = board.settled_eboard(name(), "b1");
        assert_eq!(settled.board.as_deref(), Some(START));
        // One piece in the hand is not a reason.
        let lifted = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
        board.take("squares", &squares(lifted), now());
        let settled = board.settled_eboard(name(), "b1");
        assert_eq!(settled.board.as_deref(), Some(lifted));
    }

    #[test]
    fn the_public_sees_the_delayed_game_and_nothing_else() {
        let mut board = Board::default();
        board.connect(true);
        board.take_delayed("squares", &squares("8/8/8/8/8/8/8/8"), now());
        board.take_delayed("clock", &clock(1, 1, "white"), now());
        assert_eq!(board.shown().squares, None);
        board.take_delayed("game", &game("e4"), now());
        let shown = board.shown();
        let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
        assert_eq!(shown.squares, after.parse().ok());
        assert_eq!(shown.clock, None);
    }

    #[test]
    fn an_older_value_of_the_same_run_is_recognised() {
        let mut board = Board::default();
        let entry = |session: &str, seq: u64| format!(r#"{{"session":"{session}","seq":{seq}}}"#);
        for (leaf, session, seq, is_new) in [
            ("game", "s", 7, true),
            ("game", "s", 7, true),
            ("game", "s", 6, false),
            ("clock", "s", 6, true),
            // The daemon was started again, perhaps with another journal.
            ("game", "t", 2, true),
            ("game", "t", 1, false),
        ] {
            let payload = entry(session, seq);
            assert_eq!(board.follow(leaf, payload.as_bytes()), is_new, "{payload}");
        }
        assert!(board.follow("game", b""), "it was cleared");
    }

    #[test]
    fn what_cannot_be_identified_is_left_out() {
        let seen = "?nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
            .parse()
            .unwrap();
        assert!(text(&seen).starts_with("1nbqkbnr/"));
    }
}
