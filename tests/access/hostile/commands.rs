//! Which commands a role may give, and which messages are not commands.

use serde_json::{Value, json};

use super::{GAME, RESULT, Stage};
use crate::{
    PUPPETEER,
    expected::{ROLES, VERBS, may_use},
};

/// The largest command that the daemon reads, in bytes.
const LARGEST: usize = 16 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn every_role_has_its_verbs_and_no_others() {
    let mut stage = Stage::set().await;
    for role in ROLES {
        let user = match role {
            "arbiter" | "operator" => role.to_owned(),
            at_the_board => format!("b1-{at_the_board}"),
        };
        let mut client = stage.user(&user).await;
        // The broker lets this user publish anything, and the daemon still answers.
        let mut puppeteer = stage.user(PUPPETEER).await;
        for verb in VERBS {
            let of_daemon = verb.starts_with("lichess_") || verb == "notify_test";
            let to = if of_daemon { "remisd" } else { "b1" };
            let topic = format!("chess/v1/hall/cmd/{role}/{to}/{verb}");
            // Stale for those who may, so that nothing is executed.
            let payload = json!({"id": verb, "if_seq": 0}).to_string();
            let who = if may_use(role, verb) == Some(true) {
                (user.as_str(), &mut client)
            } else {
                let taken = client.publish(&topic, payload.clone(), false, None).await;
                assert_eq!(taken, Some(false), "the broker refuses {topic}");
                (PUPPETEER, &mut puppeteer)
            };
            let answer = stage.ask(who, &topic, payload, false).await;
            if verb == "evidence" && may_use(role, verb) == Some(true) {
                // A query changes nothing, so it is never stale.
                assert_eq!(answer["ok"], true, "{topic}: {answer}");
                continue;
            }
            assert_eq!(answer["ok"], false, "{topic}: {answer}");
            let code = answer["code"].as_str().unwrap();
            let message = answer["message"].as_str().unwrap_or_default();
            assert!(!message.is_empty(), "{topic}: {answer}");
            match may_use(role, verb) {
                None => assert_eq!(code, "unknown_verb", "{topic}"),
                Some(false) => assert_eq!(code, "role_may_not", "{topic}"),
                // No broadcast and no phones are configured.
                Some(true) if of_daemon => {
                    assert!(
                        ["bad_payload", "wrong_state"].contains(&code),
                        "{topic}: {code}"
                    );
                }
                Some(true) => assert!(["bad_payload", "stale"].contains(&code), "{topic}: {code}"),
            }
        }
    }
    stage.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_command_gets_its_code_and_changes_nothing() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.user("arbiter").await;
    let nested = |open: &str, shut: &str, depth: usize| {
        format!(
            "{{\"id\":\"deep\",\"score\":{}1{}}}",
            open.repeat(depth),
            shut.repeat(depth)
        )
    };
    let bad: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"{".to_vec(),
        b"{\"id\":\"1\",}".to_vec(),
        b"{\"id\":\"1\"}{\"id\":\"2\"}".to_vec(),
        b"{\"id\":\"1\",\"score\":NaN}".to_vec(),
        b"{\"id\":\"\\ud800\",\"score\":\"1-0\"}".to_vec(),
        b"{\"id\":\"\xff\xfe\",\"score\":\"1-0\"}".to_vec(),
        b"\xef\xbb\xbf{\"id\":\"1\",\"score\":\"1-0\"}".to_vec(),
        b"\0".to_vec(),
        b"{\"id\":1,\"score\":\"1-0\"}".to_vec(),
        b"{\"id\":\"\",\"score\":\"1-0\"}".to_vec(),
        b"{\"id\":\"1\",\"score\":[\"1-0\"]}".to_vec(),
        b"{\"id\":\"1\",\"score\":\"1-0\",\"if_seq\":-1}".to_vec(),
        b"{\"id\":\"1\",\"score\":\"1-0\",\"if_seq\":1e400}".to_vec(),
        b"{\"id\":\"1\",\"score\":\"1-0\",\"game\":18446744073709551616}".to_vec(),
        json!({"id": "x".repeat(257), "score": "1-0"})
            .to_string()
            .into_bytes(),
        nested("[", "]", 7_000).into_bytes(),
        nested("{\"a\":", "}", 2_000).into_bytes(),
        "[".repeat(LARGEST).into_bytes(),
    ];
    let before = stage.commands();
    for payload in bad {
        let shown = String::from_utf8_lossy(&payload[..payload.len().min(60)]).into_owned();
        let answer = stage
            .ask(("arbiter", &mut arbiter), RESULT, payload, false)
            .await;
        assert_eq!(answer["code"], "bad_payload", "{shown}: {answer}");
        assert!(answer.to_string().len() < 2_000, "{shown}: {answer}");
    }
    assert_eq!(stage.commands(), before);

    // The largest command, and one byte more.
    let headers = "chess/v1/hall/cmd/arbiter/b1/headers";
    let sized = |id: &str, size: usize| {
        let command = |padding: &str| json!({"id": id, "headers": {}, "padding": padding});
        let rest = size - command("").to_string().len();
        command(&"x".repeat(rest)).to_string()
    };
    for (id, size, code) in [
        ("just", LARGEST, Value::Null),
        ("over", LARGEST + 1, json!("oversized")),
        ("far", 10 * LARGEST, json!("oversized")),
    ] {
        let payload = sized(id, size);
        assert_eq!(payload.len(), size);
        let answer = stage
            .ask(("arbiter", &mut arbiter), headers, payload, false)
            .await;
        assert_eq!(answer["code"], code, "{id}: {answer}");
    }

    // Ids are separate per role: using another role's id yields neither its answer nor its rights.
    let mut operator = stage.user("operator").await;
    let mut white = stage.user("b1-white").await;
    let topic = "chess/v1/hall/cmd/operator/b1/headers";
    let payload = json!({"id": "same", "headers": {"Event": "Open"}}).to_string();
    let first = stage
        .ask(("operator", &mut operator), topic, payload, false)
        .await;
    assert_eq!(first["ok"], true, "{first}");
    let payload = json!({"id": "same", "headers": {"Event": "Forged"}}).to_string();
    let own = "chess/v1/hall/cmd/white/b1/headers";
    let taken = white.publish(own, payload.clone(), false, None).await;
    assert_eq!(taken, Some(false), "the broker refuses {own}");
    let own = "chess/v1/hall/cmd/white/b1/accept";
    let forged = stage
        .ask(("b1-white", &mut white), own, payload.clone(), false)
        .await;
    assert_eq!(forged["code"], "wrong_state", "{forged}");
    let again = stage
        .ask(("operator", &mut operator), topic, payload, false)
        .await;
    assert_eq!(again, first);
    let event = |game: &Value| (game["headers"]["Event"] == "Open").then_some(());
    stage.witness.retained(GAME, event).await;
    stage.is_well().await;
}
