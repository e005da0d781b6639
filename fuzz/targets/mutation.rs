//! Seeds and their mutations.

use std::{fs, path::Path};

/// The size limit of a mutated input.
const LONGEST: usize = 32 * 1024;

/// `SplitMix64`.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`, which must not be 0.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let end = u64::try_from(end).expect("it fits");
        usize::try_from((z ^ (z >> 31)) % end).expect("it fits")
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).expect("it fits")
    }
}

/// The seeds of a reader, sorted by name.
pub fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
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
pub fn mutated(seeds: &[(String, Vec<u8>)], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].1.clone();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let to = at + random.below((bytes.len() - at).min(40) + 1);
        match random.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = random.byte(),
            2 => drop(bytes.drain(at..to)),
            3 => {
                let again = bytes[at..to].to_vec();
                let place = random.below(bytes.len() + 1);
                drop(bytes.splice(place..place, again));
            }
            4 => {
                let word = WORDS[random.below(WORDS.len())];
                drop(bytes.splice(at..to, word.iter().copied()));
            }
            5 => {
                let other = &seeds[random.below(seeds.len())].1;
                let from = random.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            6 => bytes.truncate(at),
            7 => {
                let times = 1 << random.below(11);
                let part = bytes[at..to].repeat(times);
                drop(bytes.splice(at..at, part));
            }
            _ => bytes.insert(at, random.byte()),
        }
        bytes.truncate(LONGEST);
    }
    bytes
}
