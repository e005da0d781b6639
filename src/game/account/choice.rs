//! The arbiter's choice between the record and a second account.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Move, uci::UciMove};

use super::{AccountDifference, AccountKind, Version};
use crate::{Fact, Game, Refusal, RefusalCode, alert::AlertCode, refusal::truncated};
use remisd_laws::{History, Ply};

/// Which version of the game counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AccountVersion {
    /// That of the record.
    Record,
    /// That of the second account.
    Account,
}

/// What the record becomes if the account's version counts.
pub(crate) struct TakenOver {
    /// The moves from the first ply that differs, in UCI.
    moves: Vec<String>,
    /// How many of the record's last plies have nothing in their place then.
    pub(crate) dropped: Ply,
}

impl Game {
    /// The account of the open alert `id` about a difference.
    #[must_use]
    pub fn account_of_alert(&self, id: &str) -> Option<AccountKind> {
        let subject = self.subject_of(id)?;
        let mut open = self.open_differences();
        let is_of =
            |account, difference: &AccountDifference| difference.subject(account) == subject;
        open.find_map(|(report, open)| is_of(report.account, open).then_some(report.account))
    }

    /// The arbiter chooses in the difference that the alert `id` is about.
    ///
    /// The account's version is taken over by a correction, which is refused if one of its moves is
    /// not legal. `dropped` is the number of plies that may be lost by it.
    pub(crate) fn choose_version(
        &mut self,
        id: &str,
        version: AccountVersion,
        dropped: Option<Ply>,
        by: &str,
    ) -> Result<Vec<Fact>, Refusal> {
        let not_found = || {
            let text = format!("no difference \"{}\" is open", truncated(id));
            Refusal::new(RefusalCode::NotFound, text)
        };
        let account = self.account_of_alert(id).ok_or_else(not_found)?;
        let report = self.account(account).ok_or_else(not_found)?;
        let name = report.name.clone();
        let difference = self.open_difference(account).ok_or_else(not_found)?.clone();
        let kept = self.kept_now(&difference).ok_or_else(not_found)?;
        let mut facts = vec![Fact::VersionChosen {
            account,
            name,
            ply: difference.from,
            version,
            by: by.to_owned(),
        }];
        match (version, &kept.theirs) {
            (AccountVersion::Record, _) => self.accounts.keep(account, kept),
            (AccountVersion::Account, Version::Word(word)) => {
                let text = format!(
                    "the account has \"{}\" there, which is no legal move: correct the record by \
                     hand, or keep it",
                    truncated(word)
                );
                return Err(Refusal::bad_value(text));
            }
            (AccountVersion::Account, Version::Result(score)) => {
                facts.extend(self.enter_result(*score));
            }
            (AccountVersion::Account, Version::Move(_) | Version::Over) => {
                let taken = self.taken_over(&difference);
                may_drop(taken.dropped, dropped)?;
                let to_ply = difference.from.saturating_sub(1);
                facts.extend(self.corrected_by(to_ply, &taken.moves, by)?);
            }
        }
        Ok(facts)
    }

    /// What the open alert `id` about a difference is about.
    fn subject_of(&self, id: &str) -> Option<&str> {
        let mut open = self.alerts.open().iter();
        let alert = open.find(|alert| alert.code == AlertCode::AccountsDiffer && alert.id == id);
        alert.map(|alert| &alert.subject[..])
    }

    /// What the record becomes if the account counts. An account that has fewer plies is late: the
    /// record's later moves stay if all of them are legal after it.
    pub(crate) fn taken_over(&self, difference: &AccountDifference) -> TakenOver {
        let before = difference.from.saturating_sub(1);
        let mut moves: Vec<String> = difference.moves.iter().map(ToString::to_string).collect();
        let ours = self.moves().get(before as usize..).unwrap_or_default();
        let later = ours.get(moves.len()..).unwrap_or_default();
        let later: Vec<Move> = later.iter().map(|played| played.m).collect();
        let is_over = moves.is_empty();
        if !is_over && self.continues(before, difference, &later) {
            moves.extend(later.iter().map(|m| self.record.uci(*m).to_string()));
            return TakenOver { moves, dropped: 0 };
        }
        let dropped = Ply::try_from(later.len()).unwrap_or(Ply::MAX);
        TakenOver { moves, dropped }
    }

    /// Whether moves of the record are legal after those of the account.
    fn continues(&self, before: Ply, difference: &AccountDifference, later: &[Move]) -> bool {
        let mut history = self.record.replayed(before);
        let play = |history: &mut History, uci: UciMove| {
            let legal = uci.to_move(history.position()).ok();
            legal.is_some_and(|m| history.play(m).is_ok())
        };
        let theirs = difference.moves.iter().map(|written| written.read().ok());
        let ours = later.iter().map(|m| Some(self.record.uci(*m)));
        let mut all = theirs.chain(ours);
        all.all(|uci| uci.is_some_and(|uci| play(&mut history, uci)))
    }
}

/// Whether the arbiter knows how many plies are lost by the choice.
fn may_drop(dropped: Ply, known: Option<Ply>) -> Result<(), Refusal> {
    if dropped == known.unwrap_or(0) {
        return Ok(());
    }
    let text = format!(
        "{dropped} later plies of the record would be lost: choose with \"dropped\":{dropped}, or \
         correct the record by hand"
    );
    Err(match known {
        Some(_) => Refusal::new(RefusalCode::Stale, text),
        None => Refusal::bad_value(text),
    })
}
