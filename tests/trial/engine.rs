//! The two engines that can read a game, behind one face.

use remisd_hand::{Mismatch, Reading, Settings};
use remisd_vocabulary::{sensor::Sensed, time::Millis};
use shakmaty::{Chess, Move};

/// Which engine reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// `remisd_hand`: rules and costs.
    #[default]
    Old,
    /// `remisd_decoder`: one model and one beam.
    Decoder,
}

impl Engine {
    pub const ALL: [Self; 2] = [Self::Old, Self::Decoder];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::Decoder => "decoder",
        }
    }
}

/// An engine that follows a game.
pub enum Reader {
    Old(Box<remisd_hand::Tracker>),
    Decoder(Box<remisd_decoder::Tracker>),
}

macro_rules! both {
    ($reader:expr, $tracker:ident => $call:expr) => {
        match $reader {
            Self::Old($tracker) => $call,
            Self::Decoder($tracker) => $call,
        }
    };
}

impl Reader {
    pub fn new(engine: Engine, settings: Settings, start: Chess) -> Self {
        match engine {
            Engine::Old => Self::Old(Box::new(remisd_hand::Tracker::new(settings, start))),
            Engine::Decoder => {
                Self::Decoder(Box::new(remisd_decoder::Tracker::new(settings, start)))
            }
        }
    }

    pub fn sense(&mut self, sensed: &Sensed, now: Millis) {
        both!(self, tracker => tracker.sense(sensed, now));
    }

    pub fn tick(&mut self, now: Millis) {
        both!(self, tracker => tracker.tick(now));
    }

    pub fn deadline(&self) -> Option<Millis> {
        both!(self, tracker => tracker.deadline())
    }

    pub fn readings(&mut self) -> Vec<Reading> {
        both!(self, tracker => tracker.readings())
    }

    pub fn mismatch(&self) -> Option<&Mismatch> {
        both!(self, tracker => tracker.mismatch())
    }

    pub fn clock_is_reversed(&self) -> bool {
        both!(self, tracker => tracker.clock_is_reversed())
    }

    pub fn rest(&mut self) {
        both!(self, tracker => tracker.rest());
    }

    /// The cheapest lines that it weighs.
    pub fn weighed(&self) -> Vec<(u32, Vec<Move>)> {
        let Self::Old(tracker) = self else {
            return Vec::new();
        };
        let lines = tracker.hypotheses().iter().map(|known| known.line.clone());
        let mut weighed: Vec<(u32, Vec<Move>)> = tracker.costs().into_iter().zip(lines).collect();
        weighed.sort_by_key(|(cost, _)| *cost);
        weighed.truncate(5);
        weighed
    }

    /// What the decoder holds possible, as text.
    pub fn accounts(&self) -> Option<String> {
        match self {
            Self::Old(_) => None,
            Self::Decoder(tracker) => Some(tracker.show(8)),
        }
    }
}
