//! What players and arbiter have decided or are to decide, and deserves an alert.

use serde_json::{Value, json};
use shakmaty::ByColor;

use super::result_arguments;
use crate::{
    Adjustment, AdjustmentReason, ClaimRecord, Game, LossBy, ResultReason, UnresolvedKind,
    alert::{AlertCode, Condition, Level},
    record::Record,
};
use remisd_laws::{AgreementRule, Fivefold, Remark, TimeChange};
use remisd_vocabulary::notation::color;

impl Game {
    pub(super) fn claim_in_progress(&self) -> Vec<Condition> {
        let Some(claim) = self.open_claim().or(self.unwritten_claim()) else {
            return Vec::new();
        };
        let san = claim.announced.as_ref().map_or("", |m| m.san());
        let legal = !claim.remarks.contains(&Remark::AnnouncedMoveIllegal);
        let contested = claim.contested.as_ref();
        let article = Some(claim.article.as_str());
        let costs = time_arguments(self.penalty_for(claim));
        let arguments = [
            ("by", json!(claim.by)),
            ("kind", json!(claim.kind)),
            ("basis", json!(claim.basis)),
            ("move", json!(san)),
            ("legal", yes_or_no(legal)),
            ("verdict", claim.finding.map_or(json!("none"), |f| json!(f))),
            ("plies", json!(claim.plies)),
            (
                "after",
                self.of_record(claim, |record| record.occurrences_numbered(claim)),
            ),
            ("count", json!(claim.plies.len())),
            ("halfmove_clock", json!(claim.halfmove_clock)),
            ("contested", yes_or_no(contested.is_some())),
            (
                "after_flag",
                yes_or_no(claim.remarks.contains(&Remark::FlagFallen)),
            ),
        ];
        let arguments = costs.into_iter().chain(arguments);
        let made = Condition::new(AlertCode::ClaimMade, article, arguments);
        // Whether it comes too late is a question only once it can be checked.
        let contested = contested.filter(|_| self.open_claim().is_some());
        let contested = contested.map(|touched| {
            let arguments = [
                ("by", json!(touched.by)),
                ("square", json!(touched.square.to_string())),
                ("sure", yes_or_no(touched.sure)),
                ("move", json!(touched.made.as_ref().map(|m| &m.san))),
            ];
            let article = Some(self.regulations.edition.articles.right_lost);
            Condition::new(AlertCode::ClaimContested, article, arguments)
        });
        std::iter::once(made).chain(contested).collect()
    }

    /// Something of the record in which a claim was made; null where that is another one.
    fn of_record(&self, claim: &ClaimRecord, read: impl FnOnce(&Record) -> Value) -> Value {
        if self.sequence.is_of_record(claim.id) {
            read(&self.record)
        } else {
            Value::Null
        }
    }

    /// The last move before a claim.
    fn claimed_after(&self, claim: &ClaimRecord) -> Value {
        self.of_record(claim, |record| record.numbered(claim.ply))
    }

    /// The claim was ruled incorrect before, by another record.
    pub(super) fn claim_reconsidered(&self) -> Option<Condition> {
        let claim = self.open_claim()?;
        claim.ruled_before.as_ref()?;
        let made = self.claims.penalty_for(claim.id);
        let unknown = ByColor::new_with(|_| TimeChange::Unknown);
        let changes = made.map_or(unknown, Adjustment::changes);
        let arguments = [
            ("by", json!(claim.by)),
            ("ply", json!(claim.ply)),
            ("after", self.claimed_after(claim)),
        ];
        let arguments = arguments.into_iter().chain(time_arguments(changes));
        let article = Some(self.regulations.edition.articles.claim_incorrect);
        let code = AlertCode::ClaimReconsidered;
        Some(Condition::new(code, article, arguments))
    }

    pub(super) fn flag_condition(&self) -> Option<Condition> {
        let player = self.clock.fallen_flag()?;
        let opponent = player.color().other();
        let can_mate = self.can_mate().and_then(|can| can.of(opponent));
        let arguments = [
            ("player", json!(player)),
            (
                "opponent_can_mate",
                can_mate.map_or(json!("unknown"), yes_or_no),
            ),
            ("action", json!(self.regulations.flag_call())),
        ];
        let article = Some(self.regulations.edition.articles.flag_fall);
        Some(Condition::new(AlertCode::FlagFall, article, arguments))
    }

    /// The decision on a claim in the last two minutes is still to be made.
    pub(super) fn postponed_conditions(&self) -> Vec<Condition> {
        let claims = self.postponed_claims().into_iter();
        let conditions = claims.map(|claim| {
            let arguments = [
                ("by", json!(claim.by)),
                ("ply", json!(claim.ply)),
                ("after", self.claimed_after(claim)),
                ("flag", json!(self.clock.fallen_flag())),
            ];
            let article = Some(claim.article.as_str());
            let code = AlertCode::DecisionPostponed;
            Condition::new(code, article, arguments).about(claim.id.to_string())
        });
        conditions.collect()
    }

    /// The solver could not decide who can mate, or a resignation waits for what came before it.
    pub(super) fn loss_condition(&self) -> Option<Condition> {
        if let Some(held) = self.held_resignation() {
            let unsettled = held.unsettled.as_ref().map(|m| m.san.as_str());
            let arguments = [
                ("what", json!(LossBy::Resignation)),
                ("player", json!(held.by)),
                ("waits_for", json!(held.waits_for)),
                ("move", json!(unsettled)),
            ];
            let article = Some(self.article_of(LossBy::Resignation));
            let code = AlertCode::DecisionNeeded;
            return Some(Condition::new(code, article, arguments));
        }
        let pending = self.pending_loss()?;
        self.can_mate()?;
        let arguments = [
            ("what", json!(pending.what)),
            ("player", json!(pending.loser)),
            ("waits_for", json!(null)),
            ("move", json!(null)),
        ];
        let article = Some(self.article_of(pending.what));
        let code = AlertCode::DecisionNeeded;
        Some(Condition::new(code, article, arguments))
    }

    pub(super) fn agreement_condition(&self) -> Option<Condition> {
        let articles = &self.regulations.edition.articles;
        let (reason, before_move, article) =
            match (self.agreed_too_early(), self.pending_agreement()) {
                (Some(moves), _) => ("too_early", Some(moves), articles.agreement),
                (None, pending) => match pending?.before_move {
                    Some(moves) => ("before_move", Some(moves), articles.restriction),
                    None => ("consent", None, articles.restriction),
                },
            };
        let arguments = [("reason", json!(reason)), ("move", json!(before_move))];
        let article = Some(article);
        Some(Condition::new(
            AlertCode::AgreementRestricted,
            article,
            arguments,
        ))
    }

    /// A draw was agreed before each player had made a move.
    pub(super) fn agreed_without_play(&self) -> Option<Condition> {
        let result = self.result()?;
        let without = result.reason == ResultReason::Agreement && self.record.moves_each() == 0;
        let article = Some(self.regulations.edition.articles.disrepute);
        let arguments = [("ply", json!(result.ply))];
        without.then(|| Condition::new(AlertCode::AgreedWithoutPlay, article, arguments))
    }

    /// What the edition's text leaves to the arbiter.
    pub(super) fn reading_conditions(&self) -> Vec<Condition> {
        let edition = self.regulations.edition;
        let mut conditions = Vec::new();
        if let Some(claim) = self.draw().disputed.first() {
            let arguments = [("by", json!(color(claim.by))), ("ply", json!(self.ply()))];
            let code = AlertCode::RepetitionDisputed;
            conditions.push(Condition::new(code, Some(claim.article), arguments));
        }
        let plies = &self.draw().repetition.plies;
        let uneven = edition.fivefold.is_some_and(|rule| {
            matches!(rule, Fivefold::Consecutive { .. })
                && self.draw().repetition.number() >= rule.occurrences()
                && !rule.is_met(plies)
        });
        if uneven {
            let arguments = [
                ("ply", json!(self.ply())),
                ("plies", json!(plies)),
                ("after", self.record.all_numbered(plies)),
            ];
            let code = AlertCode::FivefoldUneven;
            let article = Some(edition.articles.fivefold);
            conditions.push(Condition::new(code, article, arguments));
        }
        conditions
    }

    pub(super) fn offer_conditions(&self) -> Vec<Condition> {
        let Some(offer) = self.standing_offer() else {
            return Vec::new();
        };
        let articles = &self.regulations.edition.articles;
        let mut conditions = Vec::new();
        if offer.times > 1 && !offer.by_claim {
            let arguments = [("by", json!(offer.by)), ("count", json!(offer.times))];
            let code = AlertCode::OfferRepeated;
            conditions.push(Condition::new(code, Some(articles.distraction), arguments));
        }
        if offer.restricted {
            let before = match self.regulations.agreement {
                AgreementRule::NotBefore(moves) => Some(moves),
                AgreementRule::Free | AgreementRule::Never => None,
            };
            let arguments = [("by", json!(offer.by)), ("move", json!(before))];
            let code = AlertCode::OfferRestricted;
            conditions.push(Condition::new(code, Some(articles.restriction), arguments));
        }
        conditions
    }

    /// A player claims again and again without ground.
    pub(super) fn claims_repeated(&self) -> Vec<Condition> {
        let edition = self.regulations.edition;
        if !edition.claims.distract {
            return Vec::new();
        }
        let repeated = self.claims.repeated_without_ground();
        let conditions = repeated.map(|(by, count)| {
            let arguments = [("by", json!(by)), ("count", json!(count))];
            let article = Some(edition.articles.distraction);
            let condition = Condition::new(AlertCode::ClaimsRepeated, article, arguments);
            condition.about(by.as_str())
        });
        conditions.collect()
    }

    pub(super) fn adjustment_conditions(&self) -> Vec<Condition> {
        let adjustments = self.adjustments().iter();
        let conditions = adjustments.map(|adjustment| {
            let changes = time_arguments(adjustment.changes());
            let reason = [("reason", json!(adjustment.reason))];
            let arguments = changes.into_iter().chain(reason);
            let articles = &self.regulations.edition.articles;
            let article = match adjustment.reason {
                AdjustmentReason::IncorrectClaim => Some(articles.claim_incorrect),
                AdjustmentReason::IllegalMove => Some(articles.illegal_move),
                AdjustmentReason::Quickplay => Some(articles.quickplay),
                AdjustmentReason::Increment => Some(articles.quickplay_increment),
                AdjustmentReason::Arbiter | AdjustmentReason::Withdrawn => None,
            };
            let condition = Condition::new(AlertCode::ClockAdjustment, article, arguments);
            condition.about(adjustment.number())
        });
        conditions.collect()
    }

    pub(super) fn broken_announcement(&self) -> Option<Condition> {
        let broken = self.announced.broken()?;
        let arguments = [
            ("by", json!(broken.by)),
            ("announced", json!(broken.announced.san())),
            ("legal", yes_or_no(broken.legal)),
            ("played", json!(broken.played.san)),
        ];
        let code = AlertCode::AnnouncedMoveNotPlayed;
        let article = Some(self.regulations.edition.articles.claim_incorrect);
        Some(Condition::new(code, article, arguments))
    }

    /// What earlier games have left undecided.
    pub(super) fn unresolved_conditions(&self) -> impl Iterator<Item = Condition> {
        let left_out = self.left_out().undecided;
        self.unresolved_matters()
            .iter()
            .enumerate()
            .map(move |(at, matter)| {
                let unsettled = matter.unsettled.as_ref().map(|m| ("move", json!(m.san)));
                let arguments = [
                    ("game", json!(matter.game)),
                    ("what", json!(matter.what)),
                    ("by", json!(matter.by)),
                    ("ply", json!(matter.ply)),
                    ("score", json!(matter.score)),
                ];
                let versions = matter.versions.as_ref().map(|versions| {
                    [
                        ("source", json!(versions.source)),
                        ("record", json!(versions.record)),
                        ("other", json!(versions.other)),
                    ]
                });
                let arguments = arguments.into_iter().chain(unsettled);
                let arguments = arguments.chain(versions.into_iter().flatten());
                let arguments = arguments.chain(more(at, left_out));
                let condition = Condition::new(AlertCode::LeftUndecided, None, arguments);
                let condition = condition.about(matter.subject());
                match matter.what {
                    UnresolvedKind::Game => condition.at(Level::Amber),
                    _ => condition,
                }
            })
    }

    /// Unconfirmed ends: the players' own of this game, any of earlier games.
    pub(super) fn unconfirmed_conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        if let Some(result) = self
            .result()
            .filter(|r| !r.confirmed && !r.reason.is_automatic())
        {
            let after = [("after", self.record.numbered(result.ply))];
            let arguments = result_arguments(result).into_iter().chain(after);
            let code = AlertCode::ResultToConfirm;
            conditions.push(Condition::new(code, result.article.as_deref(), arguments));
        }
        let left_out = self.left_out().unconfirmed;
        for (at, matter) in self.unconfirmed().iter().enumerate() {
            let [score, kind, ply] = result_arguments(&matter.result);
            let arguments = [("game", json!(matter.game)), score, kind, ply];
            let arguments = arguments.into_iter().chain(more(at, left_out));
            let code = AlertCode::ResultUnconfirmed;
            let article = matter.result.article.as_deref();
            let condition = Condition::new(code, article, arguments);
            conditions.push(condition.about(matter.game.to_string()));
        }
        conditions
    }
}

/// The alert about the oldest matter counts those that are left out.
fn more(at: usize, left_out: u64) -> Option<(&'static str, Value)> {
    (at == 0 && left_out > 0).then(|| ("more", json!(left_out)))
}

fn yes_or_no(yes: bool) -> Value {
    json!(if yes { "yes" } else { "no" })
}

/// How both clocks change, as arguments of an alert.
fn time_arguments(changes: ByColor<TimeChange>) -> [(&'static str, Value); 4] {
    let (white, white_set) = in_milliseconds(changes.white);
    let (black, black_set) = in_milliseconds(changes.black);
    [
        ("white_ms", white),
        ("white_set_ms", white_set),
        ("black_ms", black),
        ("black_set_ms", black_set),
    ]
}

/// A change as the milliseconds to add and those to set; null where the time must be read off.
fn in_milliseconds(change: TimeChange) -> (Value, Value) {
    match change {
        TimeChange::None => (json!(0), Value::Null),
        TimeChange::AddMs(ms) => (json!(ms), Value::Null),
        TimeChange::SetMs(ms) => (json!(0), json!(ms)),
        TimeChange::Unknown => (Value::Null, Value::Null),
    }
}
