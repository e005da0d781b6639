//! The thread that owns the files.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    thread,
};

use tokio::sync::{mpsc, oneshot};

use super::{
    Append, BATCH, FILE_MODE, JournalError, Lost, LostCause, OnDisk, Progress, Recovered, Request,
    Session, Unkept,
    chain::Link,
    contradiction::{self, Contradiction},
    disk::Disk,
    identity::{self, Established, Identity, OnFile, RecordId},
    line::{self, Header},
    missing::{self, Missing},
    naming::{self, OtherRecord, Sorted},
    place::{Place, make_directory},
    recovery::{self, Mended, Sound},
    segment::{self, Segment},
    times::{Timed, Times, seconds_since},
};
use remisd_vocabulary::{
    name::BoardId,
    time::{Clock, rfc3339},
};

/// Entries of one board that were handed in together, and their outcome.
struct Waiting {
    entries: Vec<Append>,
    /// How many of them are on the disk.
    kept: usize,
    /// Why the next one is not on the disk.
    failed: Option<JournalError>,
    answer: oneshot::Sender<Result<(), Unkept>>,
}

impl Waiting {
    /// Sends the answer. The caller may have stopped waiting; the stored entries remain.
    fn answer(self) {
        let Self { kept, failed, .. } = self;
        let _ = self
            .answer
            .send(failed.map_or(Ok(()), |error| Err(Unkept { kept, error })));
    }
}

/// One board's ledger and the entries to write for it.
type Share = (BoardId, Ledger, Vec<Waiting>);
/// Entries, each with the index of its [`Waiting`].
type Run = Vec<(usize, Append)>;

/// Maximum number of threads that sync boards in parallel.
const SYNCS: usize = 16;

/// A disk that takes at least this long for a batch is worth a warning.
const SLOW_MS: u64 = 1_000;

/// The writer's view of all boards.
pub struct Writer {
    place: Place,
    /// Holds the lock on the directory; `None` until the disk is present.
    lock: Option<File>,
    session: Session,
    clock: Arc<dyn Clock>,
    disk: Box<dyn Disk>,
    progress: Progress,
    times: Times,
    boards: BTreeMap<BoardId, Ledger>,
}

/// The state of one board's files that is known to be on the disk.
struct Ledger {
    directory: PathBuf,
    /// The highest acknowledged number.
    last: u64,
    /// The growing segment, with its acknowledged length.
    sound: Option<Sound>,
    /// The growing file; `None` until it is needed and after a failure.
    file: Option<File>,
    /// The repair due before the next append.
    doubt: Option<Doubt>,
    /// The id of the record.
    established: Established,
}

/// What a failure left behind.
enum Doubt {
    /// The growing segment may have bytes beyond, or other than, the acknowledged ones.
    Tail,
    /// A new segment of which nothing was acknowledged.
    Begun(Segment),
}

impl Writer {
    pub fn new(
        place: Place,
        lock: Option<File>,
        session: Session,
        clock: Arc<dyn Clock>,
        disk: Box<dyn Disk>,
        progress: Progress,
        times: Times,
    ) -> Self {
        Self {
            place,
            lock,
            session,
            disk: Box::new(Timed {
                disk,
                clock: clock.clone(),
                times: times.clone(),
            }),
            clock,
            progress,
            times,
            boards: BTreeMap::new(),
        }
    }

    /// Serves requests until every handle is dropped.
    pub fn run(mut self, mut queue: mpsc::Receiver<Request>) {
        while let Some(first) = queue.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < BATCH
                && let Ok(next) = queue.try_recv()
            {
                batch.push(next);
            }
            self.serve(batch);
        }
    }

    fn serve(&mut self, batch: Vec<Request>) {
        let mut appends = Vec::new();
        for request in batch {
            match request {
                Request::Append(entries, answer) => appends.push(Waiting {
                    entries,
                    kept: 0,
                    failed: None,
                    answer,
                }),
                Request::Ping(answer) => {
                    self.append_all(std::mem::take(&mut appends));
                    // The caller may have stopped waiting.
                    let _ = answer.send(Ok(()));
                }
                Request::Recover(board, answer) => {
                    self.append_all(std::mem::take(&mut appends));
                    // The caller may have gone; the board is recovered anyway.
                    let _ = answer.send(self.recover(board));
                }
                Request::Skip(board, to, answer) => {
                    self.append_all(std::mem::take(&mut appends));
                    let _ = answer.send(self.skip(board, to));
                }
            }
        }
        self.append_all(appends);
    }

    fn recover(&mut self, board: BoardId) -> Result<Recovered, JournalError> {
        self.boards.remove(&board);
        if self.lock.is_none() {
            self.lock = Some(self.place.take(&*self.disk)?);
        }
        let directory = self.place.directory.join(board.as_str());
        make_directory(&directory)
            .and_then(|()| self.disk.sync_directory(&self.place.directory))
            .map_err(|error| JournalError::io("make", &directory, error))?;
        let header = |first, before| self.header(&board, first, before);
        let given = (self.place.given)(&self.place.directory, &board);
        let Mended {
            mut found,
            sound,
            mut established,
        } = recovery::recover(&directory, &board, &*self.disk, &header, given)?;
        for repair in &found.repairs {
            tracing::warn!(%board, "{repair}");
        }
        if sound.is_some() {
            established = self.identify(&board, &directory, established);
        }
        if let Some(sorted) = sorted(&directory, &board) {
            found.contradictions = contradictions_in(&sorted, &board, given);
            found.other_record = sorted.other_record;
        }
        for Contradiction { file, other, .. } in found.contradictions.iter().flatten() {
            tracing::error!(%board, "{file} contradicts {other}: one may be of another record");
        }
        for OtherRecord { file, .. } in &found.other_record {
            tracing::error!(%board, "{file} is of another record and not read");
        }
        for path in naming::numbered_strays(&directory).unwrap_or_default() {
            let file = path.display();
            tracing::warn!(%board, "{file} is not read: the daemon writes no such name");
        }
        // Older segments are left alone, and so are errors in reading them.
        let older = missing::in_older(&directory).unwrap_or_else(|error| {
            tracing::warn!(%board, %error, "the older files cannot be listed");
            missing::Older::default()
        });
        (found.missing, found.retired) = (older.missing, older.retired);
        for Missing { from, to, .. } in &found.missing {
            tracing::warn!(
                %board,
                "entries {from} to {to} are in no file: `remisd journal verify` has details"
            );
        }
        let ledger = Ledger {
            directory,
            last: found.last_seq,
            sound,
            file: None,
            doubt: None,
            established,
        };
        self.acknowledge(&board, &ledger, Growing::Not);
        self.boards.insert(board, ledger);
        Ok(found)
    }

    /// Writes the id of a record to its file. A record from before there were ids gets one, so that
    /// no file of another record can pass for it from now on. A full disk is no obstacle to the
    /// game: the next segment tries again.
    fn identify(&self, board: &BoardId, directory: &Path, now: Established) -> Established {
        match now.identity {
            Identity::Unproved => {
                tracing::warn!(%board, "nothing proves which id is that of this record");
                now
            }
            _ => self
                .store_id(board, directory, now)
                .unwrap_or_else(|error| {
                    tracing::warn!(%board, "the id of the record is not written: {error}");
                    now
                }),
        }
    }

    /// Makes an id if the record has none, and writes it unless that is done.
    fn store_id(
        &self,
        board: &BoardId,
        directory: &Path,
        now: Established,
    ) -> io::Result<Established> {
        let id = match now.identity {
            Identity::Known(_) if now.file == OnFile::Sound => return Ok(now),
            Identity::Unproved => return Ok(now),
            Identity::Known(id) => id,
            Identity::Unmade => RecordId::make(&self.session, board),
        };
        identity::store(directory, id, now.file, &*self.disk)?;
        Ok(Established {
            identity: Identity::Known(id),
            file: OnFile::Sound,
        })
    }

    /// Seals a board's record up to `to`, a number that no entry has.
    fn skip(&mut self, board: BoardId, to: u64) -> Result<(), JournalError> {
        let Some(mut ledger) = self.boards.remove(&board) else {
            return Err(JournalError::NotRecovered { board, seq: to });
        };
        let done = self.skip_in(&board, &mut ledger, to);
        self.boards.insert(board, ledger);
        done
    }

    fn skip_in(&self, board: &BoardId, ledger: &mut Ledger, to: u64) -> Result<(), JournalError> {
        if ledger.last > to {
            return Err(JournalError::Overtaken {
                board: board.clone(),
                last: ledger.last,
                from: to + 1,
            });
        }
        self.settle(board, ledger)?;
        if let Some(sound) = &mut ledger.sound
            && ledger.last < to
        {
            let path = &sound.segment.path;
            let failed = |error| JournalError::io("write", path, error);
            let lost = Lost {
                from: ledger.last + 1,
                to,
                file: sound.segment.file_name(),
                cause: Some(LostCause::NoDisk),
            };
            let mut bytes = Vec::new();
            let link = line::encode_lost(&lost, sound.link, &mut bytes)
                .map_err(|error| failed(error.into()))?;
            ledger.doubt = Some(Doubt::Tail);
            let file = self
                .grow(&sound.segment, ledger.file.take(), &bytes)
                .map_err(failed)?;
            ledger.file = Some(file);
            ledger.doubt = None;
            sound.length += bytes.len() as u64;
            sound.link = link;
        }
        ledger.last = to;
        self.acknowledge(board, ledger, Growing::Not);
        Ok(())
    }

    fn append_all(&mut self, appends: Vec<Waiting>) {
        let mut by_board: BTreeMap<BoardId, Vec<Waiting>> = BTreeMap::new();
        for waiting in appends {
            if let Some(first) = waiting.entries.first() {
                let board = first.board.clone();
                by_board.entry(board).or_default().push(waiting);
            }
        }
        let mut shares = Vec::new();
        for (board, waiting) in by_board {
            match self.boards.remove(&board) {
                Some(ledger) => shares.push((board, ledger, waiting)),
                None => refuse(waiting),
            }
        }
        self.boards.extend(self.append_shares(shares));
    }

    /// Appends the shares of several boards in parallel. The file system combines concurrent syncs
    /// into one write of its own journal, so together they take less time than one by one.
    fn append_shares(&self, mut shares: Vec<Share>) -> Vec<(BoardId, Ledger)> {
        let each = shares.len().div_ceil(SYNCS).max(1);
        let mut parts = Vec::new();
        while shares.len() > each {
            parts.push(shares.split_off(shares.len() - each));
        }
        let append = |part: Vec<Share>| -> Vec<(BoardId, Ledger)> {
            let done = part.into_iter().map(|(board, mut ledger, waiting)| {
                self.append_board(&board, &mut ledger, waiting);
                (board, ledger)
            });
            done.collect()
        };
        thread::scope(|scope| {
            let aside: Vec<_> = parts
                .into_iter()
                .map(|part| scope.spawn(|| append(part)))
                .collect();
            let mut ledgers = append(shares);
            for one in aside {
                // Propagate a panic, as if there were no threads.
                ledgers.extend(one.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            ledgers
        })
    }

    /// Appends one board's share, with one write and one sync per segment.
    fn append_board(&self, board: &BoardId, ledger: &mut Ledger, mut waiting: Vec<Waiting>) {
        let mut run = Run::new();
        for of in 0..waiting.len() {
            for entry in std::mem::take(&mut waiting[of].entries) {
                if entry.begins_segment {
                    self.append_run(board, ledger, std::mem::take(&mut run), &mut waiting);
                }
                if waiting[of].failed.is_some() {
                    break;
                }
                let expected = run.last().map_or(ledger.last, |(_, entry)| entry.seq) + 1;
                if entry.seq == expected {
                    run.push((of, entry));
                } else {
                    waiting[of].failed = Some(JournalError::Sequence {
                        board: board.clone(),
                        expected,
                        got: entry.seq,
                    });
                }
            }
        }
        self.append_run(board, ledger, run, &mut waiting);
        waiting.into_iter().for_each(Waiting::answer);
    }

    /// Appends consecutive entries of one segment and notes the outcome.
    fn append_run(&self, board: &BoardId, ledger: &mut Ledger, run: Run, waiting: &mut [Waiting]) {
        let Some((_, last)) = run.last() else {
            return;
        };
        let last = last.seq;
        let began = self.clock.monotonic_us();
        let result = self.settle(board, ledger).and_then(|()| {
            let entries: Vec<&Append> = run.iter().map(|(_, entry)| entry).collect();
            self.write(board, ledger, &entries)
        });
        if result.is_ok() {
            let took = seconds_since(&*self.clock, began);
            self.times.write.observe(took);
        }
        let took_ms = self.clock.monotonic_us().saturating_sub(began) / 1_000;
        if took_ms >= SLOW_MS {
            tracing::warn!(%board, took_ms, entries = run.len(), "the disk is slow");
        }
        match &result {
            Ok(()) => {
                ledger.last = last;
                self.acknowledge(board, ledger, Growing::Newest);
            }
            Err(error) => tracing::debug!(%board, entries = run.len(), "not recorded: {error}"),
        }
        for (of, _) in run {
            match &result {
                Ok(()) => waiting[of].kept += 1,
                Err(error) => waiting[of].failed = Some(error.clone()),
            }
        }
    }

    fn write(
        &self,
        board: &BoardId,
        ledger: &mut Ledger,
        entries: &[&Append],
    ) -> Result<(), JournalError> {
        let first = entries[0];
        let mut bytes = Vec::new();
        let link;
        match &ledger.sound {
            Some(sound) if !first.begins_segment || sound.segment.first == first.seq => {
                let segment = sound.segment.clone();
                link = encode_all(entries, sound.link, &mut bytes);
                ledger.doubt = Some(Doubt::Tail);
                let file = ledger.file.take();
                let file = self
                    .grow(&segment, file, &bytes)
                    .map_err(|error| JournalError::io("write", &segment.path, error))?;
                ledger.file = Some(file);
            }
            _ => {
                let segment = Segment::of(&ledger.directory, first.seq);
                let failed = |error| JournalError::io("write", &segment.path, error);
                if first.seq > line::HIGHEST {
                    return Err(failed(io::Error::other("the numbers are used up")));
                }
                // No header may carry an id that a power cut can take from the file. One that the
                // chain proves is in earlier headers already.
                let now = ledger.established;
                match self.store_id(board, &ledger.directory, now) {
                    Ok(stored) => ledger.established = stored,
                    Err(error) if now.identity == Identity::Unmade => return Err(failed(error)),
                    Err(error) => {
                        tracing::warn!(%board, "the id of the record is not written: {error}");
                    }
                }
                let before = ledger.sound.as_ref().map_or(Link::NONE, |sound| sound.link);
                let mut header = self.header(board, first.seq, before);
                header.record = ledger.established.identity.id();
                let begun = recovery::encode_header(&header, &mut bytes).map_err(failed)?;
                link = encode_all(entries, begun, &mut bytes);
                // After a failure, only a file that did not exist before may be removed.
                let file = create(&segment).map_err(failed)?;
                ledger.doubt = Some(Doubt::Begun(segment.clone()));
                let file = self.begin(ledger, file, &bytes).map_err(failed)?;
                ledger.file = Some(file);
                ledger.sound = Some(Sound {
                    segment,
                    length: 0,
                    link,
                });
            }
        }
        if let Some(sound) = &mut ledger.sound {
            sound.length += bytes.len() as u64;
            sound.link = link;
        }
        ledger.doubt = None;
        Ok(())
    }

    fn grow(&self, segment: &Segment, file: Option<File>, bytes: &[u8]) -> io::Result<File> {
        let mut file = match file {
            Some(file) => file,
            None => OpenOptions::new().append(true).open(&segment.path)?,
        };
        file.write_all(bytes)?;
        self.disk.sync_bytes(&file)?;
        still_named(&file)?;
        Ok(file)
    }

    /// Writes a new file and syncs its bytes and its name in parallel.
    fn begin(&self, ledger: &Ledger, mut file: File, bytes: &[u8]) -> io::Result<File> {
        file.write_all(bytes)?;
        let (bytes, name) = thread::scope(|scope| {
            let name = scope.spawn(|| self.disk.sync_directory(&ledger.directory));
            let bytes = self.disk.sync_all(&file);
            (
                bytes,
                name.join().unwrap_or_else(|panic| resume_unwind(panic)),
            )
        });
        bytes.and(name)?;
        Ok(file)
    }

    /// Repairs what an earlier failure left behind before anything is appended.
    fn settle(&self, board: &BoardId, ledger: &mut Ledger) -> Result<(), JournalError> {
        match &ledger.doubt {
            None => return Ok(()),
            Some(Doubt::Begun(segment)) => {
                let removed = match fs::remove_file(&segment.path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                    other => other,
                };
                removed
                    .and_then(|()| self.disk.sync_directory(&ledger.directory))
                    .map_err(|error| JournalError::io("remove", &segment.path, error))?;
            }
            Some(Doubt::Tail) => {
                if let Some(sound) = &ledger.sound {
                    self.cut_back(board, sound, ledger.last)?;
                }
            }
        }
        ledger.doubt = None;
        Ok(())
    }

    /// Cuts a segment back to its acknowledged length, if all of that is still present.
    fn cut_back(&self, board: &BoardId, sound: &Sound, last: u64) -> Result<(), JournalError> {
        let path = &sound.segment.path;
        let failed = |error| JournalError::io("repair", path, error);
        let bytes = fs::read(path).map_err(failed)?;
        let kept = usize::try_from(sound.length)
            .ok()
            .and_then(|length| bytes.get(..length))
            .unwrap_or(&bytes);
        let scan = segment::scan(&sound.segment, board, kept)?;
        let whole = kept.len() as u64 == sound.length
            && scan.flaw.is_none()
            && scan.link == Some(sound.link);
        if !whole || scan.next != last + 1 {
            return Err(failed(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("entries up to {last} were acknowledged and are not all there"),
            )));
        }
        let cut = || -> io::Result<()> {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(sound.length)?;
            self.disk.sync_all(&file)
        };
        cut().map_err(failed)
    }

    fn header(&self, board: &BoardId, first: u64, before: Link) -> Header {
        Header {
            v: line::VERSION,
            schema: line::SCHEMA.to_owned(),
            board: board.to_string(),
            record: None,
            first_seq: first,
            boot_id: self.session.boot_id.clone(),
            session: self.session.id.clone(),
            created: rfc3339(self.clock.now()),
            chain: before,
            repaired: None,
        }
    }

    /// Publishes to the other handles how far the record is on the disk.
    fn acknowledge(&self, board: &BoardId, ledger: &Ledger, growing: Growing) {
        let newest = ledger.sound.as_ref().map(|sound| sound.segment.first);
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let segment = match growing {
            Growing::Newest => newest,
            Growing::Not => progress.get(board).and_then(|before| before.segment),
        };
        let on_disk = OnDisk {
            last: ledger.last,
            segment,
        };
        progress.insert(board.clone(), on_disk);
    }
}

/// Sorts the files of a board; `None` if one of them cannot be read.
fn sorted(directory: &Path, board: &BoardId) -> Option<Sorted> {
    let segments = segment::list(directory);
    let sorted = segments.and_then(|segments| naming::sort_out(directory, &segments, board));
    sorted
        .inspect_err(|error| warn_not_known(board, error))
        .ok()
}

/// Returns the files that contradict others; `None` if a file cannot be read.
fn contradictions_in(sorted: &Sorted, board: &BoardId, given: u64) -> Option<Vec<Contradiction>> {
    let found = contradiction::find(&sorted.segments, board, given);
    found.inspect_err(|error| warn_not_known(board, error)).ok()
}

fn warn_not_known(board: &BoardId, error: &io::Error) {
    tracing::warn!(%board, %error, "whether files contradict each other is not known");
}

/// Which segment is growing. A segment that was only read does not count before this run appends to
/// it, as the next entry may begin another.
#[derive(Debug, Clone, Copy)]
enum Growing {
    Newest,
    Not,
}

fn refuse(waiting: Vec<Waiting>) {
    for mut one in waiting {
        if let Some(Append { board, seq, .. }) = one.entries.first() {
            let (board, seq) = (board.clone(), *seq);
            one.failed = Some(JournalError::NotRecovered { board, seq });
        }
        one.answer();
    }
}

/// Fails if the file was deleted. A deleted file accepts bytes like any other and keeps none.
fn still_named(file: &File) -> io::Result<()> {
    if file.metadata()?.nlink() > 0 {
        return Ok(());
    }
    let text = "the file was removed while the daemon was writing to it";
    Err(io::Error::new(io::ErrorKind::NotFound, text))
}

fn create(segment: &Segment) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(&segment.path)
}

fn encode_all(entries: &[&Append], before: Link, bytes: &mut Vec<u8>) -> Link {
    entries.iter().fold(before, |before, entry| {
        line::encode_entry(entry.seq, &entry.body, before, bytes)
    })
}
