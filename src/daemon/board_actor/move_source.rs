//! Where the moves of a board come from.

use tokio::sync::watch;

use super::FeedReader;
use remisd_feed::livechess::Pairing;

/// Where the moves of a board come from. Without sensors, the tracker never senses anything.
#[derive(Debug)]
pub enum MoveSource {
    /// The board's sensors, whose reports come from its port.
    Sensors,
    /// The board's sensors, whose reports come from a `LiveChess`. It also says who plays.
    LiveChess(watch::Receiver<Option<Pairing>>),
    /// The game that another program writes.
    Feed(FeedReader),
    /// The commands of devices.
    Commands,
}

impl MoveSource {
    /// Waits until another program has something new; forever if none is there.
    pub(super) async fn changed(&mut self) -> Option<()> {
        match self {
            Self::LiveChess(pairing) => pairing.changed().await.ok(),
            Self::Feed(feed) => feed.changed().await,
            Self::Sensors | Self::Commands => std::future::pending().await,
        }
    }

    /// The reader of another program's game, if that is the source.
    pub(super) const fn feed(&self) -> Option<&FeedReader> {
        match self {
            Self::Feed(feed) => Some(feed),
            Self::Sensors | Self::LiveChess(_) | Self::Commands => None,
        }
    }

    /// The same, to change it.
    pub(super) const fn feed_mut(&mut self) -> Option<&mut FeedReader> {
        match self {
            Self::Feed(feed) => Some(feed),
            Self::Sensors | Self::LiveChess(_) | Self::Commands => None,
        }
    }
}
