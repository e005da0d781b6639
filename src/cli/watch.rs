//! `remisd watch`: boards in the terminal, from any broker.

mod hall;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::ValueEnum;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use self::hall::WatchedHall;
use super::{
    Outcome,
    screen::{Terminal, print},
    service::Ending,
};
use crate::publish::{
    mqtt::{
        Access, Brokers, ClientId, Credentials, Timing, Tls,
        client::{self, ClientEvent, ClientSettings},
    },
    topic::Audience,
};
use remisd_vocabulary::name::{BoardId, SiteId};

/// The longest password file that is read, in bytes.
const MAX_PASSWORDS: usize = 64 * 1024;

/// Show boards in the terminal: one with everything, or several in a list.
///
/// Shows what the broker lets the user see, until Ctrl-C. Written to a file or a pipe, it prints
/// one line for each change.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The boards; without any, all boards of the site.
    #[arg(value_name = "BOARD")]
    boards: Vec<BoardId>,
    /// The broker: `mqtt://HOST[:PORT]`, or `mqtts://HOST[:PORT]` for TLS; several addresses of a
    /// cluster with commas between them.
    #[arg(long, value_name = "URL", default_value = "mqtt://localhost:1883")]
    broker: Brokers,
    /// The site.
    #[arg(long, value_name = "SITE", default_value = "hall")]
    site: SiteId,
    /// Whose topics to read.
    #[arg(long = "as", value_enum, default_value_t = Reader::Arbiter)]
    reader: Reader,
    /// The user name at the broker.
    #[arg(long, value_name = "NAME", requires = "password_file")]
    user: Option<String>,
    /// A file with the user's password, or the file `passwords` that `remisd setup` has written.
    #[arg(long, value_name = "FILE", requires = "user")]
    password_file: Option<PathBuf>,
    /// For TLS, the authorities to trust, in PEM; without it those that this computer trusts.
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

/// The audience whose topics are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Reader {
    /// Everything, without delay.
    Arbiter,
    /// Moves and connections, without claims.
    Operator,
    /// What the public sees, after the delay.
    Public,
    /// What screens in the hall see.
    Hall,
}

impl Reader {
    const fn audience(self) -> Audience {
        match self {
            Self::Arbiter => Audience::Arbiter,
            Self::Operator => Audience::Operator,
            Self::Public => Audience::Public,
            Self::Hall => Audience::Hall,
        }
    }
}

/// Shows boards until SIGTERM or SIGINT.
///
/// # Errors
///
/// A password or a certificate cannot be read, the broker refuses the user, or standard output is
/// gone.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let mut ending = Ending::new()?;
    let settings = settings(&arguments)?;
    let cancel = CancellationToken::new();
    let (client, events) = client::spawn(settings, cancel.clone());
    let audience = arguments.reader.audience();
    let hall = WatchedHall::new(&arguments.site, audience, &arguments.boards);
    let user = arguments
        .user
        .as_deref()
        .unwrap_or("a client without a user");
    let shown = tokio::select! {
        shown = show(hall, events, user) => shown,
        () = ending.signalled() => Ok(Outcome::Fine),
    };
    drop(client);
    cancel.cancel();
    shown
}

/// Shows what arrives until the broker refuses the user.
async fn show(
    mut hall: WatchedHall,
    mut events: mpsc::Receiver<ClientEvent>,
    user: &str,
) -> anyhow::Result<Outcome> {
    let mut terminal = Terminal::of_stdout();
    let mut was_up = false;
    terminal.show(&[], |style| hall.picture(style))?;
    while let Some(event) = events.recv().await {
        let lines = match event {
            ClientEvent::Up => {
                was_up = true;
                hall.connected()
            }
            ClientEvent::Message(message) => hall.take(&message.topic, &message.payload),
            ClientEvent::ConnectionLost { why, refused: true } if !was_up => {
                drop(terminal);
                anstream::eprintln!("remisd: the broker refuses {user}: {why}");
                return Ok(Outcome::Failed);
            }
            ClientEvent::ConnectionLost { why, .. } => hall.disconnected(&why),
        };
        // More may have arrived: a picture is drawn once for all of it.
        if terminal.is_live() && !events.is_empty() {
            continue;
        }
        terminal.show(&lines, |style| hall.picture(style))?;
    }
    print(&["the connection to the broker has ended".to_owned()])?;
    Ok(Outcome::Failed)
}

fn settings(arguments: &Arguments) -> anyhow::Result<ClientSettings> {
    let Arguments {
        broker, site, user, ..
    } = arguments;
    let password = arguments.password_file.as_ref().zip(user.as_ref());
    let password = password.map(|(file, user)| {
        let text = read_bounded(file).with_context(|| file.display().to_string())?;
        let found = password_in(&text, user).map(str::to_owned);
        found.with_context(|| format!("{} has no password of {user}", file.display()))
    });
    let credentials = user.clone().zip(password.transpose()?);
    let tls = broker.is_tls().then(|| {
        let runtime_dir = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let runtime_dir = runtime_dir.unwrap_or_else(std::env::temp_dir);
        Tls::new(arguments.ca_file.as_deref(), None, runtime_dir)
    });
    let audience = arguments.reader.audience().as_str();
    let below = |board: &str| format!("chess/v1/{site}/{audience}/{board}/+");
    let mut filters = vec![format!("chess/v1/{site}/node/+/state")];
    if arguments.boards.is_empty() {
        filters.push(below("+"));
    } else {
        filters.extend(arguments.boards.iter().map(|board| below(board.as_str())));
    }
    Ok(ClientSettings {
        brokers: broker.clone(),
        access: Access {
            credentials: credentials.map(|(username, password)| Credentials { username, password }),
            tls: tls.transpose()?,
        },
        client_id: ClientId::random("remisd-watch")
            .draw()
            .context("no client id")?,
        filters,
        jitter_seed: u64::from(std::process::id()),
        timing: Timing::default(),
    })
}

/// Reads a small text file.
fn read_bounded(file: &std::path::Path) -> anyhow::Result<String> {
    use std::io::Read as _;
    let mut text = String::new();
    let limit = MAX_PASSWORDS as u64 + 1;
    std::fs::File::open(file)?
        .take(limit)
        .read_to_string(&mut text)?;
    anyhow::ensure!(text.len() <= MAX_PASSWORDS, "is too long for passwords");
    Ok(text)
}

/// The password of a user: on the line that begins with the name, or else the only line.
fn password_in<'t>(text: &'t str, user: &str) -> Option<&'t str> {
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let of_user = lines.clone().find_map(|line| {
        let (name, password) = line.split_once(' ')?;
        (name == user).then_some(password.trim())
    });
    let mut lines = lines;
    of_user.or_else(|| lines.next().filter(|_| lines.next().is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_found_in_both_kinds_of_files() {
        let of_setup = "# Users of the broker.\narbiter      s3cret\nb1-white     other\n";
        assert_eq!(password_in(of_setup, "arbiter"), Some("s3cret"));
        assert_eq!(password_in(of_setup, "b1-white"), Some("other"));
        assert_eq!(password_in(of_setup, "b2-white"), None);
        assert_eq!(password_in("one line\n", "arbiter"), Some("one line"));
        assert_eq!(password_in("", "arbiter"), None);
    }
}
