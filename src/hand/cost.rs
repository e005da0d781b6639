//! Probabilities in fixed point, so that a replay agrees on every machine.
//!
//! A [`Cost`] is a negative logarithm in units of 1/1024 nat. The tables are computed once, with
//! additions, multiplications and divisions only: IEEE 754 defines those to the last bit, while
//! the `ln` and `exp` of a platform's library may differ.

use std::sync::OnceLock;

/// A negative log-probability, or log-density per millisecond, in 1/1024 nat.
pub(crate) type Cost = i32;

/// One nat.
pub(crate) const NAT: Cost = 1024;
/// The cost of an impossible event: beyond every beam, and far from overflow.
pub(crate) const IMPOSSIBLE: Cost = 200 * NAT;
/// Weights of [`weight`] are parts of this.
pub(crate) const FULL_WEIGHT: u64 = 1 << 32;

/// Distance between two entries of the tables of differences.
const STEP: usize = 1;
/// Differences beyond 22 nats count as infinite.
const STEPS: usize = 22 * 1024 / STEP;

/// The natural logarithm of a positive number, by the series of the inverse hyperbolic tangent.
pub(crate) fn ln(x: f64) -> f64 {
    debug_assert!(x > 0.0);
    let (mut mantissa, mut exponent) = (x, 0.0);
    while mantissa >= 2.0 {
        mantissa /= 2.0;
        exponent += 1.0;
    }
    while mantissa < 1.0 {
        mantissa *= 2.0;
        exponent -= 1.0;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let (mut term, mut sum, mut n) = (z, 0.0, 1.0);
    while n < 60.0 {
        sum += term / n;
        term *= z * z;
        n += 2.0;
    }
    2.0 * sum + exponent * std::f64::consts::LN_2
}

/// The exponential function, by its series.
pub(crate) fn exp(x: f64) -> f64 {
    let (mut reduced, mut doublings) = (x, 0_u32);
    while !(-0.5..=0.5).contains(&reduced) {
        reduced /= 2.0;
        doublings += 1;
    }
    let (mut term, mut sum, mut n) = (1.0, 1.0, 1.0);
    while n < 20.0 {
        term *= reduced / n;
        sum += term;
        n += 1.0;
    }
    for _ in 0..doublings {
        sum *= sum;
    }
    sum
}

/// The cost of a probability or of a density per millisecond.
#[expect(clippy::cast_possible_truncation, reason = "bounded by IMPOSSIBLE")]
pub(crate) fn cost(p: f64) -> Cost {
    if p < 1e-80 {
        return IMPOSSIBLE;
    }
    (-ln(p) * f64::from(NAT) + 1_000_000.5) as Cost - 1_000_000
}

struct Tables {
    /// `exp(-d)` as a part of [`FULL_WEIGHT`].
    weights: Vec<u64>,
    /// `ln(1 + exp(-d))`.
    gains: Vec<Cost>,
    /// `ln(n)` for small numbers.
    logs: Vec<Cost>,
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "small positive numbers"
)]
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let part = |step: usize| exp(-((step * STEP) as f64) / f64::from(NAT));
        Tables {
            weights: (0..STEPS)
                .map(|s| (part(s) * FULL_WEIGHT as f64) as u64)
                .collect(),
            gains: (0..STEPS).map(|s| -cost(1.0 + part(s))).collect(),
            logs: (0..4096).map(|n| -cost(f64::from(n.max(1)))).collect(),
        }
    })
}

/// The weight of a hypothesis that costs `more` than the best, as a part of [`FULL_WEIGHT`].
pub(crate) fn weight(more: Cost) -> u64 {
    let step = usize::try_from(more.max(0)).unwrap_or(0) / STEP;
    tables().weights.get(step).copied().unwrap_or(0)
}

/// The cost of either of two exclusive events.
pub(crate) fn either(a: Cost, b: Cost) -> Cost {
    let step = usize::try_from((a - b).abs()).unwrap_or(0) / STEP;
    a.min(b) - tables().gains.get(step).copied().unwrap_or(0)
}

/// The natural logarithm of a whole number, in 1/1024 nat.
pub(crate) fn ln_of(n: u32) -> Cost {
    let (mut n, mut more) = (n, 0);
    while n >= 4096 {
        n >>= 1;
        more += 710;
    }
    tables().logs[n as usize] + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_and_sums_are_right_to_a_hundredth_of_a_nat() {
        for n in [1_u32, 2, 17, 4_095, 5_000, 1_000_000] {
            assert!((f64::from(ln_of(n)) / 1024.0 - f64::from(n).ln()).abs() < 0.01);
        }
        let half = cost(0.5);
        assert!((either(half, half)).abs() < 10);
        assert_eq!(either(half, IMPOSSIBLE), half);
        assert!(weight(half).abs_diff(FULL_WEIGHT / 2) < FULL_WEIGHT / 50);
        assert_eq!(weight(IMPOSSIBLE), 0);
    }
}
