//! A claim and an end of the game by the Laws alone: what came first goes before.
//!
//! Who claims stops the game (9.5). If a mate is played behind the claim, or a position
//! stands for the fifth time, the end waits for the ruling: by a correct claim the game was
//! drawn before, after any other ruling the end stands.

use super::{
    ClaimRecord, Claimed, Confirm, Fact, Game, GameResult, RefusalCode, ResultReason,
    alert::AlertCode, obey::Refused,
};
use remisd_laws::{AutomaticEnd, AutomaticKind, Ply, Score};

impl Game {
    /// The claim that waits for a ruling. It goes before an end by the Laws that came after
    /// it; one that came before it has ended the game.
    #[must_use]
    pub fn open_claim(&self) -> Option<&ClaimRecord> {
        let claim = self.unruled_claim()?;
        let open = match &self.result {
            None => true,
            Some(result) => result.reason.is_automatic() && self.is_before_end(claim),
        };
        open.then_some(claim)
    }

    /// Whether a claim was made before the end that stands.
    fn is_before_end(&self, claim: &ClaimRecord) -> bool {
        let Some((ply, _)) = self.ended else {
            return true;
        };
        if claim.id < self.record_seq {
            return true;
        }
        // A move that stood on the board already when he claimed was made before.
        let stood = claim.contested.as_ref().and_then(|t| t.made.as_ref());
        let next = self.moves.get(claim.ply as usize).map(|made| &made.text);
        let by_that = ply == claim.ply + 1 && stood.is_some() && stood == next;
        claim.ply < ply && !by_that
    }

    /// Whether an end by the Laws waits for the ruling on a claim.
    pub(super) fn end_waits_for_claim(&self) -> bool {
        self.unruled_claim()
            .is_some_and(|claim| self.is_before_end(claim))
    }

    /// Refuses to confirm an end before the claim that came first is ruled on.
    pub(super) fn end_may_be_confirmed(&self, alert: &str) -> Result<(), Refused> {
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
            Some(claim) if of_end && self.ended.is_some() => {
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
        if let Some((ply, end)) = self.ended.take() {
            self.end_behind_claim = Some((ply, end));
            self.acted_after_end = false;
            facts.push(Fact::EndRetracted { ply });
        }
        let in_record = claim.id >= self.record_seq && !claim.postponed;
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

    /// Whether the game was drawn by a claim before this ply.
    pub(super) fn is_drawn_by_claim_before(&self, ply: Ply) -> bool {
        let result = self.result.as_ref();
        result.is_some_and(|result| result.reason.is_by_claim() && result.ply < ply)
    }

    /// The ruling has not ended the game: an end that has waited for it stands.
    pub(super) fn end_stands(&mut self, by: &str) -> Vec<Fact> {
        if self.rules.confirm != Confirm::Automatic {
            return Vec::new();
        }
        let Some(result) = self.result.as_mut().filter(|result| !result.confirmed) else {
            return Vec::new();
        };
        result.confirmed = true;
        let (by, game) = (by.to_owned(), None);
        let mut facts = vec![Fact::ResultConfirmed { by, game }];
        facts.extend(self.end_offer_with_game());
        facts
    }

    /// The claim that was granted, if the game is not taken up from another position since.
    pub(super) fn granted_claim(&self) -> Option<u64> {
        let by_claim = self.result.as_ref().is_some_and(|r| r.reason.is_by_claim());
        let granted = |claim: &&ClaimRecord| {
            let correct = claim.ruling.as_ref().is_some_and(|ruling| ruling.correct);
            let here = by_claim || claim.id >= self.record_seq;
            claim.kind != Claimed::Increment && correct && here
        };
        self.claims.iter().rev().find(granted).map(|claim| claim.id)
    }

    /// The arbiter takes back that he has granted a claim: it is open again, and so is an
    /// end that came after it.
    pub(super) fn reopen_claim(&mut self, granted: Option<u64>) -> Vec<Fact> {
        let by_id = |claim: &&mut ClaimRecord| Some(claim.id) == granted;
        let Some(claim) = self.claims.iter_mut().find(by_id) else {
            return Vec::new();
        };
        let ruled = claim.ruling.take();
        let (claim, by, postponed) = (claim.id, claim.by, claim.postponed);
        // What was postponed of his before was decided together with it.
        for older in &mut self.claims {
            let together = older.postponed && older.by == by && older.ruling == ruled;
            older.ruling.take_if(|_| together);
        }
        let mut facts = vec![Fact::ClaimReopened { claim }];
        if let Some((ply, end)) = self.end_behind_claim.take() {
            self.ended = Some((ply, end));
            facts.push(Fact::Ended {
                ply,
                kind: end.kind,
                article: end.article.to_owned(),
            });
            facts.extend(self.conclude_end(end));
        }
        if !postponed {
            facts.extend(self.pause_for_claim());
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

impl ResultReason {
    /// Whether a player has claimed it.
    pub(super) const fn is_by_claim(self) -> bool {
        matches!(
            self,
            Self::ThreefoldClaim | Self::FiftyMoveClaim | Self::Quickplay
        )
    }
}

/// A claim goes before what came after it.
pub(super) fn rule_first_on(claim: &ClaimRecord, what: &str) -> Refused {
    let ply = claim.ply;
    let text = format!("the claim of ply {ply} was made first: rule on it before {what}");
    (RefusalCode::WrongState, text)
}
