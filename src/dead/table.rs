//! A set of positions that remembers the order of insertion.

use std::hint::black_box;

use super::packed::Packed;

/// A hash table that numbers positions from 0 in the order of insertion.
pub(super) struct PositionTable {
    keys: Vec<Packed>,
    /// Below, the number of a position + 1; above, some bits of its hash. 0 is a free slot.
    slots: Vec<u32>,
}

/// The largest budget a table supports. It can number a few more positions, since its users check
/// the budget only after all moves of a position.
pub(super) const MOST: u32 = (1 << NUMBER_BITS) - 1_024;

const NUMBER_BITS: u32 = 24;
const NUMBER: u32 = (1 << NUMBER_BITS) - 1;
/// The number of slots from which prefetching pays.
const LARGE: usize = 1 << 16;
const FEWEST_SLOTS: usize = 1_024;

impl PositionTable {
    pub fn new() -> Self {
        Self {
            keys: Vec::with_capacity(FEWEST_SLOTS / 2),
            slots: vec![0; FEWEST_SLOTS],
        }
    }

    pub fn len(&self) -> u32 {
        u32::try_from(self.keys.len()).unwrap_or(u32::MAX)
    }

    pub fn get(&self, number: u32) -> Option<Packed> {
        self.keys.get(number as usize).copied()
    }

    pub fn keys(&self) -> &[Packed] {
        &self.keys
    }

    /// Prefetches the slots of several positions together: a large table exceeds the processor's
    /// caches, and sequential accesses would each wait for memory.
    pub fn prepare(&self, keys: &[(Packed, u64)]) {
        if self.slots.len() < LARGE {
            return;
        }
        let mut sum = 0;
        for (_, hash) in keys {
            sum ^= self.slots[self.home(*hash)];
        }
        black_box(sum);
        let mut sum = 0;
        for (_, hash) in keys {
            let slot = self.slots[self.home(*hash)];
            if slot != 0 && slot & !NUMBER == tag(*hash) {
                sum ^= self.keys[(slot & NUMBER) as usize - 1].mix();
            }
        }
        black_box(sum);
    }

    /// Inserts a position. Returns its number if it was already present. The caller must respect
    /// [`MOST`].
    pub fn insert(&mut self, key: Packed) -> Option<u32> {
        self.insert_hashed(key, key.mix())
    }

    /// Inserts a position whose [`Packed::mix`] is already known.
    pub fn insert_hashed(&mut self, key: Packed, hash: u64) -> Option<u32> {
        if self.keys.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let tag = tag(hash);
        let mut at = self.home(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                self.keys.push(key);
                self.slots[at] = self.len() | tag;
                return None;
            }
            let number = (slot & NUMBER) - 1;
            if slot & !NUMBER == tag && self.keys[number as usize] == key {
                return Some(number);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        let mask = self.slots.len() - 1;
        for (key, number) in self.keys.iter().zip(1_u32..) {
            let hash = key.mix();
            let mut at = self.home(hash);
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = number | tag(hash);
        }
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "only the low bits are needed"
    )]
    const fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }
}

/// The upper bits, which distinguish most positions in a run of slots.
#[allow(
    clippy::cast_possible_truncation,
    reason = "only the high bits are needed"
)]
const fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32 & !NUMBER
}
