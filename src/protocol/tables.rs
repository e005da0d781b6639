//! The tables of `protocol/mqtt.md` and `protocol/commands.md`.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::{
    schemas::{self, description, variants, verb_description},
    specimens::specimens,
};
use crate::{
    config::Profile,
    publish::{
        topic::{Audience, Leaf},
        views::Views,
    },
    words::{Language, Words},
};
use remisd_game::{AlertCode, Fact, Input, RefusalCode, Role, VerbName};

/// The names of the tables in `protocol/mqtt.md`, marked there by `<!-- table NAME -->`.
pub const TABLES: [&str; 4] = ["leaves", "inputs", "facts", "alerts"];

/// The names of the tables in `protocol/commands.md`.
pub const COMMAND_TABLES: [&str; 3] = ["verbs", "node_verbs", "refusals"];

/// Generates a table in Markdown; empty if there is no table of this name.
#[must_use]
pub fn table(name: &str) -> String {
    match name {
        "leaves" => leaves(),
        "verbs" => verbs(),
        "node_verbs" => node_verbs(),
        "refusals" => refusals(),
        "inputs" => tagged::<Input>("input"),
        "facts" => tagged::<Fact>("fact"),
        "alerts" => alerts(),
        _ => String::new(),
    }
}

/// Writes rows below a header. Writing to a string cannot fail.
pub(super) fn markdown(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | ").replace('\n', " "));
    }
    text
}

fn leaves() -> String {
    let (competition, casual) = (
        Views::under(Profile::Competition),
        Views::under(Profile::Casual),
    );
    let cell = |leaf, audience| match (leaf, audience) {
        (Leaf::Game | Leaf::Earlier | Leaf::Offer | Leaf::Result, Audience::Public) => {
            "delayed".to_owned()
        }
        (Leaf::Draw, Audience::Public) => "delayed, and once its turn has passed".to_owned(),
        (Leaf::Draw, _) if !competition.is_open(audience) => "if opened".to_owned(),
        _ if competition.has(audience, leaf) => "yes".to_owned(),
        _ if casual.has(audience, leaf) => "if opened".to_owned(),
        _ => "–".to_owned(),
    };
    let rows = Leaf::ALL.into_iter().map(|leaf| {
        let mut row = vec![format!("`{}`", leaf.as_str()), "yes".to_owned()];
        row.extend(Audience::ALL.map(|audience| cell(leaf, audience)));
        row
    });
    let event = ["`event`", "no", "yes", "without claims", "–", "–", "–"];
    let event = event.map(str::to_owned).to_vec();
    let mut head = vec!["leaf", "retained"];
    head.extend(Audience::ALL.map(Audience::as_str));
    markdown(&head, rows.chain([event]))
}

fn verbs() -> String {
    let rows = VerbName::TABLE.into_iter().map(|(name, word, roles)| {
        let may = |role| if roles.contains(&role) { "yes" } else { "–" }.to_owned();
        let what = verb_description(name).unwrap_or_default();
        let mut row = vec![format!("`{word}`")];
        row.extend(Role::ALL.map(may));
        row.push(what);
        row
    });
    let mut head = vec!["verb"];
    head.extend(Role::ALL.map(Role::as_str));
    head.push("what it does");
    markdown(&head, rows)
}

fn node_verbs() -> String {
    let rows = schemas::node_verbs()
        .into_iter()
        .map(|(verb, what)| vec![format!("`{verb}`"), what]);
    markdown(&["verb", "what it does"], rows)
}

fn refusals() -> String {
    let rows = variants::<RefusalCode>().into_iter().map(|code| {
        let word = code["const"].as_str().unwrap_or_default();
        vec![format!("`{word}`"), description(&code).to_owned()]
    });
    markdown(&["code", "why"], rows)
}

/// A table of the variants of an enumeration, distinguished by its field `type`.
fn tagged<T: JsonSchema>(what: &str) -> String {
    let rows = variants::<T>().into_iter().map(|variant| {
        let properties = variant["properties"].as_object();
        let word = variant["properties"]["type"]["const"].as_str();
        let required = variant["required"].as_array();
        let fields = properties.into_iter().flat_map(Map::keys);
        let fields: Vec<String> = fields
            .filter(|field| *field != "type")
            .map(|field| {
                let always = required.is_some_and(|all| all.iter().any(|one| one == field));
                format!("`{field}`{}", if always { "" } else { "?" })
            })
            .collect();
        let fields = match variant
            .get("$ref")
            .or_else(|| variant["allOf"][0].get("$ref"))
        {
            Some(Value::String(reference)) if fields.is_empty() => {
                let name = reference.rsplit('/').next().unwrap_or_default();
                format!("those of `{name}`")
            }
            _ if fields.is_empty() => "–".to_owned(),
            _ => fields.join(", "),
        };
        let word = word.unwrap_or_default();
        vec![
            format!("`{word}`"),
            description(&variant).to_owned(),
            fields,
        ]
    });
    markdown(&[what, "meaning", "fields"], rows)
}

fn alerts() -> String {
    let english = Words::of(Language::En);
    let rows = AlertCode::ALL.into_iter().filter_map(|code| {
        let specimen = specimens(code).into_iter().next()?;
        let word = format!("`{}`", code.as_str());
        Some(vec![word, level(code), english.alert(&specimen.alert)])
    });
    markdown(&["code", "level", "for example, in English"], rows)
}

/// The name of an alert's level.
pub(super) fn level(code: AlertCode) -> String {
    let level = serde_json::to_value(code.level()).unwrap_or_default();
    level.as_str().unwrap_or_default().to_owned()
}
