//! The tag `TimeControl`.

use std::{fmt, str::FromStr};

/// Maximum number of periods.
const PERIODS: usize = 16;
/// The largest number that Lichess reads as minutes.
const LICHESS_MINUTES: u64 = 180;
/// The longest plausible time for a game over the board, in seconds.
const LONGEST: u64 = 36 * 3600;

/// The time control of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeControl {
    periods: Vec<Period>,
}

/// A period of a game with its own time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Number of moves in the period; `None` for the rest of the game.
    pub moves: Option<u32>,
    /// Base time in milliseconds.
    pub base_ms: u64,
    /// Time added per move, in milliseconds.
    pub increment_ms: u64,
}

/// The text is not a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a time control")]
pub struct NoTimeControl;

impl TimeControl {
    /// The periods in order; there is at least one.
    #[must_use]
    pub fn periods(&self) -> &[Period] {
        &self.periods
    }

    /// The initial time of each clock, in milliseconds.
    #[must_use]
    pub fn start_ms(&self) -> u64 {
        self.periods.first().map_or(0, |period| period.base_ms)
    }

    /// The time control if a clock showed `shown_ms` at the first move.
    ///
    /// Some programs write the tag in minutes. It is read so if the clock showed more than the
    /// value in seconds allows.
    #[must_use]
    pub fn as_shown(mut self, shown_ms: Option<u64>) -> Self {
        let Some(first) = self.periods.first() else {
            return self;
        };
        let most = first.base_ms.saturating_add(first.increment_ms);
        let in_minutes = first.base_ms.saturating_mul(60);
        let is_in_minutes = |shown| shown > most && shown <= in_minutes.saturating_add(most);
        if shown_ms.is_some_and(is_in_minutes) {
            for period in &mut self.periods {
                period.base_ms = period.base_ms.saturating_mul(60);
            }
        }
        self
    }

    /// The first period as `minutes+increment`, the form that Lichess reads: `90+30`.
    ///
    /// Lichess takes a number over 180 for seconds. `None` if the time has no such form.
    ///
    /// ```
    /// let control: remisd_pgn::TimeControl = "40/5400+30:1800+30".parse()?;
    /// assert_eq!(control.in_minutes().as_deref(), Some("90+30"));
    /// # Ok::<_, remisd_pgn::NoTimeControl>(())
    /// ```
    #[must_use]
    pub fn in_minutes(&self) -> Option<String> {
        let first = self.periods.first()?;
        let (base, increment) = (first.base_ms / 1000, first.increment_ms / 1000);
        let minutes = base / 60;
        if base.is_multiple_of(60) && minutes <= LICHESS_MINUTES {
            return Some(format!("{minutes}+{increment}"));
        }
        (base > LICHESS_MINUTES).then(|| format!("{base}+{increment}"))
    }
}

/// The standard's form, in seconds: `40/5400+30:1800+30`.
impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, period) in self.periods.iter().enumerate() {
            if index > 0 {
                f.write_str(":")?;
            }
            if let Some(moves) = period.moves {
                write!(f, "{moves}/")?;
            }
            write!(f, "{}", period.base_ms / 1000)?;
            if period.increment_ms > 0 {
                write!(f, "+{}", period.increment_ms / 1000)?;
            }
        }
        Ok(())
    }
}

/// Parses the forms of the standard, in seconds (`300`, `5400+30`, `40/7200:3600`,
/// `40/5400+30:1800+30`, `*180`), and forms with units (`90 min + 30 sec`, `15 min/game + 10
/// sec/move`, `40/2h`, `G/90`, `1:30:00+30`).
///
/// ```
/// use remisd_pgn::TimeControl;
///
/// let control: TimeControl = "40/7200:3600".parse()?;
/// assert_eq!(control.start_ms(), 7_200_000);
/// assert_eq!(control.periods()[0].moves, Some(40));
/// # Ok::<_, remisd_pgn::NoTimeControl>(())
/// ```
impl FromStr for TimeControl {
    type Err = NoTimeControl;

    fn from_str(text: &str) -> Result<Self, NoTimeControl> {
        let text = text.trim().to_lowercase();
        let periods = if text.contains(|c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '′'))
        {
            in_words(&text).map(|period| vec![period])
        } else if let Some(period) = of_clock(&text) {
            Some(vec![period])
        } else {
            text.split(':').take(PERIODS + 1).map(in_seconds).collect()
        };
        let periods = periods.filter(|periods: &Vec<Period>| periods.len() <= PERIODS);
        periods.map(|periods| Self { periods }).ok_or(NoTimeControl)
    }
}

/// Parses `40/7200+30`, in seconds.
fn in_seconds(text: &str) -> Option<Period> {
    let (moves, time) = moves_of(text.trim().trim_start_matches('*'))?;
    let (base, increment) = match time.split_once('+') {
        Some((base, increment)) => (base, seconds(increment)?),
        None => (time, 0),
    };
    period(moves, seconds(base)?, increment)
}

/// Parses `1:30:00+30`, a time as shown on a clock.
fn of_clock(text: &str) -> Option<Period> {
    let (time, increment) = match text.split_once('+') {
        Some((time, increment)) => (time, seconds(increment)?),
        None => (text, 0),
    };
    let parts: Vec<&str> = time.split(':').collect();
    let [hours, minutes, whole] = parts[..] else {
        return None;
    };
    let two_digits = |part: &str| part.len() == 2;
    if hours.len() > 2 || !two_digits(minutes) || !two_digits(whole) {
        return None;
    }
    let base = seconds(hours)? * 3600 + seconds(minutes)? * 60 + seconds(whole)?;
    period(None, base, increment)
}

/// Parses `90 min + 30 sec`, `40/2h`, `g/90`: numbers with units.
fn in_words(text: &str) -> Option<Period> {
    let (moves, time) = match text.strip_prefix("g/") {
        Some(time) => (None, time),
        None => moves_of(text).unwrap_or((None, text)),
    };
    let (base, increment) = time.split_once('+').unwrap_or((time, "0s"));
    let base = with_units(base, 60)?;
    period(moves, base, with_units(increment, 1)?)
}

/// The seconds in `1h30`, `90 min`, `90'`, `30"`; a bare number is in units of `unit` seconds.
fn with_units(text: &str, unit: u64) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = None;
    let mut smaller = unit;
    while rest.starts_with(|c: char| c.is_ascii_digit()) {
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let number = seconds(&rest[..end])?;
        rest = rest[end..].trim_start();
        let unit = match rest.chars().next() {
            // This includes German `2 Std.`
            Some('h' | 's') if rest.starts_with('h') || rest.starts_with("st") => 3600,
            Some('m' | '\'' | '’' | '′') if !rest.starts_with("''") => 60,
            Some('s' | '"' | '”' | '″' | '\'') => 1,
            _ => smaller,
        };
        smaller = if unit == 3600 { 60 } else { 1 };
        total = Some(total.unwrap_or(0) + number.checked_mul(unit)?);
        rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
    }
    total
}

/// The moves before a slash, if any, and the rest.
fn moves_of(text: &str) -> Option<(Option<u32>, &str)> {
    match text.split_once('/') {
        Some((moves, time)) => Some((Some(moves.trim().parse().ok()?), time)),
        None => Some((None, text)),
    }
}

fn seconds(text: &str) -> Option<u64> {
    let seconds = text.trim().parse().ok()?;
    (seconds <= LONGEST).then_some(seconds)
}

fn period(moves: Option<u32>, base: u64, increment: u64) -> Option<Period> {
    (1..=LONGEST).contains(&base).then_some(Period {
        moves,
        base_ms: base * 1000,
        increment_ms: increment * 1000,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Moves, seconds, and seconds per move.
    type Said = (Option<u32>, u64, u64);

    fn read(text: &str) -> Vec<Said> {
        let control: TimeControl = text.parse().unwrap_or_else(|_| panic!("{text}"));
        let seconds = |period: &Period| {
            (
                period.moves,
                period.base_ms / 1000,
                period.increment_ms / 1000,
            )
        };
        control.periods().iter().map(seconds).collect()
    }

    #[test]
    fn every_form_is_read() {
        let table: [(&str, &[Said]); 15] = [
            ("300", &[(None, 300, 0)]),
            ("5400+30", &[(None, 5400, 30)]),
            ("40/7200:3600", &[(Some(40), 7200, 0), (None, 3600, 0)]),
            (
                "40/5400+30:1800+30",
                &[(Some(40), 5400, 30), (None, 1800, 30)],
            ),
            (
                "40/7200:20/3600:900+30",
                &[(Some(40), 7200, 0), (Some(20), 3600, 0), (None, 900, 30)],
            ),
            ("*180", &[(None, 180, 0)]),
            ("1:30:00+30", &[(None, 5400, 30)]),
            ("90 min + 30 sec", &[(None, 5400, 30)]),
            ("15 min/game + 10 sec/move", &[(None, 900, 10)]),
            ("90'+30''", &[(None, 5400, 30)]),
            ("90' + 30\"", &[(None, 5400, 30)]),
            ("1h30 + 30s", &[(None, 5400, 30)]),
            ("40/2h", &[(Some(40), 7200, 0)]),
            ("G/90", &[(None, 5400, 0)]),
            ("90 Minuten + 30 Sekunden", &[(None, 5400, 30)]),
        ];
        for (text, periods) in table {
            assert_eq!(read(text), periods, "{text}");
        }
    }

    #[test]
    fn text_without_a_time_is_no_time_control() {
        let many = "300:".repeat(40);
        for text in [
            "",
            "?",
            "-",
            "0",
            "x",
            "40/",
            "1/x",
            "99999999999999999999",
            many.as_str(),
            "rapid",
        ] {
            assert_eq!(text.parse::<TimeControl>(), Err(NoTimeControl), "{text}");
        }
    }

    #[test]
    fn a_time_control_is_written_in_seconds_and_for_lichess_in_minutes() {
        let table = [
            ("5400+30", "5400+30", Some("90+30")),
            ("40/5400+30:1800+30", "40/5400+30:1800+30", Some("90+30")),
            ("15 min/game + 10 sec/move", "900+10", Some("15+10")),
            ("300", "300", Some("5+0")),
            ("210+2", "210+2", Some("210+2")),
            ("90", "90", None),
            ("14400", "14400", Some("14400+0")),
        ];
        for (text, seconds, minutes) in table {
            let control: TimeControl = text.parse().unwrap();
            assert_eq!(control.to_string(), seconds, "{text}");
            assert_eq!(control.in_minutes().as_deref(), minutes, "{text}");
            assert_eq!(control.to_string().parse(), Ok(control), "{text}");
        }
        let minutes: TimeControl = "90+30".parse().unwrap();
        assert_eq!(minutes.as_shown(Some(5_420_000)).to_string(), "5400+30");
    }
}
