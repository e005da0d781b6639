//! Commands to the daemon itself: `chess/v1/<site>/cmd/<role>/<node>/<verb>`.
//!
//! They concern the broadcast and the phones, and no board. Arbiter and operator may give them.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    command::{self, Refusal},
    handle::CommandMessage,
    topic,
};
use remisd_game::{RefusalCode, Role};
use remisd_vocabulary::text::OneLine;

/// The roles that may use every verb of a daemon.
pub const ROLES: [Role; 2] = [Role::Arbiter, Role::Operator];
/// Every verb of a daemon.
pub const VERBS: [&str; 4] = [
    "lichess_reset",
    "lichess_create",
    "lichess_close",
    "notify_test",
];

/// What a command to a daemon requests.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "verb", content = "arguments", rename_all = "snake_case")]
pub enum NodeVerb {
    /// Remove every game of a round from Lichess, and push the round again.
    LichessReset {
        /// The number of the round; absent for the newest one that Lichess has.
        #[serde(default)]
        round: Option<u32>,
    },
    /// Create a round in the configured tournament on Lichess.
    LichessCreate {
        /// The number of the round.
        round: u32,
        /// Its name on Lichess, 3 to 80 characters. Not needed with `adopt`.
        #[serde(default)]
        name: String,
        /// Whether its games are rated for FIDE.
        #[serde(default = "yes")]
        rated: bool,
        /// Whether another round is created although the answer to an earlier request was lost.
        #[serde(default)]
        again: bool,
        /// The id of a round that is on Lichess already: it is used, and none is created.
        #[serde(default)]
        adopt: Option<String>,
    },
    /// Close a round on Lichess. Nothing is pushed to it until it is reset.
    LichessClose {
        /// The number of the round; absent for the newest one that Lichess has.
        #[serde(default)]
        round: Option<u32>,
        /// Whether it is closed although the public has no result of some games yet.
        #[serde(default)]
        unfinished: bool,
    },
    /// Send a test message to every phone.
    NotifyTest {},
}

const fn yes() -> bool {
    true
}

/// A command to a daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCommand {
    /// Chosen by the sender; the same id again gets the same answer.
    pub id: String,
    /// The sender's role.
    pub role: Role,
    /// The sender's own name; it proves nothing.
    pub by: Option<String>,
    /// What it requests.
    pub verb: NodeVerb,
}

/// Parses and validates a command to a daemon.
///
/// # Errors
///
/// Returns a [`Refusal`], with the id if the payload had a readable one.
pub fn parse(message: &CommandMessage) -> Result<NodeCommand, Refusal> {
    let (id, payload) = command::parse_id(message)?;
    validate(message, payload, id.clone()).map_err(|(code, message)| Refusal {
        id: Some(id),
        code,
        message,
    })
}

fn validate(
    message: &CommandMessage,
    mut payload: Map<String, Value>,
    id: String,
) -> Result<NodeCommand, (RefusalCode, String)> {
    let unknown = || (RefusalCode::UnknownVerb, "there is no such verb".to_owned());
    let (role, _, verb) = topic::parse_command(&message.topic).ok_or_else(unknown)?;
    if message.retain {
        let text = "a retained message is not a command: it may be any age".to_owned();
        return Err((RefusalCode::Retained, text));
    }
    if !VERBS.contains(&verb) {
        return Err(unknown());
    }
    let role = ROLES.into_iter().find(|one| one.as_str() == role);
    let role = role.ok_or_else(|| {
        let text = format!("only arbiter and operator may use \"{verb}\"");
        (RefusalCode::RoleMayNot, text)
    })?;
    let bad = |text: String| (RefusalCode::BadPayload, text);
    let by = command::text(&payload, "by").map_err(bad)?;
    command::without_common(&mut payload);
    let verb = serde_json::from_value(json!({ "verb": verb, "arguments": payload }));
    let verb = verb.map_err(|error| bad(command::truncated(&error)))?;
    Ok(NodeCommand {
        id,
        role,
        by: by.map(|by| OneLine::new(&by).into()),
        verb,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(role: &str, verb: &str, payload: &str) -> Result<NodeVerb, RefusalCode> {
        let message = CommandMessage {
            topic: format!("chess/v1/hall/cmd/{role}/remisd/{verb}"),
            payload: payload.to_owned().into(),
            retain: false,
            response_topic: None,
            correlation: None,
            at: None,
        };
        let parsed = parse(&message).map(|command| command.verb);
        parsed.map_err(|refusal| refusal.code)
    }

    #[test]
    fn arbiter_and_operator_may_give_them_and_nobody_else() {
        for verb in VERBS {
            let payload = r#"{"id":"1","round":2,"name":"Round 2"}"#;
            for role in Role::ALL {
                let expected = ROLES.contains(&role);
                let parsed = parsed(role.as_str(), verb, payload);
                assert_eq!(parsed.is_ok(), expected, "{role:?} {verb}");
                if !expected {
                    assert_eq!(parsed, Err(RefusalCode::RoleMayNot));
                }
            }
        }
    }

    #[test]
    fn a_round_is_rated_unless_the_command_says_otherwise() {
        let created = parsed("operator", "lichess_create", r#"{"id":"1","round":2}"#);
        let expected = NodeVerb::LichessCreate {
            round: 2,
            name: String::new(),
            rated: true,
            again: false,
            adopt: None,
        };
        assert_eq!(created, Ok(expected));
        for bad in [r#"{"id":"1"}"#, r#"{"id":"1","round":-1}"#, "{}", "[]"] {
            let bad = parsed("operator", "lichess_create", bad);
            assert_eq!(bad, Err(RefusalCode::BadPayload));
        }
    }
}
