//! The options with which the client library connects.

use std::time::Duration;

use rumqttc::v5::{
    MqttOptions,
    mqttbytes::{
        QoS,
        v5::{ConnectProperties, LastWill, LastWillProperties},
    },
};

use super::REQUESTS;
use crate::publish::mqtt::{Credentials, MAX_PACKET, SessionSettings, Timing};

pub(super) fn options(
    settings: &SessionSettings,
    client_id: &str,
    address: (&str, u16),
    credentials: Option<&Credentials>,
) -> MqttOptions {
    let timing = &settings.timing;
    let properties = ConnectProperties {
        max_packet_size: Some(MAX_PACKET),
        session_expiry_interval: Some(seconds(timing.session_expiry)),
        ..ConnectProperties::new()
    };
    let mut options = plain_options(address, client_id, timing, properties);
    options.set_last_will(LastWill::new(
        settings.node.topic.as_ref(),
        settings.node.lost.clone(),
        QoS::AtLeastOnce,
        true,
        Some(will_properties(seconds(timing.will_delay))),
    ));
    if let Some(credentials) = credentials {
        options.set_credentials(&credentials.username, &credentials.password);
    }
    options
}

pub(super) fn plain_options(
    (host, port): (&str, u16),
    client_id: &str,
    timing: &Timing,
    properties: ConnectProperties,
) -> MqttOptions {
    let mut options = MqttOptions::new(client_id, host, port);
    options
        .set_clean_start(true)
        .set_keep_alive(timing.keep_alive())
        .set_connection_timeout(timing.connect.as_secs().max(1))
        .set_outgoing_inflight_upper_limit(u16::try_from(REQUESTS).unwrap_or(u16::MAX))
        .set_connect_properties(properties);
    let mut network = options.network_options();
    network.set_tcp_nodelay(true);
    options.set_network_options(network);
    options
}

fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

fn will_properties(delay_seconds: u32) -> LastWillProperties {
    LastWillProperties {
        delay_interval: Some(delay_seconds),
        payload_format_indicator: None,
        message_expiry_interval: None,
        content_type: None,
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    }
}
