//! The configuration as the daemon uses it: everything in it has been checked.

use std::{collections::BTreeSet, net::SocketAddr, path::PathBuf};

use super::{network::Network, secret::SecretSource, value::OneOf};
use crate::{publish::mqtt::BrokerUrl, words::Language};
use remisd_board::{ClockSide, Kind, OrientationSetting};
use remisd_game::Confirm;
use remisd_hand::Promotion;
use remisd_journal::RawLimits;
use remisd_laws::{ClaimantLoses, FlagCall, Rate, Regulations};
use remisd_vocabulary::name::{BoardId, NodeId, PrefixId, SiteId};

/// The configuration of the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Where the boards stand.
    pub site: Site,
    /// The broker that is told.
    pub mqtt: Mqtt,
    /// The Laws of Chess that are in force.
    pub laws: Laws,
    /// Who may know what.
    pub audience: Audience,
    /// How many commands may come.
    pub limits: Limits,
    /// The durable record.
    pub journal: Journal,
    /// Pages, and what the daemon shows of itself.
    pub http: Http,
    /// The boards, in the order of the file; ids and ports are unique.
    pub boards: Vec<Board>,
}

/// How many commands a second each role may give at each board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The arbiter.
    pub arbiter: u64,
    /// The operator.
    pub operator: u64,
    /// Each of the two players, and whoever has no role.
    pub player: u64,
    /// The chess clock.
    pub clock: u64,
    /// The commands of so many seconds may come at once.
    pub burst_s: u64,
}

/// Where the boards stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The venue or event.
    pub id: SiteId,
    /// This daemon within the site.
    pub node: NodeId,
}

/// The broker that is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mqtt {
    /// The broker.
    pub url: BrokerUrl,
    /// The client's name at the broker, never empty; without it a random one is drawn.
    pub client_id: Option<String>,
    /// The user's name; `None` for an anonymous client.
    pub username: Option<String>,
    /// Where the password is kept; only ever set beside a user's name.
    pub password: Option<SecretSource>,
    /// How TLS is spoken to a broker that speaks it.
    pub tls: Option<Tls>,
    /// The prefix under which Home Assistant looks for devices.
    pub home_assistant: Option<PrefixId>,
}

/// Pages, and what the daemon shows of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Http {
    /// Where pages, health and metrics are served; `None` for nowhere.
    pub listen: Option<SocketAddr>,
    /// Whether `run` serves pages.
    pub pages: bool,
    /// The names under which browsers may ask for pages.
    pub names: Vec<String>,
    /// The web servers whose word is taken for where a request comes from.
    pub trusted_proxies: Vec<Network>,
    /// Who reads for the public pages; `None` for nobody in particular.
    pub public_username: Option<String>,
    /// Where his password is kept; only ever set beside a user's name.
    pub public_password: Option<SecretSource>,
}

/// Whom we trust, and how the broker knows us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The authorities that may vouch for the broker; `None` for those of this computer.
    pub ca_file: Option<PathBuf>,
    /// The certificate that we show.
    pub identity: Option<Identity>,
    /// Where the sockets of TLS are made.
    pub runtime_dir: PathBuf,
}

/// A certificate and its private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The file of the certificate.
    pub certificates: PathBuf,
    /// Where the private key is kept.
    pub key: SecretSource,
}

/// The Laws of Chess that are in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laws {
    /// The event's regulations.
    pub regulations: Regulations,
    /// When a result stands.
    pub confirm: Confirm,
    /// How long a red alert may stay unacknowledged, in milliseconds; 0 for ever.
    pub escalate_ms: u64,
    /// How long the clock may run for the wrong player before that is told, in milliseconds.
    pub clock_mismatch_ms: u64,
}

/// Who may know what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// How strictly the players are kept from knowing.
    pub profile: Profile,
    /// How long the public waits, in milliseconds.
    pub delay_ms: u64,
    /// The shortest such delay with which the public gets counters and claims although the
    /// profile does not open them to it.
    pub public_draw_after_ms: u64,
    /// Whether operators see the draw state.
    pub operator_draw: bool,
    /// The audiences that the profile `club` opens; empty with any other profile.
    pub open: BTreeSet<Opened>,
    /// The languages of texts, at least one, none twice.
    pub languages: Vec<Language>,
}

impl Audience {
    /// Whether the public waits so long that counters and claims no longer help a player.
    #[must_use]
    pub const fn delays_draws(&self) -> bool {
        self.delay_ms >= self.public_draw_after_ms
    }
}

/// The durable record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// Its directory, an absolute path.
    pub dir: PathBuf,
    /// Where a file system must be mounted before the directory is used, an absolute path.
    pub mount: Option<PathBuf>,
    /// For how many days a game is kept after its last entry; 0 for ever.
    pub keep_days: u64,
    /// Whether the players' names are written down.
    pub names: Names,
    /// How much of what goes over the boards' lines is kept; nothing where a game may have none.
    pub raw: RawLimits,
}

/// One board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The board's name.
    pub id: BoardId,
    /// Its family.
    pub kind: Kind,
    /// The device, an absolute path.
    pub port: String,
    /// The serial number that it tells, if no other board is to be read in its place.
    pub serial: Option<String>,
    /// How the board lies on the table.
    pub orientation: OrientationSetting,
    /// On which side of the clock White's time runs.
    pub clock_white: ClockSide,
    /// What begins a new game.
    pub new_game: NewGame,
    /// How the hand is read.
    pub hand: Hand,
    /// How a DGT board is spoken to.
    pub dgt: Dgt,
}

/// How the hand is read: how long to wait before it is believed, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hand {
    /// How long a move must stand still that nothing else has settled.
    pub settle_ms: u64,
    /// How long a rook's step that may be half of castling stands before it is settled.
    pub castling_hold_ms: u64,
    /// How long the first squares must be held before a new game begins.
    pub new_game_ms: u64,
    /// How long an impossible position may last before it is an alert.
    pub mismatch_ms: u64,
    /// How long the board takes to look at all of its squares.
    pub scan_ms: u64,
    /// What a pawn becomes on a board that does not know its pieces.
    pub promotion: Promotion,
    /// How many times faster than people's the hands are.
    pub speed: u64,
}

/// How a DGT board is spoken to, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dgt {
    /// The pause between two commands.
    pub command_gap_ms: u64,
    /// How long the line must be quiet before all squares are asked for.
    pub quiet_ms: u64,
    /// How long that may be put off while pieces move.
    pub burst_ms: u64,
    /// How often all squares are asked for when nothing happens.
    pub dump_every_ms: u64,
    /// How long an answer may take.
    pub answer_ms: u64,
}

/// Whether the players' names are written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// They are.
    Keep,
    /// Neither they nor what else tells who somebody is.
    Mask,
}

/// The words of the configuration for what is defined where it is used.
macro_rules! words {
    ($($meaning:ty { $($variant:ident = $word:expr,)* })*) => {$(
        impl OneOf for $meaning {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)*];
        }
    )*};
}

words! {
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
    Kind {
        Dgt = "dgt",
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
            /// The word for it in the configuration.
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
    /// When a draw may be agreed.
    Agreement {
        /// As the players like, after the moves that are set.
        Free = "free",
        /// Never without the arbiter's consent.
        Consent = "consent",
    }
}

choice! {
    /// How strictly the players are kept from knowing.
    Profile {
        /// Players and the hall learn nothing that helps a player.
        Competition = "competition",
        /// As `competition`, but for the audiences that are named.
        Club = "club",
        /// Everybody sees everything.
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
        /// Everybody elsewhere.
        Public = "public",
        /// Those who run the boards.
        Operator = "operator",
    }
}

choice! {
    /// What begins a new game.
    NewGame {
        /// All pieces on their first squares.
        Automatic = "automatic",
        /// A command only.
        Command = "command",
    }
}
