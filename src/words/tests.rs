mod alerts;
mod dead_positions;

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
    let placeholders = |language| -> BTreeMap<String, Needs> {
        let mut listing = listing(language);
        for keys in listing
            .values_mut()
            .flat_map(|needs| needs.choices.values_mut())
        {
            keys.remove("one");
        }
        listing
    };
    let english = placeholders(Language::En);
    for language in [Language::De, Language::DeCh, Language::Nl] {
        let other = placeholders(language);
        let ids = |placeholders: &BTreeMap<String, Needs>| {
            placeholders.keys().cloned().collect::<BTreeSet<_>>()
        };
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

#[test]
fn every_variant_of_every_message_can_be_formatted() {
    for language in Language::ALL {
        let words = Words::of(language);
        for (id, needs) in listing(language) {
            // A part of a sentence may be empty; the text of an alert never is.
            let is_alert = id.starts_with("alert-");
            for arguments in combinations(&needs) {
                let (text, errors) = words.format(&id, &arguments);
                assert!(
                    errors.is_empty(),
                    "{language} {id} {arguments:?}: {errors:?}"
                );
                // Any message may contain a bare number, and some are 0 here.
                let fault = fault(&text).filter(|fault| *fault != " 0 ");
                assert_eq!(fault, None, "{language} {id}: {text}");
                if is_alert {
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
    let not_quoted = ["other", "none", "one", "0", "start", "white", "black"];
    for code in AlertCode::ALL {
        let specimens = specimens(code);
        for (name, keys) in &listing[&super::alert::id(code)].choices {
            for key in keys
                .iter()
                .filter(|key| !not_quoted.contains(&key.as_str()))
            {
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
fn a_clock_adjustment_is_written_out() {
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
