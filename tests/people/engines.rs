//! The engines that are judged. Another one is one line in [`ENGINES`] and an adapter.

use crate::Millis;
use remisd_hand::{MismatchReason, Reading, Settings, SettledBy, Tracker};
use remisd_vocabulary::{sensor::Sensed, time::Moment};
use shakmaty::Chess;

use crate::judge::{Engine, Report};

/// Makes an engine.
pub type Make = fn() -> Box<dyn Engine>;

/// All engines, by name.
pub const ENGINES: &[(&str, Make)] = &[("hand", || Box::new(HandEngine::default()))];

/// `remisd_hand` with its default settings.
#[derive(Debug)]
pub struct HandEngine(Tracker);

impl Default for HandEngine {
    fn default() -> Self {
        Self(Tracker::new(Settings::default(), Chess::default()))
    }
}

impl Engine for HandEngine {
    fn follow(&mut self, position: &Chess, now: Millis) {
        if !self.0.follows(position) {
            self.0.follow(position.clone(), Moment::from_millis(now));
        }
    }

    fn rest(&mut self, _now: Millis) {
        self.0.close();
    }

    fn sense(&mut self, sensed: &Sensed, now: Millis) {
        self.0.sense(sensed, Moment::from_millis(now));
    }

    fn tick(&mut self, now: Millis) {
        self.0.tick(Moment::from_millis(now));
    }

    fn deadline(&self) -> Option<Millis> {
        self.0.deadline().map(Moment::as_millis)
    }

    fn readings(&mut self) -> Vec<Report> {
        reports(self.0.readings())
    }
}

/// What these readings say of the record.
#[must_use]
pub fn reports(readings: Vec<Reading>) -> Vec<Report> {
    readings.into_iter().filter_map(reported).collect()
}

fn reported(reading: Reading) -> Option<Report> {
    match reading {
        Reading::Settled(settled) => Some(Report::Move {
            m: settled.m,
            doubtful: matches!(settled.by, SettledBy::Reconstructed | SettledBy::Assumed),
        }),
        Reading::Revised { now } => Some(Report::Replaced(now)),
        Reading::Withdrawn => Some(Report::Withdrawn),
        Reading::Mismatch(mismatch) => Some(Report::Doubt {
            plies: mismatch.doubted,
            why: match mismatch.reason {
                MismatchReason::NoLegalMove => "no legal move",
                MismatchReason::PawnNotPromoted => "pawn not promoted",
                MismatchReason::PieceMissing => "piece missing",
                MismatchReason::Ambiguous => "ambiguous",
                MismatchReason::EarlierPosition => "earlier position",
                MismatchReason::StartArray => "wrong starting position",
            },
        }),
        Reading::Agreed => Some(Report::Certain),
        Reading::NewGame => Some(Report::NewGame),
        Reading::Proposed(_) => Some(Report::Result),
        // Neither says anything of the record.
        Reading::Touched { .. } | Reading::Faulty(_) | Reading::Unsettled(_) => None,
    }
}
