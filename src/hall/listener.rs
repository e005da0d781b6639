//! The listener, with its limits on connections.
//!
//! However many clients connect, and however slowly they send, the number of connections is
//! bounded. So is the number per remote address, and idle connections are closed.

use std::{
    collections::HashMap,
    io::{self, IoSlice},
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use super::guard::{Attempts, network};
use remisd_vocabulary::time::Clock;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, Sleep, sleep},
};

/// The maximum numbers of open connections: in all, and per remote address. The 2⁶⁴ addresses of
/// one IPv6 customer count as one.
const CONNECTIONS: usize = 2048;
const OF_ONE_ADDRESS: usize = 256;
/// How many further connections are kept for programs and people on this computer. A proxy on this
/// computer may not use them for others.
const FOR_THIS_COMPUTER: usize = 32;
/// How many further connections are kept for addresses from which somebody has signed in recently,
/// and for each of them.
///
/// Without them, eight computers that take every other place would keep the arbiter's requests out.
const FOR_KNOWN: usize = 64;
const OF_ONE_KNOWN: usize = 8;
/// How long a connection may be idle, and how long sent data may stay unacknowledged.
///
/// The second limit catches peers that have vanished. For us a byte counts as moved once the kernel
/// has accepted it, and the kernel retries for a quarter of an hour.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
const UNACKED_TIMEOUT_MS: u32 = 30_000;

/// Accepts connections within the limits.
#[derive(Debug)]
pub(super) struct BoundedListener {
    listener: TcpListener,
    places: Arc<Semaphore>,
    kept_places: Arc<Semaphore>,
    known_places: Arc<Semaphore>,
    from: Arc<Mutex<HashMap<IpAddr, usize>>>,
    from_known: Arc<Mutex<HashMap<IpAddr, usize>>>,
    /// `None` where nobody signs in.
    known: Option<KnownAddresses>,
}

/// The addresses from which somebody has signed in recently.
#[derive(Debug)]
pub(super) struct KnownAddresses {
    pub(super) attempts: Arc<Attempts>,
    pub(super) clock: Arc<dyn Clock>,
}

impl KnownAddresses {
    fn has(&self, client: IpAddr) -> bool {
        self.attempts.knows(client, self.clock.monotonic())
    }
}

/// The address of the remote end.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Whether a connection has one of the places that are kept for this computer, or for addresses from
/// which somebody has signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Ordinary,
    Kept,
    Known,
}

/// What a connection holds until it ends.
#[derive(Debug)]
struct HeldPlace {
    place: Place,
    _permit: OwnedSemaphorePermit,
    _slot: Option<AddressSlot>,
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener, known: Option<KnownAddresses>) -> Self {
        Self {
            listener,
            places: Arc::new(Semaphore::new(CONNECTIONS)),
            kept_places: Arc::new(Semaphore::new(FOR_THIS_COMPUTER)),
            known_places: Arc::new(Semaphore::new(FOR_KNOWN)),
            from: Arc::default(),
            from_known: Arc::default(),
            known,
        }
    }
}

impl BoundedListener {
    /// The next connection for which there is room. Others are closed.
    pub(super) async fn accept(&self) -> (IdleTimeoutStream, Peer, Place) {
        loop {
            let Ok((stream, from)) = self.listener.accept().await else {
                // Too many files are open, or the peer hung up before the connection was accepted.
                sleep(Duration::from_secs(1)).await;
                continue;
            };
            let Some(held) = self.place_for(from.ip()) else {
                continue;
            };
            stream.set_nodelay(true).ok();
            rustix::net::sockopt::set_tcp_user_timeout(&stream, UNACKED_TIMEOUT_MS).ok();
            if let Some(slot) = AddressSlot::take(&self.from, network(from.ip()), OF_ONE_ADDRESS) {
                let place = held.place;
                let stream = IdleTimeoutStream::new(stream, held, slot);
                return (stream, Peer(from), place);
            }
        }
    }

    /// A place for a client; `None` if there is none left.
    fn place_for(&self, client: IpAddr) -> Option<HeldPlace> {
        let take = |place, places: &Arc<Semaphore>, slot| {
            let permit = Arc::clone(places).try_acquire_owned().ok()?;
            Some(HeldPlace {
                place,
                _permit: permit,
                _slot: slot,
            })
        };
        if let Some(held) = take(Place::Ordinary, &self.places, None) {
            return Some(held);
        }
        if client.to_canonical().is_loopback() {
            return take(Place::Kept, &self.kept_places, None);
        }
        if !self.known.as_ref().is_some_and(|known| known.has(client)) {
            return None;
        }
        let slot = AddressSlot::take(&self.from_known, network(client), OF_ONE_KNOWN)?;
        take(Place::Known, &self.known_places, Some(slot))
    }
}

/// One of the slots of an address.
#[derive(Debug)]
struct AddressSlot {
    address: IpAddr,
    from: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AddressSlot {
    /// Reserves a slot; `None` if the address has none left. Loopback addresses are exempt, because
    /// a proxy on this computer may represent everyone.
    fn take(
        from: &Arc<Mutex<HashMap<IpAddr, usize>>>,
        address: IpAddr,
        most: usize,
    ) -> Option<Self> {
        let mut counts = from.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= most && !address.to_canonical().is_loopback() {
            return None;
        }
        *count += 1;
        let from = Arc::clone(from);
        Some(Self { address, from })
    }
}

impl Drop for AddressSlot {
    fn drop(&mut self) {
        let mut counts = self.from.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.address);
            }
        }
    }
}

/// A connection that fails after being idle for too long.
pub(super) struct IdleTimeoutStream {
    stream: TcpStream,
    idle: Pin<Box<Sleep>>,
    _place: HeldPlace,
    _slot: AddressSlot,
}

impl IdleTimeoutStream {
    fn new(stream: TcpStream, place: HeldPlace, slot: AddressSlot) -> Self {
        Self {
            stream,
            idle: Box::pin(sleep(IDLE_TIMEOUT)),
            _place: place,
            _slot: slot,
        }
    }

    /// Restarts the idle timer on progress; fails once the timer has expired.
    fn watch<T>(
        &mut self,
        context: &mut Context<'_>,
        moved: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if moved.is_ready() {
            self.idle.as_mut().reset(Instant::now() + IDLE_TIMEOUT);
            return moved;
        }
        match self.idle.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for IdleTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.watch(context, read)
    }
}

impl AsyncWrite for IdleTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(context, written)
    }

    // Otherwise the server copies each body into a buffer of the connection.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.watch(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use remisd_vocabulary::time::ManualClock;

    use super::*;

    #[test]
    fn the_addresses_of_one_customer_share_their_places() {
        let from = Arc::default();
        let address = |network: u16, host: usize| {
            let host = u16::try_from(host).unwrap();
            super::network(IpAddr::from([0x2001, 0xdb8, 0, network, 0, 0, 0, host]))
        };
        let take = |address| AddressSlot::take(&from, address, OF_ONE_ADDRESS);
        let slots = (0..OF_ONE_ADDRESS).map(|host| take(address(1, host)));
        let slots: Vec<AddressSlot> = slots.map(Option::unwrap).collect();
        assert!(take(address(1, 9000)).is_none());
        assert!(take(address(2, 1)).is_some());
        assert!(take([192, 0, 2, 1].into()).is_some());
        drop(slots);
        assert!(take(address(1, 9000)).is_some());
    }

    #[tokio::test]
    async fn the_system_gives_up_vanished_clients() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listener = BoundedListener::new(listener, None);
        let (_there, (visit, ..)) = tokio::join!(TcpStream::connect(address), listener.accept());
        let patience = rustix::net::sockopt::tcp_user_timeout(&visit.stream);
        assert_eq!(patience, Ok(UNACKED_TIMEOUT_MS));
    }

    #[tokio::test]
    async fn a_body_is_written_from_where_it_is() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listener = BoundedListener::new(listener, None);
        let (_there, (visit, ..)) = tokio::join!(TcpStream::connect(address), listener.accept());
        assert!(visit.is_write_vectored());
    }

    #[tokio::test]
    async fn places_are_kept_for_this_computer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listener = BoundedListener::new(listener, None);
        let (here, elsewhere) = ([127, 0, 0, 1].into(), [192, 0, 2, 1].into());
        let take = |client| listener.place_for(client);
        let all: Vec<_> = (0..CONNECTIONS).map(|_| take(elsewhere).unwrap()).collect();
        assert!(all.iter().all(|held| held.place == Place::Ordinary));
        assert!(take(elsewhere).is_none());
        let kept: Vec<_> = (0..FOR_THIS_COMPUTER)
            .map(|_| take(here).unwrap())
            .collect();
        assert!(kept.iter().all(|held| held.place == Place::Kept));
        assert!(take(here).is_none());
        drop(all);
        assert_eq!(take(here).unwrap().place, Place::Ordinary);
    }

    #[tokio::test]
    async fn places_are_kept_for_addresses_from_which_somebody_has_signed_in() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (attempts, clock) = (Arc::<Attempts>::default(), Arc::new(ManualClock::default()));
        let known = KnownAddresses {
            attempts: Arc::clone(&attempts),
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
        };
        let listener = BoundedListener::new(listener, Some(known));
        let take = |client| listener.place_for(client);
        let arbiter = |nth: usize| IpAddr::from([192, 0, 2, u8::try_from(nth).unwrap()]);
        let stranger = [198, 51, 100, 1].into();
        let _all: Vec<_> = (0..CONNECTIONS).map(|_| take(stranger).unwrap()).collect();
        assert!(take(arbiter(0)).is_none(), "nobody has signed in there yet");
        for nth in 0..=FOR_KNOWN / OF_ONE_KNOWN {
            attempts.succeeded(arbiter(nth), clock.monotonic());
        }
        let own: Vec<_> = (0..OF_ONE_KNOWN)
            .map(|_| take(arbiter(0)).unwrap())
            .collect();
        assert!(own.iter().all(|held| held.place == Place::Known));
        assert!(take(arbiter(0)).is_none(), "the others are for others");
        assert!(take(stranger).is_none());
        let others = 1..FOR_KNOWN / OF_ONE_KNOWN;
        let others: Vec<_> = others
            .flat_map(|nth| (0..OF_ONE_KNOWN).map(move |_| arbiter(nth)))
            .map(|client| take(client).unwrap())
            .collect();
        assert!(take(arbiter(FOR_KNOWN / OF_ONE_KNOWN)).is_none());
        drop(others);
        drop(own);
        assert_eq!(take(arbiter(0)).unwrap().place, Place::Known);
        clock.advance(16 * 60 * 60 * 1000);
        assert!(take(arbiter(0)).is_none(), "that was too long ago");
    }
}
