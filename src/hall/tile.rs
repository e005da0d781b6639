//! Tiles: a short form of a game for pages that show many boards.
//!
//! A game grows with every move. A console showing two hundred boards would receive all of their
//! moves again and again; a tile holds only the last one.

use std::collections::BTreeMap;

use bytes::Bytes;
use remisd_vocabulary::seq::AudienceSeq;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The PGN tags shown on a tile.
const TAGS: [&str; 12] = [
    "White",
    "Black",
    "WhiteTitle",
    "BlackTitle",
    "WhiteElo",
    "BlackElo",
    "WhiteFed",
    "BlackFed",
    "WhiteFideId",
    "BlackFideId",
    "Round",
    "Board",
];

/// The parts of a game that are read; their values are passed on unchanged.
#[derive(Debug, Deserialize)]
struct GameParts<'a> {
    seq: AudienceSeq,
    #[serde(borrow)]
    time: &'a RawValue,
    #[serde(borrow, rename = "game")]
    number: &'a RawValue,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(borrow)]
    fen: &'a RawValue,
    #[serde(borrow)]
    ply: Option<&'a RawValue>,
    #[serde(borrow)]
    turn: &'a RawValue,
    #[serde(borrow, default)]
    moves: Vec<&'a RawValue>,
    #[serde(borrow)]
    clocks: Option<&'a RawValue>,
    #[serde(borrow)]
    clocks_at: Option<&'a RawValue>,
    #[serde(borrow)]
    tracker: Option<&'a RawValue>,
    #[serde(borrow)]
    uncertain: Option<&'a RawValue>,
    #[serde(borrow)]
    proposed_result: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
}

#[derive(Debug, Serialize)]
struct Tile<'a> {
    seq: AudienceSeq,
    time: &'a RawValue,
    #[serde(rename = "game")]
    number: &'a RawValue,
    headers: BTreeMap<String, String>,
    fen: &'a RawValue,
    ply: Option<&'a RawValue>,
    turn: &'a RawValue,
    last: Option<&'a RawValue>,
    clocks: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clocks_at: Option<&'a RawValue>,
    tracker: Option<&'a RawValue>,
    uncertain: Option<&'a RawValue>,
    proposed_result: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
}

/// The tile for a game's payload; `None` if the payload is not a game.
pub(super) fn of_game(payload: &[u8]) -> Option<Bytes> {
    let mut game: GameParts<'_> = serde_json::from_slice(payload).ok()?;
    game.headers.retain(|tag, _| TAGS.contains(&tag.as_str()));
    let tile = Tile {
        seq: game.seq,
        time: game.time,
        number: game.number,
        headers: game.headers,
        fen: game.fen,
        ply: game.ply,
        turn: game.turn,
        last: game.moves.last().copied(),
        clocks: game.clocks,
        clocks_at: game.clocks_at,
        tracker: game.tracker,
        uncertain: game.uncertain,
        proposed_result: game.proposed_result,
        result: game.result,
    };
    serde_json::to_vec(&tile).ok().map(Bytes::from)
}
