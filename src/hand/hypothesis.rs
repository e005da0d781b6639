//! Lines of legal moves that may explain what the sensors saw.

use std::cell::Cell;

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use super::{
    changes::Changes,
    evidence::INCREDIBLE,
    sight::{Difference, Sight},
    story::{self, Story},
};
use remisd_vocabulary::time::Millis;

/// A piece that is missing is ordinary: somebody holds it.
pub(super) const MISSING: u32 = 1;
/// More pieces than that are not in hands: one of each player.
const HANDS: u32 = 2;
/// A piece where none should be is not.
pub(super) const FOREIGN: u32 = 4;

/// Plies that bear out the one before them, of which much was left unexplained.
const BORNE_OUT: usize = 4;

/// A line of legal moves from the settled position, held against the sensors.
#[derive(Debug, Clone)]
pub struct Hypothesis {
    /// The moves, the first one made by the player having the move.
    pub line: Vec<Move>,
    /// The position after them.
    pub after: Chess,
    /// What it leaves unexplained of the events until its last move.
    pub cost: u32,
    /// What had been left unexplained before its first move was begun. Costs are reckoned from the settled
    /// position: what had been spent before that is less than nothing.
    pub(super) spent_at_start: i64,
    /// What it had left unexplained after each of its moves, when it went on from there.
    pub(super) spent: Vec<i64>,
    /// The most that had to be left unexplained at once.
    pub(super) leap: u32,
    /// The plies of the line of which it is true.
    pub(super) leap_plies: usize,
    /// Where the sensors contradict it now.
    pub difference: Difference,
    /// When the board looked like this.
    pub(super) stood: Option<Stood>,
    /// From when on events may belong to what comes after it, if it never stood.
    pub(super) from: Millis,
    /// How many changes there had been when the board last showed it, or what it goes on
    /// from.
    pub(super) told: u64,
    /// Its moves since then.
    pub(super) untold: Vec<Move>,
    /// What has been held against it because the board rested as after another line.
    pub(super) rested_against: u32,
    /// What its story cost when it was reckoned last, and of what.
    reckoned: Cell<Option<(Told, u32)>>,
}

/// All that the cost of a story depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Told {
    changes: u64,
    since: u64,
    plies: usize,
    all_plies: usize,
    differing: Bitboard,
}

/// When the board looked exactly as after a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stood {
    /// For the first time.
    pub(super) from: Millis,
    /// For the last time; now, while it does.
    pub(super) until: Millis,
    /// How long it did so and no other line explained it, in all.
    pub(super) clear_ms: Millis,
    /// Whether somebody lifted another piece then than the one that had been moved.
    pub(super) answered: bool,
}

impl Hypothesis {
    /// The settled position itself, to which all belongs that is sensed from `from` on.
    pub(super) fn root(position: Chess, from: Millis, changes: &Changes) -> Self {
        Self::new(Vec::new(), position, 0, from, changes.count())
    }

    pub(super) fn new(line: Vec<Move>, after: Chess, cost: u32, from: Millis, told: u64) -> Self {
        Self {
            untold: Vec::new(),
            spent_at_start: 0,
            spent: vec![cost.into(); line.len()],
            line,
            after,
            cost,
            leap: 0,
            leap_plies: 0,
            difference: Difference::default(),
            stood: None,
            from,
            told,
            rested_against: 0,
            reckoned: Cell::new(None),
        }
    }

    /// Holds it against what is seen at `now`, but for the squares that are ignored.
    pub(super) fn hold_against(
        &mut self,
        sight: &Sight,
        ignored: Bitboard,
        now: Millis,
        changes: &Changes,
        scan_ms: Millis,
    ) {
        self.difference = sight.difference(self.after.board()).without(ignored);
        if self.is_exact() {
            self.sum_up(changes, scan_ms);
            self.stood.get_or_insert(Stood {
                from: now,
                until: now,
                clear_ms: 0,
                answered: false,
            });
        }
    }

    /// What has been told so far is held against it for good: nobody knows what comes next.
    pub(super) fn sum_up(&mut self, changes: &Changes, scan_ms: Millis) {
        self.cost += self.story(changes, scan_ms);
        self.tell_since(changes.count(), Vec::new());
    }

    /// Somebody has lifted the piece of `square` while the board looked like this.
    pub(super) fn left_by(&mut self, square: shakmaty::Square) {
        let moved = self.line.last().is_some_and(|m| m.to() == square);
        if self.is_exact()
            && let Some(stood) = &mut self.stood
        {
            stood.answered |= !moved && self.after.us().contains(square);
        }
    }

    /// Whether every square is as it should be.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.difference.is_none()
    }

    /// What the squares that differ now cost.
    #[must_use]
    pub fn unexplained(&self) -> u32 {
        let count = |squares: Bitboard| u32::try_from(squares.count()).unwrap_or(64);
        let missing = count(self.difference.missing);
        let held = missing.min(HANDS);
        MISSING * held + FOREIGN * (missing - held) + FOREIGN * count(self.difference.foreign)
    }

    /// Whether only pieces of `color` are missing, at least one, and all else is right.
    #[must_use]
    pub fn lacks_only(&self, color: Color) -> bool {
        let Difference { missing, foreign } = self.difference;
        foreign.is_empty() && missing.any() && missing.is_subset(self.after.board().by_color(color))
    }

    /// Since when the events belong to what comes after it.
    pub(super) fn since(&self) -> Millis {
        self.stood.map_or(self.from, |stood| stood.until)
    }

    /// From when on squares that changed may belong to what comes after it. Where the board
    /// never showed it, the next piece may have been seen to leave before its last one came.
    pub(super) fn active_since(&self, scan_ms: Millis) -> Millis {
        match self.stood {
            Some(stood) => stood.until,
            None => self.from.saturating_sub(scan_ms),
        }
    }

    /// Whether the board has shown it since what another one with the same line is told from.
    pub(super) const fn stood_after(&self, other: &Self) -> bool {
        self.stood.is_some() && self.told > other.told
    }

    /// Takes over what makes the same line cheaper, if it was found another way. That the board
    /// has shown it is not forgotten: what came before is no part of what is told since.
    pub(super) fn take_cheaper(&mut self, other: Self, changes: &Changes, scan_ms: Millis) {
        let told_since = self.story(changes, scan_ms);
        // What is held against it for good does not depend on how it was found.
        let owed = self.rested_against.saturating_sub(other.rested_against);
        if other.cost + owed >= self.cost + told_since {
            return; // whatever its story costs
        }
        let whole = other.cost + owed + other.story(changes, scan_ms);
        if whole >= self.cost + told_since {
            return;
        }
        let stood_after = self.stood_after(&other);
        (self.leap, self.leap_plies) = (other.leap, other.leap_plies);
        (self.spent_at_start, self.spent) = (other.spent_at_start, other.spent);
        self.rested_against = self.rested_against.max(other.rested_against);
        if stood_after {
            self.cost = whole.saturating_sub(told_since);
        } else {
            self.cost = other.cost + owed;
            self.tell_since(other.told, other.untold);
        }
    }

    /// What has changed since there had been `told` changes is told by `untold` moves.
    pub(super) fn tell_since(&mut self, told: u64, untold: Vec<Move>) {
        (self.told, self.untold) = (told, untold);
        self.reckoned.set(None);
    }

    /// What it costs to tell by its moves what has changed since the board last showed it.
    pub(super) fn story(&self, changes: &Changes, scan_ms: Millis) -> u32 {
        let told = Told {
            changes: changes.version(),
            since: self.told,
            plies: self.untold.len(),
            all_plies: self.line.len(),
            differing: self.difference.all(),
        };
        if let Some((known, cost)) = self.reckoned.get()
            && known == told
        {
            return cost;
        }
        let cost = story::cost(self.told_by(changes, scan_ms), self.line.last().copied());
        self.reckoned.set(Some((told, cost)));
        cost
    }

    /// What it has left unexplained so far, but for what is amiss at the moment: what goes on from it
    /// leaves no less.
    pub(super) fn cost_so_far(&self, changes: &Changes, scan_ms: Millis) -> u32 {
        self.cost + self.story(changes, scan_ms)
    }

    /// What has changed since the board last showed it, to be told by its moves.
    fn told_by<'a>(&'a self, changes: &'a Changes, scan_ms: Millis) -> Story<'a> {
        Story {
            changes,
            told: self.told,
            line: &self.untold,
            after: &self.after,
            now: self.difference.all(),
            scan_ms,
        }
    }

    /// Whether it leaves not too much unexplained at once. What went on for some plies afterwards has
    /// been borne out.
    pub(super) fn is_small_leap(&self) -> bool {
        let since = self.line.len().saturating_sub(self.leap_plies);
        self.leap < INCREDIBLE || (since > BORNE_OUT && self.leap < 2 * INCREDIBLE)
    }

    /// How long the board showed it and nothing else.
    pub(super) fn clear_ms(&self) -> Millis {
        self.stood.map_or(0, |stood| stood.clear_ms)
    }

    /// Whether the board showed it by itself, and not only in the middle of a scan.
    pub(super) fn was_seen(&self, scan_ms: Millis) -> bool {
        self.line.is_empty() || self.clear_ms() >= scan_ms
    }

    /// Its first plies are settled: they are no part of it any more.
    pub(super) fn settle(&mut self, plies: usize) {
        self.spent_at_start = self.spent_after(plies);
        self.line.drain(..plies);
        self.spent.drain(..plies);
        if self.leap_plies <= plies {
            self.leap = 0;
        }
        self.leap_plies = self.leap_plies.saturating_sub(plies);
    }

    /// The position before its last move.
    pub(super) fn before_last(&self, root: &Chess) -> Option<(Chess, Move)> {
        let (&last, earlier) = self.line.split_last()?;
        let mut before = root.clone();
        for &m in earlier {
            before.play_unchecked(m);
        }
        Some((before, last))
    }

    /// What it and its next moves had left unexplained when it was so many plies long.
    pub(super) fn spent_after(&self, plies: usize) -> i64 {
        if plies >= self.line.len() {
            self.cost.into()
        } else {
            plies
                .checked_sub(1)
                .map_or(self.spent_at_start, |ply| self.spent[ply])
        }
    }

    /// What had been left unexplained before any of its moves was begun.
    pub(super) fn spent_before(&self) -> u32 {
        u32::try_from(self.spent_after(0)).unwrap_or(0)
    }

    /// Whether it goes on from `other`, or is the same.
    pub(super) fn goes_on_from(&self, other: &Self) -> bool {
        self.line.starts_with(&other.line)
    }
}
