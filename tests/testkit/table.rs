//! A simulated board at a daemon's port, with the progress of its hand.

use std::path::Path;

use remisd::simulate::{Options, Progress, Simulation};
use tokio::{sync::mpsc, time::timeout};

use super::PATIENCE;

/// A simulated board.
pub struct SimulatedTable {
    /// The board itself.
    pub simulation: Simulation,
    progress: mpsc::Receiver<Progress>,
}

impl SimulatedTable {
    /// Puts a board at `port`; its games begin when the daemon connects.
    pub fn start(port: &Path, pgn: &str, mut options: Options) -> Self {
        options.link = Some(port.to_owned());
        let (simulation, progress) = Simulation::start(pgn, options).unwrap();
        Self {
            simulation,
            progress,
        }
    }

    /// The next progress message.
    pub async fn next(&mut self) -> Progress {
        let next = timeout(PATIENCE, self.progress.recv()).await;
        next.expect("the hand does nothing").expect("it lives")
    }

    /// Waits until a ply of a game has been played.
    pub async fn played(&mut self, wanted_game: usize, wanted_ply: usize) {
        loop {
            match self.next().await {
                Progress::Ply { game, ply, .. } if game == wanted_game && ply >= wanted_ply => {
                    return;
                }
                Progress::Finished => panic!("ply {wanted_ply} was never played"),
                _ => {}
            }
        }
    }

    /// Waits until a game is over.
    pub async fn over(&mut self, wanted: usize) {
        loop {
            match self.next().await {
                Progress::GameOver { game, .. } if game == wanted => return,
                Progress::Finished => panic!("game {wanted} was never played"),
                _ => {}
            }
        }
    }

    /// Waits until the last game is over and the board is at rest.
    pub async fn finished(&mut self) {
        while self.next().await != Progress::Finished {}
    }
}
