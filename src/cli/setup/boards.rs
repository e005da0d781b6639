//! Assigns serial ports to the boards of a new configuration.

use remisd_board::ports::{self, Port};

/// DGT's USB vendor id.
const DGT: u16 = 0x045B;
/// Vendor and product id of the USB serial converter inside older DGT boards.
const FTDI: (u16, u16) = (0x0403, 0x6001);

/// A board of the new configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardPort {
    /// Its name: `b1`.
    pub id: String,
    /// Its serial port.
    pub port: String,
    /// Whether the port was given or found; otherwise it is a placeholder for the user to fill in.
    pub found: bool,
}

/// Assigns ports to `count` boards: the given ports first, then those that look like a board's.
pub fn with_ports(count: u16, given: &[String]) -> Vec<BoardPort> {
    // A computer without serial ports can still be configured.
    let listed = ports::list().unwrap_or_default();
    assign(count, given, &listed)
}

fn assign(count: u16, given: &[String], listed: &[Port]) -> Vec<BoardPort> {
    let seen = listed
        .iter()
        .filter(|port| looks_like_a_board(port))
        .map(|port| port.name.display().to_string())
        .filter(|name| !given.contains(name));
    let mut ports = given.iter().cloned().chain(seen);
    (1..=count)
        .map(|number| {
            let id = format!("b{number}");
            let port = ports.next();
            BoardPort {
                found: port.is_some(),
                port: port.unwrap_or_else(|| format!("/dev/serial/by-id/port-of-{id}")),
                id,
            }
        })
        .collect()
}

fn looks_like_a_board(port: &Port) -> bool {
    port.usb
        .as_ref()
        .is_some_and(|usb| usb.vid == DGT || (usb.vid, usb.pid) == FTDI)
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_board::ports::{Access, Usb};

    fn port(name: &str, vid: u16, pid: u16) -> Port {
        Port {
            name: name.into(),
            device: "/dev/ttyACM0".into(),
            access: Access::Open,
            usb: Some(Usb {
                vid,
                pid,
                serial: None,
                product: None,
            }),
        }
    }

    #[test]
    fn boards_take_the_given_ports_then_those_that_look_like_a_board() {
        let listed = [
            port("/dev/serial/by-id/a", 0x045B, 1),
            port("/dev/serial/by-id/modem", 0x12D1, 1),
            port("/dev/serial/by-id/c", 0x0403, 0x6001),
        ];
        let boards = assign(4, &["/dev/serial/by-id/a".to_owned()], &listed);
        let ports: Vec<_> = boards.iter().map(|b| (b.port.as_str(), b.found)).collect();
        assert_eq!(
            ports,
            [
                ("/dev/serial/by-id/a", true),
                ("/dev/serial/by-id/c", true),
                ("/dev/serial/by-id/port-of-b3", false),
                ("/dev/serial/by-id/port-of-b4", false),
            ]
        );
    }
}
