//! The deep search: what a first look could not tell, with all the budget, in the background.

use std::sync::mpsc;

use super::{Found, Message, Question, look::look};
use crate::dead::{self, Budget};

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
    // A system that grants no such thing only shares its processors otherwise.
    rustix::process::nice(NICENESS).ok();
    while let Ok(question) = questions.recv() {
        let (analysis, answer) = look(&question, budget, |position, both, budget| {
            dead::analyse_within(position, both, budget, &question.stop)
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
