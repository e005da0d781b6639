//! What a client of the broker has received about every board.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{sync::watch, task::JoinSet};

use crate::witness::{Message, Witness};

/// A game as seen from outside: its number, and its moves in UCI.
pub type KnownGame = (u64, Vec<String>);

/// The messages received about one board.
#[derive(Debug, Default)]
pub struct BoardLog {
    /// All events in the order in which their numbers first arrived, with the content received
    /// last.
    pub events: Vec<(u64, Value)>,
    /// The index of the event with a number.
    index: BTreeMap<u64, usize>,
    /// Numbers received with two different contents.
    pub changed: Vec<u64>,
    /// Numbers first received after a higher one.
    pub late: Vec<u64>,
    /// The retained game.
    pub game: Option<KnownGame>,
    /// The codes of the open alerts.
    pub alerts: Vec<String>,
}

impl BoardLog {
    fn event(&mut self, event: Value) {
        let seq = event["seq"].as_u64().unwrap();
        if let Some(index) = self.index.get(&seq) {
            if self.events[*index].1 != event {
                self.changed.push(seq);
                self.events[*index].1 = event;
            }
            return;
        }
        if self.events.last().is_some_and(|(last, _)| *last > seq) {
            self.late.push(seq);
        }
        self.index.insert(seq, self.events.len());
        self.events.push((seq, event));
    }

    /// The newest sequence number received.
    pub fn newest(&self) -> u64 {
        self.index.keys().next_back().copied().unwrap_or(0)
    }

    fn take(&mut self, leaf: &str, content: Value) {
        match leaf {
            "event" => self.event(content),
            "game" if content.is_null() => self.game = None,
            "game" => {
                let moves = content["moves"].as_array().unwrap().iter();
                let moves = moves.map(|made| made["uci"].as_str().unwrap().to_owned());
                self.game = Some((content["game"].as_u64().unwrap(), moves.collect()));
            }
            "alerts" => {
                let alerts = content["alerts"].as_array().into_iter().flatten();
                let codes = alerts.map(|alert| alert["code"].as_str().unwrap().to_owned());
                self.alerts = codes.collect();
            }
            _ => {}
        }
    }
}

#[derive(Debug, Default)]
struct State {
    boards: BTreeMap<String, BoardLog>,
    replies: BTreeMap<String, Value>,
}

/// Receives what an arbiter receives, and remembers it.
#[derive(Clone)]
pub struct Received {
    state: Arc<Mutex<State>>,
    news: watch::Receiver<()>,
    _task: Arc<JoinSet<()>>,
}

impl Received {
    /// Remembers everything that `witness` receives.
    pub fn by(witness: Arc<Witness>) -> Self {
        let state = Arc::new(Mutex::new(State::default()));
        let (notify, news) = watch::channel(());
        let mut task = JoinSet::new();
        let into = Arc::clone(&state);
        task.spawn(async move {
            let mut more = witness.listen();
            loop {
                for message in witness.take() {
                    into.lock().unwrap().take(&message);
                }
                notify.send_replace(());
                if more.changed().await.is_err() {
                    return;
                }
            }
        });
        Self {
            state,
            news,
            _task: Arc::new(task),
        }
    }

    /// Waits for news since the last call.
    pub async fn news(&mut self) {
        self.news.changed().await.expect("the witness lives");
    }

    /// What was received about a board.
    pub fn of<T>(&self, board: &str, look: impl FnOnce(&BoardLog) -> T) -> T {
        let mut state = self.state.lock().unwrap();
        look(state.boards.entry(board.to_owned()).or_default())
    }

    /// The reply received on this topic.
    pub fn reply(&self, topic: &str) -> Option<Value> {
        self.state.lock().unwrap().replies.get(topic).cloned()
    }
}

impl State {
    fn take(&mut self, message: &Message) {
        let words: Vec<&str> = message.topic.split('/').collect();
        match words[..] {
            [_, _, _, "reply", ..] => {
                let reply = message.json();
                self.replies.insert(message.topic.clone(), reply);
            }
            [_, _, _, "arbiter", board, leaf] => {
                let of = self.boards.entry(board.to_owned()).or_default();
                of.take(leaf, message.json());
            }
            _ => {}
        }
    }
}
