//! The stream of a Lichess broadcast round.
//!
//! ```text
//! theirs  [Event "Open"]…[GameURL "https://lichess.org/broadcast/open/round-3/AbCd1234/xYz98765"]
//!         1. e4 {[%clk 1:30:30]} e5 {[%clk 1:30:12]} *        first every game of the round
//!         [Event "Open"]…1. e4 … 2. Nf3 … *                   then a game when it has changed
//!         (a blank)                                           every 60 s when nothing changes
//! ```
//!
//! Nothing marks the end of the first part, so it is taken to be over when no further game comes.
//! Lichess says neither that a game was removed nor, under load, every change. So the stream is
//! begun anew from time to time and when a game is added.
//!
//! Source: the API description of Lichess, `broadcastStreamRoundPgn`, and lila's `RelayRound.stream`.

use std::{sync::Arc, time::Duration};

use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use remisd_pgn::Game;
use remisd_transport::Body;
use remisd_vocabulary::retry::Backoff;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::{
    address::Address,
    cutter::GameCutter,
    grace::{GracePeriod, before},
    rate_limiter::{RateLimiter, Requester, RoundsToken, Servers},
    request::{Failure, is_text},
    source::Found,
    streamed::{StreamedGame, StreamedGames},
};

/// How long the head of the answer may take.
const ANSWER: Duration = Duration::from_secs(25);

/// How fast a stream is taken to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    /// How often to look whether a game is settled.
    pub look: Duration,
    /// After how long without another game the first part is over, and after how long in any case.
    pub quiet: Duration,
    pub first: Duration,
    /// After how long without a byte the connection counts as lost.
    pub silence: Duration,
    /// When to begin anew.
    pub renew: Duration,
    /// When to ask again a server that has sent all games and ended the stream.
    pub ended: Duration,
    /// How long a connection must last until the waits before another one are short again.
    pub lasting: Duration,
    /// For how long a lost stream is no loss of the boards.
    pub grace: Duration,
    /// The waits before another connection. Each is between half and the whole of such a time.
    pub retry: (Duration, Duration),
    /// The waits between two times that the stream is begun anew for games that were added.
    pub added: (Duration, Duration),
}

impl Pace {
    pub(crate) const LICHESS: Self = Self {
        look: Duration::from_secs(1),
        quiet: Duration::from_secs(3),
        first: Duration::from_secs(20),
        silence: Duration::from_secs(90),
        renew: Duration::from_mins(10),
        ended: Duration::from_secs(5),
        lasting: Duration::from_mins(1),
        grace: Duration::from_secs(30),
        retry: (Duration::from_secs(2), Duration::from_secs(30)),
        added: (Duration::from_mins(2), Duration::from_mins(10)),
    };
}

/// The stream of a round.
#[derive(Debug)]
pub struct RoundStream {
    address: Address,
    servers: Servers,
    /// The rate limiter of its server, which is not forgotten while it is here.
    limiter: Option<Arc<RateLimiter>>,
    requester: Requester,
    pace: Pace,
    connection: Option<Connection>,
    /// Whether the next connection has passed the rate limiter already.
    has_passed: bool,
    /// All games, in the order of the round.
    games: StreamedGames,
    /// Whether every game of the round has come once.
    is_known: bool,
    grace: GracePeriod,
    /// When to connect.
    due: Instant,
    retry: Backoff,
    /// When the stream may be begun anew for games that were added.
    added_due: Instant,
    added: Backoff,
}

/// How the stream goes.
enum Reading {
    On,
    /// The server has sent every game and has ended the stream.
    Over,
}

/// A connection that has answered.
#[derive(Debug)]
struct Connection {
    body: Body,
    cutter: GameCutter,
    /// The games of this connection, until its first part is over.
    first: Option<StreamedGames>,
    /// When it began, when the last game came, and the last byte.
    began_at: Instant,
    game_at: Instant,
    byte_at: Instant,
    /// When the game began that has not come whole.
    part_at: Option<Instant>,
    /// When to begin anew, and whether for a game that was added.
    renew_at: Instant,
    is_added: bool,
}

impl RoundStream {
    /// A stream that is read at this pace.
    pub(crate) fn new(address: Address, servers: Servers, pace: Pace) -> Self {
        let seed = address.seed();
        let limiter = address.uri().and_then(|uri| servers.limiter(&uri)).ok();
        let requester = Requester {
            id: seed,
            every: pace.ended,
        };
        Self {
            address,
            servers,
            limiter,
            requester,
            pace,
            connection: None,
            has_passed: false,
            games: StreamedGames::default(),
            is_known: false,
            grace: GracePeriod::new(pace.grace),
            due: Instant::now(),
            retry: Backoff::new(pace.retry.0, pace.retry.1, seed),
            added_due: Instant::now(),
            added: Backoff::new(pace.added.0, pace.added.1, seed),
        }
    }

    /// Reads on, until a game has come or it is time to look at the known ones.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the stream has been lost for too long.
    pub(crate) async fn look(&mut self) -> Result<Found, Arc<Failure>> {
        let until = Instant::now() + self.pace.look;
        let outcome = self.read_on(until).await;
        let now = Instant::now();
        let is_over = match outcome {
            Ok(Reading::Over) => true,
            Ok(Reading::On) => false,
            Err(failure) => {
                tracing::debug!(source = %self.address, "the stream is lost: {failure}");
                let connection = self.connection.take();
                if let Some(connection) =
                    connection.filter(|_| matches!(failure, Failure::Silent(_)))
                {
                    // Nothing is known since then.
                    self.grace.silent_since(connection.byte_at);
                }
                self.due = now + self.wait_after(&failure);
                if let Some(lost) = self.grace.bad(failure, now) {
                    return Err(lost);
                }
                false
            }
        };
        if self.settle(now) {
            self.renew().await;
        }
        let now = Instant::now();
        let found = self.found();
        if self.has_first_part() {
            self.grace.good(now);
        } else if self.connection.is_some() {
            self.grace.begin(now);
        }
        if is_over {
            self.connection = None;
            self.due = now + self.pace.ended;
            self.retry.reset();
        }
        if self.grace.ends_at().is_some_and(|end| end <= now) {
            self.grace.end();
        }
        // Lost boards return once every game has come.
        self.grace.reason().map_or(Ok(found), Err)
    }

    /// Whether the connection has sent every game.
    fn has_first_part(&self) -> bool {
        let connection = self.connection.as_ref();
        connection.is_some_and(|connection| connection.first.is_none())
    }

    fn wait_after(&mut self, failure: &Failure) -> Duration {
        match failure {
            Failure::Busy { wait, .. } => wait.unwrap_or_default(),
            _ => self.retry.wait(),
        }
    }

    async fn read_on(&mut self, until: Instant) -> Result<Reading, Failure> {
        let Some(connection) = &mut self.connection else {
            // The games of lost boards need no look.
            if self.due > until && !self.grace.is_over() {
                sleep_until(until).await;
                return Ok(Reading::On);
            }
            sleep_until(self.due).await;
            let deadline = self.grace.deadline(Instant::now());
            self.connection = Some(before(deadline, self.connect()).await?);
            return Ok(Reading::On);
        };
        let part = timeout_at(until, connection.body.part()).await;
        let now = Instant::now();
        let silence = self.pace.silence;
        if connection.part_at.is_some_and(|at| now - at > silence) {
            return Err(Failure::EndlessGame);
        }
        let Ok(part) = part else {
            return if now - connection.byte_at > silence {
                Err(Failure::Silent(silence))
            } else {
                Ok(Reading::On)
            };
        };
        let Some(part) = part? else {
            // Lichess never ends a stream by itself. Another server may have sent all that it has.
            if connection.first.is_some() && connection.has_fewer_than(&self.games) {
                return Err(Failure::Ended);
            }
            self.end_first_part();
            return Ok(Reading::Over);
        };
        connection.byte_at = now;
        if now - connection.began_at >= self.pace.lasting {
            self.retry.reset();
            if let Some(limiter) = &self.limiter {
                limiter.good(connection.began_at);
            }
        }
        for line in part.split_inclusive(|byte| *byte == b'\n') {
            let Some(connection) = &mut self.connection else {
                break;
            };
            for game in connection.cutter.take(line)? {
                self.put(&game)?;
            }
        }
        if let Some(connection) = &mut self.connection {
            let is_part = !connection.cutter.is_empty();
            let is_same = connection.game_at < now;
            let began = connection.part_at.filter(|_| is_same).or(Some(now));
            connection.part_at = began.filter(|_| is_part);
        }
        Ok(Reading::On)
    }

    /// Connects, when the rate limiter of the server lets it.
    async fn connect(&mut self) -> Result<Connection, Failure> {
        let uri = self.address.uri()?;
        let limiter = self.limiter.clone().ok_or(Failure::NoAddress)?;
        if !std::mem::take(&mut self.has_passed) {
            limiter.pass(self.requester).await?;
        }
        let opened = timeout(ANSWER, self.open(&uri, &limiter)).await;
        let opened = opened.unwrap_or(Err(Failure::Slow(ANSWER)));
        let now = Instant::now();
        let body = opened.map_err(|failure| limiter.failed(failure, now))?;
        Ok(Connection {
            body,
            cutter: GameCutter::default(),
            first: Some(StreamedGames::default()),
            began_at: now,
            game_at: now,
            byte_at: now,
            part_at: None,
            renew_at: now + self.pace.renew,
            is_added: false,
        })
    }

    /// Requests the round, with the token for private rounds if its server gets one. A token that is
    /// refused takes no public round away.
    async fn open(&self, uri: &Uri, limiter: &RateLimiter) -> Result<Body, Failure> {
        const REFUSED: [StatusCode; 2] = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        match self.servers.token(uri) {
            None => self.request(uri, None).await,
            Some(RoundsToken::Unusable(reason)) => {
                let opened = self.request(uri, None).await;
                opened.map_err(|failure| match failure {
                    Failure::Status(status)
                        if REFUSED.contains(&status) || status == StatusCode::NOT_FOUND =>
                    {
                        let reason = reason.clone();
                        Failure::NoToken { status, reason }
                    }
                    other => other,
                })
            }
            Some(RoundsToken::Authorization(token)) => {
                let status = match self.request(uri, Some(token.clone())).await {
                    Err(Failure::Status(status)) if REFUSED.contains(&status) => status,
                    opened => return opened,
                };
                limiter.pass(self.requester).await?;
                let without = self.request(uri, None).await.map_err(Box::new);
                match without {
                    Ok(body) => {
                        tracing::warn!(
                            source = %self.address,
                            "the token for private rounds is refused ({status}); \
                             the round is read without it"
                        );
                        Ok(body)
                    }
                    Err(busy) if matches!(*busy, Failure::Busy { .. }) => Err(*busy),
                    Err(without) => Err(Failure::TokenRefused { status, without }),
                }
            }
        }
    }

    async fn request(&self, uri: &Uri, token: Option<HeaderValue>) -> Result<Body, Failure> {
        let token = token.map(|token| (header::AUTHORIZATION, token));
        let headers = HeaderMap::from_iter(token);
        // A redirect is not followed: it would lead elsewhere.
        let response = self.servers.get(uri, headers).await?;
        if response.status() != StatusCode::OK {
            return Err(Failure::status(response.status(), response.headers()));
        }
        is_text(response.headers())?;
        Ok(response.into_body())
    }

    /// Puts a game in the place of its older text.
    fn put(&mut self, game: &Game) -> Result<(), Failure> {
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        let game = StreamedGame::read(game, self.address.round());
        if let Some(reason) = game.trouble() {
            tracing::warn!(source = %self.address, "a game is not followed: {reason}");
        }
        connection.game_at = Instant::now();
        match &mut connection.first {
            // Only a changed game comes twice.
            Some(first) if first.has(&game) => {
                first.put(game)?;
                self.end_first_part();
                return Ok(());
            }
            Some(first) => {
                self.games.supersede(&game, first);
                first.put(game.clone())?;
            }
            // Perhaps another game was removed for it.
            None if !self.games.has(&game) => {
                let soon = connection.game_at + self.pace.quiet.saturating_mul(4);
                let at = soon.max(self.added_due);
                if at < connection.renew_at {
                    (connection.renew_at, connection.is_added) = (at, true);
                }
            }
            None => {}
        }
        self.games.put(game)
    }

    /// Ends the first part when it is over. Returns whether it is time for another connection.
    fn settle(&mut self, now: Instant) -> bool {
        let Some(connection) = &mut self.connection else {
            return false;
        };
        if !connection.cutter.is_empty() {
            return false;
        }
        if connection.first.is_none() {
            return now >= connection.renew_at;
        }
        let is_quiet = now - connection.game_at >= self.pace.quiet;
        let is_late = now - connection.began_at >= self.pace.first;
        if is_quiet && (is_late || !connection.has_fewer_than(&self.games)) {
            self.end_first_part();
        }
        false
    }

    /// Gives the connection up for another one. While the server wants fewer requests, it stays.
    async fn renew(&mut self) {
        let (Some(connection), Some(limiter)) = (&mut self.connection, &self.limiter) else {
            return;
        };
        if let Err(failure) = limiter.pass(self.requester).await {
            let wait = match failure {
                Failure::Busy { wait, .. } => wait.unwrap_or_default(),
                _ => self.pace.ended,
            };
            connection.renew_at = Instant::now() + wait;
            return;
        }
        let now = Instant::now();
        if connection.is_added {
            self.added_due = now + self.added.wait();
        } else {
            self.added.reset();
        }
        self.connection = None;
        self.has_passed = true;
        self.due = now;
    }

    /// From now on, the games of this connection are all that there are.
    fn end_first_part(&mut self) {
        let connection = self.connection.as_mut();
        if let Some(mut first) = connection.and_then(|connection| connection.first.take()) {
            first.are_all();
            self.games = first;
            self.is_known = true;
        }
    }

    fn found(&self) -> Found {
        // During the first part, the older games are not confirmed yet.
        let first = (self.connection.as_ref()).and_then(|connection| connection.first.as_ref());
        Found {
            games: self.games.found(self.has_first_part(), first),
            is_complete: self.is_known,
            trouble: self.games.trouble(),
        }
    }
}

impl Connection {
    /// Whether its first part, so far, has no game, part of a game, or fewer games than these.
    fn has_fewer_than(&self, games: &StreamedGames) -> bool {
        let count = self.first.as_ref().map_or(games.len(), StreamedGames::len);
        count == 0 || count < games.len() || !self.cutter.is_empty()
    }
}
