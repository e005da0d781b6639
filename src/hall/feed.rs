//! Feeds: the stream of values for a page, over a WebSocket or as server-sent events.
//!
//! ```text
//! hello ─▶ all retained values ─▶ ready ─▶ changes … ; a beat every two seconds
//! ```

use std::{collections::BTreeSet, convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Json,
    extract::{
        Query, State, WebSocketUpgrade,
        ws::{Message, Utf8Bytes, WebSocket},
    },
    http::{HeaderMap, header},
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{SinkExt as _, stream};
use serde::Deserialize;
use serde_json::json;
use tokio::{
    sync::{OwnedSemaphorePermit, mpsc, watch},
    time::{Instant, MissedTickBehavior, interval, sleep_until, timeout},
};

use super::{
    Hall,
    answer::Refusal,
    guard::is_from_our_page,
    mirror::{Selection, Version},
    public_reader,
    upstream::Upstream,
};
use crate::publish::topic::Audience;
use remisd_vocabulary::{name::BoardId, time::rfc3339};

/// The interval between two beats.
const BEAT: Duration = Duration::from_secs(2);
/// The interval over which changes are batched.
const BATCH_INTERVAL: Duration = Duration::from_millis(40);
/// How long a client may take to read one frame, and a whole batch of frames. Until then the frames
/// are kept in memory for that client alone.
const PATIENCE: Duration = Duration::from_secs(10);
const PATIENCE_TOGETHER: Duration = Duration::from_mins(1);
/// The maximum size of a message from a page, in bytes.
const MAX_REQUEST_BYTES: usize = 4096;

/// The query of a feed request.
#[derive(Debug, Deserialize)]
pub(super) struct FeedQuery {
    audience: String,
    boards: Option<String>,
    view: Option<String>,
}

/// Handles `GET feed`.
pub(super) async fn web_socket(
    State(hall): State<Arc<Hall>>,
    headers: HeaderMap,
    Query(wish): Query<FeedQuery>,
    upgrade: WebSocketUpgrade,
) -> Response {
    // A page of another site could open this with our cookie.
    if headers.contains_key(header::ORIGIN) && !is_from_our_page(&headers) {
        return Refusal::ForeignOrigin.into_response();
    }
    match Feed::new(hall, headers, &wish) {
        // Messages from a page have no meaning here, so they may be short.
        Ok(feed) => upgrade
            .read_buffer_size(MAX_REQUEST_BYTES)
            .max_message_size(MAX_REQUEST_BYTES)
            .max_frame_size(MAX_REQUEST_BYTES)
            .on_upgrade(|socket| speak(socket, feed)),
        Err(refused) => refused.into_response(),
    }
}

/// Handles `GET api/events`.
pub(super) async fn server_sent(
    State(hall): State<Arc<Hall>>,
    headers: HeaderMap,
    Query(wish): Query<FeedQuery>,
) -> Response {
    let feed = match Feed::new(hall, headers, &wish) {
        Ok(feed) => feed,
        Err(refused) => return refused.into_response(),
    };
    let (frames, received) = mpsc::channel(1);
    tokio::spawn(send_frames(frames, feed));
    let events = stream::unfold(received, async |mut received| {
        let frame: Utf8Bytes = received.recv().await?;
        let event = Event::default().data(frame.as_str());
        Some((Ok::<_, Infallible>(event), received))
    });
    Sse::new(events)
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response()
}

/// Sends frames to a script that reads them in time; otherwise the script must reconnect.
///
/// This runs in its own task, because the response polls for the next frame only when there is room
/// for it.
async fn send_frames(out: mpsc::Sender<Utf8Bytes>, mut feed: Feed) {
    loop {
        let frames = tokio::select! {
            frames = feed.next() => frames,
            () = out.closed() => return,
        };
        let Some(frames) = frames else {
            return;
        };
        let sending = async {
            for frame in frames {
                timeout(PATIENCE, out.send(frame)).await.ok()?.ok()?;
            }
            Some(())
        };
        if !matches!(timeout(PATIENCE_TOGETHER, sending).await, Ok(Some(()))) {
            return;
        }
    }
}

async fn speak(mut socket: WebSocket, mut feed: Feed) {
    loop {
        let frames = tokio::select! {
            frames = feed.next() => frames,
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => continue, // messages from a page have no meaning
            },
        };
        let Some(frames) = frames else {
            socket.send(Message::Close(None)).await.ok();
            return;
        };
        let sent = timeout(PATIENCE_TOGETHER, send(&mut socket, frames));
        if !matches!(sent.await, Ok(Some(()))) {
            return;
        }
    }
}

/// Sends frames to a page; `None` if the page does not read them in time.
async fn send(socket: &mut WebSocket, frames: Vec<Utf8Bytes>) -> Option<()> {
    for frame in frames {
        let sent = timeout(PATIENCE, socket.feed(Message::Text(frame)));
        sent.await.ok()?.ok()?;
    }
    timeout(PATIENCE, socket.flush()).await.ok()?.ok()
}

/// The feed of one page.
struct Feed {
    hall: Arc<Hall>,
    headers: HeaderMap,
    audience: Audience,
    selection: Selection,
    upstream: Arc<Upstream>,
    changes: watch::Receiver<Version>,
    beat: tokio::time::Interval,
    version: Version,
    stage: Stage,
    complete: bool,
    /// The earliest time at which anything is sent again.
    pause: Instant,
    /// Its slots: of its audience, of its user, and of its session, which the public does not need.
    _slots: (
        OwnedSemaphorePermit,
        OwnedSemaphorePermit,
        Option<OwnedSemaphorePermit>,
    ),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Hello,
    Going,
    Ended,
}

impl Feed {
    fn new(hall: Arc<Hall>, headers: HeaderMap, wish: &FeedQuery) -> Result<Self, Refusal> {
        let audience = (Audience::ALL.into_iter()).find(|one| one.as_str() == wish.audience);
        let audience = audience.ok_or(Refusal::Bad("there is no such audience".to_owned()))?;
        let boards = wish.boards.as_deref().filter(|boards| !boards.is_empty());
        let boards = boards.map(|boards| boards.split(',').map(str::parse).collect());
        let boards: Option<BTreeSet<BoardId>> = (boards.transpose())
            .map_err(|error: remisd_vocabulary::name::NameError| Refusal::Bad(error.to_string()))?;
        let tiles = match wish.view.as_deref() {
            None => false,
            Some("tiles") if audience == Audience::Arbiter => true,
            Some(_) => return Err(Refusal::Bad("there is no such view".to_owned())),
        };
        let upstream =
            (hall.upstream(&headers, audience, boards.as_ref())).ok_or(Refusal::NotSignedIn)?;
        // Neither the public nor a player takes the arbiter's places.
        let places = match audience {
            Audience::Public => &hall.public_feeds,
            Audience::Hall | Audience::Player => &hall.feeds,
            Audience::Arbiter | Audience::Operator => &hall.arbiters_feeds,
        };
        let own_place = match audience {
            Audience::Public => None,
            _ => Some(hall.sessions.place(&headers).ok_or(Refusal::TooManyFeeds)?),
        };
        let of_user = upstream.feed_slot().ok_or(Refusal::TooManyFeeds)?;
        let place = Arc::clone(places).try_acquire_owned();
        let place = place.map_err(|_| Refusal::TooManyFeeds)?;
        let mut beat = interval(BEAT);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(Self {
            headers,
            audience,
            selection: Selection { boards, tiles },
            changes: upstream.mirror.changes(),
            upstream,
            beat,
            version: Version::default(),
            stage: Stage::Hello,
            complete: false,
            pause: Instant::now(),
            hall,
            _slots: (place, of_user, own_place),
        })
    }

    /// The next frames, at least one; `None` once the feed is over. Cancel-safe.
    async fn next(&mut self) -> Option<Vec<Utf8Bytes>> {
        match self.stage {
            Stage::Hello => {
                self.stage = Stage::Going;
                self.beat.reset();
                let mut frames = vec![self.hello()];
                frames.extend(self.news());
                return Some(frames);
            }
            Stage::Going => {}
            Stage::Ended => return None,
        }
        loop {
            sleep_until(self.pause).await;
            let beats = tokio::select! {
                () = self.hall.cancel.cancelled() => return None,
                changed = self.changes.changed() => {
                    changed.ok()?;
                    false
                }
                _ = self.beat.tick() => true,
            };
            if beats {
                if let Some(code) = self.has_ended() {
                    self.stage = Stage::Ended;
                    return Some(vec![frame(&json!({ "type": "ended", "code": code }))]);
                }
                let broker = self.upstream.is_up();
                let time = rfc3339(self.hall.now());
                return Some(vec![frame(
                    &json!({ "type": "beat", "time": time, "broker": broker }),
                )]);
            }
            // Also without frames for this page, because other boards change all the time.
            self.pause = Instant::now() + BATCH_INTERVAL;
            let frames = self.news();
            if !frames.is_empty() {
                return Some(frames);
            }
        }
    }

    fn news(&mut self) -> Vec<Utf8Bytes> {
        let mirror = &self.upstream.mirror;
        let news = mirror.since(self.version, &self.selection, self.complete);
        self.version = news.version;
        let mut frames = news.frames;
        if news.complete {
            self.complete = true;
            frames.push(frame(&json!({ "type": "ready" })));
        }
        frames
    }

    fn hello(&self) -> Utf8Bytes {
        let settings = &self.hall.settings;
        frame(&json!({
            "type": "hello",
            "site": settings.broker.site.as_str(),
            "audience": self.audience.as_str(),
            "time": rfc3339(self.hall.now()),
            "version": env!("CARGO_PKG_VERSION"),
            "delay_ms": settings.delay_ms,
            "languages": settings.languages,
        }))
    }

    /// Why the feed must end, if it must.
    fn has_ended(&self) -> Option<&'static str> {
        if self.audience == Audience::Public {
            return None;
        }
        if self.upstream.is_refused() {
            return Some("refused");
        }
        let boards = self.selection.boards.as_ref();
        let still = self.hall.upstream(&self.headers, self.audience, boards);
        still.is_none().then_some("signed_out")
    }
}

fn frame(value: &serde_json::Value) -> Utf8Bytes {
    value.to_string().into()
}

/// Handles `GET api/site`: the public information about this server.
pub(super) async fn site(State(hall): State<Arc<Hall>>) -> Response {
    let settings = &hall.settings;
    let boards = hall.public.mirror.boards();
    Json(json!({
        "schema": "remisd/site/1",
        "site": settings.broker.site.as_str(),
        "version": env!("CARGO_PKG_VERSION"),
        "languages": settings.languages,
        "delay_ms": settings.delay_ms,
        "broker": hall.public.is_up(),
        "broker_fault": public_reader::fault(&hall),
        "tournaments": hall.tournaments.ids(),
        "licence": env!("CARGO_PKG_LICENSE"),
        "source": null_if_empty(env!("CARGO_PKG_REPOSITORY")),
        "boards": boards,
    }))
    .into_response()
}

fn null_if_empty(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::hall::{PUBLIC_FEEDS, Settings, Shared};

    /// A hall whose broker is unreachable.
    fn hall() -> Arc<Hall> {
        let settings = Settings::without_broker();
        let shared = Shared::open(&settings).unwrap();
        Arc::new(Hall::new(settings, &shared, CancellationToken::new()).unwrap())
    }

    fn public(hall: &Arc<Hall>) -> Feed {
        let wish = FeedQuery {
            audience: "public".to_owned(),
            boards: None,
            view: None,
        };
        let Ok(feed) = Feed::new(Arc::clone(hall), HeaderMap::new(), &wish) else {
            panic!("anybody may read what is public");
        };
        feed
    }

    #[tokio::test(start_paused = true)]
    async fn a_script_that_reads_nothing_frees_its_place() {
        let hall = hall();
        let (out, mut received) = mpsc::channel(1);
        let feed = public(&hall);
        assert_eq!(hall.public_feeds.available_permits(), PUBLIC_FEEDS - 1);
        send_frames(out, feed).await;
        assert_eq!(hall.public_feeds.available_permits(), PUBLIC_FEEDS);
        let hello = received.recv().await.unwrap();
        assert!(hello.contains("hello"), "{hello}");
        assert_eq!(received.recv().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_script_that_reads_receives_more_and_one_that_goes_frees_its_place() {
        let hall = hall();
        let (out, mut received) = mpsc::channel(1);
        let sending = tokio::spawn(send_frames(out, public(&hall)));
        for wanted in ["hello", "beat", "beat"] {
            let frame = received.recv().await.unwrap();
            assert!(frame.contains(wanted), "{frame}");
        }
        drop(received);
        sending.await.unwrap();
        assert_eq!(hall.public_feeds.available_permits(), PUBLIC_FEEDS);
    }
}
