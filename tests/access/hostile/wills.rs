//! Wills: messages published after a user disconnects.

use rumqttc::v5::mqttbytes::{QoS, v5::LastWill};
use serde_json::{Value, json};

use super::{RESULT, STATE, Stage, result};
use crate::{PASSWORD, client::Client};

#[tokio::test(flavor = "multi_thread")]
async fn a_will_is_no_way_around_the_list() {
    let mut stage = Stage::set().await;
    let white = Some(("b1-white", PASSWORD));
    let forged = [
        ("chess/v1/hall/arbiter/b1/result", result("forged")),
        ("chess/v1/hall/hall/b1/game", "{\"forged\":true}".to_owned()),
        (STATE, json!({"state": "lost", "forged": true}).to_string()),
        (RESULT, result("forged")),
        (
            "chess/v1/hall/cmd/black/b1/resign",
            json!({"id": "forged"}).to_string(),
        ),
        (
            "chess/v1/hall/reply/arbiter/1",
            json!({"ok": true, "id": "forged"}).to_string(),
        ),
    ];
    for (topic, payload) in &forged {
        for retain in [false, true] {
            let will = LastWill::new(*topic, payload.clone(), QoS::AtLeastOnce, retain, None);
            // A broker may also refuse the connection because of the will.
            if let Ok(client) = Client::connect(stage.broker.address(), white, Some(will)).await {
                client.vanish();
            }
        }
    }
    // White may use their own topic in a will, too. No offer is open that could be declined. This
    // answer arrives after everything forged.
    let answers = "chess/v1/hall/reply/b1-white/will";
    let own = json!({"id": "w", "reply_to": answers}).to_string();
    let topic = "chess/v1/hall/cmd/white/b1/decline";
    let will = LastWill::new(topic, own, QoS::AtLeastOnce, false, None);
    let client = Client::connect(stage.broker.address(), white, Some(will)).await;
    client.unwrap().vanish();
    let answer = |answer: &Value| (!answer.is_null()).then(|| answer.clone());
    let answer = stage.witness.retained(answers, answer).await;
    assert_eq!(answer["code"], "wrong_state");
    stage.is_well().await;
    for message in stage.witness.messages() {
        let text = String::from_utf8_lossy(&message.payload);
        assert!(!text.contains("forged"), "{} {text}", message.topic);
    }
}
