//! Opens a serial port for exclusive use and explains why that failed.

use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use tokio_serial::{ErrorKind, SerialPort, SerialPortBuilderExt, SerialStream};

use remisd_vocabulary::sensor::DownCode;

/// Bits per second of a DGT board, with 8 data bits, no parity, 1 stop bit.
pub const BAUD: u32 = 9600;

/// Why a port could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The device does not exist.
    #[error(
        "{port} does not exist: plug the board in, or see `remisd ports` for the available names"
    )]
    Missing {
        /// The path of the port.
        port: String,
    },
    /// The user lacks permission to open the device.
    #[error("no permission to open {port}: {}", advice(group.as_deref()))]
    Denied {
        /// The path of the port.
        port: String,
        /// The group with permission to open it.
        group: Option<String>,
    },
    /// Another process holds the port.
    #[error("{port} is in use by another program: close that first (a board has one reader)")]
    Busy {
        /// The path of the port.
        port: String,
    },
    /// Any other failure.
    #[error("{port} could not be opened: {source}")]
    Other {
        /// The path of the port.
        port: String,
        /// The error of the operating system.
        source: tokio_serial::Error,
    },
}

impl OpenError {
    /// The code for it.
    #[must_use]
    pub const fn code(&self) -> DownCode {
        match self {
            Self::Missing { .. } => DownCode::Missing,
            Self::Denied { .. } => DownCode::Denied,
            Self::Busy { .. } => DownCode::Busy,
            Self::Other { .. } => DownCode::NotOpened,
        }
    }
}

fn advice(group: Option<&str>) -> String {
    match group {
        Some(group) => format!("let the user join the group \"{group}\", then log in again"),
        None => "only root may; give it a group by a udev rule".to_owned(),
    }
}

/// Opens `path` for exclusive use and discards pending input.
///
/// # Errors
///
/// Returns [`OpenError`], which says what to do about it.
pub fn open(path: &str) -> Result<SerialStream, OpenError> {
    let stream = tokio_serial::new(path, BAUD)
        .open_native_async()
        .map_err(|error| explain(path, error))?;
    // Input from before is out of date. A port that cannot be flushed is fine too.
    let _ = stream.clear(tokio_serial::ClearBuffer::Input);
    Ok(stream)
}

fn explain(path: &str, error: tokio_serial::Error) -> OpenError {
    let port = path.to_owned();
    match error.kind() {
        ErrorKind::Io(std::io::ErrorKind::PermissionDenied) => OpenError::Denied {
            group: group_to_join(Path::new(path)),
            port,
        },
        // `NoDevice` stands for EBUSY, for a lock held by another process and for ENXIO.
        ErrorKind::NoDevice if Path::new(path).exists() => OpenError::Busy { port },
        ErrorKind::Io(std::io::ErrorKind::NotFound) | ErrorKind::NoDevice => {
            OpenError::Missing { port }
        }
        _ => OpenError::Other {
            port,
            source: error,
        },
    }
}

/// The name of the group that may read and write `device`.
pub(super) fn group_to_join(device: &Path) -> Option<String> {
    let metadata = fs::metadata(device).ok()?;
    let group_may = metadata.mode() & 0o060 == 0o060;
    let groups = fs::read_to_string("/etc/group").ok()?;
    group_may
        .then(|| group_name(&groups, metadata.gid()))
        .flatten()
        .filter(|name| name != "root")
}

/// The name of the group with number `gid` in the text of `/etc/group`.
fn group_name(groups: &str, gid: u32) -> Option<String> {
    groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number: u32 = fields.nth(1)?.parse().ok()?;
        (number == gid).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_port_is_named() {
        let error = open("/dev/no-such-board").unwrap_err();
        assert!(matches!(error, OpenError::Missing { .. }), "{error:?}");
        assert!(error.to_string().contains("/dev/no-such-board"));
    }

    #[test]
    fn errors_of_the_operating_system_are_explained() {
        let explained = |kind, path| explain(path, tokio_serial::Error::new(kind, "because"));
        let refused = ErrorKind::Io(std::io::ErrorKind::PermissionDenied);
        assert!(matches!(
            explained(refused, "/dev/null"),
            OpenError::Denied { .. }
        ));
        let busy = explained(ErrorKind::NoDevice, "/dev/null");
        assert!(busy.to_string().contains("in use by another program"));
        let gone = explained(ErrorKind::NoDevice, "/dev/no-such-board");
        assert!(matches!(gone, OpenError::Missing { .. }));
        let other = explained(ErrorKind::Unknown, "/dev/null");
        assert!(other.to_string().contains("because"));
    }

    #[test]
    fn refusals_say_what_to_do() {
        let denied = OpenError::Denied {
            port: "/dev/ttyACM0".into(),
            group: Some("dialout".into()),
        };
        assert!(denied.to_string().contains("join the group \"dialout\""));
    }

    #[test]
    fn groups_are_found_by_number() {
        let groups = "root:x:0:\ndialout:x:20:anna,ben\n";
        assert_eq!(group_name(groups, 20).as_deref(), Some("dialout"));
        assert_eq!(group_name(groups, 21), None);
    }
}
