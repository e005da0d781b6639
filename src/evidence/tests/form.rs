//! A record that was sent makes the same sheet.

use super::*;
use crate::evidence::Form;
use remisd_vocabulary::{notation::parse_position, seq::EntrySeq};

/// Records of every kind.
fn records() -> Vec<Record> {
    let mut illegal = case("R-KM86", &FIDE_2023, 50);
    illegal.claim(Claimed::Threefold, Some("Nc8")).unwrap();
    let ruling = ClaimRuling {
        correct: false,
        admissible: true,
        by: "Anna".to_owned(),
        time: jiff::Timestamp::UNIX_EPOCH,
    };
    let mut ruled = full();
    let claim = ruled.claim.as_mut().unwrap();
    claim.id = Some(EntrySeq::new(7));
    claim.time = Some(jiff::Timestamp::UNIX_EPOCH);
    claim.ruling = Some(ruling.clone());
    claim.ruled_before = Some(ruling);
    let mut none = full();
    none.claim = None;
    let start = parse_position("4k3/8/8/8/8/8/8/1R2KR2 w FB - 5 7").unwrap();
    let mut chess960 = Record::new(start, Regulations::new(&FIDE_2005, Rate::Blitz));
    moves(&mut chess960, "b1b2 e8e7 b2b1 e7e8");
    chess960.claim(Claimed::Threefold, None).unwrap();
    let start = parse_position("8/8/8/3k4/8/6K1/8/7r w - - 0 1").unwrap();
    let mut dead = Record::new(start, Regulations::new(&FIDE_2023, Rate::Standard));
    moves(&mut dead, "Kg2 Kd6 Kxh1 Kd5 Kh2");
    let position = dead.places()[3].position.clone();
    let proofs = remisd_dead::analyse(&position, true).proofs().unwrap();
    dead.grounds = remisd_dead::Grounds::of(&position, &proofs).map(|grounds| (3, grounds));
    dead.ended = Some((3, AutomaticKind::DeadPosition.under(&FIDE_2023)));
    vec![karpov(), full(), illegal, ruled, none, chess960, dead]
}

#[test]
fn what_is_sent_makes_the_same_sheet() {
    for record in records() {
        let sent = serde_json::to_string(&record).unwrap();
        let received: Record = serde_json::from_str(&sent).unwrap();
        for language in Language::ALL {
            assert_eq!(
                sheet_of(&received, language),
                sheet_of(&record, language),
                "{sent}"
            );
        }
        assert_eq!(Form::from(received), Form::from(record));
    }
}

#[test]
fn a_move_that_is_not_legal_makes_no_record() {
    let mut form = Form::from(karpov());
    form.moves[3].text.uci = "a1a8".to_owned();
    let error = Record::try_from(form).unwrap_err().to_string();
    assert!(error.contains("ply 4") && error.contains("a1a8"), "{error}");
    let mut form = Form::from(karpov());
    form.start_fen = "nonsense".to_owned();
    let error = Record::try_from(form).unwrap_err().to_string();
    assert!(error.contains("the starting position"), "{error}");
}

/// The paths of all scalar values in a document.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(parts) => {
            for (name, part) in parts {
                leaves(part, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(parts) => {
            for (number, part) in parts.iter().enumerate() {
                leaves(part, &format!("{at}/{number}"), found);
            }
        }
        _ => found.push(at.to_owned()),
    }
}

#[test]
fn whatever_a_broker_sends_makes_a_sheet_or_is_refused() {
    let mut made = 0;
    for record in records() {
        let sent = serde_json::to_value(&record).unwrap();
        let mut places = Vec::new();
        leaves(&sent, "", &mut places);
        // One move represents all of them.
        places.retain(|at| !at.starts_with("/moves/") || at.starts_with("/moves/20/"));
        for at in places {
            for junk in [
                Value::Null,
                serde_json::json!(0),
                serde_json::json!(u64::from(u32::MAX)),
                serde_json::json!(u64::MAX),
                serde_json::json!(i64::MIN),
                serde_json::json!("\u{202e}<b>"),
            ] {
                let mut sent = sent.clone();
                *sent.pointer_mut(&at).unwrap() = junk;
                let Ok(record) = serde_json::from_value::<Record>(sent) else {
                    continue;
                };
                let html = sheet_of(&record, Language::De);
                assert!(
                    !html.contains("<b>\u{202e}") && !html.contains("\u{202e}<b>"),
                    "{at}"
                );
                made += 1;
            }
        }
    }
    assert!(made > 100, "{made}");
}
