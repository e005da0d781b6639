//! What Lichess shows after pushes, restarts and crashes.

use std::path::Path;

use super::*;

fn line(id: &str, event: &str, moves: &str) -> Line {
    Line {
        id: id.to_owned(),
        event: event.to_owned(),
        moves: moves.to_owned(),
        ..Line::default()
    }
}

#[test]
fn a_game_whose_id_is_no_longer_pushed_is_left_over_unless_another_one_continues_it() {
    let board: BoardId = "b1".parse().unwrap();
    // The pushed games, and what is shown then; a game that is left over has a star.
    for (pushes, expected) in [
        (
            vec![vec![("a", "E", "e4")], vec![("b", "E", "e4 e5")]],
            vec!["b"],
        ),
        (
            vec![vec![("a", "E", "e4")], vec![("b", "E", "")]],
            vec!["b"],
        ),
        (
            vec![vec![("a", "E", "e4")], vec![("b", "E", "d4")]],
            vec!["a*", "b"],
        ),
        (
            vec![vec![("a", "E", "e4")], vec![("b", "F", "e4")]],
            vec!["a*", "b"],
        ),
        (
            vec![
                vec![("a", "E", "e4")],
                vec![("b", "F", "e4")],
                vec![("a", "E", "e4")],
            ],
            vec!["a", "b*"],
        ),
        (
            vec![
                vec![("a", "E", "e4")],
                vec![("a", "E", "e4"), ("b", "E", "e4")],
            ],
            vec!["a", "b"],
        ),
        (vec![vec![("a", "E", "e4")], vec![]], vec!["a*"]),
        // A game that is refused neither continues another one nor is left over.
        (
            vec![vec![("a", "E", "e4")], vec![("b", "E", "refused")]],
            vec!["a*"],
        ),
        (
            vec![vec![("a", "E", "e4")], vec![("a", "E", "refused")]],
            vec!["a"],
        ),
    ] {
        let mut shown = ShownGames::default();
        for games in &pushes {
            let lines: Vec<Line> = games
                .iter()
                .map(|(id, event, moves)| line(id, event, moves))
                .collect();
            shown.take(
                "r",
                &board,
                &lines,
                |index| lines[index].moves != "refused",
                "t",
            );
        }
        let found = shown.of("r", &board).iter();
        let found: Vec<String> = found
            .map(|game| format!("{}{}", game.id, if game.left_over { "*" } else { "" }))
            .collect();
        assert_eq!(found, expected, "{pushes:?}");
    }
}

#[test]
fn tags_that_are_no_longer_pushed_are_named_until_they_are_pushed_again() {
    let board: BoardId = "b1".parse().unwrap();
    let mut shown = ShownGames::default();
    let mut stale = |tags: &[&str]| {
        let about = tags.iter().map(|&tag| tag.to_owned()).collect();
        let line = Line {
            about,
            ..line("g", "E", "e4")
        };
        shown.take("r", &board, &[line], |_| true, "t");
        let stale = shown.of("r", &board)[0].stale_tags.iter();
        stale.cloned().collect::<Vec<_>>()
    };
    assert!(stale(&["WhiteElo", "WhiteFideId"]).is_empty());
    assert_eq!(stale(&["WhiteElo"]), ["WhiteFideId"]);
    assert_eq!(stale(&["BlackElo"]), ["WhiteElo", "WhiteFideId"]);
    assert_eq!(stale(&["BlackElo", "WhiteFideId"]), ["WhiteElo"]);
}

fn shown(lines: &[&str]) -> Vec<(u32, String)> {
    let board: BoardId = "b1".parse().unwrap();
    let mut shown = ShownGames::default();
    for moves in lines {
        shown.take("r", &board, &[line("g", "", moves)], |_| true, "t");
    }
    let replaced = shown.of("r", &board)[0].replaced();
    replaced.map(|one| (one.ply, one.moves)).collect()
}

#[test]
fn replaced_moves_are_named_until_they_are_played_again() {
    assert_eq!(shown(&["", "e4", "e4 e5"]), []);
    let corrected = ["e4 e5 Nf3", "e4 c5"];
    assert_eq!(shown(&corrected), [(2, "e5 Nf3".to_owned())]);
    // A record that was shortened: Lichess still shows the rest.
    assert_eq!(shown(&["e4 e5 Nf3", "e4"]), [(2, "e5 Nf3".to_owned())]);
    assert_eq!(shown(&["e4 e5 Nf3", "e4", "e4 e5", "e4 e5 Nf3 d6"]), []);
    let thrice = ["e4 e5", "e4 e5 Nf3", "e4", "d4", "d4 d5"];
    assert_eq!(shown(&thrice), [(1, "e4 e5 Nf3".to_owned())]);
}

async fn open(directory: &Path) -> ShownGames {
    let mut shown = ShownGames::kept_in(Some(directory.to_owned().into()));
    assert!(shown.read().await.unwrap());
    shown
}

#[tokio::test]
async fn what_is_shown_survives_a_restart_until_the_round_is_reset() {
    let place = tempfile::tempdir().unwrap();
    let board: BoardId = "b1".parse().unwrap();
    let directory = place.path().join("shown");
    let mut before = open(&directory).await;
    for moves in ["e4", "d4"] {
        before.take("r", &board, &[line("g", "", moves)], |_| true, "t");
        before.keep().await.unwrap();
    }
    let mut after = open(&directory).await;
    assert_eq!(after.of("r", &board), before.of("r", &board));
    assert_eq!(after.of("r", &board)[0].replaced().count(), 1);
    after.forget("r");
    after.keep().await.unwrap();
    assert!(open(&directory).await.of("r", &board).is_empty());
}

#[tokio::test]
async fn what_was_sent_before_a_crash_is_known_after_it() {
    let place = tempfile::tempdir().unwrap();
    let board: BoardId = "b1".parse().unwrap();
    let directory = place.path().join("shown");
    let mut before = open(&directory).await;
    before.send("r", &board, &[line("g", "", "e4")], "t");
    before.take("r", &board, &[line("g", "", "e4")], |_| true, "t");
    before.send("r", &board, &[line("g", "", "d4")], "t");
    before.keep().await.unwrap();
    // The answer was never seen. Lichess may show both lines.
    let mut after = open(&directory).await;
    after.send("r", &board, &[line("g", "", "c4")], "t");
    after.take("r", &board, &[line("g", "", "c4")], |_| true, "t");
    let replaced = |shown: &ShownGames| -> Vec<String> {
        let replaced = shown.of("r", &board)[0].replaced();
        replaced.map(|one| one.moves).collect()
    };
    assert_eq!(replaced(&after), ["e4", "d4"]);
    // What Lichess has certainly not taken is not shown.
    after.send("r", &board, &[line("g", "", "b4")], "t");
    after.not_sent("r");
    after.send("r", &board, &[line("g", "", "c4 e5")], "t");
    after.take("r", &board, &[line("g", "", "c4 e5")], |_| true, "t");
    assert_eq!(replaced(&after), ["e4", "d4"]);
}
