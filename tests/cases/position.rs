//! Cases of positions, run through `remisd dead`, and the results of flag fall, resignation and a
//! losing illegal move in them.

use remisd_laws::{Edition, Rate, Regulations, Score, lost_unless_unwinnable};
use remisd_vocabulary::notation::parse_position;
use serde_json::Value;
use shakmaty::{CastlingMode, Chess, Color, Position as _, fen::Fen, uci::UciMove};

use super::remisd;

/// Two pawns give check together, which no move can bring about. remisd rejects such a position,
/// here and at a board.
const NO_POSITION: &str = "ND42";

pub fn check(case: &Value, edition: &'static Edition) {
    if case["id"] == NO_POSITION {
        let error = parse_position(case["fen"].as_str().unwrap()).unwrap_err();
        let why = "not a legal position: no move can have given these checks";
        return assert_eq!(error.to_string(), why);
    }
    let fen = case["fen"].as_str().unwrap();
    let answer = &remisd(&["dead", "--both", "--witness"], fen)[0];
    assert_eq!(answer["fen"], case["fen"]);
    assert!(answer["proof"].is_string());
    let dead = case["dead_position"] == true;
    let verdict = if dead { "dead" } else { "alive" };
    assert_eq!(answer["verdict"], verdict);
    for (side, color) in [("white", Color::White), ("black", Color::Black)] {
        assert_eq!(answer[side], case["winnable"][side], "{side}");
        let line = &answer["helpmate"][side];
        assert_eq!(line.is_array(), answer[side] == "winnable", "{side}");
        if let Some(moves) = line.as_array() {
            mates(fen, moves, color);
        }
        let can_mate = answer[color.other().fold_wb("white", "black")] == "winnable";
        let flag = &case["flag_fall"][format!("{side}_flag_falls")];
        losses(color, can_mate, flag.as_str().unwrap(), dead, edition);
    }
}

/// Checks the score when `loser` loses in each possible way.
fn losses(loser: Color, can_mate: bool, flag: &str, dead: bool, edition: &'static Edition) {
    let score = |needs_mate| lost_unless_unwinnable(loser, needs_mate, Some(can_mate)).unwrap();
    let lost = Score::won_by(loser.other());
    let saved = if can_mate { lost } else { Score::Draw };
    match flag {
        "game already over" => assert!(dead),
        "draw" => assert_eq!(score(true), Score::Draw),
        result => assert_eq!(score(true).as_str(), result),
    }
    assert_eq!(score(true), saved);
    // Only the newest text gives a draw to a player who resigns.
    let resigned = if edition.in_force_from < "2023" {
        lost
    } else {
        saved
    };
    assert_eq!(
        score(edition.resignation_needs_mate),
        resigned,
        "{}",
        edition.id
    );
    // The exception for illegal moves came in 2009.
    let illegal = if edition.in_force_from < "2009" {
        lost
    } else {
        saved
    };
    for rate in [Rate::Standard, Rate::Rapid, Rate::Blitz] {
        for supervised in [false, true] {
            let regulations = Regulations {
                supervised,
                ..Regulations::new(edition, rate)
            };
            let needs_mate = regulations.illegal_moves().draw_if_cannot_mate;
            assert_eq!(score(needs_mate), illegal, "{}, {rate:?}", edition.id);
        }
    }
}

/// Plays a helpmate to its end.
fn mates(fen: &str, moves: &[Value], winner: Color) {
    let fen: Fen = fen.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    for uci in moves {
        let uci: UciMove = uci.as_str().unwrap().parse().unwrap();
        let m = uci.to_move(&position).unwrap();
        position.play_unchecked(m);
    }
    assert!(position.is_checkmate());
    assert_eq!(position.turn(), winner.other());
}
