//! The moves that a client wants to know, from a position that it has named.

use remisd_hand::{Reading, Settings, Tracker};
use remisd_vocabulary::{
    notation::{MoveText, PositionTextError, parse_position},
    sensor::{Device, DownCode, LinkReport, Placement, Sensed},
    time::{Moment, TimeScale},
};
use shakmaty::{Chess, Move, Position as _};

use super::BoardSettings;

/// Reads moves from the squares, beginning at a position.
#[derive(Debug)]
pub struct Reconstruction {
    /// The first position, as the client wrote it.
    start: String,
    tracker: Tracker,
    time_scale: TimeScale,
    /// The positions, from the first one on.
    positions: Vec<Chess>,
    /// The moves between them.
    moves: Vec<String>,
    squares: Option<Placement>,
}

impl Reconstruction {
    /// Begins at a FEN of four to six fields. Whatever the castling rights are written like, the
    /// position is the same.
    ///
    /// # Errors
    ///
    /// Fails if the FEN is not a legal position.
    pub fn begin(start: &str, board: &BoardSettings) -> Result<Self, PositionTextError> {
        let position = parse_position(start)?;
        let settings = Settings {
            // The client decides what it plays, and its clock is not the board's.
            new_games: false,
            learn_clock: false,
            ..board.hand
        };
        Ok(Self {
            start: start.to_owned(),
            tracker: Tracker::new(settings, position.clone()),
            time_scale: board.time_scale,
            positions: vec![position],
            moves: Vec::new(),
            squares: None,
        })
    }

    /// Takes the squares.
    pub fn sense(&mut self, squares: &Placement, now: Moment) {
        let now = self.time_scale.scale(now);
        self.tracker.sense(&Sensed::Placement(squares.clone()), now);
        self.squares = Some(squares.clone());
        self.read();
    }

    /// The board was lost, or is back.
    pub fn link(&mut self, up: bool, now: Moment) {
        let report = if up {
            LinkReport::Up(Device::default())
        } else {
            LinkReport::Down {
                code: DownCode::Silent,
                reason: String::new(),
            }
        };
        let now = self.time_scale.scale(now);
        self.tracker.sense(&Sensed::Link(report), now);
        self.read();
    }

    /// Lets time pass.
    pub fn tick(&mut self, now: Moment) {
        self.tracker.tick(self.time_scale.scale(now));
        self.read();
    }

    /// When to call [`Self::tick`], if nothing happens before.
    #[must_use]
    pub fn deadline(&self) -> Option<Moment> {
        let due = self.tracker.deadline()?;
        Some(self.time_scale.unscale(due))
    }

    /// The first position, as the client wrote it.
    #[must_use]
    pub fn start(&self) -> &str {
        &self.start
    }

    /// All moves.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Whether the squares show the position after the moves.
    #[must_use]
    pub fn agrees(&self) -> bool {
        let after = self.positions.last().map(|after| after.board().into());
        self.squares.is_some() && self.squares == after
    }

    fn read(&mut self) {
        for reading in self.tracker.readings() {
            match reading {
                Reading::Settled(settled) => self.play(settled.m),
                Reading::Revised { now } => {
                    self.take_back();
                    self.play(now);
                }
                Reading::Withdrawn => self.take_back(),
                Reading::Mismatch(_)
                | Reading::Agreed
                | Reading::Touched { .. }
                | Reading::Unsettled(_)
                | Reading::NewGame
                | Reading::Proposed(_)
                | Reading::Faulty(_) => {}
            }
        }
    }

    fn play(&mut self, m: Move) {
        // There is always a first position.
        let Some(position) = self.positions.last() else {
            return;
        };
        if !position.is_legal(m) {
            return;
        }
        let text = MoveText::new(m, position);
        let mut after = position.clone();
        after.play_unchecked(m);
        self.moves.push(text.san);
        self.positions.push(after);
    }

    fn take_back(&mut self) {
        if self.moves.pop().is_some() {
            self.positions.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::board;

    fn seen(text: &str) -> Placement {
        text.parse().unwrap()
    }

    #[test]
    fn moves_are_found_from_the_position_on() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w QKqk - 0 1";
        let mut game = Reconstruction::begin(fen, &board("b1")).unwrap();
        assert!(!game.agrees(), "nothing was seen yet");
        game.sense(&Placement::start(), Moment::START);
        assert!(game.agrees());
        game.sense(
            &seen("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"),
            Moment::from_millis(1_000),
        );
        assert!(!game.agrees());
        game.sense(
            &seen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
            Moment::from_millis(2_000),
        );
        while let Some(due) = game.deadline() {
            game.tick(due);
        }
        assert_eq!(game.moves(), ["e4"]);
        assert!(game.agrees());
        assert_eq!(game.start(), fen);
    }

    #[test]
    fn what_was_played_while_the_board_was_lost_is_found() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut game = Reconstruction::begin(fen, &board("b1")).unwrap();
        game.sense(&Placement::start(), Moment::START);
        game.link(false, Moment::from_millis(10_000));
        game.link(true, Moment::from_millis(20_000));
        game.sense(
            &seen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"),
            Moment::from_millis(20_500),
        );
        while let Some(due) = game
            .deadline()
            .filter(|due| *due < Moment::from_millis(120_000))
        {
            game.tick(due);
        }
        assert_eq!(game.moves(), ["e4"]);
    }

    #[test]
    fn what_is_no_position_is_refused() {
        for bad in ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1"] {
            assert!(Reconstruction::begin(bad, &board("b1")).is_err(), "{bad}");
        }
    }
}
