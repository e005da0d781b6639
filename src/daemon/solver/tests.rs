use remisd_vocabulary::{notation::parse_position, seq::EntrySeq};
use shakmaty::Position as _;

use super::*;

/// Blocked pawns and a bishop: White mates in nine plies, too deep for a minimal budget.
const HARD: &str = "8/p2p4/Pk1P4/1P1p4/1KpP4/1pP5/1P6/1b6 w - - 0 1";
const NOTHING: Budget = Budget {
    nodes: 1,
    positions: 1,
    sketches: 1,
};
/// A fortress of bishops that a search of half a minute does not decide.
const OPEN: &str = "1bB5/k7/r7/8/1pBp1p1p/1PpP1PbP/K1P4b/RB6 w - - 0 1";
/// Far longer than any test waits.
const ENDLESS: Budget = Budget {
    nodes: u64::MAX,
    positions: u32::MAX,
    sketches: u32::MAX,
};

fn position(fen: &str) -> Chess {
    parse_position(fen).unwrap()
}

const fn at(ply: Ply) -> AskedPosition {
    AskedPosition {
        ply,
        position: EntrySeq::new(7),
    }
}

fn inquirer(solver: &Solver, board: &str) -> Inquirer {
    solver.clone().of(board.parse().unwrap())
}

#[test]
fn a_question_that_found_no_room_is_asked_again() {
    let (sender, mut inbox) = mpsc::channel(1);
    let mut board = inquirer(&Solver { inbox: sender }, "b1");
    let (answer, _answers) = mpsc::channel(1);
    let mut ask = |asked| board.ask(asked, vec![Chess::default()], true, &answer);
    let least = Span::from_millis(1);
    let taken = Pending::new(at(1), ask(at(1)), Moment::START);
    assert!(taken.covers(at(1), Moment::START + UNANSWERED - least));
    assert!(
        !taken.covers(at(1), Moment::START + UNANSWERED),
        "nobody answered"
    );
    assert!(
        !taken.covers(at(2), Moment::from_millis(1)),
        "another position"
    );

    let dropped = Pending::new(at(2), ask(at(2)), Moment::START);
    assert!(dropped.covers(at(2), Moment::START + BUSY - least));
    assert!(!dropped.covers(at(2), Moment::START + BUSY));
    inbox.try_recv().unwrap();
    assert!(ask(at(2)), "there is room now");
}

#[test]
fn what_a_first_look_cannot_decide_is_unknown_until_the_deep_search_has_found_it() {
    let solver = Solver::within(NOTHING, Budget::FIRST_LOOK).unwrap();
    let (answer, mut answers) = mpsc::channel(4);
    let mut board = inquirer(&solver, "b1");
    assert!(board.ask(at(3), vec![position(HARD)], true, &answer));
    let first = answers.blocking_recv().unwrap();
    assert_eq!((first.asked, first.verdict), (at(3), Verdict::Unknown));
    let then = answers.blocking_recv().unwrap();
    assert_eq!((then.asked, then.verdict), (at(3), Verdict::Alive));
    assert_eq!(then.can_mate.unwrap().white, Some(true));
    // The result is kept: the same question needs no second deep search.
    assert!(board.ask(at(3), vec![position(HARD)], true, &answer));
    assert_eq!(answers.blocking_recv().unwrap(), then);
}

#[test]
fn no_first_look_waits_for_a_deep_search_and_the_next_ply_stops_it() {
    let solver = Solver::within(NOTHING, ENDLESS).unwrap();
    let (answer, mut answers) = mpsc::channel(4);
    let mut board = inquirer(&solver, "b1");
    board.ask(at(3), vec![position(OPEN)], true, &answer);
    let mut next = || answers.blocking_recv().map(|it| (it.asked, it.verdict));
    assert_eq!(next(), Some((at(3), Verdict::Unknown)));
    let stop = Arc::clone(&board.newest.as_ref().unwrap().1);

    let bare = position("8/8/4k3/8/8/3K4/8/8 w - - 0 1");
    let mut other = inquirer(&solver, "b2");
    other.ask(at(80), vec![bare.clone()], false, &answer);
    assert_eq!(next(), Some((at(80), Verdict::Dead)));

    assert!(!stop.load(Ordering::Relaxed));
    board.ask(at(4), vec![bare], false, &answer);
    assert!(stop.load(Ordering::Relaxed));
    assert_eq!(next(), Some((at(4), Verdict::Dead)));
    // The deep search is free for another board's question.
    other.ask(at(81), vec![position(HARD)], true, &answer);
    assert_eq!(next(), Some((at(81), Verdict::Unknown)));
    assert_eq!(next(), Some((at(81), Verdict::Alive)));
}

#[test]
fn a_dead_position_is_dead_since_the_first_of_several_plies() {
    let solver = Solver::start().unwrap();
    let (answer, mut answers) = mpsc::channel(4);
    let mut positions = vec![position("8/8/8/3k4/8/6K1/8/7r w - - 0 1")];
    for uci in ["g3g2", "d5d6", "g2h1", "d6d7", "h1h2"] {
        let mut next = positions.last().unwrap().clone();
        let m = remisd_vocabulary::notation::parse_move(uci, &next).unwrap();
        next.play_unchecked(m);
        positions.push(next);
    }
    let mut board = inquirer(&solver, "b1");
    board.ask(at(20), positions, false, &answer);
    let found = answers.blocking_recv().unwrap();
    assert_eq!((found.asked, found.verdict), (at(20), Verdict::Dead));
    assert_eq!(found.since, 18, "the rook was captured then");
    let proofs = found.proofs.unwrap();
    assert_eq!(proofs.white.unwrap().as_str(), "material");
}

#[test]
fn a_board_that_is_gone_is_forgotten() {
    let (deep, _questions) = std::sync::mpsc::channel();
    let mut desk = FirstLookWorker::new(Budget::FIRST_LOOK, deep);
    let bare = position("8/8/4k3/8/8/3K4/8/8 w - - 0 1");
    for number in 0..20 {
        let (answer, answers) = mpsc::channel(4);
        desk.put(SolverQuestion {
            board: format!("b{number}").parse().unwrap(),
            asked: at(1),
            positions: vec![bare.clone()],
            both: true,
            stop: Arc::default(),
            answer,
        });
        let question = desk.waiting.pop_front().unwrap();
        desk.first_look(question);
        assert_eq!(desk.boards.len(), 1);
        drop(answers);
    }
}
