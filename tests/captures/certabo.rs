//! Frames of a Certabo board: 64 tags of five bytes, from a8 to h1, with a line feed after every 64
//! characters. An empty square may show any noise, so only tags seen in the start position count as
//! pieces. The frames carry no times.

use std::collections::BTreeMap;

use remisd_vocabulary::{
    reading::MismatchReason,
    sensor::{Placement, Seen, Sensed},
};
use shakmaty::{Board, Color, Piece, Role, Square};

use super::Reader;

/// The start position, five times.
const ARRAY: [&str; 5] = [
    include_str!("../data/captures/certabo-array-0.txt"),
    include_str!("../data/captures/certabo-array-1.txt"),
    include_str!("../data/captures/certabo-array-2.txt"),
    include_str!("../data/captures/certabo-array-3.txt"),
    include_str!("../data/captures/certabo-array-4.txt"),
];

type Tag = [u8; 5];

/// The tags of a frame, with their squares.
fn tags(frame: &str) -> Vec<(Square, Tag)> {
    let numbers = frame.trim_start_matches(':').replace(['\r', '\n'], "");
    let numbers = numbers
        .split_whitespace()
        .map(|number| number.parse().unwrap());
    let numbers: Vec<u8> = numbers.collect();
    assert_eq!(numbers.len(), 320);
    let tags = numbers.chunks_exact(5).map(|tag| tag.try_into().unwrap());
    // From a8 to h8, then a7: the order of `Square::ALL` flipped vertically.
    let squares = Square::ALL.into_iter().map(Square::flip_vertical);
    squares.zip(tags).collect()
}

/// The piece of each tag, as all frames of the start position agree.
fn calibrated() -> BTreeMap<Tag, Piece> {
    let array = Board::new();
    let pieces = |frame: &str| -> BTreeMap<Tag, Piece> {
        let tags = tags(frame).into_iter();
        tags.filter_map(|(square, tag)| Some((tag, array.piece_at(square)?)))
            .collect()
    };
    let pieces = ARRAY.map(pieces);
    assert!(pieces.iter().all(|other| *other == pieces[0]));
    assert_eq!(pieces[0].len(), 32);
    pieces[0].clone()
}

fn placement(pieces: &BTreeMap<Tag, Piece>, frame: &str) -> Placement {
    let mut placement = Placement::empty();
    for (square, tag) in tags(frame) {
        if let Some(piece) = pieces.get(&tag) {
            placement.set(square, Seen::Piece(*piece));
        }
    }
    placement
}

/// Shows each frame for two seconds.
fn shown(frames: &[&str]) -> Reader {
    let pieces = calibrated();
    let mut reader = Reader::at(shakmaty::Chess::default());
    for frame in frames {
        reader.sense(&Sensed::Placement(placement(&pieces, frame)));
        reader.rest(2_000);
    }
    reader
}

#[test]
fn the_kings_pawn_is_seen_to_go_two_squares_through_all_the_noise() {
    let mut frames = ARRAY.to_vec();
    frames.push(include_str!("../data/captures/certabo-pawn.txt"));
    let reader = shown(&frames);
    assert_eq!(reader.moves, ["e2e4"]);
    assert!(reader.mismatches.is_empty());
}

#[test]
fn an_array_with_a_rook_for_a_pawn_is_named_square_by_square() {
    let mut reader = shown(&[include_str!("../data/captures/certabo-rook.txt")]);
    reader.rest(10_000);
    let rook = Seen::Piece(Role::Rook.of(Color::White));
    let wrong = [(Square::H1, Seen::Empty), (Square::H2, rook)];
    assert_eq!(reader.amiss(), wrong);
    assert_eq!(reader.mismatches[0].reason, MismatchReason::NoLegalMove);
    assert!(reader.moves.is_empty());
    reader.sense(&Sensed::Placement(placement(&calibrated(), ARRAY[0])));
    reader.rest(2_000);
    assert_eq!((reader.amiss(), reader.new_games), (vec![], 0));
}

#[test]
fn knights_that_came_out_beside_a_rook_that_cannot_have_are_no_moves() {
    let mut reader = shown(&[
        ARRAY[0],
        include_str!("../data/captures/certabo-knights.txt"),
    ]);
    reader.rest(60_000);
    assert!(reader.moves.is_empty(), "{:?}", reader.moves);
    let pawn = Seen::Piece(Role::Pawn.of(Color::White));
    assert!(reader.amiss().contains(&(Square::H1, pawn)));
    assert_eq!(reader.mismatches.len(), 1);
}
