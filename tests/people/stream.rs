//! One stream: a game played by hands, as a board and a clock report it.

use crate::Millis;
use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
use shakmaty::{Chess, Position as _, Square};

use crate::{
    board::{Board, Trouble, misread},
    category::Category,
    chance::Chance,
    clock,
    games::{Library, Moves},
    hands::Hands,
    knowable,
    line::LineReports,
    plan::{Fault, Plan},
    script::{Note, Script},
    truth::{Truth, What},
    world::World,
};

/// What the sensors know of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sensing {
    /// Which piece it is.
    Identity,
    /// That something is there.
    Occupancy,
}

/// A stream of events with what really happened.
#[derive(Debug, Clone)]
pub struct Stream {
    /// Events with their times, in order.
    pub events: Vec<(Millis, Sensed)>,
    /// What really happened.
    pub truth: Truth,
    /// Which gestures and faults took place.
    pub notes: Vec<(Millis, Note)>,
    /// When the stream ends.
    pub end: Millis,
    /// The physical board's changes, for checks.
    pub script: Script,
    /// The board that looked at it.
    pub board: Board,
}

impl Stream {
    /// Plays one game of a category. The same arguments give the same stream.
    #[must_use]
    pub fn play(
        library: &Library,
        category: Category,
        clock: bool,
        sensing: Sensing,
        seed: u64,
    ) -> Self {
        let mut chance =
            Chance::new(seed ^ (category as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let number = chance.below(library.len().max(1) * 7);
        let mut moves: Moves = if category.wants_promotion() {
            library.promoting(number).clone()
        } else {
            library.game(number).clone()
        };
        let plan = category.plan(&mut moves, clock, &mut chance);
        let next: Moves = library.game(number + 1).iter().copied().take(40).collect();
        Self::of(&plan, clock, sensing, [&moves, &next], &mut chance)
    }

    /// Plays these moves by this plan.
    #[must_use]
    pub fn of(
        plan: &Plan,
        clock: bool,
        sensing: Sensing,
        [moves, next]: [&Moves; 2],
        chance: &mut Chance,
    ) -> Self {
        let mut script = Hands::new(plan, clock, chance.fork()).play(moves, next);
        let start = World::of(Chess::default().board());
        let mut board = Board::of(plan.wire.slow, plan.wire.lost, chance);
        board.troubles = troubles(plan, &script, chance);
        let LineReports { events, notes } = board.report(&script, &start, chance);
        let mut events = events;
        if clock {
            let increment = chance.pick(&[0, 2_000, 5_000, 10_000, 30_000]).unwrap_or(0);
            let control = clock::control_for(&script, increment);
            events.extend(clock::report(&script, control, plan.clock_reversed, chance));
            events.sort_by_key(|(at, _)| *at);
        }
        if sensing == Sensing::Occupancy {
            for (_, sensed) in &mut events {
                hide_kinds(sensed);
            }
        }
        script.notes.extend(notes);
        for trouble in &board.troubles {
            script.notes.push((trouble.from, note_of(trouble.fault)));
        }
        script.notes.sort_unstable();
        let mut truth = script.truth.clone();
        knowable::estimate(&mut truth, &events, &board.troubles, sensing);
        Self {
            events,
            truth,
            notes: script.notes.clone(),
            end: script.end,
            script,
            board,
        }
    }

    /// Whether the gesture or fault took place.
    #[must_use]
    pub fn has(&self, note: Note) -> bool {
        self.notes.iter().any(|&(_, other)| other == note)
    }
}

const fn note_of(fault: Fault) -> Note {
    match fault {
        Fault::Outage => Note::Outage,
        Fault::Dead => Note::DeadSquare,
        Fault::Misread => Note::Misread,
    }
}

/// The faults of the plan with their times: about the release of their ply.
fn troubles(plan: &Plan, script: &Script, chance: &mut Chance) -> Vec<Trouble> {
    let mut position = Chess::default();
    let mut line = Vec::new();
    for happened in &script.truth.happened {
        match happened.what {
            What::Played { m, .. } => {
                line.push((happened.at, m, position.clone()));
                position.play_unchecked(m);
            }
            What::TakenBack => {
                if let Some((_, _, before)) = line.pop() {
                    position = before;
                }
            }
            What::Over { .. } | What::NewGame => break,
        }
    }
    let mut troubles = Vec::new();
    for &(ply, fault, lasts) in &plan.wire.faults {
        let Some((released, m, before)) = line.get(ply) else {
            continue;
        };
        // A dead square matters when a move touches it; a misread may come at any time.
        let square = match fault {
            Fault::Dead if chance.happens(0.7) => m.to(),
            Fault::Misread if chance.happens(0.5) => m.to(),
            _ => Square::new(u32::try_from(chance.below(64)).unwrap_or(0)),
        };
        let from = (released + chance.between(0, 4_000)).saturating_sub(2_000);
        let seen = before
            .board()
            .piece_at(square)
            .map_or(Seen::Empty, Seen::Piece);
        troubles.push(Trouble {
            from,
            until: from + lasts,
            fault,
            square,
            shows: misread(seen, chance),
        });
    }
    troubles
}

/// Turns an event into one of a board that does not know its pieces.
fn hide_kinds(sensed: &mut Sensed) {
    let hidden = |seen: Seen| match seen {
        Seen::Empty => Seen::Empty,
        _ => Seen::Occupied,
    };
    match sensed {
        Sensed::Square(_, seen) => *seen = hidden(*seen),
        Sensed::Placement(placement) => {
            let mut dark = Placement::empty();
            for square in Square::ALL {
                dark.set(square, hidden(placement.get(square)));
            }
            *placement = dark;
        }
        _ => {}
    }
}
