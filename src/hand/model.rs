//! The table: every assumption about hands, sensors and clocks.
//!
//! Durations are in milliseconds of human hands. Chances are parts of one. Tails are heavier than
//! anything recorded. The sources are:
//!
//! - **R**: recordings of a real board, 199 plies of blitz and 36 casual ones;
//! - **U**: reports by users, makers and arbiters;
//! - **A**: assumptions. "A, from R" departs from the recorded figure that it names.

use std::sync::OnceLock;

use remisd_vocabulary::time::Span;

use super::{
    cost::{Cost, NAT, cost},
    distribution::{Distribution, DurationCosts},
};

/// A duration of the table: name, distribution, meaning and source.
#[allow(dead_code, reason = "meaning and source are for readers and tests")]
pub(crate) struct DurationEntry(
    pub(crate) Duration,
    pub(crate) Distribution,
    pub(crate) &'static str,
);

/// A chance of the table: name, value with and without identified pieces, meaning and source.
#[allow(dead_code, reason = "meaning and source are for readers and tests")]
pub(crate) struct ChanceEntry(
    pub(crate) Chance,
    pub(crate) [f64; 2],
    pub(crate) &'static str,
);

macro_rules! names {
    ($(#[$meta:meta])* $name:ident: $($one:ident),+ $(,)?) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name { $($one),+ }
        impl $name {
            const ALL: &'static [Self] = &[$(Self::$one),+];
        }
    };
}

names! {
    /// The durations of the table.
    Duration: ThinkFast, Think, ThinkSlow, Hold, Rest, Hover, ChangeOfMind, PromotionSwap, PieceAway, PieceAside, Misreading,
    Press, EarlyReply, ReportDelay, ClearingStep, SignStep,
}
names! {
    /// The chances of the table.
    Chance: TouchesWay, Hovers, ChangesMind, PutsBack, PushedOff, VictimFirst, CapturerFirst, LandingFirst,
    EarlyFast, EarlyMiddle, EarlySlow, UnseenEnd, Overwritten, SetAside, ForgottenPress,
    EarlyPress, WrongPress, PlayWhileStopped, PieceAwayRate, MisreadingRate, DeadSquare,
    MisreadAgain, MissedPly, BecomesLost, FoundAgain, LostEventRate, LeavesPlay, SignStep, ClearingStep, AimlessStep,
    EarlyPiece, EarlyGoal, AdjacentSquare, UntimedRate, ClockStop, TakesBack, TempoFloor, Announce, Keep, Doubt, Certain, Named, UnseenFloor,
}

/// A scan of the board in ms: changes within it are reported in any order (A, from U: 200 to 250).
const SCAN_MS: u32 = 260;
/// Half the width of the blur that two scans put on the time between two events.
const BLUR: f64 = 130.0;

/// Floor: the least density and survival of a report delay, so that no delay is impossible.
const REPORT_FLOOR: (f64, f64) = (1e-7, 1e-4);

#[rustfmt::skip]
const DURATIONS: &[DurationEntry] = &[
    DurationEntry(Duration::ThinkFast, Distribution::Mixture(&[(1.0, 500.0, 1.6)], BLUR), "A: from a ply to the first touch of the next one, in a hurry"),
    DurationEntry(Duration::Think, Distribution::Mixture(&[(1.0, 1_500.0, 1.3)], BLUR), "A, from R: mean of 3.0 and 3.5 s after the press in two blitz games, 4 % within the same second"),
    DurationEntry(Duration::ThinkSlow, Distribution::Mixture(&[(1.0, 6_000.0, 1.1)], BLUR), "A, from R: mean of 17.6 s in a slower game"),
    DurationEntry(Duration::Hold, Distribution::Mixture(&[(0.8, 290.0, 3.2), (0.16, 130.0, 1.5), (0.04, 2_000.0, 1.5)], BLUR), "A, from R: mean of 0.24 s from lift to place; casual 0.44 s; whole capture 0.91 s"),
    DurationEntry(Duration::Rest, Distribution::Mixture(&[(1.0, 180.0, 3.0)], BLUR), "A, from R: mean of 0.27 s on a square on the way"),
    DurationEntry(Duration::Hover, Distribution::Mixture(&[(1.0, 800.0, 3.2)], BLUR), "A: a stop beside the target square"),
    DurationEntry(Duration::ChangeOfMind, Distribution::Mixture(&[(1.0, 2_500.0, 2.5)], BLUR), "U: the piece rests for seconds under a finger, and then moves on"),
    DurationEntry(Duration::PromotionSwap, Distribution::Mixture(&[(0.9, 1_200.0, 2.0), (0.1, 4_000.0, 1.5)], BLUR), "U: a pawn waits on the last rank for its piece"),
    DurationEntry(Duration::PieceAway, Distribution::Mixture(&[(0.35, 240.0, 4.0), (0.6, 800.0, 3.0), (0.05, 3_000.0, 1.5)], BLUR), "A: a piece is adjusted, or has fallen"),
    DurationEntry(Duration::PieceAside, Distribution::Mixture(&[(0.3, 200.0, 2.5), (0.7, 1_000.0, 2.5)], BLUR), "A, from R: a captured piece dragged over a square rests 0.2 s; set aside for longer"),
    DurationEntry(Duration::Misreading, Distribution::Mixture(&[(0.7, 230.0, 4.0), (0.25, 600.0, 2.0), (0.05, 4_000.0, 2.0)], BLUR), "A: until a misread square is reported correctly"),
    DurationEntry(Duration::Press, Distribution::Mixture(&[(0.75, 600.0, 2.6), (0.25, 200.0, 1.3)], BLUR), "A, from R: mean of 0.95 s (0.67 s in the slower game) from the last event to the clock's message"),
    DurationEntry(Duration::EarlyReply, Distribution::Mixture(&[(1.0, 160.0, 1.5)], BLUR), "A: from the start of a ply to that of an early reply"),
    DurationEntry(Duration::ReportDelay, Distribution::Scan(SCAN_MS as f64, 0.01, 4_000.0, REPORT_FLOOR), "A, from R: none of 458 updates lost (under 0.7 %); the table has 1 %"),
    DurationEntry(Duration::ClearingStep, Distribution::Mixture(&[(0.8, 200.0, 1.6), (0.2, 2_000.0, 1.2)], BLUR), "A: from piece to piece while the board is cleared"),
    DurationEntry(Duration::SignStep, Distribution::Mixture(&[(1.0, 600.0, 1.5)], BLUR), "A, from R: from step to step while the kings show the result, once, without receive times"),
];

#[rustfmt::skip]
const CHANCES: &[ChanceEntry] = &[
    ChanceEntry(Chance::TouchesWay, [0.12, 0.12], "A, from R: 9 of 117 squares (8 %) on the way of a line move are touched"),
    ChanceEntry(Chance::Hovers, [0.015, 0.015], "A, from R: 2 of 199 plies (1 %) touch a square off the way"),
    ChanceEntry(Chance::ChangesMind, [0.002, 0.002], "U: a piece rests for seconds and moves on, or a promoted piece is exchanged"),
    ChanceEntry(Chance::PutsBack, [0.02, 0.02], "A: a piece that was lifted is put back, another one played"),
    ChanceEntry(Chance::PushedOff, [0.6, 0.6], "A, from R: a captured square is never seen empty in 71 % of 35 captures"),
    ChanceEntry(Chance::VictimFirst, [0.25, 0.25], "A, from R: the captured piece is lifted first in 20 % of 35 captures"),
    ChanceEntry(Chance::CapturerFirst, [0.15, 0.15], "A, from R: the capturing piece is lifted first, and then the captured one, in 9 % of 35 captures"),
    ChanceEntry(Chance::LandingFirst, [0.5, 0.5], "A: of two changes in one scan, either is reported first"),
    ChanceEntry(Chance::EarlyFast, [0.3, 0.3], "A: the reply begins before the ply is complete, in a hurry"),
    ChanceEntry(Chance::EarlyMiddle, [0.03, 0.03], "A, from R: none of 198 replies precedes the clock's message (under 1.5 %)"),
    ChanceEntry(Chance::EarlySlow, [0.002, 0.002], "A: the same in a slow game"),
    ChanceEntry(Chance::UnseenEnd, [0.02, 0.02], "A: a part of a ply is not reported when the next one begins"),
    ChanceEntry(Chance::Overwritten, [0.12, 0.12], "A: a change is never reported, because another one followed at once"),
    ChanceEntry(Chance::SetAside, [0.03, 0.03], "A, from R: 5 of 35 captured pieces (14 %) touch a neighbouring square for 0.2 s; pieces that fall do so, too"),
    ChanceEntry(Chance::ForgottenPress, [0.02, 0.02], "A: a press is forgotten"),
    ChanceEntry(Chance::EarlyPress, [0.1, 0.1], "A: a press is reported before the piece"),
    ChanceEntry(Chance::WrongPress, [5e-4, 5e-4], "A: a press that belongs to no ply"),
    ChanceEntry(Chance::PlayWhileStopped, [1e-8, 1e-8], "U: a ply is played while the clock is stopped"),
    ChanceEntry(Chance::PieceAwayRate, [5e-6, 5e-6], "A, per ms: a piece is lifted that will come back"),
    ChanceEntry(Chance::MisreadingRate, [1.2e-6, 1.2e-6], "A, from R, per ms: none of 458 updates in 26 minutes was noise; the table has one in 14 minutes"),
    ChanceEntry(Chance::DeadSquare, [0.1, 0.1], "A: a change was lost because its square is dead"),
    ChanceEntry(Chance::MisreadAgain, [0.1, 0.1], "A: a misread square is misread again, by the next scan or because its piece leans"),
    ChanceEntry(Chance::MissedPly, [0.4, 0.4], "A: one more ply was made during an outage"),
    ChanceEntry(Chance::BecomesLost, [1e-6, 1e-6], "A, per event: what happens is not understood"),
    ChanceEntry(Chance::FoundAgain, [0.05, 0.05], "A: a lost game is found again"),
    ChanceEntry(Chance::LostEventRate, [2e-6, 2e-6], "A, per ms: any event while nothing is understood"),
    ChanceEntry(Chance::LeavesPlay, [0.004, 0.004], "A, per ply: from now on the pieces are not used for play"),
    ChanceEntry(Chance::SignStep, [0.3, 0.3], "A: a step of a result sign is this one"),
    ChanceEntry(Chance::ClearingStep, [0.02, 0.02], "A: a step of clearing or setting up is this one"),
    ChanceEntry(Chance::AimlessStep, [5e-4, 5e-4], "A: a step without a goal"),
    ChanceEntry(Chance::EarlyPiece, [0.1, 0.1], "A: the choice of a piece, before the position is known"),
    ChanceEntry(Chance::EarlyGoal, [0.16, 0.16], "A: the choice of its target square, before the position is known"),
    ChanceEntry(Chance::AdjacentSquare, [0.125, 0.125], "A: the choice of a neighbouring square"),
    ChanceEntry(Chance::UntimedRate, [0.003, 0.003], "A, per ms: an event whose moment nothing predicts"),
    ChanceEntry(Chance::ClockStop, [0.01, 0.01], "U: the clock is stopped after a complete ply"),
    ChanceEntry(Chance::TakesBack, [5e-4, 5e-4], "U: a ply is taken back, by consent or by the arbiter, or was illegal"),
    ChanceEntry(Chance::TempoFloor, [0.018, 0.018], "floor: a tempo that the game has not shown so far"),
    ChanceEntry(Chance::Announce, [0.97, 0.97], "decision: a ply is announced above this posterior"),
    ChanceEntry(Chance::Keep, [0.1, 0.1], "decision: and withdrawn below this one"),
    ChanceEntry(Chance::Doubt, [0.9, 0.9], "decision: an announced ply is in doubt below this one"),
    ChanceEntry(Chance::Certain, [0.999, 0.999], "decision: a ply is not published as uncertain above this one, and needs no timer"),
    ChanceEntry(Chance::Named, [0.01, 0.01], "decision: a mismatch names the lines above this one"),
    ChanceEntry(Chance::UnseenFloor, [0.004, 0.004], "floor: a ply that ended without a report was another one"),
];

/// The table in fixed point, for boards that identify pieces or for the others.
#[derive(Debug)]
pub(crate) struct Model {
    durations: Vec<DurationCosts>,
    chances: Vec<Cost>,
    complements: Vec<Cost>,
}

impl Model {
    /// The model for boards that identify pieces, or for the others.
    pub(crate) fn of(identifies_pieces: bool) -> &'static Self {
        static MODELS: OnceLock<[Model; 2]> = OnceLock::new();
        &MODELS.get_or_init(|| [Self::new(0), Self::new(1)])[usize::from(!identifies_pieces)]
    }

    fn new(column: usize) -> Self {
        // This initialises the tables of logarithms as well.
        let _ = super::cost::weight(0);
        debug_assert!(
            DURATIONS
                .iter()
                .map(|d| d.0)
                .eq(Duration::ALL.iter().copied())
        );
        debug_assert!(CHANCES.iter().map(|c| c.0).eq(Chance::ALL.iter().copied()));
        Self {
            durations: DURATIONS.iter().map(|d| DurationCosts::new(d.1)).collect(),
            chances: CHANCES.iter().map(|c| cost(c.1[column])).collect(),
            complements: CHANCES.iter().map(|c| cost(1.0 - c.1[column])).collect(),
        }
    }

    /// The cost of an event that happens.
    pub(crate) fn cost(&self, chance: Chance) -> Cost {
        self.chances[chance as usize]
    }

    /// The cost of an event that does not happen.
    pub(crate) fn cost_of_not(&self, chance: Chance) -> Cost {
        self.complements[chance as usize]
    }

    /// The cost of a duration that ends after `span`, per millisecond.
    pub(crate) fn density(&self, duration: Duration, span: Span) -> Cost {
        self.durations[duration as usize].density(span.as_millis())
    }

    /// The cost of a duration that has not ended after `span`.
    pub(crate) fn survival(&self, duration: Duration, span: Span) -> Cost {
        self.durations[duration as usize].survival(span.as_millis())
    }
}

/// The length of a scan.
pub(crate) const SCAN: Span = Span::from_millis(SCAN_MS as u64);
/// The weight of an ordinary move: the unit of the following weights (A).
pub(crate) const USUAL: u32 = 20_000;
/// The weight of each of the three underpromotions (A).
pub(crate) const UNDERPROMOTED: u32 = 60;
/// The cost of choosing a wrong piece for a promotion, one of three: ln 3 in nats (A).
pub(crate) const WRONG_PIECE: Cost = NAT + NAT / 10;
/// The weight of an inverted rook that stands for a queen. By the Laws it is a rook, so this is the
/// least weight: only later play can confirm it.
pub(crate) const UPSIDE_DOWN: u32 = 1;
/// The values by which a capture loses material, from pawn to king (A).
pub(crate) const PIECE_VALUES: [u32; 6] = [1, 3, 3, 5, 9, 1];
/// A ply that ended without a report may have been another one, until this many plies follow (A).
pub(crate) const CONFIRMING_PLIES: u32 = 4;
/// A ply may be announced this long before the square that contradicts it is reported (A).
pub(crate) const CONTRADICTION_DELAY: Span = Span::from_millis(900);
/// The weight of a capture that loses no material, and of one that does (A).
pub(crate) const SOUND: u32 = 80_000;
pub(crate) const UNSOUND: u32 = 8_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_small() {
        assert!(
            DURATIONS
                .iter()
                .map(|d| d.0)
                .eq(Duration::ALL.iter().copied())
        );
        assert!(CHANCES.iter().map(|c| c.0).eq(Chance::ALL.iter().copied()));
        assert!(DURATIONS.len() + CHANCES.len() + 9 <= 68);
    }

    #[test]
    fn every_entry_names_its_source() {
        let words = (DURATIONS.iter().map(|d| d.2)).chain(CHANCES.iter().map(|c| c.2));
        for word in words {
            let known = ["R", "U", "A", "decision", "floor"];
            assert!(
                known.iter().any(|source| word.starts_with(source)),
                "{word}"
            );
        }
    }
}
