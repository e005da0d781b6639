//! What `LiveChess` answers about its tournaments, and the PGN tags that this gives.
//!
//! Every field but those that are needed may be missing.

use std::collections::BTreeMap;

use remisd_vocabulary::text::OneLine;
use serde::Deserialize;
use serde_json::Value;

/// The number of the usual starting position in Chess960.
const USUAL: u32 = 518;
/// The most characters of a tag: they fit the 255 bytes of PGN.
const LONGEST_TAG: usize = 60;

/// A tournament in the list.
#[derive(Debug, Deserialize)]
pub(super) struct Summary {
    pub uuid: String,
    pub rounds: u32,
}

/// A tournament.
#[derive(Debug, Deserialize)]
pub(super) struct Tournament {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    location: Option<String>,
    /// The serial number of the board of each pairing.
    pub eboards: Vec<Option<String>>,
}

/// A round of a tournament.
#[derive(Debug, Deserialize)]
pub(super) struct Round {
    #[serde(default)]
    pub date: Option<String>,
    /// One that cannot be read takes no other with it.
    pub pairings: Vec<Value>,
}

/// A pairing of a round.
#[derive(Debug, Deserialize)]
pub(super) struct Paired {
    /// From 1.
    pub nr: usize,
    pub uuid: String,
    #[serde(default)]
    white: Option<Player>,
    #[serde(default)]
    black: Option<Player>,
    #[serde(default)]
    pub live: bool,
    #[serde(default)]
    pub result: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Player {
    #[serde(default)]
    fname: Option<String>,
    #[serde(default)]
    mname: Option<String>,
    #[serde(default)]
    lname: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    fideid: Option<String>,
}

/// The game of a pairing.
#[derive(Debug, Deserialize)]
pub(super) struct MovesOfGame {
    /// The move in SAN, then perhaps the time left and the time used.
    moves: Vec<String>,
    /// The number of the starting position.
    #[serde(default)]
    chess960: Option<u32>,
}

impl Tournament {
    /// The tags of a pairing, if both players have a name.
    pub(super) fn tags(
        &self,
        round: u32,
        date: Option<&str>,
        pairing: &Paired,
    ) -> Option<BTreeMap<String, String>> {
        let (white, black) = (pairing.white.as_ref()?, pairing.black.as_ref()?);
        let event = self.name.as_deref().filter(|name| !name.trim().is_empty());
        let mut tags = BTreeMap::new();
        let mut add = |name: &str, value: &str| {
            let value = OneLine::bounded(value, LONGEST_TAG);
            if !value.as_str().is_empty() {
                tags.insert(name.to_owned(), value.as_str().to_owned());
            }
        };
        add("White", &white.name()?);
        add("Black", &black.name()?);
        add(
            "Event",
            event.or(self.description.as_deref()).unwrap_or_default(),
        );
        add("Site", self.location.as_deref().unwrap_or_default());
        add("Round", &(round + 1).to_string());
        add("Date", &date.and_then(pgn_date).unwrap_or_default());
        for (color, player) in [("White", white), ("Black", black)] {
            let title = player.title.as_deref().unwrap_or_default();
            add(&format!("{color}Title"), title);
            let id = player.fideid.as_deref().unwrap_or_default();
            let is_number = !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit());
            add(&format!("{color}FideId"), if is_number { id } else { "" });
        }
        Some(tags)
    }
}

impl MovesOfGame {
    /// Whether the game begins from the usual starting position.
    pub(super) fn is_usual(&self) -> bool {
        self.chess960.is_none_or(|number| number == USUAL)
    }

    /// The moves in SAN.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        let moves = self.moves.iter();
        moves.map(|text| text.split(' ').next().unwrap_or_default())
    }
}

impl Player {
    /// The name as PGN writes it: `Last, First Middle`.
    fn name(&self) -> Option<String> {
        let part = |part: &Option<String>| {
            let part = OneLine::new(part.as_deref().unwrap_or_default());
            (!part.as_str().is_empty()).then(|| part.as_str().to_owned())
        };
        let given = [part(&self.fname), part(&self.mname)];
        let given: Vec<String> = given.into_iter().flatten().collect();
        match (part(&self.lname), given.join(" ")) {
            (None, given) if given.is_empty() => None,
            (None, given) => Some(given),
            (Some(last), given) if given.is_empty() => Some(last),
            (Some(last), given) => Some(format!("{last}, {given}")),
        }
    }
}

/// A date as PGN writes it, from one that begins `2026-11-29`.
fn pgn_date(date: &str) -> Option<String> {
    let day: jiff::civil::Date = date.get(..10)?.parse().ok()?;
    Some(day.strftime("%Y.%m.%d").to_string())
}

/// Whether a text may be the id of a tournament or a pairing, and part of an address.
pub(super) fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-')
}
