//! Clock times in comments.

/// The time in a `[%clk …]`, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClockTime {
    /// A time in milliseconds.
    Exact(u64),
    /// Two numbers: hours and minutes, or minutes and seconds.
    Pair(u64, u64),
}

/// The meaning of two numbers in one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PairOf {
    HoursAndMinutes,
    MinutesAndSeconds,
}

/// The longest plausible time on a clock whose time control is unknown.
const LONGEST_UNSAID_MS: u64 = 3 * 3_600_000;
/// Allowance for increments before the first clock reading.
const GAIN_MS: u64 = 5 * 60_000;

impl PairOf {
    /// The meaning of two numbers if a player has at most `limit_ms`: hours and minutes, unless
    /// that would exceed the limit.
    pub(super) const fn of(first: u64, second: u64, limit_ms: Option<u64>) -> Self {
        let as_hours = first
            .saturating_mul(60)
            .saturating_add(second)
            .saturating_mul(60_000);
        let limit = match limit_ms {
            Some(limit) => limit.saturating_add(GAIN_MS),
            None => LONGEST_UNSAID_MS,
        };
        if as_hours <= limit {
            Self::HoursAndMinutes
        } else {
            Self::MinutesAndSeconds
        }
    }

    pub(super) const fn ms(self, first: u64, second: u64) -> u64 {
        let unit = match self {
            Self::HoursAndMinutes => 60_000,
            Self::MinutesAndSeconds => 1_000,
        };
        first
            .saturating_mul(60)
            .saturating_add(second)
            .saturating_mul(unit)
    }
}

/// The time of the first `[%clk …]` in a comment: `h:mm:ss`, `h:mm` or seconds, each with an
/// optional fraction after a point or comma. The command is case-insensitive, and a line break may
/// fall inside it.
pub(super) fn clock_time(comment: &str) -> Option<ClockTime> {
    const COMMAND: &[u8] = b"[%clk";
    let mut windows = comment.as_bytes().windows(COMMAND.len());
    let at = windows.position(|bytes| bytes.eq_ignore_ascii_case(COMMAND))?;
    // The command is ASCII, so its end is a character boundary.
    let rest = comment.get(at + COMMAND.len()..)?;
    let rest = rest.trim_start_matches([':', '=']);
    let text = rest.split([']', '[', '}']).next()?.trim();
    let (whole, fraction) = match text.find(['.', ',']) {
        Some(point) => (&text[..point], Some(&text[point + 1..])),
        None => (text, None),
    };
    let mut parts = [0; 3];
    let mut count = 0;
    for part in whole.split(':') {
        *parts.get_mut(count)? = part.trim().parse::<u64>().ok()?;
        count += 1;
    }
    let fraction_ms = match fraction {
        None => 0,
        Some(digits) => format!("{:0<3}", digits.trim())
            .get(..3)?
            .parse::<u64>()
            .ok()?,
    };
    let exact = |seconds: Option<u64>| {
        let ms = seconds?.checked_mul(1000)?.checked_add(fraction_ms)?;
        Some(ClockTime::Exact(ms))
    };
    let [first, second, third] = parts;
    let sixty = |high: u64, low: u64| high.checked_mul(60)?.checked_add(low);
    match count {
        1 => exact(Some(first)),
        2 if fraction.is_none() => Some(ClockTime::Pair(first, second)),
        2 => exact(sixty(first, second)),
        _ => exact(sixty(first, second).and_then(|minutes| sixty(minutes, third))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_however_they_are_written() {
        let exact = [
            ("[%clk 1:39:56]", 5_996_000),
            ("[%clk 01:29:50,5]", 5_390_500),
            ("good [%clk 0:00:03.5]", 3_500),
            ("[%eval 0.1,20][%clk 1:26:59]", 5_219_000),
            ("[%CLK 1:25:00]", 5_100_000),
            ("[%clk\n1:31:18]", 5_478_000),
            ("[%clk 1:27:00\n]", 5_220_000),
            ("[%clk   1 : 27 : 00 ]", 5_220_000),
            ("[%emt 0:00:05] [%clk 1:28:00]", 5_280_000),
            ("[%clk 1:03.5]", 63_500),
            ("[%clk 90]", 90_000),
            ("[%clk 00:15:19", 919_000),
        ];
        for (comment, ms) in exact {
            assert_eq!(clock_time(comment), Some(ClockTime::Exact(ms)), "{comment}");
        }
        assert_eq!(clock_time("[%clk 1:29]"), Some(ClockTime::Pair(1, 29)));
        for comment in [
            "",
            "[%emt 0:00:05]",
            "[%clk]",
            "[%clk x]",
            "[%clk 1:2:3:4]",
            "[%clk -0:01]",
            "[%clk 99999999999999999999:0]",
            "[%clk 18446744073709551615:59:59]",
        ] {
            assert_eq!(clock_time(comment), None, "{comment}");
        }
    }

    #[test]
    fn two_numbers_are_hours_and_minutes_where_the_player_can_have_that_much() {
        let hour = 3_600_000;
        let table = [
            (1, 29, Some(hour * 3 / 2), PairOf::HoursAndMinutes),
            (2, 59, Some(180_000), PairOf::MinutesAndSeconds),
            (14, 50, Some(900_000), PairOf::MinutesAndSeconds),
            (1, 29, None, PairOf::HoursAndMinutes),
            (9, 58, None, PairOf::MinutesAndSeconds),
        ];
        for (first, second, limit, of) in table {
            assert_eq!(
                PairOf::of(first, second, limit),
                of,
                "{first}:{second}, {limit:?}"
            );
        }
        assert_eq!(PairOf::HoursAndMinutes.ms(1, 29), 5_340_000);
        assert_eq!(PairOf::MinutesAndSeconds.ms(1, 29), 89_000);
    }
}
