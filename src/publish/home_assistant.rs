//! Discovery for Home Assistant: the entities that it makes from our topics.
//!
//! ```text
//! <prefix>/device/remisd-<site>-<board>/config    retained, one for each board
//! ```
//!
//! Discovery is opt-in. The entities read the existing topics: whatever Home Assistant's user may
//! not read at the broker stays unavailable to it. The arbiter's entities are disabled by default.
//! The format is Home Assistant's MQTT device discovery (`cmps`, `dev`, `o`), with the long key
//! names.

use bytes::Bytes;
use serde_json::{Value, json};

use super::topic::{self, Audience, Leaf};
use remisd_vocabulary::name::{BoardId, NodeId, SiteId};

/// The discovery topic of a board.
#[must_use]
pub fn discovery_topic(prefix: &str, site: &SiteId, board: &BoardId) -> String {
    format!("{prefix}/device/remisd-{site}-{board}/config")
}

/// The discovery payload of a board.
#[must_use]
pub fn discovery(site: &SiteId, node: &NodeId, board: &BoardId) -> Bytes {
    let id = format!("remisd-{site}-{board}");
    let public = |leaf| topic::board(site, Audience::Public, board, leaf);
    let arbiter = |leaf| topic::board(site, Audience::Arbiter, board, leaf);
    let entity = |name: &str, platform: &str, state_topic: String, template: &str| {
        json!({
            "platform": platform,
            "name": name,
            "unique_id": format!("{id}-{}", name.to_lowercase().replace(' ', "-")),
            "state_topic": state_topic,
            "value_template": template,
        })
    };
    let with = |mut entity: Value, more: Value| {
        if let (Some(entity), Value::Object(more)) = (entity.as_object_mut(), more) {
            entity.extend(more);
        }
        entity
    };
    let online = entity(
        "Online",
        "binary_sensor",
        public(Leaf::Availability),
        "{{ 'ON' if value_json.state == 'online' else 'OFF' }}",
    );
    let last_move = entity(
        "Last move",
        "sensor",
        public(Leaf::Game),
        "{{ value_json.moves[-1].san if value_json.moves else '' }}",
    );
    let result = entity(
        "Result",
        "sensor",
        public(Leaf::Game),
        "{{ value_json.result.score if value_json.result else '*' }}",
    );
    let alerts = entity(
        "Open alerts",
        "sensor",
        arbiter(Leaf::Alerts),
        "{{ value_json.alerts | length }}",
    );
    let red = entity(
        "Red alert",
        "binary_sensor",
        arbiter(Leaf::Alerts),
        "{{ 'ON' if value_json.alerts | selectattr('level', 'eq', 'red') \
         | selectattr('acknowledged_by', 'none') | list else 'OFF' }}",
    );
    let payload = json!({
        "device": {
            "identifiers": [id],
            "name": format!("Board {board}"),
            "manufacturer": "remisd",
            "sw_version": env!("CARGO_PKG_VERSION"),
        },
        "origin": { "name": "remisd", "sw_version": env!("CARGO_PKG_VERSION") },
        "availability_topic": topic::node_state(site, node),
        "availability_template": "{{ 'online' if value_json.state == 'online' else 'offline' }}",
        "qos": 1,
        "components": {
            "online": with(online, json!({ "device_class": "connectivity" })),
            "last_move": last_move,
            "turn": entity("Turn", "sensor", public(Leaf::Game), "{{ value_json.turn }}"),
            "position": entity("Position", "sensor", public(Leaf::Game), "{{ value_json.fen }}"),
            "result": result,
            "alerts": with(alerts, json!({ "enabled_by_default": false })),
            "red_alert": with(
                red,
                json!({ "enabled_by_default": false, "device_class": "problem" }),
            ),
        },
    });
    Bytes::from(payload.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entity_reads_a_topic_of_this_board_and_the_arbiters_are_switched_off() {
        let (site, node, board) = ("hall", "remisd", "b1");
        let (site, node, board) = (
            site.parse().unwrap(),
            node.parse().unwrap(),
            board.parse().unwrap(),
        );
        assert_eq!(
            discovery_topic("homeassistant", &site, &board),
            "homeassistant/device/remisd-hall-b1/config"
        );
        let payload: Value = serde_json::from_slice(&discovery(&site, &node, &board)).unwrap();
        assert_eq!(
            payload["availability_topic"],
            "chess/v1/hall/node/remisd/state"
        );
        let components = payload["components"].as_object().unwrap();
        let mut ids = Vec::new();
        for (name, entity) in components {
            let topic = entity["state_topic"].as_str().unwrap();
            let of_arbiter = topic.starts_with("chess/v1/hall/arbiter/b1/");
            assert!(
                of_arbiter || topic.starts_with("chess/v1/hall/public/b1/"),
                "{name}"
            );
            assert_eq!(entity["enabled_by_default"] == false, of_arbiter, "{name}");
            ids.push(entity["unique_id"].as_str().unwrap());
        }
        ids.dedup();
        assert_eq!(ids.len(), components.len());
    }
}
