//! Which board holds which port, and where else a missing board may be.
//!
//! A configured port is only a hint: a hub that comes back, or a cable plugged in elsewhere, gives
//! a board another name. Only the serial number reported by the board is permanent. A search skips
//! ports that another board of this daemon holds or is configured for, and ports that another
//! program has open.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::ports::{self, Access};
use remisd_vocabulary::name::BoardId;

/// Vendor and product ids of the adapters in DGT boards; `None` matches any product.
const DGT_USB: [(u16, Option<u16>); 2] = [(0x045B, None), (0x0403, Some(0x6001))];

/// Lists the ports on which a board may be.
type List = Arc<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

/// The ports of all boards of a daemon; cheap to clone.
#[derive(Clone)]
pub struct Places {
    list: List,
    /// The file that keeps the serial numbers across restarts.
    note: Option<PathBuf>,
    /// Whether the file may be written yet.
    ready: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Held while the file is written.
    saving: Arc<Mutex<()>>,
    held: Arc<Mutex<PlacesState>>,
}

#[derive(Debug, Default)]
struct PlacesState {
    /// The port configured for each board.
    configured: BTreeMap<BoardId, PathBuf>,
    /// Boards on whose configured port another board answers.
    elsewhere: BTreeSet<BoardId>,
    /// The device that each board holds or tries to open.
    by: BTreeMap<BoardId, PathBuf>,
    serials: BTreeMap<BoardId, String>,
    /// Whether the file lacks some serial numbers.
    unsaved: bool,
}

impl Default for Places {
    /// The serial ports of this computer whose USB adapter is one used in boards.
    fn default() -> Self {
        Self::among(of_this_computer)
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places")
            .field("held", &self.held())
            .finish_non_exhaustive()
    }
}

impl Places {
    /// The ports returned by `list`, which is called for each search.
    pub fn among(list: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static) -> Self {
        Self {
            list: Arc::new(list),
            note: None,
            ready: Arc::new(|| true),
            saving: Arc::default(),
            held: Arc::default(),
        }
    }

    /// Keeps the serial numbers in a file. An unreadable file counts as empty: the numbers are
    /// requested again.
    #[must_use]
    pub fn noted_in(mut self, note: PathBuf) -> Self {
        self.held().serials = read(&note);
        self.note = Some(note);
        self
    }

    /// Writes nothing until `ready` returns true, since the disk that holds the file may not be
    /// mounted yet. The first write then merges what the file already contains.
    #[must_use]
    pub fn once(mut self, ready: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.ready = Arc::new(ready);
        self
    }

    fn held(&self) -> MutexGuard<'_, PlacesState> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that `board` is configured to be on `port`.
    pub(super) fn configure(&self, board: &BoardId, port: &str) {
        let mut held = self.held();
        held.configured.insert(board.clone(), PathBuf::from(port));
    }

    /// Reserves a port for a board, unless another board of this daemon holds it.
    pub(super) fn take(&self, board: &BoardId, port: &Path) -> bool {
        let device = device(port);
        let mut held = self.held();
        let taken = held.by.iter().any(|(by, at)| by != board && *at == device);
        if !taken {
            held.by.insert(board.clone(), device);
        }
        !taken
    }

    /// Releases the port of a board.
    pub(super) fn leave(&self, board: &BoardId) {
        self.held().by.remove(board);
    }

    /// Records whether another board answers on the configured port of `board`.
    pub(super) fn is_elsewhere(&self, board: &BoardId, elsewhere: bool) {
        let mut held = self.held();
        if elsewhere {
            held.elsewhere.insert(board.clone());
        } else {
            held.elsewhere.remove(board);
        }
    }

    /// The serial number that a board has reported before.
    pub(super) fn serial(&self, board: &BoardId) -> Option<String> {
        self.held().serials.get(board).cloned()
    }

    /// Stores the serial number of a board. Returns whether the board had another one before.
    pub(super) fn remember(&self, board: &BoardId, serial: &str) -> bool {
        let (before, unsaved) = {
            let mut held = self.held();
            let before = held.serials.insert(board.clone(), serial.to_owned());
            held.unsaved |= before.as_deref() != Some(serial);
            (before, held.unsaved)
        };
        if unsaved && (self.ready)() {
            self.save();
        }
        before.is_some_and(|before| before != serial)
    }

    /// Writes all known serial numbers, including those in the file of boards not heard yet.
    fn save(&self) {
        let Some(note) = &self.note else {
            return;
        };
        let _one = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let serials = {
            let mut held = self.held();
            for (board, serial) in read(note) {
                held.serials.entry(board).or_insert(serial);
            }
            held.unsaved = false;
            held.serials.clone()
        };
        if let Err(error) = replace(note, &serials) {
            self.held().unsaved = true; // retried with the next board
            tracing::warn!(file = %note.display(), "cannot be written: {error}");
        }
    }

    /// The ports that exist and belong to no other board.
    pub(super) fn others(&self, board: &BoardId) -> Vec<PathBuf> {
        let listed = (self.list)();
        let held = self.held();
        let theirs = |at: &PathBuf| {
            let configured = held.configured.iter().any(|(by, port)| {
                by != board && !held.elsewhere.contains(by) && device(port) == *at
            });
            configured || held.by.iter().any(|(by, port)| by != board && port == at)
        };
        let own = held.configured.get(board).map(|port| device(port));
        let free = |port: &PathBuf| {
            let at = device(port);
            Some(&at) != own.as_ref() && !theirs(&at)
        };
        listed.into_iter().filter(free).collect()
    }
}

/// The device behind a link, or the path itself if it cannot be resolved.
fn device(port: &Path) -> PathBuf {
    fs::canonicalize(port).unwrap_or_else(|_| port.to_owned())
}

fn read(note: &Path) -> BTreeMap<BoardId, String> {
    let text = fs::read(note).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn replace(note: &Path, serials: &BTreeMap<BoardId, String>) -> std::io::Result<()> {
    let draft = note.with_extension("draft");
    let mut file = fs::File::create(&draft)?;
    file.write_all(&serde_json::to_vec(serials)?)?;
    file.sync_data()?;
    fs::rename(&draft, note)
}

fn of_this_computer() -> Vec<PathBuf> {
    let ports = ports::list().unwrap_or_default();
    let may_be = ports.into_iter().filter(|port| {
        let usb = port.usb.as_ref().is_some_and(|usb| {
            DGT_USB
                .iter()
                .any(|(vid, pid)| usb.vid == *vid && pid.is_none_or(|pid| usb.pid == pid))
        });
        usb && port.access == Access::Open
    });
    may_be.map(|port| port.name).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn board(id: &str) -> BoardId {
        id.parse().unwrap()
    }

    #[test]
    fn no_port_of_another_board_is_looked_at() {
        let all = ["/dev/a", "/dev/b", "/dev/c", "/dev/d"].map(PathBuf::from);
        let places = Places::among(move || all.to_vec());
        places.configure(&board("b1"), "/dev/a");
        places.configure(&board("b2"), "/dev/b");
        assert!(places.take(&board("b3"), Path::new("/dev/c")));
        assert!(!places.take(&board("b1"), Path::new("/dev/c")));
        assert_eq!(places.others(&board("b1")), [PathBuf::from("/dev/d")]);

        // If another board answers on the configured port of b2, a third one may be there.
        places.is_elsewhere(&board("b2"), true);
        places.leave(&board("b3"));
        let free = ["/dev/b", "/dev/c", "/dev/d"].map(PathBuf::from);
        assert_eq!(places.others(&board("b1")), free);
    }

    #[test]
    fn serial_numbers_outlive_the_daemon() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("serials.json");
        let places = Places::default().noted_in(note.clone());
        assert!(!places.remember(&board("b1"), "00041"));
        let again = Places::default().noted_in(note.clone());
        assert_eq!(again.serial(&board("b1")).as_deref(), Some("00041"));
        assert!(again.remember(&board("b1"), "00043"));
        fs::write(&note, "{").unwrap();
        assert_eq!(Places::default().noted_in(note).serial(&board("b1")), None);
    }

    #[test]
    fn without_its_disk_nothing_is_written_and_later_no_board_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("serials.json");
        let is_there = Arc::new(AtomicBool::new(false));
        let disk = Arc::clone(&is_there);
        let places = Places::default().noted_in(note.clone());
        let places = places.once(move || disk.load(Ordering::SeqCst));
        places.remember(&board("b1"), "00041");
        assert!(!note.exists());

        // The numbers from before arrive with the disk.
        fs::write(&note, r#"{"b1":"00001","b2":"00002"}"#).unwrap();
        is_there.store(true, Ordering::SeqCst);
        places.remember(&board("b1"), "00041");
        for (name, serial) in [("b1", "00041"), ("b2", "00002")] {
            let again = Places::default().noted_in(note.clone());
            assert_eq!(again.serial(&board(name)).as_deref(), Some(serial));
        }
    }
}
