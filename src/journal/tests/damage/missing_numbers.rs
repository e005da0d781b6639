//! Numbers that no file holds any more.

use super::*;

#[tokio::test]
async fn a_record_that_ends_before_a_confirmed_number_is_cut_off() {
    for games in [1, 2] {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), games, 3).await;
        let last = 3 * games;
        let recover = || recover_given(dir.path(), last + 60).unwrap();
        let found = recover();
        assert_eq!(found.last_seq.get(), last + 60);
        assert_eq!(
            (found.lost[0].from.get(), found.lost[0].to.get()),
            (last + 1, last + 60)
        );
        let text = found.repairs[0].to_string();
        assert!(
            text.contains(&format!("entries {} to {}", last + 1, last + 60)),
            "{text}"
        );
        let again = recover();
        assert_eq!(
            (again.last_seq.get(), again.repairs),
            (last + 60, vec![]),
            "for good"
        );
        assert_eq!(again.lost, found.lost);
    }
}

#[tokio::test]
async fn numbers_that_are_in_no_file_are_known_at_the_start() {
    let missing = |dir: &TempDir| -> Vec<_> {
        let older = missing::in_older(&dir.path().join("b1")).unwrap();
        let ranges = older.missing.iter();
        ranges
            .map(|one| (one.from.get(), one.to.get(), one.segment.get(), one.left))
            .collect()
    };
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 4, 300).await;
    assert_eq!(missing(&dir), []);
    fs::write(segment_path(dir.path(), 301), "").unwrap();
    let empty = (301, 600, 301, SegmentRemains::Nothing);
    assert_eq!(missing(&dir), [empty]);
    fs::remove_file(segment_path(dir.path(), 301)).unwrap();
    let removed = (301, 600, 1, SegmentRemains::Unknown);
    assert_eq!(missing(&dir), [removed]);
    // The name of its raw data proves that it had a file.
    fs::write(dir.path().join("b1/000000000301-1.raw"), "").unwrap();
    assert_eq!(missing(&dir), [empty]);
    let path = segment_path(dir.path(), 601);
    let text = fs::read_to_string(&path).unwrap();
    let cut: String = text.split_inclusive('\n').take(11).collect();
    fs::write(&path, cut).unwrap();
    let cut = (611, 900, 601, SegmentRemains::Unknown);
    assert_eq!(missing(&dir), [empty, cut]);
    let torn: String = text.chars().take(2_000).collect();
    fs::write(&path, &torn).unwrap();
    let torn = missing(&dir)[1];
    assert_eq!((torn.2, torn.3), (601, SegmentRemains::Part));
    assert!(recover_at(dir.path()).unwrap().repairs.is_empty());
}

#[tokio::test]
async fn what_a_repair_has_retired_in_an_older_file_is_known_at_each_start() {
    let retired = |dir: &TempDir| -> Vec<_> {
        let older = missing::in_older(&dir.path().join("b1")).unwrap();
        let ranges = older.retired.iter();
        ranges
            .map(|one| (one.from.get(), one.to.get(), one.segment.get(), one.left))
            .collect()
    };
    // In the middle of a long file, far from its end.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 600).await;
    let path = segment_path(dir.path(), 601);
    let mut lines: Vec<_> = fs::read_to_string(&path)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    lines[7] = lines[7].replace("text", "tent");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    write_games(dir.path(), 1, 4).await;
    assert_eq!(retired(&dir), [(607, 607, 601, SegmentRemains::Around)]);

    // At the end of a file.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 300).await;
    let given = recover_given(dir.path(), 650).unwrap();
    assert_eq!(given.retired, [], "not of the newest file");
    write_games(dir.path(), 1, 4).await;
    assert_eq!(retired(&dir), [(601, 650, 301, SegmentRemains::Unknown)]);

    // A whole file.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    let path = segment_path(dir.path(), 4);
    let zeros = fs::read(&path).unwrap().into_iter();
    let zeros: Vec<u8> = zeros
        .map(|byte| if byte == b'\n' { byte } else { 0 })
        .collect();
    fs::write(&path, zeros).unwrap();
    write_games(dir.path(), 1, 4).await;
    let [(4, _, 4, SegmentRemains::Nothing)] = retired(&dir)[..] else {
        panic!("{:?}", retired(&dir));
    };
}

#[tokio::test]
async fn numbers_are_not_given_again_where_the_newest_files_are_gone() {
    // All files are gone.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 3).await;
    fs::remove_file(segment_path(dir.path(), 1)).unwrap();
    let found = recover_given(dir.path(), 3).unwrap();
    assert_eq!((found.last_seq.get(), found.lost[0].from.get()), (3, 1));
    // The newest file is gone; only its raw data shows that it existed.
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    fs::remove_file(segment_path(dir.path(), 4)).unwrap();
    fs::write(dir.path().join("b1/000000000004-1.raw"), "").unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert_eq!((found.last_seq.get(), found.lost[0].from.get()), (4, 4));
}

#[tokio::test]
async fn verify_names_what_others_know_of_and_the_record_does_not_hold() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    let mut verified = Reader::new(dir.path()).verify(&board()).unwrap();
    verified.compare_with(EntrySeq::new(6));
    assert_eq!(verified.findings, []);
    verified.compare_with(EntrySeq::new(66));
    let broken = verified.first_break().unwrap().to_string();
    assert!(
        broken.starts_with("000000000004.jsonl, line 4: "),
        "{broken}"
    );
    assert!(
        broken.contains("after entry 6") && broken.contains("up to 66"),
        "{broken}"
    );
}
