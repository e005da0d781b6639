//! Passes the seeds of `fuzz/corpus` and their mutations to every reader of outside bytes. `cargo
//! bench --bench fuzz` continues where this stops.

use proptest::{collection::vec, prelude::*, test_runner::TestRunner};

use fastrand::Rng;
use remisd_readers::{
    TARGETS,
    mutation::{mutated, seeds},
    run::{count_panics, survives},
};

/// Mutations per reader; readers that need a file or a connection get fewer.
const MUTATIONS: usize = 4_000;

fn inputs(name: &str) -> usize {
    match name {
        "journal" | "hall" => MUTATIONS / 20,
        _ => MUTATIONS,
    }
}

#[test]
fn every_reader_survives_its_seeds_and_their_mutations() {
    count_panics();
    for target in TARGETS {
        let (name, _) = target;
        let seeds = seeds(name);
        assert!(seeds.len() > 1, "{name} has no seeds");
        let mut understood = 0;
        for (file, bytes) in &seeds {
            assert!(survives(target, bytes), "{file}");
            understood += usize::from((target.1)(bytes) > 0);
        }
        // Mutations of seeds that no reader understands would test nothing.
        assert!(understood > 0, "{name} understands none of its seeds");
        println!(
            "{name}: {understood} of {} seeds are understood",
            seeds.len()
        );
        let mut random = Rng::with_seed(1);
        for number in 0..inputs(name) {
            let bytes = mutated(&seeds, &mut random);
            assert!(
                survives(target, &bytes),
                "{name}, mutation {number}: {bytes:?}"
            );
        }
    }
}

#[test]
fn every_folder_of_seeds_has_its_reader() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus");
    let names = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = names
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, TARGETS.map(|(name, _)| name));
    // Each reader can also be run by cargo fuzz.
    let manifest = include_str!("../../fuzz/Cargo.toml");
    for name in names {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        let file = format!("{folder}/../fuzz_targets/{name}.rs");
        let target = std::fs::read_to_string(file).unwrap();
        assert!(
            target.contains(&format!("remisd_readers::read(\"{name}\", data)")),
            "{name} calls another reader"
        );
    }
}

#[test]
fn every_reader_survives_any_bytes() {
    count_panics();
    for target in TARGETS {
        let (name, _) = target;
        let cases = u32::try_from(inputs(name) / 10).unwrap();
        let config = ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(cases)
        };
        let any = vec(any::<u8>(), 0..600);
        let survived = TestRunner::new(config).run(&any, |bytes| {
            prop_assert!(survives(target, &bytes), "a panic");
            Ok(())
        });
        survived.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
