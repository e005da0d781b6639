//! `remisd man`: the manual pages, one for each command and one for the configuration.

mod configuration;

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::PathBuf,
};

use anyhow::Context as _;

use super::Outcome;

/// The page of the configuration.
const CONFIGURATION: &str = "remisd.toml.5";

/// Print the manual page, or write the pages of all commands and of the configuration.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Write all pages to this directory: remisd.1, remisd-run.1, …, remisd.toml.5.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints or writes the pages of `command`.
///
/// # Errors
///
/// The operating system's error on stdout or on a file.
pub fn run(arguments: &Arguments, command: clap::Command) -> anyhow::Result<Outcome> {
    let Some(dir) = &arguments.dir else {
        clap_mangen::Man::new(command).render(&mut io::stdout().lock())?;
        return Ok(Outcome::Fine);
    };
    let in_dir = || dir.display().to_string();
    fs::create_dir_all(dir).with_context(in_dir)?;
    clap_mangen::generate_to(command, dir).with_context(in_dir)?;
    let mut file = File::create(dir.join(CONFIGURATION)).with_context(in_dir)?;
    let page = configuration::page(&crate::config::schema());
    file.write_all(page.as_bytes()).with_context(in_dir)?;
    Ok(Outcome::Fine)
}
