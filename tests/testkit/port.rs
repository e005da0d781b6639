//! Ports for programs that take the number of their port.

use std::{
    net::{Ipv4Addr, TcpListener},
    ops::Range,
};

/// Below the ports that Linux assigns by itself, so that no other test's connection or listener
/// takes a port between its choice and the start of the program.
/// Source: `ip_local_port_range` in ip-sysctl of the Linux kernel, 32768 to 60999.
const PORTS: Range<u16> = 12_000..32_000;

/// A port on which nothing listens.
pub fn free_port() -> u16 {
    let mut ports = std::iter::repeat_with(|| fastrand::u16(PORTS)).take(PORTS.len());
    let free = ports.find(|port| TcpListener::bind((Ipv4Addr::UNSPECIFIED, *port)).is_ok());
    free.expect("a port is free")
}
