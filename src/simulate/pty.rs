//! A pseudo-terminal with a simulated device at its far end.
//!
//! Its terminal is made raw before its path is known, or the host's own bytes would come back as an
//! echo. One descriptor of the terminal stays open here, or reading would fail whenever the host
//! closes it. A link to it appears atomically. Dropping it simulates pulling the cable.

use std::{
    ffi::OsStr,
    fs, io,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{OptionalActions, tcgetattr, tcsetattr},
};
use tokio::{
    io::AsyncReadExt,
    net::unix::pipe::{Receiver, Sender},
};

/// The device's end of a pseudo-terminal.
#[derive(Debug)]
pub struct Pty {
    read: Receiver,
    write: Sender,
    path: PathBuf,
    _link: Option<SymbolicLink>,
    _terminal: OwnedFd,
}

impl Pty {
    /// Creates a pseudo-terminal and a symbolic link to it at `link`.
    ///
    /// # Errors
    ///
    /// Fails if the system has no more pseudo-terminals, or if `link` exists and is not a symbolic
    /// link.
    ///
    /// # Panics
    ///
    /// Panics outside a Tokio runtime.
    pub fn open(link: Option<&Path>) -> io::Result<Self> {
        let device = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&device)?;
        unlockpt(&device)?;
        let name = ptsname(&device, Vec::new())?;
        let path = PathBuf::from(OsStr::from_bytes(name.as_bytes()));

        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let terminal = rustix::fs::open(&path, flags, Mode::empty())?;
        let mut settings = tcgetattr(&terminal)?;
        settings.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &settings)?;

        rustix::fs::fcntl_setfl(&device, OFlags::RDWR | OFlags::NONBLOCK)?;
        // The pipe types read and write any descriptor; the unchecked constructors skip the test
        // for a pipe.
        let write = Sender::from_owned_fd_unchecked(device.try_clone()?)?;
        let read = Receiver::from_owned_fd_unchecked(device)?;
        Ok(Self {
            read,
            write,
            _link: link
                .map(|link| SymbolicLink::create(link, &path))
                .transpose()?,
            path,
            _terminal: terminal,
        })
    }

    /// Returns the terminal that a host opens.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for bytes from the host.
    ///
    /// # Errors
    ///
    /// Fails if the pseudo-terminal fails.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read.read(buffer).await
    }

    /// Writes as much as there is room for and returns the count, possibly 0.
    ///
    /// # Errors
    ///
    /// Fails if the pseudo-terminal fails.
    pub fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self.write.try_write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(0),
            written => written,
        }
    }

    /// Waits until there is room to write.
    ///
    /// # Errors
    ///
    /// Fails if the pseudo-terminal fails.
    pub async fn writable(&self) -> io::Result<()> {
        self.write.writable().await
    }
}

/// A symbolic link that is removed with its pseudo-terminal.
#[derive(Debug)]
struct SymbolicLink {
    at: PathBuf,
    to: PathBuf,
}

impl SymbolicLink {
    fn create(at: &Path, to: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(at).is_ok_and(|there| !there.is_symlink()) {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{} exists and is not a link", at.display()),
            ));
        }
        let mut fresh = at.as_os_str().to_owned();
        fresh.push(format!(".{}", std::process::id()));
        let fresh = PathBuf::from(fresh);
        let _ = fs::remove_file(&fresh);
        std::os::unix::fs::symlink(to, &fresh)?;
        fs::rename(&fresh, at)?;
        Ok(Self {
            at: at.to_owned(),
            to: to.to_owned(),
        })
    }
}

impl Drop for SymbolicLink {
    fn drop(&mut self) {
        // Another simulation may have replaced the link.
        if fs::read_link(&self.at).is_ok_and(|to| to == self.to) {
            let _ = fs::remove_file(&self.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_link_comes_and_goes_with_it_and_files_are_safe() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("board");
        let pty = Pty::open(Some(&link)).unwrap();
        assert_eq!(fs::read_link(&link).unwrap(), pty.path());
        let second = Pty::open(Some(&link)).unwrap();
        drop(pty);
        assert_eq!(fs::read_link(&link).unwrap(), second.path());
        drop(second);
        assert!(fs::symlink_metadata(&link).is_err());

        fs::write(&link, "precious").unwrap();
        assert!(Pty::open(Some(&link)).is_err());
        assert_eq!(fs::read_to_string(&link).unwrap(), "precious");
    }
}
