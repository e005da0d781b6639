//! The sources of boards that other programs read or write. Boards of one source share its reading.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::board_actor::Line;
use crate::config::{BoardFeed, ROUNDS_TOKEN, RoundsAccess, Unusable};
use remisd_feed::{
    Feed, FeedBoard, Identity, Location, Servers, Sighting,
    livechess::{self, LiveChess, LiveChessBoard},
};
use remisd_transport::Https;
use remisd_vocabulary::{name::BoardId, time::Clock};

/// What reads a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// A board's record.
    Board,
    /// A board's second account.
    Account,
}

/// The sources by where they are.
#[derive(Debug, Default)]
pub(super) struct Feeds {
    games: BTreeMap<Location, Feed>,
    /// The sources of boards. Second accounts do not change how often these are read.
    of_boards: BTreeSet<Location>,
    live_chess: BTreeMap<String, LiveChessBoards>,
    /// The lines of boards that others are compared with.
    lines: BTreeMap<BoardId, watch::Sender<Line>>,
}

/// The boards of a `LiveChess`, and those whose game awaits its first move.
#[derive(Debug, Default)]
struct LiveChessBoards {
    boards: Vec<LiveChessBoard>,
    awaiting_first_move: watch::Sender<BTreeSet<String>>,
}

impl Feeds {
    /// Adds a board, whose record has the game `recorded`, to its source, or to that of its second
    /// account. Returns what it will see there.
    pub(super) fn add(
        &mut self,
        board: &BoardFeed,
        recorded: Identity,
        reader: Reader,
    ) -> watch::Receiver<Sighting> {
        let (sighting, sightings) = watch::channel(Sighting::Unread);
        let feed = self
            .games
            .entry(board.location.clone())
            .or_insert_with(|| Feed {
                location: board.location.clone(),
                servers: Err("no address is requested".into()),
                poll_ms: board.poll_ms,
                boards: Vec::new(),
            });
        // A source is read as often as its most eager board asks. A second account asks only where
        // no board does.
        feed.poll_ms = match (reader, self.of_boards.contains(&board.location)) {
            (Reader::Board, false) => board.poll_ms,
            (Reader::Account, true) => feed.poll_ms,
            _ => feed.poll_ms.min(board.poll_ms),
        };
        if reader == Reader::Board {
            self.of_boards.insert(board.location.clone());
        }
        feed.boards.push(FeedBoard {
            number: board.number,
            recorded,
            sighting,
        });
        sightings
    }

    /// The line of a board that others are compared with.
    pub(super) fn line_of(&mut self, board: &BoardId) -> watch::Sender<Line> {
        let lines = self.lines.entry(board.clone());
        lines
            .or_insert_with(|| watch::channel(Line::Unread).0)
            .clone()
    }

    /// Adds a board that the `LiveChess` at `url` reads. Returns where the boards are shown whose
    /// game awaits its first move.
    pub(super) fn add_live_chess(
        &mut self,
        url: &str,
        board: LiveChessBoard,
    ) -> watch::Sender<BTreeSet<String>> {
        let host = self.live_chess.entry(url.to_owned()).or_default();
        host.boards.push(board);
        host.awaiting_first_move.clone()
    }

    /// Starts reading every source. Without certificate authorities on this computer, no address is
    /// read, and the boards say so.
    pub(super) fn start(
        self,
        access: Option<&RoundsAccess>,
        actors: &mut JoinSet<()>,
        clock: &Arc<dyn Clock>,
        cancel: &CancellationToken,
    ) {
        let mut servers = None;
        for mut feed in self.games.into_values() {
            if !matches!(feed.location, Location::Files(_)) {
                let servers = servers.get_or_insert_with(|| servers_with(access));
                feed.servers.clone_from(servers);
            }
            actors.spawn(remisd_feed::watch(feed, cancel.clone()));
        }
        for (url, host) in self.live_chess {
            let https = Https::new().inspect_err(|error| {
                tracing::error!("LiveChess at {url} is not asked who plays: {error}");
            });
            let host = LiveChess {
                url,
                boards: host.boards,
                awaiting_first_move: host.awaiting_first_move.subscribe(),
            };
            actors.spawn(livechess::read(
                host,
                https.ok(),
                clock.clone(),
                cancel.clone(),
            ));
        }
    }
}

/// The servers that have games, of which one may get the token for its private rounds. A token that
/// cannot be used holds up nothing else.
fn servers_with(access: Option<&RoundsAccess>) -> Result<Servers, Arc<str>> {
    let https = Https::new().map_err(|error| Arc::from(error.to_string()))?;
    let servers = Servers::new(https);
    let Some(access) = access else {
        return Ok(servers);
    };
    let token = access.token.token_of(ROUNDS_TOKEN);
    let given = token.and_then(|token| {
        let given = servers.clone().with_token(&access.host, token.reveal());
        given.map_err(|error| Unusable::new(ROUNDS_TOKEN, &error))
    });
    Ok(given.unwrap_or_else(|unusable| {
        tracing::error!("private rounds are read without a token: {unusable}");
        servers.without_token(&access.host, &unusable.to_string())
    }))
}

#[cfg(test)]
mod tests {
    use crate::config::SecretSource;

    use super::*;

    #[test]
    fn a_token_that_cannot_be_used_holds_up_no_source() {
        let missing = RoundsAccess {
            host: "https://lichess.org".to_owned(),
            token: SecretSource::File("/nowhere/token".into()),
        };
        servers_with(Some(&missing)).unwrap();
    }
}
