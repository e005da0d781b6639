//! The answers from which a configuration is made, as texts and with their meaning.
//!
//! The command line and the page of `--web` both give a [`Form`]. One function checks it, so both
//! accept the same and write the same.

use std::{collections::HashSet, fmt, net::SocketAddr};

use remisd_vocabulary::name::{BoardId, SiteId};
use serde::{Deserialize, Serialize};

use super::{MOST_BOARDS, boards::BoardPort};
use crate::{
    config::{OneOf, Opened, Profile},
    words::Language,
};

/// The answers as they are typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// The name of the venue or event.
    pub site: String,
    /// The language of the texts beside the codes.
    pub language: String,
    /// How strictly information is withheld from the players.
    pub profile: String,
    /// The audiences that the profile `club` opens.
    pub open: Vec<String>,
    /// The boards, in order.
    pub boards: Vec<BoardForm>,
    /// The address of the broker.
    pub mqtt: String,
    /// The address of the pages.
    pub http: String,
}

/// A board as it is typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardForm {
    /// Its name.
    pub id: String,
    /// Its serial port; empty if it is not known yet.
    pub port: String,
}

/// The answers with their meaning.
#[derive(Debug, Clone)]
pub struct Answers {
    /// The name of the venue or event.
    pub site: SiteId,
    /// The language of the texts beside the codes.
    pub language: Language,
    /// How strictly information is withheld from the players.
    pub profile: Profile,
    /// The audiences that the profile `club` opens.
    pub open: Vec<Opened>,
    /// The boards, in order.
    pub boards: Vec<BoardPort>,
    /// The address of the broker.
    pub mqtt: SocketAddr,
    /// The address of the pages.
    pub http: SocketAddr,
}

/// An answer that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The answer's place in the form, such as `site` or `boards.1.id`; `files` for a file.
    pub field: String,
    /// What is wrong.
    pub code: Fault,
    /// The text that is refused, or the file.
    pub detail: String,
}

/// What is wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No name of a topic.
    Name,
    /// None of the words that are allowed.
    Choice,
    /// No address with a port.
    Address,
    /// Given before.
    Twice,
    /// No path of a serial port.
    Port,
    /// Too many boards, or none.
    Boards,
    /// Audiences are opened one by one without the profile `club`.
    NotClub,
    /// Broker and pages cannot have the same port.
    Overlap,
    /// Another program listens there.
    InUse,
    /// The file exists.
    Exists,
    /// The file cannot be written.
    NotWritten,
}

impl Problem {
    /// A problem with the answer at this place in the form.
    pub fn new(field: impl Into<String>, code: Fault, detail: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            code,
            detail: detail.into(),
        }
    }

    /// The option of the command line with this answer.
    fn option(&self) -> &str {
        match self.field.rsplit('.').next() {
            Some("id") => "name",
            Some(last) => last,
            None => &self.field,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { detail, .. } = self;
        write!(f, "--{}: ", self.option())?;
        match self.code {
            Fault::Name => write!(f, "{detail:?} is not a name: use 1 to 32 of a-z, 0-9 and -"),
            Fault::Choice => write!(f, "{detail:?} is none of the words that are allowed"),
            Fault::Address => write!(f, "{detail:?} is not an address with a port"),
            Fault::Twice => write!(f, "{detail:?} is given twice"),
            Fault::Port => write!(f, "{detail:?} is not the path of a port"),
            Fault::Boards => write!(
                f,
                "there are {detail} boards: allowed are 1 to {MOST_BOARDS}"
            ),
            Fault::NotClub => write!(f, "only the profile \"club\" opens audiences one by one"),
            Fault::Overlap => write!(f, "{detail} is the port of the broker: choose another one"),
            Fault::InUse => write!(
                f,
                "{detail} is in use by another program: choose another port"
            ),
            Fault::Exists => write!(f, "{detail} exists"),
            Fault::NotWritten => write!(f, "cannot write {detail}"),
        }
    }
}

impl Form {
    /// The answers with their meaning.
    ///
    /// # Errors
    ///
    /// Returns every answer that cannot be used.
    pub fn answers(&self) -> Result<Answers, Vec<Problem>> {
        let mut problems = Vec::new();
        let site = parsed(&mut problems, "site", Fault::Name, &self.site);
        let language = chosen(&mut problems, "language", &self.language);
        let profile = chosen(&mut problems, "profile", &self.profile);
        let mut open: Vec<Opened> = Vec::new();
        for word in &self.open {
            open.extend(chosen::<Opened>(&mut problems, "open", word));
        }
        open.sort_unstable();
        open.dedup();
        if !open.is_empty() && profile.is_some_and(|profile| profile != Profile::Club) {
            problems.push(Problem::new("open", Fault::NotClub, ""));
        }
        let boards = self.boards(&mut problems);
        let mqtt = address(&mut problems, "mqtt", &self.mqtt);
        let http = address(&mut problems, "http", &self.http);
        if let (Some(mqtt), Some(http)) = (mqtt, http)
            && overlap(mqtt, http)
        {
            problems.push(Problem::new("http", Fault::Overlap, http.to_string()));
        }
        match (site, language, profile, mqtt, http) {
            (Some(site), Some(language), Some(profile), Some(mqtt), Some(http))
                if problems.is_empty() =>
            {
                Ok(Answers {
                    site,
                    language,
                    profile,
                    open,
                    boards,
                    mqtt,
                    http,
                })
            }
            _ => Err(problems),
        }
    }

    fn boards(&self, problems: &mut Vec<Problem>) -> Vec<BoardPort> {
        let count = self.boards.len();
        if !(1..=usize::from(MOST_BOARDS)).contains(&count) {
            problems.push(Problem::new("boards", Fault::Boards, count.to_string()));
        }
        let (mut ids, mut ports) = (HashSet::new(), HashSet::new());
        let mut boards = Vec::new();
        for (number, BoardForm { id, port }) in self.boards.iter().enumerate() {
            let (id, port) = (id.trim(), port.trim());
            let mut refuse = |part: &str, code, text: &str| {
                problems.push(Problem::new(format!("boards.{number}.{part}"), code, text));
            };
            if id.parse::<BoardId>().is_err() {
                refuse("id", Fault::Name, id);
            } else if !ids.insert(id) {
                refuse("id", Fault::Twice, id);
            }
            if port.contains(char::is_control) {
                refuse("port", Fault::Port, port);
            } else if !port.is_empty() && !ports.insert(port) {
                refuse("port", Fault::Twice, port);
            }
            boards.push(BoardPort::new(
                id,
                Some(port).filter(|port| !port.is_empty()),
            ));
        }
        boards
    }
}

fn parsed<T: std::str::FromStr>(
    problems: &mut Vec<Problem>,
    field: &str,
    code: Fault,
    text: &str,
) -> Option<T> {
    let text = text.trim();
    let value = text.parse().ok();
    if value.is_none() {
        problems.push(Problem::new(field, code, text));
    }
    value
}

fn address(problems: &mut Vec<Problem>, field: &str, text: &str) -> Option<SocketAddr> {
    let at: SocketAddr = parsed(problems, field, Fault::Address, text)?;
    // The system would choose a port at each start.
    if at.port() == 0 {
        problems.push(Problem::new(field, Fault::Address, text.trim()));
        return None;
    }
    Some(at)
}

fn chosen<T: OneOf>(problems: &mut Vec<Problem>, field: &str, text: &str) -> Option<T> {
    let found = T::WORDS.iter().find(|(word, _)| *word == text.trim());
    if found.is_none() {
        problems.push(Problem::new(field, Fault::Choice, text));
    }
    found.map(|(_, value)| *value)
}

/// Whether one port cannot serve both addresses.
fn overlap(one: SocketAddr, other: SocketAddr) -> bool {
    let everywhere = one.ip().is_unspecified() || other.ip().is_unspecified();
    one.port() == other.port() && (everywhere || one.ip() == other.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> Form {
        let board = |id: &str, port: &str| BoardForm {
            id: id.to_owned(),
            port: port.to_owned(),
        };
        Form {
            site: "hall".to_owned(),
            language: "en".to_owned(),
            profile: "competition".to_owned(),
            open: Vec::new(),
            boards: vec![board("b1", "/dev/a"), board("b2", "")],
            mqtt: "127.0.0.1:1883".to_owned(),
            http: "127.0.0.1:9120".to_owned(),
        }
    }

    /// The places and faults of a form that `change` has spoilt.
    fn faults(change: impl FnOnce(&mut Form)) -> Vec<(String, Fault)> {
        let mut form = form();
        change(&mut form);
        let problems = form.answers().unwrap_err();
        let pairs = problems.into_iter();
        pairs.map(|problem| (problem.field, problem.code)).collect()
    }

    #[test]
    fn a_board_without_a_port_gets_a_placeholder() {
        let answers = form().answers().unwrap();
        let ports: Vec<_> = answers.boards.iter().map(|b| (&*b.port, b.found)).collect();
        assert_eq!(
            ports,
            [("/dev/a", true), ("/dev/serial/by-id/port-of-b2", false)]
        );
    }

    #[test]
    fn every_answer_that_cannot_be_used_is_named_with_its_place() {
        let at = |field: &str, code| vec![(field.to_owned(), code)];
        assert_eq!(
            faults(|f| f.site = "My Club".into()),
            at("site", Fault::Name)
        );
        assert_eq!(
            faults(|f| f.language = "fr".into()),
            at("language", Fault::Choice)
        );
        assert_eq!(
            faults(|f| f.profile = "open".into()),
            at("profile", Fault::Choice)
        );
        assert_eq!(
            faults(|f| f.open = vec!["hall".into()]),
            at("open", Fault::NotClub)
        );
        assert_eq!(faults(|f| f.boards.clear()), at("boards", Fault::Boards));
        assert_eq!(
            faults(|f| f.boards[1].id = "b1".into()),
            at("boards.1.id", Fault::Twice)
        );
        assert_eq!(
            faults(|f| f.boards[1].id = "b/2".into()),
            at("boards.1.id", Fault::Name)
        );
        assert_eq!(
            faults(|f| f.boards[1].port = "/dev/a".into()),
            at("boards.1.port", Fault::Twice)
        );
        assert_eq!(
            faults(|f| f.boards[0].port = "/dev/a\nid = \"x\"".into()),
            at("boards.0.port", Fault::Port)
        );
        assert_eq!(
            faults(|f| f.mqtt = "localhost".into()),
            at("mqtt", Fault::Address)
        );
        assert_eq!(
            faults(|f| f.http = "127.0.0.1:0".into()),
            at("http", Fault::Address)
        );
        assert_eq!(
            faults(|f| f.http = "0.0.0.0:1883".into()),
            at("http", Fault::Overlap)
        );
        let both = faults(|f| {
            f.site = String::new();
            f.mqtt = String::new();
        });
        assert_eq!(both.len(), 2, "{both:?}");
    }

    #[test]
    fn only_the_profile_club_opens_audiences() {
        let mut form = form();
        form.profile = "club".to_owned();
        form.open = vec!["hall".to_owned(), "player".to_owned(), "hall".to_owned()];
        assert_eq!(form.answers().unwrap().open, [Opened::Player, Opened::Hall]);
    }
}
