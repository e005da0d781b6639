//! Turns the written configuration into the checked one; the only place that detects errors.

use std::{
    collections::BTreeSet,
    ops::Range,
    path::{Path, PathBuf},
    str::FromStr,
};

use super::{
    choices::Profile,
    environment::Environment,
    problem::Problem,
    raw, valid,
    value::{Choice, Key, NameText, OneOf, Origin, Unit, Whole, words},
};
use crate::words::Language;
use remisd_journal::RawLimits;

const DEFAULT_STATE: &str = "/var/lib/remisd";

/// Checks everything and collects all errors instead of stopping at the first.
pub struct Check<'a> {
    pub(super) environment: &'a Environment,
    editions: &'a [&'a str],
    pub(super) problems: Vec<Problem>,
}

impl<'a> Check<'a> {
    pub fn new(environment: &'a Environment, editions: &'a [&'a str]) -> Self {
        Self {
            environment,
            editions,
            problems: Vec::new(),
        }
    }

    /// The editions that may be named.
    pub(super) const fn editions(&self) -> &'a [&'a str] {
        self.editions
    }

    /// Returns the checked configuration, or all errors.
    pub fn file(mut self, file: &raw::File) -> Result<valid::Config, Vec<Problem>> {
        let site = self.site(&file.site);
        let mqtt = self.mqtt(&file.mqtt);
        let laws = self.laws(&file.laws);
        let audience = self.audience(&file.audience);
        let limits = self.limits(&file.limits);
        let journal = self.journal(&file.journal);
        let own_site = site.as_ref().map(|site| &site.id);
        let http = self.http(&file.http, own_site);
        let broadcast = self.broadcast(&file.broadcast, &file.http, file.board.len());
        let livechess = self.livechess(&file.livechess, &file.audience);
        let private_rounds = self.private_rounds(&file.private_rounds);
        let notify = self.notify(file);
        let tournaments = self.tournaments(file);
        let boards = self.boards(file);
        let served = http.zip(livechess).zip(broadcast);
        match (site, mqtt, laws, audience, journal, served.zip(limits)) {
            (
                Some(site),
                Some(mqtt),
                Some(laws),
                Some(audience),
                Some(journal),
                Some((((http, livechess), broadcast), limits)),
            ) if self.problems.is_empty() => Ok(valid::Config {
                site,
                mqtt,
                laws,
                audience,
                limits,
                journal,
                http,
                broadcast,
                livechess,
                private_rounds,
                notify,
                tournaments,
                boards,
            }),
            _ => Err(self.problems),
        }
    }

    fn limits(&mut self, limits: &raw::Limits) -> Option<valid::Limits> {
        let arbiter = self.number("limits.arbiter", &limits.arbiter);
        let operator = self.number("limits.operator", &limits.operator);
        let player = self.number("limits.player", &limits.player);
        let clock = self.number("limits.clock", &limits.clock);
        let burst_s = self.number("limits.burst_s", &limits.burst_s);
        Some(valid::Limits {
            arbiter: arbiter?,
            operator: operator?,
            player: player?,
            clock: clock?,
            burst_s: burst_s?,
        })
    }

    fn site(&mut self, site: &raw::Site) -> Option<valid::Site> {
        let id = self.name("site.id", &site.id);
        let node = self.name("site.node", &site.node);
        Some(valid::Site {
            id: id?,
            node: node?,
        })
    }

    fn audience(&mut self, audience: &raw::Audience) -> Option<valid::Audience> {
        let profile = self.choice("audience.profile", &audience.profile);
        let delay_ms = self.number("audience.delay_ms", &audience.delay_ms);
        let delay_plies = self.number("audience.delay_plies", &audience.delay_plies);
        let public_draw_after_ms = self.number(
            "audience.public_draw_after_ms",
            &audience.public_draw_after_ms,
        );
        let open: BTreeSet<_> = self
            .choices("audience.open", &audience.open)
            .into_iter()
            .collect();
        if !open.is_empty() && profile.is_some_and(|profile| profile != Profile::Club) {
            let message = "only the profile \"club\" opens audiences one by one".to_owned();
            let allowed = "allowed: profile = \"club\", or no list";
            self.refuse::<_, ()>("audience.open", &audience.open, message, allowed);
        }
        let languages = self.choices("audience.languages", &audience.languages);
        let distinct: BTreeSet<_> = languages.iter().collect();
        let written = audience.languages.value.as_ref().map_or(0, Vec::len);
        if written == 0 || distinct.len() < languages.len() {
            let message = "needs at least one language, each only once".to_owned();
            let allowed = format!("allowed: {}", words::<Language>());
            self.refuse::<_, ()>("audience.languages", &audience.languages, message, &allowed);
        }
        Some(valid::Audience {
            profile: profile?,
            delay_ms: delay_ms?,
            delay_plies: u32::try_from(delay_plies?).ok()?,
            public_draw_after_ms: public_draw_after_ms?,
            operator_draw: audience.operator_draw.value?,
            open,
            languages,
        })
    }

    fn journal(&mut self, journal: &raw::Journal) -> Option<valid::Journal> {
        let dir = self.path("journal.dir", &journal.dir);
        let mount = self.mount(journal, dir);
        let keep_days = self.number("journal.keep_days", &journal.keep_days);
        let names = self.choice("journal.names", &journal.names);
        let raw = self.raw_limits(journal);
        Some(valid::Journal {
            dir: dir?.into(),
            mount,
            keep_days: keep_days?,
            names: names?,
            raw: raw?,
        })
    }

    /// The limits on raw data.
    fn raw_limits(&mut self, journal: &raw::Journal) -> Option<RawLimits> {
        let game = self.number("journal.raw_kib", &journal.raw_kib);
        let path = "journal.raw_board_kib";
        let board = self.number(path, &journal.raw_board_kib);
        let (game, board) = (game? << 10, board? << 10);
        if game > board {
            let message = "is smaller than journal.raw_kib, the limit for one game".to_owned();
            let allowed = "allowed: journal.raw_kib and more";
            return self.refuse(path, &journal.raw_board_kib, message, allowed);
        }
        Some(RawLimits { game, board })
    }

    fn mount(&mut self, journal: &raw::Journal, dir: Option<&str>) -> Option<PathBuf> {
        journal.mount.value.as_ref()?;
        let path = "journal.mount";
        let mount = self.path(path, &journal.mount)?;
        if dir.is_some_and(|dir| !Path::new(dir).starts_with(mount)) {
            let message = format!("\"{mount}\" does not contain the journal's directory");
            let allowed = "allowed: a directory that contains journal.dir";
            return self.refuse(path, &journal.mount, message, allowed);
        }
        Some(mount.into())
    }

    pub(super) fn name<T: FromStr>(&mut self, path: &str, key: &Key<NameText>) -> Option<T> {
        let NameText(text) = key.value.as_ref()?;
        if let Ok(name) = text.parse() {
            return Some(name);
        }
        let message = format!("\"{text}\" cannot be a level of a topic");
        self.refuse(path, key, message, "allowed: 1 to 32 of a-z, 0-9 and -")
    }

    /// A text that is not empty and has no control characters.
    pub(super) fn text<'b>(&mut self, path: &str, key: &'b Key<String>) -> Option<&'b str> {
        let text = key.value.as_deref()?;
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            let message = "is empty or contains control characters".to_owned();
            return self.refuse(path, key, message, "leave the key out if it is not needed");
        }
        Some(text)
    }

    pub(super) fn path<'b>(&mut self, path: &str, key: &'b Key<String>) -> Option<&'b str> {
        let text = self.text(path, key)?;
        if text.starts_with('/') {
            return Some(text);
        }
        let message = format!("\"{text}\" depends on where the daemon was started");
        self.refuse(path, key, message, "allowed: a path that begins with /")
    }

    pub(super) fn choice<T: OneOf>(&mut self, path: &str, key: &Key<Choice<T>>) -> Option<T> {
        let choice = key.value.as_ref()?;
        choice.meaning().or_else(|| {
            let message = format!("\"{}\" is not known here", choice.text());
            let allowed = format!("allowed: {}", words::<T>());
            self.refuse(path, key, message, &allowed)
        })
    }

    fn choices<T: OneOf>(&mut self, path: &str, key: &Key<Vec<Choice<T>>>) -> Vec<T> {
        let mut meanings = Vec::new();
        for choice in key.value.iter().flatten() {
            if let Some(meaning) = choice.meaning() {
                meanings.push(meaning);
            } else {
                let message = format!("\"{}\" is not known here", choice.text());
                let allowed = format!("allowed: {}", words::<T>());
                self.refuse::<_, ()>(path, key, message, &allowed);
            }
        }
        meanings
    }

    pub(super) fn number<U: Unit, const MIN: i64, const MAX: i64>(
        &mut self,
        path: &str,
        key: &Key<Whole<U, MIN, MAX>>,
    ) -> Option<u64> {
        let ms = key.value?;
        ms.checked().or_else(|| {
            let message = format!("{} is out of range", ms.written());
            let allowed = format!("allowed: {}", Whole::<U, MIN, MAX>::range());
            self.refuse(path, key, message, &allowed)
        })
    }

    pub(super) fn refuse<T, R>(
        &mut self,
        path: &str,
        key: &Key<T>,
        message: String,
        allowed: &str,
    ) -> Option<R> {
        self.problems.push(Problem {
            key: path.to_owned(),
            origin: key.origin.clone(),
            message,
            allowed: allowed.to_owned(),
            beside: None,
        });
        None
    }
}

/// Fills in the defaults that depend on other values.
pub fn complete(file: &mut raw::File, environment: &Environment) {
    if file.journal.dir.value.is_none() {
        // systemd separates several state directories by colons; use the first.
        let state = environment.state.as_deref().unwrap_or(DEFAULT_STATE);
        let first = state.split(':').next().unwrap_or(state);
        file.journal.dir = Key::default(format!("{first}/journal"));
    }
}

pub(super) fn span(origin: &Origin) -> Option<Range<usize>> {
    match origin {
        Origin::File(span) => Some(span.clone()),
        Origin::Default | Origin::Environment(_) => None,
    }
}
