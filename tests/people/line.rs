//! The line from the board to its reader: updates, dumps, losses, outages.
//!
//! A reader asks for a dump when the hand rests, and at intervals. It asks once more after a dump
//! that showed a change without its update, so lost updates are found within seconds. Its times are
//! those of an ordinary driver.

use crate::Millis;
use remisd_vocabulary::sensor::{Device, DownCode, LinkReport, Placement, Seen, Sensed};
use shakmaty::Square;

use crate::{
    board::{Board, Trouble, placement_of},
    chance::Chance,
    plan::Fault,
    script::Note,
    world::World,
};

/// The hand rests when no square has changed for so long (a driver's default); twice as long on
/// slow boards.
const QUIET: Millis = 150;
/// Boards with longer scans than this are slow ones.
const SLOW: Millis = 350;
/// The longest time from a change to its dump.
const BURST: Millis = 1_000;
/// Between two dumps when nothing happens.
const INTERVAL: Millis = 5_000;
/// From a dump that shows a change without its update to the next dump.
const LOOK_AGAIN: Millis = 600;

/// The events of the squares and of the line.
#[derive(Debug, Clone, Default)]
pub struct LineReports {
    /// In the order of time.
    pub events: Vec<(Millis, Sensed)>,
    /// What went wrong on the way.
    pub notes: Vec<(Millis, Note)>,
}

/// The line and the reader at its end.
pub(crate) struct BoardLine<'a> {
    board: &'a Board,
    memory: Placement,
    known: Placement,
    out: LineReports,
    first: Option<Millis>,
    last: Millis,
    requested: Option<Millis>,
    poll: Millis,
    again: Option<Millis>,
    down: bool,
}

impl<'a> BoardLine<'a> {
    /// The line of a board, at which the pieces of `start` stand.
    pub(crate) fn new(board: &'a Board, start: &World) -> Self {
        let memory = placement_of(start);
        let mut out = LineReports::default();
        out.events
            .push((50, Sensed::Link(LinkReport::Up(Device::default()))));
        out.events.push((50, Sensed::Placement(memory.clone())));
        Self {
            board,
            known: memory.clone(),
            memory,
            out,
            first: None,
            last: 0,
            requested: None,
            poll: INTERVAL,
            again: None,
            down: false,
        }
    }

    fn outage(&self, now: Millis) -> Option<Trouble> {
        let mut troubles = self.board.troubles.iter();
        troubles
            .find(|t| t.fault == Fault::Outage && t.at(now))
            .copied()
    }

    /// When the reader asks for the next dump.
    fn next_request(&self) -> Millis {
        let quiet = if self.board.period > SLOW {
            2 * QUIET
        } else {
            QUIET
        };
        let burst = self
            .first
            .map(|first| (self.last + quiet).min(first + BURST));
        [burst, self.again, Some(self.poll)]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(self.poll)
    }

    /// Sends the changes of the board's memory, given in the order of time.
    pub(crate) fn run(
        mut self,
        changes: &[(Millis, Square, Seen)],
        end: Millis,
        chance: &mut Chance,
    ) -> LineReports {
        let mut coming = changes.iter().copied().peekable();
        loop {
            let due = self.requested.unwrap_or_else(|| self.next_request());
            let next = coming.peek().map(|&(at, _, _)| at);
            if due.min(next.unwrap_or(due)) > end {
                break;
            }
            match next {
                Some(at) if at <= due => {
                    let (at, square, seen) = coming.next().expect("it was peeked at");
                    self.change(at, square, seen, chance);
                }
                _ if self.requested.is_some() => {
                    self.requested = None;
                    self.answer(due);
                }
                _ => {
                    self.first = None;
                    self.again = None;
                    self.poll = due + INTERVAL;
                    self.requested = Some(due + self.board.dump);
                }
            }
        }
        self.out.events.retain(|(at, _)| *at <= end);
        self.out
    }

    fn change(&mut self, at: Millis, square: Square, seen: Seen, chance: &mut Chance) {
        self.memory.set(square, seen);
        self.look_down(at);
        if self.down {
            return;
        }
        if chance.happens(self.board.lost) {
            self.out.notes.push((at, Note::LostUpdate));
            return;
        }
        if self.known.set(square, seen) != seen {
            // The line's own delay; updates keep their order.
            let heard = at + 12;
            self.first.get_or_insert(heard);
            self.last = heard;
            self.hear(heard, Sensed::Square(square, seen));
        }
    }

    /// A dump arrives, unless the board is out of sight.
    fn answer(&mut self, at: Millis) {
        self.look_down(at);
        if self.down {
            if self.outage(at).is_some() {
                return;
            }
            self.down = false;
            self.hear(at, Sensed::Link(LinkReport::Up(Device::default())));
        }
        if self.known != self.memory {
            self.known = self.memory.clone();
            self.again = Some(at + LOOK_AGAIN);
        }
        self.hear(at, Sensed::Placement(self.known.clone()));
    }

    fn look_down(&mut self, at: Millis) {
        let Some(trouble) = self.outage(at).filter(|_| !self.down) else {
            return;
        };
        self.down = true;
        self.out.notes.push((at, Note::Outage));
        self.again = Some(trouble.until + 400);
        let down = LinkReport::Down {
            code: DownCode::LineLost,
            reason: "out of sight".to_owned(),
        };
        self.hear(at, Sensed::Link(down));
    }

    /// Bytes come in one after the other: nothing is heard before what was sent earlier.
    fn hear(&mut self, at: Millis, sensed: Sensed) {
        let last = self.out.events.last().map_or(0, |(at, _)| *at);
        self.out.events.push((at.max(last), sensed));
    }
}
