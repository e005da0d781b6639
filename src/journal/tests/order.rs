//! Lines and files in the wrong place: a check and a repair name the same loss.

use super::*;

type Damage = fn(&mut Vec<String>);
type Case = (&'static str, Damage, &'static [(u64, u64)]);

/// Damage to the lines of a segment of ten entries, of which the first is the header, and the
/// numbers that it loses.
const DAMAGE: &[Case] = &[
    ("two lines swapped", |lines| lines.swap(4, 5), &[]),
    ("two distant lines swapped", |lines| lines.swap(2, 9), &[]),
    ("the last two swapped", |lines| lines.swap(9, 10), &[]),
    ("the first two swapped", |lines| lines.swap(1, 2), &[]),
    ("all of them reversed", |lines| lines[1..].reverse(), &[]),
    (
        "a line doubled",
        |lines| lines.insert(4, lines[4].clone()),
        &[],
    ),
    (
        "a line doubled far away",
        |lines| lines.insert(8, lines[2].clone()),
        &[],
    ),
    (
        "the last line doubled",
        |lines| lines.push(lines[10].clone()),
        &[],
    ),
    ("a line missing", |lines| drop(lines.remove(4)), &[(4, 5)]),
    (
        "the first entry missing",
        |lines| drop(lines.remove(1)),
        &[(1, 2)],
    ),
    (
        "a line moved to the end",
        |lines| lines[4..].rotate_left(1),
        &[],
    ),
    (
        "a line moved to the front",
        |lines| lines[1..9].rotate_right(1),
        &[],
    ),
    ("an empty line", |lines| lines.insert(4, String::new()), &[]),
    (
        "an empty line at the end",
        |lines| lines.push(String::new()),
        &[],
    ),
    (
        "a doubled line beside a wrong checksum",
        |lines| {
            let other = if lines[4].starts_with('0') { "1" } else { "0" };
            lines[4].replace_range(..1, other);
            lines.insert(8, lines[2].clone());
        },
        &[],
    ),
    (
        "a doubled header",
        |lines| lines.insert(1, lines[0].clone()),
        &[],
    ),
    (
        "two swapped, one of them damaged",
        |lines| {
            lines.swap(4, 5);
            lines[4] = lines[4].replace("text", "tent");
        },
        &[(5, 5)],
    ),
];

fn verify(directory: &Path) -> Verified {
    Reader::new(directory).verify(&board()).unwrap()
}

#[tokio::test]
async fn a_check_before_a_repair_names_what_the_repair_loses() {
    for (name, damage, lost) in DAMAGE {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 1, 10).await;
        let path = segment_path(dir.path(), 1);
        let whole = fs::read_to_string(&path).unwrap();
        let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
        damage(&mut lines);
        fs::write(&path, lines.join("\n") + "\n").unwrap();

        let before = verify(dir.path());
        let FindingKind::Line { lost: named, .. } = &before.first_break().expect(name).what else {
            panic!("{name}: {:?}", before.findings);
        };
        let named: Vec<_> = named
            .iter()
            .map(|(from, to)| (from.get(), to.get()))
            .collect();
        assert_eq!(&named, lost, "{name}: by the check");

        let found = recover_at(dir.path()).unwrap();
        let Repair::Damage { lost: taken, .. } = &found.repairs[0] else {
            panic!("{name}: {:?}", found.repairs);
        };
        let taken: Vec<_> = taken
            .iter()
            .map(|lost| (lost.from.get(), lost.to.get()))
            .collect();
        assert_eq!(&taken, lost, "{name}: by the repair");
        let is_lost = |seq: &u64| lost.iter().any(|(from, to)| (*from..=*to).contains(seq));
        let kept: Vec<u64> = (1..=10).filter(|seq| !is_lost(seq)).collect();
        assert_eq!(numbers(&found.entries), kept, "{name}");
        assert_eq!(found.last_seq.get(), 10, "{name}: no number twice");

        let after = verify(dir.path());
        assert_eq!(after.first_break(), None, "{name}");
        let reported = after
            .findings
            .iter()
            .filter_map(|finding| match &finding.what {
                FindingKind::Lost(lost) => Some((lost.from.get(), lost.to.get())),
                _ => None,
            });
        assert_eq!(
            &reported.collect::<Vec<_>>(),
            lost,
            "{name}: after the repair"
        );
        assert_eq!(before.entries, after.entries, "{name}: entries proved");
        assert_eq!(before.last_seq.get(), after.last_seq.get(), "{name}");
        assert_eq!(
            recover_at(dir.path()).unwrap().repairs,
            [],
            "{name}: for good"
        );
    }
}

/// Renames files; the last of the three games is the newest.
async fn renamed(renames: &[(u64, u64)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    let aside = |first| dir.path().join(format!("{first}"));
    for (from, to) in renames {
        fs::rename(segment_path(dir.path(), *from), aside(*to)).unwrap();
    }
    for (_, to) in renames {
        fs::rename(aside(*to), segment_path(dir.path(), *to)).unwrap();
    }
    dir
}

#[tokio::test]
async fn files_that_bear_each_others_names_get_their_own_back() {
    let cases: [&[(u64, u64)]; 5] = [
        &[(1, 5), (5, 1)],
        &[(5, 9), (9, 5)],
        &[(1, 9), (9, 1)],
        &[(1, 5), (5, 9), (9, 1)],
        &[(5, 7)],
    ];
    for renames in cases {
        let dir = renamed(renames).await;
        let before = verify(dir.path());
        let mut named = Vec::new();
        for finding in &before.findings {
            let FindingKind::Misnamed { first } = finding.what else {
                panic!("{renames:?}: {finding}");
            };
            named.push((first.get(), finding.file.clone()));
        }
        let mut expected: Vec<_> = renames
            .iter()
            .map(|(from, to)| (*from, format!("{to:012}.jsonl")))
            .collect();
        expected.sort_by_key(|(_, file)| file.clone());
        assert_eq!(named, expected, "{renames:?}");
        assert!(before.first_break().is_some());
        assert_eq!(
            (before.entries, before.last_seq.get()),
            (12, 12),
            "{renames:?}"
        );

        let found = recover_at(dir.path()).unwrap();
        assert_eq!(found.repairs.len(), renames.len(), "{renames:?}: reported");
        assert_eq!(numbers(&found.entries), [9, 10, 11, 12], "{renames:?}");
        assert_eq!(
            (found.last_seq.get(), found.lost),
            (12, vec![]),
            "{renames:?}"
        );
        let after = verify(dir.path());
        assert_eq!((after.findings, after.entries), (vec![], 12), "{renames:?}");
        assert_eq!(recover_at(dir.path()).unwrap().repairs, [], "for good");
    }
}

#[tokio::test]
async fn files_that_a_power_cut_left_on_their_way_get_their_names() {
    let dir = renamed(&[(5, 9), (9, 5)]).await;
    let on_its_way = segment_path(dir.path(), 9).with_added_extension("renaming");
    fs::rename(segment_path(dir.path(), 5), on_its_way).unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(numbers(&found.entries), [9, 10, 11, 12]);
    assert_eq!(found.repairs.len(), 2, "{:?}", found.repairs);
    assert_eq!(verify(dir.path()).findings, []);
}

#[tokio::test]
async fn a_file_on_its_way_is_read_and_named_by_the_check() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    let path = segment_path(dir.path(), 5);
    let on_its_way = path.with_added_extension("renaming");
    fs::rename(&path, &on_its_way).unwrap();
    let verified = verify(dir.path());
    assert_eq!((verified.entries, verified.findings.len()), (12, 1));
    let first = verified.first_break().expect("it is named");
    assert_eq!(first.file, "000000000005.jsonl.renaming");
    let reader = Reader::new(dir.path());
    assert_eq!(
        reader.segments(&board()).unwrap(),
        [1, 5, 9].map(EntrySeq::new)
    );

    // With another file under its name it is a stray.
    fs::copy(&on_its_way, &path).unwrap();
    let verified = verify(dir.path());
    assert_eq!((verified.entries, verified.findings.len()), (12, 1));
    let text = verified.first_break().expect("it is named").to_string();
    assert!(text.contains("another file has that name"), "{text}");
    recover_at(dir.path()).unwrap();
    assert!(on_its_way.exists(), "nothing is overwritten");
}

#[tokio::test]
async fn no_number_in_a_file_that_was_set_aside_is_given_again() {
    for suffix in ["damaged", "damaged.2", "copy", "copy3", "renaming"] {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 3, 4).await;
        let newest = segment_path(dir.path(), 9);
        fs::rename(&newest, newest.with_added_extension(suffix)).unwrap();
        if suffix == "renaming" {
            // Another file has the name that it should get.
            fs::write(&newest, "").unwrap();
        }
        let found = recover_at(dir.path()).unwrap();
        assert_eq!(found.last_seq.get(), 12, "{suffix}: {:?}", found.repairs);
    }
}

/// Where a file of the three games 1, 5 and 9 is copied to.
const COPIES: [(u64, u64); 6] = [(1, 99), (9, 99), (1, 13), (1, 3), (5, 2), (9, 6)];

#[tokio::test]
async fn a_copy_under_another_name_is_refused_and_named_and_the_game_continues() {
    for (from, to) in COPIES {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 3, 4).await;
        let copy = segment_path(dir.path(), to);
        fs::copy(segment_path(dir.path(), from), &copy).unwrap();

        let before = verify(dir.path());
        let name = format!("{to:012}.jsonl");
        assert_eq!(before.first_break().unwrap().file, name, "{from} {to}");
        assert_eq!(
            (before.entries, before.last_seq.get()),
            (12, 12),
            "{from} {to}"
        );
        assert_eq!(before.findings.len(), 1, "{:?}", before.findings);
        let reader = Reader::new(dir.path());
        let read = reader.each_segment(&board()).unwrap();
        let read = read.iter().map(|segment| segment.read().unwrap());
        let read: Vec<_> = read
            .map(|read| (read.entries.len(), read.gaps().len()))
            .collect();
        assert_eq!(read, [(4, 0); 3], "{from} {to}");

        let found = recover_at(dir.path()).unwrap();
        let Repair::Copy { of, set_aside, .. } = &found.repairs[0] else {
            panic!("{from} {to}: {:?}", found.repairs);
        };
        assert_eq!((of.get(), found.repairs.len()), (from, 1));
        assert_eq!(numbers(&found.entries), [9, 10, 11, 12], "{from} {to}");
        assert_eq!(
            (found.last_seq.get(), found.lost),
            (12, vec![]),
            "{from} {to}"
        );
        assert!(set_aside.exists() && !copy.exists(), "{from} {to}");

        let after = verify(dir.path());
        assert_eq!((after.entries, after.findings.len()), (12, 1));
        let named = after.first_break().expect("until somebody removes it");
        assert_eq!(named.file, format!("{name}.copy"));
        assert_eq!(recover_at(dir.path()).unwrap().repairs, [], "for good");
        // Its number is free for a game.
        write_games(dir.path(), 30, 4).await;
        assert_eq!(verify(dir.path()).entries, 132, "{from} {to}");
    }
}

#[tokio::test]
async fn a_copy_in_the_place_of_a_renamed_file_makes_room_for_it() {
    let dir = renamed(&[(5, 7)]).await;
    for (from, to) in [(1, 5), (1, 20), (9, 21)] {
        fs::copy(segment_path(dir.path(), from), segment_path(dir.path(), to)).unwrap();
    }
    let reader = Reader::new(dir.path());
    assert_eq!(
        reader.segments(&board()).unwrap(),
        [1, 5, 9].map(EntrySeq::new)
    );
    assert_eq!(verify(dir.path()).entries, 12);
    let found = recover_at(dir.path()).unwrap();
    assert_eq!((found.repairs.len(), found.last_seq.get()), (4, 12));
    assert_eq!(verify(dir.path()).entries, 12);
    assert_eq!(
        reader.segments(&board()).unwrap(),
        [1, 5, 9].map(EntrySeq::new)
    );
}

#[tokio::test]
async fn a_copy_of_a_damaged_file_is_kept_beside_it() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 4).await;
    let original = segment_path(dir.path(), 1);
    fs::copy(&original, segment_path(dir.path(), 99)).unwrap();
    let mut bytes = fs::read(&original).unwrap();
    bytes[3] ^= 1;
    fs::write(&original, bytes).unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(numbers(&found.entries), [5, 6, 7, 8]);
    assert_eq!(found.last_seq.get(), 8);
}

#[tokio::test]
async fn only_names_that_the_daemon_writes_are_segments() {
    let names = [
        "0000000000013.jsonl",
        "000000000000.jsonl",
        "18446744073709551615.jsonl",
        "18446744073709551614.jsonl",
        "9007199254740992.jsonl",
        "99999999999999999999999.jsonl",
    ];
    for name in names {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 3, 4).await;
        let stray = dir.path().join("b1").join(name);
        fs::write(&stray, "").unwrap();
        let raw = "18446744073709551615-1.raw";
        fs::write(dir.path().join("b1").join(raw), "").unwrap();
        let reader = Reader::new(dir.path());
        assert_eq!(
            reader.segments(&board()).unwrap(),
            [1, 5, 9].map(EntrySeq::new),
            "{name}"
        );
        let verified = verify(dir.path());
        assert_eq!(
            (verified.entries, verified.last_seq.get()),
            (12, 12),
            "{name}"
        );
        let found = verified.first_break().expect("it is named");
        assert_eq!((&*found.file, &found.what), (name, &stray_of(true)));

        let found = recover_at(dir.path()).unwrap();
        assert_eq!(numbers(&found.entries), [9, 10, 11, 12], "{name}");
        assert_eq!(
            (found.last_seq.get(), found.repairs),
            (12, vec![]),
            "{name}"
        );
        assert_eq!(fs::read(&stray).unwrap(), b"", "it is left alone");
        assert_eq!(write_games(dir.path(), 1, 4).await, 16);
    }
}

const fn stray_of(is_numbered: bool) -> FindingKind {
    FindingKind::Stray { is_numbered }
}

#[tokio::test]
async fn a_file_beside_the_record_neither_breaks_it_nor_cuts_it_off() {
    let noted = ["13.jsonl", "000000000009-old.jsonl", "notes.jsonl"];
    let ignored = [
        ".000000000009.jsonl.swp",
        ".000000000009.jsonl",
        "000000000009.jsonl~",
        "000000000009.jsonl.bak",
        "0000000000013.jsonl.renaming",
    ];
    let other = TempDir::new().unwrap();
    write_games(other.path(), 1, 40).await;
    for (name, is_noted) in
        (noted.map(|name| (name, true)).into_iter()).chain(ignored.map(|name| (name, false)))
    {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 3, 4).await;
        let stray = dir.path().join("b1").join(name);
        fs::copy(segment_path(other.path(), 1), &stray).unwrap();
        let verified = verify(dir.path());
        assert_eq!(verified.first_break(), None, "{name}");
        let named = verified
            .findings
            .iter()
            .any(|found| found.what == stray_of(false));
        assert_eq!(named, is_noted, "{name}");
        let found = recover_at(dir.path()).unwrap();
        assert_eq!(
            (found.last_seq.get(), found.repairs),
            (12, vec![]),
            "{name}"
        );
        assert!(stray.exists(), "{name}");
    }
}

#[tokio::test]
async fn a_file_with_a_name_that_no_segment_has_keeps_its_numbers() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    let stray = dir.path().join("b1/0000000000009.jsonl");
    fs::rename(segment_path(dir.path(), 9), &stray).unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(numbers(&found.entries), [5, 6, 7, 8]);
    assert_eq!(found.last_seq.get(), 12, "no number is given again");
    assert!(stray.exists());
}

#[tokio::test]
async fn no_number_is_so_high_that_none_is_left() {
    // Lines with correct checksums and links, and the numbers that other files state.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 4).await;
    let path = segment_path(dir.path(), 1);
    let whole = fs::read(&path).unwrap();
    let link = verify(dir.path()).link;
    for to in [u64::MAX, u64::MAX - 1, 1 << 53] {
        let mut bytes = whole.clone();
        let lost = RetiredNumbers {
            from: EntrySeq::new(5),
            to: EntrySeq::new(to),
            file: "x".to_owned(),
            cause: None,
        };
        line::encode_lost(&lost, link, &mut bytes).unwrap();
        fs::write(&path, &bytes).unwrap();
        let found = recover_given(dir.path(), to).unwrap();
        assert!(found.last_seq.get() < 1 << 53, "{to}");
        let written = write_games(dir.path(), 1, 4).await;
        assert_eq!(
            recover_at(dir.path()).unwrap().last_seq.get(),
            written,
            "{to}"
        );
        fs::remove_file(segment_path(dir.path(), written - 3)).unwrap();
    }
}

#[tokio::test]
async fn a_copy_of_an_older_file_with_a_damaged_header_does_not_abandon_the_running_game() {
    for flipped in [0, 3, 60] {
        for name in [7, 13, 99] {
            let dir = TempDir::new().unwrap();
            write_games(dir.path(), 3, 4).await;
            let copy = segment_path(dir.path(), name);
            let mut bytes = fs::read(segment_path(dir.path(), 5)).unwrap();
            bytes[flipped] ^= 1;
            fs::write(&copy, &bytes).unwrap();
            let verified = verify(dir.path());
            let found = verified.first_break().expect("it is named");
            assert_eq!(
                found.what,
                FindingKind::Copy {
                    first: EntrySeq::new(5)
                },
                "{name}"
            );
            assert_eq!(
                (verified.entries, verified.last_seq.get()),
                (12, 12),
                "{name}"
            );

            let found = recover_at(dir.path()).unwrap();
            assert_eq!(numbers(&found.entries), [9, 10, 11, 12], "{name}");
            assert_eq!((found.last_seq.get(), found.lost), (12, vec![]), "{name}");
            let aside = copy.with_added_extension("copy");
            assert_eq!(fs::read(aside).unwrap(), bytes, "{name}");
        }
    }
    // Of two files without a sound header neither is a copy.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    let path = segment_path(dir.path(), 9);
    let mut bytes = fs::read(&path).unwrap();
    bytes[3] ^= 1;
    fs::write(&path, &bytes).unwrap();
    fs::write(segment_path(dir.path(), 7), bytes).unwrap();
    assert_eq!(
        Reader::new(dir.path()).segments(&board()).unwrap(),
        [1, 5, 7, 9].map(EntrySeq::new)
    );
    // Without the original it is not a copy.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    let path = segment_path(dir.path(), 9);
    let mut bytes = fs::read(&path).unwrap();
    bytes[3] ^= 1;
    fs::write(segment_path(dir.path(), 13), bytes).unwrap();
    fs::remove_file(&path).unwrap();
    let found = recover_at(dir.path()).unwrap();
    let is_copy = |repair: &Repair| matches!(repair, Repair::Copy { .. });
    assert!(!found.repairs.iter().any(is_copy));
}
