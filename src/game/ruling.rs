//! What the arbiter rules: on claims, offers, flags, illegal moves (9.5, 10.2, 6.9, 7.5).

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Color};

use super::{
    Adjustment, ClaimRecord, Claimed, Fact, Game, MustPlay, Refusal, ResultReason, Ruling, Side,
    clock::{AdjustmentReason, time_changes},
    command::{is_true, yes},
};
use remisd_laws::{self as laws, Ply, QuickplayDecision, Remark, TimeChange};
use remisd_vocabulary::time::as_rfc3339;

/// What was ruled on a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRuling {
    /// Whether the claim is valid.
    pub correct: bool,
    /// Whether it could be made at all; absent when it could.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub admissible: bool,
    /// Who ruled; `remisd` where no confirmation is needed.
    pub by: String,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
}

impl ClaimRuling {
    pub(super) fn new(decision: ClaimDecision, by: &str, time: Timestamp) -> Self {
        Self {
            correct: decision == ClaimDecision::Correct,
            admissible: decision != ClaimDecision::NotAdmissible,
            by: by.to_owned(),
            time,
        }
    }

    /// What was decided.
    #[must_use]
    pub const fn decision(&self) -> ClaimDecision {
        ClaimDecision::new(self.correct, self.admissible)
    }
}

/// What can be decided on a claim under 9.2 or 9.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimDecision {
    /// The game is drawn.
    Correct,
    /// The game continues, and the penalty of 9.5 applies.
    Incorrect,
    /// The player could not claim, having lost the right by touching a piece (9.4).
    /// There is nothing to check, so there is no penalty either.
    NotAdmissible,
}

impl ClaimDecision {
    /// The decision as the fields of a ruling say it.
    #[must_use]
    pub const fn new(correct: bool, admissible: bool) -> Self {
        match (admissible, correct) {
            (false, _) => Self::NotAdmissible,
            (true, true) => Self::Correct,
            (true, false) => Self::Incorrect,
        }
    }
}

impl Game {
    pub(super) fn rule(&mut self, ruling: &Ruling, by: &str) -> Result<Vec<Fact>, Refusal> {
        match ruling {
            Ruling::Claim {
                correct: true,
                admissible: false,
            } => {
                let text = "a claim that is not admissible is not correct";
                Err(Refusal::bad_value(text))
            }
            Ruling::Claim {
                correct,
                admissible,
            } => self.rule_on_claim(ClaimDecision::new(*correct, *admissible), Some(by)),
            Ruling::Agreement { consent } => self.rule_on_agreement(*consent),
            Ruling::Quickplay {
                decision,
                bonus,
                player,
            } => {
                let claim = self.quickplay_to_decide(*decision, *player)?.clone();
                self.rule_on_quickplay(&claim, *decision, *bonus, by)
            }
            Ruling::IllegalMove {
                player,
                withdrawn: true,
                ..
            } => self.withdraw_illegal_move(*player),
            Ruling::IllegalMove {
                player, claimed, ..
            } => self.rule_on_illegal_move((*player).into(), *claimed),
            Ruling::IllegalPosition {} => self.rule_on_illegal_position(),
            Ruling::Flag { player } => self.rule_on_flag((*player).into()),
            Ruling::BothFlags { last_period } => self.rule_on_both_flags(*last_period),
            Ruling::Clock { white, black } => {
                let changes = ByColor {
                    black: *black,
                    white: *white,
                };
                let ordered = self.order_adjustment(changes, AdjustmentReason::Arbiter);
                if ordered.is_empty() {
                    return Err(Refusal::bad_value("neither clock would change"));
                }
                Ok(ordered)
            }
        }
    }

    /// The ruling on the claim that is being checked (9.5).
    ///
    /// Without `by` it follows from the moves of the game.
    pub(super) fn rule_on_claim(
        &mut self,
        decision: ClaimDecision,
        by: Option<&str>,
    ) -> Result<Vec<Fact>, Refusal> {
        let Some(claim) = self.open_claim().cloned() else {
            return Err(Refusal::wrong_state("no claim is being checked"));
        };
        if claim.kind.is_quickplay() && decision != ClaimDecision::NotAdmissible {
            let text = "this claim is decided with {\"on\":\"quickplay\"}";
            return Err(Refusal::bad_value(text));
        }
        let by_arbiter = by.is_some();
        let by = by.unwrap_or("remisd");
        self.claims.rule(claim.id, decision, by, self.now());
        let mut facts = vec![Fact::ClaimRuled {
            claim: claim.id,
            correct: decision == ClaimDecision::Correct,
            admissible: decision != ClaimDecision::NotAdmissible,
            by: by.to_owned(),
        }];
        match decision {
            ClaimDecision::Correct => {
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.grant(&claim, by_arbiter));
            }
            ClaimDecision::Incorrect => {
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.reject(claim));
                facts.extend(self.go_on_after_claim(by));
            }
            // Nothing was checked: the claim remains an offer (9.1), the announced move does not
            // bind, a touched piece does (4.3).
            ClaimDecision::NotAdmissible => facts.extend(self.go_on_after_claim(by)),
        }
        Ok(facts)
    }

    /// A correct claim: the game is drawn.
    fn grant(&mut self, claim: &ClaimRecord, by_arbiter: bool) -> Vec<Fact> {
        let reason = match claim.kind {
            Claimed::FiftyMove => ResultReason::FiftyMoveClaim,
            _ => ResultReason::ThreefoldClaim,
        };
        self.draw_by_claim(claim, reason, by_arbiter)
    }

    /// How both clocks change if the claim is ruled incorrect (9.5).
    pub(super) fn penalty_for(&self, claim: &ClaimRecord) -> ByColor<TimeChange> {
        if claim.kind.is_quickplay() {
            return ByColor::default();
        }
        let claimant = Color::from(claim.by);
        // Whether the clock has been set by hand for an earlier penalty is not known here.
        let to_be_set = |order: &Adjustment| *order.changes().get(claimant) != TimeChange::None;
        let waits = self.adjustments().iter().any(to_be_set);
        let remaining = self.clock.remaining_ms(claimant).filter(|_| !waits);
        let (own, opponent) = laws::incorrect_claim(&self.regulations, remaining);
        time_changes(claimant, own, opponent)
    }

    /// An incorrect claim: the clocks change, and the announced move must be made.
    fn reject(&mut self, claim: ClaimRecord) -> Vec<Fact> {
        let changes = self.penalty_for(&claim);
        let mut facts = Vec::new();
        // A claim that was ruled incorrect before has cost its penalty.
        if self.claims.penalty_for(claim.id).is_none() {
            facts = self.order_adjustment(changes, AdjustmentReason::IncorrectClaim);
            self.claims.note_penalty(claim.id, &facts);
        }
        let Some(announced) = claim.announced else {
            return facts;
        };
        let mut must = MustPlay {
            by: claim.by,
            announced,
            legal: !claim.remarks.contains(&Remark::AnnouncedMoveIllegal),
            ply: claim.ply + 1,
        };
        if self.holds_claim(claim.ply) {
            // Play has continued. The duty remains if the move is taken back.
            self.announced.bind(must.clone());
            facts.extend(self.check_played(must));
        } else if self.claims.is_made_in(self.position()) {
            must.ply = self.ply() + 1;
            self.announced.bind(must.clone());
            facts.push(Fact::MustPlay(must));
        }
        facts
    }

    /// Whether the record still holds the position of the newest claim, with play after it:
    /// a position may have been set up since, or the moves before the claim corrected.
    fn holds_claim(&self, claimed_at: Ply) -> bool {
        let history = self.record.replayed(claimed_at);
        claimed_at < self.ply() && self.claims.is_made_in(history.position())
    }

    /// The decision on a claim in the last two minutes, or on a request for an increment.
    fn rule_on_quickplay(
        &mut self,
        claim: &ClaimRecord,
        decision: QuickplayDecision,
        bonus: bool,
        by: &str,
    ) -> Result<Vec<Fact>, Refusal> {
        let Some(opponent) = self.quickplay_change(claim, decision, bonus) else {
            let article = &claim.article;
            let text = format!("this edition does not know that decision ({article})");
            return Err(Refusal::not_admissible(text));
        };
        let mut facts = vec![Fact::QuickplayRuled {
            claim: claim.id,
            decision,
            by: by.to_owned(),
        }];
        let changes = time_changes(claim.by.into(), TimeChange::None, opponent);
        let reason = match decision {
            QuickplayDecision::Increment => AdjustmentReason::Increment,
            _ => AdjustmentReason::Quickplay,
        };
        facts.extend(self.order_adjustment(changes, reason));
        match decision {
            QuickplayDecision::Draw => {
                let correct = ClaimDecision::Correct;
                self.claims.decide_quickplay(claim, correct, by, self.now());
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.draw_by_claim(claim, ResultReason::Quickplay, true));
            }
            QuickplayDecision::Postpone => {
                self.claims.postpone(claim.id);
                facts.extend(self.go_on_after_claim(by));
            }
            QuickplayDecision::Reject => {
                let incorrect = ClaimDecision::Incorrect;
                self.claims
                    .decide_quickplay(claim, incorrect, by, self.now());
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.go_on_after_claim(by));
            }
            QuickplayDecision::Increment => {
                self.claims
                    .rule(claim.id, ClaimDecision::Correct, by, self.now());
                facts.extend(self.end_offer_of_claim(claim.by));
                // From now on the game is one with an increment: neither can be asked again.
                self.regulations.increment = true;
                facts.extend(self.go_on_after_claim(by));
            }
        }
        Ok(facts)
    }

    /// What a decision in the last two minutes is on: the claim that is open; else one
    /// whose decision was postponed.
    fn quickplay_to_decide(
        &self,
        decision: QuickplayDecision,
        player: Option<Side>,
    ) -> Result<&ClaimRecord, Refusal> {
        let fits = |claim: &ClaimRecord| match decision {
            QuickplayDecision::Reject => true,
            QuickplayDecision::Increment => claim.kind == Claimed::Increment,
            QuickplayDecision::Draw | QuickplayDecision::Postpone => {
                claim.kind == Claimed::Quickplay
            }
        };
        let of_player = |claim: &&ClaimRecord| player.is_none_or(|side| claim.by == side);
        let open = self.open_claim().filter(|claim| claim.kind.is_quickplay());
        if let Some(open) = open.filter(of_player) {
            return if fits(open) { Ok(open) } else { Err(unfit()) };
        }
        let mut waiting = self.postponed_claims();
        waiting.retain(of_player);
        Err(match (&waiting[..], decision) {
            ([], _) => Refusal::wrong_state("no claim in the last two minutes is open"),
            (_, QuickplayDecision::Postpone) => {
                Refusal::wrong_state("the decision is postponed already")
            }
            (_, QuickplayDecision::Increment) => unfit(),
            ([claim], _) => return Ok(claim),
            _ => Refusal::bad_value("both players wait for a decision: name one with \"player\""),
        })
    }

    /// How the opponent's clock changes by a decision in the last two minutes; `None` where
    /// the edition does not know the decision.
    fn quickplay_change(
        &self,
        claim: &ClaimRecord,
        decision: QuickplayDecision,
        bonus: bool,
    ) -> Option<TimeChange> {
        let rejected = decision == QuickplayDecision::Reject;
        // A request that is not granted costs nothing. A decision that was postponed has to
        // be made under every edition, and after flag fall time helps neither player.
        let late = claim.postponed
            && (self.clock.fallen_flag().is_some() || !self.regulations.quickplay().may_reject);
        if rejected && (claim.kind == Claimed::Increment || late) {
            return Some(TimeChange::None);
        }
        laws::quickplay(&self.regulations, decision, bonus)
    }
}

fn unfit() -> Refusal {
    let text = "a claim is not granted with an increment, nor a request for one with anything else";
    Refusal::bad_value(text)
}
