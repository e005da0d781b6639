//! What a game leaves undecided when another one begins in its place, or a position that is
//! set up does away with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Claimed, Decided, Fact, Game, LossBy, RefusalCode, Score, Side, obey::Refused};
use remisd_laws::Ply;

/// Something that nobody has decided before the next game began at the board, or a position
/// was set up in this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftUndecided {
    /// The number of the game that was left.
    pub game: u64,
    /// What.
    pub what: Undecided,
    /// Whose it was; null for what both players want.
    pub by: Option<Side>,
    /// After which ply it was made.
    pub ply: Ply,
    /// The score that the players have shown on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
}

/// What only the arbiter can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Undecided {
    /// A claim that was being checked.
    Claim,
    /// A request for an increment that was being looked at.
    Increment,
    /// A decision on a claim in the last two minutes that was postponed.
    Decision,
    /// A draw that was agreed and needs the arbiter's consent.
    Agreement,
    /// A resignation that a position that was set up has done away with, or the next game: it
    /// was not known who could still mate, or something else went before it.
    Resignation,
    /// A result that the players have shown on the board.
    Result,
}

impl Undecided {
    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Increment => "increment",
            Self::Decision => "decision",
            Self::Agreement => "agreement",
            Self::Resignation => "resignation",
            Self::Result => "result",
        }
    }
}

impl LeftUndecided {
    /// What tells it apart from others of its kind.
    pub(super) fn subject(&self) -> String {
        let (game, what) = (self.game, self.what.as_str());
        match (self.what, self.by) {
            // Each player may have one.
            (Undecided::Decision, Some(by)) => format!("{game}-{what}-{}", by.as_str()),
            _ => format!("{game}-{what}"),
        }
    }
}

/// What earlier games have left undecided and nobody has acknowledged: the newest ones.
const LEFT: usize = 16;

impl Game {
    /// What waits for the arbiter in this game.
    pub(super) fn undecided(&self) -> Vec<LeftUndecided> {
        let game = self.number;
        let claim = |what, claim: &super::ClaimRecord| LeftUndecided {
            game,
            what,
            by: Some(claim.by),
            ply: claim.ply,
            score: None,
        };
        let open = self.open_claim().map(|open| match open.kind {
            Claimed::Increment => claim(Undecided::Increment, open),
            _ => claim(Undecided::Claim, open),
        });
        if self.result.is_some() {
            return open.into_iter().collect();
        }
        let postponed = self.postponed_claims().into_iter();
        let postponed = postponed.map(|open| claim(Undecided::Decision, open));
        let agreement = self.offers.pending.map(|pending| LeftUndecided {
            game,
            what: Undecided::Agreement,
            by: None,
            ply: pending.ply,
            score: None,
        });
        let resigned = self.held_resignation().map(|held| LeftUndecided {
            game,
            what: Undecided::Resignation,
            by: Some(held.by),
            ply: held.ply,
            score: None,
        });
        let open = open.into_iter().chain(postponed);
        open.chain(agreement).chain(resigned).collect()
    }

    /// What earlier games at this board have left undecided, until the arbiter has seen it.
    #[must_use]
    pub fn left_undecided(&self) -> &[LeftUndecided] {
        &self.left_undecided
    }

    /// Keeps in view what this game leaves undecided, as another one begins.
    pub(super) fn leave_undecided(&mut self) -> Vec<Fact> {
        let mut left = self.undecided();
        left.extend(self.proposed.map(|proposed| LeftUndecided {
            game: self.number,
            what: Undecided::Result,
            by: None,
            ply: proposed.ply,
            score: Some(proposed.score),
        }));
        self.keep_left(left)
    }

    /// Keeps in view what players have decided between themselves and a position that is
    /// set up does away with; their claims are checked on.
    pub(super) fn leave_to_setup(&mut self) -> Vec<Fact> {
        let left = |what, by, ply| LeftUndecided {
            game: self.number,
            what,
            by,
            ply,
            score: None,
        };
        let pending = self.offers.pending;
        let agreed = pending.map(|pending| left(Undecided::Agreement, None, pending.ply));
        let resigned = self
            .pending_loss
            .filter(|loss| loss.what == LossBy::Resignation);
        let resigned =
            resigned.map(|loss| left(Undecided::Resignation, Some(loss.loser), self.ply()));
        let held = self
            .held_resignation()
            .map(|held| left(Undecided::Resignation, Some(held.by), held.ply));
        let late = self.decided_after_end.map(|decided| match decided.what {
            Decided::Agreement => left(Undecided::Agreement, None, decided.ply),
            Decided::Resignation => left(Undecided::Resignation, decided.by, decided.ply),
        });
        let all = agreed.into_iter().chain(resigned).chain(held).chain(late);
        let left = all.collect();
        self.keep_left(left)
    }

    /// The arbiter enters the result of an earlier game at this board, of which something is
    /// open still: all of that is decided by it.
    pub(super) fn result_of_earlier(
        &mut self,
        game: u64,
        score: Score,
        by: String,
    ) -> Result<Vec<Fact>, Refused> {
        let left = self.left_undecided.iter().any(|left| left.game == game);
        if !left && self.unconfirmed.iter().all(|ended| ended.game != game) {
            let message = format!("the game on the board is {}", self.number);
            return Err((RefusalCode::Stale, message));
        }
        if score == Score::None {
            let message = format!("game {game} is not taken up again: enter its result");
            return Err((RefusalCode::BadValue, message));
        }
        self.left_undecided.retain(|left| left.game != game);
        self.unconfirmed.retain(|ended| ended.game != game);
        Ok(vec![Fact::ResultRecorded { game, score, by }])
    }

    pub(super) fn keep_left(&mut self, left: Vec<LeftUndecided>) -> Vec<Fact> {
        // Set up twice in one game, the newer one takes the place of the older.
        self.left_undecided
            .retain(|old| left.iter().all(|new| new.subject() != old.subject()));
        self.left_undecided.extend(&left);
        let surplus = self.left_undecided.len().saturating_sub(LEFT);
        self.left_undecided.drain(..surplus);
        left.into_iter().map(Fact::LeftUndecided).collect()
    }
}
