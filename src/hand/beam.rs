//! The tokens that are kept. They are extended best first, merged if their futures are equal, and
//! cut.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use remisd_vocabulary::time::Moment;

use super::{
    cost::{Cost, NAT, either, weight},
    model::Model,
    token::Token,
    tree::Node,
};

/// The most tokens that are kept. This bounds time and memory; the model does not depend on it.
const MAX_TOKENS: usize = 250;
/// A token that costs this much more than the best is dropped: its weight is below 1 in 3 million.
const MAX_EXCESS: Cost = 15 * NAT;
/// The most tokens that one event may create: a bound on its time.
const MAX_EXTENSIONS: usize = 1_500;
/// Bounds on time: only tokens of this rank, and no costlier than this, try unreported ends of
/// plies.
const MAX_DEEP_RANK: usize = 30;
const MAX_DEEP_EXCESS: Cost = 11 * NAT;

/// The tokens, the best first.
#[derive(Debug)]
pub(crate) struct Beam {
    tokens: Vec<Token>,
    /// The weights at the last weighing. `None` after a token has changed.
    weights: Option<Weights>,
}

/// The weight of each token at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    at: Moment,
    /// The cost of the best token, and how much more each token costs.
    best: Cost,
    excess: Vec<Cost>,
    pub(crate) each: Vec<u64>,
    pub(crate) sum: u64,
}

impl Weights {
    /// Computes weights from total costs.
    fn of(mut totals: Vec<Cost>, at: Moment) -> Self {
        let best = totals.iter().copied().min().unwrap_or(0);
        for total in &mut totals {
            *total -= best;
        }
        let each: Vec<u64> = totals.iter().map(|more| weight(*more)).collect();
        let sum = each.iter().sum::<u64>().max(1);
        Self {
            at,
            best,
            excess: totals,
            each,
            sum,
        }
    }
}

impl Beam {
    pub(crate) fn new(token: Token) -> Self {
        Self {
            tokens: vec![token],
            weights: None,
        }
    }

    pub(crate) fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Replaces every token by the tokens that it can become. `extend` also receives whether the
    /// token is good enough for the costly interpretations.
    pub(crate) fn extend(
        &mut self,
        now: Moment,
        model: &Model,
        mut extend: impl FnMut(&Token, bool, &mut Vec<Token>),
    ) {
        self.weigh(now, model);
        let Some(weights) = &self.weights else { return };
        let mut out = Vec::with_capacity(self.tokens.len() * 4);
        let mut totals = Vec::with_capacity(self.tokens.len() * 4);
        let mut best = Cost::MAX;
        for (rank, (token, &more)) in self.tokens.iter().zip(&weights.excess).enumerate() {
            if weights.best + more > best.saturating_add(MAX_EXCESS) || out.len() > MAX_EXTENSIONS {
                break;
            }
            extend(
                token,
                rank < MAX_DEEP_RANK && more < MAX_DEEP_EXCESS,
                &mut out,
            );
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

    /// Keeps the best of these tokens.
    pub(crate) fn keep(&mut self, tokens: Vec<Token>, now: Moment, model: &Model) {
        let totals: Vec<Cost> = tokens
            .iter()
            .map(|token| token.total_cost(now, model))
            .collect();
        self.keep_best(tokens, &totals, now);
    }

    /// Keeps the best of these tokens, given their total costs.
    fn keep_best(&mut self, tokens: Vec<Token>, totals: &[Cost], now: Moment) {
        let mut known: HashMap<u64, usize> = HashMap::with_capacity(tokens.len());
        let mut kept: Vec<(Cost, Token)> = Vec::with_capacity(tokens.len());
        let best = totals.iter().copied().min().unwrap_or(0);
        for (token, &total) in tokens.into_iter().zip(totals) {
            if total > best + MAX_EXCESS {
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
        kept.truncate(MAX_TOKENS);
        let best = kept.first().map_or(0, |(total, _)| *total);
        let (totals, tokens): (Vec<Cost>, Vec<Token>) = (kept.into_iter())
            .map(|(total, mut token)| {
                token.cost -= best;
                (total - best, token)
            })
            .unzip();
        self.tokens = tokens;
        self.weights = Some(Weights::of(totals, now));
    }

    /// The weight of every token at a moment.
    pub(crate) fn weights(&self, now: Moment, model: &Model) -> Cow<'_, Weights> {
        if let Some(weights) = self.weights.as_ref().filter(|weights| weights.at == now) {
            return Cow::Borrowed(weights);
        }
        Cow::Owned(Weights::of(self.totals(now, model), now))
    }

    fn totals(&self, now: Moment, model: &Model) -> Vec<Cost> {
        let tokens = self.tokens.iter();
        tokens.map(|token| token.total_cost(now, model)).collect()
    }

    /// Sorts the tokens by total cost, and caches their weights.
    pub(crate) fn weigh(&mut self, now: Moment, model: &Model) {
        if self
            .weights
            .as_ref()
            .is_some_and(|weights| weights.at == now)
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
        self.weights = Some(Weights::of(totals, now));
    }

    /// Changes every token.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut Token)) {
        self.weights = None;
        self.tokens.iter_mut().for_each(change);
    }

    /// The best nodes, each once, with the best token of each.
    pub(crate) fn nodes(&self, limit: usize) -> Vec<(&Token, Arc<Node>)> {
        let mut nodes: Vec<(&Token, Arc<Node>)> = Vec::new();
        for token in &self.tokens {
            if nodes.len() < limit
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
