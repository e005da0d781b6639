//! The one thing a disk is asked for beyond reading and writing: to have it for good.

use std::{fs::File, io, path::Path};

/// Makes sure that bytes outlast a loss of power. Tests put a failing one in its place.
pub trait Disk: Send + Sync {
    /// Waits until the file's bytes are on the disk.
    fn sync_bytes(&self, file: &File) -> io::Result<()>;

    /// Waits until a new file, or a new name in a directory, is on the disk.
    fn sync_all(&self, file: &File) -> io::Result<()>;

    /// Waits until the names in a directory are on the disk.
    fn sync_directory(&self, directory: &Path) -> io::Result<()> {
        self.sync_all(&File::open(directory)?)
    }
}

/// The system's disks.
pub struct System;

impl Disk for System {
    fn sync_bytes(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }
}
