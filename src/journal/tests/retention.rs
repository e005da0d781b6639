//! Games that are older than somebody wants to keep.

use super::*;

const DAY: i64 = 86_400;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(day * DAY).unwrap()
}

/// Four games of three entries, one a day from the first on.
async fn four_games(directory: &Path) -> (Journal, JoinHandle<()>) {
    let (journal, writer) = open_on(directory, Quick::default());
    let mut seq = journal.recover(&board()).await.unwrap().last_seq;
    for day in 1..=4 {
        for n in 0..3 {
            seq += 1;
            let body = format!("{{\"time\":\"{}\",\"n\":{n}}}", at(day));
            let entry = Append {
                board: board(),
                seq,
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
    let nothing = journal.remove_older(&board(), at(1), at(9)).unwrap();
    assert_eq!(nothing, Retained::default());

    let retained = journal.remove_older(&board(), at(3), at(9)).unwrap();
    assert_eq!(
        retained.removed,
        [1, 4].map(|first| segment_path(directory.path(), first))
    );
    assert_eq!(retained.kept, []);
    let left = ["000000000007.jsonl", "000000000010.jsonl", "removed.json"];
    assert_eq!(names(directory.path()), left);
    let found = verified(directory.path());
    assert_eq!(
        (found.first_break(), found.entries, found.link),
        (None, 6, link)
    );
    let removed = Found::Removed {
        through: 6,
        time: "1970-01-10T00:00:00.000Z".to_owned(),
    };
    assert_eq!(found.findings[0].what, removed);
    assert!(
        found.findings[0]
            .to_string()
            .contains("up to 6 were removed")
    );

    // The newest stays, however old it is; and the record goes on.
    journal.remove_older(&board(), at(400), at(400)).unwrap();
    assert_eq!(
        names(directory.path()),
        ["000000000010.jsonl", "removed.json"]
    );
    drop(journal);
    writer.join().unwrap();
    let after = write_games(directory.path(), 1, 2).await;
    assert_eq!(after, 14);
    let found = verified(directory.path());
    assert_eq!((found.first_break(), found.entries), (None, 5));
    assert!(matches!(
        found.findings[0].what,
        Found::Removed { through: 9, .. }
    ));
}

#[tokio::test]
async fn what_somebody_else_has_removed_is_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, _) = four_games(directory.path()).await;
    journal.remove_older(&board(), at(2), at(9)).unwrap();
    let whole = verified(directory.path());
    assert_eq!(whole.first_break(), None);

    fs::remove_file(segment_path(directory.path(), 4)).unwrap();
    let found = verified(directory.path());
    let missing = Found::Missing { due: 4, found: 7 };
    assert_eq!(found.first_break().unwrap().what, missing);

    // A note that fits the numbers, and not the chain.
    let note = directory.path().join("b1/removed.json");
    let text = fs::read_to_string(&note).unwrap();
    fs::write(&note, text.replace("\"through\":3", "\"through\":6")).unwrap();
    let found = verified(directory.path());
    assert_eq!(found.first_break().unwrap().what, Found::OtherBefore);
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
    let retained = journal.remove_older(&board(), at(400), at(400)).unwrap();
    assert_eq!(retained.removed, [segment_path(directory.path(), 1)]);
    let kept: Vec<_> = retained.kept.iter().map(|(file, _)| file.clone()).collect();
    assert_eq!(kept, [second.clone(), aside.clone()]);
    assert!(aside.exists() && second.exists());
}
