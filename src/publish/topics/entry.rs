//! Which of two payloads of a topic is newer.

use serde::{Deserialize, Serialize};

use super::Envelope;
use remisd_vocabulary::seq::AudienceSeq;

/// The journal entry that a payload rests on, as its envelope names it.
///
/// A broker that was killed comes back with what it saved last, and a node of a cluster may pass a
/// value on after a newer one. So a payload that arrives later is not always newer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct EntryRef {
    /// The run of the daemon that published it.
    pub session: String,
    /// The number of the entry, as the audience counts.
    pub seq: AudienceSeq,
    /// The time of the entry, RFC 3339 UTC with milliseconds.
    #[serde(default)]
    pub time: String,
}

impl EntryRef {
    /// The entry that a payload names; `None` if it names none.
    #[must_use]
    pub fn of_payload(payload: &[u8]) -> Option<Self> {
        serde_json::from_slice(payload).ok()
    }

    /// Whether this is older than `other`, of the same run of the daemon.
    #[must_use]
    pub fn is_overtaken_by(&self, other: &Self) -> bool {
        self.session == other.session && self.seq < other.seq
    }

    /// Whether this is older than `other`, of any run of the daemon.
    ///
    /// Numbers go on from one run to the next. After a journal was lost, or restored from a backup,
    /// they begin again at smaller ones. Such an entry has a later time, and is newer.
    #[must_use]
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.seq < other.seq && (self.session == other.session || self.time < other.time)
    }
}

impl<T> Envelope<T> {
    /// The entry that it names.
    #[must_use]
    pub fn entry(&self) -> EntryRef {
        EntryRef {
            session: self.session.clone(),
            seq: self.seq,
            time: self.time.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(session: &str, seq: u64, time: &str) -> EntryRef {
        EntryRef {
            session: session.to_owned(),
            seq: AudienceSeq::new(seq),
            time: time.to_owned(),
        }
    }

    #[test]
    fn a_smaller_number_is_older_unless_the_numbers_began_again() {
        let known = entry("b", 60, "2026-11-22T12:00:30.000Z");
        for (other, overtaken, older) in [
            (entry("b", 59, "2026-11-22T12:00:29.000Z"), true, true),
            (entry("b", 60, "2026-11-22T12:00:30.000Z"), false, false),
            (entry("b", 61, "2026-11-22T12:00:31.000Z"), false, false),
            // The clock was set back within a run.
            (entry("b", 59, "2026-11-22T12:00:31.000Z"), true, true),
            // What an earlier run published.
            (entry("a", 59, "2026-11-22T12:00:29.000Z"), false, true),
            // The journal was lost or restored.
            (entry("c", 5, "2026-11-22T12:09:00.000Z"), false, false),
            (entry("c", 61, "2026-11-22T12:00:00.000Z"), false, false),
        ] {
            assert_eq!(other.is_overtaken_by(&known), overtaken, "{other:?}");
            assert_eq!(other.is_older_than(&known), older, "{other:?}");
        }
        // Nothing is older than what an earlier version has kept without its entry.
        assert!(!entry("b", 1, "").is_older_than(&EntryRef::default()));
    }

    #[test]
    fn only_an_envelope_names_an_entry() {
        let named = EntryRef::of_payload(br#"{"session":"b","seq":7,"moves":[]}"#);
        assert_eq!(named, Some(entry("b", 7, "")));
        for payload in [&b""[..], b"null", br#"{"session":"b"}"#] {
            assert_eq!(EntryRef::of_payload(payload), None);
        }
    }
}
