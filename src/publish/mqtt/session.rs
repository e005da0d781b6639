//! The session task, which outlives its connections.

mod background;
mod node_state;

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio::{
    task::JoinSet,
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::background::TaskResult;
use super::{
    SessionSettings,
    brokers::Failover,
    connection::Connection,
    link::{ConnectionLost, LinkEvent, size_on_wire},
    namesakes::DuplicateNodes,
    window::Window,
};
use crate::publish::{
    CommandSender,
    handle::{CommandMessage, PublisherState},
    outbox::{Delivery, EventStore, MessageId},
    status, topic,
};
use remisd_vocabulary::retry::Backoff;

/// How many events of the connection are handled in one batch before anything else.
const BATCH: usize = 64;
/// How long the DISCONNECT may take to leave the socket.
const DISCONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// How many refused topics are remembered, so that each one is logged only once.
const REFUSED_TOPICS: usize = 1024;

/// The session; see [`run`](Self::run).
pub(super) struct BrokerSession {
    settings: SessionSettings,
    /// The client id for the next connections.
    client_id: String,
    shared: Arc<PublisherState>,
    store: Arc<dyn EventStore>,
    commands: CommandSender,
    cancel: CancellationToken,
    backoff: Backoff,
    /// Which of the broker's addresses is in use.
    failover: Failover,
    /// Reads and saves on blocking threads; at most one of each.
    tasks: JoinSet<TaskResult>,
    saving: bool,
    /// The last save failed and the failure was logged.
    save_failed: bool,
    save_from: Instant,
    read_from: Instant,
    /// When acknowledged events age again; only with several addresses.
    age_from: Option<Instant>,
    /// When refused messages are sent again; only if there are any.
    refused_from: Option<Instant>,
    /// Once a stop has begun: the deadline for draining the outbox.
    stopping: Option<Instant>,
    connected_before: bool,
    counters: Counters,
    refused_topics: HashSet<Arc<str>>,
    namesakes: DuplicateNodes,
    /// How often in a row the broker closed a young connection without a reason.
    closed_soon: usize,
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

impl BrokerSession {
    pub(super) fn new(
        settings: SessionSettings,
        client_id: String,
        shared: Arc<PublisherState>,
        store: Arc<dyn EventStore>,
        commands: CommandSender,
        cancel: CancellationToken,
    ) -> Self {
        let timing = &settings.timing;
        let (first, longest) = (timing.backoff_first, timing.backoff_longest);
        let is_cluster = settings.brokers.count() > 1;
        let age_from = is_cluster.then(|| Instant::now() + timing.age);
        Self {
            client_id,
            backoff: Backoff::new(first, longest, settings.jitter_seed),
            failover: Failover::new(settings.brokers.clone()),
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
            age_from,
            refused_from: None,
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
            let url = self.failover.current();
            let mut connection = Connection::open(&self.settings, url, &self.client_id);
            let end = self.serve(&mut connection).await;
            let (welcome, up_since) = (connection.welcome, connection.up_since);
            drop(connection);
            self.shared.outbox().disconnected();
            match end {
                Ok(()) => break,
                Err(lost) => {
                    if self.age_from.is_some() && up_since.is_some() {
                        self.shared.outbox().distrust();
                    }
                    self.detect_takeover(&lost, welcome);
                    let lasted = up_since.map(|since| since.elapsed());
                    let all = self.failover.next(&lost.why, lost.is_about_user(), lasted);
                    // While other addresses remain, only the loss itself is reported.
                    let why = all.as_ref().map(|all| all.why.as_str());
                    if let Some(why) = why.or(lasted.map(|_| lost.why.as_str())) {
                        self.note_loss(why);
                    }
                    if self.stopping.is_some() || !self.pause(lasted, all.is_some()).await {
                        break;
                    }
                }
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

    /// Waits for the back-off, if every address has failed; returns false if a stop ended the wait.
    /// `lasted` is how long the connection was up.
    async fn pause(&mut self, lasted: Option<Duration>, all_failed: bool) -> bool {
        self.save();
        self.show_status();
        if lasted.is_some_and(|lasted| lasted >= self.settings.timing.backoff_reset) {
            self.backoff.reset();
        }
        if !all_failed {
            return !self.cancel.is_cancelled();
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
            self.age(connection.up_since.is_some());
            if self.refused_from.is_some_and(|from| from <= Instant::now()) {
                self.refused_from = None;
                self.shared.outbox().retry_refused();
                continue; // what is due is sent first
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
        let age = self.age_from.unwrap_or(far);
        let refused = self.refused_from.unwrap_or(far);
        let stop = self.stopping.unwrap_or(far);
        save.min(read).min(age).min(refused).min(stop)
    }

    /// Ages what the node has acknowledged, if it is time. While there is no connection, nothing
    /// grows older: a node may have been cut off from the others for as long before it was lost.
    fn age(&mut self, connected: bool) {
        let now = Instant::now();
        if self.age_from.is_some_and(|from| from <= now) {
            self.age_from = Some(now + self.settings.timing.age);
            if connected {
                let mut outbox = self.shared.outbox();
                outbox.age();
                outbox.refresh();
            }
        }
    }

    /// Fills the window.
    fn send(&mut self, connection: &mut Connection) -> Result<(), ConnectionLost> {
        while connection.window.has_room() {
            let Some(message) = self.shared.outbox().next_message() else {
                break;
            };
            if size_on_wire(&message) > connection.max_packet {
                self.shared.outbox().give_up(message.id);
                self.note_refused(&message.topic, "too large", false);
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
                    self.acknowledge(message.id, &message.topic);
                }
            }
            LinkEvent::Acknowledged { id, refused } => {
                connection.progress = Instant::now();
                if let Some(message) = connection.window.acknowledged(id) {
                    match refused {
                        Some(why) => self.refuse(message.id, &message.topic, &why),
                        None => self.acknowledge(message.id, &message.topic),
                    }
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
        self.show_conflict();
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
            .send_modify(|status| status.link = status::ConnectionState::Up { since });
        self.failover.works();
        tracing::info!(broker = %self.failover.current(), "connected to the broker");
    }

    fn acknowledge(&mut self, id: MessageId, topic: &Arc<str>) {
        self.shared.outbox().acknowledged(id);
        self.counters.published += 1;
        self.counters.published_non_arbiter += u64::from(topic::is_open(topic));
    }

    /// Marks a message as refused. It stays in the outbox until the broker's access list, or whatever
    /// else is the reason, is mended.
    fn refuse(&mut self, id: MessageId, topic: &Arc<str>, why: &str) {
        let is_kept = self.shared.outbox().refused(id);
        if is_kept && self.refused_from.is_none() {
            self.refused_from = Some(Instant::now() + self.settings.timing.refused_again);
        }
        self.note_refused(topic, why, is_kept);
    }

    fn note_refused(&mut self, topic: &Arc<str>, why: &str, is_kept: bool) {
        self.counters.refused += 1;
        if self.refused_topics.len() < REFUSED_TOPICS
            && self.refused_topics.insert(Arc::clone(topic))
        {
            let then = if is_kept {
                "is sent again until it is accepted"
            } else {
                "is dropped"
            };
            tracing::warn!(%topic, why, "the broker refuses a message; it {then}");
        }
    }

    fn receive(&mut self, message: CommandMessage) {
        if *message.topic == *self.settings.node.topic {
            self.handle_node_state(&message);
            return;
        }
        if !self.is_commanded(&message.topic) {
            return;
        }
        if self.commands.try_send(message).is_err() {
            // Only counted: a flood must not fill the log too. The intake logs a summary.
            self.counters.commands_dropped += 1;
        }
    }

    /// Whether a command is for a board of this daemon or for the daemon itself.
    fn is_commanded(&self, topic: &str) -> bool {
        let commanded = self.settings.commanded.as_ref();
        commanded.is_none_or(|names| {
            topic::parse_command(topic).is_some_and(|(_, name, _)| names.contains(name))
        })
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
            status::ConnectionState::Up { .. } => true,
            status::ConnectionState::Down { why: before, .. } => before != why,
        };
        if news {
            tracing::warn!(brokers = %self.settings.brokers, "no connection to the broker: {why}");
        }
        self.note_down(why);
    }

    fn note_down(&self, why: &str) {
        let now = self.settings.clock.now();
        self.shared.status.send_modify(|status| {
            let since = match status.link {
                status::ConnectionState::Up { .. } => now,
                status::ConnectionState::Down { since, .. } => since,
            };
            let why = why.to_owned();
            status.link = status::ConnectionState::Down { since, why };
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
