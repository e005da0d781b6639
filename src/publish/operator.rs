//! What operators hear of a board's events.
//!
//! Where the draw state is not theirs to know, neither is an alert that tells of a
//! possible claim, nor that the arbiter has seen it. That a player has claimed they hear
//! as everybody at the board does, but not what the moves of the game say to it.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::game::{AlertCode, ClaimRecord};

/// The alerts that tell that a draw can be claimed, or how near that is, or that a claim
/// may have been correct after all.
pub(super) const CLAIMABLE: [AlertCode; 7] = [
    AlertCode::ThreefoldClaimable,
    AlertCode::FiftyMoveClaimable,
    AlertCode::FourthOccurrence,
    AlertCode::SeventyMoves,
    AlertCode::RepetitionDisputed,
    AlertCode::FivefoldUneven,
    AlertCode::ClaimReconsidered,
];

/// An event as an operator may hear it: without the facts that mention such an alert.
#[must_use]
pub fn event(payload: &Bytes) -> Bytes {
    // All but a few events mention none, and go out as they stand in the journal.
    let silent = |text: &str| !tells(text) && !text.contains(AlertCode::ClaimMade.as_str());
    let silent = std::str::from_utf8(payload).is_ok_and(silent);
    if silent {
        return payload.clone();
    }
    let Ok(mut event) = serde_json::from_slice::<Value>(payload) else {
        return Bytes::from_static(b"{}");
    };
    if let Some(facts) = event.get_mut("facts").and_then(Value::as_array_mut) {
        facts.retain(|fact| !tells(&fact.to_string()));
        facts.iter_mut().for_each(hide_findings);
    }
    // A refusal may name such an alert, and one may be open when a game begins.
    if let Some(carried) = event.get_mut("carried").and_then(Value::as_object_mut) {
        carried.remove("answers");
        carried.remove("alerts");
    }
    let alert = event.pointer_mut("/input/arguments/alert");
    if let Some(alert) = alert.filter(|alert| alert.as_str().is_some_and(tells)) {
        *alert = "".into();
    }
    Bytes::from(event.to_string())
}

/// Takes out of a fact what the moves of the game say to a claim.
fn hide_findings(fact: &mut Value) {
    let claim = AlertCode::ClaimMade.as_str();
    let Some(fact) = fact.as_object_mut() else {
        return;
    };
    if fact.get("type").is_some_and(|word| word == claim) {
        for key in ["plies", "disputed_plies", "remarks"] {
            fact.remove(key);
        }
        for key in ClaimRecord::HIDDEN {
            fact.remove(key);
        }
    }
    if fact.get("code").is_some_and(|code| code == claim)
        && let Some(arguments) = fact.get_mut("arguments").and_then(Value::as_object_mut)
    {
        hide_finding(arguments);
    }
}

/// Takes out of an alert's arguments what the moves of the game say to a claim.
pub(super) fn hide_finding(arguments: &mut Map<String, Value>) {
    for (name, hidden) in [
        ("verdict", json!("none")),
        ("legal", json!("none")),
        ("plies", json!([])),
        ("after", json!([])),
        ("count", json!(0)),
        ("halfmove_clock", Value::Null),
    ] {
        if let Some(argument) = arguments.get_mut(name) {
            *argument = hidden;
        }
    }
}

fn tells(text: &str) -> bool {
    CLAIMABLE.iter().any(|code| text.contains(code.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        game::{Game, Input, Rules, Stamped},
        publish::{
            outbox::{Cursors, Limits, Outbox},
            payload::Event,
        },
    };

    #[test]
    fn a_claim_that_an_operator_hears_of_fits_its_schema() {
        let mut game = Game::new(Rules::default());
        let input = serde_json::json!({
            "type": "command", "id": "1", "role": "white", "verb": "claim",
            "arguments": {"kind": "threefold", "move": "Nf6"},
        });
        let input: Input = serde_json::from_value(input).unwrap();
        let (seq, time) = (1, jiff::Timestamp::UNIX_EPOCH);
        let stamped = Stamped { seq, time, input };
        let facts = game.apply(&stamped);
        let told = Event {
            schema: Event::SCHEMA.into(),
            site: "hall".to_owned(),
            board: "b1".to_owned(),
            session: "s".to_owned(),
            seq,
            time: "1970-01-01T00:00:00.000Z".to_owned(),
            monotonic_ms: 1,
            input: stamped.input,
            carried: None,
            facts,
            raw: None,
        };
        let told = event(&Bytes::from(serde_json::to_vec(&told).unwrap()));
        let told: Value = serde_json::from_slice(&told).unwrap();
        let claim = &told["facts"][0];
        assert_eq!(claim["type"], "claim_made");
        for hidden in ["finding", "halfmove_clock", "last_zeroing", "remarks"] {
            assert_eq!(claim.get(hidden), None, "{hidden}");
        }
        let schema = &crate::protocol::schemas()["event"];
        let validator = jsonschema::validator_for(schema).unwrap();
        let faults: Vec<String> = (validator.iter_errors(&told))
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}\n{told:#}");
    }

    #[test]
    fn an_operator_does_not_hear_of_claims() {
        let raised = r#"{"seq":9,"input":{"type":"move","uci":"f6g8"},"facts":[{"type":"move_made","ply":8},{"type":"alert_raised","id":"threefold_claimable-9","code":"threefold_claimable"}]}"#;
        let seen = r#"{"seq":10,"input":{"type":"command","verb":"ack","arguments":{"alert":"threefold_claimable-9"}},"facts":[{"type":"alert_acknowledged","id":"threefold_claimable-9"},{"type":"answered","ok":true}]}"#;
        let lost = r#"{"seq":11,"facts":[{"type":"alert_raised","code":"board_lost"}]}"#;
        let mut outbox = Outbox::new(
            &"hall".parse().unwrap(),
            Cursors::default(),
            Limits::default(),
        );
        outbox.filter_operator_events(event);
        let begun = r#"{"seq":12,"input":{"type":"new_game"},"carried":{"answers":[{"message":"no alert \"threefold_claimable-9\" is open"}]},"facts":[]}"#;
        let told = [(9, raised), (10, seen), (11, lost), (12, begun)];
        for (seq, payload) in told {
            outbox.event(&"b1".parse().unwrap(), seq, payload.into());
        }
        outbox.connected(None);
        let mut sent = Vec::new();
        while let Some(message) = outbox.next_message() {
            sent.push((
                message.topic,
                String::from_utf8(message.payload.to_vec()).unwrap(),
            ));
        }
        let of = |audience: &str| -> Vec<&str> {
            let topic = format!("chess/v1/hall/{audience}/b1/event");
            let mine = sent.iter().filter(|(at, _)| **at == *topic);
            mine.map(|(_, payload)| payload.as_str()).collect()
        };
        assert_eq!(of("arbiter"), [raised, seen, lost, begun]);
        let operator = of("operator");
        assert_eq!(operator.len(), 4, "no gap");
        assert!(
            operator.iter().all(|payload| !tells(payload)),
            "{operator:?}"
        );
        assert!(operator[0].contains("move_made"));
        assert!(operator[1].contains("answered"));
        assert_eq!(operator[2], lost);
    }
}
