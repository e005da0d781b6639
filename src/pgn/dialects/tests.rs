use remisd_game::ResultReason;
use shakmaty::{ByColor, Chess};

use super::*;
use crate::{Ending, Games, Remark};

const MOVES: [(&str, Option<u64>); 5] = [
    ("e4", Some(5_429_000)),
    ("c5", Some(5_400_000)),
    ("Nf3", Some(5_450_000)),
    ("d6", Some(5_300_000)),
    ("Ke2", Some(6_500_000)),
];

fn tags() -> Vec<(String, String)> {
    let tags = [
        ("White", "A"),
        ("TimeControl", "40/5400+30:1800+30"),
        ("White_Elo", "2100"),
        ("Board", "3"),
        ("WhiteElo", "2100"),
        ("GameId", "remisd-a-1-3-1"),
        ("BlackTeam", ""),
    ];
    tags.map(|(name, value)| pair(name, value)).to_vec()
}

#[test]
fn the_archive_has_everything() {
    let (start, tags) = (Chess::default(), tags());
    let ending = Ending::of(ResultReason::Agreement, Some("9.1"));
    let ruling = Remark {
        ply: 4,
        text: "ruling: {incorrect}\n\n[x]".to_owned(),
    };
    let game = Written {
        tags: &tags,
        moves: &MOVES,
        remarks: &[Remark::offer(2), ruling],
        result: Score::Draw,
        ending: Some(&ending),
        ..Written::of(&start)
    };
    let expected = concat!(
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A\"]\n",
        "[Black \"?\"]\n[Result \"1/2-1/2\"]\n[Board \"3\"]\n[ECO \"B50\"]\n",
        "[GameId \"remisd-a-1-3-1\"]\n[Opening \"Sicilian Defense: Modern Variations\"]\n",
        "[Termination \"normal\"]\n[TimeControl \"40/5400+30:1800+30\"]\n[WhiteElo \"2100\"]\n",
        "[White_Elo \"2100\"]\n\n",
        "1. e4 {[%clk 1:30:29] [%emt 0:00:01]} 1... c5 {[%clk 1:30:00] [%emt 0:00:30]}\n",
        "{(=)} 2. Nf3 {[%clk 1:30:50] [%emt 0:00:09]} 2... d6\n",
        "{[%clk 1:28:20] [%emt 0:02:10]} {ruling: (incorrect) [x]} 3. Ke2\n",
        "{[%clk 1:48:20]} {draw agreed, article 9.1} 1/2-1/2\n\n",
    );
    assert_eq!(game.to_text(&Archive), expected);
}

#[test]
fn the_feed_has_what_receivers_take() {
    let (start, tags) = (Chess::default(), tags());
    let game = Written {
        tags: &tags,
        moves: &MOVES,
        remarks: &[Remark::offer(2)],
        uncertain_since: Some(3),
        result: Score::BothLose,
        ending: Some(&Ending::of(ResultReason::IllegalMove, None)),
        ..Written::of(&start)
    };
    let expected = concat!(
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"A\"]\n",
        "[Black \"?\"]\n[Result \"0-0\"]\n[Board \"3\"]\n[GameId \"remisd-a-1-3-1\"]\n",
        "[Termination \"rules infraction\"]\n[TimeControl \"90+30\"]\n[WhiteElo \"2100\"]\n\n",
        "1. e4 {[%clk 1:30:29]} c5 {[%clk 1:30:00]} 2. Nf3 {[%clk 1:30:50]} d6\n",
        "{[%clk 1:28:20]} 3. Ke2 {[%clk 1:48:20]} *\n\n",
    );
    assert_eq!(game.to_text(&Feed::default()), expected);
    let read = Games::new(expected.as_bytes()).next().unwrap().unwrap();
    assert_eq!((read.moves.len(), read.unreadable), (5, None));
}

#[test]
fn a_move_that_is_not_legal_ends_the_moves_and_not_the_game() {
    let start = Chess::default();
    let moves = [("e4", None), ("e5", None), ("Ke4", None), ("Ke5", None)];
    let game = Written {
        moves: &moves,
        result: Score::WhiteWins,
        ..Written::of(&start)
    };
    let feed = game.to_text(&Feed::default());
    assert!(feed.contains("[Result \"1-0\"]\n"), "{feed}");
    assert!(feed.ends_with("\n\n1. e4 e5 1-0\n\n"), "{feed}");
    let archive = game.to_text(&Archive);
    assert!(
        archive.ends_with("\n\n1. e4 e5 {not legal: Ke4 Ke5} 1-0\n\n"),
        "{archive}"
    );
}

#[test]
fn running_times_stand_in_place_of_those_beside_the_last_two_moves() {
    let start = Chess::default();
    let running = Feed {
        running_clock: true,
    };
    let game = Written {
        moves: &MOVES[..3],
        clocks: Some(ByColor {
            white: 5_450_999,
            black: 5_200_000,
        }),
        ..Written::of(&start)
    };
    let text = game.to_text(&running);
    assert!(
        text.contains("[BlackClock \"1:26:40\"]\n[WhiteClock \"1:30:50\"]\n"),
        "{text}"
    );
    assert!(
        text.ends_with("1. e4 {[%clk 1:30:29]} c5 2. Nf3 *\n\n"),
        "{text}"
    );
    for (game, feed) in [
        (game, Feed::default()),
        (
            Written {
                result: Score::Draw,
                ..game
            },
            running,
        ),
    ] {
        let text = game.to_text(&feed);
        assert!(!text.contains("Clock \""), "{text}");
        assert_eq!(text.matches("%clk").count(), 3, "{text}");
    }
}

#[test]
fn the_opening_is_that_of_the_last_position_with_a_name() {
    let start = Chess::default();
    let opening = |moves: &[(&str, Option<u64>)]| {
        let game = Written {
            moves,
            ..Written::of(&start)
        };
        opening(&game).map(|opening| (opening.eco, opening.name))
    };
    let moves = |text: &'static str| -> Vec<(&str, Option<u64>)> {
        text.split(' ').map(|san| (san, None)).collect()
    };
    assert_eq!(opening(&[]), None);
    assert_eq!(opening(&moves("e4 c5 a3 a6")), opening(&moves("e4 c5 a3")));
    let transposed = opening(&moves("Nf3 d5 d4 Nf6 c4 e6 Nc3"));
    assert_eq!(transposed, opening(&moves("d4 d5 c4 e6 Nc3 Nf6 Nf3")));
    assert_eq!(transposed.map(|(eco, _)| eco), Some("D37"));
}

/// What pgn-reader makes of a text.
mod theirs {
    use std::ops::ControlFlow;

    use pgn_reader::{RawTag, Reader, SanPlus, Skip, Visitor};

    struct Moves;

    impl Visitor for Moves {
        type Tags = ();
        type Movetext = Vec<String>;
        type Output = Vec<String>;

        fn begin_tags(&mut self) -> ControlFlow<Vec<String>, ()> {
            ControlFlow::Continue(())
        }

        fn tag(&mut self, (): &mut (), _: &[u8], _: RawTag<'_>) -> ControlFlow<Vec<String>> {
            ControlFlow::Continue(())
        }

        fn begin_movetext(&mut self, (): ()) -> ControlFlow<Vec<String>, Vec<String>> {
            ControlFlow::Continue(Vec::new())
        }

        fn san(&mut self, moves: &mut Vec<String>, san: SanPlus) -> ControlFlow<Vec<String>> {
            moves.push(san.san.to_string());
            ControlFlow::Continue(())
        }

        fn begin_variation(&mut self, _: &mut Vec<String>) -> ControlFlow<Vec<String>, Skip> {
            panic!("a variation")
        }

        fn end_game(&mut self, moves: Vec<String>) -> Vec<String> {
            moves
        }
    }

    pub(super) fn moves(text: &str) -> Vec<Vec<String>> {
        let mut reader = Reader::new(text.as_bytes());
        reader.read_games(&mut Moves).map(Result::unwrap).collect()
    }
}

/// A thousand games with offers, claims, rulings, kings in the centre, moves that are not legal and
/// every kind of end. With `PGN_OUT` set, the texts are written there for other readers.
#[test]
#[allow(
    clippy::too_many_lines,
    reason = "one corpus, and each reader's view of it"
)]
fn a_thousand_games_are_read_by_others_with_the_moves_that_were_settled() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/games");
    let files = ["otb-2025.pgn", "rapid-2024-clocks.pgn", "online-draws.pgn"];
    let texts = files.map(|file| std::fs::read(format!("{data}/{file}")).unwrap());
    let games = texts
        .iter()
        .flat_map(|text| Games::new(text.as_slice()).map(Result::unwrap));
    let ends = [
        (ResultReason::Agreement, Score::Draw),
        (ResultReason::FlagFall, Score::WhiteWins),
        (ResultReason::IllegalMove, Score::BlackWins),
        (ResultReason::Arbiter, Score::BothLose),
    ];
    let mut random = fastrand::Rng::with_seed(33);
    let mut written = [String::new(), String::new()];
    let mut expected = Vec::new();
    for (number, game) in games.take(1_000).enumerate() {
        let start = Chess::default();
        let mut position = start.clone();
        let mut settled = Vec::new();
        for made in &game.moves {
            let played = made.to_move(&position).unwrap();
            let text = notation::MoveText::new(played, &position).san;
            position.play_unchecked(played);
            settled.push((text, made.clock_ms));
        }
        let mut moves: Vec<_> = settled
            .iter()
            .map(|(san, ms)| (san.as_str(), *ms))
            .collect();
        match number % 5 {
            0 => moves.extend([("Ke4", None), ("Ke5", None)]),
            1 => moves.push(("Qxh9", None)),
            _ => {}
        }
        // The kings may really go there; then they are moves.
        let legal = Written {
            moves: &moves,
            ..Written::of(&start)
        };
        let legal = legal.positions().count();
        let plies = u32::try_from(legal).unwrap();
        let remarks: Vec<_> = (0..random.u32(0..6))
            .map(|_| {
                let ply = random.u32(0..=plies);
                if random.bool() {
                    return Remark::offer(ply);
                }
                let text = "black claims {threefold} with Nf3, article 9.2: incorrect;\n\n[x]";
                Remark {
                    ply,
                    text: text.to_owned(),
                }
            })
            .collect();
        let (reason, result) = ends[number % ends.len()];
        let ending = Ending::of(reason, Some("9.1"));
        let over = number % 7 > 0;
        let game = Written {
            tags: &game.tags,
            moves: &moves,
            remarks: &remarks,
            uncertain_since: (number % 11 == 0).then_some(plies),
            missing_since: (number % 13 == 0).then_some(plies),
            result: if over { result } else { Score::None },
            ending: over.then_some(&ending),
            ..Written::of(&start)
        };
        written[0] += &game.to_text(&Archive);
        written[1] += &game.to_text(&Feed::default());
        let sans = moves[..legal]
            .iter()
            .map(|(san, _)| san.trim_end_matches(['+', '#']));
        expected.push(sans.map(str::to_owned).collect::<Vec<_>>());
    }
    assert_eq!(expected.len(), 1_000);
    for (name, text) in ["archive", "feed"].iter().zip(&written) {
        if let Ok(folder) = std::env::var("PGN_OUT") {
            std::fs::write(format!("{folder}/{name}.pgn"), text).unwrap();
            let lines: Vec<_> = expected.iter().map(|moves| moves.join(" ")).collect();
            std::fs::write(format!("{folder}/moves.txt"), lines.join("\n")).unwrap();
        }
        assert!(
            theirs::moves(text) == expected,
            "{name}: pgn-reader reads other moves"
        );
        let ours = Games::new(text.as_bytes()).map(Result::unwrap);
        for (game, expected) in ours.zip(&expected) {
            assert_eq!(game.unreadable, None);
            let moves: Vec<_> = game
                .moves
                .iter()
                .map(|m| m.text.trim_end_matches(['+', '#']))
                .collect();
            assert_eq!(&moves, expected, "{name}");
        }
        assert_eq!(Games::new(text.as_bytes()).count(), 1_000);
    }
    let names = written[1]
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split(' ').next());
    for name in names.filter(|name| !name.starts_with('%')) {
        assert!(
            name.bytes().all(|byte| byte.is_ascii_alphabetic()),
            "{name}"
        );
    }
}
