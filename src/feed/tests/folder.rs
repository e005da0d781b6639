//! Files as other programs leave them.

use std::fs;

use super::super::{
    choose::{FoundGame, FoundGames, Identity},
    place::{Place, PlaceError},
};

fn polls(place: &mut Place, times: usize) -> Vec<FoundGame> {
    let mut found = Vec::new();
    for _ in 0..times {
        found = place.poll().unwrap().games;
    }
    found
}

fn sans(found: &FoundGame) -> usize {
    found.game.plies.len()
}

fn board(place: &mut Place, number: u32, current: Option<&FoundGame>) -> FoundGame {
    let games = FoundGames::new(polls(place, 2));
    let current = current.map(FoundGame::identity).unwrap_or_default();
    games.of_board(number, &current).unwrap().clone()
}

#[test]
fn a_half_written_file_is_not_used_until_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, "1. e4 e5 2. Nf3 Nc6 3. O-O-O").unwrap();
    let mut place = Place::new(path.clone());
    assert!(polls(&mut place, 2).is_empty());
    fs::write(&path, "1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n").unwrap();
    assert_eq!(sans(&polls(&mut place, 2)[0]), 5);
    // A program that never writes the `*` is believed when its file stands still.
    fs::write(&path, "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6").unwrap();
    assert_eq!(sans(&polls(&mut place, 2)[0]), 5);
    assert_eq!(sans(&polls(&mut place, 1)[0]), 6);
}

#[test]
fn files_named_by_game_go_before_the_file_that_repeats_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("games.pgn", "1. a4 *\n\n1. h4 *\n"),
        ("game-1.pgn", "1. e4 *\n"),
        ("game-2.pgn", "1. d4 d5 *\n"),
        ("game-2.pgn.tmp", "1. d"),
        ("notes.txt", "1. c4 *"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut place = Place::new(folder.path().to_owned());
    assert_eq!(polls(&mut place, 2).len(), 2);
    assert_eq!(sans(&board(&mut place, 2, None)), 2);
}

#[test]
fn a_board_goes_on_to_the_next_round_when_it_is_played_there() {
    let folder = tempfile::tempdir().unwrap();
    let write = |round: u32, number: u32, text: &str| {
        let round = folder.path().join(format!("round-{round}"));
        fs::create_dir_all(&round).unwrap();
        fs::write(round.join(format!("game-{number}.pgn")), text).unwrap();
    };
    write(1, 1, "[White \"A\"]\n\n1. e4 1-0\n");
    write(1, 2, "[White \"B\"]\n\n1. d4 d5 *\n");
    write(2, 1, "[White \"C\"]\n\n*\n");
    write(2, 2, "[White \"D\"]\n\n*\n");
    let mut place = Place::new(folder.path().to_owned());
    let first = board(&mut place, 2, None);
    assert_eq!(first.game.tag("White"), Some("B"));
    write(2, 1, "[White \"C\"]\n\n1. c4 *\n");
    // Board 2 still plays.
    let same = board(&mut place, 2, Some(&first));
    assert_eq!(same.game.tag("White"), Some("B"));
    write(2, 2, "[White \"D\"]\n\n1. Nf3 *\n");
    let next = board(&mut place, 2, Some(&same));
    assert_eq!(next.game.tag("White"), Some("D"));
}

#[test]
fn a_game_is_found_again_by_its_id_whatever_its_file_is_called() {
    let folder = tempfile::tempdir().unwrap();
    let text = |id: &str, moves: &str| format!("[GameId \"{id}\"]\n[Round \"1\"]\n\n{moves} *\n");
    fs::write(folder.path().join("game-1.pgn"), text("x", "1. e4")).unwrap();
    fs::write(folder.path().join("game-2.pgn"), text("y", "1. d4")).unwrap();
    let mut place = Place::new(folder.path().to_owned());
    let first = board(&mut place, 1, None);
    fs::rename(
        folder.path().join("game-1.pgn"),
        folder.path().join("game-9.pgn"),
    )
    .unwrap();
    fs::rename(
        folder.path().join("game-2.pgn"),
        folder.path().join("game-1.pgn"),
    )
    .unwrap();
    let again = board(&mut place, 1, Some(&first));
    assert_eq!(again.game.tag("GameId"), Some("x"));
}

#[test]
fn tags_give_the_board_and_places_do_where_tags_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.pgn");
    fs::write(
        &path,
        "[Round \"3.7\"]\n\n1. e4 *\n\n[Round \"3.8\"]\n\n1. d4 d5 *\n",
    )
    .unwrap();
    let mut place = Place::new(path.clone());
    assert_eq!(sans(&board(&mut place, 8, None)), 2);
    fs::write(
        &path,
        "[Round \"3.1\"]\n\n1. e4 *\n\n[Round \"3.1\"]\n\n1. d4 d5 *\n",
    )
    .unwrap();
    assert_eq!(sans(&board(&mut place, 2, None)), 2);
}

#[test]
fn a_doubled_number_is_that_of_no_board_and_the_others_keep_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.pgn");
    let game = |number: u32, white: &str, moves: &str| {
        format!("[Round \"3.{number}\"]\n[White \"{white}\"]\n[Black \"B\"]\n\n{moves} *\n\n")
    };
    let three = [
        game(2, "A", "1. e4"),
        game(3, "C", "1. d4 d5"),
        game(2, "E", "1. c4 c5 2. g3"),
    ];
    fs::write(&path, three.concat()).unwrap();
    let mut place = Place::new(path.clone());
    assert_eq!(sans(&board(&mut place, 3, None)), 2);
    let games = FoundGames::new(polls(&mut place, 1));
    assert!(games.of_board(2, &Identity::default()).is_none());
    assert!(games.is_doubled(2) && !games.is_doubled(3));
    // A board that has one of the two keeps it, in doubt.
    let first = polls(&mut place, 1).remove(0);
    assert_eq!(sans(&board(&mut place, 2, Some(&first))), 1);
    let kept = games.of_board(2, &first.identity()).unwrap();
    assert!(games.shares_number(kept));
    let sure = games.of_board(3, &Identity::default()).unwrap();
    assert!(!games.shares_number(sure));
    // Of two games of the same players, the newest counts.
    fs::write(&path, three.concat().replace("\"A\"", "\"E\"")).unwrap();
    polls(&mut place, 2);
    assert_eq!(sans(&board(&mut place, 2, None)), 3);
}

#[test]
fn a_game_that_was_left_behind_in_a_round_of_one_board_is_never_taken_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.pgn");
    let game = |tag: &str, white: &str, moves: &str| {
        format!("{tag}\n[White \"{white}\"]\n[Black \"B\"]\n\n{moves} *\n\n")
    };
    let none = Identity::default();
    for tag in ["[Round \"3.1\"]", "[Round \"3\"]\n[Board \"1\"]"] {
        let both = [game(tag, "A", "1. e4"), game(tag, "C", "1. d4 d5")];
        fs::write(&path, both.concat()).unwrap();
        let mut place = Place::new(path.clone());
        let found = polls(&mut place, 2);
        let games = FoundGames::new(found.clone());
        for number in [1, 2] {
            assert!(games.of_board(number, &none).is_none(), "{tag}, {number}");
        }
        assert!(games.is_doubled(1));
        // A board that has one of the two keeps it by the players.
        for kept in &found {
            let game = games.of_board(1, &kept.identity()).unwrap();
            assert_eq!(game.game.plies, kept.game.plies);
            assert!(games.shares_number(game));
        }
        // Of two games of the same players, the newest counts.
        fs::write(&path, both.concat().replace("\"A\"", "\"C\"")).unwrap();
        polls(&mut place, 2);
        assert_eq!(sans(&board(&mut place, 1, None)), 2);
    }
    // The tag `Board` is a number of a board also without names.
    fs::write(
        &path,
        "[Board \"1\"]\n\n1. e4 *\n\n[Board \"1\"]\n\n1. d4 d5 *\n",
    )
    .unwrap();
    let mut place = Place::new(path.clone());
    let games = FoundGames::new(polls(&mut place, 2));
    assert!(games.of_board(1, &none).is_none() && games.is_doubled(1));
}

#[test]
fn files_have_numbers_that_are_in_doubt_if_the_tags_have_one_and_none_beside_the_tag_board() {
    let folder = tempfile::tempdir().unwrap();
    let write = |tag: &str| {
        for (number, white, moves) in [(1, "A", "1. e4"), (2, "C", "1. d4 d5")] {
            let text = format!("{tag}\n[White \"{white}\"]\n[Black \"B\"]\n\n{moves} *\n\n");
            fs::write(folder.path().join(format!("game-{number}.pgn")), text).unwrap();
        }
        FoundGames::new(polls(&mut Place::new(folder.path().to_owned()), 2))
    };
    let none = Identity::default();
    for (tag, is_doubtful) in [("[Round \"3\"]", false), ("[Round \"3.1\"]", true)] {
        let games = write(tag);
        for number in [1, 2] {
            let found = games.of_board(number, &none).unwrap();
            assert_eq!(sans(found), number as usize);
            assert_eq!(games.shares_number(found), is_doubtful, "{tag}");
        }
    }
    let games = write("[Round \"3\"]\n[Board \"1\"]");
    assert!(games.is_doubled(1));
    assert!(games.of_board(1, &none).is_none() && games.of_board(2, &none).is_none());
}

#[test]
fn names_that_are_entered_during_a_round_take_no_board_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("all.pgn");
    let mut place = Place::new(path.clone());
    let mut look = |named: usize, third: &str| {
        let moves = ["1. e4", "1. d4 d5", third];
        let games = moves.iter().enumerate().map(|(at, moves)| {
            let names = format!("[White \"A{at}\"]\n[Black \"B{at}\"]\n");
            let names = if at < named { &names } else { "" };
            format!("[Round \"3.1\"]\n{names}\n{moves} *\n\n")
        });
        fs::write(&path, games.collect::<String>()).unwrap();
        FoundGames::new(polls(&mut place, 2))
    };
    let games = look(0, "1. c4 c5 2. g3");
    let known = [1, 2, 3].map(|number| {
        let found = games.of_board(number, &Identity::default()).unwrap();
        assert_eq!(sans(found), number as usize);
        assert!(games.shares_number(found));
        found.identity()
    });
    for named in [1, 3] {
        let games = look(named, "1. c4 c5 2. g3 g6");
        for (number, plies) in [(1, 1), (2, 2), (3, 4)] {
            let found = games.of_board(number, &known[number as usize - 1]).unwrap();
            assert_eq!(sans(found), plies, "{named}, {number}");
            assert!(games.shares_number(found));
            // From now on by the names.
            let again = games.of_board(number, &found.identity()).unwrap();
            assert_eq!(sans(again), plies);
        }
    }
    // Another game in the place is not taken.
    let games = look(3, "1. Nf3");
    assert!(games.of_board(3, &known[2]).is_none());
}

#[test]
fn what_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("round-1");
    let error = Place::new(missing.clone()).poll().unwrap_err();
    assert!(
        matches!(&error, PlaceError::Missing(path) if *path == missing),
        "{error}"
    );
    let games = FoundGames::new(Vec::new());
    assert!(games.of_board(1, &Identity::default()).is_none());
}

#[test]
fn a_file_that_grows_byte_by_byte_never_gives_a_ply_that_was_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game-1.pgn");
    let whole = "[Result \"*\"]\n\n1. e4 d5 2. exd5 Qxd5 3. Nc3 Qd8 4. d4 Nf6 5. Bf4 c6 6. Qd2 Bf5 \
                 7. O-O-O e6 8. Re1 Bb4 *\n";
    let real = super::game(whole).plies;
    let mut place = Place::new(path.clone());
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        for found in polls(&mut place, 3) {
            let plies = &found.game.plies;
            assert_eq!(plies[..], real[..plies.len()], "after {length} bytes");
        }
    }
    assert_eq!(sans(&polls(&mut place, 2)[0]), real.len());
}

#[test]
fn a_change_that_neither_size_nor_time_shows_is_found_later() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let time = std::time::SystemTime::UNIX_EPOCH;
    let write = |text: &str| {
        fs::write(&path, text).unwrap();
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    write("1. e4 e5 *\n");
    let mut place = Place::new(path.clone());
    polls(&mut place, 2);
    write("1. e4 c5 *\n");
    let found = polls(&mut place, 8);
    assert_eq!(found[0].game.plies[1].m.to(), shakmaty::Square::C5);
}

#[test]
fn what_is_no_file_is_refused_without_being_opened() {
    let error = Place::new("/dev/zero".into()).poll().unwrap_err();
    assert!(matches!(error, PlaceError::NoFile(_)), "{error}");
}

#[test]
fn the_folder_names_the_round_of_games_without_one() {
    let folder = tempfile::tempdir().unwrap();
    let round = folder.path().join("round-4");
    fs::create_dir(&round).unwrap();
    fs::write(round.join("game-1.pgn"), "1. e4 *\n").unwrap();
    let mut place = Place::new(folder.path().to_owned());
    assert_eq!(polls(&mut place, 2)[0].game.tag("Round"), Some("4"));
}

#[test]
fn a_file_that_never_stands_still_is_read_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let mut place = Place::new(path.clone());
    let mut most = 0;
    for ply in 0..30 {
        let text = format!("{} *\n", "Nf3 Nf6 Ng1 Ng8 ".repeat(ply));
        fs::write(&path, text).unwrap();
        for found in polls(&mut place, 1) {
            most = most.max(sans(&found));
        }
    }
    assert!(most > 80, "{most} plies were read");
}

#[test]
fn a_file_that_cannot_be_read_takes_nothing_from_the_others() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("game-1.pgn"), "1. e4 *\n").unwrap();
    let long = fs::File::create(folder.path().join("game-2.pgn")).unwrap();
    long.set_len(17 * 1024 * 1024).unwrap();
    let mut place = Place::new(folder.path().to_owned());
    polls(&mut place, 2);
    let found = place.poll().unwrap();
    assert_eq!(found.games.len(), 1);
    assert!(
        found
            .trouble
            .unwrap()
            .contains("game-2.pgn has more than 16 MiB")
    );
}

#[test]
fn a_file_of_very_many_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    fs::write(&path, "1. e4 *\n\n".repeat(9_000)).unwrap();
    let mut place = Place::new(path);
    polls(&mut place, 2);
    assert!(
        place
            .poll()
            .unwrap()
            .trouble
            .unwrap()
            .contains("8,192 games")
    );
}

#[test]
fn a_board_keeps_its_players_when_the_program_orders_its_games_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.pgn");
    let one = "[Round \"1\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n";
    let two = "[Round \"1\"]\n[White \"C\"]\n[Black \"D\"]\n\n1. d4 *\n\n";
    fs::write(&path, format!("{one}{two}")).unwrap();
    let mut place = Place::new(path.clone());
    let first = board(&mut place, 1, None);
    fs::write(&path, format!("{two}{one}")).unwrap();
    let again = board(&mut place, 1, Some(&first));
    assert_eq!(again.game.tag("White"), Some("A"));
}

#[test]
fn a_round_in_which_the_board_has_not_moved_does_not_take_it_away() {
    let folder = tempfile::tempdir().unwrap();
    let write = |round: u32, number: u32, text: &str| {
        let round = folder.path().join(format!("round-{round}"));
        fs::create_dir_all(&round).unwrap();
        fs::write(round.join(format!("game-{number}.pgn")), text).unwrap();
    };
    write(1, 2, "1. d4 d5 *\n");
    write(2, 1, "1. c4 *\n");
    write(2, 2, "1. Nf3 *\n");
    let mut place = Place::new(folder.path().to_owned());
    let test_move = board(&mut place, 2, None);
    assert_eq!(test_move.game.tag("Round"), Some("2"));
    // The test move is taken back, and a daemon that begins anew finds the same.
    write(2, 2, "*\n");
    assert_eq!(
        board(&mut place, 2, Some(&test_move)).game.tag("Round"),
        Some("1")
    );
    assert_eq!(board(&mut place, 2, None).game.tag("Round"), Some("1"));
}

#[test]
fn files_without_numbers_count_in_the_order_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.pgn", "1. e4 *\n"),
        ("b.pgn", "1. d4 d5 *\n\n1. c4 c5 2. g3 *\n"),
        ("c.pgn", "1. Nf3 Nf6 2. g3 g6 *\n"),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let mut place = Place::new(folder.path().to_owned());
    for number in 1..=4 {
        assert_eq!(sans(&board(&mut place, number, None)), number as usize);
    }
    // A file that cannot be read moves no other.
    let long = fs::File::create(folder.path().join("a.pgn")).unwrap();
    long.set_len(17 * 1024 * 1024).unwrap();
    polls(&mut place, 3);
    assert_eq!(sans(&board(&mut place, 4, None)), 4);
}
