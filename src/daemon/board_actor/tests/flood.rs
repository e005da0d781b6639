//! Floods of commands on a slow disk.
//!
//! The test controls the time: it advances only when no work is left, so a busy machine changes no
//! result.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex},
};

use bytes::Bytes;
use tokio::task::yield_now;

use super::*;
use crate::{
    daemon::intake,
    publish::{self, payload::Reply},
};
use remisd_game::RefusalCode;
use remisd_vocabulary::seq::EntrySeq;

/// How long each sync of the disk takes.
const FSYNC_MS: u64 = 300;
/// The maximum latency of an answer to the arbiter.
const ANSWERED_MS: u64 = 1_000;
/// The step of the simulated time.
const STEP_MS: u64 = 10;
/// The intervals between two commands of a flood, and between two of the arbiter.
const FLOOD_MS: u64 = 20;
const ARBITER_MS: u64 = 370;
/// How often other tasks may run after something was done.
const TURNS: usize = 50;

/// A disk whose syncs take a while by its own clock.
#[derive(Clone, Default)]
struct Slow(Arc<(Mutex<Waits>, Condvar)>);

#[derive(Default)]
struct Waits {
    now: u64,
    takes: u64,
    count: u64,
    until: Vec<u64>,
}

impl Slow {
    fn set(&self, change: impl FnOnce(&mut Waits)) {
        change(&mut self.0.0.lock().unwrap());
        self.0.1.notify_all();
    }

    /// Returns whether a sync is under way that ends later, and the number of syncs so far.
    fn state(&self) -> (bool, u64) {
        let waits = self.0.0.lock().unwrap();
        let waits_on = waits.until.iter().any(|until| *until > waits.now);
        (waits_on, waits.count)
    }
}

impl Disk for Slow {
    fn sync_bytes(&self, _: &std::fs::File) -> std::io::Result<()> {
        let mut waits = self.0.0.lock().unwrap();
        let until = waits.now + waits.takes;
        waits.until.push(until);
        waits.count += 1;
        let mut waits = self.0.1.wait_while(waits, |w| w.now < until).unwrap();
        let done = waits.until.iter().position(|one| *one == until).unwrap();
        waits.until.swap_remove(done);
        Ok(())
    }

    fn sync_all(&self, file: &std::fs::File) -> std::io::Result<()> {
        self.sync_bytes(file)
    }

    /// It counts as part of the file's sync.
    fn sync_directory(&self, _: &std::path::Path) -> std::io::Result<()> {
        Ok(())
    }
}

/// A board that runs as in the daemon.
struct Hall {
    clock: Arc<ManualClock>,
    disk: Slow,
    journal: Journal,
    publisher: Publisher,
    intake: intake::Intake,
    failed_commands: FailedCommands,
    directory: tempfile::TempDir,
    _events: mpsc::Sender<BoardEvent>,
    _questions: mpsc::Sender<HealthRequest>,
    cancel: CancellationToken,
    task: tokio::task::JoinHandle<()>,
    now: u64,
    /// When each command was sent, and when it was answered.
    sent: BTreeMap<String, u64>,
    answers: BTreeMap<String, (u64, Reply)>,
}

impl Hall {
    async fn open() -> Self {
        let disk = Slow::default();
        let seat = Seat::on(&laws::FIDE_2023, disk.clone()).await;
        let Seat {
            clock,
            actor,
            journal,
            _directory: directory,
            ..
        } = seat;
        let (failed_commands, publisher) = (actor.failed_commands.clone(), actor.publisher.clone());
        let (mailbox, commands) = publish::commands(intake::ROOM);
        let mut intake = intake::Intake::new(
            actor.site.clone(),
            LIMITS,
            publisher.clone(),
            clock.clone(),
            failed_commands.clone(),
        );
        intake.add_board(actor.board.clone(), mailbox);
        let (events_to, events) = mpsc::channel(16);
        let (questions_to, inbox) = inbox(events, commands);
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        tokio::time::pause();
        disk.set(|waits| waits.takes = FSYNC_MS);
        let task = tokio::spawn(async move { Box::pin(actor.run(inbox, stop)).await });
        let mut hall = Self {
            clock,
            disk,
            journal,
            publisher,
            intake,
            failed_commands,
            directory: directory.unwrap(),
            _events: events_to,
            _questions: questions_to,
            cancel,
            task,
            now: 0,
            sent: BTreeMap::new(),
            answers: BTreeMap::new(),
        };
        // The entries of the start must reach the disk.
        for _ in 0..200 {
            hall.step().await;
        }
        hall
    }

    /// Waits until no work is left at the current time.
    async fn rest(&self) {
        loop {
            for _ in 0..TURNS {
                yield_now().await;
            }
            let (is_busy, before) = self.disk.state();
            if is_busy {
                return;
            }
            let mut ping = std::pin::pin!(self.journal.ping());
            while futures_util::poll!(ping.as_mut()).is_pending() {
                if self.disk.state().0 {
                    return;
                }
                yield_now().await;
            }
            for _ in 0..TURNS {
                yield_now().await;
            }
            if self.disk.state() == (false, before) {
                return;
            }
        }
    }

    async fn step(&mut self) {
        self.now += STEP_MS;
        self.clock.advance(STEP_MS);
        self.disk.set(|waits| waits.now += STEP_MS);
        tokio::time::advance(Duration::from_millis(STEP_MS)).await;
        self.rest().await;
        for message in self.publisher.full_snapshot() {
            if message.topic.contains("/reply/")
                && let Ok(reply) = serde_json::from_slice::<Reply>(&message.payload)
                && let Some(id) = reply.id.clone()
            {
                self.answers.entry(id).or_insert((self.now, reply));
            }
        }
    }

    fn send(&mut self, role: &str, verb: &str, payload: impl Into<Bytes>) {
        self.send_with(role, verb, payload, false, None);
    }

    fn send_with(
        &mut self,
        role: &str,
        verb: &str,
        payload: impl Into<Bytes>,
        retain: bool,
        correlation: Option<Bytes>,
    ) {
        let user = match role {
            "arbiter" | "operator" => role.to_owned(),
            _ => format!("b1-{role}"),
        };
        self.intake.take(CommandMessage {
            topic: format!("chess/v1/hall/cmd/{role}/b1/{verb}"),
            payload: payload.into(),
            retain,
            response_topic: Some(format!("chess/v1/hall/reply/{user}/x")),
            correlation,
            at: None,
        });
    }

    /// Runs a flood for this time while the arbiter sends commands.
    async fn flooded(&mut self, for_ms: u64, mut flood: impl FnMut(&mut Self, u64)) {
        let end = self.now + for_ms;
        while self.now < end {
            if self.now.is_multiple_of(FLOOD_MS) {
                let n = self.now / FLOOD_MS;
                flood(self, n);
            }
            if (self.now / STEP_MS).is_multiple_of(ARBITER_MS / STEP_MS) {
                let id = format!("arbiter-{}", self.now);
                let payload = format!("{{\"id\":\"{id}\",\"headers\":{{\"Round\":\"{id}\"}}}}");
                self.send("arbiter", "headers", payload);
                self.sent.insert(id, self.now);
            }
            self.step().await;
        }
        // The last commands are answered as well.
        for _ in 0..ANSWERED_MS / STEP_MS {
            self.step().await;
        }
    }

    /// Returns the longest latency of an answer to the arbiter.
    fn longest(&self) -> u64 {
        let waited = self.sent.iter().map(|(id, sent)| {
            let (at, reply) = self.answers.get(id).unwrap_or_else(|| panic!("{id}"));
            assert!(reply.ok && reply.recorded, "{reply:?}");
            at - sent
        });
        waited.max().expect("the arbiter has commanded something")
    }

    fn answered(&self, code: RefusalCode) -> usize {
        let answers = self.answers.values();
        answers
            .filter(|(_, reply)| reply.code == Some(code))
            .count()
    }

    /// Returns the size of the journal in bytes.
    fn written(&self) -> u64 {
        let files = std::fs::read_dir(self.directory.path().join("b1")).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum()
    }

    async fn close(self) {
        self.disk.set(|waits| waits.takes = 0);
        self.disk.set(|waits| waits.now += 10 * FSYNC_MS);
        tokio::time::resume();
        self.cancel.cancel();
        self.task.await.unwrap();
    }
}

/// Imitates a player's device that sends without pause.
fn player(hall: &mut Hall, n: u64) {
    let verb = [
        "offer", "accept", "claim", "adjust", "pause", "resign", "decline",
    ];
    let verb = verb[usize::try_from(n).unwrap() % 6];
    let payload = format!("{{\"id\":\"white-{n}\",\"kind\":\"threefold\"}}");
    hall.send("white", verb, payload);
}

#[tokio::test]
async fn the_arbiter_is_answered_within_a_second_on_a_slow_disk_under_a_flood() {
    let mut hall = Hall::open().await;
    let before = hall.written();
    let seconds = 20;
    hall.flooded(seconds * 1_000, player).await;
    let longest = hall.longest();
    println!("the arbiter waited {longest} ms at most");
    assert!(longest <= ANSWERED_MS, "{longest} ms");
    // 50 a second were sent; 5 a second and a burst of 20 were accepted.
    let taken = LIMITS.player * (seconds + LIMITS.burst_s);
    let busy = hall.answered(RefusalCode::Busy) as u64;
    assert!(busy >= 50 * seconds - taken - 1, "{busy}");
    assert_eq!(hall.failed_commands.dropped(), 0, "each was answered");
    let grown = hall.written() - before;
    let arbiter = hall.sent.len() as u64;
    println!("the journal has grown by {grown} bytes");
    assert!(grown <= (taken + arbiter) * 1_536, "{grown} bytes");
    hall.close().await;
}

#[tokio::test]
async fn no_other_flood_keeps_the_arbiter_waiting() {
    type Flood = fn(&mut Hall, u64);
    let floods: [(&str, Flood); 10] = [
        ("two players", |hall, n| {
            player(hall, n);
            let payload = format!("{{\"id\":\"black-{n}\"}}");
            hall.send("black", "offer", payload);
        }),
        ("a clock", |hall, n| {
            let payload = format!(
                "{{\"id\":\"c{n}\",\"white_ms\":{n},\"black_ms\":5,\"running\":\"white\"}}"
            );
            hall.send("clock", "clock_state", payload);
        }),
        // Every change of a header records all headers, so the arbiter's commands grow as well.
        ("an operator with long headers", |hall, n| {
            let value = "x".repeat(200);
            let headers: BTreeMap<String, &str> =
                (0..60).map(|k| (format!("H{k}"), &*value)).collect();
            let payload = serde_json::json!({"id": format!("o{n}"), "headers": headers});
            hall.send("operator", "headers", payload.to_string());
        }),
        ("new games", |hall, n| {
            hall.send("operator", "new_game", format!("{{\"id\":\"g{n}\"}}"));
        }),
        ("huge payloads", |hall, _| {
            hall.send("white", "offer", "x".repeat(200_000));
        }),
        ("no JSON", |hall, _| {
            hall.send("black", "offer", "{nonsense");
        }),
        ("refused at full length", |hall, n| {
            let moves = vec!["Nf3"; 2_000];
            let payload = serde_json::json!({"id": format!("r{n}"), "to_ply": 900, "moves": moves});
            hall.send("operator", "setup", payload.to_string());
        }),
        ("retained", |hall, n| {
            let payload = format!("{{\"id\":\"k{n}\"}}");
            hall.send_with("white", "offer", payload, true, None);
        }),
        ("long correlation data", |hall, n| {
            let payload = format!("{{\"id\":\"l{n}\"}}");
            let long = Some(Bytes::from(vec![b'x'; 100_000]));
            hall.send_with("white", "offer", payload, false, long);
        }),
        ("nobody", |hall, n| {
            hall.send("emperor", "offer", format!("{{\"id\":\"e{n}\"}}"));
        }),
    ];
    for (name, flood) in floods {
        let mut hall = Hall::open().await;
        let before = hall.written();
        hall.flooded(5_000, flood).await;
        let (longest, grown) = (hall.longest(), hall.written() - before);
        println!("{name}: {longest} ms, {grown} bytes");
        assert!(longest <= ANSWERED_MS, "{name}: {longest} ms");
        let bound = if name.contains("headers") {
            600_000
        } else {
            150_000
        };
        assert!(grown < bound, "{name}: {grown} bytes");
        hall.close().await;
    }
}

#[tokio::test]
async fn only_the_arbiter_uses_up_the_queue_of_a_disk_that_is_down() {
    let disk = Quick::default();
    let mut seat = Seat::on(&laws::FIDE_2023, disk.clone()).await;
    disk.fails.store(true, std::sync::atomic::Ordering::SeqCst);
    assert!(seat.asks(Role::Arbiter, "headers", "\"headers\":{}").await);
    let mut refused = 0;
    for n in 0..1_000 {
        let message = CommandMessage {
            topic: "chess/v1/hall/cmd/white/b1/adjust".to_owned(),
            payload: format!("{{\"id\":\"w{n}\"}}").into(),
            retain: false,
            response_topic: None,
            correlation: None,
            at: None,
        };
        seat.actor.command(&message, &seat.answer).await;
        let answered = seat.game().answer(Role::White, &format!("w{n}"));
        refused += usize::from(answered.is_none());
    }
    assert!(seat.actor.record.waiting() < 600, "room is left");
    assert!(refused > 400, "{refused}");
    assert!(seat.asks(Role::Arbiter, "headers", "\"headers\":{}").await);
}

#[tokio::test]
async fn a_long_command_that_is_refused_leaves_only_why() {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let moves = vec!["Nf3"; 1_000];
    let arguments = format!("\"to_ply\":900,\"moves\":{}", serde_json::json!(moves));
    assert!(!seat.asks(Role::Arbiter, "correct", &arguments).await);
    let board: BoardId = "b1".parse().unwrap();
    let reader = seat.actor.record.reader().clone();
    let last = reader.read_after(&board, seat.game().seq() - 1, 9).unwrap();
    let last: serde_json::Value = serde_json::from_slice(&last[0].body).unwrap();
    let input = &last["input"];
    assert_eq!(input["type"], "command_refused");
    assert_eq!(
        (&input["role"], &input["verb"]),
        (&"arbiter".into(), &"correct".into())
    );
    assert!(last.to_string().len() < 1_500, "{last}");
    // The same command gets the same answer, even after a restart.
    let entries = reader.read_after(&board, EntrySeq::ZERO, 99).unwrap();
    let mut again = Game::new(Rules::default());
    for entry in entries {
        let remembered = serde_json::from_slice(&entry.body).unwrap();
        again.replay(entry.seq, &remembered);
    }
    let id = input["id"].as_str().unwrap();
    assert_eq!(
        again.answer(Role::Arbiter, id),
        seat.game().answer(Role::Arbiter, id)
    );
    assert!(again.answer(Role::Arbiter, id).is_some());
}
