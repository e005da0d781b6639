//! Assigns serial ports to the boards of a new configuration.

use remisd_board::ports::{self, Port};

use super::answers::BoardForm;

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

impl BoardPort {
    /// A board on this port, or with a placeholder.
    pub fn new(id: &str, port: Option<&str>) -> Self {
        Self {
            id: id.to_owned(),
            found: port.is_some(),
            port: port.map_or_else(|| format!("/dev/serial/by-id/port-of-{id}"), str::to_owned),
        }
    }
}

/// Names `count` boards and assigns their ports: the given names and ports first, then b1, b2 and
/// so on, and the ports that look like a board's.
pub fn with_ports(count: u16, names: &[String], given: &[String]) -> Vec<BoardForm> {
    // A computer without serial ports can still be configured.
    let listed = ports::list().unwrap_or_default();
    assign(count, names, given, &listed)
}

fn assign(count: u16, names: &[String], given: &[String], listed: &[Port]) -> Vec<BoardForm> {
    let seen = listed
        .iter()
        .filter(|port| looks_like_a_board(port))
        .map(|port| port.name.display().to_string())
        .filter(|name| !given.contains(name));
    let mut ports = given.iter().cloned().chain(seen);
    let mut names = names.iter();
    (1..=count)
        .map(|number| BoardForm {
            id: names
                .next()
                .map_or_else(|| format!("b{number}"), Clone::clone),
            port: ports.next().unwrap_or_default(),
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
        let names = ["left".to_owned()];
        let boards = assign(4, &names, &["/dev/serial/by-id/a".to_owned()], &listed);
        let ports: Vec<_> = boards.iter().map(|b| (&*b.id, &*b.port)).collect();
        assert_eq!(
            ports,
            [
                ("left", "/dev/serial/by-id/a"),
                ("b2", "/dev/serial/by-id/c"),
                ("b3", ""),
                ("b4", ""),
            ]
        );
    }
}
