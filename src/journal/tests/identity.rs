//! The id of a record, and files that carry another one.

mod before_ids;

use super::{contradiction::other_record_in, *};
use crate::{
    line::Record,
    segment::{Lines, Segment},
};

/// The session of another computer.
fn elsewhere() -> DaemonSession {
    DaemonSession {
        id: "elsewhere".to_owned(),
        ..session()
    }
}

/// A record of three games, 1, 5 and 9, with the last entry 12.
async fn own_record() -> TempDir {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    dir
}

/// The name of a file in the board's directory.
fn path_of(dir: &TempDir, name: &str) -> PathBuf {
    dir.path().join("b1").join(name)
}

fn names(dir: &TempDir) -> Vec<String> {
    let files = fs::read_dir(dir.path().join("b1")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

fn copy(from: &TempDir, to: &TempDir, first: u64) {
    let path = segment_path(to.path(), first);
    assert!(!path.exists(), "{first}");
    fs::copy(segment_path(from.path(), first), path).unwrap();
}

fn header_of(path: &Path) -> Header {
    let bytes = fs::read(path).unwrap();
    let first = Lines::of(&bytes).next().unwrap();
    serde_json::from_slice(line::unverified(first).unwrap()).unwrap()
}

/// The ids in the headers, oldest first.
fn ids(dir: &TempDir) -> Vec<Option<RecordId>> {
    let segments = segment::list(&dir.path().join("b1")).unwrap();
    let headers = segments.iter().map(|segment| header_of(&segment.path));
    headers.map(|header| header.record).collect()
}

/// The id in `record.json`; `None` if there is none.
fn filed(dir: &TempDir) -> Option<RecordId> {
    let text = fs::read(path_of(dir, "record.json")).ok()?;
    let json: serde_json::Value = serde_json::from_slice(&text).ok()?;
    assert_eq!(json["schema"], "remisd/record/1");
    json["id"].as_str()?.parse().ok()
}

/// Makes the segments from `first` on what a version without ids would have written.
fn strip_ids(dir: &TempDir, firsts: impl std::ops::RangeBounds<u64>) {
    let mut before = ChainLink::NONE;
    for segment in segment::list(&dir.path().join("b1")).unwrap() {
        let bytes = fs::read(&segment.path).unwrap();
        let scan = segment::scan_records(&segment, &bytes);
        let mut header = scan.header.clone().unwrap();
        header.chain = before;
        if firsts.contains(&segment.first.get()) {
            header.record = None;
        }
        let mut bytes = Vec::new();
        before = recovery::encode_header(&header, &mut bytes).unwrap();
        for record in scan.records() {
            let Record::Entry(entry) = record else {
                panic!("a loss");
            };
            before = line::encode_entry(entry.seq, &entry.body, before, &mut bytes);
        }
        fs::write(&segment.path, bytes).unwrap();
    }
}

/// A record from before there were ids.
async fn old_record() -> TempDir {
    let dir = own_record().await;
    strip_ids(&dir, ..);
    fs::remove_file(path_of(&dir, "record.json")).unwrap();
    dir
}

/// Recovers through the writer, as a start of the daemon does.
async fn started(dir: &TempDir) -> Recovered {
    let clock = Arc::new(ManualClock::default());
    let session = DaemonSession {
        id: "later".to_owned(),
        ..session()
    };
    let (journal, writer) = Journal::open(dir.path(), session, clock).unwrap();
    let found = journal.recover(&board()).await.unwrap();
    drop(journal);
    writer.join().unwrap();
    found
}

fn other_files(found: &[OtherRecord]) -> Vec<(&str, u64)> {
    (found
        .iter()
        .map(|other| (other.file.as_str(), other.first.get())))
    .collect()
}

fn breaks(dir: &TempDir) -> Vec<(String, FindingKind)> {
    let verified = Reader::new(dir.path()).verify(&board()).unwrap();
    let findings = verified.findings.into_iter();
    let breaks = findings.filter(|finding| finding.what.is_break());
    breaks.map(|finding| (finding.file, finding.what)).collect()
}

#[tokio::test]
async fn every_segment_carries_the_id_that_the_file_says() {
    let dir = own_record().await;
    let id = filed(&dir).expect("an id is made with the first segment");
    assert_eq!(ids(&dir), [Some(id); 3]);
    write_games_in(elsewhere(), dir.path(), 1, 4).await;
    assert_eq!((ids(&dir), filed(&dir)), (vec![Some(id); 4], Some(id)));
    let other = other_record_in(elsewhere(), 1, 4).await;
    assert_ne!(filed(&other), Some(id), "random");
    assert_eq!(id.to_string().parse(), Ok(id));
    for wrong in [String::new(), "A".repeat(32), format!("{id}0")] {
        assert_eq!(wrong.parse::<RecordId>(), Err(NoRecordId));
    }
}

#[tokio::test]
async fn a_file_of_another_record_is_set_aside_and_our_game_continues() {
    // After ours, where ours are missing, between ours.
    let cases: [(u64, u64, &[u64]); 4] = [
        (4, 4, &[13]),
        (6, 10, &[51]),
        (3, 10, &[11, 21]),
        (6, 2, &[3, 7]),
    ];
    for (games, length, files) in cases {
        let (dir, alone) = (own_record().await, own_record().await);
        let other = other_record_in(elsewhere(), games, length).await;
        for first in files {
            copy(&other, &dir, *first);
        }
        let named: Vec<String> = (files.iter())
            .map(|first| format!("{first:012}.jsonl"))
            .collect();
        let expected = named.iter().map(String::as_str).zip(files.iter().copied());
        let reader = Reader::new(dir.path());
        let seen = reader.other_record(&board()).unwrap();
        assert_eq!(other_files(&seen), expected.collect::<Vec<_>>());
        let id = filed(&other);
        assert!(seen.iter().all(|file| file.record == id));
        assert_eq!(
            reader.segments(&board()).unwrap(),
            [1, 5, 9].map(EntrySeq::new)
        );
        assert_eq!(reader.last_number(&board()).unwrap().get(), 12);
        assert_eq!(breaks(&dir).len(), files.len(), "{:?}", breaks(&dir));

        let found = started(&dir).await;
        assert_eq!(numbers(&found.entries), [9, 10, 11, 12]);
        assert_eq!((found.last_seq.get(), &found.lost), (12, &vec![]));
        assert_eq!(found.missing, []);
        assert_eq!(found.contradictions, Some(vec![]));
        assert_eq!(found.repairs.len(), files.len());
        for (first, other_file) in files.iter().zip(&found.other_record) {
            assert_eq!(other_file.file, format!("{first:012}.jsonl.other"));
            assert!(other_file.is_set_aside);
            let kept = fs::read(path_of(&dir, &other_file.file)).unwrap();
            assert_eq!(kept, fs::read(segment_path(other.path(), *first)).unwrap());
        }
        // It is named at each start and by `verify` until somebody moves it away.
        let again = started(&dir).await;
        assert_eq!(again.other_record, found.other_record);
        assert_eq!(again.repairs, []);
        let is_other = |(_, what): &(String, FindingKind)| {
            matches!(
                what,
                FindingKind::OtherRecord {
                    is_set_aside: true,
                    ..
                }
            )
        };
        assert!(breaks(&dir).iter().all(is_other));
        assert_eq!(breaks(&dir).len(), files.len());
        for record in [&dir, &alone] {
            assert_eq!(write_games(record.path(), 1, 4).await, 16);
        }
        let chain = |dir: &TempDir| Reader::new(dir.path()).verify(&board()).unwrap().link;
        assert_eq!(chain(&dir), chain(&alone));
    }
}

/// A copy of a whole directory.
fn copied(other: &TempDir) -> TempDir {
    let copy = TempDir::new().unwrap();
    fs::create_dir(copy.path().join("b1")).unwrap();
    for name in names(other) {
        fs::copy(path_of(other, &name), path_of(&copy, &name)).unwrap();
    }
    copy
}

#[tokio::test]
async fn nothing_is_overwritten_when_a_file_is_set_aside() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 4, 4).await;
    for expected in ["other", "other1", "other2"] {
        copy(&other, &dir, 13);
        started(&dir).await;
        assert!(path_of(&dir, &format!("000000000013.jsonl.{expected}")).exists());
    }
    assert_eq!(started(&dir).await.other_record.len(), 3);
}

#[tokio::test]
async fn a_file_of_another_record_takes_the_name_of_none_of_ours() {
    // It has the name of our file, and ours has another name.
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 3, 4).await;
    let ours = segment_path(dir.path(), 9);
    fs::rename(&ours, segment_path(dir.path(), 40)).unwrap();
    copy(&other, &dir, 9);
    let found = started(&dir).await;
    assert_eq!(numbers(&found.entries), [9, 10, 11, 12]);
    assert!(ours.exists());
    assert_eq!(
        other_files(&found.other_record),
        [("000000000009.jsonl.other", 9)]
    );
}

#[tokio::test]
async fn a_blank_file_of_another_record_is_not_removed() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 4, 4).await;
    let bytes = fs::read(segment_path(other.path(), 13)).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    fs::write(segment_path(dir.path(), 13), &bytes[..=end]).unwrap();
    let found = started(&dir).await;
    assert_eq!(found.last_seq.get(), 12);
    assert_eq!(
        other_files(&found.other_record),
        [("000000000013.jsonl.other", 13)]
    );
}

#[tokio::test]
async fn a_numbered_stray_of_another_record_takes_no_number() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 4, 4).await;
    let stray = path_of(&dir, "0000000000013.jsonl");
    fs::copy(segment_path(other.path(), 13), stray).unwrap();
    assert_eq!(started(&dir).await.last_seq.get(), 12);
}

#[tokio::test]
async fn raw_data_of_another_record_is_no_loss_of_ours() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 4, 4).await;
    copy(&other, &dir, 13);
    fs::write(path_of(&dir, "000000000013-1.raw"), "other").unwrap();
    for _ in 0..2 {
        let found = started(&dir).await;
        assert_eq!((found.last_seq.get(), found.lost), (12, vec![]));
        let aside = path_of(&dir, "000000000013-1.raw.other");
        assert_eq!(fs::read(aside).unwrap(), b"other");
    }
    // Our own raw data with that number is, if nothing else is left of its game.
    fs::write(path_of(&dir, "000000000013-1.raw"), "").unwrap();
    assert_eq!(started(&dir).await.last_seq.get(), 13);
}

#[tokio::test]
async fn raw_data_of_our_own_file_with_another_name_stays() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 3, 4).await;
    fs::rename(segment_path(dir.path(), 9), segment_path(dir.path(), 40)).unwrap();
    copy(&other, &dir, 9);
    let raw = path_of(&dir, "000000000009-1.raw");
    fs::write(&raw, "").unwrap();
    assert_eq!(started(&dir).await.other_record.len(), 1);
    assert!(raw.exists());
}

#[tokio::test]
async fn a_file_of_another_board_is_refused_as_before() {
    for damage in [0, 1] {
        let dir = own_record().await;
        let other = other_record_in(elsewhere(), 4, 4).await;
        let bytes = fs::read(segment_path(other.path(), 13)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let header = lines[0][9..].replace("\"board\":\"b1\"", "\"board\":\"b2\"");
        let mut bytes = Vec::new();
        line::encode(header.as_bytes(), &mut bytes);
        bytes[0] ^= damage;
        line::encode_entry(
            EntrySeq::new(13),
            b"{}",
            ChainLink::of_header(header.as_bytes()),
            &mut bytes,
        );
        let path = segment_path(dir.path(), 13);
        fs::write(&path, &bytes).unwrap();
        let found = recover_at(dir.path());
        assert_eq!(found.is_err(), damage == 0);
        let seen = Reader::new(dir.path()).other_record(&board()).unwrap();
        assert_eq!(seen, []);
        if damage == 0 {
            assert_eq!(fs::read(&path).unwrap(), bytes, "nothing is touched");
        }
    }
}

#[tokio::test]
async fn a_file_of_another_record_with_a_wrong_checksum_is_set_aside_as_well() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 4, 4).await;
    let mut bytes = fs::read(segment_path(other.path(), 13)).unwrap();
    bytes[0] ^= 1;
    fs::write(segment_path(dir.path(), 13), bytes).unwrap();
    let found = started(&dir).await;
    assert_eq!(found.last_seq.get(), 12);
    assert_eq!(found.other_record.len(), 1);
}

#[tokio::test]
async fn a_directory_that_is_copied_or_moved_in_as_a_whole_stays_one_record() {
    let dir = own_record().await;
    let copy = copied(&dir);
    write_games_in(elsewhere(), copy.path(), 1, 4).await;
    assert_eq!(ids(&copy), vec![filed(&dir); 4]);
    assert_eq!(breaks(&copy), []);

    // In the place of our own record, with its file; or alone, without it.
    let other = other_record_in(elsewhere(), 4, 4).await;
    let id = filed(&other);
    for has_file in [true, false] {
        fs::remove_dir_all(dir.path().join("b1")).unwrap();
        let moved = copied(&other);
        if !has_file {
            fs::remove_file(path_of(&moved, "record.json")).unwrap();
        }
        fs::rename(moved.path().join("b1"), dir.path().join("b1")).unwrap();
        let found = started(&dir).await;
        assert_eq!((found.last_seq.get(), found.other_record), (16, vec![]));
        assert_eq!(filed(&dir), id);
    }
}

#[tokio::test]
async fn no_header_has_an_id_that_the_disk_has_not_taken() {
    let dir = TempDir::new().unwrap();
    let disk = Quick::default();
    let (journal, writer) = open_on(dir.path(), disk.clone());
    journal.recover(&board()).await.unwrap();
    disk.fails.store(true, Ordering::SeqCst);
    assert!(journal.append(entry(1, true)).await.is_err());
    assert_eq!(segment::list(&dir.path().join("b1")).unwrap(), []);
    disk.fails.store(false, Ordering::SeqCst);
    journal.append(entry(1, true)).await.unwrap();
    drop(journal);
    writer.join().unwrap();
    assert_eq!(ids(&dir), [filed(&dir)]);
    assert!(filed(&dir).is_some());
}

#[tokio::test]
async fn a_game_from_memory_gets_the_id_of_the_record_it_is_written_after() {
    let dir = own_record().await;
    let (journal, writer) = open_on(dir.path(), Quick::default());
    journal.recover(&board()).await.unwrap();
    journal.skip(&board(), EntrySeq::new(99)).await.unwrap();
    journal.append(entry(100, true)).await.unwrap();
    drop(journal);
    writer.join().unwrap();
    assert_eq!(ids(&dir), [filed(&dir); 4]);
    assert_eq!(started(&dir).await.other_record, []);
}

#[tokio::test]
async fn a_file_whose_renaming_was_interrupted_may_be_of_another_record() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 4, 4).await;
    let between = path_of(&dir, "000000000013.jsonl.renaming");
    fs::copy(segment_path(other.path(), 13), &between).unwrap();
    let seen = Reader::new(dir.path()).other_record(&board()).unwrap();
    assert_eq!(other_files(&seen), [("000000000013.jsonl.renaming", 13)]);
    let found = started(&dir).await;
    assert_eq!(found.last_seq.get(), 12);
    assert_eq!(
        other_files(&found.other_record),
        [("000000000013.jsonl.other", 13)]
    );
    let segment = Segment::of(&dir.path().join("b1"), EntrySeq::new(13));
    assert!(!segment.path.exists());
}
