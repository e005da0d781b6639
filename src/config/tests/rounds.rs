//! Rounds of Lichess broadcasts that boards follow.

use super::*;

/// Boards of this many rounds on Lichess, two of each.
fn rounds(count: u32) -> String {
    let board = |number: u32| {
        let round = number / 2;
        format!(
            "[[board]]\nid = \"b{number}\"\nkind = \"pgn\"\n\
             source = \"https://lichess.org/broadcast/open/round-1/Round{round:03}\"\n"
        )
    };
    (0..2 * count).map(board).collect()
}

#[test]
fn more_rounds_than_lichess_allows_for_an_ip_address_are_refused() {
    assert_eq!(read_with(&rounds(8), &[]).unwrap().config.boards.len(), 16);
    let refused = shown(&rounds(9), &[]);
    assert!(
        refused.contains("board.16.source: Lichess allows 8 rounds at a time"),
        "{refused}"
    );
    assert_eq!(refused.matches("Lichess allows").count(), 1, "{refused}");
    // Other servers say so themselves, if they have such a limit.
    let elsewhere = |at: u32| {
        let path = "api/stream/broadcast/round";
        format!(
            "[[board]]\nid = \"x{at}\"\nkind = \"pgn\"\n\
             source = \"https://chess.example/{path}/Round{at:03}.pgn\"\n"
        )
    };
    let many: String = (0..20).map(elsewhere).collect();
    read_with(&(rounds(8) + &many), &[]).unwrap();
}
