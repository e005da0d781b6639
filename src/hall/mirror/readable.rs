//! Whether a payload has the shape that pages rely on.
//!
//! A venue's daemon may be of another version, and a broker passes on whatever was published. A page
//! must neither fail on a payload nor show the value before it as if it were current.

use remisd_game::AlertCode;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::{Map, Value};

use super::place::SiteTopic;
use crate::publish::payload::{
    AlertText, Availability, Clock, DrawTopic, Envelope, Event, Game, GameResult, Health, Link,
    NodeBoards, NodeBroadcast, NodeInfo, NodeState, Offer,
};

/// Whether `payload` is what this version publishes on the topic. Topics that this version does not
/// know need only be JSON: no page shows them.
pub(super) fn is_readable(place: &SiteTopic<'_>, payload: &[u8]) -> bool {
    let of_board = place.board.is_some();
    match (of_board, place.leaf) {
        (true, "game") => reads::<Envelope<Game>>(payload),
        (true, "draw") => reads::<Envelope<DrawTopic>>(payload),
        (true, "offer") => reads::<Envelope<Offer>>(payload),
        (true, "clock") => reads::<Envelope<Clock>>(payload),
        (true, "result") => reads::<Envelope<GameResult>>(payload),
        (true, "alerts") => reads_alerts(payload),
        (true, "link") => reads::<Envelope<Link>>(payload),
        (true, "availability") => reads::<Envelope<Availability>>(payload),
        (true, "event") => reads::<Event>(payload),
        (false, "state") => reads::<NodeState>(payload),
        (false, "health") => reads::<Health>(payload),
        (false, "info") => reads::<NodeInfo>(payload),
        (false, "boards") => reads::<NodeBoards>(payload),
        (false, "broadcast") => reads::<NodeBroadcast>(payload),
        _ => reads::<IgnoredAny>(payload),
    }
}

fn reads<T: DeserializeOwned>(payload: &[u8]) -> bool {
    serde_json::from_slice::<T>(payload).is_ok()
}

#[derive(Debug, Deserialize)]
struct AlertList {
    alerts: Vec<Map<String, Value>>,
}

/// A daemon of a later version may have further kinds of alerts: their texts come with them.
fn reads_alerts(payload: &[u8]) -> bool {
    let read = |mut alert: Map<String, Value>| {
        let Some(Value::String(code)) = alert.get_mut("code") else {
            return false;
        };
        AlertCode::Fivefold.as_str().clone_into(code);
        serde_json::from_value::<AlertText>(Value::Object(alert)).is_ok()
    };
    let listed = serde_json::from_slice::<Envelope<AlertList>>(payload);
    listed.is_ok_and(|listed| listed.content.alerts.into_iter().all(read))
}
