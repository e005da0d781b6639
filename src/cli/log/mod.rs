//! Where the log goes: to the systemd journal if it reads our stderr, otherwise to stderr.

mod journald;

use std::io::{self, IsTerminal as _};

use clap::ValueEnum;
use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, filter::filter_fn, layer::SubscriberExt as _, util::SubscriberInitExt as _,
};

use self::journald::Journald;

/// Default filters for noisy crates. The demo's broker logs its own traffic; our session and the
/// pages report everything relevant from the client library.
const QUIET: &str = "mqtt5=error,mqtt5_protocol=error,rumqttc=off";

/// The client of FTP logs its commands at the level `trace`, the password included. No setting may
/// show them.
fn is_safe(line: &Metadata<'_>) -> bool {
    !line.target().starts_with("suppaftp") || *line.level() <= Level::WARN
}

/// The log format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, and for the systemd journal if it reads stderr.
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts the log. `usual` is the level without `-v`; `$REMISD_LOG` overrides both.
pub fn start(format: Format, verbose: u8, usual: &str) {
    let level = match verbose {
        0 => usual,
        1 => "debug",
        _ => "trace",
    };
    let filter = EnvFilter::try_from_env("REMISD_LOG")
        .unwrap_or_else(|_| EnvFilter::new(format!("warn,remisd={level},{QUIET}")));
    let to_stderr = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let log = tracing_subscriber::registry()
        .with(filter)
        .with(filter_fn(is_safe));
    match (format, Journald::of_stderr()) {
        (Format::Json, _) => log.with(to_stderr.json()).init(),
        (Format::Text, Some(journal)) => log.with(journal).init(),
        (Format::Text, None) => {
            let colours = io::stderr().is_terminal();
            let to_stderr = to_stderr.with_ansi(colours).with_target(false);
            log.with(to_stderr).init();
        }
    }
}
