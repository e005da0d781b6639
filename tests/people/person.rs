//! Players: every one has a speed, a care and habits of their own.
//!
//! A [`Manner`] holds the medians of a population; a [`Person`] is drawn from it. Durations are
//! log-normal with a heavy tail, probabilities have log-normal odds, so that in every population a
//! few players are much slower, clumsier or more nervous than the others.
//!
//! The mean over a population is about half as much again as the median, for rare habits; the
//! medians below are set so that the mean agrees with the source.
//!
//! Each number names its source: *recording* (the recordings of real boards), *report* (users'
//! reports or the vendor's text) or *judgement* (what an arbiter would expect to see).

use crate::Millis;

use crate::chance::Chance;

/// How a piece is captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taking {
    /// The capturer pushes or swaps the captured piece away with one hand.
    Swap,
    /// The captured piece is taken off first.
    CapturedFirst,
    /// The capturer is lifted first, then the captured piece.
    CapturerFirst,
}

/// The medians of a population of players.
#[derive(Debug, Clone, Copy)]
pub struct Manner {
    /// Thinking from the opponent's release to the lift, in ms.
    pub think_ms: f64,
    /// Spread of the logarithm of that.
    pub think_sigma: f64,
    /// From lift to place of a quiet move, in ms.
    pub carry_ms: f64,
    /// From place to release, in ms.
    pub hold_ms: f64,
    /// From release to the press, in ms.
    pub press_ms: f64,
    /// A line move that slides over squares.
    pub slide: f64,
    /// A move that rests on the way with a finger on the piece.
    pub rest: f64,
    /// Putting a piece right, per ply.
    pub adjust: f64,
    /// Lifting a piece and putting it back, per ply.
    pub hesitate: f64,
    /// Putting a piece down off its centre, per ply.
    pub lean: f64,
    /// Moving another piece with the sleeve, per ply.
    pub bump: f64,
    /// Dragging a captured piece over a neighbouring square, per capture.
    pub drag: f64,
    /// Forgetting to press, per ply.
    pub forget: f64,
    /// Pressing before the release, per ply.
    pub early: f64,
    /// Pressing long after, per ply.
    pub late: f64,
    /// Pressing twice, per ply.
    pub twice: f64,
    /// Pressing without a move (after putting a piece right, from nerves), per ply.
    pub habit: f64,
}

impl Manner {
    /// Experienced players who take care.
    pub const CAREFUL: Self = Self {
        think_ms: 14_000.0, // judgement: rapid to classical play, shortened
        think_sigma: 1.1,   // judgement: replies in the opening within 2 s, thinks of minutes
        carry_ms: 330.0,    // recording: 240 ms mean in blitz, 440 ms in a casual game
        hold_ms: 180.0,     // judgement
        press_ms: 480.0,    // recording: 0.95 s from place to message, clock's lag included
        slide: 0.06,        // recording: 8 of 70 line moves in blitz
        rest: 0.0,
        adjust: 0.0, // recording: 0 of 199
        hesitate: 0.001,
        lean: 0.002,
        bump: 0.0,
        drag: 0.10,    // recording: 5 of 35
        forget: 0.002, // judgement
        early: 0.0,
        late: 0.01,
        twice: 0.002,
        habit: 0.0,
    };

    /// Players of a tournament: careful, with the small things that happen in hours.
    pub const TOURNAMENT: Self = Self {
        think_ms: 25_000.0,
        think_sigma: 1.3,
        adjust: 0.006,   // judgement; recording: under 1.5 % in blitz
        hesitate: 0.004, // judgement: touch-move holds people back
        lean: 0.006,     // report: DGT's "put pieces in the middle of the squares"
        drag: 0.10,      // recording: 5 of 35
        slide: 0.08,     // recording: 8 of 70
        rest: 0.002,
        late: 0.02,
        ..Self::CAREFUL
    };

    /// Blitz with an increment, as in the recordings.
    pub const BLITZ: Self = Self {
        think_ms: 2_600.0, // recording: 3.0 and 3.5 s mean from press to lift
        think_sigma: 0.8,
        carry_ms: 210.0, // recording: 240 ms mean
        hold_ms: 70.0,
        press_ms: 380.0, // recording: 0.67 to 1.05 s with the clock's lag
        slide: 0.08,     // recording
        rest: 0.002,
        adjust: 0.002, // recording: 0 of 199
        hesitate: 0.004,
        lean: 0.01,
        bump: 0.003,
        drag: 0.10, // recording
        forget: 0.004,
        early: 0.01,
        late: 0.003,
        twice: 0.01,
        habit: 0.001,
    };

    /// The last minutes before the flag.
    pub const SCRAMBLE: Self = Self {
        think_ms: 900.0, // judgement; recording: 8 of 199 replies within the same second
        think_sigma: 0.7,
        carry_ms: 150.0, // judgement: hands have a floor near 100 ms
        hold_ms: 30.0,
        press_ms: 230.0,
        slide: 0.11,
        lean: 0.02,
        bump: 0.008,
        early: 0.02,
        twice: 0.02,
        ..Self::BLITZ
    };

    /// Club members, children, beginners.
    pub const ORDINARY: Self = Self {
        think_ms: 9_000.0,
        think_sigma: 1.1,
        carry_ms: 440.0, // recording: the casual game
        hold_ms: 260.0,
        press_ms: 600.0,
        slide: 0.14,
        rest: 0.006,
        adjust: 0.012,
        hesitate: 0.015,
        lean: 0.015,
        bump: 0.005,
        drag: 0.14,
        forget: 0.02, // judgement: once or twice a game among beginners
        early: 0.004,
        late: 0.02,
        twice: 0.008,
        habit: 0.003,
    };
}

/// One player.
#[derive(Debug, Clone)]
pub struct Person {
    /// The habits, this player's own.
    pub manner: Manner,
    /// How each piece is captured, with weights.
    pub takes: [(Taking, f64); 3],
    /// Lifts the king first when castling.
    pub king_first: f64,
    /// Castles with both hands.
    pub both_hands: f64,
}

impl Person {
    /// Draws a player from a population.
    #[must_use]
    pub fn of(manner: &Manner, chance: &mut Chance) -> Self {
        // One tempo drives all times of a hand; its spread is judgement, from the three games of
        // the recordings (0.18, 0.22, 0.37 s).
        let tempo = chance.log_normal(1.0, 0.22);
        let care = chance.log_normal(1.0, 0.6);
        let mut time = |median: f64, sigma: f64| chance.log_normal(median * tempo, sigma);
        let carry_ms = time(manner.carry_ms, 0.15).max(90.0);
        let hold_ms = time(manner.hold_ms, 0.5);
        let press_ms = time(manner.press_ms, 0.25);
        let think_ms = chance.log_normal(manner.think_ms, 0.35);
        let mut own = |p: f64| chance.habit(p * care, 0.8).min(0.9);
        let manner = Manner {
            think_ms,
            carry_ms,
            hold_ms,
            press_ms,
            slide: own(manner.slide),
            rest: own(manner.rest),
            adjust: own(manner.adjust),
            hesitate: own(manner.hesitate),
            lean: own(manner.lean),
            bump: own(manner.bump),
            drag: own(manner.drag),
            forget: own(manner.forget),
            early: own(manner.early),
            late: own(manner.late),
            twice: own(manner.twice),
            habit: own(manner.habit),
            ..*manner
        };
        // recording: 71 % of the captured squares are never seen empty, 20 % captured first, 9 %
        // capturer first. Some swaps are seen empty, and some of the others are not.
        let mut weight = |mean: f64| chance.gamma(3, mean);
        let takes = [
            (Taking::Swap, weight(0.80)),
            (Taking::CapturedFirst, weight(0.14)),
            (Taking::CapturerFirst, weight(0.06)),
        ];
        Self {
            manner,
            takes,
            king_first: chance.habit(0.95, 0.8), // recording: 6 of 6
            both_hands: chance.habit(0.03, 1.0), // judgement: forbidden by 4.1, still seen
        }
    }

    /// How long this player thinks.
    pub fn thinks(&self, chance: &mut Chance) -> Millis {
        // judgement: no one thinks for more than three quarters of an hour.
        let thinks = chance.ms(self.manner.think_ms, self.manner.think_sigma);
        thinks.min(2_700_000)
    }

    /// How long this player carries a piece over `squares` squares. Never below 90 ms: no hand is
    /// quicker (judgement).
    pub fn carries(&self, squares: u32, chance: &mut Chance) -> Millis {
        let far = 0.8 + 0.1 * f64::from(squares.min(7));
        chance.ms(self.manner.carry_ms * far, 0.4).max(90)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Manner; 5] = [
        Manner::CAREFUL,
        Manner::TOURNAMENT,
        Manner::BLITZ,
        Manner::SCRAMBLE,
        Manner::ORDINARY,
    ];

    #[test]
    fn no_hand_is_faster_than_a_human_one_or_always_slips() {
        let mut chance = Chance::new(3);
        for manner in ALL.iter().cycle().take(500) {
            let person = Person::of(manner, &mut chance);
            assert!((1..8).all(|squares| person.carries(squares, &mut chance) >= 90));
            assert!(person.thinks(&mut chance) <= 2_700_000);
            let own = &person.manner;
            let slips = [
                own.slide, own.rest, own.adjust, own.lean, own.bump, own.drag, own.forget,
            ];
            assert!(
                slips.into_iter().all(|p| (0.0..=0.9).contains(&p)),
                "{own:?}"
            );
        }
    }

    #[test]
    fn people_differ() {
        let mut chance = Chance::new(4);
        let mut carries: Vec<f64> = (0..1_000)
            .map(|_| Person::of(&Manner::BLITZ, &mut chance).manner.carry_ms)
            .collect();
        carries.sort_by(f64::total_cmp);
        // recording: the means of three games are 0.18, 0.22 and 0.37 s.
        assert!(
            carries[900] / carries[100] > 1.7,
            "{} {}",
            carries[900],
            carries[100]
        );
    }
}
