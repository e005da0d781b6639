//! Earlier games at the board, and the results that they got after they were left.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Game, GameResult, Numbers, ResultReason};
use remisd_laws::{Ply, Score};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// Games that are kept, apart from those of which something is open.
const KEPT: usize = 16;

/// An earlier game at this board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftGame {
    /// Its number: the `seq` of the entry that began it.
    pub game: EntrySeq,
    /// That number as operators count.
    pub operator: AudienceSeq,
    /// That number as the public counts.
    pub public: AudienceSeq,
    /// Its plies.
    pub ply: Ply,
    /// The result that the arbiter has entered or confirmed after the game was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

/// The newest games before the one on the board, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LeftGames(Vec<LeftGame>);

impl LeftGames {
    /// Keeps a game that is left. Of more than [`KEPT`], those stay of which something `is_open`.
    pub(super) fn keep(&mut self, left: LeftGame, is_open: impl Fn(EntrySeq) -> bool) {
        self.0.push(left);
        while self.0.len() > KEPT {
            let older = &self.0[..self.0.len() - 1];
            let Some(at) = older.iter().position(|known| !is_open(known.game)) else {
                return;
            };
            self.0.remove(at);
        }
    }

    /// Whether this is the newest game before the one on the board, and has moves.
    pub(super) fn is_newest(&self, game: EntrySeq) -> bool {
        let newest = self.0.last();
        newest.is_some_and(|newest| newest.game == game && newest.ply > 0)
    }

    /// The arbiter has entered the result of a game.
    pub(super) fn record(&mut self, game: EntrySeq, score: Score) {
        if let Some(known) = self.find(game) {
            known.result = Some(GameResult::entered(score, known.ply));
        }
    }

    /// The arbiter has confirmed the result that a game had when it was left.
    pub(super) fn confirm(&mut self, game: EntrySeq, result: &GameResult) {
        if let Some(known) = self.find(game) {
            known.result = Some(GameResult {
                confirmed: true,
                ..result.clone()
            });
        }
    }

    fn find(&mut self, game: EntrySeq) -> Option<&mut LeftGame> {
        self.0.iter_mut().find(|known| known.game == game)
    }

    /// The games.
    pub(super) fn games(&self) -> &[LeftGame] {
        &self.0
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(&mut self, carried: &[LeftGame]) {
        self.0 = carried.to_vec();
    }
}

impl GameResult {
    /// A result that the arbiter has entered after this ply.
    #[must_use]
    pub const fn entered(score: Score, ply: Ply) -> Self {
        Self {
            score,
            reason: ResultReason::Arbiter,
            article: None,
            ply,
            announced: None,
            confirmed: true,
        }
    }
}

impl Game {
    /// The newest games before the one on the board, oldest first.
    #[must_use]
    pub fn earlier_games(&self) -> &[LeftGame] {
        self.backlog.earlier().games()
    }

    /// Earlier games that got their result, or its confirmation, after they were left.
    pub fn earlier_results(&self) -> impl Iterator<Item = &LeftGame> {
        let games = self.earlier_games().iter();
        games.filter(|left| left.result.is_some())
    }

    /// This game as an earlier one, as another one begins; `None` before the first game.
    pub(super) fn as_earlier(&self) -> Option<LeftGame> {
        let Numbers {
            operator, public, ..
        } = *self.numbers_at_start();
        (self.number > EntrySeq::ZERO).then(|| LeftGame {
            game: self.number,
            operator,
            public,
            ply: self.ply(),
            result: None,
        })
    }

    /// Gives a game of the journal the result that a later entry of its board records.
    pub fn decide_later(&mut self, decided: LaterResult) {
        match decided {
            LaterResult::Recorded(score) => {
                let result = GameResult::entered(score, self.ply());
                self.outcome.conclude(result);
            }
            LaterResult::Confirmed => {
                self.outcome.confirm();
            }
        }
    }
}

/// What a later entry says about the result of an earlier game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaterResult {
    /// The arbiter has entered it.
    Recorded(Score),
    /// The arbiter has confirmed it.
    Confirmed,
}
