//! One socket: calls, and the feeds that they have opened.
//!
//! Calls are answered in their order, and before the messages of feeds that they cause. Nothing
//! that a client sends closes the socket, except a message that is too long.

use std::{collections::BTreeSet, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use serde::Serialize;
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Instant, MissedTickBehavior, interval_at, sleep, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    feed::Feed,
    hub::{Change, Hub},
    wire::{self, BoardEvent, Call, Id, Request},
};

/// The most feeds of one socket.
pub const FEEDS: usize = 512;
/// The most feeds of one socket that find moves.
pub const SET_UP: usize = 64;
/// How many calls a client may make at once: a subscription and a setup of each feed.
const BURST: u32 = 1_024;
/// The least time between further calls. Until then they wait in the socket.
const BETWEEN: Duration = Duration::from_millis(100);
/// How long a client may take to read a message.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a client is pinged, and how long it may take to answer. Whether the original does this
/// is unknown; browsers and libraries answer by themselves.
const PING: Duration = Duration::from_secs(15);

/// Serves a socket until the client leaves, or `cancel`.
pub async fn serve(mut socket: WebSocket, hub: Hub, cancel: CancellationToken) {
    let mut changes = hub.changes();
    let mut ping = interval_at(Instant::now() + PING, PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut session = SocketSession::new(hub);
    let mut calls = Calls::new(Instant::now());
    // Whether the client has sent nothing since the last ping.
    let mut is_silent = false;
    loop {
        tokio::select! {
            () = cancel.cancelled() => {
                timeout(PATIENCE, socket.send(Message::Close(None))).await.ok();
                return;
            }
            () = sleep_until(calls.next), if calls.left == 0 => calls.fill(Instant::now()),
            received = socket.recv(), if calls.left > 0 => {
                is_silent = false;
                calls.take(Instant::now());
                match received {
                    Some(Ok(Message::Text(text))) => session.receive(&text),
                    Some(Ok(Message::Binary(bytes))) => {
                        session.receive(std::str::from_utf8(&bytes).unwrap_or_default());
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                }
            }
            change = next(&mut changes) => match change {
                Some(change) => session.change(&change),
                None => session.catch_up(),
            },
            () = wait(session.rest()) => session.tick(),
            _ = ping.tick() => {
                // The place is another client's: there are few of them.
                if std::mem::replace(&mut is_silent, true)
                    || !send(&mut socket, Message::Ping(Vec::new().into())).await {
                    return;
                }
            }
        }
        for text in session.take_output() {
            if !send(&mut socket, Message::Text(text.into())).await {
                return;
            }
        }
    }
}

/// How many calls a client may make now: a client that calls without end would take the processor
/// from the boards.
#[derive(Debug)]
struct Calls {
    left: u32,
    /// When there is one more.
    next: Instant,
}

impl Calls {
    fn new(now: Instant) -> Self {
        let next = now + BETWEEN;
        Self { left: BURST, next }
    }

    fn take(&mut self, now: Instant) {
        self.fill(now);
        self.left = self.left.saturating_sub(1);
    }

    fn fill(&mut self, now: Instant) {
        while self.next <= now && self.left < BURST {
            self.left += 1;
            self.next += BETWEEN;
        }
        self.next = self.next.max(now);
    }
}

/// The next change; `None` if some were missed.
async fn next(changes: &mut Receiver<Change>) -> Option<Change> {
    match changes.recv().await {
        Ok(change) => Some(change),
        Err(RecvError::Lagged(_)) => None,
        // The hub is held by this session.
        Err(RecvError::Closed) => std::future::pending().await,
    }
}

async fn wait(rest: Option<Duration>) {
    match rest {
        Some(rest) => sleep(rest).await,
        None => std::future::pending().await,
    }
}

async fn send(socket: &mut WebSocket, message: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(message)).await, Ok(Ok(())))
}

/// The feeds of one socket.
#[derive(Debug)]
pub struct SocketSession {
    hub: Hub,
    feeds: Vec<Feed>,
    /// The messages to send.
    output: Vec<String>,
}

impl SocketSession {
    /// A socket without feeds.
    #[must_use]
    pub const fn new(hub: Hub) -> Self {
        Self {
            hub,
            feeds: Vec::new(),
            output: Vec::new(),
        }
    }

    /// Takes the messages to send.
    pub fn take_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }

    /// Answers a message of the client.
    pub fn receive(&mut self, text: &str) {
        let Request { id, call } = Request::read(text);
        let done = call.and_then(|call| self.call(&id, call));
        if let Err(message) = done {
            self.output.push(wire::error(&id, message, self.hub.time()));
        }
    }

    fn call(&mut self, id: &Id, call: Call) -> Result<(), &'static str> {
        let now = self.hub.clock().monotonic();
        let time = self.hub.time();
        match call {
            Call::Eboards => self.answer(id, self.hub.eboards()),
            Call::Sources => self.answer(id, self.hub.sources()),
            Call::Subscribe { feed, serialnr } => return self.subscribe(id, feed, serialnr),
            Call::Setup { feed: own, fen } => {
                let set_up = self.feeds.iter().filter(|feed| feed.is_set_up()).count();
                let feed = find(&mut self.feeds, &own)?;
                let place = if feed.is_set_up() {
                    None
                } else {
                    let place = self.hub.decoder();
                    let place = place.filter(|_| set_up < SET_UP);
                    Some(place.ok_or("too many feeds find moves")?)
                };
                let board = self.hub.board(feed.board).ok_or("unknown feed")?;
                let event = feed
                    .setup(&fen, board, place, now)
                    .map_err(|_| "not a legal position")?;
                self.output.push(wire::answer(id, (), time));
                self.output.extend(write(&own, event, time));
            }
            Call::Flip { feed: own, flip } => {
                let feed = find(&mut self.feeds, &own)?;
                let event = feed.flip(flip, now);
                self.output.push(wire::answer(id, (), time));
                self.output.extend(write(&own, event, time));
            }
            Call::Unsubscribe { feed: own } => {
                find(&mut self.feeds, &own)?;
                self.feeds.retain(|feed| feed.id != own);
                self.answer(id, ());
            }
        }
        Ok(())
    }

    /// Opens a feed. One with the same id is replaced.
    fn subscribe(&mut self, id: &Id, own: Id, serialnr: String) -> Result<(), &'static str> {
        let board = self.hub.find(&serialnr).ok_or("unknown board")?;
        self.feeds.retain(|feed| feed.id != own);
        if self.feeds.len() >= FEEDS {
            return Err("too many feeds");
        }
        self.answer(id, ());
        self.feeds.push(Feed::new(own, board, serialnr));
        if let Some(now) = self.hub.now(board) {
            self.change(&now);
        }
        Ok(())
    }

    fn answer<T: Serialize>(&mut self, id: &Id, param: T) {
        self.output.push(wire::answer(id, param, self.hub.time()));
    }

    /// Updates the feeds of a board.
    pub fn change(&mut self, change: &Change) {
        let now = self.hub.clock().monotonic();
        let time = self.hub.time();
        for feed in (self.feeds.iter_mut()).filter(|feed| feed.board == change.board) {
            let id = feed.id.clone();
            let event = feed.take(&change.shown, change.version, now);
            self.output.extend(write(&id, event, time));
        }
    }

    /// Updates all feeds after changes were missed.
    pub fn catch_up(&mut self) {
        let boards: BTreeSet<usize> = self.feeds.iter().map(|feed| feed.board).collect();
        for board in boards {
            if let Some(change) = self.hub.now(board) {
                self.change(&change);
            }
        }
    }

    /// How long until [`Self::tick`], if nothing happens before.
    #[must_use]
    pub fn rest(&self) -> Option<Duration> {
        let due = self.feeds.iter().filter_map(Feed::deadline).min()?;
        let now = self.hub.clock().monotonic();
        Some((due - now).into())
    }

    /// Lets time pass at the feeds that wait for it.
    pub fn tick(&mut self) {
        let now = self.hub.clock().monotonic();
        let time = self.hub.time();
        let due = |feed: &&mut Feed| feed.deadline().is_some_and(|due| due <= now);
        for feed in self.feeds.iter_mut().filter(due) {
            let id = feed.id.clone();
            let event = feed.tick(now);
            self.output.extend(write(&id, event, time));
        }
    }
}

fn find<'a>(feeds: &'a mut [Feed], id: &Id) -> Result<&'a mut Feed, &'static str> {
    feeds
        .iter_mut()
        .find(|feed| feed.id == *id)
        .ok_or("unknown feed")
}

fn write(id: &Id, event: Option<BoardEvent<'_>>, time: i64) -> Option<String> {
    event.map(|event| wire::feed(id, &event, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_calls_without_end_gets_ten_calls_a_second() {
        let begin = Instant::now();
        let mut calls = Calls::new(begin);
        for _ in 0..BURST {
            assert!(calls.left > 0);
            calls.take(begin);
        }
        assert_eq!(calls.left, 0);
        let made = (0..10_000).filter(|ms| {
            calls.fill(begin + Duration::from_millis(*ms));
            let may = calls.left > 0;
            if may {
                calls.take(begin + Duration::from_millis(*ms));
            }
            may
        });
        assert_eq!(made.count(), 99);
        calls.fill(begin + Duration::from_hours(1));
        assert_eq!(calls.left, BURST);
        calls.fill(begin + Duration::from_hours(2));
        assert_eq!(calls.left, BURST);
    }
}
