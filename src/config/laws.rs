//! The section `[laws]`: what an event may choose within its edition.

use super::{
    choices::Agreement,
    part::Part,
    raw, valid,
    validate::Check,
    value::{Choice, Count, Key, OneOf},
};
use remisd_laws::{self as laws, AgreementRule, Overrides, Regulations, Restriction, overrides};

impl Check<'_> {
    pub(super) fn laws(&mut self, laws: &raw::Laws) -> Option<valid::Laws> {
        let edition = self.edition(laws);
        let rate = self.choice("laws.rate", &laws.rate);
        let confirm = self.choice("laws.confirm", &laws.confirm);
        let escalate_ms = self.number("laws.escalate_ms", &laws.escalate_ms);
        let clock_mismatch_ms = self.number("laws.clock_mismatch_ms", &laws.clock_mismatch_ms);
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
            rate: rate?,
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
            clock_mismatch_ms: clock_mismatch_ms?,
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

    /// Refuses a restriction of draw agreements if the edition has no article for it.
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
        macro_rules! given {
            ($($(#[$about:meta])* $field:ident: $value:ty = $parameter:expr,)*) => {
                Overrides {
                    $($field: self.given(
                        concat!("laws.provisional.", stringify!($field)),
                        &set.$field,
                    ),)*
                }
            };
        }
        overrides!(given)
    }

    fn given<V>(&mut self, path: &str, key: &impl Given<V>) -> Option<V> {
        key.given(path, self)
    }

    /// Refuses a provisional value for a rule whose text the edition's table already contains.
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
    /// The origin of a key.
    fn origin(&self, name: &str) -> super::value::Origin {
        let mut origin = super::value::Origin::Default;
        Part::walk(&mut self.clone(), "", &mut |key, value| {
            if key == name {
                origin = value.origin().clone();
            }
        });
        origin
    }
}

/// A key whose value becomes usable once it is checked.
trait Given<V> {
    /// The value, if one is given and valid.
    fn given(&self, path: &str, check: &mut Check<'_>) -> Option<V>;
}

impl Given<bool> for Key<bool> {
    fn given(&self, _: &str, _: &mut Check<'_>) -> Option<bool> {
        self.value
    }
}

impl<const MIN: i64, const MAX: i64> Given<u32> for Key<Count<MIN, MAX>> {
    fn given(&self, path: &str, check: &mut Check<'_>) -> Option<u32> {
        let number = check.number(path, self)?;
        u32::try_from(number).ok()
    }
}

impl<T: OneOf> Given<T> for Key<Choice<T>> {
    fn given(&self, path: &str, check: &mut Check<'_>) -> Option<T> {
        check.choice(path, self)
    }
}
