//! Files that are truncated, damaged, missing or another board's.

mod lines;
mod missing_numbers;
mod properties;

use std::{collections::BTreeMap, fs::OpenOptions};

use super::*;

fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    fs::read_dir(directory.join("b1"))
        .unwrap()
        .map(|file| {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            (name, fs::read(file.path()).unwrap())
        })
        .collect()
}

#[tokio::test]
async fn a_cut_at_any_byte_leaves_a_prefix() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 4).await;
    let path = segment_path(dir.path(), 5);
    let whole = fs::read(&path).unwrap();
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let found = recover_at(dir.path()).unwrap();
        let complete = segment::Lines::of(&whole[..cut]).count() as u64;
        let (first, last) = match complete {
            0 | 1 => (1, 4),
            lines => (5, 3 + lines),
        };
        assert_eq!(numbers(&found.entries), (first..=last).collect::<Vec<_>>());
        assert_eq!(found.last_seq.get(), last);
        let clean = cut > 0 && whole[cut - 1] == b'\n' && complete > 1;
        assert_eq!(found.repairs.is_empty(), clean, "cut at {cut}: reported");
        let again = recover_at(dir.path()).unwrap();
        assert_eq!(again.repairs, [], "cut at {cut}: repaired for good");
        assert_eq!(again.entries, found.entries);
    }
}

#[tokio::test]
async fn a_truncated_journal_continues_with_the_right_number() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 4).await;
    let path = segment_path(dir.path(), 5);
    let length = fs::metadata(&path).unwrap().len();
    for shorter in [1, length - 3, length] {
        let file = OpenOptions::new().write(true).open(&path).unwrap();
        file.set_len(length - shorter).unwrap();
        let before = recover_at(dir.path()).unwrap().last_seq.get();
        let (journal, writer) = open_on(dir.path(), Quick::default());
        let found = journal.recover(&board()).await.unwrap();
        assert_eq!(found.last_seq.get(), before);
        for seq in before + 1..=8 {
            journal.append(entry(seq, seq == 5)).await.unwrap();
        }
        drop(journal);
        writer.join().unwrap();
        assert_eq!(
            numbers(&recover_at(dir.path()).unwrap().entries),
            [5, 6, 7, 8]
        );
        assert_eq!(fs::metadata(&path).unwrap().len(), length);
    }
}

#[tokio::test]
async fn damage_anywhere_is_reported_and_set_aside() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 5).await;
    let path = segment_path(dir.path(), 1);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, whole[at] ^ b'\n'] {
            if flip == 0 {
                continue;
            }
            let mut bad = whole.clone();
            bad[at] ^= flip;
            fs::remove_dir_all(dir.path().join("b1")).unwrap();
            fs::create_dir(dir.path().join("b1")).unwrap();
            fs::write(&path, &bad).unwrap();

            let found = recover_at(dir.path()).unwrap();
            let kept = numbers(&found.entries);
            let hit = whole[..at].split(|byte| *byte == b'\n').count() as u64 - 1;
            // A destroyed line feed fuses two lines; a new one splits a line in two.
            let joins = whole[at] == b'\n' || bad[at] == b'\n';
            let near = match (hit, joins) {
                (0, _) => 1..=2,
                (_, true) => hit..=hit + 1,
                (_, false) => hit..=hit,
            };
            let missing: Vec<u64> = (1..=5).filter(|seq| !kept.contains(seq)).collect();
            let near = |seq: &u64| near.contains(seq);
            assert!(missing.iter().all(near), "byte {at}: {missing:?} are lost");
            assert!(!found.repairs.is_empty(), "byte {at}: reported");
            assert!(found.last_seq.get() >= 5, "byte {at}: no number twice");
            let aside = &files(dir.path())["000000000001.jsonl.damaged"];
            assert_eq!(aside, &bad, "byte {at}: kept as it was");
            let again = recover_at(dir.path()).unwrap();
            assert_eq!(again.repairs, [], "byte {at}: repaired for good");
            assert_eq!(
                (again.last_seq.get(), &again.entries),
                (found.last_seq.get(), &found.entries)
            );
            assert_eq!(again.lost, found.lost);
        }
    }
}

#[tokio::test]
async fn a_damaged_game_continues_in_the_same_segment() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 5).await;
    let path = segment_path(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let third = bytes.windows(6).position(|w| w == b"\"n\":3,").unwrap();
    bytes[third] = b'?';
    fs::write(&path, bytes).unwrap();
    let (journal, writer) = open_on(dir.path(), Quick::default());
    let found = journal.recover(&board()).await.unwrap();
    assert_eq!(
        (numbers(&found.entries), found.last_seq.get()),
        (vec![1, 2, 4, 5], 5)
    );
    assert_eq!((found.lost[0].from.get(), found.lost[0].to.get()), (3, 3));
    assert!(
        found.repairs[0]
            .to_string()
            .contains("entries 3 to 3 are lost")
    );
    journal.append(entry(6, false)).await.unwrap();
    assert_eq!(
        numbers(&journal.read_after(&board(), EntrySeq::new(0), 9).unwrap()),
        [1, 2, 4, 5, 6]
    );
    drop(journal);
    writer.join().unwrap();
    assert_eq!(
        numbers(&recover_at(dir.path()).unwrap().entries),
        [1, 2, 4, 5, 6]
    );
}

#[tokio::test]
async fn a_number_that_only_a_file_name_shows_is_not_reused() {
    for missing_first in [false, true] {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 2, 3).await;
        fs::write(segment_path(dir.path(), 9), "").unwrap();
        if missing_first {
            fs::remove_file(segment_path(dir.path(), 1)).unwrap();
            fs::remove_file(segment_path(dir.path(), 4)).unwrap();
        }
        assert_eq!(recover_at(dir.path()).unwrap().last_seq.get(), 8);
        let (journal, writer) = open_on(dir.path(), Quick::default());
        assert_eq!(journal.recover(&board()).await.unwrap().last_seq.get(), 8);
        journal.append(entry(9, true)).await.unwrap();
        drop(journal);
        writer.join().unwrap();
        let found = recover_at(dir.path()).unwrap();
        assert_eq!((numbers(&found.entries), found.repairs), (vec![9], vec![]));
    }
}

/// A disk that counts directory syncs.
#[derive(Default)]
struct Named(AtomicUsize);

impl Disk for Named {
    fn sync_bytes(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn sync_all(&self, _: &File) -> io::Result<()> {
        Ok(())
    }

    fn sync_directory(&self, _: &Path) -> io::Result<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[tokio::test]
async fn the_name_of_a_file_that_has_nothing_yet_is_made_durable() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 3).await;
    fs::remove_file(segment_path(dir.path(), 1)).unwrap();
    fs::write(segment_path(dir.path(), 7), "").unwrap();
    recover_at(dir.path()).unwrap();
    // The file now has its header, but its writer may have been killed before the sync.
    let disk = Named::default();
    assert_eq!(recover_on(dir.path(), &disk).unwrap().last_seq.get(), 6);
    assert_eq!(disk.0.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_note_of_what_was_removed_is_not_believed_blindly() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    fs::remove_file(segment_path(dir.path(), 1)).unwrap();
    let note = format!(
        r#"{{"schema":"remisd/removed/1","through":{},"chain":"{:064}","time":"2026-01-10T00:00:00.000Z"}}"#,
        u64::MAX,
        0
    );
    fs::write(dir.path().join("b1/removed.json"), note).unwrap();
    let verified = Reader::new(dir.path()).verify(&board()).unwrap();
    assert_eq!(verified.first_break(), None);
    fs::write(segment_path(dir.path(), 4), "").unwrap();
    assert_eq!(recover_at(dir.path()).unwrap().last_seq.get(), 3);
}

#[tokio::test]
async fn a_file_of_another_version_or_board_is_left_alone() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 1).await;
    let path = segment_path(dir.path(), 1);
    for (json, expected) in [
        (r#"{"v":3,"schema":"remisd/journal/3"}"#, "format version 3"),
        (r#"{"v":1,"schema":"remisd/journal/1"}"#, "format version 1"),
        (
            r#"{"v":2,"schema":"remisd/journal/2","board":"b2","first_seq":1,"boot_id":"","session":"","created":""}"#,
            "the record of board b2",
        ),
    ] {
        let mut bytes = Vec::new();
        line::encode(json.as_bytes(), &mut bytes);
        fs::write(&path, &bytes).unwrap();
        let error = recover_at(dir.path()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[tokio::test]
async fn a_repair_that_was_cut_short_is_done_again() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 3).await;
    let path = segment_path(dir.path(), 1);
    let mut bytes = fs::read(&path).unwrap();
    let second = bytes.windows(6).position(|w| w == b"\"n\":2,").unwrap();
    bytes[second] = b'?';
    fs::write(&path, &bytes).unwrap();
    // The state after the first two steps of a repair, if the power fails there.
    fs::hard_link(&path, path.with_extension("jsonl.damaged")).unwrap();
    fs::write(path.with_extension("jsonl.draft"), "half a").unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(
        (numbers(&found.entries), found.last_seq.get()),
        (vec![1, 3], 3)
    );
    let files = files(dir.path());
    assert_eq!(files["000000000001.jsonl.damaged"], bytes);
    assert_eq!(files["000000000001.jsonl.damaged.1"], bytes);
    assert!(!files.contains_key("000000000001.jsonl.draft"));
}

#[tokio::test]
async fn the_only_entry_of_a_file_is_not_thrown_away_with_its_header() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 1).await;
    let path = segment_path(dir.path(), 2);
    let whole = fs::read(&path).unwrap();
    let line_feed = whole.iter().position(|&b| b == b'\n').unwrap();
    let mut joined = whole.clone();
    joined[line_feed] = b' ';
    let zeroed = vec![0; whole.len()];
    for bad in [joined, zeroed] {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 2, 1).await;
        fs::write(segment_path(dir.path(), 2), &bad).unwrap();
        let verified = Reader::new(dir.path()).verify(&board()).unwrap();
        assert!(verified.first_break().is_some());
        let found = recover_at(dir.path()).unwrap();
        assert_eq!(found.last_seq.get(), 2, "its number is not given again");
        assert_eq!(files(dir.path())["000000000002.jsonl.damaged"], bad);
        assert_eq!(recover_at(dir.path()).unwrap().repairs, []);
    }
}

#[tokio::test]
async fn a_line_that_stands_twice_takes_nothing_else_with_it() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 3).await;
    let path = segment_path(dir.path(), 1);
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap();
    fs::write(&path, format!("{text}{last}\n")).unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(
        (numbers(&found.entries), found.lost),
        (vec![1, 2, 3], vec![])
    );
    let again = recover_at(dir.path()).unwrap();
    assert_eq!(
        (numbers(&again.entries), again.repairs),
        (vec![1, 2, 3], vec![])
    );
    assert_eq!(
        Reader::new(dir.path()).verify(&board()).unwrap().findings,
        []
    );
}

#[tokio::test]
async fn what_comes_after_a_number_is_found_wherever_the_damage_is() {
    const ENTRIES: u64 = 400;
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, ENTRIES).await;
    let path = segment_path(dir.path(), 1);
    let whole = fs::read_to_string(&path).unwrap();
    let torn = [3..=3_u64, 100..=160, 200..=201, 399..=399];
    let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
    let is_torn = |seq: &u64| torn.iter().any(|range| range.contains(seq));
    // The header is the line before the first entry.
    for (_, line) in (0..).zip(&mut lines).filter(|(seq, _)| is_torn(seq)) {
        line.replace_range(..1, "?");
    }
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let reader = Reader::new(dir.path());
    for after in 0..=ENTRIES {
        let read = reader
            .read_after(&board(), EntrySeq::new(after), 3)
            .unwrap();
        let wanted = (after + 1..=ENTRIES).filter(|seq| !is_torn(seq)).take(3);
        assert_eq!(numbers(&read), wanted.collect::<Vec<_>>(), "after {after}");
    }
}

#[tokio::test]
async fn what_comes_after_a_number_is_found_although_a_line_stands_twice() {
    const ENTRIES: u64 = 400;
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, ENTRIES).await;
    let path = segment_path(dir.path(), 1);
    let whole = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<&str> = whole.lines().collect();
    let again = lines[100];
    lines.insert(301, again);
    lines.push(again);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let reader = Reader::new(dir.path());
    for after in 0..=ENTRIES {
        let read = reader
            .read_after(&board(), EntrySeq::new(after), 3)
            .unwrap();
        let wanted = (after + 1..=ENTRIES).take(3);
        assert_eq!(numbers(&read), wanted.collect::<Vec<_>>(), "after {after}");
    }
}

#[tokio::test]
async fn a_newest_file_is_removed_only_if_it_held_no_entry() {
    let begun = TempDir::new().unwrap();
    write_games(begun.path(), 2, 2).await;
    let begun = fs::read(segment_path(begun.path(), 3)).unwrap();
    let end = begun.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let header = &begun[..end];
    let mut damaged = header.to_vec();
    damaged[3] ^= 1;
    let mut fused = begun.clone();
    fused[end - 1] = b' ';
    fused.truncate(end + begun[end..].iter().position(|&byte| byte == b'\n').unwrap() + 1);
    let mut with_cr = begun.clone();
    for byte in &mut with_cr {
        if *byte == b'\n' {
            *byte = b'\r';
        }
    }
    let lines = |first: &[u8], rest: &[u8]| [first, rest].concat();
    for (bytes, last) in [
        (lines(b"\n", b""), 2),
        (lines(b"\n", b"\n\n"), 2),
        (lines(header, b"\n\n"), 2),
        (lines(b"garbage\n", b"\n"), 3),
        (lines(&damaged, b"\n"), 3),
        (lines(b"\n", b"x\n"), 3),
        (lines(header, b"\nx"), 3),
        (lines(header, b"\nx\n"), 3),
        (lines(b"garbage\n", b"x"), 3),
        (lines(&damaged, b"x"), 3),
        (lines(b"\n", b"x"), 3),
        (lines(&fused, b""), 3),
        (lines(&fused, b"\n"), 3),
        (lines(&fused, b"x"), 4),
        (with_cr, 4),
    ] {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 1, 2).await;
        let path = segment_path(dir.path(), 3);
        fs::write(&path, &bytes).unwrap();
        let shown = String::from_utf8_lossy(&bytes);
        let found = recover_at(dir.path()).unwrap();
        assert_eq!(found.last_seq.get(), last, "{shown}");
        assert_eq!(recover_at(dir.path()).unwrap().repairs, [], "{shown}");
        if last == 2 {
            assert!(
                matches!(found.repairs[..], [Repair::Blank { .. }]),
                "{shown}"
            );
            assert!(!path.exists(), "{shown}");
        } else {
            let aside = path.with_added_extension("damaged");
            assert_eq!(fs::read(aside).unwrap(), bytes, "{shown}");
            assert!(path.exists(), "{shown}");
        }
    }
}
