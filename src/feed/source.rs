//! What reads the games of a source: a thread for files, requests for an address.

use std::{sync::Arc, thread, time::Duration};

use tokio::{
    sync::mpsc,
    time::{Interval, MissedTickBehavior, interval, timeout},
};

use super::{
    address::Location,
    choose::FoundGame,
    place::{Place, PlaceError},
    polled::PolledText,
    rate_limiter::Servers,
    request::Failure,
    round_stream::{Pace, RoundStream},
};

/// How long reading files may take before the source counts as lost.
const HUNG: Duration = Duration::from_secs(30);

/// What a look has found.
#[derive(Debug)]
pub(crate) struct Found {
    /// All games, as they were when the source could be read.
    pub games: Vec<FoundGame>,
    /// Whether everything has been read, or cannot be read.
    pub is_complete: bool,
    /// Why a file or a game cannot be read.
    pub trouble: Option<String>,
}

/// Why a source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The files cannot be read.
    #[error(transparent)]
    Files(#[from] PlaceError),
    /// Reading the files takes too long.
    #[error("reading {0} takes more than {secs} s", secs = HUNG.as_secs())]
    Hung(Location),
    /// The address cannot be read.
    #[error("{0}: {1}")]
    Address(Location, Arc<Failure>),
}

/// A source that is being read.
#[derive(Debug)]
pub(crate) struct Source {
    location: Location,
    reader: Reader,
}

#[derive(Debug)]
enum Reader {
    Files(FileReader),
    Text(Box<PolledText>),
    LichessRound(Box<RoundStream>),
}

/// A thread that reads files: a network share that hangs must hold up nothing else, not even the
/// end of the daemon.
#[derive(Debug)]
struct FileReader {
    ticks: Interval,
    look: mpsc::Sender<()>,
    found: mpsc::Receiver<Result<Found, PlaceError>>,
    /// The thread was asked to look and has not answered yet.
    is_looking: bool,
}

impl Source {
    /// Starts reading. Addresses are requested from `servers`.
    ///
    /// # Errors
    ///
    /// Fails if no thread can be started, or if there are no servers for an address.
    pub(crate) fn open(
        location: Location,
        servers: Result<Servers, Arc<str>>,
        every: Duration,
    ) -> std::io::Result<Self> {
        let servers = || servers.map_err(|reason| std::io::Error::other(&*reason));
        let reader = match &location {
            Location::Files(path) => {
                Reader::Files(FileReader::start(Place::new(path.clone()), every)?)
            }
            Location::Text(address) => {
                let text = PolledText::new(address.clone(), servers()?, every);
                Reader::Text(Box::new(text))
            }
            Location::LichessRound(address) => {
                let stream = RoundStream::new(address.clone(), servers()?, Pace::LICHESS);
                Reader::LichessRound(Box::new(stream))
            }
        };
        Ok(Self { location, reader })
    }

    /// Waits until it is time to look again, and looks. `None` if nothing reads the source any more.
    pub(crate) async fn look(&mut self) -> Option<Result<Found, SourceError>> {
        let lost = |failure| SourceError::Address(self.location.clone(), failure);
        match &mut self.reader {
            Reader::Files(files) => match files.look().await {
                Ok(found) => Some(found?.map_err(SourceError::Files)),
                Err(Hung) => Some(Err(SourceError::Hung(self.location.clone()))),
            },
            Reader::Text(text) => Some(text.look().await.map_err(lost)),
            Reader::LichessRound(stream) => Some(stream.look().await.map_err(lost)),
        }
    }
}

struct Hung;

impl FileReader {
    fn start(mut place: Place, every: Duration) -> std::io::Result<Self> {
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
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            ticks,
            look,
            found,
            is_looking: false,
        })
    }

    /// Looks once. After [`Hung`], waits on for the same look.
    async fn look(&mut self) -> Result<Option<Result<Found, PlaceError>>, Hung> {
        if !self.is_looking {
            self.ticks.tick().await;
            if self.look.send(()).await.is_err() {
                return Ok(None);
            }
            self.is_looking = true;
        }
        let found = timeout(HUNG, self.found.recv()).await.map_err(|_| Hung)?;
        self.is_looking = false;
        Ok(found)
    }
}
