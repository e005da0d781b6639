//! What the arbiter rules, and what follows from it.

use serde_json::json;

use super::{
    table::{ARBITER, BLACK, INCORRECT, WHITE, claim, offer, restarted, under},
    *,
};
use remisd_laws::{self as laws, Edition, Regulations};

const NOT_ADMISSIBLE: Verb = Verb::Ruling(Ruling::Claim {
    correct: false,
    admissible: false,
});

const fn both_flags(last_period: bool) -> Verb {
    Verb::Ruling(Ruling::BothFlags { last_period })
}

#[test]
fn a_claim_that_was_not_admissible_costs_nothing_and_binds_to_nothing() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    table.touch(Side::White, "e2");
    table.ask(WHITE, claim(Claimed::Threefold, Some("Nf3")));
    assert!(table.game.open_claim().unwrap().contested.is_some());
    let both = Verb::Ruling(Ruling::Claim {
        correct: true,
        admissible: false,
    });
    assert_eq!(table.ask(ARBITER, both), Some(RefusalCode::BadValue));
    assert_eq!(table.ask(ARBITER, NOT_ADMISSIBLE), None);

    assert_eq!(table.game.result(), None);
    assert!(table.game.open_claim().is_none());
    assert!(table.game.adjustments().is_empty(), "no penalty");
    assert!(
        table.game.must_play().is_none(),
        "the touched piece is to be moved"
    );
    let ruling = table.game.claims()[0].ruling.clone().unwrap();
    assert_eq!(ruling.decision(), ClaimDecision::NotAdmissible);
    let open = table.game.alerts().open();
    assert!(!open.iter().any(|alert| alert.level == Level::Red));
    let offer = table.game.standing_offer().unwrap();
    assert!(offer.by_claim, "9.1.2.3: nothing was checked, so it stands");
    table.moves("e2e4");
    assert_eq!(table.ask(BLACK, Verb::Accept { player: None }), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::Agreement);
}

#[test]
fn a_claim_of_1997_that_was_not_admissible_leaves_no_offer() {
    let mut table = under(&laws::FIDE_1997, Confirm::Arbiter);
    table.shuffle(2);
    table.ask(WHITE, claim(Claimed::Threefold, None));
    assert_eq!(table.ask(ARBITER, NOT_ADMISSIBLE), None);
    assert_eq!(table.game.standing_offer(), None);
    assert!(table.game.adjustments().is_empty());
    assert_eq!(
        table.ask(ARBITER, NOT_ADMISSIBLE),
        Some(RefusalCode::WrongState)
    );
}

/// Both flags down, under these regulations: the score and its article, or the refusal.
fn both_down(
    regulations: Regulations,
    last_period: bool,
) -> Result<Option<(Score, String)>, RefusalCode> {
    let mut table = Table::under(Rules {
        regulations,
        ..Rules::default()
    });
    table.moves("e2e4 e7e5");
    let clock = Some(ClockState {
        white_ms: 0,
        black_ms: 0,
        running: None,
        flag: Some(Side::White),
    });
    table.input(Input::Clock { clock });
    let flag = |table: &Table| {
        let mut open = table.game.alerts().open().iter();
        open.any(|alert| alert.code == AlertCode::FlagFall)
    };
    assert!(flag(&table));
    if let Some(refused) = table.ask(ARBITER, both_flags(last_period)) {
        assert!(flag(&table), "nothing was ruled");
        return Err(refused);
    }
    assert!(!flag(&table), "what was ruled on needs no alert");
    let result = table.game.result();
    Ok(result.map(|r| (r.score, r.article.clone().unwrap())))
}

#[test]
fn both_flags_down_is_a_draw_in_the_last_period_and_otherwise_play_continues() {
    let drawn = |article: &str| Ok(Some((Score::Draw, article.to_owned())));
    let standard = |edition: &'static Edition| {
        let mut regulations = Regulations::new(edition, Rate::Standard);
        regulations.quickplay_announced = true;
        regulations
    };
    for (edition, article) in [
        (&laws::FIDE_2009, "6.11b"),
        (&laws::FIDE_2014, "G"),
        (&laws::FIDE_2017, "III.3.1.2"),
        (&laws::FIDE_2018, "III.3.1.2"),
        (&laws::FIDE_2023, "III.3.1.2"),
    ] {
        assert_eq!(both_down(standard(edition), true), drawn(article));
        assert_eq!(both_down(standard(edition), false), Ok(None));
    }
    // 6.11 of 1997 lets the game continue; the other texts were not read, so it can be set.
    for edition in [&laws::FIDE_1997, &laws::FIDE_2001, &laws::FIDE_2005] {
        let mut regulations = standard(edition);
        assert_eq!(both_down(regulations.clone(), true), Ok(None));
        let set = serde_json::json!({"both_flags_drawn_in_last_period": true});
        regulations.overrides = serde_json::from_value(set).unwrap();
        assert_eq!(both_down(regulations.clone(), true), drawn("10.4"));
        assert_eq!(both_down(regulations, false), Ok(None));
    }
    for rate in [Rate::Rapid, Rate::Blitz] {
        for (edition, article) in [(&laws::FIDE_1997, "B8"), (&laws::FIDE_2009, "A.4.d.3")] {
            let regulations = Regulations::new(edition, rate);
            assert_eq!(both_down(regulations.clone(), false), drawn(article));
            let supervised = Regulations {
                supervised: true,
                ..regulations
            };
            assert_eq!(both_down(supervised, false), Ok(None));
        }
    }
}

#[test]
fn the_guidelines_on_both_flags_must_have_been_announced_and_are_not_for_blitz() {
    let refused = Err(RefusalCode::NotAdmissible);
    let plain = Regulations::new(&laws::FIDE_2023, Rate::Rapid);
    assert_eq!(both_down(plain.clone(), true), refused);
    let announced = Regulations {
        quickplay_announced: true,
        ..plain
    };
    assert!(both_down(announced.clone(), true).is_ok());
    let blitz = Regulations {
        rate: Rate::Blitz,
        ..announced.clone()
    };
    assert_eq!(both_down(blitz, true), refused);
    let increment = Regulations {
        increment: true,
        ..announced
    };
    assert_eq!(both_down(increment, true), refused);
}

#[test]
fn play_continues_after_both_flags_until_the_next_one_falls() {
    let mut table = under(&laws::FIDE_2009, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let shows = |flag| Input::Clock {
        clock: Some(ClockState {
            white_ms: 0,
            black_ms: 0,
            running: Some(Side::White),
            flag,
        }),
    };
    let alerted = |table: &Table| {
        let mut open = table.game.alerts().open().iter();
        open.any(|alert| alert.code == AlertCode::FlagFall)
    };
    table.input(shows(Some(Side::White)));
    assert_eq!(table.ask(ARBITER, both_flags(false)), None);
    assert!(!table.game.wants_winnability());
    table.moves("g1f3");
    assert!(!alerted(&table));
    table.input(shows(None));
    table.input(shows(Some(Side::Black)));
    assert!(alerted(&table));
}

/// Whether the alert comes up when `played` is made after `announced`, which is not legal,
/// in this position.
fn broken_by(fen: &str, announced: &str, played: &str) -> bool {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    let fen = fen.to_owned();
    assert_eq!(table.ask(ARBITER, Verb::Setup { fen }), None);
    let asked = claim(Claimed::Threefold, Some(announced));
    assert_eq!(table.ask(WHITE, asked), None, "{announced}");
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let must = table.game.must_play().unwrap();
    assert!(!must.legal, "{announced}");
    table.moves(played);
    let mut open = table.game.alerts().open().iter();
    open.any(|alert| alert.code == AlertCode::AnnouncedMoveNotPlayed)
}

#[test]
fn an_illegal_announcement_binds_to_its_piece_in_either_notation() {
    let fen = "4k3/8/8/8/8/8/3PP3/R1N1K1N1 w Q - 0 1";
    for (announced, kept, broken) in [
        ("g1g4", "g1f3", "e1f1"),
        ("Nd5", "g1f3", "e1f1"),
        ("Nd5", "c1b3", "e2e4"),
        ("Ngd5", "g1h3", "c1b3"),
        ("e5", "e2e3", "d2d4"),
        ("exd3", "e2e4", "d2d3"),
        ("O-O", "e1f1", "a1b1"),
        ("Ra1b2", "a1a8", "c1b3"),
    ] {
        assert!(!broken_by(fen, announced, kept), "{announced}: {kept}");
        assert!(broken_by(fen, announced, broken), "{announced}: {broken}");
    }
    let no_move = "4k3/8/8/8/8/8/3PP1P1/3QKBN1 w - - 0 1";
    assert!(!broken_by(no_move, "Bc4", "g1f3"), "the bishop cannot move");
}

#[test]
fn an_agreement_before_each_has_moved_alarms_until_they_have() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    let alarm = |table: &Table| {
        let mut open = table.game.alerts().open().iter();
        let restricted = open.find(|alert| alert.code == AlertCode::AgreementRestricted);
        restricted.map(|alert| (alert.level, alert.article.clone().unwrap()))
    };
    table.moves("e2e4");
    table.ask(WHITE, offer());
    assert_eq!(alarm(&table), None);
    let accept = Verb::Accept { player: None };
    assert_eq!(
        table.ask(BLACK, accept),
        Some(RefusalCode::NotAdmissible),
        "5.2.3"
    );
    assert_eq!(alarm(&table), Some((Level::Red, "5.2.3".to_owned())));
    assert_eq!(table.game.result(), None);
    table.moves("e7e5");
    assert_eq!(alarm(&table), None);
}

#[test]
fn answers_are_remembered_beyond_the_game() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    let before = table.command("same", BLACK, claim(Claimed::Threefold, None));
    assert!(!before.ok);
    let new_game = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    let begun = table.command("begin", ARBITER, new_game);
    let carried = table.game.carried();
    // After a restart the journal is read from where the game began.
    let again = restarted(&carried);
    assert_eq!(again.game.answer(BLACK, "same"), Some(&before));
    assert_eq!(again.game.answer(ARBITER, "begin"), Some(&begun));
    assert_eq!(again.game.answer(WHITE, "same"), None);
}

#[test]
fn what_is_carried_of_answers_is_bounded() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    for number in 0..1000 {
        let alert = "x".repeat(250);
        let id = format!("{number:0>250}");
        table.command(&id, ARBITER, Verb::Ack { alert });
    }
    let carried = table.game.carried();
    let text = serde_json::to_string(&carried).unwrap();
    assert!((50_000..100_000).contains(&text.len()), "{}", text.len());
    let newest = carried.answers.last().unwrap();
    assert_eq!(newest.answer.id, format!("{:0>250}", 999));
}

#[test]
fn the_alert_of_an_incorrect_claim_states_what_it_costs() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.clock(90_000, 600_000, Some(Side::White));
    table.ask(WHITE, claim(Claimed::Threefold, Some("Qe2")));
    let open = table.game.alerts().open();
    let alert = open.iter().find(|alert| alert.code == AlertCode::ClaimMade);
    let arguments = &alert.unwrap().arguments;
    for (name, value) in [
        ("verdict", json!("incorrect")),
        ("move", json!("Qe2")),
        ("legal", json!("yes")),
        ("white_set_ms", json!(60_000)),
        ("black_ms", json!(180_000)),
    ] {
        assert_eq!(arguments[name], value, "{name}");
    }
}

#[test]
fn a_claim_says_whether_the_touch_before_it_was_sure() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    table.lift(Side::White, "e2", false);
    table.ask(WHITE, claim(Claimed::Threefold, None));
    let made = table.game.open_claim().unwrap().clone();
    assert_eq!(made.remarks, [laws::Remark::TouchUnsure]);
    assert!(!made.contested.unwrap().sure);
    let alerts = table.game.alerts().open().iter();
    let contested = alerts.clone().find(|a| a.code == AlertCode::ClaimContested);
    assert_eq!(contested.unwrap().arguments["sure"], "no");
    let player = Some(Side::White);
    assert_eq!(table.ask(ARBITER, Verb::Adjust { player }), None);
    assert!(table.game.open_claim().unwrap().remarks.is_empty());
}

#[test]
fn a_sure_touch_weighs_more_than_one_that_is_not() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    table.lift(Side::White, "e2", false);
    table.lift(Side::White, "d2", false);
    table.lift(Side::White, "d2", true);
    table.lift(Side::White, "d2", false);
    let sure: Vec<bool> = table.game.touched().iter().map(|t| t.sure).collect();
    assert_eq!(sure, [false, true]);
    table.ask(WHITE, claim(Claimed::Threefold, None));
    let made = table.game.open_claim().unwrap();
    assert_eq!(
        made.contested.as_ref().unwrap().square,
        shakmaty::Square::D2
    );
    assert_eq!(made.remarks, [laws::Remark::PieceTouchedBefore]);
}

#[test]
fn only_a_sure_touch_refuses_an_offer() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.moves("e2e4");
    table.ask(WHITE, offer());
    table.lift(Side::Black, "g8", false);
    assert!(table.game.standing_offer().is_some());
    table.lift(Side::Black, "g8", true);
    assert!(table.game.standing_offer().is_none());
}

#[test]
fn a_touch_of_an_older_journal_is_sure() {
    let line = r#"{"type":"touched","by":"white","square":"e2"}"#;
    let input: Input = serde_json::from_str(line).unwrap();
    assert!(matches!(input, Input::Touched { sure: true, .. }));
    assert_eq!(serde_json::to_string(&input).unwrap(), line);
}

#[test]
fn a_touch_that_the_arbiter_voids_is_no_remark_on_the_claim_any_more() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    table.touch(Side::White, "e2");
    table.ask(WHITE, claim(Claimed::Threefold, None));
    let remarks = |table: &Table| table.game.open_claim().unwrap().remarks.clone();
    assert_eq!(remarks(&table), [laws::Remark::PieceTouchedBefore]);
    let player = Some(Side::White);
    assert_eq!(table.ask(ARBITER, Verb::Adjust { player }), None);
    assert_eq!(remarks(&table), []);
}
