//! The process: how it starts, stops and refuses to start.

use std::{fs, path::Path};

use serde_json::Value;

use super::Stage;
use remisd_testkit::{
    DEADLINE,
    mosquitto::Mosquitto,
    poll::poll_until,
    remisd::{Home, output, signal, word},
    witness::Witness,
};

/// The topic on which the daemon publishes its state.
const STATE: &str = "chess/v1/hall/node/remisd/state";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_to_stop_is_published_and_followed() {
    let stage = Stage::set("", &["b1"]).await;
    let status = stage.daemon.terminate().await;
    assert_eq!(status.code(), Some(0));
    let late = Witness::watch(stage.broker.address(), &[STATE]).await;
    let offline = |state: &Value| (state["state"] == "offline").then_some(());
    late.retained(STATE, offline).await;
    assert!(late.messages().iter().all(|message| message.retain));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_broker_it_runs_and_stops_as_well() {
    let home = Home::new("mqtt://127.0.0.1:1", "", &["b1"], "");
    let daemon = home.start();
    let folder = home.journal().join("b1");
    poll_until(DEADLINE, || daemon.log(), || folder.exists()).await;
    assert_eq!(daemon.terminate().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_to_reload_takes_up_passwords_and_names_what_needs_a_restart() {
    let broker = Mosquitto::start_guarded(&["remisd", "arbiter"], "secret").await;
    let home = Home::new(&broker.url(), "", &["b1"], "");
    let daemon = home.start();
    let log = || daemon.log();
    poll_until(DEADLINE, log, || daemon.log().contains("watching")).await;
    let witness = Witness::watch_as(
        broker.address(),
        Some(("arbiter", "secret")),
        &["chess/v1/#"],
    )
    .await;
    let config = fs::read_to_string(home.config()).unwrap();
    let user = "[mqtt]\nusername = \"remisd\"\npassword = \"secret\"\n";
    let config = config.replacen("[mqtt]\n", user, 1);
    fs::write(home.config(), config + "[laws]\nrate = \"blitz\"\n").unwrap();
    signal(daemon.id(), "-HUP").await;
    let online = |state: &Value| (state["state"] == "online").then_some(());
    witness.retained(STATE, online).await;
    let log = daemon.log();
    assert!(log.contains("[laws] has changed: restart"), "{log}");
    assert_eq!(daemon.terminate().await.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_it_is_reported_lost() {
    let stage = Stage::set("", &["b1"]).await;
    stage.daemon.kill().await;
    let lost = |state: &Value| (state["state"] == "lost").then_some(());
    stage.witness.retained(STATE, lost).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_daemons_do_not_share_a_journal() {
    let stage = Stage::set("", &["b1"]).await;
    let config = stage.home.config();
    let second = output(&["run", "--config", word(&config)]).await;
    let errors = text(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{errors}");
    let journal = stage.home.journal();
    assert!(errors.contains("in use by another remisd"), "{errors}");
    assert!(errors.contains(word(&journal)), "{errors}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_in_the_configuration_are_shown_where_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("wrong.toml");
    fs::write(
        &config,
        "[site]\nid = \"hall\"\n\n[laws]\n  edition = \"fide-1066\"\n",
    )
    .unwrap();
    for command in ["run", "check"] {
        let refused = output(&[command, "--config", word(&config)]).await;
        let errors = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{errors}");
        assert!(errors.contains("wrong.toml:5:13"), "{errors}");
        assert!(errors.contains("fide-2023"), "what is allowed: {errors}");
        assert!(refused.stdout.is_empty());
    }
    let absent = output(&["run", "--config", "/nonexistent/remisd.toml"]).await;
    assert_eq!(absent.status.code(), Some(2));
    assert_eq!(output(&["run", "--nonsense"]).await.status.code(), Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_is_good_and_ports_are_listed() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/remisd.toml");
    let checked = output(&["check", "--config", word(&example)]).await;
    assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).contains("laws.edition = \"fide-2023\""));
    let ports = output(&["ports"]).await;
    assert_eq!(ports.status.code(), Some(0), "{}", text(&ports.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_comes_late_is_found() {
    let broker = Mosquitto::start().await;
    let gate = remisd_testkit::gate::Gate::before(broker.address()).await;
    gate.set_open(false);
    let home = Home::new(&gate.url(), "", &["b1"], "");
    let mut daemon = home.start();
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let is_refused = || daemon.log().contains("no connection to the broker");
    poll_until(DEADLINE, || daemon.log(), is_refused).await;
    gate.set_open(true);
    let online = |state: &Value| (state["state"] == "online").then_some(());
    witness.retained(STATE, online).await;
    assert!(daemon.is_running());
}
