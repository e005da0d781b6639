//! Every reader of outside bytes, as a function of bytes that must neither panic nor grow without
//! bound.
//!
//! `cargo fuzz` calls them with generated inputs, `tests/fuzz` with the seeds of `fuzz/corpus` and
//! their mutations, and `cargo bench --bench fuzz` with any number of mutations.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by a panic"
)]

mod board;
mod broker;
mod files;
pub mod mutation;
mod pages;
pub mod run;
mod texts;

/// The name of a reader, which is also the name of its seed folder, and the reader. It returns the
/// number of items it understood.
pub type Target = (&'static str, fn(&[u8]) -> usize);

/// All readers.
pub const TARGETS: [Target; 14] = [
    ("clock", board::clock),
    ("command", broker::command),
    ("config", files::config),
    ("dgt_line", board::dgt_line),
    ("entry", files::entry),
    ("fen", texts::fen),
    ("hall", pages::hall),
    ("journal", files::journal),
    ("mirror", broker::mirror),
    ("moves", texts::moves),
    ("names", texts::names),
    ("pgn", texts::pgn),
    ("proof", texts::proof),
    ("url", texts::url),
];

/// Passes bytes to the reader of this name.
pub fn read(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|(known, _)| *known == name);
    let (_, target) = target.expect("a reader has this name");
    target(data);
}

/// Splits off the first line.
fn line(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n');
    end.map_or((data, &[]), |end| (&data[..end], &data[end + 1..]))
}

fn text(data: &[u8]) -> String {
    String::from_utf8_lossy(data).into_owned()
}
