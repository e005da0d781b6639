//! A value as written, and its origin.

use std::{borrow::Cow, ops::Range};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

use super::secret::Secret;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Origin {
    /// The default.
    #[default]
    Default,
    /// The file, at this byte range.
    File(Range<usize>),
    /// The environment variable of this name.
    Environment(String),
}

/// A key of the configuration: its value, if it has one, and its origin.
#[derive(Debug, Clone)]
pub struct Key<T> {
    /// The value as written.
    pub value: Option<T>,
    /// The origin of the value.
    pub origin: Origin,
}

impl<T> Key<T> {
    /// A key that is not set and has no default.
    pub const fn unset() -> Self {
        Self {
            value: None,
            origin: Origin::Default,
        }
    }

    /// A key that is not set and has a default.
    pub fn default(value: impl Into<T>) -> Self {
        Self {
            value: Some(value.into()),
            origin: Origin::Default,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Key<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Spanned::<T>::deserialize(deserializer)?;
        Ok(Self {
            origin: Origin::File(written.span()),
            value: Some(written.into_inner()),
        })
    }
}

/// Used only for the defaults in the schema.
impl<T: Serialize> Serialize for Key<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Key<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The form of a value in TOML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A text.
    Text,
    /// A whole number.
    Number,
    /// `true` or `false`.
    Truth,
    /// A list of texts.
    Texts,
}

impl Kind {
    /// The kind as an error lists it.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text in quotes",
            Self::Number => "a whole number, without quotes",
            Self::Truth => "true or false, without quotes",
            Self::Texts => "a list of texts, such as [\"one\", \"two\"]",
        }
    }
}

/// The operations on a value that do not depend on its type.
pub trait Value {
    /// The form of the value in TOML.
    fn kind(&self) -> Kind;

    /// The origin of the value.
    fn origin(&self) -> &Origin;

    /// The value as TOML, with asterisks for a secret; `None` if it is not set.
    fn show(&self) -> Option<String>;

    /// Sets the value from the text of an environment variable.
    ///
    /// # Errors
    ///
    /// A description of the expected text.
    fn set(&mut self, text: &str, variable: &str) -> Result<(), &'static str>;
}

/// A type that can be written in TOML and in an environment variable.
pub trait Written: Sized {
    /// The form of the value in TOML.
    const KIND: Kind;

    /// Reads the text of an environment variable.
    fn from_text(text: &str) -> Result<Self, &'static str>;

    /// Writes the value as TOML.
    fn to_toml(&self) -> String;
}

impl<T: Written> Value for Key<T> {
    fn kind(&self) -> Kind {
        T::KIND
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn show(&self) -> Option<String> {
        self.value.as_ref().map(Written::to_toml)
    }

    fn set(&mut self, text: &str, variable: &str) -> Result<(), &'static str> {
        self.origin = Origin::Environment(variable.to_owned());
        self.value = Some(T::from_text(text)?);
        Ok(())
    }
}

impl Written for String {
    const KIND: Kind = Kind::Text;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        Ok(text.to_owned())
    }

    fn to_toml(&self) -> String {
        toml::Value::from(self.as_str()).to_string()
    }
}

impl Written for i64 {
    const KIND: Kind = Kind::Number;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        text.trim().parse().map_err(|_| "a whole number")
    }

    fn to_toml(&self) -> String {
        self.to_string()
    }
}

impl Written for bool {
    const KIND: Kind = Kind::Truth;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        text.trim().parse().map_err(|_| "true or false")
    }

    fn to_toml(&self) -> String {
        self.to_string()
    }
}

impl<T: Written> Written for Vec<T> {
    const KIND: Kind = Kind::Texts;

    /// Splits the text at commas; an empty text is an empty list.
    fn from_text(text: &str) -> Result<Self, &'static str> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(T::from_text)
            .collect()
    }

    fn to_toml(&self) -> String {
        let parts: Vec<String> = self.iter().map(T::to_toml).collect();
        format!("[{}]", parts.join(", "))
    }
}

impl Written for Secret {
    const KIND: Kind = Kind::Text;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        Ok(Self::new(text))
    }

    fn to_toml(&self) -> String {
        "\"***\"".to_owned()
    }
}

/// A type whose values are words.
pub trait OneOf: Copy + 'static {
    /// The words and their values.
    const WORDS: &'static [(&'static str, Self)];
}

/// The words of `T`, as an error message lists them.
pub fn words<T: OneOf>() -> String {
    let words: Vec<&str> = T::WORDS.iter().map(|&(word, _)| word).collect();
    words.join(", ")
}

/// A text that should be one of the words of `T`; not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Choice<T> {
    text: String,
    #[serde(skip)]
    meaning: std::marker::PhantomData<T>,
}

impl<T: OneOf> Choice<T> {
    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value of the word; `None` if the text is not one of the words.
    pub fn meaning(&self) -> Option<T> {
        T::WORDS
            .iter()
            .find(|(word, _)| *word == self.text)
            .map(|&(_, meaning)| meaning)
    }
}

impl<T> From<&str> for Choice<T> {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            meaning: std::marker::PhantomData,
        }
    }
}

impl<T> Written for Choice<T> {
    const KIND: Kind = Kind::Text;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        Ok(Self::from(text))
    }

    fn to_toml(&self) -> String {
        self.text.to_toml()
    }
}

impl<T: OneOf> JsonSchema for Choice<T> {
    fn schema_name() -> Cow<'static, str> {
        "Choice".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = T::WORDS.iter().map(|&(word, _)| word).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

/// A name that becomes a level of a topic; not yet checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct NameText(pub String);

impl From<&str> for NameText {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Written for NameText {
    const KIND: Kind = Kind::Text;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        Ok(Self::from(text))
    }

    fn to_toml(&self) -> String {
        self.0.to_toml()
    }
}

impl JsonSchema for NameText {
    fn schema_name() -> Cow<'static, str> {
        "Name".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[a-z0-9-]{1,32}$" })
    }
}

/// Upper bound for the times of a hand or a board, in milliseconds: ten minutes.
pub const LONGEST_MS: i64 = 600_000;

/// The unit of a number.
pub trait Unit: Copy + 'static {
    /// The unit in an error message, after a space; empty for a bare number.
    const WORD: &'static str;
    /// The unit's name in the schema.
    const NAME: &'static str;
}

/// Milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Milliseconds;

impl Unit for Milliseconds {
    const WORD: &'static str = " milliseconds";
    const NAME: &'static str = "Milliseconds";
}

/// A bare count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted;

impl Unit for Counted {
    const WORD: &'static str = "";
    const NAME: &'static str = "Count";
}

/// Milliseconds between `MIN` and `MAX`; not yet checked.
pub type Ms<const MIN: i64, const MAX: i64 = LONGEST_MS> = Whole<Milliseconds, MIN, MAX>;
/// A count between `MIN` and `MAX`; not yet checked.
pub type Count<const MIN: i64, const MAX: i64> = Whole<Counted, MIN, MAX>;

/// A whole number between `MIN` and `MAX`; not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Whole<U, const MIN: i64, const MAX: i64> {
    number: i64,
    #[serde(skip)]
    unit: std::marker::PhantomData<U>,
}

impl<U: Unit, const MIN: i64, const MAX: i64> Whole<U, MIN, MAX> {
    /// The number, if it is in range.
    pub fn checked(self) -> Option<u64> {
        (MIN..=MAX)
            .contains(&self.number)
            .then(|| u64::try_from(self.number).ok())
            .flatten()
    }

    /// The number as written.
    pub const fn written(self) -> i64 {
        self.number
    }

    /// The range, as an error message shows it.
    pub fn range() -> String {
        format!("{MIN} to {MAX}{}", U::WORD)
    }
}

impl<U, const MIN: i64, const MAX: i64> From<i64> for Whole<U, MIN, MAX> {
    fn from(number: i64) -> Self {
        Self {
            number,
            unit: std::marker::PhantomData,
        }
    }
}

impl<U, const MIN: i64, const MAX: i64> Written for Whole<U, MIN, MAX> {
    const KIND: Kind = Kind::Number;

    fn from_text(text: &str) -> Result<Self, &'static str> {
        i64::from_text(text).map(Self::from)
    }

    fn to_toml(&self) -> String {
        self.number.to_string()
    }
}

impl<U: Unit, const MIN: i64, const MAX: i64> JsonSchema for Whole<U, MIN, MAX> {
    fn schema_name() -> Cow<'static, str> {
        U::NAME.into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": MIN, "maximum": MAX })
    }
}
