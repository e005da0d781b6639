//! The dead-position solver on threads of its own, off the path of the moves.
//!
//! ```text
//! boards ──▶ first looks ──▶ answers
//!              │    ▲
//!              ▼    │ what was found
//!            deep search
//! ```
//!
//! Every settled position gets a first look, which takes a quarter of a second at most and
//! hardly anything in an ordinary game: the helpmates of each board's game are carried from
//! ply to ply. What the first look cannot tell is unknown for the time being. It goes on to
//! a thread of lower priority, where the system grants one, which looks on as long as the
//! position stands: no board waits there for another one's first look, and no first look waits
//! for it.
//!
//! Each board asks about its newest position only: the next question of a board stops what
//! is still being done about the one before. So no more waits than there are boards, and for
//! each of them one [`Watch`] is kept, until its table is gone.

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
use remisd_vocabulary::{name::BoardId, time::Millis};

/// Questions on their way to the thread; what does not fit is not asked.
const QUEUE: usize = 1024;
/// After how long a question on which something depends is asked again when the queue was full.
const BUSY_MS: Millis = 1_000;
/// The same when it was taken and nobody has answered: time for eighty first looks at a position
/// that take the quarter of a second which one takes at most.
const UNANSWERED_MS: Millis = 20_000;

/// Asks the solver. Cheap to clone; never waits.
#[derive(Debug, Clone)]
pub struct Solver {
    inbox: mpsc::Sender<Message>,
}

/// What comes to the thread of first looks.
#[derive(Debug)]
enum Message {
    Asked(Question),
    /// What the deep search has come to.
    Found(Box<Found>),
}

#[derive(Debug)]
struct Found {
    question: Question,
    analysis: Analysis,
    /// `None` when it was stopped.
    answer: Option<Answer>,
}

/// A question of one board.
#[derive(Debug)]
struct Question {
    board: BoardId,
    asked: Asked,
    /// Positions after consecutive plies of the game, the one that is asked about last.
    positions: Vec<Chess>,
    /// Whether each side is to be decided.
    both: bool,
    /// Becomes true when the board asks about something else.
    stop: Arc<AtomicBool>,
    answer: mpsc::Sender<Answer>,
}

impl Question {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What was asked.
    pub asked: Asked,
    /// Whether the position is dead.
    pub verdict: Verdict,
    /// Of a dead position: the first ply, of those that were asked about, after which no
    /// side could mate.
    pub since: Ply,
    /// Why no side can mate in the position after that ply.
    pub proofs: Option<Proofs>,
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

/// One board's way to the solver.
#[derive(Debug)]
pub struct Inquirer {
    solver: Solver,
    board: BoardId,
    newest: Option<(Asked, Arc<AtomicBool>)>,
}

impl Solver {
    /// Starts the threads; they end when the last handle is dropped.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start() -> std::io::Result<Self> {
        Self::within(Budget::FIRST_LOOK, Budget::INTERACTIVE)
    }

    /// The same with these budgets for a first look and for the deep search.
    fn within(first: Budget, deep: Budget) -> std::io::Result<Self> {
        let (sender, inbox) = mpsc::channel(QUEUE);
        let deep = deep::start(deep, sender.downgrade())?;
        std::thread::Builder::new()
            .name("dead-positions".to_owned())
            .spawn(move || Desk::new(first, deep).work(inbox))?;
        Ok(Self { inbox: sender })
    }

    /// The way of one board.
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
    /// Asks whether the last of some positions after consecutive plies is dead, with `both`
    /// also which side can mate, and stops what was asked of this board before. The answer
    /// says what was asked, or never comes; an unknown one may be followed by another. Tells
    /// whether there was room for the question.
    pub fn ask(
        &mut self,
        asked: Asked,
        positions: Vec<Chess>,
        both: bool,
        answer: &mpsc::Sender<Answer>,
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
        let question = Question {
            board: self.board.clone(),
            asked,
            positions,
            both,
            stop,
            answer: answer.clone(),
        };
        let taken = self.solver.inbox.try_send(Message::Asked(question)).is_ok();
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

/// What is kept of a board.
#[derive(Default)]
struct Seat {
    watch: Watch,
    /// Where its answers go; closed when its table is gone.
    answer: Option<mpsc::Sender<Answer>>,
    /// What the deep search has of it, and whether it is to decide each side.
    deep: Option<(Asked, bool)>,
}

/// The thread of first looks.
struct Desk {
    budget: Budget,
    seats: HashMap<BoardId, Seat>,
    /// The newest question of each board that has one, in the order in which boards asked.
    waiting: VecDeque<Question>,
    /// The same for the deep search.
    open: VecDeque<Question>,
    /// The deep search, which takes one question at a time.
    deep: std::sync::mpsc::Sender<Question>,
    deep_is_busy: bool,
}

impl Desk {
    fn new(budget: Budget, deep: std::sync::mpsc::Sender<Question>) -> Self {
        Self {
            budget,
            seats: HashMap::new(),
            waiting: VecDeque::new(),
            open: VecDeque::new(),
            deep,
            deep_is_busy: false,
        }
    }

    fn work(mut self, mut inbox: mpsc::Receiver<Message>) {
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
            self.hand_over();
            if let Some(question) = self.waiting.pop_front() {
                self.first_look(question);
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Asked(question) => self.put(question),
            Message::Found(found) => {
                let Found {
                    question,
                    analysis,
                    answer,
                } = *found;
                self.deep_is_busy = false;
                let Some(seat) = self.seats.get_mut(&question.board) else {
                    return;
                };
                if seat.deep == Some((question.asked, question.both)) {
                    seat.deep = None;
                }
                if let Some(position) = question.positions.last() {
                    seat.watch.learn(position, &analysis);
                }
                if let Some(answer) = answer {
                    // A board that has no room or is gone asks again if it still matters.
                    question.answer.try_send(answer).ok();
                }
            }
        }
    }

    /// Puts a question in the place of the one that its board has asked before.
    fn put(&mut self, mut question: Question) {
        self.open.retain(|open| !open.is_stopped());
        let same_board = |waiting: &&mut Question| waiting.board == question.board;
        if let Some(waiting) = self.waiting.iter_mut().find(same_board) {
            // The fuller question about a position answers the other one, too.
            question.both |= waiting.both && waiting.asked == question.asked;
            *waiting = question;
            return;
        }
        if !self.seats.contains_key(&question.board) {
            let is_gone = |seat: &Seat| seat.answer.as_ref().is_some_and(mpsc::Sender::is_closed);
            self.seats.retain(|_, seat| !is_gone(seat));
        }
        self.waiting.push_back(question);
    }

    /// Gives the deep search the next question when it has none.
    fn hand_over(&mut self) {
        while let Some(question) = self.open.pop_front_if(|_| !self.deep_is_busy) {
            if !question.is_stopped() {
                self.deep_is_busy = self.deep.send(question).is_ok();
            }
        }
    }

    fn first_look(&mut self, question: Question) {
        let seat = self.seats.entry(question.board.clone()).or_default();
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
        // A board that has no room or is gone asks again if it still matters.
        question.answer.try_send(answer).ok();
        if open {
            seat.deep = Some((question.asked, question.both));
            self.open.retain(|open| open.board != question.board);
            self.open.push_back(question);
            self.hand_over();
        }
    }
}

/// Whether a side is not decided.
fn is_open(analysis: &Analysis) -> bool {
    use remisd_dead::Winnability::Unknown;
    [&analysis.white, &analysis.black]
        .into_iter()
        .any(|side| matches!(side, None | Some(Unknown)))
}
