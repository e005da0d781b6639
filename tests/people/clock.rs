//! The chess clock: its lever, its times, and the latency of its messages.

use crate::Millis;
use remisd_vocabulary::sensor::{ClockReading, Sensed};
use shakmaty::Color;

use crate::{
    chance::Chance,
    script::{ClockDeed, Script},
};

/// The clock's state at some moment; times in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Clock {
    /// White's and Black's time.
    left: [Millis; 2],
    lever: Color,
    runs: bool,
    at: Millis,
}

/// How the clock was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Control {
    /// The time of each player.
    pub base: Millis,
    /// What is added at each press.
    pub increment: Millis,
}

const fn side(color: Color) -> usize {
    match color {
        Color::White => 0,
        Color::Black => 1,
    }
}

impl Clock {
    const fn new(control: Control) -> Self {
        Self {
            left: [control.base; 2],
            lever: Color::White,
            runs: false,
            at: 0,
        }
    }

    /// Lets the time run until `at`.
    const fn run_to(&mut self, at: Millis) {
        if self.runs {
            let left = &mut self.left[side(self.lever)];
            *left = left.saturating_sub(at.saturating_sub(self.at));
        }
        self.at = at;
    }

    fn deed(&mut self, deed: ClockDeed, control: Control) {
        match deed {
            ClockDeed::Press(by) => {
                // Only the side whose lever is up can press it down.
                if self.lever == by {
                    self.lever = !by;
                    if self.runs {
                        self.left[side(by)] += control.increment;
                    }
                }
            }
            ClockDeed::Run => self.runs = true,
            ClockDeed::Stop => self.runs = false,
            ClockDeed::Lever(to_move) => self.lever = to_move,
            ClockDeed::Reset => {
                *self = Self {
                    at: self.at,
                    ..Self::new(control)
                };
            }
            ClockDeed::Unplug | ClockDeed::Plug => {}
        }
    }

    /// The message about it: whole seconds, rounded up as displays do.
    fn reading(&self, reversed: bool) -> ClockReading {
        let shown = |ms: Millis| ms.div_ceil(1_000) * 1_000;
        let flag = [Color::White, Color::Black]
            .into_iter()
            .find(|&color| self.left[side(color)] == 0);
        let reading = ClockReading {
            white_ms: shown(self.left[0]),
            black_ms: shown(self.left[1]),
            running: self.runs.then_some(self.lever),
            lever: Some(self.lever),
            flag,
            low_battery: false,
        };
        if reversed {
            reading.reversed()
        } else {
            reading
        }
    }
}

/// A base time with which no flag falls in this script.
#[must_use]
pub fn control_for(script: &Script, increment: Millis) -> Control {
    let mut clock = Clock::new(Control {
        base: Millis::MAX / 4,
        increment: 0,
    });
    let mut used = 0;
    for &(at, deed) in &script.clock {
        clock.run_to(at);
        if deed == ClockDeed::Reset {
            used = used.max(Millis::MAX / 4 - clock.left[0].min(clock.left[1]));
        }
        clock.deed(
            deed,
            Control {
                base: Millis::MAX / 4,
                increment: 0,
            },
        );
    }
    clock.run_to(script.end);
    used = used.max(Millis::MAX / 4 - clock.left[0].min(clock.left[1]));
    let minutes = [1, 3, 5, 10, 15, 25, 45, 60, 90, 120, 180, 300];
    let base = minutes
        .into_iter()
        .map(|m| m * 60_000)
        .find(|&base| base > used + 10_000);
    Control {
        base: base.unwrap_or(used + 600_000),
        increment,
    }
}

/// All messages about the clock, in the order of time.
#[must_use]
pub fn report(
    script: &Script,
    control: Control,
    reversed: bool,
    chance: &mut Chance,
) -> Vec<(Millis, Sensed)> {
    let mut messages = Vec::new();
    let mut clock = Clock::new(control);
    let mut plugged = true;
    let mut last: Option<ClockReading> = None;
    // The clock is asked at intervals, and the answer goes through the board. Recording: 0.95 s
    // (0.67 to 1.05) from the last placement to the message, including the press. Report: "up to
    // 1 s". The share of the clock is judgement.
    let lag = chance.log_normal(430.0, 0.3).min(950.0);
    let mut not_before = 0;
    let mut say = |clock: &Clock, at: Millis, plugged: bool, chance: &mut Chance| {
        let reading = clock.reading(reversed);
        if !plugged || last == Some(reading) {
            return;
        }
        last = Some(reading);
        // Messages keep their order.
        let reported = (at + chance.ms(lag, 0.22).min(1_400)).max(not_before);
        not_before = reported + 1;
        messages.push((reported, Sensed::Clock(reading)));
    };
    say(&clock, 300, plugged, chance);
    for &(at, deed) in &script.clock {
        tick_to(&mut clock, at, |clock, at| say(clock, at, plugged, chance));
        clock.deed(deed, control);
        match deed {
            ClockDeed::Unplug => plugged = false,
            ClockDeed::Plug => plugged = true,
            _ => {}
        }
        say(&clock, at, plugged, chance);
    }
    tick_to(&mut clock, script.end, |clock, at| {
        say(clock, at, plugged, chance);
    });
    messages.retain(|(at, _)| *at <= script.end);
    messages
}

/// Lets the clock run, with a call whenever the display changes.
fn tick_to(clock: &mut Clock, until: Millis, mut say: impl FnMut(&Clock, Millis)) {
    while clock.runs {
        let left = clock.left[side(clock.lever)];
        let to_change = if left.is_multiple_of(1_000) {
            1_000
        } else {
            left % 1_000
        };
        if left == 0 || clock.at + to_change > until {
            break;
        }
        clock.run_to(clock.at + to_change);
        say(clock, clock.at);
    }
    clock.run_to(until);
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: Control = Control {
        base: 60_000,
        increment: 2_000,
    };

    fn readings(deeds: &[(Millis, ClockDeed)], reversed: bool) -> Vec<(Millis, ClockReading)> {
        let script = Script {
            clock: deeds.to_vec(),
            end: 20_000,
            ..Script::default()
        };
        let events = report(&script, CONTROL, reversed, &mut Chance::new(1));
        assert!(events.is_sorted_by_key(|(at, _)| *at));
        (events.into_iter())
            .map(|(at, sensed)| match sensed {
                Sensed::Clock(reading) => (at, reading),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn a_press_turns_the_lever_once_and_adds_the_increment() {
        let press = ClockDeed::Press(Color::White);
        let deeds = [(1_000, ClockDeed::Run), (4_500, press), (4_700, press)];
        let all = readings(&deeds, false);
        let turned: Vec<_> = all
            .iter()
            .filter(|(_, r)| r.lever == Some(Color::Black))
            .collect();
        let (at, first) = turned[0];
        assert!((4_500..6_000).contains(at));
        assert_eq!(
            (first.white_ms, first.running),
            (59_000, Some(Color::Black))
        );
        assert_eq!(
            all.last().map(|(_, reading)| reading.white_ms),
            Some(59_000)
        );
    }

    #[test]
    fn no_message_while_unplugged_and_no_time_while_stopped() {
        let deeds = [
            (1_000, ClockDeed::Run),
            (3_000, ClockDeed::Stop),
            (8_000, ClockDeed::Run),
            (10_000, ClockDeed::Unplug),
            (15_000, ClockDeed::Plug),
        ];
        let all = readings(&deeds, false);
        assert!(
            !all.iter()
                .any(|(at, _)| (4_500..8_000).contains(at) || (11_500..15_000).contains(at))
        );
        assert_eq!(
            all.last().map(|(_, reading)| reading.black_ms),
            Some(60_000)
        );
        let turned = readings(&deeds, true);
        assert_eq!(
            turned.last().map(|(_, reading)| reading.white_ms),
            Some(60_000)
        );
    }

    #[test]
    fn no_flag_falls_with_the_control_that_fits() {
        let script = Script {
            clock: vec![
                (0, ClockDeed::Run),
                (500_000, ClockDeed::Press(Color::White)),
            ],
            end: 900_000,
            ..Script::default()
        };
        assert!(control_for(&script, 0).base > 500_000);
    }
}
