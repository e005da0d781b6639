//! What a client of the broker has received about every board.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::Value;
use tokio::{sync::watch, task::JoinSet};

use remisd_testkit::witness::{Message, Witness};

/// A game as seen from outside: its number, and its moves in UCI.
pub type Known = (u64, Vec<String>);

/// The messages received about one board.
#[derive(Debug, Default)]
pub struct OfBoard {
    /// All events in the order in which their numbers first arrived, with the content received
    /// last.
    pub events: Vec<(u64, Value)>,
    /// The index of the event with a number.
    place: BTreeMap<u64, usize>,
    /// Numbers received with two different contents.
    pub changed: Vec<u64>,
    /// Numbers first received after a higher one.
    pub late: Vec<u64>,
    /// The retained game.
    pub game: Option<Known>,
    /// The codes of the open alerts.
    pub alerts: Vec<String>,
}

impl OfBoard {
    fn event(&mut self, event: Value) {
        let seq = event["seq"].as_u64().unwrap();
        if let Some(place) = self.place.get(&seq) {
            if self.events[*place].1 != event {
                self.changed.push(seq);
                self.events[*place].1 = event;
            }
            return;
        }
        if self.events.last().is_some_and(|(last, _)| *last > seq) {
            self.late.push(seq);
        }
        self.place.insert(seq, self.events.len());
        self.events.push((seq, event));
    }

    /// The newest number that was heard.
    pub fn newest(&self) -> u64 {
        self.place.keys().next_back().copied().unwrap_or(0)
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
struct All {
    boards: BTreeMap<String, OfBoard>,
    answers: BTreeMap<String, Value>,
}

/// Listens like an arbiter and remembers everything.
#[derive(Clone)]
pub struct Heard {
    all: Arc<Mutex<All>>,
    news: watch::Receiver<()>,
    _task: Arc<JoinSet<()>>,
}

impl Heard {
    /// Remembers everything that `witness` receives.
    pub fn by(witness: Arc<Witness>) -> Self {
        let all = Arc::new(Mutex::new(All::default()));
        let (tell, news) = watch::channel(());
        let mut task = JoinSet::new();
        let into = Arc::clone(&all);
        task.spawn(async move {
            let mut more = witness.listen();
            loop {
                for message in witness.take() {
                    into.lock().unwrap().take(&message);
                }
                tell.send_replace(());
                if more.changed().await.is_err() {
                    return;
                }
            }
        });
        Self {
            all,
            news,
            _task: Arc::new(task),
        }
    }

    /// Waits for news since the last call.
    pub async fn news(&mut self) {
        self.news.changed().await.expect("the witness lives");
    }

    /// What was received about a board.
    pub fn of<T>(&self, board: &str, look: impl FnOnce(&OfBoard) -> T) -> T {
        let mut all = self.all.lock().unwrap();
        look(all.boards.entry(board.to_owned()).or_default())
    }

    /// The answer received on this topic.
    pub fn answer(&self, topic: &str) -> Option<Value> {
        self.all.lock().unwrap().answers.get(topic).cloned()
    }
}

impl All {
    fn take(&mut self, message: &Message) {
        let words: Vec<&str> = message.topic.split('/').collect();
        match words[..] {
            [_, _, _, "reply", ..] => {
                let answer = message.json();
                self.answers.insert(message.topic.clone(), answer);
            }
            [_, _, _, "arbiter", board, leaf] => {
                let of = self.boards.entry(board.to_owned()).or_default();
                of.take(leaf, message.json());
            }
            _ => {}
        }
    }
}
