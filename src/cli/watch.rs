//! `remisd watch`: boards in the terminal, from any broker.

mod hall;

use std::{path::PathBuf, time::Duration};

use anyhow::Context as _;
use clap::ValueEnum;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use self::hall::WatchedHall;
use super::{
    Outcome,
    screen::{Terminal, print},
    service::Ending,
};
use crate::{
    config::SecretSource,
    publish::{
        mqtt::{
            Access, Brokers, ClientId, Credentials, CurrentAccess, Timing, Tls,
            client::{self, ClientEvent, ClientSettings},
        },
        topic::Audience,
    },
};
use remisd_vocabulary::name::{BoardId, SiteId};

/// How long a picture may wait while messages arrive.
const FRAME: Duration = Duration::from_millis(200);

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
    /// Whose topics to read; without it those of the user, or of the arbiter.
    #[arg(long = "as", value_enum)]
    reader: Option<Reader>,
    /// The user name at the broker.
    #[arg(long, value_name = "NAME", requires = "password_file")]
    user: Option<String>,
    /// A file with the user's password, or the file `passwords` that `remisd setup` has written.
    #[arg(long, value_name = "FILE", requires = "user")]
    password_file: Option<PathBuf>,
    /// For TLS alone, the authorities to trust, in PEM; without it those that this computer trusts.
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
}

impl Arguments {
    /// The audience whose topics are read.
    fn audience(&self) -> Audience {
        let of_user = self.user.as_deref();
        let of_user = of_user.and_then(|user| Reader::from_str(user, false).ok());
        self.reader
            .or(of_user)
            .unwrap_or(Reader::Arbiter)
            .audience()
    }
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
    if arguments.ca_file.is_some() && !arguments.broker.is_tls() {
        anstream::eprintln!("remisd: --ca-file is for TLS: write mqtts:// in --broker");
        return Ok(Outcome::Usage);
    }
    let settings = settings(&arguments)?;
    let mut ending = Ending::new()?;
    let cancel = CancellationToken::new();
    let (client, events) = client::spawn(settings, cancel.clone());
    let audience = arguments.audience();
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
    let mut drawn = Instant::now();
    loop {
        let settled_at = hall.settled_at();
        let event = tokio::select! {
            event = events.recv() => event,
            () = sleep_until(settled_at.unwrap_or_else(Instant::now)), if settled_at.is_some() => {
                let lines = hall.settle();
                terminal.show(&lines, |style| hall.picture(style))?;
                continue;
            }
        };
        let Some(event) = event else { break };
        let lines = match event {
            ClientEvent::Up => {
                was_up = true;
                hall.connected()
            }
            ClientEvent::SubscriptionsRefused { count, why } => hall.refused(count, &why),
            ClientEvent::Pong(_) => continue,
            ClientEvent::Message(message) => {
                hall.take(&message.topic, &message.payload, message.retained)
            }
            ClientEvent::ConnectionLost { why, refused: true } if !was_up => {
                drop(terminal);
                anstream::eprintln!("remisd: the broker refuses {user}: {why}");
                return Ok(Outcome::Failed);
            }
            ClientEvent::ConnectionLost { why, .. } => hall.disconnected(&why),
        };
        // More may have arrived: a picture is drawn once for all of it.
        if terminal.is_live() && !events.is_empty() && drawn.elapsed() < FRAME {
            continue;
        }
        drawn = Instant::now();
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
        let text = SecretSource::File(file.clone()).read_of("the password")?;
        let found = password_in(text.reveal(), user).map(str::to_owned);
        found.with_context(|| format!("{} has no password of {user}", file.display()))
    });
    let credentials = user.clone().zip(password.transpose()?);
    let tls = broker.is_tls().then(|| {
        let runtime_dir = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let runtime_dir = runtime_dir.unwrap_or_else(std::env::temp_dir);
        Tls::new(arguments.ca_file.as_deref(), None, runtime_dir)
    });
    let audience = arguments.audience().as_str();
    let below = |board: &str| format!("chess/v1/{site}/{audience}/{board}/+");
    let mut filters = vec![format!("chess/v1/{site}/node/+/state")];
    if arguments.boards.is_empty() {
        filters.push(below("+"));
    } else {
        filters.extend(arguments.boards.iter().map(|board| below(board.as_str())));
    }
    Ok(ClientSettings {
        brokers: broker.clone(),
        access: CurrentAccess::fixed(Access {
            credentials: credentials.map(|(username, password)| Credentials { username, password }),
            tls: tls.transpose()?,
        }),
        client_id: ClientId::random("remisd-watch")
            .draw()
            .context("no client id")?,
        filters,
        jitter_seed: u64::from(std::process::id()),
        timing: Timing::default(),
    })
}

/// The password of a user: on the line that begins with the name, or else the only line, if it is one
/// word.
fn password_in<'t>(text: &'t str, user: &str) -> Option<&'t str> {
    let of_user = text.lines().find_map(|line| {
        let (name, password) = line.split_once(' ')?;
        (name == user).then_some(password.trim())
    });
    let only = text.trim_end();
    of_user.or_else(|| (!only.is_empty() && !only.contains(char::is_whitespace)).then_some(only))
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
        assert_eq!(password_in("#oneword\n", "arbiter"), Some("#oneword"));
        assert_eq!(password_in("arbiter s3cret\n", "public"), None);
        assert_eq!(password_in("", "arbiter"), None);
    }
}
