//! The session task, which outlives its connections.

use std::{collections::HashSet, io, sync::Arc, time::Duration};

use tokio::{
    task::{JoinError, JoinSet},
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    SessionSettings,
    connection::Connection,
    link::{ConnectionLost, LinkEvent, size_on_wire},
    namesakes::{DuplicateNodes, News, State},
    reason::SESSION_TAKEN_OVER,
    window::Window,
};
use crate::publish::{
    CommandSender,
    handle::{CommandMessage, Shared},
    outbox::{Cursors, Delivery, EventStore, ReadRequest, StoredEvent, Token},
    status, topic,
};
use remisd_vocabulary::retry::Backoff;

/// The wait before retrying a failed read of the store.
const READ_AGAIN: Duration = Duration::from_secs(1);
/// How many events of the connection are handled in one batch before anything else.
const BATCH: usize = 64;
/// How long the DISCONNECT may take to leave the socket.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// A connection that the broker closes within this time counts as closed early.
const EARLY_CLOSE: Duration = Duration::from_secs(10);
/// After this many early closes in a row, we assume that another client takes over the session.
const EARLY_CLOSES_FOR_TAKEOVER: u32 = 3;
/// The shortest interval between two answers to a daemon with our name.
const ONLINE_AGAIN: Duration = Duration::from_secs(10);
/// How many refused topics are remembered, so that each one is logged only once.
const REFUSED_TOPICS: usize = 1024;

/// The result of a blocking task.
enum Done {
    Read(ReadRequest, io::Result<Vec<StoredEvent>>),
    Saved(io::Result<()>),
}

/// The session; see [`run`](Self::run).
pub(super) struct Session {
    settings: SessionSettings,
    /// The client id for the next connections.
    client_id: String,
    shared: Arc<Shared>,
    store: Arc<dyn EventStore>,
    commands: CommandSender,
    cancel: CancellationToken,
    backoff: Backoff,
    /// Reads and saves on blocking threads; at most one of each.
    tasks: JoinSet<Done>,
    saving: bool,
    /// The last save failed and the failure was logged.
    save_failed: bool,
    save_from: Instant,
    read_from: Instant,
    /// Once a stop has begun: the deadline for draining the outbox.
    stopping: Option<Instant>,
    connected_before: bool,
    counters: Counters,
    refused_topics: HashSet<Arc<str>>,
    namesakes: DuplicateNodes,
    /// How often in a row the broker closed a young connection without a reason.
    closed_soon: u32,
    /// When a daemon with our name was last answered.
    last_online_answer: Option<Instant>,
}

#[derive(Default)]
struct Counters {
    published: u64,
    published_non_arbiter: u64,
    refused: u64,
    reconnects: u64,
    commands_dropped: u64,
    taken_over: u64,
}

impl Session {
    pub(super) fn new(
        settings: SessionSettings,
        client_id: String,
        shared: Arc<Shared>,
        store: Arc<dyn EventStore>,
        commands: CommandSender,
        cancel: CancellationToken,
    ) -> Self {
        let timing = &settings.timing;
        let (first, longest) = (timing.backoff_first, timing.backoff_longest);
        Self {
            client_id,
            backoff: Backoff::new(first, longest, settings.jitter_seed),
            settings,
            shared,
            store,
            commands,
            cancel,
            tasks: JoinSet::new(),
            saving: false,
            save_failed: false,
            save_from: Instant::now(),
            read_from: Instant::now(),
            stopping: None,
            connected_before: false,
            counters: Counters::default(),
            refused_topics: HashSet::new(),
            namesakes: DuplicateNodes::default(),
            closed_soon: 0,
            last_online_answer: None,
        }
    }

    /// Reconnects until the stop, then saves the cursors.
    pub(super) async fn run(mut self) {
        loop {
            let mut connection = Connection::open(&self.settings, &self.client_id);
            let end = self.serve(&mut connection).await;
            let (welcome, up_since) = (connection.welcome, connection.up_since);
            drop(connection);
            self.shared.outbox().disconnected();
            match end {
                Ok(()) => break,
                Err(lost) => {
                    self.detect_takeover(&lost, welcome);
                    self.note_loss(&lost.why);
                }
            }
            if self.stopping.is_some() || !self.pause(up_since).await {
                break;
            }
        }
        self.note_down("stopped");
        while self.tasks.join_next().await.is_some() {}
        self.saving = false;
        self.save();
        while let Some(done) = self.tasks.join_next().await {
            self.finish(done);
        }
    }

    /// Waits for the back-off; returns false if a stop ended the wait.
    async fn pause(&mut self, up_since: Option<Instant>) -> bool {
        self.save();
        self.show_status();
        if up_since.is_some_and(|since| since.elapsed() >= self.settings.timing.backoff_reset) {
            self.backoff.reset();
        }
        let until = Instant::now() + self.backoff.wait();
        timeout_at(until, self.cancel.cancelled()).await.is_err()
    }

    /// Serves one connection until it is lost or a stop is requested.
    async fn serve(&mut self, connection: &mut Connection) -> Result<(), ConnectionLost> {
        loop {
            if connection.up_since.is_some() {
                self.send(connection)?;
                self.read_store();
            }
            if Instant::now() >= self.save_from {
                self.save();
            }
            if let Some(until) = self.stopping {
                let idle = self.shared.outbox().is_idle();
                if connection.up_since.is_none() || idle || Instant::now() >= until {
                    return self.farewell(connection).await;
                }
            }
            self.show_status();
            let deadline = connection.deadline(&self.settings);
            let chore = self.next_timer();
            tokio::select! {
                event = connection.link.next() => self.handle_batch(connection, event)?,
                () = self.shared.changed.notified() => {}
                Some(done) = self.tasks.join_next() => self.finish(done),
                () = self.cancel.cancelled(), if self.stopping.is_none() => {
                    self.stopping = Some(Instant::now() + self.settings.timing.drain);
                }
                () = sleep_until(chore) => {}
                () = sleep_until(deadline) => {
                    return Err(ConnectionLost::because("the broker has stopped answering"));
                }
            }
        }
    }

    /// When the next timed task is due.
    fn next_timer(&self) -> Instant {
        let far = Instant::now() + Duration::from_hours(1);
        let can_save = self.settings.cursor_file.is_some() && !self.saving;
        let unsaved = can_save && self.shared.outbox().cursors_changed();
        let save = if unsaved { self.save_from } else { far };
        let read = if self.read_from > Instant::now() {
            self.read_from
        } else {
            far
        };
        save.min(read).min(self.stopping.unwrap_or(far))
    }

    /// Fills the window.
    fn send(&mut self, connection: &mut Connection) -> Result<(), ConnectionLost> {
        while connection.window.has_room() {
            let Some(message) = self.shared.outbox().next_message() else {
                break;
            };
            if size_on_wire(&message) > connection.max_packet {
                self.acknowledge(message.token, &message.topic, Some("it is too large"));
            } else {
                connection.publish(&message)?;
            }
        }
        Ok(())
    }

    /// Handles an event and those already queued after it. The rest of the loop costs more than an
    /// event, so it runs once per batch.
    fn handle_batch(
        &mut self,
        connection: &mut Connection,
        first: LinkEvent,
    ) -> Result<(), ConnectionLost> {
        let mut next = Some(first);
        for _ in 0..BATCH {
            let Some(event) = next.take() else {
                break;
            };
            self.take(connection, event)?;
            next = connection.link.try_next();
        }
        next.map_or(Ok(()), |event| self.take(connection, event))
    }

    fn take(
        &mut self,
        connection: &mut Connection,
        event: LinkEvent,
    ) -> Result<(), ConnectionLost> {
        connection.heard = Instant::now();
        match event {
            LinkEvent::Connected { window, max_packet } => {
                connection.welcome = Some(Instant::now());
                connection.window = Window::new(window);
                connection.max_packet = max_packet;
                self.subscribe(connection)?;
            }
            LinkEvent::Subscribed { refused, why } => {
                if refused > 0 {
                    tracing::warn!(refused, why, "the broker refuses subscriptions");
                }
                connection.subscribing = connection.subscribing.saturating_sub(1);
                if connection.subscribing == 0 {
                    self.go_online(connection);
                }
            }
            LinkEvent::Written(id) => {
                if let Some(message) = connection.window.written(id) {
                    self.acknowledge(message.token, &message.topic, None);
                }
            }
            LinkEvent::Acknowledged { id, refused } => {
                connection.progress = Instant::now();
                if let Some(message) = connection.window.acknowledged(id) {
                    self.acknowledge(message.token, &message.topic, refused.as_deref());
                }
            }
            LinkEvent::Received(message) => self.receive(message),
            LinkEvent::Disconnected | LinkEvent::Alive => {}
            LinkEvent::ConnectionLost(lost) => return Err(lost),
        }
        Ok(())
    }

    fn subscribe(&self, connection: &mut Connection) -> Result<(), ConnectionLost> {
        let state = [self.settings.node.topic.to_string()];
        connection.progress = Instant::now();
        // Keep the retain flag, because retained commands are refused.
        connection.subscribing = connection
            .link
            .subscribe(&self.settings.command_filters, true)?
            + connection.link.subscribe(&state, false)?;
        Ok(())
    }

    fn go_online(&mut self, connection: &mut Connection) {
        connection.up_since = Some(Instant::now());
        self.namesakes.forget();
        self.show_intrusion();
        if std::mem::replace(&mut self.connected_before, true) {
            self.counters.reconnects += 1;
        }
        let node = &self.settings.node;
        {
            let mut outbox = self.shared.outbox();
            let online = Some(node.online.clone());
            outbox.retain(Arc::clone(&node.topic), online, Delivery::AtLeastOnce);
            outbox.connected(Some(&node.topic));
        }
        let since = self.settings.clock.now();
        self.shared
            .status
            .send_modify(|status| status.link = status::Link::Up { since });
        tracing::info!(broker = %self.settings.url, "connected to the broker");
    }

    /// Marks a message as acknowledged, or as dropped if the broker refused it.
    fn acknowledge(&mut self, token: Token, topic: &Arc<str>, refused: Option<&str>) {
        self.shared.outbox().acknowledged(token);
        let Some(why) = refused else {
            self.counters.published += 1;
            self.counters.published_non_arbiter += u64::from(topic::is_open(topic));
            return;
        };
        self.counters.refused += 1;
        if self.refused_topics.len() < REFUSED_TOPICS
            && self.refused_topics.insert(Arc::clone(topic))
        {
            tracing::warn!(%topic, why, "the broker refuses a message; it is dropped");
        }
    }

    fn receive(&mut self, message: CommandMessage) {
        if *message.topic == *self.settings.node.topic {
            self.handle_node_state(&message);
            return;
        }
        if self.commands.try_send(message).is_err() {
            // Only counted: a flood must not fill the log too. The intake logs a summary.
            self.counters.commands_dropped += 1;
        }
    }

    /// Handles a message on our own state topic.
    fn handle_node_state(&mut self, message: &CommandMessage) {
        // A retained state predates our "online", which has already replaced it.
        if message.retain || self.stopping.is_some() {
            return;
        }
        let node = &self.settings.node;
        let state = State::read(&message.payload);
        let is_other =
            (state.as_ref()).is_some_and(|state| DuplicateNodes::is_other(&node.session, state));
        let is_online = state.as_ref().is_some_and(State::is_online);
        match state.and_then(|state| self.namesakes.hear(&node.session, &state)) {
            Some(News::Came(host)) => tracing::error!(
                host,
                topic = %node.topic,
                "ANOTHER DAEMON HAS THE SAME NAME: [site] id and node must differ, or both show their games on the same topics"
            ),
            Some(News::Left) => {
                tracing::info!(
                    "the other daemon of our name is gone; every topic is published again"
                );
                self.shared.outbox().repeat_all();
            }
            None => {}
        }
        self.show_intrusion();
        // Either a late will, a predecessor's "offline", or another daemon with our name, which
        // must learn of us. The interval keeps two such daemons from answering each other for ever.
        let answers = if is_other {
            let due = self
                .last_online_answer
                .is_none_or(|at| at.elapsed() >= ONLINE_AGAIN);
            if due {
                self.last_online_answer = Some(Instant::now());
            }
            due
        } else {
            !is_online
        };
        if answers {
            tracing::info!("somebody else has published our state; saying online again");
            self.shared.outbox().repeat(&self.settings.node.topic);
        }
    }

    fn show_intrusion(&self) {
        let now = status::BrokerConflict {
            taken_over: self.counters.taken_over,
            namesakes: self.namesakes.hosts(),
        };
        self.shared.intrusion.send_if_modified(|known| {
            let news = *known != now;
            *known = now;
            news
        });
    }

    /// Starts reading what a lagging board needs next from the store.
    fn read_store(&mut self) {
        if self.read_from > Instant::now() {
            return;
        }
        let Some(request) = self.shared.outbox().next_read() else {
            return;
        };
        let store = Arc::clone(&self.store);
        self.tasks.spawn_blocking(move || {
            let read = store.read_after(&request.board, request.after, request.limit);
            Done::Read(request, read)
        });
    }

    /// Starts saving the cursors if they changed and no save is running.
    fn save(&mut self) {
        let Some(path) = self.settings.cursor_file.clone() else {
            return;
        };
        if self.saving {
            return;
        }
        let cursors: Option<Cursors> = self.shared.outbox().changed_cursors();
        if let Some(cursors) = cursors {
            self.saving = true;
            self.save_from = Instant::now() + self.settings.timing.save;
            self.tasks
                .spawn_blocking(move || Done::Saved(cursors.save(&path)));
        }
    }

    fn finish(&mut self, done: Result<Done, JoinError>) {
        match done {
            Ok(Done::Read(request, Ok(events))) => self.shared.outbox().refill(&request, events),
            Ok(Done::Read(request, Err(error))) => {
                tracing::error!(board = %request.board, %error, "cannot read the journal again");
                self.read_from = Instant::now() + READ_AGAIN;
                self.shared.outbox().read_failed();
            }
            Ok(Done::Saved(saved)) => {
                self.saving = false;
                let failed_before = std::mem::replace(&mut self.save_failed, saved.is_err());
                if let Err(error) = saved {
                    self.shared.outbox().cursors_not_saved();
                    if !failed_before {
                        let path = self.settings.cursor_file.as_deref();
                        let path = path.map(|path| path.display().to_string());
                        tracing::error!(path, %error, "cannot save how far events are published");
                    }
                }
            }
            Err(error) => {
                self.saving = false;
                let mut outbox = self.shared.outbox();
                outbox.cursors_not_saved();
                outbox.read_failed();
                tracing::error!(%error, "a task of the session has failed");
            }
        }
    }

    /// Publishes "offline" and disconnects. If that fails, the will does it for us.
    async fn farewell(&mut self, connection: &mut Connection) -> Result<(), ConnectionLost> {
        if connection.up_since.is_none() {
            return Ok(());
        }
        let node = self.settings.node.clone();
        let last = self.shared.outbox().last_word(node.topic, node.offline);
        connection.publish(&last)?;
        let until = Instant::now() + self.settings.timing.farewell;
        while !connection.window.is_empty() {
            match timeout_at(until, connection.link.next()).await {
                Ok(event) => self.take(connection, event)?,
                Err(_) => break,
            }
        }
        connection.link.disconnect()?;
        let until = Instant::now() + DISCONNECT_TIMEOUT;
        while let Ok(event) = timeout_at(until, connection.link.next()).await {
            match event {
                LinkEvent::Disconnected => return Ok(()),
                event => self.take(connection, event)?,
            }
        }
        Err(ConnectionLost::because("the goodbye did not go out"))
    }

    fn note_loss(&self, why: &str) {
        let news = match &self.shared.status.borrow().link {
            status::Link::Up { .. } => true,
            status::Link::Down { why: before, .. } => before != why,
        };
        if news {
            tracing::warn!(broker = %self.settings.url, "no connection to the broker: {why}");
        }
        self.note_down(why);
    }

    /// Detects whether another client has taken over the session.
    ///
    /// A broker may also close the connection without a reason in that case, so several early
    /// closes in a row count as a takeover. A random client id is drawn again, or the two clients
    /// would disconnect each other for ever.
    fn detect_takeover(&mut self, lost: &ConnectionLost, welcome: Option<Instant>) {
        let said = lost.code == Some(SESSION_TAKEN_OVER);
        let closed = lost.closed && welcome.is_some();
        if !said && !closed {
            return;
        }
        match self.settings.client_id.draw() {
            Ok(client_id) => self.client_id = client_id,
            Err(error) => tracing::error!("the client id stays as it was: {error}"),
        }
        let soon = welcome.is_some_and(|since| since.elapsed() < EARLY_CLOSE);
        self.closed_soon = if soon { self.closed_soon + 1 } else { 1 };
        if !said && self.closed_soon < EARLY_CLOSES_FOR_TAKEOVER {
            return;
        }
        self.closed_soon = 0;
        self.counters.taken_over += 1;
        self.show_intrusion();
        tracing::error!(
            times = self.counters.taken_over,
            "another client has connected to the broker under this daemon's client id"
        );
    }

    fn note_down(&self, why: &str) {
        let now = self.settings.clock.now();
        self.shared.status.send_modify(|status| {
            let since = match status.link {
                status::Link::Up { .. } => now,
                status::Link::Down { since, .. } => since,
            };
            let why = why.to_owned();
            status.link = status::Link::Down { since, why };
        });
    }

    fn show_status(&self) {
        let counters = &self.counters;
        self.shared.show_outbox(&self.shared.outbox(), |status| {
            status.published = counters.published;
            status.published_non_arbiter = counters.published_non_arbiter;
            status.refused = counters.refused;
            status.reconnects = counters.reconnects;
            status.taken_over = counters.taken_over;
            status.commands_dropped = counters.commands_dropped;
        });
    }
}
