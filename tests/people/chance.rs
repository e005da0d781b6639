//! Random numbers that are the same on every machine.
//!
//! The generator is seeded. The distributions use only `+ - * /` and square roots, which IEEE 754
//! defines to the last bit. The logarithms and exponentials of the system's library differ between
//! machines and are not used.

use crate::Millis;

/// ln 2, for the two functions below.
const LN_2: f64 = std::f64::consts::LN_2;

/// A source of chance with the distributions of human behaviour.
#[derive(Debug)]
pub struct Chance(fastrand::Rng);

impl Chance {
    /// Starts the sequence of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// Starts an independent sequence, so that more draws here change nothing there.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        Self::new(self.0.u64(..))
    }

    /// A number from 0 to below 1, all equally likely.
    pub fn unit(&mut self) -> f64 {
        self.0.f64()
    }

    /// Whether something of probability `p` happens.
    pub fn happens(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A whole number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { self.0.usize(..n) }
    }

    /// A whole number from `low` to below `high`; `low` if the range is empty.
    pub fn between(&mut self, low: Millis, high: Millis) -> Millis {
        if high <= low {
            low
        } else {
            self.0.u64(low..high)
        }
    }

    /// One of the items, all equally likely.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// One of the items by weight; the last one if the weights are all 0.
    ///
    /// # Panics
    ///
    /// If there are no items.
    pub fn weighted<T: Copy>(&mut self, items: &[(T, f64)]) -> T {
        let total: f64 = items.iter().map(|(_, weight)| weight).sum();
        let mut left = self.unit() * total;
        for &(item, weight) in items {
            left -= weight;
            if left < 0.0 {
                return item;
            }
        }
        items.last().expect("there is an item to choose").0
    }

    /// A standard normal number (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * (-2.0 * ln(s) / s).sqrt();
            }
        }
    }

    /// A log-normal number with this median; `sigma` is that of the logarithm.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        median * exp(sigma * self.normal())
    }

    /// A log-normal duration in milliseconds with a heavy tail: one draw in twenty-five has more
    /// than twice the spread. At least 1 ms.
    pub fn ms(&mut self, median: f64, sigma: f64) -> Millis {
        let sigma = if self.happens(0.04) {
            sigma * 2.2
        } else {
            sigma
        };
        to_ms(self.log_normal(median, sigma))
    }

    /// An exponential number: the wait for something that may come at any time.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * ln(1.0 - self.unit())
    }

    /// A gamma number of a whole `shape`: the sum of that many exponential waits.
    pub fn gamma(&mut self, shape: u32, mean: f64) -> f64 {
        let each = mean / f64::from(shape.max(1));
        (0..shape.max(1)).map(|_| self.exponential(each)).sum()
    }

    /// One person's own probability of a habit: its odds are log-normal around those of the median.
    pub fn habit(&mut self, median: f64, sigma: f64) -> f64 {
        if median <= 0.0 {
            return 0.0;
        }
        let median = median.min(0.99);
        let odds = self.log_normal(median / (1.0 - median), sigma);
        odds / (1.0 + odds)
    }
}

/// Milliseconds of a positive number, at least 1 and at most a day.
#[must_use]
pub fn to_ms(value: f64) -> Millis {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 1..=a day before"
    )]
    let ms = value.clamp(1.0, 86_400_000.0) as u64;
    ms
}

/// A duration as a number to reckon with.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a game lasts less than 2^52 ms")]
pub const fn from_ms(value: Millis) -> f64 {
    value as f64
}

/// e to the power `x` by a power series after halving the argument; |x| below 40.
fn exp(x: f64) -> f64 {
    let x = x.clamp(-40.0, 40.0);
    // e^x = (e^(x/64))^64; the series converges within twelve terms for |x/64| < 0.63.
    let small = x / 64.0;
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..=14_u32 {
        term *= small / f64::from(n);
        sum += term;
    }
    for _ in 0..6 {
        sum *= sum;
    }
    sum
}

/// The natural logarithm of a positive number, by the series of the inverse hyperbolic tangent.
fn ln(x: f64) -> f64 {
    let mut x = x.max(1e-300);
    let mut twos = 0_i32;
    while x < 0.75 {
        x *= 2.0;
        twos -= 1;
    }
    while x > 1.5 {
        x /= 2.0;
        twos += 1;
    }
    let y = (x - 1.0) / (x + 1.0);
    let square = y * y;
    let (mut sum, mut power) = (0.0, y);
    for n in (1..=31_u32).step_by(2) {
        sum += power / f64::from(n);
        power *= square;
    }
    2.0 * sum + f64::from(twos) * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithm_and_exponential_agree_with_the_library() {
        for x in [1e-9, 0.01, 0.3, 0.9, 1.0, 1.7, 12.0, 4e6] {
            assert!((ln(x) - x.ln()).abs() < 1e-12, "{x}");
        }
        for x in [-9.0, -1.5, 0.0, 0.2, 3.0, 11.0] {
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn durations_have_their_median_and_a_heavy_tail() {
        let mut chance = Chance::new(1);
        let mut drawn: Vec<Millis> = (0..20_001).map(|_| chance.ms(200.0, 0.5)).collect();
        drawn.sort_unstable();
        let at = |q: usize| drawn[drawn.len() * q / 1000];
        assert!((185..215).contains(&at(500)), "{}", at(500));
        assert!(at(998) > 1_000, "{}", at(998));
        assert!(at(1) > 5);
    }

    #[test]
    fn a_seed_gives_the_same_numbers_everywhere() {
        let mut chance = Chance::new(7);
        let drawn: Vec<Millis> = (0..4).map(|_| chance.ms(500.0, 0.6)).collect();
        let mut again = Chance::new(7);
        assert_eq!(
            drawn,
            (0..4).map(|_| again.ms(500.0, 0.6)).collect::<Vec<_>>()
        );
    }
}
