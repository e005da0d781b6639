//! A small disk for the journal that can be filled to the last byte.

use std::{
    fs::{self, File},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    process::Command,
};

/// A file system in memory, unmounted when dropped.
pub struct SmallDisk {
    at: PathBuf,
}

impl SmallDisk {
    /// Mounts one at `at`; requires root.
    ///
    /// # Errors
    ///
    /// Returns the reason as text if it cannot be mounted.
    pub fn mount(at: &Path, megabytes: u64) -> Result<Self, String> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"])
            .arg(at)
            .output()
            .map_err(|error| format!("mount: {error}"))?;
        if mounted.status.success() {
            return Ok(Self { at: at.to_owned() });
        }
        let reason = String::from_utf8_lossy(&mounted.stderr).trim().to_owned();
        Err(reason)
    }

    fn ballast(&self) -> PathBuf {
        self.at.join(".ballast")
    }

    /// Fills the disk completely.
    pub fn fill(&self) {
        let mut ballast = File::create(self.ballast()).unwrap();
        for size in [1 << 20, 1 << 12, 1] {
            let zeros = vec![0; size];
            loop {
                match ballast.write_all(&zeros) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    /// Frees the space again.
    pub fn free(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.at).status().ok();
    }
}
