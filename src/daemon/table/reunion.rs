//! The disk, which was not there when the daemon started, has come with the board's record.
//!
//! Two things may have happened meanwhile. Nothing that counts: then the game on the disk is
//! taken up as after any restart, and the board shows how far it has come. Or moves were made,
//! or somebody has commanded something: then both games are kept, each in its own segment.

use tokio::sync::mpsc;

use super::{
    super::{backlog, record::Reunited, showcase::Moment, solver::Answer},
    Table,
};
use crate::publish::numbering::Seqs;
use remisd_game::{Game, Input};

impl Table {
    /// Takes up the record on the disk, if it has just been found.
    pub(super) async fn reunite(&mut self, answers: &mpsc::Sender<Answer>) {
        if !self.record.is_apart() {
            return;
        }
        let meanwhile = Box::new(self.record.game().clone());
        let at = self.clock.monotonic_ms();
        let (showcase, line) = (&mut self.showcase, &self.line);
        // A greater number is newer to whoever listens, and those of the game that was begun
        // without the disk were told.
        let told = Seqs::of(&meanwhile);
        let reunited = self.record.reunite(|game: &Game, time, age_ms| {
            let moment = Moment {
                seqs: Seqs::of(game).max(&told),
                time,
                at,
                age_ms,
            };
            showcase.show_public(game, line, &moment);
        });
        let Some((reunited, found)) = reunited else {
            return;
        };
        self.record.hand_over().await;
        let reader = self.record.reader().clone();
        backlog::make_known(&self.publisher, reader, &self.board, found).await;
        match reunited {
            Reunited::GoesOn(left) => {
                for lost in self.record.take_unreported_losses() {
                    self.write(lost).await;
                }
                if let Some(left) = left {
                    self.write(Input::Reunited { left }).await;
                }
            }
            Reunited::TakenUp => {
                // Their numbers are passed over.
                self.showcase.outlet().forget_events();
                let counted = self.record.game().numbers().operator;
                self.showcase.outlet().recorded_for_operators(counted);
                self.alive = None;
                self.pending = None;
                self.take_over(&meanwhile, answers).await;
            }
        }
    }

    /// Tells the game that was taken up what is known since the daemon has started.
    async fn take_over(&mut self, meanwhile: &Game, answers: &mpsc::Sender<Answer>) {
        // How the board differs was told of the game before, also where this one stands the same.
        self.begin(true, answers).await;
        // That the disk was away is part of the record.
        let down = meanwhile.journal_down().cloned();
        self.put(Input::Journal { down }).await;
        if let Some(orientation) = meanwhile.orientation() {
            self.write(Input::Orientation { orientation }).await;
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
        // Not what was news of the clock last: it has run since.
        self.take_the_time().await;
    }
}
