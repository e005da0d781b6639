//! The minimum age of a record's entries.

use serde::Deserialize;

use remisd_journal::{Entry, Sessions};
use remisd_vocabulary::time::{Moment, Span};

/// Returns the minimum age of each entry, as if the newest were written now.
///
/// A computer's date may jump while it is off or when it is set. An entry older than the broadcast
/// delay by its date may be a minute old. So only monotonic time counts: that between entries of the
/// same start, and that of the kernel since an earlier start in this boot.
pub(super) fn ages(entries: &[Entry], sessions: &Sessions) -> Vec<Span> {
    let mut ages: Vec<Span> = Vec::with_capacity(entries.len());
    let mut next: Option<Ticked> = None;
    let mut age = Span::ZERO;
    for entry in entries.iter().rev() {
        let here: Option<Ticked> = serde_json::from_slice(&entry.body).ok();
        if let (Some(here), Some(next)) = (&here, &next)
            && here.session == next.session
        {
            age = age + (next.at() - here.at());
        }
        if let Some(here) = &here
            && let Some(known) = sessions.age(&here.session, here.at())
        {
            age = age.max(known);
        }
        ages.push(age);
        next = here.or(next);
    }
    ages.reverse();
    ages
}

/// When an entry was written, by the daemon's monotonic clock.
#[derive(Deserialize)]
struct Ticked {
    session: String,
    monotonic_ms: u64,
}

impl Ticked {
    const fn at(&self) -> Moment {
        Moment::from_millis(self.monotonic_ms)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use remisd_journal::{DaemonSession, Journal};
    use remisd_vocabulary::{seq::EntrySeq, time::ManualClock};

    use super::*;

    /// The ages without knowledge of earlier sessions.
    fn ages_of(entries: &[Entry]) -> Vec<Span> {
        ages(entries, &Sessions::default())
    }

    fn entry(seq: u64, session: &str, monotonic_ms: u64) -> Entry {
        let body = format!(
            r#"{{"session":"{session}","monotonic_ms":{monotonic_ms},"time":"2026-01-01T00:00:00Z"}}"#
        );
        let body = body.into();
        Entry {
            seq: EntrySeq::new(seq),
            body,
        }
    }

    #[test]
    fn only_time_that_surely_passed_makes_an_entry_old() {
        let entries = [
            entry(1, "a", 1_000),
            entry(2, "a", 61_000),
            entry(3, "b", 900_000),
            entry(4, "b", 900_500),
        ];
        // No date proves how long the daemon was down between 2 and 3.
        assert_eq!(
            ages_of(&entries),
            [60_500, 500, 500, 0].map(Span::from_millis)
        );
        let torn = Entry {
            seq: EntrySeq::new(3),
            body: "{}".into(),
        };
        let entries = [entry(1, "a", 5), torn, entry(4, "a", 9)];
        assert_eq!(ages_of(&entries), [4, 0, 0].map(Span::from_millis));
        let leaps = [0, u64::MAX, 0, u64::MAX].map(|at| entry(1, "a", at));
        assert_eq!(ages_of(&leaps)[0], Span::from_millis(u64::MAX));
    }

    #[tokio::test]
    async fn time_since_an_earlier_start_in_this_boot_counts() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::default());
        let mut found = Vec::new();
        for (id, began) in [("a", 1_000), ("b", 101_000), ("c", 121_000)] {
            let session = DaemonSession {
                id: id.to_owned(),
                boot_id: "boot".to_owned(),
                began: Span::from_millis(began),
            };
            let (journal, writer) = Journal::open(folder.path(), session, clock.clone()).unwrap();
            let board = "b1".parse().unwrap();
            found.push(journal.recover(&board).await.unwrap().sessions);
            drop(journal);
            writer.join().unwrap();
        }
        let entries = [
            entry(1, "before the boot", 1_000),
            entry(2, "a", 30_000),
            entry(3, "a", 60_000),
            entry(4, "b", 5_000),
        ];
        let ages = ages(&entries, &found[2]);
        assert_eq!(
            ages,
            [90_000, 90_000, 60_000, 15_000].map(Span::from_millis)
        );
    }
}
