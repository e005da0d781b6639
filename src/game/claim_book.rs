//! The claims of one game, and what follows from them.

use jiff::Timestamp;
use shakmaty::{ByColor, Chess, Color};

use super::{
    Adjustment, ClaimDecision, ClaimRecord, ClaimRuling, Claimed, Fact, Game, LostClaims, Side,
};
use remisd_laws::{Examination, Finding, Ply, Remark};
use remisd_vocabulary::{
    notation::{self, MoveText},
    seq::EntrySeq,
};

/// Claims that are kept for the record of one game.
const CLAIMS: usize = 256;

/// The claims of one game, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ClaimBook {
    claims: Vec<ClaimRecord>,
    /// The newest claim, if its announced move is not written down: nothing else has been
    /// claimed or played since, and the arbiter has not seen it.
    unwritten: Option<ClaimRecord>,
    /// The position in which the newest claim was made.
    made_in: Option<Chess>,
    /// The newest claim that was ruled incorrect, with the change of the clock that was
    /// ordered for it.
    penalty: Option<(EntrySeq, Adjustment)>,
    /// Claims without ground that the arbiter has seen.
    groundless_seen: ByColor<usize>,
    /// Claims that the last move has lost.
    lost: Vec<LostClaims>,
}

impl ClaimBook {
    pub(super) fn newest(&self) -> Option<&ClaimRecord> {
        self.claims.last()
    }

    /// The claim that waits for a ruling as far as the players know. The game may be over in law
    /// already; the claim is checked if the arbiter lets it continue.
    pub(super) fn unruled(&self) -> Option<&ClaimRecord> {
        self.newest()
            .filter(|claim| claim.ruling.is_none() && !claim.postponed && !claim.is_defective())
    }

    /// The claims that the last move has lost.
    pub(super) fn lost(&self) -> &[LostClaims] {
        &self.lost
    }

    /// Whether the newest claim was made in this position.
    pub(super) fn is_made_in(&self, position: &Chess) -> bool {
        self.made_in.as_ref() == Some(position)
    }

    /// A claim is made. What was not written down makes room first, then what was ruled on longest
    /// ago; an unwritten claim displaces no other one.
    pub(super) fn make(&mut self, claim: ClaimRecord, position: &Chess) {
        self.made_in = Some(position.clone());
        self.unwritten = claim.is_defective().then(|| claim.clone());
        if self.claims.len() >= CLAIMS {
            let least = match self.claims.iter().position(ClaimRecord::is_defective) {
                Some(least) => least,
                None if claim.is_defective() => return,
                None => {
                    let ruled = self.claims.iter().position(|c| c.ruling.is_some());
                    ruled.unwrap_or(0)
                }
            };
            self.claims.remove(least);
        }
        self.claims.push(claim);
    }

    /// A move has been made, which has lost these claims.
    pub(super) fn lose(&mut self, lost: Vec<LostClaims>) {
        self.lost = lost;
        self.unwritten = None;
    }

    /// The arbiter has seen the claim whose move is not written down.
    pub(super) fn acknowledge_unwritten(&mut self) {
        self.unwritten = None;
    }

    fn find(&mut self, id: EntrySeq) -> Option<&mut ClaimRecord> {
        self.claims.iter_mut().find(|claim| claim.id == id)
    }

    /// A claim is ruled on.
    pub(super) fn rule(
        &mut self,
        id: EntrySeq,
        decision: ClaimDecision,
        by: &str,
        time: Timestamp,
    ) {
        if let Some(claim) = self.find(id) {
            claim.ruling = Some(ClaimRuling::new(decision, by, time));
        }
    }

    /// A claim in the last two minutes is decided, and with it the earlier ones of the player on
    /// which the decision was postponed.
    pub(super) fn decide_quickplay(
        &mut self,
        decided: &ClaimRecord,
        decision: ClaimDecision,
        by: &str,
        time: Timestamp,
    ) {
        self.rule(decided.id, decision, by, time);
        if decided.kind != Claimed::Quickplay {
            return;
        }
        let waits = |claim: &&mut ClaimRecord| claim.by == decided.by && claim.waits();
        for older in self.claims.iter_mut().filter(waits) {
            older.ruling = Some(ClaimRuling::new(decision, by, time));
        }
    }

    /// The decision on a claim is postponed: play continues.
    pub(super) fn postpone(&mut self, id: EntrySeq) {
        if let Some(claim) = self.find(id) {
            claim.postponed = true;
        }
    }

    /// The claims on which the decision was postponed: the newest of each player, oldest first.
    pub(super) fn postponed(&self) -> Vec<&ClaimRecord> {
        let newest = |side| {
            let mut claims = self.claims.iter().filter(|claim| claim.waits());
            claims.rfind(|claim| claim.by == side)
        };
        let both = [newest(Side::White), newest(Side::Black)];
        let mut claims: Vec<&ClaimRecord> = both.into_iter().flatten().collect();
        claims.sort_by_key(|claim| claim.id);
        claims
    }

    /// The newest claim that was granted, among those that satisfy `wanted`.
    pub(super) fn granted(&self, wanted: impl Fn(&ClaimRecord) -> bool) -> Option<EntrySeq> {
        let granted = |claim: &&ClaimRecord| {
            let correct = claim.ruling.as_ref().is_some_and(|ruling| ruling.correct);
            claim.kind != Claimed::Increment && correct && wanted(claim)
        };
        self.claims.iter().rev().find(granted).map(|claim| claim.id)
    }

    /// A claim is open again, and with it the earlier ones of the player that were decided together
    /// with it. Returns whether the decision on it was postponed.
    pub(super) fn reopen(&mut self, id: EntrySeq) -> Option<bool> {
        let claim = self.find(id)?;
        let ruled = claim.ruling.take();
        let (by, postponed) = (claim.by, claim.postponed);
        for older in &mut self.claims {
            let together = older.postponed && older.by == by && older.ruling == ruled;
            older.ruling.take_if(|_| together);
        }
        Some(postponed)
    }

    /// The newest claim is open again by a corrected record, in which this was found.
    pub(super) fn reopen_newest(&mut self, found: Examination, position: Chess) {
        self.made_in = Some(position);
        if let Some(claim) = self.claims.last_mut() {
            claim.ruled_before = claim.ruling.take();
            claim.rest_on(Some(found));
        }
    }

    /// The record has changed under the newest claim.
    pub(super) fn reexamine(&mut self, found: Option<Examination>) {
        if let Some(claim) = self.claims.last_mut()
            && claim.finding.is_some()
        {
            claim.rest_on(found);
        }
    }

    /// The newest claim follows its position to `position` in a corrected record, if its announced
    /// move is legal there.
    pub(super) fn follow_to(&mut self, position: Chess) {
        let Some(claim) = self.claims.last_mut() else {
            return;
        };
        let announced = claim.announced.as_ref();
        if let Some(Ok(m)) = announced.map(|m| notation::parse_move(m.text(), &position)) {
            claim.announced = Some(MoveText::new(m, &position).into());
            self.made_in = Some(position);
        }
    }

    /// The newest claim was made after this ply of a corrected record.
    pub(super) fn move_newest_to(&mut self, ply: Ply) {
        if let Some(claim) = self.claims.last_mut() {
            claim.ply = ply;
        }
    }

    /// The touches before the newest claim meant nothing.
    pub(super) fn void_touches(&mut self) {
        if let Some(claim) = self.claims.last_mut() {
            claim.contested = None;
            claim.remarks.retain(|remark| {
                !matches!(
                    remark,
                    Remark::PieceTouchedBefore | Remark::TouchUnsure | Remark::MoveMadeBefore
                )
            });
        }
    }

    /// The change of the clock that was ordered for a claim that was ruled incorrect.
    pub(super) fn penalty_for(&self, id: EntrySeq) -> Option<&Adjustment> {
        let (of, penalty) = self.penalty.as_ref()?;
        (*of == id).then_some(penalty)
    }

    /// Records the change of the clock that is ordered for a claim.
    pub(super) fn note_penalty(&mut self, id: EntrySeq, ordered: &[Fact]) {
        if let [Fact::AdjustmentOrdered(ordered)] = ordered {
            self.penalty = Some((id, ordered.clone()));
        }
    }

    /// The change of the clock for a claim is withdrawn.
    pub(super) fn forget_penalty(&mut self) {
        self.penalty = None;
    }

    fn groundless(&self, by: Side) -> usize {
        let rejected = |claim: &&ClaimRecord| {
            let is_incorrect = claim.is_ruled(ClaimDecision::Incorrect);
            claim.by == by && claim.kind != Claimed::Increment && is_incorrect
        };
        self.claims.iter().filter(rejected).count()
    }

    /// The players who claim repeatedly without ground, and how often, until the arbiter has seen
    /// it.
    pub(super) fn repeated_without_ground(&self) -> impl Iterator<Item = (Side, usize)> {
        Color::ALL.into_iter().filter_map(|color| {
            let count = self.groundless(color.into());
            let seen = *self.groundless_seen.get(color);
            (count > seen.max(1)).then(|| (color.into(), count))
        })
    }

    /// The arbiter has seen that a player does so.
    pub(super) fn acknowledge_groundless(&mut self, by: Side) {
        *self.groundless_seen.get_mut(by.into()) = self.groundless(by);
    }
}

impl Game {
    /// Every claim of this game, oldest first.
    #[must_use]
    pub fn claims(&self) -> &[ClaimRecord] {
        &self.claims.claims
    }

    /// The claim that waits for a ruling as far as the players know.
    pub(super) fn unruled_claim(&self) -> Option<&ClaimRecord> {
        self.claims.unruled()
    }

    /// The newest claim, if its announced move is not written down: nothing is examined before
    /// that. Until the player claims anew or moves, or the arbiter has seen it.
    #[must_use]
    pub fn unwritten_claim(&self) -> Option<&ClaimRecord> {
        self.claims
            .unwritten
            .as_ref()
            .filter(|_| self.result().is_none())
    }
}

impl ClaimRecord {
    /// Whether this was decided on it.
    pub(super) fn is_ruled(&self, decision: ClaimDecision) -> bool {
        let ruling = self.ruling.as_ref();
        ruling.is_some_and(|ruling| ruling.decision() == decision)
    }

    /// Whether its announced move is not written down: there is nothing to examine yet.
    fn is_defective(&self) -> bool {
        self.finding == Some(Finding::DefectiveNotWritten)
    }

    /// Whether the decision on it was postponed and is still to be made.
    const fn waits(&self) -> bool {
        self.postponed && self.ruling.is_none()
    }

    /// It rests on another record now; `None` where that no longer has its ply.
    fn rest_on(&mut self, found: Option<Examination>) {
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
