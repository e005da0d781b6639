//! The hypotheses that are kept. They are extended best first, merged if their futures are equal,
//! and cut.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use remisd_vocabulary::time::Moment;

use super::{
    cost::{Cost, NAT, either, weight},
    hypothesis::Hypothesis,
    model::Model,
    tree::Node,
};

/// The most hypotheses that are kept. This bounds time and memory; the model does not depend on it.
const MAX_HYPOTHESES: usize = 250;
/// A hypothesis that costs this much more than the best is dropped: its weight is below 1 in 3
/// million.
const MAX_EXCESS: Cost = 15 * NAT;
/// The most hypotheses that one event may create: a bound on its time.
const MAX_EXTENSIONS: usize = 1_500;
/// Bounds on time: only hypotheses of this rank, and no costlier than this, try unreported ends of
/// plies.
const MAX_DEEP_RANK: usize = 30;
const MAX_DEEP_EXCESS: Cost = 11 * NAT;

/// The hypotheses, the best first.
#[derive(Debug)]
pub(crate) struct Beam {
    hypotheses: Vec<Hypothesis>,
    /// The weights at the last weighing. `None` after a hypothesis has changed.
    weights: Option<Weights>,
}

/// The weight of each hypothesis at a moment.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    at: Moment,
    /// The cost of the best hypothesis, and how much more each hypothesis costs.
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
    pub(crate) fn new(hypothesis: Hypothesis) -> Self {
        Self {
            hypotheses: vec![hypothesis],
            weights: None,
        }
    }

    pub(crate) fn hypotheses(&self) -> &[Hypothesis] {
        &self.hypotheses
    }

    /// Replaces every hypothesis by the hypotheses that it can become. `extend` also receives
    /// whether the hypothesis is good enough for the costly interpretations.
    pub(crate) fn extend(
        &mut self,
        now: Moment,
        model: &Model,
        mut extend: impl FnMut(&Hypothesis, bool, &mut Vec<Hypothesis>),
    ) {
        self.weigh(now, model);
        let Some(weights) = &self.weights else { return };
        let mut out = Vec::with_capacity(self.hypotheses.len() * 4);
        let mut totals = Vec::with_capacity(self.hypotheses.len() * 4);
        let mut best = Cost::MAX;
        for (rank, (hypothesis, &more)) in self.hypotheses.iter().zip(&weights.excess).enumerate() {
            if weights.best + more > best.saturating_add(MAX_EXCESS) || out.len() > MAX_EXTENSIONS {
                break;
            }
            extend(
                hypothesis,
                rank < MAX_DEEP_RANK && more < MAX_DEEP_EXCESS,
                &mut out,
            );
            let new = out[totals.len()..].iter();
            for total in new.map(|hypothesis| hypothesis.total_cost(now, model)) {
                best = best.min(total);
                totals.push(total);
            }
        }
        if !out.is_empty() {
            self.keep_best(out, &totals, now);
        }
    }

    /// Keeps the best of these hypotheses.
    pub(crate) fn keep(&mut self, hypotheses: Vec<Hypothesis>, now: Moment, model: &Model) {
        let totals: Vec<Cost> = hypotheses
            .iter()
            .map(|hypothesis| hypothesis.total_cost(now, model))
            .collect();
        self.keep_best(hypotheses, &totals, now);
    }

    /// Keeps the best of these hypotheses, given their total costs.
    fn keep_best(&mut self, hypotheses: Vec<Hypothesis>, totals: &[Cost], now: Moment) {
        let mut known: HashMap<u64, usize> = HashMap::with_capacity(hypotheses.len());
        let mut kept: Vec<(Cost, Hypothesis)> = Vec::with_capacity(hypotheses.len());
        let best = totals.iter().copied().min().unwrap_or(0);
        for (hypothesis, &total) in hypotheses.into_iter().zip(totals) {
            if total > best + MAX_EXCESS {
                continue;
            }
            let key = hypothesis.merge_key();
            let Some(&index) = known.get(&key) else {
                known.insert(key, kept.len());
                kept.push((total, hypothesis));
                continue;
            };
            let (other, rival) = &mut kept[index];
            let sum = either(*other, total);
            if total < *other {
                *rival = hypothesis;
                rival.cost += sum - total;
            } else {
                rival.cost += sum - *other;
            }
            *other = sum;
        }
        kept.sort_by_cached_key(|(total, _)| *total);
        kept.truncate(MAX_HYPOTHESES);
        let best = kept.first().map_or(0, |(total, _)| *total);
        let (totals, hypotheses): (Vec<Cost>, Vec<Hypothesis>) = (kept.into_iter())
            .map(|(total, mut hypothesis)| {
                hypothesis.cost -= best;
                (total - best, hypothesis)
            })
            .unzip();
        self.hypotheses = hypotheses;
        self.weights = Some(Weights::of(totals, now));
    }

    /// The weight of every hypothesis at a moment.
    pub(crate) fn weights(&self, now: Moment, model: &Model) -> Cow<'_, Weights> {
        if let Some(weights) = self.weights.as_ref().filter(|weights| weights.at == now) {
            return Cow::Borrowed(weights);
        }
        Cow::Owned(Weights::of(self.totals(now, model), now))
    }

    fn totals(&self, now: Moment, model: &Model) -> Vec<Cost> {
        let hypotheses = self.hypotheses.iter();
        hypotheses
            .map(|hypothesis| hypothesis.total_cost(now, model))
            .collect()
    }

    /// Sorts the hypotheses by total cost, and caches their weights.
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
            let mut both: Vec<(Cost, Hypothesis)> = totals
                .into_iter()
                .zip(std::mem::take(&mut self.hypotheses))
                .collect();
            both.sort_by_cached_key(|(total, _)| *total);
            (totals, self.hypotheses) = both.into_iter().unzip();
        }
        self.weights = Some(Weights::of(totals, now));
    }

    /// Changes every hypothesis.
    pub(crate) fn each(&mut self, change: impl FnMut(&mut Hypothesis)) {
        self.weights = None;
        self.hypotheses.iter_mut().for_each(change);
    }

    /// The best nodes, each once, with the best hypothesis of each.
    pub(crate) fn nodes(&self, limit: usize) -> Vec<(&Hypothesis, Arc<Node>)> {
        let mut nodes: Vec<(&Hypothesis, Arc<Node>)> = Vec::new();
        for hypothesis in &self.hypotheses {
            if nodes.len() < limit
                && !nodes
                    .iter()
                    .any(|(_, known)| Arc::ptr_eq(known, &hypothesis.node))
            {
                nodes.push((hypothesis, hypothesis.node.clone()));
            }
        }
        nodes
    }
}
