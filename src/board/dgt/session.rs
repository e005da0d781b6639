//! Decides what to send to a board and interprets its answers, without any port.
//!
//! ```text
//!   reset ▸ version ▸ serial number ▸ [battery] ▸ dump ▸ update mode ▸ clock       (start)
//!   square, square, … quiet ▸ dump        (the hand is at rest: what really is there?)
//!   interval ▸ dump                       (nothing happened: is the board still there?)
//!   no dump ▸ dump ▸ update mode, dump ▸ lost
//!   a dump with an unreported change ▸ update mode      (the board forgot the mode)
//!                                    ▸ 0.6 s ▸ dump     (a single dump may be wrong)
//!   first dump, interval ▸ missing version, serial number, battery   (a few rounds)
//! ```
//!
//! A first dump counts as one with a change. All times are durations since the port was opened,
//! passed in by the caller.

use std::{collections::VecDeque, time::Duration};

use super::{
    DgtTiming,
    clock::{self, Change, ClockMessage, ClockWatch},
    codec::{Item, Reply},
    identity::Identity,
    ms,
    table::{self, Command},
};
use crate::orientation::OrientationTracker;
use remisd_vocabulary::sensor::{
    DownCode, LinkCounters, LinkReport, Orientation, Placement, Sensed,
};

/// The wait before a dump with an unreported change is repeated. It exceeds one scan, since a
/// square can be misread within a scan.
const LOOK_AGAIN_MS: u64 = 600;
/// Unanswered dumps after which the board is given up.
const PATIENCE: u32 = 3;

/// The board has been silent for too long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardLost {
    /// No dump of a chessboard ever came.
    #[error("no chessboard answers on {port}; is it switched on, and is it a DGT board?")]
    NeverAnswered {
        /// The port.
        port: String,
    },
    /// A draughts board answered.
    #[error("the board on {port} is one for draughts, or set to draughts")]
    Draughts {
        /// The port.
        port: String,
    },
    /// The board answered before, but no longer does.
    #[error("the board on {port} no longer answers")]
    Silent {
        /// The port.
        port: String,
    },
}

impl BoardLost {
    /// The code for it.
    #[must_use]
    pub const fn code(&self) -> DownCode {
        match self {
            Self::NeverAnswered { .. } => DownCode::NeverAnswered,
            Self::Draughts { .. } => DownCode::Draughts,
            Self::Silent { .. } => DownCode::Silent,
        }
    }

    /// The same loss on a port where the board has answered in an earlier session.
    #[must_use]
    pub fn where_it_answered(self) -> Self {
        match self {
            Self::NeverAnswered { port } => Self::Silent { port },
            lost @ (Self::Draughts { .. } | Self::Silent { .. }) => lost,
        }
    }
}

/// The changes of squares since the last dump was requested.
#[derive(Debug, Clone, Copy)]
struct Burst {
    first: Duration,
    last: Duration,
}

/// One session with a board, from opening its port to losing it.
#[derive(Debug)]
pub struct DgtSession {
    timing: DgtTiming,
    turn: OrientationTracker,
    clock: ClockWatch,
    identity: Identity,
    up: bool,
    draughts: bool,
    /// The squares as last reported, in the board's own numbering.
    known: Placement,
    /// The commands to send; none appears twice.
    queue: VecDeque<Command>,
    next_send: Duration,
    /// An unanswered question of the start, and its deadline.
    question: Option<(Command, Duration)>,
    /// The deadline of the oldest unanswered dump.
    dump_due: Option<Duration>,
    missed: u32,
    burst: Option<Burst>,
    next_poll: Duration,
    /// When a dump with an unreported change is repeated.
    look_again: Option<Duration>,
    counters: LinkCounters,
    reported: LinkCounters,
    next_report: Duration,
}

impl DgtSession {
    /// Starts a session on a port that was just opened, after `reconnects` earlier openings.
    #[must_use]
    pub fn new(
        timing: DgtTiming,
        port: &str,
        turn: OrientationTracker,
        clock: ClockWatch,
        reconnects: u64,
    ) -> Self {
        let counters = LinkCounters {
            reconnects,
            ..LinkCounters::default()
        };
        Self {
            next_poll: ms(timing.interval_ms),
            look_again: None,
            timing,
            turn,
            clock,
            identity: Identity::at(port),
            up: false,
            draughts: false,
            known: Placement::empty(),
            queue: VecDeque::from([
                Command::Reset,
                Command::Version,
                Command::SerialNumber,
                Command::Board,
                Command::UpdateNice,
                Command::Clock,
            ]),
            next_send: Duration::ZERO,
            question: None,
            dump_due: None,
            missed: 0,
            burst: None,
            counters,
            reported: LinkCounters::default(),
            next_report: Duration::ZERO,
        }
    }

    /// Whether the board has answered.
    #[must_use]
    pub const fn is_up(&self) -> bool {
        self.up
    }

    /// How the board is oriented, as far as known.
    #[must_use]
    pub const fn turn(&self) -> &OrientationTracker {
        &self.turn
    }

    /// Interprets one item from the line and appends the resulting events to `out`.
    pub fn receive(&mut self, item: Item, now: Duration, out: &mut Vec<Sensed>) {
        match item {
            Item::Reply(reply) => {
                self.counters.frames += 1;
                self.reply(reply, now, out);
            }
            Item::Noise(count) => self.counters.noise_bytes += count as u64,
            Item::Unknown { id, length } => {
                tracing::debug!(id, length, "message of an unknown kind");
                self.counters.unknown_frames += 1;
            }
            Item::Bad { id, length } => {
                tracing::debug!(id, length, "message refused");
                self.draughts |= id == table::id::BOARD_DUMP && length > HEADER_AND_SQUARES;
                self.counters.bad_frames += 1;
            }
            // During a log the board sends nothing else, so the dump gets more time.
            Item::Log(_) => self.dump_due = self.dump_due.map(|_| now + ms(self.timing.dump_ms)),
        }
    }

    fn reply(&mut self, reply: Reply, now: Duration, out: &mut Vec<Sensed>) {
        match reply {
            Reply::BoardDump(codes) => self.dump(&codes, now, out),
            Reply::FieldUpdate { square, piece } => self.field_update(square, piece, now, out),
            Reply::Clock(raw) => self.clock_message(raw, out),
            Reply::Version(..) => self.answered(Command::Version, &reply, out),
            Reply::SerialNumber(_) => self.answered(Command::SerialNumber, &reply, out),
            Reply::LongSerialNumber(_) => self.answered(Command::LongSerialNumber, &reply, out),
            Reply::Battery(_) => self.answered(Command::Battery, &reply, out),
            Reply::DraughtsDump(_) => self.draughts = true,
            Reply::BusAddress(_) | Reply::Trademark(_) | Reply::HardwareVersion(_) => {}
        }
    }

    /// Records what the board reported about itself and closes `question`.
    fn answered(&mut self, question: Command, reply: &Reply, out: &mut Vec<Sensed>) {
        self.question.take_if(|(pending, _)| *pending == question);
        let known = self.identity.device().clone();
        let next = self.identity.take(reply);
        if let Some(next) = next.filter(|next| !self.queue.contains(next)) {
            self.queue.push_front(next);
        }
        let device = self.identity.device();
        if self.up && *device != known {
            out.push(Sensed::Link(LinkReport::Device(device.clone())));
        }
    }

    /// Sends the unanswered questions again.
    fn ask_again(&mut self) {
        for question in self.identity.next_round() {
            self.want(question);
        }
    }

    fn dump(&mut self, codes: &[u8; 64], now: Duration, out: &mut Vec<Sensed>) {
        let mut seen = Placement::empty();
        for (index, &code) in (0..).zip(codes) {
            if let (Some(square), Some(piece)) = (table::square(index), table::seen(code)) {
                seen.set(square, piece);
            }
        }
        let first = !std::mem::replace(&mut self.up, true);
        let unreported = std::mem::replace(&mut self.known, seen) != self.known;
        if unreported && !first {
            // A change that was not reported: bytes were lost, or the board lost power and forgot
            // the update mode.
            self.want(Command::UpdateNice);
        }
        self.dump_due = None;
        self.missed = 0;
        self.next_poll = now + ms(self.timing.interval_ms);
        if unreported || first {
            // This rests on a single dump: another one has to agree.
            self.look_again = Some(now + ms(self.timing.interval_ms.min(LOOK_AGAIN_MS)));
        }
        if first {
            out.push(Sensed::Link(LinkReport::Up(self.identity.device().clone())));
            // On a line that was dead until now, the commands sent before this answer may be lost.
            self.want(Command::UpdateNice);
            self.ask_again();
        }
        if let Some(orientation) = self.turn.observe(&self.known) {
            out.push(Sensed::Orientation(orientation));
            self.report_clock(self.turn.current(), ClockWatch::orient, out);
        }
        out.push(Sensed::Placement(self.turn.placement(&self.known)));
    }

    fn field_update(&mut self, index: u8, code: u8, now: Duration, out: &mut Vec<Sensed>) {
        if !self.up {
            return; // the first dump is still to come and will contain this change
        }
        let (Some(square), Some(seen)) = (table::square(index), table::seen(code)) else {
            return;
        };
        let first = self.burst.map_or(now, |burst| burst.first);
        self.burst = Some(Burst { first, last: now });
        // A board may report the same change twice.
        if self.known.set(square, seen) != seen {
            out.push(Sensed::Square(self.turn.square(square), seen));
        }
    }

    fn clock_message(&mut self, raw: [u8; 7], out: &mut Vec<Sensed>) {
        match clock::decode(raw) {
            ClockMessage::Times(times) if self.up => {
                let observe = |watch: &mut ClockWatch, turn| watch.observe(times, turn);
                self.report_clock(self.turn.current(), observe, out);
            }
            ClockMessage::Absent => {
                self.report_clock(self.turn.current(), |watch, _| watch.leave(), out);
            }
            ClockMessage::Impossible => self.counters.bad_frames += 1,
            ClockMessage::Times(_) | ClockMessage::Ack(_) | ClockMessage::Empty => {}
        }
    }

    fn report_clock(
        &mut self,
        orientation: Orientation,
        observe: impl FnOnce(&mut ClockWatch, Orientation) -> Change,
        out: &mut Vec<Sensed>,
    ) {
        match observe(&mut self.clock, orientation) {
            Change::Reading(reading) => out.push(Sensed::Clock(reading)),
            Change::Doubted => self.want(Command::Clock),
            Change::None => {}
        }
    }

    /// Handles expired deadlines and appends reports to `out`.
    ///
    /// # Errors
    ///
    /// Returns [`BoardLost`] when the board has been silent for too long.
    pub fn wake(&mut self, now: Duration, out: &mut Vec<Sensed>) -> Result<(), BoardLost> {
        if self.question.is_some_and(|(_, until)| now >= until) {
            self.question = None;
        }
        if self.dump_due.is_some_and(|until| now >= until) {
            self.dump_due = None;
            self.missed += 1;
            if self.missed >= PATIENCE {
                return Err(self.lost());
            }
            if self.missed + 1 == PATIENCE {
                self.want(Command::UpdateNice);
            }
            self.want(Command::Board);
        }
        if self.next_dump().is_some_and(|due| now >= due) {
            self.want(Command::Board);
            if now >= self.next_poll {
                self.ask_again();
            }
        }
        if self.counters != self.reported && now >= self.next_report {
            self.reported = self.counters;
            self.next_report = now + ms(self.timing.counters_ms);
            out.push(Sensed::Link(LinkReport::Counters(self.counters)));
        }
        Ok(())
    }

    fn lost(&self) -> BoardLost {
        let port = self.identity.device().port.clone();
        match (self.up, self.draughts) {
            (true, _) => BoardLost::Silent { port },
            (false, true) => BoardLost::Draughts { port },
            (false, false) => BoardLost::NeverAnswered { port },
        }
    }

    /// When the next dump is due, because the hand is at rest or nothing has happened for long.
    fn next_dump(&self) -> Option<Duration> {
        if !self.up || self.queue.contains(&Command::Board) {
            return None;
        }
        let rest = self.burst.map(|burst| {
            let quiet = burst.last + ms(self.timing.quiet_ms);
            quiet.min(burst.first + ms(self.timing.burst_ms))
        });
        let due = [rest, self.look_again, Some(self.next_poll)];
        due.into_iter().flatten().min()
    }

    fn want(&mut self, command: Command) {
        if !self.queue.contains(&command) {
            self.queue.push_back(command);
        }
    }

    /// Returns the command to send now, if there is one.
    pub fn command(&mut self, now: Duration) -> Option<Command> {
        if self.question.is_some() || now < self.next_send {
            return None;
        }
        let command = self.queue.pop_front()?;
        self.next_send = now + ms(self.timing.command_gap_ms);
        match command {
            Command::Board => {
                self.burst = None;
                // A dump that comes sooner may belong to the same scan.
                self.look_again.take_if(|again| *again <= now);
                self.next_poll = now + ms(self.timing.interval_ms);
                self.dump_due.get_or_insert(now + ms(self.timing.dump_ms));
            }
            Command::Reset | Command::UpdateNice | Command::Clock => {}
            // A repeated question delays nothing: it may never be answered.
            _ if self.up => {}
            question => self.question = Some((question, now + ms(self.timing.question_ms))),
        }
        Some(command)
    }

    /// When [`Self::wake`] or [`Self::command`] next has something to do, if no byte arrives
    /// before.
    #[must_use]
    pub fn next_wake(&self) -> Duration {
        let question = self.question.map(|(_, until)| until);
        let send = (!self.queue.is_empty()).then(|| question.unwrap_or(self.next_send));
        let report = (self.counters != self.reported).then_some(self.next_report);
        [question, send, self.dump_due, self.next_dump(), report]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(Duration::MAX)
    }
}

/// The length of a chessboard dump: 3 header bytes and 64 squares.
const HEADER_AND_SQUARES: usize = 67;

#[cfg(test)]
mod tests;
