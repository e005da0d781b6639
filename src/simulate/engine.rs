//! The task in which the simulated world runs.

use std::{future::pending, io, path::PathBuf, time::Duration};

use tokio::{
    sync::mpsc::{self, error::TrySendError},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{
    Control, Options, Progress,
    clock::SimulatedClock,
    dgt::{Quirks, SimulatedBoard},
    hand::Hand,
    play::{Act, Player},
    pty::Pty,
    score::{Score, Unplayable},
};
use remisd_board::dgt::table;
use remisd_vocabulary::sensor::Seen;

/// A host that does not read for this long loses bytes.
const PATIENCE: Duration = Duration::from_secs(1);
/// The longest sleep when nothing is planned.
const IDLE: Duration = Duration::from_mins(1);

/// Whether the line has room for more bytes.
#[derive(Debug, Clone, Copy)]
enum Flow {
    Free,
    /// The host has not read since then.
    Blocked(Instant),
    /// The host has not read for so long that bytes are dropped.
    Deaf,
}

pub(super) struct World {
    options: Options,
    player: Player,
    board: SimulatedBoard,
    pty: Option<Pty>,
    /// Bytes that the line has carried but the pseudo-terminal has no room for yet.
    out: Vec<u8>,
    flow: Flow,
    watched: bool,
    /// The board is silent, as if the line were broken.
    silent: bool,
    /// A report that found no room in the channel, and since when the hand waits for it.
    unsent: Option<(u64, Progress)>,
    /// Since when the hand waits for confirmation that the position it has set up is known.
    held: Option<u64>,
    progress_out: mpsc::Sender<Progress>,
    /// A moment of real time, and the same moment in simulated microseconds.
    anchor: (Instant, u64),
    now: u64,
}

impl World {
    pub(super) fn new(
        games: Vec<Result<Score, Unplayable>>,
        options: Options,
        pty: Pty,
        progress_out: mpsc::Sender<Progress>,
    ) -> Self {
        let first = options
            .games
            .first()
            .and_then(|first| games[*first].as_ref().ok());
        let first = first.or_else(|| games.iter().flatten().next());
        let time_ms = first.map_or(0, |game| game.time_ms);
        let hand = Hand::new(options.profile, options.seed);
        let player = Player::new(games, hand, micros(options.longest_thought))
            .thinking_at_claims(micros(options.thought_at_claim))
            .playing(options.games.clone(), options.repeat);
        let mut squares = [0; 64];
        for (square, piece) in player.board() {
            let index = index(square, options.rotated);
            squares[usize::from(index)] = table::code(Seen::Piece(piece));
        }
        // White's time is on the left, unless exactly one of the board and the clock is turned.
        let clock = SimulatedClock::new(options.rotated == options.clock_reversed, time_ms);
        Self {
            board: SimulatedBoard::new(squares, clock)
                .with_quirks(Quirks::of(options.profile, options.seed)),
            options,
            player,
            pty: Some(pty),
            out: Vec::new(),
            flow: Flow::Free,
            watched: false,
            silent: false,
            unsent: None,
            held: None,
            progress_out,
            anchor: (Instant::now(), 0),
            now: 0,
        }
    }

    pub(super) async fn run(
        mut self,
        mut controls: mpsc::Receiver<Control>,
        end: CancellationToken,
    ) {
        let mut buffer = [0; 256];
        let progress_out = self.progress_out.clone();
        loop {
            let wake = self.wake();
            tokio::select! {
                biased;
                () = end.cancelled() => return,
                Some(control) = controls.recv() => self.control(control),
                read = read_host(&mut self.pty, &mut buffer) => match read {
                    Ok(count) => {
                        self.catch_up();
                        self.board.receive(&buffer[..count], self.now);
                    }
                    Err(error) => {
                        tracing::warn!(%error, "the simulated line broke");
                        self.unplug();
                    }
                },
                permit = progress_out.reserve(), if self.unsent.is_some() => {
                    if let (Ok(permit), Some((_, progress))) = (permit, &self.unsent) {
                        permit.send(progress.clone());
                    }
                    self.sent();
                }
                () = sleep_until(wake) => {}
            }
            self.catch_up();
            self.write();
        }
    }

    /// Ends a wait of the hand for the channel.
    fn sent(&mut self) {
        if let Some((since, _)) = self.unsent.take() {
            self.player.delay(self.now.saturating_sub(since));
        }
    }

    /// Returns when the hand acts next.
    fn next_act(&mut self) -> Option<u64> {
        (self.watched && self.unsent.is_none() && self.held.is_none())
            .then(|| self.player.next_at())
            .flatten()
    }

    /// Converts a moment to simulated time.
    fn simulated(&self, moment: Instant) -> u64 {
        let (real, simulated) = self.anchor;
        let passed = moment.saturating_duration_since(real).as_secs_f64() * 1e6;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "elapsed microseconds are never negative and stay below 2^63"
        )]
        let passed = (passed * self.options.speed) as u64;
        simulated + passed
    }

    /// Restarts the time from here after the world stood still.
    fn resume(&mut self) {
        self.anchor = (Instant::now(), self.now);
    }

    /// Returns when there is something to do.
    fn wake(&mut self) -> Instant {
        if let Flow::Blocked(since) = self.flow {
            // A notification of room on the line could be missed, so poll.
            return (Instant::now() + Duration::from_millis(2)).min(since + PATIENCE);
        }
        let hand = self.next_act();
        let next = [Some(self.board.next_event()), self.board.next_byte(), hand]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(u64::MAX);
        let (real, simulated) = self.anchor;
        #[expect(
            clippy::cast_precision_loss,
            reason = "an f64 holds two centuries of microseconds exactly"
        )]
        let seconds = next.saturating_sub(simulated) as f64 / 1e6 / self.options.speed;
        real + Duration::try_from_secs_f64(seconds).unwrap_or(IDLE)
    }

    /// Executes everything due by now, each event at its own time. The world stands still while the
    /// line is blocked.
    fn catch_up(&mut self) {
        if matches!(self.flow, Flow::Blocked(_)) {
            return;
        }
        let target = self.simulated(Instant::now());
        if !self.watched && self.board.is_watched() {
            self.watched = true;
            self.player.wait_until(self.now);
        }
        loop {
            let event = self.board.next_event();
            let hand = self.next_act();
            let next = hand.map_or(event, |at| at.min(event));
            if next > target {
                break;
            }
            self.now = self.now.max(next);
            self.carry();
            if hand.is_some_and(|at| at <= event) {
                if let Some(act) = self.player.act(self.now) {
                    self.act(act);
                }
            } else {
                self.board.advance(self.now);
            }
        }
        self.now = self.now.max(target);
        self.carry();
    }

    fn act(&mut self, act: Act) {
        let now = self.now;
        match act {
            Act::Put(square, piece) => {
                let code = piece.map_or(0, |piece| table::code(Seen::Piece(piece)));
                self.board
                    .put(index(square, self.options.rotated), code, now);
            }
            Act::Press { by, time_ms } => self.board.clock.press(by, time_ms, now),
            Act::SetClock { time_ms, to_move } => self.board.clock.set(time_ms, to_move),
            Act::StartClock => self.board.clock.start(now),
            Act::StopClock => self.board.clock.stop(now),
            Act::Deaden(square, for_us) => {
                let index = index(square, self.options.rotated);
                return self.board.deaden(index, now + for_us);
            }
            Act::Misread(square, piece) => {
                let code = piece.map_or(0, |piece| table::code(Seen::Piece(piece)));
                let index = index(square, self.options.rotated);
                return self.board.misread(index, code, now);
            }
            Act::Unplug => return self.unplug_by_hand(),
            Act::PlugIn => return self.plug_in_by_hand(),
            Act::Mark(_) => return,
            Act::Report(progress) => {
                let is_set_up = matches!(
                    &progress,
                    Progress::GameStarted {
                        start_fen: Some(_),
                        ..
                    }
                );
                self.held = (is_set_up && self.options.waits_when_set_up).then_some(now);
                if let Err(TrySendError::Full(progress)) = self.progress_out.try_send(progress) {
                    self.unsent = Some((now, progress));
                }
                return;
            }
        }
        self.board.clock_changed(now);
    }

    /// Moves the bytes that the line has carried to the output buffer.
    fn carry(&mut self) {
        let carried = self.board.carried(self.now);
        if self.pty.is_some() && !self.silent {
            self.out.extend(carried);
        }
    }

    /// Writes as much as there is room for.
    fn write(&mut self) {
        let Some(pty) = &self.pty else {
            return;
        };
        while !self.out.is_empty() {
            match pty.try_write(&self.out) {
                Ok(0) => break,
                Ok(written) => {
                    self.out.drain(..written);
                    if !matches!(self.flow, Flow::Free) {
                        self.flow = Flow::Free;
                        self.anchor = (Instant::now(), self.now);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "the simulated line broke");
                    self.unplug();
                    return;
                }
            }
        }
        if self.out.is_empty() {
            return;
        }
        match self.flow {
            Flow::Free => self.flow = Flow::Blocked(Instant::now()),
            Flow::Blocked(since) if since.elapsed() < PATIENCE => {}
            Flow::Blocked(_) => {
                self.flow = Flow::Deaf;
                self.out.clear();
                self.resume();
            }
            Flow::Deaf => self.out.clear(),
        }
    }

    /// Pulls the cable. Without a link through which a host could find the next device, the board
    /// only falls silent.
    fn unplug_by_hand(&mut self) {
        if self.options.link.is_some() {
            self.unplug();
        } else {
            self.silent = true;
        }
    }

    fn plug_in_by_hand(&mut self) {
        if self.options.link.is_none() {
            self.silent = false;
            self.board.power_up();
        } else if let Err(error) = self.plug_in() {
            tracing::warn!(%error, "the simulated board cannot be plugged in again");
        }
    }

    fn unplug(&mut self) {
        self.pty = None;
        self.out.clear();
        if matches!(self.flow, Flow::Blocked(_)) {
            self.resume();
        }
        self.flow = Flow::Free;
    }

    fn control(&mut self, control: Control) {
        // The requester may have gone away.
        match control {
            Control::Unplug(done) => {
                self.unplug();
                let _ = done.send(());
            }
            Control::PlugIn(done) => {
                let _ = done.send(self.plug_in());
            }
            Control::Noise(bytes) => self.out.extend(bytes),
            Control::GoOn => {
                self.catch_up();
                if let Some(since) = self.held.take() {
                    self.player.delay(self.now.saturating_sub(since));
                }
            }
        }
    }

    fn plug_in(&mut self) -> io::Result<PathBuf> {
        self.unplug();
        let pty = Pty::open(self.options.link.as_deref())?;
        let path = pty.path().to_owned();
        self.pty = Some(pty);
        self.board.power_up();
        Ok(path)
    }
}

/// Waits for bytes from the host; forever while the cable is pulled.
async fn read_host(pty: &mut Option<Pty>, buffer: &mut [u8]) -> io::Result<usize> {
    match pty {
        Some(pty) => pty.read(buffer).await,
        None => pending().await,
    }
}

/// Converts to microseconds, capped so that sums of times cannot overflow.
fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).map_or(u64::MAX / 8, |micros| micros.min(u64::MAX / 8))
}

/// Returns a chess square's index on the wire.
fn index(square: shakmaty::Square, rotated: bool) -> u8 {
    let index = table::index(square);
    if rotated { 63 - index } else { index }
}
