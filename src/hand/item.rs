//! Items: squares on which something temporary must end.

use remisd_vocabulary::time::Moment;

use super::{
    content::{Content, EMPTY},
    cost::Cost,
    model::{Duration, Model},
};

/// The home of a leaning piece that is still carried.
pub(crate) const NOWHERE: u8 = 64;
/// The home of a leaning piece that has left.
pub(crate) const GONE: u8 = 65;
/// The most items at a time. A hypothesis that needs more is dropped.
const MAX_ITEMS: usize = 7;

/// Why an item is pending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The piece of the square is away and will come back.
    Away,
    /// A piece stands there temporarily.
    Aside,
    /// The square has changed, but no report has shown it.
    Unreported,
    /// The board has reported something false.
    Misreading,
    /// A leaning piece: its own square reports it now and then, or a neighbouring square does.
    Leaning,
}

/// A square on which something temporary must end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) cause: Cause,
    pub(crate) square: u8,
    /// The piece that is away. For an unreported change, what the board still shows.
    pub(crate) piece: Content,
    pub(crate) since: Moment,
    /// The square on which the leaning piece stands.
    pub(crate) home: u8,
    /// A placement has contradicted it. For a leaning piece: the neighbouring square shows it.
    pub(crate) contradicted: bool,
}

impl Item {
    const fn duration(&self) -> Duration {
        match self.cause {
            Cause::Away => Duration::PieceAway,
            Cause::Aside => Duration::PieceAside,
            Cause::Unreported => Duration::ReportDelay,
            Cause::Misreading | Cause::Leaning => Duration::Misreading,
        }
    }

    pub(crate) fn survival_cost(&self, now: Moment, model: &Model) -> Cost {
        model.survival(self.duration(), now - self.since)
    }

    pub(crate) fn end_cost(&self, now: Moment, model: &Model) -> Cost {
        model.density(self.duration(), now - self.since)
    }
}

/// The pending items of a hypothesis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Items {
    list: [Item; MAX_ITEMS],
    len: usize,
}

impl Items {
    pub(crate) const NONE: Self = Self {
        list: [Item {
            cause: Cause::Away,
            square: 0,
            piece: EMPTY,
            since: Moment::START,
            home: 0,
            contradicted: false,
        }; MAX_ITEMS],
        len: 0,
    };

    pub(crate) fn all(&self) -> &[Item] {
        &self.list[..self.len]
    }

    pub(crate) fn all_mut(&mut self) -> &mut [Item] {
        &mut self.list[..self.len]
    }

    /// The item with this cause on a square, if any.
    pub(crate) fn find(&self, square: u8, cause: Cause) -> Option<usize> {
        (self.all().iter()).position(|item| item.square == square && item.cause == cause)
    }

    /// Adds an item. Returns whether there was room.
    pub(crate) fn add(&mut self, cause: Cause, square: u8, piece: Content, since: Moment) -> bool {
        let Some(place) = self.list.get_mut(self.len) else {
            return false;
        };
        *place = Item {
            cause,
            square,
            piece,
            since,
            home: square,
            contradicted: false,
        };
        self.len += 1;
        true
    }

    /// Sets the home of the newest item.
    pub(crate) fn set_last_home(&mut self, home: u8) {
        if let Some(item) = self.all_mut().last_mut() {
            item.home = home;
            item.contradicted = home != item.square;
        }
    }

    /// The leaning piece that stands on this square, or is reported there.
    pub(crate) fn find_leaning(&self, square: u8) -> Option<usize> {
        (self.all().iter()).position(|item| {
            item.cause == Cause::Leaning && (item.square == square || item.home == square)
        })
    }

    pub(crate) fn remove(&mut self, index: usize) -> Item {
        let item = self.list[index];
        self.len -= 1;
        self.list[index] = self.list[self.len];
        item
    }
}
