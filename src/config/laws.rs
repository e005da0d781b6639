//! The section `[laws]`: what an event may decide within the edition it plays under.

use super::{
    raw,
    valid::{self, Agreement},
    validate::Check,
    value::Key,
};
use crate::laws::{self, AgreementRule, Overrides, Regulations, Restriction};

impl Check<'_> {
    pub(super) fn laws(&mut self, laws: &raw::Laws) -> Option<valid::Laws> {
        let edition = self.edition(laws);
        let rate = self.choice("laws.rate", &laws.rate);
        let confirm = self.choice("laws.confirm", &laws.confirm);
        let escalate_ms = self.number("laws.escalate_ms", &laws.escalate_ms);
        let after_moves = self.number("laws.agreement_after_moves", &laws.agreement_after_moves);
        let agreement = match self.choice("laws.agreement", &laws.agreement)? {
            Agreement::Consent => AgreementRule::Never,
            Agreement::Free => match u32::try_from(after_moves?).unwrap_or(u32::MAX) {
                0 => AgreementRule::Free,
                moves => AgreementRule::NotBefore(moves),
            },
        };
        let overrides = self.overrides(&laws.provisional);
        let regulations = Regulations {
            edition: edition?,
            rate: rate?.into(),
            supervised: laws.supervised.value?,
            agreement,
            quickplay_announced: laws.quickplay_announced.value?,
            increment: laws.increment.value?,
            overrides,
        };
        self.restriction(laws, &regulations);
        self.provisional(&laws.provisional, &regulations);
        Some(valid::Laws {
            regulations,
            confirm: confirm?,
            escalate_ms: escalate_ms?,
        })
    }

    fn edition(&mut self, laws: &raw::Laws) -> Option<&'static laws::Edition> {
        let edition = self.text("laws.edition", &laws.edition)?;
        let known = self.editions().contains(&edition);
        if let Some(found) = laws::find(edition).ok().filter(|_| known) {
            return Some(found);
        }
        let allowed = format!("allowed: {}", self.editions().join(", "));
        let message = format!("\"{edition}\" is not an edition of the Laws");
        self.refuse("laws.edition", &laws.edition, message, &allowed)
    }

    /// An event cannot restrict what its edition has no article for.
    fn restriction(&mut self, laws: &raw::Laws, regulations: &Regulations) {
        let edition = regulations.edition;
        let may = edition.offers.restriction != Restriction::None;
        if may || regulations.agreement == AgreementRule::Free {
            return;
        }
        let message = format!(
            "{} has no article that lets an event restrict agreement",
            edition.id
        );
        let mut later = laws::EDITIONS.iter();
        let first = later.find(|edition| edition.offers.restriction != Restriction::None);
        let first = first.map_or("none", |edition| edition.id);
        let allowed = &format!("leave the key out, or play under {first} or later");
        if regulations.agreement == AgreementRule::Never {
            self.refuse::<_, ()>("laws.agreement", &laws.agreement, message, allowed);
        } else {
            let key = &laws.agreement_after_moves;
            self.refuse::<_, ()>("laws.agreement_after_moves", key, message, allowed);
        }
    }

    fn overrides(&mut self, set: &raw::Provisional) -> Overrides {
        let whole = |given: Option<u64>| given.and_then(|n| u32::try_from(n).ok());
        let bonus = self.number(
            "laws.provisional.incorrect_claim_bonus_s",
            &set.incorrect_claim_bonus_s,
        );
        let illegal = self.number(
            "laws.provisional.illegal_move_bonus_s",
            &set.illegal_move_bonus_s,
        );
        let loses = self.number(
            "laws.provisional.illegal_moves_lose_at",
            &set.illegal_moves_lose_at,
        );
        let claimant = self.choice(
            "laws.provisional.incorrect_claim_claimant",
            &set.incorrect_claim_claimant,
        );
        let flag = self.choice("laws.provisional.flag_call", &set.flag_call);
        Overrides {
            incorrect_claim_bonus_s: whole(bonus),
            incorrect_claim_claimant: claimant.map(valid::ClaimantLoses::into),
            illegal_move_bonus_s: whole(illegal),
            illegal_moves_lose_at: whole(loses),
            flag_call: flag.map(valid::FlagCall::into),
            quickplay_needs_the_move: set.quickplay_needs_the_move.value,
            quickplay_may_reject: set.quickplay_may_reject.value,
            illegal_position_draws: set.illegal_position_draws.value,
            flag_claim_needs_time: set.flag_claim_needs_time.value,
        }
    }

    /// Only what was not read may be set: the rest stands in the Laws.
    fn provisional(&mut self, set: &raw::Provisional, regulations: &Regulations) {
        let edition = regulations.edition;
        for (name, parameter) in regulations.overrides.set(regulations.rate) {
            if edition.provisional.contains(&parameter) {
                continue;
            }
            let message = format!("{} says this itself at this rate", edition.id);
            let allowed = "only what the edition's table marks as provisional can be set";
            let path = format!("laws.provisional.{name}");
            let key: Key<bool> = Key {
                value: None,
                origin: set.origin(name),
            };
            self.refuse::<_, ()>(&path, &key, message, allowed);
        }
    }
}

impl raw::Provisional {
    /// Where a key was set.
    fn origin(&self, name: &str) -> super::value::Origin {
        let mut origin = super::value::Origin::Default;
        raw::Part::walk(&mut self.clone(), "", &mut |key, value| {
            if key == name {
                origin = value.origin().clone();
            }
        });
        origin
    }
}
