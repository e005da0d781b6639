//! Waits that differ from board to board.

/// Between three and five quarters of `whole`: the boards of a hall that lost
/// their hub together do not all come back in the same moment. The same board
/// and attempt always give the same wait.
pub(super) fn jittered(whole: u64, board: &str, attempt: u64) -> u64 {
    let mut seed = crc32fast::Hasher::new();
    seed.update(board.as_bytes());
    seed.update(&attempt.to_le_bytes());
    let spread = whole / 2;
    whole - whole / 4 + u64::from(seed.finalize()) % (spread + 1)
}

#[cfg(test)]
mod tests {
    use super::jittered;

    #[test]
    fn waits_are_spread_by_a_quarter() {
        let waits: Vec<u64> = (0..100)
            .map(|attempt| jittered(1000, "b1", attempt))
            .collect();
        assert!(waits.iter().all(|wait| (750..=1250).contains(wait)));
        assert!(waits.iter().max() > waits.iter().min());
        assert_ne!(jittered(1000, "b1", 0), jittered(1000, "b2", 0));
    }
}
