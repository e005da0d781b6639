//! The parts of the demo: broker, simulated boards and daemon, all in this process.

use std::{
    fmt::Write as _,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    path::Path,
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use axum::Router;
use tokio::{net::TcpListener, sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use super::{broker::DemoBroker, folder::Folder};
use crate::{
    config::{BoardSource, Config, Configuration, Environment, editions},
    daemon, hall,
    publish::mqtt::{
        Access, CurrentAccess, Timing,
        client::{self, Client, ClientSettings},
        watch::Watch,
    },
    simulate::{Options, Progress, Simulation},
};
use remisd_vocabulary::time::SystemClock;

/// The configuration of the demo's daemon; addresses, paths and times are filled in.
const CONFIG: &str = r#"
[site]
id = "demo"
node = "demo"

[laws]
confirm = "automatic"

[audience]
profile = "competition"
languages = ["en", "de", "nl"]

[journal]
dir = "/"
"#;

/// The topic of the daemon's state.
pub const NODE: &str = "chess/v1/demo/node/demo/state";
/// Speed of the simulated hand, relative to real time, at demo speed 1: about one ply per second.
const PACE: f64 = 2.0;
/// Maximum time to think about a move, in simulated time.
const LONGEST_THOUGHT: Duration = Duration::from_secs(2);
/// Upper bound for the speed that the daemon assumes; beyond it the operating system's own delays
/// dominate.
const FASTEST: f64 = 50.0;

/// The progress of all hands, each with its board.
type AllProgress = mpsc::Receiver<(usize, Progress)>;

/// The games to play, and how.
#[derive(Debug, Clone)]
pub struct Program {
    /// The games.
    pub pgn: Vec<u8>,
    /// The games of each board, as indices from 0.
    pub deal: Vec<Vec<usize>>,
    /// Whether the games start again after the last one.
    pub repeat: bool,
    /// Speed; 1 is about one ply per second.
    pub speed: f64,
    /// How long, in real time, a player waits when they can first claim a draw.
    pub wait: Duration,
}

/// The prefix of the topics that inform the arbiter about a board.
pub fn arbiter(board: usize) -> String {
    format!("chess/v1/demo/arbiter/{}/", id(board))
}

/// The topic of the command that names a board's players.
pub fn names(board: usize) -> String {
    format!("chess/v1/demo/cmd/operator/{}/headers", id(board))
}

/// The topic of the command for a game that does not begin from the standard starting position.
pub fn new_game(board: usize) -> String {
    format!("chess/v1/demo/cmd/arbiter/{}/new_game", id(board))
}

/// The name of a board, from its index.
pub fn id(board: usize) -> String {
    format!("b{}", board + 1)
}

/// The running demo.
pub struct Stage {
    broker: DemoBroker,
    simulations: Vec<Simulation>,
    /// The progress of the simulated hands, each with its board.
    pub progress: AllProgress,
    /// The arbiter's topics.
    pub watch: Watch,
    /// The daemon's task. It ends only on failure or on request.
    pub daemon: JoinHandle<anyhow::Result<()>>,
    /// The client that sends commands about the games to the daemon.
    pub commands: Client,
    pages: SocketAddr,
    cancel: CancellationToken,
    // Dropped last, because it contains the journal.
    folder: Folder,
}

impl Stage {
    /// Starts everything; the games begin immediately.
    ///
    /// # Errors
    ///
    /// The games cannot be played, or something cannot be started.
    pub async fn start(
        program: &Program,
        mqtt: Option<SocketAddrV4>,
        http: Option<SocketAddrV4>,
    ) -> anyhow::Result<Self> {
        let folder = Folder::new().context("no temporary folder for the journal")?;
        let broker = broker(mqtt).await?;
        let listener = listener(http).await.context("the pages have no port")?;
        let pages = listener.local_addr().context("the pages have no port")?;
        let (simulations, progress) = simulations(program)?;
        let filters = ["chess/v1/demo/arbiter/#".to_owned(), NODE.to_owned()];
        let watch = Watch::start(&broker.url().parse()?, "remisd-demo-account", &filters).await?;
        let config = config(&broker, &simulations, folder.path(), program.speed)?;
        let cancel = CancellationToken::new();
        let clock = Arc::new(SystemClock::new());
        let settings = {
            let access = CurrentAccess::fixed(Access::default());
            hall::Settings::of(&config, access, pages, clock.clone())
        };
        tokio::spawn(hall::serve_at(
            listener,
            settings,
            Router::new(),
            cancel.clone(),
        ));
        let commands = commands(&config, cancel.clone());
        let (_, config) = tokio::sync::watch::channel(config);
        let daemon = daemon::run(config, clock, cancel.clone());
        Ok(Self {
            broker,
            simulations,
            progress,
            watch,
            daemon: tokio::spawn(daemon),
            commands,
            pages,
            cancel,
            folder,
        })
    }

    /// The broker's address.
    pub fn address(&self) -> SocketAddr {
        self.broker.address()
    }

    /// The address of the pages.
    pub fn pages(&self) -> SocketAddr {
        self.pages
    }

    /// The devices of the simulated boards.
    pub fn devices(&self) -> impl Iterator<Item = &Path> {
        self.simulations.iter().map(Simulation::device)
    }

    /// Lets the hand at a board begin from the position that it has set up.
    pub async fn go_on(&self, board: usize) {
        if let Some(simulation) = self.simulations.get(board) {
            // A finished simulation has no hand that waits.
            simulation.go_on().await.ok();
        }
    }

    /// The folder of the journal, until the demo ends.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Asks the daemon to stop; it first signs off from the broker.
    pub fn close(&self) {
        self.cancel.cancel();
    }

    /// Stops the remaining parts and removes the journal.
    pub async fn clear(self) {
        drop(self.watch);
        drop(self.simulations);
        self.daemon.abort();
        self.broker.stop().await;
    }
}

/// Starts one simulated board per deal and merges the hands' progress into one channel.
fn simulations(program: &Program) -> anyhow::Result<(Vec<Simulation>, AllProgress)> {
    let speed = program.speed * PACE;
    let (merged, progress) = mpsc::channel(256);
    let mut simulations = Vec::new();
    for (board, games) in program.deal.iter().enumerate() {
        let options = Options {
            speed,
            seed: board as u64 + 1,
            longest_thought: LONGEST_THOUGHT,
            thought_at_claim: program.wait.mul_f64(speed),
            games: games.clone(),
            repeat: program.repeat,
            waits_when_set_up: true,
            ..Options::default()
        };
        let (simulation, mut one) = Simulation::start(&program.pgn, options)?;
        let merged = merged.clone();
        tokio::spawn(async move {
            while let Some(progress) = one.recv().await {
                if merged.send((board, progress)).await.is_err() {
                    return;
                }
            }
        });
        simulations.push(simulation);
    }
    Ok((simulations, progress))
}

/// Starts the broker at the requested address, else at the usual port, else at any free port.
async fn broker(at: Option<SocketAddrV4>) -> anyhow::Result<DemoBroker> {
    let local = |port| SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
    if let Some(at) = at {
        return Ok(DemoBroker::start(at.into()).await?);
    }
    match DemoBroker::start(local(1883).into()).await {
        Ok(broker) => Ok(broker),
        Err(_) => Ok(DemoBroker::start(local(0).into()).await?),
    }
}

/// Opens the pages' port, chosen like the broker's.
async fn listener(at: Option<SocketAddrV4>) -> std::io::Result<TcpListener> {
    if let Some(at) = at {
        return TcpListener::bind(at).await;
    }
    match TcpListener::bind((Ipv4Addr::LOCALHOST, 9120)).await {
        Ok(listener) => Ok(listener),
        Err(_) => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
    }
}

/// The client that names the players, as a pairing program would.
fn commands(config: &Config, cancel: CancellationToken) -> Client {
    let settings = ClientSettings {
        brokers: config.mqtt.brokers.clone(),
        access: CurrentAccess::fixed(Access::default()),
        client_id: "remisd-demo-names".to_owned(),
        filters: Vec::new(),
        jitter_seed: 0,
        timing: Timing::default(),
    };
    let (commands, mut events) = client::spawn(settings, cancel);
    tokio::spawn(async move { while events.recv().await.is_some() {} });
    commands
}

fn config(
    broker: &DemoBroker,
    simulations: &[Simulation],
    folder: &Path,
    speed: f64,
) -> anyhow::Result<Config> {
    let mut text = CONFIG.to_owned();
    for board in 0..simulations.len() {
        // A placeholder for each board; the real paths may not be valid in TOML.
        let id = id(board);
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "[[board]]\nid = \"{id}\"\nkind = \"dgt\"\nport = \"/{id}\""
        );
    }
    // The environment is meant for real daemons.
    let nothing = Environment::default();
    let read = Configuration::parse(&text, "the demo's configuration", &nothing, &editions());
    let mut config = read?.config;
    let address = broker.address();
    config.mqtt.brokers = address.into();
    config.journal.dir = folder.join("journal");
    for (board, simulation) in config.boards.iter_mut().zip(simulations) {
        if let BoardSource::Port(port) = &mut board.source {
            port.port = simulation.device().display().to_string();
        }
        board.hand.speed = hands(speed * PACE);
    }
    Ok(config)
}

/// The hand's speed as a whole multiple of real time, capped at what the operating system can keep
/// up with.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and FASTEST"
)]
fn hands(speed: f64) -> u64 {
    speed.round().clamp(1.0, FASTEST) as u64
}
