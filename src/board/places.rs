//! Who has which port, and where a board may be that is not on its own.
//!
//! A port in the configuration is a hint: a hub that comes back, or somebody who plugs a cable in
//! elsewhere, gives a board another name. What stays is the serial number that the board
//! tells itself. No port is looked at that another board of this daemon holds or is
//! configured to have, and none that another program has open.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::ports::{self, Access};
use remisd_vocabulary::name::BoardId;

/// The makers and products of adapters that DGT boards have; no product stands for all.
const DGT_USB: [(u16, Option<u16>); 2] = [(0x045B, None), (0x0403, Some(0x6001))];

/// Lists the ports on which a board may be.
type List = Arc<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

/// The places of all boards of a daemon; cheap to clone.
#[derive(Clone)]
pub struct Places {
    list: List,
    /// Where the serial numbers are kept over restarts.
    note: Option<PathBuf>,
    /// Whether they can be kept there.
    ready: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Who writes them down.
    saving: Arc<Mutex<()>>,
    held: Arc<Mutex<Held>>,
}

#[derive(Debug, Default)]
struct Held {
    /// The port that the configuration gives a board.
    configured: BTreeMap<BoardId, PathBuf>,
    /// Boards on whose configured port another board answers.
    elsewhere: BTreeSet<BoardId>,
    /// The device that a board has or tries to have.
    by: BTreeMap<BoardId, PathBuf>,
    serials: BTreeMap<BoardId, String>,
    /// The file does not have all of them.
    unsaved: bool,
}

impl Default for Places {
    /// The serial ports of this computer whose USB adapter is one that boards have.
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
    /// The places that `list` tells, asked anew for each search.
    pub fn among(list: impl Fn() -> Vec<PathBuf> + Send + Sync + 'static) -> Self {
        Self {
            list: Arc::new(list),
            note: None,
            ready: Arc::new(|| true),
            saving: Arc::default(),
            held: Arc::default(),
        }
    }

    /// The same, with serial numbers that are kept in a file. A file that cannot be read is as
    /// good as none: the numbers are asked for again.
    #[must_use]
    pub fn noted_in(mut self, note: PathBuf) -> Self {
        self.held().serials = read(&note);
        self.note = Some(note);
        self
    }

    /// Nothing is read or written before `ready` says that the directory is ours: the disk that
    /// it lies on may not be there yet.
    #[must_use]
    pub fn once(mut self, ready: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.ready = Arc::new(ready);
        self
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A board is configured to be at `port`.
    pub(super) fn configure(&self, board: &BoardId, port: &str) {
        let mut held = self.held();
        held.configured.insert(board.clone(), PathBuf::from(port));
    }

    /// Takes a port for a board, unless another one of ours has it.
    pub(super) fn take(&self, board: &BoardId, port: &Path) -> bool {
        let device = device(port);
        let mut held = self.held();
        let taken = held.by.iter().any(|(by, at)| by != board && *at == device);
        if !taken {
            held.by.insert(board.clone(), device);
        }
        !taken
    }

    /// A board has no port any more.
    pub(super) fn leave(&self, board: &BoardId) {
        self.held().by.remove(board);
    }

    /// Whether the board on the configured port of `board` is another one.
    pub(super) fn is_elsewhere(&self, board: &BoardId, elsewhere: bool) {
        let mut held = self.held();
        if elsewhere {
            held.elsewhere.insert(board.clone());
        } else {
            held.elsewhere.remove(board);
        }
    }

    /// The serial number that a board has told before.
    pub(super) fn serial(&self, board: &BoardId) -> Option<String> {
        self.held().serials.get(board).cloned()
    }

    /// Keeps the serial number of a board. Tells whether it had another one before.
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

    /// Writes down what is known, with what the file knows of boards that were not heard yet.
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
            self.held().unsaved = true; // again with the next board
            tracing::warn!(file = %note.display(), "cannot be written: {error}");
        }
    }

    /// Where else a board may be: ports that are there and nobody else's.
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

/// The device behind the links of a name, or the name itself where there is none.
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

        // Where another board answers than the configured one, somebody else's may be.
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

        // What was known before comes with the disk.
        fs::write(&note, r#"{"b1":"00001","b2":"00002"}"#).unwrap();
        is_there.store(true, Ordering::SeqCst);
        places.remember(&board("b1"), "00041");
        for (name, serial) in [("b1", "00041"), ("b2", "00002")] {
            let again = Places::default().noted_in(note.clone());
            assert_eq!(again.serial(&board(name)).as_deref(), Some(serial));
        }
    }
}
