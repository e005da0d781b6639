//! Whether the daemon is alive: on its topic, and to systemd.

use std::{ffi::OsStr, os::unix::net::UnixDatagram};

use serde_json::Value;

use super::Stage;
use crate::support::{DEADLINE, remisd::Home};

const HEALTH: &str = "chess/v1/hall/node/remisd/health";

#[tokio::test(flavor = "multi_thread")]
async fn its_health_is_told_with_every_board() {
    let stage = Stage::set("", &["b1", "b2"]).await;
    let told = |health: &Value| {
        let boards = health["boards"].as_array()?;
        let names: Vec<&str> = boards.iter().filter_map(|b| b["board"].as_str()).collect();
        let well = health["alive"] == true
            && health["broker"]["up"] == true
            && boards
                .iter()
                .all(|board| board["answers"] == true && board["not_recorded"] == 0);
        (well && names == ["b1", "b2"]).then_some(())
    };
    stage.witness.retained(HEALTH, told).await;
}

/// What systemd hears, until it has heard `wanted`.
fn heard_until(socket: &UnixDatagram, wanted: &str) -> Vec<String> {
    let mut heard = Vec::new();
    let mut message = [0; 4096];
    loop {
        let length = socket.recv(&mut message).expect(wanted);
        let text = String::from_utf8_lossy(&message[..length]);
        heard.extend(text.lines().map(str::to_owned));
        if heard.iter().any(|line| line.contains(wanted)) {
            return heard;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn systemd_is_told_when_it_is_ready_alive_and_stopping() {
    let home = Home::new("mqtt://127.0.0.1:1", "", &["b1"], "");
    let path = home.config().with_file_name("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    let daemon = home.start_with(&[
        ("NOTIFY_SOCKET", path.as_os_str()),
        ("WATCHDOG_USEC", OsStr::new("3000000")),
    ]);
    let (socket, before) = tokio::task::spawn_blocking(move || {
        let ready = heard_until(&socket, "READY=1");
        assert!(home.journal().join("b1").is_dir(), "ready with its journal");
        let alive = heard_until(&socket, "0 of 1 boards answer, broker down");
        assert!(alive.contains(&"WATCHDOG=1".to_owned()), "{alive:?}");
        heard_until(&socket, "WATCHDOG=1");
        (socket, (ready, home))
    })
    .await
    .unwrap();
    assert_eq!(
        before.0,
        ["READY=1"],
        "a missing broker is waited for by nobody"
    );
    assert_eq!(daemon.terminate().await.code(), Some(0));
    heard_until(&socket, "STOPPING=1");
}
