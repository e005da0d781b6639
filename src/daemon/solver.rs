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

    /// Asks whether a position is dead, with `both` also which side can mate; the answer says what was asked, or never comes.
    pub fn ask(
        &self,
        board: &BoardId,
        asked: Asked,
        position: &Chess,
        both: bool,
        answer: &mpsc::Sender<Answer>,
    ) {
        let question = Question {
            board: board.clone(),
            asked,
            position: position.clone(),
            both,
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
