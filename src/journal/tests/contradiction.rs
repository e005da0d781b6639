//! Files of the same board that belong to another record, and files that only look like them.

use super::*;

/// The session of another computer.
fn elsewhere() -> DaemonSession {
    DaemonSession {
        id: "elsewhere".to_owned(),
        boot_id: "elsewhere".to_owned(),
        began: remisd_vocabulary::time::Span::ZERO,
    }
}

/// A record of `games` games with `length` entries each. The entries differ from those of
/// [`write_games`]. The id of the record is the same, as in a backup that was continued otherwise.
async fn other_record(games: u64, length: u64) -> TempDir {
    other_record_in(session(), games, length).await
}

/// The same, with the id that a session makes.
pub(super) async fn other_record_in(session: DaemonSession, games: u64, length: u64) -> TempDir {
    let dir = TempDir::new().unwrap();
    let clock = Arc::new(ManualClock::default());
    let disk = Box::new(Quick::default());
    let (journal, writer) = Journal::open_on(dir.path(), session, clock, disk).unwrap();
    journal.recover(&board()).await.unwrap();
    for seq in 1..=games * length {
        let entry = Append {
            body: format!(r#"{{"other":{seq}}}"#).into(),
            ..entry(seq, (seq - 1) % length == 0)
        };
        journal.append(entry).await.unwrap();
    }
    drop(journal);
    writer.join().unwrap();
    dir
}

/// A record of three games, 1, 5 and 9, with the last entry 12.
async fn own_record() -> TempDir {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    dir
}

/// Copies a file between records, without replacing one.
fn copy(from: &TempDir, to: &TempDir, first: u64) {
    let path = segment_path(to.path(), first);
    assert!(!path.exists(), "{first}");
    fs::copy(segment_path(from.path(), first), path).unwrap();
}

fn named(dir: &TempDir, given: u64) -> Vec<(u64, bool)> {
    let reader = Reader::new(dir.path());
    let found = reader
        .contradictions(&board(), EntrySeq::new(given))
        .unwrap();
    (found.iter().map(|file| (file.first.get(), file.is_newest))).collect()
}

/// All files of a board and their contents.
fn contents(dir: &TempDir) -> Vec<(PathBuf, Vec<u8>)> {
    let files = fs::read_dir(dir.path().join("b1")).unwrap();
    let files = files.map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Recovers through the writer, as a start of the daemon does.
async fn recovered(dir: &TempDir) -> Recovered {
    let (journal, writer) = open_on(dir.path(), Quick::default());
    let found = journal.recover(&board()).await.unwrap();
    drop(journal);
    writer.join().unwrap();
    found
}

/// The games and their length in the other record, the files that are copied from it, and those
/// that are named, each with whether it is the newest.
type Case = (u64, u64, &'static [u64], &'static [(u64, bool)]);

#[tokio::test]
async fn a_file_of_another_record_is_named_and_nothing_is_taken_away() {
    // Its number follows on ours, was used by ours, or lies between ours.
    let cases: [Case; 5] = [
        (4, 4, &[13], &[(13, true)]),
        (4, 10, &[11], &[(11, true)]),
        (3, 10, &[11, 21], &[(11, false)]),
        (6, 2, &[7], &[(7, false)]),
        (6, 2, &[3, 11], &[(3, false), (11, true)]),
    ];
    for (games, length, files, expected) in cases {
        let dir = own_record().await;
        let other = other_record(games, length).await;
        for first in files {
            copy(&other, &dir, *first);
        }
        assert_eq!(named(&dir, 0), expected, "{files:?}");
        let before = contents(&dir);
        let found = recovered(&dir).await;
        let named = found.contradictions.iter().flatten();
        let named: Vec<_> = named.map(|file| file.first.get()).collect();
        assert_eq!(
            named,
            expected.iter().map(|file| file.0).collect::<Vec<_>>()
        );
        for (path, bytes) in before {
            let now = fs::read(&path).unwrap();
            assert!(
                now.starts_with(&bytes),
                "{}: nothing is lost",
                path.display()
            );
        }
        // The newest file is continued, as it always is, and nothing is retired.
        let highest = files.iter().map(|first| first + length - 1).max().unwrap();
        assert_eq!(
            (found.last_seq.get(), found.lost),
            (highest.max(12), vec![])
        );

        let mut verified = Reader::new(dir.path()).verify(&board()).unwrap();
        let reader = Reader::new(dir.path());
        verified.add_contradictions(reader.contradictions(&board(), EntrySeq::ZERO).unwrap());
        let named = verified.findings.iter();
        let mut named =
            named.filter(|found| matches!(found.what, FindingKind::Contradiction { .. }));
        let first = named.next().expect("it is named");
        assert_eq!(first.file, format!("{:012}.jsonl", expected[0].0));
        assert!(first.what.is_break());
    }
}

#[tokio::test]
async fn a_foreign_first_file_is_named_and_our_own_files_are_not() {
    for length in [4, 10] {
        let dir = own_record().await;
        fs::remove_file(segment_path(dir.path(), 1)).unwrap();
        copy(&other_record(1, length).await, &dir, 1);
        assert_eq!(named(&dir, 0), [(1, false)], "{length}");
        assert_eq!(numbers(&recovered(&dir).await.entries), [9, 10, 11, 12]);
    }
}

#[tokio::test]
async fn a_file_of_the_same_record_before_it_was_restored_is_named() {
    // The record continued to 20 and was lost. Its backup, up to 12, continued otherwise.
    let lost = own_record().await;
    let restored = TempDir::new().unwrap();
    fs::create_dir(restored.path().join("b1")).unwrap();
    for first in [1, 5, 9] {
        copy(&lost, &restored, first);
    }
    write_games(lost.path(), 2, 4).await;
    write_games_in(elsewhere(), restored.path(), 1, 4).await;
    copy(&lost, &restored, 17);
    assert_eq!(named(&restored, 0), [(17, true)]);
}

#[tokio::test]
async fn of_runs_of_the_same_length_the_one_that_the_broker_knows_is_our_own() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 4).await;
    copy(&other_record(2, 4).await, &dir, 5);
    assert_eq!(named(&dir, 3), [(5, true)]);
    assert_eq!(named(&dir, 7), [(1, false)]);
    assert_eq!(named(&dir, 0), [(1, false)], "else the newest");
}

#[tokio::test]
async fn a_loss_or_damage_is_no_contradiction() {
    // A file is gone, and the next start has written the one after it.
    for given in [0, 4, 9, 12, 16] {
        let dir = own_record().await;
        write_games_in(elsewhere(), dir.path(), 1, 4).await;
        fs::remove_file(segment_path(dir.path(), 9)).unwrap();
        assert_eq!(named(&dir, given), [], "{given}");
    }
    // Each file is cut off at each place, or a bit of it is flipped.
    for first in [1, 5, 9, 13] {
        let dir = own_record().await;
        write_games_in(elsewhere(), dir.path(), 1, 4).await;
        let path = segment_path(dir.path(), first);
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(3) {
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(named(&dir, 0), [], "{first} cut off at {at}");
            let mut flipped = whole.clone();
            flipped[at] ^= 1;
            fs::write(&path, &flipped).unwrap();
            assert_eq!(named(&dir, 0), [], "{first} flipped at {at}");
        }
    }
}

#[tokio::test]
async fn of_a_file_that_cannot_be_read_nothing_is_known() {
    for first in [1, 5, 9, 13] {
        let dir = own_record().await;
        copy(&other_record(4, 4).await, &dir, 13);
        let path = segment_path(dir.path(), first);
        fs::remove_file(&path).unwrap();
        // Also for a user who may read everything.
        fs::create_dir(&path).unwrap();
        let segments = segment::list(&dir.path().join("b1")).unwrap();
        let error = crate::contradiction::find(&segments, &board(), EntrySeq::ZERO).unwrap_err();
        let name = format!("{first:012}.jsonl: ");
        assert!(error.to_string().contains(&name), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_when_the_daemon_starts_is_no_obstacle() {
    // Only the newest file is read to its end by a recovery.
    let dir = own_record().await;
    copy(&other_record(4, 4).await, &dir, 13);
    let path = segment_path(dir.path(), 1);
    fs::write(&path, [b'x'; 1 << 10]).unwrap();
    assert_eq!(named(&dir, 0), [(13, true)], "damage is read");
    let found = recovered(&dir).await;
    assert_eq!(found.contradictions.map(|files| files.len()), Some(1));
}

#[tokio::test]
async fn the_newest_file_is_the_one_after_the_repair() {
    let dir = own_record().await;
    copy(&other_record(4, 4).await, &dir, 13);
    fs::write(segment_path(dir.path(), 17), "\n\n").unwrap();
    assert_eq!(named(&dir, 0), [(13, false)]);
    let found = recovered(&dir).await;
    let found = found.contradictions.unwrap();
    assert!(
        found[0].first.get() == 13 && found[0].is_newest,
        "{found:?}"
    );
}

/// Writes files with two entries each, without a journal.
fn write_pairs(dir: &TempDir, firsts: impl Iterator<Item = u64>, body: &[u8]) {
    let mut before = ChainLink::NONE;
    for first in firsts {
        let header = Header {
            v: VERSION,
            schema: SCHEMA.to_owned(),
            board: board().to_string(),
            record: None,
            first_seq: EntrySeq::new(first),
            boot_id: String::new(),
            session: String::new(),
            created: String::new(),
            chain: before,
            repaired: None,
        };
        let mut bytes = Vec::new();
        let link = recovery::encode_header(&header, &mut bytes).unwrap();
        let link = line::encode_entry(EntrySeq::new(first), body, link, &mut bytes);
        before = line::encode_entry(EntrySeq::new(first + 1), body, link, &mut bytes);
        fs::write(segment_path(dir.path(), first), bytes).unwrap();
    }
}

#[test]
fn five_thousand_pairs_are_all_found() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("b1")).unwrap();
    write_pairs(&dir, (1..10_000).step_by(2), b"{}");
    write_pairs(&dir, (2..=10_000).step_by(2), br#"{"other":1}"#);
    assert_eq!(named(&dir, 0).len(), 5_000);
}

#[tokio::test]
async fn a_file_that_came_back_after_its_numbers_were_retired_is_no_contradiction() {
    let dir = own_record().await;
    let away = dir.path().join("away");
    fs::rename(segment_path(dir.path(), 9), &away).unwrap();
    recover_given(dir.path(), 12).unwrap();
    write_games_in(elsewhere(), dir.path(), 2, 4).await;
    fs::rename(&away, segment_path(dir.path(), 9)).unwrap();
    assert_eq!(named(&dir, 0), []);
}

#[tokio::test]
async fn a_far_number_proves_nothing() {
    let dir = own_record().await;
    copy(&other_record(6, 10).await, &dir, 31);
    assert_eq!(named(&dir, 12), [], "files between the two may be lost");
}

#[tokio::test]
async fn numbers_of_another_record_are_neither_retired_nor_missing() {
    let (dir, alone) = (own_record().await, own_record().await);
    write_games(dir.path(), 1, 4).await;
    write_games(alone.path(), 1, 4).await;
    // A longer file than ours, before our newest one.
    copy(&other_record(2, 10).await, &dir, 11);
    assert_eq!(named(&dir, 0), [(11, false)]);
    for given in [0, 16, 20] {
        let found = recover_given(dir.path(), given).unwrap();
        let expected = recover_given(alone.path(), given).unwrap();
        assert_eq!(found.last_seq.get(), expected.last_seq.get(), "{given}");
        assert_eq!(found.entries, expected.entries, "{given}");
        assert_eq!(found.lost, expected.lost, "{given}");
    }
}

#[tokio::test]
async fn a_line_that_was_changed_by_hand_is_no_contradiction() {
    let dir = own_record().await;
    write_games_in(elsewhere(), dir.path(), 1, 4).await;
    let path = segment_path(dir.path(), 9);
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1]
        .iter()
        .rposition(|&byte| byte == b'\n');
    let mut changed = whole[..=last.unwrap()].to_vec();
    // The checksum is right, the seal is not.
    line::encode_entry(EntrySeq::new(12), &body(12), ChainLink::NONE, &mut changed);
    fs::write(&path, changed).unwrap();
    assert_eq!(named(&dir, 0), []);
}
