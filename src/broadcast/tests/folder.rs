//! The files of boards whose number or game changes.

use super::*;

#[test]
fn a_board_that_gets_another_number_leaves_no_file_under_the_old_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder {
        path: place.path().to_owned(),
        dialect: DialectChoice::Feed,
    };
    let mut rounds = Rounds::new("open".parse().unwrap(), vec![board(1), board(2)]);
    let mut write = |number: u32, sheet: Sheet| {
        rounds.take(&board(number), sheet.game());
        let all = [board(1), board(2)];
        folder
            .write(&RoundText::of(&rounds, 3, None, &all))
            .unwrap();
        let files = fs::read_dir(place.path().join("round-3")).unwrap();
        let mut names: Vec<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let text = |name: &str| fs::read_to_string(place.path().join("round-3").join(name)).unwrap();
    let names = write(1, paired(5, "e4"));
    assert_eq!(names, ["game-1.pgn", "game-2.pgn", "games.pgn"]);
    // Its number is corrected, and no board has the old one.
    let names = write(1, paired(5, "e4").tag("Board", "7"));
    assert_eq!(names, ["game-2.pgn", "game-7.pgn", "games.pgn"]);
    // The old number is now that of a board without a game.
    let names = write(1, paired(5, "e4").tag("Board", "2"));
    assert_eq!(names, ["game-1.pgn", "game-2.pgn", "games.pgn"]);
    assert!(!text("game-1.pgn").contains("e4"), "{}", text("game-1.pgn"));
    assert_eq!(text("games.pgn").matches("1. e4").count(), 1);
    // A file that is not of this round stays.
    fs::write(
        place.path().join("round-3/game-9.pgn"),
        "[GameId \"x\"]\n\n*\n",
    )
    .unwrap();
    let names = write(1, paired(5, "e4 e5").tag("Board", "2"));
    assert!(names.contains(&"game-9.pgn".to_owned()), "{names:?}");
}

#[test]
fn a_board_without_a_game_replaces_no_game_in_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder {
        path: place.path().to_owned(),
        dialect: DialectChoice::Feed,
    };
    let write = |rounds: &Rounds| {
        let all = [board(1), board(2)];
        folder.write(&RoundText::of(rounds, 3, None, &all)).unwrap();
    };
    let new = || Rounds::new("open".parse().unwrap(), vec![board(1), board(2)]);
    let mut rounds = new();
    rounds.take(&board(1), paired(5, "e4 e5").result(Score::Draw).game());
    rounds.take(&board(2), paired(4, "d4").game());
    write(&rounds);
    // After a restart that has lost the state of board 1.
    let mut rounds = new();
    rounds.take(&board(2), paired(4, "d4 d5").game());
    write(&rounds);
    for name in ["game-1.pgn", "games.pgn"] {
        let text = fs::read_to_string(place.path().join("round-3").join(name)).unwrap();
        assert!(text.contains("1. e4"), "{name}: {text}");
    }
}
