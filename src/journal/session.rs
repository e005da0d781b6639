//! Which start of the daemon wrote a segment, and in which boot.

use std::{fs, path::Path};

use super::JournalError;

const KERNEL_RANDOM: &str = "/proc/sys/kernel/random";

/// One start of the daemon.
///
/// Monotonic times can be compared within a session, and wall times of one boot
/// tell whether the clock has jumped; so each segment says where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// New at each start: a random UUID.
    pub id: String,
    /// The kernel's id of this boot: a UUID.
    pub boot_id: String,
}

impl Session {
    /// A new session in the present boot, both ids by the kernel.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] if `/proc/sys/kernel/random` cannot be read.
    pub fn begin() -> Result<Self, JournalError> {
        let ask = |name| {
            let path = Path::new(KERNEL_RANDOM).join(name);
            fs::read_to_string(&path)
                .map(|text| text.trim().to_owned())
                .map_err(|error| JournalError::io("read", &path, error))
        };
        Ok(Self {
            id: ask("uuid")?,
            boot_id: ask("boot_id")?,
        })
    }
}
