use shakmaty::{CastlingMode, Chess, Color, Move, Position, Square, fen::Fen, uci::UciMove};

use super::{NEVER_LEFT, PLAYED_BETWEEN, Seen, Story, wrong_order};
use crate::changes::Changes;

/// What the order costs in which these squares showed something or nothing, told by these moves.
fn cost(fen: &str, moves: &str, seen: &[(u64, Square, Seen)]) -> u32 {
    let fen: Fen = fen.parse().unwrap();
    let mut after: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut line: Vec<Move> = Vec::new();
    for uci in moves.split(' ') {
        let m = uci.parse::<UciMove>().unwrap().to_move(&after).unwrap();
        after.play_unchecked(m);
        line.push(m);
    }
    let mut changes = Changes::none();
    let told = changes.count();
    for (at, square, seen) in seen {
        changes.note(*square, *seen, false, *at);
    }
    wrong_order(Story {
        changes: &changes,
        told,
        line: &line,
        after: &after,
        now: shakmaty::Bitboard::EMPTY,
        scan_ms: 250,
    })
}

#[test]
fn a_piece_that_comes_back_was_seen_to_leave_each_time_that_it_did() {
    // Both kings and both rooks go out and back, and the kings alone are seen to.
    let fen = "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1";
    let (white, black) = (Color::White.king(), Color::Black.king());
    let kings = [
        (10_000, Square::E1, Seen::Empty),
        (10_400, Square::E2, Seen::Piece(white)),
        (12_000, Square::E8, Seen::Empty),
        (12_400, Square::E7, Seen::Piece(black)),
        (14_000, Square::E2, Seen::Empty),
        (14_400, Square::E1, Seen::Piece(white)),
        (16_000, Square::E7, Seen::Empty),
        (16_400, Square::E8, Seen::Piece(black)),
    ];
    assert_eq!(cost(fen, "e1e2 e8e7 e2e1 e7e8", &kings), 0);
    let twice = "e1e2 e8e7 e2e1 e7e8 e1e2 e8e7 e2e1 e7e8";
    assert!(cost(fen, twice, &kings) >= 2 * NEVER_LEFT);
    assert!(cost(fen, "a1a2 a8a7 a2a1 a7a8", &[]) >= 2 * NEVER_LEFT);
}

#[test]
fn a_landing_before_the_captor_was_taken_up_is_that_of_the_piece_that_it_takes() {
    // h5 takes on g4, where a piece is seen to leave and to come, and f3 pushes it off a second later.
    let told = |seen: fn(shakmaty::Piece) -> Seen| {
        cost(
            "6k1/8/8/7p/6N1/5P2/8/6K1 b - - 0 1",
            "h5g4 f3g4",
            &[
                (10_000, Square::H5, Seen::Empty),
                (10_230, Square::G4, Seen::Empty),
                (10_450, Square::G4, seen(Color::Black.pawn())),
                (11_300, Square::F3, Seen::Empty),
            ],
        )
    };
    assert_eq!(told(|_| Seen::Occupied), 0);
    assert_eq!(told(Seen::Piece), 0);
}

#[test]
fn a_piece_that_was_off_while_others_were_played_was_not_taken_off_to_be_captured() {
    // d7 is left, White's pawn moves, and only then is the piece taken up that comes there.
    let told = |plies: &str, between: &[(u64, Square, Seen)]| {
        let mut seen = vec![(10_000, Square::D7, Seen::Empty)];
        seen.extend_from_slice(between);
        seen.push((12_400, Square::E8, Seen::Empty));
        seen.push((12_700, Square::D7, Seen::Occupied));
        let fen = "4b1k1/3Q4/8/8/8/8/P5PP/6K1";
        let (rest, moves) = plies.split_once('|').unwrap();
        cost(&format!("{fen} {rest}"), moves, &seen)
    };
    let [left, came] = [Seen::Empty, Seen::Occupied];
    let alone = told("b - - 0 1|e8d7", &[]);
    let one = [(11_000, Square::A2, left), (11_300, Square::A3, came)];
    let after_one = told("w - - 0 1|a2a3 e8d7", &one);
    assert_eq!(after_one, alone + PLAYED_BETWEEN);
}
