//! The socket on which systemd listens to a service.

use std::{
    ffi::OsStr,
    os::unix::net::UnixDatagram,
    path::{Path, PathBuf},
};

use super::DEADLINE;

/// Receives what a service says to systemd.
pub struct Systemd {
    path: PathBuf,
    socket: UnixDatagram,
}

impl Systemd {
    /// Listens at a socket in this folder.
    pub fn listen(folder: &Path) -> Self {
        let path = folder.join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(DEADLINE)).unwrap();
        Self { path, socket }
    }

    /// The environment of a service with a watchdog that it must feed every three seconds.
    pub fn environment(&self) -> [(&str, &OsStr); 2] {
        [
            ("NOTIFY_SOCKET", self.path.as_os_str()),
            ("WATCHDOG_USEC", OsStr::new("3000000")),
        ]
    }

    /// The lines until one has `wanted`. Blocks the thread.
    pub fn received_until(&self, wanted: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let mut message = [0; 4096];
        loop {
            let length = self.socket.recv(&mut message).expect(wanted);
            let text = String::from_utf8_lossy(&message[..length]);
            lines.extend(text.lines().map(str::to_owned));
            if lines.iter().any(|line| line.contains(wanted)) {
                return lines;
            }
        }
    }
}
