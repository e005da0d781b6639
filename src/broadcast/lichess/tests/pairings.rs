//! Pairings that change in mid-round, and what Lichess then shows.

use super::*;

const ROUND: &str = "aaaaaaaa";

/// A game of these two at an event.
fn played(event: &str, white: &str, black: &str, moves: &str) -> Sheet {
    let sheet = Sheet::new(5).paired(1, white, black).tag("Event", event);
    sheet.moves(moves)
}

/// The ids on Lichess and the number of games there.
fn ids(hall: &Hall) -> Vec<String> {
    let chapters = hall.fake.chapters(ROUND).into_iter();
    let ids = chapters.map(|chapter| chapter.tag("GameId").unwrap().to_owned());
    ids.collect()
}

/// The ids of a board that the report names as left over.
fn left_over(hall: &Hall, number: u32) -> Vec<String> {
    let report = hall.report.borrow();
    let shown = report
        .shown
        .get(&board(number))
        .and_then(|rounds| rounds.get(ROUND));
    let left = shown.into_iter().flatten().filter(|game| game.left_over);
    left.map(|game| game.id.clone()).collect()
}

async fn reset(hall: &Hall, id: &str) {
    let taken = hall
        .intake
        .take(Role::Arbiter, id, None, Request::Reset { round: None });
    taken.await.unwrap();
    pass(3).await;
}

#[tokio::test(start_paused = true)]
async fn a_corrected_name_keeps_the_chapter_and_its_id() {
    let mut hall = Hall::keeping(2, &[ROUND]);
    hall.show(
        &board(1),
        played("Open", "Smyth, J", "Müller, Jürgen", "e4"),
    );
    hall.show(&board(2), sheet(2, 3));
    pass(3).await;
    let before = ids(&hall);
    for (white, black) in [
        ("Smith, John", "Mueller, Juergen"),
        ("John Smith", "MUELLER JUERGEN"),
    ] {
        hall = hall.restart();
        hall.show(&board(1), played("Open", white, black, "e4 e5"));
        pass(3).await;
        assert_eq!(ids(&hall), before);
        assert_eq!(hall.fake.chapters(ROUND)[0].tag("White"), Some(white));
    }
    assert_eq!(left_over(&hall, 1), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn other_people_get_another_id_and_lichess_continues_the_chapter_with_the_same_moves() {
    let mut hall = Hall::keeping(2, &[ROUND]);
    hall.show(&board(1), played("Open", "Smith, A", "Jansen, P", "e4"));
    hall.show(&board(2), sheet(2, 3));
    pass(3).await;
    hall.show(&board(1), played("Open", "Jansen, P", "Smith, A", "e4 e5"));
    pass(3).await;
    assert_eq!(ids(&hall), ["remisd-open-1-b1-5.2", "remisd-open-1-b2-2"]);
    assert_eq!(hall.fake.chapters(ROUND)[0].line(), "e4 e5");
    assert_eq!(left_over(&hall, 1), [""; 0]);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_chapter_that_is_left_over_is_named_until_the_round_is_reset() {
    let mut hall = Hall::keeping(2, &[ROUND]);
    hall.show(&board(1), played("Open", "Smith, A", "Jansen, P", "e4 e5"));
    // With the same moves at board 2, Lichess would take that game for the old one.
    hall.show(&board(2), sheet(2, 0).moves("d4 d5"));
    pass(3).await;
    // Another section plays at the board: Lichess cannot take it for the same game.
    hall.show(
        &board(1),
        played("Section B", "Berg, O", "Kok, L", "e4 e5 Nf3"),
    );
    pass(3).await;
    let old = "remisd-open-1-b1-5";
    assert_eq!(
        ids(&hall),
        [old, "remisd-open-1-b2-2", "remisd-open-1-b1-5.2"]
    );
    assert_eq!(left_over(&hall, 1), [old]);
    assert_eq!(left_over(&hall, 2), [""; 0]);
    // The report is there after a restart, before anything is pushed.
    hall.fake.be_down(true);
    hall = hall.restart();
    pass(1).await;
    assert_eq!(left_over(&hall, 1), [old]);
    hall.fake.be_down(false);
    pass(300).await;
    assert_eq!(left_over(&hall, 1), [old]);
    reset(&hall, "1").await;
    assert_eq!(ids(&hall), ["remisd-open-1-b1-5.2", "remisd-open-1-b2-2"]);
    assert_eq!(left_over(&hall, 1), [""; 0]);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn tags_of_the_player_before_are_named_until_the_round_is_reset() {
    let mut hall = Hall::keeping(1, &[ROUND]);
    let before = played("Open", "Smith, A", "Jansen, P", "e4");
    hall.show(&board(1), before.tag("WhiteFideId", "1000001"));
    pass(3).await;
    hall.show(&board(1), played("Open", "Berg, O", "Jansen, P", "e4 e5"));
    pass(3).await;
    let stale = |hall: &Hall| {
        let shown = hall.report.borrow().shown[&board(1)][ROUND].clone();
        shown[0].stale_tags.iter().cloned().collect::<Vec<_>>()
    };
    let chapter = hall.fake.chapters(ROUND).remove(0);
    assert_eq!(chapter.tag("White"), Some("Berg, O"));
    assert_eq!(
        chapter.tag("WhiteFideId"),
        Some("1000001"),
        "as Lichess does"
    );
    assert_eq!(stale(&hall), ["WhiteFideId"]);
    reset(&hall, "1").await;
    assert_eq!(hall.fake.chapters(ROUND)[0].tag("WhiteFideId"), None);
    assert_eq!(stale(&hall), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_new_id_and_corrected_moves_wait_until_they_are_noted() {
    const OTHER: &str = "bbbbbbbb";
    let sheet = |moves| Sheet::new(5).paired(1, "White, A", "Black, B").moves(moves);
    let mut hall = Hall::keeping(2, &[ROUND, OTHER]);
    hall.show(&board(1), sheet("e4 e5"));
    pass(10).await;
    let lines = |hall: &Hall| -> Vec<String> {
        let shown = hall.shown().into_iter();
        shown.map(|(_, line, _)| line).collect()
    };
    let before = lines(&hall);
    // Directories have the names of the drafts.
    let state = hall.shown.as_ref().unwrap().path().join("shown");
    let obstacles = [(ROUND, 1), (OTHER, 2)].map(|(round, number)| {
        let name = format!("{round}-{}.json.tmp", board(number));
        state.join(name)
    });
    for obstacle in &obstacles {
        std::fs::create_dir(obstacle).unwrap();
    }
    hall.show(&board(2), sheet("d4"));
    pass(10).await;
    assert_eq!(lines(&hall), before, "a new id waits");
    assert!(hall.report.borrow().fault.is_some());
    // What continues goes on.
    hall.show(&board(1), sheet("e4 e5 Nf3"));
    pass(10).await;
    let after = lines(&hall);
    assert!(after.iter().any(|line| line.contains("Nf3")), "{after:?}");
    hall.show(&board(1), sheet("e4 c5"));
    pass(10).await;
    assert_eq!(lines(&hall), after, "a correction waits");
    for obstacle in &obstacles {
        std::fs::remove_dir(obstacle).unwrap();
    }
    pass(10).await;
    let shown = hall.report.borrow().shown[&board(1)][ROUND].clone();
    assert_eq!(shown[0].replaced().count(), 1, "{shown:?}");
    assert!(hall.report.borrow().shown[&board(2)].contains_key(OTHER));
    assert!(hall.report.borrow().fault.is_none());
}
