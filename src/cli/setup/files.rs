//! Writes new files: all of them or none, never overwriting an existing one.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use super::owner::Owner;

/// A file to be written.
#[derive(Debug)]
pub struct NewFile {
    /// The path.
    pub path: PathBuf,
    /// The content.
    pub content: String,
    /// Its permissions.
    pub mode: u32,
    /// The owner.
    pub owner: Owner,
    /// An existing file with exactly this content may be replaced, because it is unmodified.
    pub example: Option<&'static str>,
}

impl NewFile {
    /// Whether an existing file must be kept.
    pub fn is_taken(&self) -> bool {
        // A dangling symbolic link exists too.
        let exists = fs::symlink_metadata(&self.path).is_ok();
        let unchanged = self.example.is_some()
            && fs::read_to_string(&self.path).ok().as_deref() == self.example;
        exists && !unchanged
    }

    /// Writes a temporary file and moves it into place, so that the file is always complete.
    fn write(&self) -> io::Result<()> {
        let aside = aside(&self.path);
        let written = self.write_to(&aside).and_then(|()| {
            if self.example.is_some() {
                fs::rename(&aside, &self.path)
            } else {
                // Unlike a rename, this fails if the file has appeared in the meantime.
                fs::hard_link(&aside, &self.path)
            }
        });
        // After a rename there is nothing to remove.
        let _ = fs::remove_file(&aside);
        written
    }

    fn write_to(&self, path: &Path) -> io::Result<()> {
        let mut file: File = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path)?;
        file.write_all(self.content.as_bytes())?;
        self.owner.take(&file)?;
        // Set exactly these permissions, whatever the umask.
        file.set_permissions(Permissions::from_mode(self.mode))?;
        file.sync_all()
    }
}

fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Creates a directory that only its owner may enter, unless it exists.
///
/// # Errors
///
/// The operating system's error.
pub fn make_directory(path: &Path) -> anyhow::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("cannot make the directory {}", path.display()))
}

/// Refuses files of which one exists already.
///
/// # Errors
///
/// Names all that exist.
pub fn refuse_taken(files: &[NewFile]) -> anyhow::Result<()> {
    let taken: Vec<String> = files
        .iter()
        .filter(|file| file.is_taken())
        .map(|file| format!("\n  {}", file.path.display()))
        .collect();
    anyhow::ensure!(
        taken.is_empty(),
        "nothing is written, because there is already:{}\nMove it away to get a new one. \
         New files mean new passwords for everybody.",
        taken.concat()
    );
    Ok(())
}

/// Writes all of the files.
///
/// # Errors
///
/// One of them exists or cannot be written. Then none is written.
pub fn write(files: &[NewFile]) -> anyhow::Result<()> {
    refuse_taken(files)?;
    // Files that replace an example come last, so that none ever has to be restored.
    let (last, first): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.example.is_some());
    let mut written: Vec<&NewFile> = Vec::new();
    for file in first.into_iter().chain(last) {
        if let Err(error) = file.write() {
            let undone = written
                .iter()
                .try_for_each(|file| fs::remove_file(&file.path));
            let left = match undone {
                Ok(()) => "nothing is left behind".to_owned(),
                Err(error) => format!("files that were written before it are left: {error}"),
            };
            let name = file.path.display();
            return Err(anyhow::Error::new(error).context(format!("cannot write {name}; {left}")));
        }
        written.push(file);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn file(path: &Path, example: Option<&'static str>) -> NewFile {
        NewFile {
            path: path.to_owned(),
            content: "new".to_owned(),
            mode: 0o640,
            owner: Owner::Own,
            example,
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn files_have_the_requested_mode() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write(&[file(&path, None)]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o640);
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn what_exists_is_named_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&b, "mine").unwrap();
        std::os::unix::fs::symlink("nowhere", &c).unwrap();
        let refused = write(&[file(&a, None), file(&b, Some("example")), file(&c, None)]);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(b.to_str().unwrap()), "{refused}");
        assert!(refused.contains(c.to_str().unwrap()), "{refused}");
        assert!(!refused.contains(a.to_str().unwrap()), "{refused}");
        assert_eq!(fs::read_to_string(&b).unwrap(), "mine");
        assert_eq!(names(folder.path()), ["b", "c"]);
    }

    #[test]
    fn an_unchanged_example_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "example").unwrap();
        write(&[file(&path, Some("example"))]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a"]);
    }

    #[test]
    fn a_file_that_cannot_be_written_leaves_none_of_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let example = folder.path().join("example");
        fs::write(&example, "example").unwrap();
        let files = [
            file(&example, Some("example")),
            file(&folder.path().join("a"), None),
            file(&folder.path().join("missing/b"), None),
        ];
        let refused = write(&files).unwrap_err().to_string();
        assert!(refused.contains("missing/b"), "{refused}");
        assert_eq!(names(folder.path()), ["example"]);
        assert_eq!(fs::read_to_string(&example).unwrap(), "example");
    }
}
