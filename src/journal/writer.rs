//! The thread that owns the files.

mod append;

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

use tokio::sync::mpsc;

use self::append::PendingAppend;
use super::{
    BATCH, DaemonSession, DiskProgress, JournalError, Progress, Recovered, Request, RetiredNumbers,
    RetirementCause, Sessions,
    chain::ChainLink,
    contradiction::{self, Contradiction},
    disk::Disk,
    identity::{self, Established, Identity, OnFile, RecordId},
    line::{self, Header},
    missing::{self, Missing},
    naming::{self, OtherRecord, Sorted},
    place::{JournalLocation, make_directory},
    recovery::{self, Mended, Sound},
    segment::{self, Segment},
    times::{DiskTimes, Timed},
};
use remisd_vocabulary::{
    name::BoardId,
    seq::EntrySeq,
    time::{Clock, rfc3339},
};

/// The writer's view of all boards.
pub struct Writer {
    place: JournalLocation,
    /// Holds the lock on the directory; `None` until the disk is present.
    lock: Option<File>,
    session: DaemonSession,
    /// The earlier sessions of this boot; `None` until the disk is present.
    sessions: Option<Arc<Sessions>>,
    clock: Arc<dyn Clock>,
    disk: Box<dyn Disk>,
    progress: Progress,
    times: DiskTimes,
    boards: BTreeMap<BoardId, Ledger>,
}

/// The state of one board's files that is known to be on the disk.
struct Ledger {
    directory: PathBuf,
    /// The highest acknowledged number.
    last: EntrySeq,
    /// The growing segment, with its acknowledged length.
    sound: Option<Sound>,
    /// The growing file; `None` until it is needed and after a failure.
    file: Option<File>,
    /// The repair due before the next append.
    doubt: Option<PendingRepair>,
    /// The id of the record.
    established: Established,
}

/// What a failure left behind.
enum PendingRepair {
    /// The growing segment may have bytes beyond, or other than, the acknowledged ones.
    Tail,
    /// A new segment of which nothing was acknowledged.
    Begun(Segment),
}

impl Writer {
    pub fn new(
        place: JournalLocation,
        lock: Option<File>,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
        disk: Box<dyn Disk>,
        progress: Progress,
        times: DiskTimes,
    ) -> Self {
        Self {
            place,
            lock,
            session,
            sessions: None,
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
                Request::Append(entries, answer) => appends.push(PendingAppend {
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
        let sessions = self.sessions();
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
        found.sessions = sessions;
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
        self.acknowledge(&board, &ledger, GrowingSegment::Not);
        self.boards.insert(board, ledger);
        Ok(found)
    }

    /// The earlier sessions of this boot. Without the file, less is known of the age of entries, and
    /// the public waits longer.
    fn sessions(&mut self) -> Arc<Sessions> {
        let (place, session) = (&self.place, &self.session);
        let noted = self.sessions.get_or_insert_with(|| {
            let noted = Sessions::note(&place.directory, session);
            Arc::new(noted.unwrap_or_else(|error| {
                tracing::warn!("the start of this session is not written: {error}");
                Sessions::default()
            }))
        });
        Arc::clone(noted)
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
    fn skip(&mut self, board: BoardId, to: EntrySeq) -> Result<(), JournalError> {
        let Some(mut ledger) = self.boards.remove(&board) else {
            return Err(JournalError::NotRecovered { board, seq: to });
        };
        let done = self.skip_in(&board, &mut ledger, to);
        self.boards.insert(board, ledger);
        done
    }

    fn skip_in(
        &self,
        board: &BoardId,
        ledger: &mut Ledger,
        to: EntrySeq,
    ) -> Result<(), JournalError> {
        if ledger.last > to {
            return Err(JournalError::Overtaken {
                board: board.clone(),
                last: ledger.last,
                from: to.next(),
            });
        }
        self.settle(board, ledger)?;
        if let Some(sound) = &mut ledger.sound
            && ledger.last < to
        {
            let path = &sound.segment.path;
            let failed = |error| JournalError::io("write", path, error);
            let lost = RetiredNumbers {
                from: ledger.last.next(),
                to,
                file: sound.segment.file_name(),
                cause: Some(RetirementCause::NoDisk),
            };
            let mut bytes = Vec::new();
            let link = line::encode_lost(&lost, sound.link, &mut bytes)
                .map_err(|error| failed(error.into()))?;
            ledger.doubt = Some(PendingRepair::Tail);
            let file = self
                .grow(&sound.segment, ledger.file.take(), &bytes)
                .map_err(failed)?;
            ledger.file = Some(file);
            ledger.doubt = None;
            sound.length += bytes.len() as u64;
            sound.link = link;
        }
        ledger.last = to;
        self.acknowledge(board, ledger, GrowingSegment::Not);
        Ok(())
    }

    /// Repairs what an earlier failure left behind before anything is appended.
    fn settle(&self, board: &BoardId, ledger: &mut Ledger) -> Result<(), JournalError> {
        match &ledger.doubt {
            None => return Ok(()),
            Some(PendingRepair::Begun(segment)) => {
                let removed = match fs::remove_file(&segment.path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                    other => other,
                };
                removed
                    .and_then(|()| self.disk.sync_directory(&ledger.directory))
                    .map_err(|error| JournalError::io("remove", &segment.path, error))?;
            }
            Some(PendingRepair::Tail) => {
                if let Some(sound) = &ledger.sound {
                    self.cut_back(board, sound, ledger.last)?;
                }
            }
        }
        ledger.doubt = None;
        Ok(())
    }

    /// Cuts a segment back to its acknowledged length, if all of that is still present.
    fn cut_back(&self, board: &BoardId, sound: &Sound, last: EntrySeq) -> Result<(), JournalError> {
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
        if !whole || scan.next != last.next() {
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

    fn header(&self, board: &BoardId, first: EntrySeq, before: ChainLink) -> Header {
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
    fn acknowledge(&self, board: &BoardId, ledger: &Ledger, growing: GrowingSegment) {
        let newest = ledger.sound.as_ref().map(|sound| sound.segment.first);
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let segment = match growing {
            GrowingSegment::Newest => newest,
            GrowingSegment::Not => progress.get(board).and_then(|before| before.segment),
        };
        let on_disk = DiskProgress {
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
fn contradictions_in(
    sorted: &Sorted,
    board: &BoardId,
    given: EntrySeq,
) -> Option<Vec<Contradiction>> {
    let found = contradiction::find(&sorted.segments, board, given);
    found.inspect_err(|error| warn_not_known(board, error)).ok()
}

fn warn_not_known(board: &BoardId, error: &io::Error) {
    tracing::warn!(%board, %error, "whether files contradict each other is not known");
}

/// Which segment is growing. A segment that was only read does not count before this run appends to
/// it, as the next entry may begin another.
#[derive(Debug, Clone, Copy)]
enum GrowingSegment {
    Newest,
    Not,
}
