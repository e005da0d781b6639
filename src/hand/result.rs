//! Results that players show on the board: kings in the centre, or a piece of its own.
//!
//! | kings stand on | means |
//! |---|---|
//! | two light squares of d4, e4, d5, e5 | White has won |
//! | two dark ones | Black has won |
//! | one of each | a draw |
//!
//! Kings on two of these squares stand side by side or corner to corner, so that this is
//! never a position of the game. Which king stands where does not matter (DGT's help page
//! on the end of a game). A sign is a proposal: what the result is, the arbiter says.

use shakmaty::{Bitboard, Color, Position, Role, Square};

use super::{
    Hypothesis, Proposal, Reading, SettledBy, Sign,
    due::UNSEEN_MS,
    sight::Sight,
    tracker::{Tracker, Watching},
};
use crate::{board::event::ResultPiece, time::Millis};

impl Tracker {
    /// When a result that is shown now has stood long enough.
    pub(super) fn sign_due(&self) -> Option<Millis> {
        if !self.settings.result_signs {
            return None;
        }
        let proposal = self.sign()?;
        let shown_ms = match proposal.sign {
            Sign::Kings => self.settings.result_ms,
            // One square that was read wrongly stays so until all are told again, which has
            // happened by then where boards tell them of themselves.
            Sign::ResultPiece => self.settings.result_ms.max(UNSEEN_MS),
        };
        (self.proposed != Some(proposal)).then(|| self.changed_at + shown_ms)
    }

    /// The result that is shown on the board now.
    pub(super) fn sign(&self) -> Option<Proposal> {
        let sight = self.sight.as_ref()?;
        if let Some(piece) = sight.result() {
            let winner = match piece {
                ResultPiece::WhiteWins => Some(Color::White),
                ResultPiece::BlackWins => Some(Color::Black),
                ResultPiece::Draw => None,
            };
            return Some(Proposal {
                winner,
                sign: Sign::ResultPiece,
            });
        }
        let squares = self.kings_in_centre(sight)?;
        let light = squares
            .into_iter()
            .filter(|square| square.is_light())
            .count();
        let winner = match light {
            2 => Some(Color::White),
            0 => Some(Color::Black),
            _ => None,
        };
        Some(Proposal {
            winner,
            sign: Sign::Kings,
        })
    }

    /// The squares of the centre on which both kings stand, outside of any legal position.
    fn kings_in_centre(&self, sight: &Sight) -> Option<Bitboard> {
        let known = sight.pieces().by_role(Role::King);
        if known.count() == 2 {
            let colors = sight.pieces().white() & known;
            return (known.is_subset(Bitboard::CENTER) && colors.count() == 1).then_some(known);
        }
        if sight.unknown().is_empty() {
            return None;
        }
        self.hypotheses
            .iter()
            .find_map(|hypothesis| unknown_kings(hypothesis, sight))
    }

    /// A result has been shown for long enough: the game waits for the arbiter.
    pub(super) fn propose(&mut self) {
        let Some(proposal) = self.sign() else { return };
        self.proposed = Some(proposal);
        if self.watching == Watching::Game {
            if let Some(index) = self.last_before_sign() {
                self.settle_all(index, SettledBy::StoodStill);
            }
            self.agree();
            self.rest();
        }
        self.readings.push(Reading::Proposed(proposal));
    }

    /// The line that was on the board before the kings were taken.
    fn last_before_sign(&self) -> Option<usize> {
        let explained = |hypothesis: &Hypothesis| {
            let kings = hypothesis.after.board().kings();
            hypothesis
                .difference
                .all()
                .is_subset(kings | Bitboard::CENTER)
        };
        let first_step = |hypothesis: &Hypothesis| {
            hypothesis.line.last().is_some_and(|m| {
                m.role() == Role::King
                    && Bitboard::CENTER.contains(m.to())
                    && !hypothesis.difference.all().contains(m.to())
                    && hypothesis.clear_ms() < self.settings.result_ms
            })
        };
        self.hypotheses
            .iter()
            .enumerate()
            .filter(|(_, hypothesis)| explained(hypothesis) && !first_step(hypothesis))
            .filter(|(_, hypothesis)| hypothesis.line.is_empty() || hypothesis.clear_ms() > 0)
            .min_by_key(|(_, hypothesis)| {
                let moved = hypothesis.difference.all().count();
                (moved, hypothesis.cost)
            })
            .map(|(index, _)| index)
    }

    /// A sign that is taken away may be given again.
    pub(super) fn sign_leaves(&mut self) {
        if self.proposed.is_some() && self.sign().is_none() {
            self.proposed = None;
        }
    }
}

/// The centre squares on which the kings of a hypothesis must stand now, where nobody
/// can say which piece is which.
fn unknown_kings(hypothesis: &Hypothesis, sight: &Sight) -> Option<Bitboard> {
    let board = hypothesis.after.board();
    let kings = board.kings();
    let gone = kings & !Bitboard::CENTER;
    let new = Bitboard::CENTER & sight.occupied() & !board.occupied();
    let squares = new | (kings & Bitboard::CENTER);
    let explained = hypothesis.difference.all() == gone | new;
    (gone.any() && explained && new.count() == gone.count() && squares.count() == 2)
        .then_some(squares)
        .filter(|squares| {
            squares
                .into_iter()
                .all(|square: Square| sight.occupied().contains(square))
        })
}
