//! The actor that owns the rounds and hands their texts to every exit.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
    time::Duration,
};

use remisd_topics::{Earlier, Envelope, Game, topic::Leaf};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    text::OneLine,
    time::{Clock, rfc3339},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep_until},
};

use crate::{
    disk::{RETRY, StatePlace},
    folder::Folder,
    http::Published,
    round::{PublicGame, Rounds},
    state::StateKeeper,
    text::{GameText, RoundText},
};

/// How long changes are collected before the exits get them. The moves of several boards, or a
/// last move and its result, become one write and one push.
const COLLECT: Duration = Duration::from_millis(500);
/// How much of an error is shown.
const SHOWN: usize = 200;
/// Updates that may wait. When the queue is full, its senders wait.
pub const QUEUE: usize = 256;

/// What the public sees changes.
#[derive(Debug)]
pub enum Update {
    /// A board's game.
    Game(BoardId, Box<PublicGame>),
    /// How the games before it were left, oldest first.
    Earlier(BoardId, Vec<PublicGame>),
    /// All values that were there at the start have arrived. Nothing leaves before.
    Complete,
}

impl Update {
    /// The update in a payload of the public topics [`Leaf::Game`] and [`Leaf::Earlier`]; `None` if
    /// it was cleared, or for another topic.
    ///
    /// # Errors
    ///
    /// Fails if the payload is not a game, or not a list of earlier games.
    pub fn of_topic(
        board: BoardId,
        leaf: Leaf,
        payload: &[u8],
    ) -> Result<Option<Self>, serde_json::Error> {
        if payload.is_empty() {
            return Ok(None);
        }
        Ok(match leaf {
            Leaf::Game => {
                let game: Envelope<Game> = serde_json::from_slice(payload)?;
                Some(Self::Game(board, Box::new(game.into())))
            }
            Leaf::Earlier => {
                let earlier: Earlier = serde_json::from_slice(payload)?;
                let games = earlier.games.into_iter().map(PublicGame::from);
                Some(Self::Earlier(board, games.collect()))
            }
            _ => None,
        })
    }
}

/// What the actor needs.
#[derive(Debug)]
pub struct Settings {
    /// The venue or event.
    pub site: SiteId,
    /// The boards, in their constant order.
    pub boards: Vec<BoardId>,
    /// The directory in which the games are kept over a restart.
    pub state: StatePlace,
    /// Why the games are not kept now.
    pub unkept: watch::Sender<Option<String>>,
    /// The folder of PGN files.
    pub folder: Option<Folder>,
    /// How the folder is.
    pub report: watch::Sender<ExitReport>,
    /// Gives the times in the report.
    pub clock: Arc<dyn Clock>,
}

/// What is at fault at an exit, as far as it decides what a person does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExitCause {
    /// The configuration.
    Settings,
    /// The disk, or the rights of the folder.
    Disk,
    /// The way to the server.
    Network,
    /// The server shows a host key that is not the configured one.
    HostKey,
    /// The server shows a certificate that is not trusted.
    Certificate,
    /// The user, the password or the key.
    Login,
    /// The server, which takes no files or refuses one.
    Server,
}

/// Why the newest files are not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExitError {
    /// What is at fault.
    pub cause: ExitCause,
    /// The reason, as one line.
    pub reason: OneLine,
}

impl ExitError {
    /// An error with its reason.
    #[must_use]
    pub fn new(cause: ExitCause, reason: &str) -> Self {
        let reason = OneLine::bounded(reason, SHOWN);
        Self { cause, reason }
    }
}

/// How an exit is that writes or sends files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExitReport {
    /// When all files of a change were last there, RFC 3339.
    pub at: Option<String>,
    /// Why the newest files are not there.
    pub error: Option<ExitError>,
}

impl ExitReport {
    /// Reports whether all files are there now.
    pub fn note(sender: &watch::Sender<Self>, clock: &dyn Clock, error: Option<ExitError>) {
        sender.send_modify(|report| {
            if error.is_none() {
                report.at = Some(rfc3339(clock.now()));
            }
            report.error = error;
        });
    }
}

/// Makes the actor: updates go in, and the texts of the rounds come out while the future runs.
///
/// The future ends when the sender is dropped.
pub fn actor(
    settings: Settings,
) -> (
    mpsc::Sender<Update>,
    watch::Receiver<Published>,
    impl Future<Output = ()> + Send + 'static,
) {
    let (updates, inbox) = mpsc::channel(QUEUE);
    let (texts, published) = watch::channel(Published::default());
    let actor = Actor {
        rounds: Rounds::new(settings.site, settings.boards).starting(),
        keeper: StateKeeper::new(settings.state),
        unkept: settings.unkept,
        texts,
        complete: false,
        changed: BTreeMap::new(),
    };
    let (to_folder, folder) = (published.clone(), settings.folder);
    let running = async move {
        let writing = async {
            if let Some(folder) = folder {
                folder.run(to_folder, settings.report, settings.clock).await;
            }
        };
        tokio::join!(actor.run(inbox), writing);
    };
    (updates, published, running)
}

struct Actor {
    rounds: Rounds,
    keeper: StateKeeper,
    unkept: watch::Sender<Option<String>>,
    texts: watch::Sender<Published>,
    complete: bool,
    /// The boards whose games have changed, by round.
    changed: BTreeMap<u32, BTreeSet<BoardId>>,
}

impl Actor {
    async fn run(mut self, mut inbox: mpsc::Receiver<Update>) {
        let far = Duration::from_hours(24);
        let mut due = None;
        // What was kept counts before anything new.
        let restored = self.restore().await;
        self.note_kept(&restored);
        let mut again = restored.is_err().then(|| Instant::now() + RETRY);
        loop {
            let next = [due, again].into_iter().flatten().min();
            tokio::select! {
                update = inbox.recv() => match update {
                    None => return,
                    Some(Update::Complete) => {
                        self.complete = true;
                        self.rounds.complete();
                    }
                    Some(Update::Game(board, game)) => {
                        let rounds = self.rounds.take(&board, *game);
                        self.note_changed(&board, rounds);
                    }
                    Some(Update::Earlier(board, games)) => {
                        let rounds = self.rounds.take_earlier(&board, games);
                        self.note_changed(&board, rounds);
                    }
                },
                () = sleep_until(next.unwrap_or_else(|| Instant::now() + far)) => {
                    due = None;
                    let kept = self.publish().await;
                    self.note_kept(&kept);
                    again = kept.is_err().then(|| Instant::now() + RETRY);
                    continue;
                }
            }
            if self.complete && !self.changed.is_empty() {
                due.get_or_insert_with(|| Instant::now() + COLLECT);
            }
        }
    }

    /// Notes that the games of a board have changed in these rounds.
    fn note_changed(&mut self, board: &BoardId, rounds: BTreeSet<u32>) {
        for round in rounds {
            self.changed.entry(round).or_default().insert(board.clone());
        }
    }

    /// Puts back what an earlier run has kept, if that was not done yet.
    async fn restore(&mut self) -> io::Result<()> {
        if self.keeper.restore(&mut self.rounds).await? {
            for round in self.rounds.numbers() {
                let boards = self.rounds.places(round).into_iter();
                let boards = boards.map(|place| place.board.clone()).collect();
                self.changed.insert(round, boards);
            }
        }
        self.keeper.check_read()
    }

    /// Keeps what has changed, and then hands it on.
    ///
    /// A disk that takes nothing holds back only what would lead astray after a restart: boards
    /// with an id that is not on the disk. The moves of games with a known id go on.
    ///
    /// # Errors
    ///
    /// The disk does not take or give everything: it is to be tried again.
    async fn publish(&mut self) -> io::Result<()> {
        let restored = self.restore().await;
        if !self.complete || !self.keeper.is_read() {
            return restored;
        }
        let mut texts = (**self.texts.borrow()).clone();
        let changed = std::mem::take(&mut self.changed);
        for (round, boards) in &changed {
            let before = texts.get(round).map(|text| &**text);
            let boards: Vec<_> = boards.iter().cloned().collect();
            let text = RoundText::of(&self.rounds, *round, before, &boards);
            self.keeper.note(&self.rounds, *round, &boards);
            texts.insert(*round, Arc::new(text));
        }
        // A round that was forgotten must not leave without its games.
        texts.retain(|round, _| self.rounds.numbers().any(|kept| kept == *round));
        let kept = self.keeper.write(texts.values()).await;
        if kept.is_err() {
            let before = self.texts.borrow().clone();
            for (round, boards) in changed {
                let is_ready = |game: &GameText| self.keeper.has_ids_of(round, game);
                let Some(text) = texts.remove(&round) else {
                    continue;
                };
                if text.games.iter().all(is_ready) {
                    texts.insert(round, text);
                    continue;
                }
                self.changed.insert(round, boards);
                let before = before.get(&round);
                let held = text.without(&self.rounds, before.map(|before| &**before), is_ready);
                if let Some(held) = held.map(Arc::new).or_else(|| before.cloned()) {
                    texts.insert(round, held);
                }
            }
        }
        self.texts.send_replace(Arc::new(texts));
        self.rounds.forget_empty();
        restored.and(kept)
    }

    /// Reports whether the games are kept.
    fn note_kept(&self, kept: &io::Result<()>) {
        let error = kept.as_ref().err();
        let error = error.map(|error| OneLine::bounded(&error.to_string(), SHOWN).into());
        self.unkept.send_if_modified(|before: &mut Option<String>| {
            let is_new = *before != error;
            match &error {
                Some(error) if is_new => tracing::error!(
                    "the games of the broadcast are not kept, and new ones wait: {error}"
                ),
                None if is_new => tracing::info!("the games of the broadcast are kept again"),
                _ => {}
            }
            *before = error;
            is_new
        });
    }
}
