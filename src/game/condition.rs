//! What is so at the moment and deserves an alert.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    AdjustmentReason, Fact, Game, GameResult, LossBy,
    alert::{AlertCode, Condition, Level},
};
use crate::{
    laws::{AgreementRule, AutomaticKind, ClaimKind, Fivefold, Ply, TimeChange},
    notation::color,
};

/// Halfmoves before the 75 moves at which the arbiter is told to walk over: five moves each.
const EARLY_HALFMOVES: u32 = 10;

impl Game {
    /// Opens and closes alerts as the state of the game asks for.
    pub(super) fn reconcile_alerts(&mut self, now: Timestamp) -> Vec<Fact> {
        let conditions = self.conditions();
        self.alerts.reconcile(conditions, self.seq, now)
    }

    fn conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        conditions.extend(self.end_condition());
        conditions.extend(self.play_after_end());
        if self.status().result().is_none() {
            conditions.extend(self.claim_in_progress());
            conditions.extend(self.flag_condition());
            conditions.extend(self.postponed_conditions());
            conditions.extend(self.loss_condition());
            conditions.extend(self.agreement_condition());
            conditions.extend(self.claim_conditions());
            conditions.extend(self.early_warnings());
            conditions.extend(self.reading_conditions());
            conditions.extend(self.offer_conditions());
            conditions.extend(self.mismatch_condition());
            conditions.extend(self.clock_stopped());
        }
        conditions.extend(self.proposal_condition());
        conditions.extend(self.sensor_conditions());
        conditions.extend(self.adjustment_conditions());
        conditions.extend(self.broken_announcement());
        conditions.extend(self.unconfirmed_conditions());
        conditions.extend(self.left_conditions());
        if self.counts_restarted {
            let arguments = [("ply", json!(0))];
            conditions.push(Condition::new(AlertCode::CountsRestarted, None, arguments));
        }
        if let Some(Err(down)) = &self.link {
            let arguments = [("code", json!(down.code)), ("reason", json!(down.reason))];
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

    /// Play goes on although the game was over, and nobody has closed it.
    fn play_after_end(&self) -> Option<Condition> {
        let (ply, end) = self.ended?;
        let goes_on = self.ply() > ply || self.acted_after_end;
        if !goes_on || self.status().is_closed() {
            return None;
        }
        let decided = self.decided_after_end;
        let arguments = [
            ("ply", json!(ply)),
            ("kind", json!(end.kind)),
            ("now_ply", json!(self.ply())),
            ("decided", json!(decided.map(|decided| decided.what))),
            ("by", json!(decided.and_then(|decided| decided.by))),
        ];
        let code = AlertCode::PlayAfterEnd;
        let condition = Condition::new(code, Some(end.article), arguments);
        Some(if self.play_after_end_seen == Some(ply) {
            condition.at(Level::Amber)
        } else {
            condition
        })
    }

    fn claim_in_progress(&self) -> Vec<Condition> {
        let Some(claim) = self.open_claim() else {
            return Vec::new();
        };
        let san = claim.announced.as_ref().map_or("", |m| m.san.as_str());
        let contested = claim.contested.as_ref();
        let article = Some(claim.article.as_str());
        let (white, black) = self.penalty_for(claim);
        let costs = time_arguments(white, black);
        let arguments = [
            ("by", json!(claim.by)),
            ("kind", json!(claim.kind)),
            ("basis", json!(claim.basis)),
            ("move", json!(san)),
            ("verdict", claim.finding.map_or(json!("none"), |f| json!(f))),
            ("plies", json!(claim.plies)),
            ("count", json!(claim.plies.len())),
            ("halfmove_clock", json!(claim.halfmove_clock)),
            ("contested", yes_or_no(contested.is_some())),
        ];
        let arguments = costs.into_iter().chain(arguments);
        let made = Condition::new(AlertCode::ClaimMade, article, arguments);
        let contested = contested.map(|touched| {
            let arguments = [
                ("by", json!(touched.by)),
                ("square", json!(touched.square)),
                ("sure", yes_or_no(touched.sure)),
                ("move", json!(touched.made.as_ref().map(|m| &m.san))),
            ];
            let article = Some(self.regulations.edition.articles.right_lost);
            Condition::new(AlertCode::ClaimContested, article, arguments)
        });
        std::iter::once(made).chain(contested).collect()
    }

    fn flag_condition(&self) -> Option<Condition> {
        let player = self.fallen_flag()?;
        let opponent = shakmaty::Color::from(player).other();
        let can_mate = self.can_mate.and_then(|can| can.of(opponent));
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
    fn postponed_conditions(&self) -> Vec<Condition> {
        let claims = self.postponed_claims().into_iter();
        let conditions = claims.map(|claim| {
            let arguments = [
                ("by", json!(claim.by)),
                ("ply", json!(claim.ply)),
                ("flag", json!(self.fallen_flag())),
            ];
            let article = Some(claim.article.as_str());
            let code = AlertCode::DecisionPostponed;
            Condition::new(code, article, arguments).about(claim.id.to_string())
        });
        conditions.collect()
    }

    /// The solver has answered, and could not tell; or a resignation waits for what came
    /// before it.
    fn loss_condition(&self) -> Option<Condition> {
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
        let pending = self.pending_loss?;
        self.can_mate?;
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

    fn agreement_condition(&self) -> Option<Condition> {
        let articles = &self.regulations.edition.articles;
        let (reason, before_move, article) = match (self.agreed_too_early(), self.offers.pending) {
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

    /// The automatic ends are near: time for the arbiter to walk over.
    fn early_warnings(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let articles = &self.regulations.edition.articles;
        let repetition = &self.draw.repetition;
        if self.occurrences_to_fivefold() == Some(1) {
            let arguments = [
                ("ply", json!(self.ply())),
                ("plies", json!(repetition.plies)),
            ];
            let code = AlertCode::FourthOccurrence;
            conditions.push(Condition::new(code, Some(articles.fivefold), arguments));
        }
        let left = self.plies_to_seventy_five();
        if let Some(left) = left.filter(|left| (1..=EARLY_HALFMOVES).contains(left)) {
            let arguments = [
                ("halfmove_clock", json!(self.draw.halfmove_clock)),
                ("moves_left", json!(left.div_ceil(2))),
            ];
            let code = AlertCode::SeventyMoves;
            conditions.push(Condition::new(code, Some(articles.seventy_five), arguments));
        }
        conditions
    }

    /// What the edition's text leaves to the arbiter.
    fn reading_conditions(&self) -> Vec<Condition> {
        let edition = self.regulations.edition;
        let mut conditions = Vec::new();
        if let Some(claim) = self.draw.disputed.first() {
            let arguments = [("by", json!(color(claim.by))), ("ply", json!(self.ply()))];
            let code = AlertCode::RepetitionDisputed;
            conditions.push(Condition::new(code, Some(claim.article), arguments));
        }
        let plies = &self.draw.repetition.plies;
        let uneven = edition.fivefold.is_some_and(|rule| {
            matches!(rule, Fivefold::Consecutive { .. })
                && self.draw.repetition.number() >= rule.occurrences()
                && !rule.is_met(plies)
        });
        if uneven {
            let arguments = [("ply", json!(self.ply())), ("plies", json!(plies))];
            let code = AlertCode::FivefoldUneven;
            let article = Some(edition.articles.fivefold);
            conditions.push(Condition::new(code, article, arguments));
        }
        conditions
    }

    fn offer_conditions(&self) -> Vec<Condition> {
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

    fn mismatch_condition(&self) -> Option<Condition> {
        // While a result is shown, the board is not watched for moves.
        let mismatch = self.mismatch.as_ref().filter(|_| self.proposed.is_none())?;
        let squares = mismatch.squares.iter().map(|seen| seen.square.as_str());
        let candidates = mismatch.candidates.iter().map(|line| {
            let sans: Vec<&str> = line.iter().map(|m| m.san.as_str()).collect();
            sans.join(" ")
        });
        let arguments = [
            ("reason", json!(mismatch.reason)),
            ("squares", json!(squares.collect::<Vec<_>>())),
            ("since_ply", json!(mismatch.since_ply)),
            ("candidates", json!(candidates.collect::<Vec<_>>())),
        ];
        Some(Condition::new(AlertCode::BoardMismatch, None, arguments))
    }

    /// The players have shown a result that the game does not have.
    fn proposal_condition(&self) -> Option<Condition> {
        let proposed = self.proposed?;
        let arguments = [
            ("winner", json!(proposed.winner())),
            ("score", json!(proposed.score)),
            ("sign", json!(proposed.sign)),
            ("ply", json!(proposed.ply)),
            ("result", json!(self.result.as_ref().map(|r| r.score))),
        ];
        Some(Condition::new(AlertCode::ResultProposed, None, arguments))
    }

    /// What the sensors could not tell.
    fn sensor_conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        if !self.faulty.is_empty() {
            let arguments = [("squares", json!(self.faulty))];
            conditions.push(Condition::new(AlertCode::SensorsFaulty, None, arguments));
        }
        let plies = self.reconstructed();
        if !plies.is_empty() {
            let arguments = [("count", json!(plies.len())), ("plies", json!(plies))];
            let code = AlertCode::PliesReconstructed;
            conditions.push(Condition::new(code, None, arguments));
        }
        let assumed = self.assumed();
        let (plies, moves): (Vec<Ply>, Vec<&str>) = assumed
            .map(|(ply, played)| (ply, played.text.san.as_str()))
            .unzip();
        if !plies.is_empty() {
            let arguments = [
                ("count", json!(plies.len())),
                ("plies", json!(plies)),
                ("moves", json!(moves)),
            ];
            let code = AlertCode::PromotionAssumed;
            conditions.push(Condition::new(code, None, arguments));
        }
        conditions
    }

    /// The clock stands in mid-game although nobody has asked for it.
    fn clock_stopped(&self) -> Option<Condition> {
        let clock = self.clock?;
        let unexpected = clock.running.is_none()
            && clock.flag.is_none()
            && self.ply() > 0
            && self.pause.is_none();
        unexpected.then(|| Condition::new(AlertCode::ClockStopped, None, []))
    }

    fn adjustment_conditions(&self) -> Vec<Condition> {
        let adjustments = self.adjustments.iter();
        let conditions = adjustments.map(|adjustment| {
            let changes = time_arguments(adjustment.white, adjustment.black);
            let reason = [("reason", json!(adjustment.reason))];
            let arguments = changes.into_iter().chain(reason);
            let articles = &self.regulations.edition.articles;
            let article = match adjustment.reason {
                AdjustmentReason::IncorrectClaim => Some(articles.claim_incorrect),
                AdjustmentReason::IllegalMove => Some(articles.illegal_move),
                AdjustmentReason::Quickplay => Some(articles.quickplay),
                AdjustmentReason::Increment => Some(articles.quickplay_increment),
                AdjustmentReason::Arbiter => None,
            };
            let condition = Condition::new(AlertCode::ClockAdjustment, article, arguments);
            condition.about(adjustment.number())
        });
        conditions.collect()
    }

    fn broken_announcement(&self) -> Option<Condition> {
        let broken = self.broken_announcement.as_ref()?;
        let arguments = [
            ("by", json!(broken.by)),
            ("announced", json!(broken.announced.san)),
            ("played", json!(broken.played.san)),
        ];
        let code = AlertCode::AnnouncedMoveNotPlayed;
        let article = Some(self.regulations.edition.articles.claim_incorrect);
        Some(Condition::new(code, article, arguments))
    }

    /// What earlier games have left undecided.
    fn left_conditions(&self) -> impl Iterator<Item = Condition> {
        self.left_undecided.iter().map(|left| {
            let arguments = [
                ("game", json!(left.game)),
                ("what", json!(left.what)),
                ("by", json!(left.by)),
                ("ply", json!(left.ply)),
            ];
            let condition = Condition::new(AlertCode::LeftUndecided, None, arguments);
            condition.about(left.subject())
        })
    }

    /// Ends that nobody has confirmed: the players' own here, any of earlier games.
    fn unconfirmed_conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        let own = self.result.as_ref();
        if let Some(result) = own.filter(|r| !r.confirmed && !r.reason.is_automatic()) {
            let arguments = result_arguments(result);
            let code = AlertCode::ResultToConfirm;
            conditions.push(Condition::new(code, result.article.as_deref(), arguments));
        }
        for left in &self.unconfirmed {
            let [score, kind, ply] = result_arguments(&left.result);
            let arguments = [("game", json!(left.game)), score, kind, ply];
            let code = AlertCode::ResultUnconfirmed;
            let article = left.result.article.as_deref();
            let condition = Condition::new(code, article, arguments);
            conditions.push(condition.about(left.game.to_string()));
        }
        conditions
    }
}

fn result_arguments(result: &GameResult) -> [(&'static str, Value); 3] {
    [
        ("score", json!(result.score)),
        ("kind", json!(result.reason)),
        ("ply", json!(result.ply)),
    ]
}

fn yes_or_no(yes: bool) -> Value {
    json!(if yes { "yes" } else { "no" })
}

/// How White's and Black's clock change, as arguments of an alert.
fn time_arguments(white: TimeChange, black: TimeChange) -> [(&'static str, Value); 4] {
    let (white, white_set) = in_milliseconds(white);
    let (black, black_set) = in_milliseconds(black);
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
