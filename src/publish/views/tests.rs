use super::{leaves::texts, *};
use crate::{protocol::specimens, words::Language};
use remisd_game::{Command, Input, Role, Rules, Score, SettledBy, Side, Stamped, Verb};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

fn competition() -> Views {
    Views::under(Profile::Competition)
}

/// A competition whose public delay is long enough for counters and claims.
fn delayed() -> Views {
    Views::new(Settings {
        delay_ms: 900_000,
        ..competition().settings
    })
}

/// A game that ends with the fifth occurrence of the position, followed by more moves.
fn fivefold(then: Option<Verb>) -> Game {
    played(16, then)
}

/// A number of plies in which knights go out and back, followed by more moves.
fn played(plies: usize, then: Option<Verb>) -> Game {
    played_under(Rules::default(), plies, then)
}

fn played_under(rules: Rules, plies: usize, then: Option<Verb>) -> Game {
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].into_iter().cycle();
    let moves = moves.take(plies).map(|uci| Input::Move {
        uci: uci.into(),
        by: SettledBy::Reply,
        clock: None,
    });
    let then = then.map(|verb| {
        Input::Command(Command {
            id: "1".to_owned(),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb,
        })
    });
    let mut game = Game::new(rules);
    for (seq, input) in (1..).map(EntrySeq::new).zip(moves.chain(then)) {
        let time = jiff::Timestamp::UNIX_EPOCH;
        game.apply(&Stamped { seq, time, input });
    }
    game
}

#[test]
fn everybody_who_sees_moves_sees_that_a_promotion_was_assumed() {
    let moves = "a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6 b7a8q";
    let mut game = Game::new(Rules::default());
    for (seq, uci) in (1..).map(EntrySeq::new).zip(moves.split(' ')) {
        let by = if uci.len() == 5 {
            SettledBy::Assumed
        } else {
            SettledBy::Reply
        };
        let (uci, clock) = (uci.into(), None);
        let input = Input::Move { uci, by, clock };
        let time = jiff::Timestamp::UNIX_EPOCH;
        game.apply(&Stamped { seq, time, input });
    }
    let views = competition();
    for (audience, since) in [
        (Audience::Arbiter, serde_json::json!({"since_ply": 9})),
        (Audience::Operator, serde_json::json!({"since_ply": 9})),
        (Audience::Public, serde_json::json!({"since_ply": 9})),
        (Audience::Hall, serde_json::json!({})),
    ] {
        let view = views.view(
            audience,
            Leaf::Game,
            &BoardSnapshot::of(&game, &BoardConnection::default()),
        );
        assert_eq!(view.unwrap().content()["uncertain"], since, "{audience:?}");
    }
}

#[test]
fn the_arbiter_sees_the_first_end_although_he_overruled_it() {
    let score = Score::None;
    let game = fivefold(Some(Verb::Result { score, game: None }));
    let views = competition();
    let draw = views
        .view(
            Audience::Arbiter,
            Leaf::Draw,
            &BoardSnapshot::of(&game, &BoardConnection::default()),
        )
        .unwrap();
    let first = serde_json::json!({"ply": 16, "kind": "fivefold", "article": "9.6.1"});
    assert_eq!(draw.content()["first_end"], first);
    let public = delayed().delayed_draw(&game).unwrap();
    assert_eq!(public.content().get("first_end"), None);
}

#[test]
fn the_public_of_a_competition_gets_counters_after_a_long_delay_alone() {
    let (game, line) = (fivefold(None), BoardConnection::default());
    for (views, fields) in [(competition(), 4), (delayed(), 6)] {
        let scene = BoardSnapshot::of(&game, &line);
        let content = views
            .view(Audience::Public, Leaf::Game, &scene)
            .unwrap()
            .content();
        for key in ["fen", "start_fen"] {
            let fen = content[key].as_str().unwrap();
            assert_eq!(fen.split(' ').count(), fields, "{fen}");
        }
        assert_eq!(content["ply"], 16, "anybody can count the moves");
        assert_eq!(views.delayed_draw(&game).is_some(), fields == 6);
    }
    let casual = Views::under(Profile::Casual);
    let scene = BoardSnapshot::of(&game, &line);
    let draw = casual
        .view(Audience::Public, Leaf::Draw, &scene)
        .unwrap()
        .content();
    assert_eq!(draw["halfmove_clock"], 16, "it is open");
}

#[test]
fn the_public_of_a_competition_learns_of_an_end_when_it_is_confirmed() {
    let published = |game: &Game| {
        let draw = delayed().delayed_draw(game).unwrap().content();
        let after_end = draw.get("after_end").is_some_and(|value| *value == true);
        (draw["automatic"]["kind"].clone(), after_end)
    };
    let mut game = fivefold(None);
    let next = |game: &mut Game, input| {
        let (seq, time) = (game.seq() + 1, jiff::Timestamp::UNIX_EPOCH);
        game.apply(&Stamped { seq, time, input });
    };
    assert_eq!(published(&game), (serde_json::Value::Null, false));
    let (uci, by, clock) = ("g1f3".into(), SettledBy::Reply, None);
    next(&mut game, Input::Move { uci, by, clock });
    assert_eq!(published(&game), (serde_json::Value::Null, false));
    next(&mut game, Input::Withdraw);
    let alert = game.alerts().open()[0].id.clone();
    let ack = Command {
        id: "ack".to_owned(),
        role: Role::Arbiter,
        by: None,
        if_seq: None,
        unsettled: None,
        verb: Verb::Ack { alert },
    };
    next(&mut game, Input::Command(ack));
    assert_eq!(published(&game), ("fivefold".into(), false));
}

#[test]
fn players_see_an_offer_that_only_the_arbiter_knows_to_be_void() {
    let player = Some(Side::White);
    let condition = None;
    let game = fivefold(Some(Verb::Offer { player, condition }));
    let views = competition();
    let offer = |audience| {
        views.view(
            audience,
            Leaf::Offer,
            &BoardSnapshot::of(&game, &BoardConnection::default()),
        )
    };
    assert!(offer(Audience::Player).is_some());
    assert!(offer(Audience::Arbiter).is_none());
}

#[test]
fn the_offerer_learns_of_the_acceptance_whether_or_not_an_end_is_hidden() {
    let accepted = |hidden: bool, consent: bool| {
        let (by, to) = (Some(Side::White), Some(Side::Black));
        let offer = Verb::Offer {
            player: by,
            condition: None,
        };
        let mut rules = Rules::default();
        if consent {
            rules.regulations.agreement = remisd_laws::AgreementRule::Never;
        }
        let mut game = played_under(rules, if hidden { 16 } else { 4 }, Some(offer));
        let (seq, time) = (game.seq() + 1, jiff::Timestamp::UNIX_EPOCH);
        let input = Input::Command(Command {
            id: "2".to_owned(),
            role: Role::Arbiter,
            by: None,
            if_seq: None,
            unsettled: None,
            verb: Verb::Accept { player: to },
        });
        let clock = |game: &Game| {
            let line = BoardConnection::default();
            let scene = BoardSnapshot::of(game, &line);
            let view = competition().view(Audience::Player, Leaf::Clock, &scene);
            view.map(|view| view.content())
        };
        assert_eq!(clock(&game), None);
        game.apply(&Stamped { seq, time, input });
        clock(&game).unwrap()
    };
    for consent in [false, true] {
        assert_eq!(accepted(false, consent)["decided"], "agreement");
        assert_eq!(accepted(true, consent), accepted(false, consent));
    }
}

#[test]
fn the_clock_has_the_names_that_are_known() {
    let headers = [("White", " Smit, Anna "), ("Black", "?")];
    let headers = headers.map(|(tag, name)| (tag.to_owned(), name.to_owned()));
    let headers = headers.into_iter().collect();
    let game = played(0, Some(Verb::Headers { headers }));
    let line = BoardConnection::default();
    let scene = BoardSnapshot::of(&game, &line);
    let view = competition().view(Audience::Player, Leaf::Clock, &scene);
    let names = serde_json::json!({"white": "Smit, Anna", "black": null});
    assert_eq!(view.unwrap().content()["players"], names);
}

#[test]
fn an_alert_has_a_text_in_every_language_that_is_configured() {
    let alert = &specimens(AlertCode::ThreefoldClaimable)[0].alert;
    let texts = texts(&[Language::Nl, Language::DeCh], alert);
    let translations: Vec<(&str, &str)> = texts
        .iter()
        .map(|(k, v)| (k.as_ref(), v.as_str()))
        .collect();
    let german = "Remisantrag wegen dreimaliger Stellungswiederholung möglich (Art. 9.2.1): \
                  Weiss am Zug. Nicht eingreifen.";
    let dutch = "Remiseclaim wegens driemaal dezelfde stelling mogelijk (art. 9.2.1): \
                 wit aan zet. Niet ingrijpen.";
    assert_eq!(translations, [("de-ch", german), ("nl", dutch)]);
}

#[test]
fn the_first_end_is_shown_after_a_setup_with_the_ply_of_the_record_before_it() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 3 40".to_owned();
    let game = fivefold(Some(Verb::Setup { fen }));
    let draw = competition()
        .view(
            Audience::Arbiter,
            Leaf::Draw,
            &BoardSnapshot::of(&game, &BoardConnection::default()),
        )
        .unwrap();
    let first = serde_json::json!({
        "ply": 16, "kind": "fivefold", "article": "9.6.1", "before_setup": true,
    });
    assert_eq!(draw.content()["first_end"], first);
}

#[test]
fn only_the_arbiter_learns_of_a_claim_that_is_not_written_down() {
    let then = Verb::Claim {
        player: None,
        kind: remisd_game::Claimed::Threefold,
        announced: Some("e4".to_owned()),
        written: false,
    };
    let mut game = Game::new(Rules::default());
    let input = Input::Command(Command {
        id: "1".to_owned(),
        role: Role::White,
        by: None,
        if_seq: None,
        unsettled: None,
        verb: then,
    });
    let (seq, time) = (EntrySeq::new(1), jiff::Timestamp::UNIX_EPOCH);
    game.apply(&Stamped { seq, time, input });
    let views = Views::under(Profile::Casual);
    let finding = |audience| {
        let draw = views.view(
            audience,
            Leaf::Draw,
            &BoardSnapshot::of(&game, &BoardConnection::default()),
        );
        draw.unwrap().content()["claim"]["finding"].clone()
    };
    assert_eq!(finding(Audience::Arbiter), "defective_not_written");
    assert_eq!(finding(Audience::Player), serde_json::Value::Null);
}

#[test]
fn after_a_result_by_a_claim_nothing_can_be_claimed_on_any_topic() {
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2).into_iter();
    let moves = moves.map(|uci| serde_json::json!({"type": "move", "uci": uci, "by": "clock"}));
    let claim = serde_json::json!({
        "type": "command", "id": "1", "role": "white", "verb": "claim",
        "arguments": {"kind": "threefold"},
    });
    let ruling = serde_json::json!({
        "type": "command", "id": "2", "role": "arbiter", "verb": "ruling",
        "arguments": {"on": "claim", "correct": true},
    });
    let mut game = Game::new(Rules::default());
    let published = |game: &Game| -> Vec<(Profile, Audience, String)> {
        let profiles = [Profile::Competition, Profile::Club, Profile::Casual];
        let views = profiles.into_iter().flat_map(|profile| {
            let of_all = Audience::ALL.into_iter().flat_map(move |audience| {
                Leaf::ALL
                    .map(|leaf| {
                        let line = BoardConnection::default();
                        let scene = BoardSnapshot::of(game, &line);
                        Views::under(profile).view(audience, leaf, &scene)
                    })
                    .into_iter()
                    .flatten()
                    .map(move |view| (profile, audience, view.content))
                    .collect::<Vec<_>>()
            });
            of_all.collect::<Vec<_>>()
        });
        let passed = delayed().delayed_draw(game).unwrap().content;
        let passed = (Profile::Competition, Audience::Public, passed);
        views.chain([passed]).collect()
    };
    let claimable = |text: &str| {
        text.contains("_claimable")
            || (text.contains("\"claims\":[") && !text.contains("\"claims\":[]"))
    };
    for (seq, input) in (1..).map(EntrySeq::new).zip(moves.chain([claim, ruling])) {
        if seq == EntrySeq::new(10) {
            let before = published(&game);
            assert!(before.iter().any(|(_, _, text)| claimable(text)));
        }
        let input: Input = serde_json::from_value(input).unwrap();
        let time = jiff::Timestamp::UNIX_EPOCH;
        game.apply(&Stamped { seq, time, input });
    }
    assert!(game.result().is_some());
    for (profile, audience, text) in published(&game) {
        assert!(!claimable(&text), "{profile:?} {audience:?}: {text}");
    }
}

#[test]
fn what_stands_around_stands_in_the_content_of_no_view() {
    let content_offset = ["schema", "site", "board", "session", "seq", "time"];
    let game = fivefold(None);
    for (profile, audience, leaf) in [Profile::Competition, Profile::Casual]
        .into_iter()
        .flat_map(|profile| Audience::ALL.map(|audience| (profile, audience)))
        .flat_map(|(profile, audience)| Leaf::ALL.map(|leaf| (profile, audience, leaf)))
    {
        let view = Views::under(profile).view(
            audience,
            leaf,
            &BoardSnapshot::of(&game, &BoardConnection::default()),
        );
        let Some(view) = view else { continue };
        let content = view.content();
        for key in content_offset {
            assert_eq!(content.get(key), None, "{audience:?} {leaf:?}");
        }
        let envelope = Envelope {
            schema: view.schema.into(),
            site: "hall".to_owned(),
            board: "b1".to_owned(),
            session: "s".to_owned(),
            seq: AudienceSeq::new(16),
            time: "t".to_owned(),
            content: (),
        };
        let payload: serde_json::Value =
            serde_json::from_slice(&view.within(&envelope).payload).unwrap();
        assert!(view.is_in(&view.within(&envelope)));
        let fields = content.as_object().unwrap();
        assert_eq!(
            payload.as_object().unwrap().len(),
            fields.len() + content_offset.len()
        );
        assert!(fields.iter().all(|(key, value)| payload[key] == *value));
        assert_eq!(payload["seq"], 16);
    }
}
