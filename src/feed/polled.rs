//! A PGN text at an address, requested again and again.
//!
//! ```text
//! ours    GET /round.pgn   If-None-Match: "7f3a"
//! theirs  304              as before
//!         200 ETag: "81c0" another text
//! ```
//!
//! An answer that breaks off, is no PGN, or fails changes nothing. After a while without a good
//! answer the boards are lost, with the reason. A text that has fewer games than the one before must
//! be found unchanged before it is used. If the last game does not end with a result, it may be half
//! written at the server. It must be found unchanged, in a whole answer each time; meanwhile the other
//! games are used.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri, header};
use remisd_vocabulary::{retry::Backoff, text::OneLine};
use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep_until, timeout},
};

use super::{
    address::Address,
    choose::{FoundGame, Identity},
    game::SourceGame,
    grace::{GracePeriod, before},
    rate_limiter::{RateLimiter, Requester, Servers},
    request::{Failure, read_whole},
    source::Found,
    text::GameText,
};

/// How long a request may take, with its redirects.
const ANSWER: Duration = Duration::from_secs(25);
/// How many redirects are followed.
const REDIRECTS: usize = 5;
/// Without a good answer for this long, or for four times the interval, the boards are lost.
const GRACE: Duration = Duration::from_secs(30);
/// The longest wait after other failures.
const RETRY: Duration = Duration::from_secs(30);
/// Each request of this number asks for the whole text: some servers keep a tag although the text
/// has changed.
const WHOLE: u32 = 12;
/// How often a last game without a result must be found unchanged, and a text with fewer games.
const UNTERMINATED: u32 = 3;
const FEWER: u32 = 2;

/// A PGN text at an address.
#[derive(Debug)]
pub struct PolledText {
    address: Address,
    servers: Servers,
    /// The rate limiter of its own server, which is not forgotten while it is here.
    limiter: Option<Arc<RateLimiter>>,
    requester: Requester,
    every: Duration,
    /// When to request it next.
    due: Instant,
    requests: u32,
    validator: Option<Validator>,
    newest: Option<Newest>,
    games: Option<Vec<(u32, Arc<SourceGame>)>>,
    /// The last game, while it has no end.
    open: Option<OpenGame>,
    grace: GracePeriod,
    retry: Backoff,
}

/// What lets the server say that nothing has changed.
#[derive(Debug)]
struct Validator {
    /// Where redirects ended.
    uri: Uri,
    name: header::HeaderName,
    value: header::HeaderValue,
}

/// The text of the last good answer.
#[derive(Debug)]
struct Newest {
    text: Bytes,
    /// In how many answers in a row it was the same.
    times: u32,
    /// Whether its length was given, so that it cannot have been cut off.
    is_whole: bool,
    /// Whether `games` are its games.
    is_read: bool,
}

/// A last game that does not end with a result or `*`.
#[derive(Debug)]
struct OpenGame {
    /// The game; `None` if it cannot be followed.
    game: Option<Arc<SourceGame>>,
    /// In how many answers in a row it was the same.
    times: u32,
    /// How many answers have had such a game, and since when none of them was used.
    answers: u32,
    since: Instant,
    /// Whether it is held back.
    is_held: bool,
    /// The game in its place as it was before, which stands in for it.
    before: Option<(u32, Arc<SourceGame>)>,
}

/// A good answer.
enum Answer {
    Unchanged,
    Text {
        text: Bytes,
        is_whole: bool,
        validator: Option<Validator>,
    },
}

/// What one address answers.
enum Reply {
    Answer(Answer),
    Redirect(Uri),
}

impl Newest {
    /// The same text once more.
    fn again(mut self) -> Self {
        self.times = self.times.saturating_add(1);
        self
    }
}

impl PolledText {
    /// A text that is requested every so often.
    pub(crate) fn new(address: Address, servers: Servers, every: Duration) -> Self {
        let seed = address.seed();
        let limiter = address.uri().and_then(|uri| servers.limiter(&uri)).ok();
        Self {
            address,
            limiter,
            servers,
            requester: Requester { id: seed, every },
            every,
            due: Instant::now(),
            requests: 0,
            validator: None,
            newest: None,
            games: None,
            open: None,
            grace: GracePeriod::new(every.saturating_mul(4).max(GRACE)),
            retry: Backoff::new(every.min(RETRY), every.max(RETRY), seed),
        }
    }

    /// Waits until the text may be requested again, and requests it.
    ///
    /// # Errors
    ///
    /// [`Failure`] if there was no good answer for too long.
    pub(crate) async fn look(&mut self) -> Result<Found, Arc<Failure>> {
        let next = self.due.max(Instant::now());
        if let Some(end) = self.grace.ends_at().filter(|end| *end <= next) {
            sleep_until(end).await;
            if let Some(failure) = self.grace.end() {
                return Err(failure);
            }
        }
        sleep_until(self.due).await;
        let deadline = self.grace.deadline(Instant::now());
        let answer = before(deadline, self.request()).await;
        let now = Instant::now();
        let outcome = match answer {
            Ok(answer) => self.take(answer, now).await,
            Err(failure) => Err(failure),
        };
        self.due = now + self.wait_after(&outcome);
        let is_current = outcome.is_ok();
        match outcome {
            Ok(()) => self.grace.good(now),
            Err(failure) => {
                if matches!(failure, Failure::Unfinished) {
                    self.grace.begin(now);
                }
                if let Some(lost) = self.grace.bad(failure, now) {
                    return Err(lost);
                }
            }
        }
        Ok(self.found(is_current))
    }

    fn wait_after(&mut self, outcome: &Result<(), Failure>) -> Duration {
        match outcome {
            Ok(()) | Err(Failure::Unfinished) => {
                self.retry.reset();
                self.every
            }
            Err(Failure::Busy { wait, .. }) => wait.unwrap_or_default().max(self.every),
            Err(_) => self.retry.wait().max(self.every),
        }
    }

    /// How long until the next request.
    #[cfg(test)]
    pub(crate) fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    fn found(&self, is_current: bool) -> Found {
        let found = |(nth, game): &(u32, Arc<SourceGame>), is_current| FoundGame {
            folder_round: None,
            file_number: None,
            nth: Some(*nth),
            is_current,
            game: game.clone(),
        };
        let held = self.open.as_ref().filter(|open| open.is_held);
        let games = self.games.iter().flatten();
        let games = games.map(|game| found(game, is_current));
        let before = held.and_then(|open| open.before.as_ref());
        Found {
            games: games.chain(before.map(|game| found(game, false))).collect(),
            is_complete: self.games.is_some(),
            trouble: held.map(|_| {
                "the last game does not end with a result and may be half written".to_owned()
            }),
        }
    }

    /// Takes in an answer. Afterwards, `games` are as the server has them, or it is an error.
    async fn take(&mut self, answer: Answer, now: Instant) -> Result<(), Failure> {
        let before = self.newest.take();
        let newest = self.newest.insert(match (answer, before) {
            (Answer::Unchanged, None) => return Err(Failure::Status(StatusCode::NOT_MODIFIED)),
            // It says nothing about a text that is being written.
            (Answer::Unchanged, Some(before)) => before,
            (
                Answer::Text {
                    text,
                    is_whole,
                    validator,
                },
                before,
            ) => {
                self.validator = validator;
                match before.filter(|before| before.text == text) {
                    Some(before) => before.again(),
                    None => Newest {
                        text,
                        times: 1,
                        is_whole,
                        is_read: false,
                    },
                }
            }
        });
        if !newest.is_read {
            // A long text takes a while, in which other boards have moves.
            let (text, place) = (newest.text.clone(), self.address.to_string());
            let reading = spawn_blocking(move || GameText::read(&text, None, &place));
            let read = reading.await.map_err(|_| Failure::NoPgn)??;
            if !read.is_pgn {
                return Err(Failure::NoPgn);
            }
            let open = self.open.as_ref().filter(|open| open.is_held);
            let before = open.and_then(|open| open.before.as_ref());
            let known = self.games.as_ref().map_or(0, Vec::len) + usize::from(before.is_some());
            if !read.is_terminated {
                return self.take_open(read, known, now);
            }
            if read.games.len() < known && newest.times < FEWER {
                return Err(Failure::Unfinished);
            }
            newest.is_read = true;
            self.open = None;
            self.games = Some(read.games);
        }
        Ok(())
    }

    /// Takes in a text whose last game has no end.
    fn take_open(&mut self, mut read: GameText, known: usize, now: Instant) -> Result<(), Failure> {
        let Some(newest) = &mut self.newest else {
            return Err(Failure::Unfinished);
        };
        let last = read.games.pop_if(|(nth, _)| *nth == read.last);
        let game = last.as_ref().map(|(_, game)| game.clone());
        let open = self.open.get_or_insert(OpenGame {
            game: None,
            times: 0,
            answers: 0,
            since: now,
            is_held: false,
            before: None,
        });
        open.times = if open.game == game { open.times + 1 } else { 1 };
        open.answers = open.answers.saturating_add(1);
        open.game = game;
        let has_fewer = read.games.len() + 1 < known;
        if newest.is_whole && open.times >= UNTERMINATED && (!has_fewer || newest.times >= FEWER) {
            newest.is_read = true;
            (open.is_held, open.since, open.before) = (false, now, None);
            read.games.extend(last);
            self.games = Some(read.games);
            return Ok(());
        }
        let is_first = self.games.is_none() && open.answers < UNTERMINATED;
        if !newest.is_whole || has_fewer || is_first || read.games.is_empty() {
            return Err(Failure::Unfinished);
        }
        if !open.is_held {
            let mut games = self.games.iter().flatten();
            open.before = games.find(|(nth, _)| *nth == read.last).cloned();
            (open.is_held, open.since) = (true, now);
        }
        let is_old = now - open.since > self.grace.length();
        let has_moved = |before: &(u32, Arc<SourceGame>)| {
            let identity = Identity::of_tags(&before.1.tags);
            let same =
                |(_, game): &(u32, Arc<SourceGame>)| Identity::of_tags(&game.tags) == identity;
            identity != Identity::default() && read.games.iter().any(same)
        };
        open.before = open
            .before
            .take()
            .filter(|before| !is_old && before.0 == read.last && !has_moved(before));
        self.games = Some(read.games);
        Ok(())
    }

    async fn request(&mut self) -> Result<Answer, Failure> {
        self.requests = self.requests.wrapping_add(1);
        let asks_for_all = self.requests.is_multiple_of(WHOLE);
        let mut uri = self.address.uri()?;
        let mut limiter = self.limiter.clone().ok_or(Failure::NoAddress)?;
        let mut left = ANSWER;
        for _ in 0..=REDIRECTS {
            let validator = self.validator.as_ref();
            // A text that may be half written must come again, and whole.
            let is_read = self.newest.as_ref().is_some_and(|newest| newest.is_read);
            let asks_for_changes = is_read && !asks_for_all;
            let validator = validator.filter(|known| asks_for_changes && known.uri == uri);
            let mut headers = HeaderMap::new();
            if let Some(validator) = validator {
                headers.insert(validator.name.clone(), validator.value.clone());
            }
            if asks_for_all {
                let origin = header::HeaderValue::from_static("no-cache");
                headers.insert(header::CACHE_CONTROL, origin);
            }
            let has_validator = validator.is_some();
            // The wait for other requests to the server is no fault of the server.
            limiter.pass(self.requester).await?;
            let began = Instant::now();
            let answer = timeout(left, self.ask(&uri, headers, has_validator)).await;
            let reply = answer.unwrap_or(Err(Failure::Slow(ANSWER)));
            let reply = reply.map_err(|failure| limiter.failed(failure, Instant::now()))?;
            limiter.good(began);
            match reply {
                Reply::Answer(answer) => return Ok(answer),
                Reply::Redirect(to) => {
                    limiter = self.servers.limiter(&to)?;
                    uri = to;
                }
            }
            left = left.saturating_sub(began.elapsed());
        }
        Err(Failure::Redirects)
    }

    /// Requests one address.
    async fn ask(
        &self,
        uri: &Uri,
        headers: HeaderMap,
        has_validator: bool,
    ) -> Result<Reply, Failure> {
        let response = self.servers.get(uri, headers).await?;
        match response.status() {
            StatusCode::NOT_MODIFIED if has_validator => Ok(Reply::Answer(Answer::Unchanged)),
            StatusCode::OK => {
                let validator = validator_of(uri.clone(), response.headers());
                let (text, is_whole) = read_whole(response).await?;
                Ok(Reply::Answer(Answer::Text {
                    text,
                    is_whole,
                    validator,
                }))
            }
            status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
                redirected(uri, response.headers()).map(Reply::Redirect)
            }
            status => Err(Failure::status(status, response.headers())),
        }
    }
}

/// The server's tag of the text, or else the time of its last change.
///
/// A text that was changed within the last second may change again in the same second.
fn validator_of(uri: Uri, headers: &HeaderMap) -> Option<Validator> {
    let with = |given, name| headers.get(given).map(|value| (name, value.clone()));
    let time = |name| {
        let text = headers.get(name)?.to_str().ok()?;
        let time = jiff::fmt::rfc2822::parse(text).ok()?;
        Some(time.timestamp().as_second())
    };
    let age = || time(header::DATE)?.checked_sub(time(header::LAST_MODIFIED)?);
    let is_old = || age().is_some_and(|age| age >= 2);
    let by_time = || with(header::LAST_MODIFIED, header::IF_MODIFIED_SINCE).filter(|_| is_old());
    let (name, value) = with(header::ETAG, header::IF_NONE_MATCH).or_else(by_time)?;
    Some(Validator { uri, name, value })
}

/// Where a redirect leads: to the same server or another, but never out of TLS.
fn redirected(from: &Uri, headers: &HeaderMap) -> Result<Uri, Failure> {
    let to = headers
        .get(header::LOCATION)
        .and_then(|to| to.to_str().ok());
    let to = to.unwrap_or_default();
    let to = to.split('#').next().unwrap_or(to);
    let scheme = from.scheme_str().unwrap_or("https");
    let authority = from.authority().map_or("", |authority| authority.as_str());
    let whole = match to {
        "" => return Err(Failure::Redirect(OneLine::new("…"))),
        to if to.starts_with("//") => format!("{scheme}:{to}"),
        to if to.starts_with('/') => format!("{scheme}://{authority}{to}"),
        to if to.contains("://") => to.to_owned(),
        to => {
            let folder = from
                .path()
                .rsplit_once('/')
                .map_or("", |(folder, _)| folder);
            format!("{scheme}://{authority}{folder}/{to}")
        }
    };
    let uri: Uri = whole
        .parse()
        .map_err(|_| Failure::Redirect(OneLine::new("…")))?;
    let is_kept = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => scheme == "http",
        _ => false,
    };
    let has_user = uri.authority().is_none_or(|to| to.as_str().contains('@'));
    if is_kept && !has_user {
        Ok(uri)
    } else {
        // The rest may be a secret.
        let scheme = uri.scheme_str().unwrap_or_default();
        let host = uri.host().unwrap_or_default();
        let shown = OneLine::bounded(&format!("{scheme}://{host}"), 100);
        Err(Failure::Redirect(shown))
    }
}
