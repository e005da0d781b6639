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

#[test]
fn only_games_of_the_same_board_round_and_event_stay() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder {
        path: place.path().to_owned(),
        dialect: DialectChoice::Feed,
    };
    let file = |name: &str| place.path().join("round-3").join(name);
    // Board 2 has a game of its own; board 1 has none in this run.
    let mut rounds = Rounds::new("open".parse().unwrap(), vec![board(1), board(2)]);
    rounds.take(&board(2), paired(4, "d4").game());
    let round = RoundText::of(&rounds, 3, None, &[board(1), board(2)]);
    fs::create_dir(place.path().join("round-3")).unwrap();
    for (event, id, stays) in [
        ("Open", "remisd-open-3-b1-5", true),
        ("Open", "remisd-open-3-b1-5.2", true),
        ("Open of last year", "remisd-open-3-b1-5", false),
        ("Open", "remisd-other-3-b1-5", false),
        ("Open", "remisd-open-2-b1-5", false),
        ("Open", "remisd-open-3-b11-5", false),
        ("Open", "x", false),
        // The pairing was corrected: the round has this game at its board.
        ("Open", "remisd-open-3-b2-4.2", false),
    ] {
        let there = format!("[Event \"{event}\"]\n[GameId \"{id}\"]\n\n1. e4 *\n\n");
        fs::write(file("game-1.pgn"), there).unwrap();
        folder.write(&round).unwrap();
        for name in ["game-1.pgn", "games.pgn"] {
            let text = fs::read_to_string(file(name)).unwrap();
            assert_eq!(text.contains("1. e4"), stays, "{event} {id} {name}: {text}");
        }
    }
}

/// A folder that is written while its round is sent, and its report.
fn running(
    place: &Path,
) -> (
    watch::Sender<Published>,
    watch::Receiver<ExitReport>,
    impl Future<Output = ()> + use<>,
) {
    let folder = Folder {
        path: place.to_owned(),
        dialect: DialectChoice::Feed,
    };
    let mut rounds = Rounds::new("open".parse().unwrap(), vec![board(1), board(2)]);
    rounds.take(&board(1), paired(5, "e4").game());
    rounds.take(&board(2), paired(4, "d4").game());
    let all = [board(1), board(2)];
    let text = RoundText::of(&rounds, 3, None, &all);
    let published: Published = Arc::new(BTreeMap::from([(3, Arc::new(text))]));
    let (texts, seen) = watch::channel(published);
    let (report, reported) = watch::channel(ExitReport::default());
    let clock = Arc::new(SystemClock::new());
    (texts, reported, folder.run(seen, report, clock))
}

#[tokio::test]
async fn a_file_that_cannot_be_written_holds_back_no_other() {
    let place = tempfile::tempdir().unwrap();
    let round = place.path().join("round-3");
    // A directory has the name of the draft, and a file of another board cannot be read.
    fs::create_dir_all(round.join("game-1.pgn.tmp")).unwrap();
    fs::create_dir_all(round.join("game-9.pgn")).unwrap();
    let (_texts, mut reported, running) = running(place.path());
    let running = tokio::spawn(running);
    let failed = reported.wait_for(|report| report.error.is_some());
    let error = failed.await.unwrap().error.clone().unwrap();
    assert_eq!(error.cause, ExitCause::Disk);
    assert!(error.reason.as_str().contains("game-1.pgn"), "{error:?}");
    let text = |name: &str| fs::read_to_string(round.join(name)).unwrap();
    assert!(text("game-2.pgn").contains("1. d4"));
    let all = text("games.pgn");
    assert!(all.contains("1. e4") && all.contains("1. d4"), "{all}");
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_does_not_answer_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let pipe = place.path().join("round-3/game-1.pgn");
    fs::create_dir_all(pipe.parent().unwrap()).unwrap();
    // To open it for reading waits until it is opened for writing.
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    );
    made.unwrap();
    let (_texts, mut reported, running) = running(place.path());
    let running = tokio::spawn(running);
    // The clock stands while a file operation runs.
    let waits = async {
        loop {
            tokio::time::advance(Duration::from_secs(1)).await;
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = reported.wait_for(|report| report.error.is_some()) => {}
        () = waits => {}
    }
    let error = reported.borrow().error.clone().unwrap();
    assert_eq!(error.reason.as_str(), "the folder does not answer");
    fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    let done = reported.wait_for(|report| report.error.is_none() && report.at.is_some());
    done.await.unwrap();
    assert!(fs::read_to_string(&pipe).unwrap().contains("1. e4"));
    running.abort();
}
