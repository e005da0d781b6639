//! Cases of offers, claims, flags and rulings. The events are passed to a game as commands, and the
//! case's expectations must hold after the last one.

use remisd_game::{Role, Side, Verb};
use remisd_laws::{AgreementRule, Edition, Regulations};
use serde_json::Value;
use shakmaty::Color;

use super::{
    story::Story,
    table::{QUIET, Table, milliseconds, rate},
};

const MATE_IN_ONE: &str = "7k/8/6K1/8/8/8/8/R7 w - - 149 120";
const STALEMATE_IN_ONE: &str = "7k/8/6K1/8/8/8/8/5Q2 w - - 0 80";
/// Positions for a player who loses by an illegal move when the case names none.
const CAN_MATE: &str = "8/8/4k3/8/2n5/8/4K3/3R4 w - - 0 1";
const CANNOT_MATE: &str = "8/8/4k3/8/2b5/8/3K4/3R4 w - - 0 1";

pub fn check(case: &Value, edition: &'static Edition) {
    for mode in case["given"]["mode"]
        .as_str()
        .unwrap_or("standard")
        .split('|')
    {
        let regulations = regulations(&case["given"], edition, mode);
        if case["expect"]["result"]
            == "loss, or draw if opponent cannot mate by any series of legal moves"
        {
            for (fen, result) in [(CAN_MATE, "0-1"), (CANNOT_MATE, "1/2-1/2")] {
                let mut case = case.clone();
                case["given"]["fen"] = fen.into();
                case["expect"]["result"] = result.into();
                run(&case, regulations.clone());
            }
        } else {
            run(case, regulations);
        }
    }
}

fn regulations(given: &Value, edition: &'static Edition, mode: &str) -> Regulations {
    let number = |key: &str| given[key].as_u64().map(|n| u32::try_from(n).unwrap());
    Regulations {
        agreement: match number("no_agreement_before") {
            _ if given["no_agreement_ever"] == true => AgreementRule::Never,
            // Before move 30 means before 29 moves have been made.
            Some(n) => AgreementRule::NotBefore(n - 1),
            None => AgreementRule::Free,
        },
        quickplay_announced: given["announced"] != false,
        increment: given["increment"] == true,
        ..Regulations::new(edition, rate(mode))
    }
}

fn run(case: &Value, regulations: Regulations) {
    let mut story = Story {
        case,
        table: base(case, regulations),
        written: None,
        accepted: None,
        claimed: None,
        withdrawn: None,
        flagged: None,
        open_to_the_end: false,
    };
    for event in case["events"].as_array().unwrap() {
        story.happens(event.as_str().unwrap());
        story.table.settle();
    }
    story.open_to_the_end = story.table.game.open_claim().is_some();
    story.rule();
    for (key, value) in case["expect"].as_object().unwrap() {
        story.expect(key, value);
    }
}

/// The colour with which an event begins.
pub fn player(event: &str) -> Option<Color> {
    match event.split(' ').next()? {
        "w" => Some(Color::White),
        "b" => Some(Color::Black),
        _ => None,
    }
}

/// The board before the first event.
fn base(case: &Value, regulations: Regulations) -> Table {
    let given = &case["given"];
    let events: Vec<&str> = case["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event.as_str().unwrap())
        .collect();
    let has = |text: &str| events.iter().any(|event| event.contains(text));
    let named = given["to_move"].as_str().and_then(player);
    let claims = events.iter().find(|event| event.contains(" claims "));
    let claimant = claims.and_then(|event| player(event));
    let turn = named.or(claimant).unwrap_or(Color::White);
    let halfmoves = given["halfmoves"].as_u64();

    let mut table = Table::new(regulations);
    if let Some(fen) = given["fen"].as_str().filter(|_| !has("dead position")) {
        let fen = with(fen, named, halfmoves.map(|n| n - 1));
        if let Some(plies) = given["plies"].as_u64() {
            // The game has been going on for this long and continues from the position.
            let number = plies / 2 + 1;
            let fen = format!("{} {number}", fen.rsplit_once(' ').unwrap().0);
            table.ok(Role::Operator, Verb::Setup { fen });
        } else {
            table.begin_at(&fen);
        }
    } else if has("checkmates") || has("mate") && !has("stalemates") {
        table.begin_at(MATE_IN_ONE);
    } else if has("stalemates") {
        table.begin_at(STALEMATE_IN_ONE);
    } else if let Some(wanted) = given["claim_9_2a"].as_array() {
        before_third(&mut table, wanted[0].as_str().unwrap());
    } else if given["claim_9_3a"].is_array() {
        table.begin_at(&with(QUIET, None, Some(99)));
    } else if given["claim_9_3b"] == true {
        table.begin_at(&with(QUIET, Some(turn), Some(100)));
    } else if given["claim_9_2b"] == true {
        table.begin_at(&with(QUIET, Some(turn), None));
        let cycle = table.cycle();
        let mut moves = cycle.iter().chain(&cycle).copied();
        let before = if has("(wrong)") { 6 } else { 8 };
        for m in moves.by_ref().take(before) {
            table.play(m);
        }
        table.planned = moves.collect();
    } else if has("writes") {
        table.begin_at(QUIET);
    } else if let Some(occurrence) = given["occurrence"].as_u64() {
        repeat(&mut table, occurrence, given["spacing_plies"].as_u64());
        if has("fivefold appears") {
            table.begin_at(QUIET);
        }
    } else if let Some(halfmoves) = halfmoves {
        table.begin_at(&with(QUIET, None, Some(halfmoves - 1)));
        table.wander(1);
    } else if let Some(ply) = given["fivefold_at_ply"].as_u64() {
        table.wander(u32::try_from(ply).unwrap() - 16);
        let cycle = table.cycle();
        for m in cycle.iter().cycle().take(16) {
            table.play(*m);
        }
        let flag = given["flag_at_ply"].as_u64().unwrap();
        table.wander(u32::try_from(flag - ply).unwrap());
    } else {
        let plies = given["plies"].as_u64();
        let move_number = given["move"].as_u64();
        let moves = move_number.map_or(10, |n| n - 1);
        let plies = plies.unwrap_or(2 * moves + turn.fold_wb(0, 1));
        table.wander(u32::try_from(plies).unwrap());
    }
    let running = Side::from(table.game.turn());
    let time = &given["claimant_remaining_s"];
    table.show_clock(|clock| {
        clock.running = Some(running);
        if !time.is_null() {
            (clock.white_ms, clock.black_ms) = (milliseconds(time), milliseconds(time));
        }
    });
    if let Some(by) = given["offer_by"].as_str().and_then(player) {
        let offer = Verb::Offer {
            player: None,
            condition: None,
        };
        assert!(table.player(by, offer).ok);
    }
    table.settle();
    table
}

/// A FEN with another side to move and another halfmove clock.
fn with(fen: &str, turn: Option<Color>, halfmoves: Option<u64>) -> String {
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    if let Some(turn) = turn {
        fields[1] = turn.char().to_string();
    }
    if let Some(halfmoves) = halfmoves {
        fields[4] = halfmoves.to_string();
    }
    fields.join(" ")
}

/// White is about to make a move that brings a position for the third time, while the position on
/// the board has occurred only twice.
fn before_third(table: &mut Table, san: &str) {
    let fen = match san {
        "Qe2" => "1n4k1/3p4/8/8/8/8/4Q3/4K1N1 b - - 0 40",
        "Qd3" => "1n4k1/3p4/8/8/8/3Q4/8/4K1N1 b - - 0 40",
        other => panic!("{other}: no position has been prepared"),
    };
    table.begin_at(fen);
    for m in ["Kh8", "Qd1", "Kg8", san, "Kh8", "Qd1", "Kg8"] {
        table.play_san(m);
    }
    assert_eq!(table.game.draw().repetition.count(), 2);
}

/// Makes the position on the board occur this often, each time this many plies later.
fn repeat(table: &mut Table, occurrence: u64, spacing: Option<u64>) {
    table.begin_at(QUIET);
    for _ in 1..occurrence {
        if spacing == Some(6) {
            for m in ["Qd2", "Kh8", "Qe2", "Kh7", "Qd1", "Kg8"] {
                table.play_san(m);
            }
        } else {
            let cycle = table.cycle();
            for m in cycle {
                table.play(m);
            }
        }
    }
    assert_eq!(table.game.draw().repetition.count() as u64, occurrence);
}
