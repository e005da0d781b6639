//! Counts commands that were not done and summarises them in the log: a flood must not fill the
//! disk with log lines.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family},
};

use remisd_game::{RefusalCode, Role};
use remisd_vocabulary::name::BoardId;

/// Why a command was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was refused, and the refusal was sent.
    Refused(RefusalCode),
    /// It was dropped without an answer: the role had used up its refusals.
    Dropped,
    /// It was done, but its answer could not be sent to the requested topic.
    Unanswerable,
}

impl Outcome {
    pub(super) fn word(self) -> String {
        match self {
            Self::Refused(code) => {
                let word = serde_json::to_value(code).unwrap_or_default();
                word.as_str().unwrap_or_default().to_owned()
            }
            Self::Dropped => "dropped".to_owned(),
            Self::Unanswerable => "unanswerable".to_owned(),
        }
    }
}

/// Returns the label for a role, or for the lack of one.
#[must_use]
pub const fn role_word(role: Option<Role>) -> &'static str {
    match role {
        Some(role) => role.as_str(),
        None => "unknown",
    }
}

/// Whose commands were not done, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, EncodeLabelSet)]
pub(super) struct FailureKey {
    board: String,
    role: &'static str,
    reason: String,
}

/// The counts of all boards. The roles and reasons bound the number of counts per board.
#[derive(Debug, Clone, Default)]
pub struct FailedCommands(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    /// Since the daemon started.
    all: Family<FailureKey, Counter>,
    busy: AtomicU64,
    dropped: AtomicU64,
    /// Since the last summary.
    news: Mutex<BTreeMap<FailureKey, u64>>,
}

impl FailedCommands {
    /// Counts a command. Returns whether it is the first of its kind since the last summary: only
    /// the first gets a log line of its own.
    pub fn note(&self, board: &BoardId, role: Option<Role>, what: Outcome) -> bool {
        let counts = &*self.0;
        match what {
            Outcome::Refused(RefusalCode::Busy) => _ = counts.busy.fetch_add(1, Ordering::Relaxed),
            Outcome::Dropped => _ = counts.dropped.fetch_add(1, Ordering::Relaxed),
            Outcome::Refused(_) | Outcome::Unanswerable => {}
        }
        let of = FailureKey {
            board: board.to_string(),
            role: role_word(role),
            reason: what.word(),
        };
        counts.all.get_or_create(&of).inc();
        let mut news = counts.news.lock().unwrap_or_else(PoisonError::into_inner);
        let count = news.entry(of).or_default();
        *count += 1;
        *count == 1
    }

    /// Logs one line for each kind that has occurred more than once since the last call.
    pub fn log_summary(&self) {
        let mut news = self.0.news.lock().unwrap_or_else(PoisonError::into_inner);
        let news = std::mem::take(&mut *news);
        for (
            FailureKey {
                board,
                role,
                reason,
            },
            count,
        ) in news
        {
            if count > 1 {
                tracing::warn!(%board, role, reason, count, "commands were not done");
            }
        }
    }

    /// Returns the number of commands that were answered `busy`.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.0.busy.load(Ordering::Relaxed)
    }

    /// Returns the number of commands that were not answered.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.dropped.load(Ordering::Relaxed)
    }

    /// The counts, for the metrics.
    pub(super) fn family(&self) -> Family<FailureKey, Counter> {
        self.0.all.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_is_worth_a_line_until_it_is_summed_up() {
        let failed_commands = FailedCommands::default();
        let board = "b1".parse().unwrap();
        let busy = Outcome::Refused(RefusalCode::Busy);
        let first = (0..1_000).filter(|_| failed_commands.note(&board, Some(Role::White), busy));
        assert_eq!(first.count(), 1);
        assert!(failed_commands.note(&board, Some(Role::Black), busy));
        assert!(failed_commands.note(&board, None, Outcome::Dropped));
        assert_eq!(
            (failed_commands.busy(), failed_commands.dropped()),
            (1_001, 1)
        );
        failed_commands.log_summary();
        assert!(failed_commands.note(&board, Some(Role::White), busy));
    }
}
