//! The dead-position solver on its own threads, off the path of the moves.
//!
//! ```text
//! boards ──▶ first looks ──▶ answers
//!              │    ▲
//!              ▼    │ results
//!            deep search
//! ```
//!
//! Every settled position gets a first look. It takes at most a quarter of a second, and next to
//! nothing in an ordinary game: each board's helpmates are carried from ply to ply. A position that
//! it cannot decide is unknown for now. The question continues to a thread of lower priority, where
//! the system grants one, which searches while the position is on the board. No board waits for the
//! first look of another one there, and no first look waits for that thread.
//!
//! Each board asks about its newest position only: its next question stops the work on the previous
//! one. So at most one question per board waits, and one [`Watch`] per board is kept until the
//! board's actor has ended.

mod deep;
mod look;
#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, VecDeque},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use shakmaty::Chess;
use tokio::sync::mpsc;

use self::look::look;
use remisd_dead::{Analysis, Budget, Proofs, Verdict, Watch};
use remisd_game::CanMate;
use remisd_laws::Ply;
use remisd_vocabulary::{
    name::BoardId,
    seq::EntrySeq,
    time::{Moment, Span},
};

/// Capacity of the queue of questions; a question that does not fit is dropped.
const QUEUE: usize = 1024;
/// Delay before a question that still matters is asked again when the queue was full.
const BUSY: Span = Span::from_millis(1_000);
/// Delay before a queued question that was not answered is asked again: enough for eighty first
/// looks at a quarter of a second each.
const UNANSWERED: Span = Span::from_millis(20_000);

/// A handle to the solver: cheap to clone, never waits.
#[derive(Debug, Clone)]
pub struct Solver {
    inbox: mpsc::Sender<SolverMessage>,
}

/// Messages to the thread of first looks.
#[derive(Debug)]
enum SolverMessage {
    Asked(SolverQuestion),
    /// What the deep search has found.
    Found(Box<DeepResult>),
}

#[derive(Debug)]
struct DeepResult {
    question: SolverQuestion,
    analysis: Analysis,
    /// `None` if it was stopped.
    answer: Option<SolverAnswer>,
}

/// A question of one board.
#[derive(Debug)]
struct SolverQuestion {
    board: BoardId,
    asked: AskedPosition,
    /// Positions after consecutive plies of the game; the question is about the last one.
    positions: Vec<Chess>,
    /// Whether each side must be decided.
    both: bool,
    /// Becomes true when the board asks about something else.
    stop: Arc<AtomicBool>,
    answer: mpsc::Sender<SolverAnswer>,
}

impl SolverQuestion {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The position of a board's game that a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedPosition {
    /// The ply.
    pub ply: Ply,
    /// The number of the input that led to the position.
    pub position: EntrySeq,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SolverAnswer {
    /// What was asked.
    pub asked: AskedPosition,
    /// Whether the position is dead.
    pub verdict: Verdict,
    /// For a dead position: the first ply, among those asked about, after which neither side could
    /// mate.
    pub since: Ply,
    /// Why neither side can mate in the position after that ply.
    pub proofs: Option<Proofs>,
    /// Which side can still mate, if each was to be decided.
    pub can_mate: Option<CanMate>,
}

/// A question that is asked again until it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pending {
    asked: AskedPosition,
    /// When to ask again.
    pub again_at: Moment,
}

impl Pending {
    /// Creates the record of a question asked at `now`; `taken` says whether the solver had room.
    #[must_use]
    pub fn new(asked: AskedPosition, taken: bool, now: Moment) -> Self {
        let wait = if taken { UNANSWERED } else { BUSY };
        Self {
            asked,
            again_at: now + wait,
        }
    }

    /// Returns whether this question need not be asked again at `now`.
    #[must_use]
    pub fn covers(&self, asked: AskedPosition, now: Moment) -> bool {
        self.asked == asked && now < self.again_at
    }
}

/// One board's access to the solver.
#[derive(Debug)]
pub struct Inquirer {
    solver: Solver,
    board: BoardId,
    newest: Option<(AskedPosition, Arc<AtomicBool>)>,
}

impl Solver {
    /// Starts the threads, which end when the last handle is dropped.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot create a thread.
    pub fn start() -> std::io::Result<Self> {
        Self::within(Budget::FIRST_LOOK, Budget::INTERACTIVE)
    }

    /// Like [`Solver::start`], with budgets for a first look and for the deep search.
    fn within(first: Budget, deep: Budget) -> std::io::Result<Self> {
        let (sender, inbox) = mpsc::channel(QUEUE);
        let deep = deep::start(deep, sender.downgrade())?;
        std::thread::Builder::new()
            .name("dead-positions".to_owned())
            .spawn(move || FirstLookWorker::new(first, deep).work(inbox))?;
        Ok(Self { inbox: sender })
    }

    /// Returns the access of one board.
    #[must_use]
    pub const fn of(self, board: BoardId) -> Inquirer {
        Inquirer {
            solver: self,
            board,
            newest: None,
        }
    }
}

impl Inquirer {
    /// Asks whether the last of some positions after consecutive plies is dead and, with `both`,
    /// which side can mate.
    ///
    /// Stops this board's earlier question. The answer names its question and may never come; an
    /// unknown one may be followed by another. Returns whether there was room for the question.
    pub fn ask(
        &mut self,
        asked: AskedPosition,
        positions: Vec<Chess>,
        both: bool,
        answer: &mpsc::Sender<SolverAnswer>,
    ) -> bool {
        let stop = match self.newest.take() {
            Some((newest, stop)) if newest == asked => stop,
            newest => {
                if let Some((_, stop)) = newest {
                    stop.store(true, Ordering::Relaxed);
                }
                Arc::default()
            }
        };
        self.newest = Some((asked, Arc::clone(&stop)));
        let question = SolverQuestion {
            board: self.board.clone(),
            asked,
            positions,
            both,
            stop,
            answer: answer.clone(),
        };
        let taken = self
            .solver
            .inbox
            .try_send(SolverMessage::Asked(question))
            .is_ok();
        if !taken {
            let (board, ply) = (&self.board, asked.ply);
            tracing::warn!(%board, ply, "the solver is too busy to look at this position");
        }
        taken
    }
}

impl Drop for Inquirer {
    fn drop(&mut self) {
        if let Some((_, stop)) = &self.newest {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

/// The state of one board.
#[derive(Default)]
struct SolverBoard {
    watch: Watch,
    /// Where its answers go; closed once its board actor is gone.
    answer: Option<mpsc::Sender<SolverAnswer>>,
    /// The question that the deep search has of this board, and whether each side must be decided.
    deep: Option<(AskedPosition, bool)>,
}

/// The thread of first looks.
struct FirstLookWorker {
    budget: Budget,
    boards: HashMap<BoardId, SolverBoard>,
    /// The newest question of each board that has one, in the order in which the boards asked.
    waiting: VecDeque<SolverQuestion>,
    /// The newest open question of each board for the deep search.
    open: VecDeque<SolverQuestion>,
    /// The deep search, which takes one question at a time.
    deep: std::sync::mpsc::Sender<SolverQuestion>,
    deep_is_busy: bool,
}

impl FirstLookWorker {
    fn new(budget: Budget, deep: std::sync::mpsc::Sender<SolverQuestion>) -> Self {
        Self {
            budget,
            boards: HashMap::new(),
            waiting: VecDeque::new(),
            open: VecDeque::new(),
            deep,
            deep_is_busy: false,
        }
    }

    fn work(mut self, mut inbox: mpsc::Receiver<SolverMessage>) {
        loop {
            if self.waiting.is_empty() {
                let Some(message) = inbox.blocking_recv() else {
                    return;
                };
                self.take(message);
            }
            while let Ok(message) = inbox.try_recv() {
                self.take(message);
            }
            self.flush();
            if let Some(question) = self.waiting.pop_front() {
                self.first_look(question);
            }
        }
    }

    fn take(&mut self, message: SolverMessage) {
        match message {
            SolverMessage::Asked(question) => self.put(question),
            SolverMessage::Found(found) => {
                let DeepResult {
                    question,
                    analysis,
                    answer,
                } = *found;
                self.deep_is_busy = false;
                let Some(seat) = self.boards.get_mut(&question.board) else {
                    return;
                };
                if seat.deep == Some((question.asked, question.both)) {
                    seat.deep = None;
                }
                if let Some(position) = question.positions.last() {
                    seat.watch.learn(position, &analysis);
                }
                if let Some(answer) = answer {
                    // A board whose queue is full asks again if the answer still matters.
                    question.answer.try_send(answer).ok();
                }
            }
        }
    }

    /// Replaces a board's earlier question.
    fn put(&mut self, mut question: SolverQuestion) {
        self.open.retain(|open| !open.is_stopped());
        let same_board = |waiting: &&mut SolverQuestion| waiting.board == question.board;
        if let Some(waiting) = self.waiting.iter_mut().find(same_board) {
            // The fuller question about a position also answers the other one.
            question.both |= waiting.both && waiting.asked == question.asked;
            *waiting = question;
            return;
        }
        if !self.boards.contains_key(&question.board) {
            let is_gone =
                |seat: &SolverBoard| seat.answer.as_ref().is_some_and(mpsc::Sender::is_closed);
            self.boards.retain(|_, seat| !is_gone(seat));
        }
        self.waiting.push_back(question);
    }

    /// Gives the deep search its next question if it is idle.
    fn flush(&mut self) {
        while let Some(question) = self.open.pop_front_if(|_| !self.deep_is_busy) {
            if !question.is_stopped() {
                self.deep_is_busy = self.deep.send(question).is_ok();
            }
        }
    }

    fn first_look(&mut self, question: SolverQuestion) {
        let seat = self.boards.entry(question.board.clone()).or_default();
        seat.answer = Some(question.answer.clone());
        let is_under_way = |(asked, both)| asked == question.asked && both >= question.both;
        if seat.deep.is_some_and(is_under_way) {
            return;
        }
        let (analysis, answer) = look(&question, self.budget, |position, both, budget| {
            seat.watch.look(position, both, budget, &question.stop)
        });
        let Some(answer) = answer else {
            return;
        };
        let open = answer.verdict == Verdict::Unknown || (question.both && is_open(&analysis));
        // A board whose queue is full asks again if the answer still matters.
        question.answer.try_send(answer).ok();
        if open {
            seat.deep = Some((question.asked, question.both));
            self.open.retain(|open| open.board != question.board);
            self.open.push_back(question);
            self.flush();
        }
    }
}

/// Returns whether a side is undecided.
fn is_open(analysis: &Analysis) -> bool {
    use remisd_dead::Winnability::Unknown;
    [&analysis.white, &analysis.black]
        .into_iter()
        .any(|side| matches!(side, None | Some(Unknown)))
}
