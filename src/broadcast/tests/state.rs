//! The state on a disk that is away, hangs or is damaged.

use super::*;

/// A disk that is there, away, or does not answer.
#[derive(Clone)]
struct Disk(Arc<Mutex<bool>>);

impl Disk {
    fn there(is_there: bool) -> Self {
        Self(Arc::new(Mutex::new(is_there)))
    }

    fn set(&self, is_there: bool) {
        *self.0.lock().unwrap() = is_there;
    }

    fn state(&self, place: &Path) -> StatePlace {
        let disk = self.clone();
        StatePlace::new(place.join("state"), move || {
            let is_there = *disk.0.lock().unwrap();
            is_there
                .then_some(())
                .ok_or_else(|| io::Error::other("no disk"))
        })
    }
}

#[tokio::test]
async fn an_id_leaves_only_once_it_is_on_the_disk() {
    let place = tempfile::tempdir().unwrap();
    let disk = Disk::there(true);
    let mut hall = Hall::open_in(place.path(), disk.state(place.path()));
    let mut exits = hall.texts.clone();
    let kept = || fs::read_to_string(place.path().join("state/3-b1.json")).unwrap();
    hall.complete().await;
    hall.show(1, paired(5, "e4")).await;
    exits.changed().await.unwrap();
    assert!(kept().contains("\"e4\""), "{}", kept());
    hall.show(2, paired(4, "d4")).await;
    hall.has("1. d4").await;

    // A game with a known id goes on although the disk takes nothing.
    disk.set(false);
    hall.show(1, paired(5, "e4 e5")).await;
    hall.has("1. e4 {[%clk 1:29:53]} e5").await;
    hall.is_kept(false).await;
    // Another pairing has another id, and waits. The other board does not.
    let other = |moves| {
        Sheet::new(5)
            .paired(3, "Berg, Otto", "Black, B")
            .moves(moves)
    };
    hall.show(1, other("e4 e5 Nf3")).await;
    hall.show(2, paired(4, "d4 d5")).await;
    hall.has("1. d4 {[%clk 1:29:53]} d5").await;
    let text = hall.texts.borrow()[&3].joined(|texts| &texts.feed);
    assert!(!text.contains("Berg") && !text.contains("Nf3"), "{text}");
    assert!(text.contains("1. e4"), "what has left stays: {text}");
    // So does the next game of a board.
    hall.show(2, paired(4, "d4 d5").result(Score::Draw)).await;
    hall.show(2, paired(6, "c4")).await;
    hall.show(1, paired(5, "e4 e5 Bc4")).await;
    hall.has("Bc4").await;
    let text = hall.texts.borrow()[&3].joined(|texts| &texts.feed);
    assert!(!text.contains("1. c4") && text.contains("d5"), "{text}");
    // And a round of which no game is known.
    let next = |game| {
        Sheet::new(game)
            .paired(4, "White, A", "Black, B")
            .moves("f4")
    };
    hall.show(1, next(8)).await;
    hall.show(2, paired(4, "d4 d5")).await;
    hall.show(1, paired(5, "e4 e5 Bc4 Bc5")).await;
    hall.has("Bc5").await;
    assert!(!hall.texts.borrow().contains_key(&4));
    assert!(!kept().contains("Berg"), "{}", kept());

    disk.set(true);
    hall.has("1. c4").await;
    hall.has("1. f4").await;
    hall.is_kept(true).await;
    assert!(
        kept().contains("Berg"),
        "who has played is known: {}",
        kept()
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_written_holds_back_its_board_alone() {
    let place = tempfile::tempdir().unwrap();
    let obstacle = place.path().join("state/3-b1.json.tmp");
    fs::create_dir_all(&obstacle).unwrap();
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, paired(5, "e4")).await;
    hall.show(2, paired(4, "d4")).await;
    hall.has("1. d4").await;
    hall.is_kept(false).await;
    let reason = hall.unkept.borrow().clone().unwrap();
    assert!(reason.contains("3-b1.json"), "{reason}");
    let round = hall.texts.borrow()[&3].clone();
    assert_eq!((round.games[0].count, round.games[1].count), (0, 1));
    hall.show(2, paired(4, "d4 d5")).await;
    hall.has("d5").await;
    fs::remove_dir(&obstacle).unwrap();
    hall.has("1. e4").await;
    hall.is_kept(true).await;
}

#[tokio::test]
async fn a_file_that_cannot_be_read_now_is_read_later_and_not_lost() {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let (file, away) = (state.join("3-b1.json"), place.path().join("away"));
    let sheet = |white, moves| Sheet::new(5).paired(3, white, "Black, B").moves(moves);
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, sheet("Berg, Otto", "e4")).await;
    hall.has("Berg").await;
    hall.show(1, sheet("Smith, A", "e4")).await;
    hall.has("remisd-open-3-b1-5.2").await;
    hall.cancel.cancel();
    fs::rename(&file, &away).unwrap();
    // Each access fails, until the link is gone.
    std::os::unix::fs::symlink("3-b1.json", &file).unwrap();

    let mut hall = Hall::open(place.path());
    hall.is_kept(false).await;
    hall.show(1, sheet("Smith, A", "e4 e5")).await;
    hall.show(2, paired(4, "d4")).await;
    hall.complete().await;
    hall.has("1. d4").await;
    assert_eq!(
        hall.texts.borrow()[&3].games[0].count,
        0,
        "its id is not known"
    );
    let reason = hall.unkept.borrow().clone().unwrap();
    assert!(reason.contains("3-b1.json"), "{reason}");
    assert!(file.is_symlink(), "it is neither overwritten nor set aside");
    fs::rename(&away, &file).unwrap();
    hall.has("remisd-open-3-b1-5.2").await;
    hall.is_kept(true).await;
}

#[tokio::test]
async fn nothing_is_written_before_the_disk_is_there_and_nothing_is_forgotten() {
    let place = tempfile::tempdir().unwrap();
    let (state, hidden) = (place.path().join("state"), place.path().join("hidden"));
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, paired(5, "e4 c5").result(Score::Draw)).await;
    hall.has("c5").await;
    hall.cancel.cancel();
    fs::rename(&state, &hidden).unwrap();

    let disk = Disk::there(false);
    let mut hall = Hall::open_in(place.path(), disk.state(place.path()));
    hall.complete().await;
    hall.show(1, paired(9, "c4")).await;
    hall.is_kept(false).await;
    assert!(hall.unkept.borrow().as_deref().unwrap().contains("no disk"));
    assert!(!state.exists(), "it would be hidden by the disk");
    assert!(hall.texts.borrow().is_empty());

    fs::rename(&hidden, &state).unwrap();
    disk.set(true);
    hall.has("1. c4").await;
    let games = hall.texts.borrow()[&3].games[0].clone();
    assert!(
        games.count == 2 && games.texts.feed.contains("c5"),
        "{games:?}"
    );
}

#[tokio::test]
async fn a_disk_that_does_not_answer_blocks_no_thread_and_is_reported() {
    let place = tempfile::tempdir().unwrap();
    let (release, hang) = std::sync::mpsc::channel::<()>();
    let hang = Mutex::new(hang);
    let state = StatePlace::new(place.path().join("state"), move || {
        // It hangs until the test drops the sender.
        hang.lock().unwrap().recv().ok();
        Ok(())
    });
    let mut hall = Hall::open_in(place.path(), state);
    hall.complete().await;
    hall.show(1, paired(5, "e4")).await;
    hall.is_kept(false).await;
    let error = hall.unkept.borrow().clone().unwrap();
    assert_eq!(error, "the disk does not answer");
    assert!(hall.texts.borrow().is_empty());
    drop(release);
    hall.has("1. e4").await;
    hall.is_kept(true).await;
}

#[tokio::test]
async fn a_damaged_state_is_set_aside_and_the_rest_is_restored() {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    fs::create_dir(&state).unwrap();
    fs::write(state.join("3-b1.json"), "{").unwrap();
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, paired(5, "e4")).await;
    hall.has("1. e4").await;
    let aside = fs::read_to_string(state.join("3-b1.json.damaged-1")).unwrap();
    assert_eq!(aside, "{");
}

#[tokio::test]
async fn a_board_two_rounds_behind_brings_back_no_round_without_its_games() {
    let place = tempfile::tempdir().unwrap();
    let sheet = |round, moves| {
        let sheet = Sheet::new(u64::from(round));
        sheet.paired(round, "White, A", "Black, B").moves(moves)
    };
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    for (round, moves) in [(2, "e4"), (3, "d4")] {
        hall.show(1, sheet(round, moves)).await;
        hall.has(&format!("1. {moves}")).await;
    }
    hall.cancel.cancel();
    let mut hall = Hall::open(place.path());
    hall.show(2, sheet(1, "c4")).await;
    hall.show(1, sheet(3, "d4 d5")).await;
    hall.complete().await;
    hall.has("d5").await;
    let rounds = |hall: &Hall| hall.texts.borrow().keys().copied().collect::<Vec<_>>();
    assert_eq!(rounds(&hall), [2, 3]);
    // A correction of its game does not, either.
    hall.show(2, sheet(1, "c4").result(Score::Draw)).await;
    hall.show(1, sheet(3, "d4 d5 Nf3")).await;
    hall.has("Nf3").await;
    assert_eq!(rounds(&hall), [2, 3]);
    assert!(!place.path().join("pgn/round-1").exists());
}

#[tokio::test]
async fn a_mistyped_round_is_published_once_without_games_and_then_gone() {
    let place = tempfile::tempdir().unwrap();
    let sheet = |round, moves| {
        Sheet::new(5)
            .paired(round, "White, A", "Black, B")
            .moves(moves)
    };
    let mut hall = Hall::open(place.path());
    let mut newest = router(hall.texts.clone(), DialectChoice::Feed);
    hall.complete().await;
    hall.show(1, sheet(33, "e4")).await;
    hall.has("Round \"33.1\"").await;
    hall.show(1, sheet(3, "e4")).await;
    hall.has("Round \"3.1\"").await;
    assert!(!hall.texts.borrow()[&33].has_games());
    let (_, _, text) = get(&mut newest, "/pgn/round.pgn", None).await;
    assert!(text.contains("Round \"3.1\""), "{text}");
    hall.show(1, sheet(3, "e4 e5")).await;
    hall.has("e5").await;
    assert_eq!(hall.texts.borrow().keys().copied().collect::<Vec<_>>(), [3]);
}

#[tokio::test]
async fn after_a_restart_with_a_full_disk_games_with_known_ids_go_on() {
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state");
    let mut hall = Hall::open(place.path());
    hall.complete().await;
    hall.show(1, paired(5, "e4")).await;
    hall.show(2, paired(4, "d4")).await;
    hall.has("1. e4").await;
    hall.has("1. d4").await;
    hall.cancel.cancel();
    for name in ["3-b1.json", "3-b2.json"] {
        assert!(state.join(name).is_file());
        // No draft of the file can be written.
        fs::create_dir(state.join(format!("{name}.tmp"))).unwrap();
    }
    let mut hall = Hall::open(place.path());
    hall.show(1, paired(5, "e4 e5")).await;
    hall.complete().await;
    hall.has("e5").await;
    hall.is_kept(false).await;
    let text = hall.texts.borrow()[&3].joined(|texts| &texts.feed);
    assert!(text.contains("1. d4"), "{text}");
    // Other people have another id, which is on no disk.
    let other = Sheet::new(5).paired(3, "Berg, Otto", "Black, B");
    hall.show(1, other.moves("e4 e5 Nf3")).await;
    hall.show(2, paired(4, "d4 d5")).await;
    hall.has("d5").await;
    let text = hall.texts.borrow()[&3].joined(|texts| &texts.feed);
    assert!(text.contains("e5") && !text.contains("Berg"), "{text}");
}
