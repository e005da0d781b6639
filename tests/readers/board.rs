//! Bytes from a board's line.

use std::time::Duration;

use bytes::BytesMut;
use remisd_board::{
    dgt::{
        ClockSide, DgtTiming,
        clock::{ClockMessage, ClockWatch, decode},
        codec::Codec,
        session::DgtSession,
    },
    orientation::{OrientationSetting, OrientationTracker},
};
use remisd_vocabulary::sensor::Orientation;
use tokio_util::codec::Decoder as _;

/// The longest message that a board can declare, in bytes.
const LONGEST: usize = 16_384;

/// The bytes of a line, in chunks and at intervals chosen by the first two bytes.
pub fn dgt_line(data: &[u8]) -> usize {
    let [size, pause, line @ ..] = data else {
        return 0;
    };
    let (size, pause) = (usize::from(*size) + 1, u64::from(*pause) * 4);
    let (mut codec, mut waiting) = (Codec::default(), BytesMut::new());
    let turn = OrientationTracker::new(OrientationSetting::Auto, None);
    let watch = ClockWatch::new(ClockSide::Auto);
    let mut session = DgtSession::new(DgtTiming::default(), "/dev/ttyACM0", turn, watch, 0);
    let (mut now, mut events, mut understood) = (Duration::ZERO, Vec::new(), 0);
    for piece in line.chunks(size) {
        waiting.extend_from_slice(piece);
        while let Some(item) = codec.decode(&mut waiting).expect("memory has no errors") {
            session.receive(item, now, &mut events);
        }
        assert!(waiting.len() <= LONGEST, "{} bytes are held", waiting.len());
        now += Duration::from_millis(pause);
        if session.wake(now, &mut events).is_err() {
            return understood; // it has been silent for too long
        }
        // Commands are spaced: one at a time.
        session.command(now);
        understood += events.len();
        events.clear();
    }
    while codec
        .decode_eof(&mut waiting)
        .expect("memory has no errors")
        .is_some()
    {}
    assert!(waiting.is_empty());
    understood
}

/// Clock messages in sequence.
pub fn clock(data: &[u8]) -> usize {
    let mut understood = 0;
    let mut watch = ClockWatch::new(ClockSide::Auto);
    for raw in data.chunks_exact(7) {
        let raw = raw.try_into().expect("seven bytes");
        if let ClockMessage::Times(times) = decode(raw) {
            let way = if raw[6] & 1 == 0 {
                Orientation::Normal
            } else {
                Orientation::Rotated
            };
            watch.observe(times, way);
            watch.orient(way);
            understood += 1;
        }
    }
    understood
}
