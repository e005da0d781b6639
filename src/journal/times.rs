//! The disk's latency.

use std::{fs::File, io, path::Path, sync::Arc, time::Duration};

use prometheus_client::metrics::histogram::Histogram;

use super::disk::Disk;
use remisd_vocabulary::time::Clock;

/// The histogram's bucket bounds, in seconds: from a disk with its own write cache to a card that
/// hangs.
const TIMES_S: [f64; 16] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0,
];

/// Histograms of the disk's latency, in seconds, with microsecond resolution.
#[derive(Debug, Clone)]
pub struct DiskTimes {
    /// From the first byte of a group of entries to the disk's acknowledgement.
    pub write: Histogram,
    /// A single sync: `fdatasync` or `fsync` of a file or a directory.
    pub sync: Histogram,
}

impl Default for DiskTimes {
    fn default() -> Self {
        Self {
            write: Histogram::new(TIMES_S),
            sync: Histogram::new(TIMES_S),
        }
    }
}

/// A disk that measures its syncs.
pub(super) struct Timed {
    pub(super) disk: Box<dyn Disk>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) times: DiskTimes,
}

impl Timed {
    fn measured(&self, wait: impl FnOnce(&dyn Disk) -> io::Result<()>) -> io::Result<()> {
        let began = self.clock.monotonic_us();
        wait(&*self.disk)?;
        self.times.sync.observe(seconds_since(&*self.clock, began));
        Ok(())
    }
}

/// The time elapsed since `began_us`, in seconds.
pub(super) fn seconds_since(clock: &dyn Clock, began_us: u64) -> f64 {
    let took = clock.monotonic_us().saturating_sub(began_us);
    Duration::from_micros(took).as_secs_f64()
}

impl Disk for Timed {
    fn sync_bytes(&self, file: &File) -> io::Result<()> {
        self.measured(|disk| disk.sync_bytes(file))
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        self.measured(|disk| disk.sync_all(file))
    }

    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        self.measured(|disk| disk.sync_directory(directory))
    }
}
