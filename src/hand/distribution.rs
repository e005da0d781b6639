//! Distributions of durations: the density of an end at a time, and the survival until then.

use super::cost::{Cost, cost, exp, ln};

/// The distribution of a duration.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Distribution {
    /// A mixture of log-logistic distributions: weight, median in ms, shape. The second field is
    /// the blur in ms, because both ends of the duration are reported with the delay of a scan.
    Mixture(&'static [(f64, f64, f64)], f64),
    /// The rest of a scan, after another square that changed at the same moment was reported. Its
    /// fields: the length in ms, the chance of a lost change, the mean time in ms until a lost
    /// change is reported. The last one is the floor of density and survival.
    Scan(f64, f64, f64, (f64, f64)),
}

/// Times below this have one bucket per millisecond. Above it, every doubling has 32 buckets.
const EXACT: u32 = 64;
const OCTAVES: u32 = 17;

fn bucket(ms: u64) -> usize {
    let ms = u32::try_from(ms)
        .unwrap_or(u32::MAX)
        .min((EXACT << OCTAVES) - 1);
    if ms < EXACT {
        return ms as usize;
    }
    let exponent = ms.ilog2();
    let mantissa = (ms >> (exponent - 5)) & 31;
    (EXACT + (exponent - 6) * 32 + mantissa) as usize
}

fn time(bucket: u32) -> f64 {
    if bucket < EXACT {
        return f64::from(bucket) + 0.5;
    }
    let (octave, mantissa) = ((bucket - EXACT) / 32, (bucket - EXACT) % 32);
    f64::from((32 + mantissa) << octave) * 2.0 + f64::from(1_u32 << octave)
}

/// The costs of a distribution at every time, in fixed point.
#[derive(Debug)]
pub(crate) struct DurationCosts {
    density: Box<[Cost]>,
    survival: Box<[Cost]>,
}

impl DurationCosts {
    pub(crate) fn new(law: Distribution) -> Self {
        let buckets = EXACT + OCTAVES * 32;
        let of = |value: &dyn Fn(f64) -> f64| (0..buckets).map(|b| cost(value(time(b)))).collect();
        Self {
            density: of(&|t| law.density(t)),
            survival: of(&|t| law.survival(t)),
        }
    }

    /// The cost of an end after `ms`, per millisecond.
    pub(crate) fn density(&self, ms: u64) -> Cost {
        self.density[bucket(ms)]
    }

    /// The cost of no end within `ms`.
    pub(crate) fn survival(&self, ms: u64) -> Cost {
        self.survival[bucket(ms)]
    }
}

impl Distribution {
    fn density(self, t: f64) -> f64 {
        match self {
            Self::Mixture(parts, blur) => blurred(blur, |u| {
                (parts.iter())
                    .map(|&(weight, median, shape)| {
                        let t = t + u;
                        if t <= 0.0 {
                            return 0.0;
                        }
                        let power = exp(shape * ln(t / median));
                        weight * shape / t * power / ((1.0 + power) * (1.0 + power))
                    })
                    .sum()
            }),
            Self::Scan(scan, lost, mean, floor) => {
                let left = (1.0 - t / scan).max(0.0);
                (1.0 - lost) * left / scan + lost * exp(-t / mean) / mean + floor.0
            }
        }
    }

    fn survival(self, t: f64) -> f64 {
        match self {
            Self::Mixture(parts, blur) => blurred(blur, |u| {
                (parts.iter())
                    .map(|&(weight, median, shape)| {
                        let t = (t + u).max(0.001);
                        weight / (1.0 + exp(shape * ln(t / median)))
                    })
                    .sum()
            }),
            Self::Scan(scan, lost, mean, floor) => {
                let left = (1.0 - t / scan).max(0.0);
                (1.0 - lost) * left * left + lost * exp(-t / mean) + floor.1
            }
        }
    }
}

/// The mean of a function under a triangle of this half width.
fn blurred(blur: f64, value: impl Fn(f64) -> f64) -> f64 {
    const HALF: i32 = 6;
    let points = (-HALF..=HALF).map(|point| {
        let weight = f64::from(HALF + 1 - point.abs());
        (weight, value(blur * f64::from(point) / f64::from(HALF + 1)))
    });
    let (weights, sum) = points.fold((0.0, 0.0), |(weights, sum), (weight, value)| {
        (weights + weight, sum + weight * value)
    });
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_their_times() {
        for ms in [0_u64, 1, 63, 64, 65, 127, 128, 1_000, 60_000, 1 << 40] {
            let bucket = u32::try_from(bucket(ms)).expect("small");
            let known = f64::from(u32::try_from(ms.min(8_000_000)).expect("small"));
            assert!((time(bucket) - known).abs() <= 1.0 + known * 0.05, "{ms}");
        }
    }

    #[test]
    fn a_density_adds_up_to_what_no_longer_survives() {
        let law = Distribution::Mixture(&[(0.7, 300.0, 3.0), (0.3, 1_000.0, 1.5)], 100.0);
        let table = DurationCosts::new(law);
        let ended: f64 = (0..2_000)
            .map(|ms| (-f64::from(table.density(ms)) / 1024.0).exp())
            .sum();
        let survives = (-f64::from(table.survival(2_000)) / 1024.0).exp();
        assert!((ended + survives - 1.0).abs() < 0.03, "{ended} {survives}");
    }
}
