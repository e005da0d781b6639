//! Orders: rounds that are created, closed and sent anew.

use super::*;

/// A hall without a round on Lichess, and an order to create one.
fn without_round(book: Book) -> (Hall, Request) {
    let order = (1..=2).map(board).collect();
    let rounds = Rounds::new("open".parse().unwrap(), order);
    let mut hall = Hall::with_book(Fake::default(), rounds, &[], book);
    for n in 1..=2 {
        hall.show(&board(n), sheet(n, 4));
    }
    let create = Request::Create {
        round: 1,
        name: "Round 1".to_owned(),
        rated: false,
        again: false,
    };
    (hall, create)
}

#[tokio::test(start_paused = true)]
async fn a_round_that_was_created_is_pushed_to_after_a_restart_too() {
    let place = tempfile::tempdir().unwrap();
    let book = || Book::kept_in(place.path().join("lichess.json"), None, || true);
    let (mut hall, create) = without_round(book());
    let operator = Role::Operator;
    let reset = Request::Reset { round: None };
    let early = hall.desk.take(operator, "0", None, reset).await;
    assert_eq!(early.unwrap_err().code, RefusalCode::WrongState);
    for _ in 0..2 {
        // The same id again: one round.
        let taken = hall.desk.take(operator, "1", None, create.clone()).await;
        taken.unwrap();
    }
    pass(4).await;
    assert_eq!(progress(&hall), [Progress::Done]);
    let id = hall.book.page().borrow().made[&1][0].clone();
    assert_eq!(hall.fake.chapters(&id).len(), 2);
    let again = hall.desk.take(operator, "2", None, create).await;
    assert_eq!(again.unwrap_err().code, RefusalCode::WrongState);
    hall = hall.restart_with(book());
    hall.show(&board(1), sheet(1, 6));
    pass(4).await;
    assert_eq!(hall.fake.chapters(&id)[0].line().split(' ').count(), 6);
    assert_eq!(hall.fake.created(), 1);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_makes_no_second_round() {
    let place = tempfile::tempdir().unwrap();
    let book = || Book::kept_in(place.path().join("lichess.json"), None, || true);
    let (mut hall, create) = without_round(book());
    hall.fake.lose_answers(1);
    let taken = hall
        .desk
        .take(Role::Operator, "1", None, create.clone())
        .await;
    taken.unwrap();
    pass(60).await;
    assert_eq!(progress(&hall), [Progress::Unknown]);
    pass(3_000).await;
    hall = hall.restart_with(book());
    pass(3_000).await;
    assert_eq!(hall.fake.created(), 1);
    let refused = hall.desk.take(Role::Operator, "2", None, create).await;
    let why = refused.unwrap_err();
    assert!(why.message.contains("may have created"), "{why:?}");
    // The operator has looked, and gives the id.
    let id = hall.fake.rounds().remove(0);
    let adopt = Request::Adopt {
        round: 1,
        id: id.clone(),
    };
    hall.desk
        .take(Role::Operator, "3", None, adopt)
        .await
        .unwrap();
    pass(4).await;
    assert_eq!(hall.fake.chapters(&id).len(), 2);
    assert_eq!(hall.fake.created(), 1);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_stops_while_it_creates_makes_no_second_round() {
    let place = tempfile::tempdir().unwrap();
    let book = || Book::kept_in(place.path().join("lichess.json"), None, || true);
    let (mut hall, create) = without_round(book());
    hall.desk
        .take(Role::Operator, "1", None, create)
        .await
        .unwrap();
    let mut page = hall.book.page();
    let sent = |page: &Page| page.orders.iter().any(|one| one.progress == Progress::Sent);
    page.wait_for(sent).await.unwrap();
    hall = hall.restart_with(book());
    pass(600).await;
    assert_eq!(progress(&hall), [Progress::Unknown]);
    assert!(hall.fake.created() <= 1);
}

#[tokio::test(start_paused = true)]
async fn a_closed_round_gets_nothing_until_it_is_reset() {
    let mut hall = Hall::open(1, &["aaaaaaaa"]);
    hall.show(&board(1), sheet(1, 4));
    pass(3).await;
    let close = |unfinished| Request::Close {
        round: Some(1),
        unfinished,
    };
    let early = hall.desk.take(Role::Arbiter, "1", None, close(false)).await;
    assert!(early.unwrap_err().message.contains("b1"));
    hall.desk
        .take(Role::Arbiter, "2", None, close(true))
        .await
        .unwrap();
    pass(3).await;
    assert!(hall.fake.is_finished("aaaaaaaa"));
    hall.show(&board(1), sheet(1, 6));
    pass(30).await;
    assert_eq!(
        hall.fake.chapters("aaaaaaaa")[0].line().split(' ').count(),
        4
    );
    let behind = |hall: &Hall| hall.report.borrow().all[0].behind;
    assert!(behind(&hall));
    let reset = Request::Reset { round: Some(1) };
    hall.desk
        .take(Role::Arbiter, "3", None, reset)
        .await
        .unwrap();
    pass(3).await;
    assert_eq!(
        hall.fake.chapters("aaaaaaaa")[0].line().split(' ').count(),
        6
    );
    assert!(!behind(&hall));
    assert_eq!(progress(&hall), [Progress::Done, Progress::Done]);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn orders_wait_out_a_429_and_an_outage_and_overlap_nothing() {
    let mut hall = Hall::open(4, &["aaaaaaaa"]);
    for n in 1..=4 {
        hall.show(&board(n), sheet(n, 4));
    }
    pass(3).await;
    hall.fake.refuse(2);
    let reset = Request::Reset { round: Some(1) };
    hall.desk
        .take(Role::Operator, "1", None, reset.clone())
        .await
        .unwrap();
    for plies in 5..15 {
        hall.show(&board(1), sheet(1, plies));
        pass(1).await;
    }
    assert_eq!(progress(&hall), [Progress::Waiting]);
    pass(900).await;
    assert_eq!(progress(&hall), [Progress::Done]);
    hall.fake.be_down(true);
    hall.desk
        .take(Role::Operator, "2", None, reset)
        .await
        .unwrap();
    pass(600).await;
    assert_eq!(progress(&hall)[1], Progress::Waiting);
    assert!(hall.report.borrow().halted_until.is_some());
    hall.fake.be_down(false);
    pass(2_400).await;
    assert_eq!(progress(&hall)[1], Progress::Done);
    assert_eq!(hall.fake.resets(), 2);
    assert_eq!(hall.shown()[0].1.split(' ').count(), 14);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn another_tournament_begins_without_the_rounds_of_the_last_one() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("lichess.json");
    let book = |tournament: &str| Book::kept_in(file.clone(), Some(tournament.to_owned()), || true);
    let (mut hall, create) = without_round(book("aprilOpn"));
    let taken = hall.desk.take(Role::Operator, "1", None, create.clone());
    taken.await.unwrap();
    pass(4).await;
    assert_eq!(progress(&hall), [Progress::Done]);
    let first = hall.book.page().borrow().made[&1][0].clone();
    let pushed = hall.fake.chapters(&first).len();
    hall = hall.restart_with(book("mayOpen1"));
    hall.show(&board(1), sheet(1, 6));
    pass(4).await;
    assert!(hall.book.page().borrow().made.is_empty());
    assert_eq!(hall.fake.chapters(&first).len(), pushed);
    assert_eq!(hall.fake.chapters(&first)[0].line().split(' ').count(), 4);
    let taken = hall.desk.take(Role::Operator, "2", None, create);
    taken.await.unwrap();
    pass(4).await;
    assert_eq!(hall.fake.created(), 2);
}

#[tokio::test(start_paused = true)]
async fn while_a_round_waits_to_be_created_no_other_is_adopted_for_it() {
    let mut hall = Hall::open(1, &["aaaaaaaa"]);
    hall.show(&board(1), sheet(1, 4));
    pass(3).await;
    hall.fake.refuse(1);
    let create = Request::Create {
        round: 2,
        name: "Round 2".to_owned(),
        rated: false,
        again: false,
    };
    let taken = hall.desk.take(Role::Operator, "1", None, create);
    taken.await.unwrap();
    pass(3).await;
    assert_eq!(progress(&hall), [Progress::Waiting]);
    let adopt = Request::Adopt {
        round: 2,
        id: "bbbbbbbb".to_owned(),
    };
    let refused = hall.desk.take(Role::Operator, "2", None, adopt).await;
    assert_eq!(refused.unwrap_err().code, RefusalCode::WrongState);
    hall.show(&board(1), sheet(1, 6));
    pass(600).await;
    let line = hall.fake.chapters("aaaaaaaa")[0].line();
    assert_eq!(line.split(' ').count(), 6);
    assert_eq!(progress(&hall), [Progress::Done]);
    assert_eq!(hall.fake.created(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_reset_is_ordered_once_and_a_later_one_ends_a_closing() {
    let mut hall = Hall::open(1, &["aaaaaaaa"]);
    hall.show(&board(1), sheet(1, 4));
    pass(3).await;
    hall.fake.be_down(true);
    let close = Request::Close {
        round: Some(1),
        unfinished: true,
    };
    let reset = || Request::Reset { round: Some(1) };
    let orders = [("1", close), ("2", reset())];
    for (id, request) in orders {
        let taken = hall.desk.take(Role::Arbiter, id, None, request);
        taken.await.unwrap();
    }
    let twice = hall.desk.take(Role::Operator, "3", None, reset()).await;
    assert_eq!(twice.unwrap_err().code, RefusalCode::WrongState);
    hall.fake.be_down(false);
    pass(3_000).await;
    assert_eq!(progress(&hall), [Progress::Failed, Progress::Done]);
    assert_eq!(hall.fake.resets(), 1);
    assert!(!hall.fake.is_finished("aaaaaaaa"));
}
