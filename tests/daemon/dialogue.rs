//! A dialogue of players, clock and arbiter over a real broker. Each step is seen on the right
//! topics by the right audiences and by no others.

use serde_json::{Value, json};
use shakmaty::{Chess, Position as _, Square, uci::UciMove};

use super::{Stage, alert, facts, leaks::leak};
use remisd_testkit::{by_hand::ByHand, witness::Message};

const SHUFFLE: [&str; 4] = ["g1f3", "g8f6", "f3g1", "f6g8"];

/// A stage with a dialogue at board b1.
struct Dialogue {
    stage: Stage,
    board: ByHand,
}

impl Dialogue {
    async fn ask(&self, role: &str, verb: &str, mut payload: Value) -> Value {
        payload["id"] = format!("{verb}-{}", self.stage.witness.messages().len()).into();
        self.stage.command(role, "b1", verb, &payload).await
    }

    async fn done(&self, role: &str, verb: &str, payload: Value) {
        let answer = self.ask(role, verb, payload).await;
        assert_eq!(answer["ok"], true, "{role} {verb}: {answer}");
    }

    /// Waits until a topic of an audience has the wanted payload; an empty topic is null.
    async fn sees(&self, audience: &str, leaf: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let topic = format!("chess/v1/hall/{audience}/b1/{leaf}");
        let retained = self
            .stage
            .witness
            .retained(&topic, |value| wanted(value).then(|| value.clone()));
        retained.await
    }

    async fn play(&mut self, moves: &[&str], before: usize) {
        for (count, uci) in (before + 1..).zip(moves) {
            self.board.play(uci).await;
            self.stage.has_moves("b1", count).await;
        }
    }

    /// All messages so far to an audience on a topic.
    fn published(&self, audience: &str, leaf: &str) -> Vec<Value> {
        let topic = format!("chess/v1/hall/{audience}/b1/{leaf}");
        let all = self.stage.witness.messages();
        let of_topic = all.iter().filter(|message| message.topic == topic);
        of_topic
            .map(Message::json)
            .filter(|v| !v.is_null())
            .collect()
    }

    /// The newest fact of a kind, once its event has arrived.
    async fn fact(&self, kind: &str) -> Value {
        let found = self.stage.witness.until(kind, |all| {
            let events = super::events(all, "b1");
            let newest = facts(&events)
                .filter(|(_, fact)| fact["type"] == kind)
                .last();
            newest.map(|(_, fact)| fact.clone())
        });
        found.await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn offer_claim_ruling_and_end_reach_those_they_concern() {
    let sections =
        "[laws]\nedition = \"fide-2001\"\n[audience]\nlanguages = [\"en\", \"de-ch\", \"nl\"]\n";
    let stage = Stage::set(sections, &["b1"]).await;
    let board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let mut dialogue = Dialogue { stage, board };

    an_offer_is_refused_by_a_touch(&mut dialogue).await;
    an_incorrect_claim_is_penalised(&mut dialogue).await;
    the_announced_move_must_be_made(&mut dialogue).await;
    a_correct_claim_draws(&mut dialogue).await;
    fivefold_repetition_ends_a_game_of_today(&mut dialogue).await;

    // No other audience received any of this.
    for leaf in ["offer", "alerts", "clock", "draw", "event"] {
        assert_eq!(dialogue.published("hall", leaf), [] as [Value; 0], "{leaf}");
    }
    for leaf in ["alerts", "draw", "event", "game"] {
        assert_eq!(
            dialogue.published("player", leaf),
            [] as [Value; 0],
            "{leaf}"
        );
    }
    assert_eq!(dialogue.published("operator", "draw"), [] as [Value; 0]);
    for message in dialogue.stage.witness.messages() {
        assert_eq!(leak(&message.topic, &message.json()), None, "{message:?}");
    }
}

async fn an_offer_is_refused_by_a_touch(dialogue: &mut Dialogue) {
    dialogue.play(&["g1f3"], 0).await;
    dialogue.done("white", "offer", json!({})).await;
    for audience in ["arbiter", "operator", "player", "public"] {
        let offer = dialogue.sees(audience, "offer", |offer| offer["by"] == "white");
        let offer = offer.await;
        assert_eq!(offer.get("ply").is_some(), audience != "player", "{offer}");
    }
    let draw = dialogue.sees("arbiter", "draw", |draw| !draw["offer"].is_null());
    assert_eq!(draw.await["offer"]["by"], "white");
    let withdrawn = dialogue.ask("white", "decline", json!({})).await;
    assert_eq!(withdrawn["code"], "not_admissible", "{withdrawn}");

    dialogue.board.lift(Square::G8).await;
    for audience in ["arbiter", "operator", "player", "public"] {
        dialogue.sees(audience, "offer", Value::is_null).await;
    }
    let ended = dialogue.fact("offer_ended").await;
    assert_eq!(
        (&ended["how"], &ended["square"]),
        (&json!("refused_by_touch"), &json!("g8"))
    );
    let touched = |draw: &Value| draw["touched"][0]["square"] == "g8";
    dialogue.sees("arbiter", "draw", touched).await;
}

async fn an_incorrect_claim_is_penalised(dialogue: &mut Dialogue) {
    dialogue.play(&SHUFFLE[1..], 1).await;
    let claim = json!({"kind": "threefold", "move": "Nf3"});
    let early = dialogue.ask("black", "claim", claim.clone()).await;
    assert_eq!(early["code"], "not_admissible", "he does not have the move");
    dialogue.done("white", "claim", claim).await;

    let alerts = dialogue.sees("arbiter", "alerts", |a| alert(a, "claim_made").is_some());
    let alerts = alerts.await;
    let made = alert(&alerts, "claim_made").unwrap();
    assert_eq!(
        (&made["level"], &made["article"]),
        (&json!("red"), &json!("9.2a"))
    );
    let arguments = &made["arguments"];
    assert_eq!(
        (&arguments["verdict"], &arguments["plies"]),
        (&json!("incorrect"), &json!([1, 5]))
    );
    let text = |language: &str| made["text"][language].as_str().unwrap().to_owned();
    assert!(
        text("de-ch").contains("Sf3") && text("nl").contains("Pf3"),
        "{made}"
    );
    let to_operator = dialogue.sees("operator", "alerts", |a| alert(a, "claim_made").is_some());
    let to_operator = to_operator.await;
    let to_operator = alert(&to_operator, "claim_made").unwrap();
    assert_eq!(to_operator["arguments"]["verdict"], "none");
    for audience in ["arbiter", "operator", "player"] {
        let paused = |clock: &Value| clock["paused"]["reason"] == "claim";
        dialogue.sees(audience, "clock", paused).await;
        let counts = |offer: &Value| offer["by_claim"] == true;
        dialogue.sees(audience, "offer", counts).await;
    }
    let checked = |draw: &Value| draw["claim"]["finding"] == "incorrect";
    dialogue.sees("arbiter", "draw", checked).await;

    let by_player = dialogue.ask("black", "ruling", json!({"on": "claim", "correct": false}));
    assert_eq!(by_player.await["code"], "role_may_not");
    let ruling = json!({"on": "claim", "correct": false, "by": "IA Smith"});
    dialogue.done("arbiter", "ruling", ruling).await;
    assert_eq!(dialogue.fact("claim_ruled").await["by"], "IA Smith");
    let mut adjustment = Value::Null;
    for audience in ["arbiter", "operator", "player"] {
        let clock = dialogue.sees(audience, "clock", |clock| !clock["adjustment"].is_null());
        adjustment = clock.await["adjustment"].clone();
        // With more than two minutes left: half of it, at most three minutes (9.5b of 2001).
        assert_eq!(
            adjustment["white"],
            json!({"change": "add", "ms": -180_000})
        );
        assert_eq!(adjustment["black"], json!({"change": "add", "ms": 180_000}));
        dialogue.sees(audience, "offer", Value::is_null).await;
    }
    let set_clock = |a: &Value| alert(a, "clock_adjustment").is_some();
    dialogue.sees("arbiter", "alerts", set_clock).await;

    let clock = json!({
        "white_ms": 5_220_000, "black_ms": 5_580_000, "running": null, "adjusted": adjustment["id"],
    });
    dialogue.done("clock", "clock_state", clock).await;
    dialogue
        .sees("player", "clock", |clock| clock["adjustment"].is_null())
        .await;
    dialogue
        .sees("arbiter", "alerts", |a| {
            alert(a, "clock_adjustment").is_none()
        })
        .await;
    // The ruling has restarted the clock.
    dialogue
        .sees("player", "clock", |clock| clock["paused"].is_null())
        .await;
}

async fn the_announced_move_must_be_made(dialogue: &mut Dialogue) {
    let must = |draw: &Value| draw["must_play"]["move"]["san"] == "Nf3";
    dialogue.sees("arbiter", "draw", must).await;
    let before = dialogue.board.position().clone();
    dialogue.play(&["b1c3"], 4).await;
    let alerts = dialogue.sees("arbiter", "alerts", |a| {
        alert(a, "announced_move_not_played").is_some()
    });
    let alerts = alerts.await;
    let broken = alert(&alerts, "announced_move_not_played").unwrap();
    assert_eq!(broken["arguments"]["played"], "Nc3");

    dialogue.board.set_up(after(&before, "g1f3")).await;
    let corrected = json!({"to_ply": 4, "moves": ["Nf3"]});
    dialogue.done("arbiter", "correct", corrected).await;
    let gone = |a: &Value| alert(a, "announced_move_not_played").is_none();
    dialogue.sees("arbiter", "alerts", gone).await;
    let game = dialogue.stage.has_moves("b1", 5).await;
    assert_eq!(game["moves"][4]["san"], "Nf3");
}

async fn a_correct_claim_draws(dialogue: &mut Dialogue) {
    dialogue.play(&SHUFFLE[1..3], 5).await;
    let claim = json!({"kind": "threefold", "move": "f6g8"});
    dialogue.done("black", "claim", claim).await;
    let correct = |draw: &Value| draw["claim"]["finding"] == "correct";
    let draw = dialogue.sees("arbiter", "draw", correct).await;
    assert_eq!(draw["claim"]["plies"], json!([0, 4, 8]));
    for audience in ["operator", "public", "hall", "player"] {
        assert_eq!(dialogue.published(audience, "result"), [] as [Value; 0]);
    }
    dialogue
        .done("arbiter", "ruling", json!({"on": "claim", "correct": true}))
        .await;
    for audience in ["arbiter", "operator", "public", "hall", "player"] {
        let result = dialogue
            .sees(audience, "result", |result| !result.is_null())
            .await;
        assert_eq!(
            (&result["score"], &result["reason"], &result["article"]),
            (&json!("1/2-1/2"), &json!("threefold_claim"), &json!("9.2a"))
        );
        assert_eq!(result["announced"]["san"], "Ng8", "{audience}");
    }
    let game = dialogue.stage.has_moves("b1", 7).await;
    assert_eq!(
        game["moves"][6]["san"], "Ng1",
        "the announced move was not made"
    );
}

async fn fivefold_repetition_ends_a_game_of_today(dialogue: &mut Dialogue) {
    dialogue.board.set_up(Chess::default()).await;
    let new_game = json!({"laws": "fide-2023"});
    dialogue.done("arbiter", "new_game", new_game).await;
    dialogue.stage.has_moves("b1", 0).await;
    dialogue.play(&[SHUFFLE; 4].concat(), 0).await;
    let alerts = dialogue
        .sees("arbiter", "alerts", |a| alert(a, "fivefold").is_some())
        .await;
    let fivefold = alert(&alerts, "fivefold").unwrap()["id"].clone();
    for audience in ["arbiter", "operator"] {
        let ended = |result: &Value| result["reason"] == "fivefold";
        let result = dialogue.sees(audience, "result", ended).await;
        assert_eq!(result["confirmed"], false);
    }
    let ack = json!({"alert": fivefold, "by": "IA Smith"});
    dialogue.done("arbiter", "ack", ack).await;
    for audience in ["public", "hall", "player"] {
        let ended = |result: &Value| result["reason"] == "fivefold";
        let result = dialogue.sees(audience, "result", ended).await;
        assert_eq!(result["article"], "9.6.1");
    }
}

fn after(position: &Chess, uci: &str) -> Chess {
    let m = uci.parse::<UciMove>().unwrap().to_move(position).unwrap();
    position.clone().play(m).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unacknowledged_red_alert_is_escalated() {
    let stage = Stage::set("[laws]\nescalate_ms = 500\n", &["b1"]).await;
    let board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let dialogue = Dialogue { stage, board };
    let claim = json!({"kind": "fifty_move"});
    dialogue.done("white", "claim", claim).await;
    let escalated = |a: &Value| alert(a, "claim_made").is_some_and(|a| a["escalated"] == true);
    dialogue.sees("arbiter", "alerts", escalated).await;
    let alerts = dialogue.sees("arbiter", "alerts", escalated).await;
    let id = alert(&alerts, "claim_made").unwrap()["id"].clone();
    dialogue
        .done("arbiter", "ack", json!({"alert": id, "by": "IA Smith"}))
        .await;
    let answered = |a: &Value| alert(a, "claim_made").is_some_and(|a| a.get("escalated").is_none());
    let alerts = dialogue.sees("arbiter", "alerts", answered).await;
    let answered = alert(&alerts, "claim_made").unwrap();
    assert_eq!(answered["acknowledged_by"], "IA Smith");
    assert!(answered["acknowledged_at"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resignation_against_a_side_that_cannot_mate_is_a_draw_since_2023() {
    let stage = Stage::set("", &["b1"]).await;
    let position = "1n2k3/8/8/8/8/8/8/Q3K3 w - - 0 1";
    let fen: shakmaty::fen::Fen = position.parse().unwrap();
    let position_on_the_board = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
    let board = ByHand::start_at(&stage.home.port("b1"), position_on_the_board);
    stage.sees("b1").await;
    let mut dialogue = Dialogue { stage, board };
    dialogue
        .done("arbiter", "setup", json!({"fen": position}))
        .await;
    dialogue.done("white", "resign", json!({})).await;
    let result = dialogue
        .sees("arbiter", "result", |result| !result.is_null())
        .await;
    assert_eq!(
        (&result["score"], &result["reason"], &result["article"]),
        (&json!("1/2-1/2"), &json!("resignation"), &json!("5.1.2"))
    );
    assert_eq!(dialogue.published("player", "result"), [] as [Value; 0]);

    // The players analyse. None of it is read until a new game is set up.
    for uci in ["a1a8", "e8d7", "a8b8"] {
        dialogue.board.play(uci).await;
    }
    dialogue.board.set_up(Chess::default()).await;
    let since = dialogue
        .stage
        .witness
        .until("new game", |all| {
            let events = super::events(all, "b1");
            let facts: Vec<String> = facts(&events)
                .map(|(_, fact)| fact["type"].as_str().unwrap().to_owned())
                .collect();
            let ended = facts.iter().position(|fact| fact == "result_set")?;
            let since = facts[ended..].to_vec();
            since.contains(&"game_started".to_owned()).then_some(since)
        })
        .await;
    for unread in ["move_made", "tracking_lost", "refused"] {
        assert!(!since.contains(&unread.to_owned()), "{since:?}");
    }
}
