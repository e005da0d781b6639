//! Commands stored by a broker: retained ones and expired ones.

use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::Value;

use super::{RESULT, Stage, respond_to, result, start};
use crate::PUPPETEER;
use remisd_testkit::witness::Message;

#[tokio::test(flavor = "multi_thread")]
async fn a_retained_command_is_refused_after_each_connection_and_never_done() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.user("arbiter").await;
    let answer = stage
        .ask(("arbiter", &mut arbiter), RESULT, result("kept"), true)
        .await;
    assert_eq!(answer["code"], "retained", "{answer}");
    let answers = format!("chess/v1/hall/reply/arbiter/{}", stage.requests);
    let refused = |times: usize| {
        let answers = answers.clone();
        move |all: &[Message]| {
            let replies = all.iter().filter(|message| message.topic == answers);
            let replies: Vec<Value> = replies.map(Message::json).collect();
            assert!(
                replies.iter().all(|reply| reply["code"] == "retained"),
                "{replies:?}"
            );
            (replies.len() >= times).then_some(())
        }
    };
    // The connection is cut, and the broker delivers its retained messages again.
    stage.is_cut_off().await;
    let states = stage.states();
    stage.is_back(states).await;
    stage.witness.until("second refusal", refused(2)).await;
    // Another daemon takes over.
    stage.daemon.take().unwrap().kill().await;
    let states = stage.states();
    stage.daemon = Some(start(&stage.home));
    stage.is_back(states).await;
    stage.witness.until("third refusal", refused(3)).await;
    stage.is_online().await;
    stage.is_well().await;
    let commands = stage.commands();
    assert!(
        commands.iter().all(|command| command["verb"] != "result"),
        "{commands:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_expired_is_never_done() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.user("arbiter").await;
    let soon = |answers: &str| PublishProperties {
        message_expiry_interval: Some(1),
        ..respond_to(answers)
    };
    // Sent while the daemon is away, with and without the retain flag.
    stage.is_cut_off().await;
    let states = stage.states();
    let answers = "chess/v1/hall/reply/arbiter/expired";
    for retain in [false, true] {
        let delivered = arbiter
            .publish(RESULT, result("late"), retain, Some(soon(answers)))
            .await;
        assert_eq!(delivered, Some(true));
    }
    loop {
        let mut late = stage.user(PUPPETEER).await;
        late.subscribe(&[RESULT]).await;
        if late.received().await.is_empty() {
            break;
        }
    }
    stage.is_back(states).await;
    stage.is_well().await;
    let messages = stage.witness.messages();
    assert!(messages.iter().all(|message| message.topic != answers));
    assert!(
        stage
            .commands()
            .iter()
            .all(|command| command["id"] != "late")
    );
}
