//! Why a command is refused.

use std::fmt::Display;

use super::RefusalCode;

/// The longest text of a sender that an answer repeats, in characters.
const LONGEST: usize = 64;

/// Why a command is refused, in a word for programs and in words for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: RefusalCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: RefusalCode, message: impl Display) -> Self {
        Self {
            code,
            message: format!("{message}"),
        }
    }

    /// A value of the command cannot be used.
    pub(super) fn bad_value(message: impl Display) -> Self {
        Self::new(RefusalCode::BadValue, message)
    }

    /// The command makes no sense now.
    pub(super) fn wrong_state(message: impl Display) -> Self {
        Self::new(RefusalCode::WrongState, message)
    }

    /// The Laws or the event's regulations do not admit it.
    pub(super) fn not_admissible(message: impl Display) -> Self {
        Self::new(RefusalCode::NotAdmissible, message)
    }
}

/// The beginning of a text from a sender, as far as an answer repeats it.
pub(super) fn truncated(text: &str) -> String {
    text.chars().take(LONGEST).collect()
}
