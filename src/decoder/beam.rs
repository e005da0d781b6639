//! The tokens that are kept: extended best first, merged where their futures are equal, cut.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use super::{
    fixed::{Cost, NAT, either, weight},
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
    /// What each weighed when it was last weighed, and since then has not changed.
    weighed: Option<Weights>,
}

/// The weight of each token at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    at: u64,
    pub(crate) each: Vec<u64>,
    pub(crate) whole: u64,
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
        self.sort(now, model);
        let mut out = Vec::with_capacity(self.tokens.len() * 4);
        let mut best = Cost::MAX;
        let first = self
            .tokens
            .first()
            .map_or(0, |token| token.total(now, model));
        for (rank, token) in self.tokens.iter().enumerate() {
            let total = token.total(now, model);
            if total > best.saturating_add(WIDTH) || out.len() > MOST {
                break;
            }
            let from = out.len();
            extend(token, rank < DEEP && total < first + DEEP_WIDTH, &mut out);
            let new = out[from..]
                .iter()
                .map(|token| token.total(now, model))
                .min();
            best = best.min(new.unwrap_or(Cost::MAX));
        }
        if !out.is_empty() {
            self.keep(out, now, model);
        }
    }

    /// Keeps the best of these.
    pub(crate) fn keep(&mut self, tokens: Vec<Token>, now: u64, model: &Model) {
        let mut known: HashMap<u64, usize> = HashMap::with_capacity(tokens.len());
        let mut kept: Vec<(Cost, Token)> = Vec::with_capacity(tokens.len());
        let best = tokens
            .iter()
            .map(|token| token.total(now, model))
            .min()
            .unwrap_or(0);
        for token in tokens {
            let total = token.total(now, model);
            if total > best + WIDTH {
                continue;
            }
            let key = token.key();
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
        kept.sort_by_key(|(total, _)| *total);
        kept.truncate(WIDEST);
        let best = kept.first().map_or(0, |(total, _)| *total);
        self.weighed = None;
        self.tokens = (kept.into_iter())
            .map(|(_, mut token)| {
                token.cost -= best;
                token
            })
            .collect();
    }

    /// Puts the best first.
    pub(crate) fn sort(&mut self, now: u64, model: &Model) {
        self.weighed = None;
        self.tokens
            .sort_by_cached_key(|token| token.total(now, model));
    }

    /// The weight of every token at a moment.
    pub(crate) fn weights(&self, now: u64, model: &Model) -> Cow<'_, Weights> {
        if let Some(weighed) = self.weighed.as_ref().filter(|weighed| weighed.at == now) {
            return Cow::Borrowed(weighed);
        }
        let totals: Vec<Cost> = self.tokens.iter().map(|t| t.total(now, model)).collect();
        let best = totals.iter().copied().min().unwrap_or(0);
        let each: Vec<u64> = totals.iter().map(|total| weight(total - best)).collect();
        let whole = each.iter().sum::<u64>().max(1);
        Cow::Owned(Weights {
            at: now,
            each,
            whole,
        })
    }

    /// Puts the best first, and keeps what all weigh.
    pub(crate) fn weigh(&mut self, now: u64, model: &Model) {
        self.sort(now, model);
        self.weighed = Some(self.weights(now, model).into_owned());
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
