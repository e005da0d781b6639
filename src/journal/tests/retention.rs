//! Removal of games beyond their retention time.

use jiff::Timestamp;

use super::*;

const DAY: i64 = 86_400;

/// 1 January 2026, 00:00 UTC.
const FIRST: i64 = 1_767_225_600;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(FIRST + day * DAY).unwrap()
}

fn expired(before: Timestamp, now: Timestamp) -> Expired {
    Expired {
        before,
        now,
        confirmed: None,
    }
}

/// Four games of three entries each, one game a day from the first day on.
async fn four_games(directory: &Path) -> (Journal, JoinHandle<()>) {
    let (journal, writer) = open_on(directory, Quick::default());
    let mut seq = journal.recover(&board()).await.unwrap().last_seq.get();
    for day in 1..=4 {
        for n in 0..3 {
            seq += 1;
            let body = format!("{{\"time\":\"{}\",\"n\":{n}}}", at(day));
            let entry = Append {
                board: board(),
                seq: EntrySeq::new(seq),
                body: body.into(),
                begins_segment: n == 0,
            };
            journal.append(entry).await.unwrap();
        }
    }
    (journal, writer)
}

fn names(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory.join("b1")).unwrap();
    let name = |file: io::Result<fs::DirEntry>| file.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = files.map(name).collect();
    names.sort();
    names
}

fn verified(directory: &Path) -> Verified {
    Reader::new(directory).verify(&board()).unwrap()
}

#[tokio::test]
async fn what_is_old_goes_and_the_chain_of_what_stays_is_whole() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, writer) = four_games(directory.path()).await;
    let raw = directory.path().join("b1/000000000004-1.raw");
    fs::write(&raw, "").unwrap();
    let link = verified(directory.path()).link;
    let nothing = journal
        .remove_older(&board(), &expired(at(1), at(9)))
        .unwrap();
    assert_eq!(nothing, Retained::default());

    let retained = journal
        .remove_older(&board(), &expired(at(3), at(9)))
        .unwrap();
    assert_eq!(
        retained.removed,
        [1, 4].map(|first| segment_path(directory.path(), first))
    );
    assert_eq!(retained.kept, []);
    let left = ["000000000007.jsonl", "000000000010.jsonl"];
    let notes = ["record.json", "removed.json"];
    assert_eq!(names(directory.path()), [left, notes].concat());
    let found = verified(directory.path());
    assert_eq!(
        (found.first_break(), found.entries, found.link),
        (None, 6, link)
    );
    let removed = FindingKind::Removed {
        through: EntrySeq::new(6),
        time: "2026-01-10T00:00:00.000Z".to_owned(),
    };
    assert_eq!(found.findings[0].what, removed);
    assert!(
        found.findings[0]
            .to_string()
            .contains("up to 6 were removed")
    );

    // The newest game stays, however old it is, and the record continues.
    journal
        .remove_older(&board(), &expired(at(400), at(400)))
        .unwrap();
    assert_eq!(
        names(directory.path()),
        ["000000000010.jsonl", "record.json", "removed.json"]
    );
    drop(journal);
    writer.join().unwrap();
    let after = write_games(directory.path(), 1, 2).await;
    assert_eq!(after, 14);
    let found = verified(directory.path());
    assert_eq!((found.first_break(), found.entries), (None, 5));
    assert!(matches!(
        found.findings[0].what,
        FindingKind::Removed { through, .. } if through == EntrySeq::new(9)
    ));
}

#[tokio::test]
async fn a_newer_file_of_another_record_leaves_our_newest_game_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, writer) = four_games(directory.path()).await;
    drop(journal);
    writer.join().unwrap();
    let (journal, _writer) = open_on(directory.path(), Quick::default());
    journal.recover(&board()).await.unwrap();
    // It comes while the daemon runs, and before the next entry.
    let session = DaemonSession {
        id: "elsewhere".to_owned(),
        ..session()
    };
    let other = contradiction::other_record_in(session, 5, 3).await;
    let foreign = segment_path(directory.path(), 13);
    fs::copy(segment_path(other.path(), 13), &foreign).unwrap();
    let retained = journal
        .remove_older(&board(), &expired(at(400), at(400)))
        .unwrap();
    assert_eq!(retained.removed.len(), 3);
    assert!(segment_path(directory.path(), 10).exists() && foreign.exists());
}

#[tokio::test]
async fn what_somebody_else_has_removed_is_distinguished() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = four_games(directory.path()).await;
    journal
        .remove_older(&board(), &expired(at(2), at(9)))
        .unwrap();
    let whole = verified(directory.path());
    assert_eq!(whole.first_break(), None);

    fs::remove_file(segment_path(directory.path(), 4)).unwrap();
    let found = verified(directory.path());
    let missing = FindingKind::Missing {
        due: EntrySeq::new(4),
        found: EntrySeq::new(7),
    };
    assert_eq!(found.first_break().unwrap().what, missing);

    // A note that matches the numbers but not the chain.
    let note = directory.path().join("b1/removed.json");
    let text = fs::read_to_string(&note).unwrap();
    fs::write(&note, text.replace("\"through\":3", "\"through\":6")).unwrap();
    let found = verified(directory.path());
    assert_eq!(found.first_break().unwrap().what, FindingKind::OtherBefore);
    fs::write(&note, "[]").unwrap();
    assert!(Reader::new(directory.path()).verify(&board()).is_err());
}

#[tokio::test]
async fn what_is_damaged_stays_and_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = four_games(directory.path()).await;
    let aside = directory.path().join("b1/000000000001.jsonl.damaged");
    fs::write(&aside, "").unwrap();
    let second = segment_path(directory.path(), 4);
    let mut bytes = fs::read(&second).unwrap();
    let end = bytes.len() - 20;
    bytes[end] ^= 1;
    fs::write(&second, &bytes).unwrap();
    let retained = journal
        .remove_older(&board(), &expired(at(400), at(400)))
        .unwrap();
    assert_eq!(retained.removed, [segment_path(directory.path(), 1)]);
    let kept: Vec<_> = retained.kept.iter().map(|(file, _)| file.clone()).collect();
    assert_eq!(kept, [second.clone(), aside.clone()]);
    assert!(aside.exists() && second.exists());
}

/// A game with one entry per body.
async fn game(journal: &Journal, seq: &mut u64, bodies: &[String]) {
    for (n, body) in bodies.iter().enumerate() {
        *seq += 1;
        let entry = Append {
            board: board(),
            seq: EntrySeq::new(*seq),
            body: body.clone().into(),
            begins_segment: n == 0,
        };
        journal.append(entry).await.unwrap();
    }
}

fn moment(time: Timestamp, monotonic_ms: i64) -> String {
    moment_of("s2", time, monotonic_ms)
}

fn moment_of(session: &str, time: Timestamp, monotonic_ms: i64) -> String {
    format!("{{\"session\":\"{session}\",\"time\":\"{time}\",\"monotonic_ms\":{monotonic_ms}}}")
}

#[tokio::test]
async fn a_game_played_under_a_wrong_date_is_as_old_as_the_next_one_says() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _writer) = open_on(directory.path(), Quick::default());
    let mut seq = journal.recover(&board()).await.unwrap().last_seq.get();
    // One session with last month's date, then another that learns the right date.
    game(
        &journal,
        &mut seq,
        &[moment_of("s1", at(2), 9 * DAY * 1000)],
    )
    .await;
    game(
        &journal,
        &mut seq,
        &[moment(at(10), 1_000), moment(at(10), 2_000)],
    )
    .await;
    game(
        &journal,
        &mut seq,
        &[moment(at(10), 3_000), moment(at(40), 4_000)],
    )
    .await;
    game(&journal, &mut seq, &[moment(at(41), DAY * 1000)]).await;
    // The time between the two sessions is unknown.
    let retained = (journal.remove_older(&board(), &expired(at(11), at(41)))).unwrap();
    assert_eq!(retained, Retained::default());
    let later = (journal.remove_older(&board(), &expired(at(41), at(71)))).unwrap();
    assert_eq!(
        later.removed,
        [1, 2, 4].map(|first| segment_path(directory.path(), first))
    );
}

#[tokio::test]
async fn what_the_broker_has_not_confirmed_and_what_is_of_the_future_stays_and_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _writer) = four_games(directory.path()).await;
    let confirmed_up_to = |last: u64| Expired {
        confirmed: Some(EntrySeq::new(last)),
        ..expired(at(400), at(401))
    };
    let retained = journal.remove_older(&board(), &confirmed_up_to(4)).unwrap();
    assert_eq!(retained.removed, [segment_path(directory.path(), 1)]);
    let why = "the broker has not received all of it";
    assert_eq!(retained.kept, [(segment_path(directory.path(), 4), why)]);

    let early = expired(at(1), at(1));
    let retained = journal.remove_older(&board(), &early).unwrap();
    assert!(retained.kept[0].1.contains("in the future"), "{retained:?}");
    let retained = journal.remove_older(&board(), &confirmed_up_to(6)).unwrap();
    assert_eq!(retained.removed, [segment_path(directory.path(), 4)]);
}

#[tokio::test]
async fn a_game_without_any_date_stays_and_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _writer) = open_on(directory.path(), Quick::default());
    let mut seq = journal.recover(&board()).await.unwrap().last_seq.get();
    let unset = Timestamp::from_second(60).unwrap();
    game(&journal, &mut seq, &[moment(unset, 1_000)]).await;
    game(&journal, &mut seq, &[moment(at(1), 10)]).await;
    let retained = journal
        .remove_older(&board(), &expired(at(400), at(400)))
        .unwrap();
    assert_eq!(retained.removed, [] as [PathBuf; 0]);
    assert!(
        retained.kept[0].1.contains("clock was not set"),
        "{retained:?}"
    );
}

#[tokio::test]
async fn a_game_whose_entries_cannot_be_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::default());
    clock.advance(u64::try_from(at(1).as_millisecond()).unwrap());
    let (journal, _writer) = Journal::open_on(
        directory.path(),
        session(),
        clock,
        Box::new(Quick::default()),
    )
    .unwrap();
    let mut seq = journal.recover(&board()).await.unwrap().last_seq.get();
    game(&journal, &mut seq, &[moment(at(1), 1)]).await;
    game(&journal, &mut seq, &[moment(at(2), 2)]).await;
    let first = segment_path(directory.path(), 1);
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, text.replace("monotonic_ms", "monotonic_xx")).unwrap();
    let retained = journal
        .remove_older(&board(), &expired(at(400), at(400)))
        .unwrap();
    assert_eq!(retained.kept, [(first, "a line of it is damaged")]);

    // A file that a full disk left blank is not a game: the one before it is the newest.
    let blank = segment_path(directory.path(), 3);
    fs::write(&blank, "").unwrap();
    let retained = journal
        .remove_older(&board(), &expired(at(400), at(400)))
        .unwrap();
    assert_eq!(retained.removed, [] as [PathBuf; 0]);
}
