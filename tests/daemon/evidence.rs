//! The arbiter's request for the evidence over MQTT.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_arbiter_alone_gets_the_evidence_and_nothing_is_written_down() {
    let stage = Stage::set("[audience]\nprofile = \"competition\"\n", &["b1"]).await;
    stage.misses("b1").await;
    let claim = json!({"id": "c1", "kind": "threefold", "move": "Nf6"});
    let claimed = stage.command("white", "b1", "claim", &claim).await;
    assert_eq!(claimed["ok"], true, "{claimed}");
    let before = stage.home.entries("b1").len();

    let answer = stage.command("arbiter", "b1", "evidence", &id("e1")).await;
    assert_eq!((&answer["ok"], &answer["id"]), (&json!(true), &json!("e1")));
    let made = &answer["evidence"]["claim"];
    assert_eq!(made["id"], claimed["seq"]);
    let announced = &made["announced"];
    assert_eq!(
        (&announced["san"], &announced["legal"]),
        (&json!("Nf6"), &json!(false))
    );
    assert_eq!(announced.get("uci"), None, "it has no squares: {made}");
    assert_eq!(answer["evidence"]["source"]["from"], "journal");
    // The same request later is a new one: its answer is not cached.
    let ruling = json!({"id": "r1", "on": "claim", "correct": false});
    stage.command("arbiter", "b1", "ruling", &ruling).await;
    let again = stage.command("arbiter", "b1", "evidence", &id("e1")).await;
    let ruled = &again["evidence"]["claim"]["ruling"];
    assert_eq!(
        (&ruled["correct"], &ruled["by"]),
        (&json!(false), &json!("arbiter"))
    );

    for (role, payload, code) in [
        ("white", id("e2"), "role_may_not"),
        ("operator", id("e2"), "role_may_not"),
        ("arbiter", json!({"id": "e3", "claim": 99_999}), "not_found"),
        ("arbiter", json!({"id": "e4", "game": 99_999}), "not_found"),
        ("arbiter", json!({"id": "e5", "claim": "x"}), "bad_payload"),
        ("arbiter", json!({}), "bad_payload"),
    ] {
        let answer = stage.command(role, "b1", "evidence", &payload).await;
        assert_eq!(answer["code"], code, "{role} {payload}: {answer}");
        assert_eq!(answer.get("evidence"), None);
    }
    let retained = stage
        .raw_command("arbiter", "b1", "evidence", id("e6").to_string(), true)
        .await;
    assert_eq!(retained["code"], "retained");
    assert_eq!(
        stage.home.entries("b1").len(),
        before + 1,
        "the ruling alone"
    );
}
