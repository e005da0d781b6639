//! The daemon: the only module that wires the actors together.
//!
//! ```text
//!          ┌─────────────── one for each board ───────────────┐
//! port ─▶ reader ─▶ BoardActor (hand, game, record) ─▶ topics ─┐
//!                          ▲            │                        ├─▶ MQTT session ─▶ broker
//!                          │            └──▶ journal (thread) ───┘
//!                     commands ◀── intake ◀──────────────────────────
//! ```
//!
//! Every queue is bounded. If a board's entries cannot be written, its port is no longer read: the
//! kernel buffers the bytes, and the board's next dump supplies the rest. A command that finds its
//! queue full is answered `busy`, and its sender must send it again.

mod backlog;
mod board_actor;
mod broadcast;
mod broadcast_state;
mod command_filters;
mod delay_board;
mod earlier_games;
mod failed_commands;
mod feeds;
mod held_output;
mod http;
mod intake;
mod journal_queue;
mod limits;
mod livechess;
mod metrics;
mod node_commands;
mod node_info;
mod notify;
mod past_draws;
mod ply_delay;
mod record;
pub(crate) mod reload;
mod retention;
mod solver;
mod spawn;
pub(crate) mod systemd;
mod topics;
mod upload;
mod watchdog;

use std::{io, path::Path, sync::Arc, thread::JoinHandle, time::Duration};

use anyhow::Context as _;
use axum::Router;
use bytes::Bytes;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use self::{
    broadcast_state::BroadcastState,
    command_filters::CommandFilters,
    delay_board::DelayBoard,
    feeds::Feeds,
    intake::Intake,
    metrics::Metrics,
    node_commands::NodeCommands,
    reload::{PublicAccess, Renewal},
    solver::Solver,
    spawn::SharedParts,
    watchdog::{Progress, Watchdog},
};
pub use self::{notify::send_test, upload::unusable_upload};
use crate::{
    config::{self, Config, Service},
    hall,
    publish::{
        self, Commands, EventStore, Outbox, Publisher, StoredEvent,
        mqtt::{self, Access, ClientId, NodeState, SessionSettings, Timing},
        operator,
        outbox::{CURSORS, Cursors, Limits},
        payload, topic,
        views::Views,
    },
};
use remisd_board as board;
use remisd_broadcast::notify::SilentByBoard;
use remisd_journal::{DaemonSession, Journal, JournalLocation};
use remisd_vocabulary::{
    name::BoardId,
    seq::EntrySeq,
    time::{Clock, rfc3339},
};

/// Capacity of the queue of events of one board.
const QUEUE: usize = 256;
/// How long the actors may take to stop.
const STOP: Duration = Duration::from_secs(5);

/// Runs every configured board until `cancel`.
///
/// The boards and the site are those of the configuration at the start. A later configuration is
/// applied as far as a running daemon can change.
///
/// # Errors
///
/// Fails if the journal or a secret cannot be read, if no client id can be drawn, or if a thread
/// cannot start. An actor that fails later ends the run with its error.
#[allow(
    clippy::too_many_lines,
    reason = "it wires every actor, one after the other"
)]
pub async fn run(
    configurations: watch::Receiver<Config>,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) -> anyhow::Result<()> {
    let config = configurations.borrow().clone();
    let session = DaemonSession::begin()?;
    let session_id = session.id.clone();
    let (journal, journal_thread) = open_journal(&config.journal, session.clone(), &clock)?;
    let limits = config.journal.raw;
    let raw = (limits.game > 0).then(|| journal.raw_log(limits, session, clock.clone()));
    let (raw, raw_thread) = raw.transpose()?.unzip();
    let broker_stop = CancellationToken::new();
    let (access_to, access) = watch::channel(reload::access(&config.mqtt)?);
    let (public_to, public) = reload::public(&config);
    let (publisher, commands, broker) = connect(
        &config,
        &session_id,
        &journal,
        &clock,
        access,
        broker_stop.clone(),
    )
    .context("no client id can be drawn")?;
    let metrics = Metrics::new(journal.times());
    let solver = Solver::start().context("the solver's threads cannot start")?;
    node_info::publish_node_info(&config, &session_id, clock.now(), &publisher);
    tracing::info!(
        boards = config.boards.len(),
        broker = %config.mqtt.brokers,
        journal = %config.journal.dir.display(),
        "watching"
    );

    let places = board::Places::default()
        .noted_in(config.journal.dir.join(SERIALS_NOTE))
        .once(journal.openness());
    let delays = DelayBoard::default();
    let phones = SilentByBoard::default();
    let shared = SharedParts {
        config: &config,
        session: &session_id,
        journal: &journal,
        raw: raw.as_ref(),
        clock: &clock,
        publisher: &publisher,
        solver: &solver,
        metrics: &metrics,
        places: &places,
        delays: &delays,
        phones: &phones,
        cancel: &cancel,
    };
    let mut intake = Intake::new(
        config.site.id.clone(),
        config.limits,
        publisher.clone(),
        clock.clone(),
        metrics.failed_commands.clone(),
    );
    let mut actors = JoinSet::new();
    notify::start(&config, &publisher, &mut actors, &cancel, &phones);
    let broadcast = broadcast::start(&config, &public, &journal, &clock, &mut actors, &cancel);
    let (mailbox, ordered) = publish::commands(intake::ROOM);
    intake.add_node(config.site.node.clone(), mailbox);
    let orders = NodeCommands::new(
        config.clone(),
        publisher.clone(),
        broadcast.order_intake,
        clock.clone(),
    );
    let state = BroadcastState {
        config: config.clone(),
        session: session_id.clone(),
        report: broadcast.report.clone(),
        orders: broadcast.orders,
        phones: orders.phones(),
        folder: broadcast.folder,
        upload: broadcast.upload,
        unkept: broadcast.unkept,
        delays: delays.subscribe(),
        publisher: publisher.clone(),
        clock: clock.clone(),
    };
    actors.spawn(orders.run(ordered, cancel.clone()));
    let until = cancel.clone();
    actors.spawn(async move { _ = until.run_until_cancelled(state.run()).await });
    let mut boards = Vec::new();
    let mut feeds = Feeds::default();
    for board in &config.boards {
        let (mailbox, commands) = publish::commands(intake::ROOM);
        intake.add_board(board.id.clone(), mailbox);
        let spawned = shared.spawn_board(board, commands, &mut feeds, &mut actors);
        let spawned = spawned.await;
        boards.push(spawned.with_context(|| format!("board {}", board.id))?);
    }
    let access = config.private_rounds.as_ref();
    feeds.start(access, &mut actors, &clock, &cancel);
    let renewal = Renewal {
        session: Some(access_to),
        public: public_to,
    };
    let reloading = tokio::spawn(renewal.follow(config.clone(), configurations, Service::Run));
    actors.spawn(intake.run(commands, cancel.clone()));
    let (look, last_look) = watch::channel(None);
    actors.spawn(retention::expire_games(
        config.journal.keep_days,
        journal.clone(),
        publisher.clone(),
        clock.clone(),
        cancel.clone(),
    ));
    let failed_commands = metrics.failed_commands.clone();
    let beside = http::router(last_look, metrics, clock.clone());
    actors.spawn(serve(
        config.clone(),
        public,
        beside,
        broadcast.routes,
        clock.clone(),
        cancel.clone(),
    ));
    actors.spawn(livechess::run(
        config.clone(),
        clock.clone(),
        cancel.clone(),
    ));
    let watchdog = Watchdog {
        look,
        site: config.site.id.clone(),
        node: config.site.node.clone(),
        session: session_id,
        boards,
        journal: journal.clone(),
        publisher: publisher.clone(),
        failed_commands,
        broadcast: broadcast.report,
        clock,
        progress: Progress::default(),
    };
    actors.spawn(systemd::watch(watchdog, cancel.clone()));

    let failed = supervise(&mut actors, &cancel).await;
    reloading.abort();
    broker_stop.cancel();
    broker.await.ok();
    drop(publisher);
    drop(journal);
    drop(actors);
    drop(raw);
    tokio::task::spawn_blocking(move || {
        for thread in raw_thread.into_iter().chain([journal_thread]) {
            thread.join().ok();
        }
    })
    .await
    .ok();
    failed
}

/// Opens the journal. A missing disk does not delay the boards: the journal keeps looking for it. A
/// wrong configuration ends the daemon.
fn open_journal(
    journal: &config::Journal,
    session: DaemonSession,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<(Journal, JoinHandle<()>)> {
    let place = JournalLocation {
        directory: journal.dir.clone(),
        mount: journal.mount.clone(),
        // An unreadable cursor file is reported when the events are sent.
        given: Cursors::confirmed,
    };
    let (opened, thread, missing) = Journal::open_at(place, session, clock.clone())
        .with_context(|| format!("the journal in {}", journal.dir.display()))?;
    if let Some(missing) = missing {
        tracing::error!(
            "NOTHING IS RECORDED: {missing}. Games continue in memory and are written when the disk is there"
        );
    }
    Ok((opened, thread))
}

/// Serves health, metrics and web pages, as configured.
async fn serve(
    config: Config,
    public: PublicAccess,
    beside: Router,
    pgn: Router,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) {
    let Some(listen) = config.http.listen else {
        return;
    };
    if !config.http.pages {
        return hall::serve_beside(listen, beside, cancel).await;
    }
    match public {
        Ok(access) => {
            let settings = hall::Settings::of(&config, access, listen, clock);
            hall::serve(hall::Settings { pgn, ..settings }, beside, cancel).await;
        }
        Err(error) => {
            // A missing password for the pages must not stop the games.
            tracing::error!("no pages are served: {error}");
            if listen.ip().is_loopback() {
                hall::serve_beside(listen, beside, cancel).await;
            }
        }
    }
}

/// Waits until all actors have ended. If one fails, the daemon ends and systemd restarts it from
/// the journal: a daemon with a missing part would look healthy.
async fn supervise(actors: &mut JoinSet<()>, cancel: &CancellationToken) -> anyhow::Result<()> {
    loop {
        let ended = if cancel.is_cancelled() {
            // An actor that waits for a broken disk must not prevent shutdown.
            let Ok(ended) = tokio::time::timeout(STOP, actors.join_next()).await else {
                actors.shutdown().await;
                return Ok(());
            };
            ended
        } else {
            tokio::select! {
                ended = actors.join_next() => ended,
                () = cancel.cancelled() => continue,
            }
        };
        match ended {
            Some(Ok(())) => {}
            Some(Err(error)) => {
                cancel.cancel();
                actors.shutdown().await;
                return Err(error).context("an actor has failed");
            }
            None => return Ok(()),
        }
    }
}

/// File beside the journal in which the boards' serial numbers are kept.
const SERIALS_NOTE: &str = "serials.json";

/// Starts the session with the broker.
fn connect(
    config: &Config,
    session: &str,
    journal: &Journal,
    clock: &Arc<dyn Clock>,
    access: watch::Receiver<Access>,
    stop: CancellationToken,
) -> io::Result<(Publisher, Commands, tokio::task::JoinHandle<()>)> {
    let cursor_file = config.journal.dir.join(CURSORS);
    let mut outbox = Outbox::new(
        &config.site.id,
        load_cursors(&cursor_file),
        Limits::default(),
    );
    let views = Views::new(config.audience.clone());
    outbox.filter_operator_events(if views.is_open(topic::Audience::Operator) {
        operator::open_event
    } else {
        operator::event
    });
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy().into_owned();
    let state = |state: &'static str| {
        let payload = payload::NodeState {
            schema: payload::NodeState::SCHEMA.into(),
            site: config.site.id.to_string(),
            node: config.site.node.to_string(),
            session: session.to_owned(),
            host: host.clone(),
            time: rfc3339(clock.now()),
            state: state.into(),
        };
        Bytes::from(serde_json::to_vec(&payload).unwrap_or_default())
    };
    let commands = CommandFilters::of(config);
    let settings = SessionSettings {
        brokers: config.mqtt.brokers.clone(),
        access,
        client_id: match &config.mqtt.client_id {
            Some(fixed) => ClientId::Fixed(fixed.clone()),
            None => ClientId::random(format!("remisd-{}-{}", config.site.id, config.site.node)),
        },
        node: NodeState {
            topic: topic::node_state(&config.site.id, &config.site.node).into(),
            session: session.to_owned(),
            online: state("online"),
            offline: state("offline"),
            lost: state("lost"),
        },
        command_filters: commands.filters,
        commanded: commands.names,
        cursor_file: Some(cursor_file),
        clock: clock.clone(),
        jitter_seed: u64::from(std::process::id()),
        timing: Timing::default(),
    };
    let store = Arc::new(JournalStore(journal.clone()));
    mqtt::spawn(settings, outbox, store, stop)
}

/// Loads the outbox's cursors. Without them, events are sent again; consumers must expect that.
fn load_cursors(file: &Path) -> Cursors {
    Cursors::load(file).unwrap_or_else(|error| {
        tracing::warn!("it is not known up to where events were sent: {error}");
        Cursors::default()
    })
}

/// The journal as the store from which the outbox reads events again.
#[derive(Debug)]
struct JournalStore(Journal);

impl EventStore for JournalStore {
    fn read_after(
        &self,
        board: &BoardId,
        seq: EntrySeq,
        limit: usize,
    ) -> io::Result<Vec<StoredEvent>> {
        let entries = self.0.read_after(board, seq, limit)?;
        let stored = entries.into_iter().map(|entry| StoredEvent {
            seq: entry.seq,
            payload: entry.body,
        });
        Ok(stored.collect())
    }
}
