//! The verdict after each ply of a complete game.
//!
//! A helpmate from one position of the game is also a helpmate from all earlier ones, with the
//! game's own moves in front. A dead position stays dead. So the last position is examined first:
//! usually one side can still mate there, which decides the whole game.

use std::sync::atomic::AtomicBool;

use shakmaty::{Chess, Move, Position as _};

use super::{Budget, Verdict, Watch, analyse_within};

/// The verdicts for the starting position and after each of `moves`, which must be legal. Each
/// verdict has its own budget. When `stop` becomes true, the remaining positions are left unknown.
#[must_use]
pub fn course(start: &Chess, moves: &[Move], budget: Budget, stop: &AtomicBool) -> Vec<Verdict> {
    let mut positions = vec![start.clone()];
    for m in moves {
        let mut next = positions[positions.len() - 1].clone();
        next.play_unchecked(*m);
        positions.push(next);
    }
    let alive = last_alive(&positions, budget, stop);
    let mut verdicts = vec![Verdict::Alive; alive.map_or(0, |alive| alive + 1)];
    let mut watch = Watch::new();
    for position in &positions[verdicts.len()..] {
        let verdict = match verdicts.last() {
            Some(Verdict::Dead) => Verdict::Dead,
            _ => watch.look(position, false, budget, stop).verdict(),
        };
        verdicts.push(verdict);
    }
    verdicts
}

/// The last position found alive, searching back from the end in steps that double.
fn last_alive(positions: &[Chess], budget: Budget, stop: &AtomicBool) -> Option<usize> {
    let mut at = positions.len().checked_sub(1)?;
    let mut back = 1;
    loop {
        let analysis = analyse_within(&positions[at], false, budget, stop);
        if analysis.verdict() == Verdict::Alive {
            return Some(at);
        }
        at = at.checked_sub(back)?;
        back *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_vocabulary::notation;
    use remisd_vocabulary::notation::parse_position;

    fn verdicts(fen: &str, moves: &str) -> Vec<Verdict> {
        let start = parse_position(fen).unwrap();
        let mut position = start.clone();
        let moves: Vec<Move> = moves
            .split_whitespace()
            .map(|text| {
                let m = notation::parse_move(text, &position).unwrap();
                position.play_unchecked(m);
                m
            })
            .collect();
        course(&start, &moves, Budget::FIRST_LOOK, &AtomicBool::new(false))
    }

    #[test]
    fn a_game_that_goes_on_is_alive_all_along() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        assert_eq!(verdicts(start, "e4 e5 Nf3"), [Verdict::Alive; 4]);
        assert_eq!(verdicts(start, "f3 e5 g4 Qh4"), [Verdict::Alive; 5]);
        assert_eq!(verdicts(start, ""), [Verdict::Alive]);
    }

    #[test]
    fn a_game_is_dead_from_the_ply_on_that_made_it_so() {
        let rook = "8/8/8/3k4/8/6K1/8/7r w - - 0 1";
        for (tail, dead) in [("", 0), (" Kd5", 1), (" Kd5 Kh2 Kd4 Kh3 Kd5 Kh4", 6)] {
            let found = verdicts(rook, &format!("Kg2 Kd6 Kg3 Kd5 Kg2 Kd4 Kxh1{tail}"));
            assert_eq!(found.len(), 8 + dead);
            let first = found.iter().position(|verdict| *verdict == Verdict::Dead);
            assert_eq!(first, Some(7), "{found:?}");
            assert!(found[..7].iter().all(|verdict| *verdict == Verdict::Alive));
            assert!(found[7..].iter().all(|verdict| *verdict == Verdict::Dead));
        }
    }

    #[test]
    fn a_dead_start_is_dead_to_the_end() {
        let kings = "8/8/4k3/8/8/3K4/8/8 w - - 0 1";
        assert_eq!(verdicts(kings, "Ke3 Ke5"), [Verdict::Dead; 3]);
    }

    /// The same verdicts as for each position on its own.
    #[test]
    fn each_verdict_is_that_of_its_position() {
        let wall = "8/8/1k6/p1p1p1p1/P1P1P1P1/7R/1K5r/8 w - - 0 1";
        let moves = "Kc3 Rxh3 Kd2 Rh7 Ke3 Rc7";
        let found = verdicts(wall, moves);
        let mut position = parse_position(wall).unwrap();
        let own = |position: &Chess| super::super::analyse(position, false).verdict();
        assert_eq!(found[0], own(&position));
        for (text, verdict) in moves.split(' ').zip(&found[1..]) {
            let m = notation::parse_move(text, &position).unwrap();
            position.play_unchecked(m);
            assert_eq!(*verdict, own(&position), "{text}");
        }
    }
}
