//! Files that others watch: never half written, and never written without a change.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;

/// The largest file that is read.
const MOST_BYTES: u64 = 16 << 20;
/// How many damaged files of one name are kept.
const MOST_SET_ASIDE: u32 = 99;

/// Writes a file that others watch atomically, and only if its content differs. Returns whether it
/// was written.
///
/// The draft beside it ends in `.tmp`: programs that watch a folder take every `.pgn` they see.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|there| there == content) {
        return Ok(false);
    }
    write_draft(path, content)?;
    // A power cut may lose the name. The next run writes the file again.
    if let Some(folder) = path.parent() {
        sync_directory(folder).ok();
    }
    Ok(true)
}

/// Writes a file atomically. When this returns, the file and its name are on the disk.
///
/// # Errors
///
/// The error of the file system, with the path. The file may have either content.
pub fn replace_durably(path: &Path, content: &[u8]) -> io::Result<()> {
    write_draft(path, content)?;
    path.parent().map_or(Ok(()), sync_directory)
}

/// Writes a draft and gives it its name. The name is on the disk once the directory is
/// [synchronized](sync_directory).
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn write_draft(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".tmp");
    let draft = PathBuf::from(draft);
    let write = || {
        let mut file = fs::File::create(&draft)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&draft, path)
    };
    write().map_err(|error| with_path(path, &error))
}

/// Makes a directory and those above it, as far as they are missing. They are on the disk when this
/// returns.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn create_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or_else(|| Path::new("."));
    create_directory(parent)?;
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(with_path(path, &error));
        }
        _ => {}
    }
    sync_directory(parent)
}

/// Brings the names in a directory to the disk.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn sync_directory(path: &Path) -> io::Result<()> {
    let opened = fs::File::open(path);
    let synced = opened.and_then(|directory| directory.sync_all());
    synced.map_err(|error| with_path(path, &error))
}

/// Removes a file; it may be gone already.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(with_path(path, &error)),
        _ => Ok(()),
    }
}

/// Reads a file of JSON.
///
/// # Errors
///
/// The error of the file system or of the JSON, with the path.
pub fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let read = || {
        let content = serde_json::from_slice(&read(path)?);
        content.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    };
    read().map_err(|error| with_path(path, &error))
}

/// Reads a file of text; `None` if it is not there.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    match read(path) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(with_path(path, &error)),
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let size = fs::metadata(path)?.len();
    if size > MOST_BYTES {
        let text = format!("it has {size} bytes, at most {MOST_BYTES} are read");
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    fs::read(path)
}

/// Gives a file that cannot be used another name, and returns that: it is neither read nor
/// overwritten.
///
/// # Errors
///
/// The error of the file system, with the path.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let mut names = aside(path);
    let free = names.find(|name| fs::symlink_metadata(name).is_err());
    let free = free.ok_or_else(|| io::Error::other("too many damaged files are kept"));
    free.and_then(|free| fs::rename(path, &free).map(|()| free))
        .map_err(|error| with_path(path, &error))
}

/// The newest file that was set aside in place of this one and is still there.
pub fn newest_aside(path: &Path) -> Option<PathBuf> {
    aside(path).filter(|name| name.exists()).last()
}

fn aside(path: &Path) -> impl Iterator<Item = PathBuf> {
    (1..=MOST_SET_ASIDE).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        name.into()
    })
}

fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_made_with_those_above_it_and_only_below_a_directory() {
        let place = tempfile::tempdir().unwrap();
        let deep = place.path().join("a/b/c");
        create_directory(&deep).unwrap();
        create_directory(&deep).unwrap();
        replace_durably(&deep.join("x.json"), b"1").unwrap();
        let error = create_directory(&deep.join("x.json/d")).unwrap_err();
        assert!(error.to_string().contains("x.json"), "{error}");
        let error = sync_directory(&place.path().join("gone")).unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }
}
