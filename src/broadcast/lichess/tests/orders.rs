//! Orders: rounds that are created, closed and sent anew.

use super::*;

/// What happens in a hall of two boards whose games have four plies, one after the other.
#[derive(Clone)]
enum Step {
    /// An order is given, and accepted.
    Take(&'static str, Request),
    /// An order is given, and refused with these words.
    Refused(&'static str, Request, RefusalCode, &'static str),
    /// So many seconds pass.
    Pass(u64),
    /// Board 1 has so many plies.
    Plies(usize),
    /// Lichess goes away, or comes back.
    Down(bool),
    /// Lichess answers so many requests with 429.
    TooMany(u32),
    /// Lichess carries out so many requests, and their answers are lost.
    LoseAnswers(u32),
    /// An order was sent, and is not answered.
    UntilSent,
    /// The daemon is stopped and started.
    Restart,
    /// The orders are so far.
    Are(&'static [Progress]),
    /// A Lichess round shows board 1 with so many plies.
    Shows(&'static str, usize),
    /// The first Lichess round is finished.
    Finished(bool),
    /// The report says that the public has seen more than the first Lichess round has.
    Behind(bool),
}

/// What Lichess has done in the end.
#[derive(Debug, PartialEq, Eq)]
struct Done {
    created: u32,
    resets: u32,
}

use Progress::{Failed, Unknown, Waiting};
use Step::{
    Are, Behind, Down, Finished, LoseAnswers, Pass, Plies, Refused, Restart, Shows, Take, TooMany,
    UntilSent,
};

/// The configured round.
const ROUND: &str = "aaaaaaaa";
/// The first round that the fake creates.
const CREATED: &str = "new00000";

fn create(round: u32) -> Request {
    Request::Create {
        round,
        name: "Round".to_owned(),
        rated: false,
        again: false,
    }
}

fn adopt(round: u32, id: &str) -> Request {
    let id = id.to_owned();
    Request::Adopt { round, id }
}

const fn reset() -> Request {
    Request::Reset { round: Some(1) }
}

const fn close(unfinished: bool) -> Request {
    Request::Close {
        round: Some(1),
        unfinished,
    }
}

/// Carries out the steps with these configured rounds.
async fn carry_out(name: &str, rounds: &[&str], steps: Vec<Step>) -> Done {
    let place = tempfile::tempdir().unwrap();
    let store = || OrderStore::kept_in(place.path().join("lichess.json").into(), None);
    let order = (1..=2).map(board).collect();
    let games = Rounds::new("open".parse().unwrap(), order);
    let mut hall = Hall::with_store(Fake::with_rounds(rounds), games, rounds, store());
    for n in 1..=2 {
        hall.show(&board(n), sheet(n, 4));
    }
    if !rounds.is_empty() {
        pass(3).await;
    }
    for (number, step) in steps.into_iter().enumerate() {
        let at = format!("{name}, step {number}");
        match step {
            Take(id, request) => {
                let taken = hall.intake.take(Role::Operator, id, None, request).await;
                taken.expect(&at);
            }
            Refused(id, request, code, words) => {
                let taken = hall.intake.take(Role::Arbiter, id, None, request).await;
                let refused = taken.unwrap_err();
                assert_eq!(refused.code, code, "{at}");
                assert!(refused.message.contains(words), "{at}: {refused:?}");
            }
            Pass(seconds) => pass(seconds).await,
            Plies(plies) => hall.show(&board(1), sheet(1, plies)),
            Down(down) => hall.fake.be_down(down),
            TooMany(requests) => hall.fake.refuse(requests),
            LoseAnswers(requests) => hall.fake.lose_answers(requests),
            UntilSent => {
                let mut stored = hall.orders.stored();
                let is_sent = |one: &PlacedOrder| one.progress == Progress::Sent;
                let sent = stored.wait_for(|stored| stored.orders.iter().any(is_sent));
                sent.await.expect(&at);
            }
            Restart => hall = hall.restart_with(store()),
            Are(expected) => assert_eq!(progress(&hall), expected, "{at}"),
            Shows(round, plies) => {
                let chapters = hall.fake.chapters(round);
                assert_eq!(chapters.len(), 2, "{at}");
                assert_eq!(chapters[0].line().split(' ').count(), plies, "{at}");
            }
            Finished(finished) => {
                let first = hall.fake.rounds().remove(0);
                assert_eq!(hall.fake.is_finished(&first), finished, "{at}");
            }
            Behind(behind) => assert_eq!(hall.report.borrow().all[0].behind, behind, "{at}"),
        }
    }
    assert_eq!(hall.fake.breaches(), Breaches::default(), "{name}");
    Done {
        created: hall.fake.created(),
        resets: hall.fake.resets(),
    }
}

/// What happens, the configured rounds, and what Lichess has done: created, reset.
type Case = (&'static str, &'static [&'static str], Vec<Step>, (u32, u32));

const STATE: RefusalCode = RefusalCode::WrongState;
const ALL_DONE: &[Progress] = &[Progress::Done];

fn creations() -> Vec<Case> {
    vec![
        (
            "a round that was created is pushed to after a restart too",
            &[],
            vec![
                Refused(
                    "0",
                    Request::Reset { round: None },
                    STATE,
                    "no round with games",
                ),
                // The same id again: one round.
                Take("1", create(1)),
                Take("1", create(1)),
                Pass(4),
                Are(ALL_DONE),
                Shows(CREATED, 4),
                Refused("2", create(1), STATE, "on Lichess already"),
                Restart,
                Plies(6),
                Pass(4),
                Shows(CREATED, 6),
            ],
            (1, 0),
        ),
        (
            "a lost answer makes no second round, and its id can be given",
            &[],
            vec![
                LoseAnswers(1),
                Take("1", create(1)),
                Pass(60),
                Are(&[Unknown]),
                Pass(3_000),
                Restart,
                Pass(3_000),
                Refused("2", create(1), STATE, "may have created"),
                Take("3", adopt(1, CREATED)),
                Pass(4),
                Shows(CREATED, 4),
            ],
            (1, 0),
        ),
        (
            "while a round waits to be created, no other one is adopted, and games are pushed",
            &[ROUND],
            vec![
                TooMany(1),
                Take("1", create(2)),
                Pass(3),
                Are(&[Waiting]),
                Refused("2", adopt(2, "bbbbbbbb"), STATE, "is being created"),
                Plies(6),
                Pass(600),
                Shows(ROUND, 6),
                Are(ALL_DONE),
            ],
            (1, 0),
        ),
    ]
}

fn closings_and_resets() -> Vec<Case> {
    vec![
        (
            "a closed round gets nothing until it is reset",
            &[ROUND],
            vec![
                Refused("1", close(false), STATE, "b1"),
                Take("2", close(true)),
                Pass(3),
                Finished(true),
                Plies(6),
                Pass(30),
                Shows(ROUND, 4),
                Behind(true),
                Take("3", reset()),
                Pass(3),
                Shows(ROUND, 6),
                Behind(false),
                Are(&[Progress::Done; 2]),
            ],
            (0, 1),
        ),
        (
            "a daemon that is stopped before it has closed a round closes it afterwards",
            &[ROUND],
            vec![
                Down(true),
                Take("1", close(true)),
                Pass(30),
                Are(&[Waiting]),
                Restart,
                Pass(30),
                Are(&[Waiting]),
                Down(false),
                Pass(3_000),
                Are(ALL_DONE),
                Finished(true),
                // It stays closed.
                Restart,
                Plies(6),
                Pass(300),
                Shows(ROUND, 4),
            ],
            (0, 0),
        ),
        (
            "a daemon that is stopped while it waits for the answer to a closing closes it again",
            &[ROUND],
            vec![
                LoseAnswers(1),
                Take("1", close(true)),
                Pass(3),
                Are(&[Waiting]),
                Restart,
                Pass(600),
                Are(ALL_DONE),
                Finished(true),
            ],
            (0, 0),
        ),
        (
            "orders wait out a 429 and an outage",
            &[ROUND],
            vec![
                TooMany(2),
                Take("1", reset()),
                Plies(6),
                Pass(2),
                Plies(9),
                Pass(3),
                Are(&[Waiting]),
                Pass(900),
                Are(ALL_DONE),
                Down(true),
                Take("2", reset()),
                Plies(12),
                Pass(600),
                Are(&[Progress::Done, Waiting]),
                Down(false),
                Pass(2_400),
                Are(&[Progress::Done; 2]),
                Shows(ROUND, 12),
            ],
            (0, 2),
        ),
        (
            "a reset is ordered once, and a later one ends a closing",
            &[ROUND],
            vec![
                Down(true),
                Take("1", close(true)),
                Take("2", reset()),
                Refused("3", reset(), STATE, "sent anew already"),
                Down(false),
                Pass(3_000),
                Are(&[Failed, Progress::Done]),
                Finished(false),
                Shows(ROUND, 4),
            ],
            (0, 1),
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn orders_are_carried_out_once_whatever_happens() {
    for (name, rounds, steps, (created, resets)) in [creations(), closings_and_resets()].concat() {
        let done = carry_out(name, rounds, steps).await;
        assert_eq!(done, Done { created, resets }, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_daemon_that_stops_while_it_creates_makes_no_second_round() {
    let steps = vec![
        Take("1", create(1)),
        UntilSent,
        Restart,
        Pass(600),
        Are(&[Unknown]),
    ];
    let done = carry_out("stopped", &[], steps).await;
    assert!(done.created <= 1, "{done:?}");
}

/// A store of orders that is kept in a file, for a tournament.
fn for_tournament(file: &std::path::Path, tournament: &str) -> OrderStore {
    let tournament = Some(tournament.to_owned());
    OrderStore::kept_in(file.to_owned().into(), tournament)
}

#[tokio::test(start_paused = true)]
async fn another_tournament_begins_without_the_rounds_of_the_last_one_and_they_come_back_with_it() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("lichess.json");
    let store = |tournament: &str| for_tournament(&file, tournament);
    let order = (1..=2).map(board).collect();
    let rounds = Rounds::new("open".parse().unwrap(), order);
    let mut hall = Hall::with_store(Fake::default(), rounds, &[], store("aprilOpn"));
    for n in 1..=2 {
        hall.show(&board(n), sheet(n, 4));
    }
    let taken = hall.intake.take(Role::Operator, "1", None, create(1));
    taken.await.unwrap();
    pass(4).await;
    let taken = hall.intake.take(Role::Operator, "2", None, close(true));
    taken.await.unwrap();
    pass(4).await;
    assert_eq!(progress(&hall), [Progress::Done; 2]);
    let april = hall.orders.stored().borrow().clone();
    assert_eq!(april.made[&1], [CREATED]);
    assert!(april.closed.contains(CREATED));

    // The next event, or a mistake in the configuration.
    hall = hall.restart_with(store("mayOpen1"));
    hall.show(&board(1), sheet(1, 6));
    pass(4).await;
    let stored = hall.orders.stored().borrow().clone();
    assert!(
        stored.made.is_empty() && stored.orders.is_empty(),
        "{stored:?}"
    );
    assert!(
        stored.closed.contains(CREATED),
        "it is closed whatever is configured"
    );
    let taken = hall.intake.take(Role::Operator, "1", None, create(1));
    taken.await.unwrap();
    pass(4).await;
    assert_eq!(hall.fake.created(), 2);
    assert_eq!(hall.fake.chapters("new00001").len(), 2);

    hall = hall.restart_with(store("aprilOpn"));
    pass(4).await;
    let stored = hall.orders.stored().borrow().clone();
    assert_eq!((&stored.made, &stored.orders), (&april.made, &april.orders));
    let line = hall.fake.chapters(CREATED)[0].line();
    assert_eq!(line.split(' ').count(), 4, "it is still closed");
    let again = hall.intake.take(Role::Operator, "3", None, create(1)).await;
    assert!(again.unwrap_err().message.contains("on Lichess already"));
    hall = hall.restart_with(store("mayOpen1"));
    pass(4).await;
    assert_eq!(hall.orders.stored().borrow().made[&1], ["new00001"]);
}

#[tokio::test(start_paused = true)]
async fn an_order_that_waits_is_put_aside_with_its_tournament_and_carried_out_when_it_is_back() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("lichess.json");
    let store = |tournament: &str| for_tournament(&file, tournament);
    let rounds = Rounds::new("open".parse().unwrap(), vec![board(1)]);
    let mut hall = Hall::with_store(Fake::default(), rounds, &[], store("aprilOpn"));
    hall.show(&board(1), sheet(1, 4));
    hall.fake.be_down(true);
    let taken = hall.intake.take(Role::Operator, "1", None, create(1));
    taken.await.unwrap();
    pass(4).await;
    assert_eq!(progress(&hall), [Waiting]);
    hall = hall.restart_with(store("aprilOpm"));
    hall.fake.be_down(false);
    pass(3_000).await;
    assert_eq!(hall.fake.created(), 0);
    hall = hall.restart_with(store("aprilOpn"));
    pass(10).await;
    assert_eq!(progress(&hall), [Progress::Done]);
    assert_eq!(hall.fake.created(), 1);
}
