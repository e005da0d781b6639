//! A simulated board whose pieces are moved by the test.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use remisd::simulate::{
    Profile,
    clock::SimulatedClock,
    dgt::{SCAN_SQUARE_US, SimulatedBoard},
    hand::{Gesture, Hand},
    pty::Pty,
};
use remisd_board::dgt::table::{self, Command};
use remisd_vocabulary::sensor::Seen;
use shakmaty::{Board, Chess, Position, uci::UciMove};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::{Instant, sleep_until},
};

/// The speed of the simulated world.
const SPEED: u64 = 20;
const CLOCK_MS: u64 = 90 * 60 * 1_000;

enum Act {
    Put(u8, u8),
    Noise(Vec<u8>),
    /// From now on, ignore the first question for the serial number after each reset.
    Mumble,
    /// Put another board with this serial number at the same adapter.
    Swap([u8; 5]),
    /// Reply once everything before has been scanned and sent.
    Idle(oneshot::Sender<()>),
    /// Pull the cable.
    Unplug,
    /// Plug it in again: a new pseudo-terminal at the given link.
    PlugIn(PathBuf),
}

/// A board and a game on it; nothing happens unless the test does it.
pub struct ByHand {
    acts: mpsc::UnboundedSender<Act>,
    hand: Hand,
    position: Chess,
    board: Board,
    /// The board is turned by 180 degrees.
    rotated: bool,
    port: PathBuf,
    _task: JoinSet<()>,
}

impl ByHand {
    /// A board at `port` with the start position.
    pub fn start(port: &Path) -> Self {
        Self::start_at(port, Chess::default())
    }

    /// A board at `port` with `position` on it.
    pub fn start_at(port: &Path, position: Chess) -> Self {
        let board = position.board().clone();
        Self::start_with(port, position, board, false)
    }

    /// A board at `port` that is turned by 180 degrees, with the start position.
    pub fn start_rotated(port: &Path) -> Self {
        Self::start_with(port, Chess::default(), Board::new(), true)
    }

    /// A board at `port` with these pieces instead of the start position.
    pub fn start_wrong(port: &Path, board: Board) -> Self {
        Self::start_with(port, Chess::default(), board, false)
    }

    /// A board at `port` with this serial number and the start position.
    pub fn start_numbered(port: &Path, serial: [u8; 5]) -> Self {
        let position = Chess::default();
        Self::start_as(port, position, Board::new(), false, Some(serial))
    }

    /// The same, but after each reset it answers only the second question for its serial number.
    pub fn start_reluctant(port: &Path, serial: [u8; 5]) -> Self {
        let board = Self::start_numbered(port, serial);
        board.act(Act::Mumble);
        board
    }

    /// Puts another board with this serial number at the same adapter: the port stays.
    pub fn swap(&self, serial: [u8; 5]) {
        self.act(Act::Swap(serial));
    }

    fn start_with(port: &Path, position: Chess, board: Board, rotated: bool) -> Self {
        Self::start_as(port, position, board, rotated, None)
    }

    fn start_as(
        port: &Path,
        position: Chess,
        board: Board,
        rotated: bool,
        serial: Option<[u8; 5]>,
    ) -> Self {
        let mut squares = [0; 64];
        for (square, piece) in board.clone() {
            squares[usize::from(index(square, rotated))] = table::code(Seen::Piece(piece));
        }
        let clock = SimulatedClock::new(true, CLOCK_MS);
        let (acts, inbox) = mpsc::unbounded_channel();
        let mut task = JoinSet::new();
        let pty = Pty::open(Some(port)).unwrap();
        let mut simulated = SimulatedBoard::new(squares, clock);
        if let Some(serial) = serial {
            simulated = simulated.with_serial(serial);
        }
        task.spawn(run(simulated, pty, inbox));
        Self {
            acts,
            hand: Hand::new(Profile::Plain, 1),
            board,
            position,
            rotated,
            port: port.to_owned(),
            _task: task,
        }
    }

    fn act(&self, act: Act) {
        assert!(self.acts.send(act).is_ok(), "the board lives");
    }

    async fn gestures(&mut self, gestures: Vec<Gesture>) {
        for Gesture { square, piece, .. } in gestures {
            match piece {
                Some(piece) => self.board.set_piece_at(square, piece),
                None => self.board.discard_piece_at(square),
            }
            let code = piece.map_or(0, |piece| table::code(Seen::Piece(piece)));
            self.act(Act::Put(index(square, self.rotated), code));
            self.idle().await;
        }
    }

    /// Waits until all changes have been scanned and sent.
    async fn idle(&self) {
        let (done, wait) = oneshot::channel();
        self.act(Act::Idle(done));
        wait.await.unwrap();
    }

    /// Makes a move, one piece at a time, and returns it in UCI.
    pub async fn play(&mut self, uci: &str) -> String {
        let m = uci.parse::<UciMove>().unwrap().to_move(&self.position);
        let m = m.unwrap_or_else(|error| panic!("{uci}: {error}"));
        let gestures = self.hand.ply(&self.position, m);
        self.gestures(gestures).await;
        self.position.play_unchecked(m);
        uci.to_owned()
    }

    /// Lifts the piece on a square; it may be moved afterwards.
    pub async fn lift(&mut self, square: shakmaty::Square) {
        let gesture = Gesture {
            square,
            piece: None,
            after_us: 0,
        };
        self.gestures(vec![gesture]).await;
    }

    /// Moves a piece to a square, ignoring the rules.
    pub async fn carry(&mut self, from: shakmaty::Square, to: shakmaty::Square) {
        let piece = self.board.remove_piece_at(from).unwrap();
        self.board.set_piece_at(to, piece);
        let put = |square, code| Act::Put(index(square, self.rotated), code);
        self.act(put(from, 0));
        self.idle().await;
        self.act(put(to, table::code(Seen::Piece(piece))));
        self.idle().await;
    }

    /// Removes what does not belong to `position` and sets up the rest.
    pub async fn set_up(&mut self, position: Chess) {
        let gestures = self.hand.set_up(&self.board, position.board());
        self.gestures(gestures).await;
        self.position = position;
    }

    /// The cable, to be pulled from elsewhere.
    pub fn cable(&self) -> Cable {
        Cable {
            acts: self.acts.clone(),
            port: self.port.clone(),
        }
    }

    /// The game played by the test.
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// Puts bytes on the line that the board did not send.
    pub async fn noise(&self, bytes: Vec<u8>) {
        self.act(Act::Noise(bytes));
        self.idle().await;
    }
}

/// The cable of a board, whose pieces may be moved while it is unplugged.
#[derive(Clone)]
pub struct Cable {
    acts: mpsc::UnboundedSender<Act>,
    port: PathBuf,
}

impl Cable {
    /// Pulls the cable.
    pub fn unplug(&self) {
        assert!(self.acts.send(Act::Unplug).is_ok(), "the board lives");
    }

    /// Plugs the cable in again.
    pub fn plug_in(&self) {
        self.plug_in_at(&self.port);
    }

    /// Plugs the cable in at another port.
    pub fn plug_in_at(&self, port: &Path) {
        let plugged = self.acts.send(Act::PlugIn(port.to_owned()));
        assert!(plugged.is_ok(), "the board lives");
    }
}

/// The wire index of a square on a board that may be turned.
fn index(square: shakmaty::Square, rotated: bool) -> u8 {
    let index = table::index(square);
    if rotated { 63 - index } else { index }
}

/// Waits for bytes from the host; forever while the cable is unplugged.
async fn read_host(pty: &mut Option<Pty>, buffer: &mut [u8]) -> usize {
    match pty {
        Some(pty) => pty.read(buffer).await.unwrap(),
        None => std::future::pending().await,
    }
}

async fn run(mut board: SimulatedBoard, pty: Pty, mut acts: mpsc::UnboundedReceiver<Act>) {
    let mut pty = Some(pty);
    let begun = Instant::now();
    let simulated = || {
        let passed = u64::try_from(begun.elapsed().as_micros()).unwrap();
        passed * SPEED
    };
    let mut buffer = [0; 256];
    let mut out = Vec::new();
    let mut scanned = 0;
    let mut advanced = 0;
    let mut waiting: Option<oneshot::Sender<()>> = None;
    // Whether it ignores questions, and whether it has done so since the last reset.
    let mut mumbles: Option<bool> = None;
    loop {
        let done = advanced >= scanned && out.is_empty() && board.next_byte().is_none();
        if done && let Some(waiting) = waiting.take() {
            waiting.send(()).ok();
        }
        let mut next = board.next_event();
        next = board.next_byte().map_or(next, |byte| byte.min(next));
        if waiting.is_some() && scanned > advanced {
            next = next.min(scanned);
        }
        let mut wake = begun + Duration::from_micros(next / SPEED + 1);
        if !out.is_empty() {
            // The host reads slowly: check soon whether there is room.
            wake = wake.min(Instant::now() + Duration::from_millis(2));
        }
        tokio::select! {
            count = read_host(&mut pty, &mut buffer) => {
                let mut bytes = buffer[..count].to_vec();
                if let Some(mumbled) = &mut mumbles {
                    bytes.retain(|&byte| {
                        *mumbled &= byte != Command::Reset.byte();
                        byte != Command::SerialNumber.byte() || std::mem::replace(mumbled, true)
                    });
                }
                board.receive(&bytes, simulated());
            }
            act = acts.recv(), if waiting.is_none() => match act {
                None => return,
                Some(Act::Put(index, code)) => {
                    let now = simulated();
                    board.put(index, code, now);
                    scanned = now + 64 * SCAN_SQUARE_US;
                }
                Some(Act::Noise(bytes)) => out.extend(bytes),
                Some(Act::Mumble) => mumbles = Some(false),
                Some(Act::Swap(serial)) => board = board.with_serial(serial),
                Some(Act::Idle(done)) => waiting = Some(done),
                Some(Act::Unplug) => pty = None,
                Some(Act::PlugIn(port)) => {
                    pty = Some(Pty::open(Some(&port)).unwrap());
                    board.power_up();
                }
            },
            () = sleep_until(wake) => {}
        }
        let now = simulated();
        board.advance(now);
        advanced = now;
        out.extend(board.carried(now));
        match &pty {
            Some(pty) => drop(out.drain(..pty.try_write(&out).unwrap())),
            None => out.clear(),
        }
    }
}
