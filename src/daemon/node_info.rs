//! What the daemon publishes about itself at startup: version, configuration and boards.

use bytes::Bytes;
use jiff::Timestamp;
use serde::Serialize;

use crate::{
    config::Config,
    publish::{
        Publisher,
        payload::{ConfiguredBoard, NodeBoards, NodeInfo},
        topic,
    },
};
use remisd_vocabulary::time::rfc3339;

/// Publishes it. No configuration value that might hold a secret is copied.
pub(super) fn publish_node_info(
    config: &Config,
    session: &str,
    now: Timestamp,
    publisher: &Publisher,
) {
    let (site, node) = (&config.site.id, &config.site.node);
    let info = NodeInfo {
        schema: NodeInfo::SCHEMA.into(),
        site: site.to_string(),
        node: node.to_string(),
        session: session.to_owned(),
        time: rfc3339(now),
        version: env!("CARGO_PKG_VERSION").into(),
        regulations: config.laws.regulations.clone(),
        confirm: config.laws.confirm,
        profile: config.audience.profile.as_str().into(),
        delay_ms: config.audience.delay_ms,
        languages: (config.audience.languages.iter())
            .map(|language| language.code().into())
            .collect(),
        boards: config.boards.len(),
    };
    retain(publisher, &topic::node_info(site, node), &info);
    let boards = config.boards.iter().map(|board| ConfiguredBoard {
        board: board.id.to_string(),
        kind: board.kind().as_str().into(),
        port: board.place(),
        serial: board.serial().map(str::to_owned),
    });
    let boards = NodeBoards {
        schema: NodeBoards::SCHEMA.into(),
        site: site.to_string(),
        node: node.to_string(),
        session: session.to_owned(),
        time: rfc3339(now),
        boards: boards.collect(),
    };
    retain(publisher, &topic::node_boards(site, node), &boards);
}

fn retain(publisher: &Publisher, topic: &str, payload: &impl Serialize) {
    // Strings, numbers and lists only: they always serialise to JSON.
    let payload = Bytes::from(serde_json::to_vec(payload).unwrap_or_default());
    if let Err(error) = publisher.retain(topic, Some(payload)) {
        tracing::warn!("{error}");
    }
}
