//! The languages of the texts.

/// A language of the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// English.
    En,
    /// German.
    De,
    /// German in Swiss spelling, without ß.
    DeCh,
    /// Dutch.
    Nl,
}

impl Language {
    /// The language tag for HTML.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::DeCh => "de-CH",
            Self::Nl => "nl",
        }
    }

    /// Every language, in the order of declaration.
    pub const ALL: [Self; 4] = [Self::En, Self::De, Self::DeCh, Self::Nl];

    /// The language tag, in lower case: `en`, `de`, `de-ch`, `nl`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::DeCh => "de-ch",
            Self::Nl => "nl",
        }
    }
}

impl std::fmt::Display for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.code())
    }
}
