//! The engines that the scenarios are told to: one command runs one of them.
//!
//! `HAND_ENGINE=decoder` chooses the decoder, nothing the tracker. What the decoder does not pass
//! yet is listed in `decoder-fails.txt`, and nothing else may be.

use std::{
    collections::BTreeSet,
    env,
    process::{Command, Stdio},
};

use remisd_hand::{Mismatch, Reading, Settings};
use remisd_vocabulary::{sensor::Sensed, time::Millis};
use shakmaty::Chess;

/// How many scenarios are listed. It may only be lowered.
const LISTED: usize = 31;

const CHOICE: &str = "HAND_ENGINE";
/// How many of the decoder's accounts are printed after every event: for whoever tunes it.
const SHOWN: &str = "HAND_SHOW";

/// Either engine, behind the face that both have.
pub enum Engine {
    Tracker(Box<remisd_hand::Tracker>),
    Decoder(Box<remisd_decoder::Tracker>),
}

/// Calls the same method of whichever engine it is.
macro_rules! either {
    ($engine:expr, $method:ident($($argument:expr),*)) => {
        match $engine {
            Engine::Tracker(engine) => engine.$method($($argument),*),
            Engine::Decoder(engine) => engine.$method($($argument),*),
        }
    };
}

impl Engine {
    pub fn new(settings: Settings, position: Chess) -> Self {
        match env::var(CHOICE).as_deref() {
            Ok("decoder") => Self::Decoder(remisd_decoder::Tracker::new(settings, position).into()),
            Ok("tracker") | Err(_) => {
                Self::Tracker(remisd_hand::Tracker::new(settings, position).into())
            }
            Ok(other) => panic!("{CHOICE} is tracker or decoder, not {other}"),
        }
    }

    pub fn sense(&mut self, event: &Sensed, now: Millis) {
        either!(self, sense(event, now));
        let most = env::var(SHOWN).ok().and_then(|most| most.parse().ok());
        if let (Self::Decoder(engine), Some(most)) = (self, most) {
            eprintln!("{now} {event:?}\n{}", engine.show(most));
        }
    }

    pub fn tick(&mut self, now: Millis) {
        either!(self, tick(now));
    }

    pub fn deadline(&self) -> Option<Millis> {
        either!(self, deadline())
    }

    pub fn readings(&mut self) -> Vec<Reading> {
        either!(self, readings())
    }

    pub fn mismatch(&self) -> Option<&Mismatch> {
        either!(self, mismatch())
    }

    pub fn follow(&mut self, position: Chess, now: Millis) {
        either!(self, follow(position, now));
    }

    pub fn rest(&mut self) {
        either!(self, rest());
    }

    pub fn clock_is_reversed(&self) -> bool {
        either!(self, clock_is_reversed())
    }
}

#[test]
fn the_decoder_passes_all_but_those_that_are_listed() {
    let all = Command::new(env::current_exe().expect("it runs"))
        .args(["--skip", "the_decoder_passes_all_but_those_that_are_listed"])
        .env(CHOICE, "decoder")
        .env_remove("RUST_TEST_NOCAPTURE")
        .stderr(Stdio::null())
        .output()
        .expect("it runs again");
    let text = String::from_utf8(all.stdout).expect("names are ASCII");
    let ended = |with: &str| -> BTreeSet<&str> {
        let lines = text.lines().filter_map(|line| line.strip_prefix("test "));
        lines.filter_map(|line| line.strip_suffix(with)).collect()
    };
    let lines = include_str!("decoder-fails.txt").lines();
    let names = lines.filter_map(|line| line.split('#').next().map(str::trim));
    let listed: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    let (passed, failed) = (ended(" ... ok"), ended(" ... FAILED"));
    let worse: Vec<_> = failed.difference(&listed).collect();
    let better: Vec<_> = listed.intersection(&passed).collect();
    let gone: Vec<_> = (listed.iter())
        .filter(|name| !passed.contains(*name) && !failed.contains(*name))
        .collect();
    assert!(!passed.is_empty(), "nothing ran: {text}");
    assert!(gone.is_empty(), "no scenario has these names: {gone:#?}");
    assert!(worse.is_empty(), "these fail now: {worse:#?}");
    assert!(
        better.is_empty(),
        "these pass, take them off the list: {better:#?}"
    );
    assert_eq!(listed.len(), LISTED, "the list may only shrink: lower this");
}
