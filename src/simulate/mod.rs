//! A simulated board on a pseudo-terminal, whose pieces a simulated hand moves through the games of
//! a PGN text.
//!
//! It speaks only the wire protocol, so this daemon or any other program reads it like a real
//! board. A channel reports what the simulation has done, for comparison.
//!
//! The whole simulated world lives in one task and in its own time, `speed` times as fast as real
//! time. Scan, line, hand and clock act at exact moments of that time, however coarse the
//! computer's timer is.
//!
//! ```no_run
//! use remisd::simulate::{Options, Simulation};
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let (simulation, mut progress) = Simulation::start("1. e4 e5 *", Options::default())?;
//! println!("{}", simulation.device().display());
//! while let Some(event) = progress.recv().await {
//!     println!("{event:?}");
//! }
//! # Ok(())
//! # }
//! ```

pub mod clock;
mod course;
pub mod dgt;
mod engine;
pub mod hand;
pub mod play;
pub mod pty;
mod quirks;
pub mod score;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::{hand::Profile, play::Progress};

/// How the simulated world runs.
#[expect(
    clippy::struct_excessive_bools,
    reason = "the options are independent, and callers set them by name"
)]
#[derive(Debug, Clone)]
pub struct Options {
    /// The ratio of simulated time to real time; from 0.01 to 100,000.
    pub speed: f64,
    /// The seed of the random numbers: the same seed gives the same gestures.
    pub seed: u64,
    /// How the hand behaves.
    pub profile: Profile,
    /// Where to create a symbolic link to the device.
    pub link: Option<PathBuf>,
    /// Whether the board is rotated by 180 degrees, with White at its far side.
    pub rotated: bool,
    /// Whether the clock is reversed: White's time is where Black's is expected.
    pub clock_reversed: bool,
    /// The longest thought about a move in simulated time, whatever the game's clock times are. The
    /// clock still shows the game's times after each ply.
    pub longest_thought: Duration,
    /// How much longer a player thinks, in simulated time, when the position on the board first
    /// allows a claim of a draw.
    pub thought_at_claim: Duration,
    /// The games of the text to play, counted from 0, in this order; all if empty.
    pub games: Vec<usize>,
    /// Whether the games restart after the last one.
    pub repeat: bool,
    /// Whether the hand waits for [`Simulation::go_on`] after it has set up a position that is not
    /// the standard one: a reader of the board must be given such a position.
    pub waits_when_set_up: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            speed: 1.0,
            seed: 1,
            profile: Profile::default(),
            link: None,
            rotated: false,
            clock_reversed: false,
            longest_thought: Duration::from_secs(10),
            thought_at_claim: Duration::ZERO,
            games: Vec::new(),
            repeat: false,
            waits_when_set_up: false,
        }
    }
}

/// Why a simulation cannot start.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The games cannot be played.
    #[error(transparent)]
    Score(#[from] score::ScoreError),
    /// The text does not have this game.
    #[error("there is no game {number}: the PGN has {count}")]
    NoSuchGame {
        /// The requested game, counted from 1.
        number: usize,
        /// The number of games.
        count: usize,
    },
    /// The speed is out of range.
    #[error("the speed {0} is not between 0.01 and 100000")]
    Speed(f64),
    /// There is no pseudo-terminal, or the link to it cannot be created.
    #[error("no pseudo-terminal for the simulated board: {0}")]
    Pty(#[source] io::Error),
}

/// The simulated board has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the simulated board has ended")]
pub struct Ended;

/// What can be done to the simulated world from outside.
enum Control {
    Unplug(oneshot::Sender<()>),
    PlugIn(oneshot::Sender<io::Result<PathBuf>>),
    Noise(Vec<u8>),
    GoOn,
}

/// A running simulation. Dropping it pulls the cable and ends it.
pub struct Simulation {
    device: PathBuf,
    control: mpsc::Sender<Control>,
    _end: DropGuard,
}

impl fmt::Debug for Simulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulation")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl Simulation {
    /// Puts a board on a new pseudo-terminal. Its games begin once a host has read a dump and asked
    /// for updates; after the last one the board stays.
    ///
    /// When the progress channel is full, the hand waits; drop the receiver if it is not needed.
    ///
    /// # Errors
    ///
    /// Returns a [`SimulationError`] if the options, the games or the pseudo-terminal do not allow
    /// a start.
    ///
    /// # Panics
    ///
    /// Panics outside a Tokio runtime.
    pub fn start(
        pgn: impl AsRef<[u8]>,
        options: Options,
    ) -> Result<(Self, mpsc::Receiver<Progress>), SimulationError> {
        if !(0.01..=100_000.0).contains(&options.speed) {
            return Err(SimulationError::Speed(options.speed));
        }
        let games = score::read(pgn)?;
        let count = games.len();
        if let Some(missing) = options.games.iter().find(|game| **game >= count) {
            let number = missing + 1;
            return Err(SimulationError::NoSuchGame { number, count });
        }
        let pty = pty::Pty::open(options.link.as_deref()).map_err(SimulationError::Pty)?;
        let device = pty.path().to_owned();
        let (control, controls) = mpsc::channel(8);
        let (progress_out, progress) = mpsc::channel(256);
        let end = CancellationToken::new();
        let world = engine::World::new(games, options, pty, progress_out);
        tokio::spawn(world.run(controls, end.clone()));
        let simulation = Self {
            device,
            control,
            _end: end.drop_guard(),
        };
        Ok((simulation, progress))
    }

    /// Returns the path of the board's first pseudo-terminal.
    #[must_use]
    pub fn device(&self) -> &Path {
        &self.device
    }

    /// Pulls the cable. The games continue.
    ///
    /// # Errors
    ///
    /// Returns [`Ended`] if the simulation has ended.
    pub async fn unplug(&self) -> Result<(), Ended> {
        let (done, wait) = oneshot::channel();
        self.send(Control::Unplug(done)).await?;
        wait.await.map_err(|_| Ended)
    }

    /// Plugs the cable in again. The board is on a new pseudo-terminal at the same link, in the
    /// state after power-up. Returns the new device.
    ///
    /// # Errors
    ///
    /// Fails if no pseudo-terminal can be created or the simulation has ended.
    pub async fn plug_in(&self) -> io::Result<PathBuf> {
        let (done, wait) = oneshot::channel();
        self.send(Control::PlugIn(done))
            .await
            .map_err(io::Error::other)?;
        wait.await.map_err(|_| io::Error::other(Ended))?
    }

    /// Puts bytes on the line to the host that the board did not send.
    ///
    /// # Errors
    ///
    /// Returns [`Ended`] if the simulation has ended.
    pub async fn noise(&self, bytes: Vec<u8>) -> Result<(), Ended> {
        self.send(Control::Noise(bytes)).await
    }

    /// Lets the hand start a game from the position that it has set up.
    ///
    /// # Errors
    ///
    /// Returns [`Ended`] if the simulation has ended.
    pub async fn go_on(&self) -> Result<(), Ended> {
        self.send(Control::GoOn).await
    }

    async fn send(&self, control: Control) -> Result<(), Ended> {
        self.control.send(control).await.map_err(|_| Ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn games_that_the_text_does_not_have_are_refused_by_number() {
        let options = Options {
            games: vec![0, 2],
            ..Options::default()
        };
        let refused = Simulation::start("1. e4 *\n\n1. d4 *\n", options).unwrap_err();
        assert_eq!(refused.to_string(), "there is no game 3: the PGN has 2");
    }

    #[tokio::test]
    async fn speeds_out_of_range_are_refused() {
        for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let options = Options {
                speed,
                ..Options::default()
            };
            let refused = Simulation::start("1. e4 *", options).unwrap_err();
            assert!(matches!(refused, SimulationError::Speed(_)));
        }
    }
}
