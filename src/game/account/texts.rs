//! What a second account surely says. Its newest text may be half written.

use std::sync::Arc;

use super::Account;
use remisd_vocabulary::time::{Moment, Span};

/// So many texts in a row must say the same, if none of them stands still.
const TEXTS: usize = 3;
/// After so long, and as many texts that have nothing new in common, the newest one counts.
pub(super) const RESTLESS: Span = Span::from_millis(15_000);

/// The texts of an account, and what they surely say.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// The newest texts since the last one that stood still, the newest last. At most [`TEXTS`].
    newest: Vec<Arc<Account>>,
    is_settled: bool,
    /// How often a text was read since something was settled, and since when.
    restless: usize,
    restless_since: Option<Moment>,
    account: Option<Arc<Account>>,
}

impl Texts {
    /// Takes in a text. `is_settled` means that it has stood still, or is never half written.
    pub(super) fn see(&mut self, text: Arc<Account>, is_settled: bool) {
        self.is_settled = is_settled;
        if self.newest.last() != Some(&text) {
            self.newest.push(text.clone());
            let surplus = self.newest.len().saturating_sub(TEXTS);
            self.newest.drain(..surplus);
        }
        // The same text counts again: one that is missing now and then never stands still.
        self.restless = self.restless.saturating_add(1);
        if is_settled {
            self.newest = vec![text.clone()];
            self.settle(text);
            return;
        }
        if let Some(common) = self.in_common().filter(|common| self.is_news(common)) {
            self.settle(Arc::new(common));
        }
    }

    /// Lets time pass: a text that never stands still counts in the end.
    pub(super) fn wait(&mut self, now: Moment) {
        if self.is_settled || self.restless == 0 {
            return;
        }
        let since = *self.restless_since.get_or_insert(now);
        if self.restless >= TEXTS && now >= since + RESTLESS {
            self.account = self.newest.last().cloned();
        }
    }

    /// When to let time pass.
    pub(super) fn due(&self) -> Option<Moment> {
        let is_known = self.account.as_ref() == self.newest.last();
        let waits = !self.is_settled && self.restless >= TEXTS && !is_known;
        let since = self.restless_since.filter(|_| waits);
        since.map(|since| since + RESTLESS)
    }

    /// What the account surely says; `None` if nothing was read yet.
    pub(super) const fn account(&self) -> Option<&Arc<Account>> {
        self.account.as_ref()
    }

    /// The same, if the newest text says nothing else.
    pub(super) fn settled(&self) -> Option<&Arc<Account>> {
        self.account.as_ref().filter(|_| self.is_settled)
    }

    fn settle(&mut self, account: Arc<Account>) {
        (self.restless, self.restless_since) = (0, None);
        self.account = Some(account);
    }

    /// What the last texts have in common.
    fn in_common(&self) -> Option<Account> {
        let (newest, before) = self.newest.split_last()?;
        if before.len() + 1 < TEXTS || before.iter().any(|text| text.start != newest.start) {
            return None;
        }
        let says = |at: usize| {
            before
                .iter()
                .all(|text| text.moves.get(at) == newest.moves.get(at))
        };
        let plies = (0..newest.moves.len()).take_while(|at| says(*at)).count();
        let is_same = |differs: fn(&Account, &Account) -> bool| {
            plies == newest.moves.len() && !before.iter().any(|text| differs(text, newest))
        };
        let same_word = is_same(|one, other| one.unreadable != other.unreadable);
        let same_result = is_same(|one, other| one.result != other.result);
        Some(Account {
            moves: newest.moves[..plies].to_vec(),
            signs: newest
                .signs
                .clone()
                .into_iter()
                .filter(|_| same_result)
                .collect(),
            unreadable: newest.unreadable.clone().filter(|_| same_word),
            result: newest.result.filter(|_| same_result),
            ..Account::clone(newest)
        })
    }

    /// Whether it says more than what is settled, or something else.
    fn is_news(&self, common: &Account) -> bool {
        let Some(known) = &self.account else {
            return true;
        };
        let is_shorter = known.start == common.start
            && known.tags == common.tags
            && known.moves.starts_with(&common.moves);
        !is_shorter
    }
}
