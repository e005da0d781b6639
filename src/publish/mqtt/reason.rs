//! The broker's reason codes in words (MQTT 5.0, section 2.4).

use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, PubAckReason, SubscribeReasonCode};

/// Another client has connected with our client id.
pub(super) const SESSION_TAKEN_OVER: u8 = 0x8E;
/// The longest excerpt of the broker's reason string that is repeated, in characters.
const ADDED: usize = 128;

/// The codes that a broker sends in CONNACK, PUBACK, SUBACK and DISCONNECT.
const WORDS: [(u8, &str); 37] = [
    (0x00, "normal disconnection"),
    (0x04, "disconnection with will"),
    (0x80, "unspecified error"),
    (0x81, "malformed packet"),
    (0x82, "protocol error"),
    (0x83, "implementation specific error"),
    (0x84, "unsupported protocol version"),
    (0x85, "client id not valid"),
    (0x86, "bad user name or password"),
    (0x87, "not authorized"),
    (0x88, "server unavailable"),
    (0x89, "server busy"),
    (0x8A, "banned"),
    (0x8B, "server shutting down"),
    (0x8C, "bad authentication method"),
    (0x8D, "keep alive timeout"),
    (
        0x8E,
        "session taken over: another client has connected under this client id",
    ),
    (0x8F, "topic filter invalid"),
    (0x90, "topic name invalid"),
    (0x91, "packet identifier in use"),
    (0x92, "packet identifier not found"),
    (0x93, "receive maximum exceeded"),
    (0x94, "topic alias invalid"),
    (0x95, "packet too large"),
    (0x96, "message rate too high"),
    (0x97, "quota exceeded"),
    (0x98, "administrative action"),
    (0x99, "payload format invalid"),
    (0x9A, "retain not supported"),
    (0x9B, "QoS not supported"),
    (0x9C, "use another server"),
    (0x9D, "server moved"),
    (0x9E, "shared subscriptions not supported"),
    (0x9F, "connection rate exceeded"),
    (0xA0, "maximum connect time"),
    (0xA1, "subscription identifiers not supported"),
    (0xA2, "wildcard subscriptions not supported"),
];

/// A code in words, with the code itself: `not authorized (0x87)`.
pub(super) fn words(code: u8) -> String {
    let known = WORDS.iter().find(|(known, _)| *known == code);
    let words = known.map_or("a code of no known meaning", |(_, words)| words);
    format!("{words} (0x{code:02X})")
}

/// Like [`words`], followed by the broker's reason string, shortened and without control
/// characters.
pub(super) fn words_with(code: u8, added: Option<&str>) -> String {
    let added: String = (added.unwrap_or_default().chars())
        .filter(|c| !c.is_control())
        .take(ADDED)
        .collect();
    if added.is_empty() {
        return words(code);
    }
    format!("{}: {added}", words(code))
}

/// Whether the code means that the broker rejects this user.
pub(super) const fn is_about_user(code: u8) -> bool {
    matches!(code, 0x86 | 0x87 | 0x8A)
}

/// The reason code for the client library's name of it. Brokers that answer as in MQTT 3.1.1
/// use different codes, which are mapped to those of MQTT 5.
pub(super) const fn of_connect(code: ConnectReturnCode) -> u8 {
    use ConnectReturnCode as C;
    match code {
        C::Success => 0x00,
        C::UnspecifiedError => 0x80,
        C::MalformedPacket => 0x81,
        C::ProtocolError => 0x82,
        C::ImplementationSpecificError => 0x83,
        C::RefusedProtocolVersion | C::UnsupportedProtocolVersion => 0x84,
        C::BadClientId | C::ClientIdentifierNotValid => 0x85,
        C::BadUserNamePassword => 0x86,
        C::NotAuthorized => 0x87,
        C::ServiceUnavailable | C::ServerUnavailable => 0x88,
        C::ServerBusy => 0x89,
        C::Banned => 0x8A,
        C::BadAuthenticationMethod => 0x8C,
        C::TopicNameInvalid => 0x90,
        C::PacketTooLarge => 0x95,
        C::QuotaExceeded => 0x97,
        C::PayloadFormatInvalid => 0x99,
        C::RetainNotSupported => 0x9A,
        C::QoSNotSupported => 0x9B,
        C::UseAnotherServer => 0x9C,
        C::ServerMoved => 0x9D,
        C::ConnectionRateExceeded => 0x9F,
    }
}

/// Why a message was refused; `None` if it was not.
pub(super) const fn of_publish(reason: PubAckReason) -> Option<u8> {
    use PubAckReason as P;
    match reason {
        P::Success | P::NoMatchingSubscribers => None,
        P::UnspecifiedError => Some(0x80),
        P::ImplementationSpecificError => Some(0x83),
        P::NotAuthorized => Some(0x87),
        P::TopicNameInvalid => Some(0x90),
        P::PacketIdentifierInUse => Some(0x91),
        P::QuotaExceeded => Some(0x97),
        P::PayloadFormatInvalid => Some(0x99),
    }
}

/// Why a subscription was refused; `None` if it was not.
pub(super) const fn of_subscribe(reason: SubscribeReasonCode) -> Option<u8> {
    use SubscribeReasonCode as S;
    match reason {
        S::Success(_) => None,
        S::Failure | S::Unspecified => Some(0x80),
        S::ImplementationSpecific => Some(0x83),
        S::NotAuthorized => Some(0x87),
        S::TopicFilterInvalid => Some(0x8F),
        S::PkidInUse => Some(0x91),
        S::QuotaExceeded => Some(0x97),
        S::SharedSubscriptionsNotSupported => Some(0x9E),
        S::SubscriptionIdNotSupported => Some(0xA1),
        S::WildcardSubscriptionsNotSupported => Some(0xA2),
    }
}

#[cfg(test)]
mod tests {
    use rumqttc::v5::mqttbytes::v5::DisconnectReasonCode;

    use super::*;

    #[test]
    fn every_code_of_a_disconnect_has_words() {
        for code in 0..=u8::MAX {
            if DisconnectReasonCode::try_from(code).is_ok() {
                assert!(!words(code).starts_with("a code"), "{code:#x}");
            }
        }
        assert!(words(SESSION_TAKEN_OVER).contains("another client"));
    }

    #[test]
    fn what_a_broker_adds_is_bounded() {
        let added = "x\u{7}\n".repeat(10_000);
        let text = words_with(0x97, Some(&added));
        assert!(text.starts_with("quota exceeded (0x97): x"), "{text}");
        assert!(text.len() < 200 && !text.contains('\n'), "{text}");
    }
}
