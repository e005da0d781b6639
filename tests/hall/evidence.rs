//! The evidence sheet in the console equals that of the command line, byte for byte.

use super::{Stage, commands::daemon};
use remisd_testkit::{
    browser::Browser,
    by_hand::ByHand,
    remisd::{Home, output},
};
use serde_json::{Value, json};

const SHUFFLE: [&str; 9] = [
    "e2e4", "e7e5", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1",
];

/// The sheet at this address, which must exist, once all its entries are on the disk: the command
/// line reads no others.
async fn on_page(arbiter: &mut Browser, more: &str) -> String {
    loop {
        let sheet = on_page_now(arbiter, more).await;
        if !sheet.contains("noch nicht auf dem Datenträger") {
            return sheet;
        }
    }
}

async fn on_page_now(arbiter: &mut Browser, more: &str) -> String {
    let answer = arbiter.get(&format!("/evidence/b1?lang=de{more}")).await;
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert_eq!(answer.status, 200, "{text}");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'; style-src"),
        "{policy}"
    );
    text
}

/// The sheet of the command line.
async fn by_command(home: &Home, more: &[&str]) -> String {
    let journal = home.journal();
    let journal = journal.to_str().unwrap();
    let words = [
        &[
            "evidence",
            "--journal",
            journal,
            "--board",
            "b1",
            "--lang",
            "de",
        ],
        more,
        &["-o", "-"],
    ];
    let output = output(&words.concat()).await;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Makes moves by hand and waits until each is published. A piece put back before the scan misses
/// it has not moved.
async fn play(hand: &mut ByHand, feed: &mut remisd_testkit::browser::Feed, moves: &[&str]) {
    for (ply, uci) in (1..).zip(moves) {
        hand.play(uci).await;
        feed.until(|f| f["topic"] == "b1/game" && f["payload"]["ply"] == ply)
            .await;
    }
}

async fn command(arbiter: &mut Browser, verb: &str, payload: Value) -> Value {
    let path = format!("/api/command/arbiter/b1/{verb}");
    let answer = arbiter.post(&path, &payload).await;
    assert_eq!(answer.status, 200, "{verb}: {answer:?}");
    answer.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_and_the_command_line_show_the_same_sheet() {
    let stage = Stage::set().await;
    let (home, mut hand, running) = daemon(&stage);
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let mut clock = stage.signed_in("clock", Some("b1")).await;
    let mut feed = arbiter.feed("audience=arbiter&boards=b1").await.unwrap();
    feed.until(|f| f["topic"] == "b1/availability" && f["payload"]["state"] == "online")
        .await;
    play(&mut hand, &mut feed, &SHUFFLE).await;
    let shown = json!({"id": "k", "white_ms": 600_000, "black_ms": 300_000, "running": "black"});
    let reply = clock
        .post("/api/command/clock/b1/clock_state", &shown)
        .await;
    assert_eq!(reply.status, 200, "{reply:?}");
    // Black has thought before the claim, as the clock says next.
    let thought = json!({"id": "k2", "white_ms": 600_000, "black_ms": 298_800, "running": "black"});
    let reply = clock
        .post("/api/command/clock/b1/clock_state", &thought)
        .await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let claim = json!({"id": "c1", "player": "black", "kind": "threefold", "move": "Ng8"});
    let made = command(&mut arbiter, "claim", claim).await;
    let id = made["seq"].to_string();
    let (page, line) = (format!("&claim={id}"), ["--claim", &id]);

    // While the claim is open.
    let entries = home.entries("b1").len();
    let sheet = on_page(&mut arbiter, "").await;
    assert_eq!(sheet, by_command(&home, &[]).await);
    assert_eq!(sheet, on_page(&mut arbiter, &page).await);
    for fact in [
        "Die Stellung kam 3 Mal vor (nötig: 3)",
        "Noch nicht entschieden",
        "5…Sg8",
        "9.2.1",
        "Weiß 0:10:00, Schwarz 0:04:",
    ] {
        assert!(sheet.contains(fact), "{fact}\n{sheet}");
    }
    assert_eq!(
        home.entries("b1").len(),
        entries,
        "a question is not written down"
    );

    // Ruled correct: the game is drawn and nothing more can be claimed.
    let ruling = json!({"id": "r1", "on": "claim", "correct": true});
    command(&mut arbiter, "ruling", ruling).await;
    let sheet = on_page(&mut arbiter, "").await;
    assert_eq!(sheet, by_command(&home, &[]).await);
    assert!(sheet.contains(">Antrag berechtigt<"), "{sheet}");
    assert!(!sheet.contains("Kein Antrag gestellt"), "{sheet}");
    assert_eq!(sheet, on_page(&mut arbiter, &page).await);

    // The result is withdrawn, and the claim ruled incorrect.
    command(&mut arbiter, "result", json!({"id": "w1", "score": "*"})).await;
    let sheet = on_page(&mut arbiter, &page).await;
    assert_eq!(sheet, by_command(&home, &line).await);
    let ruling = json!({"id": "r2", "on": "claim", "correct": false});
    command(&mut arbiter, "ruling", ruling).await;
    let sheet = on_page(&mut arbiter, &page).await;
    assert_eq!(sheet, by_command(&home, &line).await);
    assert!(sheet.contains(">Antrag nicht berechtigt<"), "{sheet}");

    // The record is corrected under the claim.
    let correction = json!({"id": "k1", "to_ply": 7, "moves": ["Nc6"]});
    command(&mut arbiter, "correct", correction).await;
    let sheet = on_page(&mut arbiter, &page).await;
    assert_eq!(sheet, by_command(&home, &line).await);
    assert!(
        sheet.contains("berichtigt. Dieses Blatt zeigt sie so"),
        "{sheet}"
    );

    // The claim is in an earlier game.
    let first = home.entries("b1")[0]["seq"].to_string();
    command(&mut arbiter, "new_game", json!({"id": "n1"})).await;
    assert_eq!(sheet, on_page(&mut arbiter, &page).await);
    assert_eq!(sheet, by_command(&home, &line).await);
    assert_eq!(
        sheet,
        on_page(&mut arbiter, &format!("&game={first}")).await
    );
    let fresh = on_page(&mut arbiter, "").await;
    assert_eq!(fresh, by_command(&home, &[]).await);
    assert!(fresh.contains("Kein Antrag gestellt"), "{fresh}");

    refusals(&stage, &mut arbiter).await;
    running.kill().await;
    let answer = arbiter.get("/evidence/b1?lang=en").await;
    let text = String::from_utf8(answer.body).unwrap();
    assert_eq!(answer.status, 504, "{text}");
    assert!(
        text.contains("The daemon of board b1 does not respond."),
        "{text}"
    );
    assert!(
        text.contains("remisd evidence --journal DIR --board b1"),
        "{text}"
    );
}

/// Without a sheet, the page gives the reason.
async fn refusals(stage: &Stage, arbiter: &mut Browser) {
    for (path, status, expected) in [
        ("/evidence/b1?claim=threefold", 400, "claim=threefold"),
        ("/evidence/b1?claim=999999", 404, "there is no claim 999999"),
        ("/evidence/b1?game=2", 404, "there is no game 2"),
        ("/evidence/b7", 404, "There is no board b7 here."),
        ("/evidence/%3Cb%3E?lang=nl", 404, "Er is hier geen bord"),
    ] {
        let answer = arbiter.get(path).await;
        let text = String::from_utf8(answer.body).unwrap();
        assert_eq!(answer.status, status, "{path}: {text}");
        assert!(text.contains(expected), "{path}: {text}");
        assert!(!text.contains("<b>"), "{path}: {text}");
    }
    let answer = stage.browser().await.get("/evidence/b1").await;
    assert_eq!(answer.status, 401);
}
