//! Records from before there were ids, and ids that nothing proves.

use super::*;

#[tokio::test]
async fn a_record_from_before_is_read_bit_by_bit_and_its_next_segment_has_an_id() {
    let dir = old_record().await;
    let files: Vec<_> = [1, 5, 9]
        .map(|first| segment_path(dir.path(), first))
        .into();
    let before: Vec<_> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(breaks(&dir), []);
    let found = started(&dir).await;
    assert_eq!(numbers(&found.entries), [9, 10, 11, 12]);
    assert_eq!((found.repairs, found.other_record), (vec![], vec![]));
    let id = filed(&dir);
    assert!(id.is_some(), "from now on another record is recognised");
    write_games(dir.path(), 1, 4).await;
    assert_eq!(ids(&dir), [None, None, None, id]);
    let after: Vec<_> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    assert_eq!(after, before);
    assert_eq!(breaks(&dir), []);
}

#[tokio::test]
async fn what_contradicts_a_record_from_before_is_named_as_before() {
    for (games, length, first, is_newest) in [(4, 4, 13, true), (6, 2, 7, false)] {
        let dir = old_record().await;
        let other = other_record_in(elsewhere(), games, length).await;
        strip_ids(&other, ..);
        copy(&other, &dir, first);
        let found = started(&dir).await;
        let named = found.contradictions.unwrap();
        assert_eq!(named.len(), 1);
        assert_eq!(
            (named[0].first.get(), named[0].is_newest),
            (first, is_newest)
        );
        assert_eq!(found.other_record, []);
        assert!(segment_path(dir.path(), first).exists());
    }
}

#[tokio::test]
async fn a_missing_or_damaged_file_is_written_again_if_the_chain_proves_the_id() {
    let harms: [&dyn Fn(&Path); 2] = [&|path| fs::remove_file(path).unwrap(), &|path| {
        fs::write(path, "{\"schema\":").unwrap();
    }];
    for harm in harms {
        // All have ids; only the last has one; the first is gone; another record lies beside it.
        for case in 0..4 {
            let dir = match case {
                1 => {
                    let dir = old_record().await;
                    write_games(dir.path(), 1, 4).await;
                    dir
                }
                _ => own_record().await,
            };
            let id = filed(&dir);
            match case {
                2 => fs::remove_file(segment_path(dir.path(), 1)).unwrap(),
                3 => copy(&other_record_in(elsewhere(), 4, 4).await, &dir, 13),
                _ => {}
            }
            let file = path_of(&dir, "record.json");
            harm(&file);
            let is_there = file.exists();
            let named = FindingKind::Identity { proved: id };
            assert!(
                breaks(&dir).iter().any(|(_, what)| *what == named),
                "{case}"
            );
            let found = started(&dir).await;
            assert_eq!(filed(&dir), id, "{case}");
            assert_eq!(found.other_record.len(), usize::from(case == 3));
            assert_eq!(path_of(&dir, "record.json.damaged").exists(), is_there);
        }
    }
}

#[tokio::test]
async fn a_foreign_newest_file_cannot_claim_to_be_the_record() {
    let other = other_record_in(elsewhere(), 6, 4).await;
    // Into a record from before that no start has given an id yet.
    for first in [13, 21] {
        let dir = old_record().await;
        copy(&other, &dir, first);
        let found = started(&dir).await;
        assert_eq!(filed(&dir), None, "nothing proves the id");
        assert_eq!(found.other_record, [], "nor that the file is another's");
        write_games(dir.path(), 1, 4).await;
        assert_eq!(ids(&dir).last(), Some(&None));
        assert_eq!(filed(&dir), None);
    }
    // After the first start it is recognised.
    let dir = old_record().await;
    started(&dir).await;
    copy(&other, &dir, 13);
    assert_eq!(started(&dir).await.other_record.len(), 1);
}

#[tokio::test]
async fn two_ids_of_which_none_is_proved_contradict_each_other() {
    let dir = own_record().await;
    let other = other_record_in(elsewhere(), 6, 4).await;
    copy(&other, &dir, 21);
    fs::remove_file(segment_path(dir.path(), 1)).unwrap();
    fs::remove_file(path_of(&dir, "record.json")).unwrap();
    let found = started(&dir).await;
    assert_eq!(found.other_record, []);
    let named = found.contradictions.unwrap();
    assert_eq!((named.len(), named[0].first.get()), (1, 21));
    assert!(segment_path(dir.path(), 21).exists());
    assert_eq!(filed(&dir), None);
    let proved = None;
    assert!((breaks(&dir).iter()).any(|(_, what)| *what == FindingKind::Identity { proved }));
}

#[tokio::test]
async fn a_damaged_file_without_any_header_that_has_an_id_proves_nothing() {
    let dir = old_record().await;
    fs::write(path_of(&dir, "record.json"), "").unwrap();
    started(&dir).await;
    assert_eq!(filed(&dir), None);
    write_games(dir.path(), 1, 4).await;
    assert_eq!(ids(&dir), [None; 4]);
}

#[tokio::test]
async fn a_repaired_header_has_the_id_only_if_it_is_proved() {
    let whole = own_record().await;
    let id = filed(&whole);
    let path = segment_path(whole.path(), 9);
    let bytes = fs::read(&path).unwrap();
    let header = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let mut proved = 0;
    for at in 0..header {
        let dir = copied(&whole);
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(segment_path(dir.path(), 9), damaged).unwrap();
        let found = recover_at(dir.path()).unwrap();
        assert_eq!(numbers(&found.entries), [9, 10, 11, 12], "{at}");
        let repaired = header_of(&segment_path(dir.path(), 9));
        assert!(repaired.repaired.is_some(), "{at}");
        let is_proved = at < 9;
        assert_eq!(repaired.record, id.filter(|_| is_proved), "{at}");
        proved += usize::from(is_proved);
        if at % 16 == 0 {
            assert_eq!(write_games(dir.path(), 1, 4).await, 16);
            assert_eq!(ids(&dir)[3], id, "{at}");
            fs::remove_file(path_of(&dir, "record.json")).unwrap();
            let again = started(&dir).await;
            assert_eq!((filed(&dir), again.other_record), (id, vec![]), "{at}");
        }
    }
    assert_eq!(proved, 9, "a wrong checksum or space");
}
