use shakmaty::{Board, Piece};

use super::*;
use crate::simulate::{hand::Profile, score};

const GAMES: &str = include_str!("../../../tests/data/games/otb-2025.pgn");

fn games() -> Vec<Score> {
    let games = score::read(GAMES).unwrap();
    games.into_iter().take(30).map(Result::unwrap).collect()
}

fn plan(profile: Profile, seed: u64, score: &Score) -> Vec<(u64, Act)> {
    let mut hand = Hand::new(profile, seed);
    Course::new(&mut hand, 0, score, 1_000_000, 10_000_000)
        .plan()
        .0
}

fn put(board: &mut Board, square: Square, piece: Option<Piece>) {
    match piece {
        Some(piece) => board.set_piece_at(square, piece),
        None => board.discard_piece_at(square),
    }
}

#[test]
fn every_profile_plays_the_game_to_its_last_position() {
    for profile in Profile::ALL {
        for (seed, score) in (1..).zip(&games()) {
            let mut board = score.start.board().clone();
            let mut made = 0;
            let mut after = false;
            for (_, act) in plan(profile, seed, score) {
                match act {
                    Act::Put(square, piece) if !after => put(&mut board, square, piece),
                    Act::Mark(Mark::Made { ply }) => {
                        assert_eq!(ply, made, "{profile}, seed {seed}");
                        made += 1;
                    }
                    Act::Mark(Mark::After) => after = true,
                    _ => {}
                }
            }
            let mut end = score.start.clone();
            for ply in &score.plies {
                end.play_unchecked(ply.played);
            }
            assert_eq!(made, score.plies.len());
            assert_eq!(board, *end.board(), "{profile}, seed {seed}");
        }
    }
}

#[test]
fn pieces_are_neither_doubled_nor_lost() {
    for profile in Profile::ALL {
        for (seed, score) in (1..).zip(&games()) {
            let mut board = score.start.board().clone();
            for (_, act) in plan(profile, seed, score) {
                if let Act::Put(square, piece) = act {
                    let same = board.piece_at(square) == piece;
                    assert!(!same, "{profile}, seed {seed}: {square} twice {piece:?}");
                    put(&mut board, square, piece);
                    assert!(board.occupied().count() <= 33);
                }
            }
        }
    }
}

#[test]
fn a_piece_rests_for_a_scan_before_its_player_lifts_it_again() {
    let (mut seen, mut soon) = (0, 0);
    for (seed, score) in (1..).zip(&games()) {
        let acts = plan(Profile::Scramble, seed, score);
        for (ply, again) in score.plies.iter().enumerate().skip(2) {
            let there = score.plies[ply - 2].played;
            if there.is_castle() || again.played.from() != Some(there.to()) {
                continue;
            }
            let made =
                |act: &Act| matches!(act, Act::Mark(Mark::Made { ply: made }) if *made == ply - 2);
            let (put_at, _) = acts.iter().find(|(_, act)| made(act)).unwrap();
            let lifts = |at: &u64, act: &Act| {
                at > put_at && matches!(act, Act::Put(square, None) if *square == there.to())
            };
            let (lifted_at, _) = acts.iter().find(|(at, act)| lifts(at, act)).unwrap();
            assert!(lifted_at - put_at >= LET_GO_US, "seed {seed}, ply {ply}");
            seen += 1;
            soon += usize::from(lifted_at - put_at < 600 * MS);
        }
    }
    assert!(seen > 100 && soon > 0, "{soon} of {seen} immediately");
}

#[test]
fn the_clock_is_pressed_in_turn_or_left_alone_three_times() {
    for profile in Profile::ALL {
        let score = &games()[0];
        let presses: Vec<Color> = plan(profile, 5, score)
            .into_iter()
            .filter_map(|(_, act)| match act {
                Act::Press { by, .. } => Some(by),
                _ => None,
            })
            .collect();
        assert!(presses.windows(2).all(|two| two[0] != two[1]), "{profile}");
    }
}

#[test]
fn the_table_of_chances_is_about_what_happens() {
    let count = |profile: Profile, wanted: fn(&Act) -> bool| {
        let acts = (1..)
            .zip(games())
            .flat_map(|(seed, score)| plan(profile, seed, &score));
        acts.filter(|(_, act)| wanted(act)).count()
    };
    let dead = |act: &Act| matches!(act, Act::Deaden(..));
    let unplugged = |act: &Act| matches!(act, Act::Unplug);
    let shown = |act: &Act| matches!(act, Act::Mark(Mark::Shown(_)));
    assert_eq!(count(Profile::Tournament, dead), 0);
    // One in three games of 80 plies; these are 30 games of 93.
    assert!((4..=22).contains(&count(Profile::Faulty, dead)));
    assert!((4..=22).contains(&count(Profile::Faulty, unplugged)));
    assert!((12..=27).contains(&count(Profile::Endings, shown)));
}
