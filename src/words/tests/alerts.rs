//! Texts of single alerts.

use super::*;

/// The text of an alert that a game raised with these arguments.
pub(super) fn alert_text(language: Language, code: AlertCode, arguments: &Value) -> String {
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
            let alone = alert_text(language, code, &arguments);
            assert!(!alone.contains("17"), "{alone}");
            let mut counted = arguments.clone();
            counted["more"] = 17.into();
            let text = alert_text(language, code, &counted);
            assert!(text.starts_with(&alone) && text.contains(many), "{text}");
            counted["more"] = 1.into();
            let text = alert_text(language, code, &counted);
            assert!(text.len() > alone.len(), "{text}");
            assert_eq!(fault(&text), None, "{text}");
        }
    }
}

#[test]
fn why_a_board_is_lost_is_a_word_that_every_language_knows() {
    let lost = |code| {
        let arguments = json!({ "code": code, "reason": "/dev/ttyACM0 was unplugged" });
        alert_text(Language::De, AlertCode::BoardLost, &arguments)
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
        alert_text(Language::De, AlertCode::BoardMismatch, &arguments),
        "Mehrere Zugfolgen passen zum Brett nach 1…e5. \
         Die gespielten Züge wählen: Sf3 Sc6; Sc3 Sc6."
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
    let text = alert_text(Language::En, AlertCode::BoardMismatch, &arguments);
    assert!(!text.contains("misread"), "{text}");
    arguments["doubted_from"] = "1…e5".into();
    arguments["doubted_since"] = 2.into();
    let text = alert_text(Language::En, AlertCode::BoardMismatch, &arguments);
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
        alert_text(Language::En, AlertCode::DeadPosition, &arguments),
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
    let text = alert_text(Language::En, AlertCode::ClaimMade, &arguments);
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
