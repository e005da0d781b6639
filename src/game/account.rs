//! Second accounts of a game: what other programs or boards have of its moves, compared with the
//! record.
//!
//! A board keeps its own source. A second account changes nothing by itself: where it differs, the
//! arbiter chooses. See [`AccountWatch`] for when a difference counts, and when it is closed.

mod choice;
mod compare;
mod texts;
mod watch;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::uci::UciMove;

pub use self::{
    choice::AccountVersion,
    compare::{Account, Comparison, Version, compare},
    watch::{AccountWatch, Changed},
};
use super::{Fact, Game, Score};
use remisd_laws::Ply;
use remisd_vocabulary::written::Written;

/// The most choices that are remembered for an account, the newest ones.
const CHOICES: usize = 64;

/// What a second account comes from. A board has at most one of each.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum AccountKind {
    /// Games that another program writes as PGN.
    Pgn,
    /// Another board of this daemon.
    Board,
    /// The game as the `LiveChess` reconstructs it that reads the board.
    #[serde(rename = "livechess")]
    LiveChess,
}

impl AccountKind {
    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pgn => "pgn",
            Self::Board => "board",
            Self::LiveChess => "livechess",
        }
    }
}

/// What a second account says of the game, compared with the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountReport {
    /// What it comes from.
    pub account: AccountKind,
    /// The program, the file or the board, at most 128 characters.
    pub name: String,
    /// How it compares with the record.
    pub standing: AccountStanding,
    /// Why it cannot be read now; absent if it can. Then the standing is the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

/// How a second account compares with the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum AccountStanding {
    /// Nothing was read yet.
    Unread,
    /// One is the beginning of the other, apart from what the arbiter has chosen.
    Agrees,
    /// They differ.
    Differs(AccountDifference),
    /// They differ only from a ply on that the board, or the other board, contradicts now.
    Waits {
        /// That ply.
        since: Ply,
    },
    /// It is not compared, as it is of another game.
    OtherGame {
        /// What shows that.
        why: OtherGame,
    },
}

/// What shows that a second account is of another game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OtherGame {
    /// It begins from another position.
    Start,
    /// It names two other players.
    Players,
    /// It names another round.
    Round,
    /// It still has the moves of the game before this one.
    Earlier,
    /// The record's game is over, and it has begun another one.
    Next,
}

/// Where a second account differs from the record. Without moves, word and result, the account's
/// game is over before that ply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AccountDifference {
    /// The first ply that differs. For a result, the last ply that both have.
    pub from: Ply,
    /// Its moves from that ply on, at most 1024.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<Written<UciMove>>,
    /// Its word at that ply, if that is no legal move: at most 80 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// Its result, if only the results differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Score>,
}

/// A difference in which the arbiter has chosen the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRecord {
    /// The ply.
    pub ply: Ply,
    /// What the record has there.
    pub ours: Version,
    /// What the account has there.
    pub theirs: Version,
}

/// What is known of the second accounts of a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Accounts(BTreeMap<AccountKind, KnownAccount>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownAccount {
    report: AccountReport,
    kept: Vec<KeptRecord>,
}

impl Accounts {
    /// Takes in a report. What follows from it is an alert.
    pub(super) fn reported(&mut self, report: &AccountReport) -> Vec<Fact> {
        let known = self.0.entry(report.account);
        let known = known.or_insert_with(|| KnownAccount {
            report: report.clone(),
            kept: Vec::new(),
        });
        known.report.clone_from(report);
        Vec::new()
    }

    fn keep(&mut self, account: AccountKind, kept: KeptRecord) {
        if let Some(known) = self.0.get_mut(&account) {
            let surplus = (known.kept.len() + 1).saturating_sub(CHOICES);
            known.kept.drain(..surplus);
            known.kept.push(kept);
        }
    }
}

impl Game {
    /// The newest reports of the second accounts.
    pub fn accounts(&self) -> impl Iterator<Item = &AccountReport> {
        self.accounts.0.values().map(|known| &known.report)
    }

    /// The newest report of a second account.
    #[must_use]
    pub fn account(&self, account: AccountKind) -> Option<&AccountReport> {
        let known = self.accounts.0.get(&account);
        known.map(|known| &known.report)
    }

    /// The differences from an account in which the arbiter has chosen the record.
    #[must_use]
    pub fn kept_against(&self, account: AccountKind) -> &[KeptRecord] {
        let known = self.accounts.0.get(&account);
        known.map_or(&[], |known| &known.kept)
    }

    /// The accounts that differ, with their differences, if the arbiter has not chosen yet and the
    /// record was not corrected since.
    pub fn open_differences(&self) -> impl Iterator<Item = (&AccountReport, &AccountDifference)> {
        self.accounts().filter_map(|report| match &report.standing {
            AccountStanding::Differs(difference) => self
                .kept_now(difference)
                .filter(|kept| !self.kept_against(report.account).contains(kept))
                .map(|_| (report, difference)),
            _ => None,
        })
    }

    /// The open difference from one account.
    #[must_use]
    pub fn open_difference(&self, account: AccountKind) -> Option<&AccountDifference> {
        let mut open = self.open_differences();
        open.find_map(|(report, difference)| (report.account == account).then_some(difference))
    }

    /// The first ply that a second account leaves in doubt: it differs there, or waits.
    #[must_use]
    pub fn account_differs_since(&self) -> Option<Ply> {
        let open = self.open_differences().map(|(_, open)| open.from);
        let waits = self.accounts().filter_map(|report| match report.standing {
            AccountStanding::Waits { since } => Some(since),
            _ => None,
        });
        open.chain(waits).min()
    }

    /// The choice that would keep the record; `None` if the record does not differ any more.
    fn kept_now(&self, difference: &AccountDifference) -> Option<KeptRecord> {
        let theirs = difference.version()?;
        let ours = match theirs {
            Version::Result(_) => Version::Result(self.result()?.score),
            _ => self.version_at(difference.from)?,
        };
        (ours != theirs).then_some(KeptRecord {
            ply: difference.from,
            ours,
            theirs,
        })
    }
}

impl AccountDifference {
    /// What the account has there; `None` if this version of the program cannot read its move.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        if let Some(result) = self.result {
            return Some(Version::Result(result));
        }
        if let Some(word) = &self.word {
            return Some(Version::Word(word.clone()));
        }
        let Some(first) = self.moves.first() else {
            return Some(Version::Over);
        };
        first.read().ok().map(Version::Move)
    }

    /// Which difference it is, among those from one account.
    pub(super) fn subject(&self, account: AccountKind) -> String {
        let version = match (self.result, &self.word, self.moves.first()) {
            (Some(score), ..) => score.as_str().replace('-', ":"),
            (None, Some(word), _) => {
                let plain = word.chars().filter(char::is_ascii_alphanumeric);
                format!("word:{}", plain.take(16).collect::<String>())
            }
            (None, None, Some(uci)) => uci.to_string(),
            (None, None, None) => "over".to_owned(),
        };
        format!("{}.{}.{version}", account.as_str(), self.from)
    }
}
