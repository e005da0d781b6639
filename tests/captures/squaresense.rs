//! A constructed log of an analogue board: one value per square from a1 to h8. The value falls
//! while the pawn leaves e2 and rises while it arrives on e4. Then all squares except a1 read as
//! empty. The log has no times.

use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
use shakmaty::{Chess, Square};

use super::Reader;

/// Values above this count as a piece.
const THRESHOLD: u8 = 0x80;

#[test]
fn a_pawn_in_analogue_values_moves_once_and_a_board_gone_dark_moves_nothing() {
    let log = include_str!("../data/captures/squaresense.log");
    let mut reader = Reader::at(Chess::default());
    let mut lines = 0;
    for line in log.lines().filter_map(|line| line.strip_prefix("> ")) {
        let values = line
            .split(' ')
            .map(|value| u8::from_str_radix(value, 16).unwrap());
        let mut placement = Placement::empty();
        for (square, value) in Square::ALL.into_iter().zip(values) {
            if value > THRESHOLD {
                placement.set(square, Seen::Occupied);
            }
        }
        reader.sense(&Sensed::Placement(placement));
        reader.rest(500);
        lines += 1;
    }
    assert_eq!(lines, 128);
    assert_eq!(reader.moves, ["e2e4"]);
    assert_eq!((reader.corrections, reader.new_games), (0, 0));
    assert!(reader.amiss().contains(&(Square::E1, Seen::Empty)));
}
