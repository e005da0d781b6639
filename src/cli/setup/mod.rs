//! `remisd setup`: creates a working configuration for the daemon and its broker.
//!
//! Without `--dir` it configures a Debian system and must run as root: the daemon's files go to
//! `/etc/remisd`, the broker's to `/etc/mosquitto`. With `--dir` everything goes into one directory
//! that belongs to the calling user. No existing file is replaced, except the package's unmodified
//! example.
//!
//! ```text
//! command line ─┐
//!               ├─▶ form ─▶ answers ─▶ plan ─▶ files
//! page (--web) ─┘
//! ```

mod answers;
mod boards;
mod files;
mod layout;
mod owner;
mod password;
mod plan;
mod steps;
mod users;
mod web;

use std::{
    io::{self, Write as _},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
};

use clap::builder::PossibleValuesParser;

use self::{
    answers::Form,
    layout::Layout,
    plan::{Plan, Written},
};
use super::Outcome;
use crate::{
    config::{OneOf, Opened, Profile},
    words::Language,
};
use remisd_vocabulary::name::SiteId;

/// Maximum number of boards in a configuration.
const MOST_BOARDS: u16 = 999;

/// Write a working configuration: daemon, broker, access list, users with passwords.
///
/// As root it writes /etc/remisd and /etc/mosquitto. With --dir it writes a single directory for
/// the calling user, with its own broker configuration. It prints the next steps and replaces no
/// file that you have changed. With --web a page asks for everything; the other options are its
/// first answers.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of boards: b1, b2 and so on.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_BOARDS)))]
    boards: u16,
    /// The name of a board; repeat it for each board, in order. Default: b1, b2 and so on.
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Write everything into this directory, for the calling user.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The serial port of a board; repeat it for each board, in order. Default: the ports that look
    /// like a DGT board's.
    #[arg(long, value_name = "PATH")]
    port: Vec<String>,
    /// The name of the venue or event, a level of every topic.
    #[arg(long, value_name = "NAME", default_value = "hall")]
    site: SiteId,
    /// Who gets what a player must not know: only the arbiter, also the audiences of --open, or
    /// everybody.
    #[arg(long, default_value = Profile::Competition.as_str(), value_parser = words::<Profile>())]
    profile: String,
    /// An audience that the profile club opens; repeat it for several.
    #[arg(long, value_name = "AUDIENCE", value_parser = words::<Opened>())]
    open: Vec<String>,
    /// The language of the texts that are published beside the codes.
    #[arg(long, default_value = Language::En.code(), value_parser = words::<Language>())]
    language: String,
    /// Address of the broker.
    #[arg(long, value_name = "ADDR", default_value_t = loopback(1883))]
    mqtt: SocketAddr,
    /// Address of the pages.
    #[arg(long, value_name = "ADDR", default_value_t = loopback(9120))]
    http: SocketAddr,
    /// Ask in a browser: print the address of a page, and a code that opens it once.
    #[arg(long)]
    web: bool,
    /// Address of that page. Default: this computer only, on any free port. The connection is not
    /// encrypted.
    #[arg(long, value_name = "ADDR", requires = "web")]
    listen: Option<SocketAddr>,
}

fn words<T: OneOf>() -> PossibleValuesParser {
    PossibleValuesParser::new(T::WORDS.iter().map(|(word, _)| *word))
}

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

impl Arguments {
    fn form(&self) -> Form {
        Form {
            site: self.site.to_string(),
            language: self.language.clone(),
            profile: self.profile.clone(),
            open: self.open.clone(),
            boards: boards::with_ports(self.boards, &self.name, &self.port),
            mqtt: self.mqtt.to_string(),
            http: self.http.to_string(),
        }
    }
}

/// Writes the configuration and prints the next steps.
///
/// # Errors
///
/// A file exists already, a required user does not, or a file cannot be written. Nothing is left
/// behind then.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    for (given, what) in [(&arguments.port, "ports"), (&arguments.name, "names")] {
        if given.len() > usize::from(arguments.boards) {
            anstream::eprintln!(
                "remisd: {} {what} for {} board(s): give --boards as well",
                given.len(),
                arguments.boards
            );
            return Ok(Outcome::Usage);
        }
    }
    let layout = match &arguments.dir {
        Some(dir) => Layout::in_directory(dir)?,
        None => Layout::of_system()?,
    };
    let form = arguments.form();
    let written = if arguments.web {
        super::in_runtime(web::ask(layout.clone(), form, arguments.listen))?
    } else {
        match form.answers() {
            Ok(answers) => Some(write(&layout, answers)?),
            Err(problems) => {
                for problem in problems {
                    anstream::eprintln!("remisd: {problem}");
                }
                return Ok(Outcome::Usage);
            }
        }
    };
    let Some(written) = written else {
        return Ok(Outcome::Failed);
    };
    let text = steps::text(&layout, &written);
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn write(layout: &Layout, answers: answers::Answers) -> anyhow::Result<Written> {
    let plan = Plan::new(layout, &answers)?;
    plan.write(layout, &plan::in_use(layout, &answers, None))?;
    let files = plan.paths().map(Into::into).collect();
    Ok(Written { answers, files })
}
