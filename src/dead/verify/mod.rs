//! Verifies every answer with simpler code.
//!
//! Nothing here uses the solver's positions, keys, tables or rules. It plays with `shakmaty`,
//! stores positions and sketches in a plain `HashMap` and `HashSet`, and enumerates the premises of
//! each mobility rule one by one. It is slow and trusts no verdict: whether a side can mate is
//! either confirmed or refuted. Parts that only explain a proof are not compared: the lemma on
//! material, and the reason why there is no mate on a square.

mod closure;
mod mobility;
mod sketch;

use shakmaty::{Chess, Color, Move, Position as _};

use super::{Analysis, Proof, Winnability};

/// Why an answer is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refuted {
    /// The helpmate contains an illegal move or does not end in mate.
    #[error("the line is not a helpmate")]
    NoHelpmate,
    /// The game is not over, or the side has mated.
    #[error("the game is not over, or was won by this side")]
    NotOver,
    /// The material is sufficient for a mate.
    #[error("the material suffices")]
    Sufficient,
    /// A mate by the side is reachable.
    #[error("a mate can be reached")]
    MateReached,
    /// The set of positions has a different size or digest.
    #[error(
        "the set of positions is another: {positions} positions, {leaves} leaves, digest {digest}"
    )]
    OtherSet {
        /// The number of positions visited. The visit ends once it exceeds the claim.
        positions: u32,
        /// The number of positions that were not expanded.
        leaves: u32,
        /// The digest of the visited positions.
        digest: String,
    },
    /// The number of sketches differs.
    #[error("the sketches are not so many: {sketches} were visited")]
    OtherSketches {
        /// The number of sketches visited. The visit ends one above the claim.
        sketches: u32,
    },
    /// The position has a castling right or a legal en passant capture, which sketches cannot
    /// represent.
    #[error("a position with rights has no sketches")]
    HasRights,
    /// The men of the certificate differ from those of the position.
    #[error("the men are not those of the position")]
    OtherMen,
    /// An allegedly anchored man may move.
    #[error("a man that is called anchored may move")]
    NotAnchored,
    /// A rule leads out of the certified mobility.
    #[error("the mobility is not closed: {0}")]
    NotClosed(String),
    /// The loser's king might be mated on this square.
    #[error("no reason why there is no mate on {0}")]
    NoRefuge(shakmaty::Square),
}

/// Verifies the answer for each side that has one. An unknown answer claims nothing.
///
/// # Errors
///
/// Returns the first wrong answer, with its side.
pub fn verify(position: &Chess, analysis: &Analysis) -> Result<(), (Color, Refuted)> {
    let sides = [
        (Color::White, &analysis.white),
        (Color::Black, &analysis.black),
    ];
    for (side, answer) in sides {
        match answer {
            Some(Winnability::Winnable { helpmate }) => mates(position, side, helpmate),
            Some(Winnability::Unwinnable(proof)) => proves(position, side, proof),
            Some(Winnability::Unknown) | None => Ok(()),
        }
        .map_err(|refuted| (side, refuted))?;
    }
    Ok(())
}

fn mates(position: &Chess, winner: Color, helpmate: &[Move]) -> Result<(), Refuted> {
    let mut after = position.clone();
    for &m in helpmate {
        after = after.play(m).map_err(|_| Refuted::NoHelpmate)?;
    }
    if after.is_checkmate() && after.turn() != winner {
        Ok(())
    } else {
        Err(Refuted::NoHelpmate)
    }
}

fn proves(position: &Chess, side: Color, proof: &Proof) -> Result<(), Refuted> {
    match proof {
        Proof::GameOver => {
            let won = position.is_checkmate() && position.turn() != side;
            if position.legal_moves().is_empty() && !won {
                Ok(())
            } else {
                Err(Refuted::NotOver)
            }
        }
        Proof::Material { .. } if position.has_insufficient_material(side) => Ok(()),
        Proof::Material { .. } => Err(Refuted::Sufficient),
        Proof::Closure { wanted, .. } if !wanted.contains(side) => Err(Refuted::MateReached),
        Proof::Closure {
            wanted,
            positions,
            digest,
            leaves,
        } => {
            let seen = closure::close(position, *wanted, *leaves > 0, *positions)?;
            let found = (seen.positions, seen.leaves, &seen.digest);
            if found == (*positions, *leaves, digest) {
                return Ok(());
            }
            Err(seen.refutes())
        }
        Proof::Mobility(certificate) => mobility::check(position, side, certificate),
        Proof::Sketches(album) => sketch::check(position, side, album),
    }
}
