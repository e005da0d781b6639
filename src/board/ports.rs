//! Lists serial ports by stable names and finds out which board answers on one.
//!
//! `/dev/ttyACM0` is whichever device was plugged in first. `/dev/serial/by-id/…` names a device
//! and `/dev/serial/by-path/…` a socket; both are better in a configuration.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use futures_util::StreamExt;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::{
    io::AsyncWriteExt,
    time::{Instant, sleep, timeout_at},
};
use tokio_serial::SerialPortType;
use tokio_util::codec::FramedRead;

use super::{
    DgtTiming,
    dgt::{
        codec::{Codec, Item, Reply},
        table::Command,
    },
    port::{self, OpenError},
};
use remisd_vocabulary::sensor::Device;

/// A serial port of this computer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Port {
    /// The name to use in a configuration.
    pub name: PathBuf,
    /// The device itself, whose name may change when it is plugged in again.
    pub device: PathBuf,
    /// Whether this process may open the port.
    pub access: Access,
    /// The vendor and product ids, for a USB device.
    pub usb: Option<Usb>,
}

/// What a USB device reports about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Usb {
    /// The vendor id.
    pub vid: u16,
    /// The product id.
    pub pid: u16,
    /// The serial number in the USB descriptor (not the board's own).
    pub serial: Option<String>,
    /// The product name.
    pub product: Option<String>,
}

/// Whether a port may be opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "may", rename_all = "snake_case")]
pub enum Access {
    /// Reading and writing are allowed.
    Open,
    /// Reading or writing is not allowed.
    Denied {
        /// The group to join, if one has permission.
        group: Option<String>,
    },
}

/// Lists the serial ports of this computer, sorted by name.
///
/// # Errors
///
/// Fails when the system does not list its devices.
pub fn list() -> Result<Vec<Port>, tokio_serial::Error> {
    // Without this directory the enumeration below would panic.
    if !Path::new("/sys/class/tty").is_dir() {
        return Ok(Vec::new());
    }
    let mut ports: Vec<Port> = tokio_serial::available_ports()?
        .into_iter()
        .map(|found| {
            let device = PathBuf::from(found.port_name);
            Port {
                name: stable_name(&device, Path::new("/dev/serial")),
                access: access(&device),
                usb: match found.port_type {
                    SerialPortType::UsbPort(usb) => Some(Usb {
                        vid: usb.vid,
                        pid: usb.pid,
                        serial: usb.serial_number,
                        product: usb.product,
                    }),
                    _ => None,
                },
                device,
            }
        })
        .collect();
    ports.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(ports)
}

/// The port with this path, which the system need not list: a pseudo-terminal, or a link.
#[must_use]
pub fn named(path: &Path) -> Port {
    Port {
        name: path.to_owned(),
        device: fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
        access: access(path),
        usb: None,
    }
}

/// The best stable name of `device` below `names`, or `device` itself.
fn stable_name(device: &Path, names: &Path) -> PathBuf {
    let target = fs::canonicalize(device).unwrap_or_else(|_| device.to_owned());
    ["by-id", "by-path"]
        .into_iter()
        .find_map(|kind| {
            let mut links: Vec<PathBuf> = fs::read_dir(names.join(kind))
                .ok()?
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|link| fs::canonicalize(link).is_ok_and(|end| end == target))
                .collect();
            links.sort();
            links.into_iter().next()
        })
        .unwrap_or_else(|| device.to_owned())
}

fn access(device: &Path) -> Access {
    let wanted = rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK;
    match rustix::fs::access(device, wanted) {
        Ok(()) => Access::Open,
        Err(_) => Access::Denied {
            group: port::group_to_join(device),
        },
    }
}

/// Why no board was found on a port.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// The port could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The connection broke.
    #[error("the connection on {port} broke: {source}")]
    Line {
        /// The path of the port.
        port: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// No dump arrived.
    #[error("no supported board answers on {port}")]
    Silent {
        /// The path of the port.
        port: String,
    },
}

/// Finds out which board is on a port.
///
/// An unknown device is sent only two bytes, 40 and 42, which change nothing in any known board. A
/// board that answers them is then queried for its version and serial number.
///
/// # Errors
///
/// Returns [`ProbeError`] when the port cannot be opened or no known board answers.
pub async fn probe(path: &str, timing: &DgtTiming) -> Result<Device, ProbeError> {
    let stream = port::open(path)?;
    let broke = |source| ProbeError::Line {
        port: path.to_owned(),
        source,
    };
    let (read, mut write) = tokio::io::split(stream);
    let mut line = FramedRead::new(read, Codec::default());
    let gap = Duration::from_millis(timing.command_gap_ms);

    let mut device = Device {
        kind: "dgt",
        port: path.to_owned(),
        ..Device::default()
    };
    write.write_u8(Command::Reset.byte()).await.map_err(broke)?;
    sleep(gap).await;
    let questions = [
        (Command::Board, timing.dump_ms),
        (Command::Version, timing.question_ms),
        (Command::SerialNumber, timing.question_ms),
    ];
    for (command, patience) in questions {
        write.write_u8(command.byte()).await.map_err(broke)?;
        let until = Instant::now() + Duration::from_millis(patience);
        let answer = loop {
            match timeout_at(until, line.next()).await {
                Ok(Some(Ok(Item::Reply(reply)))) if answers(command, &reply) => break Some(reply),
                Ok(Some(Ok(_))) => {}
                Ok(Some(Err(error))) => return Err(broke(error)),
                Ok(None) => return Err(broke(std::io::ErrorKind::UnexpectedEof.into())),
                Err(_) => break None,
            }
        };
        match answer {
            None if command == Command::Board => {
                return Err(ProbeError::Silent {
                    port: path.to_owned(),
                });
            }
            Some(Reply::Version(main, sub)) => device.version = Some(format!("{main}.{sub}")),
            Some(Reply::SerialNumber(serial)) => device.serial = Some(serial),
            _ => {}
        }
        sleep(gap).await;
    }
    Ok(device)
}

const fn answers(command: Command, reply: &Reply) -> bool {
    matches!(
        (command, reply),
        (Command::Board, Reply::BoardDump(_))
            | (Command::Version, Reply::Version(..))
            | (Command::SerialNumber, Reply::SerialNumber(_))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lasting_name_is_by_id_then_by_path_then_the_device() {
        let root = tempfile::tempdir().unwrap();
        let device = root.path().join("ttyACM0");
        fs::write(&device, "").unwrap();
        let names = root.path().join("serial");
        assert_eq!(stable_name(&device, &names), device);
        for kind in ["by-path", "by-id"] {
            let link = names.join(kind).join("board");
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(&device, &link).unwrap();
            assert_eq!(stable_name(&device, &names), link);
        }
    }

    #[test]
    fn listing_never_fails_here() {
        list().unwrap();
    }
}
