//! A feed: what one client has subscribed to at one board.

use remisd_vocabulary::{notation::PositionTextError, sensor::Placement, time::Moment};

use tokio::sync::OwnedSemaphorePermit;

use super::{
    BoardSettings,
    board::{Shown, text},
    reconstruction::Reconstruction,
    wire::{BoardEvent, Clock, Id, State},
};

/// A feed.
///
/// Its first message says everything; each later one says only what has changed. After
/// [`Feed::setup`] every message also holds the moves and whether the board agrees.
#[derive(Debug)]
pub struct Feed {
    /// The client's name for it.
    pub id: Id,
    /// The board's place in the configuration.
    pub board: usize,
    /// The board's key, as the client wrote it.
    serialnr: String,
    flipped: bool,
    last: Last,
    /// The version of the board in it.
    version: u64,
    squares: Option<Placement>,
    state: Option<State>,
    moves: Option<Reconstruction>,
    /// Its place among the feeds that find moves.
    place: Option<OwnedSemaphorePermit>,
}

/// What was last sent.
#[allow(
    clippy::option_option,
    reason = "no clock is news as well, and differs from no news"
)]
#[derive(Debug, Default)]
struct Last {
    board: Option<String>,
    clock: Option<Option<Clock>>,
    moves: Option<(Vec<String>, bool)>,
}

impl Feed {
    /// A feed that has sent nothing.
    #[must_use]
    pub fn new(id: Id, board: usize, serialnr: String) -> Self {
        Self {
            id,
            board,
            serialnr,
            flipped: false,
            last: Last::default(),
            version: 0,
            squares: None,
            state: None,
            moves: None,
            place: None,
        }
    }

    /// Takes a version of the board; returns what has changed. An older one than the last changes
    /// nothing.
    pub fn take(&mut self, shown: &Shown, version: u64, now: Moment) -> Option<BoardEvent<'_>> {
        if version <= self.version {
            return None;
        }
        self.version = version;
        let squares = shown.squares.as_ref().map(|squares| {
            if self.flipped {
                squares.rotated()
            } else {
                squares.clone()
            }
        });
        self.link(shown.state, now);
        if self.squares != squares {
            self.squares = squares;
            self.sense(now);
        }
        self.news(Some(shown.clock), false)
    }

    /// Finds moves from this position on. A feed that did not do so before gets a place for it.
    ///
    /// # Errors
    ///
    /// Fails if the FEN is not a legal position; then nothing has changed.
    pub fn setup(
        &mut self,
        fen: &str,
        settings: &BoardSettings,
        place: Option<OwnedSemaphorePermit>,
        now: Moment,
    ) -> Result<Option<BoardEvent<'_>>, PositionTextError> {
        self.moves = Some(Reconstruction::begin(fen, settings)?);
        self.place = place.or_else(|| self.place.take());
        self.last.moves = None;
        self.sense(now);
        Ok(self.news(None, true))
    }

    /// Turns the board, or turns it back. The client gets a message even if nothing changes.
    pub fn flip(&mut self, flip: bool, now: Moment) -> Option<BoardEvent<'_>> {
        if self.flipped != flip {
            self.flipped = flip;
            self.squares = self.squares.as_ref().map(Placement::rotated);
            self.sense(now);
        }
        self.news(None, true)
    }

    /// Lets time pass.
    pub fn tick(&mut self, now: Moment) -> Option<BoardEvent<'_>> {
        self.moves.as_mut()?.tick(now);
        self.news(None, false)
    }

    /// When to call [`Self::tick`], if nothing happens before.
    #[must_use]
    pub fn deadline(&self) -> Option<Moment> {
        self.moves.as_ref()?.deadline()
    }

    /// Whether it finds moves.
    #[must_use]
    pub const fn is_set_up(&self) -> bool {
        self.moves.is_some()
    }

    fn sense(&mut self, now: Moment) {
        if let (Some(moves), Some(squares)) = (&mut self.moves, &self.squares) {
            moves.sense(squares, now);
        }
    }

    /// A lost board may have missed moves.
    fn link(&mut self, state: Option<State>, now: Moment) {
        let before = std::mem::replace(&mut self.state, state);
        let up = state == Some(State::Active);
        if (before == Some(State::Active)) == up {
            return;
        }
        if let Some(moves) = &mut self.moves {
            moves.link(up, now);
            if up {
                self.sense(now);
            }
        }
    }

    /// What has changed since the last message, and `clock`, if that is news. `None` if there is
    /// nothing to report, unless a report is due.
    #[allow(
        clippy::option_option,
        reason = "no clock is news as well, and differs from no news"
    )]
    fn news(&mut self, clock: Option<Option<Clock>>, must: bool) -> Option<BoardEvent<'_>> {
        let board = self.squares.as_ref().map(text);
        let board = (board != self.last.board).then_some(board).flatten();
        let clock = clock.filter(|clock| self.last.clock != Some(*clock));
        let moves = (self.moves.as_ref()).map(|moves| (moves.moves().to_vec(), moves.agrees()));
        let begins = moves.is_some() && self.last.moves.is_none();
        if board.is_none() && clock.is_none() && moves == self.last.moves && !must {
            return None;
        }
        if board.is_some() {
            self.last.board.clone_from(&board);
        }
        self.last.clock = clock.or(self.last.clock);
        self.last.moves = moves;
        let moves = self.moves.as_ref();
        Some(BoardEvent {
            serialnr: &self.serialnr,
            flipped: self.flipped,
            board,
            clock,
            start: moves.filter(|_| begins).map(Reconstruction::start),
            san: moves.map(|moves| moves.moves().iter().map(String::as_str).collect()),
            agrees: moves.map(Reconstruction::agrees),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        tests::board,
        wire::{self, Request},
    };

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";
    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    fn shown(squares: &str) -> Shown {
        Shown {
            squares: squares.parse().ok(),
            clock: None,
            state: Some(State::Active),
        }
    }

    fn feed() -> Feed {
        let id = Request::read(r#"{"id":1,"call":"eboards"}"#).id;
        Feed::new(id, 0, "23946".to_owned())
    }

    fn text_of(event: Option<BoardEvent<'_>>) -> Option<String> {
        event.map(|event| serde_json::to_string(&event).unwrap())
    }

    #[test]
    fn the_first_message_is_full_and_later_ones_say_what_has_changed() {
        let mut feed = feed();
        assert_eq!(
            text_of(feed.take(&shown(START), 1, Moment::START)).unwrap(),
            format!(r#"{{"serialnr":"23946","flipped":false,"board":"{START}","clock":null}}"#)
        );
        assert_eq!(
            text_of(feed.take(&shown(LIFTED), 2, Moment::from_millis(10))).unwrap(),
            format!(r#"{{"serialnr":"23946","flipped":false,"board":"{LIFTED}"}}"#)
        );
        assert_eq!(
            text_of(feed.take(&shown(LIFTED), 3, Moment::from_millis(20))),
            None
        );
        assert_eq!(
            text_of(feed.take(&shown(START), 2, Moment::from_millis(20))),
            None,
            "an old one"
        );
        let clock = Clock {
            white: 90,
            black: 60,
            run: None,
            time: 5,
        };
        let timed = Shown {
            clock: Some(clock),
            ..shown(LIFTED)
        };
        assert_eq!(
            text_of(feed.take(&timed, 4, Moment::from_millis(30))).unwrap(),
            r#"{"serialnr":"23946","flipped":false,"clock":{"white":90,"black":60,"run":null,"time":5}}"#
        );
        assert_eq!(
            text_of(feed.take(&shown(LIFTED), 5, Moment::from_millis(40))).unwrap(),
            r#"{"serialnr":"23946","flipped":false,"clock":null}"#
        );
    }

    #[test]
    fn a_board_that_was_never_seen_has_a_first_message_without_squares() {
        let nothing = Shown {
            squares: None,
            clock: None,
            state: None,
        };
        assert_eq!(
            text_of(feed().take(&nothing, 1, Moment::START)).unwrap(),
            r#"{"serialnr":"23946","flipped":false,"clock":null}"#
        );
    }

    #[test]
    fn after_setup_every_message_has_the_moves() {
        let mut feed = feed();
        feed.take(&shown(START), 1, Moment::START);
        let settings = &board("b1");
        assert_eq!(
            text_of(
                feed.setup(FEN, settings, None, Moment::from_millis(100))
                    .unwrap()
            )
            .unwrap(),
            format!(
                r#"{{"serialnr":"23946","flipped":false,"start":"{FEN}","san":[],"match":true}}"#
            )
        );
        feed.take(&shown(LIFTED), 2, Moment::from_millis(1_000));
        assert_eq!(
            text_of(feed.take(&shown(E4), 3, Moment::from_millis(2_000))).unwrap(),
            format!(
                r#"{{"serialnr":"23946","flipped":false,"board":"{E4}","san":["e4"],"match":true}}"#
            )
        );
        while let Some(due) = feed.deadline() {
            assert_eq!(text_of(feed.tick(due)), None, "nothing changes by waiting");
        }
        assert!(
            feed.setup("x", settings, None, Moment::from_millis(9_000))
                .is_err()
        );
        assert!(
            text_of(feed.take(&shown(LIFTED), 4, Moment::from_millis(9_500)))
                .unwrap()
                .contains(r#""san":["e4"]"#)
        );
        // Another game.
        let again = text_of(
            feed.setup(FEN, settings, None, Moment::from_millis(10_000))
                .unwrap(),
        )
        .unwrap();
        assert!(again.contains(r#""san":[],"match":false"#), "{again}");
    }

    #[test]
    fn a_flipped_board_is_seen_from_its_other_side() {
        let mut feed = feed();
        feed.take(&shown(E4), 1, Moment::START);
        let turned = "RNBKQBNR/PPP1PPPP/8/3P4/8/8/pppppppp/rnbkqbnr";
        assert_eq!(
            text_of(feed.flip(true, Moment::from_millis(10))).unwrap(),
            format!(r#"{{"serialnr":"23946","flipped":true,"board":"{turned}"}}"#)
        );
        assert_eq!(
            text_of(feed.flip(true, Moment::from_millis(20))).unwrap(),
            r#"{"serialnr":"23946","flipped":true}"#
        );
        assert_eq!(
            text_of(feed.flip(false, Moment::from_millis(30))).unwrap(),
            format!(r#"{{"serialnr":"23946","flipped":false,"board":"{E4}"}}"#)
        );
    }

    #[test]
    fn a_message_names_the_feed_that_the_client_chose() {
        let mut feed = feed();
        let id = feed.id.clone();
        let event = feed.take(&shown(START), 1, Moment::START).unwrap();
        assert_eq!(
            wire::feed(&id, &event, 1_587_948_082_889),
            format!(
                r#"{{"response":"feed","id":1,"param":{{"serialnr":"23946","flipped":false,"board":"{START}","clock":null}},"time":1587948082889}}"#
            )
        );
    }
}
