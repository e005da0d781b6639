//! Sequence numbers: of a journal's entries, and of the entries that an audience may know.
//!
//! Both count from 1 for each board; 0 stands for "before the first entry". They are different
//! types, because the journal's numbers would reveal entries that an audience must not know.

use std::{
    borrow::Cow,
    fmt,
    num::ParseIntError,
    ops::{Add, AddAssign, Sub},
    str::FromStr,
};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

macro_rules! sequence_number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize,
            Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Before the first entry.
            pub const ZERO: Self = Self(0);
            /// Above every number in use.
            pub const MAX: Self = Self(u64::MAX);

            /// The sequence number with this value.
            #[must_use]
            pub const fn new(number: u64) -> Self {
                Self(number)
            }

            /// The plain number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }

            /// The number after this one, at most [`MAX`](Self::MAX).
            #[must_use]
            pub const fn next(self) -> Self {
                Self(self.0.saturating_add(1))
            }

            /// The number before this one, at least [`ZERO`](Self::ZERO).
            #[must_use]
            pub const fn previous(self) -> Self {
                Self(self.0.saturating_sub(1))
            }

            /// The entries from the one after `earlier` up to this one; 0 if `earlier` is later.
            #[must_use]
            pub const fn since(self, earlier: Self) -> u64 {
                self.0.saturating_sub(earlier.0)
            }
        }

        impl Add<u64> for $name {
            type Output = Self;

            /// The number `count` entries later, at most [`MAX`](Self::MAX).
            fn add(self, count: u64) -> Self {
                Self(self.0.saturating_add(count))
            }
        }

        impl AddAssign<u64> for $name {
            fn add_assign(&mut self, count: u64) {
                *self = *self + count;
            }
        }

        impl Sub<u64> for $name {
            type Output = Self;

            /// The number `count` entries earlier, at least [`ZERO`](Self::ZERO).
            fn sub(self, count: u64) -> Self {
                Self(self.0.saturating_sub(count))
            }
        }

        /// The schema of a plain number.
        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                u64::inline_schema()
            }

            fn schema_name() -> Cow<'static, str> {
                u64::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                u64::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                u64::json_schema(generator)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;

            fn from_str(text: &str) -> Result<Self, ParseIntError> {
                text.parse().map(Self)
            }
        }
    };
}

sequence_number! {
    /// The number of an entry in a board's journal: it grows by one and is never reused.
    ///
    /// A game has the number of the entry that began it, and a claim that of the entry that made
    /// it.
    EntrySeq
}

sequence_number! {
    /// The number of an entry as one audience counts the entries that it may know.
    AudienceSeq
}

impl AudienceSeq {
    /// The number of an entry for an audience that may know all entries.
    #[must_use]
    pub const fn of_entry(entry: EntrySeq) -> Self {
        Self(entry.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_number_is_a_plain_number_in_json() {
        assert_eq!(serde_json::to_string(&EntrySeq::new(17)).unwrap(), "17");
        let read: AudienceSeq = serde_json::from_str("17").unwrap();
        assert_eq!(read, AudienceSeq::of_entry(EntrySeq::new(17)));
        let schemas = [schemars::schema_for!(EntrySeq), schemars::schema_for!(u64)];
        assert_eq!(schemas[0], schemas[1]);
    }

    #[test]
    fn sequence_numbers_stay_in_range() {
        assert_eq!(EntrySeq::ZERO.previous(), EntrySeq::ZERO);
        assert_eq!(EntrySeq::MAX.next(), EntrySeq::MAX);
        assert_eq!(EntrySeq::new(3) + 4, EntrySeq::new(7));
        assert_eq!(EntrySeq::new(7).since(EntrySeq::new(3)), 4);
        assert_eq!(EntrySeq::new(3).since(EntrySeq::new(7)), 0);
        assert_eq!(format!("{:04}", EntrySeq::new(7)), "0007");
    }
}
