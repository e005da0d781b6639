//! The two times of a journal entry, and their source.
//!
//! Wall time is for people and may jump: a small computer without a clock chip learns the date only
//! after it has started. Monotonic time is for durations and never goes back. No other code in the
//! daemon asks the operating system for either. A [`Clock`] is passed in, so that tests control the
//! time.

use std::{
    fmt,
    ops::{Add, AddAssign, Mul, Sub},
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use jiff::Timestamp;

/// A time of the daemon's monotonic clock, in milliseconds since the daemon (or a test) started.
///
/// ```
/// use remisd_vocabulary::time::{Moment, Span};
///
/// let (lifted, placed) = (Moment::from_millis(1_000), Moment::from_millis(1_300));
/// assert_eq!(placed - lifted, Span::from_millis(300));
/// assert_eq!(lifted - placed, Span::ZERO);
/// assert_eq!(lifted + Span::from_millis(100) * 3, placed);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(u64);

impl Moment {
    /// When the daemon started.
    pub const START: Self = Self(0);
    /// Later than any other.
    pub const MAX: Self = Self(u64::MAX);

    /// The time `ms` milliseconds after the start.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms)
    }

    /// Milliseconds since the start.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

/// The time between two moments, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// A span of `ms` milliseconds.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms)
    }

    /// The span in milliseconds.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }
}

impl Add<Span> for Moment {
    type Output = Self;

    /// The moment `span` later, or [`Moment::MAX`].
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Moment {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub<Span> for Moment {
    type Output = Self;

    /// The moment `span` earlier, or the start.
    fn sub(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Sub for Moment {
    type Output = Span;

    /// The time since an earlier moment; none since a later one.
    fn sub(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Span {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Mul<u32> for Span {
    type Output = Self;

    fn mul(self, times: u32) -> Self {
        Self(self.0.saturating_mul(u64::from(times)))
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        Self::from_millis(span.0)
    }
}

/// The milliseconds since the start.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The milliseconds.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// November 2023 in milliseconds since 1970. A clock that has been set never shows an earlier time.
pub const SET_CLOCK_MS: i64 = 1_700_000_000_000;

/// The time of hands that are several times as fast as people's, as on a simulated board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeScale(u64);

impl TimeScale {
    /// The hands of people.
    pub const HUMAN: Self = Self(1);

    /// Hands that are `speed` times as fast as people's; at least once.
    #[must_use]
    pub fn new(speed: u64) -> Self {
        Self(speed.max(1))
    }

    /// The hands' time at `now`.
    #[must_use]
    pub const fn scale(self, now: Moment) -> Moment {
        Moment(now.0.saturating_mul(self.0))
    }

    /// The first time at which the hands' time is `due` or later.
    #[must_use]
    pub const fn unscale(self, due: Moment) -> Moment {
        Moment(due.0.div_ceil(self.0))
    }
}

/// A source of wall time and monotonic time.
pub trait Clock: Send + Sync + fmt::Debug {
    /// The wall time now, in UTC.
    fn now(&self) -> Timestamp;

    /// Microseconds since this clock was created.
    fn monotonic_us(&self) -> u64;

    /// The time since this clock was created.
    fn monotonic(&self) -> Moment {
        Moment(self.monotonic_us() / 1000)
    }
}

/// The clocks of the operating system.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts the monotonic count at zero.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the only place that asks the system"
    )]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the only place that asks the system"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// A clock that moves only when advanced, for tests and replays.
#[derive(Debug, Default)]
pub struct ManualClock {
    elapsed_ms: AtomicU64,
}

impl ManualClock {
    /// Advances both times by `ms` milliseconds.
    pub fn advance(&self, ms: u64) {
        self.elapsed_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let ms = i64::try_from(self.monotonic().0).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX)
    }

    fn monotonic_us(&self) -> u64 {
        self.elapsed_ms.load(Ordering::SeqCst).saturating_mul(1000)
    }
}

/// A time in RFC 3339, UTC, with milliseconds: the format of all published times.
///
/// ```
/// let time = jiff::Timestamp::from_millisecond(1_500).unwrap();
/// assert_eq!(remisd_vocabulary::time::rfc3339(time), "1970-01-01T00:00:01.500Z");
/// ```
#[must_use]
pub fn rfc3339(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Serializes timestamps in JSON as RFC 3339, UTC, with milliseconds.
pub mod as_rfc3339 {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Writes a timestamp.
    ///
    /// # Errors
    ///
    /// Returns the errors of the serializer.
    pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::rfc3339(*time))
    }

    /// Reads a timestamp.
    ///
    /// # Errors
    ///
    /// Fails if the text is not an RFC 3339 time.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        Timestamp::deserialize(deserializer)
    }

    /// Serializes optional timestamps in JSON as RFC 3339 or null.
    pub mod option {
        use jiff::Timestamp;
        use serde::{Deserialize as _, Deserializer, Serializer};

        /// Writes a timestamp or null.
        ///
        /// # Errors
        ///
        /// Returns the errors of the serializer.
        pub fn serialize<S: Serializer>(
            time: &Option<Timestamp>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match time {
                Some(time) => super::serialize(time, serializer),
                None => serializer.serialize_none(),
            }
        }

        /// Reads a timestamp or null.
        ///
        /// # Errors
        ///
        /// Fails if the text is not an RFC 3339 time.
        pub fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Timestamp>, D::Error> {
            Option::deserialize(deserializer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_of_fast_hands_is_over_at_the_first_time_that_reaches_it() {
        for scale in [TimeScale::HUMAN, TimeScale::new(0), TimeScale::new(20)] {
            for due in [0, 1, 19, 20, 21, 1_000].map(Moment) {
                let at = scale.unscale(due);
                assert!(scale.scale(at) >= due, "{scale:?}, {due}");
                let before = at - Span(1);
                assert!(
                    before == at || scale.scale(before) < due,
                    "{scale:?}, {due}"
                );
            }
        }
        assert_eq!(TimeScale::new(20).scale(Moment(3)), Moment(60));
    }
}
