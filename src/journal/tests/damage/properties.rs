//! Any newest segment is made sound, and for good.

use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Recovery accepts any lines in the newest segment, and any end of it. It keeps the good ones,
    /// and a second recovery finds nothing to repair.
    #[test]
    fn any_bytes_are_made_sound(
        good in 0_u64..6,
        soup in prop_oneof![0..5_usize, 0..200_usize].prop_flat_map(|length| {
            let byte = prop_oneof![any::<u8>(), Just(b'\n'), Just(b'{'), Just(b'0')];
            proptest::collection::vec(byte, length)
        }),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let dir = TempDir::new().unwrap();
        runtime.block_on(write_games(dir.path(), 1, 2));
        if good > 0 {
            let (journal, writer) = open_on(dir.path(), Quick::default());
            runtime.block_on(async {
                journal.recover(&board()).await.unwrap();
                for n in 0..good {
                    journal.append(entry(3 + n, n == 0)).await.unwrap();
                }
            });
            drop(journal);
            writer.join().unwrap();
        }
        let path = segment_path(dir.path(), 3);
        let mut bytes = fs::read(&path).unwrap_or_default();
        bytes.extend_from_slice(&soup);
        fs::write(&path, &bytes).unwrap();
        let found = recover_at(dir.path()).unwrap();
        prop_assert!(found.last_seq.get() >= 2 + good);
        if good > 0 {
            prop_assert_eq!(numbers(&found.entries), (3..3 + good).collect::<Vec<_>>());
        }
        let again = recover_at(dir.path()).unwrap();
        prop_assert_eq!(&again.repairs, &[]);
        prop_assert_eq!((again.last_seq.get(), again.entries), (found.last_seq.get(), found.entries));
    }

    /// The newest segment is made of lines that the daemon writes, some of them twice, out of order,
    /// damaged or without their LF. No number in it is given again, no file with an entry is
    /// removed, and a second recovery finds nothing to repair.
    #[test]
    fn lines_in_any_order_are_made_sound(
        pieces in proptest::collection::vec((0_usize..9, 0_u8..5), 0..7),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let dir = TempDir::new().unwrap();
        runtime.block_on(write_games(dir.path(), 1, 2));
        runtime.block_on(write_games(dir.path(), 1, 4));
        let path = segment_path(dir.path(), 3);
        let whole = fs::read(&path).unwrap();
        let mut lines: Vec<Vec<u8>> = segment::Lines::of(&whole).map(<[u8]>::to_vec).collect();
        // A line that retires no number, as a program of somebody else may write it.
        let mut none = Vec::new();
        line::encode(
            format!(r#"{{"lost":{{"from":3,"to":2,"file":""}},"chain":"{}"}}"#, ChainLink::NONE)
                .as_bytes(),
            &mut none,
        );
        none.pop();
        let mut retired = Vec::new();
        let numbers = RetiredNumbers {
            from: EntrySeq::new(3),
            to: EntrySeq::new(8),
            file: String::new(),
            cause: None,
        };
        line::encode_lost(&numbers, ChainLink::NONE, &mut retired).unwrap();
        retired.pop();
        lines.extend([none, retired, b"x".to_vec(), Vec::new()]);
        let mut bytes = Vec::new();
        for (index, damage) in pieces {
            let mut line = lines[index].clone();
            match (damage, line.len()) {
                (1, length @ 1..) => line[3 % length] ^= 1,
                (2, length) => line.truncate(length / 2),
                _ => {}
            }
            bytes.append(&mut line);
            match damage {
                3 => {}
                4 => bytes.push(0x0b),
                _ => bytes.push(b'\n'),
            }
        }
        fs::write(&path, &bytes).unwrap();
        let finished = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let has_entry = bytes[..finished].windows(7).any(|at| at == br#"{"seq":"#);
        let highest = segment::Lines::of(&bytes)
            .filter_map(line::record)
            .map(|sealed| sealed.record.numbers().1.get())
            .max();

        let found = recover_at(dir.path()).unwrap();
        prop_assert!(found.last_seq.get() >= highest.unwrap_or(2), "{:?}", found.last_seq);
        prop_assert!(path.exists() || !has_entry, "{:?}", found.repairs);
        let again = recover_at(dir.path()).unwrap();
        prop_assert_eq!(&again.repairs, &[]);
        prop_assert_eq!(
            (again.last_seq.get(), again.entries, again.lost),
            (found.last_seq.get(), found.entries, found.lost)
        );
    }
}
