//! Values that JSON holds as text: moves in UCI, squares, editions.

use std::{fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value as a journal or a command holds it.
///
/// Text in another form than the value's own is kept as it was written: a journal has to reproduce
/// it, and an answer repeats it.
///
/// ```
/// use remisd_vocabulary::written::Written;
/// use shakmaty::Square;
///
/// let square: Written<Square> = "e4".into();
/// assert_eq!(square, Written::new(Square::E4));
/// let other: Written<Square> = "z9".into();
/// assert!(other.read().is_err());
/// assert_eq!(other.to_string(), "z9");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<T>(WrittenForm<T>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum WrittenForm<T> {
    Value(T),
    Text(String),
}

impl<T: Copy + FromStr> Written<T> {
    /// The value.
    ///
    /// # Errors
    ///
    /// Returns the error of parsing a text that holds no such value.
    pub fn read(&self) -> Result<T, T::Err> {
        match &self.0 {
            WrittenForm::Value(value) => Ok(*value),
            WrittenForm::Text(text) => text.parse(),
        }
    }
}

impl<T> Written<T> {
    /// A valid value.
    pub const fn new(value: T) -> Self {
        Self(WrittenForm::Value(value))
    }
}

impl<T: FromStr + fmt::Display> From<&str> for Written<T> {
    fn from(text: &str) -> Self {
        let value = text.parse().ok().filter(|v: &T| v.to_string() == text);
        Self(value.map_or_else(|| WrittenForm::Text(text.to_owned()), WrittenForm::Value))
    }
}

impl<T: FromStr + fmt::Display> From<String> for Written<T> {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl<T: fmt::Display> fmt::Display for Written<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            WrittenForm::Value(value) => value.fmt(f),
            WrittenForm::Text(text) => text.fmt(f),
        }
    }
}

impl<T: fmt::Display> Serialize for Written<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: FromStr + fmt::Display> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl<T> JsonSchema for Written<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// A value that is valid as text, for `#[serde(with = "as_text")]`.
pub mod as_text {
    use super::{Deserialize, Deserializer, FromStr, Serializer, fmt};

    /// Writes the value as text.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<T: fmt::Display, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// Those of the deserializer, and of the value's parser.
    pub fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: fmt::Display>,
        D: Deserializer<'de>,
    {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }

    /// Serializes a list of values as texts.
    pub mod each {
        use super::{Deserialize, Deserializer, FromStr, Serializer, fmt};

        /// Writes the values as texts.
        ///
        /// # Errors
        ///
        /// Those of the serializer.
        pub fn serialize<'a, C, T, S>(values: &'a C, to: S) -> Result<S::Ok, S::Error>
        where
            &'a C: IntoIterator<Item = &'a T>,
            T: fmt::Display + 'a,
            S: Serializer,
        {
            to.collect_seq(values.into_iter().map(ToString::to_string))
        }

        /// Reads the values.
        ///
        /// # Errors
        ///
        /// Those of the deserializer, and of the value's parser.
        pub fn deserialize<'de, C, T, D>(from: D) -> Result<C, D::Error>
        where
            C: FromIterator<T>,
            T: FromStr<Err: fmt::Display>,
            D: Deserializer<'de>,
        {
            let texts = Vec::<String>::deserialize(from)?;
            let values = texts.iter().map(|text| text.parse());
            let values: Result<C, T::Err> = values.collect();
            values.map_err(serde::de::Error::custom)
        }
    }

    /// Serializes an optional value as text or null.
    pub mod option {
        use super::{Deserialize, Deserializer, FromStr, Serializer, fmt};

        /// Writes the value as text, or null.
        ///
        /// # Errors
        ///
        /// Those of the serializer.
        pub fn serialize<T, S>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error>
        where
            T: fmt::Display,
            S: Serializer,
        {
            match value {
                Some(value) => to.collect_str(value),
                None => to.serialize_none(),
            }
        }

        /// Reads the value, or null.
        ///
        /// # Errors
        ///
        /// Those of the deserializer, and of the value's parser.
        pub fn deserialize<'de, T, D>(from: D) -> Result<Option<T>, D::Error>
        where
            T: FromStr<Err: fmt::Display>,
            D: Deserializer<'de>,
        {
            let text = Option::<String>::deserialize(from)?;
            let value = text.map(|text| text.parse()).transpose();
            value.map_err(serde::de::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{Square, uci::UciMove};

    #[test]
    fn text_is_reproduced_as_it_was_written() {
        for text in ["e2e4", "e7e8Q", "e7e8q", "0000", "Q@e4", "nonsense", ""] {
            let json = serde_json::to_string(text).unwrap();
            let written: Written<UciMove> = serde_json::from_str(&json).unwrap();
            assert_eq!(serde_json::to_string(&written).unwrap(), json);
            assert_eq!(written.read().ok(), text.parse().ok());
        }
    }

    #[test]
    fn an_adapter_reads_what_it_writes() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Squares {
            #[serde(with = "as_text")]
            one: Square,
            #[serde(with = "as_text::option")]
            perhaps: Option<Square>,
            #[serde(with = "as_text::each")]
            all: Vec<Square>,
        }
        let squares = Squares {
            one: Square::A1,
            perhaps: None,
            all: vec![Square::B2, Square::C3],
        };
        let json = r#"{"one":"a1","perhaps":null,"all":["b2","c3"]}"#;
        assert_eq!(serde_json::to_string(&squares).unwrap(), json);
        assert_eq!(serde_json::from_str::<Squares>(json).unwrap(), squares);
        assert!(serde_json::from_str::<Squares>(&json.replace("c3", "z9")).is_err());
    }
}
