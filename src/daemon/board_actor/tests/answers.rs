//! Commands that answer a move on the board that is not settled yet.

use super::*;

const BY: &str = "\"by\":\"someone\"";
const THREEFOLD: &str = "\"kind\":\"threefold\"";

/// After 1. e4 e5, with 2. Bb5 on the board. It is not settled: the bishop may continue to a6.
async fn bishop_stands() -> (Seat, Board) {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let mut board = Board::new();
    seat.shows(&board).await;
    for (from, to) in [(Square::E2, Square::E4), (Square::E7, Square::E5)] {
        carry(&mut board, from, to);
        seat.shows(&board).await;
    }
    carry(&mut board, Square::F1, Square::B5);
    stands(&mut seat, &board).await;
    assert_eq!(seat.game().ply(), 2);
    (seat, board)
}

/// Shows this on the board without checking whether it is settled.
async fn stands(seat: &mut Seat, board: &Board) {
    seat.senses(Sensed::Placement(Placement::from(board))).await;
    seat.clock.advance(400);
}

fn settled_by(seat: &Seat) -> Vec<String> {
    let played = seat.game().moves().iter();
    let by = played.map(|played| serde_json::to_value(played.by).unwrap());
    by.map(|by| by.as_str().unwrap_or_default().to_owned())
        .collect()
}

#[tokio::test]
async fn the_move_that_was_offered_with_is_in_the_game_that_is_agreed_drawn() {
    let (mut seat, _) = bishop_stands().await;
    assert!(seat.asks(Role::White, "offer", BY).await);
    assert_eq!(seat.game().ply(), 2, "his own move waits");
    assert!(seat.asks(Role::Black, "accept", BY).await);
    assert_eq!(seat.game().result().unwrap().ply, 3);
    assert_eq!(settled_by(&seat)[2], "answered");
}

#[tokio::test]
async fn an_agreement_has_its_last_move_whether_or_not_an_end_is_hidden() {
    for halfmoves in [10, 149] {
        let fen = format!("4k2r/8/8/8/8/3K4/8/7R w - - {halfmoves} 100");
        let (mut seat, mut board) = seat_at(&fen).await;
        carry(&mut board, Square::H1, Square::H2);
        seat.shows(&board).await;
        assert_eq!(seat.game().result().is_some(), halfmoves == 149);
        carry(&mut board, Square::H8, Square::H5);
        stands(&mut seat, &board).await;
        assert!(seat.asks(Role::Black, "offer", BY).await);
        assert_eq!(seat.game().ply(), 1, "his own move waits");
        assert!(seat.asks(Role::White, "accept", BY).await);
        assert_eq!(seat.game().ply(), 2, "{halfmoves} moves");
    }
}

#[tokio::test]
async fn nothing_is_announced_for_an_answer_to_a_missing_offer() {
    let (mut seat, _) = bishop_stands().await;
    assert!(!seat.asks(Role::Black, "accept", BY).await);
    assert_eq!(seat.game().ply(), 2);
}

#[tokio::test]
async fn a_result_that_is_entered_comes_after_the_move_that_stands() {
    let (mut seat, _) = bishop_stands().await;
    let other = "\"score\":\"1-0\",\"game\":77";
    assert!(!seat.asks(Role::Arbiter, "result", other).await);
    assert_eq!(seat.game().ply(), 2, "it is about another game");
    let game = seat.game().number();
    let score = format!("\"score\":\"1-0\",\"game\":{game}");
    assert!(seat.asks(Role::Arbiter, "result", &score).await);
    assert_eq!(seat.game().result().unwrap().ply, 3);
    assert_eq!(settled_by(&seat)[2], "answered");
}

#[tokio::test]
async fn a_king_in_the_centre_may_show_the_result_that_is_entered() {
    let (mut seat, mut board) = seat_at("4k2r/8/8/8/8/3K4/8/7R w - - 0 1").await;
    carry(&mut board, Square::D3, Square::E4);
    stands(&mut seat, &board).await;
    let score = "\"score\":\"1/2-1/2\"";
    assert!(seat.asks(Role::Arbiter, "result", score).await);
    assert_eq!(seat.game().result().unwrap().ply, 0);
}

#[tokio::test]
async fn a_move_that_stands_is_in_the_game_that_a_claim_ends_before_it() {
    let (mut seat, mut board) = bishop_stands().await;
    assert!(seat.asks(Role::Black, "claim", THREEFOLD).await);
    assert_eq!(seat.game().ply(), 3);
    carry(&mut board, Square::B8, Square::C6);
    stands(&mut seat, &board).await;
    let correct = "\"on\":\"claim\",\"correct\":true";
    assert!(seat.asks(Role::Arbiter, "ruling", correct).await);
    assert_eq!(seat.game().ply(), 4);
    assert_eq!(seat.game().result().unwrap().ply, 3, "that of the claim");
}

#[tokio::test]
async fn who_answers_the_move_that_stands_has_the_move() {
    let (mut seat, _) = bishop_stands().await;
    assert!(seat.asks(Role::Black, "claim", THREEFOLD).await);
    let claim = seat.game().open_claim().unwrap();
    assert_eq!((claim.ply, &claim.contested), (3, &None));
    assert_eq!(settled_by(&seat)[2], "answered");

    let (mut seat, _) = bishop_stands().await;
    let player = "\"player\":\"black\"";
    assert!(seat.asks(Role::Clock, "offer", player).await);
    assert_eq!(seat.game().standing_offer().unwrap().ply, 3);

    let (mut seat, _) = bishop_stands().await;
    assert!(seat.asks(Role::White, "claim", THREEFOLD).await);
    assert_eq!(seat.game().ply(), 2, "it is his own move");
    let claim = seat.game().open_claim().unwrap();
    assert!(claim.contested.is_some());
}

#[tokio::test]
async fn of_two_moves_that_stand_a_player_answers_the_one_before_his_own() {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let mut board = Board::new();
    seat.shows(&board).await;
    carry(&mut board, Square::G1, Square::F3);
    carry(&mut board, Square::E7, Square::E6);
    stands(&mut seat, &board).await;
    assert_eq!(seat.game().ply(), 1, "the reply settles White's move");
    assert!(seat.asks(Role::Black, "claim", THREEFOLD).await);
    assert_eq!(seat.game().ply(), 1);
    let claim = seat.game().open_claim().unwrap();
    let made = claim.contested.as_ref().unwrap().made.as_ref().unwrap();
    assert_eq!(made.san, "e6");
}

#[tokio::test]
async fn what_a_command_answers_itself_does_not_make_it_stale() {
    let (mut seat, _) = bishop_stands().await;
    let arbiters = seat.game().seq();
    let seq = seat.game().seq_for(Role::Black);
    let stale = format!("\"if_seq\":{},{THREEFOLD}", seq - 2);
    assert!(!seat.asks(Role::Black, "claim", &stale).await);
    assert_eq!(seat.game().ply(), 2, "what is not obeyed settles nothing");
    let seen = format!("\"if_seq\":{seq},{THREEFOLD}");
    assert!(seat.asks(Role::Black, "claim", &seen).await);
    assert_eq!(seat.game().ply(), 3);

    // For everyone else the game has changed.
    let late = format!("\"if_seq\":{arbiters},\"score\":\"1-0\"");
    assert!(!seat.asks(Role::Arbiter, "result", &late).await);
}

#[tokio::test]
async fn a_resignation_comes_after_the_move_that_it_answers() {
    let (mut seat, _) = bishop_stands().await;
    assert!(seat.asks(Role::Black, "resign", BY).await);
    assert_eq!(seat.game().ply(), 3);
    assert!(!seat.game().is_open_to_players());
    let (mut seat, _) = bishop_stands().await;
    assert!(seat.asks(Role::White, "resign", BY).await);
    assert_eq!(seat.game().ply(), 2, "it is his own move");
}

#[tokio::test]
async fn a_clock_that_is_stopped_over_a_move_stays_stopped_when_the_move_is_settled() {
    for role in [Role::Arbiter, Role::Black] {
        let (mut seat, board) = bishop_stands().await;
        assert!(seat.asks(role, "pause", BY).await);
        seat.shows(&board).await;
        assert_eq!(seat.game().ply(), 3);
        assert!(seat.game().pause_state().is_some(), "{role:?}");
    }
}
