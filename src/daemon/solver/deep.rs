//! The deep search: what a first look could not tell, with all the budget, in the background.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
};

use super::{Found, Message, Question, look::look};
use remisd_dead::{self as dead, Analysis, Budget};

/// By how much the thread steps back behind others.
const NICENESS: i32 = 10;

/// Starts the thread; it ends when the sender of questions is dropped.
pub(super) fn start(
    budget: Budget,
    found: tokio::sync::mpsc::WeakSender<Message>,
) -> std::io::Result<mpsc::Sender<Question>> {
    let (sender, questions) = mpsc::channel();
    std::thread::Builder::new()
        .name("dead-deep".to_owned())
        .spawn(move || work(budget, &questions, &found))?;
    Ok(sender)
}

/// One question at a time: the next one comes when this one is answered.
fn work(
    budget: Budget,
    questions: &mpsc::Receiver<Question>,
    found: &tokio::sync::mpsc::WeakSender<Message>,
) {
    // A system that grants no such thing, as the hardened unit, only shares its processors
    // otherwise.
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::debug!("the deep search runs beside the rest, not behind it: {error}");
    }
    while let Ok(question) = questions.recv() {
        let looked = catch_unwind(AssertUnwindSafe(|| {
            look(&question, budget, |position, both, budget| {
                dead::analyse_within(position, both, budget, &question.stop)
            })
        }));
        // What a board asks must not keep the others from being answered.
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
        // The thread of first looks never waits for this one.
        let message = Message::Found(Box::new(Found {
            question,
            analysis,
            answer,
        }));
        found.blocking_send(message).ok();
    }
}
