//! Compares the moves played with every record of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use remisd::pgn::Games;
use remisd_testkit::received::{BoardLog, KnownGame};
use serde_json::Value;
use shakmaty::{CastlingMode, Position as _};

use crate::player;

/// The errors of an account, fact by fact.
#[derive(Debug, Default)]
pub struct Wrong {
    pub facts: usize,
    pub lost: Vec<String>,
    pub doubled: Vec<String>,
    pub out_of_order: Vec<String>,
    /// Any other disagreement.
    pub other: Vec<String>,
}

impl Wrong {
    pub fn is_empty(&self) -> bool {
        let all = [&self.lost, &self.doubled, &self.out_of_order, &self.other];
        all.into_iter().all(Vec::is_empty)
    }

    pub fn add(&mut self, other: Self) {
        self.facts += other.facts;
        self.lost.extend(other.lost);
        self.doubled.extend(other.doubled);
        self.out_of_order.extend(other.out_of_order);
        self.other.extend(other.other);
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} facts: {} lost, {} doubled, {} out of order",
            self.facts,
            self.lost.len(),
            self.doubled.len(),
            self.out_of_order.len()
        )?;
        let all = [&self.lost, &self.doubled, &self.out_of_order, &self.other];
        for text in all.into_iter().flatten() {
            writeln!(f, "  {text}")?;
        }
        Ok(())
    }
}

/// Compares the games of an account with those that were played.
pub fn games(account: &str, played: &[Vec<String>], reported: &[Vec<String>]) -> Wrong {
    let mut wrong = Wrong::default();
    for number in 0..played.len().max(reported.len()) {
        let empty = Vec::new();
        let played = played.get(number).unwrap_or(&empty);
        let reported = reported.get(number).unwrap_or(&empty);
        wrong.facts += played.len();
        let same = played
            .iter()
            .zip(reported)
            .take_while(|(a, b)| a == b)
            .count();
        let what = format!(
            "{account}: game {number}, ply {}: played {:?}, reported {:?}",
            same + 1,
            &played[same..],
            &reported[same..]
        );
        let mut sorted = (played[same..].to_vec(), reported[same..].to_vec());
        sorted.0.sort();
        sorted.1.sort();
        match played.len().cmp(&reported.len()) {
            _ if same == played.len().max(reported.len()) => {}
            std::cmp::Ordering::Equal if sorted.0 == sorted.1 => wrong.out_of_order.push(what),
            std::cmp::Ordering::Less => wrong.doubled.push(what),
            _ => wrong.lost.push(what),
        }
    }
    wrong
}

/// The games in a journal that have moves.
pub fn in_journal(entries: &[Value]) -> Vec<Vec<String>> {
    let mut games: Vec<KnownGame> = vec![(0, Vec::new())];
    for fact in entries.iter().flat_map(|e| e["facts"].as_array().unwrap()) {
        if fact["type"] == "game_started" {
            games.push((0, Vec::new()));
        }
        player::take(fact, games.last_mut().unwrap());
    }
    let games = games.into_iter().map(|(_, moves)| moves);
    games.filter(|moves| !moves.is_empty()).collect()
}

/// The games of a PGN text, in UCI.
pub fn in_pgn(text: &str) -> Vec<Vec<String>> {
    let mut games = Vec::new();
    for game in Games::new(text.as_bytes()) {
        let game = game.unwrap();
        let mut position = game.start().unwrap();
        let mut moves = Vec::new();
        for written in &game.moves {
            let made = written.to_move(&position).unwrap();
            moves.push(made.to_uci(CastlingMode::Standard).to_string());
            position.play_unchecked(made);
        }
        games.push(moves);
    }
    games
}

/// The numbers of the entries that the journal itself reports as lost.
pub fn reported_lost(entries: &[Value]) -> BTreeSet<u64> {
    let inputs = entries.iter().map(|entry| &entry["input"]);
    let losses = inputs.filter(|input| input["type"] == "entries_lost");
    let ranges = losses.flat_map(|input| input["lost"].as_array().unwrap());
    let end = |range: &Value, end: &str| range[end].as_u64().unwrap();
    ranges
        .flat_map(|range| end(range, "from")..=end(range, "to"))
        .collect()
}

/// Compares the events received with the entries of a journal. A fault removed the entries numbered
/// `taken`. The number of a removed entry is reused if no one can know of the entry. Otherwise the
/// journal reports it as lost. No other entry may be lost.
pub fn events(board: &str, entries: &[Value], received: &BoardLog, taken: &BTreeSet<u64>) -> Wrong {
    let mut wrong = Wrong::default();
    let reported_lost = reported_lost(entries);
    for seq in reported_lost.difference(taken) {
        let what = format!("{board}: the journal has lost entry {seq}, which no fault removed");
        wrong.lost.push(what);
    }
    let due = (1..).filter(|seq| !reported_lost.contains(seq));
    for (due, entry) in due.zip(entries) {
        if entry["seq"] != due {
            let what = format!("{board}: entry {due} of the journal: {entry}");
            wrong.out_of_order.push(what);
        }
    }
    let mut unmatched: BTreeMap<u64, &Value> = BTreeMap::new();
    unmatched.extend(received.events.iter().map(|(seq, event)| (*seq, event)));
    for entry in entries {
        wrong.facts += 1;
        match unmatched.remove(&entry["seq"].as_u64().unwrap()) {
            None => wrong.lost.push(format!("{board}: never received: {entry}")),
            Some(event) if event == entry => {}
            Some(event) => {
                let what = format!("{board}: recorded {entry}, received {event}");
                wrong.other.push(what);
            }
        }
    }
    for (seq, event) in unmatched {
        if reported_lost.contains(&seq) {
            continue;
        }
        let what = format!("{board}: received and not recorded: {event}");
        wrong.other.push(what);
    }
    for seq in received.changed.iter().filter(|seq| !taken.contains(seq)) {
        let what = format!("{board}: entry {seq} was received with two contents");
        wrong.doubled.push(what);
    }
    for seq in &received.late {
        let what = format!("{board}: {seq} was received too late");
        wrong.out_of_order.push(what);
    }
    wrong
}
