use proptest::prelude::*;

use super::{super::table::REPLIES, *};

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

/// Decodes a line that arrives in pieces of `chunk` bytes.
fn read_in_chunks(line: &[u8], chunk: usize) -> Vec<Item> {
    let mut codec = Codec::default();
    let mut buffer = BytesMut::new();
    let mut items = Vec::new();
    for piece in line.chunks(chunk.max(1)) {
        buffer.extend_from_slice(piece);
        while let Some(item) = codec.decode(&mut buffer).unwrap() {
            items.push(item);
        }
        assert!(buffer.len() < 512, "an unfinished message is short");
    }
    while let Some(item) = codec.decode_eof(&mut buffer).unwrap() {
        items.push(item);
    }
    assert!(buffer.is_empty());
    items
}

fn read(line: &[u8]) -> Vec<Item> {
    read_in_chunks(line, usize::MAX)
}

fn replies(line: &[u8]) -> Vec<Reply> {
    read(line)
        .into_iter()
        .filter_map(|item| match item {
            Item::Reply(reply) => Some(reply),
            _ => None,
        })
        .collect()
}

/// The inverse of the codec, for tests only: the daemon never plays the board.
fn encode(reply: &Reply) -> Vec<u8> {
    let (id, payload) = match reply {
        Reply::BoardDump(codes) => (id::BOARD_DUMP, codes.to_vec()),
        Reply::FieldUpdate { square, piece } => (id::FIELD_UPDATE, vec![*square, *piece]),
        Reply::Clock(raw) => (id::CLOCK, raw.to_vec()),
        Reply::BusAddress(address) => {
            let [high, low] = [address >> 7, address & 0x7F].map(|b| u8::try_from(b).unwrap());
            (id::BUS_ADDRESS, vec![high, low])
        }
        Reply::SerialNumber(text) => (id::SERIAL_NUMBER, text.clone().into_bytes()),
        Reply::Trademark(text) => (id::TRADEMARK, text.clone().into_bytes()),
        Reply::Version(main, sub) => (id::VERSION, vec![*main, *sub]),
        Reply::DraughtsDump(codes) => (id::DRAUGHTS_DUMP, codes.to_vec()),
        Reply::HardwareVersion(raw) => (id::HARDWARE_VERSION, raw.clone()),
        Reply::Battery(battery) => {
            let status = u8::from(battery.charging) | u8::from(battery.discharging) << 1;
            (
                id::BATTERY,
                vec![battery.percent, 0, 0, 0, 0, 0, 0, 0, status],
            )
        }
        Reply::LongSerialNumber(text) => (id::LONG_SERIAL_NUMBER, text.clone().into_bytes()),
    };
    let length = payload.len() + HEADER;
    let mut message = vec![
        id,
        u8::try_from(length >> 7).unwrap(),
        u8::try_from(length & 0x7F).unwrap(),
    ];
    message.extend(payload);
    message
}

fn any_reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        prop::collection::vec(0u8..16, 64)
            .prop_map(|codes| Reply::BoardDump(Box::new(codes.try_into().unwrap()))),
        (0u8..64, 0u8..16).prop_map(|(square, piece)| Reply::FieldUpdate { square, piece }),
        prop::array::uniform7(0u8..0x80).prop_map(Reply::Clock),
        (0u16..1 << 14).prop_map(Reply::BusAddress),
        "[0-9]{5}".prop_map(Reply::SerialNumber),
        "[ -~]{0,256}".prop_map(Reply::Trademark),
        (0u8..0x80, 0u8..0x80).prop_map(|(main, sub)| Reply::Version(main, sub)),
        prop::collection::vec(0u8..16, 50)
            .prop_map(|codes| Reply::DraughtsDump(Box::new(codes.try_into().unwrap()))),
        prop::collection::vec(0u8..0x80, 0..=13).prop_map(Reply::HardwareVersion),
        (0u8..=100, any::<bool>(), any::<bool>()).prop_map(|(percent, charging, discharging)| {
            Reply::Battery(Battery {
                percent,
                charging,
                discharging,
            })
        }),
        "[!-~]{10}".prop_map(Reply::LongSerialNumber),
    ]
}

#[test]
fn every_row_of_the_table_has_an_example_that_reads() {
    for row in REPLIES {
        let example = bytes(row.example);
        assert_eq!(example[0], row.id, "{}", row.name);
        assert!(row.length.allows(example.len()), "{}", row.name);
        let items = read(&example);
        if row.length == Length::Streamed {
            assert_eq!(
                items,
                [Item::Log(HEADER), Item::Log(example.len() - HEADER)]
            );
        } else {
            assert!(
                matches!(items[..], [Item::Reply(_)]),
                "{}: {items:?}",
                row.name
            );
        }
    }
}

#[test]
fn the_examples_mean_what_they_should() {
    let meaning = |id| replies(&bytes(table::row(id).unwrap().example)).remove(0);
    assert_eq!(
        meaning(id::FIELD_UPDATE),
        Reply::FieldUpdate {
            square: 0x34,
            piece: 0
        }
    );
    assert_eq!(meaning(id::BUS_ADDRESS), Reply::BusAddress(1025));
    assert_eq!(
        meaning(id::SERIAL_NUMBER),
        Reply::SerialNumber("01025".into())
    );
    assert_eq!(
        meaning(id::TRADEMARK),
        Reply::Trademark("simulated board".into())
    );
    assert_eq!(meaning(id::VERSION), Reply::Version(3, 10));
    assert_eq!(
        meaning(id::HARDWARE_VERSION),
        Reply::HardwareVersion(vec![1, 2])
    );
    assert_eq!(
        meaning(id::BATTERY),
        Reply::Battery(Battery {
            percent: 87,
            charging: false,
            discharging: true
        })
    );
    assert_eq!(
        meaning(id::LONG_SERIAL_NUMBER),
        Reply::LongSerialNumber("3250010001".into())
    );
}

#[test]
fn every_row_refuses_other_lengths() {
    for row in REPLIES.iter().filter(|row| row.length != Length::Streamed) {
        let longer = match row.length {
            Length::Exactly(length) | Length::UpTo(length) => length + 1,
            Length::Streamed => unreachable!(),
        };
        let mut message = vec![
            row.id,
            u8::try_from(longer >> 7).unwrap(),
            u8::try_from(longer & 0x7F).unwrap(),
        ];
        message.resize(longer, 0);
        message.extend(bytes("8e 00 05 24 01"));
        let items = read(&message);
        assert_eq!(
            items,
            [
                Item::Bad {
                    id: row.id,
                    length: longer
                },
                Item::Reply(Reply::FieldUpdate {
                    square: 0x24,
                    piece: 1
                })
            ],
            "{}",
            row.name
        );
    }
}

#[test]
fn a_dump_of_a_large_draughts_board_is_refused() {
    let mut message = vec![id::BOARD_DUMP, 0, 103];
    message.resize(103, 1);
    assert_eq!(
        read(&message),
        [Item::Bad {
            id: id::BOARD_DUMP,
            length: 103
        }]
    );
}

#[test]
fn impossible_contents_are_refused() {
    for hex in [
        "8e 00 05 40 01",
        "a0 00 0c 7f 00 00 00 00 00 00 00 00",
        "91 00 08 00 01 02 03 04",
    ] {
        assert!(matches!(read(&bytes(hex))[..], [Item::Bad { .. }]), "{hex}");
    }
}

#[test]
fn an_unknown_message_is_passed_over() {
    let line = bytes("a3 00 08 01 02 03 04 05 8e 00 05 24 01");
    assert_eq!(
        read(&line),
        [
            Item::Unknown {
                id: 0xA3,
                length: 8
            },
            Item::Reply(Reply::FieldUpdate {
                square: 0x24,
                piece: 1
            })
        ]
    );
}

#[test]
fn a_whole_log_goes_by_without_being_kept() {
    let mut line = vec![id::EEPROM_LOG, 0x3E, 0x03];
    line.resize(0x1F03, 0x40);
    line.extend(bytes("93 00 05 01 08"));
    let items = read_in_chunks(&line, 100);
    let passed: usize = items
        .iter()
        .map(|item| {
            if let Item::Log(count) = item {
                *count
            } else {
                0
            }
        })
        .sum();
    assert_eq!(passed, 0x1F03);
    assert_eq!(items.last(), Some(&Item::Reply(Reply::Version(1, 8))));
}

/// Sessions of three other drivers, recorded against a simulated board. No recording of a real
/// board is known.
#[test]
fn recorded_sessions_read() {
    let session = [
        table::START_DUMP,
        "93 00 05 01 08 91 00 08 30 31 30 32 35 90 00 05 08 01",
        "92 00 12 73 69 6d 75 6c 61 74 65 64 20 62 6f 61 72 64",
        "8d 00 0a 0a 10 09 00 22 00 00",
        "8e 00 05 34 00 8e 00 05 2c 01 8e 00 05 2c 00 8e 00 05 24 01",
        "8e 00 05 06 00 8e 00 05 3e 00 8e 00 05 15 09 8e 00 05 2d 03",
        "86 00 43 08 09 0a 0c 0b 0a 00 08 07 07 07 07 07 07 07 07 00 00 00 00 00 09 00 00 \
         00 00 00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 00 03 00 00 \
         01 01 01 01 00 01 01 01 02 03 04 06 05 04 00 02",
    ];
    let line: Vec<u8> = session.iter().flat_map(|hex| bytes(hex)).collect();
    let items = read(&line);
    assert_eq!(items.len(), 15);
    assert!(items.iter().all(|item| matches!(item, Item::Reply(_))));
    let Some(Item::Reply(Reply::BoardDump(codes))) = items.last() else {
        panic!("the last message is a dump");
    };
    assert_eq!((codes[0x15], codes[0x2D], codes[0x24]), (9, 3, 1));
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(sent in prop::collection::vec(any_reply(), 0..20), chunk in 1usize..80) {
        let line: Vec<u8> = sent.iter().flat_map(encode).collect();
        let expected: Vec<Item> = sent
            .into_iter()
            .map(Item::Reply)
            .collect();
        prop_assert_eq!(read_in_chunks(&line, chunk), expected);
    }

    #[test]
    fn any_bytes_are_read_and_a_message_after_them_is_found(
        soup in prop::collection::vec(any::<u8>(), 0..2000),
        chunk in 1usize..300,
        reply in any_reply(),
    ) {
        let mut line = soup.clone();
        line.extend(encode(&reply));
        let items = read_in_chunks(&line, chunk);
        prop_assert_eq!(items.last(), Some(&Item::Reply(reply)));
    }

    #[test]
    fn a_message_after_low_noise_is_found(
        noise in prop::collection::vec(0u8..0x80, 1..300),
        reply in any_reply(),
    ) {
        let mut line = noise.clone();
        line.extend(encode(&reply));
        prop_assert_eq!(read(&line), vec![Item::Noise(noise.len()), Item::Reply(reply)]);
    }

    #[test]
    fn a_message_after_a_cut_one_is_found(
        first in any_reply(),
        cut in any::<prop::sample::Index>(),
        second in any_reply(),
    ) {
        let whole = encode(&first);
        let kept = 1 + cut.index(whole.len() - 1);
        prop_assume!(kept < whole.len());
        let mut line = whole[..kept].to_vec();
        line.extend(encode(&second));
        prop_assert_eq!(read(&line), vec![Item::Noise(kept), Item::Reply(second)]);
    }
}
