//! One board's record: the game and the journal entries that it consists of.

mod age;
mod earlier;
mod handover;
mod lost;
mod replay;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use self::{
    earlier::replay_earlier,
    replay::{before_first, replay},
};
use super::{
    journal_queue::{Blocked, JournalQueue, MergeDecision},
    topics::PublicDelay,
};
use crate::{pgn::names, publish::payload::Event};
use remisd_game::{
    Command, Fact, Game, Input, JournalDown, Judgement, LeftOut, Role, Rules, Stamped,
    UnresolvedGame, Verb,
};
use remisd_journal::{Append, Journal, RawSeal, Reader, Recorder};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    seq::EntrySeq,
    time::{Clock, SET_CLOCK_MS, Span, rfc3339},
};

/// A game and its entries, which are written to the disk asynchronously.
#[derive(Debug)]
pub struct Record {
    site: SiteId,
    board: BoardId,
    session: String,
    queue: JournalQueue,
    reader: Reader,
    clock: Arc<dyn Clock>,
    game: Box<Game>,
    /// The number before the first entry of the game that was found.
    recovered_after: EntrySeq,
    /// The game started without a disk, until the record is found.
    offline: Option<OfflineGame>,
    /// Names of players are masked in what is written.
    masks_names: bool,
    /// Operators may know of every entry.
    shows_operators_all: bool,
    /// Records the traffic on the board's line, which the entries seal.
    recorder: Option<Arc<Recorder>>,
    /// The seal in the newest entry that has one.
    sealed: Option<RawSeal>,
    /// Unresolved matters of an earlier game that no entry states yet.
    handover: Option<Box<UnresolvedGame>>,
    /// Losses of entries that no entry reports yet.
    unreported_losses: Vec<Input>,
}

/// A game kept only in memory because there was no disk when the daemon started.
#[derive(Debug)]
struct OfflineGame {
    /// The number before its first entry.
    before: EntrySeq,
    /// Whether it has anything that the record on the disk lacks: a move, a proposed result or a
    /// command.
    has_content: bool,
}

/// What became of a game that was started without a disk.
#[derive(Debug, PartialEq, Eq)]
pub enum Merge {
    /// It continues and is written after the record on the disk. If that record had a game, this
    /// holds its unresolved matters.
    Appended(Option<Box<UnresolvedGame>>),
    /// Nothing had happened in it: the game on the disk continues.
    Discarded,
}

/// The record that was found on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordOnDisk {
    /// The number before the first entry of its newest game.
    pub before_first: EntrySeq,
    /// Its last number.
    pub last: EntrySeq,
}

/// Shows the public what it may see of a record that is replayed.
#[derive(Debug)]
pub struct PublicReplay<Show> {
    /// The broadcast delay.
    pub delay: PublicDelay,
    /// Takes the game after an entry, the entry's time and its minimum age.
    pub show: Show,
}

/// The outcome of an input.
#[derive(Debug)]
pub struct WrittenEntry {
    /// The number of its entry.
    pub seq: EntrySeq,
    /// The entry as it is in the journal and as it is published.
    pub body: Bytes,
    /// When the input arrived.
    pub time: Timestamp,
    /// The facts that follow from the input.
    pub facts: Vec<Fact>,
}

impl Record {
    /// Restores the record from the end of the journal.
    ///
    /// The public is shown every entry of the newest game, and before it the games whose ends it may
    /// have missed. If the disk may still appear, the record starts without it.
    ///
    /// # Errors
    ///
    /// Fails if the journal cannot be read. An entry that cannot be parsed is logged and skipped.
    pub async fn recover(
        site: SiteId,
        board: BoardId,
        session: String,
        journal: Journal,
        clock: Arc<dyn Clock>,
        rules: Rules,
        mut public: PublicReplay<impl FnMut(&Game, Timestamp, Span)>,
    ) -> anyhow::Result<Self> {
        let reader = journal.reader().clone();
        let recovered = match journal.recover(&board).await {
            Ok(recovered) => recovered,
            Err(error) if error.may_pass() => {
                tracing::error!(%board, "the record cannot be read yet: {error}");
                let before = number_without_record(clock.now());
                let mut game = Game::new(rules);
                game.skip_to(before);
                return Ok(Self {
                    queue: JournalQueue::without_disk(journal, board.clone(), before, &error),
                    reader,
                    site,
                    board,
                    session,
                    clock,
                    game: Box::new(game),
                    recovered_after: before,
                    offline: Some(OfflineGame {
                        before,
                        has_content: false,
                    }),
                    masks_names: false,
                    shows_operators_all: false,
                    recorder: None,
                    sealed: None,
                    handover: None,
                    unreported_losses: Vec::new(),
                });
            }
            Err(error) => return Err(error.into()),
        };
        let handover = handover::pending_handover(&reader, &board, &rules, &recovered, clock.now());
        replay_earlier(&reader, &board, &rules, &recovered, &mut public);
        let game = replay(&board, rules, &recovered, public.show);
        let unreported_losses = lost::unreported(&reader, &board, &recovered, &game, false);
        let queue = JournalQueue::new(journal, recovered.last_seq);
        Ok(Self {
            site,
            board,
            session,
            queue,
            reader,
            clock,
            game: Box::new(game),
            recovered_after: before_first(&recovered),
            offline: None,
            masks_names: false,
            shows_operators_all: false,
            recorder: None,
            sealed: None,
            handover,
            unreported_losses,
        })
    }

    /// Combines a game started without a disk with the record on the disk, once that is found.
    /// If its game continues, the public is shown what [`recover`](Self::recover) would show.
    pub fn merge_with_disk(
        &mut self,
        mut public: PublicReplay<impl FnMut(&Game, Timestamp, Span)>,
    ) -> Option<(Merge, RecordOnDisk)> {
        let (recovered, decide) = self.queue.found()?;
        let offline = self.offline.take()?;
        let board = &self.board;
        let found = RecordOnDisk {
            before_first: before_first(&recovered),
            last: recovered.last_seq,
        };
        let has_record = !recovered.entries.is_empty();
        if offline.has_content || !has_record {
            let old = replay(board, self.game.rules().clone(), &recovered, |_, _, _| {});
            self.unreported_losses = lost::unreported(&self.reader, board, &recovered, &old, true);
            let what_it_leaves = has_record.then(|| Box::new(old.what_it_leaves(self.clock.now())));
            tracing::warn!(
                %board, entries = recovered.last_seq.get(), from = offline.before.next().get(),
                "the record is found: the game played without it is appended after it"
            );
            // The receiver is gone only if the board is shutting down.
            let _ = decide.send(MergeDecision::Keep(offline.before));
            return Some((Merge::Appended(what_it_leaves), found));
        }
        let to = self.game.seq().max(recovered.last_seq);
        tracing::warn!(
            %board, entries = recovered.last_seq.get(), passed_over = to.get(),
            "the record is found: its game continues, as nothing was played meanwhile"
        );
        let rules = self.game.rules().clone();
        replay_earlier(&self.reader, board, &rules, &recovered, &mut public);
        *self.game = replay(board, rules, &recovered, public.show);
        self.unreported_losses =
            lost::unreported(&self.reader, board, &recovered, &self.game, false);
        self.game.skip_to(to);
        self.game.show_operators_all(self.shows_operators_all);
        self.queue.continue_after(to);
        let _ = decide.send(MergeDecision::TakeUp(to));
        Some((Merge::Discarded, found))
    }

    /// Returns, once, the unresolved matters of the game before the newest if the daemon was killed
    /// before it could record them.
    pub fn take_pending_handover(&mut self) -> Option<Box<UnresolvedGame>> {
        self.handover.take()
    }

    /// Returns, once, the losses of entries that no entry reports yet.
    pub fn take_unreported_losses(&mut self) -> Vec<Input> {
        std::mem::take(&mut self.unreported_losses)
    }

    /// Returns whether the search for the record on the disk is still under way.
    #[must_use]
    pub const fn is_offline(&self) -> bool {
        self.offline.is_some()
    }

    /// Sets whether players' names are masked in entries from now on.
    pub fn mask_names(&mut self, masks: bool) {
        self.masks_names = masks;
    }

    /// Returns whether players' names are masked.
    #[must_use]
    pub const fn masks_names(&self) -> bool {
        self.masks_names
    }

    /// Sets whether operators may know of every entry, as they may when the draw state is open to
    /// them.
    pub fn show_operators_all(&mut self, all: bool) {
        self.shows_operators_all = all;
        self.game.show_operators_all(all);
    }

    /// Seals what this recorder receives from now on.
    pub fn seal(&mut self, recorder: Option<Arc<Recorder>>) {
        self.recorder = recorder;
    }

    /// Returns the seal of the recorded traffic if it covers more than the newest seal does.
    fn new_seal(&mut self) -> Option<RawSeal> {
        let seal = self.recorder.as_ref()?.seal()?;
        let news = self.sealed.as_ref() != Some(&seal);
        news.then(|| self.sealed.insert(seal).clone())
    }

    /// Returns a reader of what is on the disk.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Returns the number before the first entry of the game with which the journal ended at
    /// startup.
    #[must_use]
    pub const fn recovered_after(&self) -> EntrySeq {
        self.recovered_after
    }

    /// Returns the game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns the highest number that is safe from a power cut.
    #[must_use]
    pub fn durable(&self) -> EntrySeq {
        self.queue.durable()
    }

    /// Returns why entries wait for the disk; `None` if all is well.
    pub fn journal_down(&mut self) -> Option<JournalDown> {
        self.queue.down()
    }

    /// Returns how many entries the disk does not have yet.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.queue.waiting()
    }

    /// Returns whether the start of a game waits for the disk.
    #[must_use]
    pub fn is_beginning(&self) -> bool {
        self.queue.is_beginning()
    }

    /// Returns whether entries are known to be overdue on the disk.
    #[must_use]
    pub const fn is_down(&self) -> bool {
        self.queue.is_down()
    }

    /// Returns a flag that shows whether the board waits for the disk, even while the board's own
    /// actor is blocked.
    pub fn blocked(&self) -> Blocked {
        self.queue.blocked()
    }

    /// Waits until [`Record::durable`] or [`Record::journal_down`] may have changed, or
    /// [`Record::merge_with_disk`] has something to do.
    pub async fn changed(&mut self) {
        self.queue.changed().await;
    }

    /// Hands over the entries that waited for [`Record::merge_with_disk`].
    pub async fn flush(&mut self) {
        self.queue.flush().await;
    }

    /// Returns whether the disk will never accept what is written now.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    /// Waits one last time for the record on the disk, if there is anything to write after it.
    pub async fn wait_for_record(&mut self) {
        if self
            .offline
            .as_ref()
            .is_some_and(|offline| offline.has_content)
        {
            self.queue.wait_for_record().await;
        }
    }

    /// Gives the disk a last chance to accept the entries that wait.
    pub async fn close(&mut self) {
        self.queue.close().await;
    }

    /// Applies an input and queues its entry for the disk. [`Record::durable`] shows when it is
    /// written, and [`Record::journal_down`] why it is not.
    pub async fn write(&mut self, input: Input) -> WrittenEntry {
        let seq = self.game.seq().next();
        let time = whole_milliseconds(self.clock.now());
        let mut stamped = Stamped { seq, time, input };
        if let Input::Command(Command { by, role, .. }) = &mut stamped.input
            && self.masks_names
            && matches!(role, Role::White | Role::Black | Role::Board)
        {
            // The name of a player, or of a player's device. The outcome names the colour only.
            *by = None;
        }
        if let Some(offline) = &mut self.offline {
            offline.has_content |= is_content(&stamped.input);
        }
        let left_out = self.game.left_out();
        let facts = self.game.apply(&stamped);
        warn_left_out(&self.board, left_out, self.game.left_out());
        let begins_segment = facts
            .iter()
            .any(|fact| matches!(fact, Fact::GameStarted { .. }));
        // In the same entry, so that a power cut leaves both or neither.
        let carried = begins_segment.then(|| Box::new(self.game.carried()));
        let event = Event {
            schema: Event::SCHEMA.into(),
            site: self.site.to_string(),
            board: self.board.to_string(),
            session: self.session.clone(),
            seq,
            time: rfc3339(time),
            monotonic_ms: self.clock.monotonic().as_millis(),
            input: stamped.input,
            carried,
            numbers: Some(self.game.numbers().clone()),
            judgement: Judgement::CURRENT,
            facts,
            raw: self.new_seal(),
        };
        let body = self.body(&event);
        let append = Append {
            board: self.board.clone(),
            seq,
            body: body.clone(),
            begins_segment,
        };
        self.queue.enqueue(append).await;
        WrittenEntry {
            seq,
            body,
            time,
            facts: event.facts,
        }
    }

    /// Returns the entry as it is written and published.
    fn body(&self, event: &Event) -> Bytes {
        // Strings, numbers and lists only: it always serialises to JSON.
        if !self.masks_names {
            return Bytes::from(serde_json::to_vec(event).unwrap_or_default());
        }
        let mut json = serde_json::to_value(event).unwrap_or_default();
        names::mask_headers(&mut json);
        Bytes::from(serde_json::to_vec(&json).unwrap_or_default())
    }
}

/// Reports that open matters of the oldest games are not listed any more.
fn warn_left_out(board: &BoardId, before: LeftOut, now: LeftOut) {
    for (before, now, what) in [
        (before.unconfirmed, now.unconfirmed, "unconfirmed results"),
        (before.undecided, now.undecided, "undecided matters"),
    ] {
        if now > before {
            tracing::warn!(
                %board,
                "too many {what} of earlier games: {now} of the oldest are only in the journal"
            );
        }
    }
}

/// Returns a number that no earlier entry can have: milliseconds since 1970. A record that began at
/// 1, or at such a number, has far fewer entries than milliseconds have passed.
fn number_without_record(now: Timestamp) -> EntrySeq {
    let now = u64::try_from(now.as_millisecond()).unwrap_or(0);
    if now < SET_CLOCK_MS.unsigned_abs() {
        // A computer whose clock has no battery: at least beyond every record that began at 1.
        return EntrySeq::new(SET_CLOCK_MS.unsigned_abs()) + now;
    }
    EntrySeq::new(now)
}

/// Returns whether an input is more than a state of the board or the daemon, so that dropping it
/// would lose information.
fn is_content(input: &Input) -> bool {
    match input {
        Input::Start { .. }
        | Input::NewGame { .. }
        | Input::Link { .. }
        | Input::Orientation { .. }
        | Input::Clock { .. }
        | Input::Journal { .. }
        | Input::Mismatch { .. }
        | Input::Agreed
        | Input::Source { .. }
        | Input::Account { .. }
        | Input::Faulty { .. }
        | Input::Touched { .. }
        | Input::Overdue
        | Input::MergedWithDisk { .. }
        | Input::EntriesLost { .. }
        | Input::OtherRecord { .. }
        | Input::Dead { .. }
        | Input::Winnability { .. }
        | Input::Broker { .. }
        | Input::Pairing { .. }
        | Input::Phones { .. }
        | Input::CommandRefused { .. } => false,
        Input::Move { .. }
        | Input::Revise { .. }
        | Input::Withdraw
        | Input::Unsettled { .. }
        | Input::Rewrite { .. }
        | Input::ResultProposed { .. } => true,
        Input::Command(command) => {
            !matches!(command.verb, Verb::ClockState { .. } | Verb::Ack { .. })
        }
    }
}

/// Truncates a time to what the journal keeps: a replay must lead to the same facts.
fn whole_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}
