//! A directory of small JSON files, read and written away from the runtime's threads.
//!
//! One file operation runs at a time: a disk that does not answer gets no second one, and the files
//! reach it in the order in which they were put. Nothing is written before the directory was read.
//!
//! Each file stands alone: one that cannot be read or written now is tried again, is never
//! overwritten unread, and holds back no other file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    marker::PhantomData,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde::de::DeserializeOwned;
use tokio::{
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};

use crate::{
    disk::StatePlace,
    files::{create_directory, read_json, remove, set_aside, sync_directory, write_draft},
};

/// How long a caller waits for one file. Then the disk counts as not answering.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// How many such waits a caller takes for all files that are written together.
const MOST_WAITS: usize = 5;

/// The files that are to be written, by name; `None` removes one.
type Files = BTreeMap<String, Option<Vec<u8>>>;

/// The files that could not be read or written, by name, and why.
type Failed = BTreeMap<String, io::Error>;

/// What a read has found: the names of the files and what they hold, and the files that cannot be
/// read now.
type Found<T> = (Vec<(String, T)>, Failed);

/// A write that is under way.
#[derive(Debug)]
struct Writing {
    files: Files,
    task: JoinHandle<io::Result<Failed>>,
    /// How many of the files are done.
    done: Arc<AtomicUsize>,
}

/// The directory, whose files hold each a `T`.
#[derive(Debug)]
pub(crate) struct FileStore<T> {
    place: Arc<StatePlace>,
    reading: Option<JoinHandle<io::Result<Found<T>>>>,
    is_read: bool,
    /// The files that could not be read yet.
    unread: Failed,
    writing: Option<Writing>,
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
            unread: Failed::new(),
            writing: None,
            pending: Files::new(),
            content: PhantomData,
        }
    }

    /// Whether the directory was read, perhaps without some of its files.
    pub(crate) const fn is_read(&self) -> bool {
        self.is_read
    }

    /// Whether all files were read.
    ///
    /// # Errors
    ///
    /// Why one could not be read.
    pub(crate) fn check_read(&self) -> io::Result<()> {
        let error = self.unread.values().next();
        error.map_or(Ok(()), |error| {
            Err(io::Error::new(error.kind(), error.to_string()))
        })
    }

    /// Reads all files that were not read yet; `None` if nothing was read now. A file that holds no `T`
    /// is logged and set aside. One that cannot be read now is tried again with the next call.
    ///
    /// # Errors
    ///
    /// The disk is not there, or does not answer: the next call goes on.
    pub(crate) async fn read(&mut self) -> io::Result<Option<Vec<(String, T)>>> {
        if self.is_read && self.unread.is_empty() {
            return Ok(None);
        }
        let place = Arc::clone(&self.place);
        let names = self.is_read.then(|| self.unread.keys().cloned().collect());
        let read = move || read_files(place.path()?, names);
        let task = self.reading.get_or_insert_with(|| spawn_blocking(read));
        let read = timeout(PATIENCE, task).await.map_err(|_| no_answer())?;
        self.reading = None;
        let (files, unread) = read.map_err(io::Error::other)??;
        self.unread = unread;
        let was_read = std::mem::replace(&mut self.is_read, true);
        Ok(Some(files).filter(|files| !was_read || !files.is_empty()))
    }

    /// Gives a file new content; `None` removes it.
    pub(crate) fn put(&mut self, name: String, content: Option<Vec<u8>>) {
        self.pending.insert(name, content);
    }

    /// Whether the newest content of a file is on the disk.
    pub(crate) fn is_written(&self, name: &str) -> bool {
        let is_writing =
            (self.writing.as_ref()).is_some_and(|writing| writing.files.contains_key(name));
        self.is_read
            && !is_writing
            && !self.pending.contains_key(name)
            && !self.unread.contains_key(name)
    }

    /// Writes what was put. All of it is on the disk when this returns, but for files that were not
    /// read yet.
    ///
    /// # Errors
    ///
    /// The disk does not take a file, does not answer or was not read: the next call goes on. All
    /// other files [are written](Self::is_written).
    pub(crate) async fn write(&mut self) -> io::Result<()> {
        if !self.is_read {
            return Err(io::Error::other(
                "what an earlier run has kept was not read",
            ));
        }
        let mut failed = Ok(());
        let mut again = Files::new();
        loop {
            // What it holds is not known, so it must not be lost.
            let unread = &self.unread;
            let is_unread = |name: &String, _: &mut Option<Vec<u8>>| unread.contains_key(name);
            again.extend(self.pending.extract_if(.., is_unread));
            if self.writing.is_none() && self.pending.is_empty() {
                break;
            }
            let mut writing = self.writing.take().unwrap_or_else(|| {
                let files = std::mem::take(&mut self.pending);
                let (place, written) = (Arc::clone(&self.place), files.clone());
                let done = Arc::new(AtomicUsize::new(0));
                let count = Arc::clone(&done);
                let write = move || write_files(place.path()?, &written, &count);
                Writing {
                    files,
                    task: spawn_blocking(write),
                    done,
                }
            });
            let Some(written) = answer(&mut writing.task, &writing.done).await else {
                self.writing = Some(writing);
                failed = Err(no_answer());
                break;
            };
            let files = writing.files;
            match written.map_err(io::Error::other).and_then(|done| done) {
                Ok(mut errors) => {
                    let is_failed = |(name, _): &(String, _)| errors.contains_key(name);
                    again.extend(files.into_iter().filter(is_failed));
                    failed = failed.and(errors.pop_first().map_or(Ok(()), |(_, error)| Err(error)));
                }
                Err(error) => {
                    again.extend(files);
                    failed = Err(error);
                    break;
                }
            }
        }
        for (name, content) in again {
            // Newer content wins.
            self.pending.entry(name).or_insert(content);
        }
        failed.and_then(|()| self.check_read())
    }
}

/// Waits for files that are written, as long as each takes no longer than [`PATIENCE`].
async fn answer<A>(task: &mut (impl Future<Output = A> + Unpin), done: &AtomicUsize) -> Option<A> {
    for _ in 0..MOST_WAITS {
        let before = done.load(Ordering::Relaxed);
        if let Ok(answer) = timeout(PATIENCE, &mut *task).await {
            return Some(answer);
        }
        if done.load(Ordering::Relaxed) == before {
            return None;
        }
    }
    None
}

/// The disk does not answer.
pub(crate) fn no_answer() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the disk does not answer")
}

/// Reads the files with these names, or all.
fn read_files<T: DeserializeOwned>(
    directory: &Path,
    names: Option<BTreeSet<String>>,
) -> io::Result<Found<T>> {
    let names = match names {
        Some(names) => names,
        None => json_files(directory)?,
    };
    let (mut read, mut unread) = (Vec::new(), Failed::new());
    for name in names {
        match read_or_set_aside(&directory.join(&name)) {
            Ok(Some(content)) => read.push((name, content)),
            Ok(None) => {}
            Err(error) => _ = unread.insert(name, error),
        }
    }
    Ok((read, unread))
}

fn json_files(directory: &Path) -> io::Result<BTreeSet<String>> {
    let files = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        files => files?,
    };
    let mut names = BTreeSet::new();
    for file in files {
        let path = PathBuf::from(file?.file_name());
        let Some(name) = path.to_str() else {
            continue;
        };
        if name.contains(".json.damaged-") {
            let path = directory.join(name);
            tracing::error!("{} was damaged and is not restored", path.display());
        } else if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            names.insert(name.to_owned());
        }
    }
    Ok(names)
}

/// Reads a file; `None` if it is gone, or holds no `T` and was set aside.
fn read_or_set_aside<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let error = match read_json(path) {
        Ok(content) => return Ok(Some(content)),
        Err(error) => error,
    };
    match error.kind() {
        io::ErrorKind::NotFound => Ok(None),
        io::ErrorKind::InvalidData | io::ErrorKind::IsADirectory => {
            let aside = set_aside(path)?;
            tracing::error!(
                "{error}: it is not restored, and was renamed to {}",
                aside.display()
            );
            Ok(None)
        }
        // It may pass.
        _ => Err(error),
    }
}

/// Writes each file on its own, and returns those that failed. The others are on the disk.
///
/// # Errors
///
/// None of them is certainly on the disk.
fn write_files(directory: &Path, files: &Files, count: &AtomicUsize) -> io::Result<Failed> {
    create_directory(directory)?;
    let mut failed = Failed::new();
    for (name, content) in files {
        let path = directory.join(name);
        let done = match content {
            Some(content) => write_draft(&path, content),
            None => remove(&path),
        };
        if let Err(error) = done {
            failed.insert(name.clone(), error);
        }
        count.fetch_add(1, Ordering::Relaxed);
    }
    sync_directory(directory)?;
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use tokio::time::{Instant, sleep};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_slow_disk_answers_and_one_that_stops_does_not() {
        let done = AtomicUsize::new(0);
        let mut slow = Box::pin(async {
            for _ in 0..4 {
                sleep(PATIENCE.mul_f32(0.9)).await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert!(answer(&mut slow, &done).await.is_some());
        let start = Instant::now();
        let mut stopped = Box::pin(std::future::pending::<()>());
        assert!(answer(&mut stopped, &done).await.is_none());
        assert!(start.elapsed() <= PATIENCE * 2);
    }
}
