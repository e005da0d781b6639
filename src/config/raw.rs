//! The configuration as it is written: every key once, with its default.
//!
//! This is the table that everything else is made from: what the file may hold, the
//! names of the environment variables, the schema, and what `remisd check` prints.
//! Nothing here is checked yet; that is the work of `validate`.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    editions::editions,
    secret::Secret,
    valid::{Agreement, Names, NewGame, Opened, Profile},
    value::{Choice, Count, Key, Ms, NameText, Value, Written},
};
use crate::words::Language;
use remisd_board::{ClockSide, Kind, OrientationSetting};
use remisd_game::Confirm;
use remisd_hand::Promotion;
use remisd_laws::{ClaimantLoses, FlagCall, Rate};

/// The longest broadcast delay: two hours.
pub const LONGEST_DELAY_MS: i64 = 7_200_000;

/// A part of the configuration that can be walked through key by key.
pub trait Part {
    /// Shows each key below `path` to `see`, in the order of the table.
    fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value));
}

impl<T: Written> Part for Key<T> {
    fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value)) {
        see(path, self);
    }
}

impl Part for Vec<Spanned<Board>> {
    fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value)) {
        for (number, board) in self.iter_mut().enumerate() {
            board.get_mut().walk(&format!("{path}.{number}"), see);
        }
    }
}

macro_rules! section {
    ($(#[$about:meta])* $name:ident { $($(#[$key_about:meta])* $key:ident: $type:ty = $default:expr,)* }) => {
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        $(#[$about])*
        #[serde(deny_unknown_fields, default)]
        #[allow(clippy::struct_field_names, reason = "units stand in the names of some sections")]
        pub struct $name {
            $($(#[$key_about])* pub $key: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }

        impl Part for $name {
            fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value)) {
                $(
                    let name = stringify!($key);
                    let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                    self.$key.walk(&below, see);
                )*
            }
        }
    };
}

section! {
    /// The configuration of remisd.
    File {
        /// Where the boards stand.
        site: Site = Site::default(),
        /// The broker that is told.
        mqtt: Mqtt = Mqtt::default(),
        /// The Laws of Chess that are in force.
        laws: Laws = Laws::default(),
        /// Who may know what.
        audience: Audience = Audience::default(),
        /// How many commands may come.
        limits: Limits = Limits::default(),
        /// The durable record.
        journal: Journal = Journal::default(),
        /// Pages, and what the daemon shows of itself.
        http: Http = Http::default(),
        /// The boards.
        #[schemars(with = "Vec<Board>")]
        board: Vec<Spanned<Board>> = Vec::new(),
    }
}

section! {
    /// Where the boards stand.
    Site {
        /// The venue or event: the third level of every topic.
        id: Key<NameText> = Key::default("hall"),
        /// This daemon's name within the site.
        node: Key<NameText> = Key::default("remisd"),
    }
}

section! {
    /// Pages, and what the daemon shows of itself.
    Http {
        /// Where pages are served, as `127.0.0.1:9120`, and for this computer alone `/healthz`
        /// and `/metrics`. Without it nothing is served.
        listen: Key<String> = Key::unset(),
        /// Whether `run` serves pages; else only health and metrics.
        pages: Key<bool> = Key::default(true),
        /// The names under which browsers may ask for pages, beside addresses and this
        /// computer's own name.
        names: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// The addresses of web servers that stand before the pages, as `127.0.0.1` or
        /// `192.0.2.0/24`: what they say of where a request comes from is believed.
        trusted_proxies: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// The broker's user who reads for the public pages; without it nobody in particular.
        public_username: Key<String> = Key::unset(),
        /// A file that holds that user's password and that only its owner may read.
        public_password_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that user's password.
        public_password_credential: Key<String> = Key::unset(),
    }
}

section! {
    /// How many commands a second each role may give at each board; beyond that it is answered
    /// `busy`.
    Limits {
        /// The arbiter.
        arbiter: Key<Count<1, 1000>> = Key::default(20),
        /// The operator.
        operator: Key<Count<1, 1000>> = Key::default(10),
        /// Each of the two players.
        player: Key<Count<1, 1000>> = Key::default(5),
        /// The chess clock.
        clock: Key<Count<1, 1000>> = Key::default(10),
        /// What a role has not used is kept for so many seconds, to be used at once.
        burst_s: Key<Count<1, 60>> = Key::default(4),
    }
}

section! {
    /// The broker that is told.
    Mqtt {
        /// The broker: `mqtt://HOST[:PORT]`, or `mqtts://` where it speaks TLS; port 1883 or
        /// 8883 if none is given.
        url: Key<String> = Key::default("mqtt://localhost:1883"),
        /// The client id at the broker, always the same; without it `remisd-<site>-<node>-` with a
        /// random part that nobody can guess.
        client_id: Key<String> = Key::unset(),
        /// The user's name at the broker; without it the daemon is anonymous.
        username: Key<String> = Key::unset(),
        /// The password itself; better kept in a file or a credential.
        password: Key<Secret> = Key::unset(),
        /// A file that holds the password and that only its owner may read.
        password_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds the password.
        password_credential: Key<String> = Key::unset(),
        /// The authorities that may vouch for the broker, in PEM; by default those that this
        /// computer trusts.
        ca_file: Key<String> = Key::unset(),
        /// The certificate that we show to a broker that asks for one, in PEM.
        cert_file: Key<String> = Key::unset(),
        /// A file that holds its private key, in PEM, and that only its owner may read.
        key_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds the private key.
        key_credential: Key<String> = Key::unset(),
        /// The prefix under which Home Assistant looks for devices, as `homeassistant`; without
        /// it nothing is told there.
        home_assistant: Key<NameText> = Key::unset(),
    }
}

section! {
    /// The Laws of Chess that are in force.
    Laws {
        /// The edition of the Laws.
        #[schemars(extend("enum" = editions()))]
        edition: Key<String> = Key::default("fide-2023"),
        /// The rate of play.
        rate: Key<Choice<Rate>> = Key::default("standard"),
        /// Whether an arbiter watches so few games that the Competition Rules apply to
        /// rapid and blitz, too.
        supervised: Key<bool> = Key::default(false),
        /// Whether a result stands at once or when the arbiter has confirmed it.
        confirm: Key<Choice<Confirm>> = Key::default("arbiter"),
        /// How long a red alert may stay unacknowledged before it is escalated; 0 for ever.
        escalate_ms: Key<Ms<0>> = Key::default(20_000),
        /// How long the clock may run for the player who does not have the move before that
        /// is told; 0 for ever.
        clock_mismatch_ms: Key<Ms<0>> = Key::default(60_000),
        /// When a draw may be agreed: freely, or never without the arbiter's consent.
        agreement: Key<Choice<Agreement>> = Key::default("free"),
        /// Moves that both players must have made before a draw may be agreed without the
        /// arbiter's consent; 0 for none.
        agreement_after_moves: Key<Count<0, 500>> = Key::default(0),
        /// Whether the event has announced the claim in the last two minutes.
        quickplay_announced: Key<bool> = Key::default(false),
        /// Whether time is added with every move.
        increment: Key<bool> = Key::default(false),
        /// What the event sets where the text of its edition was not read.
        provisional: Provisional = Provisional::default(),
    }
}

section! {
    /// What the event sets where the text of its edition was not read. Only what that
    /// edition's table marks as provisional may be set.
    Provisional {
        /// What the opponent's clock gains by an incorrect claim, in seconds.
        incorrect_claim_bonus_s: Key<Count<0, 3600>> = Key::unset(),
        /// What the claimant's clock loses by an incorrect claim.
        incorrect_claim_claimant: Key<Choice<ClaimantLoses>> = Key::unset(),
        /// What the opponent's clock gains by an illegal move, in seconds.
        illegal_move_bonus_s: Key<Count<0, 3600>> = Key::unset(),
        /// Which illegal move of a player loses; 0 where none does.
        illegal_moves_lose_at: Key<Count<0, 100>> = Key::unset(),
        /// Whether the arbiter calls a fallen flag in rapid and blitz.
        flag_call: Key<Choice<FlagCall>> = Key::unset(),
        /// Whether the claim in the last two minutes needs the move.
        quickplay_needs_the_move: Key<bool> = Key::unset(),
        /// Whether the arbiter can reject that claim at once.
        quickplay_may_reject: Key<bool> = Key::unset(),
        /// Whether an illegal position that still stands after the next move is a draw.
        illegal_position_draws: Key<bool> = Key::unset(),
        /// Whether a win on time needs time left on the claimant's own clock.
        flag_claim_needs_time: Key<bool> = Key::unset(),
        /// Whether the game is drawn when both flags have fallen in the last period.
        both_flags_drawn_in_last_period: Key<bool> = Key::unset(),
    }
}

section! {
    /// Who may know what.
    Audience {
        /// How strictly the players are kept from knowing.
        profile: Key<Choice<Profile>> = Key::default("competition"),
        /// How long the public waits, in milliseconds.
        delay_ms: Key<Ms<0, LONGEST_DELAY_MS>> = Key::default(0),
        /// The shortest delay with which the public of a competition gets counters and claims,
        /// in milliseconds; with a shorter one it gets neither.
        public_draw_after_ms: Key<Ms<0, LONGEST_DELAY_MS>> = Key::default(900_000),
        /// Whether operators see the draw state.
        operator_draw: Key<bool> = Key::default(false),
        /// The audiences that the profile `club` opens.
        open: Key<Vec<Choice<Opened>>> = Key::default(Vec::<Choice<Opened>>::new()),
        /// The languages of the texts beside the codes, the first one first; `de-ch` is
        /// German in Swiss spelling, without ß.
        languages: Key<Vec<Choice<Language>>> = Key::default(vec![Choice::<Language>::from("en")]),
    }
}

section! {
    /// The durable record.
    Journal {
        /// Its directory; by default `$STATE_DIRECTORY/journal`.
        dir: Key<String> = Key::unset(),
        /// Where a file system must be mounted before the directory is made or read; without
        /// it the directory may lie anywhere.
        mount: Key<String> = Key::unset(),
        /// For how many days a game is kept after its last entry; 0 for ever.
        keep_days: Key<Count<0, 36_500>> = Key::default(0),
        /// Whether the players' names are written down.
        names: Key<Choice<Names>> = Key::default("keep"),
        /// How much of what goes over a board's line is kept for each game, in KiB on the disk;
        /// 0 for nothing.
        raw_kib: Key<Count<0, 65_536>> = Key::default(512),
        /// How much of it is kept for each board, in KiB on the disk: the oldest makes room.
        raw_board_kib: Key<Count<0, 16_777_216>> = Key::default(32_768),
    }
}

section! {
    /// One board. `id`, `kind` and `port` must be set.
    #[schemars(extend("required" = ["id", "kind", "port"]))]
    Board {
        /// The board's name, a level of its topics.
        id: Key<NameText> = Key::unset(),
        /// The family of boards that it belongs to.
        kind: Key<Choice<Kind>> = Key::unset(),
        /// The device, by a name that stays: `/dev/serial/by-id/…`.
        port: Key<String> = Key::unset(),
        /// The serial number that the board tells (`remisd ports --probe`): no other board is
        /// read in its place.
        serial: Key<String> = Key::unset(),
        /// How the board lies on the table.
        orientation: Key<Choice<OrientationSetting>> = Key::default("auto"),
        /// On which side of the clock, seen from behind it, White's time runs.
        clock_white: Key<Choice<ClockSide>> = Key::default("auto"),
        /// Whether pieces on their first squares begin a new game.
        new_game: Key<Choice<NewGame>> = Key::default("automatic"),
        /// How the hand is read.
        hand: Hand = Hand::default(),
        /// How a board of the kind `dgt` is spoken to.
        dgt: Dgt = Dgt::default(),
    }
}

section! {
    /// How the hand is read: how long to wait before it is believed, and what is not seen.
    Hand {
        /// How long a move must stand still that nothing else has settled.
        settle_ms: Key<Ms<0>> = Key::default(900),
        /// How long a rook's step that may be half of castling stands before it is settled.
        castling_hold_ms: Key<Ms<0>> = Key::default(3_000),
        /// How long the first squares must be held before a new game begins.
        new_game_ms: Key<Ms<0>> = Key::default(3_000),
        /// How long an impossible position may last before it is an alert.
        mismatch_ms: Key<Ms<1>> = Key::default(2_000),
        /// How long the board takes to look at all of its squares.
        scan_ms: Key<Ms<1>> = Key::default(280),
        /// What a pawn becomes on a board that does not know its pieces: a queen, which is
        /// told as assumed, or what the arbiter says. No supported board needs it yet.
        promotion: Key<Choice<Promotion>> = Key::default("queen"),
        /// How many times faster than people's the hands are: for simulated boards.
        speed: Key<Count<1, 1000>> = Key::default(1),
    }
}

section! {
    /// How a board of the kind `dgt` is spoken to.
    Dgt {
        /// The pause between two commands.
        command_gap_ms: Key<Ms<0>> = Key::default(100),
        /// How long the line must be quiet before a check of all squares is asked for.
        quiet_ms: Key<Ms<1>> = Key::default(150),
        /// How long a check of all squares may be put off while pieces move.
        burst_ms: Key<Ms<1>> = Key::default(1_000),
        /// How often all squares are asked for when nothing happens.
        dump_every_ms: Key<Ms<1>> = Key::default(5_000),
        /// How long an answer may take before the board counts as lost.
        answer_ms: Key<Ms<1>> = Key::default(1_000),
    }
}
