//! Commands that answer a move on the board that is not settled yet.
//!
//! Such a move is settled first. The record that the command closes then contains it, and the
//! opponent of its player has the move.

use shakmaty::{Color, Position as _};
use tokio::sync::mpsc;

use super::{super::solver::SolverAnswer, BoardActor};
use remisd_game::{Command, Game, Ruling, Verb};
use remisd_laws::{QuickplayDecision, Score};

/// Which of the unsettled moves on the board a command answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnsweredMoves {
    /// All of them.
    All,
    /// The moves up to the last one of this player's opponent.
    ByPlayer(Color),
}

impl BoardActor {
    /// Settles the moves that are on the board beyond doubt and that a command answers.
    pub(super) async fn settle_answered(
        &mut self,
        command: &mut Command,
        answers: &mpsc::Sender<SolverAnswer>,
    ) {
        let game = self.record.game();
        if !game.is_current(command) || !self.tracker.follows(game.position()) {
            return;
        }
        let player = match answered_by(command, game) {
            None => return,
            Some(_) if self.is_held_resignation(&command.verb) => return,
            Some(AnsweredMoves::All) => None,
            Some(AnsweredMoves::ByPlayer(player)) => Some(player),
        };
        let now = self.hands_time();
        if self.tracker.confirm(player, now) {
            self.read_hand(answers).await;
            // The sender knows the move that the command answers, so it does not make the command
            // stale.
            let seq = self.record.game().seq_for(command.role);
            command.if_seq = command.if_seq.map(|_| seq);
        }
    }

    /// Returns whether this is a resignation over a move that may have ended the game. It waits
    /// until the move is settled in its own time.
    fn is_held_resignation(&self, verb: &Verb) -> bool {
        let now = self.hands_time();
        let (Verb::Resign { .. }, Some(m)) = (verb, self.tracker.likely_move(now)) else {
            return false;
        };
        let mut after = self.record.game().position().clone();
        after.play_unchecked(m);
        after.legal_moves().is_empty() || after.is_insufficient_material()
    }
}

/// Returns what a command answers: a player's action, the opponent's move; an end of the game, all
/// moves played in it.
fn answered_by(command: &Command, game: &Game) -> Option<AnsweredMoves> {
    let closes = match &command.verb {
        Verb::Offer { .. } | Verb::Claim { .. } | Verb::Resign { .. } => {
            let player = command.player()?;
            return Some(AnsweredMoves::ByPlayer(player.into()));
        }
        Verb::Accept { .. } => game.offer_at_the_board().is_some(),
        Verb::Result { score, game: about } => {
            *score != Score::None && about.is_none_or(|about| about == game.number())
        }
        Verb::Ruling(ruling) => match ruling {
            Ruling::Claim {
                correct,
                admissible,
            } => *correct && *admissible && game.open_claim().is_some(),
            Ruling::Agreement { consent } => *consent,
            Ruling::Quickplay { decision, .. } => *decision == QuickplayDecision::Draw,
            Ruling::Flag { .. } | Ruling::BothFlags { .. } => true,
            Ruling::IllegalMove { .. } | Ruling::IllegalPosition {} | Ruling::Clock { .. } => false,
        },
        _ => false,
    };
    closes.then_some(AnsweredMoves::All)
}
