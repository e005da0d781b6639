//! Which side can still mate: questions to the solver, and its answers as inputs.

use tokio::sync::mpsc;

use super::{
    super::solver::{AskedPosition, Pending, SolverAnswer},
    BoardActor,
};
use remisd_dead::Verdict;
use remisd_game::{Game, Input};
use remisd_vocabulary::time::Moment;

impl BoardActor {
    pub(super) async fn answered(
        &mut self,
        found: SolverAnswer,
        answers: &mpsc::Sender<SolverAnswer>,
    ) {
        let SolverAnswer {
            asked,
            verdict,
            since,
            proofs,
            can_mate,
        } = found;
        let AskedPosition { ply, position } = asked;
        let current = |game: &Game| asked == asked_now(game);
        let game = self.record.game();
        if current(game) && verdict == Verdict::Alive {
            self.alive = Some(ply);
        }
        // Everybody sees a stalemate; the only news would be that the game was over earlier.
        let is_seen = since == ply && game.is_over_on_the_board();
        if current(game) && !is_seen && is_news(game.dead(), verdict) {
            let input = Input::Dead {
                ply,
                position,
                verdict,
                since: Some(since).filter(|since| *since != ply),
                proofs: proofs.map(Box::new),
            };
            self.found(input, answers).await;
        }
        let game = self.record.game();
        if let Some(can_mate) = can_mate.filter(|can| current(game) && game.learns_from(*can)) {
            let input = Input::Winnability {
                ply,
                position,
                can_mate,
            };
            self.found(input, answers).await;
        }
    }

    async fn found(&mut self, input: Input, answers: &mpsc::Sender<SolverAnswer>) {
        let written = self.write(input).await;
        self.on_facts(&written.facts, answers);
    }

    /// Asks which side can still mate while something depends on it, until there is an answer.
    pub(super) fn ask_winnability(&mut self, now: Moment, answers: &mpsc::Sender<SolverAnswer>) {
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
        let taken = self.ask(asked, true, answers);
        self.pending = Some(Pending::new(asked, taken, now));
    }

    /// Asks whether the position on the board is dead, while the answer can change how the game has
    /// ended.
    pub(super) fn ask_solver(&mut self, answers: &mpsc::Sender<SolverAnswer>) {
        let game = self.record.game();
        if game.may_have_died() {
            let asked = asked_now(game);
            let both = game.wants_winnability();
            self.ask(asked, both, answers);
        }
    }

    /// Asks about the position on the board and about earlier ones that were not examined.
    fn ask(
        &mut self,
        asked: AskedPosition,
        both: bool,
        answers: &mpsc::Sender<SolverAnswer>,
    ) -> bool {
        let first = self.alive.map_or(0, |alive| alive.saturating_add(1));
        let positions = self.record.game().positions_from(first);
        self.solver.ask(asked, positions, both, answers)
    }
}

/// Returns whether a verdict is worth an entry. That a position is alive is not, unless it was
/// unknown before.
const fn is_news(before: Option<Verdict>, verdict: Verdict) -> bool {
    match before {
        None => !matches!(verdict, Verdict::Alive),
        Some(Verdict::Unknown) => !matches!(verdict, Verdict::Unknown),
        Some(Verdict::Alive | Verdict::Dead) => false,
    }
}

fn asked_now(game: &Game) -> AskedPosition {
    AskedPosition {
        ply: game.ply(),
        position: game.position_seq(),
    }
}
