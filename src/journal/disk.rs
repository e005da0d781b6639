//! The durability operations that the journal needs from a disk.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::FILE_MODE;

/// Makes bytes survive a power failure. Tests substitute a failing implementation.
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

/// The operating system's disk.
pub struct System;

impl Disk for System {
    fn sync_bytes(&self, file: &File) -> io::Result<()> {
        file.sync_data()
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        file.sync_all()
    }
}

/// Replaces a whole file atomically, even across a power failure.
pub(super) fn replace(
    disk: &dyn Disk,
    directory: &Path,
    name: &str,
    bytes: &[u8],
) -> io::Result<()> {
    let (draft, file) = write_draft(directory, name, bytes)?;
    disk.sync_all(&file)?;
    fs::rename(draft, directory.join(name))?;
    disk.sync_directory(directory)
}

/// Replaces a whole file atomically, for readers of the same boot. A power failure may undo it, or
/// leave an empty file.
pub(super) fn replace_unsynced(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let (draft, _) = write_draft(directory, name, bytes)?;
    fs::rename(draft, directory.join(name))
}

/// Writes the file that will replace another one. Returns its path.
fn write_draft(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<(PathBuf, File)> {
    let draft = directory.join(format!("{name}.draft"));
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(FILE_MODE)
        .open(&draft)?;
    file.write_all(bytes)?;
    Ok((draft, file))
}
