//! Who may sign in: the broker alone decides.

use std::net::Ipv4Addr;

use serde_json::json;

use super::{PASSWORD, Stage, USERS};
use remisd_testkit::mosquitto::{Mosquitto, shipped};

#[tokio::test(flavor = "multi_thread")]
async fn the_broker_decides_each_users_role() {
    let stage = Stage::set().await;
    for (role, board, user, password, status) in [
        ("arbiter", None, "arbiter", PASSWORD, 200),
        ("arbiter", None, "arbiter", "wrong", 401),
        ("arbiter", None, "nobody", PASSWORD, 401),
        ("arbiter", None, "operator", PASSWORD, 401),
        ("arbiter", None, "b1-white", PASSWORD, 401),
        ("operator", None, "operator", PASSWORD, 200),
        ("hall", None, "hall", PASSWORD, 200),
        ("white", Some("b1"), "b1-white", PASSWORD, 200),
        ("black", Some("b1"), "b1-white", PASSWORD, 401),
        ("white", Some("b2"), "b1-white", PASSWORD, 401),
        ("clock", Some("b1"), "b1-clock", PASSWORD, 200),
        ("white", None, "b1-white", PASSWORD, 400),
        ("arbiter", Some("b1"), "arbiter", PASSWORD, 400),
        ("arbiter", None, "arbiter/#", PASSWORD, 400),
        ("arbiter", None, "arbiter\n2026 INFO result", PASSWORD, 400),
        ("arbiter", None, "arbiter\u{1b}[8m", PASSWORD, 400),
        ("arbiter", None, "arbiter\u{ffff}", PASSWORD, 400),
    ] {
        let mut browser = stage.browser().await;
        let who = json!({
            "role": role, "board": board, "user": user, "password": password, "name": "Anna",
        });
        let answer = browser.post("/api/session", &who).await;
        assert_eq!(answer.status, status, "{who}: {answer:?}");
        assert_eq!(
            answer.header("set-cookie").is_some(),
            status == 200,
            "{who}"
        );
    }
    let nameless = json!({ "role": "arbiter", "name": "Anna" });
    let mut browser = stage.browser().await;
    assert_eq!(browser.post("/api/session", &nameless).await.status, 401);
    assert!(!stage.log().contains(PASSWORD), "{}", stage.log());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_name_that_receives_no_replies_cannot_sign_in() {
    let names = ["anna", "anna-black", "b1-clock", "operator"];
    let users: Vec<&str> = USERS.into_iter().chain(["anna", "anna-black"]).collect();
    // An organiser whose broker lets everyone do everything.
    let may_all = names.map(|name| format!("\nuser {name}\ntopic readwrite chess/#\n"));
    let acl = shipped("acl") + &may_all.concat();
    let broker = Mosquitto::start_guarded_by(&acl, &users, PASSWORD).await;
    let stage = Stage::at(broker, Ipv4Addr::LOCALHOST, "");
    let long = "x".repeat(241);
    for (role, board, user, status) in [
        ("arbiter", None, "anna", 200),
        ("white", Some("b1"), "anna", 200),
        ("arbiter", None, "anna-black", 403),
        ("operator", None, "anna-black", 403),
        ("black", Some("anna"), "anna-black", 200),
        ("black", Some("b1"), "anna-black", 403),
        ("arbiter", None, "b1-clock", 403),
        ("white", Some("b1"), "b1-clock", 403),
        ("clock", Some("b1"), "b1-clock", 200),
        ("arbiter", None, "operator", 403),
        ("operator", None, "operator", 200),
        // A role without commands needs no answer.
        ("hall", None, "anna-black", 200),
        ("arbiter", None, long.as_str(), 400),
    ] {
        let mut browser = stage.browser().await;
        let who = json!({ "role": role, "board": board, "user": user, "password": PASSWORD });
        let answer = browser.post("/api/session", &who).await;
        assert_eq!(answer.status, status, "{who}: {answer:?}");
        if status == 403 {
            let refused = answer.json();
            assert_eq!(refused["code"], "name_of_another_role", "{refused}");
            let why = refused["message"].as_str().unwrap();
            assert!(why.contains(user) && why.contains("-black"), "{why}");
            let grants = browser.get("/api/session").await.json()["grants"].clone();
            assert_eq!(grants, json!([]), "{who}");
        }
    }
    // A user with a wrong password receives nothing.
    let mut browser = stage.browser().await;
    let who = json!({ "role": "arbiter", "user": "anna-black", "password": "wrong" });
    assert_eq!(browser.post("/api/session", &who).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_a_cookie_without_a_password_that_scripts_cannot_read() {
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    let nothing = browser.get("/api/session").await.json();
    assert_eq!(
        (&nothing["grants"], &nothing["open"]),
        (&json!([]), &json!([]))
    );

    let answer = browser.sign_in("arbiter", None, PASSWORD).await;
    let cookie = answer.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let grant = json!([{"role": "arbiter", "board": null, "user": "arbiter", "name": "Anna"}]);
    assert_eq!(answer.json()["grants"], grant);
    assert!(answer.header("set-cookie").is_some());
    let shown = browser.get("/api/session").await.json();
    assert_eq!(shown["grants"], grant);

    // A second role is added, and the previous session key becomes invalid.
    let mut before = browser.clone();
    let second = browser.sign_in("white", Some("b1"), PASSWORD).await;
    assert!(second.header("set-cookie").is_some());
    assert_eq!(second.json()["grants"].as_array().unwrap().len(), 2);
    let nothing = before.get("/api/session").await.json();
    assert_eq!(nothing["grants"], json!([]));

    let out = browser
        .ask("DELETE", "/api/session?role=arbiter", "", b"")
        .await;
    assert_eq!(out.status, 204);
    let left = browser.get("/api/session").await.json();
    assert_eq!(left["grants"][0]["role"], "white");
    assert_eq!(
        browser.ask("DELETE", "/api/session", "", b"").await.status,
        204
    );
    assert_eq!(
        browser.get("/api/session").await.json()["grants"],
        json!([])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_our_own_pages_sign_in_or_out() {
    let stage = Stage::set().await;
    let mut browser = stage.signed_in("arbiter", None).await;
    for origin in [
        None,
        Some("http://evil.example".to_owned()),
        Some("null".to_owned()),
    ] {
        browser.origin = origin;
        let answer = browser.sign_in("hall", None, PASSWORD).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (403, &json!("foreign_origin"))
        );
        assert_eq!(
            browser.ask("DELETE", "/api/session", "", b"").await.status,
            403
        );
    }
    // A form on another site cannot send JSON.
    browser.origin = Some(format!("http://{}", stage.server));
    let plain = "Content-Type: text/plain\r\n";
    let answer = browser
        .ask("POST", "/api/session", plain, b"{\"role\":\"hall\"}")
        .await;
    assert_eq!(answer.status, 415);
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_passwords_is_slowed_down() {
    let stage = Stage::set().await;
    let mut browser = stage.browser().await;
    for _ in 0..10 {
        assert_eq!(browser.sign_in("arbiter", None, "guess").await.status, 401);
    }
    let answer = browser.sign_in("arbiter", None, PASSWORD).await;
    assert_eq!(answer.status, 429);
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_broker_needs_no_password_here_and_refuses_other_computers() {
    let broker = Mosquitto::start().await;
    let stage = Stage::at(broker, Ipv4Addr::LOCALHOST, "");
    let mut browser = stage.browser().await;
    let open = browser.get("/api/session").await.json()["open"].clone();
    assert!(
        open.as_array().unwrap().contains(&json!("arbiter")),
        "{open}"
    );
    let nameless = json!({ "role": "arbiter", "name": "Anna" });
    assert_eq!(browser.post("/api/session", &nameless).await.status, 200);

    let broker = Mosquitto::start().await;
    let stage = Stage::at(broker, Ipv4Addr::UNSPECIFIED, "");
    let mut browser = stage.browser().await;
    assert_eq!(browser.get("/api/session").await.json()["open"], json!([]));
    for who in [
        nameless,
        json!({ "role": "arbiter", "user": "arbiter", "password": "x" }),
    ] {
        let answer = browser.post("/api/session", &who).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (403, &json!("open_broker"))
        );
    }
    assert_eq!(browser.get("/").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_server_before_us_makes_an_open_broker_refuse_as_well() {
    // The pages are at its name, or at its address.
    for line in [
        "names = [\"chess.example\"]",
        "trusted_proxies = [\"127.0.0.1\"]",
    ] {
        let broker = Mosquitto::start().await;
        let stage = Stage::at(broker, Ipv4Addr::LOCALHOST, line);
        let mut browser = stage.browser().await;
        let open = browser.get("/api/session").await.json();
        assert_eq!(open["open"], json!([]), "{line}");
        let nameless = json!({ "role": "arbiter", "name": "Anna" });
        let answer = browser.post("/api/session", &nameless).await;
        assert_eq!(answer.status, 403, "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_checks_no_passwords_refuses_other_computers() {
    let acl = "topic read chess/v1/+/public/#\nuser arbiter\ntopic readwrite chess/#\n";
    let broker = Mosquitto::start_with("allow_anonymous true\n", Some(acl)).await;
    let stage = Stage::at(broker, Ipv4Addr::UNSPECIFIED, "");
    let mut browser = stage.browser().await;
    let answer = browser.sign_in("arbiter", None, "whatever").await;
    assert_eq!(
        (answer.status, &answer.json()["code"]),
        (403, &json!("open_broker"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_broker_no_sign_in_succeeds_and_none_counts_as_failed() {
    let mut stage = Stage::set().await;
    let mut browser = stage.browser().await;
    stage.broker.kill().await;
    for _ in 0..2 {
        let answer = browser.sign_in("arbiter", None, PASSWORD).await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (503, &json!("no_broker"))
        );
    }
}
