//! Journal files that are, or may be, of another record, until the arbiter has seen them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::alert::{AlertCode, Condition};
use remisd_vocabulary::seq::EntrySeq;

/// How many files are named; older ones are counted.
pub const OTHER_RECORD_FILES: usize = 16;

/// A file in the journal that carries the id of another record, or contradicts the rest of the
/// board's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherRecordFile {
    /// The name of the file.
    pub file: String,
    /// The number of the game in it.
    pub game: EntrySeq,
    /// The name of a file that it contradicts. Absent if the file carries the id of another record:
    /// the daemon has then set it aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Whether it is the newest file and no game was begun after it. The daemon has then continued
    /// its game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newest: bool,
    /// How many older files, which contradict others as well, are not named.
    #[serde(default, skip_serializing_if = "super::losses::is_zero")]
    pub more: u64,
    /// How often it has become the newest file after it was first named. Each time its alert is
    /// raised anew, under another id.
    #[serde(default, skip_serializing_if = "super::losses::is_zero")]
    pub raised_again: u64,
    /// Whether the arbiter has acknowledged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
}

impl OtherRecordFile {
    /// Whether both name the same file, or the same two files the other way round. Which of two is
    /// named may change as the record grows.
    fn is_same(&self, other: &Self) -> bool {
        self.file == other.file || self.is_reverse_of(other)
    }

    fn is_reverse_of(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.other.as_ref(), other.other.as_ref());
        (Some(&self.file), ours) == (theirs, Some(&other.file))
    }

    /// Whether `known` says the same.
    fn is_in(&self, known: &[Self]) -> bool {
        let names_file = |known: &Self| {
            let same = Self {
                seen: known.seen,
                raised_again: known.raised_again,
                ..self.clone()
            };
            *known == same || (self.is_reverse_of(known) && !self.newest)
        };
        known.iter().any(names_file)
    }

    /// Whether an acknowledgement of `known` is valid for this file too. That the file has
    /// become the newest is news.
    fn is_seen_with(&self, known: &Self) -> bool {
        let is_news = self.newest && !(known.file == self.file && known.newest);
        known.seen && self.is_same(known) && !is_news
    }

    /// A game has one segment, but several files of other records may have had its name.
    pub(super) fn subject(&self) -> String {
        match self.other {
            Some(_) if self.raised_again > 0 => format!("{}-{}", self.game, self.raised_again),
            Some(_) => self.game.to_string(),
            None => self.file.clone(),
        }
    }

    pub(super) fn condition(&self) -> Condition {
        let arguments = [
            ("file", json!(self.file)),
            ("game", json!(self.game)),
            ("other", json!(self.other)),
            ("newest", json!(if self.newest { "yes" } else { "no" })),
        ];
        let more = (self.more > 0).then(|| ("more", json!(self.more)));
        let arguments = arguments.into_iter().chain(more);
        Condition::new(AlertCode::OtherRecord, None, arguments).about(self.subject())
    }
}

/// Names the newest of `files`, which are in order, and counts the others.
#[must_use]
pub fn newest_of_other_record(mut files: Vec<OtherRecordFile>) -> Vec<OtherRecordFile> {
    let surplus = files.len().saturating_sub(OTHER_RECORD_FILES);
    let left_out = files.drain(..surplus);
    let more = left_out.fold(0_u64, |more, file| more.saturating_add(file.more + 1));
    if let Some(oldest) = files.first_mut() {
        oldest.more = oldest.more.saturating_add(more);
    }
    files
}

/// Whether `found` says something that `known` does not.
#[must_use]
pub fn names_others(found: &[OtherRecordFile], known: &[OtherRecordFile]) -> bool {
    found.len() != known.len() || !found.iter().all(|found| found.is_in(known))
}

/// Takes up what a start of the daemon has found. What the arbiter has seen stays seen. A file that
/// has become the newest gets another subject, so that an alert that is still open is raised anew.
pub(super) fn update(known: &mut Vec<OtherRecordFile>, found: &[OtherRecordFile]) {
    let with_history = |file: &OtherRecordFile| {
        let before = known.iter().find(|known| known.file == file.file);
        let raised_again = before.map_or(0, |before| {
            let becomes_newest = file.newest && !before.newest;
            before.raised_again.saturating_add(becomes_newest.into())
        });
        OtherRecordFile {
            raised_again,
            seen: known.iter().any(|known| file.is_seen_with(known)),
            ..file.clone()
        }
    };
    let files = found.iter().map(with_history).collect();
    *known = newest_of_other_record(files);
}

/// Takes up what is known of a disk that has come late.
pub(super) fn join(known: &mut Vec<OtherRecordFile>, left: &[OtherRecordFile]) {
    for file in left {
        match known.iter_mut().find(|known| known.is_same(file)) {
            Some(known) => known.seen |= known.is_seen_with(file),
            None => known.push(file.clone()),
        }
    }
    known.sort_by_key(|file| file.game);
    *known = newest_of_other_record(std::mem::take(known));
}
