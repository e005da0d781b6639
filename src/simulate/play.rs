//! The course of the games: what is done next, and when.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;
use shakmaty::{Board, Chess, Color, Piece, Position, Square};

use super::{
    hand::{Gesture, Hand},
    score::{Ply, Score, Unplayable},
};

const MS: u64 = 1_000;
/// Nobody moves faster than this.
const LEAST_THOUGHT_US: u64 = 300 * MS;
/// Between the end of a game and the first piece that is cleared away.
const AFTER_GAME_US: u64 = 3_000 * MS;
/// Between a board that is set up and the start of the clock.
const BEFORE_GAME_US: u64 = 4_000 * MS;

/// What has happened, for whoever compares it with what was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Progress {
    /// The start position stands on the board and the clock runs.
    GameStarted {
        /// Which game, counted from 0.
        game: usize,
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
        /// How many plies it will have.
        plies: usize,
    },
    /// A game cannot be played as it stands in the PGN; the next one follows.
    GameSkipped {
        /// Which game, counted from 0.
        game: usize,
        /// At which ply, counted from 1; 0 for the starting position.
        ply: usize,
        /// Why, in words.
        reason: String,
    },
    /// A move was made and the clock pressed.
    Ply {
        /// Which game, counted from 0.
        game: usize,
        /// Which ply, counted from 1.
        ply: usize,
        /// The move.
        #[serde(rename = "move")]
        played: Played,
    },
    /// The last ply was played and the clock is stopped.
    GameOver {
        /// Which game, counted from 0.
        game: usize,
        /// The result as in PGN.
        result: String,
    },
    /// No game is left. The board stays as it is.
    Finished,
}

/// A move in both notations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Played {
    /// As `e2e4`.
    pub uci: String,
    /// As `e4`.
    pub san: String,
}

/// One thing that is done to the board, the clock, or told.
#[derive(Debug, Clone)]
pub(super) enum Act {
    Put(Square, Option<Piece>),
    Press { by: Color, time_ms: Option<u64> },
    SetClock { time_ms: u64, to_move: Color },
    StartClock,
    StopClock,
    Tell(Progress),
}

/// Where in the games we are.
#[derive(Debug, Clone, Copy)]
enum Place {
    Before { game: usize },
    Within { game: usize, ply: usize },
    After,
}

/// Plays scores, one after the other.
#[derive(Debug)]
pub(super) struct Player {
    games: Vec<Result<Score, Unplayable>>,
    hand: Hand,
    longest_thought_us: u64,
    place: Place,
    position: Chess,
    /// What stands on the board.
    board: Board,
    /// What each player's clock showed last, White's first.
    shown_ms: [u64; 2],
    acts: VecDeque<(u64, Act)>,
    /// When the last planned act is done.
    busy_until: u64,
}

impl Player {
    pub(super) fn new(
        games: Vec<Result<Score, Unplayable>>,
        hand: Hand,
        longest_thought_us: u64,
    ) -> Self {
        let board = games
            .iter()
            .flatten()
            .next()
            .map_or_else(Board::new, |game| game.start.board().clone());
        Self {
            games,
            hand,
            longest_thought_us,
            place: Place::Before { game: 0 },
            position: Chess::default(),
            board,
            shown_ms: [0; 2],
            acts: VecDeque::new(),
            busy_until: 0,
        }
    }

    /// What stands on the board now.
    pub(super) const fn board(&self) -> &Board {
        &self.board
    }

    /// Nothing is done before `now`: somebody has only now begun to look.
    pub(super) fn wait_until(&mut self, now: u64) {
        self.busy_until = self.busy_until.max(now);
    }

    /// The hand has rested for so long.
    pub(super) fn delay(&mut self, by_us: u64) {
        self.busy_until += by_us;
        for (at, _) in &mut self.acts {
            *at += by_us;
        }
    }

    /// When the next act is due; `None` after the last.
    pub(super) fn next_at(&mut self) -> Option<u64> {
        if self.acts.is_empty() {
            self.plan();
        }
        self.acts.front().map(|(at, _)| *at)
    }

    /// The next act, if it is due.
    pub(super) fn act(&mut self, now: u64) -> Option<Act> {
        if self.next_at()? > now {
            return None;
        }
        let (_, act) = self.acts.pop_front()?;
        if let Act::Put(square, piece) = act {
            match piece {
                Some(piece) => self.board.set_piece_at(square, piece),
                None => self.board.discard_piece_at(square),
            }
        }
        Some(act)
    }

    fn after(&mut self, delay_us: u64, act: Act) {
        self.busy_until += delay_us;
        self.acts.push_back((self.busy_until, act));
    }

    fn gestures(&mut self, gestures: Vec<Gesture>) {
        for gesture in gestures {
            self.after(gesture.after_us, Act::Put(gesture.square, gesture.piece));
        }
    }

    fn plan(&mut self) {
        match self.place {
            Place::Before { game } => match self.games.get(game).cloned() {
                Some(Ok(score)) => self.begin(game, &score),
                Some(Err(Unplayable { ply, reason })) => {
                    self.after(0, Act::Tell(Progress::GameSkipped { game, ply, reason }));
                    self.place = Place::Before { game: game + 1 };
                }
                None => {
                    self.place = Place::After;
                    self.after(0, Act::Tell(Progress::Finished));
                }
            },
            Place::Within { game, ply } => {
                let Some(Ok(score)) = self.games.get(game) else {
                    return;
                };
                if let Some(next) = score.plies.get(ply).cloned() {
                    self.play(game, ply, &next);
                } else {
                    let result = score.result.clone();
                    self.after(1_000 * MS, Act::StopClock);
                    self.after(0, Act::Tell(Progress::GameOver { game, result }));
                    self.place = Place::Before { game: game + 1 };
                }
            }
            Place::After => {}
        }
    }

    fn begin(&mut self, game: usize, score: &Score) {
        let gestures = self.hand.set_up(&self.board, score.start.board());
        if !gestures.is_empty() {
            self.busy_until += AFTER_GAME_US;
            self.gestures(gestures);
        }
        self.position = score.start.clone();
        self.shown_ms = [score.time_ms; 2];
        let set = Act::SetClock {
            time_ms: score.time_ms,
            to_move: score.start.turn(),
        };
        self.after(500 * MS, set);
        self.after(BEFORE_GAME_US, Act::StartClock);
        let started = Progress::GameStarted {
            game,
            white: score.white.clone(),
            black: score.black.clone(),
            plies: score.plies.len(),
        };
        self.after(0, Act::Tell(started));
        self.place = Place::Within { game, ply: 0 };
    }

    fn play(&mut self, game: usize, ply: usize, next: &Ply) {
        let by = self.position.turn();
        let shown = &mut self.shown_ms[usize::from(by.is_black())];
        let thought = match next.clock_ms {
            Some(left) => std::mem::replace(shown, left).saturating_sub(left) * MS,
            None => self.hand.think(),
        };
        let least = LEAST_THOUGHT_US.min(self.longest_thought_us);
        self.busy_until += thought.clamp(least, self.longest_thought_us);
        let gestures = self.hand.ply(&self.position, next.played);
        self.gestures(gestures);
        self.position.play_unchecked(next.played);
        let reach = self.hand.reach_for_the_clock();
        let time_ms = next.clock_ms;
        self.after(reach, Act::Press { by, time_ms });
        let told = Progress::Ply {
            game,
            ply: ply + 1,
            played: Played {
                uci: next.uci.clone(),
                san: next.san.clone(),
            },
        };
        self.after(0, Act::Tell(told));
        self.place = Place::Within { game, ply: ply + 1 };
    }
}
