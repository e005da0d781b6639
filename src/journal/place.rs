//! The journal's location: its directory, which is created and locked, and the disk it requires.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

use super::{FILE_MODE, JournalError, disk::Disk};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

const DIRECTORY_MODE: u32 = 0o750;

/// The name of the file that a daemon holds while it uses the directory.
pub(super) const LOCK: &str = ".lock";

/// Finds the highest number assigned to a board, according to other files in the directory.
pub type FindLastSeq = fn(&Path, &BoardId) -> EntrySeq;

/// The location of a journal.
#[derive(Debug, Clone)]
pub struct JournalLocation {
    /// The journal's directory, created if necessary.
    pub directory: PathBuf,
    /// The mount point that must be mounted before the directory is created or read. Without its
    /// disk the mount point is an empty directory on another disk, and a second journal would begin
    /// there.
    pub mount: Option<PathBuf>,
    /// Finds the number up to which a board's entries were published. A record that ends earlier
    /// was truncated.
    pub given: FindLastSeq,
}

impl From<&Path> for JournalLocation {
    /// A directory on a disk that is always present.
    fn from(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            mount: None,
            given: |_, _| EntrySeq::ZERO,
        }
    }
}

impl JournalLocation {
    /// Creates the directory if necessary and locks it. The lock lasts while the returned file is
    /// open; the operating system releases it even if the daemon is killed.
    pub(super) fn take(&self, disk: &dyn Disk) -> Result<File, JournalError> {
        let directory = &self.directory;
        let refused = |error| JournalError::io("open", directory, error);
        if let Some(mount) = &self.mount {
            check_mount(mount)?;
        }
        // Sync every new directory's name, which its parent directory holds.
        let parents = directory.ancestors().skip(1).filter(|path| path.is_dir());
        let nearest = parents.map(Path::to_owned).next();
        make_directory(directory).map_err(refused)?;
        for parent in directory.ancestors().skip(1).filter(|path| path.is_dir()) {
            disk.sync_directory(parent).map_err(refused)?;
            if Some(parent) == nearest.as_deref() {
                break;
            }
        }
        lock(directory)
    }
}

/// Checks that a separate file system is mounted at `mount`. Blocks on a disk that does not answer.
///
/// # Errors
///
/// None is mounted there.
pub fn check_mount(mount: &Path) -> Result<(), JournalError> {
    is_mounted(mount).map_err(|error| JournalError::io("use", mount, error))
}

fn is_mounted(mount: &Path) -> io::Result<()> {
    let here = fs::metadata(mount)?;
    let above = fs::metadata(mount.join(".."))?;
    if here.dev() == above.dev() && here.ino() != above.ino() {
        let text = "no file system is mounted there";
        return Err(io::Error::new(io::ErrorKind::NotFound, text));
    }
    Ok(())
}

pub(super) fn make_directory(directory: &Path) -> io::Result<()> {
    let made = DirBuilder::new()
        .recursive(true)
        .mode(DIRECTORY_MODE)
        .create(directory);
    made.map_err(|error| match leads_nowhere(directory) {
        Some(link) => {
            let text = format!("the symbolic link {} leads nowhere", link.display());
            io::Error::new(io::ErrorKind::NotFound, text)
        }
        None => error,
    })
}

/// The symbolic link on the way to `path` whose target is missing, as when its disk is absent.
fn leads_nowhere(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| {
        path.is_symlink()
            && fs::metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    })
}

fn lock(directory: &Path) -> Result<File, JournalError> {
    let path = directory.join(LOCK);
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .mode(FILE_MODE)
        .open(&path)
        .map_err(|error| JournalError::io("open", &path, error))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(rustix::io::Errno::WOULDBLOCK) => {
            let holder = fs::read_to_string(&path).unwrap_or_default();
            return Err(JournalError::Locked {
                directory: directory.to_owned(),
                holder: holder.trim().to_owned(),
            });
        }
        Err(error) => return Err(JournalError::io("lock", &path, error.into())),
    }
    // Another process names this id in its error message; the lock does not depend on it.
    let noted = file
        .set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    if let Err(error) = noted {
        tracing::warn!(file = %path.display(), "cannot be written: {error}");
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::{super::disk::System, *};

    fn kind(place: &JournalLocation) -> io::ErrorKind {
        place.take(&System).unwrap_err().io_kind().unwrap()
    }

    #[test]
    fn a_disk_that_is_not_there_may_come_and_a_wrong_path_is_wrong() {
        let folder = tempfile::tempdir().unwrap();
        let disk = folder.path().join("disk");
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&disk, &link).unwrap();
        for path in [link.clone(), link.join("journal")] {
            let missing = JournalLocation::from(path.as_path())
                .take(&System)
                .unwrap_err();
            assert!(missing.may_pass(), "{missing}");
            assert!(missing.to_string().contains("leads nowhere"), "{missing}");
        }
        fs::create_dir(&disk).unwrap();
        JournalLocation::from(link.join("journal").as_path())
            .take(&System)
            .unwrap();

        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for path in [file.clone(), file.join("journal")] {
            let wrong = JournalLocation::from(path.as_path())
                .take(&System)
                .unwrap_err();
            assert!(!wrong.may_pass(), "{wrong}");
        }
    }

    #[test]
    fn a_mount_point_without_its_disk_is_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        let mount = folder.path().to_owned();
        let directory = mount.join("journal");
        let place = JournalLocation {
            directory: directory.clone(),
            mount: Some(mount),
            ..JournalLocation::from(directory.as_path())
        };
        assert_eq!(kind(&place), io::ErrorKind::NotFound);
        assert!(!directory.exists());
        // On every system, file systems are mounted at the root and at /proc.
        for mounted in ["/", "/proc"] {
            let place = JournalLocation {
                mount: Some(mounted.into()),
                ..place.clone()
            };
            place.take(&System).unwrap();
        }
    }
}
