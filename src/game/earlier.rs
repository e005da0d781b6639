//! Earlier games at the board, and the results that they got after they were left.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Game, GameResult, Numbers, ResultReason};
use remisd_laws::{Ply, Score};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// Closed games that are kept. Those of which something is open are kept besides.
const KEPT: usize = 16;

/// An earlier game at this board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftGame {
    /// Its number: the `seq` of the entry that began it.
    pub game: EntrySeq,
    /// That number as operators count.
    pub operator: AudienceSeq,
    /// That number as the public counts; `None` if it is not known, after an upgrade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<AudienceSeq>,
    /// Its plies.
    pub ply: Ply,
    /// Moves were made, or may have been: its record began with a position, or the journal has lost
    /// plies. Journals of earlier builds do not say; few games are left before their first move.
    #[serde(default = "begun")]
    pub has_begun: bool,
    /// Its tags name a player.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_named: bool,
    /// The result that the arbiter has entered or confirmed after the game was left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
}

const fn begun() -> bool {
    true
}

impl LeftGame {
    /// Whether it can have a result: it has begun, or its players are known.
    const fn may_have_result(&self) -> bool {
        self.has_begun || self.is_named || self.result.is_some()
    }
}

/// The newest games before the one on the board, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LeftGames(Vec<LeftGame>);

impl LeftGames {
    /// Adds games, and drops the oldest closed ones beyond [`KEPT`]. A game that is known already
    /// stays as it is.
    pub(super) fn join(&mut self, others: &[LeftGame], is_open: impl Fn(EntrySeq) -> bool) {
        for other in others {
            self.add(other.clone());
        }
        self.bound(is_open);
    }

    /// Adds a game, unless it is known already.
    pub(super) fn add(&mut self, left: LeftGame) {
        if let Err(at) = (self.0).binary_search_by_key(&left.game, |known| known.game) {
            self.0.insert(at, left);
        }
    }

    /// Drops the oldest closed games beyond [`KEPT`], those first that nobody has played. The newest
    /// game stays.
    fn bound(&mut self, is_open: impl Fn(EntrySeq) -> bool) {
        loop {
            let older = &self.0[..self.0.len().saturating_sub(1)];
            let may_go = |known: &LeftGame| !is_open(known.game);
            if older.iter().filter(|known| may_go(known)).count() < KEPT {
                return;
            }
            let is_empty = |known: &LeftGame| may_go(known) && !known.may_have_result();
            let empty = older.iter().position(is_empty);
            let Some(at) = empty.or_else(|| older.iter().position(may_go)) else {
                return;
            };
            self.0.remove(at);
        }
    }

    /// Whether this is the newest game before the one on the board that has begun, or a later one
    /// with players.
    pub(super) fn is_newest(&self, game: EntrySeq) -> bool {
        let mut newest_first = self.0.iter().rev();
        let newest = newest_first.find(|known| known.game == game || known.has_begun);
        newest.is_some_and(|known| known.game == game && known.may_have_result())
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
                // Plies may have been taken back since.
                ply: result.ply.min(known.ply),
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
            public: Some(public),
            ply: self.ply(),
            has_begun: self.has_begun(),
            is_named: self.names_player(),
            result: None,
        })
    }

    /// Whether a tag names a player.
    fn names_player(&self) -> bool {
        let names = ["White", "Black"].into_iter();
        let mut names = names.filter_map(|tag| self.headers().get(tag));
        names.any(|name| name.chars().any(char::is_alphanumeric))
    }

    /// Gives a game of the journal the result that a later entry of its board records.
    pub fn decide_later(&mut self, decided: LaterResult) {
        match decided {
            LaterResult::Recorded(score) => {
                let result = GameResult::entered(score, self.ply());
                self.outcome.keep_unseen();
                self.outcome.conclude(result);
            }
            LaterResult::Confirmed => {
                self.conclude_pending();
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
