//! Moves that a device enters by commands: a scoresheet on a tablet, a robot.
//!
//! The device is the source of the game: its moves count as it enters them. What it enters against
//! the record is a doubt for the arbiter.

use shakmaty::uci::UciMove;

use super::{Difference, Game, Source, SourceReport, UnreadablePly};
use crate::{ClockState, Fact, Refusal, refusal::truncated};
use remisd_laws::Ply;
use remisd_vocabulary::{notation, reading::SettledBy, written::Written};

/// The most differing plies that are remembered, the lowest ones.
const DIFFERING: usize = 64;

impl Source {
    /// The report of the device `name`, which is the source from now on.
    fn device(&mut self, name: &str) -> &mut SourceReport {
        if !self.is_device {
            self.is_device = true;
            self.correction = None;
            self.report = None;
        }
        let report = self.report.get_or_insert_default();
        if report.name != name {
            name.clone_into(&mut report.name);
        }
        report
    }

    /// The device has another move for a recorded ply.
    fn device_differs(&mut self, device: &str, ply: Ply, uci: UciMove) {
        self.device(device);
        self.differing.insert(ply, uci);
        if self.differing.len() > DIFFERING {
            self.differing.pop_last();
        }
        self.show_difference();
    }

    /// The device has the recorded move for a ply.
    fn device_agrees(&mut self, device: &str, ply: Ply) {
        let report = self.device(device);
        report.missing = None;
        if (report.unreadable.as_ref()).is_some_and(|unreadable| unreadable.ply == ply) {
            report.unreadable = None;
        }
        self.differing.remove(&ply);
        self.show_difference();
    }

    /// The record has changed from this ply on: what the device had against it is void.
    pub(super) fn device_forgets(&mut self, from: Ply) {
        let Some(report) = self.report.as_mut().filter(|_| self.is_device) else {
            return;
        };
        report.missing = None;
        report.unreadable = None;
        self.differing.split_off(&from);
        self.show_difference();
    }

    /// Reports the lowest ply for which the device has another move.
    fn show_difference(&mut self) {
        let Some(report) = &mut self.report else {
            return;
        };
        let lowest = self.differing.first_key_value();
        report.difference = lowest.map(|(ply, uci)| Difference {
            from: *ply,
            moves: vec![Written::new(*uci)],
            plies: *ply,
        });
    }
}

impl Game {
    /// A device enters a move, in UCI or SAN, as the ply `ply`.
    ///
    /// The same move again is accepted and changes nothing: the device may have lost the answer.
    pub(crate) fn enter_move(
        &mut self,
        ply: Ply,
        text: &str,
        clock: Option<ClockState>,
        device: &str,
    ) -> Result<Vec<Fact>, Refusal> {
        let next = self.ply() + 1;
        let Some(earlier) = ply.checked_sub(1) else {
            return Err(Refusal::bad_value("plies are counted from 1"));
        };
        if ply >= next {
            self.must_be_open_to_players()?;
        }
        if ply > next {
            self.source.device(device).missing = Some(next);
            return Err(Refusal::wrong_state(format!("the next ply is {next}")));
        }
        let before = self.record.replayed(earlier);
        let m = match notation::parse_move(text, before.position()) {
            Ok(m) => m,
            Err(error) => {
                let text = truncated(text);
                self.source.device(device).unreadable = Some(UnreadablePly {
                    ply,
                    text: text.clone(),
                    reason: error.to_string(),
                });
                let text = format!("ply {ply}, \"{text}\": {error}");
                return Err(Refusal::bad_value(text));
            }
        };
        if let Some(recorded) = self.record.moves().get(earlier as usize) {
            if recorded.m == m {
                self.source.device_agrees(device, ply);
                return Ok(Vec::new());
            }
            let text = format!("ply {ply} is {} already", recorded.text.san);
            let uci = self.record.uci(m);
            self.source.device_differs(device, ply, uci);
            return Err(Refusal::wrong_state(text));
        }
        self.source.device_agrees(device, ply);
        Ok(self.make(m, Some(SettledBy::Source), clock))
    }

    /// A device takes back the last ply, which it numbers `ply`.
    pub(crate) fn undo_entered(&mut self, ply: Ply, device: &str) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        let earlier = ply.checked_sub(1).filter(|_| ply == self.ply());
        let earlier = earlier
            .ok_or_else(|| Refusal::wrong_state(format!("the last ply is {}", self.ply())))?;
        self.source.device(device);
        self.source.device_forgets(ply);
        Ok(self.rewrite(earlier, &[]))
    }
}
