//! Boards that do not match the game, because several lines explain them or the set-up is wrong,
//! and the arbiter's remedies.

use serde_json::{Value, json};
use shakmaty::{Board, CastlingMode, Chess, Color, Role, Square, fen::Fen};

use super::{ALERTS, QUICK, Stage, alert, events, facts, games, moves};
use remisd_testkit::{after, by_hand::ByHand, witness::Message};

const GAME: &str = "chess/v1/hall/arbiter/b1/game";

impl Stage {
    /// Waits until the arbiter sees a mismatch of this form.
    async fn mismatched(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let is_so = |game: &Value| {
            let tracker = &game["tracker"];
            (tracker["state"] == "mismatch" && wanted(tracker)).then(|| game.clone())
        };
        self.witness.retained(GAME, is_so).await
    }

    /// Waits until the board matches the game and no alert is open about it.
    async fn ready(&self) {
        let following = |game: &Value| (game["tracker"]["state"] == "following").then_some(());
        self.witness.retained(GAME, following).await;
        let quiet = |alerts: &Value| alert(alerts, "board_mismatch").is_none().then_some(());
        self.witness.retained(ALERTS, quiet).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_arbiter_chooses_among_the_lines_that_explain_the_board() {
    let stage = Stage::set("", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    for (count, uci) in (1..).zip(["e2e4", "e7e5"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    // Three plies during an outage: the knight or the bishop may have moved first.
    drop(board);
    stage.misses("b1").await;
    let position = after(&["e2e4", "e7e5", "g1f3", "b8c6", "f1c4"]);
    let mut board = ByHand::start_at(&stage.home.port("b1"), position);
    let game = stage
        .mismatched(|tracker| tracker["reason"] == "ambiguous")
        .await;
    assert_eq!(moves(&game), ["e2e4", "e7e5"]);
    assert_eq!(game["uncertain"], json!({"since_ply": 3}));
    let alert = stage.alerted("board_mismatch", |_| true).await;
    let arguments = &alert["arguments"];
    assert_eq!(arguments["reason"], "ambiguous");
    let mut candidates: Vec<&str> = (arguments["candidates"].as_array().unwrap().iter())
        .map(|line| line.as_str().unwrap())
        .collect();
    candidates.sort_unstable();
    assert_eq!(candidates, ["Bc4 Nc6 Nf3", "Nf3 Nc6 Bc4"]);
    for outsider in ["public", "hall"] {
        let topic = format!("chess/v1/hall/{outsider}/b1/game");
        let doubt = |game: &Value| (!game["uncertain"].is_null()).then(|| game.clone());
        let game = stage.witness.retained(&topic, doubt).await;
        assert_eq!(moves(&game), ["e2e4", "e7e5"], "{outsider}");
        assert!(!game.to_string().contains("Nf3"), "{outsider}: {game}");
    }

    let chosen: Vec<&str> = candidates[0].split(' ').collect();
    for role in ["operator", "white", "black", "clock", "board"] {
        let correct = json!({"id": format!("c-{role}"), "to_ply": 2, "moves": chosen});
        let answer = stage.command(role, "b1", "correct", &correct).await;
        assert_eq!(answer["code"], "role_may_not", "{answer}");
    }
    stage.has_moves("b1", 2).await;
    let correct = json!({"id": "c", "to_ply": 2, "moves": chosen, "by": "IA Smith"});
    let answer = stage.command("arbiter", "b1", "correct", &correct).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let game = stage.has_moves("b1", 5).await;
    let mut played = vec!["e2e4", "e7e5", "f1c4", "b8c6", "g1f3"];
    assert_eq!(moves(&game), played);
    stage.ready().await;
    for uci in ["g8f6", "d2d3", "f8c5"] {
        board.play(uci).await;
        played.push(uci);
        let game = stage.has_moves("b1", played.len()).await;
        assert_eq!(moves(&game), played);
        assert!(game["uncertain"].is_null());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_set_up_is_named_square_by_square_until_it_is_put_right() {
    let stage = Stage::set("", &["b1"]).await;
    let mut wrong = Board::new();
    wrong.set_piece_at(Square::D1, Role::King.of(Color::White));
    wrong.set_piece_at(Square::E1, Role::Queen.of(Color::White));
    wrong.discard_piece_at(Square::H7);
    wrong.set_piece_at(Square::H6, Role::Pawn.of(Color::Black));
    let mut board = ByHand::start_wrong(&stage.home.port("b1"), wrong);
    let game = stage.mismatched(|_| true).await;
    let squares = json!([
        {"square": "d1", "expected": "Q", "seen": "K"},
        {"square": "e1", "expected": "K", "seen": "Q"},
        {"square": "h6", "expected": null, "seen": "p"},
        {"square": "h7", "expected": "p", "seen": null},
    ]);
    assert_eq!(game["tracker"]["squares"], squares);
    let alert = stage.alerted("board_mismatch", |_| true).await;
    let named = &alert["arguments"]["squares"];
    assert_eq!(*named, json!(["d1", "e1", "h6", "h7"]));
    let operator = "chess/v1/hall/operator/b1/game";
    let is_shown = |game: &Value| (game["tracker"]["squares"] == squares).then_some(());
    stage.witness.retained(operator, is_shown).await;
    for outsider in ["public", "hall"] {
        let topic = format!("chess/v1/hall/{outsider}/b1/game");
        let doubt = |game: &Value| (!game["uncertain"].is_null()).then(|| game.clone());
        let game = stage.witness.retained(&topic, doubt).await;
        assert!(game["tracker"]["squares"].is_null(), "{outsider}: {game}");
    }

    // The pawn first, so that one mismatched square fewer remains.
    board.carry(Square::H6, Square::H7).await;
    let left = stage.mismatched(|tracker| {
        let squares = tracker["squares"].as_array();
        squares.is_some_and(|squares| squares.len() == 2)
    });
    assert_eq!(left.await["tracker"]["squares"][0]["square"], "d1");
    board.set_up(Chess::default()).await;
    stage.ready().await;
    for (count, uci) in (1..).zip(["e2e4", "c7c5"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    assert_eq!(games(&stage.events("b1").await).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adjourned_position_is_set_up_piece_by_piece_from_the_start_array() {
    let stage = Stage::set("", &["b1"]).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    stage.ready().await;
    let fen = "r3k2r/1pp2p1p/p1n3p1/4p3/2B5/2P2N2/PP3PPP/R3K2R b KQkq - 1 17";
    let setup = json!({"id": "s", "fen": fen});
    let answer = stage.command("operator", "b1", "setup", &setup).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let game = stage.mismatched(|_| true).await;
    assert_eq!(game["fen"], fen);
    let squares = game["tracker"]["squares"].as_array().unwrap();
    let named = |square: &str| squares.iter().find(|named| named["square"] == square);
    let pawn = json!({"square": "e5", "expected": "p", "seen": null});
    assert_eq!(named("e5"), Some(&pawn));
    assert_eq!(named("d8").unwrap()["seen"], "q");
    assert_eq!(named("e8"), None, "the king stands where he should");
    stage.alerted("board_mismatch", |_| true).await;

    let position: Fen = fen.parse().unwrap();
    let position: Chess = position.into_position(CastlingMode::Standard).unwrap();
    board.set_up(position).await;
    stage.ready().await;
    for (count, uci) in (1..).zip(["e8g8", "e1g1"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    // A retained topic may arrive before the event.
    let both = |messages: &[Message]| {
        let games = games(&events(messages, "b1"));
        let complete = games.values().flatten().count() == 2;
        complete.then_some(games)
    };
    let games = stage.witness.until("both moves", both).await;
    assert_eq!(games.len(), 1, "the array that stood began no game");
    assert_eq!(games[&1], ["e8g8", "e1g1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_lies_the_other_way_round_is_recognised() {
    let tuning = QUICK.replace("orientation = \"normal\"", "orientation = \"auto\"");
    assert_ne!(tuning, QUICK);
    let stage = Stage::tuned("", &["b1"], &tuning).await;
    let mut board = ByHand::start_rotated(&stage.home.port("b1"));
    let rotated = |link: &Value| (link["orientation"] == "rotated").then_some(());
    stage
        .witness
        .retained("chess/v1/hall/arbiter/b1/link", rotated)
        .await;
    stage.ready().await;
    for (count, uci) in (1..).zip(["e2e4", "d7d5", "e4d5"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    let events = stage.events("b1").await;
    let found = facts(&events).filter(|(_, fact)| fact["type"] == "orientation_changed");
    assert_eq!(found.last().unwrap().1["orientation"], "rotated");
    assert!(facts(&events).all(|(_, fact)| fact["type"] != "tracking_lost"));
}
