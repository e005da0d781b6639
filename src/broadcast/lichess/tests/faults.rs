//! Rounds, games and orders that a faulty server does not take.

use super::*;

const FIRST: &str = "aaaaaaaa";
const SECOND: &str = "bbbbbbbb";
const TOURNAMENT: &str = "tourname";

async fn order(hall: &Hall, id: &str, request: Request) {
    let taken = hall.intake.take(Role::Operator, id, None, request).await;
    taken.unwrap();
}

fn create(round: u32) -> Request {
    Request::Create {
        round,
        name: "Round".to_owned(),
        rated: false,
        again: true,
    }
}

/// A hall of four boards, two in each Lichess round.
fn halves() -> Hall {
    let mut hall = Hall::open(4, &[FIRST, SECOND]);
    for n in 1..=4 {
        hall.show(&board(n), sheet(n, 2));
    }
    hall
}

#[tokio::test(start_paused = true)]
async fn no_report_and_no_order_holds_the_token_that_a_server_repeats() {
    for fault in [Fault::Echo, Fault::EchoInGames, Fault::Page] {
        let mut hall = Hall::open(2, &[FIRST]);
        hall.fake.spoil(FIRST, Some(fault));
        hall.fake.spoil(TOURNAMENT, Some(fault));
        hall.show(&board(1), sheet(1, 2));
        pass(3).await;
        order(&hall, "1", create(2)).await;
        order(&hall, "2", Request::Reset { round: Some(1) }).await;
        pass(5).await;
        let close = Request::Close {
            round: Some(1),
            unfinished: true,
        };
        order(&hall, "3", close).await;
        pass(5).await;
        let report = hall.report.borrow().clone();
        let orders = hall.orders.stored().borrow().orders.clone();
        let reasons: Vec<&String> = (report.rounds.values())
            .chain(report.games.values())
            .chain(orders.iter().filter_map(|order| order.reason.as_ref()))
            .collect();
        assert!(reasons.len() > 1, "{fault:?}: {report:?} {orders:?}");
        for reason in reasons {
            assert!(!reason.contains(TOKEN), "{fault:?}: {reason}");
            assert!(!reason.contains(char::is_control), "{fault:?}: {reason:?}");
            assert!(reason.chars().count() < 250, "{fault:?}: {reason}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_that_is_not_taken_holds_back_no_other_round_and_no_order() {
    for fault in [Fault::Echo, Fault::Page] {
        let mut hall = halves();
        hall.fake.spoil(FIRST, Some(fault));
        order(&hall, "1", create(2)).await;
        pass(6).await;
        assert_eq!(progress(&hall), [Progress::Done], "{fault:?}");
        for plies in 3..6 {
            hall.show(&board(3), sheet(3, plies));
            pass(3).await;
            let chapters = hall.fake.chapters(SECOND);
            assert_eq!(chapters[0].line().split(' ').count(), plies, "{fault:?}");
        }
        let report = hall.report.borrow().clone();
        let named: Vec<&String> = report.rounds.keys().collect();
        assert_eq!(named, [FIRST], "{fault:?}");
        let behind: Vec<bool> = report.all.iter().map(|round| round.behind).collect();
        assert_eq!(behind[..2], [true, false], "{fault:?}");
        assert_eq!(report.halted_until, None, "{fault:?}");
        // It is tried again by itself. A reset of it waits, unless it is refused.
        order(&hall, "2", Request::Reset { round: Some(1) }).await;
        pass(10).await;
        hall.fake.spoil(FIRST, None);
        pass(1_300).await;
        assert_eq!(hall.fake.chapters(FIRST).len(), 2, "{fault:?}");
        let ended = if fault == Fault::Echo {
            Progress::Failed
        } else {
            Progress::Done
        };
        assert_eq!(progress(&hall), [Progress::Done, ended], "{fault:?}");
        assert_eq!(hall.report.borrow().rounds, BTreeMap::new(), "{fault:?}");
        assert!(hall.report.borrow().all.iter().all(|round| !round.behind));
        assert_eq!(hall.fake.breaches(), Breaches::default(), "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn after_a_429_for_one_round_the_next_round_has_its_turn() {
    let hall = halves();
    hall.fake.spoil(FIRST, Some(Fault::TooMany));
    pass(5).await;
    assert!(hall.fake.chapters(SECOND).is_empty(), "all wait");
    pass(300).await;
    assert_eq!(hall.fake.chapters(SECOND).len(), 2);
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_is_refused_is_sent_again_and_holds_back_no_other_game() {
    let mut hall = Hall::open(2, &[FIRST]);
    hall.show(&board(1), sheet(1, 2));
    hall.show(&board(2), sheet(2, 2));
    pass(3).await;
    hall.fake.spoil(FIRST, Some(Fault::LastGame));
    hall.show(&board(2), sheet(2, 3).result(Score::Draw));
    pass(3).await;
    let is_behind = |hall: &Hall| hall.report.borrow().all[0].behind;
    assert!(is_behind(&hall));
    assert_eq!(
        hall.report.borrow().games[&board(2)],
        "Internal error, try again"
    );
    hall.show(&board(1), sheet(1, 5));
    pass(3).await;
    assert_eq!(hall.fake.chapters(FIRST)[0].line(), "e4 e5 Nf3 Nc6 Bb5");
    let before = hall.fake.pushes();
    pass(3_600).await;
    let again = hall.fake.pushes() - before;
    assert!((4..20).contains(&again), "{again} pushes in an hour");
    assert!(is_behind(&hall));
    hall.fake.spoil(FIRST, None);
    pass(1_300).await;
    assert!(!is_behind(&hall));
    assert_eq!(hall.report.borrow().games, BTreeMap::new());
    assert_eq!(hall.shown()[1].2, "1/2-1/2");
    let before = hall.fake.pushes();
    pass(3_600).await;
    assert_eq!(hall.fake.pushes(), before, "all of it is taken");
    assert_eq!(hall.fake.breaches(), Breaches::default());
}

#[tokio::test(start_paused = true)]
async fn a_round_that_is_in_use_is_not_taken_for_a_created_one() {
    let mut hall = Hall::open(1, &[FIRST]);
    hall.show(&board(1), sheet(1, 2));
    hall.fake.spoil(TOURNAMENT, Some(Fault::KnownId));
    order(&hall, "1", create(2)).await;
    pass(6).await;
    let stored = hall.orders.stored().borrow().clone();
    assert!(stored.made.is_empty(), "{stored:?}");
    assert_eq!(progress(&hall), [Progress::Unknown]);
    let reason = stored.orders[0].reason.clone().unwrap();
    assert!(reason.contains("in use already"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn the_newest_round_with_games_is_named_until_it_has_a_round_on_lichess() {
    let mut hall = Hall::open(1, &[]);
    pass(2).await;
    assert_eq!(hall.report.borrow().unassigned, None, "no game yet");
    hall.show(&board(1), sheet(1, 2));
    pass(2).await;
    assert_eq!(hall.report.borrow().unassigned, Some(1));
    order(&hall, "1", create(1)).await;
    pass(5).await;
    assert_eq!(hall.report.borrow().unassigned, None);
    assert!(hall.report.borrow().pushes > 0);
}
