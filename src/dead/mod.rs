//! Can either side still mate?
//!
//! A position is *dead* when neither player can checkmate by any series of legal
//! moves, the players helping each other (5.2.2); flag fall and resignation ask
//! the same of one side (6.9, 5.1.2). [`winnability`] answers for one side,
//! [`analyse`] for the position.
//!
//! What an answer rests on:
//!
//! * `winnable`: a helpmate, replayed here move by move to a checkmate. Sound.
//! * `unwinnable` by material: too little is left on the board for any mating
//!   position. Sound.
//! * `unwinnable` by search: the solver `chasolver` says so. It is very good and
//!   known to be wrong in a few constructed blockades; such a verdict is therefore
//!   a proposal to the arbiter wherever the configuration asks for confirmation.
//! * `unknown`: nothing of the above. It never ends a game.
//!
//! A call may take up to about a second: keep it off the path of moves.

mod chasolver;

use shakmaty::{Chess, Color, Move, Position};

/// Whether one side can still mate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Winnability {
    /// It can: here is how, from the position to checkmate.
    Winnable {
        /// Legal moves of both sides; empty when the mate is on the board.
        helpmate: Vec<Move>,
    },
    /// It cannot, whatever both sides play.
    Unwinnable(Proof),
    /// Not decided.
    Unknown,
}

/// What an `unwinnable` rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The game is over on the board: the other side is mated, or it is stalemate.
    GameOver,
    /// No mating position exists with the material that is left.
    Material,
    /// The solver found that no helpmate exists.
    Solver,
}

impl Proof {
    /// The word for it in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GameOver => "game_over",
            Self::Material => "material",
            Self::Solver => "chasolver-3.0",
        }
    }
}

/// The two sides' chances together.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// At least one side can mate.
    Alive,
    /// Neither side can mate: the game is drawn.
    Dead,
    /// Not decided; the game goes on.
    Unknown,
}

/// An answer for both sides; a side is `None` when it was not asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Whether White can mate.
    pub white: Option<Winnability>,
    /// Whether Black can mate.
    pub black: Option<Winnability>,
}

impl Analysis {
    /// Dead when both sides cannot mate, alive when one can.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let sides = [&self.white, &self.black];
        if sides
            .iter()
            .any(|side| matches!(side, Some(Winnability::Winnable { .. })))
        {
            Verdict::Alive
        } else if sides
            .iter()
            .all(|side| matches!(side, Some(Winnability::Unwinnable(_))))
        {
            Verdict::Dead
        } else {
            Verdict::Unknown
        }
    }
}

/// Asks for White, then for Black unless White can mate and `both` is false.
#[must_use]
pub fn analyse(position: &Chess, both: bool) -> Analysis {
    let white = winnability(position, Color::White);
    let enough = !both && matches!(white, Winnability::Winnable { .. });
    let black = (!enough).then(|| winnability(position, Color::Black));
    Analysis {
        white: Some(white),
        black,
    }
}

/// Whether `winner` can mate by any series of legal moves of both sides.
#[must_use]
pub fn winnability(position: &Chess, winner: Color) -> Winnability {
    if position.legal_moves().is_empty() {
        return if position.is_check() && position.turn() != winner {
            Winnability::Winnable {
                helpmate: Vec::new(),
            }
        } else {
            Winnability::Unwinnable(Proof::GameOver)
        };
    }
    if position.has_insufficient_material(winner) {
        return Winnability::Unwinnable(Proof::Material);
    }
    chasolver::winnability(position, winner)
}

/// Whether `moves` are legal one after the other and the last one mates the
/// opponent of `winner`.
fn is_helpmate(position: &Chess, winner: Color, moves: &[Move]) -> bool {
    let mut after = position.clone();
    for &m in moves {
        if !after.is_legal(m) {
            return false;
        }
        after.play_unchecked(m);
    }
    after.is_checkmate() && after.turn() == winner.other()
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen};

    use super::*;

    fn position(fen: &str) -> Chess {
        fen.parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap()
    }

    #[test]
    fn bare_kings_are_dead_by_material() {
        let analysis = analyse(&position("8/8/4k3/8/8/3K4/8/8 w - - 0 1"), true);
        assert_eq!(analysis.verdict(), Verdict::Dead);
        assert_eq!(
            analysis.white,
            Some(Winnability::Unwinnable(Proof::Material))
        );
    }

    #[test]
    fn a_locked_pawn_wall_is_dead_although_there_is_material() {
        let fen = "8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1";
        assert_eq!(analyse(&position(fen), true).verdict(), Verdict::Dead);
    }

    #[test]
    fn the_mated_side_has_lost_and_the_other_has_won() {
        let mate = position("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3");
        assert_eq!(
            winnability(&mate, Color::Black),
            Winnability::Winnable { helpmate: vec![] }
        );
        assert_eq!(
            winnability(&mate, Color::White),
            Winnability::Unwinnable(Proof::GameOver)
        );
    }

    #[test]
    fn stalemate_is_dead() {
        let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(analyse(&stalemate, true).verdict(), Verdict::Dead);
    }

    #[test]
    fn a_line_that_does_not_end_in_mate_is_no_helpmate() {
        let start = Chess::default();
        let e4 = start.legal_moves()[0];
        assert!(!is_helpmate(&start, Color::White, &[e4]));
        assert!(!is_helpmate(&start, Color::White, &[e4, e4]));
    }

    #[test]
    fn castling_rights_that_the_solver_cannot_hold_leave_unwinnable_undecided() {
        // Chess960 with the king on b1: whatever the solver says without the right
        // is only a proof when it found a mate.
        let fen: Fen = "4k3/8/8/8/8/8/8/1K5R w H - 0 1".parse().unwrap();
        let chess960: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
        assert!(matches!(
            winnability(&chess960, Color::White),
            Winnability::Winnable { .. }
        ));
    }
}
