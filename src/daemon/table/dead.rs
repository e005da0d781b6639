//! Who can still mate: questions to the solver, and its answers as inputs.

use tokio::sync::mpsc;

use super::{
    super::solver::{Answer, Asked, Pending},
    Table,
};
use crate::{
    dead::Verdict,
    game::{Game, Input},
    time::Millis,
};

impl Table {
    pub(super) async fn answered(&mut self, found: Answer, answers: &mpsc::Sender<Answer>) {
        let Answer {
            asked,
            verdict,
            can_mate,
        } = found;
        let Asked { ply, position } = asked;
        let current = |game: &Game| asked == asked_now(game);
        let game = self.record.game();
        // That a game goes on is no news worth a line in the journal.
        if current(game) && verdict != Verdict::Alive && game.dead().is_none() {
            let input = Input::Dead {
                ply,
                position,
                verdict,
            };
            self.found(input, answers).await;
        }
        let game = self.record.game();
        if let Some(can_mate) = can_mate.filter(|_| current(game) && game.wants_winnability()) {
            let input = Input::Winnability {
                ply,
                position,
                can_mate,
            };
            self.found(input, answers).await;
        }
    }

    async fn found(&mut self, input: Input, answers: &mpsc::Sender<Answer>) {
        let written = self.write(input).await;
        self.heed(&written.facts, answers);
    }

    /// Asks who can still mate when something depends on it, until there is an answer.
    pub(super) fn ask_winnability(&mut self, now: Millis, answers: &mpsc::Sender<Answer>) {
        let game = self.record.game();
        if !game.wants_winnability() {
            self.pending = None;
            return;
        }
        let asked = asked_now(game);
        if self
            .pending
            .is_some_and(|pending| pending.covers(asked, now))
        {
            return;
        }
        let position = game.position();
        let taken = self.solver.ask(&self.board, asked, position, true, answers);
        self.pending = Some(Pending::new(asked, taken, now));
    }

    /// Asks whether the position on the board is dead, unless the game is over already.
    pub(super) fn ask_solver(&self, answers: &mpsc::Sender<Answer>) {
        let game = self.record.game();
        if game.ended().is_none() {
            self.solver.ask(
                &self.board,
                asked_now(game),
                game.position(),
                false,
                answers,
            );
        }
    }
}

fn asked_now(game: &Game) -> Asked {
    Asked {
        ply: game.ply(),
        position: game.position_seq(),
    }
}
