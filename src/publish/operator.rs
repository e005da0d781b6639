//! What operators receive of a board's events.
//!
//! If the draw state is closed to operators, so are the alerts about possible claims, and the
//! arbiter's acknowledgements of them. Operators do learn that a player has claimed, as everybody
//! at the board does, but not the findings.
//!
//! Entries from which nothing remains are not sent. Operators number the events that they receive,
//! in `seq` and wherever else an event holds an entry's number, so that no gap shows.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use remisd_game::{Alert, AlertCode, ClaimRecord, Game, Numbers};
use remisd_vocabulary::seq::EntrySeq;

/// An event as an operator may see it, without facts about possible claims.
///
/// Returns `None` if operators must not know of the event.
#[must_use]
pub fn event(payload: &Bytes) -> Option<Bytes> {
    let mut event: Value = serde_json::from_slice(payload).ok()?;
    let counted = EntryNumbers::take(&mut event);
    if counted.as_ref().is_some_and(EntryNumbers::is_unknown) {
        return None;
    }
    if let Some(facts) = event.get_mut("facts").and_then(Value::as_array_mut) {
        facts.retain(|fact| !mentions_claim(&fact.to_string()));
        facts.iter_mut().for_each(hide_findings);
    }
    // A refusal may name such an alert, and one may be open when a game begins.
    if let Some(carried) = event.get_mut("carried").and_then(Value::as_object_mut) {
        carried.remove("answers");
        carried.remove("alerts");
        carried.remove("silent_phones");
    }
    if let Some(input) = event
        .get_mut("input")
        .filter(|input| input["type"] == "phones")
    {
        // What follows from it can also follow from the time alone.
        *input = json!({"type": "overdue"});
    }
    let alert = event.pointer_mut("/input/arguments/alert");
    if let Some(alert) = alert.filter(|alert| alert.as_str().is_some_and(mentions_claim)) {
        *alert = "".into();
    }
    Some(renumbered(event, counted))
}

/// An event as an operator sees it if the draw state is open to operators.
#[must_use]
pub fn open_event(payload: &Bytes) -> Option<Bytes> {
    let mut event: Value = serde_json::from_slice(payload).ok()?;
    let counted = EntryNumbers::take(&mut event);
    Some(renumbered(event, counted))
}

/// The number of an entry, and how far each audience had counted up to it.
struct EntryNumbers {
    seq: EntrySeq,
    numbers: Numbers,
}

impl EntryNumbers {
    /// Removes the numbers from an event; `None` if an older version wrote it without them.
    fn take(event: &mut Value) -> Option<Self> {
        let event = event.as_object_mut()?;
        let numbers = serde_json::from_value(event.remove("numbers")?).ok()?;
        let seq = EntrySeq::new(event.get("seq")?.as_u64()?);
        Some(Self { seq, numbers })
    }

    fn is_unknown(&self) -> bool {
        self.numbers.unknown_to_operator.contains(&self.seq)
    }

    /// Replaces every entry number by the one that operators use.
    fn renumber(&self, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.renumber(value)),
            Value::Object(object) => self.renumber_fields(object),
            _ => {}
        }
    }

    fn renumber_fields(&self, object: &mut Map<String, Value>) {
        let is_alert = object.contains_key("level")
            || (object.get("type"))
                .and_then(Value::as_str)
                .is_some_and(|kind| kind.starts_with("alert_"));
        for (name, value) in object {
            match (name.as_str(), &*value) {
                ("seq" | "game" | "claim" | "position" | "id", Value::Number(of)) => {
                    let of = EntrySeq::new(of.as_u64().unwrap_or_default());
                    *value = self.numbers.to_operator(self.seq, of).get().into();
                }
                ("alert", Value::String(id)) => {
                    *value = self.numbers.alert_to_operator(self.seq, id).into();
                }
                ("id", Value::String(id)) if is_alert => {
                    *value = self.numbers.alert_to_operator(self.seq, id).into();
                }
                _ => self.renumber(value),
            }
        }
    }
}

/// Renumbers the event for operators and removes the fields that only entries have.
fn renumbered(mut event: Value, counted: Option<EntryNumbers>) -> Bytes {
    if let Some(event) = event.as_object_mut() {
        // The seal of the recording is part of whichever entry happened to come next.
        event.remove("raw");
    }
    let is_own = event.pointer("/input/role") == Some(&json!("operator"));
    if !is_own {
        // The senders of these commands use other numbers.
        if let Some(input) = event.get_mut("input").and_then(Value::as_object_mut) {
            input.remove("if_seq");
        }
        let facts = event.get_mut("facts").and_then(Value::as_array_mut);
        for fact in facts.into_iter().flatten() {
            if fact["type"] == "answered"
                && let Some(fact) = fact.as_object_mut()
            {
                fact.remove("message");
            }
        }
    }
    if let Some(counted) = counted {
        counted.renumber(&mut event);
    }
    Bytes::from(event.to_string())
}

/// Renumbers an alert for operators.
pub(super) fn renumber_alert(alert: &mut Alert, game: &Game) {
    let (seq, numbers) = (game.seq(), game.numbers());
    alert.id = numbers.alert_to_operator(seq, &alert.id);
    if let Some(about) = alert.arguments.get_mut("game")
        && let Some(of) = about.as_u64()
    {
        *about = numbers.to_operator(seq, EntrySeq::new(of)).get().into();
    }
}

/// Removes the findings of a claim from a fact.
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

/// Replaces the findings of a claim in an alert's arguments by neutral values.
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

fn mentions_claim(text: &str) -> bool {
    let codes = AlertCode::ALL.into_iter();
    (codes.filter(|code| code.reveals_claims())).any(|code| text.contains(code.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::{
        outbox::{Cursors, Limits, Outbox},
        payload::Event,
    };
    use remisd_game::{Game, Input, Judgement, Rules, Stamped};

    #[test]
    fn a_claim_that_an_operator_receives_fits_its_schema() {
        let mut game = Game::new(Rules::default());
        let input = serde_json::json!({
            "type": "command", "id": "1", "role": "white", "verb": "claim",
            "arguments": {"kind": "threefold", "move": "Nf6"},
        });
        let input: Input = serde_json::from_value(input).unwrap();
        let (seq, time) = (EntrySeq::new(1), jiff::Timestamp::UNIX_EPOCH);
        let stamped = Stamped { seq, time, input };
        let facts = game.apply(&stamped);
        let published = Event {
            schema: Event::SCHEMA.into(),
            site: "hall".to_owned(),
            board: "b1".to_owned(),
            session: "s".to_owned(),
            seq,
            time: "1970-01-01T00:00:00.000Z".to_owned(),
            monotonic_ms: 1,
            input: stamped.input,
            carried: None,
            numbers: Some(game.numbers().clone()),
            judgement: Judgement::CURRENT,
            facts,
            raw: None,
        };
        let published = event(&Bytes::from(serde_json::to_vec(&published).unwrap())).unwrap();
        let published: Value = serde_json::from_slice(&published).unwrap();
        let claim = &published["facts"][0];
        assert_eq!(claim["type"], "claim_made");
        for hidden in ["finding", "halfmove_clock", "last_zeroing", "remarks"] {
            assert_eq!(claim.get(hidden), None, "{hidden}");
        }
        let schema = &crate::protocol::schemas()["event"];
        let validator = jsonschema::validator_for(schema).unwrap();
        let faults: Vec<String> = (validator.iter_errors(&published))
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}\n{published:#}");
    }

    const RAISED: &str = r#"{"seq":9,"input":{"type":"move","uci":"f6g8"},"numbers":{"operator":9,"public":4,"hall":4,"player":4},"facts":[{"type":"move_made","ply":8},{"type":"alert_raised","id":"threefold_claimable-9","code":"threefold_claimable"}]}"#;
    const SEEN: &str = r#"{"seq":10,"input":{"type":"command","verb":"ack","arguments":{"alert":"threefold_claimable-9"}},"numbers":{"operator":9,"public":4,"hall":4,"player":4,"unknown_to_operator":[10]},"facts":[{"type":"alert_acknowledged","id":"threefold_claimable-9"},{"type":"answered","ok":true}]}"#;
    const LOST: &str = r#"{"seq":11,"input":{"type":"phones","silent":[{"name":"phone_silent"}]},"numbers":{"operator":10,"public":4,"hall":4,"player":4,"unknown_to_operator":[10]},"facts":[{"type":"alert_raised","id":"board_lost-11","code":"board_lost"}],"raw":{"bytes":5}}"#;
    const BEGUN: &str = r#"{"seq":12,"input":{"type":"new_game"},"carried":{"silent_phones":[{"name":"phone_silent"}],"answers":[{"message":"no alert \"threefold_claimable-9\" is open"}],"unconfirmed":[{"game":3},{"game":11}]},"numbers":{"operator":11,"public":5,"hall":5,"player":5,"unknown_to_operator":[10]},"facts":[{"type":"game_started","game":12}]}"#;

    fn sent(filter: fn(&Bytes) -> Option<Bytes>) -> Vec<(String, Value)> {
        let mut outbox = Outbox::new(
            &"hall".parse().unwrap(),
            Cursors::default(),
            Limits::default(),
        );
        outbox.filter_operator_events(filter);
        for (seq, payload) in [(9_u64, RAISED), (10, SEEN), (11, LOST), (12, BEGUN)] {
            outbox.event(&"b1".parse().unwrap(), EntrySeq::new(seq), payload.into());
        }
        outbox.connected(None);
        let mut sent = Vec::new();
        while let Some(message) = outbox.next_message() {
            let audience = message.topic.split('/').nth(3).unwrap().to_owned();
            sent.push((audience, serde_json::from_slice(&message.payload).unwrap()));
            outbox.acknowledged(message.id);
        }
        assert!(outbox.is_idle());
        assert_eq!(
            outbox.confirmed(&"b1".parse().unwrap()),
            Some(EntrySeq::new(12))
        );
        sent
    }

    fn to<'a>(audience: &str, sent: &'a [(String, Value)]) -> Vec<&'a Value> {
        let mine = sent.iter().filter(|(to, _)| to == audience);
        mine.map(|(_, payload)| payload).collect()
    }

    #[test]
    fn an_operator_receives_no_claims_and_no_trace_of_them() {
        let sent = sent(event);
        let as_written = [RAISED, SEEN, LOST, BEGUN]
            .map(|text| -> Value { serde_json::from_str(text).unwrap() });
        assert_eq!(to("arbiter", &sent), as_written.iter().collect::<Vec<_>>());
        let operator = to("operator", &sent);
        let seqs: Vec<_> = operator.iter().map(|event| event["seq"].clone()).collect();
        assert_eq!(seqs, [9, 10, 11], "no gap");
        assert!(
            operator
                .iter()
                .all(|event| !mentions_claim(&event.to_string()))
        );
        assert_eq!(operator[0]["facts"][0]["type"], "move_made");
        assert_eq!(operator[1]["facts"][0]["id"], "board_lost-10");
        assert_eq!(operator[1]["input"], json!({"type": "overdue"}));
        assert_eq!(operator[1].get("raw"), None);
        assert_eq!(operator[2]["facts"][0]["game"], 11);
        assert_eq!(operator[2]["carried"]["unconfirmed"][0]["game"], 3);
        assert_eq!(operator[2]["carried"]["unconfirmed"][1]["game"], 10);
        assert!(operator.iter().all(|event| event.get("numbers").is_none()));
    }

    #[test]
    fn an_operator_with_full_access_receives_all_events() {
        let sent = sent(open_event);
        assert_eq!(to("operator", &sent).len(), 4);
    }

    #[test]
    fn an_event_that_was_written_before_anybody_counted_keeps_its_number() {
        let old = Bytes::from_static(br#"{"seq":7,"input":{"type":"agreed"},"facts":[]}"#);
        let published: Value = serde_json::from_slice(&event(&old).unwrap()).unwrap();
        assert_eq!(published["seq"], 7);
    }
}
