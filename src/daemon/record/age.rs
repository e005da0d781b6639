//! The minimum age of a record's entries.

use serde::Deserialize;

use remisd_journal::Entry;
use remisd_vocabulary::time::{Moment, Span};

/// Returns the minimum age of each entry, as if the newest were written now.
///
/// A computer's date may jump while it is off or when it is set. An entry older than the broadcast
/// delay by its date may be a minute old. So only monotonic time between entries of the same start
/// counts.
pub(super) fn ages(entries: &[Entry]) -> Vec<Span> {
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
    use super::*;
    use remisd_vocabulary::seq::EntrySeq;

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
        assert_eq!(ages(&entries), [60_500, 500, 500, 0].map(Span::from_millis));
        let torn = Entry {
            seq: EntrySeq::new(3),
            body: "{}".into(),
        };
        let entries = [entry(1, "a", 5), torn, entry(4, "a", 9)];
        assert_eq!(ages(&entries), [4, 0, 0].map(Span::from_millis));
        let leaps = [0, u64::MAX, 0, u64::MAX].map(|at| entry(1, "a", at));
        assert_eq!(ages(&leaps)[0], Span::from_millis(u64::MAX));
    }
}
