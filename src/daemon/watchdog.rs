//! Checks that all parts of the daemon are alive, and reports it to the broker and to systemd.
//!
//! Each beat asks every board actor and the journal's thread a question that only they can answer.
//! If a part hangs, systemd's watchdog is not fed and the daemon restarts from its journal: a
//! daemon with a missing part would look healthy. A part that waits for the disk does not count as
//! hung.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::join_all;
use jiff::Timestamp;
use tokio::{
    sync::{mpsc, oneshot, watch},
    time::timeout,
};

use super::{failed_commands::FailedCommands, journal_queue::Blocked, systemd::Watched};
use crate::publish::{
    BrokerStatus, ConnectionState, Publisher,
    outbox::Delivery,
    payload::{BoardHealth, BrokerHealth, Health},
    topic,
};
use remisd_broadcast::lichess::Report;
use remisd_journal::Journal;
use remisd_vocabulary::{
    name::{BoardId, NodeId, SiteId},
    time::{Clock, Moment, Span, rfc3339},
};

/// How long messages may wait while the broker is connected before the session counts as stuck.
const STUCK: Span = Span::from_millis(120_000);

/// A request for a board actor's health.
pub type HealthRequest = oneshot::Sender<BoardHealth>;

/// A board actor whose health is checked.
#[derive(Debug)]
pub struct WatchedBoard {
    /// Its board.
    pub board: BoardId,
    /// The queue for requests.
    pub requests: mpsc::Sender<HealthRequest>,
    /// Whether it cannot answer because it waits for the disk.
    pub blocked: Blocked,
}

/// The parts to ask, and where to report the result.
#[derive(Debug)]
pub struct Watchdog {
    /// The site.
    pub site: SiteId,
    /// The daemon's name.
    pub node: NodeId,
    /// This start of the daemon.
    pub session: String,
    /// Every board's actor.
    pub boards: Vec<WatchedBoard>,
    /// The journal.
    pub journal: Journal,
    /// Publishes the result.
    pub publisher: Publisher,
    /// Counts the commands that were not done.
    pub failed_commands: FailedCommands,
    /// What the receivers of the broadcast do not take.
    pub broadcast: watch::Receiver<Report>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Whether messages leave the outbox.
    pub progress: Progress,
    /// Holds the latest result.
    pub look: watch::Sender<Option<Arc<Health>>>,
}

impl Watched for Watchdog {
    async fn look(&mut self, within: Duration) -> Option<String> {
        let broker = self.publisher.status().borrow().clone();
        let mut health = self.health(&broker, within).await;
        let sending = self.progress.is_made(&broker, self.clock.monotonic());
        health.alive &= sending;
        if !sending {
            tracing::error!("nothing was sent for a long time although the broker is there");
        }
        let status = health.alive.then(|| status_line(&health));
        self.publish(&health);
        self.look.send_replace(Some(Arc::new(health)));
        status
    }
}

impl Watchdog {
    async fn health(&self, broker: &BrokerStatus, within: Duration) -> Health {
        let mut probes = Vec::new();
        for watched in &self.boards {
            let (question, answer) = oneshot::channel();
            // A board actor with a full queue has not answered the previous beat.
            let taken = watched.requests.try_send(question).is_ok();
            probes.push((watched, taken.then_some(answer)));
        }
        let answers = join_all(probes.into_iter().map(async |(watched, answer)| {
            let answered = match answer {
                Some(answer) => timeout(within, answer).await.ok().and_then(Result::ok),
                None => None,
            };
            (watched, answered)
        }));
        let (ping, answers) = tokio::join!(timeout(within, self.journal.ping()), answers);
        let journal_answers = matches!(ping, Ok(Ok(())));
        let mut boards = Vec::new();
        // A journal that times out waits for the disk. A restart would not cure that, and would
        // lose the entries in memory. A journal that has ended never answers again.
        let mut alive = !matches!(ping, Ok(Err(_)));
        for (WatchedBoard { board, blocked, .. }, answered) in answers {
            if answered.is_none() && blocked.is_so() {
                tracing::error!(%board, "too many entries wait for the disk: the board is not read");
            } else if answered.is_none() {
                alive = false;
                tracing::error!(%board, "the board's actor does not respond");
            }
            boards.push(answered.unwrap_or_else(|| BoardHealth::silent(board)));
        }
        if !journal_answers {
            tracing::error!("the journal does not answer: the disk hangs");
        }
        Health {
            schema: Health::SCHEMA.into(),
            site: self.site.to_string(),
            node: self.node.to_string(),
            session: self.session.clone(),
            time: rfc3339(self.clock.now()),
            up_ms: self.clock.monotonic().as_millis(),
            alive,
            journal_answers,
            namesakes: self.publisher.conflict().borrow().namesakes.clone(),
            broker: broker_health(broker, &self.failed_commands, self.clock.now()),
            broadcast: refused(&self.broadcast.borrow()),
            boards,
        }
    }

    fn publish(&self, health: &Health) {
        let to = topic::node_health(&self.site, &self.node);
        let payload = Bytes::from(serde_json::to_vec(health).unwrap_or_default());
        let delivery = Delivery::AtMostOnce;
        if let Err(error) = self.publisher.retain_with(&to, Some(payload), delivery) {
            tracing::warn!("{error}");
        }
    }
}

/// What Lichess does not take, by board or by Lichess round.
fn refused(report: &Report) -> BTreeMap<String, String> {
    let games = report.games.iter();
    let games = games.map(|(board, reason)| (board.to_string(), reason.clone()));
    games.chain(report.rounds.clone()).collect()
}

fn broker_health(
    status: &BrokerStatus,
    failed_commands: &FailedCommands,
    now: Timestamp,
) -> BrokerHealth {
    let since = match &status.link {
        ConnectionState::Up { since } | ConnectionState::Down { since, .. } => *since,
    };
    let for_ms = now.duration_since(since).as_millis().max(0);
    BrokerHealth {
        up: status.is_up(),
        for_ms: u64::try_from(for_ms).unwrap_or(u64::MAX),
        waiting: status.outbox_depth,
        // Operators can read this count, so it must not reveal messages sent to the arbiter alone.
        published: status.published_non_arbiter,
        refused: status.refused,
        reconnects: status.reconnects,
        taken_over: status.taken_over,
        commands_busy: failed_commands.busy(),
        commands_dropped: status.commands_dropped + failed_commands.dropped(),
        replies_dropped: status.replies_dropped,
    }
}

/// Tracks whether messages leave the outbox.
#[derive(Debug, Default)]
pub struct Progress {
    sent: u64,
    /// Since when nothing has left it, although messages wait and the broker is connected.
    stuck_since: Option<Moment>,
}

impl Progress {
    fn is_made(&mut self, broker: &BrokerStatus, now: Moment) -> bool {
        let sent = broker.published + broker.refused;
        if sent != self.sent || broker.outbox_depth == 0 || !broker.is_up() {
            self.sent = sent;
            self.stuck_since = None;
            return true;
        }
        now < *self.stuck_since.get_or_insert(now) + STUCK
    }
}

/// Formats one line for `systemctl status`.
fn status_line(health: &Health) -> String {
    let up = health.boards.iter().filter(|board| board.board_up).count();
    let waiting: u64 = health.boards.iter().map(|board| board.not_recorded).sum();
    let broker = if health.broker.up { "up" } else { "down" };
    let mut parts = vec![
        format!("{up} of {} boards answer", health.boards.len()),
        format!("broker {broker}"),
    ];
    if health.broker.waiting > 0 {
        parts.push(format!("{} messages wait", health.broker.waiting));
    }
    if waiting > 0 {
        parts.push(format!("{waiting} entries NOT RECORDED"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_journal::DaemonSession;
    use remisd_vocabulary::time::SystemClock;

    fn status(up: bool, published: u64, waiting: u64) -> BrokerStatus {
        let since = Timestamp::UNIX_EPOCH;
        let why = String::new();
        BrokerStatus {
            link: if up {
                ConnectionState::Up { since }
            } else {
                ConnectionState::Down { since, why }
            },
            outbox_depth: waiting,
            published,
            published_non_arbiter: published,
            refused: 0,
            reconnects: 0,
            taken_over: 0,
            commands_dropped: 0,
            replies_dropped: 0,
        }
    }

    #[test]
    fn a_session_that_sends_nothing_to_a_broker_that_is_there_is_stuck() {
        let mut progress = Progress::default();
        assert!(progress.is_made(&status(true, 5, 3), Moment::START));
        assert!(progress.is_made(&status(true, 5, 3), Moment::from_millis(1_000)));
        assert!(progress.is_made(&status(true, 5, 9), Moment::START + STUCK));
        assert!(!progress.is_made(&status(true, 5, 9), Moment::from_millis(1_000) + STUCK));
        assert!(progress.is_made(&status(true, 6, 9), Moment::from_millis(1_001) + STUCK));
        assert!(
            progress.is_made(&status(false, 6, 9), Moment::START + STUCK * 9),
            "no broker"
        );
        assert!(
            progress.is_made(&status(true, 6, 0), Moment::START + STUCK * 10),
            "nothing waits"
        );
    }

    #[tokio::test]
    async fn an_actor_that_does_not_answer_is_noticed() {
        let directory = tempfile::tempdir().unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let session = DaemonSession::begin().unwrap();
        let (journal, _) = Journal::open(directory.path(), session, clock.clone()).unwrap();
        let site: SiteId = "hall".parse().unwrap();
        let (requests, mut questions) = mpsc::channel::<HealthRequest>(1);
        let board: BoardId = "b1".parse().unwrap();
        let watchdog = Watchdog {
            publisher: Publisher::detached(&site),
            site,
            node: "remisd".parse().unwrap(),
            session: "s".to_owned(),
            boards: vec![WatchedBoard {
                board: board.clone(),
                requests,
                blocked: Blocked::default(),
            }],
            journal,
            failed_commands: FailedCommands::default(),
            broadcast: watch::channel(Report::default()).1,
            clock,
            progress: Progress::default(),
            look: watch::channel(None).0,
        };
        let within = Duration::from_secs(2);
        let hangs = watchdog.health(&status(true, 0, 0), within).await;
        assert!(!hangs.alive && hangs.journal_answers);
        assert!(!hangs.boards[0].answers);

        drop(questions.recv().await);
        let actor = tokio::spawn(async move {
            let question = questions.recv().await.unwrap();
            let mut health = BoardHealth::silent(&board);
            health.answers = true;
            question.send(health).unwrap();
        });
        let health = watchdog
            .health(&status(true, 0, 0), Duration::from_secs(5))
            .await;
        assert!(health.alive);
        actor.await.unwrap();
    }
}
