//! The form in which the daemon sends a record to a client that makes the sheet.

use remisd_vocabulary::notation::parse_position;
use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::record::{Claim, Doubt, Incident, MoveRefused, Record, RecordedMove, Source, Times};
use remisd_dead::Grounds;
use remisd_game::{GameResult, Side};
use remisd_laws::{AutomaticKind, Ply, Regulations};
use remisd_vocabulary::{
    notation::{self, PositionTextError},
    time::as_rfc3339,
};

/// The record of a game up to a claim, or up to its last move, as the journal has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evidence")]
pub struct Form {
    /// PGN tags.
    pub headers: BTreeMap<String, String>,
    /// The board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
    /// When the game began.
    #[serde(
        default,
        with = "as_rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub began: Option<Timestamp>,
    /// The edition, the rate, and the event's own decisions.
    pub regulations: Regulations,
    /// The starting position.
    pub start_fen: String,
    /// The moves up to the claim.
    pub moves: Vec<RecordedMove>,
    /// The claim; absent if the sheet shows the position on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The clock times at the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Times>,
    /// Whether the last move was completed by pressing the clock, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<bool>,
    /// The marks (=) in the score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<Mark>,
    /// The illegal moves that the arbiter has found.
    pub illegal_moves: IllegalMoves,
    /// Events before the claim that the arbiter should see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
    /// The first end of the game by the Laws alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<End>,
    /// Why neither side can mate in a dead position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<DeadSince>,
    /// The result, if there is no claim and the game has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<GameResult>,
    /// The doubts about the record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Doubt>,
    /// The source of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// A mark (=) in the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceMark")]
pub struct Mark {
    /// The ply after which it was made.
    pub ply: Ply,
    /// The player who offered.
    pub by: Side,
}

/// The number of illegal moves of each player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IllegalMoves {
    /// White's.
    pub white: u32,
    /// Black's.
    pub black: u32,
}

/// An end of the game by the Laws alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceEnd")]
pub struct End {
    /// The ply after which the game ended.
    pub ply: Ply,
    /// The reason.
    pub kind: AutomaticKind,
}

/// A dead position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeadSince {
    /// The ply after which the position is dead.
    pub ply: Ply,
    /// Why neither side can mate.
    #[serde(flatten)]
    pub grounds: Grounds,
}

/// Why a form cannot be turned into a record.
#[derive(Debug, Clone, thiserror::Error)]
pub enum FormError {
    /// The starting position is invalid.
    #[error("the starting position: {0}")]
    Start(#[from] PositionTextError),
    /// A move is not legal.
    #[error(transparent)]
    Move(#[from] MoveRefused),
}

impl From<Record> for Form {
    fn from(record: Record) -> Self {
        let (white, black) = record.illegal_moves;
        let start_fen = notation::fen(&record.start);
        let offers = record.offers.into_iter();
        Self {
            headers: record.tags.into_iter().collect(),
            board: record.board,
            began: record.began,
            regulations: record.regulations,
            start_fen,
            moves: record.moves,
            claim: record.claim,
            clocks: record.times,
            completed: record.completed,
            offers: offers
                .map(|(ply, by)| Mark { ply, by: by.into() })
                .collect(),
            illegal_moves: IllegalMoves { white, black },
            incidents: record.incidents,
            ended: record.ended.map(|(ply, end)| End {
                ply,
                kind: end.kind,
            }),
            grounds: record
                .grounds
                .map(|(ply, grounds)| DeadSince { ply, grounds }),
            result: record.result,
            doubts: record.doubts,
            source: record.source,
        }
    }
}

impl TryFrom<Form> for Record {
    type Error = FormError;

    fn try_from(form: Form) -> Result<Self, FormError> {
        let start = parse_position(&form.start_fen)?;
        let edition = form.regulations.edition;
        let mut record = Self::new(start, form.regulations);
        for made in form.moves {
            let played = record.play(&made.text.uci)?;
            played.clock_ms = made.clock_ms;
            played.after_gap = made.after_gap;
        }
        let offers = form.offers.into_iter();
        record.tags = form.headers.into_iter().collect();
        record.board = form.board;
        record.began = form.began;
        record.claim = form.claim;
        record.times = form.clocks;
        record.completed = form.completed;
        record.offers = offers.map(|mark| (mark.ply, mark.by.into())).collect();
        record.illegal_moves = (form.illegal_moves.white, form.illegal_moves.black);
        record.incidents = form.incidents;
        record.ended = form.ended.map(|end| (end.ply, end.kind.under(edition)));
        record.grounds = form.grounds.map(|dead| (dead.ply, dead.grounds));
        record.result = form.result;
        record.doubts = form.doubts;
        record.source = form.source;
        Ok(record)
    }
}

/// Serialises a colour as `white` or `black`.
pub(super) mod as_side {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use super::{Color, Side};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes fields by reference"
    )]
    pub fn serialize<S: Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
        Side::from(*color).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
        Side::deserialize(deserializer).map(Color::from)
    }
}

/// Serialises an edition as its id.
pub(super) mod as_edition {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use remisd_laws::Edition;

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes fields by reference"
    )]
    pub fn serialize<S: Serializer>(
        edition: &&'static Edition,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(edition.id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static Edition, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}
