//! What was ordered from Lichess: on the disk before it is answered, and before it is sent.
//!
//! ```text
//!  waiting ─▶ done | failed
//!  waiting ─▶ sent ─▶ done | failed | waiting | unknown       create alone
//! ```
//!
//! Creating a round twice makes two. So a round that is to be created is noted as `sent` before the
//! request leaves. Without an answer it is `unknown`, and it is never sent again by itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, io,
    path::Path,
    sync::Arc,
};

use remisd_game::Role;
use serde::{Deserialize, Serialize};
use tokio::{
    sync::{Mutex, MutexGuard, watch},
    task::{JoinHandle, spawn_blocking},
    time::timeout,
};

use crate::{
    disk::StatePlace,
    files::{newest_aside, read_json, replace_durably, set_aside},
    store::{PATIENCE, no_answer},
};

/// The orders that are kept: the newest ones.
const KEPT: usize = 64;
/// The other tournaments whose orders are kept: the newest ones.
const TOURNAMENTS: usize = 8;
/// The orders that may wait.
pub(super) const MOST_WAITING: usize = 16;

/// What an arbiter or operator orders.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "snake_case")]
pub enum Order {
    /// Removes every game of our round from Lichess and pushes it again.
    LichessReset {
        /// The number of our round.
        round: u32,
    },
    /// Makes a Lichess round for our round.
    LichessCreate {
        /// The number of our round.
        round: u32,
        /// The name of the Lichess round.
        name: String,
        /// Whether its games are rated for FIDE.
        rated: bool,
    },
    /// Closes our round on Lichess: nothing is pushed to it until it is reset.
    LichessClose {
        /// The number of our round.
        round: u32,
    },
}

impl Order {
    /// The number of our round.
    #[must_use]
    pub const fn round(&self) -> u32 {
        match self {
            Self::LichessReset { round }
            | Self::LichessCreate { round, .. }
            | Self::LichessClose { round } => *round,
        }
    }
}

/// How far an order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It was not done yet.
    Waiting,
    /// The request was sent, and there is no answer yet.
    Sent,
    /// It was done.
    Done,
    /// Lichess refuses it.
    Failed,
    /// The answer was lost: Lichess may have done it.
    Unknown,
}

/// An order with its sender and its progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedOrder {
    /// The role of the sender.
    pub role: Role,
    /// The id of the command.
    pub id: String,
    /// The sender's own name; it proves nothing.
    #[serde(default)]
    pub by: Option<String>,
    /// What is to be done.
    pub order: Order,
    /// When it was accepted, RFC 3339.
    pub at: String,
    /// How far it is.
    pub progress: Progress,
    /// Why Lichess has not done it.
    #[serde(default)]
    pub reason: Option<String>,
    /// The id of the Lichess round that was made.
    #[serde(default)]
    pub made: Option<String>,
}

/// What the store holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredOrders {
    /// The Lichess tournament of the made rounds, if one was configured.
    #[serde(default)]
    pub tournament: Option<String>,
    /// The orders, oldest first.
    #[serde(default)]
    pub orders: Vec<PlacedOrder>,
    /// The Lichess rounds that were made or adopted, by the number of our round.
    #[serde(default)]
    pub made: BTreeMap<u32, Vec<String>>,
    /// The Lichess rounds to which nothing is pushed, of all tournaments.
    #[serde(default)]
    pub closed: BTreeSet<String>,
    /// What belongs to tournaments that were configured before, oldest first.
    #[serde(default)]
    others: Vec<OtherTournament>,
    /// Why earlier orders are not known.
    #[serde(skip)]
    pub fault: Option<String>,
}

/// The orders for a Lichess tournament that is not the configured one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct OtherTournament {
    id: String,
    orders: Vec<PlacedOrder>,
    made: BTreeMap<u32, Vec<String>>,
}

impl StoredOrders {
    /// The orders that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &PlacedOrder> {
        let orders = self.orders.iter();
        orders.filter(|placed| matches!(placed.progress, Progress::Waiting | Progress::Sent))
    }

    /// The order of a command.
    #[must_use]
    pub fn find(&self, role: Role, id: &str) -> Option<&PlacedOrder> {
        let mut orders = self.orders.iter();
        orders.find(|placed| placed.role == role && placed.id == id)
    }

    pub(super) fn find_mut(&mut self, role: Role, id: &str) -> Option<&mut PlacedOrder> {
        let mut orders = self.orders.iter_mut();
        orders.find(|placed| placed.role == role && placed.id == id)
    }

    /// Adds an order, and forgets the oldest ones that do not wait.
    pub(super) fn add(&mut self, placed: PlacedOrder) {
        self.orders.push(placed);
        while self.orders.len() > KEPT {
            let mut orders = self.orders.iter();
            let over = |placed: &PlacedOrder| {
                !matches!(placed.progress, Progress::Waiting | Progress::Sent)
            };
            let Some(oldest) = orders.position(over) else {
                return;
            };
            self.orders.remove(oldest);
        }
    }

    /// What counts with this tournament. With another one than before, its orders and rounds are put
    /// aside: they belong to the earlier event. They come back with its id.
    fn of_tournament(mut self, tournament: Option<&str>) -> Self {
        let Some(now) = tournament else {
            return self;
        };
        let before = self.tournament.replace(now.to_owned());
        let Some(before) = before.filter(|before| before != now) else {
            return self;
        };
        tracing::warn!(
            before,
            now,
            "the orders for another Lichess tournament are put aside"
        );
        self.others.push(OtherTournament {
            id: before,
            orders: std::mem::take(&mut self.orders),
            made: std::mem::take(&mut self.made),
        });
        if let Some(at) = self.others.iter().position(|other| other.id == now) {
            let OtherTournament { orders, made, .. } = self.others.remove(at);
            (self.orders, self.made) = (orders, made);
        }
        let surplus = self.others.len().saturating_sub(TOURNAMENTS);
        self.others.drain(..surplus);
        self
    }

    /// Ends orders to close a round that a later reset opens again.
    pub(super) fn end_closing(&mut self, round: u32) {
        for placed in &mut self.orders {
            let closes = placed.order == Order::LichessClose { round };
            if closes && placed.progress == Progress::Waiting {
                placed.progress = Progress::Failed;
                placed.reason = Some("the round was sent anew instead".to_owned());
            }
        }
    }

    /// After a restart: a round whose creation was under way may have been made.
    fn restarted(mut self) -> Self {
        for placed in &mut self.orders {
            if placed.progress == Progress::Sent {
                placed.progress = Progress::Unknown;
                placed.reason = Some("remisd was stopped before the answer came".to_owned());
            }
        }
        self
    }
}

/// The store of orders; a handle. It is read when the disk of the journal is there.
#[derive(Clone)]
pub struct OrderStore(Arc<Inner>);

struct Inner {
    /// The file; none for a store in memory alone.
    file: Option<StatePlace>,
    /// The lock is held while the file is read or written.
    on_disk: Mutex<OnDisk>,
    /// The Lichess tournament in which rounds are made.
    tournament: Option<String>,
    stored: watch::Sender<StoredOrders>,
}

/// What the file has. One file operation runs at a time, also if the disk does not answer.
#[derive(Debug)]
struct OnDisk {
    reading: Option<JoinHandle<io::Result<StoredOrders>>>,
    writing: Option<JoinHandle<io::Result<()>>>,
    /// Whether it was read.
    is_loaded: bool,
    /// Whether the file may differ from `stored`.
    is_behind: bool,
}

impl fmt::Debug for OrderStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OrderStore")
            .field(&*self.0.stored.borrow())
            .finish()
    }
}

impl OrderStore {
    /// A store that is kept in a file, for a Lichess tournament.
    #[must_use]
    pub fn kept_in(file: StatePlace, tournament: Option<String>) -> Self {
        Self::new(Some(file), tournament)
    }

    /// A store that a restart forgets.
    #[must_use]
    pub fn in_memory() -> Self {
        Self::new(None, None)
    }

    fn new(file: Option<StatePlace>, tournament: Option<String>) -> Self {
        let on_disk = OnDisk {
            reading: None,
            writing: None,
            is_loaded: file.is_none(),
            is_behind: false,
        };
        Self(Arc::new(Inner {
            file,
            on_disk: Mutex::new(on_disk),
            tournament,
            stored: watch::Sender::default(),
        }))
    }

    /// What it holds, notified of each change.
    #[must_use]
    pub fn stored(&self) -> watch::Receiver<StoredOrders> {
        self.0.stored.subscribe()
    }

    /// Reads the file, if it was not read yet, and writes what it lacks. A damaged file is set aside
    /// and named in [`StoredOrders::fault`].
    ///
    /// # Errors
    ///
    /// The disk is not there or does not answer, or the file can be neither read nor set aside.
    pub async fn load(&self) -> io::Result<()> {
        let mut on_disk = self.lock().await?;
        self.load_once(&mut on_disk).await?;
        if on_disk.is_behind {
            let stored = self.0.stored.borrow().clone();
            self.write(&mut on_disk, &stored).await?;
        }
        Ok(())
    }

    /// The lock, unless others wait for the disk.
    async fn lock(&self) -> io::Result<MutexGuard<'_, OnDisk>> {
        let lock = timeout(PATIENCE, self.0.on_disk.lock()).await;
        lock.map_err(|_| no_answer())
    }

    async fn load_once(&self, on_disk: &mut OnDisk) -> io::Result<()> {
        let Some(file) = self.0.file.clone().filter(|_| !on_disk.is_loaded) else {
            return Ok(());
        };
        let read = move || read(file.path()?);
        let task = on_disk.reading.get_or_insert_with(|| spawn_blocking(read));
        let stored = match timeout(PATIENCE, task).await {
            Err(_) => Err(no_answer()),
            Ok(read) => {
                on_disk.reading = None;
                read.map_err(io::Error::other).and_then(|read| read)
            }
        };
        let stored = stored.inspect_err(|error| {
            // At a start the journal opens a little later. If it does not, its alerts say so.
            if error.kind() != io::ErrorKind::NotFound {
                self.note_fault(Some(format!("earlier orders are not known: {error}")));
            }
        })?;
        self.note_fault(stored.fault.clone());
        let stored = stored
            .restarted()
            .of_tournament(self.0.tournament.as_deref());
        self.0.stored.send_replace(stored);
        on_disk.is_loaded = true;
        Ok(())
    }

    fn note_fault(&self, fault: Option<String>) {
        self.0.stored.send_if_modified(|stored| {
            let is_new = stored.fault != fault;
            if let Some(fault) = fault.as_ref().filter(|_| is_new) {
                tracing::error!("{fault}");
            }
            stored.fault = fault;
            is_new
        });
    }

    /// Changes the store. The change is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk does not take it or does not answer; nothing has changed.
    pub async fn change(&self, change: impl FnOnce(&mut StoredOrders)) -> io::Result<()> {
        let mut on_disk = self.lock().await?;
        self.change_locked(&mut on_disk, change).await
    }

    async fn change_locked(
        &self,
        on_disk: &mut OnDisk,
        change: impl FnOnce(&mut StoredOrders),
    ) -> io::Result<()> {
        self.load_once(on_disk).await?;
        let mut stored = self.0.stored.borrow().clone();
        change(&mut stored);
        self.write(on_disk, &stored).await?;
        self.0.stored.send_replace(stored);
        Ok(())
    }

    /// Changes the store, whether the disk takes it or not: what was done was done. The disk gets
    /// it later.
    pub(super) async fn note(&self, change: impl Fn(&mut StoredOrders)) {
        let mut on_disk = self.0.on_disk.lock().await;
        if let Err(error) = self.change_locked(&mut on_disk, &change).await {
            tracing::error!("what Lichess has done is kept in memory alone: {error}");
            self.0.stored.send_modify(change);
            on_disk.is_behind = on_disk.is_loaded;
        }
    }

    /// Writes the orders. After an error the file may have it, or gets it later: it is behind until
    /// the next write.
    async fn write(&self, on_disk: &mut OnDisk, stored: &StoredOrders) -> io::Result<()> {
        let Some(file) = self.0.file.clone() else {
            return Ok(());
        };
        if let Some(before) = &mut on_disk.writing {
            // Its content is replaced now.
            let _: Result<_, _> = timeout(PATIENCE, before).await.map_err(|_| no_answer())?;
            on_disk.writing = None;
        }
        let text = serde_json::to_vec(stored).map_err(io::Error::other)?;
        on_disk.is_behind = true;
        let mut task = spawn_blocking(move || replace_durably(file.path()?, &text));
        let Ok(written) = timeout(PATIENCE, &mut task).await else {
            on_disk.writing = Some(task);
            return Err(no_answer());
        };
        written.map_err(io::Error::other)??;
        on_disk.is_behind = false;
        Ok(())
    }
}

/// Reads a store. A damaged one is set aside, and stays named until its file is gone.
fn read(file: &Path) -> io::Result<StoredOrders> {
    use io::ErrorKind::{InvalidData, IsADirectory, NotFound, PermissionDenied};
    let stored = match read_json(file) {
        Err(error) => match error.kind() {
            NotFound => StoredOrders::default(),
            InvalidData | IsADirectory | PermissionDenied => {
                tracing::error!("orders for Lichess cannot be read: {error}");
                set_aside(file)?;
                StoredOrders::default()
            }
            // It may pass.
            _ => return Err(error),
        },
        Ok(stored) => stored,
    };
    let fault = newest_aside(file).map(|name| {
        format!(
            "orders for Lichess were unreadable and are in {}: rounds that were created or closed \
             before may be unknown; move the file away when it is no longer needed",
            name.display()
        )
    });
    Ok(StoredOrders { fault, ..stored })
}

#[cfg(test)]
mod tests;
