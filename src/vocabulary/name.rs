//! Names that are valid as one level of an MQTT topic and in a file name.
//!
//! Sites, nodes and boards get their names in the configuration. The names then appear in topics,
//! file names and logs. One rule serves all three, `[a-z0-9-]{1,32}`: no name can contain a topic
//! wildcard, a level separator or a path.
//!
//! ```
//! use remisd_vocabulary::name::BoardId;
//! let board: BoardId = "b017".parse()?;
//! assert_eq!(board.as_str(), "b017");
//! assert!("b/17".parse::<BoardId>().is_err());
//! # Ok::<_, remisd_vocabulary::name::NameError>(())
//! ```

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maximum length of a name, in characters.
pub const MAX_LENGTH: usize = 32;

/// The error for a text that cannot be a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{refused}\" is not a name: use 1 to 32 of a-z, 0-9 and -")]
pub struct NameError {
    /// The refused text, cut to a printable length.
    pub refused: String,
}

fn check(text: &str) -> Result<(), NameError> {
    let fits = (1..=MAX_LENGTH).contains(&text.len());
    let plain = text
        .bytes()
        .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    if fits && plain {
        Ok(())
    } else {
        Err(NameError {
            refused: text.chars().take(64).collect(),
        })
    }
}

macro_rules! name {
    ($(#[$doc:meta])* $type:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        #[schemars(with = "String")]
        pub struct $type(String);

        impl $type {
            /// The name as used in topics and file names.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $type {
            type Err = NameError;

            fn from_str(text: &str) -> Result<Self, NameError> {
                check(text)?;
                Ok(Self(text.to_owned()))
            }
        }

        impl TryFrom<String> for $type {
            type Error = NameError;

            fn try_from(text: String) -> Result<Self, NameError> {
                check(&text)?;
                Ok(Self(text))
            }
        }

        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name! {
    /// A board's name, unique within its site.
    BoardId
}
name! {
    /// The name of a venue or event: everything below one `chess/v1/<site>/`.
    SiteId
}
name! {
    /// The name of one daemon within its site.
    NodeId
}
name! {
    /// The first level of topics that belong to other software.
    PrefixId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_plain_topic_level() {
        for good in ["a", "b017", "hall-2", &"x".repeat(32)] {
            assert!(good.parse::<BoardId>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "+",
            "#",
            "a/b",
            "B1",
            "ü",
            "$sys",
            " ",
            "..",
            &"x".repeat(33),
        ] {
            assert!(bad.parse::<BoardId>().is_err(), "{bad}");
        }
    }
}
