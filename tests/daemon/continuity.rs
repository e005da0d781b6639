//! Nothing is lost when the broker or the daemon fails in the middle of a game.

use remisd::simulate::{Options, score};
use serde_json::{Value, json};

use super::{QUICK, Stage, all_events, events, facts, games, moves};
use remisd_testkit::{
    by_hand::ByHand,
    gate::Gate,
    mosquitto::Mosquitto,
    remisd::Home,
    table::SimulatedTable,
    witness::{Message, Witness},
};

/// The first game of the file.
fn first_game() -> (&'static str, Vec<String>) {
    let text = include_str!("../data/games/otb-2025.pgn");
    let end = text[1..].find("[Event ").unwrap();
    let score = score::read(&text[..end]).unwrap().remove(0).unwrap();
    let moves = score.plies.into_iter().map(|ply| ply.uci).collect();
    (&text[..end], moves)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_forgets_everything_in_mid_game_loses_nothing() {
    let mut broker = Mosquitto::start().await;
    // The witness must be connected before the daemon returns: events are not retained.
    let gate = Gate::before(broker.address()).await;
    let home = Home::new(&gate.url(), "", &["b1"], QUICK);
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let mut daemon = home.start();
    let (pgn, played) = first_game();
    let options = Options {
        speed: 20.0,
        ..Options::default()
    };
    let mut table = SimulatedTable::start(&home.port("b1"), pgn, options);
    let has_begun = |all: &[Message]| (!events(all, "b1").is_empty()).then_some(());
    witness.until("first event", has_begun).await;
    table.played(0, 12).await;

    gate.set_open(false);
    broker.kill().await;
    table.played(0, 30).await;
    broker.restart().await;
    witness.connected(2).await;
    let published = games(&events(&witness.messages(), "b1"));
    let published = published.last_key_value().unwrap().1.len();
    assert!(
        published <= 14,
        "{published} moves came through a shut door"
    );
    gate.set_open(true);
    table.over(0).await;

    let all = witness
        .until("last move", |all| {
            let events = events(all, "b1");
            let whole = games(&events).into_values().next_back()? == played;
            whole.then_some(events)
        })
        .await;
    assert_eq!(games(&all).len(), 1);
    assert_eq!(all[0]["seq"], 1);
    let late = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    for audience in ["arbiter", "operator", "public", "hall"] {
        let topic = format!("chess/v1/hall/{audience}/b1/game");
        let whole = |game: &Value| (moves(game) == played).then_some(());
        late.retained(&topic, whole).await;
    }
    assert!(daemon.is_running());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_daemon_goes_on_with_its_game() {
    let stage = Stage::set("", &["b1"]).await;
    stage.misses("b1").await;
    let Stage {
        broker,
        home,
        daemon,
        witness,
    } = stage;
    let (_, played) = first_game();
    let mut board = ByHand::start(&home.port("b1"));
    let made = |count: usize| {
        let (played, witness) = (&played, &witness);
        async move {
            witness
                .until("move", |all| {
                    let games = games(&events(all, "b1"));
                    (games.last_key_value()?.1[..] == played[..count]).then_some(())
                })
                .await;
        }
    };
    for (count, uci) in (1..).zip(&played[..20]) {
        board.play(uci).await;
        made(count).await;
    }
    daemon.kill().await;
    let before = home.entries("b1");

    // Two plies during an outage.
    board.play(&played[20]).await;
    board.play(&played[21]).await;
    let daemon = home.start();
    made(22).await;
    for (count, uci) in (23..).zip(&played[22..30]) {
        board.play(uci).await;
        made(count).await;
    }
    let all = all_events(&witness, "b1").await;
    let games = games(&all);
    assert_eq!(games.len(), 1, "the same game");
    assert!(facts(&all).all(|(_, fact)| fact["type"] != "tracking_lost"));
    let sessions: std::collections::BTreeSet<&str> = all
        .iter()
        .map(|event| event["session"].as_str().unwrap())
        .collect();
    assert_eq!(sessions.len(), 2);

    let log = daemon.log();
    assert!(
        !log.contains("conclusions"),
        "the journal is read otherwise: {log}"
    );
    assert!(daemon.terminate().await.success());
    let after = home.entries("b1");
    assert!(after.starts_with(&before), "the journal was changed");
    assert!(
        after.starts_with(&all),
        "what was published is what was written"
    );
    for (seq, entry) in (1..).zip(&after) {
        assert_eq!(entry["seq"], seq);
    }
    drop(broker);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_a_command_began_is_the_same_after_a_restart() {
    let stage = Stage::set("", &["b1"]).await;
    stage.misses("b1").await;
    let headers = json!({"id": "h", "headers": {"Event": "Open"}});
    let answered = stage.command("arbiter", "b1", "headers", &headers).await;
    let seq = answered["seq"].clone();
    let kings = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let new_game = json!({
        "id": "n", "if_seq": seq, "start_fen": kings, "laws": "fide-2001", "rate": "rapid",
        "headers": {"White": "Anna"},
    });
    let answer = stage.command("arbiter", "b1", "new_game", &new_game).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let topic = "chess/v1/hall/arbiter/b1/game";
    let begun = |game: &Value| (game["start_fen"] == kings).then(|| game.clone());
    let before = stage.witness.retained(topic, begun).await;
    let Stage {
        broker,
        home,
        daemon,
        witness,
    } = stage;
    assert!(daemon.terminate().await.success());
    let daemon = home.start();
    let later = |game: &Value| (game["session"] != before["session"]).then(|| game.clone());
    let after = witness.retained(topic, later).await;
    for key in ["game", "start_fen", "laws", "rate", "headers"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    // The ids from before are still known.
    let stage = Stage {
        daemon,
        broker,
        home,
        witness,
    };
    let again = stage.command("arbiter", "b1", "headers", &headers).await;
    assert_eq!(again, answered);
    let entries = stage.home.entries("b1");
    let done = entries.iter().filter(|entry| entry["input"]["id"] == "h");
    assert_eq!(done.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_killed_before_it_stored_its_cursor_publishes_the_game() {
    let broker = Mosquitto::start().await;
    let gate = Gate::before(broker.address()).await;
    gate.set_open(false);
    let home = Home::new(&gate.url(), "", &["b1"], QUICK);
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let mut board = ByHand::start(&home.port("b1"));
    let daemon = home.start();
    // Plies made before the board is seen must be reconstructed.
    home.has_recorded("b1", "link_changed").await;
    board.play("e2e4").await;
    board.play("e7e5").await;
    home.has_recorded("b1", "\"e7e5\"").await;
    daemon.kill().await;
    std::fs::remove_file(home.journal().join("outbox.json")).ok();

    gate.set_open(true);
    let daemon = home.start();
    let whole = witness.until("whole game", |all| {
        let events = events(all, "b1");
        (games(&events).into_values().next()? == ["e2e4", "e7e5"]).then_some(events)
    });
    assert_eq!(whole.await[0]["seq"], 1);
    assert!(daemon.terminate().await.success());
}
