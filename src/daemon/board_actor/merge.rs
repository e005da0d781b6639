//! Merges a board with its record on a disk that was missing when the daemon started.
//!
//! If nothing that counts has happened meanwhile, the game on the disk continues as after any
//! restart, and the board shows how far it has come. If moves were made or commands given, both
//! games are kept, each in its own segment.

use tokio::sync::mpsc;

use super::{
    super::{
        backlog,
        record::{Merge, PublicReplay},
        solver::SolverAnswer,
        topics::EntryTime,
    },
    BoardActor,
};
use crate::publish::numbering::Seqs;
use remisd_game::{Game, Input};

impl BoardActor {
    /// Merges with the record on the disk if it was just found.
    pub(super) async fn merge_with_disk(&mut self, answers: &mpsc::Sender<SolverAnswer>) {
        if !self.record.is_offline() {
            return;
        }
        let meanwhile = Box::new(self.record.game().clone());
        let at = self.clock.monotonic();
        let (topics, line) = (&mut self.topics, &self.line);
        // To consumers a greater number is newer, and the numbers of the game without a disk were
        // published.
        let published = Seqs::of(&meanwhile);
        let delay = topics.public_delay();
        let show = |game: &Game, time, age| {
            let moment = EntryTime {
                seqs: Seqs::of(game).max(&published),
                time,
                at,
                age,
            };
            topics.replay(game, line, &moment);
        };
        let public = PublicReplay { delay, show };
        let merge = self.record.merge_with_disk(public);
        let Some((merge, found)) = merge else {
            return;
        };
        self.record.flush().await;
        let reader = self.record.reader().clone();
        backlog::register_board(&self.publisher, reader, &self.board, found).await;
        match merge {
            Merge::Appended(left) => {
                for lost in self.record.take_unreported_losses() {
                    self.write(lost).await;
                }
                if let Some(left) = left {
                    self.write(Input::MergedWithDisk { left }).await;
                }
            }
            Merge::Discarded => {
                // Their numbers are skipped.
                self.topics.output().forget_events();
                let counted = self.record.game().numbers().operator;
                self.topics.output().set_operator_seq(counted);
                self.alive = None;
                self.pending = None;
                self.take_over(&meanwhile, answers).await;
            }
        }
    }

    /// Records in the continued game what the daemon has learned since it started.
    async fn take_over(&mut self, meanwhile: &Game, answers: &mpsc::Sender<SolverAnswer>) {
        // Differences of the board were recorded in the other game, even if this one has the same
        // position.
        self.begin(true, answers).await;
        // The outage of the disk is part of the record.
        let down = meanwhile.journal_down().cloned();
        self.put(Input::Journal { down }).await;
        if let Some(orientation) = meanwhile.orientation() {
            let clock_reversed = self.tracker.clock_is_reversed();
            self.write(Input::Orientation {
                orientation,
                clock_reversed,
            })
            .await;
        }
        if let Some(link) = meanwhile.link() {
            let down = link.as_ref().err();
            let input = Input::Link {
                up: down.is_none(),
                code: down.and_then(|down| down.code),
                reason: down.map(|down| down.reason.clone()),
            };
            self.write(input).await;
        }
        let conflict = meanwhile.broker_conflict().clone();
        if !conflict.is_none() {
            self.write(Input::Broker { conflict }).await;
        }
        let silent = meanwhile.silent_phones().to_vec();
        if !silent.is_empty() {
            self.write(Input::Phones { silent }).await;
        }
        // Not the last recorded times: the clock has run since.
        self.record_clock().await;
    }
}
