//! Answers only go to the sender's own topics, whatever response topic is requested.

use serde_json::json;

use super::{GAME, RESULT, STATE, Stage, respond_to};

#[tokio::test(flavor = "multi_thread")]
async fn no_reply_goes_to_another_client() {
    let mut stage = Stage::set().await;
    let mut white = stage.user("b1-white").await;
    let topic = "chess/v1/hall/cmd/white/b1/decline";
    let elsewhere = [
        RESULT,
        GAME,
        STATE,
        "chess/v1/hall/hall/b1/game",
        "chess/v1/hall/reply",
        "chess/v1/hall/reply/",
        "chess/v1/elsewhere/reply/b1-white/x",
        "chess/v1/hall/reply/arbiter",
        "chess/v1/hall/reply/arbiter/1",
        "chess/v1/hall/reply/operator/1",
        "chess/v1/hall/reply/hall/1",
        "chess/v1/hall/reply/b1-black/1",
        "chess/v1/hall/reply/b2-white/1",
        "homeassistant/device/remisd-hall-b1/config",
        "$SYS/broker/version",
    ];
    for (number, wanted) in elsewhere.iter().enumerate() {
        let mut properties = respond_to(wanted);
        properties.correlation_data = Some("marked".into());
        let payload = json!({"id": format!("marked {number}")}).to_string();
        let delivered = white.publish(topic, payload, false, Some(properties)).await;
        assert_eq!(delivered, Some(true));
        let payload = json!({"id": format!("marked {number}"), "reply_to": wanted}).to_string();
        assert_eq!(white.publish(topic, payload, false, None).await, Some(true));
    }
    // White's own request is answered, after the others.
    let payload = json!({"id": "own"}).to_string();
    let answer = stage
        .ask(("b1-white", &mut white), topic, payload, false)
        .await;
    assert_eq!(
        (&answer["id"], &answer["code"]),
        (&json!("own"), &json!("wrong_state"))
    );
    stage.is_well().await;
    // Refused answers are logged, so that a waiting client's owner finds the cause. Per minute the
    // first is logged and the rest only counted.
    let log = stage.daemon.as_ref().unwrap().log();
    let logged = log.matches("no answer could be sent").count();
    assert_eq!(logged, 1, "{log}");
    for message in stage.witness.messages() {
        let text = String::from_utf8_lossy(&message.payload);
        let answers = text.contains("remisd/reply/1");
        assert!(
            !(answers && text.contains("marked")),
            "{}: {text}",
            message.topic
        );
        assert!(
            !answers || message.correlation.is_none(),
            "{}",
            message.topic
        );
    }
}
