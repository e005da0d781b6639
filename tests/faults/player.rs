//! Plays one game after another at a board, whatever happens to the daemon.
//!
//! The player continues during outages as far as the moves can be reconstructed under the Laws: at
//! most two plies, and none that could have been others. Beyond that no daemon could know the
//! moves; it would report that to the arbiter.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use remisd::simulate::score::{Ply, Score};
use serde_json::Value;
use shakmaty::{Chess, Move, Position as _};
use tokio::{
    sync::{OwnedRwLockReadGuard, RwLock, watch},
    time::{sleep, timeout},
};

use remisd_testkit::{
    PATIENCE,
    by_hand::{ByHand, Cable},
    received::{KnownGame, Received},
    remisd::{Home, entries_of},
};

/// How many plies may be played during an outage.
const UNSEEN: usize = 2;
/// How often a journal file is checked for growth.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The state shared by the players and the fault injector.
pub struct Hall {
    pub home: Home,
    /// Nothing is written, so the retained topic is the only evidence of the game.
    pub disk_full: AtomicBool,
    /// A player with a piece in hand holds a read lock; to find all pieces at rest, take the write
    /// lock.
    pub pieces: Arc<RwLock<()>>,
    /// No player starts another ply.
    pub closing: AtomicBool,
    /// Plies played at all boards.
    pub plies: watch::Sender<u64>,
    /// Boards without a game, because the next one is being set up.
    pub between: Mutex<BTreeSet<String>>,
    played: Mutex<BTreeMap<String, Vec<Vec<String>>>>,
}

impl Hall {
    pub fn new(home: Home) -> Self {
        Self {
            home,
            disk_full: AtomicBool::new(false),
            pieces: Arc::default(),
            closing: AtomicBool::new(false),
            plies: watch::Sender::new(0),
            between: Mutex::default(),
            played: Mutex::default(),
        }
    }

    /// The games played at a board, in UCI; the last may be unfinished.
    pub fn played(&self, board: &str) -> Vec<Vec<String>> {
        let played = self.played.lock().unwrap();
        played.get(board).cloned().unwrap_or_default()
    }

    fn begin(&self, board: &str) {
        let mut played = self.played.lock().unwrap();
        played.entry(board.to_owned()).or_default().push(Vec::new());
    }

    fn play(&self, board: &str, uci: &str) {
        let mut played = self.played.lock().unwrap();
        let game = played.get_mut(board).unwrap().last_mut().unwrap();
        game.push(uci.to_owned());
        drop(played);
        self.plies.send_modify(|plies| *plies += 1);
    }

    /// The last log lines of the daemons.
    pub fn log(&self) -> String {
        let log = self.home.config().with_file_name("remisd.log");
        let log = std::fs::read_to_string(log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(80)..].join("\n")
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// The newest game in a board's journal.
    pub fn recorded(&self, board: &str) -> KnownGame {
        let segments = self.home.segments(board);
        segments
            .last()
            .map_or((0, Vec::new()), |file| in_file(file))
    }
}

fn in_file(segment: &Path) -> KnownGame {
    let mut known = (0, Vec::new());
    for entry in entries_of(segment) {
        for fact in entry["facts"].as_array().unwrap() {
            take(fact, &mut known);
        }
    }
    known
}

/// Applies a fact that changes the known moves.
pub fn take(fact: &Value, known: &mut KnownGame) {
    match fact["type"].as_str().unwrap() {
        "game_started" => *known = (fact["game"].as_u64().unwrap(), Vec::new()),
        "move_made" => known.1.push(fact["uci"].as_str().unwrap().to_owned()),
        "move_retracted" => drop(known.1.pop()),
        _ => {}
    }
}

/// Whether a board last seen at `from` proves that these moves were made. Then no other line of
/// this length or one ply more leads to the same squares. An exchange that leaves only two empty
/// squares may also be two pieces in players' hands.
pub fn is_certain(from: &Chess, moves: &[Move]) -> bool {
    let end = moves.iter().fold(from.clone(), |mut position, made| {
        position.play_unchecked(*made);
        position
    });
    let (before, after) = (from.board(), end.board());
    let shows = after
        .clone()
        .into_iter()
        .any(|(square, piece)| before.piece_at(square) != Some(piece));
    let longer = ways(from, &end, moves.len() + 1);
    shows && ways(from, &end, moves.len()) == 1 && longer == 0
}

fn ways(from: &Chess, to: &Chess, plies: usize) -> usize {
    if plies == 0 {
        return usize::from(from.board() == to.board());
    }
    let after = from.legal_moves().into_iter().map(|made| {
        let mut position = from.clone();
        position.play_unchecked(made);
        position
    });
    after.map(|position| ways(&position, to, plies - 1)).sum()
}

/// Both players of a board, and the board.
pub struct Player {
    hall: Arc<Hall>,
    name: String,
    table: ByHand,
    received: Received,
    /// The number of the current game, or of the previous one while the next is set up.
    game: u64,
    /// The newest journal file, its length, and its content when last read.
    seen: (PathBuf, u64, KnownGame),
}

impl Player {
    /// Sits down at a board.
    pub fn new(hall: Arc<Hall>, name: &str, received: Received) -> Self {
        let table = ByHand::start(&hall.home.port(name));
        Self {
            hall,
            name: name.to_owned(),
            table,
            received,
            game: 0,
            seen: (PathBuf::new(), 0, (0, Vec::new())),
        }
    }

    /// The board's cable.
    pub fn cable(&self) -> Cable {
        self.table.cable()
    }

    /// Plays these games repeatedly until the hall closes and every move is known. Returns the
    /// board as the player leaves it.
    pub async fn play(mut self, games: Vec<Score>) -> ByHand {
        for score in games.iter().cycle() {
            if self.hall.is_closing() {
                break;
            }
            let name = self.name.clone();
            self.table.set_up(score.start.clone()).await;
            self.until("new game", |(game, moves), last| {
                *game > last && moves.is_empty()
            })
            .await;
            self.game = self.known().0;
            self.hall.begin(&self.name);
            self.hall.between.lock().unwrap().remove(&name);
            let plies = self.game(score).await;
            let all: Vec<String> = plies.iter().map(|ply| ply.uci.clone()).collect();
            let over = |(_, moves): &KnownGame, _| *moves == all;
            let seen = self.until_safely("end of the game", over).await;
            self.hall.between.lock().unwrap().insert(name);
            drop(seen);
        }
        self.table
    }

    /// Plays a game and returns the plies made.
    async fn game<'a>(&mut self, score: &'a Score) -> &'a [Ply] {
        let mut positions = vec![score.start.clone()];
        for (at, ply) in score.plies.iter().enumerate() {
            let may_go_on = |(game, moves): &KnownGame, current| {
                // Two games may begin with the same moves.
                let moves: &[String] = if *game == current { moves } else { &[] };
                let known = common(moves, &score.plies[..at]);
                let unseen = score.plies[known..=at].iter().map(|ply| ply.played);
                let unseen: Vec<Move> = unseen.collect();
                unseen.len() <= 1
                    || unseen.len() <= UNSEEN && is_certain(&positions[known], &unseen)
            };
            let in_hand = self
                .until_safely("sight of the last plies", may_go_on)
                .await;
            if self.hall.is_closing() {
                return &score.plies[..at];
            }
            self.table.play(&ply.uci).await;
            self.hall.play(&self.name, &ply.uci);
            drop(in_hand);
            positions.push(self.table.position().clone());
        }
        &score.plies
    }

    /// What is known from outside about this board.
    fn known(&mut self) -> KnownGame {
        let newest = self.hall.home.segments(&self.name).pop();
        if let Some(file) = newest {
            let length = file.metadata().map_or(0, |about| about.len());
            if (&file, length) != (&self.seen.0, self.seen.1) {
                let known = in_file(&file);
                self.seen = (file, length, known);
            }
        }
        let recorded = self.seen.2.clone();
        if !self.hall.disk_full.load(Ordering::SeqCst) {
            return recorded;
        }
        let shown = self.received.of(&self.name, |board| board.game.clone());
        let shown = shown.unwrap_or_default();
        let newer = (shown.0, shown.1.len()) > (recorded.0, recorded.1.len());
        if newer { shown } else { recorded }
    }

    /// The same; while the returned guard is held, no known move is cut off.
    async fn until_safely(
        &mut self,
        what: &str,
        mut wanted: impl FnMut(&KnownGame, u64) -> bool,
    ) -> OwnedRwLockReadGuard<()> {
        loop {
            self.until(what, &mut wanted).await;
            let safe = Arc::clone(&self.hall.pieces).read_owned().await;
            if wanted(&self.known(), self.game) {
                return safe;
            }
        }
    }

    /// Waits until `wanted` accepts what is known; its number is that of the current game.
    async fn until(&mut self, what: &str, mut wanted: impl FnMut(&KnownGame, u64) -> bool) {
        let in_time = timeout(PATIENCE, async {
            loop {
                let known = self.known();
                if wanted(&known, self.game) {
                    return;
                }
                tokio::select! {
                    () = self.received.news() => {}
                    () = sleep(LOOK_AGAIN) => {}
                }
            }
        });
        if in_time.await.is_ok() {
            return;
        }
        let played = self.hall.played(&self.name);
        let alerts = self.received.of(&self.name, |board| board.alerts.clone());
        let known = self.known();
        panic!(
            "{}: no {what}; played {:?}, known {known:?}, alerts {alerts:?}; the daemon's log:\n{}",
            self.name,
            played.last(),
            self.hall.log(),
        );
    }
}

/// The number of known plies that match the played ones.
fn common(known: &[String], played: &[Ply]) -> usize {
    let same = known.iter().zip(played);
    same.take_while(|(known, played)| **known == played.uci)
        .count()
}
