//! Feeds mutated seeds to every reader of bytes from outside.
//!
//! `cargo bench --bench fuzz -- [INPUTS] [SEED] [READER…]` gives this many inputs (by default a
//! million) to all readers together, or to the named ones. Readers that need a file or a connection
//! get a hundredth of the others' share. It ends with an error at the first input that makes a
//! reader panic, and writes that input to `target/fuzz-<reader>`. `cargo fuzz` finds new paths by
//! itself; see fuzz/README.md.

use std::{fs, process::ExitCode};

use fastrand::Rng;
use remisd_readers::{
    TARGETS, Target,
    mutation::{mutated, seeds},
    run::{count_panics, survives},
};
use tokio::time::Instant;

/// Returns a reader's share of the inputs, relative to 100 for most readers.
fn share(name: &str) -> u64 {
    if matches!(name, "journal" | "hall") {
        1
    } else {
        100
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut numbers = words.iter().filter_map(|word| word.parse::<u64>().ok());
    let wanted = numbers.next().unwrap_or(1_000_000);
    let seed = numbers.next().unwrap_or(1);
    let named = |target: &Target| words.iter().any(|word| word == target.0);
    let chosen: Vec<Target> = TARGETS.into_iter().filter(named).collect();
    let chosen = if chosen.is_empty() {
        TARGETS.to_vec()
    } else {
        chosen
    };
    let shares: u64 = chosen.iter().map(|(name, _)| share(name)).sum();
    count_panics();
    let mut all = 0;
    for target in chosen {
        let (name, _) = target;
        let inputs = (wanted * share(name)).div_ceil(shares);
        let (seeds, mut random, begun) = (seeds(name), Rng::with_seed(seed), Instant::now());
        for number in 0..inputs {
            let bytes = mutated(&seeds, &mut random);
            if !survives(target, &bytes) {
                let file = format!("{}/target/fuzz-{name}", env!("CARGO_MANIFEST_DIR"));
                let written = fs::write(&file, &bytes);
                println!("{name} fails on input {number} of seed {seed}: {file} {written:?}");
                return ExitCode::FAILURE;
            }
        }
        all += inputs;
        println!(
            "{name:>10}: {inputs:>9} inputs in {:.0} s",
            begun.elapsed().as_secs_f64()
        );
    }
    println!("{all} inputs, no panic");
    ExitCode::SUCCESS
}
