//! The board's scan: what its sensors feel, and when.
//!
//! ```text
//! physical board ─▶ looks, one square after the other ─▶ memory ─▶ updates ─▶ line
//!                   period 200–280 ms, some 400–500
//! ```
//!
//! Facts: a scan takes 200 to 250 ms (vendor's header), and twice as long on Bluetooth (report). A
//! change between two looks that is undone is never seen. Updates of one scan come in the order of
//! the squares, so that a place may come before its lift (recording: 2 of 199).

use crate::Millis;
use remisd_vocabulary::sensor::{Placement, Seen};
use shakmaty::{Color, Piece, Role, Square};

use crate::{
    chance::Chance,
    line::{BoardLine, LineReports},
    plan::Fault,
    script::Script,
    world::{Act, FIRM, World},
};

/// A fault with its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trouble {
    /// From when.
    pub from: Millis,
    /// Until when.
    pub until: Millis,
    /// The kind of fault.
    pub fault: Fault,
    /// The square, for a fault of a single square.
    pub square: Square,
    /// The false reading there, for misreads.
    pub shows: Seen,
}

impl Trouble {
    pub(crate) const fn at(&self, now: Millis) -> bool {
        self.from <= now && now < self.until
    }
}

/// One board: its speed and its troubles.
#[derive(Debug, Clone)]
pub struct Board {
    /// The time of one scan, in ms.
    pub period: Millis,
    /// When the first scan begins, in ms.
    pub phase: Millis,
    /// The squares are looked at from h1 to a8 instead.
    pub turned: bool,
    /// From asking to the dump, in ms.
    pub dump: Millis,
    /// Updates lost on the line, as a probability.
    pub lost: f64,
    /// Faults with their times.
    pub troubles: Vec<Trouble>,
}

impl Board {
    /// Draws a board; `slow` ones take 400 to 500 ms.
    #[must_use]
    pub fn of(slow: bool, lost: f64, chance: &mut Chance) -> Self {
        let period = if slow {
            chance.between(400, 501)
        } else {
            chance.between(200, 281)
        };
        // recording: 67 ms by USB, 162 ms by Bluetooth; report: up to 400 ms.
        let dump = chance.ms(if slow { 165.0 } else { 70.0 }, 0.25).min(400);
        Self {
            period,
            phase: chance.between(0, period),
            turned: chance.happens(0.5),
            dump,
            lost,
            troubles: Vec::new(),
        }
    }

    /// The square that is looked at as number `index` of a scan, and its delay within the scan.
    fn look(&self, index: u32) -> (Square, Millis) {
        // The protocol's order: a8, b8 … h1.
        let square = Square::new(index).flip_vertical();
        let square = if self.turned {
            square.rotate_180()
        } else {
            square
        };
        (square, u64::from(index) * self.period / 64)
    }

    /// All events of the squares, in the order of time.
    #[must_use]
    pub fn report(&self, script: &Script, start: &World, chance: &mut Chance) -> LineReports {
        let changes = self.scan(script, start, chance);
        BoardLine::new(self, start).run(&changes, script.end, chance)
    }

    /// The changes of the board's memory.
    fn scan(
        &self,
        script: &Script,
        start: &World,
        chance: &mut Chance,
    ) -> Vec<(Millis, Square, Seen)> {
        let mut world = start.clone();
        let mut memory = placement_of(start);
        let mut changes = Vec::new();
        let mut next = 0;
        let mut begins = self.phase;
        let mut sticky = Sticky::new();
        // Scans that still have to be made although nothing has changed since.
        let mut again = 1;
        while begins < script.end {
            let ends = begins + self.period;
            let acts = script.acts.get(next).is_some_and(|act| act.at < ends);
            let trouble = self
                .troubles
                .iter()
                .any(|trouble| trouble.from < ends && begins < trouble.until + 2 * self.period);
            if acts || trouble || world.flickers() {
                again = 2;
            }
            if again == 0 {
                // Nothing can change before the next act or trouble: on to the scan before it.
                let act = script.acts.get(next).map_or(script.end, |act| act.at);
                let from = self.troubles.iter().map(|trouble| trouble.from);
                let soon = from
                    .filter(|&from| from >= begins)
                    .min()
                    .unwrap_or(script.end);
                let scans = act.min(soon).saturating_sub(begins) / self.period;
                begins += scans.max(1) * self.period;
                continue;
            }
            again -= 1;
            for index in 0..64 {
                let (square, delay) = self.look(index);
                let now = begins + delay;
                while let Some(act) = script.acts.get(next).filter(|act| act.at <= now) {
                    sticky.forget(act, &world);
                    world.apply(act);
                    next += 1;
                }
                let seen = self.feel(&world, square, now, &mut sticky, chance);
                if memory.set(square, seen) != seen {
                    changes.push((now, square, seen));
                }
            }
            begins = ends;
        }
        changes
    }

    /// What one look at a square feels.
    fn feel(
        &self,
        world: &World,
        square: Square,
        now: Millis,
        sticky: &mut Sticky,
        chance: &mut Chance,
    ) -> Seen {
        for trouble in self
            .troubles
            .iter()
            .filter(|t| t.square == square && t.at(now))
        {
            match trouble.fault {
                Fault::Dead => return Seen::Empty,
                Fault::Misread => return trouble.shows,
                Fault::Outage => {}
            }
        }
        if let Some(stood) = world.get(square)
            && sticky.feels(square, 0, stood.own, chance)
        {
            return Seen::Piece(stood.piece);
        }
        for (piece, often) in world.leaners(square) {
            if sticky.feels(square, 1, often, chance) {
                return Seen::Piece(piece);
            }
        }
        Seen::Empty
    }
}

/// A piece near the edge of a coil's reach stays felt or unfelt for several looks. This is what was
/// felt of each square's own piece, and of one that leans over it.
struct Sticky([[Option<bool>; 2]; 64]);

impl Sticky {
    const fn new() -> Self {
        Self([[None; 2]; 64])
    }

    fn feels(&mut self, square: Square, which: usize, often: u16, chance: &mut Chance) -> bool {
        if often >= FIRM {
            return true;
        }
        let felt = &mut self.0[square as usize][which];
        // judgement: a look in four is independent of the one before.
        if felt.is_none() || chance.happens(0.25) {
            *felt = Some(chance.happens(f64::from(often) / f64::from(FIRM)));
        }
        *felt == Some(true)
    }

    /// The piece that was there, or is there from now on, is felt again.
    fn forget(&mut self, act: &Act, world: &World) {
        self.0[act.square as usize][0] = None;
        for stood in [act.stood, world.get(act.square)].into_iter().flatten() {
            if let Some((over, _)) = stood.over {
                self.0[over as usize][1] = None;
            }
        }
    }
}

/// A look that takes one piece for another: the codes lie next to each other.
pub fn misread(seen: Seen, chance: &mut Chance) -> Seen {
    match seen {
        Seen::Piece(Piece { role, color }) => {
            let other = [
                Role::Pawn,
                Role::Knight,
                Role::Bishop,
                Role::Rook,
                Role::Queen,
            ];
            let role = chance.pick(&other).filter(|&other| other != role);
            role.map_or(Seen::Empty, |role| Seen::Piece(role.of(color)))
        }
        _ => Seen::Piece(Role::Pawn.of(if chance.happens(0.5) {
            Color::White
        } else {
            Color::Black
        })),
    }
}

/// What is on the board as sensors see it that never err.
#[must_use]
pub fn placement_of(world: &World) -> Placement {
    let mut placement = Placement::empty();
    for square in Square::ALL {
        if let Some(stood) = world.get(square) {
            placement.set(square, Seen::Piece(stood.piece));
        }
    }
    placement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_last_as_long_as_boards_take() {
        let mut chance = Chance::new(1);
        for _ in 0..300 {
            let (quick, slow) = (
                Board::of(false, 0.0, &mut chance),
                Board::of(true, 0.0, &mut chance),
            );
            assert!((200..=280).contains(&quick.period) && (400..=500).contains(&slow.period));
            assert!(quick.phase < quick.period && slow.dump <= 400);
        }
    }

    #[test]
    fn every_square_is_read_once_per_scan() {
        let board = Board::of(false, 0.0, &mut Chance::new(2));
        let mut squares: Vec<_> = (0..64).map(|index| board.look(index).0).collect();
        squares.sort_unstable();
        assert_eq!(squares, Square::ALL);
        assert!(board.look(63).1 < board.period);
    }
}
