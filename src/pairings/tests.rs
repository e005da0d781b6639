use shakmaty::Position as _;

use super::*;

const HALL: [&str; 4] = ["b1", "b2", "b3", "b4"];

fn found(findings: &[Finding]) -> Vec<(u64, Trouble, &str)> {
    let found = findings.iter();
    found
        .map(|f| (f.line, f.trouble, f.detail.as_str()))
        .collect()
}

fn players(round: &Round) -> Vec<(&str, &str, &str)> {
    let seats = round.seats.iter();
    seats
        .map(|seat| {
            (
                seat.board.as_str(),
                seat.headers["White"].as_str(),
                seat.headers["Black"].as_str(),
            )
        })
        .collect()
}

#[test]
fn a_round_behind_a_point_names_the_board() {
    let game = |board: u32| {
        format!("[Round \"3.{board}\"]\n[White \"W{board}\"]\n[Black \"B{board}\"]\n\n*\n\n")
    };
    let text: String = [1, 10, 11, 2].map(game).concat();
    let hall: Vec<String> = (1..=12).map(|board| format!("board-{board}")).collect();
    let round = read(text.as_bytes(), &hall);
    let boards: Vec<_> = round
        .seats
        .iter()
        .map(|seat| (seat.board.as_str(), seat.headers["Round"].as_str()))
        .collect();
    assert_eq!(
        boards,
        [
            ("board-1", "3.1"),
            ("board-10", "3.10"),
            ("board-11", "3.11"),
            ("board-2", "3.2")
        ]
    );
    assert!(
        round.problems.is_empty() && round.warnings.is_empty(),
        "{round:?}"
    );
}

#[test]
fn a_round_whose_points_mean_something_else_goes_by_its_order() {
    let text = "[Round \"3.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n*\n\n[Round \"3.1\"]\n[White \"C\"]\n[Black \"D\"]\n\n*\n";
    let round = read(text.as_bytes(), &HALL);
    assert_eq!(players(&round), [("b1", "A", "B"), ("b2", "C", "D")]);
}

fn rounds(games: &[(&str, &str)]) -> Round {
    let game = |(round, black): &(&str, &str)| {
        format!("[Round \"{round}\"]\n[White \"W{round}\"]\n[Black \"{black}\"]\n\n*\n\n")
    };
    let text: String = games.iter().map(game).collect();
    let hall: Vec<String> = (1..=12).map(|board| format!("b{board}")).collect();
    read(text.as_bytes(), &hall)
}

#[test]
fn a_bye_without_a_number_moves_no_other_game() {
    let round = rounds(&[("3.1", "A"), ("3.10", "B"), ("3.2", "C"), ("3", "bye")]);
    let seats = [
        ("b1", "W3.1", "A"),
        ("b10", "W3.10", "B"),
        ("b2", "W3.2", "C"),
    ];
    assert_eq!(players(&round), seats);
    assert_eq!(found(&round.warnings), [(19, Trouble::Bye, "W3")]);
}

#[test]
fn a_game_without_a_number_is_warned_of_and_the_others_keep_their_boards() {
    let round = rounds(&[("3.10", "A"), ("3", "B")]);
    assert_eq!(players(&round), [("b10", "W3.10", "A")]);
    let detail = "W3 - B: no number of a board";
    assert_eq!(found(&round.warnings), [(7, Trouble::Unreadable, detail)]);
}

#[test]
fn games_that_are_dealt_in_their_order_although_they_have_numbers_are_warned_of() {
    let round = rounds(&[("1.1.1", "A"), ("1.1.2", "B"), ("1.2.1", "C")]);
    let boards: Vec<_> = round.seats.iter().map(|seat| seat.board.as_str()).collect();
    assert_eq!(boards, ["b1", "b2", "b3"]);
    assert_eq!(found(&round.warnings), [(13, Trouble::BoardTwice, "1")]);
}

#[test]
fn a_game_that_names_no_board_gets_the_number_of_its_board() {
    let boards_of = |boards: &[&str]| {
        let read = read("White;Black\nA;B\nC;D\n".as_bytes(), boards);
        let boards = read.seats.iter().map(|seat| seat.headers["Board"].clone());
        boards.collect::<Vec<_>>()
    };
    assert_eq!(boards_of(&["b11", "b12"]), ["11", "12"]);
    assert_eq!(boards_of(&["stage", "window"]), ["1", "2"]);
    // Two boards end in the same number: neither is their number.
    assert_eq!(boards_of(&["red1", "blue1"]), ["1", "2"]);
    assert_eq!(boards_of(&["b0", "b1"]), ["1", "2"], "no board is number 0");
}

#[test]
fn a_player_without_rating_or_title_is_seated() {
    let text = "[Board \"1\"]\n[White \"A, B\"]\n[Black \"C, D\"]\n[WhiteElo \"2105\"]\n[BlackElo \"-\"]\n[WhiteTitle \"-\"]\n[Site \"?\"]\n\n*\n";
    let round = read(text.as_bytes(), &HALL);
    assert!(
        round.problems.is_empty() && round.warnings.is_empty(),
        "{round:?}"
    );
    let tags: Vec<&str> = round.seats[0].headers.keys().map(String::as_str).collect();
    assert_eq!(tags, ["Black", "Board", "White", "WhiteElo"]);
}

#[test]
fn more_games_than_boards_and_byes_warn_and_do_not_block() {
    let round = read(
        b"board;white;black\n1;A;B\n2;C;D\n13;E;F\n14;G;bye\n3;spielfrei;H\n4;I;-\n",
        &HALL,
    );
    assert_eq!(players(&round), [("b1", "A", "B"), ("b2", "C", "D")]);
    assert_eq!(found(&round.problems), []);
    let warnings = [
        (4, Trouble::UnknownBoard, "13"),
        (5, Trouble::Bye, "G"),
        (6, Trouble::Bye, "H"),
        (7, Trouble::Bye, "I"),
    ];
    assert_eq!(found(&round.warnings), warnings);
    let without_boards = read(b"white,black\nA,B\nC,D\nE,F\nG,bye\nI,J\nK,L", &HALL);
    assert_eq!(without_boards.seats.len(), 4);
    assert_eq!(
        found(&without_boards.warnings),
        [(5, Trouble::Bye, "G"), (7, Trouble::NoBoard, "")]
    );
}

#[test]
fn a_name_at_two_boards_is_warned_of_and_a_board_given_twice_blocks() {
    let round = read(
        b"board;white;black\n1;Li, Wei;B\n2;LI,  Wei;D\n2;E;F\n",
        &HALL,
    );
    assert_eq!(
        found(&round.warnings),
        [(3, Trouble::PlayerTwice, "LI, Wei")]
    );
    assert_eq!(found(&round.problems), [(4, Trouble::BoardTwice, "b2")]);
    let twice = read(b"board;white;black\n1;Li, Wei;B\n2;li, wei;D\n", &HALL);
    assert_eq!(
        found(&twice.warnings),
        [(3, Trouble::PlayerTwice, "li, wei")]
    );
    assert_eq!((twice.seats.len(), twice.problems.len()), (2, 0));
}

#[test]
fn a_table_with_unknown_columns_seats_no_player() {
    for (text, lines) in [
        (
            "Bo.;1;SK Alpha;Rtg;-;5;SK Beta;Rtg;0 : 0\n1;GM;Alpha One;2500;-;IM;Beta One;2400;\n",
            &[1][..],
        ),
        ("1,Müller, Jörg,Weiß, Hans\n2,D, E,F, G\n", &[1, 2]),
        (
            "Board;White first name;White last name;Black first name;Black last name\n1;Anna;Smit;Piet;Jansen\n",
            &[1],
        ),
        ("1;GM;Alpha One;2500\n2;WGM;Alpha Two;2300\n", &[1, 2]),
    ] {
        let round = read(text.as_bytes(), &HALL);
        assert_eq!(round.seats, [], "{text}");
        let problems: Vec<u64> = round.problems.iter().map(|found| found.line).collect();
        assert_eq!(problems, lines, "{text}");
    }
    let plain = read(b"1;A;B;2105;unr.\n2;C;D;-;x9\n", &HALL);
    assert_eq!((plain.seats.len(), plain.problems.len()), (2, 0));
}

#[test]
fn spaces_and_marks_inside_quotes_are_kept() {
    let text = "board;white;black\n1; \"Smit; \"\"J\"\" x\"; \"B; \"\n";
    let round = read(text.as_bytes(), &HALL);
    assert_eq!(players(&round), [("b1", "Smit; \"J\" x", "B;")]);
}

#[test]
fn the_lists_of_chess_results_and_swiss_manager_lose_no_title_and_no_club() {
    let text = "Bo.;No.;;Name;Rtg;Pts.;Result;Pts.;;Name;Rtg;No.\n1;1;GM;A;2831;2;-;2;WIM;B;2770;5\n2;3;x;C;2831;2;-;2;;D;2770;5\n";
    let round = read(text.as_bytes(), &HALL);
    let of = |seat: usize, tag: &str| round.seats[seat].headers.get(tag).map(String::as_str);
    assert_eq!(of(0, "WhiteTitle"), Some("GM"));
    assert_eq!(of(0, "BlackTitle"), Some("WIM"));
    assert_eq!((of(1, "WhiteTitle"), of(1, "BlackTitle")), (None, None));
    assert_eq!(found(&round.warnings), []);
    let text = "Brett\tTitel\tName\tEloI\tVerein/Ort\tPkt.\t-\tTitel\tName\tEloI\tVerein/Ort\tPkt.\n1\tGM\tA\t2500\tSK X\t1\t-\tIM\tB\t2400\tSK Y\t1\n";
    let round = read(text.as_bytes(), &HALL);
    let headers = &round.seats[0].headers;
    assert_eq!(
        (&*headers["WhiteElo"], &*headers["BlackElo"]),
        ("2500", "2400")
    );
    assert_eq!(
        (&*headers["WhiteTeam"], &*headers["BlackTeam"]),
        ("SK X", "SK Y")
    );
    assert_eq!(found(&round.warnings), []);
}

#[test]
fn a_column_whose_name_is_not_known_is_warned_of() {
    let round = read(b"board;white;black;Lieblingsfarbe\n1;A;B;rot\n", &HALL);
    assert_eq!(
        found(&round.warnings),
        [(1, Trouble::Unreadable, "Lieblingsfarbe")]
    );
    assert_eq!(players(&round), [("b1", "A", "B")]);
}

#[test]
fn umlauts_are_right_in_every_encoding() {
    let text = "Brett;Weiß;Schwarz;EloWeiss;EloSchwarz\r\n1;Müller, Jörg;Weiß, Hans;2105;1987\r\n";
    let (windows, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let utf16: Vec<u8> = "\u{feff}"
        .chars()
        .chain(text.chars())
        .collect::<String>()
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for bytes in [
        text.as_bytes(),
        &windows,
        &utf16,
        format!("\u{feff}{text}").as_bytes(),
        text.replace("\r\n", "\r").as_bytes(),
    ] {
        let round = read(bytes, &HALL);
        assert_eq!(players(&round), [("b1", "Müller, Jörg", "Weiß, Hans")]);
        assert_eq!(round.seats[0].headers["BlackElo"], "1987");
    }
}

#[test]
fn tables_are_read_with_every_mark_and_quotes() {
    for text in [
        "board;white;black\n1;\"Smit; Anna\";B\n",
        "board,white,black\n1, \"Smit; Anna\", B\n",
        "board\twhite\tblack\n1\tSmit; Anna\tB\n",
        "board|white|black\n1|Smit; Anna|B\n",
        "sep=,\nboard,white,black\n1,Smit; Anna,B\n",
        "# made by hand\nboard,white,black\n\n1,Smit; Anna,B\n",
        "Runde 3, Samstag\n\nBrett,Weiß,Schwarz\n1,Smit; Anna,B\n",
    ] {
        let round = read(text.as_bytes(), &HALL);
        assert_eq!(players(&round), [("b1", "Smit; Anna", "B")], "{text}");
        assert!(round.problems.is_empty(), "{text}: {round:?}");
    }
}

#[test]
fn a_line_that_cannot_be_read_is_named_and_its_neighbours_are_read() {
    let text = "board,white,black\n1,Li, Wei,B\n2,\"Smit,C\n3,D,E\n4,,F\n";
    let round = read(text.as_bytes(), &HALL);
    assert_eq!(players(&round), [("b3", "D", "E")]);
    let problems = [
        (2, Trouble::Unreadable, "B"),
        (3, Trouble::NoBlack, "Smit,C"),
        (5, Trouble::NoWhite, "F"),
    ];
    assert_eq!(found(&round.problems), problems);
}

#[test]
fn a_position_and_a_variant_are_taken_over() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let pgn = format!("[White \"A\"]\n[Black \"B\"]\n[SetUp \"1\"]\n[FEN \"{fen}\"]\n\n*\n");
    assert_eq!(
        read(pgn.as_bytes(), &HALL).seats[0].start_fen.as_deref(),
        Some(fen)
    );
    let csv = format!("white;black;fen\nA;B;{fen}\n");
    assert_eq!(
        read(csv.as_bytes(), &HALL).seats[0].start_fen.as_deref(),
        Some(fen)
    );
    let chess960 = "[White \"A\"]\n[Black \"B\"]\n[Variant \"Chess960\"]\n[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\"]\n\n*\n";
    let round = read(chess960.as_bytes(), &HALL);
    let start = round.seats[0].start_fen.as_deref().unwrap();
    assert!(start.starts_with("bbqnnrkr/"), "{start}");
    assert!(parse(start).castles().mode().is_chess960());
    assert_eq!(round.seats[0].headers["Variant"], "Chess960");
    let atomic = "[White \"A\"]\n[Black \"B\"]\n[Variant \"Atomic\"]\n\n*\n";
    assert_eq!(
        read(atomic.as_bytes(), &HALL).problems[0].trouble,
        Trouble::Start
    );
    let bad = "[White \"A\"]\n[Black \"B\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n";
    assert_eq!(
        read(bad.as_bytes(), &HALL).problems[0].trouble,
        Trouble::Start
    );
}

fn parse(fen: &str) -> shakmaty::Chess {
    remisd_vocabulary::notation::parse_position(fen).unwrap()
}

#[test]
fn a_round_with_the_moves_of_the_last_one_is_read() {
    let text = "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n1.e4 {[%clk 1:30:57]} 1...e5 2.Nf3 {\n[%clk 1:31:16]} 2...Nc6 *\n\n[Round \"1.2\"]\n[White \"C\"]\n[Black \"D\"]\n\n*\n";
    let round = read(text.as_bytes(), &HALL);
    assert_eq!(players(&round), [("b1", "A", "B"), ("b2", "C", "D")]);
    assert!(round.problems.is_empty() && round.warnings.is_empty());
}

#[test]
fn boards_are_found_by_what_people_call_them() {
    for board in [
        "b2",
        "B2",
        "2",
        "02",
        "2.",
        "Board 2",
        "Brett 2",
        "Tisch Nr. 2",
        "#2",
    ] {
        let round = read(
            format!("board;white;black\n{board};A;B\n").as_bytes(),
            &HALL,
        );
        assert_eq!(players(&round), [("b2", "A", "B")], "{board}");
    }
}

#[test]
fn a_number_with_a_minus_is_no_board_and_one_with_its_round_is() {
    let round = read(b"board;white;black\n-1;A;B\n3.2;C;D\nBrett-4;E;F\n", &HALL);
    assert_eq!(players(&round), [("b2", "C", "D"), ("b4", "E", "F")]);
    assert_eq!(found(&round.warnings), [(2, Trouble::UnknownBoard, "-1")]);
}

#[test]
fn lines_below_the_table_are_warned_of_and_do_not_block() {
    let text = "Board;White;Black\n1;A;B\n2;C;D\n\nProgram: Swiss-Manager;;\nThe result at chess-results.com\n";
    let round = read(text.as_bytes(), &HALL);
    assert_eq!(players(&round), [("b1", "A", "B"), ("b2", "C", "D")]);
    assert_eq!(found(&round.problems), []);
    let lines: Vec<u64> = round.warnings.iter().map(|found| found.line).collect();
    assert_eq!(lines, [5, 6]);
    let missing = read(b"Board;White;Black\n1;A;B\n2;C;\n", &HALL);
    assert_eq!(found(&missing.problems), [(3, Trouble::NoBlack, "C")]);
}

#[test]
fn an_empty_file_and_rubbish_seat_no_player() {
    for bytes in [
        &b""[..],
        b"\n\n",
        b"\xff\xfe",
        b"# nothing\n",
        b"\x00\x01\x02",
    ] {
        assert_eq!(read(bytes, &HALL).seats, []);
    }
    for text in [
        "",
        "\n\n",
        "# nothing\n",
        "board;white;black\n",
        "% nothing\n",
    ] {
        let problems = read(text.as_bytes(), &HALL).problems;
        assert_eq!(problems.len(), 1, "{text}");
    }
    let many = "A;B\n".repeat(3000);
    let round = read(many.as_bytes(), &HALL);
    assert_eq!(found(&round.problems), [(1025, Trouble::TooMany, "1024")]);
}

#[test]
fn a_round_of_tags_needs_no_empty_lines_and_loses_no_player_in_silence() {
    let game = |white, black| {
        format!("[Event \"O\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"*\"]\n")
    };
    let round = read((game("A", "B") + &game("C", "D")).as_bytes(), &HALL);
    assert_eq!(players(&round), [("b1", "A", "B"), ("b2", "C", "D")]);
    let text = b"[White \"A\"]\n[Black \"B\"]\n[White \"C\"]\n[Black \"D\"]\n";
    let problems = read(text, &HALL).problems;
    assert_eq!(
        found(&problems),
        [(3, Trouble::Unreadable, "[White \"C\"]")]
    );
}

#[test]
fn the_document_names_every_finding() {
    // A new kind does not compile until it has its place here.
    let following = |trouble: Trouble| match trouble {
        Trouble::NoWhite => Some(Trouble::NoBlack),
        Trouble::NoBlack => Some(Trouble::NoPlayers),
        Trouble::NoPlayers => Some(Trouble::NoBoard),
        Trouble::NoBoard => Some(Trouble::UnknownBoard),
        Trouble::UnknownBoard => Some(Trouble::BoardTwice),
        Trouble::BoardTwice => Some(Trouble::PlayerTwice),
        Trouble::PlayerTwice => Some(Trouble::Bye),
        Trouble::Bye => Some(Trouble::BoardOrder),
        Trouble::BoardOrder => Some(Trouble::HasResult),
        Trouble::HasResult => Some(Trouble::Elo),
        Trouble::Elo => Some(Trouble::Start),
        Trouble::Start => Some(Trouble::Unreadable),
        Trouble::Unreadable => Some(Trouble::TooMany),
        Trouble::TooMany => None,
    };
    let document = include_str!("../../protocol/hall.md");
    for trouble in std::iter::successors(Some(Trouble::NoWhite), |trouble| following(*trouble)) {
        let name = serde_json::to_string(&trouble).unwrap().replace('"', "`");
        assert!(document.contains(&name), "{name}");
    }
}
