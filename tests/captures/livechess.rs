//! A real DGT board through `LiveChess`: complete placements about once a second, at their original
//! times. The player put Black's pawn on e5 before White's was on e4.

use remisd_vocabulary::sensor::{Placement, Sensed};
use serde_json::Value;
use shakmaty::{Board, Chess};

use super::Reader;

#[test]
fn the_opening_recorded_by_livechess_is_read_as_it_was_played() {
    let feed = include_str!("../data/captures/livechess-feed.jsonl");
    let mut reader = Reader::at(Chess::default());
    let mut begun = None;
    for line in feed.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        let at = message["time"].as_u64().unwrap();
        let begun = *begun.get_or_insert(at);
        reader.until(at - begun);
        assert_eq!(message["param"]["flipped"], false);
        let board: Board = message["param"]["board"].as_str().unwrap().parse().unwrap();
        reader.sense(&Sensed::Placement(Placement::from(&board)));
    }
    // At the end Black holds the queen's knight: White's move is made.
    reader.rest(1_000);
    assert_eq!(reader.moves, ["e2e4", "e7e5", "g1f3"]);
    assert_eq!((reader.corrections, reader.new_games), (0, 0));
    assert_eq!(reader.tracker.mismatch(), None);
}
