//! The board's side of three sessions of an emulated DGT board, with the original times. The
//! drivers' side is not replayed: nothing answers them here.

use bytes::BytesMut;
use remisd_board::dgt::{
    codec::{Codec, Item, Reply},
    table,
};
use remisd_vocabulary::{
    reading::MismatchReason,
    sensor::{Placement, Seen, Sensed},
};
use shakmaty::{Color, Role, Square};
use tokio_util::codec::Decoder;

use super::Reader;

/// The time of each message from the board, in milliseconds, with its bytes.
fn spoken(session: &str) -> Vec<(u64, Vec<u8>)> {
    let lines = session.lines().filter_map(|line| {
        let (seconds, bytes) = line.split_once(" board> ")?;
        let (seconds, thousandths) = seconds.trim().split_once('.')?;
        let at = seconds.parse::<u64>().unwrap() * 1_000 + thousandths.parse::<u64>().unwrap();
        let bytes = bytes.split(' ');
        let bytes = bytes.map(|byte| u8::from_str_radix(byte, 16).unwrap());
        Some((at, bytes.collect()))
    });
    lines.collect()
}

fn replayed(session: &str) -> Reader {
    let mut reader = Reader::at(shakmaty::Chess::default());
    let mut codec = Codec::default();
    let mut line = BytesMut::new();
    for (at, bytes) in spoken(session) {
        reader.until(at);
        line.extend_from_slice(&bytes);
        while let Some(item) = codec.decode(&mut line).unwrap() {
            match item {
                Item::Reply(Reply::BoardDump(dump)) => {
                    let mut placement = Placement::empty();
                    for (index, code) in (0..).zip(*dump) {
                        let square = table::square(index).unwrap();
                        placement.set(square, table::seen(code).unwrap());
                    }
                    reader.sense(&Sensed::Placement(placement));
                }
                Item::Reply(Reply::FieldUpdate { square, piece }) => {
                    let square = table::square(square).unwrap();
                    reader.see(square, table::seen(piece).unwrap());
                }
                Item::Reply(_) => {}
                other => panic!("{other:?}"),
            }
        }
        assert!(line.is_empty(), "each line of the capture is whole");
    }
    reader
}

/// Both sessions end with a queen reported on d2 while queen and pawn are at home.
#[test]
fn a_reply_placed_before_it_was_lifted_is_a_move_and_a_ghost_is_none() {
    for session in [
        include_str!("../data/captures/dgt-asyncdgt.txt"),
        include_str!("../data/captures/dgt-dgtnix.txt"),
    ] {
        let mut reader = replayed(session);
        assert_eq!(reader.moves, ["e2e4", "e7e5"]);
        reader.rest(60_000);
        assert_eq!(reader.moves, ["e2e4", "e7e5"]);
        let mismatch = reader.mismatches.last().unwrap();
        assert_eq!(mismatch.reason, MismatchReason::NoLegalMove);
        let queen = Seen::Piece(Role::Queen.of(Color::White));
        assert_eq!(reader.amiss(), [(Square::D2, queen)]);
        // The ghost disappears.
        reader.see(Square::D2, Seen::Piece(Role::Pawn.of(Color::White)));
        reader.rest(5_000);
        assert_eq!(reader.moves, ["e2e4", "e7e5"]);
        assert_eq!(reader.tracker.mismatch(), None);
    }
}

#[test]
fn a_slide_and_two_knights_in_the_air_together_are_three_moves() {
    let reader = replayed(include_str!("../data/captures/dgt-picochess.txt"));
    assert_eq!(reader.moves, ["e2e4", "g8f6", "g1f3"]);
    assert!(reader.mismatches.is_empty());
    assert_eq!((reader.corrections, reader.new_games), (0, 0));
}
