//! Decides whether either side can still mate.
//!
//! A position is *dead* when neither player can checkmate by any series of legal moves, with the
//! players helping each other (5.2.2). Flag fall and resignation ask the same about one side (6.9,
//! 5.1.2). [`analyse`] answers for the position and for each side:
//!
//! * [`Winnable`](Winnability::Winnable) contains a *helpmate*. It only counts after `shakmaty` has
//!   replayed it move by move to checkmate.
//! * [`Unwinnable`](Winnability::Unwinnable) contains a [`Proof`]. An exhausted budget or a search
//!   that omits moves is never a proof.
//! * [`Unknown`](Winnability::Unknown): neither was found within the [`Budget`].
//!
//! Each method has a file: material, the helpmate search with elastic depth, exhaustive closure,
//! the mobility argument, and sketches. A possible mate on the board may steer the closure. All but
//! material and mobility take turns, with small shares of the budget first. `protocol/dead.md`
//! proves the theorems behind them.
//!
//! Budgets count nodes, positions and sketches, never time, so the same question has the same
//! answer on every machine. Time matters only through `stop`: whatever is undecided when it is set
//! becomes unknown.
//!
//! ```
//! use remisd_dead::{Verdict, self as dead};
//! use shakmaty::{CastlingMode, Chess, fen::Fen};
//!
//! let wall: Fen = "8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1".parse()?;
//! let wall: Chess = wall.into_position(CastlingMode::Standard)?;
//! assert_eq!(dead::analyse(&wall, false).verdict(), Verdict::Dead);
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod aim;
mod carry;
mod closure;
mod course;
mod ground;
mod helpmate;
mod inquiry;
mod material;
mod mobility;
mod net;
mod order;
mod packed;
mod plan;
mod proof;
mod search;
mod sketch;
mod state;
mod table;
mod text;
mod turns;
mod verify;
mod watch;

use std::sync::atomic::AtomicBool;

use shakmaty::{Chess, Move};

pub use course::course;
pub use ground::{Confined, Ground, Grounds, Why};
pub use material::Lack;
pub use mobility::{Certificate, Man, Reason, Refuge};
pub use proof::{Proof, Proofs, Sides};
pub use sketch::{Album, Loose};
pub use verify::{Refuted, verify};
pub use watch::Watch;

/// Whether one side can still mate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Winnability {
    /// The side can mate, by the line given.
    Winnable {
        /// Legal moves of both sides from the position to checkmate; empty if the mate is on the
        /// board.
        helpmate: Vec<Move>,
    },
    /// The side cannot mate, whatever both sides play.
    Unwinnable(Proof),
    /// Undecided.
    Unknown,
}

/// The work allowed for each side that is not decided earlier.
///
/// The methods take turns, each time with a larger share. These numbers limit the largest share;
/// the shares of earlier turns and the closures that steer for a mate come in addition.
/// `protocol/dead.md` has the table. [`closures`](Self::closures) returns their number and their
/// total positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Nodes of the helpmate search.
    pub nodes: u64,
    /// Positions of a closure, each about fifty bytes while it runs. From promising positions the
    /// closure searches for a helpmate, with nodes from a separate [`purse`](Self::purse).
    pub positions: u32,
    /// Sketches (arrangements of some of the men) for each choice of these men. A sketch takes as
    /// much memory as a position.
    pub sketches: u32,
}

impl Budget {
    /// For a first look at a position while others are waiting: at most a quarter of a second on
    /// current hardware.
    pub const FIRST_LOOK: Self = Self {
        nodes: 30_000,
        positions: 60_000,
        sketches: 10_000,
    };

    /// For a person or a script waiting for the answer: at most two seconds on current hardware,
    /// usually microseconds.
    pub const INTERACTIVE: Self = Self {
        nodes: 400_000,
        positions: 1_200_000,
        sketches: 200_000,
    };
}

/// The combined verdict on both sides.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// At least one side can mate.
    Alive,
    /// Neither side can mate: the game is drawn.
    Dead,
    /// Undecided; the game continues.
    Unknown,
}

/// The answers for both sides; `None` for a side that was not analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Whether White can mate.
    pub white: Option<Winnability>,
    /// Whether Black can mate.
    pub black: Option<Winnability>,
}

impl Analysis {
    /// Dead if neither side can mate, alive if one can.
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

    /// The proof for each side that cannot mate; `None` if there is no proof.
    #[must_use]
    pub fn proofs(&self) -> Option<Proofs> {
        let side = |answer: &Option<Winnability>| match answer {
            Some(Winnability::Unwinnable(proof)) => Some(proof.clone()),
            _ => None,
        };
        let proofs = Proofs {
            white: side(&self.white),
            black: side(&self.black),
        };
        (proofs != Proofs::default()).then_some(proofs)
    }
}

/// Decides whether each side can mate, within [`Budget::INTERACTIVE`]. Without `both`, one side
/// that can mate is enough, and the other may stay undecided.
#[must_use]
pub fn analyse(position: &Chess, both: bool) -> Analysis {
    let never = AtomicBool::new(false);
    analyse_within(position, both, Budget::INTERACTIVE, &never)
}

/// Decides the same within a budget. When `stop` becomes true, whatever is undecided stays unknown.
#[must_use]
pub fn analyse_within(position: &Chess, both: bool, budget: Budget, stop: &AtomicBool) -> Analysis {
    inquiry::answer(position, both, budget, stop)
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
            Some(Winnability::Unwinnable(Proof::Material {
                lack: Lack::BareKing
            }))
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
        let analysis = analyse(&mate, true);
        assert_eq!(
            analysis.black,
            Some(Winnability::Winnable { helpmate: vec![] })
        );
        assert_eq!(
            analysis.white,
            Some(Winnability::Unwinnable(Proof::GameOver))
        );
    }

    #[test]
    fn stalemate_is_dead() {
        let stalemate = position("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(analyse(&stalemate, true).verdict(), Verdict::Dead);
    }
}
