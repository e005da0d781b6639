//! The dead-position solver on a thread of its own, off the path of the moves.
//!
//! A question may take the better part of a second. Each board asks about its newest
//! position only: a question that has not been begun when the next one of its board
//! comes is dropped, so no more wait than there are boards.

use std::collections::HashMap;

use shakmaty::Chess;
use tokio::sync::mpsc;

use crate::{
    dead::{self, Verdict},
    laws::Ply,
    name::BoardId,
};

/// Questions on their way to the thread; what does not fit is not asked.
const QUEUE: usize = 1024;

/// Asks the solver. Cheap to clone; never waits.
#[derive(Debug, Clone)]
pub struct Solver {
    questions: mpsc::Sender<Question>,
}

struct Question {
    board: BoardId,
    asked: Asked,
    position: Chess,
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
pub type Answer = (Asked, Verdict);

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

    /// Asks about a position; the answer says what was asked, or never comes.
    pub fn ask(
        &self,
        board: &BoardId,
        asked: Asked,
        position: &Chess,
        answer: &mpsc::Sender<Answer>,
    ) {
        let question = Question {
            board: board.clone(),
            asked,
            position: position.clone(),
            answer: answer.clone(),
        };
        if self.questions.try_send(question).is_err() {
            tracing::warn!(%board, ply = asked.ply, "the solver is too busy to look at this position");
        }
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
            newest.insert(question.board.clone(), question);
        }
        let Some(board) = newest.keys().next().cloned() else {
            continue;
        };
        if let Some(question) = newest.remove(&board) {
            let verdict = dead::analyse(&question.position, false).verdict();
            // A board that has no room or is gone has a newer position to ask about.
            question.answer.try_send((question.asked, verdict)).ok();
        }
    }
}
