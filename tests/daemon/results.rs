//! The ends of games: confirmed or entered by the arbiter, and the consequences.

use serde_json::{Value, json};

use super::{ALERTS, Stage, alert, facts, games};
use remisd_testkit::{
    DEADLINE, after,
    by_hand::ByHand,
    poll::poll,
    remisd::{output, word},
};

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

/// What a command prints that reads the stage's journal.
async fn printed(stage: &Stage, command: &[&str]) -> String {
    let journal = stage.home.journal();
    let (name, rest) = command.split_first().unwrap();
    let words = [&[*name, "--journal", word(&journal)], rest].concat();
    let text = String::from_utf8(output(&words).await.stdout).unwrap();
    // Lines of a PGN break anywhere.
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_entered_after_the_array_was_set_up_is_the_result_everywhere() {
    let place = tempfile::tempdir().unwrap();
    let sections = format!(
        "[laws]\nconfirm = \"arbiter\"\n[audience]\ndelay_ms = 0\n[broadcast]\nfolder = \"{}\"\n",
        place.path().display()
    );
    let stage = Stage::set(&sections, &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let tags = json!({"Event": "Open", "Round": "5", "White": "White, A", "Black": "Black, B"});
    let headers = json!({"id": "h", "headers": tags});
    stage.command("arbiter", "b1", "headers", &headers).await;
    play(&stage, &mut board, &["e2e4", "e7e5", "g1f3"], 0).await;
    let file = place.path().join("round-5/game-1.pgn");
    let written = async |wanted: &[&str]| {
        let text = || std::fs::read_to_string(&file).unwrap_or_default();
        let what = || format!("{wanted:?} is not in {:?}", text());
        poll(DEADLINE, what, async || {
            let text = text();
            wanted.iter().all(|part| text.contains(part)).then_some(())
        })
        .await;
    };
    written(&["2. Nf3"]).await;

    // The players leave without a result.
    board.set_up(shakmaty::Chess::default()).await;
    let left = stage.alerted("left_undecided", |_| true).await;
    assert_eq!(left["level"], "amber", "{left}");
    let arguments = &left["arguments"];
    assert_eq!(
        (&arguments["what"], &arguments["ply"]),
        (&json!("game"), &json!(3))
    );
    let game = &arguments["game"];
    written(&["2. Nf3"]).await;
    play(&stage, &mut board, &["d2d4"], 0).await;

    let never = json!({"id": "n", "score": "1-0", "game": 999});
    let refused = stage.command("arbiter", "b1", "result", &never).await;
    assert_eq!(refused["code"], "stale", "{refused}");
    let result = json!({"id": "r", "score": "1/2-1/2", "game": game});
    let answer = stage.command("arbiter", "b1", "result", &result).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let closed = |alerts: &Value| alert(alerts, "left_undecided").is_none().then_some(());
    stage.witness.retained(ALERTS, closed).await;
    written(&["2. Nf3", "[Result \"1/2-1/2\"]"]).await;
    let public = "chess/v1/hall/public/b1/game";
    let has_it = |game: &Value| {
        let earlier = &game["earlier_results"][0];
        (earlier["result"]["score"] == "1/2-1/2").then_some(())
    };
    stage.witness.retained(public, has_it).await;

    let number = game.to_string();
    for (command, wanted) in [
        (
            vec!["results", "--format", "csv"],
            ";1/2-1/2;confirmed;;arbiter",
        ),
        (
            vec!["results", "--format", "pgn"],
            "{result entered by the arbiter} 1/2-1/2",
        ),
        (vec!["journal", "list"], "3 plies 1/2-1/2"),
        (
            vec!["journal", "export"],
            "{result entered by the arbiter} 1/2-1/2",
        ),
        (
            vec!["journal", "export", "--game", &number],
            "[Result \"1/2-1/2\"]",
        ),
        (
            vec!["journal", "show", "--game", &number],
            "result_recorded",
        ),
    ] {
        let printed = printed(&stage, &command).await;
        assert!(printed.contains(wanted), "{command:?}: {printed}");
    }
    // A result that was wrong is corrected while the game is the newest before this one.
    let result = json!({"id": "again", "score": "0-1", "game": game});
    let answer = stage.command("arbiter", "b1", "result", &result).await;
    assert_eq!(answer["ok"], true, "{answer}");
    written(&["[Result \"0-1\"]"]).await;
}

/// The end of a game that is not certain after two plies.
const NOT_CERTAIN: &str = "{not certain from ply 3 on} {result entered by the arbiter} 1-0";

/// A game of two plies, in round 5, at a board whose cable is pulled.
async fn out_of_sight() -> Stage {
    let sections = "[laws]\nconfirm = \"arbiter\"\n[audience]\ndelay_ms = 0\n";
    let stage = Stage::set(sections, &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let headers = json!({"id": "h", "headers": {"Round": "5"}});
    stage.command("arbiter", "b1", "headers", &headers).await;
    play(&stage, &mut board, &["e2e4", "e7e5"], 0).await;
    drop(board);
    stage.misses("b1").await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_decided_in_a_mismatch_says_so_in_every_pgn() {
    let stage = out_of_sight().await;
    // Three plies during an outage: the knight or the bishop may have moved first.
    let position = after(&["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"]);
    let _board = ByHand::start_at(&stage.home.port("b1"), position);
    stage.alerted("board_mismatch", |_| true).await;
    let result = json!({"id": "r", "score": "1-0"});
    let answer = stage.command("arbiter", "b1", "result", &result).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let closed = |alerts: &Value| alert(alerts, "board_mismatch").is_none().then_some(());
    stage.witness.retained(ALERTS, closed).await;
    for command in [&["results", "--format", "pgn"][..], &["journal", "export"]] {
        let printed = printed(&stage, command).await;
        assert!(printed.contains(NOT_CERTAIN), "{command:?}: {printed}");
    }
}

/// Enters that White has won, and returns what is printed of the games.
async fn white_has_won(stage: &Stage, result: &Value) -> String {
    let answer = stage.command("arbiter", "b1", "result", result).await;
    assert_eq!(answer["ok"], true, "{answer}");
    printed(stage, &["journal", "export"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_decided_out_of_sight_says_so() {
    let stage = out_of_sight().await;
    let public = "chess/v1/hall/public/b1/game";
    let blind = |game: &Value| (game["tracker"]["state"] == "blind").then(|| game.clone());
    let game = stage.witness.retained(public, blind).await;
    assert_eq!(game["uncertain"], Value::Null, "while the game is on");
    let printed = white_has_won(&stage, &json!({"id": "r", "score": "1-0"})).await;
    assert!(printed.contains(NOT_CERTAIN), "{printed}");
    let uncertain = |game: &Value| (!game["uncertain"].is_null()).then_some(());
    stage.witness.retained(public, uncertain).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_left_out_of_sight_says_so() {
    let stage = out_of_sight().await;
    // The rest of the game is played unseen, and the pieces are set up again.
    let _board = ByHand::start(&stage.home.port("b1"));
    let left = stage.alerted("left_undecided", |_| true).await;
    let result = json!({"id": "r", "score": "1-0", "game": left["arguments"]["game"]});
    let printed = white_has_won(&stage, &result).await;
    assert!(printed.contains(NOT_CERTAIN), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_agrees_after_an_outage_leaves_no_doubt() {
    let stage = out_of_sight().await;
    let position = after(&["e2e4", "e7e5"]);
    let _board = ByHand::start_at(&stage.home.port("b1"), position);
    stage
        .witness
        .until("agreement", |all| {
            let events = super::events(all, "b1");
            let facts: Vec<&Value> = facts(&events).map(|(_, fact)| fact).collect();
            let last_link = |up: bool| {
                let is_it = |fact: &&Value| fact["type"] == "link_changed" && fact["up"] == up;
                facts.iter().rposition(is_it)
            };
            let back = last_link(true).filter(|_| last_link(true) > last_link(false))?;
            let agrees = |fact: &&Value| fact["type"] == "tracking_restored";
            facts[back..].iter().any(agrees).then_some(())
        })
        .await;
    let printed = white_has_won(&stage, &json!({"id": "r", "score": "1-0"})).await;
    assert!(!printed.contains("not certain"), "{printed}");
}
