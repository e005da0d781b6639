//! Damage to single lines of a segment.

use super::*;

/// Recovers a game of ten entries after `damage` was done to its lines, the header included. It
/// checks that a second recovery keeps the same entries, and that the record verifies.
async fn recovered_after(damage: impl FnOnce(&mut Vec<Vec<u8>>)) -> (Vec<u64>, Vec<(u64, u64)>) {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 1, 10).await;
    let path = segment_path(dir.path(), 1);
    let whole = fs::read(&path).unwrap();
    let mut lines: Vec<Vec<u8>> = segment::Lines::of(&whole).map(<[u8]>::to_vec).collect();
    damage(&mut lines);
    fs::write(&path, [lines.join(&b'\n'), b"\n".to_vec()].concat()).unwrap();
    let found = recover_at(dir.path()).unwrap();
    assert!(!found.repairs.is_empty(), "reported");
    let again = recover_at(dir.path()).unwrap();
    assert_eq!(again.repairs, [], "repaired for good");
    assert_eq!((&again.entries, &again.lost), (&found.entries, &found.lost));
    assert!(found.last_seq.get() >= 10, "no number is given twice");
    let verified = Reader::new(dir.path()).verify(&board()).unwrap();
    assert_eq!(verified.first_break(), None);
    let lost = found
        .lost
        .iter()
        .map(|lost| (lost.from.get(), lost.to.get()));
    (numbers(&found.entries), lost.collect())
}

#[tokio::test]
async fn a_flipped_bit_in_the_middle_loses_one_entry() {
    let flip = |lines: &mut Vec<Vec<u8>>| {
        let at = lines[4].len() - 4;
        lines[4][at] ^= 1;
    };
    let (kept, lost) = recovered_after(flip).await;
    assert_eq!(
        (kept, lost),
        (vec![1, 2, 3, 5, 6, 7, 8, 9, 10], vec![(4, 4)])
    );
}

#[tokio::test]
async fn two_flipped_bits_lose_two_entries() {
    for (one, other) in [(4, 5), (4, 8), (1, 10)] {
        let flips = |lines: &mut Vec<Vec<u8>>| {
            for line in [one, other] {
                let at = lines[line].len() - 4;
                lines[line][at] ^= 1;
            }
        };
        let (kept, lost) = recovered_after(flips).await;
        let count: u64 = lost.iter().map(|(from, to)| to - from + 1).sum();
        assert_eq!((kept.len(), count), (8, 2), "{one} and {other}: {lost:?}");
    }
}

#[tokio::test]
async fn an_entry_whose_checksum_number_or_link_was_hit_is_proved_by_the_line_behind_it() {
    for at in [0, 8, 15, 40, 60] {
        let flip = |lines: &mut Vec<Vec<u8>>| lines[4][at] ^= 1;
        let (kept, lost) = recovered_after(flip).await;
        assert_eq!((kept.len(), lost), (10, vec![]), "byte {at}");
    }
}

#[tokio::test]
async fn numbers_that_a_damaged_last_line_states_are_not_given_again() {
    let numbers = RetiredNumbers {
        from: EntrySeq::new(11),
        to: EntrySeq::new(20),
        file: String::new(),
        cause: None,
    };
    let mut retired = Vec::new();
    line::encode_lost(&numbers, ChainLink::NONE, &mut retired).unwrap();
    retired.pop();
    let flip = |line: &mut Vec<u8>| {
        let at = line.len() - 4;
        line[at] ^= 1;
    };
    let (_, lost) = recovered_after(|lines| {
        flip(&mut retired);
        lines.push(retired);
    })
    .await;
    assert_eq!(lost, [(11, 20)]);
    let (_, lost) = recovered_after(|lines| {
        lines.drain(5..10);
        flip(&mut lines[5]);
    })
    .await;
    assert_eq!(lost, [(5, 10)]);
}

#[tokio::test]
async fn a_line_that_is_too_long_is_repaired_for_good() {
    let (kept, lost) = recovered_after(|lines| {
        let mut before = line::record(&lines[3]).unwrap().link;
        let body = format!(r#"{{"n":"{}"}}"#, "x".repeat(MAX_LINE));
        for (seq, body) in [(4, body.into()), (5, super::body(5))] {
            let mut line = Vec::new();
            before = line::encode_entry(EntrySeq::new(seq), &body, before, &mut line);
            line.pop();
            lines[usize::try_from(seq).unwrap()] = line;
        }
    })
    .await;
    assert_eq!((kept.first(), lost.first()), (Some(&1), Some(&(4, 4))));
}

#[tokio::test]
async fn a_block_of_zeros_loses_what_it_covers_and_the_line_that_nothing_proves() {
    // From the middle of entry 3 to the middle of entry 5, line feeds included: one line.
    let zeros = |lines: &mut Vec<Vec<u8>>| {
        let (begin, end) = (lines[3].len() / 2, lines[5].len() / 2);
        let mut torn = lines[3][..begin].to_vec();
        torn.extend(vec![0; lines[3].len() - begin + lines[4].len() + end]);
        torn.extend_from_slice(&lines[5][end..]);
        lines.splice(3..6, [torn]);
    };
    let (kept, lost) = recovered_after(zeros).await;
    assert_eq!((kept, lost), (vec![1, 2, 7, 8, 9, 10], vec![(3, 6)]));
}

#[tokio::test]
async fn a_line_that_was_taken_out_or_changed_by_hand_takes_no_proved_line_with_it() {
    let taken_out = |lines: &mut Vec<Vec<u8>>| drop(lines.remove(4));
    // The predecessor of entry 5 is unknown, so entry 5 is lost as well.
    let (kept, lost) = recovered_after(taken_out).await;
    assert_eq!((kept, lost), (vec![1, 2, 3, 6, 7, 8, 9, 10], vec![(4, 5)]));

    let forged = |lines: &mut Vec<Vec<u8>>| {
        let text = str::from_utf8(&lines[4][9..])
            .unwrap()
            .replace("\"n\":4", "\"n\":9");
        let mut line = Vec::new();
        line::encode(text.as_bytes(), &mut line);
        line.pop();
        lines[4] = line;
    };
    let (kept, lost) = recovered_after(forged).await;
    assert_eq!(
        (kept, lost),
        (vec![1, 2, 3, 5, 6, 7, 8, 9, 10], vec![(4, 4)])
    );
}

#[tokio::test]
async fn a_line_that_stands_twice_in_the_middle_loses_nothing() {
    let twice = |lines: &mut Vec<Vec<u8>>| {
        let again = lines[3].clone();
        lines.insert(6, again);
    };
    let (kept, lost) = recovered_after(twice).await;
    assert_eq!((kept.len(), lost), (10, vec![]));
}

#[tokio::test]
async fn a_file_that_is_cut_in_a_line_and_continued_loses_no_proved_line() {
    let cut = |lines: &mut Vec<Vec<u8>>| lines[4].truncate(30);
    let (kept, lost) = recovered_after(cut).await;
    assert_eq!((kept, lost), (vec![1, 2, 3, 6, 7, 8, 9, 10], vec![(4, 5)]));
}
