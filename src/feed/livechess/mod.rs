//! Boards that DGT's `LiveChess` reads: a client of its WebSocket on port 1982.
//!
//! ```text
//! ours    {"call":"eboards","id":1}                        every 5 s
//! theirs  {"response":"call","id":1,"param":[{"serialnr":"23946","state":"ACTIVE",…}],…}
//! ours    {"call":"subscribe","id":100,"param":{"feed":"eboardevent","id":100,"param":{"serialnr":"23946"}}}
//! theirs  {"response":"feed","id":100,"param":{"serialnr":"23946","board":"rnbq…","clock":{…}},…}
//! ```
//!
//! The squares, lifted pieces included, become sensor events, so our own hand reads the moves.
//! `LiveChess` reports them about once a second. The game that it reconstructs itself is a second
//! account. Who plays is read from its tournaments over HTTP.

mod connection;
mod pairings;
mod reconstruction;
mod wire;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, MissedTickBehavior, interval, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

use self::{
    connection::{Connection, Lost},
    pairings::{PairedBoard, Pairings},
    reconstruction::ListedMoves,
    wire::{Answer, BoardMessage, ListedBoard},
};
pub use self::{
    pairings::Pairing,
    reconstruction::{PairedGame, Reconstruction},
};
use remisd_board::orientation::{OrientationSetting, OrientationTracker};
use remisd_transport::Transport;
use remisd_vocabulary::{
    retry::Backoff,
    sensor::{BoardEvent, Device, DownCode, LinkReport, Orientation, Placement, Sensed},
    text::OneLine,
    time::Clock,
};

/// The shortest and the longest wait before another attempt to connect.
const WAITS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// How often the list of boards is asked for.
const ASK: Duration = Duration::from_secs(5);
/// `LiveChess` counts as lost when it has been silent for this long.
const SILENCE: Duration = Duration::from_secs(15);
/// The longest reason of an error that is reported, in characters.
const LONGEST_REASON: usize = 200;
/// How long a subscription may bring no squares.
const EMPTY: Duration = Duration::from_secs(10);
/// The id of the call for the list of boards.
const LIST: u64 = 1;
/// The id of the first subscription. Each has another one.
const FIRST_FEED: u64 = 100;
/// The most serial numbers that a report lists.
const LISTED: usize = 32;

/// A board that `LiveChess` reads.
#[derive(Debug)]
pub struct LiveChessBoard {
    /// Its serial number, as `LiveChess` shows it.
    pub serial: String,
    /// How it lies on the table.
    pub orientation: OrientationSetting,
    /// The orientation found last.
    pub known_orientation: Option<Orientation>,
    /// Receives its events.
    pub events: mpsc::Sender<BoardEvent>,
    /// Shows the pairing that is being played at it; `None` if `LiveChess` names none.
    pub pairing: watch::Sender<Option<Pairing>>,
    /// Shows the game as `LiveChess` reconstructs it. Without a receiver, that of the pairing is not
    /// requested.
    pub reconstruction: watch::Sender<Reconstruction>,
    /// Whether `setup` is called at the start of each game that is not of a tournament.
    pub calls_setup: bool,
}

/// A `LiveChess` and the boards that are read through it.
#[derive(Debug)]
pub struct LiveChess {
    /// Its address without a path: `ws://127.0.0.1:1982`.
    pub url: String,
    /// The boards.
    pub boards: Vec<LiveChessBoard>,
    /// The serial numbers of the boards whose game awaits its first move from the usual starting
    /// position.
    pub awaiting_first_move: watch::Receiver<BTreeSet<String>>,
}

/// Reads boards through a `LiveChess` until `cancel`, and their pairings over `transport` if there
/// is one.
pub async fn read(
    host: LiveChess,
    transport: Option<impl Transport>,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) {
    let boards = host.boards.iter().map(|board| PairedBoard {
        serial: board.serial.clone(),
        pairing: board.pairing.clone(),
        reconstruction: board.reconstruction.clone(),
    });
    let (shown, in_tournaments) = watch::channel(None);
    let pairings =
        transport.map(|transport| Pairings::new(transport, &host.url, boards.collect(), shown));
    let following = cancel.clone().run_until_cancelled_owned(async {
        if let Some(pairings) = pairings {
            pairings.follow().await;
        }
    });
    tokio::join!(read_boards(host, in_tournaments, clock, cancel), following);
}

async fn read_boards(
    host: LiveChess,
    in_tournaments: watch::Receiver<Option<BTreeSet<String>>>,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) {
    let mut client = Client {
        feeds: host.boards.into_iter().map(Feed::new).collect(),
        next_id: FIRST_FEED,
        url: host.url,
        awaiting_first_move: host.awaiting_first_move,
        in_tournaments,
        clock,
        cancel,
    };
    let mut backoff = Backoff::new(WAITS.0, WAITS.1, 7);
    loop {
        let lost = client.session(&mut backoff).await;
        if client.cancel.is_cancelled() {
            return;
        }
        let reason = format!("LiveChess at {}: {lost}", client.url);
        client.lose_all(&reason).await;
        let cancel = client.cancel.clone();
        tokio::select! {
            () = cancel.cancelled() => return,
            () = sleep(backoff.wait()) => {}
        }
    }
}

struct Client {
    url: String,
    feeds: Vec<Feed>,
    /// The id of the next subscription or call.
    next_id: u64,
    awaiting_first_move: watch::Receiver<BTreeSet<String>>,
    /// The boards that are in tournaments; `None` until these were read.
    in_tournaments: watch::Receiver<Option<BTreeSet<String>>>,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
}

/// A board, and what was last reported of it.
struct Feed {
    board: LiveChessBoard,
    turn: OrientationTracker,
    subscription: Option<Subscription>,
    reported: Reported,
}

/// What was reported last of a board.
#[derive(PartialEq, Eq)]
enum Reported {
    Nothing,
    Read,
    /// It is not read, for this reason.
    Lost(String),
}

/// A subscription to a board.
struct Subscription {
    id: u64,
    since: Instant,
    /// Whether it has brought squares.
    has_squares: bool,
    moves: ListedMoves,
}

impl Feed {
    fn new(board: LiveChessBoard) -> Self {
        Self {
            turn: OrientationTracker::new(board.orientation, board.known_orientation),
            board,
            subscription: None,
            reported: Reported::Nothing,
        }
    }
}

impl Client {
    /// One connection, until it is lost.
    async fn session(&mut self, backoff: &mut Backoff) -> Lost {
        let mut connection = match Connection::open(&self.url, &self.cancel).await {
            Ok(connection) => connection,
            Err(lost) => return lost,
        };
        for feed in &mut self.feeds {
            feed.subscription = None;
        }
        let mut asks = interval(ASK);
        asks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut silent_at = Instant::now() + SILENCE;
        // Without a list, no board can be found or missed.
        let mut unlisted_at = silent_at;
        let cancel = self.cancel.clone();
        loop {
            let text = tokio::select! {
                () = cancel.cancelled() => return Lost::Stopped,
                Ok(()) = self.awaiting_first_move.changed() => {
                    if let Err(lost) = self.call_setups(&mut connection).await {
                        return lost;
                    }
                    continue;
                }
                Ok(()) = self.in_tournaments.changed() => {
                    if let Err(lost) = self.call_setups(&mut connection).await {
                        return lost;
                    }
                    continue;
                }
                _ = asks.tick() => {
                    if let Err(lost) = self.give_up_empty(&mut connection).await {
                        return lost;
                    }
                    let call = json!({ "call": "eboards", "id": LIST });
                    if let Err(lost) = connection.call(&call).await {
                        return lost;
                    }
                    continue;
                }
                text = timeout_at(silent_at.min(unlisted_at), connection.text()) => match text {
                    Err(_) if silent_at <= unlisted_at => return Lost::Silent,
                    Err(_) => return Lost::NoList,
                    Ok(Err(lost)) => return lost,
                    Ok(Ok(text)) => text,
                },
            };
            silent_at = Instant::now() + SILENCE;
            let Ok(answer) = serde_json::from_str::<Answer>(&text) else {
                tracing::debug!(
                    url = self.url,
                    "LiveChess sent a message that cannot be read"
                );
                continue;
            };
            let id = answer.id.as_u64().unwrap_or(0);
            match (answer.response.as_str(), id) {
                ("call", LIST) => {
                    let Value::Array(boards) = answer.param else {
                        return Lost::NoList;
                    };
                    backoff.reset();
                    unlisted_at = Instant::now() + SILENCE;
                    if let Err(lost) = self.list(&mut connection, boards).await {
                        return lost;
                    }
                }
                ("error", 0 | LIST) => {
                    tracing::debug!(url = self.url, "LiveChess refuses a call");
                }
                ("feed", id) => {
                    if let Ok(event) = serde_json::from_value(answer.param) {
                        self.event(id, event).await;
                    }
                    if let Err(lost) = self.call_setups(&mut connection).await {
                        return lost;
                    }
                }
                ("error", id) => self.refused(id, &answer.param).await,
                _ => {}
            }
        }
    }

    /// Takes in an error that answers a call of ours.
    async fn refused(&mut self, id: u64, param: &Value) {
        let message = param["message"].as_str().unwrap_or("no reason given");
        let message = OneLine::bounded(message, LONGEST_REASON);
        let message = message.as_str();
        if self.refuse_setup(id, message) {
            return;
        }
        if let Some(at) = self.subscribed(id) {
            let reason = format!("LiveChess at {} refuses the board: {message}", self.url);
            self.feeds[at].subscription = None;
            self.lose(at, reason).await;
        }
    }

    /// Subscribes to boards that are there, and reports those that are not. An entry that cannot be
    /// read is skipped.
    async fn list(&mut self, connection: &mut Connection, boards: Vec<Value>) -> Result<(), Lost> {
        let boards = boards
            .into_iter()
            .filter_map(|board| serde_json::from_value(board).ok());
        let boards: BTreeMap<String, ListedBoard> = boards
            .map(|board: ListedBoard| (board.serialnr.clone(), board))
            .collect();
        for at in 0..self.feeds.len() {
            let serial = self.feeds[at].board.serial.clone();
            let listed = boards.get(&serial);
            let trouble = match listed.map(|board| board.state.as_deref()) {
                Some(Some("ACTIVE" | "DELAYED")) => None,
                Some(Some("NOTRESPONDING")) => {
                    Some(format!("LiveChess gets no answer from board {serial}"))
                }
                Some(Some("INACTIVE")) => {
                    Some(format!("board {serial} is switched off in LiveChess"))
                }
                Some(_) => Some(format!("board {serial} is not activated in LiveChess")),
                None if boards.is_empty() => Some("LiveChess has no boards".to_owned()),
                None => {
                    let known: Vec<&str> = boards.keys().map(String::as_str).take(LISTED).collect();
                    let more = if boards.len() > LISTED { ", …" } else { "" };
                    let known = known.join(", ");
                    Some(format!(
                        "LiveChess has no board {serial}; it has {known}{more}"
                    ))
                }
            };
            if let Some(reason) = trouble {
                self.lose(at, reason).await;
                // Another subscription brings all squares when the board is back.
                self.unsubscribe(at, connection).await?;
            } else if self.feeds[at].subscription.is_none() {
                let id = self.next_id;
                self.next_id += 1;
                self.feeds[at].subscription = Some(Subscription {
                    id,
                    since: Instant::now(),
                    has_squares: false,
                    moves: ListedMoves::default(),
                });
                let call = json!({
                    "call": "subscribe", "id": id, "param": {
                        "feed": "eboardevent", "id": id, "param": { "serialnr": serial },
                    },
                });
                connection.call(&call).await?;
            }
        }
        Ok(())
    }

    /// Ends subscriptions that bring no squares. The next list begins them again.
    async fn give_up_empty(&mut self, connection: &mut Connection) -> Result<(), Lost> {
        for at in 0..self.feeds.len() {
            let subscription = self.feeds[at].subscription.as_ref();
            let is_empty = subscription
                .is_some_and(|known| !known.has_squares && known.since.elapsed() > EMPTY);
            if is_empty {
                let serial = &self.feeds[at].board.serial;
                let reason = format!("LiveChess sends no squares of board {serial}");
                self.lose(at, reason).await;
                self.unsubscribe(at, connection).await?;
            }
        }
        Ok(())
    }

    async fn unsubscribe(&mut self, at: usize, connection: &mut Connection) -> Result<(), Lost> {
        let Some(old) = self.feeds[at].subscription.take() else {
            return Ok(());
        };
        let call = json!({ "call": "unsubscribe", "id": 0, "param": { "id": old.id } });
        connection.call(&call).await
    }

    /// Passes on what a subscription brings.
    async fn event(&mut self, id: u64, event: BoardMessage) {
        let Some(at) = self.subscribed(id) else {
            return;
        };
        if event.serialnr != self.feeds[at].board.serial {
            return;
        }
        self.take_moves(at, &event);
        if let Some(text) = &event.board {
            let Ok(raw) = text.parse::<Placement>() else {
                tracing::warn!(
                    serial = self.feeds[at].board.serial,
                    "LiveChess reports squares that cannot be read"
                );
                return;
            };
            self.find(at).await;
            let feed = &mut self.feeds[at];
            if let Some(subscription) = &mut feed.subscription {
                subscription.has_squares = true;
                subscription.moves.on_squares(&raw);
            }
            let orientation = feed.turn.observe(&raw);
            let placement = feed.turn.placement(&raw);
            if let Some(orientation) = orientation {
                self.send(at, Sensed::Orientation(orientation)).await;
            }
            self.send(at, Sensed::Placement(placement)).await;
        }
        if let Some(clock) = event.clock() {
            self.send(at, Sensed::Clock(clock.reading())).await;
        }
    }

    /// The board of a subscription that is in force.
    fn subscribed(&self, id: u64) -> Option<usize> {
        let is_of = |feed: &Feed| {
            feed.subscription
                .as_ref()
                .is_some_and(|known| known.id == id)
        };
        self.feeds.iter().position(is_of)
    }

    /// Reports that a board is read, if that is news.
    async fn find(&mut self, at: usize) {
        if self.feeds[at].reported == Reported::Read {
            return;
        }
        self.feeds[at].reported = Reported::Read;
        self.forget_loss(at);
        let device = Device {
            kind: "livechess",
            port: self.url.clone(),
            serial: Some(self.feeds[at].board.serial.clone()),
            ..Device::default()
        };
        self.send(at, Sensed::Link(LinkReport::Up(device))).await;
    }

    /// Reports that a board is not read, if that is news.
    async fn lose(&mut self, at: usize, reason: String) {
        self.drop_moves(at, reason.clone());
        let news = Reported::Lost(reason.clone());
        if self.feeds[at].reported == news {
            return;
        }
        self.feeds[at].reported = news;
        let down = LinkReport::Down {
            code: DownCode::Source,
            reason,
        };
        self.send(at, Sensed::Link(down)).await;
    }

    async fn lose_all(&mut self, reason: &str) {
        for at in 0..self.feeds.len() {
            self.lose(at, reason.to_owned()).await;
        }
    }

    async fn send(&self, at: usize, sensed: Sensed) {
        let at_time = self.clock.monotonic();
        let event = BoardEvent {
            at: at_time,
            sensed,
        };
        // The board's actor has ended, and the daemon with it.
        self.feeds[at].board.events.send(event).await.ok();
    }
}
