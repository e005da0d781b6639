//! A board whose game another program writes: what it sees becomes inputs.

use tokio::sync::{mpsc, watch};

use super::{super::solver::SolverAnswer, BoardActor, MoveSource};
use remisd_feed::{Follower, Sighting};
use remisd_game::{Fact, Input};
use remisd_vocabulary::{
    reading::Confidence,
    sensor::{Device, DownCode, LinkReport},
    time::{Moment, Span},
};

/// The most inputs in a row, so that commands are not kept waiting.
const BATCH: usize = 32;
/// How often to see whether the disk has come that the record is on.
const WAIT_FOR_DISK: Span = Span::from_millis(500);

/// Reads the game of a source.
#[derive(Debug)]
pub struct FeedReader {
    /// The path of the source.
    place: String,
    sightings: watch::Receiver<Sighting>,
    follower: Follower,
    /// Whether the source has been read and has a game for the board.
    is_up: bool,
    /// Something may follow from what was seen.
    has_more: bool,
}

impl FeedReader {
    /// Reads what `sightings` shows of the source at `place`.
    pub fn new(place: String, sightings: watch::Receiver<Sighting>) -> Self {
        Self {
            place,
            sightings,
            follower: Follower::default(),
            is_up: false,
            has_more: false,
        }
    }

    /// Waits until the source has something new; `None` if nothing reads it any more.
    pub(super) async fn changed(&mut self) -> Option<()> {
        self.sightings.changed().await.ok()
    }
}

impl BoardActor {
    /// Returns when the source's game needs attention although nothing new has come.
    pub(super) fn feed_due(&self, now: Moment) -> Option<Moment> {
        self.moves.feed().filter(|feed| feed.has_more)?;
        // Without its disk, the record does not know yet what was played before.
        Some(if self.record.is_offline() {
            now + WAIT_FOR_DISK
        } else {
            now
        })
    }

    /// A command or a correction may have changed what follows from the source.
    pub(super) fn wake_feed(&mut self) {
        if let Some(feed) = self.moves.feed_mut() {
            feed.has_more = true;
        }
    }

    /// Takes in what the source says now.
    pub(super) async fn look_at_source(&mut self, answers: &mpsc::Sender<SolverAnswer>) {
        let Some(feed) = self.moves.feed_mut() else {
            return;
        };
        let sighting = feed.sightings.borrow_and_update().clone();
        match sighting {
            Sighting::Unread => return,
            Sighting::Game {
                source,
                game,
                is_settled,
                shares_number,
            } => {
                let device = Device {
                    kind: "pgn",
                    port: feed.place.clone(),
                    version: game.program.clone(),
                    ..Device::default()
                };
                let was_up = std::mem::replace(&mut feed.is_up, true);
                feed.follower.see(source, game, is_settled, shares_number);
                if !was_up {
                    self.link(&LinkReport::Up(device)).await;
                }
            }
            Sighting::Lost(lost) => {
                feed.is_up = false;
                feed.follower.lose();
                let report = LinkReport::Down {
                    code: DownCode::Source,
                    reason: lost.to_string(),
                };
                self.link(&report).await;
            }
        }
        self.follow_source(answers).await;
    }

    /// Brings the record nearer to the source, at most by one batch.
    pub(super) async fn follow_source(&mut self, answers: &mpsc::Sender<SolverAnswer>) {
        for _ in 0..BATCH {
            let is_offline = self.record.is_offline();
            let Some(feed) = self.moves.feed_mut() else {
                return;
            };
            feed.has_more = is_offline;
            if is_offline {
                return;
            }
            let Some(input) = feed.follower.next(self.record.game()) else {
                return;
            };
            let is_report = matches!(input, Input::Source { .. });
            if matches!(input, Input::NewGame { .. }) {
                self.record_pending_differences().await;
            }
            let written = self.write(input).await;
            self.on_facts(&written.facts, answers);
            // The same input would be refused again: wait for another text. Of a report, only the
            // tags are refused.
            let refused = |fact: &Fact| matches!(fact, Fact::Refused { .. });
            if !is_report && written.facts.iter().any(refused) {
                if let Some(feed) = self.moves.feed_mut() {
                    feed.follower.refuse();
                }
                return;
            }
        }
        self.wake_feed();
    }

    /// Opens a board whose moves devices enter. Whether a device is there is not known.
    pub(super) async fn take_commands(&mut self) {
        let device = Device {
            kind: "commands",
            ..Device::default()
        };
        self.link(&LinkReport::Up(device)).await;
    }

    /// Returns how well the game of a source or a device is understood; `None` for a board with
    /// sensors.
    pub(super) fn source_confidence(&self) -> Option<Confidence> {
        let game = self.record.game();
        let (is_up, is_ignored) = match &self.moves {
            MoveSource::Feed(feed) => (feed.is_up, feed.follower.is_ignored(game)),
            MoveSource::Commands => (true, false),
            MoveSource::Sensors | MoveSource::LiveChess(_) => return None,
        };
        let doubt = game.uncertain_since().is_some() || is_ignored;
        Some(match (is_up, doubt) {
            (false, _) => Confidence::Blind,
            (true, true) => Confidence::Uncertain,
            (true, false) => Confidence::Certain,
        })
    }
}
