//! Rulings that the arbiter takes back, or that rest on a record that was corrected.

use super::{
    Adjustment, AdjustmentReason, ClaimDecision, ClaimRecord, Fact, Game, LossBy, Refusal, Score,
    Side,
};
use remisd_laws::{Examination, Finding, TimeChange};

impl Game {
    /// Withdraws the newest ruling on an illegal move of this player, and what followed from it:
    /// the loss of the game, or a change of the clock.
    pub(super) fn withdraw_illegal_move(&mut self, by: Side) -> Result<Vec<Fact>, Refusal> {
        // The newest illegal move may have lost the game.
        let lost =
            self.outcome.is_lost_by(LossBy::IllegalMove) && self.illegal_moves.newest_is_by(by);
        if !lost {
            self.must_be_in_progress()?;
        }
        let Some((left, penalty)) = self.illegal_moves.withdraw(by) else {
            let text = format!("no illegal move by {} was ruled on", by.as_str());
            return Err(Refusal::wrong_state(text));
        };
        let mut facts = vec![Fact::IllegalMoveWithdrawn { by, left }];
        if lost {
            facts.extend(self.enter_result(Score::None));
        }
        if let Some(penalty) = penalty {
            facts.extend(self.undo(&penalty));
        }
        Ok(facts)
    }

    /// A change of the clock is not to be made, or the other way round if it was.
    fn undo(&mut self, penalty: &Adjustment) -> Vec<Fact> {
        if let Some(fact) = self.clock.withdraw(&penalty.id) {
            return vec![fact];
        }
        let undo = |change| match change {
            TimeChange::None => TimeChange::None,
            TimeChange::AddMs(ms) => TimeChange::AddMs(ms.saturating_neg()),
            TimeChange::SetMs(_) | TimeChange::Unknown => TimeChange::Unknown,
        };
        let changes = penalty.changes().map(undo);
        self.order_adjustment(changes, AdjustmentReason::Withdrawn)
    }

    /// The record was corrected under a draw by a claim: unless it still bears the claim out, the
    /// arbiter has to confirm the draw, or withdraws it and rules again.
    pub(super) fn reconsider_draw(&mut self) {
        // The arbiter may also have drawn the game on an earlier claim in the last two minutes.
        let is_examined = |claim: &&ClaimRecord| {
            !claim.kind.is_quickplay()
                && self.sequence.is_of_record(claim.id)
                && claim.is_ruled(ClaimDecision::Correct)
        };
        let claim = self.claims.newest().filter(is_examined);
        let Some(claim) = claim.filter(|_| self.outcome.drawn_by_claim().is_some()) else {
            return;
        };
        let found = self.examined_in_record(claim);
        if found.as_ref().is_some_and(|found| bears_out(claim, found)) {
            return;
        }
        let is_correct = |found: &Examination| found.finding == Finding::Correct;
        if !found.as_ref().is_some_and(is_correct) {
            self.outcome.unconfirm();
        }
        self.claims.reexamine(found);
    }

    /// A move was made after others were taken back. If the record is at the ply of the newest claim
    /// again, its ruling is reconsidered.
    pub(super) fn ruling_reached(&mut self) -> Vec<Fact> {
        match self.claims.newest() {
            Some(claim) if claim.ply == self.ply() => self.reconsider_ruling(),
            _ => Vec::new(),
        }
    }

    /// The record was corrected under a claim that was ruled incorrect: if it says otherwise
    /// now, the claim is open again, and a penalty not yet applied is dropped.
    pub(super) fn reconsider_ruling(&mut self) -> Vec<Fact> {
        let Some(claim) = self.claims.newest() else {
            return Vec::new();
        };
        if !claim.is_ruled(ClaimDecision::Incorrect) {
            return Vec::new();
        }
        let Some(found) = self.examined_in_record(claim) else {
            return Vec::new();
        };
        if bears_out(claim, &found) || found.finding == Finding::Incorrect {
            return Vec::new();
        }
        let id = claim.id;
        let position = self.record.replayed(claim.ply).position().clone();
        self.announced.release();
        self.claims.reopen_newest(found, position);
        let mut facts = vec![Fact::ClaimReopened { claim: id }];
        let penalty = self.claims.penalty_for(id);
        if let Some(withdrawn) = penalty.and_then(|penalty| self.clock.withdraw(&penalty.id)) {
            self.claims.forget_penalty();
            facts.push(withdrawn);
        }
        if self.open_claim().is_some() {
            facts.extend(self.pause_for_claim(None));
        }
        facts
    }
}

/// Whether a claim rests on the same plies as before.
fn bears_out(claim: &ClaimRecord, found: &Examination) -> bool {
    (&found.plies, found.halfmove_clock, found.last_zeroing)
        == (&claim.plies, claim.halfmove_clock, claim.last_zeroing)
}
