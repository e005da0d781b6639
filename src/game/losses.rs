//! What the journal has lost, until the arbiter has seen it.
//!
//! A loss is never dropped. Where there are too many, they are summed up: ranges of numbers are
//! joined over the shortest holes between them, and the oldest earlier games share an alert.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::alert::{AlertCode, Condition};
use remisd_laws::Ply;
use remisd_vocabulary::seq::EntrySeq;

/// Earlier games whose losses have an alert of their own.
pub const EARLIER_LOSSES: usize = 16;
/// Ranges of numbers in one loss.
const RANGES: usize = 64;

/// Consecutive numbers whose entries the journal has lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LostEntries {
    /// The first.
    pub from: EntrySeq,
    /// The last.
    pub to: EntrySeq,
    /// How many of them are lost; absent if all are. Of very many ranges the nearest are joined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

impl LostEntries {
    /// All entries of a range.
    #[must_use]
    pub const fn new(from: EntrySeq, to: EntrySeq) -> Self {
        let count = None;
        Self { from, to, count }
    }

    /// How many of the entries are lost.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count.unwrap_or(self.length())
    }

    const fn length(&self) -> u64 {
        self.to.since(self.from).saturating_add(1)
    }

    /// Whether all of these numbers are in one of `ranges`.
    #[must_use]
    pub fn is_within(&self, ranges: &[Self]) -> bool {
        ranges.iter().any(|range| self.is_in(range))
    }

    fn is_in(&self, range: &Self) -> bool {
        range.from <= self.from && self.to <= range.to
    }

    /// Joins a range that does not begin before this one.
    fn join(&mut self, next: &Self) {
        let count = if next.from > self.to {
            self.count().saturating_add(next.count())
        } else {
            // What both count is not known. Too small a count lets the loss be reported again.
            self.count().max(next.count())
        };
        let is_whole = self.count.is_none() && next.count.is_none() && hole(self, next) == 0;
        self.to = self.to.max(next.to);
        self.count = (!is_whole && count < self.length()).then_some(count);
    }
}

/// Returns what is not reported yet of `lost`, if `reported` are.
///
/// A joined range covers entries that were not lost. If more of them are lost than it counts, the
/// whole range is returned, with the new count.
#[must_use]
pub fn not_yet_reported(lost: &[LostEntries], reported: &[LostEntries]) -> Vec<LostEntries> {
    let reported = merged(reported.iter().copied());
    let outside = lost.iter().filter(|one| !one.is_within(&reported));
    let joined = reported.iter().filter(|range| range.count.is_some());
    let grown = joined.filter_map(|range| {
        let within = lost.iter().filter(|one| one.is_in(range));
        let count = within.map(LostEntries::count).sum();
        let is_news = count > range.count();
        is_news.then_some(LostEntries {
            count: Some(count),
            ..*range
        })
    });
    merged(outside.copied().chain(grown))
}

/// Returns ranges in order, with adjacent ones merged.
///
/// Of more than 64 ranges the nearest are joined. The result then covers entries that are not
/// lost, but it always covers every lost one, and counts them.
#[must_use]
pub fn merged(lost: impl IntoIterator<Item = LostEntries>) -> Vec<LostEntries> {
    let mut lost: Vec<_> = lost.into_iter().collect();
    lost.sort_by_key(|range| range.from);
    join_over(&mut lost, 0);
    if lost.len() > RANGES {
        let pairs = lost.windows(2);
        let mut holes: Vec<u64> = pairs.map(|pair| hole(&pair[0], &pair[1])).collect();
        let (_, most, _) = holes.select_nth_unstable(lost.len() - RANGES - 1);
        join_over(&mut lost, *most);
    }
    lost
}

/// Joins neighbours with at most `most` numbers between them.
fn join_over(lost: &mut Vec<LostEntries>, most: u64) {
    lost.dedup_by(|next, before| {
        let joins = hole(before, next) <= most;
        if joins {
            before.join(next);
        }
        joins
    });
}

/// How many numbers are between two ranges.
const fn hole(before: &LostEntries, next: &LostEntries) -> u64 {
    next.from.since(before.to.next())
}

/// What the journal has lost of a game, until the arbiter has seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Loss {
    /// The number of the game.
    pub game: EntrySeq,
    /// Its entries that are lost.
    pub lost: Vec<LostEntries>,
    /// The first ply that is not certain; absent if no ply is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Ply>,
}

/// An earlier game of which entries are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierGame {
    /// Its number, which is that of its first entry.
    pub game: EntrySeq,
    /// What is left of it.
    pub left: Remains,
    /// How many later games share this report.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
pub(super) const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What is left of an earlier game of which entries are lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remains {
    /// Its beginning.
    Part,
    /// Nothing.
    Nothing,
    /// The lost entries are the end of this game, or later games: nothing proves which.
    Unknown,
    /// The entries before and after the lost ones.
    Around,
}

/// What the journal has lost of an earlier game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EarlierLoss {
    /// The game.
    #[serde(flatten)]
    pub of: EarlierGame,
    /// Its entries that are lost.
    pub lost: Vec<LostEntries>,
    /// Whether the arbiter has acknowledged it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seen: bool,
}

impl EarlierLoss {
    /// Whether these entries are among the lost ones.
    #[must_use]
    pub fn covers(&self, entries: LostEntries) -> bool {
        entries.is_within(&self.lost)
    }

    /// Whether all of these entries are known to be lost.
    #[must_use]
    pub fn is_exact(&self, entries: LostEntries) -> bool {
        let mut exact = self.lost.iter().filter(|range| range.count.is_none());
        exact.any(|range| entries.is_in(range))
    }

    fn subject(&self) -> String {
        self.of.game.to_string()
    }

    fn condition(&self) -> Option<Condition> {
        let arguments = arguments(self.of.game, &self.lost, None, Some(&self.of))?;
        Some(Condition::new(AlertCode::EntriesLost, None, arguments).about(self.subject()))
    }

    fn is_older_than(&self, other: &Self) -> bool {
        self.lost.first().map(|lost| lost.from) < other.lost.first().map(|lost| lost.from)
    }

    /// Another report about the same game.
    fn add(&mut self, other: Self) {
        if self.of.more == 0 && self.of.left != other.of.left {
            self.of.left = other.of.left;
        }
        self.of.more = self.of.more.max(other.of.more);
        self.seen &= other.seen;
        self.lost = merged(self.lost.drain(..).chain(other.lost));
    }

    /// Counts a newer loss with this one.
    fn sum_up(&mut self, newer: Self) {
        self.of.left = Remains::Unknown;
        self.of.more = (self.of.more).saturating_add(newer.of.more.saturating_add(1));
        self.lost = merged(self.lost.drain(..).chain(newer.lost));
    }
}

impl From<&Loss> for EarlierLoss {
    fn from(loss: &Loss) -> Self {
        let (game, left, more) = (loss.game, Remains::Around, 0);
        Self {
            of: EarlierGame { game, left, more },
            lost: loss.lost.clone(),
            seen: false,
        }
    }
}

/// What the alert says of lost entries; `None` where there are none.
fn arguments(
    game: EntrySeq,
    lost: &[LostEntries],
    since: Option<Ply>,
    earlier: Option<&EarlierGame>,
) -> Option<[(&'static str, Value); 7]> {
    let (from, to) = (lost.first()?.from, lost.last()?.to);
    let count: u64 = lost.iter().map(LostEntries::count).sum();
    let more = earlier.map(|of| of.more).filter(|more| *more > 0);
    Some([
        ("game", json!(game)),
        ("from", json!(from)),
        ("to", json!(to)),
        ("count", json!(count)),
        ("since", json!(since)),
        ("left", json!(earlier.map(|of| of.left))),
        ("more", json!(more)),
    ])
}

/// The losses that are known at a board.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Losses {
    /// Of the newest game that has lost something, until the arbiter has seen it.
    newest: Option<Loss>,
    /// Of earlier games, oldest first. Those that the arbiter has seen stay, so that no restart
    /// reports them again.
    earlier: Vec<EarlierLoss>,
}

impl Losses {
    pub(super) const fn newest(&self) -> Option<&Loss> {
        self.newest.as_ref()
    }

    pub(super) fn earlier(&self) -> &[EarlierLoss] {
        &self.earlier
    }

    /// The arbiter has seen a loss: the newest one without a subject, else that of an earlier game.
    pub(super) fn acknowledge(&mut self, subject: &str) {
        if subject.is_empty() {
            self.newest = None;
        }
        let mut earlier = self.earlier.iter_mut();
        if let Some(loss) = earlier.find(|loss| loss.subject() == subject) {
            loss.seen = true;
        }
    }

    /// What the arbiter has not seen.
    pub(super) fn conditions(&self) -> impl Iterator<Item = Condition> {
        let newest = self.newest.as_ref().and_then(|loss| {
            let arguments = arguments(loss.game, &loss.lost, loss.since, None)?;
            Some(Condition::new(AlertCode::EntriesLost, None, arguments))
        });
        let unseen = self.earlier.iter().filter(|loss| !loss.seen);
        newest
            .into_iter()
            .chain(unseen.filter_map(EarlierLoss::condition))
    }

    /// Entries of the game that is played are lost.
    pub(super) fn add(&mut self, game: EntrySeq, lost: &[LostEntries], since: Option<Ply>) {
        let before = match self.newest.take() {
            Some(before) if before.game != game => {
                self.add_earlier((&before).into());
                None
            }
            before => before,
        };
        let known = before.iter().flat_map(|before| &before.lost);
        self.newest = Some(Loss {
            game,
            lost: merged(known.chain(lost).copied()),
            since: since
                .into_iter()
                .chain(before.as_ref().and_then(|b| b.since))
                .min(),
        });
    }

    /// Entries of an earlier game are lost.
    pub(super) fn add_earlier(&mut self, loss: EarlierLoss) {
        let mut known = self.earlier.iter_mut();
        if let Some(known) = known.find(|known| known.of.game == loss.of.game) {
            known.add(loss);
            return;
        }
        let at = self
            .earlier
            .partition_point(|older| older.is_older_than(&loss));
        self.earlier.insert(at, loss);
        if self.earlier.len() > EARLIER_LOSSES {
            self.sum_up_oldest();
        }
    }

    /// Counts the two oldest losses that the arbiter has seen as one, or else the two oldest.
    fn sum_up_oldest(&mut self) {
        let of_kind = |seen| {
            let losses = self.earlier.iter().enumerate();
            let mut alike = losses.filter(move |(_, loss)| loss.seen == seen);
            Some((alike.next()?.0, alike.next()?.0))
        };
        if let Some((older, newer)) = of_kind(true).or_else(|| of_kind(false)) {
            let newer = self.earlier.remove(newer);
            self.earlier[older].sum_up(newer);
        }
    }

    /// What this board leaves to a game that was begun without its record.
    pub(super) fn left(&self) -> Vec<EarlierLoss> {
        let newest = self.newest.iter().map(EarlierLoss::from);
        self.earlier.iter().cloned().chain(newest).collect()
    }

    /// Takes up what was carried into a segment of the journal.
    pub(super) fn take_up(&mut self, newest: Option<&Loss>, earlier: &[EarlierLoss]) {
        self.newest = newest.cloned();
        self.earlier = earlier.to_vec();
    }
}
