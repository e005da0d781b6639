//! The owner of a new file.

use std::{fs::File, io, os::unix::fs::fchown};

use anyhow::Context as _;

/// The owner of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The calling user.
    Own,
    /// A user and a group, by id.
    Given {
        /// The user id.
        user: u32,
        /// The group id.
        group: u32,
    },
}

impl Owner {
    /// Looks up a system user, with its primary group, by name.
    ///
    /// # Errors
    ///
    /// There is no such user.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        let users = std::fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
        let (user, group) = find(&users, name).with_context(|| {
            format!("there is no user {name} on this computer: install the package {name} first, or use --dir")
        })?;
        Ok(Self::Given { user, group })
    }

    /// Root, with this owner's group.
    #[must_use]
    pub const fn readable(self) -> Self {
        match self {
            Self::Own => Self::Own,
            Self::Given { group, .. } => Self::Given { user: 0, group },
        }
    }

    /// Gives the file to the owner.
    ///
    /// # Errors
    ///
    /// The operating system's error.
    pub fn take(self, file: &File) -> io::Result<()> {
        match self {
            Self::Own => Ok(()),
            Self::Given { user, group } => fchown(file, Some(user), Some(group)),
        }
    }
}

/// The user id and primary group id in the text of `/etc/passwd`:
/// `name:password:user:group:comment:home:shell`.
fn find(users: &str, name: &str) -> Option<(u32, u32)> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        (fields.next()? == name).then_some(())?;
        let user = fields.nth(1)?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        Some((user, group))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_their_whole_name() {
        let users = "root:x:0:0:root:/root:/bin/sh\nmosquitto2:x:7:7::/:\n\
                     mosquitto:x:101:102::/var/lib/mosquitto:/usr/sbin/nologin\nbad:x:no:1\n";
        assert_eq!(find(users, "mosquitto"), Some((101, 102)));
        for absent in ["remisd", "bad", ""] {
            assert_eq!(find(users, absent), None, "{absent}");
        }
    }
}
