//! Second accounts of the game that differ from the record, or are not compared with it.

use serde_json::{Value, json};

use crate::{
    AccountDifference, AccountReport, AccountStanding, Game,
    account::Version,
    alert::{AlertCode, Condition, Level},
    source::shortened,
};
use remisd_laws::Ply;

/// The most moves of each version that an alert shows.
const SHOWN: usize = 16;
/// An account that is not compared is a matter for the arbiter once the game has so many plies. The
/// account may begin its game later.
const BEGUN: Ply = 4;

/// The two versions as people see them.
pub(crate) struct ShownVersions {
    /// The record's moves or result; `None` if its game is over there.
    pub(crate) record: Option<String>,
    /// The same of the account; `None` also for a word that is no legal move.
    pub(crate) other: Option<String>,
}

impl Game {
    /// A condition for each account that differs, until the arbiter has chosen, and for each one that
    /// is not compared.
    pub(super) fn account_conditions(&self) -> Vec<Condition> {
        let open = self.open_differences();
        let differ = open.map(|(report, difference)| self.accounts_differ(report, difference));
        let unlike = self
            .accounts()
            .filter_map(|report| self.not_compared(report));
        differ.chain(unlike).collect()
    }

    fn accounts_differ(&self, report: &AccountReport, difference: &AccountDifference) -> Condition {
        let decided = self.rests_on(difference);
        let own = self.source().map(|source| source.name.clone());
        let shown = self.shown_versions(difference);
        let differs = match difference.version() {
            Some(Version::Result(_)) => "result",
            Some(Version::Word(_)) => "word",
            _ if shown.record.is_none() || shown.other.is_none() => "over",
            _ => "moves",
        };
        let arguments = [
            ("account", json!(report.account)),
            ("source", json!(report.name)),
            ("own", own.map_or(Value::Null, Value::from)),
            ("differs", json!(differs)),
            ("ply", json!(difference.from)),
            (
                "after",
                self.record.numbered(difference.from.saturating_sub(1)),
            ),
            ("record", json!(shown.record)),
            ("other", json!(shown.other)),
            ("word", json!(difference.word)),
            ("dropped", json!(self.dropped_by(difference))),
            ("decided", json!(if decided { "yes" } else { "no" })),
        ];
        let condition = Condition::new(AlertCode::AccountsDiffer, None, arguments);
        let condition = condition.about(difference.subject(report.account));
        if decided {
            condition.at(Level::Red)
        } else {
            condition
        }
    }

    /// How many plies of the record are lost if the account's moves count.
    fn dropped_by(&self, difference: &AccountDifference) -> Ply {
        match difference.version() {
            Some(Version::Move(_) | Version::Over) => self.taken_over(difference).dropped,
            _ => 0,
        }
    }

    fn not_compared(&self, report: &AccountReport) -> Option<Condition> {
        if self.result().is_some() || self.ply() < BEGUN {
            return None;
        }
        let why = match (&report.lost, &report.standing) {
            (Some(_), _) => json!("lost"),
            (None, AccountStanding::OtherGame { why }) => json!(why),
            _ => return None,
        };
        let arguments = [
            ("account", json!(report.account)),
            ("source", json!(report.name)),
            ("why", why),
            ("reason", json!(report.lost)),
        ];
        let condition = Condition::new(AlertCode::AccountNotCompared, None, arguments);
        Some(condition.about(report.account.as_str()))
    }

    /// Whether a claim or an end rests on a ply that differs.
    fn rests_on(&self, difference: &AccountDifference) -> bool {
        let from = difference.from;
        let claim = self.claims.newest().is_some_and(|claim| claim.ply >= from);
        let ended = self.ended().is_some_and(|(ply, _)| ply >= from);
        claim || ended || self.result().is_some()
    }

    /// What record and account have where they differ: moves as on a scoresheet, results, or the
    /// account's word. Empty where the game is over.
    #[must_use]
    pub fn versions(&self, difference: &AccountDifference) -> (String, String) {
        let shown = self.shown_versions(difference);
        let word = || difference.word.as_ref().map(|word| format!("“{word}”"));
        let other = shown.other.or_else(word);
        (shown.record.unwrap_or_default(), other.unwrap_or_default())
    }

    /// What record and account have where they differ, as on a scoresheet.
    pub(crate) fn shown_versions(&self, difference: &AccountDifference) -> ShownVersions {
        let before = difference.from.saturating_sub(1);
        let (record, other) = match difference.result {
            Some(score) => {
                let ours = self.result().map(|result| result.score);
                (
                    ours.map_or_else(String::new, |ours| ours.as_str().to_owned()),
                    score.as_str().to_owned(),
                )
            }
            None => (
                shortened(&self.record.line_after(before)),
                shortened(&self.line_in_account(difference)),
            ),
        };
        let unless_empty = |line: String| (!line.is_empty()).then_some(line);
        ShownVersions {
            record: unless_empty(record),
            other: unless_empty(other),
        }
    }

    /// The account's moves from where it differs. After a difference that was kept, they may not be
    /// legal in the record; then they are in UCI.
    fn line_in_account(&self, difference: &AccountDifference) -> String {
        let before = difference.from.saturating_sub(1);
        let mut line = self.record.replayed(before);
        let moves = difference.moves.iter().take(SHOWN);
        let sans = moves.map(|written| {
            let uci = written.read().ok();
            let legal = uci.and_then(|uci| uci.to_move(line.position()).ok());
            legal.map_or_else(
                || written.to_string(),
                |m| {
                    let position = line.position().clone();
                    let san = shakmaty::san::SanPlus::from_move(position, m).to_string();
                    line.play(m).ok();
                    san
                },
            )
        });
        let sans: Vec<String> = sans.collect();
        self.record.line_of(before, sans.iter().map(String::as_str))
    }
}
