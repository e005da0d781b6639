//! Watches a place and gives each board its game.

use std::{sync::Arc, thread, time::Duration};

use tokio::{
    sync::{mpsc, watch},
    time::{MissedTickBehavior, interval, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    choose::{FoundGame, FoundGames, Identity},
    game::SourceGame,
    place::{Found, Place, PlaceError},
};

/// How long a source must say the same before recorded moves are changed: this time, and this many
/// looks.
const SETTLED: (Duration, u32) = (Duration::from_secs(5), 3);
/// How long a look may take before the source counts as lost.
const HUNG: Duration = Duration::from_secs(30);

/// What a board's source says now.
#[derive(Debug, Clone, Default)]
pub enum Sighting {
    /// The source was not read yet.
    #[default]
    Unread,
    /// The board's game.
    Game {
        /// The name of the source for a program that does not name itself.
        source: Arc<str>,
        /// The game.
        game: Arc<SourceGame>,
        /// Whether the source has said so for five seconds and three looks.
        is_settled: bool,
    },
    /// The source cannot be read, or has no game for the board.
    Lost(Arc<LostSource>),
}

/// Why a board has no game.
#[derive(Debug, thiserror::Error)]
pub enum LostSource {
    /// The place cannot be read.
    #[error("{0}")]
    Place(#[from] PlaceError),
    /// Reading takes too long.
    #[error("reading {0} takes more than {secs} s", secs = HUNG.as_secs())]
    Hung(String),
    /// Nothing reads it any more, until the daemon is restarted.
    #[error("{0} is not read any more: restart the daemon")]
    Ended(String),
    /// It has no game for the board.
    #[error("{place} has {games} games, and none of them is of board {number}{trouble}")]
    NoGame {
        /// The path of the source.
        place: String,
        /// The number of games that it has.
        games: usize,
        /// The board's number.
        number: u32,
        /// Which file cannot be read, and why; empty if all can.
        trouble: String,
    },
}

/// A board that takes its game from a source.
#[derive(Debug)]
pub struct FeedBoard {
    /// Its number in the source.
    pub number: u32,
    /// The game that its record has.
    pub recorded: Identity,
    /// Receives its game.
    pub sighting: watch::Sender<Sighting>,
}

/// A source and the boards that it feeds.
#[derive(Debug)]
pub struct Feed {
    /// Where the games are.
    pub place: Place,
    /// How often to look, in milliseconds.
    pub poll_ms: u64,
    /// The boards.
    pub boards: Vec<FeedBoard>,
}

/// A board, and what was seen of its game.
struct Watched {
    board: FeedBoard,
    current: Identity,
    /// In how many looks in a row the source said the same.
    looks: u32,
}

/// Watches a source until `cancel`.
pub async fn watch(feed: Feed, cancel: CancellationToken) {
    let path = feed.place.path().display().to_string();
    // The whole path may say more than everybody may know.
    let name = feed.place.path().file_name();
    let source: Arc<str> = name.unwrap_or_default().to_string_lossy().into();
    let every = Duration::from_millis(feed.poll_ms.max(1));
    let boards = feed.boards.into_iter().map(|board| Watched {
        current: board.recorded.clone(),
        board,
        looks: 0,
    });
    let mut boards: Vec<Watched> = boards.collect();
    let (mut look, mut found) = match reader(feed.place) {
        Ok(reader) => reader,
        Err(error) => {
            tracing::error!(
                source = path,
                "no thread can be started to read it: {error}"
            );
            report_end(&boards, path);
            return;
        }
    };
    let mut ticks = interval(every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut is_known = false;
    loop {
        tokio::select! {
            () = cancel.cancelled() => return,
            _ = ticks.tick() => {}
        }
        let next = tokio::select! {
            () = cancel.cancelled() => return,
            next = next(&mut look, &mut found, &path, &boards) => next,
        };
        match next {
            None => {
                tracing::error!(
                    source = path,
                    "its reader has ended; it is not read any more"
                );
                report_end(&boards, path);
                return;
            }
            // At first, some files are not read yet.
            Some(Ok(found)) if !is_known && !found.is_complete => {}
            Some(Ok(found)) => {
                is_known = true;
                let trouble = found.trouble.map(|trouble| format!("; {trouble}"));
                let trouble = trouble.unwrap_or_default();
                let games = FoundGames::new(found.games);
                for watched in &mut boards {
                    match games.of_board(watched.board.number, &watched.current) {
                        Some(game) => watched.show(game, &source, every),
                        None => watched.lose(&Arc::new(LostSource::NoGame {
                            place: path.clone(),
                            games: games.len(),
                            number: watched.board.number,
                            trouble: trouble.clone(),
                        })),
                    }
                }
            }
            Some(Err(error)) => {
                let lost = Arc::new(LostSource::Place(error));
                for watched in &mut boards {
                    watched.lose(&lost);
                }
            }
        }
    }
}

/// Reports that nothing reads the source any more.
fn report_end(boards: &[Watched], path: String) {
    let lost = Arc::new(LostSource::Ended(path));
    for watched in boards {
        watched.report_loss(&lost);
    }
}

type Polled = Result<Found, PlaceError>;

/// Starts the thread that reads a place: a network share that hangs must hold up nothing else, not
/// even the end of the daemon.
fn reader(mut place: Place) -> std::io::Result<(mpsc::Sender<()>, mpsc::Receiver<Polled>)> {
    let (look, mut looks) = mpsc::channel(1);
    let (polled, found) = mpsc::channel(1);
    thread::Builder::new()
        .name("feed".to_owned())
        .spawn(move || {
            while let Some(()) = looks.blocking_recv() {
                if polled.blocking_send(place.poll()).is_err() {
                    return;
                }
            }
        })?;
    Ok((look, found))
}

/// Looks once. Boards are lost while it takes too long.
async fn next(
    look: &mut mpsc::Sender<()>,
    found: &mut mpsc::Receiver<Polled>,
    path: &str,
    boards: &[Watched],
) -> Option<Polled> {
    look.send(()).await.ok()?;
    if let Ok(polled) = timeout(HUNG, found.recv()).await {
        return polled;
    }
    let lost = Arc::new(LostSource::Hung(path.to_owned()));
    for watched in boards {
        watched.report_loss(&lost);
    }
    found.recv().await
}

impl Watched {
    fn show(&mut self, found: &FoundGame, source: &Arc<str>, every: Duration) {
        self.current = found.identity();
        let mut looks = self.looks;
        self.board.sighting.send_if_modified(|sighting| {
            let was_settled = match sighting {
                Sighting::Game {
                    game, is_settled, ..
                } if *game == found.game => {
                    looks = looks.saturating_add(u32::from(found.is_current));
                    Some(*is_settled)
                }
                _ => {
                    looks = u32::from(found.is_current);
                    None
                }
            };
            let settled = looks >= SETTLED.1 && every.saturating_mul(looks) >= SETTLED.0;
            if was_settled == Some(settled) {
                return false;
            }
            *sighting = Sighting::Game {
                source: source.clone(),
                game: found.game.clone(),
                is_settled: settled,
            };
            true
        });
        self.looks = looks;
    }

    fn lose(&mut self, lost: &Arc<LostSource>) {
        self.looks = 0;
        self.report_loss(lost);
    }

    fn report_loss(&self, lost: &Arc<LostSource>) {
        self.board.sighting.send_if_modified(|sighting| {
            if let Sighting::Lost(known) = sighting
                && known.to_string() == lost.to_string()
            {
                return false;
            }
            *sighting = Sighting::Lost(lost.clone());
            true
        });
    }
}
