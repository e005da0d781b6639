//! The deep search: positions that a first look could not decide, with the full budget, in the
//! background.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
};

use super::{DeepResult, SolverMessage, SolverQuestion, look::look};
use remisd_dead::{self as dead, Analysis, Budget};

/// The niceness of the thread: it yields to the others.
const NICENESS: i32 = 10;

/// Starts the thread, which ends when the sender of questions is dropped.
pub(super) fn start(
    budget: Budget,
    found: tokio::sync::mpsc::WeakSender<SolverMessage>,
) -> std::io::Result<mpsc::Sender<SolverQuestion>> {
    let (sender, questions) = mpsc::channel();
    std::thread::Builder::new()
        .name("dead-deep".to_owned())
        .spawn(move || work(budget, &questions, &found))?;
    Ok(sender)
}

/// Answers one question at a time.
fn work(
    budget: Budget,
    questions: &mpsc::Receiver<SolverQuestion>,
    found: &tokio::sync::mpsc::WeakSender<SolverMessage>,
) {
    // Some systems refuse this, among them the hardened unit; the thread then competes at normal
    // priority.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!("the deep search runs with the same priority as the rest: {error}");
    }
    while let Ok(question) = questions.recv() {
        let looked = catch_unwind(AssertUnwindSafe(|| {
            look(&question, budget, |position, both, budget| {
                dead::analyse_within(position, both, budget, &question.stop)
            })
        }));
        // One board's question must not cost the others their answers.
        let (analysis, answer) = looked.unwrap_or_else(|_| {
            tracing::error!(board = %question.board, "the deep search has failed: nothing is known");
            let nothing = Analysis {
                white: None,
                black: None,
            };
            (nothing, None)
        });
        let Some(found) = found.upgrade() else {
            return;
        };
        // The thread of first looks never waits for this one, so this cannot deadlock.
        let message = SolverMessage::Found(Box::new(DeepResult {
            question,
            analysis,
            answer,
        }));
        found.blocking_send(message).ok();
    }
}
