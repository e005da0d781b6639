//! Raw data is sealed and bounded, and never delays the journal.

use super::*;
use remisd_vocabulary::tap::{Speaker, Tap as _};

const ROOM: RawLimits = RawLimits {
    game: 1 << 20,
    board: 8 << 20,
};

struct Line {
    directory: TempDir,
    journal: Journal,
    writer: JoinHandle<()>,
    raw: RawLog,
    recorder: Arc<Recorder>,
    seq: u64,
}

impl Line {
    async fn open(limits: RawLimits) -> Self {
        Self::open_in(tempfile::tempdir().unwrap(), limits).await
    }

    async fn open_in(directory: TempDir, limits: RawLimits) -> Self {
        let (journal, writer) = open_on(directory.path(), Quick::default());
        let seq = journal.recover(&board()).await.unwrap().last_seq.get();
        let clock = Arc::new(ManualClock::default());
        let (raw, _) = journal.raw_log(limits, session(), clock).unwrap();
        let recorder = raw.recorder(&board());
        Self {
            directory,
            journal,
            writer,
            raw,
            recorder,
            seq,
        }
    }

    /// Appends an entry that seals the recorded bytes, as the daemon does.
    async fn writes(&mut self, begins_segment: bool) {
        self.seq += 1;
        let body = serde_json::json!({"n": self.seq, "raw": self.recorder.seal()});
        let entry = Append {
            board: board(),
            seq: EntrySeq::new(self.seq),
            body: body.to_string().into(),
            begins_segment,
        };
        self.journal.append(entry).await.unwrap();
    }

    fn records(&self, bytes: &[u8]) {
        self.recorder.heard(Speaker::Board, bytes);
        self.raw.flush();
    }

    /// Stops the daemon.
    fn ends(self) -> TempDir {
        drop((self.raw, self.recorder, self.journal));
        self.writer.join().unwrap();
        self.directory
    }
}

fn verified(directory: &Path) -> RawVerified {
    Reader::new(directory).verify_raw(&board()).unwrap()
}

fn raw_files(directory: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(directory.join("b1")).unwrap();
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "raw"));
    files.sort();
    files
}

#[tokio::test]
async fn recorded_bytes_are_read_back_game_by_game_and_across_restarts() {
    let mut line = Line::open(ROOM).await;
    line.recorder.heard(Speaker::Host, &[0x42]);
    line.raw.flush();
    assert_eq!(line.recorder.seal(), None, "there is no segment yet");
    line.writes(true).await;
    line.records(&[0x8e, 0, 5, 0x34, 0]);
    line.writes(false).await;
    let directory = line.ends();
    let mut line = Line::open_in(directory, ROOM).await;
    line.records(&[1, 2]);
    assert_eq!(
        line.recorder.seal(),
        None,
        "the first entry may begin a game"
    );
    line.writes(false).await;
    line.raw.flush();
    line.writes(true).await;
    line.records(&[3]);
    line.writes(false).await;
    let directory = line.ends();

    let reader = Reader::new(directory.path());
    assert_eq!(
        reader.raw(&board(), EntrySeq::new(1)).unwrap(),
        "# 000000000001-1.raw\n   0.000 host > 42\n   0.000 board> 8e 00 05 34 00\n\
         # 000000000001-2.raw\n   0.000 board> 01 02\n"
    );
    assert_eq!(
        reader.raw(&board(), EntrySeq::new(4)).unwrap(),
        "# 000000000004-1.raw\n   0.000 board> 03\n"
    );
    let expected = RawVerified {
        files: 3,
        blocks: 3,
        ..RawVerified::default()
    };
    assert_eq!(verified(directory.path()), expected);
    assert_eq!(reader.verify(&board()).unwrap().first_break(), None);
}

#[tokio::test]
async fn a_changed_byte_is_found_and_a_power_cut_is_not_taken_for_one() {
    let mut line = Line::open(ROOM).await;
    line.writes(true).await;
    for byte in 0..4 {
        line.records(&[byte]);
        line.writes(false).await;
    }
    let directory = line.ends();
    let file = raw_files(directory.path()).remove(0);
    let whole = fs::read(&file).unwrap();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&file, changed).unwrap();
        let found = verified(directory.path());
        assert!(!found.breaks.is_empty() || found.missing > 0, "byte {at}");
    }
    for at in 0..=whole.len() {
        fs::write(&file, &whole[..at]).unwrap();
        let found = verified(directory.path());
        assert_eq!(found.breaks, [], "cut at {at}");
        assert_eq!(found.blocks + found.missing, 4, "cut at {at}");
    }
    // A forger who knows the format writes other blocks, but the entries' seals do not match them.
    let mut other = Line::open(ROOM).await;
    other.writes(true).await;
    for byte in 10..14 {
        other.records(&[byte]);
    }
    let theirs = other.ends();
    let theirs = fs::read(raw_files(theirs.path()).remove(0)).unwrap();
    assert_ne!(theirs, whole);
    fs::write(&file, theirs).unwrap();
    let found = verified(directory.path());
    assert!(
        matches!(found.breaks[0], RawBreak::Seal { seq, .. } if seq == EntrySeq::new(2)),
        "{found:?}"
    );
}

#[tokio::test]
async fn a_game_and_a_board_have_limited_room() {
    let limits = RawLimits {
        game: 4 << 10,
        board: 10 << 10,
    };
    let mut line = Line::open(limits).await;
    let mut noise = 1_u32;
    for game in 0..6 {
        line.writes(true).await;
        for _ in 0..64 {
            let bytes: Vec<u8> = (0..128)
                .map(|_| {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    noise.to_be_bytes()[0]
                })
                .collect();
            line.records(&bytes);
        }
        line.writes(false).await;
        let sizes: Vec<u64> = raw_files(line.directory.path())
            .iter()
            .map(|file| fs::metadata(file).unwrap().len())
            .collect();
        assert!(sizes.iter().all(|size| *size <= limits.game), "{sizes:?}");
        assert!(sizes.iter().all(|size| *size > 3 << 10), "{sizes:?}");
        assert!(sizes.iter().sum::<u64>() <= limits.board, "{sizes:?}");
        assert_eq!(sizes.len(), (game + 1).min(2), "the oldest made room");
    }
    let directory = line.ends();
    let found = verified(directory.path());
    assert_eq!(found.breaks, []);
    assert!(found.missing > 0, "what made room is named");
}

#[tokio::test]
async fn raw_data_that_cannot_be_written_keeps_no_entry_waiting() {
    let mut line = Line::open(ROOM).await;
    line.writes(true).await;
    // No further file can begin beside this one: its number is the highest.
    let last = format!("b1/000000000001-{}.raw", u64::MAX);
    fs::write(line.directory.path().join(last), "").unwrap();
    for byte in 0..3 {
        line.records(&[byte]);
        line.writes(false).await;
        assert_eq!(line.recorder.seal(), None);
    }
    assert_eq!(raw_files(line.directory.path()).len(), 1);
    let directory = line.ends();
    let sound = Reader::new(directory.path()).verify(&board()).unwrap();
    assert_eq!((sound.entries, sound.first_break()), (4, None));
}
