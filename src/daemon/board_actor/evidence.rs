//! The arbiter's request for the evidence of a claim, answered from the journal.
//!
//! A separate thread reads the journal, so a slow disk does not hold up a game. The board actor
//! supplies the entries that the disk does not have yet.

use std::{sync::Arc, thread, time::Duration};

use tokio::{
    sync::{Semaphore, oneshot},
    time::timeout,
};

use super::BoardActor;
use crate::{
    evidence::{FindError, Form, find, recall::Wanted},
    publish::{
        CommandMessage,
        command::{self, Question, Refusal},
        outbox::{CURSORS, Cursors},
        payload::Reply,
    },
};
use remisd_game::RefusalCode;
use remisd_journal::Entry;
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// How long reading may take; the console waits slightly longer.
const PATIENCE: Duration = Duration::from_secs(4);
/// How many records of one board are read at a time: a hanging disk blocks no more threads.
const READERS: usize = 2;
/// The longest answer, in bytes: a broker and the console accept a quarter of a mebibyte.
const LONGEST: usize = 192 * 1024;

/// Permits to read the journal.
#[derive(Debug, Clone)]
pub struct ReadPermits(Arc<Semaphore>);

impl Default for ReadPermits {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(READERS)))
    }
}

impl BoardActor {
    /// Answers a request for evidence once the journal is read.
    pub(super) fn evidence(&mut self, message: &CommandMessage) {
        let (id, question) = match command::question(message) {
            Ok(asked) => asked,
            Err(refusal) => return self.refuse(message, refusal),
        };
        let seq = AudienceSeq::of_entry(self.record.game().seq());
        let refused = move |id: &str, code, message: String| Reply {
            seq: Some(seq),
            ..super::commands::refused(Refusal {
                id: Some(id.to_owned()),
                code,
                message,
            })
        };
        let Ok(place) = Arc::clone(&self.readers.0).try_acquire_owned() else {
            let text = "other sheets of this board are being made: ask again".to_owned();
            self.reply(
                message,
                refused(&id, RefusalCode::Unavailable, text),
                EntrySeq::ZERO,
            );
            return;
        };
        let waiting = self.topics.waiting().pending_events().map(|pending| Entry {
            seq: pending.seq,
            body: pending.body.clone(),
        });
        let waiting: Vec<Entry> = waiting.collect();
        let is_away = self.record.is_offline() || self.record.game().journal_down().is_some();
        let (reader, board) = (self.record.reader().clone(), self.board.clone());
        let (done, reading) = oneshot::channel();
        // Not a thread of the runtime: the daemon would wait for the disk when it stops.
        let thread = thread::Builder::new().name("evidence".to_owned());
        let begun = thread.spawn(move || {
            // Before the entries: the broker may acknowledge more of them meanwhile. Without
            // the cursors, a loss at the end cannot be detected.
            let cursors = Cursors::load(&reader.directory().join(CURSORS)).ok();
            let given = cursors
                .and_then(|cursors| cursors.get(&board))
                .unwrap_or_default();
            let wanted = wanted(question);
            let found = find(&reader, &board, &waiting, wanted, given, None, None);
            drop(place);
            // The requester may have stopped waiting.
            done.send(found.map(Form::from)).ok();
        });
        if let Err(error) = begun {
            let text = format!("no thread for it can be started: {error}");
            self.reply(
                message,
                refused(&id, RefusalCode::Unavailable, text),
                EntrySeq::ZERO,
            );
            return;
        }
        let answering = self.replier(message);
        tokio::spawn(async move {
            let reply = match timeout(PATIENCE, reading).await {
                Ok(Ok(Ok(form))) => found(&id, seq, form),
                Ok(Ok(Err(error))) => {
                    let code = match error {
                        FindError::Missing(_) if !is_away => RefusalCode::NotFound,
                        FindError::Missing(_) | FindError::Unreadable(_) => {
                            RefusalCode::Unavailable
                        }
                    };
                    let away = if is_away {
                        " (the journal's disk is missing or does not respond)"
                    } else {
                        ""
                    };
                    refused(&id, code, format!("{error}{away}"))
                }
                Ok(Err(_)) | Err(_) => {
                    let text = "the journal's disk does not answer".to_owned();
                    refused(&id, RefusalCode::Unavailable, text)
                }
            };
            answering(&reply);
        });
    }
}

fn wanted(question: Question) -> Wanted {
    match question {
        Question {
            claim: Some(claim), ..
        } => Wanted::Claim(claim),
        Question {
            game: Some(game), ..
        } => Wanted::Game(game),
        Question {
            claim: None,
            game: None,
        } => Wanted::Newest,
    }
}

/// Builds the answer with a record, unless it is too long for the broker.
fn found(id: &str, seq: AudienceSeq, form: Form) -> Reply {
    let reply = Reply {
        schema: Reply::SCHEMA.into(),
        id: Some(id.to_owned()),
        ok: true,
        seq: Some(seq),
        code: None,
        message: None,
        recorded: true,
        evidence: Some(Box::new(form)),
    };
    let length = serde_json::to_vec(&reply).map_or(0, |payload| payload.len());
    if length <= LONGEST {
        return reply;
    }
    Reply {
        seq: Some(seq),
        ..super::commands::refused(Refusal {
            id: Some(id.to_owned()),
            code: RefusalCode::Oversized,
            message: format!(
                "the record of this game has {length} bytes, too many for a message: make the sheet with `remisd evidence --journal`"
            ),
        })
    }
}
