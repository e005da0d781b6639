//! The configuration as written: every key once, with its default.
//!
//! This table is the source of everything else: the accepted file, the names of the environment
//! variables, the schema, and the output of `remisd check`. It checks no values; `validate` does
//! that.

use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{
    choices::{
        Agreement, BoardKind, LiveChessAudience, LiveChessMoves, Names, NewGame, NotifyKind,
        Opened, Profile, Severity,
    },
    editions::editions,
    part::{Part, section},
    rounds::PrivateRounds,
    secret::Secret,
    value::{Choice, Count, Key, Ms, NameText, Value},
};
use crate::words::Language;
use remisd_board::{ClockSide, OrientationSetting};
use remisd_broadcast::folder::DialectChoice;
use remisd_game::Confirm;
use remisd_laws::{ClaimantLoses, FlagCall, Rate};
use remisd_vocabulary::reading::Promotion;

/// The longest broadcast delay: two hours.
pub const LONGEST_DELAY_MS: i64 = 7_200_000;

section! {
    /// The configuration of remisd.
    File {
        /// The venue and this daemon's name in it.
        site: Site = Site::default(),
        /// The MQTT broker.
        mqtt: Mqtt = Mqtt::default(),
        /// The Laws of Chess in force.
        laws: Laws = Laws::default(),
        /// Who may see what.
        audience: Audience = Audience::default(),
        /// Rate limits for commands.
        limits: Limits = Limits::default(),
        /// The durable record.
        journal: Journal = Journal::default(),
        /// Web pages, health and metrics.
        http: Http = Http::default(),
        /// What leaves for the world.
        broadcast: Broadcast = Broadcast::default(),
        /// An API for programs that were written for `LiveChess`.
        livechess: LiveChess = LiveChess::default(),
        /// Access to private rounds of Lichess broadcasts.
        private_rounds: PrivateRounds = PrivateRounds::default(),
        /// Servers that pass alerts on to phones.
        #[schemars(with = "Vec<Notify>")]
        notify: Vec<Spanned<Notify>> = Vec::new(),
        /// The tournaments whose standings the overlay shows.
        #[schemars(with = "Vec<Tournament>")]
        tournament: Vec<Spanned<Tournament>> = Vec::new(),
        /// The boards.
        #[schemars(with = "Vec<Board>")]
        board: Vec<Spanned<Board>> = Vec::new(),
    }
}

section! {
    /// The venue and this daemon's name in it.
    Site {
        /// The venue or event: the third level of every topic.
        id: Key<NameText> = Key::default("hall"),
        /// This daemon's name within the site.
        node: Key<NameText> = Key::default("remisd"),
    }
}

section! {
    /// Web pages, health and metrics.
    Http {
        /// The address of the pages, such as `127.0.0.1:9120`. Clients on this computer also get
        /// `/healthz` and `/metrics` there. Without it nothing is served.
        listen: Key<String> = Key::unset(),
        /// Whether `run` serves pages; otherwise only health and metrics.
        pages: Key<bool> = Key::default(true),
        /// The host names under which browsers may request pages, besides IP addresses and this
        /// computer's own name.
        names: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// Further sites at the same broker, whose pages are served under `/site/<id>/`.
        sites: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// The addresses of reverse proxies in front of the pages, such as `127.0.0.1` or
        /// `192.0.2.0/24`. What they report about a request's origin is trusted.
        trusted_proxies: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// The broker's user for the public pages; without it they connect anonymously.
        public_username: Key<String> = Key::unset(),
        /// A file that holds that user's password and that only its owner may read.
        public_password_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that user's password.
        public_password_credential: Key<String> = Key::unset(),
    }
}

section! {
    /// A tournament whose standings the overlay shows.
    Tournament {
        /// Its name in addresses, such as `open-a`.
        id: Key<NameText> = Key::unset(),
        /// Its tournament report (TRF). It is read again when it changes.
        file: Key<String> = Key::unset(),
        /// The number of rounds whose results in the file are public. Those of later rounds come
        /// from the games that the public sees. Without it, a round is public once every board shows
        /// a later one.
        published_rounds: Key<Count<0, 128>> = Key::unset(),
    }
}

section! {
    /// An API for programs that were written for `LiveChess`.
    LiveChess {
        /// Whether the API is served.
        enabled: Key<bool> = Key::default(false),
        /// Its address. Whoever can connect can read everything that the audience sees.
        listen: Key<String> = Key::default("127.0.0.1:1982"),
        /// Whose view it shows: live boards, as the arbiter's or the operator's topics have them,
        /// or the delayed game of the public.
        audience: Key<Choice<LiveChessAudience>> = Key::default("operator"),
        /// The web pages that may connect, besides those of lichess.org and chess.com, such as
        /// `https://chess.example.org`.
        origins: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// The broker's user that may read the audience's topics; without it the API connects
        /// anonymously.
        username: Key<String> = Key::unset(),
        /// A file that holds that user's password and that only its owner may read.
        password_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that user's password.
        password_credential: Key<String> = Key::unset(),
    }
}

section! {
    /// What leaves for the world: the games that the public sees, as PGN.
    Broadcast {
        /// The folder in which `round-N/game-M.pgn` and `round-N/games.pgn` are written; without it
        /// no files are.
        folder: Key<String> = Key::unset(),
        /// Whether the pages' server has the games at `/pgn/round.pgn` and `/pgn/game-M.pgn`.
        http: Key<bool> = Key::default(false),
        /// What folder, HTTP and upload contain: `feed` is what broadcasts take, `archive`
        /// everything that the public may know.
        dialect: Key<Choice<DialectChoice>> = Key::default("feed"),
        /// The address of a folder to which the files are pushed: `https://` by HTTP PUT,
        /// `sftp://user@host:port/folder` by SFTP, `ftps://` by FTP over TLS. `/~/folder` is below
        /// the folder of the login.
        upload_url: Key<String> = Key::unset(),
        /// A file that holds the header `Authorization` for it, such as `Bearer …`, and that only
        /// its owner may read.
        upload_authorization_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that header.
        upload_authorization_credential: Key<String> = Key::unset(),
        /// A file that holds the user's password for SFTP or FTPS and that only its owner may read.
        upload_password_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that password.
        upload_password_credential: Key<String> = Key::unset(),
        /// A file that holds the user's private key for SFTP, without a passphrase, and that only
        /// its owner may read.
        upload_key_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that private key.
        upload_key_credential: Key<String> = Key::unset(),
        /// The fingerprints of the SFTP server's host keys, as `ssh-keygen -l` prints them:
        /// `SHA256:…`.
        upload_host_keys: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// A file in the form of OpenSSH's `known_hosts` with the SFTP server's host keys.
        upload_known_hosts: Key<String> = Key::unset(),
        /// The certificate authorities that may identify the FTPS server, in PEM; without it those
        /// of this computer.
        upload_ca_file: Key<String> = Key::unset(),
        /// A Lichess broadcast.
        lichess: Lichess = Lichess::default(),
    }
}

section! {
    /// A Lichess broadcast.
    Lichess {
        /// The ids of its rounds, the first round first. For more than 100 boards, a round has
        /// several, with `+` between them. Without any, and without a tournament, nothing is
        /// pushed.
        rounds: Key<Vec<String>> = Key::default(Vec::<String>::new()),
        /// The id of the tournament on Lichess in which rounds are created on command.
        tournament: Key<String> = Key::unset(),
        /// A file that holds an access token with the scope `study:write` and that only its owner
        /// may read.
        token_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that token.
        token_credential: Key<String> = Key::unset(),
        /// The name of the token's user, for Lichess's staff.
        user: Key<String> = Key::unset(),
        /// The folder in which the bodies are written instead of being sent.
        dry_run: Key<String> = Key::unset(),
        /// The server.
        host: Key<String> = Key::default("https://lichess.org"),
    }
}

section! {
    /// A server that passes alerts on to phones. `kind` and `url` must be set.
    #[schemars(extend("required" = ["kind", "url"]))]
    Notify {
        /// How it takes messages.
        kind: Key<Choice<NotifyKind>> = Key::unset(),
        /// Its address: the root of an ntfy server, or the webhook. It is not shown, as that of a
        /// webhook is often a secret.
        url: Key<Secret> = Key::unset(),
        /// The topic of an ntfy server. Whoever knows it can read the messages, so it is not shown.
        topic: Key<Secret> = Key::unset(),
        /// A file that holds an access token and that only its owner may read.
        token_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds that token.
        token_credential: Key<String> = Key::unset(),
        /// The least urgent level of alerts that are sent. A lost board always is.
        min_severity: Key<Choice<Severity>> = Key::default("red"),
        /// The language of the messages; without it the first of `[audience] languages`.
        language: Key<Choice<Language>> = Key::unset(),
        /// The ntfy priority of open alerts.
        priority: Key<Count<1, 5>> = Key::default(5),
        /// The ntfy priority of alerts that were acknowledged or closed.
        quiet_priority: Key<Count<1, 5>> = Key::default(2),
        /// The ntfy tags of open alerts.
        tags: Key<Vec<String>> = Key::default(vec!["warning".to_owned()]),
        /// The most messages a minute about one board.
        board_per_minute: Key<Count<1, 60>> = Key::default(4),
        /// The most messages a minute overall.
        per_minute: Key<Count<1, 600>> = Key::default(12),
    }
}

section! {
    /// Commands per second allowed for each role at each board; any beyond that are answered with
    /// `busy`.
    Limits {
        /// The arbiter.
        arbiter: Key<Count<1, 1000>> = Key::default(20),
        /// The operator.
        operator: Key<Count<1, 1000>> = Key::default(10),
        /// Each of the two players.
        player: Key<Count<1, 1000>> = Key::default(5),
        /// The chess clock, and a device that enters moves.
        clock: Key<Count<1, 1000>> = Key::default(10),
        /// How many seconds' worth of unused commands a role may send in one burst.
        burst_s: Key<Count<1, 60>> = Key::default(4),
    }
}

section! {
    /// The MQTT broker.
    Mqtt {
        /// The broker: `mqtt://HOST[:PORT]`, or `mqtts://` for TLS; the default port is 1883 or
        /// 8883. The addresses of a cluster have commas between them.
        url: Key<String> = Key::default("mqtt://localhost:1883"),
        /// The fixed client id at the broker; without it `remisd-<site>-<node>-` followed by a
        /// random part that cannot be guessed.
        client_id: Key<String> = Key::unset(),
        /// The user name at the broker; without it the daemon connects anonymously.
        username: Key<String> = Key::unset(),
        /// The password itself; preferably kept in a file or a credential instead.
        password: Key<Secret> = Key::unset(),
        /// A file that holds the password and that only its owner may read.
        password_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds the password.
        password_credential: Key<String> = Key::unset(),
        /// The certificate authorities trusted to identify the broker, in PEM; by default those
        /// that this computer trusts.
        ca_file: Key<String> = Key::unset(),
        /// The client certificate for a broker that requests one, in PEM.
        cert_file: Key<String> = Key::unset(),
        /// A file that holds the certificate's private key, in PEM, and that only its owner may
        /// read.
        key_file: Key<String> = Key::unset(),
        /// The name of a systemd credential that holds the private key.
        key_credential: Key<String> = Key::unset(),
        /// The topic prefix under which Home Assistant discovers devices, such as `homeassistant`;
        /// without it nothing is published there.
        home_assistant: Key<NameText> = Key::unset(),
    }
}

section! {
    /// The Laws of Chess in force.
    Laws {
        /// The edition of the Laws.
        #[schemars(extend("enum" = editions()))]
        edition: Key<String> = Key::default("fide-2023"),
        /// The rate of play.
        rate: Key<Choice<Rate>> = Key::default("standard"),
        /// Whether each arbiter supervises few enough games for the Competition Rules to apply to
        /// rapid and blitz as well.
        supervised: Key<bool> = Key::default(false),
        /// Whether a result is final immediately or once the arbiter has confirmed it.
        confirm: Key<Choice<Confirm>> = Key::default("arbiter"),
        /// How long a red alert may stay unacknowledged before it is escalated; 0 for no limit.
        escalate_ms: Key<Ms<0>> = Key::default(20_000),
        /// How long the clock may run for the player who does not have the move before the arbiter
        /// is alerted; 0 for no limit.
        clock_mismatch_ms: Key<Ms<0>> = Key::default(60_000),
        /// When a draw may be agreed: freely, or never without the arbiter's consent.
        agreement: Key<Choice<Agreement>> = Key::default("free"),
        /// Number of moves that both players must have made before a draw may be agreed without the
        /// arbiter's consent; 0 for none.
        agreement_after_moves: Key<Count<0, 500>> = Key::default(0),
        /// Whether the event has announced that draws may be claimed in the last two minutes.
        quickplay_announced: Key<bool> = Key::default(false),
        /// Whether the time control adds time with every move.
        increment: Key<bool> = Key::default(false),
        /// The event's values for rules of the edition whose text was not available.
        provisional: Provisional = Provisional::default(),
    }
}

section! {
    /// The event's values for rules of the edition whose text was not available. Only values that
    /// the edition's table marks as provisional may be set.
    Provisional {
        /// Time that the opponent's clock gains after an incorrect claim, in seconds.
        incorrect_claim_bonus_s: Key<Count<0, 3600>> = Key::unset(),
        /// What an incorrect claim costs on the claimant's clock.
        incorrect_claim_claimant: Key<Choice<ClaimantLoses>> = Key::unset(),
        /// Time that the opponent's clock gains after an illegal move, in seconds.
        illegal_move_bonus_s: Key<Count<0, 3600>> = Key::unset(),
        /// Which illegal move of a player loses the game, counted from 1; 0 if none does.
        illegal_moves_lose_at: Key<Count<0, 100>> = Key::unset(),
        /// Whether the arbiter calls a fallen flag in rapid and blitz.
        flag_call: Key<Choice<FlagCall>> = Key::unset(),
        /// Whether a player must have the move to make the claim in the last two minutes.
        quickplay_needs_the_move: Key<bool> = Key::unset(),
        /// Whether the arbiter may reject that claim immediately.
        quickplay_may_reject: Key<bool> = Key::unset(),
        /// Whether an illegal position that is still on the board after the next move is a draw.
        illegal_position_draws: Key<bool> = Key::unset(),
        /// Whether a win on time needs time left on the claimant's own clock.
        flag_claim_needs_time: Key<bool> = Key::unset(),
        /// Whether the game is drawn when both flags have fallen in the last period.
        both_flags_drawn_in_last_period: Key<bool> = Key::unset(),
    }
}

section! {
    /// Who may see what.
    Audience {
        /// How strictly information is withheld from the players.
        profile: Key<Choice<Profile>> = Key::default("competition"),
        /// Delay of the public view, in milliseconds.
        delay_ms: Key<Ms<0, LONGEST_DELAY_MS>> = Key::default(0),
        /// Number of the last plies of a running game that the public does not see, whatever the
        /// delay in time.
        delay_plies: Key<Count<0, 100>> = Key::default(0),
        /// The shortest delay at which the public of a competition sees counters and claims, in
        /// milliseconds; with a shorter delay it sees neither.
        public_draw_after_ms: Key<Ms<0, LONGEST_DELAY_MS>> = Key::default(900_000),
        /// Whether operators see the draw state.
        operator_draw: Key<bool> = Key::default(false),
        /// The audiences that the profile `club` opens.
        open: Key<Vec<Choice<Opened>>> = Key::default(Vec::<Choice<Opened>>::new()),
        /// The languages of the texts beside the codes, in order of preference; `de-ch` is German
        /// in Swiss spelling, without ß.
        languages: Key<Vec<Choice<Language>>> = Key::default(vec![Choice::<Language>::from("en")]),
    }
}

section! {
    /// The durable record.
    Journal {
        /// Its directory; by default `$STATE_DIRECTORY/journal`.
        dir: Key<String> = Key::unset(),
        /// The mount point that must be mounted before the directory is created or read; without it
        /// the directory may be anywhere.
        mount: Key<String> = Key::unset(),
        /// Number of days a game is kept after its last entry; 0 for no limit.
        keep_days: Key<Count<0, 36_500>> = Key::default(0),
        /// Whether the players' names are recorded.
        names: Key<Choice<Names>> = Key::default("keep"),
        /// How much raw data from a board's line is kept per game, in KiB on the disk; 0 for none.
        raw_kib: Key<Count<0, 65_536>> = Key::default(512),
        /// How much of it is kept per board, in KiB on the disk; the oldest files are removed to
        /// make room.
        raw_board_kib: Key<Count<0, 16_777_216>> = Key::default(32_768),
    }
}

section! {
    /// A board. `id` and `kind` must be set, and `port` or `source` where the kind needs it.
    #[schemars(extend("required" = ["id", "kind"]))]
    Board {
        /// The board's name, a level of its topics.
        id: Key<NameText> = Key::unset(),
        /// What the moves come from: the family of the board, `pgn` for files that another program
        /// writes, `livechess` for a board that `LiveChess` reads, or `commands` for devices that
        /// enter the moves.
        kind: Key<Choice<BoardKind>> = Key::unset(),
        /// For the kind `livechess`: `ws://HOST[:PORT]`, where the default port is 1982.
        /// For the kind `pgn`: the file or folder that the other program writes. Or the address of a
        /// PGN text, with `https://` or `http://`. Or the address of a round of a Lichess broadcast.
        /// A folder has files `game-1.pgn`, … or folders `round-1`, … with such files.
        source: Key<String> = Key::unset(),
        /// The board's number in the source. By default it is the board's place among those of the
        /// same source.
        number: Key<Count<1, 10_000>> = Key::unset(),
        /// How often the source is looked at; by default every second for files, and every five
        /// seconds for an address, which may be requested once a second at most.
        poll_ms: Key<Ms<100>> = Key::unset(),
        /// For other kinds: the device, by a persistent name: `/dev/serial/by-id/…`.
        port: Key<String> = Key::unset(),
        /// The serial number that the board reports (`remisd ports --probe`); a board with another
        /// number is not read. Must be set for the kind `livechess`.
        serial: Key<String> = Key::unset(),
        /// How the board lies on the table.
        orientation: Key<Choice<OrientationSetting>> = Key::default("auto"),
        /// The side of the clock, seen from behind it, on which White's time runs.
        clock_white: Key<Choice<ClockSide>> = Key::default("auto"),
        /// Whether pieces in the starting position begin a new game.
        new_game: Key<Choice<NewGame>> = Key::default("automatic"),
        /// A second account of the game, with which the board's own moves are compared.
        compare: Compare = Compare::default(),
        /// How moves are recognised.
        hand: Hand = Hand::default(),
        /// How the daemon talks to a board of the kind `dgt`.
        dgt: Dgt = Dgt::default(),
    }
}

section! {
    /// Second accounts of the game: a source that another program writes, or another board, and the
    /// moves that `LiveChess` reconstructs of a board that it reads.
    Compare {
        /// The file, folder or address of another program's games, as for the kind `pgn`.
        source: Key<String> = Key::unset(),
        /// The board's number in that source. By default it is the board's place among those that are
        /// compared with it.
        number: Key<Count<1, 10_000>> = Key::unset(),
        /// How often that source is looked at, as for the kind `pgn`.
        poll_ms: Key<Ms<100>> = Key::unset(),
        /// Another board of this daemon at which the same game is played.
        board: Key<NameText> = Key::unset(),
        /// For the kind `livechess`: which of the moves that `LiveChess` reconstructs are compared.
        livechess: Key<Choice<LiveChessMoves>> = Key::default("setup"),
    }
}

section! {
    /// How moves are recognised: the waiting times, and what the sensors cannot show.
    Hand {
        /// How long the pieces must stay in the starting position before a new game begins.
        new_game_ms: Key<Ms<0>> = Key::default(3_000),
        /// How long the board must rest before an impossible position is reported to the arbiter,
        /// and before a likely but not yet certain move is announced.
        mismatch_ms: Key<Ms<1>> = Key::default(2_000),
        /// What a pawn becomes on a board that does not identify pieces: a queen, reported as
        /// assumed, or the arbiter's choice. No supported board needs it yet.
        promotion: Key<Choice<Promotion>> = Key::default("queen"),
        /// Speed of the hands, as a multiple of a person's; for simulated boards.
        speed: Key<Count<1, 1000>> = Key::default(1),
    }
}

section! {
    /// How the daemon talks to a board of the kind `dgt`.
    Dgt {
        /// The pause between two commands.
        command_gap_ms: Key<Ms<0>> = Key::default(100),
        /// How long the line must be quiet before a dump is requested.
        quiet_ms: Key<Ms<1>> = Key::default(150),
        /// How long a dump may be postponed while pieces move.
        burst_ms: Key<Ms<1>> = Key::default(1_000),
        /// How often a dump is requested while nothing happens.
        dump_every_ms: Key<Ms<1>> = Key::default(5_000),
        /// After how long an unanswered request for a dump is repeated. After three the board
        /// counts as lost.
        answer_ms: Key<Ms<1>> = Key::default(1_000),
    }
}
