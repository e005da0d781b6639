//! Claims of a draw: checked, ruled on, lost.

use super::{
    table::{ARBITER, BLACK, CORRECT, INCORRECT, WHITE, broken, claim, under, unwritten},
    *,
};
use remisd_laws::{self as laws, Edition, TimeChange};

#[test]
fn a_correct_claim_is_a_draw_when_the_arbiter_says_so() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(
        table.ask(BLACK, claim(Claimed::Threefold, None)),
        Some(RefusalCode::NotAdmissible),
        "he does not have the move"
    );
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let made = table.game.open_claim().unwrap().clone();
    assert_eq!(made.finding, Some(Finding::Correct));
    assert_eq!(
        (made.article.as_str(), &made.plies[..]),
        ("9.2.2", &[0, 4, 8][..])
    );
    assert!(
        table
            .game
            .standing_offer()
            .is_some_and(|offer| offer.by_claim)
    );
    assert_eq!(
        table.ask(WHITE, claim(Claimed::FiftyMove, None)),
        Some(RefusalCode::WrongState)
    );
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    let result = table.game.result().unwrap();
    assert_eq!(
        (result.reason, result.confirmed, result.article.as_deref()),
        (ResultReason::ThreefoldClaim, true, Some("9.2.2"))
    );
}

#[test]
fn the_announced_move_of_a_correct_claim_is_no_board_move() {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    table.moves("g1f3 g8f6 f3g1");
    assert_eq!(
        table.ask(BLACK, claim(Claimed::Threefold, Some("Ng8"))),
        None
    );
    let result = table.game.result().unwrap();
    assert_eq!((result.ply, result.score), (11, Score::Draw));
    assert_eq!(result.announced.as_ref().unwrap().uci(), Some("f6g8"));
    assert_eq!(table.game.ply(), 11);
}

#[test]
fn an_incorrect_claim_costs_what_the_edition_says_and_binds_to_the_move() {
    let cost = |edition: &'static Edition| {
        let mut table = under(edition, Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        table.clock(90_000, 600_000, Some(Side::White));
        table.ask(WHITE, claim(Claimed::Threefold, Some("Qe2")));
        let finding = table.game.open_claim().unwrap().finding;
        assert_eq!(finding, Some(Finding::Incorrect));
        assert!(table.game.pause_state().is_some());
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        let adjustment = table.game.adjustments()[0].clone();
        (table, adjustment)
    };
    let (_, half) = cost(&laws::FIDE_1997);
    assert_eq!(
        (half.white, half.black),
        (TimeChange::AddMs(-45_000), TimeChange::AddMs(180_000))
    );
    let (_, bracket) = cost(&laws::FIDE_2001);
    assert_eq!(bracket.white, TimeChange::SetMs(60_000));
    let (mut table, now) = cost(&laws::FIDE_2023);
    assert_eq!(
        (now.white, now.black),
        (TimeChange::None, TimeChange::AddMs(120_000))
    );
    assert_eq!(table.game.must_play().unwrap().announced.san(), "Qe2");

    // The piece is first put down on the way; the move that counts is the announced one.
    table.moves("d1f3");
    assert!(broken(&table));
    table.input(Input::Revise {
        uci: "d1e2".into(),
        clock: None,
    });
    assert!(!broken(&table));

    let done = Verb::ClockState {
        clock: ClockState {
            white_ms: 90_000,
            black_ms: 720_000,
            running: Some(Side::Black),
            flag: None,
        },
        adjusted: Some(now.id),
    };
    assert_eq!(table.ask(Role::Clock, done), None);
    assert!(table.game.adjustments().is_empty());
}

#[test]
fn without_a_clock_the_arbiter_reads_the_time_off() {
    let mut table = under(&laws::FIDE_1997, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.ask(WHITE, claim(Claimed::FiftyMove, None));
    table.ask(ARBITER, INCORRECT);
    let adjustment = &table.game.adjustments()[0];
    assert_eq!(adjustment.white, TimeChange::Unknown);
    assert_eq!(adjustment.black, TimeChange::AddMs(180_000));
}

#[test]
fn a_touch_before_the_claim_is_evidence_and_the_arbiter_may_void_it() {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    table.touch(Side::White, "g1");
    let lost = table.game.lost_claims();
    let by_touch = lost.last().unwrap().touched.as_ref();
    assert_eq!(by_touch.unwrap().square, shakmaty::Square::G1);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let made = table
        .game
        .open_claim()
        .expect("nobody rules for the arbiter");
    assert_eq!(
        made.contested.as_ref().unwrap().square,
        shakmaty::Square::G1
    );
    let void = Verb::Adjust {
        player: Some(Side::White),
    };
    assert_eq!(table.ask(ARBITER, void), None);
    assert_eq!(table.game.open_claim().unwrap().contested, None);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.game.result().unwrap().score, Score::Draw);
}

#[test]
fn an_unwritten_announcement_is_defective_and_costs_nothing() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(WHITE, unwritten()), None);
    assert_eq!(
        table.game.claims()[0].finding,
        Some(Finding::DefectiveNotWritten)
    );
    assert!(table.game.adjustments().is_empty() && table.game.open_claim().is_none());
    assert_eq!(
        table.ask(WHITE, claim(Claimed::Threefold, Some("xyzzy"))),
        Some(RefusalCode::BadValue)
    );
}

#[test]
fn the_right_is_lost_by_moving_and_the_arbiter_sees_what_was_lost() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.shuffle(2);
    table.touch(Side::White, "g1");
    let lost = table.game.lost_claims();
    assert!(
        lost.iter()
            .all(|lost| (lost.ply, lost.by) == (7, laws::LostBy::Move)),
        "Black lost his by a move; a touch loses nothing in 2001: {lost:?}"
    );
    table.moves("e2e4");
    let lost = table.game.lost_claims();
    assert_eq!((lost[0].ply, lost[0].by), (8, laws::LostBy::Move));
    table.moves("e7e5");
    assert!(table.game.lost_claims().is_empty());
}

#[test]
fn a_claim_goes_before_a_flag_and_an_earlier_end_before_both() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    table.ask(WHITE, claim(Claimed::Threefold, None));
    let flag = || {
        Verb::Ruling(Ruling::Flag {
            player: Side::White,
        })
    };
    assert_eq!(table.ask(ARBITER, flag()), Some(RefusalCode::WrongState));
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.game.result().unwrap().score, Score::Draw);

    let mut table = Table::new(Confirm::Arbiter);
    table.moves("f2f3 e7e5 g2g4 d8h4");
    let refused = Some(RefusalCode::WrongState);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), refused);
    assert_eq!(table.ask(ARBITER, flag()), refused);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Checkmate);
}

#[test]
fn a_claim_on_a_record_with_gaps_is_for_the_arbiter() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("e2e4");
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let made = table.game.open_claim().expect("nobody rules by himself");
    assert_eq!(made.finding, Some(Finding::ArbiterDecides));
    assert_eq!(made.remarks, [laws::Remark::RecordIncomplete]);
}

#[test]
fn a_text_that_may_be_two_moves_is_no_announcement() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 b1c3 b8c6");
    let ambiguous = claim(Claimed::Threefold, Some("Ne2"));
    assert_eq!(table.ask(WHITE, ambiguous), Some(RefusalCode::BadValue));
    assert!(table.game.claims().is_empty());
}
