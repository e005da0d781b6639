//! An honest estimate of what any reader could know.
//!
//! A ply is unknowable where the reports fit another legal line just as well:
//!
//! * it was played out of sight, and several lines of as many plies lead to what was found, or more
//!   than three plies were played;
//! * kinds are hidden, and several moves of the same piece leave the same squares occupied, while
//!   the captured square was never seen empty;
//! * kinds are hidden, and a pawn became something else than a queen;
//! * a rook upside down is played as a queen (set where the hand does it);
//! * the piece is felt on a neighbouring square only, where it could have gone (set there too);
//! * its target square was dead, and its piece could have gone to nowhere else that was seen.
//!
//! Later moves may decide between the lines; this estimate does not look ahead, and so calls some
//! plies unknowable that a patient reader can find out.

use crate::Millis;
use remisd_vocabulary::sensor::{Seen, Sensed};
use shakmaty::{Bitboard, Board, Chess, Move, Position, Role, Square};

use crate::{
    board::Trouble,
    plan::Fault,
    stream::Sensing,
    truth::{Truth, What},
};

/// More plies than this out of sight are not searched.
const DEEPEST: usize = 3;

/// Marks the plies that no reader could know.
pub fn estimate(
    truth: &mut Truth,
    events: &[(Millis, Sensed)],
    troubles: &[Trouble],
    sensing: Sensing,
) {
    let mut line = vec![Chess::default()];
    let mut last = 0;
    let plies: Vec<(usize, Millis, Move, Chess)> = {
        let mut plies = Vec::new();
        for (index, happened) in truth.happened.iter().enumerate() {
            match happened.what {
                What::Played { m, .. } => {
                    let before = line.last().cloned().unwrap_or_default();
                    plies.push((index, happened.at, m, before.clone()));
                    let mut after = before;
                    after.play_unchecked(m);
                    line.push(after);
                }
                What::TakenBack => {
                    line.pop();
                }
                What::NewGame => line = vec![Chess::default()],
                What::Over { .. } => {}
            }
        }
        plies
    };
    for (index, at, m, before) in &plies {
        let hidden = sensing == Sensing::Occupancy
            && (is_hidden_capture(before, *m, last, *at, events)
                || m.promotion().is_some_and(|role| role != Role::Queen));
        let from = m.from().unwrap_or_else(|| m.to());
        let dead = troubles.iter().any(|trouble| {
            trouble.fault == Fault::Dead
                && (trouble.square == m.to() || trouble.square == from)
                && trouble.from <= *at
                && *at + 1_500 < trouble.until
                && trouble.until - trouble.from > 20_000
        });
        // What is found when the square works again says it, unless much was played in between.
        if hidden || dead {
            unknown(truth, *index);
        }
        last = *at;
    }
    for trouble in troubles.iter().filter(|t| t.fault == Fault::Outage) {
        let out: Vec<_> = plies
            .iter()
            .filter(|(_, at, _, _)| trouble.from.saturating_sub(700) <= *at && *at <= trouble.until)
            .collect();
        let Some((_, _, _, before)) = out.first() else {
            continue;
        };
        let mut after = before.clone();
        for (_, _, m, _) in &out {
            if !after.is_legal(*m) {
                break; // a ply has been taken back since
            }
            after.play_unchecked(*m);
        }
        let many =
            out.len() > DEEPEST || lines_between(before, after.board(), out.len(), sensing, 2) > 1;
        if many {
            for (index, ..) in out {
                unknown(truth, *index);
            }
        }
    }
}

fn unknown(truth: &mut Truth, index: usize) {
    if let What::Played { knowable, .. } = &mut truth.happened[index].what {
        *knowable = false;
    }
}

/// How many lines of `plies` legal moves lead to a board that shows the same; counts to `most`.
#[must_use]
pub fn lines_between(
    from: &Chess,
    to: &Board,
    plies: usize,
    sensing: Sensing,
    most: usize,
) -> usize {
    let apart = apart(from.board(), to, sensing);
    if plies == 0 {
        return usize::from(apart == 0);
    }
    // Castling changes four squares, every other move three at most.
    if apart > 4 * plies {
        return 0;
    }
    let mut found = 0;
    for m in from.legal_moves() {
        let mut next = from.clone();
        next.play_unchecked(m);
        found += lines_between(&next, to, plies - 1, sensing, most - found);
        if found >= most {
            break;
        }
    }
    found
}

fn apart(a: &Board, b: &Board, sensing: Sensing) -> usize {
    let occupied = a.occupied() ^ b.occupied();
    if sensing == Sensing::Occupancy {
        return occupied.count();
    }
    let other: Bitboard = Square::ALL
        .into_iter()
        .filter(|&square| a.piece_at(square) != b.piece_at(square))
        .collect();
    other.count()
}

/// Whether a capture leaves the same squares occupied as another move of the same piece, and its
/// target square was not seen empty.
fn is_hidden_capture(
    before: &Chess,
    m: Move,
    last: Millis,
    at: Millis,
    events: &[(Millis, Sensed)],
) -> bool {
    if !m.is_capture() || m.is_en_passant() {
        return false;
    }
    let others = before
        .legal_moves()
        .into_iter()
        .filter(|other| other.from() == m.from() && other.is_capture() && other.to() != m.to())
        .count();
    if others == 0 {
        return false;
    }
    let begin = events.partition_point(|(reported, _)| *reported < last);
    !events[begin..]
        .iter()
        .take_while(|(reported, _)| *reported < at + 600)
        .any(|(_, sensed)| matches!(sensed, Sensed::Square(square, Seen::Empty) if *square == m.to()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(moves: &[&str]) -> Chess {
        let mut position = Chess::default();
        for text in moves {
            let san: shakmaty::san::San = text.parse().unwrap();
            let m = san.to_move(&position).unwrap();
            position.play_unchecked(m);
        }
        position
    }

    #[test]
    fn lines_that_lead_to_the_same_board_are_counted() {
        let start = Chess::default();
        let lines = |moves: &[&str], sensing| {
            lines_between(&start, after(moves).board(), moves.len(), sensing, 9)
        };
        assert_eq!(lines(&["e4", "e5"], Sensing::Identity), 1);
        // 1.e4 e5 2.Nf3 and 1.Nf3 e5 2.e4.
        assert_eq!(lines(&["e4", "e5", "Nf3"], Sensing::Identity), 2);
        assert_eq!(lines(&["Nf3", "Nf6"], Sensing::Occupancy), 1);
    }
}
