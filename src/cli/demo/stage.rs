//! What the demo consists of: broker, simulated boards and daemon, all in this process.

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
    config::{Config, Configuration, Environment, editions},
    daemon, hall,
    publish::mqtt::{
        Access, Timing,
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

/// Whether the daemon is there.
pub const NODE: &str = "chess/v1/demo/node/demo/state";
/// How much faster the simulated hand is at speed 1: about a ply a second.
const PACE: f64 = 2.0;
/// The longest thought about a move, in simulated time.
const LONGEST_THOUGHT: Duration = Duration::from_secs(2);
/// Hands that are faster are not read as such: the operating system needs some time too.
const FASTEST: f64 = 50.0;

/// What the hands do, each with its board.
type AllProgress = mpsc::Receiver<(usize, Progress)>;

/// What is played, and how.
#[derive(Debug, Clone)]
pub struct Program {
    /// The games.
    pub pgn: Vec<u8>,
    /// Which of them each board plays, counted from 0.
    pub deal: Vec<Vec<usize>>,
    /// Whether they begin again after the last one.
    pub repeat: bool,
    /// How many times faster than about a ply a second.
    pub speed: f64,
    /// How long a player waits, in our time, when he can first claim a draw.
    pub wait: Duration,
}

/// Where everything about a board is told to the arbiter.
pub fn arbiter(board: usize) -> String {
    format!("chess/v1/demo/arbiter/{}/", id(board))
}

/// Where the daemon is told who plays at a board.
pub fn names(board: usize) -> String {
    format!("chess/v1/demo/cmd/operator/{}/headers", id(board))
}

/// Where the daemon is told of a game that begins from another position than the array.
pub fn new_game(board: usize) -> String {
    format!("chess/v1/demo/cmd/arbiter/{}/new_game", id(board))
}

/// The name of a board that is counted from 0.
pub fn id(board: usize) -> String {
    format!("b{}", board + 1)
}

/// The running demo.
pub struct Stage {
    broker: DemoBroker,
    simulations: Vec<Simulation>,
    /// What the simulated hands do, with the board that they do it at.
    pub progress: AllProgress,
    /// The arbiter's topics.
    pub watch: Watch,
    /// The daemon; it ends only when it fails or is told to.
    pub daemon: JoinHandle<anyhow::Result<()>>,
    /// For what is told to the daemon about the games.
    pub commands: Client,
    pages: SocketAddr,
    cancel: CancellationToken,
    // Dropped last: the journal is in it.
    folder: Folder,
}

impl Stage {
    /// Starts everything; the games begin at once.
    ///
    /// # Errors
    ///
    /// When the games cannot be played or something cannot be started.
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
        let settings = hall::Settings::of(&config, pages, clock.clone())?;
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

    /// Where the broker listens.
    pub fn address(&self) -> SocketAddr {
        self.broker.address()
    }

    /// Where the pages are.
    pub fn pages(&self) -> SocketAddr {
        self.pages
    }

    /// The simulated boards' devices.
    pub fn devices(&self) -> impl Iterator<Item = &Path> {
        self.simulations.iter().map(Simulation::device)
    }

    /// Lets the hand at a board begin from the position that it has set up.
    pub async fn go_on(&self, board: usize) {
        if let Some(simulation) = self.simulations.get(board) {
            // A simulation that has ended has no hand to wait for.
            simulation.go_on().await.ok();
        }
    }

    /// Where the journal is, until the demo ends.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Tells the daemon to end; it says goodbye to the broker first.
    pub fn close(&self) {
        self.cancel.cancel();
    }

    /// Ends what is left and removes the journal.
    pub async fn clear(self) {
        drop(self.watch);
        drop(self.simulations);
        self.daemon.abort();
        self.broker.stop().await;
    }
}

/// A board for each deal, and what their hands do, in one channel.
fn simulations(program: &Program) -> anyhow::Result<(Vec<Simulation>, AllProgress)> {
    let speed = program.speed * PACE;
    let (tell, progress) = mpsc::channel(256);
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
        let tell = tell.clone();
        tokio::spawn(async move {
            while let Some(progress) = one.recv().await {
                if tell.send((board, progress)).await.is_err() {
                    return;
                }
            }
        });
        simulations.push(simulation);
    }
    Ok((simulations, progress))
}

/// The broker at the address that was asked for, else at the usual port, else at any.
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

/// The pages' port, chosen like the broker's.
async fn listener(at: Option<SocketAddrV4>) -> std::io::Result<TcpListener> {
    if let Some(at) = at {
        return TcpListener::bind(at).await;
    }
    match TcpListener::bind((Ipv4Addr::LOCALHOST, 9120)).await {
        Ok(listener) => Ok(listener),
        Err(_) => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await,
    }
}

/// Whoever tells the daemon the players' names, as a pairing program would.
fn commands(config: &Config, cancel: CancellationToken) -> Client {
    let settings = ClientSettings {
        url: config.mqtt.url.clone(),
        access: Access::default(),
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
        // A place for each; paths need not be fit for TOML.
        let id = id(board);
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "[[board]]\nid = \"{id}\"\nkind = \"dgt\"\nport = \"/{id}\""
        );
    }
    // The environment is for real daemons.
    let nothing = Environment::default();
    let read = Configuration::parse(&text, "the demo's configuration", &nothing, &editions());
    let mut config = read?.config;
    let address = broker.address();
    config.mqtt.url = address.into();
    config.journal.dir = folder.join("journal");
    for (board, simulation) in config.boards.iter_mut().zip(simulations) {
        board.port = simulation.device().display().to_string();
        board.hand.speed = hands(speed * PACE);
    }
    Ok(config)
}

/// How many times faster than people's hands, in whole numbers, and no faster than the
/// operating system lets us follow.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 1 and FASTEST"
)]
fn hands(speed: f64) -> u64 {
    speed.round().clamp(1.0, FASTEST) as u64
}
