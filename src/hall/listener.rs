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

use super::guard::network;
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
    from: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// The address of the remote end.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Whether a connection has one of the places that are kept for this computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Ordinary,
    Kept,
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            places: Arc::new(Semaphore::new(CONNECTIONS)),
            kept_places: Arc::new(Semaphore::new(FOR_THIS_COMPUTER)),
            from: Arc::default(),
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
            let Some((permit, place)) = self.place_for(from.ip()) else {
                continue;
            };
            stream.set_nodelay(true).ok();
            rustix::net::sockopt::set_tcp_user_timeout(&stream, UNACKED_TIMEOUT_MS).ok();
            if let Some(seat) = AddressSlot::take(&self.from, network(from.ip())) {
                return (
                    IdleTimeoutStream::new(stream, permit, seat),
                    Peer(from),
                    place,
                );
            }
        }
    }

    /// A place for a client; `None` if there is none left.
    fn place_for(&self, client: IpAddr) -> Option<(OwnedSemaphorePermit, Place)> {
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Some((permit, Place::Ordinary));
        }
        if !client.to_canonical().is_loopback() {
            return None;
        }
        let permit = Arc::clone(&self.kept_places).try_acquire_owned();
        permit.ok().map(|permit| (permit, Place::Kept))
    }
}

/// One of the slots of an address.
struct AddressSlot {
    address: IpAddr,
    from: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl AddressSlot {
    /// Reserves a slot; `None` if the address has none left. Loopback addresses are exempt, because
    /// a proxy on this computer may represent everyone.
    fn take(from: &Arc<Mutex<HashMap<IpAddr, usize>>>, address: IpAddr) -> Option<Self> {
        let mut counts = from.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(address).or_default();
        if *count >= OF_ONE_ADDRESS && !address.to_canonical().is_loopback() {
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
    _place: OwnedSemaphorePermit,
    _seat: AddressSlot,
}

impl IdleTimeoutStream {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit, seat: AddressSlot) -> Self {
        Self {
            stream,
            idle: Box::pin(sleep(IDLE_TIMEOUT)),
            _place: place,
            _seat: seat,
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
    use super::*;

    #[test]
    fn the_addresses_of_one_customer_share_their_places() {
        let from = Arc::default();
        let address = |network: u16, host: usize| {
            let host = u16::try_from(host).unwrap();
            super::network(IpAddr::from([0x2001, 0xdb8, 0, network, 0, 0, 0, host]))
        };
        let seats = (0..OF_ONE_ADDRESS).map(|host| AddressSlot::take(&from, address(1, host)));
        let seats: Vec<AddressSlot> = seats.map(Option::unwrap).collect();
        assert!(AddressSlot::take(&from, address(1, 9000)).is_none());
        assert!(AddressSlot::take(&from, address(2, 1)).is_some());
        assert!(AddressSlot::take(&from, [192, 0, 2, 1].into()).is_some());
        drop(seats);
        assert!(AddressSlot::take(&from, address(1, 9000)).is_some());
    }

    #[tokio::test]
    async fn the_system_gives_up_vanished_clients() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listener = BoundedListener::new(listener);
        let (_there, (visit, ..)) = tokio::join!(TcpStream::connect(address), listener.accept());
        let patience = rustix::net::sockopt::tcp_user_timeout(&visit.stream);
        assert_eq!(patience, Ok(UNACKED_TIMEOUT_MS));
    }

    #[tokio::test]
    async fn a_body_is_written_from_where_it_is() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listener = BoundedListener::new(listener);
        let (_there, (visit, ..)) = tokio::join!(TcpStream::connect(address), listener.accept());
        assert!(visit.is_write_vectored());
    }

    #[tokio::test]
    async fn places_are_kept_for_this_computer() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let listener = BoundedListener::new(listener);
        let (here, elsewhere) = ([127, 0, 0, 1].into(), [192, 0, 2, 1].into());
        let take = |client| listener.place_for(client);
        let all: Vec<_> = (0..CONNECTIONS).map(|_| take(elsewhere).unwrap()).collect();
        assert!(all.iter().all(|(_, place)| *place == Place::Ordinary));
        assert!(take(elsewhere).is_none());
        let kept: Vec<_> = (0..FOR_THIS_COMPUTER)
            .map(|_| take(here).unwrap())
            .collect();
        assert!(kept.iter().all(|(_, place)| *place == Place::Kept));
        assert!(take(here).is_none());
        drop(all);
        assert_eq!(take(here).unwrap().1, Place::Ordinary);
    }
}
