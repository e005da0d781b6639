//! Three computers with a daemon and two boards each, on which real games are played.

use std::sync::Arc;

use remisd::simulate::score;
use serde_json::Value;

use crate::network::{BROKER, Computer};
use remisd_testkit::{
    PATIENCE,
    by_hand::ByHand,
    poll::poll_until,
    received::{BoardLog, Received},
    remisd::{Home, PROGRAM, Remisd, word},
    witness::{Message, Witness},
};

const GAMES: &str = include_str!("../data/games/otb-2025.pgn");
const BOARDS: usize = 2;
/// Runs hand and board twenty times as fast.
const QUICK: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\n\
    new_game_ms = 1200\nmismatch_ms = 9000\n[board.dgt]\ncommand_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\n\
    dump_every_ms = 250\n";

/// A board, with the progress of its game.
struct Table {
    name: String,
    board: ByHand,
    game: Vec<String>,
    made: usize,
}

/// A computer with a daemon and its boards.
pub struct Node {
    pub name: String,
    pub computer: Computer,
    home: Home,
    daemon: Remisd,
    tables: Vec<Table>,
}

impl Node {
    pub fn boards(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| table.name.as_str())
    }
}

/// All computers, and their listeners.
pub struct Hall {
    pub nodes: Vec<Node>,
    pub received: Received,
    /// Receives who is present.
    pub presence: Witness,
}

/// The moves reported by facts.
fn moves<'a>(entries: impl Iterator<Item = &'a Value>) -> Vec<String> {
    let mut moves = Vec::new();
    for fact in entries.flat_map(|entry| entry["facts"].as_array().unwrap()) {
        match fact["type"].as_str().unwrap() {
            "game_started" => moves.clear(),
            "move_made" => moves.push(fact["uci"].as_str().unwrap().to_owned()),
            "move_retracted" => drop(moves.pop()),
            _ => {}
        }
    }
    moves
}

fn received_moves(of: &BoardLog) -> Vec<String> {
    moves(of.events.iter().map(|(_, event)| event))
}

impl Hall {
    /// Starts the hall, with a broker that listens at `port` for the other computers.
    pub async fn open(port: u16, witness: Arc<Witness>, presence: Witness) -> Self {
        let mut games: Vec<Vec<String>> = score::read(GAMES)
            .unwrap()
            .into_iter()
            .flatten()
            .map(|game| game.plies.into_iter().map(|ply| ply.uci).collect())
            .collect();
        games.sort_by_key(Vec::len); // the longest are dealt first
        let mut nodes = Vec::new();
        for number in 1..=3 {
            let name = format!("n{number}");
            let boards: Vec<String> = (1..=BOARDS).map(|b| format!("{name}-b{b}")).collect();
            let names: Vec<&str> = boards.iter().map(String::as_str).collect();
            let url = format!("mqtt://{BROKER}:{port}");
            let site = format!("[site]\nnode = \"{name}\"\n");
            let home = Home::new(&url, &site, &names, QUICK);
            let tables = boards.iter().map(|board| Table {
                name: board.clone(),
                board: ByHand::start(&home.port(board)),
                game: games.pop().unwrap(),
                made: 0,
            });
            let tables = tables.collect();
            let computer = Computer::new(number).await;
            let daemon = home.start_by(computer.inside(word(&PROGRAM)), &[]);
            nodes.push(Node {
                name,
                computer,
                home,
                daemon,
                tables,
            });
        }
        let hall = Self {
            nodes,
            received: Received::by(witness),
            presence,
        };
        for node in 0..hall.nodes.len() {
            hall.is_trusted(node, true).await;
        }
        hall
    }

    /// Waits until the topics say that all boards of a node are to be trusted, or that none is.
    pub async fn is_trusted(&self, node: usize, trusted: bool) {
        let node = &self.nodes[node];
        let wanted = |all: &[Message]| {
            let all_so = node
                .boards()
                .all(|board| is_online(all, &node.name, board) == trusted);
            all_so.then_some(())
        };
        self.presence.until("word of who is there", wanted).await;
    }

    /// Plays one ply at every board. If the daemon is connected, the ply must be received;
    /// otherwise it must be in the journal.
    pub async fn round(&mut self, cut_off: Option<usize>) {
        for (number, node) in self.nodes.iter_mut().enumerate() {
            for table in &mut node.tables {
                let Some(uci) = table.game.get(table.made) else {
                    continue;
                };
                table.board.play(uci).await;
                table.made += 1;
                let played = &table.game[..table.made];
                if Some(number) == cut_off {
                    let recorded = || moves(node.home.entries(&table.name).iter()) == played;
                    until_so(&node.daemon, recorded).await;
                } else {
                    let received = || {
                        self.received
                            .of(&table.name, |of| received_moves(of) == played)
                    };
                    until_so(&node.daemon, received).await;
                }
            }
        }
    }

    /// Checks that no recorded move is missing, repeated, altered or out of order, and that the
    /// retained game is the one played.
    pub async fn check_complete(&mut self) -> usize {
        let mut entries = 0;
        for node in &self.nodes {
            for table in &node.tables {
                let newest = || {
                    node.home.entries(&table.name).last().unwrap()["seq"]
                        .as_u64()
                        .unwrap()
                };
                let all = || self.received.of(&table.name, |of| of.newest() >= newest());
                until_so(&node.daemon, all).await;
                let played = &table.game[..table.made];
                let shown = || {
                    self.received.of(&table.name, |of| {
                        of.game.as_ref().is_some_and(|(_, made)| made == played)
                    })
                };
                until_so(&node.daemon, shown).await;
                let written = node.home.entries(&table.name);
                self.received.of(&table.name, |of| {
                    let name = &table.name;
                    assert!(
                        of.changed.is_empty(),
                        "{name}: {:?} in two ways",
                        of.changed
                    );
                    assert!(of.late.is_empty(), "{name}: {:?} out of order", of.late);
                    assert_eq!(received_moves(of), *played, "{name}");
                    assert_eq!(moves(written.iter()), *played, "{name}");
                    let received: Vec<u64> = of.events.iter().map(|(seq, _)| *seq).collect();
                    let seqs: Vec<u64> =
                        written.iter().map(|e| e["seq"].as_u64().unwrap()).collect();
                    assert_eq!(received, seqs, "{name}");
                    assert!(
                        seqs.windows(2).all(|two| two[1] == two[0] + 1),
                        "{name}: {seqs:?}"
                    );
                    for ((_, event), entry) in of.events.iter().zip(&written) {
                        // A later version may know more facts, but none may be missing.
                        assert_eq!(event["facts"], entry["facts"], "{name}: {event}");
                    }
                    entries += seqs.len();
                });
            }
        }
        entries
    }

    /// The published states of a node, in order, without repetitions.
    pub fn states(&self, node: &str) -> Vec<String> {
        let topic = format!("chess/v1/hall/node/{node}/state");
        let all = self.presence.messages();
        let states = all.iter().filter(|message| message.topic == topic);
        let mut states: Vec<String> = states.map(state).collect();
        states.dedup();
        states
    }

    /// The published availability of a board since it was first online, in order, without
    /// repetitions.
    pub fn availabilities(&self, board: &str) -> Vec<String> {
        let topic = format!("chess/v1/hall/arbiter/{board}/availability");
        let all = self.presence.messages();
        let states = all
            .iter()
            .filter(|message| message.topic == topic)
            .map(state);
        let mut states: Vec<String> = states.skip_while(|state| state != "online").collect();
        states.dedup();
        states
    }

    /// Stops all daemons; none may have stopped on its own.
    pub async fn close(self) {
        for mut node in self.nodes {
            assert!(node.daemon.is_running(), "{}", node.daemon.log());
            assert!(
                !node.daemon.log().contains("panicked"),
                "{}",
                node.daemon.log()
            );
            assert!(node.daemon.terminate().await.success());
        }
    }
}

fn state(message: &Message) -> String {
    message.json()["state"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// What a client relies on: the state of the board and of its node.
fn is_online(all: &[Message], node: &str, board: &str) -> bool {
    let says = |topic: String| {
        let newest = all.iter().rev().find(|message| message.topic == topic);
        newest.is_some_and(|message| state(message) == "online")
    };
    says(format!("chess/v1/hall/node/{node}/state"))
        && says(format!("chess/v1/hall/arbiter/{board}/availability"))
}

async fn until_so(daemon: &Remisd, so: impl Fn() -> bool) {
    let missing = || format!("it does not come:\n{}", daemon.log());
    poll_until(PATIENCE, missing, so).await;
}
