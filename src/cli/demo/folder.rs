//! A temporary folder that lasts as long as the demo.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

/// Number of names to try; killed demos may have left some taken.
const NAMES: u32 = 100;

/// A folder that only its owner may enter. Dropping it removes it with its content.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates a new folder in the system's temporary directory.
    ///
    /// # Errors
    ///
    /// The folder cannot be created.
    pub fn new() -> io::Result<Self> {
        let (among, process) = (std::env::temp_dir(), std::process::id());
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for number in 0..NAMES {
            let path = among.join(format!("remisd-demo-{process}-{number}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// The folder's path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "{} is left behind", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_with_all_that_is_in_it() {
        let (one, two) = (Folder::new().unwrap(), Folder::new().unwrap());
        assert_ne!(one.path(), two.path());
        let path = one.path().to_owned();
        fs::create_dir_all(path.join("journal/b1")).unwrap();
        drop(one);
        assert!(!path.exists() && two.path().exists());
    }
}
