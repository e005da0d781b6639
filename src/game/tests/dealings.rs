//! Offers, claims and rulings at a board.

use shakmaty::Color;

use super::*;
use crate::laws::{self, Edition, Finding, Regulations, TimeChange};

pub(super) const WHITE: Role = Role::White;
pub(super) const BLACK: Role = Role::Black;
pub(super) const ARBITER: Role = Role::Arbiter;

pub(super) fn under(edition: &'static Edition, confirm: Confirm) -> Table {
    Table::under(Rules {
        regulations: Regulations::new(edition, Rate::Standard),
        confirm,
        ..Rules::default()
    })
}

impl Table {
    /// Does what `verb` asks for and gives the refusal, if it is refused.
    pub(super) fn ask(&mut self, role: Role, verb: Verb) -> Option<RefusalCode> {
        let id = format!("command-{}", self.game.seq());
        self.command(&id, role, verb).code
    }

    pub(super) fn clock(&mut self, white_ms: u64, black_ms: u64, running: Option<Side>) {
        let clock = Some(ClockState {
            white_ms,
            black_ms,
            running,
            flag: None,
        });
        self.input(Input::Clock { clock });
    }

    pub(super) fn touch(&mut self, by: Side, square: &str) {
        self.lift(by, square, true);
    }

    pub(super) fn lift(&mut self, by: Side, square: &str, sure: bool) {
        let square = square.to_owned();
        self.input(Input::Touched { by, square, sure });
    }
}

pub(super) fn offer() -> Verb {
    Verb::Offer {
        player: None,
        condition: None,
    }
}

pub(super) fn claim(kind: Claimed, announced: Option<&str>) -> Verb {
    Verb::Claim {
        player: None,
        kind,
        announced: announced.map(str::to_owned),
        written: true,
    }
}

pub(super) const ACCEPT: Verb = Verb::Accept { player: None };
pub(super) const DECLINE: Verb = Verb::Decline { player: None };
pub(super) const CORRECT: Verb = Verb::Ruling(Ruling::Claim {
    correct: true,
    admissible: true,
});
pub(super) const INCORRECT: Verb = Verb::Ruling(Ruling::Claim {
    correct: false,
    admissible: true,
});

#[test]
fn an_offer_stands_until_it_is_answered() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    table.clock(300_000, 300_000, Some(Side::White));
    assert_eq!(table.ask(WHITE, offer()), None);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.by, standing.regular), (Side::White, Some(true)));
    assert_eq!(table.ask(WHITE, DECLINE), Some(RefusalCode::NotAdmissible));
    assert_eq!(table.ask(WHITE, ACCEPT), Some(RefusalCode::WrongState));
    assert_eq!(table.ask(BLACK, DECLINE), None);
    assert_eq!(table.game.standing_offer(), None);
    table.moves("e7e5");
    assert_eq!(table.ask(BLACK, offer()), None);
    assert_eq!(table.ask(WHITE, ACCEPT), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::Agreement);
    assert!(!result.confirmed, "the arbiter has not seen it yet");
    assert!(
        table.game.status().is_closed(),
        "5.2.3: it ends the game at once"
    );
    assert_eq!(
        table.game.offer_marks(),
        [(1, Side::White), (2, Side::Black)]
    );
}

#[test]
fn touching_a_piece_refuses_an_offer_from_2001_and_adjusting_does_not() {
    for (edition, refused) in [(&laws::FIDE_1997, false), (&laws::FIDE_2001, true)] {
        let mut table = under(edition, Confirm::Arbiter);
        table.moves("e2e4");
        table.ask(WHITE, offer());
        assert_eq!(table.ask(BLACK, Verb::Adjust { player: None }), None);
        table.touch(Side::Black, "g8");
        assert!(table.game.standing_offer().is_some(), "{}", edition.id);
        table.moves("e7e5 g1f3");
        table.ask(WHITE, offer());
        table.touch(Side::Black, "b8");
        assert_eq!(
            table.game.standing_offer().is_none(),
            refused,
            "{}",
            edition.id
        );
        let restored = Verb::Adjust {
            player: Some(Side::Black),
        };
        assert_eq!(table.ask(ARBITER, restored), None);
        assert!(table.game.standing_offer().is_some(), "{}", edition.id);
        table.moves("b8c6");
        assert!(table.game.standing_offer().is_none(), "a move refuses");
    }
}

#[test]
fn a_correct_claim_is_a_draw_when_the_arbiter_says_so() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves(&[SHUFFLE; 2].join(" "));
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
    table.moves(&[SHUFFLE; 2].join(" "));
    table.moves("g1f3 g8f6 f3g1");
    assert_eq!(
        table.ask(BLACK, claim(Claimed::Threefold, Some("Ng8"))),
        None
    );
    let result = table.game.result().unwrap();
    assert_eq!((result.ply, result.score), (11, Score::Draw));
    assert_eq!(result.announced.as_ref().unwrap().uci, "f6g8");
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
    assert_eq!(table.game.must_play().unwrap().announced.san, "Qe2");

    // The piece is first put down on the way; the move that counts is the announced one.
    table.moves("d1f3");
    let broken = |table: &Table| {
        let mut open = table.game.alerts().open().iter();
        open.any(|alert| alert.code == AlertCode::AnnouncedMoveNotPlayed)
    };
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
    table.moves(&[SHUFFLE; 2].join(" "));
    table.touch(Side::White, "g1");
    let lost = table.game.lost_claims();
    let by_touch = lost.last().unwrap().touched.as_ref();
    assert_eq!(by_touch.unwrap().square, "g1");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let made = table
        .game
        .open_claim()
        .expect("nobody rules for the arbiter");
    assert_eq!(made.contested.as_ref().unwrap().square, "g1");
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
    let unwritten = Verb::Claim {
        player: None,
        kind: Claimed::Threefold,
        announced: Some("Qe2".into()),
        written: false,
    };
    assert_eq!(table.ask(WHITE, unwritten), None);
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
    table.moves(&[SHUFFLE; 2].join(" "));
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
fn agreement_needs_a_move_each_and_the_arbiters_consent_where_the_event_says_so() {
    let mut regulations = Regulations::new(&laws::FIDE_2023, Rate::Standard);
    regulations.agreement = laws::AgreementRule::NotBefore(2);
    let mut table = Table::under(Rules {
        regulations,
        ..Rules::default()
    });
    table.moves("e2e4");
    table.ask(WHITE, offer());
    assert!(table.game.standing_offer().unwrap().restricted);
    assert_eq!(table.ask(BLACK, ACCEPT), Some(RefusalCode::NotAdmissible));
    table.moves("e7e5 g1f3");
    table.ask(WHITE, offer());
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    assert_eq!(table.game.result(), None, "it must not stand");
    assert!(table.game.pending_agreement().is_some());
    let no = Verb::Ruling(Ruling::Agreement { consent: false });
    assert_eq!(table.ask(ARBITER, no), None);
    assert!(table.game.pending_agreement().is_none());
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    let yes = Verb::Ruling(Ruling::Agreement { consent: true });
    assert_eq!(table.ask(ARBITER, yes), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn a_loss_waits_until_it_is_known_whether_the_opponent_can_mate() {
    let mut table = Table::new(Confirm::Automatic);
    let fen = "1n2k3/8/8/8/8/8/8/Q3K3 w - - 0 1".to_owned();
    table.ask(ARBITER, Verb::Setup { fen });
    assert_eq!(table.ask(WHITE, Verb::Resign { player: None }), None);
    assert!(table.game.wants_winnability());
    let can_mate = CanMate {
        white: Some(true),
        black: Some(false),
    };
    let known = Input::Winnability {
        ply: table.game.ply(),
        position: table.game.position_seq(),
        can_mate,
    };
    table.input(known);
    let result = table.game.result().unwrap();
    assert_eq!(
        (result.score, result.reason),
        (Score::Draw, ResultReason::Resignation)
    );
    assert_eq!(can_mate.of(Color::Black), Some(false));

    let mut older = under(&laws::FIDE_2018, Confirm::Automatic);
    older.moves("e2e4");
    older.ask(BLACK, Verb::Resign { player: None });
    assert_eq!(older.game.result().unwrap().score, Score::WhiteWins);
}

#[test]
fn the_second_illegal_move_loses_and_the_first_costs_time() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let illegal = || {
        Verb::Ruling(Ruling::IllegalMove {
            player: Side::Black,
            claimed: false,
        })
    };
    assert_eq!(table.ask(ARBITER, illegal()), None);
    assert_eq!(
        table.game.adjustments()[0].white,
        TimeChange::AddMs(120_000)
    );
    assert_eq!(table.ask(ARBITER, illegal()), None);
    assert!(table.game.pending_loss().is_some());
    let known = Input::Winnability {
        ply: 1,
        position: table.game.position_seq(),
        can_mate: CanMate {
            white: Some(true),
            black: Some(true),
        },
    };
    table.input(known);
    assert_eq!(table.game.result().unwrap().score, Score::WhiteWins);
}

#[test]
fn a_claim_goes_before_a_flag_and_an_earlier_end_before_both() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves(&[SHUFFLE; 2].join(" "));
    table.ask(WHITE, claim(Claimed::Threefold, None));
    let flag = || {
        Verb::Ruling(Ruling::Flag {
            player: Side::White,
        })
    };
    assert_eq!(table.ask(ARBITER, flag()), Some(RefusalCode::WrongState));
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.game.result().unwrap().score, Score::Draw);
}

#[test]
fn a_correction_rewrites_the_moves_or_changes_nothing() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    let correct = |to_ply, moves: &[&str]| Verb::Correct {
        to_ply,
        moves: moves.iter().map(|m| (*m).to_owned()).collect(),
    };
    assert_eq!(
        table.ask(ARBITER, correct(1, &["c5", "Qxh7"])),
        Some(RefusalCode::BadValue)
    );
    assert_eq!(table.game.ply(), 3);
    assert_eq!(table.ask(ARBITER, correct(1, &["c5", "b1c3"])), None);
    let san: Vec<&str> = table
        .game
        .moves()
        .iter()
        .map(|m| m.text.san.as_str())
        .collect();
    assert_eq!(san, ["e4", "c5", "Nc3"]);
}

#[test]
fn nobody_speaks_for_the_other() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let for_black = Verb::Offer {
        player: Some(Side::Black),
        condition: None,
    };
    assert_eq!(
        table.ask(WHITE, for_black.clone()),
        Some(RefusalCode::RoleMayNot)
    );
    assert_eq!(table.ask(Role::Clock, offer()), Some(RefusalCode::BadValue));
    assert_eq!(table.ask(Role::Clock, for_black), None);
    let rules_for_himself = table.command_at("x", WHITE, CORRECT, None);
    assert_eq!(rules_for_himself.code, Some(RefusalCode::WrongState));
}

#[test]
fn ids_belong_to_roles() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert!(table.command("1", WHITE, offer()).ok);
    assert_eq!(table.game.answer(BLACK, "1"), None);
    assert!(
        table
            .game
            .answer(WHITE, "1")
            .is_some_and(|answer| answer.ok)
    );
}

#[test]
fn checking_a_claim_leaves_the_opponents_own_offer() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    table.ask(WHITE, offer());
    assert_eq!(table.ask(BLACK, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(
        table
            .game
            .standing_offer()
            .is_some_and(|offer| !offer.by_claim)
    );
    assert_eq!(table.ask(BLACK, ACCEPT), None);
}

#[test]
fn who_resigned_first_has_resigned() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let resign = || Verb::Resign { player: None };
    assert_eq!(table.ask(BLACK, resign()), None);
    assert_eq!(table.ask(WHITE, resign()), Some(RefusalCode::WrongState));
    let uci = "e7e5".to_owned();
    let by = SettledBy::Reply;
    let facts = table.input(Input::Move {
        uci,
        by,
        clock: None,
    });
    assert!(matches!(facts[0], Fact::Refused { .. }), "{facts:?}");
    // The pieces are set up again before anybody knows whether White can mate.
    table.start_array();
    let left = &table.game.unconfirmed()[0].result;
    assert_eq!(
        (left.score, left.reason, left.confirmed),
        (Score::WhiteWins, ResultReason::Resignation, false)
    );
}

#[test]
fn a_claim_on_a_record_with_gaps_is_for_the_arbiter() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("e2e4");
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 3 40".to_owned();
    assert_eq!(table.ask(ARBITER, Verb::Setup { fen }), None);
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

#[test]
fn an_end_that_the_arbiter_overrules_does_not_stop_the_game() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves(&[SHUFFLE; 4].join(" "));
    assert!(table.game.ended().is_some());
    let play_on = Verb::Result {
        score: Score::None,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, play_on), None);
    assert_eq!((table.game.ended(), table.game.result()), (None, None));
    table.moves("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Checkmate);
}

#[test]
fn a_correction_is_not_a_move_of_the_players() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(ARBITER, Verb::Pause {}), None);
    table.ask(WHITE, offer());
    let correct = Verb::Correct {
        to_ply: 1,
        moves: vec!["c5".to_owned(), "Nf3".to_owned()],
    };
    assert_eq!(table.ask(ARBITER, correct), None);
    assert!(table.game.pause_state().is_some());
    assert!(table.game.standing_offer().is_some());
}
