//! A position that is set up in mid-game: what is kept of the record before it.

use super::{
    table::{
        ACCEPT, ARBITER, BLACK, CORRECT, INCORRECT, WHITE, accepted, announced, broken, claim,
        offer,
    },
    *,
};
use remisd_laws as laws;

const AFTER_E4_E5: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

#[test]
fn a_record_that_began_anew_is_not_complete_when_it_begins_anew_again() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    for _ in 0..2 {
        assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
        assert!(table.alert(AlertCode::CountsRestarted).is_some());
    }
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let claim = table.game.open_claim().unwrap();
    assert_eq!(claim.finding, Some(Finding::ArbiterDecides));
    assert!(claim.remarks.contains(&laws::Remark::RecordIncomplete));
}

fn from_fen(fen: &str) -> Verb {
    Verb::NewGame {
        start_fen: Some(fen.to_owned()),
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    }
}

/// What the claim of this kind is found to be after `moves` from this position, with which
/// the record begins.
fn found_from(fen: &str, moves: &str, kind: Claimed) -> (bool, Option<Finding>) {
    let new_game = from_fen(fen);
    let found = [setup(fen), new_game].map(|verb| {
        let mut table = Table::new(Confirm::Arbiter);
        assert_eq!(table.ask(ARBITER, verb), None);
        let alerted = table.alert(AlertCode::CountsRestarted).is_some();
        if !moves.is_empty() {
            table.moves(moves);
        }
        let player = Some(Side::from(table.game.turn()));
        let (announced, written) = (None, true);
        let claim = Verb::Claim {
            player,
            kind,
            announced,
            written,
        };
        assert_eq!(table.ask(ARBITER, claim), None);
        let made = table.game.open_claim().unwrap();
        let incomplete = made.remarks.contains(&laws::Remark::RecordIncomplete);
        let left = made.finding == Some(Finding::ArbiterDecides);
        assert_eq!(incomplete, left);
        (alerted, made.finding)
    });
    assert_eq!(found[0], found[1], "{fen}");
    found[0]
}

#[test]
fn a_record_that_begins_in_mid_game_is_not_complete() {
    let arbiter = (true, Some(Finding::ArbiterDecides));
    let incorrect = Some(Finding::Incorrect);
    let threefold = |fen: &str, moves: &str| found_from(fen, moves, Claimed::Threefold);
    let fifty = |fen: &str, moves: &str| found_from(fen, moves, Claimed::FiftyMove);
    let pawn = "4k3/8/8/8/8/8/4P3/4K2R w - -";
    assert_eq!(threefold(&format!("{pawn} 7 40"), ""), arbiter);
    assert_eq!(
        threefold(pawn, "h1h2 e8e7"),
        arbiter,
        "no one has stated it"
    );
    let zeroed = format!("{pawn} 0 40");
    assert_eq!(threefold(&zeroed, "h1h2"), (false, incorrect));
    assert_eq!(
        threefold(&format!("{pawn} 7 40"), "h1h2 e8e7 e2e4"),
        (true, incorrect),
        "what stood before a pawn move cannot stand again"
    );
    assert_eq!(fifty(&format!("{pawn} 7 40"), ""), (true, incorrect));
    assert_eq!(fifty(pawn, ""), arbiter);
    let correct = Some(Finding::Correct);
    assert_eq!(fifty(&format!("{pawn} 100 90"), ""), (true, correct));
}

#[test]
fn a_game_that_begins_with_the_usual_array_is_complete_without_counters() {
    let mut table = Table::new(Confirm::Arbiter);
    let array = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    assert_eq!(table.ask(ARBITER, from_fen(array)), None);
    assert!(table.codes().is_empty());
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let made = table.game.open_claim().unwrap();
    assert_eq!(made.finding, Some(Finding::Correct));
}

#[test]
fn the_first_end_of_a_game_outlives_a_setup() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    let first = table.game.first_end();
    assert_eq!(first.unwrap().0, 16);
    for _ in 0..2 {
        assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
        assert_eq!(table.game.end_before_setup(), first);
        assert_eq!(table.game.first_end(), None, "this record has none");
    }
    table.start_array();
    assert_eq!(table.game.end_before_setup(), None, "that was another game");
}

#[test]
fn what_players_have_decided_is_left_to_the_arbiter_at_a_setup() {
    let left = |table: &mut Table| {
        assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
        assert_eq!(
            (table.game.result(), table.game.pending_loss()),
            (None, None)
        );
        let left = table.game.unresolved_matters();
        let left: Vec<_> = left.iter().map(|left| (left.what, left.by)).collect();
        assert!(table.alert(AlertCode::LeftUndecided).is_some());
        left
    };
    let mut table = accepted();
    assert_eq!(left(&mut table), [(UnresolvedKind::Agreement, None)]);
    assert_eq!(table.game.pending_agreement(), None);

    for plies in [1, 4] {
        let mut table = Table::new(Confirm::Arbiter);
        table.shuffle(plies);
        assert_eq!(table.ask(BLACK, Verb::Resign { player: None }), None);
        let resigned = (UnresolvedKind::Resignation, Some(Side::Black));
        assert_eq!(left(&mut table), [resigned]);
    }
}

#[test]
fn a_loss_that_waits_for_the_solver_is_left_to_the_arbiter_at_a_setup() {
    let flag = Ruling::Flag {
        player: Side::White,
    };
    let illegal = Ruling::IllegalMove {
        player: Side::White,
        claimed: false,
        withdrawn: false,
    };
    for (ruling, times, what) in [
        (flag, 1, UnresolvedKind::FlagFall),
        (illegal, 2, UnresolvedKind::IllegalMove),
    ] {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4");
        for _ in 0..times {
            assert_eq!(table.ask(ARBITER, Verb::Ruling(ruling.clone())), None);
        }
        assert!(table.game.pending_loss().is_some());
        assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
        let left = table.game.unresolved_matters();
        let left: Vec<_> = left.iter().map(|left| (left.what, left.by)).collect();
        assert_eq!(left, [(what, Some(Side::White))]);
        assert!(table.alert(AlertCode::LeftUndecided).is_some());
    }
}

#[test]
fn the_clock_stands_while_a_claim_is_open_over_a_setup() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    assert!(table.game.open_claim().is_some());
    assert!(table.game.pause_state().is_some());

    let mut table = Table::new(Confirm::Arbiter);
    assert_eq!(table.ask(WHITE, Verb::Pause {}), None);
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    assert_eq!(table.game.pause_state(), None, "nothing is checked");
}

#[test]
fn an_announced_move_is_not_looked_for_in_another_record() {
    let mut table = announced();
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    table.moves("h1h2 e8e7 h2h3");
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(!broken(&table), "Rh3 is ply 3 of another record");
    assert_eq!(table.game.must_play(), None);

    let mut table = announced();
    let moves = ["d4", "d5", "c4"].map(str::to_owned).to_vec();
    assert_eq!(table.ask(ARBITER, Verb::Correct { to_ply: 0, moves }), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(!broken(&table), "c4 was not played after e4 e5");

    let mut table = announced();
    table.moves("g1f3");
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(broken(&table), "this is the record of the claim");
}

#[test]
fn an_announced_move_is_due_where_its_position_was_set_up() {
    let mut table = announced();
    assert_eq!(table.ask(ARBITER, setup(AFTER_E4_E5)), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let must = table.game.must_play().unwrap();
    assert_eq!((must.announced.san(), must.ply), ("Qe2", 1));

    let mut table = announced();
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert!(table.game.result().is_some());
}

#[test]
fn an_offer_of_the_record_before_is_not_restored() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(BLACK, offer()), None);
    table.touch(Side::White, "g1");
    assert_eq!(table.game.standing_offer(), None);
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    table.touch(Side::White, "h1");
    let player = Some(Side::White);
    assert_eq!(table.ask(ARBITER, Verb::Adjust { player }), None);
    assert_eq!(table.game.standing_offer(), None);
    assert_eq!(
        table.game.offer_marks(),
        [],
        "that move is not in this score"
    );
}

#[test]
fn an_offer_stands_over_a_setup_and_its_mark_does_not() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    assert_eq!(table.game.standing_offer().map(|offer| offer.ply), Some(0));
    assert_eq!(table.game.offer_marks(), []);
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn moves_that_were_made_count_across_a_setup_that_does_not_state_them() {
    let without = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e6 g1f3");
    assert_eq!(table.ask(ARBITER, setup(without)), None);
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(BLACK, ACCEPT), None, "5.2.3: each has moved");

    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e6 g1f3");
    assert_eq!(table.ask(ARBITER, setup(&format!("{without} 0 1"))), None);
    assert_eq!(table.ask(WHITE, offer()), None);
    let refused = Some(RefusalCode::NotAdmissible);
    assert_eq!(table.ask(BLACK, ACCEPT), refused, "it has been stated");
}
