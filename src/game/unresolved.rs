//! What a game leaves unresolved when another one begins in its place, or when a position that is
//! set up replaces it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Cause, Claimed, Decided, EarlierLoss, Fact, Game, GameResult, Input, LossBy, OtherRecordFile,
    PendingLoss, Refusal, RefusalCode, Side, Stamped, earlier::LeftGame,
};
use remisd_laws::{Ply, Score};
use remisd_vocabulary::{notation::MoveText, seq::EntrySeq, written::Written};

/// Something that was not decided before the next game began at the board, or before a position
/// was set up in this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LeftUndecided")]
pub struct Unresolved {
    /// The number of the game that was left.
    pub game: EntrySeq,
    /// What.
    pub what: UnresolvedKind,
    /// Whose it was; null for what both players want.
    pub by: Option<Side>,
    /// After which ply it was made.
    pub ply: Ply,
    /// The score that the players have shown on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The move that was perhaps on the board when the game was left, and is not in the record.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<MoveText>,
    /// The two versions, if a second account differed from the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<LeftVersions>,
}

/// The two versions of a game that was left before the arbiter had chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftVersions {
    /// The account: a program, a file or a board.
    pub source: String,
    /// What the record had, numbered; absent if its game was over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// What the account had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
}

/// What only the arbiter can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Undecided")]
pub enum UnresolvedKind {
    /// A claim that was being checked.
    Claim,
    /// A request for an increment that was being examined.
    Increment,
    /// A postponed decision on a claim in the last two minutes.
    Decision,
    /// A draw that was agreed and needs the arbiter's consent.
    Agreement,
    /// A resignation that was not effective yet: it was not known who could still mate, or
    /// something else went before it.
    Resignation,
    /// A loss by a fallen flag: it was not known whether the opponent could still mate.
    FlagFall,
    /// The same of a loss by an illegal move.
    IllegalMove,
    /// A result that the players have shown on the board.
    Result,
    /// The choice between the record and a second account that differs from it.
    Accounts,
    /// The result of a game that has begun, in which nothing else was open.
    Game,
}

impl UnresolvedKind {
    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Increment => "increment",
            Self::Decision => "decision",
            Self::Agreement => "agreement",
            Self::Resignation => "resignation",
            Self::FlagFall => "flag_fall",
            Self::IllegalMove => "illegal_move",
            Self::Result => "result",
            Self::Accounts => "accounts",
            Self::Game => "game",
        }
    }
}

impl From<LossBy> for UnresolvedKind {
    fn from(what: LossBy) -> Self {
        match what {
            LossBy::Resignation => Self::Resignation,
            LossBy::FlagFall => Self::FlagFall,
            LossBy::IllegalMove => Self::IllegalMove,
        }
    }
}

impl Unresolved {
    /// What distinguishes it from others of its kind.
    pub(super) fn subject(&self) -> String {
        let (game, what) = (self.game, self.what.as_str());
        match (self.what, self.by) {
            // Each player may have one.
            (UnresolvedKind::Decision, Some(by)) => format!("{game}-{what}-{}", by.as_str()),
            // A position that is set up may leave another difference.
            (UnresolvedKind::Accounts, _) => format!("{game}-{what}.{}", self.ply),
            _ => format!("{game}-{what}"),
        }
    }
}

/// The end of an earlier game at this board that was never confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unconfirmed {
    /// The game's number.
    pub game: EntrySeq,
    /// Its result.
    pub result: GameResult,
}

/// What a game leaves to the board when another one takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LeftBehind")]
pub struct UnresolvedGame {
    /// The number of the game.
    pub game: EntrySeq,
    /// Unconfirmed ends of this game and those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unconfirmed: Vec<Unconfirmed>,
    /// What is undecided in this game and those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<Unresolved>,
    /// How many older ones are left out.
    #[serde(default, skip_serializing_if = "LeftOut::is_none")]
    pub left_out: LeftOut,
    /// What the journal has lost of this game and those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<EarlierLoss>,
    /// Files in the journal that contradict the rest of the record, acknowledged or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_record: Vec<OtherRecordFile>,
    /// This game and those before it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<LeftGame>,
}

/// How many matters of the oldest games are left out of the lists that a board keeps. The journal
/// has them. An alert about the oldest matter that is kept counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Unconfirmed ends.
    pub unconfirmed: u64,
    /// Undecided matters.
    pub undecided: u64,
}

impl LeftOut {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Game {
    /// What earlier games at this board have left undecided, until the arbiter has seen it.
    #[must_use]
    pub fn unresolved_matters(&self) -> &[Unresolved] {
        self.backlog.undecided()
    }

    /// Ends of earlier games at this board that were never confirmed.
    #[must_use]
    pub fn unconfirmed(&self) -> &[Unconfirmed] {
        self.backlog.unconfirmed()
    }

    /// How many matters of the oldest games are not listed any more.
    #[must_use]
    pub const fn left_out(&self) -> LeftOut {
        self.backlog.left_out()
    }

    fn unresolved(&self, what: UnresolvedKind, by: Option<Side>, ply: Ply) -> Unresolved {
        Unresolved {
            game: self.number,
            what,
            by,
            ply,
            score: None,
            unsettled: None,
            versions: None,
        }
    }

    /// The choices between the record and accounts that differ.
    fn undecided_accounts(&self) -> impl Iterator<Item = Unresolved> {
        let open = self.open_differences();
        open.map(|(report, difference)| {
            let shown = self.shown_versions(difference);
            Unresolved {
                versions: Some(LeftVersions {
                    source: report.name.clone(),
                    record: shown.record,
                    other: shown.other,
                }),
                ..self.unresolved(UnresolvedKind::Accounts, None, difference.from)
            }
        })
    }

    /// What waits for the arbiter in this game.
    pub(super) fn undecided(&self) -> Vec<Unresolved> {
        let mut undecided = Vec::new();
        if let Some(open) = self.open_claim() {
            let what = match open.kind {
                Claimed::Increment => UnresolvedKind::Increment,
                _ => UnresolvedKind::Claim,
            };
            undecided.push(self.unresolved(what, Some(open.by), open.ply));
        }
        undecided.extend(self.undecided_accounts());
        if self.result().is_some() {
            return undecided;
        }
        let postponed = self.postponed_claims().into_iter();
        undecided.extend(
            postponed
                .map(|claim| self.unresolved(UnresolvedKind::Decision, Some(claim.by), claim.ply)),
        );
        let agreed = self.pending_agreement();
        undecided.extend(
            agreed.map(|agreed| self.unresolved(UnresolvedKind::Agreement, None, agreed.ply)),
        );
        undecided.extend(self.held_unresolved());
        undecided
    }

    fn held_unresolved(&self) -> Option<Unresolved> {
        let held = self.held_resignation()?;
        Some(self.unresolved(UnresolvedKind::Resignation, Some(held.by), held.ply))
    }

    /// Keeps what this game leaves undecided, as another one begins.
    pub(super) fn leave_undecided(&mut self) -> Vec<Fact> {
        let mut left = self.undecided();
        left.extend(self.proposed_result().map(|proposed| Unresolved {
            score: Some(proposed.score),
            ..self.unresolved(UnresolvedKind::Result, None, proposed.ply)
        }));
        // What a position that was set up has left open asks for a result already.
        // A difference does not.
        let asks = |matter: &Unresolved| matter.what != UnresolvedKind::Accounts;
        let is_open = left.iter().any(asks) || self.backlog.asks_result_of(self.number);
        if !is_open && self.has_begun() && self.status().is_in_progress() {
            left.push(self.unresolved(UnresolvedKind::Game, None, self.ply()));
        }
        for matter in &mut left {
            matter.unsettled = self.unsettled_move().cloned();
        }
        self.keep_undecided(left)
    }

    /// Keeps what players have decided between themselves, and a loss that was not decided yet, where
    /// a position that is set up replaces them. Claims are still checked.
    pub(super) fn leave_to_setup(&mut self) -> Vec<Fact> {
        let agreed = self.pending_agreement();
        let agreed =
            agreed.map(|agreed| self.unresolved(UnresolvedKind::Agreement, None, agreed.ply));
        let is_kept = |loss: &PendingLoss| {
            loss.what == LossBy::Resignation || self.judgement.doubts_the_record()
        };
        let lost = self.pending_loss().filter(is_kept);
        let lost = lost.map(|loss| self.unresolved(loss.what.into(), Some(loss.loser), self.ply()));
        let late = self.decided_after_end().map(|late| match late.what {
            Decided::Agreement => self.unresolved(UnresolvedKind::Agreement, None, late.ply),
            Decided::Resignation => self.unresolved(UnresolvedKind::Resignation, late.by, late.ply),
        });
        let left = [agreed, lost, self.held_unresolved(), late];
        let left = left.into_iter().flatten();
        self.keep_undecided(left.chain(self.undecided_accounts()).collect())
    }

    fn keep_undecided(&mut self, left: Vec<Unresolved>) -> Vec<Fact> {
        self.backlog.keep_undecided(&left);
        left.into_iter().map(Fact::LeftUndecided).collect()
    }

    /// The arbiter confirms the end of an earlier game at this board.
    pub(super) fn confirm_earlier(&mut self, game: EntrySeq) {
        self.place_earlier(game);
        self.backlog.confirm(game);
    }

    fn place_earlier(&mut self, game: EntrySeq) {
        let operator = self.numbers().to_operator(self.seq().previous(), game);
        self.backlog.place(game, operator);
    }

    /// The arbiter enters the result of an earlier game at this board, which decides all that is
    /// open of it. The newest game that has begun takes one, and so do later games with players.
    /// An older game takes one while something of it is open.
    pub(super) fn result_of_earlier(
        &mut self,
        game: EntrySeq,
        score: Score,
        by: String,
    ) -> Result<Vec<Fact>, Refusal> {
        if !self.backlog.has(game) && !self.backlog.earlier().is_newest(game) {
            let text = format!(
                "game {game} takes no result any more: a newer game has begun, and nothing of game \
                 {game} is open (game {} is on the board)",
                self.number
            );
            return Err(Refusal::new(RefusalCode::Stale, text));
        }
        if score == Score::None {
            let text = format!("game {game} is not continued: enter its result");
            return Err(Refusal::bad_value(text));
        }
        self.place_earlier(game);
        self.backlog.resolve(game, score);
        Ok(vec![Fact::ResultRecorded { game, score, by }])
    }

    /// What this game would leave to the board if another one began now.
    #[must_use]
    pub fn what_it_leaves(&self, time: Timestamp) -> UnresolvedGame {
        let mut after = self.clone();
        let regulations = &self.rules().regulations;
        after.apply(&Stamped {
            seq: self.seq().next(),
            time,
            input: Input::NewGame {
                start_fen: None,
                laws: Written::new(regulations.edition),
                rate: regulations.rate,
                headers: std::collections::BTreeMap::new(),
                cause: Cause::Startup,
            },
        });
        let backlog = &after.backlog;
        UnresolvedGame {
            game: self.number(),
            unconfirmed: backlog.unconfirmed().to_vec(),
            undecided: backlog.undecided().to_vec(),
            left_out: backlog.left_out(),
            losses: self.journal.losses().left(),
            other_record: after.journal.other_record().to_vec(),
            earlier: backlog.earlier().games().to_vec(),
        }
    }

    /// Keeps what the game on a disk that has come late has left. What this game knows is newer.
    pub(super) fn merged_with_disk(&mut self, left: &UnresolvedGame) -> Vec<Fact> {
        self.backlog.keep_before(left);
        self.journal.lose_with(&left.losses);
        self.journal.join_other_record(&left.other_record);
        let undecided = left.undecided.iter().cloned();
        undecided.map(Fact::LeftUndecided).collect()
    }
}
