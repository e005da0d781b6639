//! The latest values of the topics, each as the frame that pages receive.
//!
//! Every frame has a version, and versions increase. A page remembers the version up to which it
//! has been served and requests what came since. So nothing queues up for a slow page, and many
//! pages share one text. Each topic keeps only its newest frame. Events do not replace one another,
//! so each board keeps its last fifty.
//!
//! The mirror is bounded to [`TOPICS`] topics and [`BYTES`] bytes. Anything beyond is logged and
//! left out.

mod place;
mod readable;

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::extract::ws::Utf8Bytes;
use bytes::Bytes;
use jiff::Timestamp;
use remisd_topics::EntryRef;
use tokio::sync::watch;

use self::place::{SiteTopic, place};
use super::{alert_texts, tile};
use crate::publish::topic::Audience;
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    time::rfc3339,
};

/// The maximum number of topics, enough for more than five hundred boards.
pub const TOPICS: usize = 8192;
/// The maximum size of all frames, in bytes.
pub const BYTES: usize = 128 * 1024 * 1024;
/// The number of events kept per board.
pub const EVENTS: usize = 50;
/// What stands for a payload that cannot be read. No payload of a topic is a bare `null`.
const UNREADABLE: &[u8] = b"null";
/// The leaf of events, which is not retained.
const EVENT: &str = "event";
/// The leaf of the sensed squares: it changes ten times a second, and no page shows it.
const SQUARES: &str = "squares";
/// The leaf of the games before the current one: the standings read it, and no page does.
const EARLIER: &str = "earlier";
/// The leaf that the mirror derives from `game` for pages with many boards.
const TILE: &str = "tile";
/// The leaves of nodes delivered along with tiles. Without `health` nobody would notice that a node is
/// silent.
const BESIDE_TILES_OF_NODES: [&str; 2] = ["state", "health"];
/// The leaves of boards delivered along with tiles.
const BESIDE_TILES: [&str; 5] = [TILE, "alerts", "clock", "availability", "link"];

/// The topics that a page selects.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// The boards; `None` for all.
    pub boards: Option<BTreeSet<BoardId>>,
    /// Whether each game is replaced by a tile, for pages with many boards.
    pub tiles: bool,
}

impl Selection {
    fn has(&self, entry: &Entry) -> bool {
        let leaf = &*entry.leaf;
        let Some(board) = &entry.board else {
            return !self.tiles || BESIDE_TILES_OF_NODES.contains(&leaf);
        };
        let fits = if self.tiles {
            BESIDE_TILES.contains(&leaf)
        } else {
            leaf != TILE && leaf != EARLIER
        };
        fits && (self.boards.as_ref()).is_none_or(|boards| boards.contains(board))
    }
}

/// The version of the feed: every frame gets the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Version(u64);

impl Version {
    const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// The changes since a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The frames, oldest first.
    pub frames: Vec<Utf8Bytes>,
    /// The version up to which they are complete.
    pub version: Version,
    /// Whether all retained values have now arrived; set only once per page.
    pub complete: bool,
}

/// The topics of one audience.
#[derive(Debug)]
pub struct Mirror {
    /// The prefix `chess/v1/<site>/`.
    site: String,
    /// The prefix `<audience>/`.
    audience: String,
    makes_tiles: bool,
    kept: Mutex<MirrorState>,
    changed: watch::Sender<Version>,
}

#[derive(Debug, Default)]
struct MirrorState {
    /// The newest frame of each topic, by version.
    frames: BTreeMap<Version, Entry>,
    newest: HashMap<String, Newest>,
    events: HashMap<BoardId, VecDeque<Version>>,
    version: Version,
    bytes: usize,
    /// The number of the current connection.
    connection: u64,
    complete: bool,
    full: bool,
}

#[derive(Debug)]
struct Entry {
    /// `None` for a topic of a node.
    board: Option<BoardId>,
    leaf: Arc<str>,
    frame: Utf8Bytes,
}

#[derive(Debug)]
struct Newest {
    version: Version,
    payload: Bytes,
    /// The connection on which it was last received.
    connection: u64,
}

impl Mirror {
    /// An empty mirror.
    #[must_use]
    pub fn new(site: &SiteId, audience: Audience) -> Self {
        Self {
            site: format!("chess/v1/{site}/"),
            audience: format!("{}/", audience.as_str()),
            makes_tiles: audience == Audience::Arbiter,
            kept: Mutex::default(),
            changed: watch::Sender::default(),
        }
    }

    /// A receiver that is notified of every change.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<Version> {
        self.changed.subscribe()
    }

    /// The boards that have values now.
    #[must_use]
    pub fn boards(&self) -> Vec<BoardId> {
        let kept = self.kept();
        let present = kept
            .newest
            .values()
            .filter(|newest| !newest.payload.is_empty());
        let boards: BTreeSet<&BoardId> = present
            .filter_map(|newest| kept.frames.get(&newest.version)?.board.as_ref())
            .collect();
        boards.into_iter().cloned().collect()
    }

    /// The current payload of a board's topic.
    #[must_use]
    pub fn payload(&self, board: &BoardId, leaf: &str) -> Option<Bytes> {
        let kept = self.kept();
        let newest = kept.newest.get(&format!("{board}/{leaf}"))?;
        let is_value = !newest.payload.is_empty() && !is_unreadable(&newest.payload);
        is_value.then(|| newest.payload.clone())
    }

    /// The frames of `selection` with a version above `version`. `was_complete` is whether the page
    /// already knows that all retained values have arrived.
    #[must_use]
    pub fn since(&self, version: Version, selection: &Selection, was_complete: bool) -> News {
        let kept = self.kept();
        let later = kept.frames.range(version.next()..);
        let frames = later.filter(|(_, entry)| selection.has(entry));
        News {
            frames: frames.map(|(_, entry)| entry.frame.clone()).collect(),
            version: kept.version,
            complete: kept.complete && !was_complete,
        }
    }

    /// Starts a new connection. Values that are not received again before it is
    /// [complete](Self::complete) are then removed.
    pub fn begin(&self) {
        self.kept().connection += 1;
    }

    /// Whether all retained values were received once.
    pub fn is_complete(&self) -> bool {
        self.kept().complete
    }

    /// Marks all retained values as received.
    pub fn complete(&self) {
        let mut kept = self.kept();
        let connection = kept.connection;
        let gone = (kept.newest.iter())
            .filter(|(_, newest)| newest.connection != connection && !newest.payload.is_empty());
        let gone: Vec<String> = gone.map(|(name, _)| name.clone()).collect();
        for name in gone {
            if let Some(place) = place(&name) {
                kept.put(&place, Bytes::new(), None);
            }
        }
        kept.complete = true;
        let version = kept.next_version();
        drop(kept);
        self.changed.send_replace(version);
    }

    /// Takes a message. `received` is its time of arrival, or `None` for a retained message.
    pub fn take(&self, topic: &str, payload: &Bytes, received: Option<Timestamp>) {
        let Some(name) = topic.strip_prefix(&self.site) else {
            return;
        };
        let name = name.strip_prefix(&self.audience).unwrap_or(name);
        let Some(place) = place(name) else { return };
        if place.leaf == SQUARES {
            return;
        }
        let is_readable = payload.is_empty() || readable::is_readable(&place, payload);
        let unreadable = Bytes::from_static(UNREADABLE);
        let payload = if is_readable { payload } else { &unreadable };
        let completed = (place.leaf == alert_texts::LEAF)
            .then(|| alert_texts::completed(payload))
            .flatten();
        let payload = completed.as_ref().unwrap_or(payload);
        let mut kept = self.kept();
        let payload = &kept.newer(&place, payload);
        let mut changed = if place.leaf == EVENT {
            kept.add_event(&place, payload, received)
        } else {
            kept.put(&place, payload.clone(), received)
        };
        // Also for an unchanged game: a tile that is not confirmed would be removed.
        if self.makes_tiles
            && place.leaf == "game"
            && let Some(board) = &place.board
        {
            let name = format!("{board}/{TILE}");
            let tile = SiteTopic {
                name: &name,
                board: Some(board.clone()),
                leaf: TILE,
            };
            let tile_payload = match tile::of_game(payload) {
                None if is_unreadable(payload) => payload.clone(),
                made => made.unwrap_or_default(),
            };
            changed |= kept.put(&tile, tile_payload, received);
        }
        let version = kept.version;
        drop(kept);
        if !is_readable {
            tracing::debug!(topic, "a payload cannot be read; pages do not show it");
        }
        if changed {
            self.changed.send_replace(version);
        }
    }

    fn kept(&self) -> MutexGuard<'_, MirrorState> {
        // Every change is atomic, so a panic leaves the state consistent.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MirrorState {
    fn next_version(&mut self) -> Version {
        self.version = self.version.next();
        self.version
    }

    /// Whether there is room for another topic or event of this size.
    fn has_room(&mut self, bytes: usize) -> bool {
        let room =
            self.frames.len() < TOPICS + self.events.len() * EVENTS && self.bytes + bytes <= BYTES;
        if !room && !std::mem::replace(&mut self.full, true) {
            tracing::warn!("more topics than pages can be shown: some are left out");
        }
        room
    }

    /// The newer of our value and the broker's. A broker that crashed restores what it last saved,
    /// and the nodes of a cluster may pass an older value on after a newer one.
    ///
    /// Of two runs of a daemon none is known to be newer: the later payload counts.
    fn newer(&self, place: &SiteTopic<'_>, payload: &Bytes) -> Bytes {
        let have = self.newest.get(place.name).map(|newest| &newest.payload);
        let have = have.filter(|have| *have != payload && place.leaf != EVENT);
        let is_newer = |have: &&Bytes| {
            let entries = EntryRef::of_payload(payload).zip(EntryRef::of_payload(have));
            entries.is_some_and(|(got, had)| got.is_overtaken_by(&had))
        };
        have.filter(is_newer).unwrap_or(payload).clone()
    }

    /// Replaces the payload of a topic; returns false if it is unchanged.
    fn put(&mut self, place: &SiteTopic<'_>, payload: Bytes, received: Option<Timestamp>) -> bool {
        let connection = self.connection;
        if let Some(newest) = self.newest.get_mut(place.name) {
            newest.connection = connection;
            // A daemon whose health cannot be read is heard all the same.
            let is_heard = received.is_some() && is_unreadable(&payload);
            if newest.payload == payload && !is_heard {
                return false;
            }
            let old = newest.version;
            self.remove(old);
        } else if payload.is_empty() {
            return false; // cleared before it was ever known
        }
        let frame = frame(place.name, &payload, received);
        if !self.has_room(frame.len()) {
            self.newest.remove(place.name);
            return false;
        }
        let version = self.add(place, frame);
        let newest = Newest {
            version,
            payload,
            connection,
        };
        self.newest.insert(place.name.to_owned(), newest);
        true
    }

    fn add_event(
        &mut self,
        place: &SiteTopic<'_>,
        payload: &Bytes,
        received: Option<Timestamp>,
    ) -> bool {
        let Some(board) = &place.board else {
            return false;
        };
        let frame = frame(place.name, payload, received);
        if payload.is_empty() || is_unreadable(payload) || !self.has_room(frame.len()) {
            return false;
        }
        let version = self.add(place, frame);
        let events = self.events.entry(board.clone()).or_default();
        events.push_back(version);
        if events.len() > EVENTS
            && let Some(oldest) = events.pop_front()
        {
            self.remove(oldest);
        }
        true
    }

    fn add(&mut self, place: &SiteTopic<'_>, frame: Utf8Bytes) -> Version {
        let version = self.next_version();
        self.bytes += frame.len();
        let entry = Entry {
            board: place.board.clone(),
            leaf: place.leaf.into(),
            frame,
        };
        self.frames.insert(version, entry);
        version
    }

    fn remove(&mut self, version: Version) {
        if let Some(old) = self.frames.remove(&version) {
            self.bytes -= old.frame.len();
        }
    }
}

/// Whether this stands for a payload that could not be read.
fn is_unreadable(payload: &[u8]) -> bool {
    payload == UNREADABLE
}

fn frame(name: &str, payload: &[u8], received: Option<Timestamp>) -> Utf8Bytes {
    let unreadable = is_unreadable(payload);
    let payload = match std::str::from_utf8(payload) {
        Ok(payload) if !payload.is_empty() => payload,
        _ => "null",
    };
    let mut text = String::with_capacity(payload.len() + name.len() + 96);
    text.push_str("{\"type\":\"value\",\"topic\":\"");
    text.push_str(name);
    text.push_str("\",\"received\":");
    match received {
        Some(at) => {
            text.push('"');
            text.push_str(&rfc3339(at));
            text.push('"');
        }
        None => text.push_str("null"),
    }
    if unreadable {
        text.push_str(",\"unreadable\":true");
    }
    text.push_str(",\"payload\":");
    text.push_str(payload);
    text.push('}');
    text.into()
}

#[cfg(test)]
mod tests;
