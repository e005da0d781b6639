//! The dead-position solver on a thread of its own, off the path of the moves.
//!
//! A question may take the better part of a second. Each board asks about its newest
//! position only: a question that has not been begun when the next one of its board
//! comes is dropped, so no more wait than there are boards.

use std::collections::HashMap;

use shakmaty::Chess;
use tokio::sync::mpsc;

use crate::{
    dead::{self, Analysis, Verdict, Winnability},
    game::CanMate,
    laws::Ply,
    name::BoardId,
    time::Millis,
};

/// Questions on their way to the thread; what does not fit is not asked.
const QUEUE: usize = 1024;
/// After how long a question on which something depends is asked again when the queue was full.
const BUSY_MS: Millis = 1_000;
/// The same when it was taken and nobody has answered: twenty times what one takes at most.
const UNANSWERED_MS: Millis = 20_000;

/// Asks the solver. Cheap to clone; never waits.
#[derive(Debug, Clone)]
pub struct Solver {
    questions: mpsc::Sender<Question>,
}

struct Question {
    board: BoardId,
    asked: Asked,
    position: Chess,
    /// Whether each side is to be decided.
    both: bool,
    answer: mpsc::Sender<Answer>,
}

/// Which position of a board's game a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The ply.
    pub ply: Ply,
    /// The number of the input that brought the position on the board.
    pub position: u64,
}

/// The answer to a question.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// What was asked.
    pub asked: Asked,
    /// Whether the position is dead.
    pub verdict: Verdict,
    /// Which side can still mate, where each was to be decided.
    pub can_mate: Option<CanMate>,
}

/// A question that is asked until it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    asked: Asked,
    /// When it is to be asked again.
    pub again_at: Millis,
}

impl Pending {
    /// What was asked at `now`; `taken` says whether the solver had room for it.
    #[must_use]
    pub const fn new(asked: Asked, taken: bool, now: Millis) -> Self {
        let wait = if taken { UNANSWERED_MS } else { BUSY_MS };
        Self {
            asked,
            again_at: now + wait,
        }
    }

    /// Whether this question need not be asked at `now`.
    #[must_use]
    pub fn covers(&self, asked: Asked, now: Millis) -> bool {
        self.asked == asked && now < self.again_at
    }
}

impl Solver {
    /// Starts the thread; it ends when the last handle is dropped.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start() -> std::io::Result<Self> {
        let (questions, inbox) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name("dead-positions".to_owned())
            .spawn(move || work(inbox))?;
        Ok(Self { questions })
    }

    /// Asks whether a position is dead, with `both` also which side can mate; the answer
    /// says what was asked, or never comes. Tells whether there was room for the question.
    pub fn ask(
        &self,
        board: &BoardId,
        asked: Asked,
        position: &Chess,
        both: bool,
        answer: &mpsc::Sender<Answer>,
    ) -> bool {
        let question = Question {
            board: board.clone(),
            asked,
            position: position.clone(),
            both,
            answer: answer.clone(),
        };
        let taken = self.questions.try_send(question).is_ok();
        if !taken {
            tracing::warn!(%board, ply = asked.ply, "the solver is too busy to look at this position");
        }
        taken
    }
}

fn work(mut inbox: mpsc::Receiver<Question>) {
    let mut newest: HashMap<BoardId, Question> = HashMap::new();
    loop {
        if newest.is_empty() {
            let Some(question) = inbox.blocking_recv() else {
                return;
            };
            newest.insert(question.board.clone(), question);
        }
        while let Ok(question) = inbox.try_recv() {
            let board = question.board.clone();
            let before = newest.insert(board.clone(), question);
            // The fuller question about a position answers the other one, too.
            if let (Some(before), Some(now)) = (before, newest.get_mut(&board)) {
                now.both |= before.both && before.asked == now.asked;
            }
        }
        let Some(board) = newest.keys().next().cloned() else {
            continue;
        };
        if let Some(question) = newest.remove(&board) {
            let analysis = dead::analyse(&question.position, question.both);
            let answer = Answer {
                asked: question.asked,
                verdict: analysis.verdict(),
                can_mate: question.both.then(|| can_mate(&analysis)),
            };
            // A board that has no room or is gone has a newer position to ask about.
            question.answer.try_send(answer).ok();
        }
    }
}

fn can_mate(analysis: &Analysis) -> CanMate {
    let side = |side: &Option<Winnability>| match side {
        Some(Winnability::Winnable { .. }) => Some(true),
        Some(Winnability::Unwinnable(_)) => Some(false),
        Some(Winnability::Unknown) | None => None,
    };
    CanMate {
        white: side(&analysis.white),
        black: side(&analysis.black),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_found_no_room_is_asked_again() {
        let (questions, mut inbox) = mpsc::channel(1);
        let solver = Solver { questions };
        let (answer, _answers) = mpsc::channel(1);
        let board = "b1".parse().unwrap();
        let of_ply = |ply| Asked { ply, position: 7 };
        let ask = |asked| solver.ask(&board, asked, &Chess::default(), true, &answer);
        let taken = Pending::new(of_ply(1), ask(of_ply(1)), 0);
        assert!(taken.covers(of_ply(1), UNANSWERED_MS - 1));
        assert!(!taken.covers(of_ply(1), UNANSWERED_MS), "nobody answered");
        assert!(!taken.covers(of_ply(2), 1), "another position");

        let dropped = Pending::new(of_ply(2), ask(of_ply(2)), 0);
        assert!(dropped.covers(of_ply(2), BUSY_MS - 1));
        assert!(!dropped.covers(of_ply(2), BUSY_MS));
        inbox.try_recv().unwrap();
        assert!(ask(of_ply(2)), "there is room now");
    }
}
