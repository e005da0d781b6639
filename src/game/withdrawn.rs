//! Rulings that the arbiter takes back, or that rest on a record which he has corrected.

use super::{
    Adjustment, AdjustmentReason, ClaimDecision, ClaimRuling, Fact, Game, LossBy, RefusalCode,
    ResultReason, Score, Side, obey::Refused,
};
use remisd_laws::{Finding, TimeChange};

/// Rulings on illegal moves that are remembered for one game, the newest ones.
const RULINGS: usize = 64;

impl Game {
    /// Remembers whose illegal move was ruled on.
    pub(super) fn note_illegal_move(&mut self, by: Side) {
        if self.illegal_rulings.len() == RULINGS {
            self.illegal_rulings.remove(0);
        }
        self.illegal_rulings.push((by, None));
    }

    /// The same for the change of the clock that is ordered for it.
    pub(super) fn note_illegal_penalty(&mut self, ordered: &[Fact]) {
        if let ([Fact::AdjustmentOrdered(ordered)], Some((_, penalty))) =
            (ordered, self.illegal_rulings.last_mut())
        {
            *penalty = Some(ordered.clone());
        }
    }

    /// The newest ruling on an illegal move of this player is taken back, and with it what
    /// followed from it: the loss of the game, or a change of the clock.
    pub(super) fn withdraw_illegal_move(&mut self, by: Side) -> Result<Vec<Fact>, Refused> {
        let lost = self.has_lost_by_illegal_move(by);
        if !lost {
            self.must_be_in_progress()?;
        }
        let Some(at) = self.illegal_rulings.iter().rposition(|(of, _)| *of == by) else {
            let text = format!("no illegal move by {} was ruled on", by.as_str());
            return Err((RefusalCode::WrongState, text));
        };
        let (_, penalty) = self.illegal_rulings.remove(at);
        let count = match by {
            Side::White => &mut self.illegal_moves.0,
            Side::Black => &mut self.illegal_moves.1,
        };
        *count = count.saturating_sub(1);
        let mut facts = vec![Fact::IllegalMoveWithdrawn { by, left: *count }];
        if lost {
            facts.extend(self.enter_result(Score::None));
        }
        if let Some(penalty) = penalty {
            facts.extend(self.undo(&penalty));
        }
        Ok(facts)
    }

    /// Whether the game is over, or is to be, by an illegal move of this player: the newest.
    fn has_lost_by_illegal_move(&self, by: Side) -> bool {
        let pending = self.pending_loss.map(|loss| loss.what);
        let reason = self.result.as_ref().map(|result| result.reason);
        let lost =
            pending == Some(LossBy::IllegalMove) || reason == Some(ResultReason::IllegalMove);
        let newest = self.illegal_rulings.last();
        lost && newest.is_some_and(|(of, _)| *of == by)
    }

    /// A change of the clock is not to be made, or the other way round if it was.
    fn undo(&mut self, penalty: &Adjustment) -> Vec<Fact> {
        if let Some(fact) = self.withdraw_adjustment(&penalty.id) {
            return vec![fact];
        }
        let undo = |change| match change {
            TimeChange::None => TimeChange::None,
            TimeChange::AddMs(ms) => TimeChange::AddMs(ms.saturating_neg()),
            TimeChange::SetMs(_) | TimeChange::Unknown => TimeChange::Unknown,
        };
        let (white, black) = (undo(penalty.white), undo(penalty.black));
        self.order_adjustment(white, black, AdjustmentReason::Withdrawn)
    }

    /// The record was corrected under a claim that was ruled incorrect: if it says otherwise
    /// now, the claim is open again, and a penalty that was not made yet is none.
    pub(super) fn reconsider_ruling(&mut self) -> Vec<Fact> {
        let Some(claim) = self.claims.last() else {
            return Vec::new();
        };
        let ruled = claim.ruling.as_ref().map(ClaimRuling::decision);
        if ruled != Some(ClaimDecision::Incorrect) {
            return Vec::new();
        }
        let Some(found) = self.examined_in_record(claim) else {
            return Vec::new();
        };
        let same = (&found.plies, found.halfmove_clock, found.last_zeroing)
            == (&claim.plies, claim.halfmove_clock, claim.last_zeroing);
        if same || found.finding == Finding::Incorrect {
            return Vec::new();
        }
        let id = claim.id;
        self.claimed_in = Some(self.replayed(claim.ply).position().clone());
        self.must_play = None;
        self.broken_announcement = None;
        if let Some(claim) = self.claims.last_mut() {
            claim.ruled_before = claim.ruling.take();
            claim.rest_on(Some(found));
        }
        let mut facts = vec![Fact::ClaimReopened { claim: id }];
        if let Some((_, penalty)) = self.claim_penalty.take_if(|(of, _)| *of == id) {
            match self.withdraw_adjustment(&penalty.id) {
                Some(withdrawn) => facts.push(withdrawn),
                None => self.claim_penalty = Some((id, penalty)),
            }
        }
        if self.open_claim().is_some() {
            facts.extend(self.pause_for_claim());
        }
        facts
    }

    /// The change of the clock that was made for the claim that is being checked, when it was
    /// ruled incorrect before.
    pub(super) fn penalty_made(&self) -> Option<&Adjustment> {
        let open = self.open_claim()?.id;
        let (claim, penalty) = self.claim_penalty.as_ref()?;
        (*claim == open).then_some(penalty)
    }
}
