//! The second look: every answer checked again by simpler code.
//!
//! Nothing here uses the solver's positions, keys, tables or rules: it plays with
//! `shakmaty`, remembers positions and sketches in a plain `HashMap` and `HashSet`, and
//! enumerates the premises of each rule of mobility one by one. It is slow, and it takes no
//! verdict on trust: that a side can mate or not is either seen here too, or refuted. What only
//! explains a proof is not compared: which lemma on material it is, and for which reason there
//! is no mate on a square.

mod closure;
mod mobility;
mod sketch;

use shakmaty::{Chess, Color, Move, Position as _};

use super::{Analysis, Proof, Winnability};

/// Why an answer does not stand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refuted {
    /// The helpmate has an illegal move or does not end in mate.
    #[error("the line is no helpmate")]
    NoHelpmate,
    /// The game is not over, or the side has mated.
    #[error("the game is not over, or was won by this side")]
    NotOver,
    /// The material suffices for a mate.
    #[error("the material suffices")]
    Sufficient,
    /// A mate by the side can be reached.
    #[error("a mate can be reached")]
    MateReached,
    /// The set of positions has another size or digest.
    #[error(
        "the set of positions is another: {positions} positions, {leaves} leaves, digest {digest}"
    )]
    OtherSet {
        /// How many positions were visited here. Where there are more than are claimed the
        /// visits end.
        positions: u32,
        /// How many of them were not played from.
        leaves: u32,
        /// Their digest.
        digest: String,
    },
    /// There are more or fewer sketches.
    #[error("the sketches are not so many: {sketches} were visited")]
    OtherSketches {
        /// How many were visited here; one more than are claimed, and no others, where there
        /// are more.
        sketches: u32,
    },
    /// There is a castling right or a legal capture in passing, which sketches do not know.
    #[error("a position with rights has no sketches")]
    HasRights,
    /// The men of the certificate are not those of the position.
    #[error("the men are not those of the position")]
    OtherMen,
    /// A man that is said to be anchored may move.
    #[error("a man that is called anchored may move")]
    NotAnchored,
    /// A rule leads out of the mobility that the certificate gives.
    #[error("the mobility is not closed: {0}")]
    NotClosed(String),
    /// A square of the loser's king that may be one to be mated on.
    #[error("no reason why there is no mate on {0}")]
    NoRefuge(shakmaty::Square),
}

/// Checks the answer for each side that has one. What is unknown claims nothing.
///
/// # Errors
///
/// The first answer that does not stand, with the side it is about.
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
