//! Lichess broadcasts: the whole round, pushed after every change.
//!
//! One request at a time, at most one a second. After a 429, or if Lichess cannot be reached, the
//! next one waits one to two minutes, and after further ones up to twenty. After any other failure
//! the round waits so alone. A push that Lichess takes can still hold errors. Each game is judged by
//! its own entry in the answer. One that is refused is sent again after such a wait.
//!
//! Corrected moves stay on Lichess as a variation until the round is reset. That is done only on
//! [command](Order::LichessReset): viewers see the round empty for a moment.

mod answer;
mod body;
mod client;
mod order_intake;
mod order_store;
mod report;
mod round_backoff;
mod server_text;
mod shown_games;
mod token;

pub use self::{
    answer::GameError,
    client::{Client, PushError, RoundForm},
    order_intake::{OrderIntake, OrderRefusal, Request},
    order_store::{Order, OrderStore, PlacedOrder, Progress, StoredOrders},
    report::{Report, RoundReport},
    server_text::ServerText,
    shown_games::{Replaced, ShownGame},
    token::{NoToken, Token},
};

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use remisd_game::Role;
use remisd_vocabulary::{
    retry::Backoff,
    time::{Clock, rfc3339},
};
use tokio::{
    sync::watch,
    task::spawn_blocking,
    time::{Instant, sleep, sleep_until},
};

use self::{
    round_backoff::{Incomplete, Wait},
    shown_games::ShownGames,
};
use crate::{
    GameText,
    disk::{RETRY, StatePlace},
    files::replace,
    http::Published,
};
use remisd_transport::Transport;

/// The least time between two requests.
const PACE: Duration = Duration::from_secs(1);
/// The first and the longest wait after a failure. A wait is at least half of these.
const WAITS: (Duration, Duration) = (Duration::from_mins(2), Duration::from_mins(20));

/// Which rounds are pushed to.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The ids of the Lichess rounds by the number of ours. More than one if the boards are split;
    /// none for a round that is left out.
    pub rounds: BTreeMap<u32, Vec<String>>,
    /// The id of the tournament in which rounds are made.
    pub tournament: Option<String>,
    /// The number of boards.
    pub boards: usize,
    /// Where the bodies are written instead of being sent.
    pub dry_run: Option<PathBuf>,
    /// The directory in which it is kept what Lichess shows.
    pub shown: Option<StatePlace>,
    /// The seed of the back-off's jitter.
    pub seed: u64,
}

/// The Lichess rounds of our rounds: those of the configuration, else those that were made.
#[derive(Debug, Clone)]
struct Rounds(BTreeMap<u32, Vec<String>>);

impl Rounds {
    fn of(settings: &Settings, stored: &StoredOrders) -> Self {
        let mut rounds = stored.made.clone();
        for (round, ids) in &settings.rounds {
            if !ids.is_empty() {
                rounds.insert(*round, ids.clone());
            }
        }
        Self(rounds)
    }

    fn ids(&self, round: u32) -> &[String] {
        self.0.get(&round).map_or(&[], Vec::as_slice)
    }

    fn has(&self, id: &str) -> bool {
        self.0.values().flatten().any(|known| known == id)
    }
}

/// What the pusher needs besides the texts.
#[derive(Debug)]
pub struct Wiring<T> {
    /// Sends the requests.
    pub client: Client<T>,
    /// The orders.
    pub orders: OrderStore,
    /// What is reported.
    pub report: watch::Sender<Report>,
    /// Gives the times of what Lichess has taken.
    pub clock: Arc<dyn Clock>,
}

/// Pushes the rounds until the sender of `texts` is gone.
pub async fn run<T: Transport>(
    settings: Settings,
    wiring: Wiring<T>,
    mut texts: watch::Receiver<Published>,
) {
    let (first, longest) = WAITS;
    let mut orders = wiring.orders.stored();
    let mut pusher = Pusher {
        backoff: Backoff::new(first, longest, settings.seed),
        wiring,
        shown: ShownGames::kept_in(settings.shown.clone()),
        taken: BTreeMap::new(),
        refused: BTreeMap::new(),
        incomplete: BTreeMap::new(),
        held_last: None,
        orders_wait: BTreeMap::new(),
        resets: BTreeSet::new(),
        begun: BTreeSet::new(),
        creates_again: None,
        create_backoff: Backoff::new(first, longest, settings.seed),
        // The daemon before a restart may have sent its last request just now.
        next: Instant::now() + PACE,
        halted: None,
        settings,
    };
    let far = Duration::from_hours(24);
    let (mut halted, mut wake) = (None, None);
    loop {
        let published = texts.borrow_and_update().clone();
        orders.mark_unchanged();
        if halted.is_none_or(|until| until <= Instant::now()) {
            (halted, wake) = match pusher.work(&published).await {
                Ok(next) => (None, next),
                Err(until) => (Some(until), Some(until)),
            };
        }
        pusher.show_rounds(&published, halted);
        tokio::select! {
            changed = texts.changed() => if changed.is_err() { return },
            Ok(()) = orders.changed() => {}
            () = sleep_until(wake.unwrap_or_else(|| Instant::now() + far)) => {}
        }
    }
}

/// The sender and the id of an order.
type OrderKey = (Role, String);

struct Pusher<T> {
    settings: Settings,
    wiring: Wiring<T>,
    backoff: Backoff,
    shown: ShownGames,
    /// The body that each Lichess round has taken last.
    taken: BTreeMap<String, String>,
    /// The Lichess rounds whose last push was not taken, for a reason that is not one of all rounds.
    refused: BTreeMap<String, Wait>,
    /// The Lichess rounds that have taken the last push without some games.
    incomplete: BTreeMap<String, Incomplete>,
    /// The Lichess round at which all requests were held last.
    held_last: Option<String>,
    /// The closings that have failed for a reason that may pass.
    orders_wait: BTreeMap<OrderKey, Wait>,
    /// The Lichess rounds that are to be reset before the next push.
    resets: BTreeSet<String>,
    /// The resets that were begun: their rounds are in `resets`, or were reset.
    begun: BTreeSet<OrderKey>,
    /// When the creation of a round is tried again after a failure; none if none has failed.
    creates_again: Option<Instant>,
    create_backoff: Backoff,
    /// When the next request may be sent.
    next: Instant,
    /// Until when nothing is sent, as reported.
    halted: Option<Instant>,
}

impl<T: Transport> Pusher<T> {
    /// Does what was ordered, and pushes each round whose body has changed. Returns when something
    /// is tried again.
    ///
    /// # Errors
    ///
    /// Returns until when nothing may be sent, after a failure that concerns all rounds.
    async fn work(&mut self, published: &Published) -> Result<Option<Instant>, Instant> {
        match self.shown.read().await {
            Ok(false) => {}
            Ok(true) => {
                let shown = self.shown.all();
                let report = &self.wiring.report;
                report.send_modify(|report| report.shown = shown);
            }
            Err(error) => {
                self.note_fault(Some(error));
                return Ok(Some(Instant::now() + RETRY));
            }
        }
        self.keep().await;
        if self.wiring.orders.load().await.is_err() {
            // The rounds that were made are not known. The configured ones are.
            self.push_changed(published).await?;
            return Ok(Some(Instant::now() + RETRY));
        }
        if self.settings.dry_run.is_some() {
            self.refuse_orders().await;
        }
        self.begin_resets();
        let next = self.push_changed(published).await?;
        self.end_orders(published).await?;
        // An order that Lichess refuses holds back no game.
        self.create_rounds().await?;
        let orders = self.orders_wait.values().map(|wait| wait.at);
        let again = next.into_iter().chain(self.creates_again).chain(orders);
        Ok(again.filter(|at| *at > Instant::now()).min())
    }

    fn rounds(&self) -> Rounds {
        Rounds::of(&self.settings, &self.wiring.orders.stored().borrow())
    }

    async fn push(
        &mut self,
        id: &str,
        games: &[&GameText],
        body: String,
    ) -> Result<Pushed, PushError> {
        if let Some(folder) = &self.settings.dry_run {
            let (folder, text) = (folder.clone(), body.clone());
            let path = folder.join(format!("lichess-{id}.pgn"));
            let write = move || {
                std::fs::create_dir_all(folder)?;
                replace(&path, text.as_bytes())
            };
            spawn_blocking(write).await.map_err(io::Error::other)??;
            self.taken.insert(id.to_owned(), body);
            let at = rfc3339(self.wiring.clock.now());
            let report = &self.wiring.report;
            report.send_modify(|report| _ = report.taken.insert(id.to_owned(), at));
            return Ok(Pushed::Taken);
        }
        let is_reset = self.resets.contains(id);
        if is_reset {
            // After a reset the games must follow soon.
            if !self.keep().await {
                return Ok(Pushed::Held);
            }
            self.pace().await;
            let reset = self.wiring.client.reset(id).await;
            self.next = Instant::now() + PACE;
            reset?;
            self.resets.remove(id);
            let open = |stored: &mut StoredOrders| _ = stored.closed.remove(id);
            self.wiring.orders.note(open).await;
            self.shown.forget(id);
        }
        let at = rfc3339(self.wiring.clock.now());
        let mut noted = Vec::new();
        for game in games {
            if self.shown.send(id, &game.board, &game.lines, &at) {
                noted.push(&game.board);
            }
        }
        self.keep().await;
        if !is_reset && !noted.iter().all(|board| self.shown.is_kept(id, board)) {
            for board in noted {
                self.shown.withdraw(id, board);
            }
            return Ok(Pushed::Held);
        }
        self.pace().await;
        let sent = self.wiring.client.push(id, body.clone()).await;
        self.next = Instant::now() + PACE;
        if sent.as_ref().is_err_and(PushError::is_undone) {
            self.shown.not_sent(id);
        }
        let (sent, token) = (sent?, self.wiring.client.token());
        let errors = answer::errors(&sent, games, token)?;
        for GameError { board, reason, .. } in &errors {
            tracing::warn!(%board, round = id, "Lichess refuses a game: {reason}");
        }
        self.note_refused(id, &errors);
        self.note_shown(id, games, &errors).await;
        self.taken.insert(id.to_owned(), body);
        Ok(Pushed::Taken)
    }

    /// Notes what Lichess shows after a push, and reports it.
    async fn note_shown(&mut self, id: &str, games: &[&GameText], errors: &[GameError]) {
        let at = rfc3339(self.wiring.clock.now());
        for game in games {
            let is_taken = |index: usize| {
                let mut errors = errors.iter();
                !errors.any(|error| error.board == game.board && error.index == index)
            };
            self.shown.take(id, &game.board, &game.lines, is_taken, &at);
        }
        self.keep().await;
        let shown = &self.shown;
        self.wiring.report.send_modify(|report| {
            for game in games {
                report.games.remove(&game.board);
                let shown = shown.of(id, &game.board).to_vec();
                let rounds = report.shown.entry(game.board.clone()).or_default();
                rounds.insert(id.to_owned(), shown);
            }
            for GameError { board, reason, .. } in errors {
                report
                    .games
                    .insert(board.clone(), reason.as_str().to_owned());
            }
            report.taken.insert(id.to_owned(), at);
            report.pushes += 1;
        });
    }

    /// Keeps what Lichess shows. Returns whether all of it is on the disk. The next call makes up
    /// for what is not.
    async fn keep(&mut self) -> bool {
        let kept = self.shown.keep().await;
        let is_kept = kept.is_ok();
        self.note_fault(kept.err());
        is_kept
    }

    /// Reports why it is not kept what Lichess shows; `None` if it is.
    fn note_fault(&self, error: Option<io::Error>) {
        let fault = error.map(|error| format!("what Lichess shows is not kept: {error}"));
        self.wiring.report.send_if_modified(|report| {
            let is_new = report.fault != fault;
            if let Some(fault) = fault.as_ref().filter(|_| is_new) {
                tracing::error!("{fault}");
            }
            report.fault = fault;
            is_new
        });
    }

    /// Waits until the next request may be sent.
    async fn pace(&mut self) {
        sleep(self.next.saturating_duration_since(Instant::now())).await;
        self.next = Instant::now() + PACE;
    }

    fn fault(&self, id: &str, reason: Option<String>) {
        self.wiring.report.send_if_modified(|report| {
            let before = report.rounds.get(id) != reason.as_ref();
            match reason {
                Some(reason) => report.rounds.insert(id.to_owned(), reason),
                None => report.rounds.remove(id),
            };
            before
        });
    }
}

/// What has become of a push.
enum Pushed {
    /// Lichess has taken it.
    Taken,
    /// It would show a new id or replace moves, and the disk does not take a note of that.
    Held,
}

/// The games of a round with the Lichess round that they go to.
type Part<'a> = (&'a str, Vec<&'a GameText>);

#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod orders;
#[cfg(test)]
mod tests;
