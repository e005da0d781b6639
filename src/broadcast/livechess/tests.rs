//! The API as clients use it, and the payloads of the topics behind it.

mod client;
mod page;
mod records;

use std::{collections::BTreeMap, sync::Arc};

use remisd_laws::{Rate, Score};
use remisd_topics::{
    Availability, Clock, Envelope, Game, GameMove, GameResult, Link, Squares, Tracker,
    TrackerState, topic::Audience,
};
use remisd_vocabulary::{
    notation::{MoveText, read_move},
    reading::{Confidence, Settings as Hand},
    sensor::LinkCounters,
    seq::AudienceSeq,
    time::{ManualClock, TimeScale},
};
use serde::Serialize;
use shakmaty::{Chess, Position as _};

use super::{BoardSettings, Hub, PAGES, Settings};

/// A board at which people play.
pub fn board(id: &str) -> BoardSettings {
    BoardSettings {
        id: id.parse().unwrap(),
        hand: Hand::default(),
        time_scale: TimeScale::HUMAN,
    }
}

/// A hub with these boards, and its clock.
pub fn hub(audience: Audience, boards: &[&str]) -> (Hub, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    let boards = boards.iter().map(|id| board(id));
    let hub = Hub::new(Settings {
        site: "hall".parse().unwrap(),
        audience,
        boards: boards.collect(),
        origins: PAGES.map(|page| page.parse().unwrap()).to_vec(),
        names: Vec::new(),
        clock: clock.clone(),
    });
    hub.connect(true);
    (hub, clock)
}

/// An operator's hub with a board `b1` at the start of a game.
pub fn hub_of_one() -> (Hub, Arc<ManualClock>) {
    let (hub, clock) = hub(Audience::Operator, &["b1"]);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    say(&hub, "link", &link("23946"));
    say(&hub, "availability", &availability("online"));
    say(&hub, "game", &game(""));
    say(&hub, "squares", &squares(start));
    (hub, clock)
}

/// Publishes a value of the board `b1`.
pub fn say(hub: &Hub, leaf: &str, payload: &[u8]) {
    hub.take(&format!("chess/v1/hall/operator/b1/{leaf}"), payload);
}

fn payload<T: Serialize>(schema: &'static str, content: T) -> Vec<u8> {
    let envelope = Envelope {
        schema: schema.into(),
        site: "hall".to_owned(),
        board: "b1".to_owned(),
        session: "s".to_owned(),
        seq: AudienceSeq::new(7),
        time: "2026-11-27T12:00:00.000Z".to_owned(),
        content,
    };
    serde_json::to_vec(&envelope).unwrap()
}

pub fn link(serial: &str) -> Vec<u8> {
    let link = Link {
        up: true,
        reason: None,
        kind: "dgt".into(),
        port: "/dev/ttyACM0".to_owned(),
        serial: Some(serial.to_owned()),
        version: None,
        battery: Some(84),
        orientation: remisd_vocabulary::sensor::Orientation::Normal,
        clock_reversed: false,
        last_frame: None,
        counters: LinkCounters::default(),
        confidence: Confidence::Certain,
        faulty_squares: Vec::new(),
        accounts: Vec::new(),
    };
    payload("remisd/link/1", link)
}

pub fn availability(state: &str) -> Vec<u8> {
    let state = serde_json::from_value(state.into()).unwrap();
    let reason = None;
    payload("remisd/availability/1", Availability { state, reason })
}

pub fn squares(placement: &str) -> Vec<u8> {
    let squares = Squares {
        placement: placement.to_owned(),
        at: "2026-11-27T12:00:00.000Z".to_owned(),
    };
    payload("remisd/squares/1", squares)
}

/// A clock that was read 500 seconds after 1970.
pub fn clock(white_ms: u64, black_ms: u64, running: &str) -> Vec<u8> {
    let clock = Clock {
        white_ms: Some(white_ms),
        black_ms: Some(black_ms),
        running: serde_json::from_value(running.into()).ok(),
        at: Some("1970-01-01T00:08:20.000Z".to_owned()),
        flag: None,
        paused: None,
        adjustment: None,
        players: None,
        decided: None,
    };
    payload("remisd/clock/1", clock)
}

/// A game with these moves.
pub fn game(moves: &str) -> Vec<u8> {
    payload("remisd/game/1", game_of(moves))
}

/// The content of it.
pub fn game_of(moves: &str) -> Game {
    let mut position = Chess::default();
    let fen = |position: &Chess| remisd_vocabulary::notation::fen(position);
    let start_fen = fen(&position);
    let moves = moves.split_whitespace().map(|word| {
        let m = read_move(word, &position).unwrap();
        let text = MoveText::new(m, &position);
        position.play_unchecked(m);
        GameMove {
            uci: text.uci,
            san: text.san,
            clock_ms: None,
            reconstructed: false,
        }
    });
    let moves: Vec<GameMove> = moves.collect();
    Game {
        game: AudienceSeq::new(1),
        headers: BTreeMap::new(),
        laws: "fide-2023".into(),
        rate: Rate::Standard,
        start_fen,
        fen: fen(&position),
        ply: None,
        turn: if moves.len() % 2 == 0 {
            "white"
        } else {
            "black"
        }
        .into(),
        moves,
        offers: Vec::new(),
        clocks: None,
        earlier_results: Vec::new(),
        clocks_at: None,
        tracker: Tracker {
            state: TrackerState::Following,
            reason: None,
            squares: Vec::new(),
        },
        uncertain: None,
        proposed_result: None,
        result: None,
    }
}

/// A result.
pub fn result(score: Score) -> GameResult {
    GameResult {
        score,
        reason: remisd_game::ResultReason::Resignation,
        article: None,
        ply: None,
        announced: None,
        confirmed: false,
    }
}

/// A game as a payload.
pub fn publish(game: &Game) -> Vec<u8> {
    payload("remisd/game/1", game)
}
