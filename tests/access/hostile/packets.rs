//! Malformed and oversized packets.

use super::Stage;

/// The largest packet that the broker accepts, in bytes.
const LARGEST_PACKET: usize = 256 * 1024;

/// An MQTT 5 PUBLISH packet with arbitrary bytes as properties.
fn packet(topic: &str, properties: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut body = u16::try_from(topic.len()).unwrap().to_be_bytes().to_vec();
    body.extend(topic.as_bytes());
    body.push(u8::try_from(properties.len()).unwrap());
    body.extend(properties);
    body.extend(payload);
    let mut packet = vec![0x30];
    let mut length = body.len();
    loop {
        let low = u8::try_from(length % 128).unwrap();
        length /= 128;
        packet.push(if length > 0 { low | 0x80 } else { low });
        if length == 0 {
            break;
        }
    }
    packet.extend(body);
    packet
}

#[tokio::test(flavor = "multi_thread")]
async fn no_packet_cuts_the_daemon_off() {
    let mut stage = Stage::set().await;
    let states = stage.states();
    let topic = "chess/v1/hall/cmd/white/b1/offer";
    // Sizes around the broker's maximum, byte by byte; above it the broker disconnects.
    let (mut taken, mut refused) = (0, 0);
    for size in LARGEST_PACKET - 60..LARGEST_PACKET + 12 {
        let mut white = stage.user("b1-white").await;
        match white
            .publish(topic, vec![b'x'; size - 40], false, None)
            .await
        {
            Some(true) => taken += 1,
            _ => refused += 1,
        }
    }
    println!("{taken} packets were taken, {refused} were not");
    assert!(taken > 5 && refused > 5, "the limit lies between");
    // Invalid UTF-8 in every text property: response topic, content type, user property. And
    // correlation data, which may be any bytes.
    for text in [
        &b"\xff\xfe"[..],
        b"\xed\xa0\x80",
        b"a\0b",
        b"\xef\xbf\xbf",
        b"+/#",
        b"",
    ] {
        let length = u16::try_from(text.len()).unwrap().to_be_bytes();
        for kind in [0x08, 0x03, 0x26, 0x09] {
            let mut properties = vec![kind];
            let times = if kind == 0x26 { 2 } else { 1 };
            for _ in 0..times {
                properties.extend(length);
                properties.extend(text);
            }
            let mut white = stage.user("b1-white").await;
            white
                .write_raw(&packet(
                    topic,
                    &properties,
                    b"{\"id\":\"odd\",\"if_seq\":0}",
                ))
                .await;
        }
    }
    // An invalid topic, an undefined topic alias, and an identifier that only a broker may send.
    for properties in [
        &[0x23, 0, 1][..],
        &[0x0b, 1],
        &[0x01, 7],
        &[0x02, 0, 0, 0, 0],
    ] {
        let mut white = stage.user("b1-white").await;
        white.write_raw(&packet(topic, properties, b"{}")).await;
    }
    stage.is_well().await;
    assert_eq!(
        stage.states(),
        states,
        "the daemon was cut off:\n{}",
        stage.daemon.unwrap().log()
    );
}
