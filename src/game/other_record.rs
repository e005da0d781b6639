//! Journal files that may be of another record, until the arbiter has seen them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::alert::{AlertCode, Condition};

/// A file in the journal that contradicts the rest of the board's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherRecordFile {
    /// The name of the file.
    pub file: String,
    /// The number of the game in it.
    pub game: u64,
    /// The name of a file that it contradicts.
    pub other: String,
    /// Whether it is the newest file. The daemon has then continued its game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub newest: bool,
    /// Whether the arbiter has acknowledged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
}

impl OtherRecordFile {
    /// Whether both name the same two files. Which of them is rather foreign may change as the
    /// record grows.
    fn is_same(&self, other: &Self) -> bool {
        let pair = (&self.file, &self.other);
        pair == (&other.file, &other.other) || pair == (&other.other, &other.file)
    }

    pub(super) fn subject(&self) -> String {
        self.game.to_string()
    }

    pub(super) fn condition(&self) -> Condition {
        let arguments = [
            ("file", json!(self.file)),
            ("game", json!(self.game)),
            ("other", json!(self.other)),
            ("newest", json!(if self.newest { "yes" } else { "no" })),
        ];
        Condition::new(AlertCode::OtherRecord, None, arguments).about(self.subject())
    }
}

/// Whether `found` names other files than `known`.
#[must_use]
pub fn names_others(found: &[OtherRecordFile], known: &[OtherRecordFile]) -> bool {
    let mut pairs = found.iter().zip(known);
    found.len() != known.len() || !pairs.all(|(found, known)| found.is_same(known))
}

/// Takes up what a start of the daemon has found. What the arbiter has seen stays seen.
pub(super) fn update(known: &mut Vec<OtherRecordFile>, found: &[OtherRecordFile]) {
    let with_seen = |file: &OtherRecordFile| OtherRecordFile {
        seen: known.iter().any(|known| known.seen && known.is_same(file)),
        ..file.clone()
    };
    *known = found.iter().map(with_seen).collect();
}
