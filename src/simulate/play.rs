//! The course of the games: what is done next, and when.

use std::collections::{BTreeMap, VecDeque};

use schemars::JsonSchema;
use serde::Serialize;
use shakmaty::{Board, Chess, Position as _};

pub use super::course::{Act, Mark};
use super::{
    course::{Course, MS},
    hand::Hand,
    score::{Score, Unplayable},
};
use remisd_vocabulary::notation;

/// Time between the end of a game and the first piece cleared away.
const AFTER_GAME_US: u64 = 3_000 * MS;
/// Time between setting the clock and starting it.
const BEFORE_GAME_US: u64 = 4_000 * MS;

/// What the simulation has done, for comparison with what was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Progress {
    /// The start position is on the board and the clock runs.
    GameStarted {
        /// The index of the game, counted from 0.
        game: usize,
        /// White's name.
        white: String,
        /// Black's name.
        black: String,
        /// The PGN tags with a known value, without `Result`, `FEN` and `SetUp`.
        tags: BTreeMap<String, String>,
        /// The starting position, if it is not the standard one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_fen: Option<String>,
        /// The number of plies of the game.
        plies: usize,
    },
    /// A game cannot be played as the PGN gives it; the next one follows.
    GameSkipped {
        /// The index of the game, counted from 0.
        game: usize,
        /// The ply at fault, counted from 1; 0 for the starting position.
        ply: usize,
        /// The reason, in words.
        reason: String,
    },
    /// A move was made and the clock pressed.
    Ply {
        /// The index of the game, counted from 0.
        game: usize,
        /// The number of the ply, counted from 1.
        ply: usize,
        /// The move.
        #[serde(rename = "move")]
        played: Played,
    },
    /// The last ply was played and the clock is stopped.
    GameOver {
        /// The index of the game, counted from 0.
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
    /// In UCI notation, as `e2e4`.
    pub uci: String,
    /// In short algebraic notation, as `e4`.
    pub san: String,
}

/// The current place in the order of games.
#[derive(Debug, Clone, Copy)]
enum OrderIndex {
    /// Before the game at this index of the order.
    Before(usize),
    After,
}

/// Plays scores one after the other. It has no clock: the caller passes the time in microseconds of
/// the simulated world.
#[derive(Debug)]
pub struct Player {
    games: Vec<Result<Score, Unplayable>>,
    /// The games to play, in order.
    order: Vec<usize>,
    /// Whether they restart after the last one.
    repeat: bool,
    hand: Hand,
    longest_thought_us: u64,
    thought_at_claim_us: u64,
    place: OrderIndex,
    /// The pieces on the board.
    board: Board,
    acts: VecDeque<(u64, Act)>,
    /// When the last planned act is done.
    busy_until: u64,
}

impl Player {
    /// Creates a player of `games` who thinks at most `longest_thought_us`.
    #[must_use]
    pub fn new(games: Vec<Result<Score, Unplayable>>, hand: Hand, longest_thought_us: u64) -> Self {
        let board = games
            .iter()
            .flatten()
            .next()
            .map_or_else(Board::new, |game| game.start.board().clone());
        Self {
            order: (0..games.len()).collect(),
            games,
            repeat: false,
            hand,
            longest_thought_us,
            thought_at_claim_us: 0,
            place: OrderIndex::Before(0),
            board,
            acts: VecDeque::new(),
            busy_until: 0,
        }
    }

    /// Lets a player who can first claim a draw think this much longer.
    #[must_use]
    pub const fn thinking_at_claims(mut self, longer_us: u64) -> Self {
        self.thought_at_claim_us = longer_us;
        self
    }

    /// Sets the games to play (all if there are none), once or repeatedly.
    #[must_use]
    pub fn playing(mut self, games: Vec<usize>, repeat: bool) -> Self {
        if !games.is_empty() {
            self.order = games;
        }
        let scores = self.order.iter().filter_map(|game| self.games.get(*game));
        let mut playable = scores.flatten();
        self.board = (playable.next()).map_or_else(Board::new, |game| game.start.board().clone());
        // Otherwise, without a playable game, all would be skipped forever.
        self.repeat = repeat && self.order.iter().any(|game| self.games[*game].is_ok());
        self
    }

    /// Returns the pieces on the board now.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Postpones every later act to `now` or later, when a host begins to read.
    pub fn wait_until(&mut self, now: u64) {
        self.busy_until = self.busy_until.max(now);
    }

    /// Postpones everything by the time that the hand has waited.
    pub(super) fn delay(&mut self, by_us: u64) {
        self.busy_until += by_us;
        for (at, _) in &mut self.acts {
            *at += by_us;
        }
    }

    /// Returns when the next act is due; `None` after the last.
    pub fn next_at(&mut self) -> Option<u64> {
        if self.acts.is_empty() {
            self.plan();
        }
        self.acts.front().map(|(at, _)| *at)
    }

    /// Returns the next act if it is due.
    pub fn act(&mut self, now: u64) -> Option<Act> {
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

    /// Plans up to the end of the next game.
    fn plan(&mut self) {
        let OrderIndex::Before(mut place) = self.place else {
            return;
        };
        if self.repeat && place == self.order.len() {
            place = 0;
        }
        self.place = OrderIndex::Before(place + 1);
        let game = self.order.get(place).copied().unwrap_or(usize::MAX);
        match self.games.get(game).cloned() {
            Some(Ok(score)) => {
                self.begin(game, &score);
                let from = self.busy_until;
                let course =
                    Course::new(&mut self.hand, game, &score, from, self.longest_thought_us)
                        .thinking_at_claim(self.thought_at_claim_us);
                let (acts, over) = course.plan();
                self.acts.extend(acts);
                self.busy_until = over;
            }
            Some(Err(Unplayable { ply, reason })) => {
                self.after(0, Act::Report(Progress::GameSkipped { game, ply, reason }));
            }
            None => {
                self.place = OrderIndex::After;
                self.after(0, Act::Report(Progress::Finished));
            }
        }
    }

    fn begin(&mut self, game: usize, score: &Score) {
        let gestures = self.hand.set_up(&self.board, score.start.board());
        // Players check the clock and shake hands, even if the pieces are already set up.
        if game > 0 || !gestures.is_empty() {
            self.busy_until += AFTER_GAME_US;
            for gesture in gestures {
                self.after(gesture.after_us, Act::Put(gesture.square, gesture.piece));
            }
        }
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
            tags: score.tags.clone(),
            start_fen: (score.start != Chess::default()).then(|| notation::fen(&score.start)),
            plies: score.plies.len(),
        };
        self.after(0, Act::Report(started));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::{Profile, score};

    const THREEFOLD: &str =
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *\n\n1. d4 *\n\n1. Ke2 *\n";

    fn player() -> Player {
        let games = score::read(THREEFOLD).unwrap();
        Player::new(games, Hand::new(Profile::Plain, 1), 1_000 * MS)
    }

    /// Returns the first `enough` reports of a player, with their times.
    fn reports(player: &mut Player, enough: usize) -> Vec<(u64, Progress)> {
        let mut reports = Vec::new();
        while let Some(at) = player.next_at().filter(|_| reports.len() < enough) {
            if let Some(Act::Report(progress)) = player.act(at) {
                reports.push((at, progress));
            }
        }
        reports
    }

    fn games(reports: &[(u64, Progress)]) -> Vec<usize> {
        let begun = reports.iter().filter_map(|(_, progress)| match progress {
            Progress::GameStarted { game, .. } | Progress::GameSkipped { game, .. } => Some(*game),
            _ => None,
        });
        begun.collect()
    }

    #[test]
    fn games_are_played_in_the_requested_order() {
        assert_eq!(games(&reports(&mut player(), 99)), [0, 1, 2]);
        let mut some = player().playing(vec![1, 0], false);
        let all = reports(&mut some, 99);
        assert_eq!(games(&all), [1, 0]);
        assert_eq!(all.last().unwrap().1, Progress::Finished);
    }

    #[test]
    fn games_begin_again_unless_none_can_be_played() {
        let mut again = player().playing(vec![1, 2], true);
        assert_eq!(games(&reports(&mut again, 20))[..4], [1, 2, 1, 2]);
        let mut none = player().playing(vec![2], true);
        assert_eq!(reports(&mut none, 20).last().unwrap().1, Progress::Finished);
    }

    #[test]
    fn a_player_who_can_first_claim_thinks_longer_once() {
        let plies = |thought| {
            let mut player = player().thinking_at_claims(thought);
            let reports = reports(&mut player, 99).into_iter();
            reports
                .filter_map(|(at, progress)| {
                    matches!(progress, Progress::Ply { game: 0, .. }).then_some(at)
                })
                .collect::<Vec<u64>>()
        };
        let (usual, longer) = (plies(0), plies(60_000 * MS));
        // The first position occurs for the third time after ply 8.
        assert_eq!(usual[..8], longer[..8]);
        assert_eq!(longer[8] - usual[8], 60_000 * MS);
    }
}
