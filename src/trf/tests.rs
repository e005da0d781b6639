use proptest::prelude::*;

use super::*;

/// A player's line: its fields, and the rounds as `2w1`, `3b=`, `U`.
fn line(start: u16, name: &str, rounds: &[&str]) -> String {
    let mut text = format!(
        "001 {start:>4} m    {name:<33} 2{start:03} GER{:>12} 2000/01/01  0.0 {start:>4}",
        1000 + start
    );
    for round in rounds {
        let color = round.find(['w', 'b', '-']).unwrap_or(round.len());
        let (opponent, rest) = round.split_at(color);
        let cell = if rest.is_empty() {
            format!("  0000 - {opponent}")
        } else {
            let (color, code) = rest.split_at(1);
            format!("  {opponent:>4} {color} {code:1}")
        };
        text.push_str(&cell);
    }
    text
}

fn file(header: &str, players: &[(&str, &[&str])]) -> String {
    let lines = (1..)
        .zip(players)
        .map(|(start, (name, rounds))| line(start, name, rounds));
    let lines: Vec<String> = lines.collect();
    format!("{header}{}\n", lines.join("\n"))
}

fn read(text: &str) -> Report {
    Report::read(text.as_bytes()).unwrap()
}

fn order(report: &Report, through: u16) -> Vec<(u32, u16)> {
    let table = standings(&Published::of(report, through));
    table.rows.iter().map(|row| (row.rank, row.start)).collect()
}

fn values(report: &Report, start: u16) -> Vec<String> {
    let table = standings(&Published::of(report, report.rounds()));
    let row = table
        .rows
        .into_iter()
        .find(|row| row.start == start)
        .unwrap();
    let text = |value: Option<Points>| value.map_or_else(String::new, |value| value.to_string());
    row.tie_breaks.into_iter().map(text).collect()
}

#[test]
fn a_players_line_is_read_by_its_columns() {
    let text = "001   12 mGM  Müller,Jürgen                     2501 GER     4600001 1980/02/03  1.5    4     3 w 1  0000 - H\n";
    let report = Report::read(text.as_bytes()).unwrap();
    let player = report.player(12).unwrap();
    assert_eq!(
        (player.title.as_str(), player.name.as_str()),
        ("GM", "Müller,Jürgen")
    );
    assert_eq!(
        (player.rating, player.fide_id),
        (Some(2501), Some(4_600_001))
    );
    assert_eq!(player.cell(1).code, Some(Code::Win));
    assert_eq!(player.cell(1).opponent, Some(3));
    assert_eq!(
        player.cell(2),
        Cell {
            code: Some(Code::HalfPointBye),
            ..Cell::default()
        }
    );
    assert_eq!(player.cell(3), Cell::default());
}

#[test]
fn latin_1_and_every_kind_of_line_end_are_written_back() {
    for newline in ["\r\n", "\r", "\n"] {
        let text = file(
            "012 Köln\nXYZ what\n",
            &[("Müller, J", &["2w1"]), ("B", &["1b0"])],
        );
        let text = text.replace('\n', newline);
        assert_eq!(read(&text).write(), text.as_bytes());
        let (bytes, _, _) = encoding_rs::WINDOWS_1252.encode(&text);
        let report = Report::read(&bytes).unwrap();
        assert_eq!(report.players()[0].name, "Müller, J");
        assert_eq!(report.write(), bytes.as_ref());
        let marked = format!("\u{feff}{text}");
        assert_eq!(read(&marked).record("012"), Some("Köln"));
        assert_eq!(read(&marked).write(), marked.as_bytes());
    }
}

#[test]
fn errors_and_findings_name_line_and_column() {
    let error = |text: &str| Report::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error("012 A\n001  x   A\n"),
        "line 2, column 5: \"x\" is not a starting rank"
    );
    let twice = format!("{}\n{}\n", line(1, "A", &[]), line(1, "B", &[]));
    assert_eq!(
        error(&twice),
        "line 2, column 5: starting rank 1 is also that of line 1"
    );
    assert!(error("012 A\n").contains("no player"));
    assert!(error("").contains("no player"));
    let report = read(&file(
        "777 what\n",
        &[("A", &["2w?", "9wX"]), ("B", &["1b0"])],
    ));
    let found: Vec<(u64, usize)> = report
        .findings()
        .iter()
        .map(|f| (f.line, f.column))
        .collect();
    assert_eq!(found, [(1, 1), (2, 99), (2, 109), (2, 102)]);
    let text = String::from_utf8(report.write()).unwrap();
    assert!(
        text.contains("2 w ?") && text.starts_with("777 what\n"),
        "{text}"
    );
}

#[test]
fn every_code_has_one_worth_and_is_played_or_not() {
    let scoring = Scoring::default();
    let worth: Vec<(char, String, bool)> = "1=0WDL+-HFUZ"
        .chars()
        .map(|letter| {
            let code = Code::of(letter).unwrap();
            assert_eq!(code.letter(), letter);
            assert_eq!(Code::of(letter.to_ascii_lowercase()), Some(code));
            (letter, code.points(&scoring).to_string(), code.is_played())
        })
        .collect();
    let worth: Vec<(char, &str, bool)> = worth
        .iter()
        .map(|(letter, points, played)| (*letter, points.as_str(), *played))
        .collect();
    assert_eq!(
        worth,
        [
            ('1', "1", true),
            ('=', "0.5", true),
            ('0', "0", true),
            ('W', "1", true),
            ('D', "0.5", true),
            ('L', "0", true),
            ('+', "1", false),
            ('-', "0", false),
            ('H', "0.5", false),
            ('F', "1", false),
            ('U', "1", false),
            ('Z', "0", false),
        ]
    );
    assert_eq!(Code::of('X'), None);
}

#[test]
fn record_162_changes_what_results_are_worth() {
    let header = "162  W 3.0    D 1.0    L 0.0    P 1.0\n";
    let report = read(&file(header, &[("A", &["2w1", "U"]), ("B", &["1b0", "H"])]));
    assert_eq!(report.findings(), []);
    assert_eq!(report.score_before(1, 9).to_string(), "4");
    assert_eq!(report.score_before(2, 9).to_string(), "1");
}

/// Four players, three rounds, all games played. Player 1 has 2½ points, player 2 has 1½, player 3
/// has 2 and player 4 has none.
const FOUR: [(&str, &[&str]); 4] = [
    ("A", &["2w1", "3b=", "4w1"]),
    ("B", &["1b0", "4w1", "3b="]),
    ("C", &["4w1", "1w=", "2w="]),
    ("D", &["3b0", "2b0", "1b0"]),
];

#[test]
fn tie_breaks_are_those_of_c07_when_all_games_are_played() {
    let report = read(&file("202 BH, BH/C1, SB, WIN\n", &FOUR));
    assert_eq!(order(&report, 3), [(1, 1), (2, 3), (3, 2), (4, 4)]);
    // BH of 1: 1.5 + 2 + 0; cut 1 without the 0; SB: 1.5 + 0.5 * 2 + 0; two wins.
    assert_eq!(values(&report, 1), ["3.5", "3.5", "2.5", "2"]);
    // BH of 3: 0 + 2.5 + 1.5; SB: 0 + 1.25 + 0.75.
    assert_eq!(values(&report, 3), ["4", "4", "2", "1"]);
    assert_eq!(values(&report, 4), ["6", "4.5", "0", "0"]);
    let table = standings(&Published::of(&report, 3));
    assert!(table.rows.iter().all(|row| row.exact));
}

#[test]
fn direct_encounter_orders_who_has_met_and_splits_groups_again() {
    // 1, 2 and 3 have two points each and beat one another in a circle; 4 lost to all.
    let circle: [(&str, &[&str]); 4] = [
        ("A", &["2w1", "3b0", "4w1"]),
        ("B", &["1b0", "4w1", "3b1"]),
        ("C", &["4w1", "1w1", "2w0"]),
        ("D", &["3b0", "2b0", "1b0"]),
    ];
    let report = read(&file("202 DE\n", &circle));
    assert_eq!(order(&report, 3), [(1, 1), (1, 2), (1, 3), (4, 4)]);
    // 1 and 2 are tied, and 2 won.
    let pair: [(&str, &[&str]); 4] = [
        ("A", &["2w0", "3b1"]),
        ("B", &["1b1", "4w0"]),
        ("C", &["4w0", "1w0"]),
        ("D", &["3b1", "2b1"]),
    ];
    let report = read(&file("202 DE\n", &pair));
    assert_eq!(order(&report, 2), [(1, 4), (2, 2), (3, 1), (4, 3)]);
}

#[test]
fn direct_encounter_waits_for_missing_games_unless_they_cannot_matter() {
    // 1 beat 2 and 3, who have not met; each has two points.
    let players: [(&str, &[&str]); 6] = [
        ("A", &["2w1", "3b1", "4w0"]),
        ("B", &["1b0", "4w1", "5w1"]),
        ("C", &["5w1", "1w0", "6w1"]),
        ("D", &["6b0", "2b0", "1b1"]),
        ("E", &["3b0", "6b0", "2b0"]),
        ("F", &["4w1", "5w0", "3b0"]),
    ];
    let report = read(&file("202 DE\n", &players));
    let ranks = order(&report, 3);
    assert_eq!(&ranks[..3], [(1, 1), (2, 2), (2, 3)]);
}

#[test]
fn an_unplayed_round_marks_what_fide_would_adjust() {
    let players: [(&str, &[&str]); 3] = [
        ("A", &["2w1", "U"]),
        ("B", &["1b0", "3w1"]),
        ("C", &["U", "2b0"]),
    ];
    let report = read(&file("202 BH\n", &players));
    let table = standings(&Published::of(&report, 2));
    assert!(table.rows.iter().all(|row| !row.exact));
    assert_eq!(values(&report, 1), ["1"]);
}

#[test]
fn tie_breaks_that_are_not_computed_are_named() {
    let report = read(&file("212 PTS, BH/C1, ARO, DE\n", &FOUR));
    let table = standings(&Published::of(&report, 3));
    assert_eq!(
        table.tie_breaks,
        [TieBreak::BuchholzCut1, TieBreak::DirectEncounter]
    );
    assert_eq!(table.not_computed, ["ARO"]);
}

#[test]
fn what_the_file_says_about_later_rounds_changes_nothing() {
    let running = |codes: [&str; 2], more: &[&str]| {
        let first = ["2w1".to_owned(), format!("2b{}", codes[0])];
        let second = ["1b0".to_owned(), format!("1w{}", codes[1])];
        let rounds = |own: &[String; 2]| {
            let mut own: Vec<String> = own.to_vec();
            own.extend(more.iter().map(|&more| more.to_owned()));
            own
        };
        let (a, b) = (rounds(&first), rounds(&second));
        let a: Vec<&str> = a.iter().map(String::as_str).collect();
        let b: Vec<&str> = b.iter().map(String::as_str).collect();
        let mut text = line(1, "A", &a);
        text.push('\n');
        text.push_str(&line(2, "B", &b));
        // A program has already counted the running round.
        text.replace(" 0.0 ", " 2.0 ")
    };
    let hidden = Published::of(&read(&running(["", ""], &[])), 1);
    // The same codes count once their round is public.
    let table = standings(&Published::of(&read(&running(["1", "0"], &["U"])), 3));
    let points: Vec<String> = table
        .rows
        .iter()
        .map(|row| row.points.to_string())
        .collect();
    assert_eq!(
        (table.rounds, points),
        (3, vec!["3".to_owned(), "1".to_owned()])
    );
    let table = standings(&hidden);
    let points: Vec<String> = table
        .rows
        .iter()
        .map(|row| row.points.to_string())
        .collect();
    assert_eq!(
        (table.rounds, points),
        (1, vec!["1".to_owned(), "0".to_owned()])
    );
    assert!(table.rows.iter().all(|row| row.encounters.len() == 1));
    for letter in "1=0WDL+-HFUZ".chars() {
        let code = letter.to_string();
        for more in [&[][..], &["U"][..], &["Z"][..]] {
            let report = read(&running([&code, &code], more));
            let seen = Published::of(&report, 1);
            assert_eq!(seen, hidden, "{letter}");
            assert_eq!(standings(&seen), standings(&hidden), "{letter}");
        }
    }
}

#[test]
fn a_round_comes_from_the_file_or_from_the_public_and_never_from_both() {
    let report = read(&file("", &[("A", &["2w1"]), ("B", &["1b0"])]));
    let mut published = Published::of(&report, 1);
    assert_eq!(published.add(1, 1, 2, None), Err(AddError::FromFile(1)));
    assert_eq!(published.add(0, 1, 2, None), Err(AddError::Round(0)));
    assert_eq!(published.add(2, 1, 7, None), Err(AddError::Player(7)));
    published.add(2, 2, 1, None).unwrap();
    let before = standings(&published);
    assert_eq!(before.rows[0].points.to_string(), "1");
    assert_eq!(before.rows[0].encounters[1].unwrap().code, None);
    published.add(2, 2, 1, Some(Outcome::Draw)).unwrap();
    assert_eq!(standings(&published).rows[0].points.to_string(), "1.5");
}

#[test]
fn players_are_found_by_their_id_or_by_a_name_that_only_one_has() {
    let published = Published::of(
        &read(&file("", &[("Müller, J.", &[]), ("B", &[]), ("B", &[])])),
        0,
    );
    assert_eq!(published.find(Some(1002), "whoever"), Some(2));
    assert_eq!(published.find(None, "müller,J"), Some(1));
    assert_eq!(published.find(Some(5), "Müller, J."), None);
    assert_eq!(published.find(None, "B"), None);
    assert_eq!(published.find(None, ""), None);
}

#[test]
fn a_player_who_is_his_own_opponent_is_reported_and_meets_nobody() {
    let report = read(&file("202 DE,BH\n", &[("A", &["1w1"]), ("B", &["U"])]));
    assert_eq!(report.findings()[0].what, "a player is his own opponent");
    assert_eq!(order(&report, 1), [(1, 1), (1, 2)]);
}

#[test]
fn boards_are_in_fides_order() {
    let players: [(&str, &[&str]); 4] = [
        ("A", &["3w0", "4w"]),
        ("B", &["4b1", "3w"]),
        ("C", &["1b1", "2b"]),
        ("D", &["2w0", "1b"]),
    ];
    let report = read(&file("", &players));
    let pairs: Vec<(u16, u16)> = report.pairs(2).iter().map(|p| (p.white, p.black)).collect();
    assert_eq!(pairs, [(2, 3), (1, 4)]);
    assert_eq!(report.last_paired(), 2);
    assert!(report.pairs(2).iter().all(|pair| !pair.has_result));
    assert!(report.pairs(1).iter().all(|pair| pair.has_result));
}

#[test]
fn the_next_round_is_the_first_without_results_also_of_a_round_robin() {
    let round_robin = |first: [&str; 2], second: [&str; 2], third: [&str; 2]| {
        let cell = |pairing: &str, code: &str| format!("{pairing}{code}");
        let of = |pairings: [&str; 3], side: usize| {
            let codes = [first[side], second[side], third[side]];
            pairings
                .iter()
                .zip(codes)
                .map(|(pairing, code)| cell(pairing, code))
                .collect::<Vec<_>>()
        };
        let rows = [
            of(["4w", "3b", "2w"], 0),
            of(["3w", "4b", "1b"], 1),
            of(["2b", "1w", "4b"], 1),
            of(["1b", "2w", "3w"], 0),
        ];
        let rows: Vec<Vec<&str>> = rows
            .iter()
            .map(|row| row.iter().map(String::as_str).collect())
            .collect();
        let names = ["A", "B", "C", "D"];
        let players: Vec<(&str, &[&str])> = names
            .into_iter()
            .zip(rows.iter().map(Vec::as_slice))
            .collect();
        read(&file("192 Berger\n", &players)).next_round()
    };
    let (none, all) = (["", ""], ["=", "="]);
    assert_eq!(round_robin(none, none, none), 1);
    assert_eq!(round_robin(all, none, none), 2);
    assert_eq!(round_robin(all, all, none), 3);
    assert_eq!(round_robin(all, all, all), 3);
    // A game of the last round was played early.
    assert_eq!(round_robin(all, none, ["=", ""]), 2);
    // A Swiss has only the pairings of its next round; one game of the first was postponed.
    let swiss: [(&str, &[&str]); 4] = [
        ("A", &["2w1", "3b"]),
        ("B", &["1b0", "4w"]),
        ("C", &["4w", "1w"]),
        ("D", &["3b", "2b"]),
    ];
    assert_eq!(read(&file("", &swiss)).next_round(), 2);
    assert_eq!(
        read(&file("", &[("A", &["U"]), ("B", &[])])).next_round(),
        0
    );
}

#[test]
fn results_points_and_ranks_are_written_into_the_lines() {
    let mut report = read(&file("012 X\n", &[("A", &["2w"]), ("B", &["1b"])]));
    report
        .fill_result(1, 1, 2, Outcome::BlackWins, false)
        .unwrap();
    report.count();
    let text = String::from_utf8(report.write()).unwrap();
    let expected = file("012 X\n", &[("A", &["2w0"]), ("B", &["1b1"])]);
    let expected = expected
        .replace("  0.0    1", "  0.0    3")
        .replace("  0.0    2", "  1.0    1");
    assert_eq!(text, expected.replace("  0.0    3", "  0.0    2"));
    let mut report = read(&file("012 X\n", &[("A", &["2w"]), ("B", &["1b"])]));
    report
        .fill_result(1, 1, 2, Outcome::BothLose, true)
        .unwrap();
    let codes = [1, 2].map(|start| report.player(start).unwrap().cell(1).code);
    assert_eq!(codes, [Some(Code::ForfeitLoss); 2]);
}

#[test]
fn a_result_is_filled_in_and_no_other_byte_changes() {
    // Lines of several kinds, unusual numbers, no newline at the end.
    let mut text = file(
        "012 Köln\r\nXYZ what \n\n",
        &[
            ("A", &["2w", "3b"]),
            ("B", &["1b", "U"]),
            ("C", &["4w1", "1w"]),
            ("D", &["3b0", "Z"]),
        ],
    );
    text = text
        .replacen("     2 w", "  0002 W", 1)
        .trim_end()
        .to_owned()
        + "\n013 end";
    let before = text.clone();
    let mut report = read(&text);
    assert_eq!(report.write(), text.as_bytes());
    report.fill_result(1, 1, 2, Outcome::Draw, false).unwrap();
    let after = String::from_utf8(report.write()).unwrap();
    let changed: Vec<(char, char)> = (before.chars().zip(after.chars()))
        .filter(|(before, after)| before != after)
        .collect();
    assert_eq!(changed, [(' ', '='), (' ', '=')]);
    assert_eq!(before.len(), after.len());
    assert!(after.contains("  0002 W ="), "{after}");
    // The same result again, also in other words.
    report.fill_result(1, 1, 2, Outcome::Draw, true).unwrap();
    report
        .fill_result(1, 3, 4, Outcome::WhiteWins, true)
        .unwrap();
    assert_eq!(report.write(), after.as_bytes());
    for (round, white, black, outcome, error) in [
        (
            1,
            2,
            1,
            Outcome::Draw,
            "round 1 has the pairing with the colours the other way round",
        ),
        (
            1,
            1,
            3,
            Outcome::Draw,
            "players 1 and 3 are not paired in round 1",
        ),
        (
            2,
            2,
            1,
            Outcome::Draw,
            "players 2 and 1 are not paired in round 2",
        ),
        (
            9,
            1,
            2,
            Outcome::Draw,
            "players 1 and 2 are not paired in round 9",
        ),
        (
            1,
            1,
            8,
            Outcome::Draw,
            "players 1 and 8 are not paired in round 1",
        ),
        (
            1,
            1,
            2,
            Outcome::WhiteWins,
            "the file has another result: player 1 has =",
        ),
        (
            1,
            3,
            4,
            Outcome::BothLose,
            "the file has another result: player 3 has 1",
        ),
    ] {
        let refused = report.fill_result(round, white, black, outcome, false);
        assert_eq!(refused.unwrap_err().to_string(), error);
    }
    assert_eq!(report.write(), after.as_bytes());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused_and_written_back(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        check(&bytes);
    }

    #[test]
    fn damaged_files_are_read_or_refused_and_written_back(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = file("012 X\n162  W 3.0    D 1.0\n202 DE,BH,SB\n", &FOUR).into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        check(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        check(&bytes);
    }
}

/// Reads, computes everything, and reads again what was written.
fn check(bytes: &[u8]) {
    let Ok(mut report) = Report::read(bytes) else {
        return;
    };
    // What was not changed is as it was.
    assert_eq!(report.write(), bytes);
    let again = Report::read(&report.write()).unwrap();
    assert_eq!(again.players().len(), report.players().len());
    assert_eq!(again.write(), report.write());
    for through in 0..=report.rounds() {
        let mut published = Published::of(&report, through);
        let starts: Vec<u16> = report.players().iter().map(|player| player.start).collect();
        if let [first, second, ..] = starts[..] {
            _ = published.add(through + 1, first, second, Some(Outcome::Draw));
        }
        assert_eq!(standings(&published).rows.len(), starts.len());
        assert!(report.pairs(through).len() <= starts.len());
    }
    report.count();
    Report::read(&report.write()).unwrap();
}

#[test]
fn the_date_of_a_round_is_read_from_its_columns_and_only_if_it_is_one() {
    let header = |dates: &str| format!("012 Open\n132{:88}{dates}\n", "");
    let players: [(&str, &[&str]); 2] = [("A", &["2w1"]), ("B", &["1b0"])];
    let report = read(&file(&header("26/11/28  26/13/29  26-11-30"), &players));
    assert_eq!(report.date(1).as_deref(), Some("2026.11.28"));
    assert_eq!(report.date(2), None, "no such month");
    assert_eq!(report.date(3).as_deref(), Some("2026.11.30"));
    assert_eq!(report.date(4), None);
    assert_eq!(report.date(0), None);
    assert_eq!(read(&file("012 Open\n", &players)).date(1), None);
}
