//! One board's actor, which alone owns the board's tracker, record and topics.
//!
//! ```text
//! board events ─┐                      ┌─▶ topics ─▶ retained topics
//! commands ─────┼─▶ inputs ─▶ record ──┼─▶ event topic
//! solver ───────┘   (journal, fsync)   └─▶ answer to the sender
//! ```

mod answer;
mod clock;
mod commands;
mod compare;
mod dead;
mod doubted;
mod evidence;
mod feed;
mod game_log;
mod hand;
mod merge;
mod move_source;
mod pairing;
mod parts;
mod phones;
mod reports;
mod settling;
mod squares;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

pub use self::{
    commands::RefusalLimits,
    compare::{AwaitsFirstMove, ComparedBoard, Line, SecondAccount, ShownLine},
    feed::FeedReader,
    move_source::MoveSource,
    parts::ActorParts,
    settling::{SettlingTimes, settling_times},
};
use self::{doubted::Doubted, evidence::ReadPermits, squares::SquaresWatch};
use super::{
    failed_commands::FailedCommands,
    held_output::PendingEvent,
    record::{Record, WrittenEntry},
    solver::{Inquirer, Pending, SolverAnswer},
    topics::{EntryTime, TopicPublisher},
    watchdog::HealthRequest,
};
use crate::publish::{
    self, Commands, Publisher, numbering::Seqs, payload::BoardHealth, views::BoardConnection,
};
use remisd_broadcast::notify::SilentPhones;
use remisd_game::{
    BrokerConflict, Cause, ClockState, Fact, Input, JournalDown, JournalFault, Rules,
};
use remisd_hand::Tracker;
use remisd_laws::Ply;
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    reading::Confidence,
    sensor::{BoardEvent, ClockReading, LinkReport, Sensed},
    seq::EntrySeq,
    time::{Clock, Moment, Span, TimeScale},
};

/// The shortest interval between two publications of the line's counters.
const COUNTERS_INTERVAL: Span = Span::from_millis(5_000);
/// The shortest interval between two publications of the confidence, which changes with every move.
const CONFIDENCE_INTERVAL: Span = Span::from_millis(1_000);

/// How many times in a row the state of the disk is recorded, at most.
const MAX_REPORTS: usize = 4;

/// The queues that a board actor reads.
#[derive(Debug)]
pub struct Inbox {
    /// From the board.
    pub events: mpsc::Receiver<BoardEvent>,
    /// From the broker.
    pub commands: Commands,
    /// Requests for the board actor's health.
    pub questions: mpsc::Receiver<HealthRequest>,
    /// The phones that do not take messages, by board.
    pub phones: watch::Receiver<BTreeMap<BoardId, SilentPhones>>,
}

/// One board's actor.
#[derive(Debug)]
pub struct BoardActor {
    /// The site, used to check the topics of answers.
    site: SiteId,
    /// The board.
    board: BoardId,
    /// The rules for new games.
    rules: Rules,
    /// Reads the moves from the board's events.
    tracker: Box<Tracker>,
    /// Where the moves come from.
    moves: MoveSource,
    /// A report that came after the command that is carried out.
    held: Option<BoardEvent>,
    /// Second accounts of the game, and the game as a second account of other boards.
    compared: Box<ComparedBoard>,
    /// The time of the hands that the tracker reads.
    time_scale: TimeScale,
    /// The game and its journal.
    record: Record,
    /// The retained topics.
    topics: TopicPublisher,
    /// Publishes to the broker.
    publisher: Publisher,
    /// The board's access to the solver.
    solver: Inquirer,
    /// A ply of the record after which a side can still mate, as far as is known.
    alive: Option<Ply>,
    /// The clock.
    clock: Arc<dyn Clock>,
    /// The state of the line.
    line: BoardConnection,
    /// The newest clock reading as the board reported it, and when it came.
    reading: Option<(ClockReading, Moment)>,
    /// The last report of a separate clock, and when it came.
    external_clock: Option<(ClockState, Moment)>,
    /// When the counters were last published.
    counters_at: Moment,
    /// The squares, as they are published.
    squares: SquaresWatch,
    /// When the confidence was last published.
    confidence_at: Option<Moment>,
    /// The question which side can still mate, while something depends on it.
    pending: Option<Pending>,
    /// Measures how long moves take to settle.
    settling: SettlingTimes,
    /// Settled plies that stay in doubt.
    doubted: Doubted,
    /// Permits to read the journal for evidence.
    readers: ReadPermits,
    /// Counts the commands that were not done.
    failed_commands: FailedCommands,
    /// Limits the refused commands that are recorded.
    refusals: RefusalLimits,
}

impl BoardActor {
    /// Runs until `cancel`.
    pub async fn run(mut self, mut inbox: Inbox, cancel: CancellationToken) {
        let (answers, mut found) = mpsc::channel(16);
        // A conflict that is already known is news to this board.
        let mut conflict = self.publisher.conflict();
        conflict.mark_changed();
        let mut taken_over = 0;
        self.begin(false, &answers).await;
        if matches!(self.moves, MoveSource::Commands) {
            self.take_commands().await;
        }
        self.compare_accounts().await;
        self.show_line();
        self.show_awaits_first_move();
        loop {
            // In every iteration, since the board may have been unable to wait for it.
            self.merge_with_disk(&answers).await;
            // The arbiter's commands come first, and their rate limit leaves time for the rest.
            if let Some(message) = inbox.commands.try_arbiter() {
                self.read_waiting(&mut inbox.events, message.at, &answers)
                    .await;
                self.command(&message, &answers).await;
            }
            let now = self.clock.monotonic();
            self.ask_winnability(now, &answers);
            let wake = [
                self.tracker
                    .deadline()
                    .map(|due| self.time_scale.unscale(due)),
                self.topics.next_due(),
                self.overdue_at(now),
                self.pending.map(|pending| pending.again_at),
                self.confidence_due(),
                self.squares.due(),
                self.feed_due(now),
                self.compare_due(),
            ];
            let wake = wake.into_iter().flatten().min();
            let others = self.takes_others();
            let wait = wake.map(|at| Duration::from(at - now));
            tokio::select! {
                () = cancel.cancelled() => {
                    self.record.wait_for_record().await;
                    self.merge_with_disk(&answers).await;
                    self.record.close().await;
                    self.release();
                    return;
                }
                () = self.record.changed() => self.record_journal_state().await,
                Some(()) = self.moves.changed() => self.look_at_source(&answers).await,
                () = compare::changed(&mut self.compared.accounts) => self.look_at_accounts(),
                Some(event) = reports::next(&mut self.held, &mut inbox.events) => self.event(event, &answers).await,
                Some(message) = inbox.commands.recv_of(others) => {
                    self.read_waiting(&mut inbox.events, message.at, &answers).await;
                    self.command(&message, &answers).await;
                }
                Some(question) = inbox.questions.recv() => {
                    // The requester may have stopped waiting.
                    question.send(self.health()).ok();
                }
                Ok(()) = inbox.phones.changed() => {
                    let silent = inbox.phones.borrow_and_update().get(&self.board).cloned();
                    self.phones(silent.unwrap_or_default()).await;
                }
                Ok(()) = conflict.changed() => {
                    let now = conflict.borrow_and_update().clone();
                    self.broker_conflict(&now, &mut taken_over).await;
                }
                Some(answer) = found.recv() => self.answered(answer, &answers).await,
                () = sleep(wait) => self.let_time_pass(&mut inbox.events, &answers).await,
            }
            self.take_pairing().await;
            self.compare_accounts().await;
            self.show_line();
            self.show_awaits_first_move();
            self.publish_confidence();
            self.publish_squares();
        }
    }

    /// Lets time pass until now.
    async fn let_time_pass(
        &mut self,
        events: &mut mpsc::Receiver<BoardEvent>,
        answers: &mpsc::Sender<SolverAnswer>,
    ) {
        let now = self.clock.monotonic();
        self.read_waiting(events, None, answers).await;
        self.topics.release(now);
        self.tracker.tick(self.time_scale.scale(now));
        self.read_hand(answers).await;
        self.follow_source(answers).await;
        if self.overdue_at(now).is_some_and(|at| at <= now) {
            self.write(Input::Overdue).await;
        }
    }

    /// Records interference by other clients at the broker, if that is news to the arbiter.
    async fn broker_conflict(&mut self, now: &publish::BrokerConflict, taken_over: &mut u64) {
        let again = std::mem::replace(taken_over, now.taken_over) < now.taken_over;
        let known = self.record.game().broker_conflict();
        let conflict = BrokerConflict {
            taken_over: known.taken_over || again,
            namesakes: now.namesakes.clone(),
        };
        if *known != conflict {
            self.write(Input::Broker { conflict }).await;
        }
    }

    /// Records that the daemon watches the board from now on, and publishes the state. `anew` means
    /// that the tracker has followed another game before.
    async fn begin(&mut self, anew: bool, answers: &mpsc::Sender<SolverAnswer>) {
        // Also if the record has lost the entry that began its game.
        if self.record.game().number() == EntrySeq::ZERO {
            let input = self.start_array(Cause::Startup);
            self.write(input).await;
        }
        self.doubted.recall(self.record.game());
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let rules = Some(Box::new(self.rules.clone()));
        self.write(Input::Start { version, rules }).await;
        for lost in self.record.take_unreported_losses() {
            self.write(lost).await;
        }
        if let Some(left) = self.record.take_pending_handover() {
            self.write(Input::MergedWithDisk { left }).await;
        }
        self.forget_accounts().await;
        self.recall_clock_side();
        self.follow_game(anew, answers);
    }

    async fn event(&mut self, event: BoardEvent, answers: &mpsc::Sender<SolverAnswer>) {
        match &event.sensed {
            Sensed::Link(report) => self.link(report).await,
            Sensed::Orientation(orientation) => {
                if self.record.game().orientation() != Some(*orientation) {
                    let clock_reversed = self.record.game().clock_is_reversed();
                    self.write(Input::Orientation {
                        orientation: *orientation,
                        clock_reversed,
                    })
                    .await;
                }
            }
            Sensed::Clock(_) | Sensed::Square(..) | Sensed::Placement(_) => {}
        }
        self.squares.sense(&event.sensed, self.clock.now());
        let before = self.reading;
        if let Sensed::Clock(reading) = event.sensed {
            self.reading = Some((reading, event.at));
        }
        self.settling.sense(&event.sensed, event.at);
        let at = self.time_scale.scale(event.at);
        self.tracker.sense(&event.sensed, at);
        self.read_hand(answers).await;
        if let Sensed::Clock(_) = event.sensed {
            self.clock_read(before, event.at).await;
        }
    }

    async fn link(&mut self, report: &LinkReport) {
        match report {
            LinkReport::Up(device) => {
                self.line.device = device.clone();
                let input = Input::Link {
                    up: true,
                    code: None,
                    reason: None,
                };
                self.write(input).await;
            }
            LinkReport::Device(device) => {
                self.line.device = device.clone();
                self.show();
            }
            LinkReport::Down { code, reason } => {
                // The board's clock is not observed meanwhile.
                self.reading = None;
                let known = matches!(self.record.game().link(), Some(Err(known)) if known.reason == *reason);
                if !known {
                    let input = Input::Link {
                        up: false,
                        code: Some(*code),
                        reason: Some(reason.clone()),
                    };
                    self.write(input).await;
                }
            }
            LinkReport::Counters(counters) => {
                let now = self.clock.monotonic();
                let shown = self.line.counters;
                let worse = (shown.noise_bytes, shown.unknown_frames, shown.bad_frames)
                    != (
                        counters.noise_bytes,
                        counters.unknown_frames,
                        counters.bad_frames,
                    );
                if worse || now >= self.counters_at + COUNTERS_INTERVAL {
                    self.counters_at = now;
                    self.line.counters = *counters;
                    self.line.last_frame = Some(self.clock.now());
                    self.show();
                }
            }
        }
    }

    /// Returns when the next alert is due or overdue, in monotonic time.
    fn overdue_at(&self, now: Moment) -> Option<Moment> {
        let game = self.record.game();
        let at = game.alert_due_at()?;
        let left = at.duration_since(self.clock.now()).as_millis();
        Some(now + Span::from_millis(u64::try_from(left).unwrap_or(0)))
    }

    /// Records an input. Its effects are published once the disk has it.
    async fn write(&mut self, input: Input) -> WrittenEntry {
        let written = self.put(input).await;
        self.record_journal_state().await;
        written
    }

    /// Records in the game that entries wait for the disk, or no longer wait, and publishes the
    /// written ones as events.
    async fn record_journal_state(&mut self) {
        // This is itself an entry, which the disk may refuse as well.
        for _ in 0..MAX_REPORTS {
            let down = self.record.journal_down();
            if is_recorded(self.record.game().journal_down(), down.as_ref()) {
                break;
            }
            self.put(Input::Journal { down }).await;
        }
        self.release();
        if self.record.is_closed() {
            // They will never be on the disk.
            self.topics.output().forget_events();
        }
    }

    /// Releases what depends on entries on the disk, or everything but events if the disk is down.
    fn release(&mut self) {
        let (durable, is_down) = (self.record.durable(), self.record.is_down());
        self.topics.output().release(durable, is_down);
    }

    async fn put(&mut self, input: Input) -> WrittenEntry {
        let written = self.record.write(input).await;
        let game = self.record.game();
        self.topics.output().written(PendingEvent {
            seq: written.seq,
            for_operators: game.numbers().operator,
            body: written.body.clone(),
        });
        for fact in &written.facts {
            game_log::log(&self.board, fact);
            game_log::log_without_public_number(&self.board, fact, game);
        }
        let moment = EntryTime {
            seqs: Seqs::of(game),
            time: written.time,
            at: self.clock.monotonic(),
            age: Span::ZERO,
        };
        if matches!(written.facts[..], [Fact::PieceTouched(_)]) {
            self.topics.show_touch(game, &self.line, &moment);
        } else {
            self.topics.show(game, &self.line, &moment);
        }
        written
    }

    /// Returns when a confidence other than the published one may be published; `None` if there is
    /// none.
    fn confidence_due(&self) -> Option<Moment> {
        let changed = self.confidence() != self.line.confidence;
        changed.then(|| {
            let at = self.confidence_at;
            at.map_or(Moment::START, |at| at + CONFIDENCE_INTERVAL)
        })
    }

    fn confidence(&self) -> Confidence {
        let source = self.source_confidence();
        let confidence = source.unwrap_or_else(|| self.tracker.confidence());
        let differs = || self.record.game().account_differs_since().is_some();
        if confidence == Confidence::Certain && differs() {
            return Confidence::Uncertain;
        }
        confidence
    }

    fn publish_confidence(&mut self) {
        let now = self.clock.monotonic();
        if self.confidence_due().is_some_and(|due| due <= now) {
            self.confidence_at = Some(now);
            self.line.confidence = self.confidence();
            let moment = self.moment();
            self.topics
                .show_link(self.record.game(), &self.line, &moment);
        }
    }

    fn publish_squares(&mut self) {
        let now = self.clock.monotonic();
        if self.squares.due().is_some_and(|due| due <= now) {
            self.line.squares = self.squares.publish(now);
            let moment = self.moment();
            self.topics
                .show_squares(self.record.game(), &self.line, &moment);
        }
    }

    /// Publishes what has changed without an input.
    fn show(&mut self) {
        let moment = self.moment();
        self.topics.show(self.record.game(), &self.line, &moment);
    }

    /// Returns the board's health, for the arbiter and for operators. Nothing in it depends on what
    /// is hidden from operators.
    fn health(&self) -> BoardHealth {
        let game = self.record.game();
        let seq = game.numbers().operator;
        BoardHealth {
            board: self.board.to_string(),
            answers: true,
            board_up: matches!(game.link(), Some(Ok(()))),
            seq,
            not_recorded: seq.since(self.topics.waiting().recorded()),
            alerts: self.topics.views().alerts_for_operators(game) as u64,
            ply: game.ply(),
            counters: self.line.counters,
        }
    }

    /// Returns the current moment, with nothing new in the journal.
    fn moment(&self) -> EntryTime {
        EntryTime {
            seqs: Seqs::of(self.record.game()),
            time: self.clock.now(),
            at: self.clock.monotonic(),
            age: Span::ZERO,
        }
    }
}

/// Returns whether the state of the disk is the one last recorded. If the code is unspecific, the
/// reasons must be equal too.
fn is_recorded(recorded: Option<&JournalDown>, down: Option<&JournalDown>) -> bool {
    match (recorded, down) {
        (Some(recorded), Some(down)) if recorded.code == JournalFault::Other => recorded == down,
        _ => recorded.map(|down| down.code) == down.map(|down| down.code),
    }
}

/// Sleeps for `wait`; forever if there is none.
async fn sleep(wait: Option<Duration>) {
    match wait {
        Some(wait) => tokio::time::sleep(wait).await,
        None => std::future::pending().await,
    }
}
