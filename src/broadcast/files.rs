//! Files that others watch: never half written, and never written without a change.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

/// Writes a file atomically, and only if its content differs. Returns whether it was written.
///
/// The draft beside it ends in `.tmp`: programs that watch a folder take every `.pgn` they see.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<bool> {
    let with_path =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    match fs::read(path) {
        Ok(there) if there == content => return Ok(false),
        _ => {}
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(".tmp");
    let draft = PathBuf::from(draft);
    let write = || {
        let mut file = fs::File::create(&draft)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().map_err(with_path)?;
    // The name itself is on the disk once its folder is; without this, only a power cut loses it.
    if let Some(folder) = path.parent().and_then(|folder| fs::File::open(folder).ok()) {
        folder.sync_all().ok();
    }
    Ok(true)
}
