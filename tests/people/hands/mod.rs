//! Two players at one board, in continuous time.
//!
//! ```text
//! think ▸ [hesitate, put right] ▸ lift ▸ carry ▸ place ▸ hold ▸ release ▸ [put right] ▸ press
//! ```
//!
//! The moves of a game are given. [`Hands`] records when each piece leaves or reaches a square,
//! when the lever turns, and what a reader should conclude.

mod after;
mod carry;
mod incident;
mod press;
mod promote;
mod slips;
mod taking;
#[cfg(test)]
mod tests;

use crate::Millis;
use shakmaty::{Chess, Color, Move, Position as _, Square};

use crate::{
    chance::Chance,
    person::{Manner, Person},
    plan::{Gesture, Plan},
    script::{ClockDeed, Note, Script},
    truth::What,
    world::{Act, Stood, World},
};

/// No action of a hand comes quicker after another one of the same hand (judgement).
const BREATH: Millis = 60;

/// The time from a move's lift to its release.
#[derive(Debug, Clone, Copy)]
struct Made {
    /// When its last piece was placed.
    placed: Millis,
    /// Its last piece was released.
    released: Millis,
}

/// Two players at a board.
#[derive(Debug)]
pub struct Hands<'a> {
    plan: &'a Plan,
    clock: bool,
    chance: Chance,
    white: Person,
    black: Person,
    script: Script,
    position: Chess,
    world: World,
    /// When the last move was released: the opponent thinks from then on.
    ready: Millis,
    /// Until then a hand is on the board.
    busy: Millis,
    /// A press that is still to come.
    press: Option<(Millis, Color)>,
    /// A promoted piece of this ply is not what the sensors say.
    inverted: bool,
}

impl<'a> Hands<'a> {
    /// Two players drawn from the plan's populations, at the start array.
    #[must_use]
    pub fn new(plan: &'a Plan, clock: bool, mut chance: Chance) -> Self {
        let white = Person::of(&plan.manners[0], &mut chance);
        let black = Person::of(&plan.manners[1], &mut chance);
        let position = Chess::default();
        Self {
            plan,
            clock,
            white,
            black,
            script: Script::default(),
            world: World::of(position.board()),
            position,
            ready: 0,
            busy: 0,
            press: None,
            inverted: false,
            chance,
        }
    }

    /// Plays the game, what follows it, and a second game where the plan has one.
    #[must_use]
    pub fn play(mut self, moves: &[Move], next: &[Move]) -> Script {
        // The pieces stand for a while before the clock starts (judgement).
        self.begin(4_000);
        self.game(moves);
        self.end_of(moves.len());
        if self.script.has(Note::SecondGame) {
            self.begin(3_000);
            self.game(next);
            self.flush_press(Millis::MAX);
        }
        // The stream continues long enough for every reader to make up its mind.
        let end = self.busy.max(self.ready) + 75_000;
        let mut script = self.script;
        script.finish(end);
        script
    }

    fn begin(&mut self, after: Millis) {
        let start = self.busy.max(self.ready) + self.chance.ms(crate::chance::from_ms(after), 0.5);
        self.position = Chess::default();
        self.press = None;
        self.ready = start;
        self.busy = start;
        if self.clock {
            // Black presses the clock to start White's time, or another person starts it.
            self.script.clock(start, ClockDeed::Run);
        }
    }

    fn game(&mut self, moves: &[Move]) {
        for (ply, m) in moves.iter().enumerate() {
            if self.plan.scramble_from == Some(ply) {
                self.white = Person::of(&Manner::SCRAMBLE, &mut self.chance);
                self.black = Person::of(&Manner::SCRAMBLE, &mut self.chance);
            }
            self.turn(ply, *m);
        }
    }

    fn turn(&mut self, ply: usize, m: Move) {
        let by = self.position.turn();
        let thought = self.person(by).clone().thinks(&mut self.chance);
        // judgement: the hand may wait above its piece, but has to see the move first.
        let sees = self.chance.ms(210.0, 0.3);
        let mut start = (self.ready + thought.max(sees)).max(self.busy + BREATH);
        let gesture = self.plan.gesture(ply);
        if let Some(gesture) = gesture {
            start = self.incident(gesture, m, start);
        }
        start = self.before_move(m, start);
        let rests = gesture == Some(Gesture::LongRest) || {
            let p = self.person(by).manner.rest;
            self.chance.happens(p)
        };
        let made = self.make(m, start, rests);
        let knowable = !self.inverted && !self.is_felt_elsewhere(m);
        self.released(m, made, knowable);
        let pressed = self.press_after(by, made, gesture);
        self.after_move(m, pressed);
    }

    /// Whether the moved piece is felt only on a neighbouring square where it could have gone.
    fn is_felt_elsewhere(&self, m: Move) -> bool {
        let stood = self.world.get(m.to());
        let Some((over, _)) = stood
            .filter(|stood| stood.own < 200)
            .and_then(|stood| stood.over)
        else {
            return false;
        };
        let moves = self.position.legal_moves();
        moves
            .iter()
            .any(|other| other.from() == m.from() && other.to() == over)
    }

    /// Writes the move into the record.
    fn released(&mut self, m: Move, made: Made, knowable: bool) {
        self.position.play_unchecked(m);
        self.script
            .happened(made.released, What::Played { m, knowable });
        self.ready = made.released;
        self.busy = self.busy.max(made.released);
    }

    /// Makes the move by hand, beginning at `start`.
    fn make(&mut self, m: Move, start: Millis, rests: bool) -> Made {
        let by = self.position.turn();
        self.inverted = false;
        let placed = match m {
            Move::Castle { king, rook } => self.castle(king, rook, start),
            Move::EnPassant { from, to } => self.en_passant(from, to, start),
            Move::Normal {
                from,
                to,
                capture,
                promotion: Some(role),
                ..
            } => self.promote(from, to, capture.is_some(), role.of(by), start),
            Move::Normal {
                from,
                to,
                capture: Some(_),
                ..
            } => self.take(from, to, start, rests),
            Move::Normal { from, to, .. } => self.carry(from, to, start, rests),
            Move::Put { .. } => start,
        };
        let hold = self.person(by).manner.hold_ms;
        // judgement: a finger that stays on its target square leaves within seconds.
        let released = placed + self.chance.ms(hold, 0.7).min(20_000);
        self.busy = self.busy.max(released);
        Made { placed, released }
    }

    const fn person(&self, color: Color) -> &Person {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// Changes a square, now and in the script.
    fn set(&mut self, at: Millis, square: Square, stood: Option<Stood>) {
        self.world.apply(&Act { at, square, stood });
        self.script.act(at, square, stood);
        self.busy = self.busy.max(at);
    }

    /// Takes a piece off its square.
    fn lift(&mut self, at: Millis, square: Square) -> Option<Stood> {
        let stood = self.world.get(square);
        if stood.is_some() {
            self.set(at, square, None);
        }
        stood
    }

    /// What is on a square, for a move from it.
    fn standing(&self, square: Square) -> Option<Stood> {
        self.world.get(square)
    }

    /// Whether a piece can be put on the square without moving another one.
    fn is_free(&self, square: Square) -> bool {
        self.world.get(square).is_none()
    }

    fn clock_deed(&mut self, at: Millis, deed: ClockDeed) {
        if self.clock {
            self.script.clock(at, deed);
        }
    }
}
