//! Presses and plies as they are told, and what is made of them.

use shakmaty::Color::{self, Black, White};

use super::*;

const SCAN_MS: Millis = 280;

/// A game of which only the times are told.
struct Told {
    way: ClockWay,
    now: Millis,
    mover: Color,
    /// How often the clock was found to stand the other way round.
    found: usize,
}

impl Told {
    fn new() -> Self {
        Self {
            way: ClockWay::new(true, SCAN_MS),
            now: 10_000,
            mover: White,
            found: 0,
        }
    }

    /// A ply after so long a thought.
    fn ply(&mut self, thought: Millis) -> &mut Self {
        let began = self.now + thought;
        self.now = began + 400;
        let (by, stood) = (self.mover, self.now);
        self.mover = by.other();
        self.way.play(Ply { by, began, stood });
        self.found += usize::from(std::mem::take(&mut self.way.found));
        self
    }

    /// The lever is told to have turned to a player, so long after what was told last.
    fn turn(&mut self, later: Millis, to: Color) -> &mut Self {
        self.now += later;
        self.way.turn(to, true, self.now);
        self
    }

    /// Plies on a clock that stands the other way round than it was taken to stand.
    fn wrong(&mut self, plies: usize) -> &mut Self {
        for _ in 0..plies {
            let by = self.mover;
            self.ply(3_000).turn(300, by);
        }
        self
    }

    /// The same on one that stands as it was taken to.
    fn right(&mut self, plies: usize) -> &mut Self {
        for _ in 0..plies {
            let opponent = self.mover.other();
            self.ply(3_000).turn(300, opponent);
        }
        self
    }
}

#[test]
fn three_presses_to_the_wrong_side_are_found_with_the_ply_after_them() {
    let mut told = Told::new();
    told.wrong(3);
    assert_eq!(told.found, 0, "the third one is not yet followed by a ply");
    told.ply(3_000);
    assert_eq!((told.found, told.way.player(White)), (1, Black));
    // From now on the lever is told so, and nothing more is found.
    told.right(40);
    assert_eq!(told.found, 1);
    // The clock is turned back.
    told.wrong(3).ply(3_000);
    assert_eq!((told.found, told.way.player(White)), (2, White));
}

#[test]
fn a_press_as_assumed_outweighs_what_was_before_it() {
    let mut told = Told::new();
    for _ in 0..20 {
        told.wrong(2).right(1);
    }
    assert_eq!(told.found, 0);
}

#[test]
fn plies_that_nobody_pressed_for_or_twice_say_nothing() {
    let mut told = Told::new();
    told.wrong(2);
    told.ply(5_000);
    told.ply(5_000);
    let by = told.mover;
    told.ply(5_000).turn(300, by).turn(300, by.other());
    assert_eq!(told.found, 0);
    told.wrong(1).ply(3_000);
    assert_eq!(told.found, 1);
}

#[test]
fn one_player_alone_does_not_tell() {
    let mut told = Told::new();
    for _ in 0..20 {
        // Black replies before the clock has told of White's press.
        told.ply(3_000).turn(300, White).ply(100).turn(300, Black);
    }
    assert_eq!(told.found, 0);
}

#[test]
fn a_press_that_is_told_with_the_next_ply_belongs_to_nobody() {
    let mut told = Told::new();
    for _ in 0..20 {
        // The board tells of each ply a moment after the clock has told of its press, and the clock
        // of the one before may have been forgotten.
        let opponent = told.mover.other();
        told.turn(3_000, opponent).ply(0);
    }
    assert_eq!(told.found, 0);
    for _ in 0..20 {
        // Presses are told when the opponent has replied.
        let by = told.mover;
        told.ply(500).turn(50, by);
    }
    assert_eq!(told.found, 0);
}

#[test]
fn a_clock_that_stands_still_tells_nothing() {
    let mut told = Told::new();
    for _ in 0..20 {
        let by = told.mover;
        told.ply(3_000);
        told.now += 300;
        told.way.turn(by, false, told.now);
    }
    assert_eq!(told.found, 0);
}

#[test]
fn plies_that_were_not_seen_are_no_neighbours() {
    let mut told = Told::new();
    for _ in 0..20 {
        told.wrong(2);
        told.way.interrupt();
    }
    assert_eq!(told.found, 0);
}

#[test]
fn what_somebody_has_said_is_not_learnt_otherwise() {
    let mut told = Told::new();
    told.way = ClockWay::new(false, SCAN_MS);
    told.wrong(40);
    assert_eq!((told.found, told.way.player(White)), (0, White));
}
