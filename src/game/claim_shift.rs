//! A claim in a record into which missing plies are inserted, or from which some are removed.

use shakmaty::{Chess, Move};

use super::{ClockState, Game, Played};
use remisd_laws::Ply;

/// The newest claim keeps its position, but that comes after another ply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClaimShift {
    from: Ply,
    /// The ply after which the claim was made in the corrected record.
    pub(super) to: Ply,
}

/// Where plies belong that a correction adds at the end of a record that ends with a claim. The
/// position can be the same before and after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppendedPlies {
    /// They were missing when the claim was made.
    BeforeClaim,
    /// They were made after it.
    AfterClaim,
}

impl ClaimShift {
    /// The ply of the move that the claim binds to, or of what was made instead, after the shift.
    pub(super) const fn shifted(self, ply: Ply) -> Ply {
        if ply == self.from + 1 {
            self.to + 1
        } else {
            ply
        }
    }
}

impl Game {
    /// The shift of the newest claim by a correction that makes `played` after `to_ply` and comes to
    /// `positions`; `None` if the claim keeps its ply.
    ///
    /// The claim is shifted if its position, and the moves after it, stand as far from the end as
    /// before. Where the position stands at both plies, the record does not say after which of them
    /// the claim was made. A ruling that the later one contradicts is then open again.
    pub(super) fn claim_shift(
        &self,
        to_ply: Ply,
        played: &[(Move, Option<ClockState>)],
        positions: &[Chess],
        appended: AppendedPlies,
    ) -> Option<ClaimShift> {
        let claim = self.claims().last()?;
        let from = claim.ply;
        let is_corrected = (to_ply..=self.ply()).contains(&from);
        let is_appended = to_ply == self.ply();
        let is_after = is_appended && appended == AppendedPlies::AfterClaim;
        // Plies that are only taken back may be made again.
        if !is_corrected || played.is_empty() || is_after || !self.sequence.is_of_record(claim.id) {
            return None;
        }
        let after = &self.moves()[from as usize..];
        let inserted = played.len().checked_sub(after.len())?;
        let same = |((new, _), old): (&(Move, _), &Played)| *new == old.m;
        if !played[inserted..].iter().zip(after).all(same) {
            return None;
        }
        let before = self.record.replayed(to_ply);
        let position = match inserted.checked_sub(1) {
            Some(last) => positions.get(last)?,
            None => before.position(),
        };
        let to = to_ply + Ply::try_from(inserted).ok()?;
        let shift = ClaimShift { from, to };
        (to != from && self.claims.is_made_in(position)).then_some(shift)
    }

    /// Moves the newest claim, and what rests on it, to another ply.
    pub(super) fn shift_claim(&mut self, shift: ClaimShift) {
        self.claims.move_newest_to(shift.to);
        self.announced.shift(shift);
        self.outcome.shift_claim(shift.from, shift.to);
    }
}
