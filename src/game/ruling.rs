//! What the arbiter rules: on claims, offers, flags, illegal moves (9.5, 10.2, 6.9, 7.5).

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{
    Adjustment, ClaimRecord, Claimed, Fact, Game, MustPlay, RefusalCode, ResultReason, Ruling,
    Side,
    clock::{AdjustmentReason, time_changes},
    command::{is_true, yes},
    obey::Refused,
};
use remisd_laws::{self as laws, Ply, QuickplayDecision, Remark, TimeChange};
use remisd_vocabulary::time::as_rfc3339;

/// What was ruled on a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRuling {
    /// Whether the claim stands.
    pub correct: bool,
    /// Whether it could be made at all; absent when it could.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub admissible: bool,
    /// Who ruled; `remisd` where nobody has to confirm.
    pub by: String,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
}

impl ClaimRuling {
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
    /// The game goes on, and the penalty of 9.5 applies.
    Incorrect,
    /// The player could not claim: he had lost the right by touching a piece (9.4).
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
    pub(super) fn rule(&mut self, ruling: &Ruling, by: &str) -> Result<Vec<Fact>, Refused> {
        match ruling {
            Ruling::Claim {
                correct: true,
                admissible: false,
            } => {
                let text = "a claim that is not admissible is not correct".to_owned();
                Err((RefusalCode::BadValue, text))
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
                let ordered = self.order_adjustment(*white, *black, AdjustmentReason::Arbiter);
                if ordered.is_empty() {
                    let text = "neither clock would change".to_owned();
                    return Err((RefusalCode::BadValue, text));
                }
                Ok(ordered)
            }
        }
    }

    /// The ruling on the claim that is being checked (9.5).
    ///
    /// Without `by` nobody rules: it follows from the moves of the game.
    pub(super) fn rule_on_claim(
        &mut self,
        decision: ClaimDecision,
        by: Option<&str>,
    ) -> Result<Vec<Fact>, Refused> {
        let Some(claim) = self.open_claim().cloned() else {
            let text = "no claim is being checked".to_owned();
            return Err((RefusalCode::WrongState, text));
        };
        if claim.kind.is_quickplay() && decision != ClaimDecision::NotAdmissible {
            let text = "this claim is decided with {\"on\":\"quickplay\"}".to_owned();
            return Err((RefusalCode::BadValue, text));
        }
        let by_arbiter = by.is_some();
        let by = by.unwrap_or("remisd");
        self.note_ruling(claim.id, decision, by);
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
            // Nothing was checked: the offer that the claim was stands on (9.1), the
            // announced move does not bind, a touched piece does (4.3).
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

    /// How White's and Black's clock change if the claim is ruled incorrect (9.5).
    pub(super) fn penalty_for(&self, claim: &ClaimRecord) -> (TimeChange, TimeChange) {
        if claim.kind.is_quickplay() {
            return (TimeChange::None, TimeChange::None);
        }
        let claimant = Color::from(claim.by);
        // Whether the clock has been set by hand for an earlier penalty is not known here.
        let to_be_set =
            |order: &Adjustment| claimant.fold_wb(order.white, order.black) != TimeChange::None;
        let waits = self.adjustments.iter().any(to_be_set);
        let remaining = self.remaining_ms(claimant).filter(|_| !waits);
        let (own, opponent) = laws::incorrect_claim(&self.regulations, remaining);
        time_changes(claimant, own, opponent)
    }

    /// An incorrect claim: the clocks change, and the announced move must be made.
    fn reject(&mut self, claim: ClaimRecord) -> Vec<Fact> {
        let made = self
            .claim_penalty
            .as_ref()
            .is_some_and(|(of, _)| *of == claim.id);
        let (white, black) = self.penalty_for(&claim);
        let mut facts = Vec::new();
        // One that was ruled incorrect before has cost its penalty.
        if !made {
            facts = self.order_adjustment(white, black, AdjustmentReason::IncorrectClaim);
            if let [Fact::AdjustmentOrdered(ordered)] = &facts[..] {
                self.claim_penalty = Some((claim.id, ordered.clone()));
            }
        }
        let Some(announced) = claim.announced else {
            return facts;
        };
        let legal = !claim.remarks.contains(&Remark::AnnouncedMoveIllegal);
        let must = |ply| MustPlay {
            by: claim.by,
            announced: announced.clone(),
            legal,
            ply,
        };
        if self.holds_claim(claim.ply) {
            // Play has gone on. The duty is still there if it is taken back.
            self.must_play = Some(must(claim.ply + 1));
            facts.extend(self.check_played(claim.by, announced, legal, claim.ply));
        } else if self.claimed_in.as_ref() == Some(self.position()) {
            let must = must(self.ply() + 1);
            self.must_play = Some(must.clone());
            facts.push(Fact::MustPlay(must));
        }
        facts
    }

    /// Whether the record still holds the position of the newest claim, with play after it:
    /// a position may have been set up since, or the moves before the claim corrected.
    fn holds_claim(&self, claimed_at: Ply) -> bool {
        let history = self.replayed(claimed_at);
        claimed_at < self.ply() && self.claimed_in.as_ref() == Some(history.position())
    }

    /// The decision on a claim in the last two minutes, or on a request for an increment.
    fn rule_on_quickplay(
        &mut self,
        claim: &ClaimRecord,
        decision: QuickplayDecision,
        bonus: bool,
        by: &str,
    ) -> Result<Vec<Fact>, Refused> {
        let Some(opponent) = self.quickplay_change(claim, decision, bonus) else {
            let article = &claim.article;
            let text = format!("this edition does not know that decision ({article})");
            return Err((RefusalCode::NotAdmissible, text));
        };
        let mut facts = vec![Fact::QuickplayRuled {
            claim: claim.id,
            decision,
            by: by.to_owned(),
        }];
        let (white, black) = time_changes(claim.by.into(), TimeChange::None, opponent);
        let reason = match decision {
            QuickplayDecision::Increment => AdjustmentReason::Increment,
            _ => AdjustmentReason::Quickplay,
        };
        facts.extend(self.order_adjustment(white, black, reason));
        match decision {
            QuickplayDecision::Draw => {
                self.note_ruling(claim.id, ClaimDecision::Correct, by);
                self.note_older(claim, ClaimDecision::Correct, by);
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.draw_by_claim(claim, ResultReason::Quickplay, true));
            }
            QuickplayDecision::Postpone => {
                // A postponed decision is still to be made.
                if let Some(postponed) = self.claims.iter_mut().find(|c| c.id == claim.id) {
                    postponed.postponed = true;
                }
                facts.extend(self.go_on_after_claim(by));
            }
            QuickplayDecision::Reject => {
                self.note_ruling(claim.id, ClaimDecision::Incorrect, by);
                self.note_older(claim, ClaimDecision::Incorrect, by);
                facts.extend(self.end_offer_of_claim(claim.by));
                facts.extend(self.go_on_after_claim(by));
            }
            QuickplayDecision::Increment => {
                self.note_ruling(claim.id, ClaimDecision::Correct, by);
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
    ) -> Result<&ClaimRecord, Refused> {
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
        let (code, text) = match (&waiting[..], decision) {
            ([], _) => (
                RefusalCode::WrongState,
                "no claim in the last two minutes is open",
            ),
            (_, QuickplayDecision::Postpone) => {
                (RefusalCode::WrongState, "the decision is postponed already")
            }
            (_, QuickplayDecision::Increment) => return Err(unfit()),
            ([claim], _) => return Ok(claim),
            _ => (
                RefusalCode::BadValue,
                "both players wait for a decision: name one with \"player\"",
            ),
        };
        Err((code, text.to_owned()))
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
        // be made under every edition, and after flag fall time is no use to anybody.
        let late = claim.postponed
            && (self.fallen_flag().is_some() || !self.regulations.quickplay().may_reject);
        if rejected && (claim.kind == Claimed::Increment || late) {
            return Some(TimeChange::None);
        }
        laws::quickplay(&self.regulations, decision, bonus)
    }

    /// A player's newest claim in the last two minutes is decided, and with it what was
    /// postponed of his before.
    fn note_older(&mut self, decided: &ClaimRecord, decision: ClaimDecision, by: &str) {
        if decided.kind != Claimed::Quickplay {
            return;
        }
        let older = |claim: &&ClaimRecord| {
            claim.by == decided.by && claim.postponed && claim.ruling.is_none()
        };
        let older: Vec<u64> = self.claims.iter().filter(older).map(|c| c.id).collect();
        for id in older {
            self.note_ruling(id, decision, by);
        }
    }

    fn note_ruling(&mut self, claim: u64, decision: ClaimDecision, by: &str) {
        let time = self.time;
        if let Some(claim) = self.claims.iter_mut().find(|made| made.id == claim) {
            claim.ruling = Some(ClaimRuling {
                correct: decision == ClaimDecision::Correct,
                admissible: decision != ClaimDecision::NotAdmissible,
                by: by.to_owned(),
                time,
            });
        }
    }
}

fn unfit() -> Refused {
    let text = "a claim is not granted with an increment, nor a request for one with anything else";
    (RefusalCode::BadValue, text.to_owned())
}
