//! Where state is kept over a restart, and the disk that must be there for it.
//!
//! Without its disk, a mount point is an empty directory on another disk. State that is written
//! there is hidden as soon as the disk is mounted. So the check comes before every read and write.

use std::{fmt, io, path::PathBuf, sync::Arc, time::Duration};

/// How often a disk that is not there, or that takes nothing, is tried again.
pub const RETRY: Duration = Duration::from_secs(5);

/// Why a disk cannot be used.
type Check = dyn Fn() -> io::Result<()> + Send + Sync;

/// A file or a directory with state, and the check of its disk.
#[derive(Clone)]
pub struct StatePlace {
    path: PathBuf,
    check: Arc<Check>,
}

impl StatePlace {
    /// A place on a disk that must pass `check`, which may block.
    pub fn new(path: PathBuf, check: impl Fn() -> io::Result<()> + Send + Sync + 'static) -> Self {
        let check = Arc::new(check);
        Self { path, check }
    }

    /// The path, if its disk is there now. It may block: call it where files are read or written.
    ///
    /// # Errors
    ///
    /// The error of the check.
    pub fn path(&self) -> io::Result<&PathBuf> {
        (self.check)()?;
        Ok(&self.path)
    }
}

impl From<PathBuf> for StatePlace {
    /// A place on a disk that is always there.
    fn from(path: PathBuf) -> Self {
        Self::new(path, || Ok(()))
    }
}

impl fmt::Debug for StatePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StatePlace").field(&self.path).finish()
    }
}
