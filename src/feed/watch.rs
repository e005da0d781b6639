//! Watches a source and gives each board its game.

use std::{sync::Arc, time::Duration};

use tokio::{sync::watch, time::Instant};
use tokio_util::sync::CancellationToken;

use super::{
    address::Location,
    choose::{FoundGame, FoundGames, Identity},
    game::SourceGame,
    rate_limiter::Servers,
    source::{Found, Source, SourceError},
};

/// How long a source must say the same before recorded moves are changed: this time, and this many
/// looks.
const SETTLED: (Duration, u32) = (Duration::from_secs(5), 3);

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
        /// Whether other games have the same number: it may be another board's game, or one that was
        /// left behind.
        shares_number: bool,
    },
    /// The source cannot be read, or has no game for the board.
    Lost(Arc<LostSource>),
}

/// Why a board has no game.
#[derive(Debug, thiserror::Error)]
pub enum LostSource {
    /// It cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// Reading it cannot begin, until the daemon is restarted.
    #[error("{0} cannot be read: {1}; after a repair, restart the daemon")]
    NotOpened(Location, std::io::Error),
    /// Nothing reads it any more, until the daemon is restarted.
    #[error("{0} is no longer read: restart the daemon")]
    Ended(Location),
    /// It has no game for the board.
    #[error("{location} has {games} games, and none of them is of board {number}{trouble}")]
    NoGame {
        /// The source.
        location: Location,
        /// The number of games that it has.
        games: usize,
        /// The board's number.
        number: u32,
        /// Which file or game cannot be read, and why; empty if all can.
        trouble: String,
    },
    /// Different games have the board's number.
    #[error(
        "{location} has several games of board {number}: remove those that are not played, or give \
         them other numbers{trouble}"
    )]
    Doubled {
        /// The source.
        location: Location,
        /// The board's number.
        number: u32,
        /// Which file or game cannot be read, and why; empty if all can.
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
    pub location: Location,
    /// Has the rate limiters of servers, or the reason why no address can be requested.
    pub servers: Result<Servers, Arc<str>>,
    /// How often to look, in milliseconds.
    pub poll_ms: u64,
    /// The boards.
    pub boards: Vec<FeedBoard>,
}

/// A board, and what was seen of its game.
struct Watched {
    board: FeedBoard,
    current: Identity,
    /// In how many looks in a row the source said the same, and since when.
    looks: u32,
    since: Instant,
}

/// Watches a source until `cancel`.
pub async fn watch(feed: Feed, cancel: CancellationToken) {
    let location = feed.location;
    let name = location.name();
    let every = Duration::from_millis(feed.poll_ms.max(1));
    let boards = feed.boards.into_iter().map(|board| Watched {
        current: board.recorded.clone(),
        board,
        looks: 0,
        since: Instant::now(),
    });
    let mut boards: Vec<Watched> = boards.collect();
    let mut source = match Source::open(location.clone(), feed.servers, every) {
        Ok(source) => source,
        Err(error) => {
            tracing::error!(source = %location, "the source cannot be read: {error}");
            lose_all(&mut boards, LostSource::NotOpened(location, error));
            return;
        }
    };
    let mut is_known = false;
    loop {
        let look = tokio::select! {
            () = cancel.cancelled() => return,
            look = source.look() => look,
        };
        match look {
            None => {
                tracing::error!(source = %location, "the reader has ended; the source is no longer read");
                lose_all(&mut boards, LostSource::Ended(location));
                return;
            }
            // At first, some files are not read yet.
            Some(Ok(found)) if !is_known && !found.is_complete => {}
            Some(Ok(found)) => {
                is_known = true;
                show_all(&mut boards, found, &location, &name);
            }
            Some(Err(error)) => lose_all(&mut boards, LostSource::Source(error)),
        }
    }
}

fn show_all(boards: &mut [Watched], found: Found, location: &Location, name: &Arc<str>) {
    let now = Instant::now();
    let trouble = found.trouble.map(|trouble| format!("; {trouble}"));
    let trouble = trouble.unwrap_or_default();
    let games = FoundGames::new(found.games);
    for watched in boards {
        let number = watched.board.number;
        match games.of_board(number, &watched.current) {
            Some(game) => watched.show(game, games.shares_number(game), name, now),
            None if games.is_doubled(number) => watched.lose(&Arc::new(LostSource::Doubled {
                location: location.clone(),
                number,
                trouble: trouble.clone(),
            })),
            None => watched.lose(&Arc::new(LostSource::NoGame {
                location: location.clone(),
                games: games.len(),
                number,
                trouble: trouble.clone(),
            })),
        }
    }
}

fn lose_all(boards: &mut [Watched], lost: LostSource) {
    let lost = Arc::new(lost);
    for watched in boards {
        watched.lose(&lost);
    }
}

impl Watched {
    fn show(&mut self, found: &FoundGame, shares_number: bool, source: &Arc<str>, now: Instant) {
        // What was lost returns when the source has confirmed it, and not before.
        let is_lost = matches!(*self.board.sighting.borrow(), Sighting::Lost(_));
        if is_lost && !found.is_current {
            return;
        }
        self.current = found.identity();
        let (mut looks, mut since) = (self.looks, self.since);
        self.board.sighting.send_if_modified(|sighting| {
            let was = match sighting {
                Sighting::Game {
                    game,
                    is_settled,
                    shares_number,
                    ..
                } if *game == found.game => {
                    looks = looks.saturating_add(u32::from(found.is_current));
                    Some((*is_settled, *shares_number))
                }
                _ => {
                    (looks, since) = (u32::from(found.is_current), now);
                    None
                }
            };
            let settled = looks >= SETTLED.1 && now - since >= SETTLED.0;
            if was == Some((settled, shares_number)) {
                return false;
            }
            *sighting = Sighting::Game {
                source: source.clone(),
                game: found.game.clone(),
                is_settled: settled,
                shares_number,
            };
            true
        });
        (self.looks, self.since) = (looks, since);
    }

    fn lose(&mut self, lost: &Arc<LostSource>) {
        self.looks = 0;
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

#[cfg(test)]
mod tests {
    use remisd_pgn::Games;

    use super::*;

    #[test]
    fn a_lost_board_returns_with_a_game_that_is_current_and_with_no_other() {
        let (sighting, seen) = watch::channel(Sighting::Unread);
        let mut watched = Watched {
            board: FeedBoard {
                number: 1,
                recorded: Identity::default(),
                sighting,
            },
            current: Identity::default(),
            looks: 0,
            since: Instant::now(),
        };
        let game = Games::new(&b"1. e4 *"[..]).next().unwrap().unwrap();
        let mut found = FoundGame {
            folder_round: None,
            file_number: None,
            nth: Some(1),
            is_current: false,
            game: Arc::new(SourceGame::read(&game).unwrap()),
        };
        let lost = LostSource::Ended(Location::Files("games.pgn".into()));
        watched.lose(&Arc::new(lost));
        watched.show(&found, false, &"games.pgn".into(), Instant::now());
        assert!(matches!(*seen.borrow(), Sighting::Lost(_)));
        found.is_current = true;
        watched.show(&found, false, &"games.pgn".into(), Instant::now());
        assert!(matches!(*seen.borrow(), Sighting::Game { .. }));
    }
}
