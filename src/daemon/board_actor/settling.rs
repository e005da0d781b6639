//! How long a move was on the board before it was settled.

use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;
use shakmaty::{CastlingSide, Color, Move, Square};

use remisd_vocabulary::{
    reading::{Settled, SettledBy},
    sensor::{ClockReading, Placement, Sensed},
    time::{Moment, Span},
};

/// When each square was last seen to change, and when the lever last moved.
#[derive(Debug)]
pub struct SettlingTimes {
    known: Option<Box<Placement>>,
    changed: Box<[Option<Moment>; 64]>,
    lever: Option<Color>,
    pressed: Option<Moment>,
    /// Collects the times, in seconds.
    counted: Histogram,
}

/// Upper bounds of the histogram's buckets, in seconds: from one or two scans to a move for which
/// the board had to be asked.
const SETTLING_S: [f64; 14] = [
    0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0,
];

/// Creates an empty histogram of settling times.
pub fn settling_times() -> Histogram {
    Histogram::new(SETTLING_S)
}

impl Default for SettlingTimes {
    fn default() -> Self {
        Self::counted_in(settling_times())
    }
}

impl SettlingTimes {
    /// Creates a measurement that adds to `counted`.
    pub fn counted_in(counted: Histogram) -> Self {
        Self {
            counted,
            known: None,
            changed: Box::new([None; 64]),
            lever: None,
            pressed: None,
        }
    }

    /// Adds what the board has sensed.
    pub fn sense(&mut self, sensed: &Sensed, at: Moment) {
        match sensed {
            Sensed::Square(square, seen) => {
                self.changed[usize::from(*square)] = Some(at);
                if let Some(known) = &mut self.known {
                    known.set(*square, *seen);
                }
            }
            Sensed::Placement(placement) => {
                if let Some(known) = &self.known {
                    let differs = |square: &Square| known.get(*square) != placement.get(*square);
                    for square in Square::ALL.into_iter().filter(differs) {
                        self.changed[usize::from(square)] = Some(at);
                    }
                }
                self.known = Some(Box::new(placement.clone()));
            }
            Sensed::Clock(ClockReading { lever, .. }) => {
                if self.lever.is_some() && *lever != self.lever {
                    self.pressed = Some(at);
                }
                self.lever = *lever;
            }
            Sensed::Link(_) | Sensed::Orientation(_) => {}
        }
    }

    /// Adds the time of a move that was just settled.
    pub fn settled(&self, settled: &Settled, now: Moment) {
        if let Some(took) = self.took(settled, now) {
            self.counted.observe(Duration::from(took).as_secs_f64());
        }
    }

    /// Returns the time since the move's own squares last changed or, if a press settled it, since
    /// the lever moved. `None` if no such change was seen.
    fn took(&self, settled: &Settled, now: Moment) -> Option<Span> {
        let squares = own_squares(settled.m).into_iter().flatten();
        let changed = squares.filter_map(|square| self.changed[usize::from(square)]);
        let pressed = self.pressed.filter(|_| settled.by == SettledBy::Clock);
        let last = changed.chain(pressed).max()?;
        Some(now - last)
    }
}

/// Returns the squares that a move changes.
fn own_squares(m: Move) -> [Option<Square>; 4] {
    match m {
        Move::Normal { from, to, .. } => [Some(from), Some(to), None, None],
        Move::EnPassant { from, to } => {
            let captured = Square::from_coords(to.file(), from.rank());
            [Some(from), Some(to), Some(captured), None]
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(rook > king);
            let color = Color::from_white(king.rank() == shakmaty::Rank::First);
            [
                Some(king),
                Some(rook),
                Some(side.king_to(color)),
                Some(side.rook_to(color)),
            ]
        }
        Move::Put { to, .. } => [Some(to), None, None, None],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_vocabulary::sensor::Seen;

    fn settled(m: Move, by: SettledBy) -> Settled {
        Settled { m, by }
    }

    #[test]
    fn a_move_has_taken_as_long_as_its_own_squares_stood_still() {
        let mut settling = SettlingTimes::default();
        let king = Move::Normal {
            role: shakmaty::Role::King,
            from: Square::E1,
            capture: None,
            to: Square::E2,
            promotion: None,
        };
        let stood = settled(king, SettledBy::StoodStill);
        assert_eq!(
            settling.took(&stood, Moment::from_millis(50)),
            None,
            "nothing was seen"
        );
        settling.sense(
            &Sensed::Square(Square::E1, Seen::Empty),
            Moment::from_millis(100),
        );
        settling.sense(
            &Sensed::Square(Square::E2, Seen::Empty),
            Moment::from_millis(250),
        );
        // A change by the opponent does not belong to this move.
        settling.sense(
            &Sensed::Square(Square::D7, Seen::Empty),
            Moment::from_millis(900),
        );
        assert_eq!(
            settling.took(&stood, Moment::from_millis(1_000)),
            Some(Span::from_millis(750))
        );
        let mut placement = Placement::start();
        settling.sense(
            &Sensed::Placement(placement.clone()),
            Moment::from_millis(1_000),
        );
        assert_eq!(
            settling.took(&stood, Moment::from_millis(1_000)),
            Some(Span::from_millis(750)),
            "the first look is no change"
        );
        placement.set(Square::E2, Seen::Empty);
        settling.sense(
            &Sensed::Placement(placement.clone()),
            Moment::from_millis(1_200),
        );
        settling.sense(
            &Sensed::Placement(placement.clone()),
            Moment::from_millis(1_900),
        );
        assert_eq!(
            settling.took(&stood, Moment::from_millis(2_000)),
            Some(Span::from_millis(800)),
            "that it is still so is none"
        );
    }

    #[test]
    fn a_press_counts_where_it_has_settled_the_move() {
        let mut settling = SettlingTimes::default();
        let read = |lever| {
            Sensed::Clock(ClockReading {
                white_ms: 1,
                black_ms: 1,
                running: None,
                lever: Some(lever),
                flag: None,
                low_battery: false,
            })
        };
        settling.sense(&read(Color::White), Moment::START);
        settling.sense(
            &Sensed::Square(Square::G8, Seen::Empty),
            Moment::from_millis(100),
        );
        settling.sense(&read(Color::Black), Moment::from_millis(700));
        settling.sense(&read(Color::Black), Moment::from_millis(900));
        let castle = Move::Castle {
            king: Square::E8,
            rook: Square::H8,
        };
        assert_eq!(
            settling.took(
                &settled(castle, SettledBy::Clock),
                Moment::from_millis(1_000)
            ),
            Some(Span::from_millis(300))
        );
        assert_eq!(
            settling.took(
                &settled(castle, SettledBy::StoodStill),
                Moment::from_millis(1_000)
            ),
            Some(Span::from_millis(900))
        );
    }
}
