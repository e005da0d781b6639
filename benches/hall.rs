//! What the web pages cost the server: a console of many boards, and many overlays of one board.
//!
//!     cargo bench --bench hall [-- --boards 200 --overlays 100 --seconds 30]
//!
//! A publisher sends what a daemon sends of a ply: a game of eighty plies, draw state, clock, two
//! events and link. It does so once a second for each board, through a real Mosquitto to
//! `remisd hall`. The benchmark measures the processor time of that process alone, as counted by
//! the kernel: without readers, with a console, and with overlays.
//!
//! The time without readers is the cost of receiving from the broker. The lower bound of the
//! overlays is what the kernel takes to write as many bytes to as many sockets.
#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on fails")]

use std::{
    fs,
    io::{self, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::Stdio,
    thread,
    time::Duration,
};

use remisd_testkit::{browser::Browser, mosquitto::Mosquitto, remisd::remisd};
use rumqttc::v5::{AsyncClient, MqttOptions, mqttbytes::QoS};
use serde_json::{Value, json};
use tokio::{
    task::JoinSet,
    time::{MissedTickBehavior, interval, sleep},
};

/// The kernel counts processor time in hundredths of a second.
const TICK_MS: f64 = 10.0;

#[tokio::main]
async fn main() {
    let argument = |name: &str, usual: u64| {
        let mut arguments = std::env::args().skip_while(|argument| argument != name);
        arguments
            .nth(1)
            .map_or(usual, |value| value.parse().unwrap())
    };
    let boards = argument("--boards", 200);
    let overlays = argument("--overlays", 100);
    let seconds = argument("--seconds", 30);

    let broker = Mosquitto::start().await;
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let listen = free.local_addr().unwrap();
    drop(free);
    let config = folder.path().join("remisd.toml");
    let text = format!(
        "[mqtt]\nurl = \"{}\"\n[http]\nlisten = \"{listen}\"\n",
        broker.url()
    );
    fs::write(&config, text).unwrap();
    let hall = remisd(&["hall", "--config"])
        .arg(&config)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let hall = hall.id().unwrap();
    Browser::of(listen).await;

    println!("{boards} boards at a ply a second, {seconds} s each");
    let publishing = tokio::spawn(publish(broker.address(), "b", boards));
    let mut arbiter = Browser::of(listen).await;
    let signed_in = arbiter
        .post("/api/session", &json!({ "role": "arbiter" }))
        .await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
    sleep(Duration::from_secs(3)).await;
    let no_reader = share(hall, seconds).await;
    println!(
        "no reader             {:>6.2} % of a core",
        no_reader * 100.0
    );

    let mut looking = JoinSet::new();
    looking.spawn(look(arbiter.clone(), "audience=arbiter&view=tiles"));
    sleep(Duration::from_secs(3)).await;
    let console = share(hall, seconds).await;
    println!("one console of tiles  {:>6.2} % of a core", console * 100.0);
    looking.abort_all();
    publishing.abort();
    sleep(Duration::from_secs(3)).await;

    // One board with many overlays: the cost of one ply.
    let publishing = tokio::spawn(publish(broker.address(), "b", 1));
    sleep(Duration::from_secs(3)).await;
    let alone = share(hall, seconds).await;
    let mut looking = JoinSet::new();
    for _ in 0..overlays {
        looking.spawn(look(arbiter.clone(), "audience=public&boards=b0"));
    }
    sleep(Duration::from_secs(3)).await;
    let watched = share(hall, seconds).await;
    println!(
        "{overlays} overlays of a board {:>6.3} ms of a core per ply more than none ({:.3} ms)",
        (watched - alone) * 1000.0,
        alone * 1000.0
    );
    publishing.abort();

    let game = messages("b0", 0).pop().unwrap().2.to_string();
    let floor = bare_writes(overlays, game.as_bytes()).await;
    println!(
        "the floor: {} bytes written to {overlays} sockets  {floor:>6.3} ms of a core",
        game.len()
    );
}

/// Returns the kernel's time to write these bytes to this many readers, in milliseconds.
async fn bare_writes(readers: u64, bytes: &[u8]) -> f64 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let mut writers = Vec::new();
    for _ in 0..readers {
        let mut reader = TcpStream::connect(address).unwrap();
        thread::spawn(move || io::copy(&mut reader, &mut io::sink()));
        let (writer, _) = listener.accept().unwrap();
        writer.set_nodelay(true).unwrap();
        writers.push(writer);
    }
    let rounds = 20;
    let own_time = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap().as_secs_f64() * 1000.0
    };
    let before = own_time();
    for _ in 0..rounds {
        for writer in &mut writers {
            writer.write_all(bytes).unwrap();
        }
        sleep(Duration::from_millis(100)).await;
    }
    (own_time() - before) / f64::from(rounds)
}

/// Returns the share of a core that a process takes over this many seconds.
async fn share(process: u32, seconds: u64) -> f64 {
    let before = ticks(process);
    sleep(Duration::from_secs(seconds)).await;
    let spent = u32::try_from(ticks(process) - before).unwrap();
    f64::from(spent) * TICK_MS / 1000.0 / f64::from(u32::try_from(seconds).unwrap())
}

fn ticks(process: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let after_name = stat.rsplit_once(") ").unwrap().1;
    let fields: Vec<&str> = after_name.split(' ').collect();
    // utime and stime, fields 14 and 15 of the whole line: see proc(5).
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

async fn look(browser: Browser, query: &str) {
    let mut feed = browser.feed(query).await.unwrap();
    while feed.next().await.is_some() {}
}

/// Publishes a ply of every board once a second, evenly spread.
async fn publish(broker: SocketAddr, name: &str, boards: u64) {
    let mut options = MqttOptions::new("publisher", "127.0.0.1", broker.port());
    options.set_connect_properties(rumqttc::v5::mqttbytes::v5::ConnectProperties {
        max_packet_size: Some(256 * 1024),
        ..Default::default()
    });
    let (client, mut events) = AsyncClient::new(options, 100);
    tokio::spawn(async move { while events.poll().await.is_ok() {} });
    let mut turn = interval(Duration::from_nanos(1_000_000_000 / boards));
    turn.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for number in 0_u64.. {
        turn.tick().await;
        let (board, seq) = (format!("{name}{}", number % boards), number);
        for (topic, retain, payload) in messages(&board, seq) {
            let topic = format!("chess/v1/hall/{topic}");
            let sent = client.publish(topic, QoS::AtLeastOnce, retain, payload.to_string());
            sent.await.unwrap();
        }
    }
}

/// Returns the messages of one ply.
fn messages(board: &str, seq: u64) -> Vec<(String, bool, Value)> {
    let moves: Vec<Value> = (0..80)
        .map(|ply| json!({ "clock_ms": 5_400_000 - ply * 7919, "san": "Nf3", "uci": "g1f3" }))
        .collect();
    let around = json!({
        "site": "hall", "board": board, "session": "fcd3ba85-182c-4ed9-8669-0d4472afefb7",
        "seq": seq, "time": "2026-11-22T12:00:00.000Z",
    });
    let with = |mut content: Value| {
        content
            .as_object_mut()
            .unwrap()
            .extend(around.as_object().unwrap().clone());
        content
    };
    let game = with(json!({
        "schema": "remisd/game/1", "game": 1,
        "headers": {"White": "Menchik, Vera", "Black": "Graf, Sonja", "Round": "7"},
        "laws": "fide-2023", "rate": "standard", "ply": 80, "turn": "white", "moves": moves,
        "start_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "fen": "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
        "clocks": {"white_ms": 300_000, "black_ms": 300_000 - seq, "running": "white"},
        "tracker": {"state": "following"}, "result": null,
    }));
    let draw = with(json!({
        "schema": "remisd/draw/1", "halfmove_clock": 4, "repetition": {"count": 1, "plies": [80]},
        "claims": [], "automatic_in": {"plies": 146, "occurrences": 4},
    }));
    let clock = with(json!({
        "schema": "remisd/clock/1", "white_ms": 300_000, "black_ms": 300_000 - seq,
        "running": "white", "paused": null, "adjustment": null,
    }));
    let event =
        with(json!({ "schema": "remisd/event/1", "input": {"type": "clock"}, "facts": [] }));
    let link = with(json!({ "schema": "remisd/link/1", "up": true, "confidence": "certain" }));
    let topic = |audience: &str, leaf: &str| format!("{audience}/{board}/{leaf}");
    vec![
        (topic("arbiter", "game"), true, game.clone()),
        (topic("arbiter", "draw"), true, draw),
        (topic("arbiter", "clock"), true, clock),
        (topic("arbiter", "event"), false, event.clone()),
        (topic("arbiter", "event"), false, event),
        (topic("arbiter", "link"), true, link),
        (topic("public", "game"), true, game),
    ]
}
