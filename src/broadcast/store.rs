//! A directory of small JSON files, read and written away from the runtime's threads.
//!
//! One file operation runs at a time: a disk that does not answer gets no second one, and the files
//! reach it in the order in which they were put. Nothing is written before the directory was read.

use std::{
    collections::BTreeMap, fs, io, marker::PhantomData, path::Path, sync::Arc, time::Duration,
};

use serde::de::DeserializeOwned;
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};

use crate::{
    disk::StatePlace,
    files::{read_json, remove, replace, set_aside},
};

/// How long a caller waits for a file operation. Then the disk counts as not answering.
const PATIENCE: Duration = Duration::from_secs(2);

/// The files that are to be written, by name; `None` removes one.
type Files = BTreeMap<String, Option<Vec<u8>>>;

/// A read that is under way: the names of the files, and what they hold.
type Reading<T> = JoinHandle<io::Result<Vec<(String, T)>>>;

/// The directory, whose files hold each a `T`.
#[derive(Debug)]
pub(crate) struct FileStore<T> {
    place: Arc<StatePlace>,
    reading: Option<Reading<T>>,
    is_read: bool,
    writing: Option<(Files, JoinHandle<io::Result<()>>)>,
    /// The newest content of each file that differs from the disk.
    pending: Files,
    content: PhantomData<T>,
}

impl<T: DeserializeOwned + Send + 'static> FileStore<T> {
    pub(crate) fn new(place: StatePlace) -> Self {
        Self {
            place: Arc::new(place),
            reading: None,
            is_read: false,
            writing: None,
            pending: Files::new(),
            content: PhantomData,
        }
    }

    /// Reads all files, the first time that this succeeds; `None` after that. A file that holds no
    /// `T` is logged and set aside.
    ///
    /// # Errors
    ///
    /// The disk is not there, or does not answer: the next call goes on.
    pub(crate) async fn read(&mut self) -> io::Result<Option<Vec<(String, T)>>> {
        if self.is_read {
            return Ok(None);
        }
        let place = Arc::clone(&self.place);
        let read = move || read_all(place.path()?);
        let task = self.reading.get_or_insert_with(|| spawn_blocking(read));
        let read = timeout(PATIENCE, task).await.map_err(|_| no_answer())?;
        self.reading = None;
        let files = read.map_err(io::Error::other)??;
        self.is_read = true;
        Ok(Some(files))
    }

    /// Gives a file new content; `None` removes it.
    pub(crate) fn put(&mut self, name: String, content: Option<Vec<u8>>) {
        self.pending.insert(name, content);
    }

    /// Writes what was put. All of it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk does not take it, does not answer or was not read: the next call goes on.
    pub(crate) async fn write(&mut self) -> io::Result<()> {
        if !self.is_read {
            return Err(io::Error::other(
                "what an earlier run has kept was not read",
            ));
        }
        while self.writing.is_some() || !self.pending.is_empty() {
            let (files, mut task) = self.writing.take().unwrap_or_else(|| {
                let files = std::mem::take(&mut self.pending);
                let (place, written) = (Arc::clone(&self.place), files.clone());
                let write = move || write_all(place.path()?, &written);
                (files, spawn_blocking(write))
            });
            let Ok(written) = timeout(PATIENCE, &mut task).await else {
                self.writing = Some((files, task));
                return Err(no_answer());
            };
            if let Err(error) = written.map_err(io::Error::other).and_then(|done| done) {
                for (name, content) in files {
                    // Newer content wins.
                    self.pending.entry(name).or_insert(content);
                }
                return Err(error);
            }
        }
        Ok(())
    }
}

fn no_answer() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the disk does not answer")
}

fn read_all<T: DeserializeOwned>(directory: &Path) -> io::Result<Vec<(String, T)>> {
    let files = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files?,
    };
    let mut read = Vec::new();
    for file in files {
        let path = file?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        match read_json(&path) {
            Ok(content) => read.push((name.to_owned(), content)),
            Err(error) => {
                let aside = set_aside(&path)?;
                tracing::error!(
                    "{error}: it is not restored, and was renamed to {}",
                    aside.display()
                );
            }
        }
    }
    Ok(read)
}

fn write_all(directory: &Path, files: &Files) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (name, content) in files {
        let path = directory.join(name);
        match content {
            Some(content) => _ = replace(&path, content)?,
            None => remove(&path)?,
        }
    }
    Ok(())
}
