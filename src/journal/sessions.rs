//! How long ago the earlier sessions of this boot were.
//!
//! A computer's date may jump while the daemon is down. The kernel's monotonic clock does not, and it
//! goes on from one session to the next until the computer is started again. `sessions.json` says
//! when each session of this boot has begun by that clock. Time asleep does not count.
//!
//! All starts must see the same clock. A time namespace with an offset of its own
//! (`time_namespaces(7)`) is not recognised; container engines do not set one by default.

use std::{
    fs,
    io::{self, Read as _},
    path::Path,
};

use serde::{Deserialize, Serialize};

use super::{DaemonSession, disk};
use remisd_vocabulary::time::{Moment, Span};

/// The file's name in the journal's directory.
pub const FILE: &str = "sessions.json";
const SCHEMA: &str = "remisd/sessions/1";
/// The newest sessions that are kept; of older ones no age is known.
const KEPT: usize = 64;
/// A larger file is not ours.
const MAX_BYTES: u64 = 64 * 1024;

/// The sessions of this boot, as the newest of them has found them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sessions {
    /// The kernel's time at which the newest session began.
    now: Span,
    earlier: Vec<Begun>,
}

/// A session and the kernel's time at which it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Begun {
    session: String,
    began_ms: u64,
}

#[derive(Serialize, Deserialize)]
struct Note {
    schema: String,
    boot_id: String,
    sessions: Vec<Begun>,
}

impl Sessions {
    /// Reads the earlier sessions, and adds this one to the file. The file needs no sync: after a
    /// power failure there is another boot.
    ///
    /// # Errors
    ///
    /// The operating system's error if the file cannot be written.
    pub(super) fn note(directory: &Path, session: &DaemonSession) -> io::Result<Self> {
        let earlier = read(&directory.join(FILE))
            .filter(|note| note.boot_id == session.boot_id)
            .map_or_else(Vec::new, |note| note.sessions);
        let mut sessions = earlier.clone();
        sessions.retain(|begun| begun.session != session.id);
        sessions.push(Begun {
            session: session.id.clone(),
            began_ms: session.began.as_millis(),
        });
        sessions.drain(..sessions.len().saturating_sub(KEPT));
        let note = Note {
            schema: SCHEMA.to_owned(),
            boot_id: session.boot_id.clone(),
            sessions,
        };
        disk::replace_unsynced(directory, FILE, &serde_json::to_vec(&note)?)?;
        Ok(Self {
            now: session.began,
            earlier,
        })
    }

    /// The time that has passed, at the least, since moment `at` of a session of this boot. `None` if
    /// the session is not known.
    ///
    /// A session's own clock starts before the session begins, and time after the start of the newest
    /// session does not count. Both make the age smaller than it is.
    #[must_use]
    pub fn age(&self, session: &str, at: Moment) -> Option<Span> {
        let known = self.earlier.iter().find(|known| known.session == session)?;
        let at = Moment::from_millis(known.began_ms) + (at - Moment::START);
        Some(Moment::START + self.now - at)
    }
}

/// The content of the file, if it is one of ours.
fn read(path: &Path) -> Option<Note> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let note: Note = serde_json::from_slice(&bytes).ok()?;
    (note.schema == SCHEMA).then_some(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, boot: &str, began_ms: u64) -> DaemonSession {
        DaemonSession {
            id: id.to_owned(),
            boot_id: boot.to_owned(),
            began: Span::from_millis(began_ms),
        }
    }

    #[test]
    fn only_sessions_of_this_boot_have_an_age() {
        let folder = tempfile::tempdir().unwrap();
        let note = |session: &DaemonSession| Sessions::note(folder.path(), session).unwrap();
        let age = |sessions: &Sessions, id: &str, at| {
            let age = sessions.age(id, Moment::from_millis(at));
            age.map(Span::as_millis)
        };
        let first = note(&session("a", "boot", 10_000));
        assert_eq!(age(&first, "a", 0), None, "no session is its own past");
        let second = note(&session("b", "boot", 70_000));
        assert_eq!(age(&second, "a", 5_000), Some(55_000));
        assert_eq!(age(&second, "a", 600_000), Some(0), "later than now");
        assert_eq!(age(&second, "a", u64::MAX), Some(0));
        let third = note(&session("c", "boot", 80_000));
        assert_eq!(age(&third, "a", 5_000), Some(65_000));
        assert_eq!(age(&third, "b", 5_000), Some(5_000));
        let other = note(&session("d", "another boot", 900_000));
        assert_eq!(age(&other, "a", 0), None);
        let again = note(&session("e", "boot", 100_000));
        assert_eq!(
            age(&again, "a", 0),
            None,
            "the sessions before are forgotten"
        );
    }

    #[test]
    fn a_file_that_is_not_ours_gives_no_age_and_is_replaced() {
        for bytes in [
            &b""[..],
            b"{}",
            br#"{"schema":"remisd/sessions/2","boot_id":"boot","sessions":[{"session":"a","began_ms":0}]}"#,
            br#"{"schema":"remisd/sessions/1","boot_id":"boot","sessions":[{"session":"a","began_ms":-1}]}"#,
        ] {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(FILE), bytes).unwrap();
            let sessions = Sessions::note(folder.path(), &session("b", "boot", 90_000)).unwrap();
            assert_eq!(sessions.age("a", Moment::START), None);
            let next = Sessions::note(folder.path(), &session("c", "boot", 91_000)).unwrap();
            assert_eq!(next.age("b", Moment::START), Some(Span::from_millis(1_000)));
        }
    }

    #[test]
    fn the_number_of_sessions_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..KEPT as u64 + 10 {
            let session = session(&number.to_string(), "boot", number);
            Sessions::note(folder.path(), &session).unwrap();
        }
        let note = read(&folder.path().join(FILE)).unwrap();
        assert_eq!(note.sessions.len(), KEPT);
        assert_eq!(note.sessions[0].session, "10");
    }
}
