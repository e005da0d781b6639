//! The texts for people: alerts, colours, pieces and moves in the languages of a venue.
//!
//! Texts are [Fluent](https://projectfluent.org) messages, one file per language and subject.
//! Programs read codes and arguments. A text presents them to a person and may change with any
//! version.
//!
//! Log lines, errors and the command line are always in English and do not use these texts.
//!
//! ```
//! use remisd::words::{Language, Words};
//!
//! let words = Words::of(Language::Nl);
//! let arguments = serde_json::json!({"by": "white", "ply": 8, "article": "9.2.1"});
//! assert_eq!(
//!     words.text("alert-threefold_claimable", arguments.as_object().unwrap()),
//!     "Remiseclaim wegens driemaal dezelfde stelling mogelijk (art. 9.2.1): \
//!      wit aan zet. Niet ingrijpen.",
//! );
//! assert_eq!(words.san("Nf3+"), "Pf3+");
//! ```

mod alert;
mod arguments;
mod dead;
mod language;
#[cfg(test)]
pub(crate) mod listing;
mod notation;
mod notify;
#[cfg(test)]
pub(crate) mod tests;

use std::{borrow::Cow, fmt::Write as _, sync::LazyLock};

use fluent_bundle::{FluentError, FluentResource, concurrent::FluentBundle};
use serde_json::{Map, Value};

pub use language::Language;
pub use notation::squares;

/// The messages on one subject, in each language with a file of its own.
struct Subject {
    en: &'static str,
    de: &'static str,
    nl: &'static str,
}

/// Includes the files of a subject: `src/words/<language>/<subject>.ftl`.
macro_rules! subject {
    ($name:literal) => {
        Subject {
            en: include_str!(concat!("en/", $name, ".ftl")),
            de: include_str!(concat!("de/", $name, ".ftl")),
            nl: include_str!(concat!("nl/", $name, ".ftl")),
        }
    };
}

/// Every subject. Ids share one namespace, so messages of one subject may refer to another's.
const SUBJECTS: &[Subject] = &[
    subject!("terms"),
    subject!("alerts"),
    subject!("dead"),
    subject!("evidence"),
    subject!("notify"),
];

impl Subject {
    fn source(&self, language: Language) -> Cow<'static, str> {
        match language {
            Language::En => self.en.into(),
            Language::De => self.de.into(),
            Language::DeCh => self.de.replace('ß', "ss").into(),
            Language::Nl => self.nl.into(),
        }
    }
}

/// The texts of one language.
pub struct Words {
    language: Language,
    bundle: FluentBundle<FluentResource>,
}

impl std::fmt::Debug for Words {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Words").field(&self.language).finish()
    }
}

impl Words {
    /// The texts of a language; they are parsed once.
    #[must_use]
    pub fn of(language: Language) -> &'static Self {
        static ALL: LazyLock<[Words; 4]> = LazyLock::new(|| Language::ALL.map(Words::new));
        &ALL[language as usize]
    }

    fn new(language: Language) -> Self {
        let plurals = language.code().parse().unwrap_or_default();
        let mut bundle = FluentBundle::new_concurrent(vec![plurals]);
        // Isolation marks around arguments are needed only for texts that mix writing directions.
        bundle.set_use_isolating(false);
        for subject in SUBJECTS {
            let source = subject.source(language).into_owned();
            // Unreadable or duplicate messages are left out; a test detects them.
            let resource = FluentResource::try_new(source).unwrap_or_else(|(rest, _)| rest);
            let _ = bundle.add_resource(resource);
        }
        Self { language, bundle }
    }

    /// The language.
    #[must_use]
    pub const fn language(&self) -> Language {
        self.language
    }

    /// The text of a message.
    ///
    /// Arguments named `move`, `announced` and `played` are moves with English piece letters; they
    /// are localised. Lists are joined by commas. A null or empty value is the word `none` to a
    /// selector. An unknown message becomes its id and arguments; a missing argument becomes its
    /// name in braces.
    #[must_use]
    pub fn text(&self, id: &str, arguments: &Map<String, Value>) -> String {
        self.format(id, arguments).0
    }

    /// The text of a message, and its errors.
    fn format(&self, id: &str, arguments: &Map<String, Value>) -> (String, Vec<FluentError>) {
        let mut errors = Vec::new();
        let message = self.bundle.get_message(id);
        let Some(pattern) = message.and_then(|message| message.value()) else {
            return (unknown(id, arguments), errors);
        };
        let arguments = self.arguments(arguments);
        let text = self
            .bundle
            .format_pattern(pattern, Some(&arguments), &mut errors);
        (text.into_owned(), errors)
    }
}

/// The fallback for an unknown message: its id and arguments.
fn unknown(id: &str, arguments: &Map<String, Value>) -> String {
    let mut text = id.to_owned();
    for (name, value) in arguments {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {name}={value}");
    }
    text
}
