//! The checked-in schemas, and violations of them.

use std::{collections::BTreeMap, fs, path::Path, sync::LazyLock};

use jsonschema::Validator;
use serde_json::Value;

static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../protocol/schema");
    let validators = fs::read_dir(folder).unwrap().map(|file| {
        let path = file.unwrap().path();
        let schema: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, jsonschema::validator_for(&schema).unwrap())
    });
    validators.collect()
});

/// The names of all schemas.
pub fn names() -> impl Iterator<Item = &'static str> {
    VALIDATORS.keys().map(String::as_str)
}

/// The violations of an object against the schema of this name.
pub fn faults(name: &str, value: &Value) -> Vec<String> {
    let Some(validator) = VALIDATORS.get(name) else {
        return vec![format!("there is no schema {name}")];
    };
    let errors = validator.iter_errors(value);
    errors
        .map(|error| format!("{name}: {error} at {}", error.instance_path()))
        .collect()
}

/// The schema that an object names, on a topic or as a line.
pub fn name_of(value: &Value, on_topic: bool) -> Option<&str> {
    let name = value["schema"].as_str()?.strip_prefix("remisd/")?;
    let name = name.strip_suffix("/1")?;
    Some(if name == "draw" && on_topic {
        "draw-topic"
    } else {
        name
    })
}

/// The violations of a published payload; commands are excluded, since others send them.
pub fn published(topic: &str, payload: &[u8]) -> Vec<String> {
    if payload.is_empty() || topic.contains("/cmd/") || !topic.starts_with("chess/v1/") {
        return Vec::new();
    }
    let Ok(value) = serde_json::from_slice::<Value>(payload) else {
        return vec![format!("{topic}: no JSON")];
    };
    let faults = match name_of(&value, true) {
        Some(name) => faults(name, &value),
        None => vec!["no schema is named".to_owned()],
    };
    let described = |fault| format!("{topic}: {fault}\n{value}");
    faults.into_iter().map(described).collect()
}
