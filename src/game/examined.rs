//! Claims on a record that changes while they are being checked.

use super::{ClaimRecord, Claimed, Game};
use remisd_laws::{self as laws, ClaimBasis, ClaimKind, DrawClaim, Examination, Ply, Remark};
use remisd_vocabulary::notation;

impl Game {
    /// The ply of the claim that is being checked, as long as the record holds the position
    /// in which it was made.
    pub(super) fn claimed_at(&self) -> Option<Ply> {
        let ply = self.unruled_claim()?.ply;
        let holds = || (self.claims).is_made_in(self.record.replayed(ply).position());
        (ply <= self.ply() && holds()).then_some(ply)
    }

    /// The moves before the claim were corrected: it goes with its position, if the announced
    /// move is one there.
    pub(super) fn take_claim_along(&mut self, claimed_at: Option<Ply>) {
        if let Some(ply) = claimed_at.filter(|ply| *ply <= self.ply()) {
            let position = self.record.replayed(ply).position().clone();
            self.claims.follow_to(position);
        }
    }

    /// The record has changed under a claim that is being checked: what was found no
    /// longer rests on it. Where its ply still is in the record, that is examined again;
    /// the arbiter compares it with the scoresheets.
    pub(super) fn reconsider_claim(&mut self) {
        if let Some(claim) = self.unruled_claim() {
            let found = self.examined_in_record(claim);
            self.claims.reexamine(found);
        }
    }

    /// The record reaches the ply of a claim again, after moves were taken back. The position there
    /// is examined.
    pub(super) fn claim_reached(&mut self) {
        let changed = |claim: &ClaimRecord| claim.remarks.contains(&Remark::RecordChanged);
        let ply = self.ply();
        if self
            .unruled_claim()
            .is_some_and(|claim| claim.ply == ply && changed(claim))
        {
            self.reconsider_claim();
        }
    }

    /// What the moves of the record say about a claim by repetition or fifty moves; `None` where
    /// its ply is not among them, or another player had the move.
    pub(super) fn examined_in_record(&self, claim: &ClaimRecord) -> Option<Examination> {
        let kind = match claim.kind {
            Claimed::Threefold => ClaimKind::Threefold,
            Claimed::FiftyMove => ClaimKind::FiftyMove,
            Claimed::Quickplay | Claimed::Increment => return None,
        };
        if !self.sequence.is_of_record(claim.id) || claim.ply > self.ply() {
            return None;
        }
        let history = self.record.replayed(claim.ply);
        let written = true;
        let basis = match &claim.announced {
            None => ClaimBasis::Appeared,
            Some(text) => match notation::parse_move(text.text(), history.position()) {
                Ok(m) => ClaimBasis::Intended { m, written },
                Err(_) => ClaimBasis::IntendedIllegal { written },
            },
        };
        let by = claim.by.into();
        let claim = DrawClaim { by, kind, basis };
        laws::examine(&history, &self.regulations, claim, None).ok()
    }
}
