//! The systemd units: the daemon may open exactly the kinds of ports that boards use, the pages
//! none, and both are as closed as they can be.

use std::{collections::BTreeSet, process::Command};

const UNIT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/remisd.service");
const UNIT_OF_PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/systemd/remisd-hall.service");

/// The values of a setting, in order.
fn settings<'a>(unit: &'a str, name: &str) -> Vec<&'a str> {
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    lines
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value)
        .collect()
}

#[test]
fn every_kind_of_serial_port_may_be_opened_and_nothing_else() {
    let unit = std::fs::read_to_string(UNIT).unwrap();
    // A converter, a board with USB of its own, a card or a small computer's pins, Bluetooth.
    let ports = ["ttyUSB", "ttyACM", "ttyS", "ttyAMA", "rfcomm"];
    let wanted: BTreeSet<String> = ports.iter().map(|port| format!("char-{port} rw")).collect();
    let allowed = settings(&unit, "DeviceAllow");
    assert_eq!(
        allowed
            .iter()
            .map(ToString::to_string)
            .collect::<BTreeSet<_>>(),
        wanted
    );
    assert_eq!(settings(&unit, "DevicePolicy"), ["closed"]);
    // This setting would hide all devices, whatever is allowed.
    assert_eq!(settings(&unit, "PrivateDevices"), [""; 0]);
    // A device class whose driver is not loaded when the unit starts stays closed.
    let drivers =
        ["usbserial", "cdc_acm", "rfcomm"].map(|driver| format!("modprobe@{driver}.service"));
    for setting in ["Wants", "After"] {
        let named = settings(&unit, setting).join(" ");
        let named: Vec<&str> = named.split(' ').collect();
        assert!(
            drivers
                .iter()
                .all(|driver| named.contains(&driver.as_str())),
            "{setting}: {named:?}"
        );
    }
}

#[test]
fn the_pages_have_every_protection_of_the_daemon_and_no_device() {
    let (daemon, pages) = (UNIT, UNIT_OF_PAGES);
    let [daemon, pages] = [daemon, pages].map(|unit| std::fs::read_to_string(unit).unwrap());
    assert_eq!(settings(&pages, "ExecStart"), ["/usr/bin/remisd hall"]);
    assert_eq!(settings(&pages, "PrivateDevices"), ["yes"]);
    assert_eq!(settings(&pages, "DeviceAllow"), [""; 0]);
    // Each of a computer's services ends with its own sockets, and none ends a game.
    for unit in [&daemon, &pages] {
        assert_eq!(settings(unit, "Conflicts"), [""; 0]);
    }
    let of_boards = [
        "DeviceAllow",
        "Wants",
        "After",
        "Description",
        "Documentation",
    ];
    let other = ["ExecStart", "RuntimeDirectory"];
    let keys = daemon.lines().filter(|line| !line.starts_with('#'));
    let keys: BTreeSet<&str> = keys
        .filter_map(|line| Some(line.split_once('=')?.0))
        .collect();
    for key in keys {
        if !of_boards.contains(&key) && !other.contains(&key) {
            assert_eq!(settings(&pages, key), settings(&daemon, key), "{key}");
        }
    }
    assert_ne!(
        settings(&pages, "RuntimeDirectory"),
        settings(&daemon, "RuntimeDirectory")
    );
}

#[test]
fn the_units_are_as_closed_as_before() {
    for unit in [UNIT, UNIT_OF_PAGES] {
        let Ok(analysed) = Command::new("systemd-analyze")
            .args(["security", "--offline=true", "--threshold=12", unit])
            .output()
        else {
            // Cannot be checked without systemd.
            return;
        };
        let analysis = String::from_utf8_lossy(&analysed.stdout);
        assert!(
            analysed.status.success(),
            "{analysis}{}",
            String::from_utf8_lossy(&analysed.stderr)
        );
    }
}
