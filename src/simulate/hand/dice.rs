//! Random numbers that are the same on every machine and in every version.

/// A random number generator (`SplitMix64`).
///
/// It is not `fastrand`, because published figures and the `--seed` of users name seeds. Another
/// generator would play other games under the same seed.
#[derive(Debug, Clone)]
pub(in crate::simulate) struct Dice(u64);

impl Dice {
    /// Creates a generator that yields the same sequence for the same `seed`.
    pub(in crate::simulate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub(in crate::simulate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a time between `least` and `most` milliseconds, in microseconds.
    pub(in crate::simulate) const fn ms(&mut self, (least, most): (u64, u64)) -> u64 {
        least * 1000 + self.next() % ((most - least) * 1000)
    }

    /// Like [`Self::ms`], but most often near `least`.
    pub(in crate::simulate) fn ms_skewed(&mut self, (least, most): (u64, u64)) -> u64 {
        let product = self.next() % 1000 * (self.next() % 1000);
        least * 1000 + (most - least) * product / 1000
    }

    /// Returns true with a probability of `per_10_000` in ten thousand.
    pub(in crate::simulate) fn chance(&mut self, per_10_000: u16) -> bool {
        self.next() % 10_000 < u64::from(per_10_000)
    }

    /// Returns an index into `weights`, each as likely as its weight; 0 if all are zero.
    pub(in crate::simulate) fn weigh(&mut self, weights: &[u16]) -> usize {
        let all: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut fallen = self.next() % all.max(1);
        for (index, &weight) in weights.iter().enumerate() {
            let weight = u64::from(weight);
            if fallen < weight {
                return index;
            }
            fallen -= weight;
        }
        0
    }

    /// Returns one of `items`; `None` if there are none.
    pub(in crate::simulate) fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let index = self.next() % (items.len() as u64).max(1);
        items.get(usize::try_from(index).unwrap_or(0)).copied()
    }

    /// Shuffles `items`.
    pub(in crate::simulate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let chosen = self.next() % (last as u64 + 1);
            // Below the length of a slice, so it fits.
            items.swap(last, usize::try_from(chosen).unwrap_or(last));
        }
    }
}
