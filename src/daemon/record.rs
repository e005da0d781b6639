//! One board's record: the game, and the journal that it is made of.

mod age;
mod lost;
#[cfg(test)]
mod tests;
mod unsaid;

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;

use super::scribe::{Blocked, Reunion, Scribe};
use crate::{pgn::names, publish::payload::Event};
use remisd_game::{
    Command, Fact, Game, Input, JournalDown, Likeness, LostEntries, Remembered, Role, Rules,
    Stamped, UnresolvedGame, Verb,
};
use remisd_journal::{Append, Entry, Journal, RawSeal, Reader, Recorder, Recovered};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    time::{Clock, Millis, SET_CLOCK_MS, rfc3339},
};

/// A game and the entries that make it, which the disk takes in its own time.
#[derive(Debug)]
pub struct Record {
    site: SiteId,
    board: BoardId,
    session: String,
    scribe: Scribe,
    reader: Reader,
    clock: Arc<dyn Clock>,
    game: Game,
    /// The number before the first entry of the game that was found.
    found_from: u64,
    /// What was begun without a disk, until its record is found.
    apart: Option<Apart>,
    /// Nobody is to be known by what is written down.
    masks_names: bool,
    /// Operators know of every entry.
    tells_operators_all: bool,
    /// What goes over the board's line, which the entries seal.
    recorder: Option<Arc<Recorder>>,
    /// The seal that an entry has last.
    sealed: Option<RawSeal>,
    /// What an earlier game leaves to the board and no entry says yet.
    unsaid: Option<Box<UnresolvedGame>>,
    /// Entries that are lost and no entry says so yet.
    untold_loss: Vec<LostEntries>,
}

/// A game that is kept in memory alone, because there was no disk when the daemon started.
#[derive(Debug)]
struct Apart {
    /// The number before its first entry.
    before: u64,
    /// Whether it has anything that is not in the record on the disk: a move, or a command.
    has_content: bool,
}

/// What became of a game that was begun without a disk.
#[derive(Debug, PartialEq, Eq)]
pub enum Reunited {
    /// It goes on, and is written behind the record on the disk. If that had a game, here is
    /// what it leaves to the board.
    GoesOn(Option<Box<UnresolvedGame>>),
    /// Nothing had happened in it: the game on the disk is taken up.
    TakenUp,
}

/// The record that was found on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnDisk {
    /// The number before the first entry of its newest game.
    pub begins_behind: u64,
    /// Its last number.
    pub last: u64,
}

/// What an input has led to.
#[derive(Debug)]
pub struct Written {
    /// The number of its entry.
    pub seq: u64,
    /// The entry as it stands in the journal, which is also what is published of it.
    pub body: Bytes,
    /// When it came.
    pub time: Timestamp,
    /// What follows from it.
    pub facts: Vec<Fact>,
}

impl Record {
    /// Takes the record up where the journal ends. `replayed` is called with the game
    /// after every entry, the time of the entry, and how old it is at least.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read. An entry that makes no sense is logged and
    /// skipped: it was refused when it was written, too.
    pub async fn recover(
        site: SiteId,
        board: BoardId,
        session: String,
        journal: Journal,
        clock: Arc<dyn Clock>,
        rules: Rules,
        mut replayed: impl FnMut(&Game, Timestamp, Millis),
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
                    scribe: Scribe::without_disk(journal, board.clone(), before, &error),
                    reader,
                    site,
                    board,
                    session,
                    clock,
                    game,
                    found_from: before,
                    apart: Some(Apart {
                        before,
                        has_content: false,
                    }),
                    masks_names: false,
                    tells_operators_all: false,
                    recorder: None,
                    sealed: None,
                    unsaid: None,
                    untold_loss: Vec::new(),
                });
            }
            Err(error) => return Err(error.into()),
        };
        let untold_loss = lost::untold(&recovered);
        let unsaid = unsaid::left_unsaid(&reader, &board, &rules, &recovered, clock.now());
        let game = replay(&board, rules, &recovered, &mut replayed);
        let scribe = Scribe::new(journal, recovered.last_seq);
        Ok(Self {
            site,
            board,
            session,
            scribe,
            reader,
            clock,
            game,
            found_from: begins_behind(&recovered),
            apart: None,
            masks_names: false,
            tells_operators_all: false,
            recorder: None,
            sealed: None,
            unsaid,
            untold_loss,
        })
    }

    /// Puts together what was begun without a disk and the record on it, once that is found.
    /// `replayed` is called with each step of the record if it is taken up.
    pub fn reunite(
        &mut self,
        replayed: impl FnMut(&Game, Timestamp, Millis),
    ) -> Option<(Reunited, OnDisk)> {
        let (recovered, decide) = self.scribe.found()?;
        let apart = self.apart.take()?;
        self.untold_loss = lost::untold(&recovered);
        let board = &self.board;
        let found = OnDisk {
            begins_behind: begins_behind(&recovered),
            last: recovered.last_seq,
        };
        let has_record = !recovered.entries.is_empty();
        if apart.has_content || !has_record {
            let old = replay(board, self.game.rules().clone(), &recovered, |_, _, _| {});
            let what_it_leaves = has_record.then(|| Box::new(old.what_it_leaves(self.clock.now())));
            tracing::warn!(
                %board, entries = recovered.last_seq, from = apart.before + 1,
                "the record is found: the game that was begun without it is written behind it"
            );
            // Who listens has gone only when the board is given up.
            let _ = decide.send(Reunion::Keep(apart.before));
            return Some((Reunited::GoesOn(what_it_leaves), found));
        }
        let to = self.game.seq().max(recovered.last_seq);
        tracing::warn!(
            %board, entries = recovered.last_seq, passed_over = to,
            "the record is found: its game is taken up, nothing has happened without it"
        );
        self.game = replay(board, self.game.rules().clone(), &recovered, replayed);
        self.game.skip_to(to);
        self.game.show_operators_all(self.tells_operators_all);
        self.scribe.go_on_behind(to);
        let _ = decide.send(Reunion::TakeUp(to));
        Some((Reunited::TakenUp, found))
    }

    /// What the game before the newest leaves to the board, where the daemon was killed before it
    /// could write that down; once.
    pub fn take_unsaid(&mut self) -> Option<Box<UnresolvedGame>> {
        self.unsaid.take()
    }

    /// The entries that the journal has lost, where no entry says so yet; once.
    pub fn take_untold_loss(&mut self) -> Option<Input> {
        let lost = std::mem::take(&mut self.untold_loss);
        let since = self.game.missing_since();
        (!lost.is_empty()).then_some(Input::EntriesLost { lost, since })
    }

    /// Whether the record on the disk is still looked for.
    #[must_use]
    pub const fn is_apart(&self) -> bool {
        self.apart.is_some()
    }

    /// Whether names are left out of what is written down from now on.
    pub fn mask_names(&mut self, masks: bool) {
        self.masks_names = masks;
    }

    /// Whether they are.
    #[must_use]
    pub const fn masks_names(&self) -> bool {
        self.masks_names
    }

    /// Whether operators know of every entry, as the draw state is open to them.
    pub fn tell_operators_all(&mut self, all: bool) {
        self.tells_operators_all = all;
        self.game.show_operators_all(all);
    }

    /// Seals from now on what this recorder has heard.
    pub fn seal(&mut self, recorder: Option<Arc<Recorder>>) {
        self.recorder = recorder;
    }

    /// The seal of what was heard, if there is more than the last entry has.
    fn new_seal(&mut self) -> Option<RawSeal> {
        let seal = self.recorder.as_ref()?.seal()?;
        let news = self.sealed.as_ref() != Some(&seal);
        news.then(|| self.sealed.insert(seal).clone())
    }

    /// Reads what is on the disk.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Behind which entry the game begins that the journal ended with at the start.
    #[must_use]
    pub const fn found_from(&self) -> u64 {
        self.found_from
    }

    /// The game.
    #[must_use]
    pub const fn game(&self) -> &Game {
        &self.game
    }

    /// The highest number that a power cut cannot take away any more.
    #[must_use]
    pub fn durable(&self) -> u64 {
        self.scribe.durable()
    }

    /// Why entries wait for the disk; `None` if all is well.
    pub fn journal_down(&mut self) -> Option<JournalDown> {
        self.scribe.down()
    }

    /// How many entries the disk does not have yet.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.scribe.waiting()
    }

    /// Whether the beginning of a game waits for the disk.
    #[must_use]
    pub fn is_beginning(&self) -> bool {
        self.scribe.is_beginning()
    }

    /// Whether entries are known to wait for the disk longer than they should.
    #[must_use]
    pub const fn is_down(&self) -> bool {
        self.scribe.is_down()
    }

    /// Tells whether the board waits for the disk, also while it cannot say so itself.
    pub fn blocked(&self) -> Blocked {
        self.scribe.blocked()
    }

    /// Waits until [`Record::durable`] or [`Record::journal_down`] may have changed, or
    /// [`Record::reunite`] has something to do.
    pub async fn news(&mut self) {
        self.scribe.news().await;
    }

    /// Hands over what has waited for [`Record::reunite`].
    pub async fn hand_over(&mut self) {
        self.scribe.hand_over().await;
    }

    /// Whether the disk will never take what is written now.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.scribe.is_closed()
    }

    /// Waits for the record on the disk a last time, if there is something to write behind it.
    pub async fn look_once_more(&mut self) {
        if self.apart.as_ref().is_some_and(|apart| apart.has_content) {
            self.scribe.look_once_more().await;
        }
    }

    /// Gives the disk a last chance to take what waits for it.
    pub async fn close(&mut self) {
        self.scribe.close().await;
    }

    /// Applies an input and hands it to the disk. [`Record::durable`] tells when that has it, and
    /// [`Record::journal_down`] why it has not.
    pub async fn write(&mut self, input: Input) -> Written {
        let seq = self.game.seq() + 1;
        let time = whole_milliseconds(self.clock.now());
        let mut stamped = Stamped { seq, time, input };
        if let Input::Command(Command { by, role, .. }) = &mut stamped.input
            && self.masks_names
            && matches!(role, Role::White | Role::Black)
        {
            // A player's own name; the result of his command is told by his colour.
            *by = None;
        }
        if let Some(apart) = &mut self.apart {
            apart.has_content |= is_content(&stamped.input);
        }
        let facts = self.game.apply(&stamped);
        let begins_segment = facts
            .iter()
            .any(|fact| matches!(fact, Fact::GameStarted { .. }));
        // In the same entry: a power cut leaves both or neither.
        let carried = begins_segment.then(|| Box::new(self.game.carried()));
        let event = Event {
            schema: Event::SCHEMA.into(),
            site: self.site.to_string(),
            board: self.board.to_string(),
            session: self.session.clone(),
            seq,
            time: rfc3339(time),
            monotonic_ms: self.clock.monotonic_ms(),
            input: stamped.input,
            carried,
            numbers: Some(self.game.numbers().clone()),
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
        self.scribe.keep(append).await;
        Written {
            seq,
            body,
            time,
            facts: event.facts,
        }
    }

    /// The entry as it is written down and told.
    fn body(&self, event: &Event) -> Bytes {
        // Only text, numbers and lists: it always has a JSON form.
        if !self.masks_names {
            return Bytes::from(serde_json::to_vec(event).unwrap_or_default());
        }
        let mut json = serde_json::to_value(event).unwrap_or_default();
        names::mask_headers(&mut json);
        Bytes::from(serde_json::to_vec(&json).unwrap_or_default())
    }
}

/// The game that a record makes.
fn replay(
    board: &BoardId,
    rules: Rules,
    recovered: &Recovered,
    mut replayed: impl FnMut(&Game, Timestamp, Millis),
) -> Game {
    for repair in &recovered.repairs {
        tracing::warn!(%board, "the journal was repaired: {repair}");
    }
    let mut game = Game::new(rules);
    let mut gaps = lost::gaps(recovered).into_iter().peekable();
    for (at, (entry, age_ms)) in
        (0..).zip(recovered.entries.iter().zip(age::ages(&recovered.entries)))
    {
        while let Some(gap) = gaps.next_if(|gap| gap.at <= at) {
            game.bridge(gap.from, lost::understood(&recovered.entries[at..]));
        }
        if let Some(time) = remember(board, &mut game, entry) {
            replayed(&game, time, age_ms);
        }
    }
    // Where nothing is left of it, no game was begun that could have lost anything.
    if let Some(gap) = gaps.next().filter(|_| game.number() > 0) {
        game.bridge(gap.from, std::iter::empty());
    }
    game.skip_to(recovered.last_seq);
    game
}

/// The number before the first entry of the newest game.
fn begins_behind(recovered: &Recovered) -> u64 {
    let first = recovered.entries.first();
    first.map_or(recovered.last_seq, |first| first.seq.saturating_sub(1))
}

/// A number that no entry can have had before: milliseconds since 1970. A record that began at
/// 1, or at such a number, has had far fewer entries than milliseconds since.
fn number_without_record(now: Timestamp) -> u64 {
    let now = u64::try_from(now.as_millisecond()).unwrap_or(0);
    if now < SET_CLOCK_MS.unsigned_abs() {
        // A computer without a battery for its clock: at least beyond all that began at 1.
        return SET_CLOCK_MS.unsigned_abs().saturating_add(now);
    }
    now
}

/// Whether an input is more than how the board and the daemon are: something that is lost if
/// it is not kept.
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
        | Input::Faulty { .. }
        | Input::Touched { .. }
        | Input::Overdue
        | Input::Reunited { .. }
        | Input::EntriesLost { .. }
        | Input::Dead { .. }
        | Input::Winnability { .. }
        | Input::Broker { .. }
        | Input::CommandRefused { .. } => false,
        Input::Move { .. }
        | Input::Revise { .. }
        | Input::Withdraw
        | Input::ResultProposed { .. } => true,
        Input::Command(command) => {
            !matches!(command.verb, Verb::ClockState { .. } | Verb::Ack { .. })
        }
    }
}

/// The time as the journal keeps it: what follows from an entry must follow again when
/// it is read.
fn whole_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

/// Applies an entry of the journal again.
fn remember(board: &BoardId, to: &mut Game, entry: &Entry) -> Option<Timestamp> {
    let seq = entry.seq;
    let remembered: Remembered = match serde_json::from_slice(&entry.body) {
        Ok(remembered) => remembered,
        Err(error) => {
            tracing::error!(%board, seq, "an entry of the journal cannot be understood: {error}");
            return None;
        }
    };
    // What a new game does to the one before it cannot follow from its own segment.
    let begins = remembered.carried.is_some();
    let likeness = to.replay(seq, &remembered).likeness;
    if likeness != Likeness::Same && !(begins && likeness == Likeness::Essence) {
        tracing::warn!(%board, seq, "this version draws other conclusions from an entry than the one that wrote it");
    }
    Some(remembered.time)
}
