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
    Hypothesis, Mismatch, MismatchReason, Proposal, Reading, SettledBy, Sign,
    changes::Changes,
    due::UNSEEN_MS,
    sight::Sight,
    tracker::{Tracker, Watching},
};
use remisd_vocabulary::{sensor::ResultPiece, time::Millis};

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
    pub(super) fn kings_in_centre(&self, sight: &Sight) -> Option<Bitboard> {
        let known = sight.pieces().by_role(Role::King);
        if known.count() == 2 {
            let colors = sight.pieces().white() & known;
            return (known.is_subset(Bitboard::CENTER) && colors.count() == 1).then_some(known);
        }
        if sight.unknown().is_empty() {
            return None;
        }
        let (known, squares) = (self.hypotheses.iter()).find_map(|known| {
            let squares = unknown_kings(known, sight, &self.changes)?;
            Some((known, squares))
        })?;
        // What was played may look like that, where another piece has gone to the centre.
        let exact = (0..self.hypotheses.len()).filter(|&index| self.hypotheses[index].is_exact());
        let played = exact.map(|index| self.total(index, self.changed_at)).min();
        let shown = known.cost_so_far(&self.changes, self.settings.scan_ms);
        played
            .is_none_or(|played| shown < played)
            .then_some(squares)
    }

    /// A result has been shown for long enough: the game waits for the arbiter. Where several lines
    /// may have been played before it, none is settled, and that is told.
    pub(super) fn propose(&mut self) {
        let Some(proposal) = self.sign() else { return };
        self.proposed = Some(proposal);
        if self.watching == Watching::Game {
            let told = match self.last_before_sign()[..] {
                [_, _, ..] if self.mismatch_is_ambiguous() => self.mismatch.clone(),
                ref several @ [_, _, ..] => Some(self.ambiguous_before_sign(several)),
                // A line that had to be given up may have been played as well.
                [only] if self.choose(self.changed_at).given_up => {
                    Some(self.ambiguous_before_sign(&[only]))
                }
                [only] => {
                    self.settle_all(only, SettledBy::StoodStill, self.gap);
                    None
                }
                // Nothing that is known leads to the sign: something was played, or done, that nobody
                // has understood.
                [] => self.mismatch.clone().or_else(|| self.describe()),
            };
            match &told {
                None => self.agree(),
                Some(told) if self.mismatch.as_ref() != Some(told) => {
                    self.contested.doubt(told.doubted);
                    self.readings.push(Reading::Mismatch(told.clone()));
                }
                Some(_) => {}
            }
            self.rest();
            // Play had ended before it was shown: what was read of it was no clearing of the board.
            self.unrested = 0;
            self.mismatch = told;
        }
        self.readings.push(Reading::Proposed(proposal));
    }

    fn mismatch_is_ambiguous(&self) -> bool {
        let several = |told: &Mismatch| told.candidates.len() > 1;
        (self.mismatch.as_ref())
            .is_some_and(|told| told.reason == MismatchReason::Ambiguous && several(told))
    }

    fn ambiguous_before_sign(&self, several: &[usize]) -> Mismatch {
        let lines = several.iter().map(|&index| &self.hypotheses[index].line);
        let mut mismatch = Mismatch {
            reason: MismatchReason::Ambiguous,
            squares: Vec::new(),
            candidates: lines.cloned().collect(),
            doubted: 0,
        };
        mismatch.doubted = self.doubted(&mismatch);
        mismatch
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
fn unknown_kings(hypothesis: &Hypothesis, sight: &Sight, changes: &Changes) -> Option<Bitboard> {
    let board = hypothesis.after.board();
    let kings = board.kings();
    // A king of the centre may have gone to another square of it.
    let stays = kings & Bitboard::CENTER & sight.occupied();
    let gone = kings & !stays;
    // Where a piece stood, room has been made for a king.
    let lifted = gone.into_iter().filter_map(|king| changes.at(king)).min();
    let refilled = |at: &Square| {
        lifted.is_some_and(|lifted| changes.landings(*at, lifted) > 0) && !kings.contains(*at)
    };
    let centre = Bitboard::CENTER & sight.occupied();
    let filled: Bitboard = (centre & board.occupied())
        .into_iter()
        .filter(refilled)
        .collect();
    let new = (centre & !board.occupied()) | filled;
    let squares = new | stays;
    let explained = hypothesis.difference.all() == (gone | new) & !filled;
    (gone.any() && explained && new.count() == gone.count() && squares.count() == 2)
        .then_some(squares)
        .filter(|squares| {
            squares
                .into_iter()
                .all(|square: Square| sight.occupied().contains(square))
        })
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Color, Position, Role, Square, fen::Fen};

    use crate::{Reading, Settings, Tracker};
    use remisd_vocabulary::sensor::{Placement, Sensed};

    #[test]
    fn what_was_read_before_the_result_was_shown_is_no_clearing_of_the_board() {
        let fen: Fen = "8/8/3k4/8/8/4K3/4P3/8 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let after = |shown: bool| {
            let mut tracker = Tracker::new(Settings::default(), position.clone());
            tracker.sense(&Sensed::Placement(Placement::from(position.board())), 0);
            tracker.unrested = 1;
            let mut board = position.board().clone();
            let kings = [
                (Square::E3, Square::E4, Color::White),
                (Square::D6, Square::D5, Color::Black),
            ];
            for (from, to, color) in kings.into_iter().filter(|_| shown) {
                board.discard_piece_at(from);
                board.set_piece_at(to, Role::King.of(color));
            }
            tracker.sense(&Sensed::Placement(Placement::from(&board)), 5_000);
            for at in (5..20).map(|seconds| seconds * 1_000) {
                tracker.tick(at);
            }
            let start = Placement::from(Chess::default().board());
            tracker.sense(&Sensed::Placement(start), 25_000);
            tracker.tick(40_000);
            let readings = tracker.readings();
            assert!(readings.contains(&Reading::NewGame));
            (readings.into_iter())
                .filter(|reading| matches!(reading, Reading::Withdrawn))
                .count()
        };
        assert_eq!(after(false), 1);
        assert_eq!(after(true), 0);
    }
}
