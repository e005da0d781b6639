//! The last two minutes: claims, requests for an increment, flags.

use super::{
    table::{
        ARBITER, BLACK, INCORRECT, WHITE, claim, correct, decide, decide_on, postponed,
        short_of_time, under,
    },
    *,
};
use remisd_laws::{self as laws, QuickplayDecision, Regulations, TimeChange};

fn flag(player: Side) -> Verb {
    Verb::Ruling(Ruling::Flag { player })
}

fn flag_falls(table: &mut Table, player: Side) {
    let clock = Some(ClockState {
        white_ms: 0,
        black_ms: 240_000,
        running: None,
        flag: Some(player),
    });
    table.input(Input::Clock { clock });
}

fn increment() -> Verb {
    claim(Claimed::Increment, None)
}

#[test]
fn an_increment_is_asked_for_by_an_act_of_its_own_where_the_edition_has_it() {
    for (edition, article) in [
        (&laws::FIDE_2014, "G.4"),
        (&laws::FIDE_2017, "III.4"),
        (&laws::FIDE_2023, "III.4"),
    ] {
        let mut table = short_of_time(edition);
        assert_eq!(table.ask(WHITE, increment()), None, "{}", edition.id);
        let asked = table.game.open_claim().unwrap().clone();
        assert_eq!(
            (asked.kind, asked.article.as_str()),
            (Claimed::Increment, article)
        );
        let offer = table.game.standing_offer().unwrap();
        assert!(offer.by_claim, "the request is an offer");
        assert_eq!(
            table.ask(ARBITER, decide(QuickplayDecision::Increment)),
            None
        );
        let granted = table.game.adjustments()[0].clone();
        assert_eq!(granted.reason, AdjustmentReason::Increment);
        assert_eq!(
            (granted.white, granted.black),
            (TimeChange::None, TimeChange::AddMs(120_000))
        );
        let alert = table.alert(AlertCode::ClockAdjustment).unwrap();
        assert_eq!(alert.article.as_deref(), Some(article));
        assert_eq!(table.game.standing_offer(), None);
        assert_eq!(table.game.result(), None, "the game goes on");
        // Neither applies to a game with an increment (G.3, III.3).
        let refused = Some(RefusalCode::NotAdmissible);
        assert_eq!(table.ask(WHITE, increment()), refused);
        assert_eq!(table.ask(WHITE, claim(Claimed::Quickplay, None)), refused);
    }
    for edition in [&laws::FIDE_1997, &laws::FIDE_2001, &laws::FIDE_2009] {
        let mut table = short_of_time(edition);
        assert_eq!(
            table.ask(WHITE, increment()),
            Some(RefusalCode::NotAdmissible)
        );
    }
}

#[test]
fn a_request_for_an_increment_has_the_conditions_of_the_last_two_minutes() {
    let refused = Some(RefusalCode::NotAdmissible);
    let mut table = short_of_time(&laws::FIDE_2023);
    assert_eq!(
        table.ask(BLACK, increment()),
        refused,
        "he does not have the move"
    );
    table.clock(120_000, 300_000, Some(Side::White));
    assert_eq!(
        table.ask(WHITE, increment()),
        refused,
        "two minutes are not less"
    );
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.clock(100_000, 300_000, Some(Side::White));
    assert_eq!(
        table.ask(WHITE, increment()),
        refused,
        "nobody has announced it"
    );
}

#[test]
fn a_claim_and_a_request_in_the_last_two_minutes_have_their_own_decisions() {
    let wrong = Some(RefusalCode::BadValue);
    let mut table = short_of_time(&laws::FIDE_2023);
    assert_eq!(table.ask(WHITE, claim(Claimed::Quickplay, None)), None);
    assert_eq!(table.game.standing_offer(), None, "the claim is no offer");
    assert_eq!(
        table.ask(ARBITER, decide(QuickplayDecision::Increment)),
        wrong
    );
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Reject)), None);
    assert_eq!(
        table.game.adjustments()[0].black,
        TimeChange::AddMs(120_000)
    );

    let mut table = short_of_time(&laws::FIDE_2023);
    assert_eq!(table.ask(WHITE, increment()), None);
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Draw)), wrong);
    assert_eq!(
        table.ask(ARBITER, decide(QuickplayDecision::Postpone)),
        wrong
    );
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Reject)), None);
    assert!(table.game.adjustments().is_empty(), "it costs nothing");
}

#[test]
fn the_offer_in_a_request_for_an_increment_can_be_accepted() {
    let mut table = short_of_time(&laws::FIDE_2023);
    assert_eq!(table.ask(WHITE, increment()), None);
    assert_eq!(table.ask(BLACK, Verb::Accept { player: None }), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn a_postponed_decision_stays_in_view_until_it_is_made() {
    let mut table = postponed(&laws::FIDE_2009);
    table.moves("g1f3 b8c6");
    let alert = table.alert(AlertCode::DecisionPostponed).unwrap();
    assert_eq!(
        (alert.level, alert.article.as_deref()),
        (Level::Amber, Some("10.2"))
    );
    assert_eq!(
        (&alert.arguments["by"], &alert.arguments["ply"]),
        (&"white".into(), &2.into())
    );
    assert!(alert.arguments["flag"].is_null());
    flag_falls(&mut table, Side::White);
    let alert = table.alert(AlertCode::DecisionPostponed).unwrap();
    assert_eq!(alert.arguments["flag"], "white");
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Draw)), None);
    assert_eq!(table.alert(AlertCode::DecisionPostponed), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Quickplay);
}

#[test]
fn the_flag_waits_for_a_postponed_decision() {
    for edition in [&laws::FIDE_1997, &laws::FIDE_2001, &laws::FIDE_2023] {
        let mut table = postponed(edition);
        flag_falls(&mut table, Side::White);
        let both = Verb::Ruling(Ruling::BothFlags { last_period: true });
        for verb in [flag(Side::White), both] {
            let answer = table.command(&format!("{verb:?}"), ARBITER, verb);
            assert_eq!(answer.code, Some(RefusalCode::WrongState), "{}", edition.id);
            assert!(answer.message.unwrap().contains("postponed"));
        }
        assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Reject)), None);
        assert!(table.game.adjustments().is_empty(), "too late for time");
        assert_eq!(table.ask(ARBITER, flag(Side::White)), None);
        assert!(table.game.pending_loss().is_some());
    }
}

#[test]
fn the_other_flag_is_seen_after_a_ruling_on_both() {
    let mut table = under(&laws::FIDE_2009, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    flag_falls(&mut table, Side::White);
    let goes_on = Verb::Ruling(Ruling::BothFlags { last_period: false });
    assert_eq!(table.ask(ARBITER, goes_on), None);
    flag_falls(&mut table, Side::White);
    assert_eq!(table.alert(AlertCode::FlagFall), None, "it was ruled on");
    flag_falls(&mut table, Side::Black);
    let alert = table.alert(AlertCode::FlagFall).unwrap();
    assert_eq!(alert.arguments["player"], "black");
}

#[test]
fn an_illegal_move_waits_for_the_opponents_claim_where_the_edition_says_so() {
    let ruled = |edition, rate, claimed| {
        let mut table = Table::under(Rules {
            regulations: Regulations::new(edition, rate),
            ..Rules::default()
        });
        table.moves("e2e4");
        let player = Side::Black;
        let refused = table.ask(
            ARBITER,
            Verb::Ruling(Ruling::IllegalMove {
                player,
                claimed,
                withdrawn: false,
            }),
        );
        let counted = table.game.illegal_moves().black;
        assert_eq!(counted, u32::from(refused.is_none()));
        refused
    };
    let refused = Some(RefusalCode::NotAdmissible);
    for (edition, rate) in [
        (&laws::FIDE_1997, Rate::Blitz),
        (&laws::FIDE_2009, Rate::Rapid),
        (&laws::FIDE_2009, Rate::Blitz),
    ] {
        assert_eq!(ruled(edition, rate, false), refused, "{}", edition.id);
        assert_eq!(ruled(edition, rate, true), None);
    }
    for (edition, rate) in [
        (&laws::FIDE_2009, Rate::Standard),
        (&laws::FIDE_2023, Rate::Blitz),
    ] {
        assert_eq!(ruled(edition, rate, false), None);
    }
}

#[test]
fn the_quickplay_claim_follows_the_edition() {
    let quickplay = || claim(Claimed::Quickplay, None);
    let mut now = Table::new(Confirm::Arbiter);
    assert_eq!(
        now.ask(WHITE, quickplay()),
        Some(RefusalCode::NotAdmissible)
    );

    let mut old = under(&laws::FIDE_2001, Confirm::Arbiter);
    old.clock(119_000, 300_000, Some(Side::White));
    assert_eq!(old.ask(WHITE, quickplay()), None);
    assert_eq!(old.ask(ARBITER, decide(QuickplayDecision::Reject)), None);
    assert_eq!(old.game.adjustments()[0].black, TimeChange::AddMs(120_000));
    assert!(old.game.open_claim().is_none());
}

#[test]
fn play_continues_while_the_decision_in_the_last_two_minutes_is_postponed() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.clock(119_000, 300_000, Some(Side::White));
    table.ask(WHITE, claim(Claimed::Quickplay, None));
    assert_eq!(
        table.ask(ARBITER, decide(QuickplayDecision::Postpone)),
        None
    );
    assert_eq!(table.game.pause_state(), None);
    table.moves("g1f3");
    assert_eq!(table.ask(BLACK, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Draw)), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Quickplay);

    // That draw does not rest on the record.
    let claims = table.game.claims().to_vec();
    for moves in [&["e3"] as &[&str], &[]] {
        assert_eq!(table.ask(ARBITER, correct(0, moves)), None);
        let result = table.game.result().unwrap();
        assert_eq!(
            (result.reason, result.confirmed),
            (ResultReason::Quickplay, true)
        );
        assert_eq!(table.game.claims(), claims);
    }
}

#[test]
fn a_decision_is_postponed_once() {
    let mut table = postponed(&laws::FIDE_2001);
    let again = Verb::Ruling(Ruling::Quickplay {
        decision: QuickplayDecision::Postpone,
        bonus: true,
        player: None,
    });
    let answer = table.command("again", ARBITER, again);
    assert_eq!(answer.code, Some(RefusalCode::WrongState));
    assert!(answer.message.unwrap().contains("postponed already"));
    assert!(table.game.adjustments().is_empty(), "no time twice");
}

#[test]
fn a_decision_is_on_the_claim_that_is_open() {
    let mut table = postponed(&laws::FIDE_2023);
    table.moves("g1f3");
    table.clock(90_000, 90_000, Some(Side::Black));
    assert_eq!(table.ask(BLACK, increment()), None);
    for decision in [QuickplayDecision::Postpone, QuickplayDecision::Draw] {
        let refused = table.ask(ARBITER, decide(decision));
        assert_eq!(refused, Some(RefusalCode::BadValue), "{decision:?}");
    }
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Reject)), None);
    let [postponed, request] = table.game.claims() else {
        panic!("{:?}", table.game.claims());
    };
    assert!(postponed.ruling.is_none() && request.ruling.is_some());
    assert_eq!(table.ask(ARBITER, decide(QuickplayDecision::Draw)), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Quickplay);
}

/// Both players have claimed, and both decisions were postponed.
fn both_postponed() -> Table {
    let mut table = postponed(&laws::FIDE_2001);
    table.moves("g1f3");
    table.clock(90_000, 90_000, Some(Side::Black));
    assert_eq!(table.ask(BLACK, claim(Claimed::Quickplay, None)), None);
    let later = decide(QuickplayDecision::Postpone);
    assert_eq!(table.ask(ARBITER, later), None);
    table
}

#[test]
fn each_player_has_a_postponed_decision_of_his_own() {
    let mut table = both_postponed();
    let open = table.game.alerts().open().iter();
    let postponed = open.filter(|alert| alert.code == AlertCode::DecisionPostponed);
    let by: Vec<_> = postponed
        .map(|alert| alert.arguments["by"].clone())
        .collect();
    assert_eq!(by, ["white", "black"]);
    let whose = |left: &Unresolved| (left.what, left.by);
    let both = [
        (UnresolvedKind::Decision, Some(Side::White)),
        (UnresolvedKind::Decision, Some(Side::Black)),
    ];
    let undecided: Vec<_> = table.game.undecided().iter().map(whose).collect();
    assert_eq!(undecided, both);
    table.start_array();
    let left: Vec<_> = table.game.unresolved_matters().iter().map(whose).collect();
    assert_eq!(left, both);
    let alert = table.alert(AlertCode::LeftUndecided).unwrap();
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert: alert.id }), None);
    let left: Vec<_> = table.game.unresolved_matters().iter().map(whose).collect();
    assert_eq!(left, both[1..], "the other one waits on");
}

#[test]
fn the_arbiter_says_whose_decision_he_makes_where_two_wait() {
    let mut table = both_postponed();
    flag_falls(&mut table, Side::White);
    let reject = |player| decide_on(QuickplayDecision::Reject, player);
    assert_eq!(
        table.ask(ARBITER, reject(None)),
        Some(RefusalCode::BadValue)
    );
    assert_eq!(table.ask(ARBITER, reject(Some(Side::White))), None);
    let [left] = &table.game.undecided()[..] else {
        panic!("{:?}", table.game.undecided());
    };
    assert_eq!(left.by, Some(Side::Black));
    assert_eq!(
        table.ask(ARBITER, flag(Side::White)),
        Some(RefusalCode::WrongState)
    );
    assert_eq!(table.ask(ARBITER, reject(None)), None, "only one waits");
    assert_eq!(table.ask(ARBITER, flag(Side::White)), None);
}

#[test]
fn a_request_for_an_increment_that_is_left_open_is_named_as_one() {
    let mut table = short_of_time(&laws::FIDE_2023);
    assert_eq!(table.ask(WHITE, increment()), None);
    table.start_array();
    let alert = table.alert(AlertCode::LeftUndecided).unwrap();
    assert_eq!(alert.arguments["what"], "increment");
}
