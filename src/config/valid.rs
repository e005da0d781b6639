//! The configuration as the daemon uses it: every value is checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    path::PathBuf,
};

use super::{
    choices::{BoardKind, LiveChessAudience, LiveChessMoves, Names, NewGame, Opened, Profile},
    network::Network,
    rounds::RoundsAccess,
    secret::{Secret, SecretSource},
};
use crate::{publish::mqtt::Brokers, words::Language};
use remisd_board::{ClockSide, Kind, OrientationSetting};
use remisd_broadcast::{
    folder::DialectChoice,
    notify::Rates,
    upload::{Address, Fingerprint},
};
use remisd_feed::Location;
use remisd_game::{Confirm, Level};
use remisd_journal::RawLimits;
use remisd_laws::Regulations;
use remisd_livechess::Origin;
use remisd_vocabulary::name::{BoardId, NodeId, PrefixId, SiteId};
use remisd_vocabulary::reading::Promotion;

/// The configuration of the daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// The venue and this daemon's name in it.
    pub site: Site,
    /// The MQTT broker.
    pub mqtt: Mqtt,
    /// The Laws of Chess in force.
    pub laws: Laws,
    /// Who may see what.
    pub audience: Audience,
    /// Rate limits for commands.
    pub limits: Limits,
    /// The durable record.
    pub journal: Journal,
    /// Web pages, health and metrics.
    pub http: Http,
    /// What leaves for the world.
    pub broadcast: Broadcast,
    /// An API for programs that were written for `LiveChess`.
    pub livechess: LiveChess,
    /// Access to private rounds of broadcasts.
    pub private_rounds: Option<RoundsAccess>,
    /// The servers that pass alerts on to phones.
    pub notify: Vec<Notify>,
    /// The tournaments whose standings the overlay shows; ids are unique.
    pub tournaments: Vec<Tournament>,
    /// The boards, in the order of the file; ids and ports are unique.
    pub boards: Vec<Board>,
}

/// Commands per second allowed for each role at each board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The arbiter.
    pub arbiter: u64,
    /// The operator.
    pub operator: u64,
    /// Each of the two players, and clients without a role.
    pub player: u64,
    /// The chess clock.
    pub clock: u64,
    /// How many seconds' worth of unused commands may arrive in one burst.
    pub burst_s: u64,
}

/// The venue and this daemon's name in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The venue or event.
    pub id: SiteId,
    /// This daemon's name within the site.
    pub node: NodeId,
}

/// The MQTT broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mqtt {
    /// The addresses of the broker, or of the nodes of its cluster.
    pub brokers: Brokers,
    /// The client id, never empty; `None` for a random one.
    pub client_id: Option<String>,
    /// The user name; `None` for an anonymous client.
    pub username: Option<String>,
    /// The place of the password; set only beside a user name.
    pub password: Option<SecretSource>,
    /// TLS settings, for a broker with TLS.
    pub tls: Option<Tls>,
    /// The topic prefix under which Home Assistant discovers devices.
    pub home_assistant: Option<PrefixId>,
}

/// Web pages, health and metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Http {
    /// The address of pages, health and metrics; `None` if nothing is served.
    pub listen: Option<SocketAddr>,
    /// Whether `run` serves pages.
    pub pages: bool,
    /// The host names under which browsers may request pages.
    pub names: Vec<String>,
    /// Further sites at the same broker whose pages are served; not `site.id`, and none twice.
    pub sites: Vec<SiteId>,
    /// The reverse proxies trusted to report a request's origin.
    pub trusted_proxies: Vec<Network>,
    /// The broker's user for the public pages; `None` for an anonymous client.
    pub public_username: Option<String>,
    /// The place of that user's password; set only beside a user name.
    pub public_password: Option<SecretSource>,
}

/// A tournament whose standings the overlay shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournament {
    /// Its name in addresses.
    pub id: String,
    /// Its tournament report.
    pub file: PathBuf,
    /// The rounds whose results in the file are public; `None` if the public's games decide.
    pub published_rounds: Option<u16>,
}

/// An API for programs that were written for `LiveChess`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveChess {
    /// Whether it is served.
    pub enabled: bool,
    /// Its address.
    pub listen: SocketAddr,
    /// Whose view it shows.
    pub audience: LiveChessAudience,
    /// The web pages that may connect.
    pub origins: Vec<Origin>,
    /// The broker's user; `None` for an anonymous client.
    pub username: Option<String>,
    /// The place of that user's password; set only beside a user name.
    pub password: Option<SecretSource>,
}

/// The trusted authorities and our own certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tls {
    /// The certificate authorities trusted to identify the broker; `None` for those of this
    /// computer.
    pub ca_file: Option<PathBuf>,
    /// Our client certificate.
    pub identity: Option<Identity>,
    /// The directory for the TLS sockets.
    pub runtime_dir: PathBuf,
}

/// A certificate and its private key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The file of the certificate.
    pub certificates: PathBuf,
    /// The place of the private key.
    pub key: SecretSource,
}

/// The Laws of Chess in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laws {
    /// The event's regulations.
    pub regulations: Regulations,
    /// When a result is final.
    pub confirm: Confirm,
    /// How long a red alert may stay unacknowledged, in milliseconds; 0 for no limit.
    pub escalate_ms: u64,
    /// How long the clock may run for the wrong player before an alert, in milliseconds; 0 for no
    /// limit.
    pub clock_mismatch_ms: u64,
}

/// Who may see what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// How strictly information is withheld from the players.
    pub profile: Profile,
    /// Delay of the public view, in milliseconds.
    pub delay_ms: u64,
    /// Number of the last plies of a running game that the public does not see.
    pub delay_plies: u32,
    /// The shortest delay at which the public sees counters and claims that the profile would
    /// withhold, in milliseconds.
    pub public_draw_after_ms: u64,
    /// Whether operators see the draw state.
    pub operator_draw: bool,
    /// The audiences that the profile `club` opens; empty with any other profile.
    pub open: BTreeSet<Opened>,
    /// The languages of texts: at least one, without duplicates.
    pub languages: Vec<Language>,
}

impl Audience {
    /// Whether the public view is delayed so long that counters and claims no longer help a player.
    #[must_use]
    pub const fn delays_draws(&self) -> bool {
        self.delay_ms >= self.public_draw_after_ms
    }
}

/// What leaves for the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broadcast {
    /// The folder of PGN files, an absolute path.
    pub folder: Option<PathBuf>,
    /// What folder, HTTP and upload contain.
    pub dialect: DialectChoice,
    /// Whether the pages' server has the games.
    pub http: bool,
    /// Where files are pushed to.
    pub upload: Option<Upload>,
    /// The Lichess broadcast.
    pub lichess: Option<Lichess>,
}

impl Broadcast {
    /// Whether anything leaves at all.
    #[must_use]
    pub const fn is_used(&self) -> bool {
        self.folder.is_some() || self.http || self.upload.is_some() || self.lichess.is_some()
    }
}

/// Where PGN files are pushed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Upload {
    /// A web server, by HTTP PUT.
    Http {
        /// The address of the folder, without a slash at its end.
        url: String,
        /// The place of the header `Authorization`.
        authorization: Option<SecretSource>,
    },
    /// A server with SFTP.
    Sftp {
        /// The folder.
        address: Address,
        /// How the user logs in.
        login: SshLogin,
        /// The place of the server's keys.
        host_keys: HostKeySource,
    },
    /// A server with FTP over TLS.
    Ftps {
        /// The folder.
        address: Address,
        /// The place of the user's password.
        password: SecretSource,
        /// The certificate authorities that may identify the server; `None` for those of this
        /// computer.
        ca_file: Option<PathBuf>,
    },
}

/// How a user logs in to an SFTP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SshLogin {
    /// With the password in this place.
    Password(SecretSource),
    /// With the private key in this place.
    Key(SecretSource),
}

/// Where the host keys of an SFTP server are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostKeySource {
    /// In the configuration: at least one.
    Fingerprints(Vec<Fingerprint>),
    /// In a file of the form `known_hosts`.
    KnownHosts(PathBuf),
}

/// A Lichess broadcast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lichess {
    /// The server, without a slash at its end.
    pub host: String,
    /// The ids of the Lichess rounds by the number of ours; none for a round that is left out. All
    /// rounds may be without any only with a tournament.
    pub rounds: BTreeMap<u32, Vec<String>>,
    /// The id of the tournament in which rounds are created.
    pub tournament: Option<String>,
    /// The place of the token; absent only in a dry run.
    pub token: Option<SecretSource>,
    /// The token's user; empty if unknown.
    pub user: String,
    /// Where the bodies are written instead of being sent, an absolute path.
    pub dry_run: Option<PathBuf>,
}

/// A server that passes alerts on to phones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// Its address. It is never logged.
    pub url: Secret,
    /// How it takes messages.
    pub kind: remisd_broadcast::notify::Kind,
    /// The place of the access token.
    pub token: Option<SecretSource>,
    /// The least urgent level of alerts that are sent.
    pub least: Level,
    /// The language of the messages.
    pub language: Language,
    /// The most messages a minute.
    pub rates: Rates,
}

/// The durable record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// Its directory, an absolute path.
    pub dir: PathBuf,
    /// The mount point that must be mounted before the directory is used, an absolute path.
    pub mount: Option<PathBuf>,
    /// Number of days a game is kept after its last entry; 0 for no limit.
    pub keep_days: u64,
    /// Whether the players' names are recorded.
    pub names: Names,
    /// How much raw data is kept; none if a game may have none.
    pub raw: RawLimits,
}

/// A board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// The board's name.
    pub id: BoardId,
    /// What its moves come from.
    pub source: BoardSource,
    /// How the board lies on the table.
    pub orientation: OrientationSetting,
    /// The side of the clock on which White's time runs.
    pub clock_white: ClockSide,
    /// What begins a new game.
    pub new_game: NewGame,
    /// The second account with which its moves are compared.
    pub compare: Option<Compare>,
    /// How moves are recognised.
    pub hand: Hand,
    /// How the daemon talks to a DGT board.
    pub dgt: Dgt,
}

/// What a board's moves come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardSource {
    /// Sensors on a port.
    Port(BoardPort),
    /// Games that another program writes.
    Feed(BoardFeed),
    /// Sensors that `LiveChess` reads.
    LiveChess(BoardLiveChess),
    /// Commands of devices.
    Commands,
}

/// A second account of a board's game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compare {
    /// Games that another program writes.
    Feed(BoardFeed),
    /// Another board of this daemon.
    Board(BoardId),
}

/// A board with sensors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardPort {
    /// The board's family.
    pub kind: Kind,
    /// The device, an absolute path.
    pub port: String,
    /// The serial number that the board must report, if set.
    pub serial: Option<String>,
}

/// A board whose game another program writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardFeed {
    /// Where the games are.
    pub location: Location,
    /// The board's number there, unique.
    pub number: u32,
    /// How often it is looked at, in milliseconds.
    pub poll_ms: u64,
}

/// A board that `LiveChess` reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardLiveChess {
    /// Its address: `ws://127.0.0.1:1982`.
    pub url: String,
    /// The board's serial number, unique there.
    pub serial: String,
    /// Which of the moves that it reconstructs are compared.
    pub compared: LiveChessMoves,
}

impl Board {
    /// The kind, as the configuration writes it.
    #[must_use]
    pub const fn kind(&self) -> BoardKind {
        match &self.source {
            BoardSource::Port(BoardPort {
                kind: Kind::Dgt, ..
            }) => BoardKind::Dgt,
            BoardSource::Feed(_) => BoardKind::Pgn,
            BoardSource::LiveChess(_) => BoardKind::LiveChess,
            BoardSource::Commands => BoardKind::Commands,
        }
    }

    /// Its port or source, without what may be secret; empty if it has none.
    #[must_use]
    pub fn place(&self) -> String {
        match &self.source {
            BoardSource::Port(port) => port.port.clone(),
            BoardSource::Feed(feed) => feed.location.to_string(),
            BoardSource::LiveChess(board) => board.url.clone(),
            BoardSource::Commands => String::new(),
        }
    }

    /// The serial number that the board must report, if set.
    #[must_use]
    pub fn serial(&self) -> Option<&str> {
        match &self.source {
            BoardSource::Port(port) => port.serial.as_deref(),
            BoardSource::Feed(_) | BoardSource::Commands => None,
            BoardSource::LiveChess(board) => Some(&board.serial),
        }
    }
}

/// How moves are recognised; times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hand {
    /// How long the pieces must stay in the starting position before a new game begins.
    pub new_game_ms: u64,
    /// How long an impossible position may last before an alert is raised.
    pub mismatch_ms: u64,
    /// What a pawn becomes on a board that does not identify pieces.
    pub promotion: Promotion,
    /// Speed of the hands, as a multiple of a person's.
    pub speed: u64,
}

/// How the daemon talks to a DGT board; times are in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dgt {
    /// The pause between two commands.
    pub command_gap_ms: u64,
    /// How long the line must be quiet before a dump is requested.
    pub quiet_ms: u64,
    /// How long a dump may be postponed while pieces move.
    pub burst_ms: u64,
    /// How often a dump is requested while nothing happens.
    pub dump_every_ms: u64,
    /// How long an answer may take.
    pub answer_ms: u64,
}
