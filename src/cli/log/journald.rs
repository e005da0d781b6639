//! The systemd journal: priorities and fields instead of lines with their own timestamps.
//!
//! systemd sets `$JOURNAL_STREAM` to the device and inode of the stderr that it reads. If ours is
//! that stream, each record goes to the journal's socket as a datagram of fields
//! (<https://systemd.io/JOURNAL_NATIVE_PROTOCOL/>):
//!
//! ```text
//! MESSAGE=b1: board is down reason=unplugged
//! PRIORITY=4
//! SYSLOG_IDENTIFIER=remisd
//! REMISD_BOARD=b1
//! ```
//!
//! `journalctl REMISD_BOARD=b1` then shows one board. If the socket does not answer, for example in
//! a chroot, the same text goes to stderr after its priority: `<4>`.

use std::{
    ffi::OsStr,
    fmt::{self, Write as _},
    io::{self, Write as _},
    os::unix::net::UnixDatagram,
    path::Path,
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{Layer, layer::Context};

/// The journal's socket.
const SOCKET: &str = "/run/systemd/journal/socket";
/// Maximum length of a message, in bytes; the socket rejects datagrams that are much longer.
const LONGEST: usize = 64 * 1024;

/// Sends each record to the systemd journal.
#[derive(Debug)]
pub struct Journald {
    /// `None` if there is no socket.
    socket: Option<UnixDatagram>,
}

impl Journald {
    /// The systemd journal, if it reads our stderr.
    pub fn of_stderr() -> Option<Self> {
        let stream = std::env::var_os("JOURNAL_STREAM")?;
        let stderr = rustix::fs::fstat(io::stderr()).ok()?;
        is_stream(&stream, stderr.st_dev, stderr.st_ino).then(|| Self::at(Path::new(SOCKET)))
    }

    fn at(socket: &Path) -> Self {
        let connected = UnixDatagram::unbound().and_then(|unbound| {
            unbound.connect(socket)?;
            // A busy journal must not block the daemon.
            unbound.set_nonblocking(true)?;
            Ok(unbound)
        });
        Self {
            socket: connected.ok(),
        }
    }

    fn write(&self, record: &Record, level: Level) {
        let priority = priority(level);
        let sent = (self.socket.as_ref())
            .is_some_and(|socket| socket.send(&record.datagram(priority)).is_ok());
        if !sent {
            let text = record.text();
            let lines = text.lines().map(|line| format!("<{priority}>{line}\n"));
            // If stderr fails too, there is nowhere left to report it.
            let _ = io::stderr()
                .lock()
                .write_all(lines.collect::<String>().as_bytes());
        }
    }
}

impl<S: Subscriber> Layer<S> for Journald {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut record = Record::default();
        event.record(&mut record);
        self.write(&record, *event.metadata().level());
    }
}

/// Whether `$JOURNAL_STREAM` (`device:inode`) names this file.
fn is_stream(stream: &OsStr, device: u64, inode: u64) -> bool {
    stream == OsStr::new(&format!("{device}:{inode}"))
}

/// The syslog priority.
fn priority(level: Level) -> u8 {
    match level {
        Level::ERROR => 3,
        Level::WARN => 4,
        Level::INFO => 6,
        _ => 7,
    }
}

/// The content of an event.
#[derive(Debug, Default)]
struct Record {
    board: Option<String>,
    message: String,
    /// The other fields, as ` name=value` each.
    fields: String,
}

impl Record {
    /// The text of the event: `b1: board is down reason=unplugged`.
    fn text(&self) -> String {
        let board = self.board.as_ref();
        let board = board.map_or_else(String::new, |board| format!("{board}: "));
        let mut text = format!("{board}{}{}", self.message, self.fields);
        if text.len() > LONGEST {
            text.truncate(text.floor_char_boundary(LONGEST));
            text.push('…');
        }
        text
    }

    fn datagram(&self, priority: u8) -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, "MESSAGE", &self.text());
        put(&mut bytes, "PRIORITY", &priority.to_string());
        put(&mut bytes, "SYSLOG_IDENTIFIER", "remisd");
        if let Some(board) = &self.board {
            put(&mut bytes, "REMISD_BOARD", board);
        }
        bytes
    }

    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        // Writing to a `String` cannot fail.
        let _ = match field.name() {
            "message" => self.message.write_fmt(value),
            "board" => {
                self.board = Some(value.to_string());
                Ok(())
            }
            // Metadata added by the `log` crate.
            name if name.starts_with("log.") => Ok(()),
            name => write!(self.fields, " {name}={value}"),
        };
    }
}

impl Visit for Record {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format_args!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, format_args!("{value}"));
    }
}

/// Writes `KEY=value`; a multi-line value is written as `KEY`, its length in eight bytes, and the
/// value.
fn put(bytes: &mut Vec<u8>, key: &str, value: &str) {
    bytes.extend_from_slice(key.as_bytes());
    if value.contains('\n') {
        bytes.push(b'\n');
        bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
    } else {
        bytes.push(b'=');
    }
    bytes.extend_from_slice(value.as_bytes());
    bytes.push(b'\n');
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// What the journal receives for one event.
    fn sent(say: impl FnOnce()) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let journal = UnixDatagram::bind(&path).unwrap();
        let log = tracing_subscriber::registry().with(Journald::at(&path));
        tracing::subscriber::with_default(log, say);
        let mut bytes = vec![0; 2 * LONGEST];
        let length = journal.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..length].to_vec()).unwrap()
    }

    #[test]
    fn a_record_has_priority_and_board() {
        let board = "b1";
        let ports = 2;
        let record = sent(|| tracing::warn!(%board, reason = "unplugged", ports, "board is down"));
        assert_eq!(
            record,
            "MESSAGE=b1: board is down reason=unplugged ports=2\nPRIORITY=4\n\
             SYSLOG_IDENTIFIER=remisd\nREMISD_BOARD=b1\n"
        );
        let record = sent(|| tracing::error!("no board"));
        assert!(
            record.contains("PRIORITY=3\n") && !record.contains("BOARD"),
            "{record}"
        );
    }

    #[test]
    fn a_message_of_several_lines_cannot_add_fields() {
        let record = sent(|| tracing::info!("one\nPRIORITY=0"));
        let length = String::from_utf8(14_u64.to_le_bytes().to_vec()).unwrap();
        let message = format!("MESSAGE\n{length}one\nPRIORITY=0\n");
        assert!(record.starts_with(&message), "{record:?}");
        assert!(record.contains("\nPRIORITY=6\n"), "{record:?}");
    }

    #[test]
    fn a_long_message_is_cut_and_not_lost() {
        let record = sent(|| tracing::info!("{}", "é".repeat(LONGEST)));
        assert!(record.contains("é…\n"));
        assert!(record.len() < LONGEST + 200);
    }

    #[test]
    fn only_the_stderr_that_the_journal_reads_is_its() {
        assert!(is_stream(OsStr::new("8:1234"), 8, 1234));
        for other in ["8:123", "7:1234", "", "8:1234:1"] {
            assert!(!is_stream(OsStr::new(other), 8, 1234), "{other}");
        }
    }
}
