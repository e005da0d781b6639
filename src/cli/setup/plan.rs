//! What will be written from the answers, whether it can be, and writing it.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
};

use super::{
    answers::{Answers, Fault, Problem},
    files::{self, NewFile},
    layout::Layout,
    users::Users,
};

/// The files for these answers, with new passwords.
#[derive(Debug)]
pub struct Plan {
    /// The files, in the order in which they are named.
    pub files: Vec<NewFile>,
    /// The users of the broker.
    pub users: Users,
}

impl Plan {
    /// Makes the files, and writes none.
    ///
    /// # Errors
    ///
    /// Random numbers are not available.
    pub fn new(layout: &Layout, answers: &Answers) -> anyhow::Result<Self> {
        let users = Users::generate(&answers.boards)?;
        let files = layout.files(answers, &users)?;
        Ok(Self { files, users })
    }

    /// Writes the files: all of them, or none.
    ///
    /// # Errors
    ///
    /// A file exists already, a port is in use, or something cannot be written.
    pub fn write(&self, layout: &Layout, in_use: &[Problem]) -> anyhow::Result<()> {
        files::refuse_taken(&self.files)?;
        if let Some(problem) = in_use.first() {
            anyhow::bail!("{problem}");
        }
        layout.make_directories()?;
        files::write(&self.files)
    }

    /// The paths of the files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| &*file.path)
    }

    /// The files that exist already, and those whose directory cannot be written.
    pub fn problems(&self) -> Vec<Problem> {
        let taken = self.files.iter().filter(|file| file.is_taken());
        let taken = taken.map(|file| (Fault::Exists, &file.path));
        let closed = self.files.iter().filter(|file| !can_be_made(&file.path));
        let closed = closed.map(|file| (Fault::NotWritten, &file.path));
        let all = taken.chain(closed);
        all.map(|(code, path)| Problem::new("files", code, path.display().to_string()))
            .collect()
    }
}

/// Whether the nearest directory above a file that exists lets us make something there.
fn can_be_made(path: &Path) -> bool {
    let above = path.ancestors().skip(1).find(|above| above.exists());
    let wanted = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    above.is_some_and(|above| above.is_dir() && rustix::fs::access(above, wanted).is_ok())
}

/// The addresses of the answers on which another program listens. A port of our own is none.
///
/// The system's files are not asked about: its broker and its daemon may be running with the files
/// that are there now.
pub fn in_use(layout: &Layout, answers: &Answers, ours: Option<SocketAddr>) -> Vec<Problem> {
    if !layout.is_directory() {
        return Vec::new();
    }
    let broker = layout.listeners(answers).into_iter();
    let all = broker
        .map(|at| ("mqtt", at))
        .chain([("http", answers.http)]);
    let others = all.filter(|(_, at)| ours.is_none_or(|ours| ours.port() != at.port()));
    let taken = others.filter(|(_, at)| is_taken(*at));
    taken
        .map(|(field, at)| Problem::new(field, Fault::InUse, at.to_string()))
        .collect()
}

fn is_taken(at: SocketAddr) -> bool {
    TcpListener::bind(at).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// A configuration that has been written.
#[derive(Debug)]
pub struct Written {
    /// The answers from which it was made.
    pub answers: Answers,
    /// Its files.
    pub files: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_can_be_made_below_a_directory_and_not_below_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(can_be_made(&folder.path().join("a/b/c")));
        assert!(!can_be_made(&file.join("b/c")));
    }
}
