//! A PGN text at an address, requested again and again.
//!
//! ```text
//! ours    GET /round.pgn   If-None-Match: "7f3a"
//! theirs  304              as before
//!         200 ETag: "81c0" another text
//! ```
//!
//! An answer that breaks off, is no PGN, or fails changes nothing. After a while without a good
//! answer the boards are lost, with the reason. A text that does not end with a result may be half
//! written at the server, so it must be found unchanged before it is used; so must a text that has
//! fewer games than the one before.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri, header};
use remisd_transport::Https;
use remisd_vocabulary::{retry::Backoff, text::OneLine};
use tokio::time::{Instant, sleep_until, timeout};

use super::{
    address::Address,
    choose::FoundGame,
    game::SourceGame,
    patience::Patience,
    request::{Failure, get, read_whole},
    source::Found,
    text::GameText,
};

/// How long a request may take, with its redirects.
const ANSWER: Duration = Duration::from_secs(25);
/// How many redirects are followed.
const REDIRECTS: usize = 5;
/// Without a good answer for this long, or for four times the interval, the boards are lost.
const GRACE: Duration = Duration::from_secs(30);
/// The waits after an answer that asks for fewer requests.
const BUSY: (Duration, Duration) = (Duration::from_secs(30), Duration::from_mins(10));
/// The longest wait after other failures.
const RETRY: Duration = Duration::from_secs(30);
/// Each request of this number asks for the whole text: some servers keep a tag although the text
/// has changed.
const WHOLE: u32 = 12;
/// How often a text that does not end with a result must be found unchanged, and one with fewer
/// games.
const UNTERMINATED: u32 = 3;
const FEWER: u32 = 2;

/// A PGN text at an address.
#[derive(Debug)]
pub struct PolledText {
    address: Address,
    https: Https,
    every: Duration,
    /// When to request it next.
    due: Instant,
    requests: u32,
    validator: Option<Validator>,
    newest: Option<Newest>,
    games: Option<Vec<(u32, Arc<SourceGame>)>>,
    patience: Patience,
    busy: Backoff,
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

/// A good answer.
enum Answer {
    Unchanged,
    Text {
        text: Bytes,
        is_whole: bool,
        validator: Option<Validator>,
    },
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
    pub(crate) fn new(address: Address, https: Https, every: Duration) -> Self {
        Self {
            address,
            https,
            every,
            due: Instant::now(),
            requests: 0,
            validator: None,
            newest: None,
            games: None,
            patience: Patience::new(every.saturating_mul(4).max(GRACE)),
            busy: Backoff::new(BUSY.0, BUSY.1, 11),
            retry: Backoff::new(every.min(RETRY), every.max(RETRY), 13),
        }
    }

    /// Waits until the text may be requested again, and requests it.
    ///
    /// # Errors
    ///
    /// [`Failure`] if there was no good answer for too long.
    pub(crate) async fn look(&mut self) -> Result<Found, Arc<Failure>> {
        if let Some(end) = self.patience.ends_at().filter(|end| *end < self.due) {
            sleep_until(end).await;
            if let Some(failure) = self.patience.end() {
                return Err(failure);
            }
        }
        sleep_until(self.due).await;
        let answer = timeout(ANSWER, self.request()).await;
        let now = Instant::now();
        let outcome = answer.unwrap_or(Err(Failure::Slow(ANSWER)));
        let outcome = outcome.and_then(|answer| self.take(answer));
        self.due = now + self.wait_after(&outcome);
        let is_current = outcome.is_ok();
        match outcome {
            Ok(()) => self.patience.good(now),
            Err(failure) => {
                if matches!(failure, Failure::Unfinished) {
                    self.patience.begin(now);
                }
                if let Some(lost) = self.patience.bad(failure, now) {
                    return Err(lost);
                }
            }
        }
        Ok(self.found(is_current))
    }

    fn wait_after(&mut self, outcome: &Result<(), Failure>) -> Duration {
        match outcome {
            Ok(()) | Err(Failure::Unfinished) => {
                self.busy.reset();
                self.retry.reset();
                self.every
            }
            Err(Failure::Busy { wait, .. }) => {
                let asked = wait.unwrap_or_default().min(BUSY.1);
                asked.max(self.busy.wait()).max(self.every)
            }
            Err(_) => self.retry.wait().max(self.every),
        }
    }

    /// How long until the next request.
    #[cfg(test)]
    pub(crate) fn wait(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    fn found(&self, is_current: bool) -> Found {
        let games = self.games.iter().flatten().map(|(nth, game)| FoundGame {
            folder_round: None,
            file_number: None,
            nth: Some(*nth),
            is_current,
            game: game.clone(),
        });
        Found {
            games: games.collect(),
            is_complete: self.games.is_some(),
            trouble: None,
        }
    }

    /// Takes in an answer. Afterwards, `games` are as the server has them, or it is an error.
    fn take(&mut self, answer: Answer) -> Result<(), Failure> {
        let before = self.newest.take();
        let newest = self.newest.insert(match (answer, before) {
            (Answer::Unchanged, None) => return Err(Failure::Status(StatusCode::NOT_MODIFIED)),
            (Answer::Unchanged, Some(before)) => before.again(),
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
            let read = GameText::read(&newest.text, None, &self.address.to_string())?;
            if !read.is_pgn {
                return Err(Failure::NoPgn);
            }
            let known = self.games.as_ref().map_or(0, Vec::len);
            let is_enough = if read.is_terminated {
                read.games.len() >= known || newest.times >= FEWER
            } else {
                newest.is_whole && newest.times >= UNTERMINATED
            };
            if !is_enough {
                return Err(Failure::Unfinished);
            }
            newest.is_read = true;
            self.games = Some(read.games);
        }
        Ok(())
    }

    async fn request(&mut self) -> Result<Answer, Failure> {
        self.requests = self.requests.wrapping_add(1);
        let asks_for_all = self.requests.is_multiple_of(WHOLE);
        let mut uri: Uri = self
            .address
            .whole()
            .parse()
            .map_err(|_| Failure::NoAddress)?;
        for _ in 0..=REDIRECTS {
            let validator = self.validator.as_ref();
            let validator = validator.filter(|known| !asks_for_all && known.uri == uri);
            let mut headers = HeaderMap::new();
            if let Some(validator) = validator {
                headers.insert(validator.name.clone(), validator.value.clone());
            }
            if asks_for_all {
                let origin = header::HeaderValue::from_static("no-cache");
                headers.insert(header::CACHE_CONTROL, origin);
            }
            let response = get(&self.https, &uri, headers).await?;
            match response.status() {
                StatusCode::NOT_MODIFIED if validator.is_some() => return Ok(Answer::Unchanged),
                StatusCode::OK => {
                    let validator = validator_of(uri, response.headers());
                    let (text, is_whole) = read_whole(response).await?;
                    return Ok(Answer::Text {
                        text,
                        is_whole,
                        validator,
                    });
                }
                status if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
                    uri = redirected(&uri, response.headers())?;
                }
                status => return Err(Failure::status(status, response.headers())),
            }
        }
        Err(Failure::Redirects)
    }
}

/// The server's tag of the text, or else the time of its last change.
fn validator_of(uri: Uri, headers: &HeaderMap) -> Option<Validator> {
    let with = |given, name| headers.get(given).map(|value| (name, value.clone()));
    let (name, value) = with(header::ETAG, header::IF_NONE_MATCH)
        .or_else(|| with(header::LAST_MODIFIED, header::IF_MODIFIED_SINCE))?;
    Some(Validator { uri, name, value })
}

/// Where a redirect leads: to the same server or another, but never out of TLS.
fn redirected(from: &Uri, headers: &HeaderMap) -> Result<Uri, Failure> {
    let to = headers
        .get(header::LOCATION)
        .and_then(|to| to.to_str().ok());
    let to = to.unwrap_or_default();
    let refused = || Failure::Redirect(OneLine::bounded(to.split('?').next().unwrap_or(to), 100));
    let to = to.split('#').next().unwrap_or(to);
    let scheme = from.scheme_str().unwrap_or("https");
    let authority = from.authority().map_or("", |authority| authority.as_str());
    let whole = match to {
        "" => return Err(refused()),
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
    let uri: Uri = whole.parse().map_err(|_| refused())?;
    let is_kept = match uri.scheme_str() {
        Some("https") => true,
        Some("http") => scheme == "http",
        _ => false,
    };
    let has_user = uri.authority().is_none_or(|to| to.as_str().contains('@'));
    if is_kept && !has_user {
        Ok(uri)
    } else {
        Err(refused())
    }
}
