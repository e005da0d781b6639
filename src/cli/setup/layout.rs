//! The files of a configuration: their paths and contents.
//!
//! ```text
//! of a system                       in a directory
//! /etc/mosquitto/conf.d/remisd.conf DIR/mosquitto.conf   the broker's configuration
//! /etc/mosquitto/remisd.acl         DIR/mosquitto.acl    who may read and write what
//! /etc/mosquitto/remisd.passwd      DIR/mosquitto.passwd the users, with hashed passwords
//! /etc/remisd/mqtt-password         DIR/mqtt-password    for the daemon
//! /etc/remisd/public-password       DIR/public-password  for the public pages
//! /etc/remisd/passwords             DIR/passwords        for people and devices
//! /etc/remisd/remisd.toml           DIR/remisd.toml      the daemon's configuration
//! ```
//!
//! The broker's configuration and access list are those of `config/mosquitto`; only paths,
//! addresses and boards are filled in.

use std::{
    fmt::Write as _,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use super::{
    answers::Answers,
    boards::BoardPort,
    files::{NewFile, make_directory},
    owner::Owner,
    users::{DAEMON, PUBLIC, Users},
};
use crate::config::Opened;

const BROKER: &str = include_str!("../../../config/mosquitto/remisd.conf");
const ACCESS: &str = include_str!("../../../config/mosquitto/acl");
/// The configuration that the package installs.
const EXAMPLE: &str = include_str!("../../../config/remisd.toml");

/// The paths and the listener in the shipped broker configuration, to be replaced.
const BROKER_PASSWORDS: &str = "/etc/mosquitto/remisd.passwd";
const BROKER_ACCESS: &str = "/etc/mosquitto/remisd.acl";
const LISTENER: &str = "listener 1883 127.0.0.1";
/// The limit of each listener in the shipped configuration: enough for 28 boards.
const MAX_CONNECTIONS: &str = "max_connections 256";
/// Files that a process may have open by default, less some for the broker itself.
const OPEN_FILES: usize = 900;
/// In the access list, the topics of the site begin with this.
const SITE: &str = "chess/v1/hall/";
/// In the access list, the rules for the devices of board b1 begin with this line.
const FIRST_DEVICE: &str = "user b1-";
/// The rules for a device that enters moves begin with this line; no board that `setup` finds has
/// one.
const MOVE_DEVICE: &str = "\n# A device that enters the moves";

/// The paths and owners of the files.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The directory of the daemon's files.
    daemon: PathBuf,
    /// The paths of the broker's three files.
    broker: [PathBuf; 3],
    /// The users that run the daemon and the broker.
    runs_daemon: Owner,
    runs_broker: Owner,
    /// The directory, if everything is in one.
    dir: Option<PathBuf>,
}

impl Layout {
    /// The layout of a system with the packages remisd and mosquitto.
    ///
    /// # Errors
    ///
    /// The caller is not root, or one of the packages' users is missing.
    pub fn of_system() -> anyhow::Result<Self> {
        anyhow::ensure!(
            is_root(),
            "the system's configuration is root's: run this with sudo, or use --dir DIR"
        );
        let etc = Path::new("/etc/mosquitto");
        Ok(Self {
            daemon: "/etc/remisd".into(),
            broker: [
                etc.join("conf.d/remisd.conf"),
                BROKER_ACCESS.into(),
                BROKER_PASSWORDS.into(),
            ],
            runs_daemon: Owner::named("remisd")?,
            runs_broker: Owner::named("mosquitto")?,
            dir: None,
        })
    }

    /// A layout with everything in one directory.
    ///
    /// # Errors
    ///
    /// The directory's name is not valid in a configuration.
    pub fn in_directory(dir: &Path) -> anyhow::Result<Self> {
        let dir = std::path::absolute(dir).with_context(|| dir.display().to_string())?;
        let name = dir.to_string_lossy();
        anyhow::ensure!(
            dir.to_str().is_some() && !name.contains(char::is_control),
            "the name of the directory {} cannot be written into a configuration",
            name.escape_debug()
        );
        Ok(Self {
            daemon: dir.clone(),
            broker: ["mosquitto.conf", "mosquitto.acl", "mosquitto.passwd"]
                .map(|name| dir.join(name)),
            runs_daemon: Owner::Own,
            runs_broker: Owner::Own,
            dir: Some(dir),
        })
    }

    /// The path of the daemon's configuration.
    pub fn config(&self) -> PathBuf {
        self.daemon.join("remisd.toml")
    }

    /// The path of the passwords for people and devices.
    pub fn passwords(&self) -> PathBuf {
        self.daemon.join("passwords")
    }

    fn mqtt_password(&self) -> PathBuf {
        self.daemon.join("mqtt-password")
    }

    fn public_password(&self) -> PathBuf {
        self.daemon.join("public-password")
    }

    /// The commands that start the broker and the daemon.
    pub fn start(&self) -> Vec<String> {
        if self.dir.is_none() {
            return vec!["systemctl restart mosquitto remisd".to_owned()];
        }
        let quoted =
            |path: PathBuf| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
        vec![
            format!("/usr/sbin/mosquitto -c {}", quoted(self.broker[0].clone())),
            format!("remisd run --config {}", quoted(self.config())),
        ]
    }

    /// Whether the broker of a directory runs as root.
    pub fn runs_as_root(&self) -> bool {
        self.dir.is_some() && is_root()
    }

    /// Whether everything is in one directory.
    pub const fn is_directory(&self) -> bool {
        self.dir.is_some()
    }

    /// The number of connections that the broker may open, and the limit of open files that it
    /// needs for them; `None` if the usual limit is enough.
    pub fn open_files(&self, answers: &Answers) -> Option<(usize, usize)> {
        let needed = self.listeners(answers).len() * connections(answers.boards.len());
        (needed > OPEN_FILES).then_some((needed, needed + 124))
    }

    /// The addresses on which the broker listens: for the daemon, and for all others.
    pub fn listeners(&self, answers: &Answers) -> Vec<SocketAddr> {
        let own = self.own_listener(answers.mqtt, answers.http);
        let mut all = vec![own, answers.mqtt];
        all.dedup();
        all
    }

    /// Creates the directories, unless they exist.
    ///
    /// # Errors
    ///
    /// The operating system's error.
    pub fn make_directories(&self) -> anyhow::Result<()> {
        let Some(dir) = &self.dir else { return Ok(()) };
        make_directory(dir)?;
        make_directory(&dir.join("broker"))
    }

    /// All files.
    ///
    /// # Errors
    ///
    /// Random numbers are not available.
    pub fn files(&self, answers: &Answers, users: &Users) -> anyhow::Result<Vec<NewFile>> {
        let Answers {
            boards, mqtt, http, ..
        } = answers;
        let file = |path: PathBuf, content: String, owner: Owner, mode: u32| NewFile {
            path,
            content,
            mode,
            owner,
            example: None,
        };
        let (daemon, broker) = (self.runs_daemon, self.runs_broker);
        let [conf, access, passwd] = self.broker.clone();
        let secret = |user: &str| format!("{}\n", users.password(user));
        Ok(vec![
            file(
                conf,
                self.broker_conf(boards.len(), *mqtt, *http),
                Owner::Own,
                0o644,
            ),
            file(
                access,
                access_list(answers.site.as_str(), boards),
                broker,
                0o600,
            ),
            file(passwd, users.hashed()?, broker, 0o600),
            file(self.mqtt_password(), secret(DAEMON), daemon, 0o600),
            file(self.public_password(), secret(PUBLIC), daemon, 0o600),
            file(self.passwords(), users.handed_out_list(), Owner::Own, 0o600),
            NewFile {
                example: Some(EXAMPLE),
                ..file(
                    self.config(),
                    self.daemon_config(answers),
                    daemon.readable(),
                    0o640,
                )
            },
        ])
    }

    fn broker_conf(&self, boards: usize, mqtt: SocketAddr, http: SocketAddr) -> String {
        let [conf, access, passwd] = &self.broker;
        let listener = |at: SocketAddr| format!("listener {} {}\n", at.port(), at.ip());
        let mut listeners = listener(mqtt);
        let own = self.own_listener(mqtt, http);
        let limit = format!("max_connections {}", connections(boards));
        if own != mqtt {
            listeners = format!("{}{MAX_CONNECTIONS}\n{listeners}", listener(own));
        }
        let mut text = BROKER
            .replace(
                "/etc/mosquitto/conf.d/remisd.conf",
                &conf.display().to_string(),
            )
            .replace(BROKER_PASSWORDS, &passwd.display().to_string())
            .replace(BROKER_ACCESS, &access.display().to_string())
            .replace(&format!("{LISTENER}\n"), &listeners)
            .replace(MAX_CONNECTIONS, &limit);
        if let Some(dir) = &self.dir {
            let kept = dir.join("broker").display().to_string();
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "persistence_location {kept}/");
            if is_root() {
                // Otherwise Mosquitto would switch to the user mosquitto, which cannot read this
                // directory.
                text += "user root\n";
            }
        }
        text
    }

    /// Where the broker listens for the daemon. Clients that fill the hall's listener cannot keep
    /// the daemon out.
    ///
    /// A listener on all addresses occupies its port on this computer too. And beside the broker of
    /// a directory, a broker of the system may have that port. So the daemon's listener takes a
    /// neighbouring port that the pages do not use.
    fn own_listener(&self, mqtt: SocketAddr, http: SocketAddr) -> SocketAddr {
        if mqtt.ip().is_loopback() {
            return mqtt;
        }
        let mut port = mqtt.port();
        if mqtt.ip().is_unspecified() || self.dir.is_some() {
            let above = (1..=2).filter_map(|step| port.checked_add(step));
            let below = (1..=2).filter_map(|step| port.checked_sub(step));
            let free = above.chain(below).find(|near| *near != http.port());
            port = free.unwrap_or(port);
        }
        (Ipv4Addr::LOCALHOST, port).into()
    }

    fn daemon_config(&self, answers: &Answers) -> String {
        let (mqtt, http) = (answers.mqtt, answers.http);
        let path = |path: PathBuf| quoted(&path.display().to_string());
        let journal = self.dir.as_ref().map_or_else(String::new, |dir| {
            format!("[journal]\ndir = {}\n\n", path(dir.join("journal")))
        });
        let mut text = format!(
            "# The configuration of remisd, as `remisd setup` has written it. All keys with their\n\
             # defaults are in config/remisd.toml of the source; `remisd check` shows what is in\n\
             # force.\n\n\
             [site]\nid = \"{}\"\n\n\
             [audience]\nprofile = \"{}\"\n{}languages = [\"{}\"]\n\n\
             [mqtt]\nurl = \"mqtt://{}\"\nusername = \"{DAEMON}\"\npassword_file = {}\n\n\
             {journal}\
             [http]\nlisten = \"{http}\"\npublic_username = \"{PUBLIC}\"\npublic_password_file = {}\n",
            answers.site,
            answers.profile,
            opened(&answers.open),
            answers.language.code(),
            self.own_listener(mqtt, http),
            path(self.mqtt_password()),
            path(self.public_password()),
        );
        for BoardPort { id, port, .. } in &answers.boards {
            // Writing to a `String` cannot fail.
            let _ = write!(
                text,
                "\n[[board]]\nid = \"{id}\"\nkind = \"dgt\"\nport = {}\n",
                quoted(port)
            );
        }
        text
    }
}

/// The connections that a listener takes: twice those of a hall with this number of boards, because
/// clients that were cut off come back before their old connections end.
/// `config/mosquitto/remisd.conf` has the arithmetic.
fn connections(boards: usize) -> usize {
    256.max(8 * boards + 32)
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A text quoted for TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The line with the audiences that the profile `club` opens; empty without any.
fn opened(open: &[Opened]) -> String {
    if open.is_empty() {
        return String::new();
    }
    let words: Vec<String> = open.iter().map(|one| format!("\"{one}\"")).collect();
    format!("open = [{}]\n", words.join(", "))
}

/// The shipped access list, with this site and the devices of these boards.
fn access_list(site: &str, boards: &[BoardPort]) -> String {
    let access = ACCESS.replace(SITE, &format!("chess/v1/{site}/"));
    let begins = access.find(&format!("\n{FIRST_DEVICE}"));
    let (people, devices) = access.split_at(begins.map_or(access.len(), |at| at + 1));
    let (devices, _) = devices.split_once(MOVE_DEVICE).unwrap_or((devices, ""));
    let of_board = |board: &BoardPort| {
        devices
            .replace(FIRST_DEVICE, &format!("user {}-", board.id))
            .replace("/b1/", &format!("/{}/", board.id))
    };
    let all: Vec<String> = boards.iter().map(of_board).collect();
    format!("{people}{}", all.join("\n"))
}

#[cfg(test)]
mod tests;
