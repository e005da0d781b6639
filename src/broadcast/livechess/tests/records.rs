//! The records, and the events that a program which watches them would raise.

use remisd_game::ProposedResult;
use remisd_laws::Score;
use remisd_topics::topic::Audience;
use remisd_vocabulary::{reading::Sign, seq::AudienceSeq};
use serde_json::{Value, json};

use super::{clock, game_of, hub, hub_of_one, link, publish, result, say, squares};
use crate::Hub;

fn value<T: serde::Serialize>(record: T) -> Value {
    serde_json::to_value(record).unwrap()
}

fn tournament_id(hub: &Hub) -> String {
    let all = value(hub.tournaments());
    all[0]["uuid"].as_str().unwrap().to_owned()
}

fn pairing(hub: &Hub) -> Value {
    let id = tournament_id(hub);
    let round = value(hub.records(|records| records.round(&id, 0)));
    round["pairings"][0].clone()
}

fn record(hub: &Hub) -> Value {
    let id = pairing(hub)["uuid"].as_str().unwrap().to_owned();
    value(hub.records(|records| records.game(&id)))
}

#[test]
fn every_record_has_its_keys() {
    let (hub, _) = hub_of_one();
    let mut game = game_of("e4 e5");
    for (name, text) in [
        ("Event", "Club evening"),
        ("Site", "Utrecht"),
        ("Date", "2026.11.27"),
        ("Round", "1.1"),
        ("White", "Euwe, Max"),
        ("Black", "Botvinnik, Mikhail Moiseyevich"),
        ("WhiteTitle", "GM"),
        ("BlackFideId", "123"),
    ] {
        game.headers.insert(name.to_owned(), text.to_owned());
    }
    game.moves[0].clock_ms = Some(63_900);
    say(&hub, "game", &publish(&game));
    say(&hub, "clock", &clock(63_900, 70_000, "white"));
    let id = tournament_id(&hub);
    assert_eq!(
        value(hub.tournaments()),
        json!([{"uuid": id, "description": "Club evening", "rounds": 1}])
    );
    assert_eq!(
        value(hub.records(|records| records.tournament(&id))),
        json!({
            "uuid": id, "name": "Club evening", "description": "Club evening",
            "location": "Utrecht", "country": null, "rounds": 1, "eboards": ["23946"],
        })
    );
    let round = value(hub.records(|records| records.round(&id, 0)));
    let uuid = &round["pairings"][0]["uuid"];
    assert_eq!(
        round,
        json!({"nr": 1, "date": "2026-11-27", "pairings": [{
            "nr": 1, "uuid": uuid, "live": true, "result": null,
            "white": {
                "fname": "Max", "mname": null, "lname": "Euwe", "title": "GM",
                "federation": null, "gender": null, "fideid": null,
            },
            "black": {
                "fname": "Mikhail", "mname": "Moiseyevich", "lname": "Botvinnik", "title": null,
                "federation": null, "gender": null, "fideid": "123",
            },
        }]})
    );
    assert_eq!(
        record(&hub),
        json!({
            "chess960": 518, "result": null, "comment": null,
            "clock": {"white": 63, "black": 70, "run": true, "time": 500_000},
            "moves": ["e4 63", "e5 +0"],
        })
    );
}

#[test]
fn what_is_not_there_is_not_found() {
    let (hub, _) = hub_of_one();
    let id = tournament_id(&hub);
    assert!(hub.records(|records| records.tournament("x")).is_none());
    assert!(hub.records(|records| records.round("x", 0)).is_none());
    assert!(hub.records(|records| records.round(&id, 1)).is_none());
    assert!(hub.records(|records| records.game(&id)).is_none());
}

#[test]
fn a_board_without_a_clock_shows_the_side_to_move() {
    let (hub, _) = hub_of_one();
    assert_eq!(record(&hub)["clock"]["run"], true);
    say(&hub, "game", &publish(&game_of("e4")));
    assert_eq!(record(&hub)["clock"]["run"], false);
}

#[test]
fn an_unseen_move_is_written_alone() {
    let (hub, _) = hub_of_one();
    let mut game = game_of("e4 e5");
    game.moves[1].reconstructed = true;
    game.moves[1].clock_ms = Some(5_000);
    say(&hub, "game", &publish(&game));
    assert_eq!(record(&hub)["moves"], json!(["e4 +0", "e5"]));
}

#[test]
fn the_result_is_in_game_and_pairing() {
    let (hub, _) = hub_of_one();
    for (score, word) in [
        (Score::WhiteWins, json!("WHITEWIN")),
        (Score::BlackWins, json!("BLACKWIN")),
        (Score::Draw, json!("DRAW")),
        (Score::BothLose, json!("*")),
        (Score::None, json!(null)),
    ] {
        let mut game = game_of("e4");
        game.result = Some(result(score));
        say(&hub, "game", &publish(&game));
        assert_eq!(record(&hub)["result"], word);
        let pairing = pairing(&hub);
        assert_eq!(
            (&pairing["result"], &pairing["live"]),
            (&word, &json!(false))
        );
    }
}

#[test]
fn requests_in_a_row_show_the_same_moment() {
    let (hub, time) = hub_of_one();
    hub.look();
    let mut game = game_of("f3 e5 g4 Qh4");
    game.result = Some(result(Score::BlackWins));
    say(&hub, "game", &publish(&game));
    say(&hub, "squares", &squares("8/8/8/8/8/8/8/8"));
    let start = hub.settled_eboards()[0].board.clone();
    assert_eq!(
        start.as_deref(),
        Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
    );
    assert_eq!(pairing(&hub)["live"], true);
    assert_eq!(
        (&record(&hub)["moves"], &record(&hub)["result"]),
        (&json!([]), &json!(null))
    );
    time.advance(2_001);
    assert_eq!(pairing(&hub)["live"], false);
    assert_eq!(record(&hub)["result"], "BLACKWIN");
}

#[test]
fn a_result_shown_on_the_board_waits_for_the_arbiter() {
    let (hub, _) = hub_of_one();
    let mut game = game_of("e4");
    game.proposed_result = Some(ProposedResult {
        score: Score::Draw,
        sign: Sign::Kings,
        ply: 1,
    });
    say(&hub, "game", &publish(&game));
    let (record, pairing) = (record(&hub), pairing(&hub));
    assert_eq!(
        (&record["result"], &pairing["result"]),
        (&json!("DRAW"), &json!(null))
    );
    assert_eq!(
        (&pairing["live"], &record["clock"]["run"]),
        (&json!(true), &json!(null))
    );
}

#[test]
fn a_pairing_keeps_its_id_and_a_new_game_has_another() {
    let (hub, _) = hub_of_one();
    let first = pairing(&hub)["uuid"].clone();
    say(&hub, "game", &publish(&game_of("e4")));
    assert_eq!(pairing(&hub)["uuid"], first);
    let mut next = game_of("");
    next.game = AudienceSeq::new(9);
    say(&hub, "game", &publish(&next));
    assert_ne!(pairing(&hub)["uuid"], first);
}

#[test]
fn a_pairing_has_its_boards_number_in_every_round() {
    let (hub, _) = hub(Audience::Operator, &["b1", "b2"]);
    let mut game = game_of("");
    game.headers.insert("Round".to_owned(), "3.2".to_owned());
    hub.take("chess/v1/hall/operator/b2/game", &publish(&game));
    let id = tournament_id(&hub);
    let round = |index| value(hub.records(|records| records.round(&id, index)));
    let tournament = value(hub.records(|records| records.tournament(&id)));
    assert_eq!(tournament["rounds"], 3);
    assert_eq!(tournament["eboards"], json!(["b1", "b2"]));
    assert_eq!(round(0)["pairings"], json!([]));
    assert_eq!(round(2)["pairings"][0]["nr"], 2);
    assert_eq!(round(3), Value::Null);
}

#[test]
fn two_boards_with_one_serial_number_have_two_keys() {
    let (hub, _) = hub(Audience::Operator, &["b1", "b2"]);
    for board in ["b1", "b2"] {
        hub.take(
            &format!("chess/v1/hall/operator/{board}/link"),
            &link("7425"),
        );
    }
    let keys: Vec<String> = hub
        .eboards()
        .into_iter()
        .map(|board| board.serialnr)
        .collect();
    assert_eq!(keys, ["7425", "b2"]);
    assert_eq!(
        (hub.find("7425"), hub.find("b1"), hub.find("b2")),
        (Some(0), Some(0), Some(1))
    );
}

#[test]
fn other_audiences_and_sites_are_not_listened_to() {
    let (hub, _) = hub_of_one();
    for topic in [
        "chess/v1/hall/arbiter/b1/game",
        "chess/v1/hall2/operator/b1/game",
        "chess/v1/hall/operator/b2/game",
        "chess/v1/hall/operator/b1/draw",
        "x",
    ] {
        hub.take(topic, &publish(&game_of("e4")));
        assert_eq!(record(&hub)["moves"], json!([]), "{topic}");
    }
    let filters = hub.filters();
    assert!(filters.contains(&"chess/v1/hall/operator/+/squares".to_owned()));
    let (public, _) = super::hub(Audience::Public, &["b1"]);
    assert_eq!(
        public.filters(),
        [
            "chess/v1/hall/public/+/game",
            "chess/v1/hall/public/+/availability"
        ]
    );
}
