//! What inputs change besides what they are about, and what they leave alone.

use super::{
    table::{ARBITER, BLACK, INCORRECT, WHITE, claim, correct, offer, restarted},
    *,
};
use remisd_laws::{self as laws, ClaimantLoses, Finding, Overrides, Regulations, Remark};
use remisd_vocabulary::{sensor::DownCode, seq::AudienceSeq};

#[test]
fn a_sender_who_has_seen_the_last_change_is_not_too_late_after_a_touch_or_a_clock() {
    let mut table = Table::new(Confirm::Arbiter);
    let before = AudienceSeq::of_entry(table.game.seq());
    table.moves("e2e4");
    let moved = AudienceSeq::of_entry(table.game.seq());
    table.touch(Side::Black, "e7");
    table.clock(300_000, 299_000, Some(Side::Black));
    let last = AudienceSeq::of_entry(table.game.seq());
    for (if_seq, done) in [
        (before, false),
        (moved, true),
        (moved + 1, false),
        (last + 100, false),
    ] {
        let pause = if table.game.pause_state().is_some() {
            Verb::Resume { running: None }
        } else {
            Verb::Pause {}
        };
        let id = format!("if-{if_seq}");
        let answer = table.command_at(&id, ARBITER, pause, Some(if_seq));
        let code = (!done).then_some(RefusalCode::Stale);
        assert_eq!(answer.code, code, "{if_seq} of {last}");
    }
}

#[test]
fn a_claim_that_is_being_checked_is_reconsidered_when_the_record_is_corrected() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert!(table.codes().contains(&AlertCode::ThreefoldClaimable));
    table.ask(WHITE, claim(Claimed::Threefold, None));
    assert_eq!(
        table.game.open_claim().unwrap().finding,
        Some(Finding::Correct)
    );
    assert_eq!(
        table.ask(ARBITER, correct(6, &["Nf3", "Ng8"])),
        Some(RefusalCode::BadValue)
    );
    assert_eq!(table.ask(ARBITER, correct(6, &["Rg1", "Ng8"])), None);
    let made = table.game.open_claim().unwrap();
    assert_eq!(made.finding, Some(Finding::ArbiterDecides));
    assert_eq!(made.remarks, [Remark::RecordChanged]);
    assert!(
        !table.codes().contains(&AlertCode::ThreefoldClaimable),
        "White can no longer castle"
    );
    assert!(table.codes().contains(&AlertCode::ClaimMade));
}

#[test]
fn a_correction_takes_back_what_the_plies_brought_and_nothing_else() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.ask(WHITE, claim(Claimed::Threefold, Some("Qe2")));
    table.ask(ARBITER, INCORRECT);
    table.moves("d1f3");
    assert!(table.codes().contains(&AlertCode::AnnouncedMoveNotPlayed));
    table.ask(WHITE, offer());
    assert_eq!(
        table.game.offer_marks(),
        [(2, Side::White), (3, Side::White)]
    );
    assert_eq!(table.ask(ARBITER, correct(2, &["Qe2"])), None);
    assert!(!table.codes().contains(&AlertCode::AnnouncedMoveNotPlayed));
    assert!(table.codes().contains(&AlertCode::ClockAdjustment));
    assert_eq!(
        table.game.offer_marks(),
        [(2, Side::White), (3, Side::White)],
        "he has offered after his move, whichever it was"
    );
    assert!(table.game.standing_offer().is_some(), "it was made");
    assert_eq!(table.ask(BLACK, Verb::Decline { player: None }), None);
}

#[test]
fn a_win_on_time_needs_time_on_the_claimants_clock_where_the_edition_says_so() {
    let claimed = |edition, rate, supervised| {
        let mut table = Table::under(Rules {
            regulations: Regulations {
                supervised,
                ..Regulations::new(edition, rate)
            },
            ..Rules::default()
        });
        table.moves("e2e4 e7e5");
        table.clock(0, 0, None);
        let player = Side::White;
        table.ask(ARBITER, Verb::Ruling(Ruling::Flag { player }))
    };
    let refused = Some(RefusalCode::NotAdmissible);
    for edition in [&laws::FIDE_1997, &laws::FIDE_2009, &laws::FIDE_2017] {
        assert_eq!(claimed(edition, Rate::Rapid, false), refused);
        assert_eq!(claimed(edition, Rate::Blitz, false), refused);
        assert_eq!(claimed(edition, Rate::Rapid, true), None);
        assert_eq!(claimed(edition, Rate::Standard, false), None);
    }
    assert_eq!(claimed(&laws::FIDE_2018, Rate::Blitz, false), None);
}

#[test]
fn what_the_clock_shows_is_kept_in_a_new_game_but_not_its_flag() {
    let mut table = Table::new(Confirm::Arbiter);
    let clock = ClockState {
        white_ms: 0,
        black_ms: 61_000,
        running: None,
        flag: Some(Side::White),
    };
    table.input(Input::Clock { clock: Some(clock) });
    table.start_array();
    let carried = table.game.carried();
    let without = ClockState {
        flag: None,
        ..clock
    };
    assert_eq!(carried.clock, Some(without));
    let again = restarted(&carried);
    assert_eq!(again.game.clock(), Some(without));
}

#[test]
fn what_an_event_has_set_holds_at_another_rate_where_the_text_was_not_read() {
    let event = Regulations {
        overrides: Overrides {
            incorrect_claim_bonus_s: Some(90),
            incorrect_claim_claimant: Some(ClaimantLoses::Nothing),
            ..Overrides::default()
        },
        ..Regulations::new(&laws::FIDE_2005, Rate::Standard)
    };
    let rapid = event.under(&laws::FIDE_2005, Rate::Rapid);
    assert_eq!(rapid.overrides, event.overrides);
    assert_eq!(rapid.incorrect_claim().opponent_bonus_s, 90);

    // In 2014 only the bonus in blitz is open.
    let event = Regulations {
        overrides: Overrides {
            incorrect_claim_bonus_s: Some(90),
            flag_call: Some(laws::FlagCall::Refrain),
            ..Overrides::default()
        },
        ..Regulations::new(&laws::FIDE_2014, Rate::Blitz)
    };
    let rapid = event.under(&laws::FIDE_2014, Rate::Rapid);
    assert_eq!(rapid.incorrect_claim().opponent_bonus_s, 120);
    assert_eq!(rapid.flag_call(), laws::FlagCall::Refrain);
    let other = event.under(&laws::FIDE_2005, Rate::Blitz);
    assert!(other.overrides.is_empty());
}

#[test]
fn an_alert_of_a_lost_board_has_the_code_of_its_cause() {
    let mut table = Table::new(Confirm::Arbiter);
    let mut down = |code| {
        table.input(Input::Link {
            up: false,
            code,
            reason: Some("/dev/ttyACM0 was unplugged".to_owned()),
        });
        let alert = table.game.alerts().open()[0].clone();
        assert_eq!(alert.code, AlertCode::BoardLost);
        assert_eq!(alert.arguments["reason"], "/dev/ttyACM0 was unplugged");
        alert.arguments["code"].clone()
    };
    assert_eq!(down(Some(DownCode::Unplugged)), "unplugged");
    assert_eq!(down(None), serde_json::Value::Null, "in an older journal");
}

#[test]
fn a_mark_belongs_to_its_ply_as_long_as_there_is_one() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 f1c4");
    assert_eq!(table.ask(WHITE, offer()), None);
    let uci = "f1b5".into();
    table.input(Input::Revise { uci, clock: None });
    let mark = [(3, Side::White)];
    assert_eq!(table.game.offer_marks(), mark, "the bishop has gone on");
    table.input(Input::Withdraw);
    assert!(table.game.standing_offer().is_some());
    table.moves("f1c4 b8c6");
    assert_eq!(table.game.offer_marks(), mark);
    assert_eq!(
        table.ask(ARBITER, correct(0, &["e4", "e5", "Bb5", "Nc6"])),
        None
    );
    assert_eq!(table.game.offer_marks(), mark);
    assert_eq!(table.ask(ARBITER, correct(2, &[])), None);
    table.moves("g1f3");
    assert_eq!(table.game.offer_marks(), [], "another move, and no offer");
}
