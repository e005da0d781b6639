//! The ends of games: confirmed or entered by the arbiter, and the consequences.

use serde_json::{Value, json};

use super::{Stage, facts, games};
use remisd_testkit::by_hand::ByHand;

/// The position after 1. e4 e5, five times.
const FIVEFOLD: [&str; 18] = [
    "e2e4", "e7e5", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6",
    "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8",
];

async fn play(stage: &Stage, board: &mut ByHand, moves: &[&str], before: usize) {
    for (count, uci) in (before + 1..).zip(moves) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_automatic_end_waits_for_the_arbiter() {
    let stage = Stage::set("[laws]\nconfirm = \"arbiter\"\n", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    play(&stage, &mut board, &FIVEFOLD, 0).await;
    for insider in ["arbiter", "operator"] {
        let topic = format!("chess/v1/hall/{insider}/b1/result");
        let result = stage
            .witness
            .retained(&topic, |result| (!result.is_null()).then(|| result.clone()))
            .await;
        assert_eq!(result["confirmed"], false);
        assert_eq!(result["reason"], "fivefold");
        assert_eq!(result["ply"], 18);
    }
    let end = stage.alerted("fivefold", |_| true).await;
    assert_eq!(end["level"], "red");
    assert_eq!(end["acknowledged_by"], Value::Null);
    let alert = &end["id"];
    let outsiders = ["public", "hall", "player"];
    let is_final = |message: &remisd_testkit::witness::Message| {
        let topic = |audience| format!("chess/v1/hall/{audience}/b1/result");
        !message.payload.is_empty() && outsiders.map(topic).contains(&message.topic)
    };
    assert!(!stage.witness.messages().iter().any(is_final));

    let ack = json!({"id": "ack-1", "alert": alert, "by": "IA Smith"});
    let answer = stage.command("arbiter", "b1", "ack", &ack).await;
    assert_eq!(answer["schema"], "remisd/reply/1");
    assert_eq!(
        (&answer["id"], &answer["ok"]),
        (&json!("ack-1"), &json!(true))
    );
    let seq = answer["seq"].as_u64().unwrap();
    for outsider in outsiders {
        let topic = format!("chess/v1/hall/{outsider}/b1/result");
        let result = stage
            .witness
            .retained(&topic, |result| (!result.is_null()).then(|| result.clone()))
            .await;
        assert_eq!(
            (&result["score"], &result["confirmed"]),
            (&json!("1/2-1/2"), &json!(true))
        );
        let counted = result["seq"].as_u64().unwrap();
        assert!(
            counted < seq,
            "{outsider} counts what it may know: {result}"
        );
    }

    // A repeated command gets the same answer, and nothing is done or written twice.
    let again = stage.command("arbiter", "b1", "ack", &ack).await;
    assert_eq!(again, answer);
    let other = json!({"id": "other", "alert": "no-such-alert"});
    let other = stage.command("arbiter", "b1", "ack", &other).await;
    assert_eq!(
        (&other["ok"], &other["code"]),
        (&json!(false), &json!("not_found"))
    );
    let entries = stage.home.entries("b1");
    let acks = entries
        .iter()
        .filter(|entry| entry["input"]["id"] == "ack-1");
    assert_eq!(acks.count(), 1);
    let confirmed = facts(&entries).filter(|(_, fact)| fact["type"] == "result_confirmed");
    assert_eq!(confirmed.map(|(at, _)| at).collect::<Vec<_>>(), [seq]);
}

/// What the public may know of claims is that of the last position whose turn has passed.
#[tokio::test(flavor = "multi_thread")]
async fn a_withdrawn_result_hides_the_draw_state_of_the_position_on_the_board_again() {
    let stage = Stage::set("[audience]\ndelay_ms = 0\n", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    play(&stage, &mut board, &["e2e4", "e7e5", "g1f3"], 0).await;
    let public = "chess/v1/hall/public/b1/draw";
    let shows = |ply: u64| move |draw: &Value| (draw["ply"] == ply).then_some(());
    stage.witness.retained(public, shows(2)).await;
    let result = json!({"id": "r", "score": "1/2-1/2"});
    stage.command("arbiter", "b1", "result", &result).await;
    stage.witness.retained(public, shows(3)).await;
    let withdrawn = json!({"id": "w", "score": "*"});
    stage.command("arbiter", "b1", "result", &withdrawn).await;
    stage.witness.retained(public, shows(2)).await;
    board.play("b8c6").await;
    stage.witness.retained(public, shows(3)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_confirmation_an_end_is_published_immediately() {
    let stage = Stage::set("[laws]\nconfirm = \"automatic\"\n", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    play(&stage, &mut board, &["f2f3", "e7e5", "g2g4", "d8h4"], 0).await;
    for audience in ["arbiter", "operator", "public", "hall", "player"] {
        let topic = format!("chess/v1/hall/{audience}/b1/result");
        let result = stage
            .witness
            .retained(&topic, |result| (!result.is_null()).then(|| result.clone()))
            .await;
        assert_eq!(
            (&result["score"], &result["reason"]),
            (&json!("0-1"), &json!("checkmate"))
        );
        assert_eq!(result["confirmed"], true);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_result_no_moves_are_recorded_and_the_starting_position_begins_a_game() {
    let stage = Stage::set("", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    play(&stage, &mut board, &["e2e4", "e7e5", "g1f3"], 0).await;
    let result = json!({"id": "r", "score": "1-0", "by": "IA Smith"});
    let answer = stage.command("arbiter", "b1", "result", &result).await;
    assert_eq!(answer["ok"], true, "{answer}");
    for audience in ["arbiter", "operator", "public", "hall", "player"] {
        let topic = format!("chess/v1/hall/{audience}/b1/result");
        let white_wins = |result: &Value| (result["score"] == "1-0").then_some(());
        stage.witness.retained(&topic, white_wins).await;
    }
    for uci in ["b8c6", "f1c4", "g8f6"] {
        board.play(uci).await;
    }
    board.set_up(shakmaty::Chess::default()).await;
    let number = stage
        .witness
        .until("new game", |all| {
            let events = super::events(all, "b1");
            let numbers: Vec<u64> = facts(&events)
                .filter(|(_, fact)| fact["type"] == "game_started")
                .filter(|(_, fact)| fact["cause"] == "start_array")
                .map(|(_, fact)| fact["game"].as_u64().unwrap())
                .collect();
            numbers.first().copied()
        })
        .await;
    play(&stage, &mut board, &["d2d4", "d7d5"], 0).await;
    let first = ["e2e4", "e7e5", "g1f3"].map(str::to_owned).to_vec();
    let second = ["d2d4", "d7d5"].map(str::to_owned).to_vec();
    stage
        .witness
        .until("second game after the first", |all| {
            let published: Vec<_> = games(&super::events(all, "b1")).into_values().collect();
            (published == [first.clone(), second.clone()]).then_some(())
        })
        .await;
    let game = stage.has_moves("b1", 2).await;
    assert_eq!(game["game"], number);
    assert_eq!(game["result"], Value::Null);
    // The result of the previous game has been cleared for all audiences.
    for audience in ["arbiter", "operator", "public", "hall", "player"] {
        let topic = format!("chess/v1/hall/{audience}/b1/result");
        let gone = |result: &Value| result.is_null().then_some(());
        stage.witness.retained(&topic, gone).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn kings_in_the_centre_are_a_proposal_and_the_game_may_go_on() {
    use shakmaty::Square;
    let stage = Stage::set("[laws]\nconfirm = \"arbiter\"\n", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    play(&stage, &mut board, &["e2e4", "e7e5"], 0).await;
    board.carry(Square::E1, Square::D4).await;
    board.carry(Square::E8, Square::D5).await;
    let game = stage
        .witness
        .retained("chess/v1/hall/arbiter/b1/game", |game| {
            (!game["proposed_result"].is_null()).then(|| game.clone())
        })
        .await;
    let proposed = &game["proposed_result"];
    assert_eq!(
        (&proposed["score"], &proposed["sign"]),
        (&json!("1/2-1/2"), &json!("kings"))
    );
    assert_eq!(
        game["moves"].as_array().unwrap().len(),
        2,
        "no move is invented"
    );
    assert_eq!(game["tracker"]["state"], "resting");
    let shown = stage.alerted("result_proposed", |_| true).await;
    assert_eq!(shown["level"], "amber");
    let alert = &shown["id"];
    board.carry(Square::D4, Square::E1).await;
    board.carry(Square::D5, Square::E8).await;
    let ack = json!({"id": "ack-1", "alert": alert});
    assert_eq!(
        stage.command("arbiter", "b1", "ack", &ack).await["ok"],
        true
    );
    play(&stage, &mut board, &["g1f3"], 2).await;
    let is_final = |message: &remisd_testkit::witness::Message| {
        let text = String::from_utf8_lossy(&message.payload).into_owned();
        let outside = ["/public/", "/hall/b1", "/player/"];
        outside
            .iter()
            .any(|audience| message.topic.contains(audience))
            && (text.contains("proposed") || text.contains("resting"))
    };
    assert!(!stage.witness.messages().iter().any(is_final));
}
