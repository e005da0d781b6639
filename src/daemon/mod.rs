//! The daemon: the one place that wires the actors together.
//!
//! ```text
//!            ┌──────────── one for each board ────────────┐
//! port ─▶ board actor ─▶ table (hand, game, record) ─▶ showcase ─┐
//!                          ▲            │                        ├─▶ MQTT session ─▶ broker
//!                          │            └──▶ journal (thread) ───┘
//!                     commands ◀── router ◀──────────────────────────
//! ```
//!
//! Every queue is bounded: a board that cannot be written down is not read on, which
//! the kernel's buffer and the board's next dump make good; a command that finds no
//! room is dropped and its sender, who gets no answer, sends it again.

mod http;
mod introduction;
mod metrics;
mod pulse;
mod record;
mod reload;
mod scribe;
mod showcase;
mod solver;
mod table;

use std::{collections::HashMap, io, path::Path, sync::Arc, thread::JoinHandle, time::Duration};

use anyhow::Context as _;
use axum::Router;
use bytes::Bytes;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use self::{
    pulse::{Pulse, Pulsed},
    record::Record,
    showcase::{Moment, Showcase},
    solver::Solver,
    table::{Inbox, Table},
};
use crate::{
    board::{self, BoardSettings, DgtTiming},
    config::{self, Config},
    game::Rules,
    hall,
    hand::{self, Tracker},
    journal::{Journal, Place, Reader, Session},
    name::BoardId,
    publish::{
        CommandMessage, EventStore, Outbox, Publisher, StoredEvent,
        mqtt::{self, Access, NodeState, SessionSettings, Timing},
        operator,
        outbox::{Cursors, Limits},
        payload, topic,
        views::{Line, Views},
    },
    time::{Clock, rfc3339},
};

/// Events and commands that wait for one board.
const QUEUE: usize = 256;
/// How long the actors may take to stop.
const STOP: Duration = Duration::from_secs(5);

/// Runs every configured board until `cancel`, as the configuration has it now; of those that
/// come later what can be taken up is.
///
/// # Errors
///
/// When the journal cannot be opened or read, or a secret cannot be had.
pub async fn run(
    configurations: watch::Receiver<Config>,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) -> anyhow::Result<()> {
    let config = configurations.borrow().clone();
    let session = Session::begin()?;
    let session_id = session.id.clone();
    let (journal, journal_thread) = open_journal(&config.journal, session.clone(), &clock)?;
    let (raw, raw_thread) = match config.journal.raw {
        Some(limits) => Some(journal.raw_log(limits, session, clock.clone())?),
        None => None,
    }
    .unzip();
    let broker_stop = CancellationToken::new();
    let (access_to, access) = watch::channel(reload::access(&config.mqtt)?);
    let (publisher, commands, broker) = connect(
        &config,
        &session_id,
        &journal,
        &clock,
        access,
        broker_stop.clone(),
    );
    let solver = Solver::start().context("the solver's threads cannot start")?;
    introduction::tell(&config, &session_id, clock.now(), &publisher);
    tracing::info!(
        boards = config.boards.len(),
        broker = %config.mqtt.url,
        journal = %config.journal.dir.display(),
        "watching"
    );

    let clear_closed = profile_has_changed(&config);
    let places = board::Places::default().noted_in(config.journal.dir.join(SERIALS_NOTE));
    let mut actors = JoinSet::new();
    let mut mailboxes = HashMap::new();
    let mut tables = Vec::new();
    for board in &config.boards {
        let (mailbox, inbox) = mpsc::channel(QUEUE);
        mailboxes.insert(board.id.clone(), mailbox);
        let recorder = raw.as_ref().map(|raw| raw.recorder(&board.id));
        let mut table = seat(
            &config,
            board,
            &session_id,
            &journal,
            &clock,
            &publisher,
            &solver,
        )
        .await
        .with_context(|| format!("board {}", board.id))?;
        table.record.seal(recorder.clone());
        if clear_closed {
            table.showcase.clear_closed();
        }
        if let Some(prefix) = &config.mqtt.home_assistant {
            table.showcase.announce(prefix, &config.site.node);
        }
        let (events, board_events) = mpsc::channel(QUEUE);
        let mut settings = board_settings(board, &places, table.record.game().orientation());
        settings.tap = recorder.map(|recorder| recorder as Arc<dyn board::tap::Tap>);
        let reader = board::spawn(settings, clock.clone(), events, cancel.clone());
        let (asking, questions) = mpsc::channel(1);
        tables.push(Pulsed {
            board: board.id.clone(),
            table: asking,
            blocked: table.record.blocked(),
        });
        let inbox = Inbox {
            events: board_events,
            commands: inbox,
            questions,
        };
        let cancel = cancel.clone();
        actors.spawn(async move {
            table.run(inbox, cancel).await;
            reader.await.ok();
        });
    }
    let reloading = tokio::spawn(reload::take_up(configurations, access_to));
    let noting = tokio::spawn(note_profile(config.clone(), publisher.clone()));
    actors.spawn(route(commands, mailboxes, cancel.clone()));
    let (look, last_look) = watch::channel(None);
    let beside = http::router(last_look, journal.write_times(), clock.clone());
    actors.spawn(serve(config.clone(), beside, clock.clone(), cancel.clone()));
    let pulse = Pulse {
        look,
        site: config.site.id.clone(),
        node: config.site.node.clone(),
        session: session_id,
        tables,
        journal: journal.clone(),
        publisher: publisher.clone(),
        clock,
    };
    actors.spawn(pulse.run(cancel.clone()));

    let failed = supervise(&mut actors, &cancel).await;
    noting.abort();
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

/// Opens the journal. A disk that is not there does not keep the boards waiting: it is
/// looked for, and a wrong configuration ends the daemon.
fn open_journal(
    journal: &config::Journal,
    session: Session,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<(Journal, JoinHandle<()>)> {
    let place = Place {
        directory: journal.dir.clone(),
        mount: journal.mount.clone(),
    };
    let (opened, thread, missing) = Journal::open_at(place, session, clock.clone())
        .with_context(|| format!("the journal in {}", journal.dir.display()))?;
    if let Some(missing) = missing {
        tracing::error!(
            "NOTHING IS RECORDED: {missing}. Games go on in memory and are written when the disk is there"
        );
    }
    Ok((opened, thread))
}

/// Serves health, metrics and pages, as far as they are wanted.
async fn serve(config: Config, beside: Router, clock: Arc<dyn Clock>, cancel: CancellationToken) {
    let Some(listen) = config.http.listen else {
        return;
    };
    if !config.http.pages {
        return hall::serve_beside(listen, beside, cancel).await;
    }
    match hall::Settings::of(&config, listen, clock) {
        Ok(settings) => hall::serve(settings, beside, cancel).await,
        Err(error) => {
            // Games do not wait for a page's password.
            tracing::error!("no pages are served: {error}");
            if listen.ip().is_loopback() {
                hall::serve_beside(listen, beside, cancel).await;
            }
        }
    }
}

/// Waits until all actors have ended. One that fails ends the daemon, and systemd
/// starts it anew from the journal: half a daemon would look like a whole one.
async fn supervise(actors: &mut JoinSet<()>, cancel: &CancellationToken) -> anyhow::Result<()> {
    loop {
        let ended = if cancel.is_cancelled() {
            // An actor that waits for a broken disk does not keep us from stopping.
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

/// The serial numbers that the boards have told, as noted beside the journal.
const SERIALS_NOTE: &str = "serials.json";

/// The profile under which the topics stand, as noted beside the journal.
const PROFILE_NOTE: &str = "profile";

/// Whether an earlier run may have left topics that this profile does not have: it was
/// under another one, or nobody knows. A journal that is new has left nothing.
fn profile_has_changed(config: &Config) -> bool {
    let known = std::fs::read_to_string(config.journal.dir.join(PROFILE_NOTE));
    let new_journal = Reader::new(&config.journal.dir)
        .boards()
        .is_ok_and(|boards| boards.is_empty());
    match known {
        Ok(known) => known != profile(config),
        Err(_) => !new_journal,
    }
}

fn profile(config: &Config) -> String {
    let audience = &config.audience;
    let opened = audience.open.iter().map(|opened| opened.as_str());
    let opened: Vec<&str> = opened.collect();
    format!("{} {}\n", audience.profile.as_str(), opened.join(" "))
}

/// Notes the profile once the broker has confirmed everything, so that topics are
/// emptied again at the next start if it has not.
async fn note_profile(config: Config, publisher: Publisher) {
    let mut status = publisher.status();
    let settled = status.wait_for(|status| status.is_up() && status.outbox_depth == 0);
    if settled.await.is_err() {
        return;
    }
    let note = config.journal.dir.join(PROFILE_NOTE);
    if let Err(error) = tokio::fs::write(&note, profile(&config)).await {
        tracing::warn!(file = %note.display(), "cannot be written: {error}");
    }
}

/// Starts the session with the broker.
fn connect(
    config: &Config,
    session: &str,
    journal: &Journal,
    clock: &Arc<dyn Clock>,
    access: watch::Receiver<Access>,
    stop: CancellationToken,
) -> (
    Publisher,
    mpsc::Receiver<CommandMessage>,
    tokio::task::JoinHandle<()>,
) {
    let cursor_file = config.journal.dir.join("outbox.json");
    let mut outbox = Outbox::new(
        &config.site.id,
        load_cursors(&cursor_file),
        Limits::default(),
    );
    if !Views::new(config.audience.clone()).is_open(topic::Audience::Operator) {
        outbox.filter_operator_events(operator::event);
    }
    let state = |state: &'static str| {
        let payload = payload::NodeState {
            schema: payload::NodeState::SCHEMA.into(),
            site: config.site.id.to_string(),
            node: config.site.node.to_string(),
            session: session.to_owned(),
            time: rfc3339(clock.now()),
            state: state.into(),
        };
        Bytes::from(serde_json::to_vec(&payload).unwrap_or_default())
    };
    let boards = config.boards.iter();
    let settings = SessionSettings {
        url: config.mqtt.url.clone(),
        access,
        client_id: config.mqtt.client_id.clone(),
        node: NodeState {
            topic: topic::node_state(&config.site.id, &config.site.node).into(),
            online: state("online"),
            offline: state("offline"),
            lost: state("lost"),
        },
        command_filters: boards
            .map(|board| topic::commands(&config.site.id, &board.id))
            .collect(),
        cursor_file: Some(cursor_file),
        clock: clock.clone(),
        jitter_seed: u64::from(std::process::id()),
        timing: Timing::default(),
    };
    let store = Arc::new(JournalStore(journal.clone()));
    mqtt::spawn(settings, outbox, store, stop)
}

/// The cursors of the outbox. Without them events are sent again, which is allowed.
fn load_cursors(file: &Path) -> Cursors {
    Cursors::load(file).unwrap_or_else(|error| {
        tracing::warn!("where the events were sent up to is not known: {error}");
        Cursors::default()
    })
}

/// Takes up a board's game from the journal.
async fn seat(
    config: &Config,
    board: &config::Board,
    session: &str,
    journal: &Journal,
    clock: &Arc<dyn Clock>,
    publisher: &Publisher,
    solver: &Solver,
) -> anyhow::Result<Table> {
    let rules = Rules {
        regulations: config.laws.regulations.clone(),
        confirm: config.laws.confirm,
        escalate_ms: config.laws.escalate_ms,
        clock_mismatch_ms: config.laws.clock_mismatch_ms,
    };
    let mut showcase = Showcase::new(
        config.site.id.clone(),
        board.id.clone(),
        session.to_owned(),
        Views::new(config.audience.clone()),
        publisher.clone(),
        config.audience.delay_ms,
    );
    let line = Line::default();
    let (now, at) = (clock.now(), clock.monotonic_ms());
    let record = Record::recover(
        config.site.id.clone(),
        board.id.clone(),
        session.to_owned(),
        journal.clone(),
        clock.clone(),
        rules.clone(),
        |game, time| {
            let age = now.duration_since(time).as_millis().max(0);
            let moment = Moment {
                seq: game.seq(),
                time,
                at,
                age_ms: u64::try_from(age).unwrap_or(u64::MAX),
            };
            showcase.show_public(game, &line, moment);
        },
    )
    .await?;
    // Where nothing says what was sent, the daemon may have been killed before it could note
    // that: the events of the newest game are sent again.
    let (found_from, seq) = (record.found_from(), record.game().seq());
    // Without a disk nobody knows yet.
    if !record.is_apart() {
        publisher.board(board.id.clone(), found_from, seq);
    }
    let settings = hand::Settings {
        settle_ms: board.hand.settle_ms,
        castling_hold_ms: board.hand.castling_hold_ms,
        mismatch_ms: board.hand.mismatch_ms,
        new_game_ms: board.hand.new_game_ms,
        scan_ms: board.hand.scan_ms,
        promotion: board.hand.promotion,
        speed: board.hand.speed,
        new_games: board.new_game == config::NewGame::Automatic,
        ..hand::Settings::default()
    };
    Ok(Table {
        site: config.site.id.clone(),
        board: board.id.clone(),
        rules,
        tracker: Tracker::new(settings, record.game().position().clone()),
        record,
        showcase,
        publisher: publisher.clone(),
        solver: solver.clone().of(board.id.clone()),
        alive: None,
        clock: clock.clone(),
        line,
        reading: None,
        told_clock: None,
        counters_at: 0,
        confidence_at: None,
        pending: None,
        untold: std::collections::VecDeque::new(),
    })
}

fn board_settings(
    board: &config::Board,
    places: &board::Places,
    known: Option<board::event::Orientation>,
) -> BoardSettings {
    let config::Kind::Dgt = board.kind;
    BoardSettings {
        id: board.id.clone(),
        kind: board::Kind::Dgt,
        port: board.port.clone(),
        serial: board.serial.clone(),
        places: places.clone(),
        orientation: board.orientation,
        known_orientation: known,
        clock_white: board.clock_white,
        timing: DgtTiming {
            command_gap_ms: board.dgt.command_gap_ms,
            quiet_ms: board.dgt.quiet_ms,
            burst_ms: board.dgt.burst_ms,
            interval_ms: board.dgt.dump_every_ms,
            dump_ms: board.dgt.answer_ms,
            ..DgtTiming::default()
        },
        tap: None,
    }
}

/// Hands every command to its board.
async fn route(
    mut commands: mpsc::Receiver<CommandMessage>,
    mailboxes: HashMap<BoardId, mpsc::Sender<CommandMessage>>,
    cancel: CancellationToken,
) {
    loop {
        let message = tokio::select! {
            () = cancel.cancelled() => return,
            message = commands.recv() => match message {
                Some(message) => message,
                None => return,
            },
        };
        if topic::is_sign_in(&message.topic, &message.payload) {
            continue;
        }
        let board = topic::parse_command(&message.topic)
            .and_then(|(_, board, _)| board.parse::<BoardId>().ok());
        let Some(mailbox) = board.and_then(|board| mailboxes.get(&board)) else {
            continue;
        };
        if mailbox.try_send(message).is_err() {
            tracing::warn!("a command was dropped: its board has {QUEUE} others to answer");
        }
    }
}

/// The journal as the place where events are read again.
#[derive(Debug)]
struct JournalStore(Journal);

impl EventStore for JournalStore {
    fn read_after(&self, board: &BoardId, seq: u64, limit: usize) -> io::Result<Vec<StoredEvent>> {
        let entries = self.0.read_after(board, seq, limit)?;
        let stored = entries.into_iter().map(|entry| StoredEvent {
            seq: entry.seq,
            payload: entry.body,
        });
        Ok(stored.collect())
    }
}
