//! The positions of one game and their occurrences.

use std::borrow::Cow;

use shakmaty::{
    Chess, Color, EnPassantMode, FromSetup as _, Move, PlayError, Position, PositionError, Role,
};

use super::{DrawState, Edition, Ply, draw};

/// The positions of one game from its start to the position on the board.
///
/// Two positions are the same (9.2.3, and in substance every edition since 1997) under three
/// conditions. The same player has the move. Pieces of the same kind and colour are on the same
/// squares. The possible moves of all pieces are the same: castling rights are equal, and the same
/// pawn can be captured en passant by a *legal* move. The equality of [`Chess`] is exactly this: it
/// ignores the halfmove clock and the move number.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    position: Chess,
    ply: Ply,
    /// All positions since the last pawn move or capture, the present one last. Positions from
    /// before such a move can never recur.
    run: Vec<Occurrence>,
}

#[derive(Debug, Clone, PartialEq)]
struct Occurrence {
    position: Chess,
    /// How often it had occurred by then, counted from 1.
    nth: u32,
}

/// The plies at which the position on the board occurred, the present one last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Occurrences {
    /// All plies from the first occurrence to the present one; never empty.
    pub plies: Vec<Ply>,
}

impl Occurrences {
    /// How often the position has occurred, including the present time.
    #[must_use]
    pub fn count(&self) -> usize {
        self.plies.len()
    }

    /// The count, in the number type of the payloads.
    #[must_use]
    pub fn number(&self) -> u32 {
        u32::try_from(self.plies.len()).unwrap_or(u32::MAX)
    }
}

impl History {
    /// A game that begins with `start`, which counts as an occurrence.
    #[must_use]
    pub fn new(start: Chess) -> Self {
        let mut history = Self {
            position: start.clone(),
            ply: 0,
            run: Vec::with_capacity(64),
        };
        history.run.push(Occurrence {
            position: start,
            nth: 1,
        });
        history
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// Halfmoves made since the starting position.
    #[must_use]
    pub const fn ply(&self) -> Ply {
        self.ply
    }

    /// Makes a move.
    ///
    /// # Errors
    ///
    /// Returns an illegal move together with the position, and changes nothing.
    #[expect(
        clippy::result_large_err,
        reason = "the caller needs the refused move and the position"
    )]
    pub fn play(&mut self, m: Move) -> Result<(), PlayError<Chess>> {
        self.position = self.position.clone().play(m)?;
        self.ply += 1;
        if self.position.halfmoves() == 0 {
            self.run.clear();
        }
        let nth = self.last_occurrence(&self.position) + 1;
        self.run.push(Occurrence {
            position: self.position.clone(),
            nth,
        });
        Ok(())
    }

    /// The edition's verdict on the position on the board.
    #[must_use]
    pub fn draw_state(&self, edition: &Edition) -> DrawState {
        draw::draw_state(self, edition)
    }

    /// When the position on the board occurred.
    #[must_use]
    pub fn occurrences(&self) -> Occurrences {
        Occurrences {
            plies: self.plies_of(&self.position),
        }
    }

    /// The plies at which `position` was on the board so far.
    #[must_use]
    pub fn plies_of(&self, position: &Chess) -> Vec<Ply> {
        self.plies_where(|earlier| earlier == position)
    }

    /// The plies of `position`, ignoring castling rights that could not be kept: in check, with
    /// only king moves available ([`ForcedKingMove::Disputed`]).
    ///
    /// [`ForcedKingMove::Disputed`]: super::ForcedKingMove::Disputed
    #[must_use]
    pub fn plies_of_leniently(&self, position: &Chess) -> Vec<Ply> {
        let kept = without_lost_rights(position);
        self.plies_where(|earlier| without_lost_rights(earlier) == kept)
    }

    /// Whether any position of the present run has a castling right that its owner could not keep.
    /// This quick test avoids the full comparison.
    pub(super) fn any_right_lost(&self) -> bool {
        self.run
            .iter()
            .any(|earlier| matches!(without_lost_rights(&earlier.position), Cow::Owned(_)))
    }

    fn plies_where(&self, same: impl Fn(&Chess) -> bool) -> Vec<Ply> {
        let first_ply = self.ply + 1 - ply_count(self.run.len());
        (first_ply..)
            .zip(&self.run)
            .filter(|(_, earlier)| same(&earlier.position))
            .map(|(ply, _)| ply)
            .collect()
    }

    /// How often `position` has occurred so far; 0 if it is new.
    pub(super) fn last_occurrence(&self, position: &Chess) -> u32 {
        self.run
            .iter()
            .rev()
            .find(|earlier| earlier.position == *position)
            .map_or(0, |earlier| earlier.nth)
    }

    /// Whether any position with `turn` to move has occurred at least `count` times and may still
    /// recur. This quick test avoids trying every move.
    pub(super) fn any_occurred(&self, turn: Color, count: u32) -> bool {
        self.run
            .iter()
            .any(|earlier| earlier.nth >= count && earlier.position.turn() == turn)
    }
}

/// The position without the castling rights that the player having the move must lose, being in
/// check with only king moves available.
fn without_lost_rights(position: &Chess) -> Cow<'_, Chess> {
    let castles = position.castles();
    let own = position.us() & castles.castling_rights();
    if own.is_empty() || !position.is_check() {
        return Cow::Borrowed(position);
    }
    let legal = position.legal_moves();
    if legal.is_empty() || legal.iter().any(|m| m.role() != Role::King) {
        return Cow::Borrowed(position);
    }
    let mut setup = position.to_setup(EnPassantMode::Legal);
    setup.castling_rights &= !own;
    Chess::from_setup(setup, castles.mode())
        .or_else(PositionError::ignore_too_much_material)
        .map_or(Cow::Borrowed(position), Cow::Owned)
}

fn ply_count(len: usize) -> Ply {
    Ply::try_from(len).expect("a game of four thousand million plies does not fit into memory")
}
