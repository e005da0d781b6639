//! A board of the demo: the game that the simulated hand plays on it, and what the daemon has
//! published about it.

use remisd_vocabulary::seq::AudienceSeq;
use std::{collections::BTreeMap, time::Duration};

use tokio::time::{Instant, sleep};

use super::stage::{NODE, Stage, arbiter, id, names, new_game};
use crate::{
    cli::screen::{Account, News, printable},
    publish::mqtt::client::OutgoingMessage,
    simulate::Progress,
};

/// How long it must stay quiet after the last game before everything counts as shown.
const QUIET: Duration = Duration::from_secs(3);

/// The same if the last game is complete and has a result.
const QUIET_COMPLETE: Duration = Duration::from_millis(500);

/// Number of attempts to send a command, and the pause between them.
const TRIES: usize = 10;

const TRY_AGAIN: Duration = Duration::from_millis(200);

/// A board in the demo.
pub struct DemoBoard {
    /// The board's index, from 0.
    board: usize,
    /// Its id in topics.
    pub id: String,
    /// What the daemon has published.
    pub account: Account,
    /// The players, as the simulated hand names them.
    pub title: String,
    /// The tags of the game that the hand plays.
    tags: BTreeMap<String, String>,
    /// The position that the hand has set up and the daemon does not yet know.
    set_up: Option<SetUp>,
    /// How many games the hand has begun, and up to which of them the daemon knows the players.
    started: usize,
    named: usize,
    /// The last game left out, as a text.
    pub left_out: String,
    /// Number of plies that the game on the board will have.
    plies: usize,
    /// The end of the last game, or the latest change after it.
    pub finished: Option<Instant>,
}

impl DemoBoard {
    /// The board with this index, before its first game.
    pub fn new(board: usize) -> Self {
        Self {
            board,
            id: id(board),
            account: Account::new(&arbiter(board), NODE),
            title: String::new(),
            tags: BTreeMap::new(),
            set_up: None,
            started: 0,
            named: 0,
            left_out: String::new(),
            plies: 0,
            finished: None,
        }
    }

    /// Applies a message and returns what changed.
    pub fn take(&mut self, topic: &str, payload: &[u8]) -> Vec<News> {
        let news = self.account.take(topic, payload);
        if self.finished.is_some() && !news.is_empty() {
            self.finished = Some(Instant::now());
        }
        news
    }

    /// Sends the daemon the position that the hand has set up for the next game, and the players.
    /// The hand begins once the daemon has published that position.
    pub async fn begin_from_position(&mut self, stage: &Stage) {
        let Some(set_up) = &mut self.set_up else {
            return;
        };
        let is_known = self
            .account
            .current_game()
            .is_some_and(|game| Some(game.game) != set_up.before && game.start_fen == set_up.fen);
        // A daemon that has published anything about the board receives its commands.
        if !is_known && !set_up.sent && self.account.availability.is_some() {
            set_up.sent = true;
            let payload = serde_json::json!({
                "id": format!("position-{}", self.started),
                "by": "demo",
                "start_fen": set_up.fen,
                "headers": self.tags,
            });
            send(stage, new_game(self.board), &payload);
        }
        if !is_known {
            return;
        }
        self.set_up = None;
        // The command has already named the players.
        self.started = self.account.games;
        self.named = self.started;
        stage.go_on(self.board).await;
    }

    /// Sends the daemon the players, once it has published the game that the hand has begun.
    pub fn name_players(&mut self, stage: &Stage) {
        let is_named = self.named == self.started || self.account.games != self.started;
        if self.set_up.is_some() || is_named {
            return;
        }
        self.named = self.started;
        let payload = serde_json::json!({
            "id": format!("names-{}", self.named),
            "by": "demo",
            "headers": self.tags,
        });
        send(stage, names(self.board), &payload);
    }

    /// Describes what the hand has done, if it deserves a line.
    pub fn progress(&mut self, progress: &Progress) -> Option<String> {
        match progress {
            Progress::GameStarted {
                white,
                black,
                plies,
                tags,
                start_fen,
                ..
            } => {
                self.tags.clone_from(tags);
                self.set_up = start_fen.clone().map(|fen| SetUp {
                    fen,
                    before: self.account.game.as_ref().map(|game| game.game),
                    sent: false,
                });
                self.started += 1;
                self.title = printable(&format!("{white} – {black}")).into_owned();
                self.plies = *plies;
                Some(format!("on the board: {}, {plies} plies", self.title))
            }
            Progress::GameSkipped { game, ply, reason } => {
                let number = game + 1;
                self.left_out = format!("Game {number} of the file is left out. ");
                Some(format!(
                    "game {number} of the file is left out: ply {ply}: {reason}"
                ))
            }
            Progress::GameOver { .. } | Progress::Ply { .. } => None,
            Progress::Finished => {
                self.finished = Some(Instant::now());
                Some("the last game has been played".to_owned())
            }
        }
    }

    /// When everything on this board counts as shown.
    pub fn end(&self) -> Option<Instant> {
        let complete = self.account.ply() >= self.plies && self.account.result.is_some();
        let quiet = if complete { QUIET_COMPLETE } else { QUIET };
        self.finished.map(|since| since + quiet)
    }
}

/// A position from which the hand will play once the daemon knows it.
struct SetUp {
    fen: String,
    /// The number of the previous game on the board.
    before: Option<AudienceSeq>,
    /// Whether the command was sent.
    sent: bool,
}

/// Sends the daemon a command.
fn send(stage: &Stage, topic: String, payload: &serde_json::Value) {
    let command = OutgoingMessage {
        topic,
        payload: payload.to_string().into(),
        response_topic: None,
        correlation: None,
    };
    let commands = stage.commands.clone();
    tokio::spawn(async move {
        // The connection may not be up yet.
        for _ in 0..TRIES {
            if commands.ask(command.clone()).await.is_ok() {
                return;
            }
            sleep(TRY_AGAIN).await;
        }
        tracing::warn!(
            topic = command.topic,
            "the daemon could not be informed of the game"
        );
    });
}
