//! Who has which port, and where a board may be that is not on its own.
//!
//! A port in the configuration is a hint: a hub that comes back, or somebody who plugs a cable in
//! elsewhere, gives a board another name. What stays is the serial number that the board
//! tells itself. No port is looked at that another board of this daemon holds or is
//! configured to have, and none that another program has open.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::ports::{self, Access};
use crate::name::BoardId;

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
            held: Arc::default(),
        }
    }

    /// The same, with serial numbers that are kept in a file. A file that cannot be read is as
    /// good as none: the numbers are asked for again.
    #[must_use]
    pub fn noted_in(mut self, note: PathBuf) -> Self {
        let text = fs::read(&note).unwrap_or_default();
        self.held().serials = serde_json::from_slice(&text).unwrap_or_default();
        self.note = Some(note);
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
        let mut held = self.held();
        let before = held.serials.insert(board.clone(), serial.to_owned());
        if before.as_deref() == Some(serial) {
            return false;
        }
        if let Some(note) = &self.note
            && let Err(error) = replace(note, &held.serials)
        {
            tracing::warn!(file = %note.display(), "cannot be written: {error}");
        }
        before.is_some()
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

fn replace(note: &Path, serials: &BTreeMap<BoardId, String>) -> std::io::Result<()> {
    let draft = note.with_extension("draft");
    fs::write(&draft, serde_json::to_vec(serials)?)?;
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
}
