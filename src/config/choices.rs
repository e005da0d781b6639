//! The settings that are one of several words, and their words in the file.

use super::value::OneOf;
use crate::words::Language;
use remisd_board::{ClockSide, OrientationSetting};
use remisd_broadcast::folder::DialectChoice;
use remisd_game::Confirm;
use remisd_laws::{ClaimantLoses, FlagCall, Rate};
use remisd_vocabulary::reading::Promotion;

/// How a server takes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotifyKind {
    /// As JSON of ntfy.
    Ntfy,
    /// As a JSON object of our own.
    Webhook,
}

/// A level of alerts, as the configuration writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Act now.
    Red,
    /// Look at it.
    Amber,
    /// The equipment needs attention.
    Grey,
}

/// Whether the players' names are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Names are recorded.
    Keep,
    /// Neither names nor anything else that identifies a player is recorded.
    Mask,
}

/// Defines configuration words for enums that other crates define.
macro_rules! words {
    ($($meaning:ty { $($variant:ident = $word:expr,)* })*) => {$(
        impl OneOf for $meaning {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)*];
        }
    )*};
}

words! {
    NotifyKind {
        Ntfy = "ntfy",
        Webhook = "webhook",
    }
    Severity {
        Red = "red",
        Amber = "amber",
        Grey = "grey",
    }
    Rate {
        Standard = "standard",
        Rapid = "rapid",
        Blitz = "blitz",
    }
    ClaimantLoses {
        Nothing = "nothing",
        Half = "half",
        HalfAboveTwoMinutes = "half_above_two_minutes",
    }
    FlagCall {
        Call = "call",
        MayCall = "may_call",
        Refrain = "refrain",
    }
    Confirm {
        Arbiter = "arbiter",
        Automatic = "automatic",
    }
    OrientationSetting {
        Auto = "auto",
        Normal = "normal",
        Rotated = "rotated",
    }
    DialectChoice {
        Archive = "archive",
        Feed = "feed",
    }
    Names {
        Keep = "keep",
        Mask = "mask",
    }
    Promotion {
        Queen = "queen",
        Ask = "ask",
    }
    ClockSide {
        Auto = "auto",
        Left = "left",
        Right = "right",
    }
    Language {
        En = Self::En.code(),
        De = Self::De.code(),
        DeCh = Self::DeCh.code(),
        Nl = Self::Nl.code(),
    }
}

macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$word_about:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$word_about])* $variant,)*
        }

        impl $name {
            /// The word in the configuration.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        words! { $name { $($variant = $word,)* } }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

choice! {
    /// What a board's moves come from.
    BoardKind {
        /// The sensors of a DGT board.
        Dgt = "dgt",
        /// PGN files that another program writes.
        Pgn = "pgn",
        /// A board that `LiveChess` reads.
        LiveChess = "livechess",
        /// Devices that enter the moves by commands.
        Commands = "commands",
    }
}

choice! {
    /// When a draw may be agreed.
    Agreement {
        /// As the players like, after the required number of moves.
        Free = "free",
        /// Never without the arbiter's consent.
        Consent = "consent",
    }
}

choice! {
    /// How strictly information is withheld from the players.
    Profile {
        /// Players and the hall see nothing that helps a player.
        Competition = "competition",
        /// Like `competition`, except for the audiences that are listed as open.
        Club = "club",
        /// Everyone sees everything.
        Casual = "casual",
    }
}

choice! {
    /// An audience that the profile `club` may open.
    Opened {
        /// The players' own displays and clocks.
        Player = "player",
        /// The screens in the hall.
        Hall = "hall",
        /// Everyone elsewhere.
        Public = "public",
        /// The people who run the boards.
        Operator = "operator",
    }
}

choice! {
    /// Whose view the `LiveChess` API shows.
    LiveChessAudience {
        /// Live boards, as the arbiter sees them.
        Arbiter = "arbiter",
        /// Live boards, as the operators see them.
        Operator = "operator",
        /// The delayed game of the public.
        Public = "public",
    }
}

choice! {
    /// Which of the moves that a `LiveChess` reconstructs are compared with the board's.
    LiveChessMoves {
        /// The game of its tournament, or else the moves after a call of `setup`.
        Setup = "setup",
        /// The game of its tournament, or else the moves after a `setup` of another program.
        Listen = "listen",
        /// None.
        Off = "off",
    }
}

choice! {
    /// What begins a new game.
    NewGame {
        /// All pieces in the starting position.
        Automatic = "automatic",
        /// A command only.
        Command = "command",
    }
}
