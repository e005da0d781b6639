//! How far the public is behind each board, for operators.

use std::collections::{BTreeMap, VecDeque};

use tokio::sync::watch;

use remisd_laws::Ply;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::Moment};

/// The steps of a game that are remembered while they wait: more than a game has plies.
const STEPS: usize = 1_024;

/// A game and the number of its plies.
pub(super) type Step = (EntrySeq, Ply);

/// What waits for the public at a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Behind {
    /// The plies of the game on the board that the public has not seen.
    pub(super) plies: Ply,
    /// When the next of them comes out; `None` if it waits for further plies.
    pub(super) next: Option<Moment>,
    /// When all of them have come out; `None` if one waits for further plies.
    pub(super) last: Option<Moment>,
}

/// All boards; a handle.
pub(super) type DelayBoard = watch::Sender<BTreeMap<BoardId, Behind>>;

/// The steps of a board on their way to the public.
///
/// An entry without a new step changes nothing here, and releases nothing before its time: operators
/// see when the report changes, and not every entry.
#[derive(Debug)]
pub(super) struct Queue {
    board: BoardId,
    shown: DelayBoard,
    now: Step,
    public: Step,
    /// The steps that wait for a time, oldest first.
    waiting: VecDeque<(Moment, Step)>,
}

impl Queue {
    pub(super) const fn new(board: BoardId, shown: DelayBoard) -> Self {
        Self {
            board,
            shown,
            now: (EntrySeq::ZERO, 0),
            public: (EntrySeq::ZERO, 0),
            waiting: VecDeque::new(),
        }
    }

    /// The game on the board is at `step` now.
    pub(super) fn at_board(&mut self, step: Step, now: Moment) {
        if self.now != step {
            self.now = step;
            self.release(now);
        }
    }

    /// The public sees `step` from `due` on.
    pub(super) fn push(&mut self, step: Step, due: Moment, now: Moment) {
        // What would come later is older, and never comes.
        let before = self.waiting.len();
        self.waiting.retain(|(time, _)| *time < due);
        let mut is_news = self.waiting.len() < before;
        if due <= now {
            is_news |= self.public != step || !self.waiting.is_empty();
            self.waiting.clear();
            self.public = step;
        } else if self.waiting.back().map_or(self.public, |(_, last)| *last) != step {
            is_news = true;
            self.waiting.push_back((due, step));
            if self.waiting.len() > STEPS {
                self.waiting.pop_front();
            }
        }
        if is_news {
            self.release(now);
        }
    }

    /// The time has come to `now`.
    pub(super) fn release(&mut self, now: Moment) {
        while let Some((due, step)) = self.waiting.front()
            && *due <= now
        {
            self.public = *step;
            self.waiting.pop_front();
        }
        let (game, ply) = self.now;
        let seen = if self.public.0 == game {
            self.public.1
        } else {
            0
        };
        let comes = self
            .waiting
            .back()
            .is_some_and(|(_, last)| *last == self.now);
        let behind = Behind {
            plies: ply.saturating_sub(seen),
            next: self.waiting.front().map(|(due, _)| *due),
            last: self.waiting.back().filter(|_| comes).map(|(due, _)| *due),
        };
        self.shown.send_if_modified(|boards| {
            let before = boards.insert(self.board.clone(), behind);
            before != Some(behind)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_is_counted_with_its_times() {
        let board: BoardId = "b1".parse().unwrap();
        let shown = DelayBoard::default();
        let mut queue = Queue::new(board.clone(), shown.clone());
        let at = Moment::from_millis;
        let behind = || shown.borrow()[&board];
        for ply in 1..=3 {
            let now = at(u64::from(ply) * 10);
            queue.at_board((EntrySeq::new(7), ply), now);
            queue.push((EntrySeq::new(7), ply), at(u64::from(ply) * 10 + 100), now);
        }
        let expected = Behind {
            plies: 3,
            next: Some(at(110)),
            last: Some(at(130)),
        };
        assert_eq!(behind(), expected);
        queue.release(at(115));
        assert_eq!((behind().plies, behind().next), (2, Some(at(120))));
        // A ply that waits for further ones has no time.
        queue.at_board((EntrySeq::new(7), 4), at(116));
        assert_eq!((behind().plies, behind().last), (3, None));
        queue.release(at(130));
        assert_eq!((behind().plies, behind().next), (1, None));
        // An entry that makes no ply does not show, also when a step is due.
        queue.push((EntrySeq::new(7), 4), at(240), at(140));
        let before = behind();
        queue.at_board((EntrySeq::new(7), 4), at(250));
        queue.push((EntrySeq::new(7), 4), at(350), at(250));
        assert_eq!(behind(), before);
        queue.release(at(250));
        assert_eq!((behind().plies, behind().next), (0, None));
        // A new game: the public still sees the one before.
        queue.at_board((EntrySeq::new(9), 2), at(260));
        assert_eq!(behind().plies, 2);
    }
}
