use super::*;

#[test]
fn waits_are_spread_by_a_quarter() {
    let waits: Vec<u64> = (0..100)
        .map(|attempt| jittered(1000, "b1", attempt))
        .collect();
    assert!(waits.iter().all(|wait| (750..=1250).contains(wait)));
    assert!(waits.iter().max() > waits.iter().min());
    assert_ne!(jittered(1000, "b1", 0), jittered(1000, "b2", 0));
}
