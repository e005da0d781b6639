//! Moves that a device enters by commands: a scoresheet on a tablet, a robot.
//!
//! The device is the source of the game: its moves count as it enters them. What it enters against
//! the record is a doubt for the arbiter.

use super::{Difference, Game, Source, SourceReport, UnreadablePly};
use crate::{ClockState, Fact, Rejection, rejection::truncated};
use remisd_laws::Ply;
use remisd_vocabulary::{notation, reading::SettledBy, written::Written};

impl Source {
    /// The report of the device `name`, which is the source from now on.
    fn device(&mut self, name: &str) -> &mut SourceReport {
        self.is_device = true;
        self.correction = None;
        let report = self.report.get_or_insert_default();
        if report.name != name {
            name.clone_into(&mut report.name);
        }
        report
    }

    /// The record agrees with the device up to this ply: doubts from there on are void.
    pub(super) fn agrees_up_to(&mut self, ply: Ply) {
        let Some(report) = self.report.as_mut().filter(|_| self.is_device) else {
            return;
        };
        report.unreadable = None;
        let is_void = |difference: &Difference| difference.from >= ply;
        if report.difference.as_ref().is_some_and(is_void) {
            report.difference = None;
        }
    }
}

impl Game {
    /// Whether a game has begun, and goes on as far as the players know.
    pub(crate) fn is_being_played(&self) -> bool {
        self.ply() > 0 && self.is_open_to_players()
    }

    /// A device enters a move, in UCI or SAN, as the ply `ply`.
    ///
    /// The same move again is accepted and changes nothing: the device may have lost the answer.
    pub(crate) fn enter_move(
        &mut self,
        ply: Ply,
        text: &str,
        clock: Option<ClockState>,
        device: &str,
    ) -> Result<Vec<Fact>, Rejection> {
        let next = self.ply() + 1;
        let earlier = ply.checked_sub(1).filter(|_| ply <= next);
        let earlier =
            earlier.ok_or_else(|| Rejection::wrong_state(format!("the next ply is {next}")))?;
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
                return Err(Rejection::bad_value(text));
            }
        };
        if let Some(recorded) = self.record.moves().get(earlier as usize) {
            if recorded.m == m {
                self.source.device(device);
                self.source.agrees_up_to(ply);
                return Ok(Vec::new());
            }
            let text = format!("ply {ply} is {} already", recorded.text.san);
            let uci = Written::new(self.record.uci(m));
            self.source.device(device).difference = Some(Difference {
                from: ply,
                moves: vec![uci],
                plies: ply,
            });
            return Err(Rejection::wrong_state(text));
        }
        if self.is_at_rest() {
            return Err(Rejection::wrong_state("the game is over"));
        }
        self.source.device(device);
        self.source.agrees_up_to(ply);
        Ok(self.make(m, Some(SettledBy::Source), clock))
    }

    /// A device takes back the last ply, which it numbers `ply`.
    pub(crate) fn undo_entered(&mut self, ply: Ply, device: &str) -> Result<Vec<Fact>, Rejection> {
        let earlier = ply.checked_sub(1).filter(|_| ply == self.ply());
        let earlier = earlier
            .ok_or_else(|| Rejection::wrong_state(format!("the last ply is {}", self.ply())))?;
        if self.status().is_closed() || self.outcome.is_abandoned() {
            return Err(Rejection::wrong_state("the game is over"));
        }
        self.source.device(device);
        self.source.agrees_up_to(ply);
        Ok(self.rewrite(earlier, &[]))
    }
}
