use rumqttc::v5::mqttbytes::v5::DisconnectReasonCode;

use super::*;

#[test]
fn a_broker_that_says_why_it_ends_the_connection_is_understood() {
    let lost = describe(ConnectionError::MqttState(StateError::ServerDisconnect {
        reason_code: DisconnectReasonCode::SessionTakenOver,
        reason_string: Some("by another".to_owned()),
    }));
    assert_eq!(lost.code, Some(reason::SESSION_TAKEN_OVER));
    for word in ["session taken over", "0x8E", "by another"] {
        assert!(lost.why.contains(word), "{}", lost.why);
    }
    let lost = describe(ConnectionError::MqttState(StateError::ConnectionAborted));
    assert!(lost.closed && lost.code.is_none());
}

#[test]
fn a_connection_that_is_reset_was_closed_by_the_broker() {
    for (kind, closed) in [
        (io::ErrorKind::ConnectionReset, true),
        (io::ErrorKind::BrokenPipe, true),
        (io::ErrorKind::ConnectionRefused, false),
        (io::ErrorKind::HostUnreachable, false),
    ] {
        let errors: [ConnectionError; 3] = [
            ConnectionError::Io(kind.into()),
            StateError::Io(kind.into()).into(),
            StateError::Deserialization(mqttbytes::Error::Io(kind.into())).into(),
        ];
        for error in errors {
            assert_eq!(describe(error).closed, closed, "{kind}");
        }
    }
}
