//! The address of a folder on an SFTP or FTPS server.

use std::{fmt, str::FromStr};

/// How files get to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// SSH file transfer, version 3.
    Sftp,
    /// FTP that changes to TLS before the login (RFC 4217).
    Ftps,
    /// FTP over TLS from the first byte, usually on port 990.
    ImplicitFtps,
}

impl Protocol {
    const fn port(self) -> u16 {
        match self {
            Self::Sftp => 22,
            Self::Ftps => 21,
            Self::ImplicitFtps => IMPLICIT,
        }
    }
}

/// The port of FTP over TLS from the first byte.
const IMPLICIT: u16 = 990;

/// A folder on a server, and the user whose files are there.
///
/// ```
/// use remisd_broadcast::upload::{Address, Protocol};
///
/// let address: Address = "sftp://club@files.example.org:2222/var/www/pgn".parse().unwrap();
/// assert_eq!(address.protocol(), Protocol::Sftp);
/// assert_eq!(address.folder(), "/var/www/pgn");
/// let home: Address = "ftps://club@files.example.org/~/pgn".parse().unwrap();
/// assert_eq!((home.port(), home.folder()), (21, "pgn"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    protocol: Protocol,
    user: String,
    host: String,
    port: u16,
    folder: String,
}

/// Why a text is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Its scheme is another one.
    #[error("an address that begins with sftp:// or ftps://")]
    Scheme,
    /// It names no user.
    #[error("an address with a user, such as sftp://user@host/folder")]
    User,
    /// It has a password.
    #[error("an address without a password, which is in a file or a credential")]
    Password,
    /// It names no host.
    #[error("an address with a host, such as sftp://user@host/folder")]
    Host,
    /// The port is no number from 1 to 65535.
    #[error("a port from 1 to 65535")]
    Port,
    /// The path has characters that mean something in addresses, or goes upwards.
    #[error("a path without spaces, quotes, `%`, `?`, `#`, `..` and empty parts")]
    Path,
}

impl Address {
    /// The same address for a server that speaks TLS from the first byte, whatever its port.
    #[cfg(feature = "fake")]
    #[must_use]
    pub const fn with_tls_from_the_first_byte(mut self) -> Self {
        self.protocol = Protocol::ImplicitFtps;
        self
    }

    /// How files get there.
    #[must_use]
    pub const fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The user.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The name or the IP address of the server, without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The path of the folder, without a slash at its end; empty for the folder of the login.
    #[must_use]
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The path of something in the folder.
    #[must_use]
    pub(super) fn path(&self, inside: &str) -> String {
        if self.folder.is_empty() {
            inside.to_owned()
        } else {
            format!("{}/{inside}", self.folder)
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (scheme, rest) = text.split_once("://").ok_or(AddressError::Scheme)?;
        let mut protocol = match scheme {
            "sftp" => Protocol::Sftp,
            "ftps" | "ftpes" => Protocol::Ftps,
            _ => return Err(AddressError::Scheme),
        };
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        // Users of hosting companies are named as mail addresses.
        let (user, server) = authority.rsplit_once('@').ok_or(AddressError::User)?;
        if user.contains(':') {
            return Err(AddressError::Password);
        }
        if user.is_empty() || !user.chars().all(is_plain) {
            return Err(AddressError::User);
        }
        let (host, port) = host_and_port(server)?;
        if scheme == "ftps" && port == Some(IMPLICIT) {
            protocol = Protocol::ImplicitFtps;
        }
        Ok(Self {
            protocol,
            user: user.to_owned(),
            host: host.to_ascii_lowercase(),
            port: port.unwrap_or(protocol.port()),
            folder: folder(path)?,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.protocol {
            Protocol::Sftp => "sftp",
            Protocol::Ftps | Protocol::ImplicitFtps => "ftps",
        };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

fn host_and_port(server: &str) -> Result<(&str, Option<u16>), AddressError> {
    let (host, port) = match server.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or(AddressError::Host)?;
            let port = rest.strip_prefix(':');
            if port.is_none() && !rest.is_empty() {
                return Err(AddressError::Host);
            }
            (host, port)
        }
        None => match server.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (server, None),
        },
    };
    if host.is_empty() || !host.chars().all(is_plain) {
        return Err(AddressError::Host);
    }
    let port = port.map(|port| match port.parse() {
        Ok(0) | Err(_) => Err(AddressError::Port),
        Ok(port) => Ok(port),
    });
    Ok((host, port.transpose()?))
}

/// The folder of a path: absolute, or after `/~` that of the login.
fn folder(path: &str) -> Result<String, AddressError> {
    let path = path.strip_suffix('/').unwrap_or(path);
    let folder = match path.strip_prefix("/~") {
        Some("") => "",
        Some(below) => below.strip_prefix('/').ok_or(AddressError::Path)?,
        None => path,
    };
    let parts = folder.strip_prefix('/').unwrap_or(folder);
    let is_part = |part: &str| !part.is_empty() && part != "." && part != "..";
    let is_fit = folder.chars().all(is_plain) && parts.split('/').all(is_part);
    if folder.is_empty() || is_fit {
        Ok(folder.to_owned())
    } else {
        Err(AddressError::Path)
    }
}

fn is_plain(c: char) -> bool {
    !c.is_control() && !c.is_whitespace() && !matches!(c, '%' | '?' | '#' | '"' | '\'' | '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_an_address_are_found() {
        for (text, protocol, user, host, port, folder) in [
            ("sftp://u@h", Protocol::Sftp, "u", "h", 22, ""),
            ("sftp://u@h/", Protocol::Sftp, "u", "h", 22, ""),
            ("sftp://u@h/~/a/b", Protocol::Sftp, "u", "h", 22, "a/b"),
            ("sftp://u@h:8/a/b/", Protocol::Sftp, "u", "h", 8, "/a/b"),
            ("ftps://u@d@H/~", Protocol::Ftps, "u@d", "h", 21, ""),
            ("ftpes://u@h:990", Protocol::Ftps, "u", "h", 990, ""),
            (
                "ftps://u@[::1]:990/x",
                Protocol::ImplicitFtps,
                "u",
                "::1",
                990,
                "/x",
            ),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.protocol(), protocol, "{text}");
            assert_eq!(address.user(), user, "{text}");
            assert_eq!(address.host(), host, "{text}");
            assert_eq!(address.port(), port, "{text}");
            assert_eq!(address.folder(), folder, "{text}");
        }
    }

    #[test]
    fn whatever_is_not_certain_is_refused() {
        for (text, error) in [
            ("ftp://u@h", AddressError::Scheme),
            ("u@h:/x", AddressError::Scheme),
            ("sftp://h/x", AddressError::User),
            ("sftp://@h/x", AddressError::User),
            ("sftp://u:secret@h/x", AddressError::Password),
            ("sftp://u@/x", AddressError::Host),
            ("sftp://u@[::1/x", AddressError::Host),
            ("sftp://u@[::1]x", AddressError::Host),
            ("sftp://u@h:0/x", AddressError::Port),
            ("sftp://u@h:/x", AddressError::Port),
            ("sftp://u@h:99999/x", AddressError::Port),
            ("sftp://u@h/a b", AddressError::Path),
            ("sftp://u@h/a/../b", AddressError::Path),
            ("sftp://u@h//b", AddressError::Path),
            ("sftp://u@h/~b/c", AddressError::Path),
            ("sftp://u@h/a?b", AddressError::Path),
        ] {
            assert_eq!(text.parse::<Address>(), Err(error), "{text}");
        }
    }
}
