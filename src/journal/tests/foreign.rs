//! Files of the same board that belong to another record, and files that only look like them.

use super::*;

/// The session of another computer.
fn elsewhere() -> Session {
    Session {
        id: "elsewhere".to_owned(),
        boot_id: "elsewhere".to_owned(),
    }
}

/// A record of three games, 1, 5 and 9, with the last entry 12.
async fn own_record() -> TempDir {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    dir
}

/// A record of another computer: games of `length` entries up to `last`.
async fn other_record(length: u64, last: u64) -> TempDir {
    let dir = TempDir::new().unwrap();
    write_games_in(elsewhere(), dir.path(), last.div_ceil(length), length).await;
    dir
}

/// Copies a file between records, without replacing one.
fn copy(from: &TempDir, to: &TempDir, first: u64) {
    let path = segment_path(to.path(), first);
    assert!(!path.exists(), "{first}");
    fs::copy(segment_path(from.path(), first), path).unwrap();
}

fn verify(directory: &Path, given: Given) -> Verified {
    let reader = Reader::new(directory).knowing(given);
    reader.verify(&board()).unwrap()
}

/// The files that a start sets aside.
fn refused(found: &Recovered) -> Vec<String> {
    let refused = found.repairs.iter().map(|repair| match repair {
        Repair::Foreign { set_aside, .. } => naming::file_name(set_aside),
        other => panic!("{other}"),
    });
    refused.collect()
}

/// Copies files of another record, which a start must refuse.
async fn is_refused(other: &TempDir, files: &[u64], given: Given) {
    let dir = own_record().await;
    for first in files {
        copy(other, &dir, *first);
    }
    let before = verify(dir.path(), given);
    assert_eq!((before.entries, before.last_seq), (12, 12), "{files:?}");
    let names: Vec<String> = files.iter().map(|n| format!("{n:012}.jsonl")).collect();
    let found = before.findings.iter();
    let found: Vec<_> = found.map(|found| (&found.file, &found.what)).collect();
    let expected = names.iter().map(|name| (name, &Found::Foreign));
    assert_eq!(found, expected.collect::<Vec<_>>());
    let reader = Reader::new(dir.path()).knowing(given);
    assert_eq!(reader.segments(&board()).unwrap(), [1, 5, 9], "{files:?}");

    let found = recover_given(dir.path(), given(dir.path(), &board())).unwrap();
    let asides: Vec<String> = names.iter().map(|name| format!("{name}.copy")).collect();
    assert_eq!(refused(&found), asides);
    assert_eq!(numbers(&found.entries), [9, 10, 11, 12], "{files:?}");
    assert_eq!((found.last_seq, found.lost), (12, vec![]), "{files:?}");
    for (name, aside) in names.iter().zip(&asides) {
        let board = dir.path().join("b1");
        let (was, is) = (other.path().join("b1").join(name), board.join(aside));
        assert_eq!(fs::read(was).unwrap(), fs::read(is).unwrap(), "{name}");
        assert!(!board.join(name).exists());
    }

    let after = verify(dir.path(), given);
    assert_eq!(after.entries, 12, "{files:?}");
    assert_eq!(after.findings.len(), files.len());
    let mut left = after.findings.iter();
    assert!(left.all(|found| found.what == Found::SetAside));
    let again = recover_at(dir.path()).unwrap();
    assert_eq!(again.repairs, [], "{files:?}: for good");
    // The record goes on, and its numbers are free.
    write_games(dir.path(), 30, 4).await;
    assert_eq!(verify(dir.path(), given).entries, 132, "{files:?}");
}

#[tokio::test]
async fn a_file_of_another_computer_is_refused_and_the_game_goes_on() {
    let nothing: Given = |_, _| 0;
    // Its number is the next one, or one that was used.
    is_refused(&other_record(4, 16).await, &[13], nothing).await;
    is_refused(&other_record(3, 14).await, &[13], nothing).await;
    is_refused(&other_record(10, 20).await, &[11], nothing).await;
    is_refused(&other_record(2, 12).await, &[3, 11], nothing).await;
    // One continues the other.
    is_refused(&other_record(10, 30).await, &[11, 21], nothing).await;
    // A file in between, which the chain passes by.
    is_refused(&other_record(2, 12).await, &[7], nothing).await;
}

#[tokio::test]
async fn a_file_with_a_far_number_is_refused_if_what_is_before_it_was_confirmed() {
    let other = other_record(10, 60).await;
    for given in [|_: &_, _: &_| 9, |_: &_, _: &_| 12] as [Given; 2] {
        is_refused(&other, &[31], given).await;
        is_refused(&other, &[31, 51], given).await;
    }
}

#[tokio::test]
async fn a_file_of_the_same_record_before_it_was_restored_is_refused() {
    // The record went on to 16 and beyond, and was lost. Its copy, up to 12, goes on otherwise.
    let lost = own_record().await;
    let restored = TempDir::new().unwrap();
    fs::create_dir(restored.path().join("b1")).unwrap();
    for first in [1, 5, 9] {
        copy(&lost, &restored, first);
    }
    write_games(lost.path(), 2, 4).await;
    write_games_in(elsewhere(), restored.path(), 1, 4).await;
    copy(&lost, &restored, 17);
    let found = recover_at(restored.path()).unwrap();
    assert_eq!(refused(&found), ["000000000017.jsonl.copy"]);
    assert_eq!(numbers(&found.entries), [13, 14, 15, 16]);
}

#[tokio::test]
async fn the_raw_data_of_a_refused_file_takes_no_numbers() {
    let dir = own_record().await;
    copy(&other_record(10, 20).await, &dir, 11);
    let raw = dir.path().join("b1/000000000011-1.raw");
    fs::write(&raw, "").unwrap();
    let far = dir.path().join("b1/000000000014-1.raw");
    let found = recover_at(dir.path()).unwrap();
    assert_eq!((found.repairs.len(), found.last_seq), (1, 12));
    assert!(!raw.exists() && raw.with_added_extension("copy").exists());
    // Other raw data still proves that the record is cut off.
    fs::write(&far, "").unwrap();
    assert_eq!(recover_at(dir.path()).unwrap().last_seq, 14);
}

/// Checks that the newest file, which begins with `first`, is not refused.
fn is_kept(dir: &TempDir, given: u64, first: u64) {
    let found = recover_given(dir.path(), given).unwrap();
    let refused = |repair: &Repair| matches!(repair, Repair::Foreign { .. });
    assert!(!found.repairs.iter().any(refused), "{:?}", found.repairs);
    assert_eq!(found.entries[0].seq, first);
}

#[tokio::test]
async fn a_file_behind_a_loss_is_our_own() {
    // A file is gone, and the next start has written the one after it.
    for given in [0, 4, 9, 12, 16] {
        let dir = own_record().await;
        write_games_in(elsewhere(), dir.path(), 1, 4).await;
        fs::remove_file(segment_path(dir.path(), 9)).unwrap();
        is_kept(&dir, given, 13);
    }
    // The file before is cut off, in a line or behind one, or damaged.
    for keep in [30, 60, 100] {
        for at_a_line in [false, true] {
            let dir = own_record().await;
            write_games_in(elsewhere(), dir.path(), 1, 4).await;
            let path = segment_path(dir.path(), 9);
            let whole = fs::read(&path).unwrap();
            let mut end = whole.len() * keep / 101;
            if at_a_line {
                end = whole[..end]
                    .iter()
                    .rposition(|&b| b == b'\n')
                    .map_or(0, |at| at + 1);
            }
            fs::write(&path, &whole[..end]).unwrap();
            is_kept(&dir, 16, 13);
            is_kept(&dir, 0, 13);
        }
    }
    let dir = own_record().await;
    write_games_in(elsewhere(), dir.path(), 1, 4).await;
    let path = segment_path(dir.path(), 9);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() - 10;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    is_kept(&dir, 0, 13);
}

#[tokio::test]
async fn a_file_whose_entries_were_confirmed_is_our_own() {
    // Somebody has replaced the file before it by one of another record.
    for given in [13, 16] {
        let dir = own_record().await;
        write_games_in(elsewhere(), dir.path(), 1, 4).await;
        let other = TempDir::new().unwrap();
        let session = Session {
            id: "third".to_owned(),
            ..elsewhere()
        };
        write_games_in(session, other.path(), 3, 4).await;
        fs::remove_file(segment_path(dir.path(), 9)).unwrap();
        copy(&other, &dir, 9);
        is_kept(&dir, given, 13);
        // The other file does not continue the one before it.
        let found = recover_at(dir.path()).unwrap();
        assert_eq!(refused(&found), ["000000000009.jsonl.copy"]);
        assert_eq!(numbers(&found.entries), [13, 14, 15, 16]);
    }
}

#[tokio::test]
async fn a_file_of_another_board_is_not_touched() {
    let dir = own_record().await;
    let path = segment_path(dir.path(), 13);
    let mut header: serde_json::Value = {
        let text = fs::read(segment_path(dir.path(), 9)).unwrap();
        let first = text.split(|&byte| byte == b'\n').next().unwrap();
        serde_json::from_slice(line::verified(first).unwrap()).unwrap()
    };
    header["board"] = "b2".into();
    header["session"] = "elsewhere".into();
    header["first_seq"] = 13.into();
    let mut bytes = Vec::new();
    line::encode(header.to_string().as_bytes(), &mut bytes);
    line::encode_entry(13, b"{}", Link::NONE, &mut bytes);
    fs::write(&path, &bytes).unwrap();
    let refused = recover_at(dir.path()).unwrap_err();
    assert!(matches!(refused, JournalError::Foreign { .. }), "{refused}");
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[tokio::test]
async fn a_single_file_may_be_taken_to_another_computer() {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("b1")).unwrap();
    copy(&own_record().await, &dir, 9);
    is_kept(&dir, 0, 9);
}

#[tokio::test]
async fn a_long_record_is_its_own() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 50, 2).await;
    is_kept(&dir, 0, 99);
    let other = other_record(2, 104).await;
    copy(&other, &dir, 103);
    copy(&other, &dir, 101);
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(refused(&found).len(), 2);
    assert_eq!(numbers(&found.entries), [99, 100]);
}
