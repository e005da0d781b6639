//! `remisd setup`: creates a working configuration for the daemon and its broker.
//!
//! Without `--dir` it configures a Debian system and must run as root: the daemon's files go to
//! `/etc/remisd`, the broker's to `/etc/mosquitto`. With `--dir` everything goes into one directory
//! that belongs to the calling user. No existing file is replaced, except the package's unmodified
//! example.

mod boards;
mod files;
mod layout;
mod owner;
mod password;

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use self::{boards::BoardPort, files::NewFile, layout::Layout};
use super::Outcome;

/// Maximum number of boards in a configuration.
const MOST_BOARDS: u16 = 999;

/// Write a working configuration: daemon, broker, access list, users with passwords.
///
/// As root it writes /etc/remisd and /etc/mosquitto. With --dir it writes a single directory for
/// the calling user, with its own broker configuration. It prints the next steps and replaces no
/// file that you have changed.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of boards: b1, b2 and so on.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_BOARDS)))]
    boards: u16,
    /// Write everything into this directory, for the calling user.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The serial port of a board; repeat it for each board, in order. Default: the ports that look
    /// like a DGT board's.
    #[arg(long, value_name = "PATH")]
    port: Vec<String>,
    /// Address of the broker.
    #[arg(long, value_name = "ADDR", default_value_t = loopback(1883))]
    mqtt: SocketAddr,
    /// Address of the pages.
    #[arg(long, value_name = "ADDR", default_value_t = loopback(9120))]
    http: SocketAddr,
}

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// Writes the configuration and prints the next steps.
///
/// # Errors
///
/// A file exists already, a required user does not, or a file cannot be written. Nothing is left
/// behind then.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    if arguments.port.len() > usize::from(arguments.boards) {
        anstream::eprintln!(
            "remisd: {} ports for {} board(s): give --boards as well",
            arguments.port.len(),
            arguments.boards
        );
        return Ok(Outcome::Usage);
    }
    let layout = match &arguments.dir {
        Some(dir) => Layout::in_directory(dir)?,
        None => Layout::of_system()?,
    };
    let boards = boards::with_ports(arguments.boards, &arguments.port);
    let new = layout.files(&boards, arguments.mqtt, arguments.http)?;
    files::write(&new)?;
    let text = next_steps(&layout, &new, &boards, arguments);
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Describes what was written, and the next steps.
fn next_steps(
    layout: &Layout,
    new: &[NewFile],
    boards: &[BoardPort],
    arguments: &Arguments,
) -> String {
    let mut text = String::from("Written:\n");
    for file in new {
        line(&mut text, &format!("  {}", file.path.display()));
    }
    line(&mut text, "\nNext:");
    for step in layout.start() {
        line(&mut text, &format!("  {step}"));
    }
    if let Some(hint) = layout.open_files(boards.len(), arguments.mqtt, arguments.http) {
        line(&mut text, &format!("  {hint}"));
    }
    let pages = reachable(arguments.http);
    line(&mut text, &format!("  open http://{pages}/arbiter"));
    let passwords = layout.passwords();
    line(
        &mut text,
        &format!(
            "\nThe users and their passwords are in {}: sign in as arbiter.",
            passwords.display()
        ),
    );
    line(
        &mut text,
        "Hand them out, then delete that file: neither daemon nor broker reads it.",
    );
    let missing: Vec<&str> = boards
        .iter()
        .filter(|board| !board.found)
        .map(|board| board.id.as_str())
        .collect();
    if !missing.is_empty() {
        line(
            &mut text,
            &format!(
                "\nNo port is known yet for {}. `remisd ports --probe` lists the ports; put them into\n{}.",
                missing.join(", "),
                layout.config().display()
            ),
        );
    }
    if !arguments.mqtt.ip().is_loopback() {
        line(
            &mut text,
            "\nThe broker listens on the network without encryption: give its listener a certificate.",
        );
    }
    if let Some(warning) = layout.warning() {
        line(&mut text, &format!("\n{warning}"));
    }
    text
}

fn line(text: &mut String, words: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{words}");
}

/// An address to connect to; replaces the unspecified address ("all addresses") with the local one.
fn reachable(address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        loopback(address.port())
    } else {
        address
    }
}
