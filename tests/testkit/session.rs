//! The session as the daemon runs it, with a journal in memory.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use remisd::publish::{
    BrokerStatus, CommandMessage, Commands, EventStore, Outbox, Publisher, StoredEvent,
    mqtt::{self, Access, ClientId, NodeState, SessionSettings, Timing},
    outbox::{Cursors, Limits},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::SystemClock};
use tokio::{sync::watch, task::JoinHandle, time::timeout};
use tokio_util::sync::CancellationToken;

use super::DEADLINE;

/// The topic of the state of the node.
pub const STATE: &str = "chess/v1/hall/node/n1/state";
/// A state of the node that is running.
pub const ONLINE: &str = r#"{"schema":"remisd/state/1","state":"online"}"#;
/// A state of the node after a clean stop.
pub const OFFLINE: &str = r#"{"schema":"remisd/state/1","state":"offline"}"#;
/// The will of the node.
pub const LOST: &str = r#"{"schema":"remisd/state/1","state":"lost"}"#;

/// A journal in memory: the payload of an event is its number.
#[derive(Default)]
pub struct Journal(pub Mutex<BTreeMap<BoardId, EntrySeq>>);

impl EventStore for Journal {
    fn read_after(
        &self,
        board: &BoardId,
        seq: EntrySeq,
        limit: usize,
    ) -> io::Result<Vec<StoredEvent>> {
        let last = self
            .0
            .lock()
            .unwrap()
            .get(board)
            .copied()
            .unwrap_or_default();
        let events = (seq.get() + 1..=last.get())
            .map(EntrySeq::new)
            .take(limit)
            .map(|seq| StoredEvent {
                seq,
                payload: seq.to_string().into(),
            });
        Ok(events.collect())
    }
}

/// A session as the daemon would run it.
pub struct Daemon {
    /// Publishes through the session.
    pub publisher: Publisher,
    /// The commands that arrive.
    pub commands: Commands,
    /// The events that the session sends.
    pub journal: Arc<Journal>,
    /// Ends the session.
    pub cancel: CancellationToken,
    /// The session itself.
    pub task: JoinHandle<()>,
}

/// Settings with shorter waits than the daemon's.
pub fn settings(url: &str) -> SessionSettings {
    SessionSettings {
        brokers: url.parse().unwrap(),
        access: watch::channel(Access::default()).1,
        client_id: ClientId::random("remisd-hall-n1"),
        node: NodeState {
            topic: STATE.into(),
            session: "own".to_owned(),
            online: ONLINE.into(),
            offline: OFFLINE.into(),
            lost: LOST.into(),
        },
        command_filters: vec!["chess/v1/hall/cmd/+/b1/+".to_owned()],
        commanded: None,
        cursor_file: None,
        clock: Arc::new(SystemClock::new()),
        jitter_seed: 1,
        timing: Timing {
            backoff_first: Duration::from_millis(5),
            backoff_longest: Duration::from_millis(50),
            will_delay: Duration::from_secs(1),
            save: Duration::from_millis(20),
            ..Timing::default()
        },
    }
}

fn outbox(cursors: Cursors) -> Outbox {
    let limits = Limits {
        events: 64,
        read_batch: 16,
        ..Limits::default()
    };
    Outbox::new(&"hall".parse().unwrap(), cursors, limits)
}

impl Daemon {
    /// Starts a session with default settings.
    pub fn start(url: &str) -> Self {
        Self::start_with(settings(url), Cursors::default(), Arc::default())
    }

    /// Starts a session with these settings, cursors and events.
    pub fn start_with(settings: SessionSettings, cursors: Cursors, journal: Arc<Journal>) -> Self {
        let cancel = CancellationToken::new();
        let store = Arc::clone(&journal) as Arc<dyn EventStore>;
        let (publisher, commands, task) =
            mqtt::spawn(settings, outbox(cursors), store, cancel.clone()).unwrap();
        Self {
            publisher,
            commands,
            journal,
            cancel,
            task,
        }
    }

    /// Journals the next event of a board, then publishes it.
    pub fn event(&self, board: &str) {
        let board: BoardId = board.parse().unwrap();
        let seq = {
            let mut journal = self.journal.0.lock().unwrap();
            let last = journal.entry(board.clone()).or_default();
            *last += 1;
            *last
        };
        self.publisher.event(&board, seq, seq.to_string().into());
    }

    /// Publishes a retained value.
    pub fn retain(&self, topic: &str, payload: &str) {
        let payload = Some(Bytes::from(payload.to_owned()));
        self.publisher.retain(topic, payload).unwrap();
    }

    /// Waits for a status of the broker connection.
    pub async fn wait_for(&self, wanted: impl FnMut(&BrokerStatus) -> bool) -> BrokerStatus {
        let mut status = self.publisher.status();
        // The guard must not live on: a second one behind a waiting writer never comes.
        let found = async { status.wait_for(wanted).await.unwrap().clone() };
        timeout(DEADLINE, found)
            .await
            .unwrap_or_else(|_| panic!("not found up to {:?}", *self.publisher.status().borrow()))
    }

    /// Waits until nothing is left to send.
    pub async fn all_sent(&self) -> BrokerStatus {
        self.wait_for(|status| status.is_up() && status.outbox_depth == 0)
            .await
    }

    /// The next command that arrives.
    pub async fn command(&mut self) -> CommandMessage {
        let command = timeout(DEADLINE, self.commands.recv()).await;
        command.expect("no command comes").unwrap()
    }

    /// Ends the session and waits for its end.
    pub async fn stop(self) {
        self.cancel.cancel();
        let stopped = timeout(DEADLINE, self.task).await;
        stopped.expect("the session does not stop").unwrap();
    }
}
