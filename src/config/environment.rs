//! `REMISD_<SECTION>_<KEY>`: environment variables for every key of the file.
//!
//! The names are derived from the table of keys, so every key has a variable. A variable that names
//! no key is an error.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use toml::Spanned;

use super::{
    part::Part as _,
    problem::Problem,
    raw::{Board, File, Notify, Tournament},
    value::Origin,
};

const PREFIX: &str = "REMISD_";

/// Variables for the commands, not for the configuration.
const OTHERS: [&str; 2] = ["REMISD_CONFIG", "REMISD_LOG"];

/// The environment variables that concern the configuration.
#[derive(Clone, Default)]
pub struct Environment {
    keys: BTreeMap<String, String>,
    /// `$CREDENTIALS_DIRECTORY`, where systemd places the secrets of a unit.
    pub credentials: Option<String>,
    /// `$STATE_DIRECTORY`, where systemd lets the unit keep its state.
    pub state: Option<String>,
    /// `$RUNTIME_DIRECTORY`, where systemd lets the unit keep files that last only while it runs.
    pub runtime: Option<String>,
    /// `$REMISD_CONFIG`, the file to read.
    pub file: Option<String>,
}

/// Shows names only, because a value may be a password.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.keys.keys())
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
        Self::new(std::env::vars_os().map(|(name, value)| (text(name), text(value))))
    }

    /// Selects the variables that concern the configuration.
    pub fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            match name.as_str() {
                "CREDENTIALS_DIRECTORY" => environment.credentials = Some(value),
                "STATE_DIRECTORY" => environment.state = Some(value),
                "RUNTIME_DIRECTORY" => environment.runtime = Some(value),
                "REMISD_CONFIG" => environment.file = Some(value),
                _ if name.starts_with(PREFIX) && !OTHERS.contains(&name.as_str()) => {
                    environment.keys.insert(name, value);
                }
                _ => {}
            }
        }
        environment
    }

    /// The directory for sockets: the first one in `$RUNTIME_DIRECTORY`, or else the system's
    /// temporary directory.
    pub(super) fn runtime_dir(&self) -> PathBuf {
        let first = self
            .runtime
            .as_deref()
            .and_then(|all| all.split(':').next());
        let first = first.filter(|path| !path.is_empty());
        first.map_or_else(std::env::temp_dir, PathBuf::from)
    }

    /// Sets the keys of `file` that have a variable.
    pub(super) fn overlay(&self, file: &mut File) -> Vec<Problem> {
        self.add_sections("BOARD", &mut file.board, Board::default);
        self.add_sections("NOTIFY", &mut file.notify, Notify::default);
        self.add_sections("TOURNAMENT", &mut file.tournament, Tournament::default);
        let mut left = self.keys.clone();
        let mut problems = Vec::new();
        file.walk("", &mut |path, key| {
            let name = variable(path);
            let Some(text) = left.remove(&name) else {
                return;
            };
            if let Err(expected) = key.set(&text, &name) {
                problems.push(Problem {
                    key: path.to_owned(),
                    origin: Origin::Environment(name),
                    message: format!("\"{text}\" is not allowed here"),
                    allowed: format!("allowed: {expected}"),
                    beside: None,
                });
            }
        });
        let next = [
            ("BOARD", file.board.len()),
            ("NOTIFY", file.notify.len()),
            ("TOURNAMENT", file.tournament.len()),
        ];
        problems.extend(left.keys().map(|name| unknown(name, next)));
        problems
    }

    /// Adds the sections that only the environment defines: `REMISD_BOARD_0_ID` and so on.
    fn add_sections<T>(&self, name: &str, list: &mut Vec<Spanned<T>>, new: fn() -> T) {
        loop {
            let next = format!("{PREFIX}{name}_{}_", list.len());
            if !self.keys.keys().any(|name| name.starts_with(&next)) {
                return;
            }
            list.push(Spanned::new(0..0, new()));
        }
    }
}

/// The name of the variable for the key at `path`.
pub fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "_").to_uppercase())
}

/// `next` has the number of the next section of each list.
fn unknown(name: &str, next: [(&str, usize); 3]) -> Problem {
    let of = |(list, _): &(&str, usize)| name.starts_with(&format!("{PREFIX}{list}_"));
    let allowed = match next.into_iter().find(of) {
        Some((list @ "TOURNAMENT", number)) => format!(
            "tournaments are counted from 0 without a gap; the next would be \
             {PREFIX}{list}_{number}_ID"
        ),
        Some((list @ "BOARD", number)) => format!(
            "boards are counted from 0 without a gap; the next would be {PREFIX}{list}_{number}_ID"
        ),
        Some((list, number)) => format!(
            "sections are counted from 0 without a gap; the next would be \
             {PREFIX}{list}_{number}_KIND"
        ),
        None => {
            "allowed: REMISD_<SECTION>_<KEY> for a key of the file, such as REMISD_MQTT_URL for \
                 `url` in [mqtt]"
                .to_owned()
        }
    };
    Problem {
        key: String::new(),
        message: format!("the environment variable {name} is not known"),
        origin: Origin::Default,
        allowed,
        beside: None,
    }
}
