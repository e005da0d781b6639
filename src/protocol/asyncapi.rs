//! The topics as an `AsyncAPI` document.

use serde_json::{Map, Value, json};

use crate::{
    config::Profile,
    publish::{
        node_command,
        topic::{Audience, Leaf},
        views::Views,
    },
};
use remisd_game::{Role, VerbName};

/// Generates the document `protocol/asyncapi.json`.
#[must_use]
pub fn asyncapi() -> Value {
    let mut channels = Map::new();
    let mut operations = Map::new();
    for leaf in Leaf::ALL {
        let name = leaf.as_str();
        let schema = if leaf == Leaf::Draw {
            "draw-topic"
        } else {
            name
        };
        channels.insert(name.to_owned(), channel(name, &audiences(leaf), schema));
        operations.insert(format!("publish_{name}"), operation("send", name));
    }
    channels.insert(
        "event".to_owned(),
        channel("event", &["arbiter", "operator"], "event"),
    );
    operations.insert("publish_event".to_owned(), operation("send", "event"));
    for name in ["state", "health", "info", "boards", "broadcast"] {
        channels.insert(
            name.to_owned(),
            json!({
                "address": format!("chess/v1/{{site}}/node/{{node}}/{name}"),
                "parameters": { "site": {}, "node": {} },
                "messages": message(name),
            }),
        );
        operations.insert(format!("publish_{name}"), operation("send", name));
    }
    channels.insert(
        "reply".to_owned(),
        json!({
            "address": null,
            "description": "Where the command's sender wants it: chess/v1/{site}/reply/{user}/…",
            "messages": message("reply"),
        }),
    );
    for (_, verb, roles) in VerbName::TABLE {
        if roles.is_empty() {
            continue;
        }
        let name = format!("command-{verb}");
        let roles: Vec<&str> = roles.iter().copied().map(Role::as_str).collect();
        channels.insert(
            name.clone(),
            json!({
                "address": format!("chess/v1/{{site}}/cmd/{{role}}/{{board}}/{verb}"),
                "parameters": { "site": {}, "role": { "enum": roles }, "board": {} },
                "messages": message(&name),
            }),
        );
        let mut receive = operation("receive", &name);
        receive["reply"] = json!({ "channel": { "$ref": "#/channels/reply" } });
        operations.insert(format!("receive_{verb}"), receive);
    }
    for verb in node_command::VERBS {
        let name = format!("command-{verb}");
        let roles = node_command::ROLES.map(Role::as_str);
        channels.insert(
            name.clone(),
            json!({
                "address": format!("chess/v1/{{site}}/cmd/{{role}}/{{node}}/{verb}"),
                "parameters": { "site": {}, "role": { "enum": roles }, "node": {} },
                "messages": message(&name),
            }),
        );
        let mut receive = operation("receive", &name);
        receive["reply"] = json!({ "channel": { "$ref": "#/channels/reply" } });
        operations.insert(format!("receive_{verb}"), receive);
    }
    json!({
        "asyncapi": "3.1.0",
        "info": {
            "title": "remisd",
            "version": "1",
            "description": "The topics that remisd publishes and the commands that it accepts. mqtt.md beside this file explains them.",
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
    })
}

/// The audiences that have a leaf under some profile.
fn audiences(leaf: Leaf) -> Vec<&'static str> {
    let open = Views::under(Profile::Casual);
    let all = Audience::ALL.into_iter();
    all.filter(|audience| open.has(*audience, leaf))
        .map(Audience::as_str)
        .collect()
}

fn channel(leaf: &str, audiences: &[&str], schema: &str) -> Value {
    json!({
        "address": format!("chess/v1/{{site}}/{{audience}}/{{board}}/{leaf}"),
        "parameters": { "site": {}, "audience": { "enum": audiences }, "board": {} },
        "messages": message(schema),
    })
}

fn message(schema: &str) -> Value {
    let payload = json!({ "$ref": format!("schema/{schema}.json") });
    json!({ schema: { "payload": payload } })
}

fn operation(action: &str, channel: &str) -> Value {
    json!({ "action": action, "channel": { "$ref": format!("#/channels/{channel}") } })
}
