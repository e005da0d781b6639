//! The faults around the daemon, one after the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use shakmaty::{Chess, Move, Position as _, uci::UciMove};
use tokio::time::{error::Elapsed, sleep, timeout};

use crate::{
    BOARDS,
    disk::SmallDisk,
    player::{Hall, is_certain},
};
use remisd_testkit::{
    PATIENCE,
    by_hand::Cable,
    gate::{Gate, GateState},
    mosquitto::Mosquitto,
    poll::poll_until,
    received::Received,
    remisd::{Remisd, entries_of},
    witness::Witness,
};

/// The faults caused so far, by kind.
#[derive(Debug, Default)]
pub struct Done(BTreeMap<&'static str, u64>);

/// No ply for this long means that all players are waiting.
const STANDSTILL: Duration = Duration::from_millis(400);

const KILL: &str = "daemon killed";
const BROKER_LOST: &str = "broker killed without its memory";

impl Done {
    fn count(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }

    /// How often the daemon was killed.
    pub fn kills(&self) -> u64 {
        self.times(KILL)
    }

    /// How often the broker was killed.
    pub fn brokers_lost(&self) -> u64 {
        self.times(BROKER_LOST)
    }

    fn times(&self, kind: &str) -> u64 {
        self.0.get(kind).copied().unwrap_or(0)
    }
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = self.0.iter();
        let kinds: Vec<String> = kinds.map(|(kind, n)| format!("{kind} {n}")).collect();
        f.write_str(&kinds.join(", "))
    }
}

/// Causes faults and repairs them.
pub struct Mischief {
    pub daemon: Option<Remisd>,
    pub broker: Mosquitto,
    pub gate: Gate,
    pub disk: Option<SmallDisk>,
    pub cables: Vec<Cable>,
    pub witness: Arc<Witness>,
    pub received: Received,
    pub hall: Arc<Hall>,
    pub random: fastrand::Rng,
    pub done: Done,
    /// The numbers of the removed entries, by board.
    pub taken: BTreeMap<String, BTreeSet<u64>>,
}

impl Mischief {
    /// Causes the next fault and waits for its end.
    pub async fn another(&mut self) {
        self.plies(4).await;
        match self.random.u64(..20) {
            0..=7 => self.restart().await,
            8 => {
                self.restart().await;
                self.restart().await; // it may not even have started
            }
            9..=11 => self.cut_the_journal().await,
            12 => self.lose_the_broker().await,
            13 => self.freeze_the_broker().await,
            14 => self.cut_the_network(false).await,
            15 => self.cut_the_network(true).await,
            16 => self.slow_the_network().await,
            17 => self.pull_a_cable().await,
            18 => self.fill_the_disk().await,
            _ => self.command_twice().await,
        }
    }

    /// Waits until a random number of plies, at most `most`, has been played in the hall, then for
    /// a moment independent of any ply.
    async fn plies(&mut self, most: u64) {
        self.plies_within(most, PATIENCE)
            .await
            .expect("no player plays any more");
    }

    /// The same, where the players may have to wait for a repair.
    async fn plies_at_most(&mut self, most: u64) {
        self.plies_within(most, STANDSTILL).await.ok();
    }

    async fn plies_within(&mut self, most: u64, patience: Duration) -> Result<(), Elapsed> {
        let more = self.random.u64(..=most);
        let instant = Duration::from_millis(self.random.u64(..60));
        let mut plies = self.hall.plies.subscribe();
        let until = *plies.borrow_and_update() + more;
        // The caller may hold a lock that keeps the players from counting their plies.
        let played = timeout(patience, plies.wait_for(|plies| *plies >= until))
            .await
            .map(drop);
        sleep(instant).await;
        played
    }

    async fn kill(&mut self) {
        self.done.count(KILL);
        self.daemon.take().unwrap().kill().await;
    }

    async fn restart(&mut self) {
        self.kill().await;
        if self.random.u64(..2) == 0 {
            self.plies_at_most(2).await;
        }
        self.daemon = Some(self.hall.home.start());
    }

    /// A power cut during a write: part or all of the last entry is missing.
    async fn cut_the_journal(&mut self) {
        let pieces = Arc::clone(&self.hall.pieces);
        let at_rest = pieces.write().await;
        self.kill().await;
        for board in BOARDS {
            self.cut_the_journal_of(board);
        }
        drop(at_rest);
        self.daemon = Some(self.hall.home.start());
    }

    fn cut_the_journal_of(&mut self, board: &str) {
        let Some(file) = self.hall.home.segments(board).pop() else {
            return;
        };
        let bytes = fs::read(&file).unwrap();
        let Some(b'\n') = bytes.last() else {
            return; // it is cut already
        };
        let last = entries_of(&file).pop();
        let Some(last) = last.filter(|entry| can_be_found_again(&self.hall, board, entry)) else {
            return;
        };
        let before = &bytes[..bytes.len() - 1];
        let begins = before.iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
        let last_line = (bytes.len() - begins) as u64;
        let length = begins as u64 + self.random.u64(..last_line);
        let file = fs::File::options().write(true).open(file).unwrap();
        file.set_len(length).unwrap();
        let seq = last["seq"].as_u64().unwrap();
        self.taken.entry(board.to_owned()).or_default().insert(seq);
        self.done.count("last entry of a journal cut");
    }

    async fn lose_the_broker(&mut self) {
        self.done.count(BROKER_LOST);
        self.gate.set(GateState::Stuck);
        self.hand_on().await;
        self.broker.kill().await;
        self.plies_at_most(12).await;
        // The witness must be connected before the daemon returns: events are not retained.
        self.gate.set(GateState::Shut);
        let connections = self.witness.connections();
        self.broker.restart().await;
        self.witness.connected(connections + 1).await;
        self.gate.set(GateState::Open);
    }

    /// Waits until the witness has received everything that the broker accepted. A dying broker
    /// loses messages that it has acknowledged but not delivered, and the daemon could not know.
    async fn hand_on(&self) {
        let number = self.done.brokers_lost();
        let marker = format!("chess/v1/hall/reply/tester/handed-on-{number}");
        let mut received = self.received.clone();
        self.witness.publish(&marker, "{}").await;
        let handed_on = timeout(PATIENCE, async {
            while self.received.reply(&marker).is_none() {
                received.news().await;
            }
        });
        handed_on.await.expect("the broker hands nothing on");
    }

    async fn freeze_the_broker(&mut self) {
        self.done.count("broker frozen");
        self.broker.freeze(true).await;
        self.plies_at_most(20).await;
        self.broker.freeze(false).await;
    }

    async fn cut_the_network(&mut self, silently: bool) {
        self.done.count("network cut");
        self.gate.set(if silently {
            GateState::Stuck
        } else {
            GateState::Shut
        });
        self.plies_at_most(20).await;
        if self.random.u64(..2) == 0 {
            self.restart().await;
        }
        self.plies_at_most(20).await;
        self.gate.set(GateState::Open);
    }

    async fn slow_the_network(&mut self) {
        self.done.count("network slowed down");
        let by = Duration::from_millis(1 + self.random.u64(..300));
        self.gate.set(GateState::Slow(by));
        self.plies_at_most(40).await;
        self.gate.set(GateState::Open);
    }

    async fn pull_a_cable(&mut self) {
        self.done.count("cable pulled");
        let one = self.random.usize(..BOARDS.len());
        self.cables[one].unplug();
        self.plies_at_most(20).await;
        if self.random.u64(..3) == 0 {
            self.restart().await;
        }
        self.cables[one].plug_in();
    }

    /// Fills the disk. The moves played while it is full exist only in memory, so no other fault occurs
    /// until they are on the disk.
    async fn fill_the_disk(&mut self) {
        let Some(disk) = &self.disk else {
            return;
        };
        self.done.count("disk filled");
        let pieces = Arc::clone(&self.hall.pieces);
        let at_rest = pieces.write().await;
        // From now on the shown game counts, so it must not come from a daemon whose journal was
        // cut since.
        for board in BOARDS {
            self.shows_what_is_recorded(board).await;
        }
        self.hall.disk_full.store(true, Ordering::SeqCst);
        disk.fill();
        drop(at_rest);
        self.plies_at_most(40).await;
        let at_rest = pieces.write().await;
        self.disk.as_ref().unwrap().free();
        for board in BOARDS {
            self.is_recorded(board).await;
        }
        self.hall.disk_full.store(false, Ordering::SeqCst);
        drop(at_rest);
    }

    async fn shows_what_is_recorded(&self, board: &str) {
        let differs = || format!("{board}: the retained game is not the recorded one");
        poll_until(PATIENCE, differs, || {
            let shown = self.received.of(board, |received| received.game.clone());
            shown.is_none_or(|shown| shown == self.hall.recorded(board))
        })
        .await;
    }

    async fn is_recorded(&self, board: &str) {
        let missing = || format!("{board}: the disk has room and nothing is written");
        poll_until(PATIENCE, missing, || {
            let recorded = self.hall.recorded(board);
            // A game that was only shown so far may already have begun for its player.
            let shown = self.received.of(board, |received| received.game.clone());
            let (game, plies) = shown.map_or((0, 0), |(game, moves)| (game, moves.len()));
            let played = self.hall.played(board).pop().unwrap_or_default();
            let between = self.hall.between.lock().unwrap().contains(board);
            let whole = between || recorded.1 == played;
            whole && (recorded.0, recorded.1.len()) >= (game, plies)
        })
        .await;
    }

    /// The answer to a command is lost with the daemon, so the sender repeats the command.
    async fn command_twice(&mut self) {
        self.done.count("command given twice");
        let board = BOARDS[usize::try_from(self.random.u64(..4)).unwrap()];
        let number = self.done.kills();
        let command = json!({"id": format!("c{number}"), "headers": {"Round": number.to_string()}});
        let first = self.command(board, &command, "first").await;
        assert_eq!(first["ok"], true, "{first}");
        self.restart().await;
        let second = self.command(board, &command, "second").await;
        assert_eq!(first, second);
        let entries = self.hall.home.entries(board);
        let done = entries
            .iter()
            .filter(|entry| entry["input"]["id"] == command["id"]);
        assert_eq!(done.count(), 1, "{command}");
    }

    /// Repeats a command until it is answered.
    async fn command(&self, board: &str, command: &Value, time: &str) -> Value {
        let id = command["id"].as_str().unwrap();
        let answers = format!("chess/v1/hall/reply/tester/{id}-{time}");
        let mut request = command.clone();
        request["reply_to"] = json!(answers);
        let topic = format!("chess/v1/hall/cmd/arbiter/{board}/headers");
        let mut received = self.received.clone();
        let answered = timeout(PATIENCE, async {
            loop {
                let payload = serde_json::to_vec(&request).unwrap();
                self.witness.publish(&topic, payload).await;
                let soon = timeout(Duration::from_millis(500), async {
                    loop {
                        if let Some(answer) = self.received.reply(&answers) {
                            return answer;
                        }
                        received.news().await;
                    }
                });
                if let Ok(answer) = soon.await {
                    return answer;
                }
            }
        });
        answered.await.expect("no answer")
    }
}

/// Whether the board would still show the content of the last entry if that were lost.
fn can_be_found_again(hall: &Hall, board: &str, last: &Value) -> bool {
    let facts = last["facts"].as_array().unwrap();
    if hall.between.lock().unwrap().contains(board) {
        return false; // the board shows no game
    }
    if facts.iter().any(|fact| fact["type"] == "game_started") {
        return false; // the start position is no longer on the board
    }
    if last["input"]["type"] == "command" {
        return false; // no sensor shows a command
    }
    let made = facts.iter().filter(|fact| fact["type"] == "move_made");
    let known = hall.recorded(board).1.len() - made.count();
    let played = hall.played(board).pop().unwrap_or_default();
    let mut position = Chess::default();
    let mut unseen: Vec<Move> = Vec::new();
    let mut from = position.clone();
    for (at, uci) in played.iter().enumerate() {
        if at == known {
            from = position.clone();
        }
        let made = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(made);
        if at >= known {
            unseen.push(made);
        }
    }
    unseen.len() <= 1 || unseen.len() == 2 && is_certain(&from, &unseen)
}
