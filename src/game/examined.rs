//! Claims on a record that changes while they are being checked.

use super::{ClaimRecord, Claimed, Game};
use remisd_laws::{
    self as laws, ClaimBasis, ClaimKind, DrawClaim, Examination, Finding, Ply, Remark,
};
use remisd_vocabulary::notation::{self, MoveText};

impl Game {
    /// The ply of the claim that is being checked, as long as the record holds the position
    /// in which it was made.
    pub(super) fn claimed_at(&self) -> Option<Ply> {
        let ply = self.unruled_claim()?.ply;
        let holds = || self.claimed_in.as_ref() == Some(self.replayed(ply).position());
        (ply <= self.ply() && holds()).then_some(ply)
    }

    /// The moves before the claim were corrected: it goes with its position, if the announced
    /// move is one there.
    pub(super) fn take_claim_along(&mut self, claimed_at: Option<Ply>) {
        let Some(ply) = claimed_at.filter(|ply| *ply <= self.ply()) else {
            return;
        };
        let position = self.replayed(ply).position().clone();
        let Some(claim) = self.claims.last_mut() else {
            return;
        };
        let announced = claim.announced.as_ref();
        let Some(Ok(m)) = announced.map(|m| notation::parse_move(m.text(), &position)) else {
            return;
        };
        claim.announced = Some(MoveText::new(m, &position).into());
        self.claimed_in = Some(position);
    }

    /// The record has changed under a claim that is being checked: what was found no
    /// longer rests on it. Where its ply still is in the record, that is examined again;
    /// the arbiter compares it with the scoresheets.
    pub(super) fn reconsider_claim(&mut self) {
        let Some(claim) = self.unruled_claim() else {
            return;
        };
        let found = self.examined_in_record(claim);
        if let Some(claim) = self.claims.last_mut()
            && claim.finding.is_some()
        {
            claim.rest_on(found);
        }
    }

    /// The record reaches the ply of a claim again, after moves were taken back: what stands
    /// there now is examined.
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

    /// What the moves of the record say to a claim by repetition or fifty moves; `None` where
    /// its ply is not among them, or another player had the move.
    pub(super) fn examined_in_record(&self, claim: &ClaimRecord) -> Option<Examination> {
        let kind = match claim.kind {
            Claimed::Threefold => ClaimKind::Threefold,
            Claimed::FiftyMove => ClaimKind::FiftyMove,
            Claimed::Quickplay | Claimed::Increment => return None,
        };
        if claim.id < self.record_seq || claim.ply > self.ply() {
            return None;
        }
        let history = self.replayed(claim.ply);
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

impl ClaimRecord {
    /// What was found of it rests on another record now; `None` where that does not have its
    /// ply any more.
    pub(super) fn rest_on(&mut self, found: Option<Examination>) {
        self.finding = Some(Finding::ArbiterDecides);
        self.remarks.retain(|remark| {
            !matches!(
                remark,
                Remark::AnnouncedMoveIllegal
                    | Remark::AnnouncedMoveEndsGame
                    | Remark::LastMoveNotCompleted
                    | Remark::RecordChanged
            )
        });
        if let Some(found) = found {
            self.plies = found.plies;
            self.disputed_plies = found.disputed_plies;
            self.halfmove_clock = found.halfmove_clock;
            self.last_zeroing = found.last_zeroing;
            self.remarks.extend(found.remarks);
        } else {
            self.plies.clear();
            self.disputed_plies.clear();
            self.halfmove_clock = 0;
            self.last_zeroing = None;
        }
        self.remarks.push(Remark::RecordChanged);
    }
}
