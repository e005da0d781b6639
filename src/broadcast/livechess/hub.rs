//! All boards, and who waits for their changes.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

use remisd_hand as hand;
use remisd_topics::topic::{Audience, Leaf};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    time::{Clock, Moment, Span, TimeScale},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use super::{
    board::{Board, Shown},
    guard::{Guard, Origin, Refusal},
    records::{Records, Summary},
    refused::{RefusedLine, RefusedRequests},
    wire::{Eboard, Source},
};

/// The most open sockets: in all, and of one other address. The 2⁶⁴ addresses of one IPv6 customer
/// count as one.
pub const SOCKETS: usize = 64;
pub const OF_ONE_ADDRESS: usize = 8;
/// The most feeds that find moves, of all sockets together. Each has a decoder of its own, which
/// works at every change of its board.
pub const DECODERS: usize = 256;
/// How long the records stay as they were at the last request for a tournament. Programs ask for
/// boards, pairings and games one after the other and compare them, as if they were of one moment.
const ONE_MOMENT: Span = Span::from_millis(2_000);
/// The most changes that wait for one socket. One that is slower misses what lies between.
const CHANGES: usize = 256;

/// A board of the configuration.
#[derive(Debug, Clone)]
pub struct BoardSettings {
    /// Its name.
    pub id: BoardId,
    /// How moves are recognised after `setup`.
    pub hand: hand::Settings,
    /// The time of the hands at the board.
    pub time_scale: TimeScale,
}

/// The settings of the API.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The site.
    pub site: SiteId,
    /// Whose topics are shown: the arbiter's, the operator's, or the public's.
    pub audience: Audience,
    /// The boards, in the order in which they are listed.
    pub boards: Vec<BoardSettings>,
    /// The pages that may connect.
    pub origins: Vec<Origin>,
    /// The host names under which clients address this computer, besides addresses and `localhost`.
    pub names: Vec<String>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// The boards, as the topics show them; a handle.
#[derive(Debug, Clone)]
pub struct Hub(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: Settings,
    guard: Guard,
    refused_pages: RefusedRequests,
    refused_hosts: RefusedRequests,
    known: Mutex<Known>,
    changes: broadcast::Sender<Change>,
    sockets: Arc<Semaphore>,
    /// The places of each other address that has a socket; the sockets hold them.
    of_addresses: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
    decoders: Arc<Semaphore>,
}

/// The place of a socket, until it is closed.
#[derive(Debug)]
pub(super) struct SocketPlace {
    _of_all: OwnedSemaphorePermit,
    _of_address: Option<OwnedSemaphorePermit>,
}

#[derive(Debug)]
struct Known {
    boards: Vec<Board>,
    /// What feeds show of each board.
    shown: Vec<Arc<Shown>>,
    version: u64,
    /// The boards as they were when a tournament was last requested, and when that was.
    moment: Option<(Moment, Vec<Board>)>,
}

/// What feeds show of a board from now on.
#[derive(Debug, Clone)]
pub struct Change {
    /// The board's place in the configuration.
    pub board: usize,
    /// What they show.
    pub shown: Arc<Shown>,
    /// Grows with every change of any board.
    pub version: u64,
}

impl Hub {
    /// Boards of which nothing is known yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let boards: Vec<Board> = (settings.boards.iter()).map(|_| Board::default()).collect();
        let shown = boards.iter().map(|board| Arc::new(board.shown()));
        let (changes, _) = broadcast::channel(CHANGES);
        Self(Arc::new(Inner {
            guard: Guard::new(settings.origins.clone(), &settings.names),
            refused_pages: RefusedRequests::default(),
            refused_hosts: RefusedRequests::default(),
            known: Mutex::new(Known {
                shown: shown.collect(),
                boards,
                version: 1,
                moment: None,
            }),
            changes,
            sockets: Arc::new(Semaphore::new(SOCKETS)),
            of_addresses: Mutex::default(),
            decoders: Arc::new(Semaphore::new(DECODERS)),
            settings,
        }))
    }

    /// The topic filters that the API needs.
    #[must_use]
    pub fn filters(&self) -> Vec<String> {
        let Settings { site, audience, .. } = &self.0.settings;
        let leaves: &[Leaf] = match audience {
            Audience::Public => &[Leaf::Game, Leaf::Availability],
            _ => &[
                Leaf::Game,
                Leaf::Clock,
                Leaf::Link,
                Leaf::Squares,
                Leaf::Availability,
            ],
        };
        let audience = audience.as_str();
        let filter = |leaf: &Leaf| format!("chess/v1/{site}/{audience}/+/{}", leaf.as_str());
        leaves.iter().map(filter).collect()
    }

    /// Takes a message of the broker: the value of one of these topics, empty if it was cleared.
    pub fn take(&self, topic: &str, payload: &[u8]) {
        let Settings { site, audience, .. } = &self.0.settings;
        let below = topic
            .strip_prefix("chess/v1/")
            .and_then(|rest| rest.strip_prefix(site.as_str()))
            .and_then(|rest| rest.strip_prefix('/'))
            .and_then(|rest| rest.strip_prefix(audience.as_str()))
            .and_then(|rest| rest.strip_prefix('/'));
        let Some((name, leaf)) = below.and_then(|below| below.split_once('/')) else {
            return;
        };
        let ours = self.0.settings.boards.iter();
        let Some(index) = ours.into_iter().position(|board| board.id.as_str() == name) else {
            return;
        };
        let now = self.0.settings.clock.now();
        let mut known = self.known();
        let board = &mut known.boards[index];
        if !board.follow(leaf, payload) {
            return;
        }
        if *audience == Audience::Public {
            board.take_delayed(leaf, payload, now);
        } else {
            board.take(leaf, payload, now);
        }
        self.publish(&mut known, index);
    }

    /// Notes whether the broker can be reached. While it cannot, no board is active.
    pub fn connect(&self, connected: bool) {
        let mut known = self.known();
        for index in 0..known.boards.len() {
            known.boards[index].connect(connected);
            self.publish(&mut known, index);
        }
    }

    /// Sends the feeds of a board what it shows, if that has changed.
    fn publish(&self, known: &mut Known, board: usize) {
        let shown = known.boards[board].shown();
        if *known.shown[board] == shown {
            return;
        }
        known.version += 1;
        let shown = Arc::new(shown);
        known.shown[board] = Arc::clone(&shown);
        let version = known.version;
        // There may be no connection.
        self.0
            .changes
            .send(Change {
                board,
                shown,
                version,
            })
            .ok();
    }

    /// The changes from now on.
    pub(super) fn changes(&self) -> broadcast::Receiver<Change> {
        self.0.changes.subscribe()
    }

    /// What a board shows now.
    pub(super) fn now(&self, board: usize) -> Option<Change> {
        let known = self.known();
        Some(Change {
            board,
            shown: Arc::clone(known.shown.get(board)?),
            version: known.version,
        })
    }

    /// The board with this key, or with this name.
    pub(super) fn find(&self, serialnr: &str) -> Option<usize> {
        let known = self.known();
        let serials = self.serials(&known.boards);
        let named = || {
            let mut boards = self.0.settings.boards.iter();
            boards.position(|board| board.id.as_str() == serialnr)
        };
        serials
            .iter()
            .position(|serial| serial == serialnr)
            .or_else(named)
    }

    /// The settings of a board.
    pub(super) fn board(&self, board: usize) -> Option<&BoardSettings> {
        self.0.settings.boards.get(board)
    }

    /// All boards.
    pub(super) fn eboards(&self) -> Vec<Eboard> {
        let known = self.known();
        self.list(&known.boards, Board::eboard)
    }

    /// All boards, for programs that compare them with the games.
    pub(super) fn settled_eboards(&self) -> Vec<Eboard> {
        self.at_one_moment(|boards| self.list(boards, Board::settled_eboard))
    }

    fn list(&self, boards: &[Board], eboard: fn(&Board, String, &str) -> Eboard) -> Vec<Eboard> {
        let serials = self.serials(boards);
        let boards = boards.iter().zip(&self.0.settings.boards).zip(serials);
        boards
            .map(|((board, settings), serial)| eboard(board, serial, settings.id.as_str()))
            .collect()
    }

    /// The ports of the boards.
    pub(super) fn sources(&self) -> Vec<Source> {
        let known = self.known();
        let sources = known.boards.iter().filter_map(Board::source);
        sources.map(|device| Source { device }).collect()
    }

    /// Begins another moment, which the records show from now on.
    pub(super) fn look(&self) {
        let now = self.clock().monotonic();
        let mut known = self.known();
        known.moment = Some((now, known.boards.clone()));
    }

    /// Reads the boards as they were when [`Self::look`] was last called, or as they are now if
    /// that is long ago.
    fn at_one_moment<T>(&self, read: impl FnOnce(&[Board]) -> T) -> T {
        let now = self.clock().monotonic();
        let mut known = self.known();
        let is_old = |moment: &mut (Moment, _)| now > moment.0 + ONE_MOMENT;
        known.moment.take_if(is_old);
        match &known.moment {
            Some((_, boards)) => read(boards),
            None => read(&known.boards),
        }
    }

    /// All tournaments.
    #[allow(
        clippy::redundant_closure_for_method_calls,
        reason = "the method alone has one lifetime, not any"
    )]
    pub(super) fn tournaments(&self) -> [Summary; 1] {
        self.records(|records| records.tournaments())
    }

    /// Reads the records.
    pub(super) fn records<T>(&self, read: impl FnOnce(&Records<'_>) -> T) -> T {
        self.at_one_moment(|boards| {
            let names = (self.0.settings.boards.iter()).map(|board| board.id.as_str());
            let boards = names.zip(self.serials(boards)).zip(boards);
            read(&Records {
                site: self.0.settings.site.as_str(),
                boards: boards
                    .map(|((name, serial), board)| (name, serial, board))
                    .collect(),
                now: self.time(),
            })
        })
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn time(&self) -> i64 {
        self.0.settings.clock.now().as_millisecond()
    }

    /// The clock.
    pub(super) fn clock(&self) -> &dyn Clock {
        &*self.0.settings.clock
    }

    /// Who may connect.
    pub(super) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// Counts a request that is refused for what a header holds, and returns what the log says.
    pub(super) fn refused(&self, refused: Refusal, header: &[u8]) -> Option<RefusedLine> {
        let requests = match refused {
            Refusal::Page => &self.0.refused_pages,
            Refusal::Host => &self.0.refused_hosts,
        };
        requests.count(header, self.clock().monotonic())
    }

    /// A place for a socket of this client; `None` if there is none left. A proxy on this computer
    /// may represent everyone, so its address alone has no limit.
    pub(super) fn place(&self, client: IpAddr) -> Option<SocketPlace> {
        let of_all = Arc::clone(&self.0.sockets).try_acquire_owned().ok()?;
        let of_address = match customer(client) {
            here if here.is_loopback() => None,
            customer => Some(self.places_of(customer).try_acquire_owned().ok()?),
        };
        Some(SocketPlace {
            _of_all: of_all,
            _of_address: of_address,
        })
    }

    fn places_of(&self, customer: IpAddr) -> Arc<Semaphore> {
        let places = self.0.of_addresses.lock();
        let mut places = places.unwrap_or_else(PoisonError::into_inner);
        places.retain(|_, places| places.strong_count() > 0);
        let own = places.get(&customer).and_then(Weak::upgrade);
        let own = own.unwrap_or_else(|| Arc::new(Semaphore::new(OF_ONE_ADDRESS)));
        places.insert(customer, Arc::downgrade(&own));
        own
    }

    /// A place for a feed that finds moves; `None` if there is none left.
    pub(super) fn decoder(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.decoders).try_acquire_owned().ok()
    }

    /// How many sockets may still be opened.
    #[cfg(test)]
    pub(super) fn free_sockets(&self) -> usize {
        self.0.sockets.available_permits()
    }

    /// The key of each board: its serial number, or its name if it has none of its own.
    fn serials(&self, boards: &[Board]) -> Vec<String> {
        let mut serials: Vec<String> = Vec::new();
        for (board, settings) in boards.iter().zip(&self.0.settings.boards) {
            let own = (board.serial()).filter(|own| !serials.iter().any(|serial| serial == own));
            serials.push(own.unwrap_or(settings.id.as_str()).to_owned());
        }
        serials
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The customer behind an address: one of IPv6 has 64 bits of addresses.
fn customer(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::hub_of_one;

    use super::*;

    #[test]
    fn one_client_elsewhere_does_not_take_every_socket() {
        let (hub, _) = hub_of_one();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let take = |count: usize, client: &str| -> Vec<SocketPlace> {
            let places = (0..count).map(|_| hub.place(address(client)));
            places.map_while(|place| place).collect()
        };
        let own = take(SOCKETS, "192.0.2.7");
        assert_eq!(own.len(), OF_ONE_ADDRESS);
        assert_eq!(take(SOCKETS, "::ffff:192.0.2.7").len(), 0, "the same one");
        let network = take(4, "2001:db8::1");
        assert_eq!(take(SOCKETS, "2001:db8::2").len(), OF_ONE_ADDRESS - 4);
        drop((own, network));
        assert_eq!(take(SOCKETS, "192.0.2.7").len(), OF_ONE_ADDRESS);
        for here in ["127.0.0.1", "::1"] {
            assert_eq!(take(SOCKETS + 1, here).len(), SOCKETS);
        }
    }
}
