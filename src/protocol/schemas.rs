//! The JSON Schemas of all output of the program and of the commands that it accepts.

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use crate::{
    cli::PortLine,
    publish::{
        command::{MAX_TEXT, Question},
        node_command::NodeVerb,
        payload::{
            Alerts, Availability, Clock, Content, Dead, Draw, DrawTopic, Earlier, Envelope, Error,
            Event, Game, GameResult, Health, Link, NodeBoards, NodeBroadcast, NodeInfo, NodeState,
            Offer, Reply, Squares,
        },
    },
    simulate::Progress,
};
use remisd_game::{Verb, VerbName};

/// Generates every schema, by the name of its file in `protocol/schema/` without `.json`.
///
/// They use draft 7, which `AsyncAPI` requires, and never forbid additional fields.
#[must_use]
pub fn schemas() -> BTreeMap<String, Value> {
    let draw_topic = "`remisd/draw/1` on a topic: the draw state of the position on the board, \
                      in an envelope, with how far the automatic ends are. The public of a competition \
                      whose delay is short gets the position and the offer alone.";
    let mut schemas = BTreeMap::from([
        printed::<Draw>("draw", Draw::SCHEMA),
        printed::<Error>("error", Error::SCHEMA),
        printed::<Dead>("dead", Dead::SCHEMA),
        printed::<PortLine>("port", PortLine::SCHEMA),
        printed::<Progress>("simulate", "remisd/simulate/1"),
        printed::<NodeState>("state", NodeState::SCHEMA),
        printed::<Health>("health", Health::SCHEMA),
        printed::<NodeInfo>("info", NodeInfo::SCHEMA),
        printed::<NodeBoards>("boards", NodeBoards::SCHEMA),
        printed::<NodeBroadcast>("broadcast", NodeBroadcast::SCHEMA),
        printed::<Event>("event", Event::SCHEMA),
        printed::<Reply>("reply", Reply::SCHEMA),
        on_topic::<Game>("game"),
        on_topic::<Earlier>("earlier"),
        on_topic::<GameResult>("result"),
        on_topic::<Offer>("offer"),
        on_topic::<Clock>("clock"),
        on_topic::<Alerts>("alerts"),
        on_topic::<Link>("link"),
        on_topic::<Squares>("squares"),
        on_topic::<Availability>("availability"),
        finish(
            "draw-topic",
            Draw::SCHEMA,
            published::<Envelope<DrawTopic>>(),
            draw_topic,
        ),
    ]);
    schemas.extend(commands());
    schemas
}

fn published<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft07().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().into()
}

/// The schema of an object that is printed on its own.
fn printed<T: JsonSchema>(name: &str, schema: &str) -> (String, Value) {
    let value = published::<T>();
    let description = description(&value).to_owned();
    finish(name, schema, value, &description)
}

/// The schema of a content in its envelope.
fn on_topic<T: Content + JsonSchema>(name: &str) -> (String, Value) {
    let content = published::<T>();
    finish(
        name,
        T::SCHEMA,
        published::<Envelope<T>>(),
        description(&content),
    )
}

pub(super) fn description(schema: &Value) -> &str {
    schema["description"].as_str().unwrap_or_default()
}

/// Sets the names of a schema and pins the value of its field `schema`.
fn finish(name: &str, schema: &str, mut value: Value, description: &str) -> (String, Value) {
    value["$id"] = format!("urn:remisd:schema:{name}:1").into();
    value["title"] = schema.into();
    value["description"] = description.into();
    value["type"] = "object".into();
    value["properties"]["schema"] = json!({
        "description": "The name of this schema.", "type": "string", "const": schema,
    });
    require(&mut value, "schema");
    (name.to_owned(), value)
}

fn require(schema: &mut Value, key: &str) {
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    // The envelope and the draw state both have this field, and it would be listed twice.
    required.retain(|known| known != key);
    required.insert(0, key.into());
    schema["required"] = required.into();
}

/// The payloads of the verbs that this version understands, as `command-<verb>`.
fn commands() -> impl Iterator<Item = (String, Value)> {
    let root: Value = SchemaSettings::draft07()
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<Question>()
        .into();
    let question = command("evidence", root.clone(), EVIDENCE, &root);
    of_verbs::<Verb>()
        .chain(of_verbs::<NodeVerb>())
        .chain([question])
}

/// The payloads of the verbs in an enumeration.
fn of_verbs<T: JsonSchema>() -> impl Iterator<Item = (String, Value)> {
    let settings = SchemaSettings::draft07().for_deserialize();
    let root: Value = settings.into_generator().into_root_schema_for::<T>().into();
    let variants = root["oneOf"].as_array().cloned().unwrap_or_default();
    variants.into_iter().map(move |variant| {
        let verb = variant["properties"]["verb"]["const"].as_str();
        let verb = verb.unwrap_or_default().to_owned();
        let mut schema = variant["properties"]["arguments"].clone();
        // Beside a `$ref` all other keywords are ignored.
        if let Some(name) = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next()) {
            schema = root["definitions"][name].clone();
        }
        schema["$schema"] = root["$schema"].clone();
        command(&verb, schema, description(&variant), &root)
    })
}

/// The description of the one verb that is not a command.
const EVIDENCE: &str = "Ask for the record up to a claim; nothing changes by it.";

/// The schema of a verb's payload: its arguments and the fields common to all commands.
fn command(verb: &str, mut schema: Value, about: &str, root: &Value) -> (String, Value) {
    schema["$id"] = format!("urn:remisd:schema:command-{verb}:1").into();
    schema["title"] = format!("Command {verb}").into();
    schema["description"] = about.into();
    let mut properties = common_fields();
    properties.extend(
        schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default(),
    );
    schema["properties"] = properties.into();
    require(&mut schema, "id");
    let used = definitions_of(&schema, root);
    if !used.is_empty() {
        schema["definitions"] = used.into();
    }
    (format!("command-{verb}"), schema)
}

/// The definitions of `root` that a schema refers to, also through one another.
fn definitions_of(schema: &Value, root: &Value) -> Map<String, Value> {
    let mut used: Map<String, Value> = Map::new();
    let mut text = schema.to_string();
    loop {
        let definitions = root["definitions"].as_object().into_iter().flatten();
        let more = definitions
            .filter(|(name, _)| !used.contains_key(*name))
            .filter(|(name, _)| text.contains(&format!("#/definitions/{name}\"")))
            .map(|(name, definition)| (name.clone(), definition.clone()))
            .collect::<Vec<_>>();
        if more.is_empty() {
            return used;
        }
        used.extend(more);
        text = Value::from(used.clone()).to_string();
    }
}

/// The fields that every command may carry besides its arguments.
fn common_fields() -> Map<String, Value> {
    let text = |description: &str| json!({ "description": description, "type": ["string", "null"], "maxLength": MAX_TEXT });
    let mut fields = Map::new();
    fields.insert(
        "id".to_owned(),
        json!({
            "description": "Chosen by the sender; the same id again gets the same answer.",
            "type": "string", "minLength": 1, "maxLength": MAX_TEXT,
        }),
    );
    fields.insert(
        "by".to_owned(),
        text("The sender's own name, for the record; it proves nothing."),
    );
    fields.insert(
        "if_seq".to_owned(),
        json!({
            "description": "Refuse when the board's last seq is another one.",
            "type": ["integer", "null"], "minimum": 0,
        }),
    );
    fields.insert(
        "reply_to".to_owned(),
        text("Where the answer goes, for clients without MQTT 5 response topics."),
    );
    fields
}

/// What a verb does, for the verbs that this version understands.
pub(super) fn verb_description(name: VerbName) -> Option<String> {
    if name == VerbName::Evidence {
        return Some(EVIDENCE.to_owned());
    }
    let root = published::<Verb>();
    let variants = root["oneOf"].as_array()?;
    let word = serde_json::to_value(name).ok()?;
    let variant = variants
        .iter()
        .find(|variant| variant["properties"]["verb"]["const"] == word)?;
    Some(description(variant).to_owned())
}

/// The verbs of the daemon itself, with what each does.
pub(super) fn node_verbs() -> Vec<(String, String)> {
    let variants = of_verbs::<NodeVerb>().map(|(name, schema)| {
        let verb = name.trim_start_matches("command-").to_owned();
        (verb, description(&schema).to_owned())
    });
    variants.collect()
}

/// The variants of an enumeration with their descriptions.
pub(super) fn variants<T: JsonSchema>() -> Vec<Value> {
    let root = published::<T>();
    root["oneOf"].as_array().cloned().unwrap_or_default()
}
