//! Whether a file has the sections and keys that there are, each with a value of its type.
//!
//! This comes before anything is read into types, so that a mistake is named in the words of this
//! table and with its key, and all of them together. What a value means is the work of `validate`.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize as _;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    part::Part as _,
    problem::Problem,
    raw::{Board, File, Notify, Tournament},
    syntax,
    value::{Kind, Origin},
};

/// The sections that may be repeated.
const LISTS: [&str; 3] = ["board", "notify", "tournament"];

/// A text in types, as far as its form allows.
pub struct Shaped {
    /// What has the right form; `None` if nothing can be read.
    pub file: Option<File>,
    /// Every mistake in the form.
    pub problems: Vec<Problem>,
}

/// Reads `text` without the sections and keys whose form is wrong.
pub fn read(text: &str) -> Shaped {
    let mut root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let problems = vec![syntax::problem(text, &error)];
            return Shaped {
                file: None,
                problems,
            };
        }
    };
    let mut check = Check {
        known: known(),
        problems: Vec::new(),
    };
    check.table(root.get_ref(), "", "");
    let mut problems = check.problems;
    let refused = problems.iter().map(|problem| problem.key.clone()).collect();
    leave_out(root.get_mut(), "", &refused);
    let file = File::deserialize(toml::Deserializer::from(root));
    // Beside known mistakes the parser's own words say nothing new.
    let file = file.map_err(|error| {
        if problems.is_empty() {
            problems.push(syntax::problem(text, &error));
        }
    });
    Shaped {
        file: file.ok(),
        problems,
    }
}

/// Removes the refused keys from the section `shown`.
fn leave_out(table: &mut DeTable<'_>, shown: &str, refused: &BTreeSet<String>) {
    let written = std::mem::replace(table, DeTable::new());
    let kept = written.into_iter().filter_map(|(key, mut value)| {
        let shown = below(shown, key.get_ref());
        if refused.contains(&shown) {
            return None;
        }
        match value.get_mut() {
            DeValue::Table(section) => leave_out(section, &shown, refused),
            DeValue::Array(sections) if LISTS.contains(&shown.as_str()) => {
                for (number, section) in sections.iter_mut().enumerate() {
                    if let DeValue::Table(section) = section.get_mut() {
                        leave_out(section, &below(&shown, &number.to_string()), refused);
                    }
                }
            }
            _ => {}
        }
        Some((key, value))
    });
    *table = kept.collect();
}

/// Each key with its kind: `site.id`, and `board.port` for those of every board.
fn known() -> BTreeMap<String, Kind> {
    let mut file = File::default();
    file.board.push(Spanned::new(0..0, Board::default()));
    file.notify.push(Spanned::new(0..0, Notify::default()));
    let tournament = Spanned::new(0..0, Tournament::default());
    file.tournament.push(tournament);
    let mut known = BTreeMap::new();
    file.walk("", &mut |path, key| {
        known.insert(path.replacen(".0.", ".", 1), key.kind());
    });
    known
}

struct Check {
    known: BTreeMap<String, Kind>,
    problems: Vec<Problem>,
}

impl Check {
    /// Checks the section `path`; `shown` is its name with its number in a list.
    fn table(&mut self, table: &DeTable<'_>, path: &str, shown: &str) {
        for (key, value) in table {
            let name = key.get_ref();
            let (path, shown) = (below(path, name), below(shown, name));
            if let Some(kind) = self.known.get(&path).copied() {
                self.value(kind, value, &shown);
            } else if LISTS.contains(&path.as_str()) {
                self.list(&path, key, value);
            } else if self.has_section(&path) {
                self.section(key, value, &path, &shown);
            } else {
                self.unknown(key, &path, shown);
            }
        }
    }

    fn section(
        &mut self,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
        path: &str,
        shown: &str,
    ) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, path, shown),
            DeValue::Array(_) => {
                let message = "this section is allowed once".to_owned();
                self.refuse(
                    key,
                    shown.to_owned(),
                    message,
                    format!("write [{path}], in single brackets"),
                );
            }
            _ => {
                let message = "this is a section, not a key".to_owned();
                let allowed = format!("write [{path}], with its keys in the lines below");
                self.refuse(key, shown.to_owned(), message, allowed);
            }
        }
    }

    fn list(&mut self, name: &str, key: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue<'_>>) {
        let sections = value.get_ref().as_array();
        let tables: Option<Vec<_>> = sections.and_then(|sections| {
            sections
                .iter()
                .map(|section| section.get_ref().as_table())
                .collect()
        });
        let Some(tables) = tables else {
            let message = format!("each {name} is a section of its own");
            let allowed = format!("write [[{name}]], in double brackets");
            return self.refuse(key, name.to_owned(), message, allowed);
        };
        for (number, section) in tables.into_iter().enumerate() {
            self.table(section, name, &format!("{name}.{number}"));
        }
    }

    /// Refuses a value of another kind, without showing it: it may be a secret.
    fn value(&mut self, kind: Kind, value: &Spanned<DeValue<'_>>, shown: &str) {
        let (at, found) = match (kind, value.get_ref()) {
            (Kind::Text, DeValue::String(_)) | (Kind::Truth, DeValue::Boolean(_)) => return,
            (Kind::Number, DeValue::Integer(number)) => {
                let digits = number.as_str().replace('_', "");
                if i64::from_str_radix(&digits, number.radix()).is_ok() {
                    return;
                }
                (value, "a number that is too large")
            }
            (Kind::Texts, DeValue::Array(elements)) => {
                let text = |element: &&Spanned<DeValue<'_>>| element.get_ref().is_str();
                match elements.iter().find(|element| !text(element)) {
                    Some(element) => (element, found(element.get_ref())),
                    None => return,
                }
            }
            (_, other) => (value, found(other)),
        };
        self.problems.push(Problem {
            key: shown.to_owned(),
            origin: Origin::File(at.span()),
            message: format!("{found} is not allowed here"),
            allowed: format!("allowed: {}", kind.expected()),
            beside: None,
        });
    }

    fn unknown(&mut self, key: &Spanned<impl AsRef<str>>, path: &str, shown: String) {
        let (section, name) = path.rsplit_once('.').unwrap_or(("", path));
        let elsewhere = self.known.keys().filter_map(|known| {
            let (section, other) = known.rsplit_once('.')?;
            (other == name).then(|| match section {
                list if LISTS.contains(&list) => format!("a [[{list}]]"),
                section => format!("[{section}]"),
            })
        });
        let elsewhere: Vec<String> = elsewhere.collect();
        let (message, allowed) = if !elsewhere.is_empty() {
            (
                "this key does not belong here",
                format!("`{name}` belongs in {}", elsewhere.join(" or ")),
            )
        } else if section.is_empty() {
            (
                "there is no such section or key",
                format!("sections: {}", self.names("")),
            )
        } else {
            (
                "there is no such key in this section",
                format!("keys: {}", self.names(section)),
            )
        };
        self.refuse(key, shown, message.to_owned(), allowed);
    }

    fn refuse(
        &mut self,
        key: &Spanned<impl AsRef<str>>,
        shown: String,
        message: String,
        allowed: String,
    ) {
        self.problems.push(Problem {
            key: shown,
            origin: Origin::File(key.span()),
            message,
            allowed,
            beside: None,
        });
    }

    fn has_section(&self, path: &str) -> bool {
        let below = format!("{path}.");
        self.known.keys().any(|key| key.starts_with(&below))
    }

    /// The names of what a section contains, in their order.
    fn names(&self, section: &str) -> String {
        let mut names: Vec<&str> = Vec::new();
        for key in self.known.keys() {
            let inside = if section.is_empty() {
                Some(key.as_str())
            } else {
                key.strip_prefix(section)
                    .and_then(|rest| rest.strip_prefix('.'))
            };
            let name = inside.map(|inside| inside.split('.').next().unwrap_or(inside));
            names.extend(name.filter(|name| names.last() != Some(name)));
        }
        names.join(", ")
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// What the file contains, in words.
const fn found(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text in quotes",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a decimal point",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a section",
    }
}
