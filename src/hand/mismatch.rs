//! What is amiss, in words for the arbiter.

use shakmaty::{Bitboard, Move, Position, Role, Square};

use super::{DifferingSquare, Mismatch, MismatchReason, Reading, tracker::Tracker};

impl Tracker {
    /// Nothing has explained the squares for as long as we are patient.
    pub(super) fn stand_unexplained(&mut self) {
        self.undo_late_revision();
        let Some(mismatch) = self.describe() else {
            return;
        };
        // A line that is alone, and only not believed, or waits for its promotion to be named, has no rival.
        let several = mismatch.candidates.len() > 1 || self.choose(self.changed_at).given_up;
        if mismatch.reason == MismatchReason::Ambiguous && several && !self.is_told_ambiguous() {
            self.ambiguous_since = Some(self.changed_at);
            // It was played on from what is settled: that was no step of clearing the board.
            self.unrested = 0;
        }
        if self.mismatch.as_ref() != Some(&mismatch) {
            self.contested.doubt(mismatch.doubted);
            self.mismatch = Some(mismatch.clone());
            self.readings.push(Reading::Mismatch(mismatch));
        }
    }

    /// What is amiss, in squares.
    pub(super) fn describe(&self) -> Option<Mismatch> {
        let sight = self.sight.as_ref()?;
        let choice = self.choose(self.changed_at);
        let best = &self.hypotheses[choice.best];
        let candidates: Vec<Vec<Move>> = if best.is_exact() && !choice.clear {
            // Nothing, where it was done while the clock stood.
            let paused = Some(&best.line[..self.was_played(best)]);
            let paused = paused.filter(|played| played.len() < best.line.len());
            (self.hypotheses.iter())
                .filter(|rival| rival.is_exact())
                .map(|rival| rival.line.clone())
                .chain(paused.map(<[_]>::to_vec))
                .collect()
        } else {
            Vec::new()
        };
        let pieces = sight.pieces();
        let unpromoted = pieces.by_role(Role::Pawn) & Bitboard::BACKRANKS;
        // Other lines explain less of the board, or could not be kept; or this one is not believed, or waits
        // for the clock or for its promotion to be named.
        let one_of_several = best.is_exact() && !choice.clear;
        let reason = if one_of_several {
            MismatchReason::Ambiguous
        } else if self.earlier().is_some() {
            MismatchReason::EarlierPosition
        } else if unpromoted.any() {
            MismatchReason::PawnNotPromoted
        } else if best.difference.foreign.is_empty() {
            MismatchReason::PieceMissing
        } else {
            MismatchReason::NoLegalMove
        };
        let squares = best
            .difference
            .all()
            .into_iter()
            .map(|square: Square| DifferingSquare {
                square,
                expected: best.after.board().piece_at(square),
                seen: sight.get(square),
            })
            .collect();
        let mut mismatch = Mismatch {
            reason,
            squares,
            candidates,
            doubted: 0,
        };
        mismatch.doubted = self.doubted(&mismatch);
        Some(mismatch)
    }

    /// Whether what is amiss now has been told already.
    pub(super) fn mismatch_stands(&self) -> bool {
        self.mismatch.as_ref() == self.describe().as_ref() && self.mismatch.is_some()
    }

    /// The squares are understood again.
    pub(super) fn agree(&mut self) {
        self.gap = false;
        self.out_of_sight.close();
        self.ambiguous_since = None;
        self.contested.agree();
        if self.mismatch.take().is_some() {
            self.readings.push(Reading::Agreed);
        }
    }
}
