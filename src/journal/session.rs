//! Identifies the run of the daemon, and the boot, in which a segment was written.

use std::{fs, path::Path};

use remisd_vocabulary::time::Span;
use rustix::time::{ClockId, clock_gettime};

use super::JournalError;

const KERNEL_RANDOM: &str = "/proc/sys/kernel/random";

/// One run of the daemon.
///
/// Monotonic times are comparable within a session. Wall-clock times within a boot show whether the
/// clock has jumped. Each segment therefore names both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonSession {
    /// A random UUID, new at each start.
    pub id: String,
    /// The kernel's UUID of this boot.
    pub boot_id: String,
    /// The kernel's monotonic time at which it began; it goes on from session to session of a boot.
    pub began: Span,
}

impl DaemonSession {
    /// Creates a session in the current boot, with both ids from the kernel.
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
            began: kernel_time(),
        })
    }
}

/// The kernel's monotonic time. Time asleep does not count.
fn kernel_time() -> Span {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or_default();
    Span::from_millis(seconds.saturating_mul(1_000) + nanoseconds / 1_000_000)
}
