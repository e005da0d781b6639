//! The course of one game: when each piece is moved and the clock is pressed.
//!
//! A game is planned as a whole, because hands overlap: a player short of time lifts a piece before
//! the opponent has released the previous one. What a hand does is in [`super::hand`]; this module
//! decides when it does it, and prevents impossible overlaps.

mod act;
mod after;
mod mishap;

use shakmaty::{Chess, Color, Move, Position, Square};

pub use self::act::{Act, Mark};
use super::{
    hand::{Gesture, Habits, Hand, Movements},
    play::{Played, Progress},
    score::{Ply, Score},
};

pub(super) const MS: u64 = 1_000;
/// The shortest time of a move that is thought about.
const LEAST_THOUGHT_US: u64 = 300 * MS;
/// Time between two touches of the same square by different hands.
const GIVE_WAY_US: u64 = 20 * MS;
/// The shortest time that a released piece stands before the same player lifts it again: long
/// enough for one scan. A player who lifts it sooner has not let go of it.
const LET_GO_US: u64 = 260 * MS;
/// Time from the opponent's release to the release by a player who already holds a piece.
const LOOK_MS: (u64, u64) = (180, 350);
/// The shortest time from a released piece to the next one in the same hand.
const SAME_HAND_US: u64 = 60 * MS;
/// Time between two presses of the clock.
const BETWEEN_PRESSES_US: u64 = 60 * MS;
/// How long after a reconnection the board has been read.
const FOUND_AGAIN_US: u64 = 1_500 * MS;

/// The number of touches of squares that are remembered.
const TOUCHES: usize = 16;

/// The times of the previous ply, and the squares that it touched.
#[derive(Debug, Clone, Default)]
struct Last {
    first: u64,
    made: u64,
    /// When all of it was over, including the press.
    over: u64,
    pressed: u64,
    touched: Vec<(Square, u64)>,
}

/// How a ply follows the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tempo {
    Thinks,
    /// Lifts before the previous piece is released.
    Overlaps,
    /// Replies almost at the same time.
    Chases,
}

/// An outage of the line, and how many plies may be played during it.
#[derive(Debug, Clone, Copy)]
struct Outage {
    until: u64,
    plies_left: usize,
}

/// A game being planned.
#[derive(Debug)]
pub(super) struct Course<'a> {
    pub(super) hand: &'a mut Hand,
    habits: &'static Habits,
    game: usize,
    score: &'a Score,
    longest_thought_us: u64,
    /// The ply before which a player thinks longer, and by how much.
    long_thought: Option<(usize, u64)>,
    pub(super) position: Chess,
    acts: Vec<(u64, Act)>,
    /// The last displayed time of each player, White's first.
    shown_ms: [u64; 2],
    /// When each player's hand is free, White's first.
    free: [u64; 2],
    last: Last,
    /// How many of the next plies will chase.
    run: u8,
    knocked_until: u64,
    outage: Option<Outage>,
    /// When everything planned is done.
    pub(super) busy_until: u64,
}

impl<'a> Course<'a> {
    /// Creates the plan of a game whose clock starts at `begins`.
    pub(super) fn new(
        hand: &'a mut Hand,
        game: usize,
        score: &'a Score,
        begins: u64,
        longest_thought_us: u64,
    ) -> Self {
        Self {
            habits: hand.habits(),
            hand,
            game,
            score,
            longest_thought_us,
            long_thought: None,
            position: score.start.clone(),
            acts: Vec::new(),
            shown_ms: [score.time_ms; 2],
            free: [begins; 2],
            last: Last {
                first: begins,
                made: begins,
                over: begins,
                pressed: begins,
                touched: Vec::new(),
            },
            run: 0,
            knocked_until: 0,
            outage: None,
            busy_until: begins,
        }
    }

    /// Lets the player who can first claim a draw think this much longer.
    pub(super) fn thinking_at_claim(mut self, longer_us: u64) -> Self {
        if longer_us > 0 {
            self.long_thought = self.score.first_claim().map(|ply| (ply, longer_us));
        }
        self
    }

    /// Returns all acts in order of time, and when they are over.
    pub(super) fn plan(mut self) -> (Vec<(u64, Act)>, u64) {
        for index in 0..self.score.plies.len() {
            self.ply(index);
        }
        self.after(1_000 * MS, Act::StopClock);
        let over = Progress::GameOver {
            game: self.game,
            result: self.score.result.clone(),
        };
        self.after(0, Act::Report(over));
        if self.habits.after {
            self.after_game(&self.score.result);
        }
        self.acts.sort_by_key(|(at, _)| *at);
        (self.acts, self.busy_until)
    }

    pub(super) fn at(&mut self, at: u64, act: Act) {
        self.busy_until = self.busy_until.max(at);
        self.acts.push((at, act));
    }

    /// Adds an act this long after everything planned.
    pub(super) fn after(&mut self, delay_us: u64, act: Act) {
        self.at(self.busy_until + delay_us, act);
    }

    fn ply(&mut self, index: usize) {
        let next = &self.score.plies[index];
        let by = self.position.turn();
        let longer = self.long_thought.filter(|(ply, _)| *ply == index);
        let tempo = match self.tempo(index) {
            _ if longer.is_some() => Tempo::Thinks,
            tempo => tempo,
        };
        let unpressed = self.run_begins(index, tempo);
        let mut moves = match (tempo, next.played) {
            (Tempo::Chases, Move::Normal { role, from, to, .. }) => {
                Movements::quick(&mut self.hand.dice, role.of(by), from, to)
            }
            _ => self.hand.movements(&self.position, next.played),
        };
        let longer_us = longer.map_or(0, |(_, longer_us)| longer_us);
        let start = longer_us + self.start(next, by, tempo, &moves);
        if tempo == Tempo::Overlaps {
            self.look_before_release(start, &mut moves);
        }
        let times = times(start, &moves.steps);
        let made = start + moves.duration_us();
        let ended = times.last().copied().unwrap_or(start);
        for (&at, step) in times.iter().zip(&moves.steps) {
            self.at(at, Act::Put(step.square, step.piece));
        }
        self.at(made, Act::Mark(Mark::Made { ply: index }));
        let pressed = if unpressed {
            made
        } else {
            let from = moves
                .pressed_after
                .map_or(ended, |steps| times[steps.max(1) - 1]);
            self.press(by, from, next.clock_ms)
        };
        self.faults(start, next.played);
        self.position.play_unchecked(next.played);
        self.knock(index, made);
        let over = pressed.max(ended);
        self.free[usize::from(by.is_black())] = over + SAME_HAND_US;
        self.last = Last {
            first: start,
            made,
            over: over.max(self.last.over),
            pressed,
            touched: self.touched(&times, &moves.steps),
        };
        self.report_ply(index, next);
    }

    /// Lets the hand that is free at `from` press the clock. Returns when.
    fn press(&mut self, by: Color, from: u64, time_ms: Option<u64>) -> u64 {
        let reach = self.hand.reach_for_the_clock();
        let pressed = (from + reach).max(self.last.pressed + BETWEEN_PRESSES_US);
        self.at(pressed, Act::Press { by, time_ms });
        pressed
    }

    /// Returns the squares of this ply and the previous one, and when each was touched.
    fn touched(&mut self, times: &[u64], steps: &[Gesture]) -> Vec<(Square, u64)> {
        let now = steps.iter().zip(times).map(|(step, &at)| (step.square, at));
        now.chain(std::mem::take(&mut self.last.touched))
            .take(TOUCHES)
            .collect()
    }

    fn report_ply(&mut self, index: usize, next: &Ply) {
        let progress = Progress::Ply {
            game: self.game,
            ply: index + 1,
            played: Played {
                uci: next.uci.clone(),
                san: next.san.clone(),
            },
        };
        self.at(self.last.over, Act::Report(progress));
    }

    fn tempo(&mut self, index: usize) -> Tempo {
        if self.run > 0 {
            self.run -= 1;
            return Tempo::Chases;
        }
        if index > 0 && self.hand.dice.chance(self.habits.overlap) {
            return Tempo::Overlaps;
        }
        Tempo::Thinks
    }

    /// Decides whether the next plies chase. Returns whether the clock is not pressed after this
    /// ply, because the opponent replies and this player moves again before anybody could press it.
    fn run_begins(&mut self, index: usize, tempo: Tempo) -> bool {
        if tempo == Tempo::Chases {
            return self.run > 0;
        }
        let simple = |index: usize| {
            matches!(
                self.score.plies.get(index).map(|ply| ply.played),
                Some(Move::Normal {
                    promotion: None,
                    ..
                })
            )
        };
        if !(simple(index) && simple(index + 1)) {
            return false;
        }
        if simple(index + 2) && self.hand.dice.chance(self.habits.chain) {
            self.run = 2;
        } else if self.hand.dice.chance(self.habits.chase) {
            self.run = 1;
        }
        self.run == 2
    }

    /// Returns when the first piece of a ply is touched.
    fn start(&mut self, next: &Ply, by: Color, tempo: Tempo, moves: &Movements) -> u64 {
        let thought = self.thought(next, by);
        let dice = &mut self.hand.dice;
        let mut start = match tempo {
            Tempo::Thinks => self.last.over + thought,
            Tempo::Overlaps => {
                let early = self.last.made.saturating_sub(dice.ms((0, 120)));
                early.max(self.last.first + 30 * MS)
            }
            Tempo::Chases => {
                let lift = self.last.first + dice.ms((20, 80));
                let release = self.last.made + dice.ms((20, 60));
                lift.max(release.saturating_sub(moves.duration_us()))
            }
        };
        start = start.max(self.free[usize::from(by.is_black())]);
        if let Some(outage) = &mut self.outage
            && start < outage.until
        {
            if outage.plies_left == 0 {
                start = outage.until + FOUND_AGAIN_US;
            }
            outage.plies_left = outage.plies_left.saturating_sub(1);
        }
        start + self.gives_way(start, next.played.from(), moves)
    }

    /// Delays the second step: a player who lifts before the opponent's release must still see the
    /// move.
    fn look_before_release(&mut self, start: u64, moves: &mut Movements) {
        let seen = self.last.made + self.hand.dice.ms(LOOK_MS);
        let early = seen.saturating_sub(start + moves.duration_us());
        if let Some(second) = moves.steps.get_mut(1) {
            second.after_us += early;
        }
    }

    fn thought(&mut self, next: &Ply, by: Color) -> u64 {
        let shown = &mut self.shown_ms[usize::from(by.is_black())];
        match next.clock_ms.filter(|_| self.habits.by_the_clock) {
            Some(left) => {
                let thought = std::mem::replace(shown, left).saturating_sub(left) * MS;
                let least = LEAST_THOUGHT_US.min(self.longest_thought_us);
                thought.clamp(least, self.longest_thought_us)
            }
            None => self.hand.think().min(self.longest_thought_us),
        }
    }

    /// Returns how much later the hand must start to release its piece after the other hand, and to
    /// follow it on every square. The piece that it moves `from` its square was released there
    /// before.
    fn gives_way(&self, start: u64, from: Option<Square>, moves: &Movements) -> u64 {
        let mine = times(start, &moves.steps);
        let made = start + moves.duration_us();
        let mut late = (self.last.made + GIVE_WAY_US).saturating_sub(made);
        for (square, at) in &self.last.touched {
            let first = moves.steps.iter().position(|step| step.square == *square);
            if let Some(first) = first {
                let own = from == Some(*square);
                let wait = if own { LET_GO_US } else { GIVE_WAY_US };
                late = late.max((at + wait).saturating_sub(mine[first]));
            }
        }
        late
    }
}

#[cfg(test)]
mod tests;

/// Returns the times of the steps.
fn times(start: u64, steps: &[Gesture]) -> Vec<u64> {
    steps
        .iter()
        .enumerate()
        .scan(start, |at, (index, step)| {
            *at += if index == 0 { 0 } else { step.after_us };
            Some(*at)
        })
        .collect()
}
