//! The conditions of now that deserve an alert.

mod accounts;
mod decisions;
mod sensors;
mod source;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Fact, Game, GameResult, Side,
    alert::{AlertCode, Condition, Level},
};
use remisd_laws::{AutomaticKind, ClaimKind};
use remisd_vocabulary::notation::color;

/// Halfmoves before the 75 moves at which the arbiter is asked to walk over: five moves each.
const EARLY_HALFMOVES: u32 = 10;

impl Game {
    /// Opens and closes alerts as the state of the game asks for.
    pub(super) fn reconcile_alerts(&mut self) -> Vec<Fact> {
        let conditions = self.conditions();
        self.alerts.reconcile(conditions, self.seq(), self.now())
    }

    fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        conditions.extend(self.end_condition());
        conditions.extend(self.play_after_end());
        conditions.extend(self.claim_in_progress());
        conditions.extend(self.claim_reconsidered());
        if self.status().result().is_none() {
            conditions.extend(self.flag_condition());
            conditions.extend(self.postponed_conditions());
            conditions.extend(self.loss_condition());
            conditions.extend(self.agreement_condition());
            conditions.extend(self.claim_conditions());
            conditions.extend(self.early_warnings());
            conditions.extend(self.reading_conditions());
            conditions.extend(self.offer_conditions());
            conditions.extend(self.claims_repeated());
            conditions.extend(self.mismatch_condition());
            conditions.extend(self.clock_stopped());
            conditions.extend(self.clock_mismatch());
        }
        conditions.extend(self.agreed_without_play());
        conditions.extend(self.proposal_condition());
        conditions.extend(self.wrong_start_condition());
        conditions.extend(self.sensor_conditions());
        conditions.extend(self.source_conditions());
        conditions.extend(self.account_conditions());
        conditions.extend(self.adjustment_conditions());
        conditions.extend(self.broken_announcement());
        conditions.extend(self.unconfirmed_conditions());
        conditions.extend(self.unresolved_conditions());
        if self.record.counts_restarted() {
            let arguments = [("ply", json!(0))];
            conditions.push(Condition::new(AlertCode::CountsRestarted, None, arguments));
        }
        if let Some(down) = self.journal_down() {
            let arguments = [("code", json!(down.code)), ("reason", json!(down.reason))];
            conditions.push(Condition::new(AlertCode::JournalDown, None, arguments));
        }
        if !self.broker_conflict.namesakes.is_empty() {
            let arguments = [("hosts", json!(self.broker_conflict.namesakes))];
            conditions.push(Condition::new(AlertCode::NodeTwice, None, arguments));
        }
        if self.broker_conflict.taken_over {
            conditions.push(Condition::new(AlertCode::SessionTakenOver, None, []));
        }
        conditions.extend(self.silent_phones.iter().map(|phone| {
            let arguments = [
                ("phone", json!(phone.name)),
                ("reason", json!(phone.reason)),
            ];
            Condition::new(AlertCode::PhoneSilent, None, arguments).about(&*phone.name)
        }));
        conditions.extend(self.journal.conditions());
        if let Some(Err(down)) = self.link() {
            let arguments = [("code", json!(down.code)), ("reason", json!(down.reason))];
            conditions.push(Condition::new(AlertCode::BoardLost, None, arguments));
        }
        conditions
    }

    fn end_condition(&self) -> Option<Condition> {
        let (ply, end) = self.ended()?;
        let code = match end.kind {
            AutomaticKind::Fivefold => AlertCode::Fivefold,
            AutomaticKind::SeventyFiveMove => AlertCode::SeventyFiveMove,
            AutomaticKind::DeadPosition => AlertCode::DeadPosition,
            AutomaticKind::Checkmate | AutomaticKind::Stalemate => AlertCode::GameOver,
        };
        let mut arguments = vec![
            ("ply", json!(ply)),
            ("after", self.record.numbered(ply)),
            ("kind", json!(end.kind)),
        ];
        if code == AlertCode::DeadPosition {
            let grounds = self.grounds().filter(|(since, _)| *since == ply);
            // Journals of earlier versions have none, and their alerts no such arguments.
            if let Some((_, grounds)) = grounds {
                arguments.push(("white", json!(grounds.white)));
                arguments.push(("black", json!(grounds.black)));
            }
        }
        Some(Condition::new(code, Some(end.article), arguments))
    }

    /// Play continues although the game was over and is not closed.
    fn play_after_end(&self) -> Option<Condition> {
        let (ply, end) = self.ended()?;
        if !self.ends.is_played_past(self.ply()) || self.status().is_closed() {
            return None;
        }
        let decided = self.decided_after_end();
        let arguments = [
            ("ply", json!(ply)),
            ("after", self.record.numbered(ply)),
            ("kind", json!(end.kind)),
            ("now_ply", json!(self.ply())),
            ("now_after", self.record.numbered(self.ply())),
            ("decided", json!(decided.map(|decided| decided.what))),
            ("by", json!(decided.and_then(|decided| decided.by))),
        ];
        let code = AlertCode::PlayAfterEnd;
        let condition = Condition::new(code, Some(end.article), arguments);
        Some(if self.ends.is_play_seen_after(ply) {
            condition.at(Level::Amber)
        } else {
            condition
        })
    }

    fn claim_conditions(&self) -> impl Iterator<Item = Condition> {
        [
            (AlertCode::ThreefoldClaimable, ClaimKind::Threefold),
            (AlertCode::FiftyMoveClaimable, ClaimKind::FiftyMove),
        ]
        .into_iter()
        .filter_map(|(code, kind)| {
            let claim = self.draw().claims.iter().find(|claim| claim.kind == kind)?;
            let arguments = [("by", json!(color(claim.by))), ("ply", json!(self.ply()))];
            Some(Condition::new(code, Some(claim.article), arguments))
        })
    }

    /// The automatic ends are near: time for the arbiter to walk over.
    fn early_warnings(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let articles = &self.regulations.edition.articles;
        let repetition = &self.draw().repetition;
        if self.occurrences_to_fivefold() == Some(1) {
            let arguments = [
                ("ply", json!(self.ply())),
                ("plies", json!(repetition.plies)),
                ("after", self.record.all_numbered(&repetition.plies)),
            ];
            let code = AlertCode::FourthOccurrence;
            conditions.push(Condition::new(code, Some(articles.fivefold), arguments));
        }
        let remaining = self.plies_to_seventy_five();
        if let Some(remaining) =
            remaining.filter(|remaining| (1..=EARLY_HALFMOVES).contains(remaining))
        {
            let arguments = [
                ("halfmove_clock", json!(self.draw().halfmove_clock)),
                ("moves_left", json!(remaining.div_ceil(2))),
            ];
            let code = AlertCode::SeventyMoves;
            conditions.push(Condition::new(code, Some(articles.seventy_five), arguments));
        }
        conditions
    }

    /// The clock is stopped in mid-game although no pause was requested.
    fn clock_stopped(&self) -> Option<Condition> {
        let unexpected = self.clock.stands_unasked() && self.ply() > 0;
        unexpected.then(|| Condition::new(AlertCode::ClockStopped, None, []))
    }

    /// When the clock has run for the wrong player long enough for an alert.
    fn clock_mismatch_due(&self) -> Option<Timestamp> {
        self.clock.wrong_due(self.rules.clock_mismatch_ms)
    }

    /// The clock runs for the player who does not have the move.
    ///
    /// For a while that is normal: a move is made and the clock not pressed yet, or the move is not
    /// settled. After that a press was missed, or board and clock are not the same way round.
    fn clock_mismatch(&self) -> Option<Condition> {
        self.clock_mismatch_due().filter(|due| *due <= self.now())?;
        let arguments = [
            ("running", json!(self.wrongly_running()?)),
            ("turn", json!(Side::from(self.turn()))),
        ];
        Some(Condition::new(AlertCode::ClockMismatch, None, arguments))
    }

    /// When an alert is due that no input brings: a red one has been unacknowledged for too
    /// long, or the clock has run for the wrong player.
    #[must_use]
    pub fn alert_due_at(&self) -> Option<Timestamp> {
        let overdue = self.alerts.overdue_at(self.rules.escalate_ms);
        let mut open = self.alerts.open().iter();
        let raised = open.any(|alert| alert.code == AlertCode::ClockMismatch);
        let wrong = self.clock_mismatch_due().filter(|_| !raised);
        overdue.into_iter().chain(wrong).min()
    }
}

fn result_arguments(result: &GameResult) -> [(&'static str, Value); 3] {
    [
        ("score", json!(result.score)),
        ("kind", json!(result.reason)),
        ("ply", json!(result.ply)),
    ]
}
