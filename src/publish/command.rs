//! Commands: parses raw messages and validates them.
//!
//! The role comes from the topic alone, which the broker's access list has verified. Nothing in a
//! payload can change it. A message refused here has changed nothing and is not journalled.

use std::str::FromStr as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{handle::CommandMessage, topic};
use remisd_game::{Command, RefusalCode, Role, Verb, VerbName};
use remisd_vocabulary::{
    notation,
    seq::{AudienceSeq, EntrySeq},
    text::OneLine,
};

/// The largest payload of a command, in bytes.
pub const MAX_PAYLOAD: usize = 16 * 1024;
/// The longest id, name or reply topic, in bytes.
pub const MAX_TEXT: usize = 256;
/// The longest excerpt of the input that an error message repeats, in characters.
const SHOWN: usize = 256;

/// Why a message is not accepted as a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The command's id, if it had a readable one.
    pub id: Option<String>,
    /// The reason as a code.
    pub code: RefusalCode,
    /// The reason in words.
    pub message: String,
}

/// The record whose evidence the arbiter requests.
///
/// A question is not a command: it changes nothing and is not journalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct Question {
    /// The number of a claim, as in `draw` and in the fact `claim_made`.
    pub claim: Option<EntrySeq>,
    /// The number of a game. Selects its newest claim or, without a claim, its last position. If
    /// both fields are absent, the newest game is meant.
    pub game: Option<EntrySeq>,
}

/// Whether a message requests evidence and is therefore not a command.
#[must_use]
pub fn is_question(message: &CommandMessage) -> bool {
    let verb = topic::parse_command(&message.topic).map(|(_, _, verb)| verb);
    verb.is_some_and(|verb| VerbName::from_str(verb) == Ok(VerbName::Evidence))
}

/// Parses a request for evidence.
///
/// # Errors
///
/// Returns a [`Refusal`], with the id if the payload had a readable one.
pub fn question(message: &CommandMessage) -> Result<(String, Question), Refusal> {
    let (id, mut payload) = parse_id(message)?;
    let judged = sender(message).and_then(|_| {
        without_common(&mut payload);
        serde_json::from_value(Value::Object(payload))
            .map_err(|error| (RefusalCode::BadPayload, truncated(&error)))
    });
    match judged {
        Ok(question) => Ok((id, question)),
        Err((code, message)) => Err(Refusal {
            id: Some(id),
            code,
            message,
        }),
    }
}

/// Where the sender wants the answer: the MQTT 5 response topic, or else `reply_to` in the payload
/// (for MQTT 3.1.1 clients).
///
/// The topic is not validated yet.
#[must_use]
pub fn reply_topic(message: &CommandMessage) -> Option<String> {
    if let Some(topic) = &message.response_topic {
        return Some(topic.clone());
    }
    let payload = object(message).ok()?;
    text(&payload, "reply_to").ok().flatten()
}

/// The id of a message, if it has a readable one.
#[must_use]
pub fn id(message: &CommandMessage) -> Option<String> {
    text(&object(message).ok()?, "id").ok().flatten()
}

/// Parses and validates a command.
///
/// # Errors
///
/// Returns a [`Refusal`], with the id if the payload had a readable one.
pub fn parse(message: &CommandMessage) -> Result<Command, Refusal> {
    let (id, mut payload) = parse_id(message)?;
    validate(message, &mut payload, id.clone()).map_err(|(code, message)| Refusal {
        id: Some(id),
        code,
        message,
    })
}

/// The id and the payload of a message.
pub(super) fn parse_id(message: &CommandMessage) -> Result<(String, Map<String, Value>), Refusal> {
    let nameless = |(code, message)| Refusal {
        id: None,
        code,
        message,
    };
    let payload = object(message).map_err(nameless)?;
    match text(&payload, "id") {
        Ok(Some(id)) if !id.is_empty() => Ok((id, payload)),
        Ok(_) => {
            let text = "\"id\" must be a text that is not empty".to_owned();
            Err(nameless((RefusalCode::BadPayload, text)))
        }
        Err(text) => Err(nameless((RefusalCode::BadPayload, text))),
    }
}

type CodedRefusal = (RefusalCode, String);

fn validate(
    message: &CommandMessage,
    payload: &mut Map<String, Value>,
    id: String,
) -> Result<Command, CodedRefusal> {
    let (role, verb) = sender(message)?;
    let bad = |text: String| (RefusalCode::BadPayload, text);
    let by = text(payload, "by").map_err(bad)?;
    let by = by.map(|by| OneLine::new(&by).into());
    let if_seq = match payload.get("if_seq") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let number = value.as_u64();
            let missing = || bad("\"if_seq\" must be a number".to_owned());
            Some(AudienceSeq::new(number.ok_or_else(missing)?))
        }
    };
    without_common(payload);
    if let Some(Value::Object(headers)) = payload.get_mut("headers") {
        *headers = one_line_each(headers);
    }
    let arguments = Value::Object(std::mem::take(payload));
    let mut verb: Verb = serde_json::from_value(serde_json::json!({
        "verb": verb, "arguments": arguments,
    }))
    .map_err(|error| bad(truncated(&error)))?;
    write_moves_strictly(&mut verb);
    Ok(Command {
        id,
        role,
        by,
        if_seq,
        unsettled: None,
        verb,
    })
}

/// The sender's role and the verb, provided the role may use the verb.
fn sender(message: &CommandMessage) -> Result<(Role, &str), CodedRefusal> {
    let (role, _, verb) = topic::parse_command(&message.topic).ok_or_else(|| {
        let text = "the topic is not chess/v1/<site>/cmd/<role>/<board>/<verb>".to_owned();
        (RefusalCode::UnknownVerb, text)
    })?;
    if message.retain {
        let text = "a retained message is not a command: it may be any age".to_owned();
        return Err((RefusalCode::Retained, text));
    }
    let name = VerbName::from_str(verb).map_err(|()| {
        let text = format!("there is no verb \"{}\"", truncated(&verb));
        (RefusalCode::UnknownVerb, text)
    })?;
    let role = Role::from_str(role)
        .ok()
        .filter(|role| name.roles().contains(role))
        .ok_or_else(|| {
            let text = format!("the role \"{}\" may not use \"{verb}\"", truncated(&role));
            (RefusalCode::RoleMayNot, text)
        })?;
    Ok((role, verb))
}

/// Removes the keys that any command may carry besides its arguments.
pub(super) fn without_common(payload: &mut Map<String, Value>) {
    for common in ["id", "by", "if_seq", "reply_to", "schema", "time"] {
        payload.remove(common);
    }
}

/// Converts moves to the notation of the journal, whatever notation the sender used.
fn write_moves_strictly(verb: &mut Verb) {
    match verb {
        Verb::Claim {
            announced: Some(text),
            ..
        }
        | Verb::Move { text, .. } => *text = notation::strict(text),
        Verb::Correct { moves, .. } => {
            for text in moves {
                *text = notation::strict(text);
            }
        }
        _ => {}
    }
}

fn object(message: &CommandMessage) -> Result<Map<String, Value>, CodedRefusal> {
    if message.payload.len() > MAX_PAYLOAD {
        let text = format!("a command has at most {MAX_PAYLOAD} bytes");
        return Err((RefusalCode::Oversized, text));
    }
    serde_json::from_slice(&message.payload).map_err(|error| {
        let text = format!("no JSON object: {}", truncated(&error));
        (RefusalCode::BadPayload, text)
    })
}

/// Cleans header names and values to single lines. Values that are not strings are left for
/// deserialization to refuse.
fn one_line_each(headers: &Map<String, Value>) -> Map<String, Value> {
    let lines = headers.iter().map(|(name, value)| {
        let value = match value {
            Value::String(text) => Value::String(OneLine::new(text).into()),
            other => other.clone(),
        };
        (OneLine::new(name).into(), value)
    });
    lines.collect()
}

/// The text under a key, if present; its length is bounded.
pub(super) fn text(payload: &Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match payload.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= MAX_TEXT => Ok(Some(text.clone())),
        Some(_) => Err(format!(
            "\"{key}\" must be a text of at most {MAX_TEXT} bytes"
        )),
    }
}

/// The beginning of a text that repeats what a sender wrote.
pub(super) fn truncated(text: &impl ToString) -> String {
    text.to_string().chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use remisd_game::Score;

    fn message(topic: &str, payload: &str) -> CommandMessage {
        CommandMessage {
            topic: topic.to_owned(),
            payload: payload.to_owned().into(),
            retain: false,
            response_topic: None,
            correlation: None,
            at: None,
        }
    }

    fn refused(topic: &str, payload: &str) -> RefusalCode {
        parse(&message(topic, payload)).unwrap_err().code
    }

    #[test]
    fn the_role_comes_from_the_topic_and_the_rest_from_the_payload() {
        let payload = r#"{"id":"7","role":"white","score":"1-0","if_seq":3,"by":"IA Smith"}"#;
        // A role in the payload is an unknown argument, never a role.
        let topic = "chess/v1/hall/cmd/arbiter/b1/result";
        let with_role = parse(&message(topic, payload));
        assert!(with_role.is_err() || with_role.is_ok_and(|c| c.role == Role::Arbiter));
        let command = parse(&message(topic, r#"{"id":"7","score":"1-0","if_seq":3}"#)).unwrap();
        assert_eq!(
            (command.id.as_str(), command.if_seq),
            ("7", Some(AudienceSeq::new(3)))
        );
        assert_eq!(
            command.verb,
            Verb::Result {
                score: Score::WhiteWins,
                game: None
            }
        );
    }

    #[test]
    fn moves_are_journalled_in_strict_notation_however_they_were_written() {
        let topic = "chess/v1/hall/cmd/arbiter/b1/correct";
        let payload = r#"{"id":"1","to_ply":0,"moves":["e2-e4","0-0","e8Q","♘f3!","Sc6","hello"]}"#;
        let Verb::Correct { moves, .. } = parse(&message(topic, payload)).unwrap().verb else {
            panic!("it is a correction");
        };
        assert_eq!(moves, ["e2e4", "O-O", "e8=Q", "Nf3", "Nc6", "hello"]);
        let topic = "chess/v1/hall/cmd/white/b1/claim";
        let payload = r#"{"id":"1","kind":"threefold","move":"exd6e.p.+"}"#;
        let Verb::Claim { announced, .. } = parse(&message(topic, payload)).unwrap().verb else {
            panic!("it is a claim");
        };
        assert_eq!(announced.as_deref(), Some("exd6"));
    }

    #[test]
    fn a_refusal_repeats_no_more_than_the_beginning_of_what_was_sent() {
        let long = "x".repeat(10_000);
        for (topic, payload) in [
            ("arbiter/b1/result", format!("\"{long}\"")),
            (
                "arbiter/b1/result",
                format!("{{\"id\":\"1\",\"score\":\"{long}\"}}"),
            ),
            (
                "arbiter/b1/ruling",
                format!("{{\"id\":\"1\",\"on\":\"{long}\"}}"),
            ),
            (
                "white/b1/claim",
                format!("{{\"id\":\"1\",\"kind\":\"{long}\"}}"),
            ),
        ] {
            let topic = format!("chess/v1/hall/cmd/{topic}");
            let refusal = parse(&message(&topic, &payload)).unwrap_err();
            let length = refusal.message.len();
            assert!((20..300).contains(&length), "{topic}: {length}");
        }
    }

    #[test]
    fn names_come_in_as_lines() {
        let payload = json!({
            "id": "1", "by": "IA\u{202e} Smith\n",
            "headers": {"White": "\u{202e}annA\u{1b}", "Whi\u{0}teElo": "2310", "Black": "יעל"},
        });
        for verb in ["headers", "new_game"] {
            let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
            let command = parse(&message(&topic, &payload.to_string())).unwrap();
            assert_eq!(command.by.as_deref(), Some("IA Smith"));
            let (Verb::Headers { headers } | Verb::NewGame { headers, .. }) = command.verb else {
                panic!("{verb}");
            };
            let headers: Vec<_> = headers
                .iter()
                .map(|(n, v)| (n.as_str(), v.as_str()))
                .collect();
            assert_eq!(
                headers,
                [("Black", "יעל"), ("White", "annA"), ("WhiteElo", "2310")]
            );
        }
    }

    #[test]
    fn what_is_wrong_gets_its_code() {
        use RefusalCode as C;
        let result = "chess/v1/hall/cmd/arbiter/b1/result";
        assert_eq!(refused(result, "nonsense"), C::BadPayload);
        assert_eq!(refused(result, "{}"), C::BadPayload);
        assert_eq!(refused(result, r#"{"id":"1"}"#), C::BadPayload);
        assert_eq!(
            refused(result, r#"{"id":"1","score":"2-0"}"#),
            C::BadPayload
        );
        let player = "chess/v1/hall/cmd/white/b1/result";
        assert_eq!(
            refused(player, r#"{"id":"1","score":"1-0"}"#),
            C::RoleMayNot
        );
        let unknown = "chess/v1/hall/cmd/arbiter/b1/explode";
        assert_eq!(refused(unknown, r#"{"id":"1"}"#), C::UnknownVerb);
        let ruling = "chess/v1/hall/cmd/white/b1/ruling";
        assert_eq!(
            refused(ruling, r#"{"id":"1","on":"claim","correct":true}"#),
            C::RoleMayNot
        );
        let large = format!("{{\"id\":\"{}\"}}", "x".repeat(MAX_PAYLOAD));
        assert_eq!(refused(result, &large), C::Oversized);
        let mut retained = message(result, r#"{"id":"1","score":"1-0"}"#);
        retained.retain = true;
        assert_eq!(parse(&retained).unwrap_err().code, C::Retained);
    }
}
