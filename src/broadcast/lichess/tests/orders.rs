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
    let book = || Book::kept_in(place.path().join("lichess.json"), || true);
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
    let book = || Book::kept_in(place.path().join("lichess.json"), || true);
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
    let book = || Book::kept_in(place.path().join("lichess.json"), || true);
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
