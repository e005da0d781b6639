//! `remisd report`: a support report, as one text without secrets.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;

use super::{Outcome, check, journal};
use crate::config::{Configuration, Environment, editions};
use remisd_board::ports;

/// Number of log lines in the report.
const LOG_LINES: &str = "500";

/// Write a support report: one text without passwords, keys or games.
///
/// It contains the version, this computer, the effective configuration, the serial ports, the state
/// of the journal, and the end of the service's log (which names boards and moves).
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Leave out the service's log.
    #[arg(long)]
    no_log: bool,
    /// The output file; default: standard output.
    #[arg(short, long, value_name = "FILE.txt")]
    output: Option<PathBuf>,
}

/// Writes the report. It names each part that is unavailable and still contains the rest.
///
/// # Errors
///
/// The output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let mut text = Vec::new();
    let environment = Environment::of_process();
    write_all(arguments, &environment, &mut text)?;
    match &arguments.output {
        Some(path) => fs::write(path, &text).with_context(|| path.display().to_string())?,
        None => io::stdout().lock().write_all(&text)?,
    }
    Ok(Outcome::Fine)
}

fn write_all(
    arguments: &Arguments,
    environment: &Environment,
    text: &mut Vec<u8>,
) -> anyhow::Result<()> {
    writeln!(text, "remisd {}", env!("CARGO_PKG_VERSION"))?;
    head(text, "computer")?;
    for file in ["/proc/version", "/etc/os-release", "/proc/uptime"] {
        put_file(text, Path::new(file))?;
    }
    head(text, "configuration")?;
    let config = arguments.config.as_deref();
    let mut wrong = Vec::new();
    check::check(config, environment, text, &mut wrong, false)?;
    text.extend(wrong);
    head(text, "serial ports")?;
    put_ports(text)?;
    head(text, "journal")?;
    match Configuration::load(config, environment, &editions()) {
        Ok(read) => put_journal(text, &read.config.journal.dir)?,
        Err(_) => writeln!(text, "its place is unknown: see the configuration")?,
    }
    if !arguments.no_log {
        head(text, "log")?;
        put_log(text)?;
    }
    Ok(())
}

fn head(text: &mut Vec<u8>, name: &str) -> io::Result<()> {
    writeln!(text, "\n== {name}")
}

fn put_file(text: &mut Vec<u8>, path: &Path) -> io::Result<()> {
    match fs::read(path) {
        Ok(content) => text.write_all(&content),
        Err(error) => writeln!(text, "{}: {error}", path.display()),
    }
}

fn put_ports(text: &mut Vec<u8>) -> anyhow::Result<()> {
    match ports::list() {
        Ok(found) if found.is_empty() => writeln!(text, "none")?,
        Ok(found) => {
            for port in found {
                writeln!(text, "{}", serde_json::to_string(&port)?)?;
            }
        }
        Err(error) => writeln!(text, "cannot be listed: {error}")?,
    }
    Ok(())
}

/// Reports whether each board's record is intact, without any of its content.
fn put_journal(text: &mut Vec<u8>, directory: &Path) -> io::Result<()> {
    writeln!(text, "{}", directory.display())?;
    match journal::verify(directory, text) {
        Ok(_) => Ok(()),
        Err(error) => writeln!(text, "cannot be read: {error:#}"),
    }
}

fn put_log(text: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Command::new("journalctl");
    command.args(["--unit", "remisd", "--no-pager", "--lines", LOG_LINES]);
    match command.output() {
        Ok(output) => {
            text.write_all(&output.stdout)?;
            text.write_all(&output.stderr)
        }
        Err(error) => writeln!(text, "journalctl: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(config: PathBuf) -> String {
        let arguments = Arguments {
            config: Some(config),
            no_log: true,
            output: None,
        };
        let mut text = Vec::new();
        write_all(&arguments, &Environment::default(), &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn the_report_has_everything_but_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("remisd.toml");
        let journal = folder.path().join("journal");
        fs::create_dir(&journal).unwrap();
        let written = format!(
            "[mqtt]\nusername = \"arbiter\"\npassword = \"hunter2\"\n[journal]\ndir = \"{}\"\n",
            journal.display()
        );
        fs::write(&config, written).unwrap();
        let text = report(config);
        for wanted in [
            concat!("remisd ", env!("CARGO_PKG_VERSION")),
            "== computer",
            "mqtt.username = \"arbiter\"",
            "== serial ports",
            &journal.display().to_string(),
        ] {
            assert!(text.contains(wanted), "{wanted}:\n{text}");
        }
        assert!(!text.contains("hunter2"), "{text}");
    }

    #[test]
    fn a_configuration_with_mistakes_keeps_nothing_else_out() {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("remisd.toml");
        fs::write(&config, "[mqtt]\nurl = 5\npassword = \"hunter2\"\n").unwrap();
        let text = report(config);
        assert!(text.contains("remisd.toml:2"), "{text}");
        assert!(text.contains("== journal"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}
