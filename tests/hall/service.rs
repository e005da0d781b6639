//! The pages as a service: what systemd hears, what a reload takes up, and what the log says of the
//! user that reads for the public.

use std::{fs, net::Ipv4Addr};

use remisd_testkit::{
    DEADLINE, mosquitto::Mosquitto, poll::poll, poll::poll_until, remisd::signal, systemd::Systemd,
};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};

use super::{PASSWORD, Stage, USERS, set_mode};

impl Stage {
    async fn hall_without_boards(lines: &str) -> Self {
        let broker = Mosquitto::start_guarded(&USERS, PASSWORD).await;
        Self::at(broker, Ipv4Addr::LOCALHOST, lines)
    }

    async fn has_logged(&self, text: &str) {
        let missing = || format!("no {text:?} in\n{}", self.log());
        poll_until(DEADLINE, missing, || self.log().contains(text)).await;
    }

    /// Waits until `api/site` has this `broker_fault`, and returns it.
    async fn site_with(&self, fault: Value) -> Value {
        let mut browser = self.browser().await;
        let log = || self.log();
        poll(DEADLINE, log, async || {
            let site = browser.get("/api/site").await.json();
            (site["broker_fault"] == fault).then_some(site)
        })
        .await
    }

    async fn hang_up(&self) {
        signal(self.hall.id().unwrap(), "-HUP").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn systemd_is_notified_when_pages_are_served_alive_and_stopping() {
    let mut broker = Mosquitto::start().await;
    broker.kill().await;
    let folder = tempfile::tempdir().unwrap();
    let systemd = Systemd::listen(folder.path());
    let listen = Ipv4Addr::LOCALHOST;
    let mut stage = Stage::with_environment(broker, listen, "", &systemd.environment());
    let server = stage.server;
    let ready = systemd.received_until("READY=1");
    assert_eq!(ready, ["READY=1"], "a missing broker delays nothing");
    TcpStream::connect(server).await.expect("it listens");
    let alive = systemd.received_until("STATUS=broker down");
    assert!(alive.contains(&"WATCHDOG=1".to_owned()), "{alive:?}");
    stage.broker.restart().await;
    let alive = systemd.received_until("STATUS=broker up");
    assert!(alive.contains(&"WATCHDOG=1".to_owned()), "{alive:?}");
    signal(stage.hall.id().unwrap(), "-TERM").await;
    systemd.received_until("STOPPING=1");
    let ended = timeout(DEADLINE, stage.hall.wait()).await;
    assert_eq!(ended.expect("it stops").unwrap().code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_public_user_log_and_site_say_so_and_a_reload_takes_one_up() {
    let stage = Stage::hall_without_boards("").await;
    let site = stage.site_with(json!("no_public_user")).await;
    assert_eq!(site["broker"], false);
    stage
        .has_logged("http.public_username is not set: start")
        .await;
    // Others read the broker as before.
    let arbiter = stage.signed_in("arbiter", None).await;
    let mut feed = arbiter.feed("audience=arbiter").await.unwrap();
    feed.until(|frame| frame["type"] == "ready").await;

    let config = stage.folder.path().join("remisd.toml");
    let text = fs::read_to_string(&config).unwrap();
    let password = stage.folder.path().join("password");
    let user = format!(
        "public_username = \"public\"\npublic_password_file = \"{}\"\n",
        password.display()
    );
    fs::write(
        &config,
        format!("{text}{user}names = [\"chess.example\"]\n"),
    )
    .unwrap();
    stage.hang_up().await;
    let site = stage.site_with(Value::Null).await;
    assert_eq!(site["broker"], true);
    stage.has_logged("[http] has changed: restart").await;
    stage
        .has_logged("the broker admits the public pages again")
        .await;
    // A connection that works stays, even where the new configuration is wrong.
    fs::write(&config, "[http]\nlisten = \"nowhere\"\n").unwrap();
    stage.hang_up().await;
    stage.has_logged("nothing is applied").await;
    feed.until(|frame| frame["type"] == "beat" && frame["broker"] == true)
        .await;
    let log = stage.log();
    let warned = log.matches("http.public_username is not set: start");
    assert_eq!(warned.count(), 1, "{log}");
    assert!(!log.contains("[[board]]"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_public_user_is_named_until_its_password_is_reloaded() {
    let stage = Stage::hall_without_boards("public_username = \"public\"").await;
    stage.site_with(Value::Null).await;
    let password = stage.folder.path().join("password");
    fs::write(&password, "wrong").unwrap();
    set_mode(&password, 0o600);
    stage.hang_up().await;
    stage.has_logged("apply from the next connection").await;
    let mut stage = stage;
    stage.broker.restart().await;
    let site = stage.site_with(json!("public_user_refused")).await;
    assert_eq!(site["broker"], false);
    stage
        .has_logged("refuses \"public\", the user of http.public_username")
        .await;
    fs::write(&password, PASSWORD).unwrap();
    stage.hang_up().await;
    stage.site_with(Value::Null).await;
    stage.broker.kill().await;
    stage.site_with(json!("unreachable")).await;
    let log = stage.log();
    assert_eq!(log.matches("refuses \"public\"").count(), 1, "{log}");
}
