//! When each round has begun and has changed last.
//!
//! The daemon may run on a computer without a clock of its own, so the ages are numbers that are
//! counted, not times. Without one, of two rounds the one with the higher number is newer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The age of a round: greater is newer, 0 is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Age {
    #[serde(default)]
    begun: u64,
    #[serde(default)]
    changed: u64,
}

impl Age {
    /// When it has begun.
    pub(crate) const fn begun(self) -> u64 {
        self.begun
    }

    /// When it has changed last.
    pub(crate) const fn changed(self) -> u64 {
        self.changed
    }
}

/// The ages of the rounds.
#[derive(Debug, Clone)]
pub(super) struct Ages {
    /// What this run has counted.
    counted: BTreeMap<u32, Age>,
    /// What an earlier run has counted. All of it is older.
    restored: BTreeMap<u32, Age>,
    count: u64,
    /// The greatest number of an earlier run.
    base: u64,
}

impl Ages {
    pub(super) const fn new() -> Self {
        Self {
            counted: BTreeMap::new(),
            restored: BTreeMap::new(),
            count: 0,
            base: 0,
        }
    }

    /// Notes that a round has changed, and has begun if it is new.
    pub(super) fn note(&mut self, round: u32) {
        self.count = self.count.saturating_add(1);
        let age = self.counted.entry(round).or_default();
        age.changed = self.count;
        if age.begun == 0 {
            age.begun = self.count;
        }
    }

    /// Notes what an earlier run has counted. A round has the newest age of its files.
    pub(super) fn restore(&mut self, round: u32, age: Age) {
        self.base = self.base.max(age.begun).max(age.changed);
        let known = self.restored.entry(round).or_default();
        known.begun = known.begun.max(age.begun);
        known.changed = known.changed.max(age.changed);
    }

    /// The age of a round.
    pub(super) fn of(&self, round: u32) -> Age {
        let restored = self.restored.get(&round).copied();
        let Some(counted) = self.counted.get(&round) else {
            return restored.unwrap_or_default();
        };
        let now = |count: u64| self.base.saturating_add(count);
        Age {
            begun: restored.map_or_else(|| now(counted.begun), |age| age.begun),
            changed: now(counted.changed),
        }
    }

    /// Forgets the rounds that are not in `kept`.
    pub(super) fn forget_all_but<T>(&mut self, kept: &BTreeMap<u32, T>) {
        self.counted.retain(|round, _| kept.contains_key(round));
        self.restored.retain(|round, _| kept.contains_key(round));
    }
}
