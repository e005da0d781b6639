//! Whether a payload has the shape that pages rely on.
//!
//! A venue's daemon may be of another version, and a broker passes on whatever was published. A page
//! must neither fail on a payload nor show the value before it as if it were current.

use jiff::Timestamp;
use remisd_game::AlertCode;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::{Map, Value};

use super::place::SiteTopic;
use crate::publish::payload::{
    AlertText, Availability, Clock, Dealings, DrawNow, DrawPosition, Earlier, Envelope, Game,
    GameResult, Health, Link, NodeBoards, NodeBroadcast, NodeInfo, NodeState, Offer,
};

/// Whether `payload` is what this version publishes on the topic. Topics that this version does not
/// know need only be JSON: no page shows them.
pub(super) fn is_readable(place: &SiteTopic<'_>, payload: &[u8]) -> bool {
    let of_board = place.board.is_some();
    match (of_board, place.leaf) {
        (true, "game") => reads_dated::<Envelope<Game>>(payload),
        (true, "earlier") => reads_dated::<Envelope<Earlier>>(payload),
        (true, "draw") => reads_draw(payload),
        (true, "offer") => reads_dated::<Envelope<Offer>>(payload),
        (true, "clock") => reads_dated::<Envelope<Clock>>(payload),
        (true, "result") => reads_dated::<Envelope<GameResult>>(payload),
        (true, "alerts") => reads_alerts(payload),
        (true, "link") => reads_dated::<Envelope<Link>>(payload),
        (true, "availability") => reads_dated::<Envelope<Availability>>(payload),
        (true, "event") => reads_event(payload),
        (false, "state") => reads_dated::<NodeState>(payload),
        (false, "health") => reads_dated::<Health>(payload),
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
struct Dated {
    time: String,
}

/// Pages calculate with the time of these.
fn reads_dated<T: DeserializeOwned>(payload: &[u8]) -> bool {
    let dated = serde_json::from_slice::<Dated>(payload);
    dated.is_ok_and(|dated| is_time(&dated.time)) && reads::<T>(payload)
}

fn is_time(text: &str) -> bool {
    text.parse::<Timestamp>().is_ok()
}

/// The draw state has parts that an audience may not see: the parts that are there must be whole.
fn reads_draw(payload: &[u8]) -> bool {
    let Ok(parts) = serde_json::from_slice::<Map<String, Value>>(payload) else {
        return false;
    };
    let has_state = parts.contains_key("repetition");
    let has_dealings = parts.contains_key("touched");
    (!has_dealings || reads::<Dealings>(payload))
        && if has_state {
            reads_dated::<Envelope<DrawNow>>(payload)
        } else {
            reads_dated::<Envelope<DrawPosition>>(payload)
        }
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
        let alert = serde_json::from_value::<AlertText>(Value::Object(alert));
        alert.is_ok_and(|alert| is_time(&alert.since))
    };
    let listed = serde_json::from_slice::<Envelope<AlertList>>(payload);
    listed.is_ok_and(|listed| is_time(&listed.time) && listed.content.alerts.into_iter().all(read))
}

/// A journal may have kinds of facts that this version does not know. Pages name those by their type.
fn reads_event(payload: &[u8]) -> bool {
    let Ok(event) = serde_json::from_slice::<Value>(payload) else {
        return false;
    };
    let has_type = |value: &Value| value["type"].is_string();
    let facts = event["facts"].as_array();
    event["seq"].is_u64()
        && event["time"].as_str().is_some_and(is_time)
        && has_type(&event["input"])
        && facts.is_some_and(|facts| facts.iter().all(has_type))
}
