use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use shakmaty::{Bitboard, Color, Role, Square};

use super::{
    Language, SUBJECTS, Words,
    listing::{Needs, listing},
};
use crate::protocol::specimens;
use remisd_dead::{self as dead, Ground, Grounds, Why};
use remisd_game::AlertCode;

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn words_are_those_of_their_language() {
    for language in Language::ALL {
        assert_eq!(Words::of(language).language(), language);
    }
}

#[test]
fn every_language_says_the_same_with_the_same() {
    // A language may do without a plural category.
    let said = |language| -> BTreeMap<String, Needs> {
        let mut listing = listing(language);
        for keys in listing
            .values_mut()
            .flat_map(|needs| needs.choices.values_mut())
        {
            keys.remove("one");
        }
        listing
    };
    let english = said(Language::En);
    for language in [Language::De, Language::DeCh, Language::Nl] {
        let other = said(language);
        let ids = |said: &BTreeMap<String, Needs>| said.keys().cloned().collect::<BTreeSet<_>>();
        assert_eq!(ids(&other), ids(&english), "{language}");
        for (id, needs) in &english {
            assert_eq!(other[id].variables, needs.variables, "{language} {id}");
            assert_eq!(other[id].choices, needs.choices, "{language} {id}");
        }
    }
}

#[test]
fn no_message_is_without_use() {
    let listing = listing(Language::En);
    let used: BTreeSet<&String> = listing.values().flat_map(|needs| &needs.messages).collect();
    let code = |id: &str| {
        AlertCode::ALL
            .iter()
            .any(|code| super::alert::id(*code) == id)
    };
    for id in listing.keys().filter(|id| id.starts_with("alert-")) {
        assert!(code(id) || used.contains(id), "{id}");
    }
}

/// Maximum number of combinations tried per message. A message composed of several parts is
/// sampled, as each part is tried by itself.
const COMBINATIONS: usize = 20_000;

/// The combinations of the values by which a message selects, and of an unknown value.
fn combinations(needs: &Needs) -> impl Iterator<Item = Map<String, Value>> {
    let values = needs.variables.iter().map(|name| {
        let values: Vec<Value> = match needs.choices.get(name) {
            Some(keys) if keys.contains("one") => vec![json!(0), json!(1), json!(7)],
            Some(keys) => {
                let known = keys.iter().filter(|key| *key != "other");
                known
                    .map(|key| json!(key))
                    .chain([json!("thing")])
                    .collect()
            }
            None => vec![json!(7)],
        };
        (name.clone(), values)
    });
    let values: Vec<(String, Vec<Value>)> = values.collect();
    let all: usize = values.iter().map(|(_, values)| values.len()).product();
    // A step coprime to the number of values reaches every value.
    let step = if all > COMBINATIONS {
        (all / COMBINATIONS).next_multiple_of(30_030) + 1
    } else {
        1
    };
    (0..all.min(COMBINATIONS)).map(move |number| {
        let mut rest = (number * step) % all;
        let arguments = values.iter().map(|(name, values)| {
            let value = values[rest % values.len()].clone();
            rest /= values.len();
            (name.clone(), value)
        });
        arguments.collect()
    })
}

/// Detects what no text may contain: traces of a missing or empty argument, or an unnatural number.
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    let faults = [
        "{",
        "}",
        "\n",
        "\u{2068}",
        "  ",
        " .",
        " ,",
        " ;",
        " :",
        ": :",
        ":.",
        "::",
        ",,",
        ", ,",
        "..",
        "()",
        "( ",
        " )",
        "; ;",
        ";.",
        "null",
        "undefined",
        " 0 ",
        "plies 8.",
        "[]",
    ];
    faults.into_iter().find(|fault| text.contains(fault))
}

#[test]
fn faults_are_found() {
    for text in [
        "incorrect: 0 times",
        "Remiseclaim van : dezelfde",
        "after plies 8.",
        "after {$made}",
        "White  claims",
        "White (), Black",
    ] {
        assert!(fault(text).is_some(), "{text}");
    }
    assert_eq!(fault("White 1:00:00, Black 0:45; 10 times."), None);
}

/// `cargo test --lib rendered -- --nocapture` prints all of them for review.
#[test]
fn every_rendered_alert_is_without_fault() {
    for code in AlertCode::ALL {
        for specimen in specimens(code) {
            for color in ["white", "black"] {
                let mut alert = specimen.alert.clone();
                for name in ["by", "player"] {
                    if alert.arguments.get(name).is_some_and(Value::is_string) {
                        alert.arguments.insert(name.to_owned(), color.into());
                    }
                }
                for language in Language::ALL {
                    let text = Words::of(language).alert(&alert);
                    if language != Language::DeCh {
                        println!("{language} {} {text}", code.as_str());
                    }
                    assert_eq!(fault(&text), None, "{language} {code:?}: {text}");
                    assert!(text.starts_with(|c: char| !c.is_lowercase()), "{text}");
                    assert!(text.ends_with(['.', ')']), "{text}");
                    assert!(!text.contains("none"), "{text}");
                }
            }
        }
    }
}

#[test]
fn an_alert_of_an_older_journal_names_plies() {
    let mut alert = specimens(AlertCode::Fivefold)[0].alert.clone();
    alert.arguments.remove("after");
    let text = Words::of(Language::En).alert(&alert);
    assert!(
        text.contains("for the fifth time, after ply 84 (9.6.1)"),
        "{text}"
    );
    let mut alert = specimens(AlertCode::ClaimMade)[0].alert.clone();
    alert.arguments.remove("after");
    alert.arguments.remove("legal");
    let text = Words::of(Language::En).alert(&alert);
    assert!(
        text.contains("occurred 3 times: plies 76, 80, 85 (9.2.1)"),
        "{text}"
    );
}

/// The text of an alert that a game raised with these arguments.
fn said(language: Language, code: AlertCode, arguments: &Value) -> String {
    let article = (code == AlertCode::DeadPosition).then_some("5.2.2");
    let alert = json!({
        "id": "1",
        "level": "red",
        "code": code,
        "arguments": arguments,
        "article": article,
        "since": "2026-01-01T00:00:00.000Z",
    });
    Words::of(language).alert(&serde_json::from_value(alert).unwrap())
}

#[test]
fn the_oldest_matter_counts_in_its_text_those_that_are_left_out() {
    let what = json!({"game": 3, "what": "claim", "by": "white", "ply": 84, "score": null});
    let end = json!({"game": 3, "score": "1-0", "kind": "checkmate", "ply": 84});
    for (code, arguments) in [
        (AlertCode::LeftUndecided, what),
        (AlertCode::ResultUnconfirmed, end),
    ] {
        for (language, many) in [
            (Language::En, "17 more cases are from earlier games"),
            (Language::De, "17 weitere Fälle aus früheren Partien"),
            (Language::DeCh, "17 weitere Fälle aus früheren Partien"),
            (Language::Nl, "Nog 17 gevallen uit eerdere partijen"),
        ] {
            let alone = said(language, code, &arguments);
            assert!(!alone.contains("17"), "{alone}");
            let mut counted = arguments.clone();
            counted["more"] = 17.into();
            let text = said(language, code, &counted);
            assert!(text.starts_with(&alone) && text.contains(many), "{text}");
            counted["more"] = 1.into();
            let text = said(language, code, &counted);
            assert!(text.len() > alone.len(), "{text}");
            assert_eq!(fault(&text), None, "{text}");
        }
    }
}

#[test]
fn why_a_board_is_lost_is_a_word_that_every_language_knows() {
    let lost = |code| {
        let arguments = json!({ "code": code, "reason": "/dev/ttyACM0 was unplugged" });
        said(Language::De, AlertCode::BoardLost, &arguments)
    };
    let german = lost(Some("unplugged"));
    assert!(!german.contains("unplugged"), "{german}");
    let older = lost(None);
    assert!(older.contains("/dev/ttyACM0 was unplugged"), "{older}");
}

#[test]
fn a_mismatch_names_the_lines_in_the_letters_of_the_language() {
    let arguments = json!({
        "after": "1…e5",
        "candidates": ["Nf3 Nc6", "Nc3 Nc6"],
        "reason": "ambiguous",
        "since_ply": 3,
        "squares": [],
    });
    assert_eq!(
        said(Language::De, AlertCode::BoardMismatch, &arguments),
        "Mehrere Zugfolgen passen zum Brett nach 1…e5. \
         Mit „correct“ wählen: Sf3 Sc6; Sc3 Sc6."
    );
}

#[test]
fn a_mismatch_says_from_which_move_on_the_record_is_in_doubt() {
    let mut arguments = json!({
        "after": "2.Nf3",
        "candidates": [],
        "reason": "no_legal_move",
        "since_ply": 4,
        "squares": [],
    });
    let text = said(Language::En, AlertCode::BoardMismatch, &arguments);
    assert!(!text.contains("misread"), "{text}");
    arguments["doubted_from"] = "1…e5".into();
    arguments["doubted_since"] = 2.into();
    let text = said(Language::En, AlertCode::BoardMismatch, &arguments);
    let doubt = "From 1…e5 on, moves may have been misread.";
    assert!(text.contains(doubt), "{text}");
}

#[test]
fn a_dead_position_is_explained_side_by_side() {
    let bare_king = |color: &str, home: &str| {
        let men = json!([{ "color": color, "home": home, "role": "king" }]);
        json!({ "kind": "material", "lack": "bare_king", "men": men })
    };
    let arguments = json!({
        "after": "1.Kxh1",
        "kind": "dead_position",
        "ply": 1,
        "white": bare_king("white", "h1"),
        "black": bare_king("black", "d5"),
    });
    assert_eq!(
        said(Language::En, AlertCode::DeadPosition, &arguments),
        "Dead position after 1.Kxh1: neither player can mate by any series of legal moves (5.2.2). \
         No mate is possible with king h1 against king d5. The game is drawn. Stop the clock."
    );
}

#[test]
fn an_incorrect_claim_says_what_it_costs() {
    let arguments = json!({
        "after": ["2.Qe2"],
        "after_flag": "no",
        "basis": "intended",
        "black_ms": 180_000,
        "black_set_ms": null,
        "by": "white",
        "contested": "no",
        "count": 1,
        "halfmove_clock": 1,
        "kind": "threefold",
        "legal": "yes",
        "move": "Qe2",
        "plies": [3],
        "verdict": "incorrect",
        "white_ms": 0,
        "white_set_ms": 60_000,
    });
    let text = said(Language::En, AlertCode::ClaimMade, &arguments);
    let costs =
        "The game continues; White to 0:01:00, Black +3:00. The announced move must be made.";
    assert!(text.ends_with(costs), "{text}");
}

#[test]
fn an_announced_move_that_is_not_legal_need_not_be_made() {
    let illegal = |specimen: &&crate::protocol::Specimen| {
        specimen.alert.arguments.get("legal") == Some(&json!("no"))
    };
    let claims = specimens(AlertCode::ClaimMade);
    let claim = &claims.iter().find(illegal).unwrap().alert;
    let text = Words::of(Language::En).alert(claim);
    assert_eq!(
        text,
        "White claims a draw: the same position for the third time, with the announced move Nf6. \
         The claim is incorrect. The announced move is not legal (9.5.3). The game continues; \
         Black +2:00. Another move with that piece must be made, if there is a legal one."
    );
    let broken = specimens(AlertCode::AnnouncedMoveNotPlayed);
    let broken = &broken.iter().find(illegal).unwrap().alert;
    let text = Words::of(Language::En).alert(broken);
    assert!(
        text.ends_with("another move with that piece must be made."),
        "{text}"
    );
}

#[test]
fn every_variant_of_every_message_can_be_said() {
    for language in Language::ALL {
        let words = Words::of(language);
        for (id, needs) in listing(language) {
            // A part of a sentence may be empty; the text of an alert never is.
            let told = id.starts_with("alert-");
            for arguments in combinations(&needs) {
                let (text, errors) = words.format(&id, &arguments);
                assert!(
                    errors.is_empty(),
                    "{language} {id} {arguments:?}: {errors:?}"
                );
                // Any message may contain a bare number, and some are 0 here.
                let fault = fault(&text).filter(|fault| *fault != " 0 ");
                assert_eq!(fault, None, "{language} {id}: {text}");
                if told {
                    assert!(text.ends_with(['.', ')']), "{language} {id}: {text}");
                    assert!(!text.contains("none"), "{language} {id}: {text}");
                }
            }
        }
    }
}

#[test]
fn every_alert_has_a_text_in_every_language() {
    for code in AlertCode::ALL {
        let specimens = specimens(code);
        assert!(!specimens.is_empty(), "{code:?}");
        for language in Language::ALL {
            let words = Words::of(language);
            let needs = &listing(language)[&super::alert::id(code)];
            let mut texts = BTreeSet::new();
            for specimen in &specimens {
                let arguments = words.of_alert(&specimen.alert);
                let missing = needs
                    .variables
                    .iter()
                    .filter(|name| !arguments.contains_key(*name));
                assert_eq!(missing.count(), 0, "{code:?}: {:?}", needs.variables);
                let text = words.alert(&specimen.alert);
                assert!(text.len() < 300, "too long for a tired arbiter: {text}");
                assert!(texts.insert(text.clone()), "{language}, twice: {text}");
            }
        }
    }
}

#[test]
fn the_specimens_show_every_variant() {
    let listing = listing(Language::En);
    // `combinations` tries numbers and the start of a game with every other value.
    let unsaid = ["other", "none", "one", "0", "start", "white", "black"];
    for code in AlertCode::ALL {
        let specimens = specimens(code);
        for (name, keys) in &listing[&super::alert::id(code)].choices {
            for key in keys.iter().filter(|key| !unsaid.contains(&key.as_str())) {
                let shown = |value: Option<&Value>| value == Some(&json!(key));
                let shown = specimens.iter().any(|s| shown(s.alert.arguments.get(name)));
                assert!(shown, "{code:?}: {name} {key}");
            }
        }
    }
}

#[test]
fn swiss_german_has_no_sharp_s() {
    for subject in SUBJECTS {
        assert!(!subject.source(Language::DeCh).contains('ß'));
    }
    assert_eq!(Words::of(Language::De).color_name(Color::White), "Weiß");
    assert_eq!(Words::of(Language::DeCh).color_name(Color::White), "Weiss");
}

#[test]
fn what_is_missing_or_unknown_is_seen_and_does_no_harm() {
    let words = Words::of(Language::De);
    let mut alert = specimens(AlertCode::ThreefoldClaimable)[0].alert.clone();
    alert.article = None;
    alert.arguments = map(&json!({"by": "green"}));
    assert_eq!(
        words.alert(&alert),
        "Remisantrag wegen dreimaliger Stellungswiederholung möglich: green am Zug. Nicht eingreifen."
    );
    for language in Language::ALL {
        for code in AlertCode::ALL {
            let mut alert = specimens(code)[0].alert.clone();
            alert.arguments.clear();
            let text = Words::of(language).alert(&alert);
            let mut needed = listing(language)[&super::alert::id(code)].variables.clone();
            needed.remove("article");
            let needed = !needed.is_empty();
            assert_eq!(text.contains("{$"), needed, "{code:?}: {text}");
            alert.arguments = map(&json!({"ply": -1.5e300, "by": [], "kind": {"a": null},
                "white_ms": "x", "black_ms": i64::MIN, "count": u64::MAX, "move": "\u{2068}{"}));
            assert!(!Words::of(language).alert(&alert).is_empty());
        }
    }
    assert_eq!(
        words.text("no-such", &map(&json!({"a": 1, "b": "x"}))),
        "no-such a=1 b=\"x\""
    );
}

#[test]
fn numbers_are_not_grouped_and_lists_are_joined() {
    let words = Words::of(Language::De);
    let arguments =
        map(&json!({"ply": 1_234_567, "plies": [1000, 2000], "after": null, "article": null}));
    let text = words.text("alert-fourth_occurrence", &arguments);
    assert!(text.contains(" (Halbzüge 1000, 2000)."), "{text}");
    let text = words.text("alert-fivefold", &arguments);
    assert!(text.contains("Halbzug 1234567."), "{text}");
}

#[test]
fn moves_are_written_in_the_letters_of_the_language() {
    let table = [
        ("Nf3", "Sf3", "Pf3"),
        ("Nbd7", "Sbd7", "Pbd7"),
        ("R1xe4+", "T1xe4+", "T1xe4+"),
        ("Qh4#", "Dh4#", "Dh4#"),
        ("Bb5", "Lb5", "Lb5"),
        ("Kxb2", "Kxb2", "Kxb2"),
        ("bxc3", "bxc3", "bxc3"),
        ("e8=Q", "e8=D", "e8=D"),
        ("dxc1=N+", "dxc1=S+", "dxc1=P+"),
        ("O-O", "O-O", "O-O"),
        ("O-O-O#", "O-O-O#", "O-O-O#"),
        ("e4", "e4", "e4"),
        ("Nobody", "Nobody", "Nobody"),
        ("", "", ""),
    ];
    for (english, german, dutch) in table {
        let san = |language| Words::of(language).san(english);
        assert_eq!(
            [Language::En, Language::De, Language::DeCh, Language::Nl].map(san),
            [english, german, german, dutch]
        );
    }
}

#[test]
fn pieces_and_squares_have_their_names() {
    let names = |language| Role::ALL.map(|piece| Words::of(language).piece_name(piece));
    assert_eq!(
        names(Language::En),
        ["pawn", "knight", "bishop", "rook", "queen", "king"]
    );
    assert_eq!(
        names(Language::De),
        ["Bauer", "Springer", "Läufer", "Turm", "Dame", "König"]
    );
    assert_eq!(
        names(Language::Nl),
        ["pion", "paard", "loper", "toren", "dame", "koning"]
    );
    let letters = Role::ALL.map(|piece| Words::of(Language::Nl).piece_letter(piece));
    assert_eq!(
        letters,
        [None, Some('P'), Some('L'), Some('T'), Some('D'), Some('K')]
    );
    assert_eq!(Words::of(Language::Nl).color_name(Color::Black), "Zwart");
    assert_eq!(super::squares([Square::E2, Square::H8]), "e2, h8");
}

#[test]
fn an_amount_of_time_is_written_as_short_as_can_be() {
    let time = |ms| Words::of(Language::En).added_time(ms);
    assert_eq!(
        [0, 45_000, 60_500, 120_000, 5_400_000].map(time),
        ["0:00", "0:45", "1:00.5", "2:00", "1:30:00"]
    );
    assert_eq!(Words::of(Language::Nl).added_time(60_500), "1:00,5");
}

#[test]
fn the_time_of_a_clock_always_has_its_hours() {
    let time = |ms| Words::of(Language::En).clock_time(ms);
    assert_eq!(
        [500, 63_500, 90_000, 5_340_000, 36_000_000].map(time),
        ["0:00:00.5", "0:01:03.5", "0:01:30", "1:29:00", "10:00:00"]
    );
}

#[test]
fn a_clock_is_told_how_to_be_set() {
    let clock = |language, arguments: &Value| {
        let mut alert = specimens(AlertCode::ClockAdjustment)[0].alert.clone();
        alert.arguments.extend(map(arguments));
        Words::of(language).alert(&alert)
    };
    assert_eq!(
        clock(Language::En, &json!({"black_set_ms": 60_000})),
        "Incorrect claim (9.5.3). Set the clock: White +2:00, Black to 0:01:00."
    );
    assert_eq!(
        clock(Language::DeCh, &json!({"black_ms": -90_000})),
        "Antrag nicht berechtigt (Art. 9.5.3). Uhr einstellen: Weiss +2:00, Schwarz −1:30."
    );
    assert_eq!(
        clock(Language::Nl, &json!({"white_ms": 0})),
        "Claim onterecht (art. 9.5.3). Klok instellen: tijden ongewijzigd."
    );
}

#[test]
fn a_claim_that_is_contested_does_not_end_the_game_yet() {
    let mut alert = specimens(AlertCode::ClaimMade)[0].alert.clone();
    let words = Words::of(Language::De);
    assert_eq!(
        words.alert(&alert),
        "Weiß beantragt Remis: dieselbe Stellung zum dritten Mal, angekündigter Zug Sb5. \
         Antrag berechtigt. Die Stellung kam 3 Mal vor: 38…Kg8, 40…Kg8, 43.Sb5 (Art. 9.2.1). \
         Die Partie ist remis."
    );
    alert.arguments.insert("contested".to_owned(), "yes".into());
    let text = words.alert(&alert);
    assert!(
        !text.contains("Die Partie ist remis") && text.contains("entscheiden"),
        "{text}"
    );
}

/// The full explanation of why a position is dead.
fn grounds(fen: &str, language: Language) -> Vec<String> {
    let position = remisd_vocabulary::notation::parse_position(fen).unwrap();
    let proofs = dead::analyse(&position, true).proofs().unwrap();
    let grounds = Grounds::of(&position, &proofs).unwrap();
    for language in Language::ALL {
        let words = Words::of(language);
        let lines = words.grounds(&grounds);
        for line in lines.iter().chain([&words.grounds_in_short(&grounds)]) {
            assert!(line.ends_with('.') && !line.contains("none"), "{line}");
            assert!(!line.contains(['{', '}']), "{line}");
        }
    }
    Words::of(language).grounds(&grounds)
}

#[test]
fn a_dead_position_is_explained_by_its_material() {
    assert_eq!(
        grounds("8/8/4k3/8/8/3K1B2/8/8 w - - 0 1", Language::En),
        [
            "White has only king d3, bishop f3, and the board has no pawns, no knights and no \
             bishops on squares of the other colour: no mate is possible.",
            "Black has only the king.",
        ]
    );
}

#[test]
fn a_dead_position_is_explained_by_where_its_bishops_roam() {
    let fen = "8/2b5/1b5p/b4p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1";
    let lines = grounds(fen, Language::En);
    assert!(
        lines[0].starts_with("Black, bishop g1: can reach only a1, c1,"),
        "{lines:?}"
    );
    assert!(lines[4].ends_with("no mate by White."), "{lines:?}");
    assert!(lines[5].ends_with("no mate by Black."), "{lines:?}");
}

#[test]
fn a_dead_position_is_explained_by_its_blocked_pawns() {
    let lines = grounds("8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1", Language::De);
    assert_eq!(
        lines[0],
        "Die Bauern a4, c4, e4, g4, a5, c5, e5, g5 können weder ziehen noch geschlagen werden."
    );
    assert!(
        lines[1].starts_with("Weiß, König b2: kommt höchstens nach a1, b1,"),
        "{lines:?}"
    );
    assert!(
        lines[2].starts_with("Schwarz, König b6: kommt höchstens nach"),
        "{lines:?}"
    );
    let can_never =
        "kann auf keinem Feld, auf das der gegnerische König kommen kann, Schach bieten.";
    assert_eq!(
        lines[3..],
        [format!("Weiß {can_never}"), format!("Schwarz {can_never}")]
    );
}

#[test]
fn a_dead_position_is_explained_by_what_was_gone_through() {
    // White's only move is to capture the pawn.
    let lines = grounds("8/8/8/8/8/5k2/7p/7K w - - 0 1", Language::En);
    assert!(lines[1].starts_with("The only position that"), "{lines:?}");
    let lines = grounds("1K6/1p6/kPp5/2P5/p1P5/P7/8/8 w - - 0 1", Language::Nl);
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("Nagegaan zijn alle ")),
        "{lines:?}"
    );
}

/// The sketches of one side prove nothing about the other.
#[test]
fn sketches_are_told_with_the_side_that_they_are_of() {
    let ground = |why: Why| Ground {
        why,
        blocked: Bitboard::EMPTY,
        confined: Vec::new(),
    };
    let sketches = |sketches| ground(Why::Sketches { sketches });
    let closure = || {
        ground(Why::Closure {
            positions: 7,
            leaves: 0,
        })
    };
    let words = Words::of(Language::En);
    let short = |white, black| words.grounds_in_short(&Grounds { white, black });
    assert_eq!(
        short(sketches(30), closure()),
        "All 30 arrangements of kings, pawns and tracked pieces that can still arise were \
         examined: no mate by White, wherever the other pieces stand."
    );
    let one = short(closure(), sketches(1));
    assert!(
        one.starts_with("The only arrangement") && one.contains("no mate by Black,"),
        "{one}"
    );
    let both = short(sketches(30), sketches(40));
    assert!(
        both.contains("All 40") && both.contains("no mate, wherever"),
        "{both}"
    );
}
