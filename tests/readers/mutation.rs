//! Seeds and their mutations.

use std::{fs, path::Path};

use fastrand::Rng;

/// The size limit of a mutated input.
const LONGEST: usize = 32 * 1024;

/// The seeds of a reader, sorted by name.
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let files =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let path = file.expect("a folder can be read").path();
            (
                path.display().to_string(),
                fs::read(&path).expect("a seed can be read"),
            )
        })
        .collect();
    seeds.sort();
    seeds
}

/// Numbers and symbols that often break parsers.
const WORDS: [&[u8]; 22] = [
    b"0",
    b"-1",
    b"255",
    b"256",
    b"65536",
    b"4294967296",
    b"18446744073709551615",
    b"1e400",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\n",
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\\ud800",
    b"/",
    b"null",
    b"%00",
];

/// A mutation of one of the seeds.
pub fn mutated(seeds: &[(String, Vec<u8>)], random: &mut Rng) -> Vec<u8> {
    let mut bytes = seeds[random.usize(..seeds.len())].1.clone();
    for _ in 0..=random.usize(..6) {
        let at = random.usize(..=bytes.len());
        let to = at + random.usize(..=(bytes.len() - at).min(40));
        match random.usize(..9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.usize(..8),
            1 if at < bytes.len() => bytes[at] = random.u8(..),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let again = bytes[at..to].to_vec();
                let place = random.usize(..=bytes.len());
                drop(bytes.splice(place..place, again));
            }
            4 => {
                let word = WORDS[random.usize(..WORDS.len())];
                drop(bytes.splice(at..to, word.iter().copied()));
            }
            5 => {
                let other = &seeds[random.usize(..seeds.len())].1;
                let from = random.usize(..=other.len());
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            6 => bytes.truncate(at),
            7 => {
                let times = 1 << random.usize(..11);
                let part = bytes[at..to].repeat(times);
                drop(bytes.splice(at..at, part));
            }
            _ => bytes.insert(at, random.u8(..)),
        }
        bytes.truncate(LONGEST);
    }
    bytes
}
