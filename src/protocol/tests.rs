use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use super::{
    COMMAND_TABLES, LAWS_TABLES, TABLES, alerts_page, asyncapi, laws_table, schemas, table,
};
use remisd_game::VerbName;

/// Compares a file of `protocol/` with the generated one, or rewrites it.
fn is_current(path: &str, current: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("protocol")
        .join(path);
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        fs::write(&path, current).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == current,
        "{}: run the tests once with UPDATE_SCHEMAS=1",
        path.display()
    );
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

#[test]
fn the_schemas_are_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/schema");
    let mut expected = BTreeSet::new();
    for (name, schema) in schemas() {
        is_current(&format!("schema/{name}.json"), &pretty(&schema));
        expected.insert(format!("{name}.json"));
    }
    let files = fs::read_dir(folder).unwrap();
    let kept: BTreeSet<String> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(kept, expected, "files that no schema has");
}

#[test]
fn the_asyncapi_document_is_current_and_its_references_lead_somewhere() {
    let document = asyncapi();
    is_current("asyncapi.json", &pretty(&document));
    let schemas = schemas();
    let mut references = Vec::new();
    collect(&document, "$ref", &mut references);
    for reference in references {
        let reference = reference.as_str().unwrap();
        let found = match reference.strip_prefix('#') {
            Some(pointer) => document.pointer(pointer).is_some(),
            None => schemas
                .keys()
                .any(|name| reference == format!("schema/{name}.json")),
        };
        assert!(found, "{reference}");
    }
}

/// Compares the tables of a page with the generated ones.
fn tables_are_current(name: &str, tables: &[&str], table: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol");
    let page = fs::read_to_string(path.join(name)).unwrap();
    let mut current = page.clone();
    for name in tables {
        let begin = format!("<!-- table {name}: made from the code -->\n");
        let (before, rest) = current.split_once(&begin).expect(name);
        let (_, after) = rest.split_once("<!-- end -->\n").expect(name);
        let rows = table(name);
        assert!(rows.lines().count() > 5, "{name}");
        current = format!("{before}{begin}{rows}<!-- end -->\n{after}");
    }
    is_current(name, &current);
}

#[test]
fn the_tables_of_the_interface_are_those_of_the_code() {
    tables_are_current("mqtt.md", &TABLES, table);
    tables_are_current("commands.md", &COMMAND_TABLES, table);
}

#[test]
fn the_tables_of_the_laws_are_those_of_the_code() {
    tables_are_current("laws.md", &LAWS_TABLES, laws_table);
}

#[test]
fn every_verb_and_every_ruling_has_its_heading() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/commands.md");
    let page = fs::read_to_string(path).unwrap();
    for (_, verb, _) in VerbName::TABLE {
        assert!(page.contains(&format!("\n### `{verb}`\n")), "{verb}");
    }
    let mut rulings = Vec::new();
    collect(&schemas()["command-ruling"], "on", &mut rulings);
    assert_eq!(rulings.len(), 8, "{rulings:?}");
    for ruling in rulings {
        let on = ruling["const"].as_str().unwrap();
        assert!(page.contains(&format!("\n### On `{on}`\n")), "{on}");
    }
}

#[test]
fn the_page_of_the_alerts_is_current() {
    is_current("alerts.md", &alerts_page());
}

fn collect(value: &Value, key: &str, found: &mut Vec<Value>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get(key).cloned());
            object.values().for_each(|value| collect(value, key, found));
        }
        Value::Array(array) => array.iter().for_each(|value| collect(value, key, found)),
        _ => {}
    }
}

#[test]
fn schemas_pin_their_name_and_allow_fields_to_be_added() {
    for (name, schema) in schemas() {
        jsonschema::validator_for(&schema).unwrap();
        if !name.starts_with("command-") {
            let pinned = schema["properties"]["schema"]["const"].as_str().unwrap();
            assert!(pinned.starts_with("remisd/"), "{name}: {pinned}");
            let required = schema["required"].as_array().unwrap();
            assert!(required.contains(&"schema".into()), "{name}");
        }
        for word in ["additionalProperties", "unevaluatedProperties"] {
            let mut found = Vec::new();
            collect(&schema, word, &mut found);
            assert!(!found.contains(&false.into()), "{name} forbids fields");
        }
        assert!(
            !schema["description"].as_str().unwrap().is_empty(),
            "{name}"
        );
    }
}

#[test]
fn what_is_wrong_is_no_payload() {
    let schemas = schemas();
    let fits = |name: &str, text: &str| {
        let value = serde_json::from_str(text).unwrap();
        jsonschema::validator_for(&schemas[name])
            .unwrap()
            .is_valid(&value)
    };
    assert!(fits(
        "command-result",
        r#"{"id":"1","score":"1-0","if_seq":3}"#
    ));
    assert!(fits(
        "command-ack",
        r#"{"id":"1","alert":"fivefold-3","extra":1}"#
    ));
    assert!(!fits("command-result", r#"{"score":"1-0"}"#));
    assert!(!fits("command-result", r#"{"id":"1","score":"2-0"}"#));
    assert!(fits(
        "reply",
        r#"{"schema":"remisd/reply/1","id":null,"ok":true}"#
    ));
    assert!(!fits(
        "reply",
        r#"{"schema":"remisd/reply/2","id":null,"ok":true}"#
    ));
    assert!(!fits(
        "availability",
        r#"{"schema":"remisd/availability/1","state":"online"}"#
    ));
}
