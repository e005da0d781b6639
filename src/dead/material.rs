//! Material that is insufficient for any mating position.
//!
//! These are Lemmas 5 and 6 of the paper; `protocol/dead.md` proves them. They cover all positions
//! with such material or less. Only promotion can add to the material, and it needs a pawn, so a
//! lemma that holds once holds for the rest of the game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Role};

use super::state::State;

/// Why a side's material is insufficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// The side has only its king.
    BareKing,
    /// The side has king and one knight, and the opponent has only king and queens.
    Knight,
    /// The side has king and bishops of one square colour, and neither side has a pawn, a knight or
    /// a bishop of the other colour.
    Bishops,
}

/// The lemma by which `winner` can never mate, if one applies.
pub(super) fn lack(state: &State, winner: Color) -> Option<Lack> {
    let own = state.of(winner);
    let strong = state.all(Role::Pawn) | state.all(Role::Rook) | state.all(Role::Queen);
    if (own & strong).any() {
        return None;
    }
    let knights = state.all(Role::Knight);
    let bishops = state.all(Role::Bishop);
    if (own & (knights | bishops)).is_empty() {
        return Some(Lack::BareKing);
    }
    if (own & knights).any() {
        let others = state.of(winner.other());
        let blockers = others & !state.all(Role::King) & !state.all(Role::Queen);
        let alone = own.count() == 2 && blockers.is_empty();
        return alone.then_some(Lack::Knight);
    }
    let one_colour = (bishops & Bitboard::DARK_SQUARES).is_empty()
        || (bishops & Bitboard::LIGHT_SQUARES).is_empty();
    let nobody_else = knights.is_empty() && state.all(Role::Pawn).is_empty();
    (one_colour && nobody_else).then_some(Lack::Bishops)
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Position as _, Square, attacks, fen::Fen};

    use super::*;

    #[test]
    fn the_lemmas_are_those_of_shakmaty() {
        let pieces = [
            "", "N", "B", "n", "b", "q", "r", "P", "p", "R", "Q", "NN", "nb",
        ];
        for first in pieces {
            for second in pieces {
                for third in ["", "B1", "1B", "b1", "1b"] {
                    let men = format!("{first}{second}");
                    let rest = 8 - men.len();
                    let middle = if rest == 0 {
                        men
                    } else {
                        format!("{men}{rest}")
                    };
                    let third = if third.is_empty() {
                        "8".to_owned()
                    } else {
                        format!("{third}6")
                    };
                    let fen = format!("k7/8/8/{middle}/8/{third}/8/6K1 w - - 0 1");
                    let Ok(position) = fen
                        .parse::<Fen>()
                        .unwrap()
                        .into_position::<Chess>(CastlingMode::Standard)
                    else {
                        continue;
                    };
                    let state = State::from(&position);
                    for side in Color::ALL {
                        assert_eq!(
                            lack(&state, side).is_some(),
                            position.has_insufficient_material(side),
                            "{fen} {side}"
                        );
                    }
                }
            }
        }
    }

    /// The finite part of the knight lemma. In every placement of king and knight against a king in
    /// check, one flight square can only be blocked by a queen that captures the knight.
    #[test]
    fn a_queen_that_stands_in_the_way_of_a_mated_king_captures_the_knight() {
        for king in Square::ALL {
            for knight in attacks::knight_attacks(king) {
                for other in Square::ALL {
                    let near = attacks::king_attacks(king);
                    if other == king || other == knight || near.contains(other) {
                        continue;
                    }
                    let covered = attacks::knight_attacks(knight) | attacks::king_attacks(other);
                    // The knight itself need not be excluded: it is a knight's move away from the
                    // king.
                    let queens = near & !covered;
                    let kings = Bitboard::from(king).with(other);
                    let captures = queens
                        .into_iter()
                        .any(|queen| attacks::queen_attacks(queen, kings).contains(knight));
                    assert!(captures, "k{king} N{knight} K{other}");
                }
            }
        }
    }
}
