//! What is so at the moment and deserves an alert.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    Fact, Game,
    alert::{AlertCode, Condition},
};
use crate::{
    laws::{AutomaticKind, ClaimKind},
    notation::color,
};

impl Game {
    /// Opens and closes alerts as the state of the game asks for.
    pub(super) fn reconcile_alerts(&mut self, now: Timestamp) -> Vec<Fact> {
        let conditions = self.conditions();
        self.alerts.reconcile(conditions, self.seq, now)
    }

    fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        conditions.extend(self.end_condition());
        if self.result.is_none() {
            conditions.extend(self.claim_conditions());
            conditions.extend(self.mismatch_condition());
        }
        if let Some(Err(reason)) = &self.link {
            let arguments = [("reason", json!(reason))];
            conditions.push(Condition::new(AlertCode::BoardLost, None, arguments));
        }
        conditions
    }

    fn end_condition(&self) -> Option<Condition> {
        let (ply, end) = self.ended?;
        let code = match end.kind {
            AutomaticKind::Fivefold => AlertCode::Fivefold,
            AutomaticKind::SeventyFiveMove => AlertCode::SeventyFiveMove,
            AutomaticKind::DeadPosition => AlertCode::DeadPosition,
            AutomaticKind::Checkmate | AutomaticKind::Stalemate => AlertCode::GameOver,
        };
        let arguments = [("ply", json!(ply)), ("kind", json!(end.kind))];
        Some(Condition::new(code, Some(end.article), arguments))
    }

    fn claim_conditions(&self) -> impl Iterator<Item = Condition> {
        [
            (AlertCode::ThreefoldClaimable, ClaimKind::Threefold),
            (AlertCode::FiftyMoveClaimable, ClaimKind::FiftyMove),
        ]
        .into_iter()
        .filter_map(|(code, kind)| {
            let claim = self.draw.claims.iter().find(|claim| claim.kind == kind)?;
            let arguments = [("by", json!(color(claim.by))), ("ply", json!(self.ply()))];
            Some(Condition::new(code, Some(claim.article), arguments))
        })
    }

    fn mismatch_condition(&self) -> Option<Condition> {
        let (reason, squares, since_ply) = self.mismatch.as_ref()?;
        let squares: Vec<&str> = squares.iter().map(|s| s.square.as_str()).collect();
        let arguments: [(&str, Value); 3] = [
            ("reason", json!(reason)),
            ("squares", json!(squares)),
            ("since_ply", json!(since_ply)),
        ];
        Some(Condition::new(AlertCode::BoardMismatch, None, arguments))
    }
}
