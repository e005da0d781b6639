//! The sources of boards that other programs read or write. Boards of one source share its reading.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use crate::config::BoardFeed;
use remisd_feed::{
    Feed, FeedBoard, Identity, Place, Sighting,
    livechess::{self, LiveChess, LiveChessBoard},
};
use remisd_vocabulary::time::Clock;

/// The sources by path and by address.
#[derive(Debug, Default)]
pub(super) struct Feeds {
    files: BTreeMap<PathBuf, Feed>,
    live_chess: BTreeMap<String, Vec<LiveChessBoard>>,
}

impl Feeds {
    /// Adds a board, whose record has the game `recorded`, to its files. Returns what it will see
    /// there.
    pub(super) fn add(
        &mut self,
        board: &BoardFeed,
        recorded: Identity,
    ) -> watch::Receiver<Sighting> {
        let (sighting, sightings) = watch::channel(Sighting::Unread);
        let feed = self
            .files
            .entry(board.path.clone())
            .or_insert_with(|| Feed {
                place: Place::new(board.path.clone()),
                poll_ms: board.poll_ms,
                boards: Vec::new(),
            });
        // A source is read as often as its most eager board asks.
        feed.poll_ms = feed.poll_ms.min(board.poll_ms);
        feed.boards.push(FeedBoard {
            number: board.number,
            recorded,
            sighting,
        });
        sightings
    }

    /// Adds a board that the `LiveChess` at `url` reads.
    pub(super) fn add_live_chess(&mut self, url: &str, board: LiveChessBoard) {
        self.live_chess
            .entry(url.to_owned())
            .or_default()
            .push(board);
    }

    /// Starts reading every source.
    pub(super) fn start(
        self,
        actors: &mut JoinSet<()>,
        clock: &Arc<dyn Clock>,
        cancel: &CancellationToken,
    ) {
        for feed in self.files.into_values() {
            actors.spawn(remisd_feed::watch(feed, cancel.clone()));
        }
        for (url, boards) in self.live_chess {
            let host = LiveChess { url, boards };
            actors.spawn(livechess::read(host, clock.clone(), cancel.clone()));
        }
    }
}
