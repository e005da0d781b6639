//! Reports whether the daemon is alive: on its topic and to systemd.

use std::net::Ipv4Addr;

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use super::Stage;
use remisd_testkit::{DEADLINE, poll::poll, port::free_port, remisd::Home, systemd::Systemd};

const HEALTH: &str = "chess/v1/hall/node/remisd/health";

#[tokio::test(flavor = "multi_thread")]
async fn health_is_published_with_every_board() {
    let stage = Stage::set("", &["b1", "b2"]).await;
    let is_complete = |health: &Value| {
        let boards = health["boards"].as_array()?;
        let names: Vec<&str> = boards.iter().filter_map(|b| b["board"].as_str()).collect();
        let well = health["alive"] == true
            && health["broker"]["up"] == true
            && boards
                .iter()
                .all(|board| board["answers"] == true && board["not_recorded"] == 0);
        (well && names == ["b1", "b2"]).then_some(())
    };
    stage.witness.retained(HEALTH, is_complete).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn systemd_is_notified_when_it_is_ready_alive_and_stopping() {
    let home = Home::new("mqtt://127.0.0.1:1", "", &["b1"], "");
    let folder = tempfile::tempdir().unwrap();
    let systemd = Systemd::listen(folder.path());
    let daemon = home.start_with(&systemd.environment());
    let (systemd, before) = tokio::task::spawn_blocking(move || {
        let ready = systemd.received_until("READY=1");
        assert!(home.journal().join("b1").is_dir(), "ready with its journal");
        let alive = systemd.received_until("0 of 1 boards answer, broker down");
        assert!(alive.contains(&"WATCHDOG=1".to_owned()), "{alive:?}");
        systemd.received_until("WATCHDOG=1");
        (systemd, (ready, home))
    })
    .await
    .unwrap();
    assert_eq!(before.0, ["READY=1"], "a missing broker delays nothing");
    assert_eq!(daemon.terminate().await.code(), Some(0));
    systemd.received_until("STOPPING=1");
}

/// The response to a request for `path`: status line, headers and body.
async fn get(port: u16, path: &str) -> String {
    get_with(port, path, "").await
}

/// The same with more header lines.
async fn get_with(port: u16, path: &str, lines: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
        .await
        .unwrap();
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{lines}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok();
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn health_and_metrics_are_shown_on_loopback() {
    let port = free_port();
    let http = format!("[http]\nlisten = \"127.0.0.1:{port}\"\n");
    // This needs neither a board nor a broker.
    let home = Home::new("mqtt://127.0.0.1:1", &http, &["b1"], "");
    let remisd = home.start();
    let health = poll(
        DEADLINE,
        || remisd.log(),
        async || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()?;
            let health = get(port, "/healthz").await;
            health.starts_with("HTTP/1.1 200").then_some(health)
        },
    );
    let health = health.await;
    let (head, body) = health.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains("nosniff") && head.contains("no-store"),
        "{head}"
    );
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["schema"], "remisd/health/1");
    assert_eq!(body["boards"][0]["board"], "b1");

    let metrics = get(port, "/metrics").await;
    assert!(metrics.starts_with("HTTP/1.1 200"), "{metrics}");
    for line in [
        "remisd_alive 1",
        "remisd_board_answers{board=\"b1\"} 1",
        "remisd_board_settling_seconds_count{board=\"b1\"} 0",
        "# EOF",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line}:\n{metrics}");
    }
    let syncs = metrics
        .lines()
        .find_map(|line| line.strip_prefix("remisd_journal_fsync_seconds_count "));
    assert!(syncs.unwrap().parse::<u64>().unwrap() > 0, "{metrics}");
    assert!(get(port, "/nothing").await.starts_with("HTTP/1.1 404"));
    // A web server on this computer sends it for somebody else, and is not trusted to say for whom.
    let forwarded = "X-Forwarded-For: 127.0.0.1\r\n";
    for path in ["/metrics", "/healthz"] {
        let answer = get_with(port, path, forwarded).await;
        assert!(answer.starts_with("HTTP/1.1 421"), "{answer}");
    }

    // Idle connections do not block other clients for long.
    let mut idle = Vec::new();
    for _ in 0..40 {
        idle.push(
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap(),
        );
    }
    let answered = tokio::time::timeout(DEADLINE, get(port, "/healthz")).await;
    assert!(answered.unwrap().starts_with("HTTP/1.1 200"));
    drop(idle);
    drop(remisd);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daemon_introduces_itself_without_its_secrets() {
    let stage = Stage::set("", &["b1", "b2"]).await;
    let info_of = |info: &Value| (info["schema"] == "remisd/info/1").then(|| info.clone());
    let info = stage
        .witness
        .retained("chess/v1/hall/node/remisd/info", info_of);
    let info = info.await;
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        (&info["profile"], &info["boards"]),
        (&"competition".into(), &2.into())
    );
    let listed = |boards: &Value| boards["boards"].as_array().cloned();
    let topic = "chess/v1/hall/node/remisd/boards";
    let boards = stage.witness.retained(topic, listed).await;
    let port = stage.home.port("b1");
    assert_eq!(boards[0]["board"], "b1");
    assert_eq!(boards[0]["port"], port.to_str().unwrap());
}
