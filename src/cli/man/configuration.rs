//! The manual page of the configuration, from its JSON Schema.

use clap_mangen::roff::{Inline, Roff, bold, roman};
use serde_json::{Map, Value};

/// The page `remisd.toml(5)` in roff. `schema` is the schema of the whole file.
pub fn page(schema: &Value) -> String {
    let mut page = Roff::new();
    let version = concat!("remisd ", env!("CARGO_PKG_VERSION"));
    // An empty argument would vanish, and the version would take its place.
    page.control("TH", ["remisd.toml", "5", " ", version]);
    page.control("SH", ["NAME"]);
    page.text([roman("remisd.toml - the configuration of remisd")]);
    page.control("SH", ["DESCRIPTION"]);
    page.text([
        roman("The commands read "),
        bold("/etc/remisd/remisd.toml"),
        roman(", or the file that "),
        bold("--config"),
        roman(" or "),
        bold("$REMISD_CONFIG"),
        roman(" names. A variable such as "),
        bold("REMISD_MQTT_URL"),
        roman(" overrides the key of its name. "),
        bold("remisd check"),
        roman(" shows which values apply, and where each comes from."),
    ]);
    let sections = schema["properties"].as_object();
    for (name, section) in sections.into_iter().flatten() {
        let is_repeated = section["type"] == "array";
        let heading = if is_repeated {
            format!("[[{name}]]")
        } else {
            format!("[{name}]")
        };
        let keys = if is_repeated {
            &section["items"]
        } else {
            section
        };
        Section {
            page: &mut page,
            definitions: &schema["$defs"],
        }
        .write(&heading, name, section, keys);
    }
    page.control("SH", ["SEE ALSO"]);
    page.text([
        bold("remisd"),
        roman("(1), "),
        bold("remisd-check"),
        roman("(1)"),
    ]);
    page.render()
}

/// Writes sections to a page.
struct Section<'a> {
    page: &'a mut Roff,
    definitions: &'a Value,
}

impl Section<'_> {
    /// Writes a section: its description, its keys, and then the sections in it. `path` is its
    /// place in the file, such as `board.hand`.
    fn write(&mut self, heading: &str, path: &str, section: &Value, keys: &Value) {
        self.page.control("SH", [heading]);
        let keys = self.resolved(keys);
        let described = [section, &keys]
            .into_iter()
            .find_map(|of| of["description"].as_str());
        if let Some(text) = described {
            self.page.text(inlines(text));
        }
        let mut inner = Vec::new();
        for (name, key) in keys["properties"].as_object().into_iter().flatten() {
            let resolved = self.resolved(key);
            if resolved["properties"].is_object() {
                inner.push((name.clone(), key.clone()));
            } else {
                self.key(name, key, &resolved);
            }
        }
        for (name, section) in inner {
            let path = format!("{path}.{name}");
            self.write(&format!("[{path}]"), &path, &section, &section);
        }
    }

    fn key(&mut self, name: &str, key: &Value, resolved: &Value) {
        self.page.control("TP", []);
        let mut head = vec![bold(name)];
        if let Some(default) = key.get("default").or_else(|| resolved.get("default")) {
            head.push(roman(format!(" = {default}")));
        }
        self.page.text(head);
        let described = [key, resolved]
            .into_iter()
            .find_map(|of| of["description"].as_str());
        let mut text = inlines(described.unwrap_or_default());
        text.extend(allowed(resolved).map(|allowed| roman(format!(" {allowed}."))));
        self.page.text(text);
    }

    /// A schema with the definition that it refers to.
    fn resolved(&self, schema: &Value) -> Value {
        let name = schema["$ref"].as_str();
        let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
        name.map_or_else(|| schema.clone(), |name| self.definitions[name].clone())
    }
}

/// The allowed values of a key, if the schema restricts them.
fn allowed(key: &Value) -> Option<String> {
    let of_list = key.get("items").unwrap_or(key);
    if let Some(choices) = of_list["enum"].as_array() {
        let words = choices.iter().filter_map(Value::as_str);
        return Some(format!("Allowed: {}", words.collect::<Vec<_>>().join(", ")));
    }
    let bounds: &Map<String, Value> = key.as_object()?;
    match (bounds.get("minimum"), bounds.get("maximum")) {
        (Some(least), Some(most)) => Some(format!("From {least} to {most}")),
        (Some(least), None) => Some(format!("At least {least}")),
        (None, Some(most)) => Some(format!("At most {most}")),
        (None, None) => None,
    }
}

/// A description as one line, with its code words in bold.
fn inlines(text: &str) -> Vec<Inline> {
    let text = text.replace('\n', " ");
    let parts = text.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { bold(part) } else { roman(part) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_configuration_has_its_place_on_the_page() {
        let schema = crate::config::schema();
        let page = page(&schema);
        for heading in ["[site]", "[[board]]", "[board.hand]", "[broadcast.lichess]"] {
            assert!(page.contains(&format!(".SH {heading}")), "{heading}");
        }
        let mut keys = 0;
        let parts: Vec<&str> = page.split(".SH ").collect();
        for (section, of_section) in schema["properties"].as_object().unwrap() {
            let list = &of_section["items"];
            let name = of_section["$ref"]
                .as_str()
                .or(list["$ref"].as_str())
                .unwrap();
            let keys_of = &schema["$defs"][name.trim_start_matches("#/$defs/")]["properties"];
            let heading = format!("[{section}]");
            let part = parts
                .iter()
                .find(|part| part.trim_start_matches('[').starts_with(&heading[1..]));
            let part = part.unwrap_or_else(|| panic!("no section {heading}"));
            for (name, key) in keys_of.as_object().unwrap() {
                if key.get("$ref").is_none() {
                    assert!(
                        part.contains(&format!("\\fB{name}\\fR")),
                        "{section}.{name}"
                    );
                    keys += 1;
                }
            }
        }
        assert!(keys > 60, "{keys}");
        assert!(!page.contains('`'));
    }

    #[test]
    fn defaults_and_bounds_are_on_the_page() {
        let page = page(&crate::config::schema());
        assert!(page.contains("\\fBdelay_plies\\fR = 0\n"), "{page}");
        assert!(page.contains("Allowed: competition, club, casual."));
        assert!(page.contains("From 0 to 7200000."));
    }
}
