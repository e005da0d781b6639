//! The chain reveals changes, omissions and additions.

use super::*;

fn verify(directory: &Path) -> Verified {
    Reader::new(directory).verify(&board()).unwrap()
}

/// Rewrites one line of a segment with a correct checksum, as a forger who knows the format would.
fn forge(directory: &Path, first: u64, line: usize, forged: impl Fn(&str) -> Option<String>) {
    let path = segment_path(directory, first);
    let text = fs::read_to_string(&path).unwrap();
    let mut bytes = Vec::new();
    for (index, old) in text.lines().enumerate() {
        let json = &old[9..];
        let json = if index + 1 == line {
            forged(json)
        } else {
            Some(json.to_owned())
        };
        if let Some(json) = json {
            line::encode(json.as_bytes(), &mut bytes);
        }
    }
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_sound_record_is_verified_whole() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 3, 4).await;
    let verified = verify(dir.path());
    assert_eq!(verified.findings, []);
    assert_eq!(
        (verified.segments, verified.entries, verified.last_seq.get()),
        (3, 12, 12)
    );
    // The last link seals everything: a different record has a different link.
    let other = TempDir::new().unwrap();
    write_games(other.path(), 3, 5).await;
    assert_ne!(verify(other.path()).link, verified.link);
}

type Forgery = dyn Fn(&str) -> Option<String>;

#[tokio::test]
async fn the_first_broken_link_is_named() {
    let changed = |json: &str| Some(json.replace("\"text\":\"", "\"text\":\"z"));
    let dropped = |_: &str| None;
    let forgeries: [(u64, usize, &Forgery, usize, &str); 4] = [
        (5, 3, &changed, 3, "not sealed"),
        (5, 5, &dropped, 1, "entry 8 is due"),
        (5, 3, &dropped, 3, "does not follow"),
        (
            1,
            1,
            &|json| Some(json.replace("\"s\"", "\"t\"")),
            2,
            "not sealed",
        ),
    ];
    for (first, line, forgery, named, reason) in forgeries {
        let dir = TempDir::new().unwrap();
        write_games(dir.path(), 3, 4).await;
        forge(dir.path(), first, line, forgery);
        let verified = verify(dir.path());
        let found = verified.first_break().unwrap();
        assert_eq!(found.line, named, "{found}");
        assert!(found.to_string().contains(reason), "{found}");
    }
}

/// A forger who changes an entry and reseals the rest of its file is exposed by the next file.
#[tokio::test]
async fn a_file_that_was_sealed_anew_does_not_fit_the_next_one() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    let path = segment_path(dir.path(), 1);
    let text = fs::read_to_string(&path).unwrap();
    let header = &text.lines().next().unwrap()[9..];
    let mut bytes = Vec::new();
    line::encode(header.as_bytes(), &mut bytes);
    let mut link = ChainLink::of_header(header.as_bytes());
    for seq in 1..=3 {
        let forged = format!(r#"{{"n":{seq}}}"#);
        link = line::encode_entry(EntrySeq::new(seq), forged.as_bytes(), link, &mut bytes);
    }
    fs::write(&path, bytes).unwrap();
    let verified = verify(dir.path());
    let found = verified.first_break().unwrap();
    assert_eq!(
        (found.file.as_str(), &found.what),
        ("000000000004.jsonl", &FindingKind::OtherBefore)
    );
}

#[tokio::test]
async fn an_entry_that_was_changed_is_not_believed_at_a_restart_and_those_behind_it_are() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 4).await;
    forge(dir.path(), 1, 4, |json| {
        Some(json.replace("\"n\":3", "\"n\":9"))
    });
    let found = recover_at(dir.path()).unwrap();
    assert_eq!(
        (numbers(&found.entries), found.last_seq.get()),
        (vec![1, 2, 4], 4)
    );
    let verified = verify(dir.path());
    assert_eq!(verified.first_break(), None, "the repair has reported it");
    assert!(matches!(verified.findings[0].what, FindingKind::Lost(_)));
}

#[tokio::test]
async fn a_header_that_was_repaired_keeps_the_chain_of_what_follows() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    let path = segment_path(dir.path(), 4);
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(
        verify(dir.path()).first_break().unwrap().what,
        FindingKind::Header
    );
    assert_eq!(write_games(dir.path(), 1, 3).await, 9);
    let verified = verify(dir.path());
    let original = "000000000004.jsonl.damaged".to_owned();
    let found: Vec<&FindingKind> = verified.findings.iter().map(|found| &found.what).collect();
    assert_eq!(found, [&FindingKind::Repaired { original }]);
}

#[tokio::test]
async fn what_is_being_written_is_no_break() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    let path = segment_path(dir.path(), 4);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    assert_eq!(verify(dir.path()).first_break(), None);
    fs::write(segment_path(dir.path(), 7), "").unwrap();
    let found = verify(dir.path());
    assert!(matches!(
        found.first_break().unwrap().what,
        FindingKind::Unfinished { cut: true, .. }
    ));
}

#[tokio::test]
async fn a_record_whose_oldest_file_was_deleted_by_hand_is_broken() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    fs::remove_file(segment_path(dir.path(), 1)).unwrap();
    let verified = verify(dir.path());
    let missing = FindingKind::Missing {
        due: EntrySeq::new(1),
        found: EntrySeq::new(4),
    };
    assert_eq!(verified.first_break().unwrap().what, missing);
}
