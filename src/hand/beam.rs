//! The tokens that are kept: extended best first, merged where their futures are equal, cut.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use super::{
    cost::{Cost, NAT, either, weight},
    model::Model,
    token::Token,
    tree::Node,
};

/// Tokens that are kept at most.
const WIDEST: usize = 250;
/// What a token may cost more than the best, and still be kept.
const WIDTH: Cost = 15 * NAT;
/// Tokens that one event may be extended to: a bound on its time.
const MOST: usize = 1_500;
/// Tokens of which completions that nobody saw are tried, and what they may cost more.
const DEEP: usize = 30;
const DEEP_WIDTH: Cost = 11 * NAT;

/// The accounts that are held possible, the best first.
#[derive(Debug)]
pub(crate) struct Beam {
    tokens: Vec<Token>,
    /// What each weighed when they were last weighed, unless one has changed since.
    weighed: Option<Weights>,
}

/// The weight of each token at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    at: u64,
    /// What the best costs, and what each costs more.
    best: Cost,
    beside: Vec<Cost>,
    pub(crate) each: Vec<u64>,
    pub(crate) whole: u64,
}

impl Weights {
    /// Of tokens that cost so much at a moment.
    fn of(mut totals: Vec<Cost>, at: u64) -> Self {
        let best = totals.iter().copied().min().unwrap_or(0);
        for total in &mut totals {
            *total -= best;
        }
        let each: Vec<u64> = totals.iter().map(|more| weight(*more)).collect();
        let whole = each.iter().sum::<u64>().max(1);
        Self {
            at,
            best,
            beside: totals,
            each,
            whole,
        }
    }
}

impl Beam {
    pub(crate) fn new(token: Token) -> Self {
        Self {
            tokens: vec![token],
            weighed: None,
        }
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Replaces every token by those that it can become. `extend` is also told whether it is
    /// good enough for all that is costly.
    pub(crate) fn extend(
        &mut self,
        now: u64,
        model: &Model,
        mut extend: impl FnMut(&Token, bool, &mut Vec<Token>),
    ) {
        self.weigh(now, model);
        let Some(weighed) = &self.weighed else { return };
        let mut out = Vec::with_capacity(self.tokens.len() * 4);
        let mut totals = Vec::with_capacity(self.tokens.len() * 4);
        let mut best = Cost::MAX;
        for (rank, (token, &more)) in self.tokens.iter().zip(&weighed.beside).enumerate() {
            if weighed.best + more > best.saturating_add(WIDTH) || out.len() > MOST {
                break;
            }
            extend(token, rank < DEEP && more < DEEP_WIDTH, &mut out);
            let new = out[totals.len()..].iter();
            for total in new.map(|token| token.total_cost(now, model)) {
                best = best.min(total);
                totals.push(total);
            }
        }
        if !out.is_empty() {
            self.keep_best(out, &totals, now);
        }
    }

    /// Keeps the best of these.
    pub(crate) fn keep(&mut self, tokens: Vec<Token>, now: u64, model: &Model) {
        let totals: Vec<Cost> = tokens
            .iter()
            .map(|token| token.total_cost(now, model))
            .collect();
        self.keep_best(tokens, &totals, now);
    }

    /// Keeps the best of these, of which each costs so much now.
    fn keep_best(&mut self, tokens: Vec<Token>, totals: &[Cost], now: u64) {
        let mut known: HashMap<u64, usize> = HashMap::with_capacity(tokens.len());
        let mut kept: Vec<(Cost, Token)> = Vec::with_capacity(tokens.len());
        let best = totals.iter().copied().min().unwrap_or(0);
        for (token, &total) in tokens.into_iter().zip(totals) {
            if total > best + WIDTH {
                continue;
            }
            let key = token.merge_key();
            let Some(&index) = known.get(&key) else {
                known.insert(key, kept.len());
                kept.push((total, token));
                continue;
            };
            let (other, rival) = &mut kept[index];
            let sum = either(*other, total);
            if total < *other {
                *rival = token;
                rival.cost += sum - total;
            } else {
                rival.cost += sum - *other;
            }
            *other = sum;
        }
        kept.sort_by_cached_key(|(total, _)| *total);
        kept.truncate(WIDEST);
        let best = kept.first().map_or(0, |(total, _)| *total);
        let (totals, tokens): (Vec<Cost>, Vec<Token>) = (kept.into_iter())
            .map(|(total, mut token)| {
                token.cost -= best;
                (total - best, token)
            })
            .unzip();
        self.tokens = tokens;
        self.weighed = Some(Weights::of(totals, now));
    }

    /// The weight of every token at a moment.
    pub(crate) fn weights(&self, now: u64, model: &Model) -> Cow<'_, Weights> {
        if let Some(weighed) = self.weighed.as_ref().filter(|weighed| weighed.at == now) {
            return Cow::Borrowed(weighed);
        }
        Cow::Owned(Weights::of(self.totals(now, model), now))
    }

    fn totals(&self, now: u64, model: &Model) -> Vec<Cost> {
        let tokens = self.tokens.iter();
        tokens.map(|token| token.total_cost(now, model)).collect()
    }

    /// Puts the best first, and keeps what all weigh.
    pub(crate) fn weigh(&mut self, now: u64, model: &Model) {
        if self
            .weighed
            .as_ref()
            .is_some_and(|weighed| weighed.at == now)
        {
            return;
        }
        let mut totals = self.totals(now, model);
        if !totals.is_sorted() {
            let mut both: Vec<(Cost, Token)> = totals
                .into_iter()
                .zip(std::mem::take(&mut self.tokens))
                .collect();
            both.sort_by_cached_key(|(total, _)| *total);
            (totals, self.tokens) = both.into_iter().unzip();
        }
        self.weighed = Some(Weights::of(totals, now));
    }

    /// Does something to every token.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut Token)) {
        self.weighed = None;
        self.tokens.iter_mut().for_each(change);
    }

    /// The positions that tokens stand at, the best first, each once.
    pub(crate) fn nodes(&self, most: usize) -> Vec<(&Token, Arc<Node>)> {
        let mut nodes: Vec<(&Token, Arc<Node>)> = Vec::new();
        for token in &self.tokens {
            if nodes.len() < most
                && !nodes
                    .iter()
                    .any(|(_, known)| Arc::ptr_eq(known, &token.node))
            {
                nodes.push((token, token.node.clone()));
            }
        }
        nodes
    }
}
