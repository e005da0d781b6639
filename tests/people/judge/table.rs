//! The table of verdicts.

use std::collections::BTreeMap;
use std::fmt;

use crate::Millis;

use super::grade::{Grade, Verdict};
use crate::category::Category;

/// What one row adds up.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Games.
    pub games: usize,
    /// Games by grade: exact, flagged, silently wrong.
    pub grades: [usize; 3],
    /// Silently wrong at a ply that no reader could know.
    pub unknowable: usize,
    /// Silently wrong for too long, though right at the end.
    pub late: usize,
    /// Silently wrong under an open doubt that does not reach back far enough.
    pub short: usize,
    /// Plies that were played.
    pub plies: usize,
    /// Plies withdrawn or replaced after they were reported.
    pub taken_back: usize,
    /// Alarms raised in games that were read exactly.
    pub alarms: usize,
    /// Reported moves that were not legal.
    pub impossible: usize,
    /// From release to report.
    pub latencies: Vec<Millis>,
}

impl Row {
    /// Counts one verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        self.games += 1;
        let grade = match verdict.grade {
            Grade::Exact => 0,
            Grade::Flagged => 1,
            Grade::Silent => 2,
        };
        self.grades[grade] += 1;
        self.plies += verdict.plies;
        self.taken_back += verdict.taken_back;
        self.impossible += verdict.impossible;
        self.latencies.extend(&verdict.latencies);
        match verdict.grade {
            Grade::Exact => self.alarms += verdict.alarms,
            Grade::Silent => {
                self.unknowable += usize::from(!verdict.knowable);
                self.late += usize::from(verdict.late);
                self.short += usize::from(verdict.short);
            }
            Grade::Flagged => {}
        }
    }

    fn join(&mut self, other: &Self) {
        self.games += other.games;
        for (sum, count) in self.grades.iter_mut().zip(other.grades) {
            *sum += count;
        }
        self.unknowable += other.unknowable;
        self.late += other.late;
        self.short += other.short;
        self.plies += other.plies;
        self.taken_back += other.taken_back;
        self.alarms += other.alarms;
        self.impossible += other.impossible;
        self.latencies.extend(&other.latencies);
    }

    /// The latency that this number in a thousand do not exceed.
    #[must_use]
    pub fn latency(&self, permille: usize) -> Option<Millis> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        let index = sorted.len().saturating_sub(1) * permille / 1_000;
        sorted.get(index).copied()
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, name: &str, clock: &str) -> fmt::Result {
        let ms = |permille| {
            self.latency(permille)
                .map_or("–".to_owned(), |ms| ms.to_string())
        };
        writeln!(
            f,
            "| {name} | {clock} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            self.games,
            self.plies,
            self.grades[0],
            self.grades[1],
            self.grades[2],
            self.unknowable,
            self.late,
            self.short,
            ms(500),
            ms(990),
            self.taken_back,
            self.alarms,
        )
    }
}

/// Verdicts by category and clock.
#[derive(Debug, Clone, Default)]
pub struct Table(BTreeMap<(Category, bool), Row>);

impl Table {
    /// Counts one verdict.
    pub fn add(&mut self, category: Category, clock: bool, verdict: &Verdict) {
        self.0.entry((category, clock)).or_default().add(verdict);
    }

    /// All rows together.
    #[must_use]
    pub fn sum(&self) -> Row {
        let mut sum = Row::default();
        for row in self.0.values() {
            sum.join(row);
        }
        sum
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| hands | clock | games | plies | exact | flagged | silent | unknowable | right in the end | \
             doubt too short | p50 ms | p99 ms | taken back | alarms in exact games |"
        )?;
        writeln!(
            f,
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
        )?;
        for ((category, clock), row) in &self.0 {
            row.line(f, category.name(), if *clock { "yes" } else { "no" })?;
        }
        let sum = self.sum();
        sum.line(f, "**all**", "")?;
        if sum.impossible > 0 {
            writeln!(f, "\n{} reported moves are not legal.", sum.impossible)?;
        }
        Ok(())
    }
}
