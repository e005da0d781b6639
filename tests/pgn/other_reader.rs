//! What the crate pgn-reader makes of the same texts: the reason for our own reader. DESIGN.md has
//! the table, which is verified here.

use std::{io, ops::ControlFlow};

use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Skip, Visitor};
use remisd::pgn::Games;

use super::played;

#[derive(Default)]
struct Collected {
    tags: usize,
    moves: Vec<String>,
}

struct Collector;

impl Visitor for Collector {
    type Tags = Collected;
    type Movetext = Collected;
    type Output = Collected;

    fn begin_tags(&mut self) -> ControlFlow<Collected, Collected> {
        ControlFlow::Continue(Collected::default())
    }

    fn tag(&mut self, tags: &mut Collected, _: &[u8], _: RawTag<'_>) -> ControlFlow<Collected> {
        tags.tags += 1;
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Collected) -> ControlFlow<Collected, Collected> {
        ControlFlow::Continue(tags)
    }

    fn san(&mut self, game: &mut Collected, san: SanPlus) -> ControlFlow<Collected> {
        game.moves.push(san.san.to_string());
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Collected) -> ControlFlow<Collected, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(&mut self, _: &mut Collected, _: Outcome) -> ControlFlow<Collected> {
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Collected) -> Collected {
        game
    }
}

/// The moves that pgn-reader returns, game by game.
fn theirs(text: &str) -> io::Result<Vec<String>> {
    let mut reader = Reader::new(text.as_bytes());
    let mut games = Vec::new();
    for game in reader.read_games(&mut Collector) {
        games.push(game?.moves.join(" "));
    }
    Ok(games)
}

/// Our moves, followed by the errors.
fn ours(text: &str) -> Vec<String> {
    let games = Games::new(text.as_bytes()).map(Result::unwrap);
    let read = games.map(|game| match played(&game) {
        (moves, None) => moves,
        (moves, Some(error)) => format!("{moves} [{error}]"),
    });
    read.collect()
}

#[test]
fn pgn_reader_passes_over_words_that_it_does_not_know() {
    // The text, the result of pgn-reader, and our result.
    let table: [(&str, &[&str], &[&str]); 12] = [
        (
            "1. e4 hello 2. Nf3 *",
            &["e4 Nf3"],
            &["e4 [line 1: \"hello\": not a move]"],
        ),
        (
            "1.e4 d5 2.e5 f5 3.exf6ep Nxf6 *",
            &["e4 d5 e5 f5 Nxf6"],
            &["e4 d5 e5 f5 exf6 Nxf6"],
        ),
        (
            "1. e4 d5 2. e:d5 Qxd5 *",
            &["e4 d5 Qxd5"],
            &["e4 d5 exd5 Qxd5"],
        ),
        ("1. e4+= e5 *", &["e5"], &["e4 e5"]),
        ("1. e4 e5 2. Nf3N Nc6 *", &["e4 e5 Nc6"], &["e4 e5 Nf3 Nc6"]),
        ("1. e2-e4 e7-e5 *", &[""], &["e4 e5"]),
        ("1. e4 e5 2. Sf3 Sc6 *", &["e4 e5"], &["e4 e5 Nf3 Nc6"]),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. o-o d6 *",
            &["e4 e5 Nf3 Nc6 Bc4 Bc5 d6"],
            &["e4 e5 Nf3 Nc6 Bc4 Bc5 O-O d6"],
        ),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 0-0\n",
            &["e4 e5 Nf3 Nc6 Bc4 Bc5 O-O"],
            &["e4 e5 Nf3 Nc6 Bc4 Bc5"],
        ),
        (
            "1. e4 e5\n\n2. Nf3 Nc6 *",
            &["e4 e5", "Nf3 Nc6"],
            &["e4 e5 Nf3 Nc6"],
        ),
        (
            "1. e4 e5 (1... c5 2. Nf3 1-0\n\n[White \"C\"]\n\n1. d4 *",
            &["e4 e5", "d4"],
            &["e4 e5 [line 1: \"(\": the variation is not closed]", "d4"],
        ),
        (
            "1. e4 e5 1-0 1. d4 d5 1-0",
            &["e4 e5 d4 d5"],
            &["e4 e5", "d4 d5"],
        ),
    ];
    for (text, theirs_expected, ours_expected) in table {
        assert_eq!(theirs(text).unwrap(), theirs_expected, "{text}");
        assert_eq!(ours(text), ours_expected, "{text}");
    }
}

#[test]
fn pgn_reader_loses_tags_and_games_by_what_is_not_closed() {
    let typographic = "[FEN “4k3/8/8/8/8/8/4P3/4K3 w - - 0 1”]\n\n1. e4 *";
    let mut reader = Reader::new(typographic.as_bytes());
    let game = reader.read_game(&mut Collector).unwrap().unwrap();
    assert_eq!(game.tags, 0, "the game would begin from the array");
    let open = "1. e4 {a comment\n\n[White \"B\"]\n\n1. d4 *";
    assert!(theirs(open).is_err(), "nothing of the file is left");
    assert_eq!(ours(open).len(), 2);
}
