//! The actor that owns the rounds and hands their texts to every exit.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use remisd_topics::{Envelope, Game};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    text::OneLine,
    time::{Clock, rfc3339},
};
use tokio::{
    sync::{mpsc, watch},
    task::spawn_blocking,
    time::{Instant, sleep_until},
};

use crate::{folder::Folder, http::Published, round::Rounds, state::StateDir, text::RoundText};

/// How long changes are collected before the exits get them. The moves of several boards, or a
/// last move and its result, become one write and one push.
const COLLECT: Duration = Duration::from_millis(500);
/// Updates that may wait. When the queue is full, its senders wait.
pub const QUEUE: usize = 256;

/// What the public sees changes.
#[derive(Debug)]
pub enum Update {
    /// A board's game.
    Game(BoardId, Box<Game>),
    /// All values that were there at the start have arrived. Nothing leaves before.
    Complete,
}

impl Update {
    /// The update in a payload of the public topic `game`; `None` if it was cleared.
    ///
    /// # Errors
    ///
    /// Fails if the payload is not a game.
    pub fn of_topic(board: BoardId, payload: &[u8]) -> Result<Option<Self>, serde_json::Error> {
        if payload.is_empty() {
            return Ok(None);
        }
        let game: Envelope<Game> = serde_json::from_slice(payload)?;
        Ok(Some(Self::Game(board, Box::new(game.content))))
    }
}

/// What the actor needs.
#[derive(Debug)]
pub struct Settings {
    /// The venue or event.
    pub site: SiteId,
    /// The boards, in their constant order.
    pub boards: Vec<BoardId>,
    /// Where the games are kept over a restart.
    pub state: std::path::PathBuf,
    /// The folder of PGN files.
    pub folder: Option<Folder>,
    /// How the folder is.
    pub report: watch::Sender<ExitReport>,
    /// Gives the times in the report.
    pub clock: Arc<dyn Clock>,
}

/// How an exit is that writes or sends files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExitReport {
    /// When all files of a change were last there, RFC 3339.
    pub at: Option<String>,
    /// Why the newest files are not there.
    pub error: Option<String>,
}

impl ExitReport {
    /// Reports whether all files are there now.
    pub fn note(sender: &watch::Sender<Self>, clock: &dyn Clock, error: Option<String>) {
        sender.send_modify(|report| {
            if error.is_none() {
                report.at = Some(rfc3339(clock.now()));
            }
            report.error = error.map(|error| OneLine::bounded(&error, 200).into());
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
        rounds: Rounds::new(settings.site, settings.boards),
        state: StateDir(settings.state),
        folder: settings.folder,
        report: settings.report,
        clock: settings.clock,
        texts,
        complete: false,
        changed: BTreeMap::new(),
    };
    (updates, published, actor.run(inbox))
}

struct Actor {
    rounds: Rounds,
    state: StateDir,
    folder: Option<Folder>,
    report: watch::Sender<ExitReport>,
    clock: Arc<dyn Clock>,
    texts: watch::Sender<Published>,
    complete: bool,
    /// The boards whose games have changed, by round.
    changed: BTreeMap<u32, BTreeSet<BoardId>>,
}

impl Actor {
    async fn run(mut self, mut inbox: mpsc::Receiver<Update>) {
        self.state.restore(&mut self.rounds);
        for round in self.rounds.numbers() {
            let boards = self.rounds.places(round).into_iter();
            let boards = boards.map(|place| place.board.clone()).collect();
            self.changed.insert(round, boards);
        }
        let mut due = None;
        let far = Duration::from_hours(24);
        loop {
            let update = tokio::select! {
                update = inbox.recv() => update,
                () = sleep_until(due.unwrap_or_else(|| Instant::now() + far)) => {
                    due = None;
                    self.publish().await;
                    continue;
                }
            };
            match update {
                None => return,
                Some(Update::Complete) => self.complete = true,
                Some(Update::Game(board, game)) => {
                    for round in self.rounds.take(&board, *game) {
                        self.changed.entry(round).or_default().insert(board.clone());
                    }
                }
            }
            if self.complete && !self.changed.is_empty() {
                due.get_or_insert_with(|| Instant::now() + COLLECT);
            }
        }
    }

    /// Hands on what has changed. A file that cannot be written is tried again with the next change
    /// of its round.
    async fn publish(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        let mut texts = (**self.texts.borrow()).clone();
        texts.retain(|round, _| self.rounds.numbers().any(|kept| kept == *round));
        let (mut fresh, mut files) = (Vec::new(), Vec::new());
        for (round, boards) in changed {
            let boards: Vec<_> = boards.into_iter().collect();
            let before = texts.get(&round).map(|text| &**text);
            let text = Arc::new(RoundText::of(&self.rounds, round, before, &boards));
            fresh.push(Arc::clone(&text));
            texts.insert(round, text);
            files.extend(self.state.files(&self.rounds, round, &boards));
        }
        self.texts.send_replace(Arc::new(texts));
        let oldest = self.rounds.numbers().next().unwrap_or(0);
        let (state, folder) = (self.state.clone(), self.folder.clone());
        let (report, clock) = (self.report.clone(), Arc::clone(&self.clock));
        let write = move || {
            if let Err(error) = state.write(&files, oldest) {
                tracing::warn!("the games of the broadcast are not kept: {error}");
            }
            let Some(folder) = folder else { return };
            let mut failed = None;
            for round in &fresh {
                if let Err(error) = folder.write(round) {
                    tracing::error!("a PGN file cannot be written: {error}");
                    failed = Some(error.to_string());
                }
            }
            ExitReport::note(&report, &*clock, failed);
        };
        if let Err(error) = spawn_blocking(write).await {
            tracing::error!("PGN files are not written: {error}");
        }
    }
}
