//! A claim and an end of the game by the Laws alone: what came first goes before.
//!
//! A claim stops the game (9.5). If a mate is played after the claim, or a position occurs for the
//! fifth time, the end waits for the ruling. A correct claim means that the game was drawn before;
//! after any other ruling the end remains in force.

use super::{
    ClaimRecord, Confirm, Fact, Game, GameResult, Refusal, ResultReason, alert::AlertCode,
};
use remisd_laws::{AutomaticEnd, AutomaticKind, Score};
use remisd_vocabulary::seq::EntrySeq;

impl Game {
    /// The claim that waits for a ruling. It goes before an end by the Laws that came after
    /// it; one that came before it has ended the game.
    #[must_use]
    pub fn open_claim(&self) -> Option<&ClaimRecord> {
        let claim = self.unruled_claim()?;
        let open = match self.result() {
            None => true,
            Some(result) => result.reason.is_automatic() && self.is_before_end(claim),
        };
        open.then_some(claim)
    }

    /// Whether a claim was made before the end in force.
    fn is_before_end(&self, claim: &ClaimRecord) -> bool {
        let Some((ply, _)) = self.ended() else {
            return true;
        };
        if !self.sequence.is_of_record(claim.id) {
            return true;
        }
        // A move that was on the board already when the player claimed was made before.
        let stood = claim.contested.as_ref().and_then(|t| t.made.as_ref());
        let next = self.moves().get(claim.ply as usize).map(|made| &made.text);
        let by_that = ply == claim.ply + 1 && stood.is_some() && stood == next;
        claim.ply < ply && !by_that
    }

    /// Whether an end by the Laws waits for the ruling on a claim.
    pub(super) fn end_waits_for_claim(&self) -> bool {
        self.unruled_claim()
            .is_some_and(|claim| self.is_before_end(claim))
    }

    /// Whether an end by the Laws waits for the arbiter because of its record. A second account
    /// differs, or the count that has ended the game may lack moves.
    pub(super) fn end_waits_for_record(&self, reason: ResultReason) -> bool {
        let is_counted = matches!(
            reason,
            ResultReason::Fivefold | ResultReason::SeventyFiveMove
        );
        let is_unsure = || self.counts_unseen() || self.source_uncertain_since().is_some();
        let is_doubted = self.judgement.doubts_the_record() && is_counted && is_unsure();
        let differs = self.account_differs_since().is_some();
        reason.is_automatic() && (differs || is_doubted)
    }

    /// Refuses to confirm an end before the claim that came first is ruled on.
    pub(super) fn end_may_be_confirmed(&self, alert: &str) -> Result<(), Refusal> {
        let mut open = self.alerts.open().iter();
        let code = open.find(|open| open.id == alert).map(|open| open.code);
        let of_end = matches!(
            code,
            Some(
                AlertCode::Fivefold
                    | AlertCode::SeventyFiveMove
                    | AlertCode::DeadPosition
                    | AlertCode::GameOver
            )
        );
        match self.open_claim() {
            Some(claim) if of_end && self.ended().is_some() => {
                Err(rule_first_on(claim, "the end of the game"))
            }
            _ => Ok(()),
        }
    }

    /// Ends the game by a claim, where it was made: moves that followed are none of it.
    pub(super) fn draw_by_claim(
        &mut self,
        claim: &ClaimRecord,
        reason: ResultReason,
        by_arbiter: bool,
    ) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some(ply) = self.ends.move_behind_claim() {
            facts.push(Fact::EndRetracted { ply });
        }
        let in_record = self.sequence.is_of_record(claim.id) && !claim.postponed;
        let ply = Some(claim.ply).filter(|ply| in_record && *ply <= self.ply());
        facts.extend(self.conclude_as(GameResult {
            score: Score::Draw,
            reason,
            article: Some(claim.article.clone()),
            ply: ply.unwrap_or(self.ply()),
            announced: claim.announced.clone(),
            confirmed: by_arbiter || self.rules.confirm == Confirm::Automatic,
        }));
        facts
    }

    /// The ruling has not ended the game: an end that has waited for it comes into force.
    pub(super) fn end_stands(&mut self, by: &str) -> Vec<Fact> {
        let waits = |result: &GameResult| self.end_waits_for_record(result.reason);
        let waits = self.judgement.doubts_the_record() && self.result().is_some_and(waits);
        if waits || self.rules.confirm != Confirm::Automatic || !self.outcome.confirm() {
            return Vec::new();
        }
        let (by, game) = (by.to_owned(), None);
        let mut facts = vec![Fact::ResultConfirmed { by, game }];
        facts.extend(self.end_offer_with_game());
        facts
    }

    /// The claim that was granted, if no position was set up since.
    pub(super) fn granted_claim(&self) -> Option<EntrySeq> {
        let by_claim = self.outcome.drawn_by_claim().is_some();
        (self.claims).granted(|claim| by_claim || self.sequence.is_of_record(claim.id))
    }

    /// The arbiter takes back that a claim was granted: it is open again, and so is an
    /// end that came after it.
    pub(super) fn reopen_claim(&mut self, granted: Option<EntrySeq>) -> Vec<Fact> {
        let Some(claim) = granted else {
            return Vec::new();
        };
        let Some(postponed) = self.claims.reopen(claim) else {
            return Vec::new();
        };
        let mut facts = vec![Fact::ClaimReopened { claim }];
        if let Some((ply, end)) = self.ends.stand_again() {
            facts.push(Fact::ended(ply, end));
            facts.extend(self.conclude_end(end));
        }
        if !postponed {
            facts.extend(self.pause_for_claim(None));
        }
        facts
    }

    /// The result of an end by the Laws.
    pub(super) fn conclude_end(&mut self, end: AutomaticEnd) -> Vec<Fact> {
        let score = self.score_of_end(end);
        self.conclude(score, end.kind.into(), end.article, false)
    }

    /// The score of an end by the Laws in the position on the board.
    pub(super) fn score_of_end(&self, end: AutomaticEnd) -> Score {
        match end.kind {
            AutomaticKind::Checkmate => Score::won_by(self.turn().other()),
            _ => Score::Draw,
        }
    }
}

/// A claim goes before what came after it.
pub(super) fn rule_first_on(claim: &ClaimRecord, what: &str) -> Refusal {
    let ply = claim.ply;
    let text = format!("the claim of ply {ply} was made first: rule on it before {what}");
    Refusal::wrong_state(text)
}
