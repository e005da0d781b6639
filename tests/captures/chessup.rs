//! A real game on a `ChessUp` 2. The board itself decides what was moved and reports only that: `A3
//! 35 file rank file rank`, castling as the king's move, `97 04` for the queen chosen for the
//! preceding promotion. The capture lacks the sensor changes, so a simple hand plays each move
//! here: first the captured piece, then the moving piece, castling with the king first.

use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
use shakmaty::{CastlingMode, Chess, File, Move, Position, Rank, Role, Square, uci::UciMove};

use super::Reader;

/// The moves of the game.
fn game() -> Vec<Move> {
    let bytes = |line: &str| -> Vec<u32> {
        let frame = line.split('#').next().unwrap().split_whitespace();
        frame
            .map(|byte| u32::from_str_radix(byte, 16).unwrap())
            .collect()
    };
    let capture = include_str!("../data/captures/chessup-game.hex");
    let frames: Vec<Vec<u32>> = capture.lines().map(bytes).collect();
    let frames: Vec<Vec<u32>> = frames
        .into_iter()
        .filter(|frame| !frame.is_empty())
        .collect();
    let mut position = Chess::default();
    let mut moves = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        let [0xA3, 0x35, from_file, from_rank, to_file, to_rank] = frame[..] else {
            assert_eq!(frame[..], [0x97, 0x04]);
            continue;
        };
        let square = |file, rank| Square::from_coords(File::new(file), Rank::new(rank));
        let chosen = frames.get(at + 1).is_some_and(|next| next[0] == 0x97);
        let uci = UciMove::Normal {
            from: square(from_file, from_rank),
            to: square(to_file, to_rank),
            promotion: chosen.then_some(Role::Queen),
        };
        let m = uci.to_move(&position).unwrap();
        position.play_unchecked(m);
        moves.push(m);
    }
    moves
}

/// The changes on the board when a simple hand makes a move.
fn changes(m: Move, position: &Chess) -> Vec<(Square, Option<shakmaty::Piece>)> {
    let mut after = position.clone();
    after.play_unchecked(m);
    let placed = |square: Square| (square, after.board().piece_at(square));
    if let Move::Castle { king, rook } = m {
        let (king_to, rook_to) = if king < rook {
            (File::G, File::F)
        } else {
            (File::C, File::D)
        };
        let to = |file| Square::from_coords(file, king.rank());
        return vec![
            (king, None),
            placed(to(king_to)),
            (rook, None),
            placed(to(rook_to)),
        ];
    }
    let from = m.from().unwrap();
    let taken = if m.is_en_passant() {
        Square::from_coords(m.to().file(), from.rank())
    } else {
        m.to()
    };
    let taken = m.is_capture().then_some((taken, None));
    let moved = [(from, None), placed(m.to())];
    taken.into_iter().chain(moved).collect()
}

fn replayed(seen: impl Fn(shakmaty::Piece) -> Seen) -> Reader {
    let mut array = Placement::empty();
    for (square, piece) in Chess::default().board().clone() {
        array.set(square, seen(piece));
    }
    let mut reader = Reader::at(Chess::default());
    reader.sense(&Sensed::Placement(array));
    let mut position = Chess::default();
    for m in game() {
        for (square, piece) in changes(m, &position) {
            reader.rest(400);
            reader.see(square, piece.map_or(Seen::Empty, &seen));
        }
        reader.rest(2_000);
        position.play_unchecked(m);
    }
    reader.rest(5_000);
    reader
}

fn is_the_game(reader: &Reader) {
    let played: Vec<String> = (game().into_iter())
        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
        .collect();
    assert_eq!(played.len(), 90);
    assert!(played.contains(&"g2g1q".to_owned()));
    assert_eq!(reader.moves, played);
    assert!(reader.mismatches.is_empty(), "{:?}", reader.mismatches);
    assert_eq!((reader.corrections, reader.new_games), (0, 0));
}

#[test]
fn a_whole_game_is_read_where_pieces_are_known() {
    is_the_game(&replayed(Seen::Piece));
}

#[test]
fn a_whole_game_is_read_where_only_squares_are_known_to_be_occupied() {
    is_the_game(&replayed(|_| Seen::Occupied));
}
