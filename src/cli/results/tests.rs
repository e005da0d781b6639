//! Rounds that are written, and read back by the reader of pairings.

use std::collections::BTreeMap;

use jiff::Timestamp;
use remisd_game::{Confirm, Game, Input, Rules, Stamped};
use serde_json::{Value, json};

use super::*;
use crate::pairings::{Trouble, read};

/// A game in which these inputs came, after its tags.
fn recorded(board: &str, began_at: i64, tags: &[(&str, &str)], inputs: &[Value]) -> Recorded {
    let headers: BTreeMap<&str, &str> = tags.iter().copied().collect();
    let begin = json!({
        "type": "new_game", "laws": "fide-2023", "rate": "standard", "headers": headers,
        "cause": "start_array",
    });
    let mut game = Game::new(Rules::default());
    for input in std::iter::once(&begin).chain(inputs) {
        let input: Input = serde_json::from_value(input.clone()).unwrap();
        let (seq, time) = (game.seq() + 1, Timestamp::UNIX_EPOCH);
        game.apply(&Stamped { seq, time, input });
    }
    Recorded {
        board: board.parse().unwrap(),
        game,
        began: Some(Timestamp::from_second(began_at).unwrap()),
        is_doubted: false,
    }
}

fn made(moves: &str) -> Vec<Value> {
    let moves = moves.split_whitespace();
    let moves = moves.map(|uci| json!({"type": "move", "uci": uci, "by": "reply"}));
    moves.collect()
}

/// The arbiter enters a result.
fn entered(score: &str) -> Value {
    json!({"type": "command", "id": score, "role": "arbiter", "verb": "result", "arguments": {"score": score}})
}

fn pairing(board: &str, began_at: i64, players: [&str; 2], inputs: &[Value]) -> Recorded {
    let number = board.trim_start_matches('b');
    let round = format!("3.{number}");
    let [white, black] = players.map(|player| player.split_once('/').unwrap_or((player, "")));
    let tags = [
        ("Event", "Town Open"),
        ("Round", &round),
        ("Board", number),
        ("White", white.0),
        ("WhiteFideId", white.1),
        ("Black", black.0),
        ("BlackFideId", black.1),
    ];
    recorded(board, began_at, &tags, inputs)
}

/// A round with each kind of result: entered, entered, a mate that waits for the arbiter, a mate in
/// a damaged record, none.
fn round() -> Vec<Recorded> {
    let mate = made("f2f3 e7e5 g2g4 d8h4");
    let mut damaged = pairing(
        "b4",
        13,
        ["Hotel, H", "India, I"],
        &[mate.clone(), vec![entered("0-1")]].concat(),
    );
    damaged.is_doubted = true;
    vec![
        pairing("b10", 14, ["Juliett, J", "Kilo, K"], &made("e2e4")),
        pairing(
            "b1",
            10,
            ["Alpha, Anna/1000001", "Müller, Jürgen"],
            &[made("e2e4 e7e5"), vec![entered("1-0")]].concat(),
        ),
        pairing(
            "b2",
            11,
            ["Gamma; \"G\"", "Delta, D"],
            &[made("d2d4"), vec![entered("1/2-1/2")]].concat(),
        ),
        pairing("b3", 12, ["Epsilon, E", "Foxtrot, F"], &mate),
        damaged,
    ]
}

fn arguments(format: Format) -> Arguments {
    Arguments {
        format,
        journal: None,
        config: None,
        round: None,
        event: None,
        since: None,
        without: Vec::new(),
        report: None,
        forfeit: Vec::new(),
        skip_others: false,
        incomplete: false,
        output: None,
    }
}

/// What is written, and the notes.
fn written(arguments: &Arguments, games: Vec<Recorded>) -> anyhow::Result<(String, Vec<String>)> {
    let mut text = Vec::new();
    let written = write(arguments, games, &TimeZone::UTC, &mut text)?;
    Ok((String::from_utf8(text)?, written.notes))
}

const BOARDS: [&str; 5] = ["b1", "b2", "b3", "b4", "b10"];

#[test]
fn a_table_has_certain_results_as_results_and_others_beside_them() {
    let (text, notes) = written(&arguments(Format::Csv), round()).unwrap();
    assert_eq!(
        text,
        "Event;Round;Board;White;White FideId;Black;Black FideId;Result;Status;Provisional;Reason\n\
         Town Open;3;1;Alpha, Anna;1000001;Müller, Jürgen;;1-0;confirmed;;arbiter\n\
         Town Open;3;2;\"Gamma; \"\"G\"\"\";;Delta, D;;1/2-1/2;confirmed;;arbiter\n\
         Town Open;3;3;Epsilon, E;;Foxtrot, F;;*;unconfirmed;0-1;checkmate\n\
         Town Open;3;4;Hotel, H;;India, I;;*;uncertain;0-1;arbiter\n\
         Town Open;3;10;Juliett, J;;Kilo, K;;*;open;;\n"
    );
    let expected = [
        "b3: Epsilon, E - Foxtrot, F: 0-1 is not confirmed",
        "b4: Hotel, H - India, I: 0-1 is not certain",
        "b10: Juliett, J - Kilo, K: no result",
    ];
    assert_eq!(notes, expected);
    let seats = read(text.as_bytes(), &BOARDS);
    assert_eq!((seats.problems, seats.warnings), (vec![], vec![]));
    let boards: Vec<&str> = seats.seats.iter().map(|seat| seat.board.as_str()).collect();
    assert_eq!(boards, BOARDS);
    let headers = &seats.seats[0].headers;
    for (tag, value) in [
        ("Round", "3"),
        ("White", "Alpha, Anna"),
        ("WhiteFideId", "1000001"),
        ("Black", "Müller, Jürgen"),
    ] {
        assert_eq!(headers[tag], value);
    }
    assert_eq!(seats.seats[1].headers["White"], "Gamma; \"G\"");
}

#[test]
fn pgn_has_certain_results_alone_and_the_others_as_comments() {
    let (text, _) = written(&arguments(Format::Pgn), round()).unwrap();
    let results: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("[Result"))
        .collect();
    let expected = ["1-0", "1/2-1/2", "*", "*", "*"].map(|result| format!("[Result \"{result}\"]"));
    assert_eq!(results, expected);
    let unfolded = text.replace('\n', " ");
    assert!(
        unfolded.contains("{unconfirmed: 0-1, checkmate, article 5.1.1} *"),
        "{text}"
    );
    assert!(
        unfolded.contains("{uncertain: 0-1, result entered by the arbiter} *"),
        "{text}"
    );
    let seats = read(text.as_bytes(), &BOARDS);
    assert_eq!(seats.problems, []);
    let boards: Vec<&str> = seats.seats.iter().map(|seat| seat.board.as_str()).collect();
    assert_eq!(boards, BOARDS);
}

/// A report with the pairings of round 3.
const REPORT: &str = "\
012 Town Open\r
XXR 9 \r
001    1 m GM Alpha, Anna                       2500 NED     1000001 1990/01/01  1.0    1  0000 - F     4 b 0     2 w  \r
001    2   IM Müller,  Jürgen                   2400 GER     1000002             1.0    2     3 b 1     5 w 1     1 b  \r
001    3      Epsilon, E                        2350 NED                         0.0    3     2 w 0     6 w 0     4 w  \r
001    4      Foxtrot, F                        2200 NED     1000004             0.0    4  0000 - H     1 w 1     3 b\r
001    5      Hotel, H                          2100 NED     1000005             1.0    5     6 b =     2 b 0     6 w\r
001    6      India, I                          2000 NED                         1.0    5     5 w =     3 b 1     5 b  \r
";

fn with_report(text: &str) -> (tempfile::TempDir, Arguments) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("open.trf");
    fs::write(&path, text).unwrap();
    let arguments = Arguments {
        report: Some(path),
        ..arguments(Format::Trf)
    };
    (place, arguments)
}

/// The games of round 3 whose players are in the report.
fn of_report() -> Vec<Recorded> {
    let mut games = round();
    games.retain(|game| ["b1", "b3", "b4"].contains(&game.board.as_str()));
    games
}

#[test]
fn certain_results_are_filled_into_the_report_and_no_other_byte_changes() {
    let (_place, arguments) = with_report(REPORT);
    let (text, notes) = written(&arguments, of_report()).unwrap();
    assert_eq!(
        text,
        REPORT
            .replace("2 w  \r", "2 w 1\r")
            .replace("1 b  \r", "1 b 0\r")
    );
    assert_eq!(notes.len(), 2, "{notes:?}");
    // The round is still the one that is seated, with a result.
    let seats = read(text.as_bytes(), &BOARDS);
    assert_eq!(seats.problems, []);
    assert_eq!(seats.seats.len(), 3);
    let with_result = seats
        .warnings
        .iter()
        .filter(|found| found.trouble == Trouble::HasResult);
    let names: Vec<&str> = with_result.map(|found| found.detail.as_str()).collect();
    assert_eq!(names, ["Alpha, Anna"]);
    // Filled in again, the same file comes out.
    let (_place, again) = with_report(&text);
    assert_eq!(written(&again, of_report()).unwrap().0, text);
}

#[test]
fn a_report_that_does_not_fit_is_refused_with_every_reason() {
    let (_place, arguments) = with_report(REPORT);
    let refused = |games: Vec<Recorded>| format!("{:#}", written(&arguments, games).unwrap_err());
    let why = refused(round());
    for part in [
        "nothing is written, because it does not fit round 3",
        "b2: Gamma; \"G\" - Delta, D: Gamma; \"G\" is not in the report",
        "b10: Juliett, J - Kilo, K: Juliett, J is not in the report",
    ] {
        assert!(why.contains(part), "{why}");
    }
    let one = |players, score| vec![pairing("b1", 9, players, &[entered(score)])];
    for (games, part) in [
        (
            one(["Müller, Jürgen", "Alpha, Anna"], "1-0"),
            "colours the other way round",
        ),
        (
            one(["Alpha, Anna", "Hotel, H"], "1-0"),
            "players 1 and 5 are not paired in round 3",
        ),
        (
            one(["Alpha, Anna", "Hotel, H"], "*"),
            "players 1 and 5 are not paired in round 3",
        ),
        (
            one(["Alpha, Anna", ""], "1-0"),
            "a player without a name is not in the report",
        ),
    ] {
        let why = refused(games);
        assert!(why.contains(part), "{why}");
    }
    let (_place, other) = with_report(&REPORT.replace("2 w  \r", "2 w 0\r"));
    let why = format!("{:#}", written(&other, of_report()).unwrap_err());
    assert!(
        why.contains("the file has another result: player 1 has 0"),
        "{why}"
    );
    let (_place, skipping) = with_report(REPORT);
    let skipping = Arguments {
        skip_others: true,
        ..skipping
    };
    let (_, notes) = written(&skipping, round()).unwrap();
    assert!(
        notes[0].contains("b2: Gamma; \"G\" - Delta, D: not of this report"),
        "{notes:?}"
    );
}

#[test]
fn a_game_without_moves_may_be_a_forfeit_and_two_results_of_a_pairing_are_refused() {
    let (_place, mut arguments) = with_report(REPORT);
    let players = ["Alpha, Anna", "Müller, Jürgen"];
    let won = |board| pairing(board, 9, players, &[entered("1-0")]);
    let (text, notes) = written(&arguments, vec![won("b1")]).unwrap();
    assert!(text.contains("2 w 1\r"), "{text}");
    assert!(
        notes[0].contains("no move was recorded; if it was not played: --forfeit b1"),
        "{notes:?}"
    );
    arguments.forfeit = vec!["b1".parse().unwrap()];
    let (text, notes) = written(&arguments, vec![won("b1")]).unwrap();
    assert!(
        text.contains("2 w +\r") && text.contains("1 b -\r"),
        "{text}"
    );
    assert_eq!(notes, [""; 0]);
    let lost = pairing(
        "b2",
        10,
        players,
        &[made("e2e4"), vec![entered("0-1")]].concat(),
    );
    let why = written(&arguments, vec![won("b1"), lost.clone()])
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("0-1 here and 1-0 in b1/1; leave one out with --without"),
        "{why}"
    );
    arguments.without = vec!["b1/1".parse().unwrap()];
    let (text, _) = written(&arguments, vec![won("b1"), lost]).unwrap();
    assert!(text.contains("2 w 0\r"), "{text}");
}

#[test]
fn the_newest_round_is_written_unless_another_one_is_wanted() {
    let of = |event: &str, round: &str, board: &str, began_at| {
        let tags = [
            ("Event", event),
            ("Round", round),
            ("White", "A"),
            ("Black", "B"),
        ];
        recorded(board, began_at, &tags, &made("e2e4"))
    };
    let games = vec![
        of("Open", "2", "b1", 10),
        of("Open", "3.1", "b1", 20),
        of("Section B", "3", "b2", 19),
        recorded("b3", 30, &[("White", "X")], &made("e2e4")),
    ];
    let rows = |arguments: &Arguments| {
        let (text, notes) = written(arguments, games.clone()).unwrap();
        let rows = text
            .lines()
            .skip(1)
            .map(|row| row.split(';').take(3).collect::<Vec<_>>().join(" "));
        (rows.collect::<Vec<_>>(), notes)
    };
    let newest = arguments(Format::Csv);
    let (found, notes) = rows(&newest);
    assert_eq!(found, ["Open 3 b1"]);
    assert_eq!(
        notes[0],
        "round 3 of another event is left out: --event \"Section B\""
    );
    let section = Arguments {
        event: Some("Section B".to_owned()),
        ..arguments(Format::Csv)
    };
    assert_eq!(rows(&section).0, ["Section B 3 b2"]);
    let none = Arguments {
        event: Some("C".to_owned()),
        ..arguments(Format::Csv)
    };
    let why = written(&none, games.clone()).unwrap_err().to_string();
    assert!(why.contains("no game has a round of \"C\""), "{why}");
    // A game that was not begun gives way to one that was.
    let again = vec![
        recorded("b1", 20, &[("Round", "1")], &[]),
        recorded("b1", 21, &[("Round", "1"), ("White", "A")], &made("e2e4")),
        recorded("b2", 20, &[("Round", "1")], &[]),
    ];
    let (text, _) = written(&newest, again).unwrap();
    let boards: Vec<&str> = text
        .lines()
        .skip(1)
        .filter_map(|row| row.split(';').nth(2))
        .collect();
    assert_eq!(boards, ["b1", "b2"]);
}

#[test]
fn a_finished_game_without_a_round_is_named_and_the_output_is_not_whole() {
    let stray = |board, event: &'static str, round: Option<&'static str>, inputs: &[Value]| {
        let mut tags = vec![
            ("Event", event),
            ("White", "Gamma, G"),
            ("Black", "Delta, D"),
        ];
        tags.extend(round.map(|round| ("Round", round)));
        recorded(board, 15, &tags, inputs)
    };
    let won = [entered("1-0")];
    let whole = |arguments: &Arguments, strays: &[Recorded]| {
        let games = [round(), strays.to_vec()].concat();
        let mut text = Vec::new();
        let written = write(arguments, games, &TimeZone::UTC, &mut text).unwrap();
        let mut notes = written.notes;
        notes.retain(|note| note.contains("left out"));
        (notes, written.is_whole)
    };
    let csv = arguments(Format::Csv);
    let open = stray("b7", "Town Open", None, &made("e2e4"));
    assert_eq!(whole(&csv, &[open]), (vec![], true));
    let strays = [
        stray("b5", "Town Open", Some("R3"), &won),
        stray("b6", "", None, &won),
        stray("b7", "Other", Some("4294967296"), &won),
    ];
    let (notes, is_whole) = whole(&csv, &strays);
    assert_eq!(
        notes,
        [
            "b5: Gamma, G - Delta, D: 1-0 is left out, because game 1 has \"R3\" as its Round",
            "b6: Gamma, G - Delta, D: 1-0 is left out, because game 1 has no tag Round",
            "b7: Gamma, G - Delta, D: 1-0 is left out, because game 1 has \"4294967296\" as its Round",
        ]
    );
    assert!(!is_whole);
    let chosen = Arguments {
        event: Some("Town Open".to_owned()),
        without: vec!["b5/1".parse().unwrap(), "b6/1".parse().unwrap()],
        ..csv
    };
    assert_eq!(whole(&chosen, &strays), (vec![], true));
}

#[test]
fn no_value_of_a_table_runs_in_a_spreadsheet_and_the_reader_of_pairings_knows_it() {
    let names = ["=HYPERLINK(\"x\")", "@SUM(1)"];
    let games = vec![
        pairing("b1", 10, names, &[entered("1-0")]),
        pairing("b2", 11, ["-2+3", "\t+cmd"], &[entered("0-1")]),
        pairing(
            "b3",
            12,
            ["-/-1850", "'t Hart, H/+31"],
            &[entered("1/2-1/2")],
        ),
    ];
    let (text, _) = written(&arguments(Format::Csv), games).unwrap();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(
        rows,
        [
            "Town Open;3;1;\"'=HYPERLINK(\"\"x\"\")\";;'@SUM(1);;1-0;confirmed;;arbiter",
            "Town Open;3;2;'-2+3;;'+cmd;;0-1;confirmed;;arbiter",
            "Town Open;3;3;-;-1850;'t Hart, H;+31;1/2-1/2;confirmed;;arbiter",
        ]
    );
    let seats = read(text.as_bytes(), &BOARDS);
    let tags = &seats.seats[0].headers;
    assert_eq!([&*tags["White"], &*tags["Black"]], names);
}

#[test]
fn a_player_at_two_boards_of_a_round_is_named() {
    let games = vec![
        pairing("b1", 1, ["Alpha, A", "?"], &made("e2e4")),
        pairing("b2", 2, ["Beta, B", "Alpha, A"], &made("e2e4")),
        pairing("b3", 3, ["?", "Gamma, G"], &made("e2e4")),
    ];
    let (_, notes) = written(&arguments(Format::Csv), games).unwrap();
    let named: Vec<_> = (notes.iter().map(String::as_str))
        .filter(|note| note.contains("more than one"))
        .collect();
    assert_eq!(named, ["Alpha, A is at more than one board: b1, b2"]);
}

/// A second account has other moves from this ply on, or another result.
fn account(difference: &Value) -> Value {
    let mut standing = json!({"state": "differs"});
    standing
        .as_object_mut()
        .unwrap()
        .extend(difference.as_object().unwrap().clone());
    json!({"type": "account", "report": {"account": "pgn", "name": "games.pgn", "standing": standing}})
}

#[test]
fn a_result_that_rests_on_a_ply_that_differs_is_uncertain() {
    let mate = || made("f2f3 e7e5 g2g4 d8h4");
    let confirmed = |differs: &[Value]| {
        let inputs = [mate(), vec![entered("0-1")], differs.to_vec()].concat();
        Standing::of(&pairing("b1", 10, ["Alpha, A", "Beta, B"], &inputs))
    };
    let moves = account(&json!({"from": 3, "moves": ["b1c3"]}));
    let result = account(&json!({"from": 4, "result": "1-0"}));
    assert_eq!(confirmed(&[]), Standing::Confirmed(Score::BlackWins));
    assert_eq!(
        confirmed(std::slice::from_ref(&moves)),
        Standing::Confirmed(Score::BlackWins),
        "the arbiter has decided it"
    );
    assert_eq!(confirmed(&[result]), Standing::Uncertain(Score::BlackWins));
    // A mate that was confirmed before the account differed.
    let rules = Rules {
        confirm: Confirm::Automatic,
        ..Rules::default()
    };
    let automatic = json!({"type": "start", "version": "1", "rules": rules});
    let inputs = [vec![automatic], mate(), vec![moves]].concat();
    let mated = pairing("b1", 10, ["Alpha, A", "Beta, B"], &inputs);
    assert_eq!(Standing::of(&mated), Standing::Uncertain(Score::BlackWins));
}
