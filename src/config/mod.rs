//! The configuration: read from a TOML file and the environment, and checked as a whole.
//!
//! ```text
//! file ──▶ raw::File ──▶ environment over it ──▶ checks ──▶ Config
//!          every key with its place                        plain values
//! ```
//!
//! An error is shown at its place, with the allowed values; all errors in values are reported
//! together. Unknown keys and unknown `REMISD_…` variables are errors.
//!
//! ```
//! use remisd::config::{Configuration, Environment, editions};
//!
//! let text = "[[board]]\nid = \"b1\"\nkind = \"dgt\"\nport = \"/dev/ttyACM0\"\n";
//! let environment = Environment::new([("REMISD_LAWS_RATE".into(), "rapid".into())]);
//! let read = Configuration::parse(text, "remisd.toml", &environment, &editions())?;
//! assert_eq!(read.config.laws.regulations.rate, remisd_laws::Rate::Rapid);
//! assert_eq!(read.config.boards[0].hand.new_game_ms, 3_000);
//!
//! let text = "[laws]\nrate = \"blizt\"\n";
//! let wrong = Configuration::parse(text, "remisd.toml", &Environment::default(), &editions());
//! let shown = wrong.unwrap_err().to_string();
//! assert!(shown.contains("remisd.toml:2:8") && shown.contains("standard, rapid, blitz"));
//! # Ok::<_, remisd::config::ConfigError>(())
//! ```

mod board;
mod broadcast;
mod choices;
mod compare;
mod editions;
mod environment;
mod http;
mod laws;
mod livechess;
mod masked;
mod mqtt;
mod network;
mod notify;
mod part;
mod password;
mod problem;
mod raw;
mod rounds;
mod secret;
mod shape;
mod syntax;
#[cfg(test)]
mod tests;
mod tournament;
mod unusable;
mod upload;
mod valid;
mod validate;
mod value;

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

pub(crate) use self::value::OneOf;
pub use self::{
    choices::{BoardKind, LiveChessAudience, LiveChessMoves, Names, NewGame, Opened, Profile},
    editions::editions,
    environment::Environment,
    mqtt::TlsProblem,
    network::{Network, NoNetwork},
    problem::{ConfigError, Problem, Report},
    rounds::RoundsAccess,
    secret::{Secret, SecretError, SecretSource},
    unusable::{
        LICHESS_TOKEN, ROUNDS_TOKEN, UPLOAD_AUTHORIZATION, UPLOAD_KEY, UPLOAD_PASSWORD, Unusable,
    },
    valid::{
        Audience, Board, BoardFeed, BoardLiveChess, BoardPort, BoardSource, Broadcast, Compare,
        Config, Dgt, Hand, HostKeySource, Http, Identity, Journal, Laws, Lichess, Limits,
        LiveChess, Mqtt, Notify, Site, SshLogin, Tls, Tournament, Upload,
    },
    value::Origin,
};
use self::{part::Part as _, validate::Check};

/// The default path of the configuration.
pub const DEFAULT_FILE: &str = "/etc/remisd/remisd.toml";

/// The warning for the daemon. `remisd check` shows it, too, and may be asked about a computer that
/// serves the pages alone.
const NO_BOARD: &str = "no [[board]] is configured: `remisd run` has nothing to read";

/// A configuration with its effective keys and warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    /// The values.
    pub config: Config,
    /// The effective keys, in the order of the documented example.
    pub effective: Vec<Effective>,
    /// Settings that work but deserve a second look; for the log.
    pub warnings: Vec<String>,
}

/// Who reads a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// The daemon, which reads boards.
    Run,
    /// The pages alone, which need no board.
    Hall,
}

/// An effective key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effective {
    /// The key: `board.0.port`.
    pub key: String,
    /// The value as TOML, with asterisks for a secret; `None` if it is not set.
    pub value: Option<String>,
    /// `default`, `<file>:<line>` or `environment <variable>`.
    pub origin: String,
}

impl Configuration {
    /// The warnings for a service; those of the daemon include all others.
    pub fn warnings_for(&self, service: Service) -> impl Iterator<Item = &str> {
        let is_without = service == Service::Run && self.config.boards.is_empty();
        let without = is_without.then_some(NO_BOARD);
        self.warnings.iter().map(String::as_str).chain(without)
    }

    /// Reads the configuration file: `chosen` (the flag `--config`), else `$REMISD_CONFIG`, else
    /// [`DEFAULT_FILE`]. Only the default file may be missing.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with every error in the values.
    pub fn load(
        chosen: Option<&Path>,
        environment: &Environment,
        editions: &[&str],
    ) -> Result<Self, ConfigError> {
        let named = chosen
            .map(Path::to_owned)
            .or_else(|| environment.file.clone().map(PathBuf::from));
        let path = named.clone().unwrap_or_else(|| DEFAULT_FILE.into());
        let mut missing = None;
        let file = path.to_string_lossy();
        let text = match fs::read(&path) {
            Ok(bytes) => {
                String::from_utf8(bytes).map_err(|error| not_utf8(&file, error.as_bytes()))?
            }
            Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => {
                missing = Some(format!("there is no {DEFAULT_FILE}; the defaults are used"));
                String::new()
            }
            Err(source) => return Err(ConfigError::Unreadable { path, source }),
        };
        let mut read = Self::parse(&text, &file, environment, editions)?;
        read.warnings.splice(0..0, missing);
        Ok(read)
    }

    /// Parses `text`; errors name `file` as its source.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Wrong`] with every error in the form and in the values, or with the one that
    /// prevents the text from being parsed into sections and keys.
    pub fn parse(
        text: &str,
        file: &str,
        environment: &Environment,
        editions: &[&str],
    ) -> Result<Self, ConfigError> {
        // Some editors begin a file with a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let wrong = |problems| ConfigError::Wrong(Report::new(file, text, problems));
        let shape::Shaped {
            file: raw,
            mut problems,
        } = shape::read(text);
        let Some(mut raw) = raw else {
            return Err(wrong(problems));
        };
        let refused: BTreeSet<String> = problems.iter().map(|one| one.key.clone()).collect();
        problems.extend(environment.overlay(&mut raw));
        validate::complete(&mut raw, environment);
        let config = match Check::new(environment, editions).file(&raw) {
            Ok(config) if problems.is_empty() => config,
            Ok(_) => return Err(wrong(problems)),
            Err(mut found) => {
                // A key that was refused is not missing, and what is not set anywhere may be meant
                // by one.
                found.retain(|problem| {
                    let is_default = problem.origin == Origin::Default;
                    refused.is_empty() || !is_default && !refused.contains(&problem.key)
                });
                problems.extend(found);
                return Err(wrong(problems));
            }
        };
        Ok(Self {
            warnings: warnings(&config),
            effective: effective(&mut raw, text, file),
            config,
        })
    }
}

/// The JSON Schema of the file, as stored in `config/remisd.schema.json`.
#[must_use]
pub fn schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(raw::File).to_value();
    forget_unset(&mut schema);
    schema
}

/// Removes `null` defaults, so that a key without a default has none in the schema either.
fn forget_unset(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(object) => {
            if object
                .get("default")
                .is_some_and(serde_json::Value::is_null)
            {
                object.remove("default");
            }
            object.values_mut().for_each(forget_unset);
        }
        serde_json::Value::Array(array) => array.iter_mut().for_each(forget_unset),
        _ => {}
    }
}

/// The error for a file that is not UTF-8.
fn not_utf8(file: &str, bytes: &[u8]) -> ConfigError {
    let (at, message) = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        (0, "the file is UTF-16")
    } else {
        let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
        (at, "this character is not UTF-8")
    };
    let problem = Problem {
        key: String::new(),
        origin: Origin::File(at..at + char::REPLACEMENT_CHARACTER.len_utf8()),
        message: message.to_owned(),
        allowed: "save the file as UTF-8".to_owned(),
        beside: None,
    };
    let text = String::from_utf8_lossy(bytes);
    ConfigError::Wrong(Report::new(file, &text, vec![problem]))
}

fn warnings(config: &Config) -> Vec<String> {
    let mut warnings = Vec::new();
    if matches!(config.mqtt.password, Some(SecretSource::Plain(_))) {
        warnings.push(
            "mqtt.password is in plain text; password_file or password_credential is safer"
                .to_owned(),
        );
    }
    let audience = &config.audience;
    if audience.profile == Profile::Competition && !audience.delays_draws() {
        warnings.push(format!(
            "audience.delay_ms is {}: the public of a competition sees moves too early to keep \
             them from the players. Counters and claims stay back; they need at least \
             audience.public_draw_after_ms, which is {}",
            audience.delay_ms, audience.public_draw_after_ms
        ));
    }
    warnings
}

fn effective(raw: &mut raw::File, text: &str, file: &str) -> Vec<Effective> {
    let mut keys = Vec::new();
    raw.walk("", &mut |path, key| {
        let origin = match key.origin() {
            Origin::Default => "default".to_owned(),
            Origin::File(span) => format!("{file}:{}", problem::place(text, span.start).0),
            Origin::Environment(variable) => format!("environment {variable}"),
        };
        keys.push(Effective {
            key: path.to_owned(),
            value: key.show(),
            origin,
        });
    });
    keys
}
