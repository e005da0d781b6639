//! The positions of one game, and when each of them stood on the board before.

use shakmaty::{Chess, Color, Move, PlayError, Position};

use super::{DrawState, Edition, Ply, draw};

/// The positions of one game from its start to the position on the board.
///
/// Two positions are the same (9.2.3, and in substance every edition since 1997)
/// when the same player has the move, pieces of the same kind and colour stand on
/// the same squares, and the possible moves of all pieces are the same: the same
/// castling rights are unspent and the same pawn can be captured en passant by a
/// *legal* move. Exactly this is the equality of [`Chess`], which ignores the
/// halfmove clock and the move number.
#[derive(Debug, Clone)]
pub struct History {
    position: Chess,
    ply: Ply,
    /// Every position since the last pawn move or capture, the present one last.
    /// What stood before such a move can never stand again.
    run: Vec<Occurrence>,
}

#[derive(Debug, Clone)]
struct Occurrence {
    position: Chess,
    /// How often it had occurred by then: 1 for the first time.
    nth: u32,
}

/// The plies at which the position on the board has occurred, the present one last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Occurrences {
    /// From the first occurrence to the present one; never empty.
    pub plies: Vec<Ply>,
}

impl Occurrences {
    /// How often the position has occurred, the present time included.
    #[must_use]
    pub fn count(&self) -> usize {
        self.plies.len()
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
    /// An illegal move is given back with the position, and nothing changes.
    #[allow(clippy::result_large_err)] // the caller wants the refused move and the position
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

    /// What the edition says about the position on the board.
    #[must_use]
    pub fn draw_state(&self, edition: &Edition) -> DrawState {
        draw::draw_state(self, edition)
    }

    /// When the position on the board has occurred.
    #[must_use]
    pub fn occurrences(&self) -> Occurrences {
        let first_ply = self.ply + 1 - ply_count(self.run.len());
        let plies = (first_ply..)
            .zip(&self.run)
            .filter(|(_, earlier)| earlier.position == self.position)
            .map(|(ply, _)| ply)
            .collect();
        Occurrences { plies }
    }

    /// How often `position` has occurred so far; 0 for one that is new.
    pub(super) fn last_occurrence(&self, position: &Chess) -> u32 {
        self.run
            .iter()
            .rev()
            .find(|earlier| earlier.position == *position)
            .map_or(0, |earlier| earlier.nth)
    }

    /// Whether any position with `turn` to move has occurred at least `count` times
    /// and may still recur: the quick answer that saves trying every move.
    pub(super) fn any_occurred(&self, turn: Color, count: u32) -> bool {
        self.run
            .iter()
            .any(|earlier| earlier.nth >= count && earlier.position.turn() == turn)
    }
}

fn ply_count(len: usize) -> Ply {
    Ply::try_from(len).expect("a game of four thousand million plies does not fit into memory")
}
