//! How many boards one daemon handles: simulated boards on pseudo-terminals and a real Mosquitto.
//!
//! `cargo bench --bench boards -- --boards 500 --seconds 600` plays about one ply a second at each
//! board. It prints the lost plies (0), the daemon's memory, and the latency of a move to the
//! arbiter. A bare client of the same library publishes each payload again through the same broker
//! in the same run; it gives the lower bound of the latency.
//!
//! | latency | from | to |
//! |---|---|---|
//! | whole | piece and lever are at rest, before the board's scan and line | the event is received |
//! | daemon | the move is settled and stamped, before the disk | the event is received |
//! | bare | the bare client publishes | its message is received |
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark measures real time and fails by a panic"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "figures for people"
)]

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fs,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use jiff::Timestamp;
use remisd::simulate::{Options, Progress, Simulation};
use remisd_testkit::{mosquitto::Mosquitto, remisd::Home};
use rumqttc::v5::{AsyncClient, Event, Incoming, MqttOptions, mqttbytes::QoS};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

const GAMES: &str = include_str!("../tests/data/games/otb-2025.pgn");
const FLOOR: &str = "bare/event";
/// How long to wait for events still under way when the hands stop.
const LAST_WORDS: Duration = Duration::from_secs(30);

struct Wanted {
    boards: usize,
    seconds: u64,
    speed: f64,
}

impl Wanted {
    fn of_command_line() -> Self {
        let words: Vec<String> = std::env::args().collect();
        let after = |name: &str| {
            let at = words.iter().position(|word| word == name)?;
            words.get(at + 1).map(|value| value.parse().expect(name))
        };
        let whole = |value: Option<f64>, otherwise| value.map_or(otherwise, |value| value as u64);
        Self {
            boards: usize::try_from(whole(after("--boards"), 500)).unwrap(),
            seconds: whole(after("--seconds"), 60),
            speed: after("--speed").unwrap_or(1.7),
        }
    }
}

/// What was played and what was reported of it.
#[derive(Default)]
struct Account {
    /// Plies not reported yet, per board, with the moment at which each was over.
    pending: HashMap<String, VecDeque<(String, Instant)>>,
    played: usize,
    published: usize,
    /// Moves that were reported differently from what was played.
    wrong: Vec<String>,
    /// Moves reported before the hand's own report, which comes only when all is at rest.
    early: HashMap<String, VecDeque<(String, Instant)>>,
    whole: Vec<Duration>,
    daemon: Vec<Duration>,
    bare: Vec<Duration>,
    bare_sent: BTreeMap<u64, Instant>,
    /// Entries of the journal, by their type of input.
    entries: BTreeMap<String, usize>,
}

impl Account {
    fn play(&mut self, board: &str, uci: String, now: Instant) {
        self.played += 1;
        let early = self.early.get_mut(board).and_then(VecDeque::pop_front);
        if let Some((received, at)) = early {
            self.meet(board, &uci, &received, now, at);
        } else {
            let pending = self.pending.entry(board.to_owned()).or_default();
            pending.push_back((uci, now));
        }
    }

    fn receive(&mut self, board: &str, uci: String, now: Instant) {
        self.published += 1;
        let played = self.pending.get_mut(board).and_then(VecDeque::pop_front);
        if let Some((played, at)) = played {
            self.meet(board, &played, &uci, at, now);
        } else {
            let early = self.early.entry(board.to_owned()).or_default();
            early.push_back((uci, now));
        }
    }

    fn meet(
        &mut self,
        board: &str,
        played: &str,
        received: &str,
        over: Instant,
        received_at: Instant,
    ) {
        self.whole.push(received_at.saturating_duration_since(over));
        if played != received {
            self.wrong
                .push(format!("{board}: played {played}, received {received}"));
        }
    }

    /// Returns the number of plies still to be reported. Reported plies not counted as played do
    /// not matter: after the end the hands continue until they notice that the receiver is gone.
    fn waiting(&self) -> usize {
        self.pending.values().map(VecDeque::len).sum()
    }
}

/// Returns a board's share of the games: as many as it can play in the time.
fn dealt(games: &[&str], board: usize, seconds: u64) -> String {
    let count = usize::try_from(seconds / 40).unwrap() + 2;
    let games = games.iter().cycle().skip(board * 7).take(count);
    games.copied().collect::<Vec<_>>().join("\n\n")
}

fn cut(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text.match_indices("[Event ").map(|(at, _)| at).collect();
    starts.push(text.len());
    let games = starts.windows(2).map(|two| &text[two[0]..two[1]]);
    games.filter(|game| game.contains("1. ")).collect()
}

fn resident_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let kib = line.unwrap().split_whitespace().nth(1).unwrap();
    kib.parse().unwrap()
}

/// Returns the processor time of a process in seconds: utime and stime, see proc(5).
fn processor_s(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit_once(") ").unwrap().1;
    let fields: Vec<&str> = after_name.split(' ').collect();
    let ticks = |field: usize| fields[field].parse::<u64>().unwrap();
    (ticks(11) + ticks(12)) as f64 / 100.0
}

fn options(name: &str, broker: SocketAddr) -> MqttOptions {
    let mut options = MqttOptions::new(name, broker.ip().to_string(), broker.port());
    let mut properties = rumqttc::v5::mqttbytes::v5::ConnectProperties::new();
    properties.max_packet_size = Some(1_000_000);
    properties.receive_maximum = Some(u16::MAX);
    options.set_connect_properties(properties);
    options.set_outgoing_inflight_upper_limit(u16::MAX);
    options
}

/// Receives every event and passes it to the bare client to be published again.
async fn listen(broker: SocketAddr, account: Arc<Mutex<Account>>, again: mpsc::Sender<Bytes>) {
    let (client, mut events) = AsyncClient::new(options("ear", broker), 64);
    loop {
        match events.poll().await.unwrap() {
            Event::Incoming(Incoming::ConnAck(_)) => {
                let filter = "chess/v1/hall/arbiter/+/event";
                client.try_subscribe(filter, QoS::AtLeastOnce).unwrap();
                client.try_subscribe(FLOOR, QoS::AtLeastOnce).unwrap();
            }
            Event::Incoming(Incoming::Publish(publish)) => {
                let now = Instant::now();
                let mut account = account.lock().unwrap();
                if publish.topic == FLOOR {
                    let number = u64::from_be_bytes(publish.payload[..8].try_into().unwrap());
                    // After the end the account is closed, and the bare client continues for a
                    // moment.
                    if let Some(sent) = account.bare_sent.remove(&number) {
                        account.bare.push(now - sent);
                    }
                    continue;
                }
                let event: Value = serde_json::from_slice(&publish.payload).unwrap();
                let board = event["board"].as_str().unwrap();
                let entry = event["input"]["type"].as_str().unwrap().to_owned();
                *account.entries.entry(entry).or_default() += 1;
                for fact in event["facts"].as_array().unwrap() {
                    if fact["type"] == "move_made" {
                        let uci = fact["uci"].as_str().unwrap().to_owned();
                        account.receive(board, uci, now);
                        let time: Timestamp = event["time"].as_str().unwrap().parse().unwrap();
                        let late = Timestamp::now().duration_since(time);
                        account.daemon.push(late.unsigned_abs());
                    }
                }
                drop(account);
                again.try_send(publish.payload).ok();
            }
            _ => {}
        }
    }
}

/// Publishes every payload again with the bare client.
async fn publish_bare(
    broker: SocketAddr,
    account: Arc<Mutex<Account>>,
    mut payloads: mpsc::Receiver<Bytes>,
) {
    let (client, mut events) = AsyncClient::new(options("bare", broker), 4_096);
    let mut polling = JoinSet::new();
    polling.spawn(async move {
        loop {
            events.poll().await.unwrap();
        }
    });
    let mut number = 0_u64;
    while let Some(payload) = payloads.recv().await {
        number += 1;
        let numbered = [&number.to_be_bytes()[..], &payload].concat();
        let sent = Instant::now();
        account.lock().unwrap().bare_sent.insert(number, sent);
        let qos = QoS::AtLeastOnce;
        client.publish(FLOOR, qos, false, numbered).await.unwrap();
    }
}

/// Puts a board on its port, and keeps the reports of its hand.
fn play(home: &Home, name: String, pgn: &str, wanted: &Wanted, seed: u64) -> Playing {
    let options = Options {
        speed: wanted.speed,
        seed,
        longest_thought: Duration::from_millis(700),
        link: Some(home.port(&name)),
        ..Options::default()
    };
    let (simulation, progress) = Simulation::start(pgn, options).unwrap();
    Playing {
        _simulation: simulation,
        name,
        progress,
    }
}

struct Playing {
    /// Dropping it pulls the cable.
    _simulation: Simulation,
    name: String,
    progress: mpsc::Receiver<Progress>,
}

impl Playing {
    /// Counts plies until `end`; then the hand stops, because its reports are no longer read.
    async fn until(mut self, end: Instant, account: Arc<Mutex<Account>>) -> Self {
        while let Ok(Some(progress)) = tokio::time::timeout_at(end, self.progress.recv()).await {
            if let Progress::Ply { played, .. } = progress {
                let now = Instant::now();
                account.lock().unwrap().play(&self.name, played.uci, now);
            }
        }
        self
    }
}

fn quantile(sorted: &[Duration], share: f64) -> f64 {
    let at = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted
        .get(at.round() as usize)
        .map_or(f64::NAN, |late| late.as_secs_f64() * 1e3)
}

fn print_latency(name: &str, mut all: Vec<Duration>) {
    all.sort();
    let [half, most, longest] = [0.5, 0.99, 1.0].map(|share| quantile(&all, share));
    println!(
        "{name:>8}: p50 {half:.1} ms, p99 {most:.1} ms, longest {longest:.1} ms ({} moves)",
        all.len()
    );
}

#[tokio::main]
async fn main() {
    let wanted = Wanted::of_command_line();
    let files = rustix::process::Rlimit {
        current: Some(16_384),
        maximum: rustix::process::getrlimit(rustix::process::Resource::Nofile).maximum,
    };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, files).ok();
    let broker = "allow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n";
    let broker = Mosquitto::start_quiet(broker).await;
    let names: Vec<String> = (1..=wanted.boards).map(|n| format!("b{n}")).collect();
    let ids: Vec<&str> = names.iter().map(String::as_str).collect();
    let tuning = format!("[board.hand]\nspeed = {}\n", wanted.speed.round().max(1.0));
    let home = Home::new(&broker.url(), "", &ids, &tuning);

    let account = Arc::new(Mutex::new(Account::default()));
    let (again, payloads) = mpsc::channel(65_536);
    let mut tasks = JoinSet::new();
    tasks.spawn(listen(broker.address(), Arc::clone(&account), again));
    tasks.spawn(publish_bare(
        broker.address(),
        Arc::clone(&account),
        payloads,
    ));

    let games = cut(GAMES);
    let mut tables = Vec::new();
    for (number, name) in names.iter().enumerate() {
        let pgn = dealt(&games, number, wanted.seconds);
        tables.push(play(&home, name.clone(), &pgn, &wanted, number as u64));
    }
    let daemon = home.start();
    let end = Instant::now() + Duration::from_secs(wanted.seconds);
    let mut playing = JoinSet::new();
    for table in tables {
        playing.spawn(table.until(end, Arc::clone(&account)));
    }
    let mut memory = Vec::new();
    for tenth in 1..=10 {
        sleep(Duration::from_secs(wanted.seconds) / 10).await;
        let kib = resident_kib(daemon.id());
        memory.push(kib);
        eprintln!("{} %: {kib} KiB resident", tenth * 10);
    }
    let seconds = wanted.seconds as f64;
    println!(
        "processor: daemon {:.0} %, hands and listeners {:.0} % of a core",
        processor_s(daemon.id()) / seconds * 100.0,
        processor_s(std::process::id()) / seconds * 100.0
    );
    // Boards that still play are unplugged: the plies that their hands have reported count as
    // played.
    let mut tables = playing.join_all().await;
    for table in &mut tables {
        while let Ok(progress) = table.progress.try_recv() {
            if let Progress::Ply { played, .. } = progress {
                let now = Instant::now();
                account.lock().unwrap().play(&table.name, played.uci, now);
            }
        }
    }
    let rest = async {
        while account.lock().unwrap().waiting() > 0 {
            sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(LAST_WORDS, rest).await.ok();
    let account = std::mem::take(&mut *account.lock().unwrap());
    let boards = wanted.boards as f64;
    let rate = account.played as f64 / boards / wanted.seconds as f64;
    println!(
        "{} boards for {} s: {} plies, {rate:.2} a second and board",
        wanted.boards, wanted.seconds, account.played
    );
    let late = account.pending.values().map(VecDeque::len).sum::<usize>();
    println!(
        "lost: {late}, published differently: {}",
        account.wrong.len()
    );
    for wrong in account.wrong.iter().take(10) {
        println!("  {wrong}");
    }
    let (first, last) = (memory[1], memory[9]);
    println!(
        "memory: {first} KiB after a fifth, {last} KiB at the end; {:.0} KiB a board",
        last as f64 / boards
    );
    let entries = account.entries.iter();
    let entries: Vec<String> = entries
        .map(|(entry, count)| format!("{entry} {:.2}", *count as f64 / account.published as f64))
        .collect();
    println!("entries a ply: {}", entries.join(", "));
    print_latency("whole", account.whole);
    print_latency("daemon", account.daemon);
    print_latency("bare", account.bare);
    drop(tables);
}
