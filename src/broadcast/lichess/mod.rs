//! Lichess broadcasts: the whole round, pushed after every change.
//!
//! One request at a time, at most one a second. After a 429 or any other failure of a whole push,
//! the next one waits one to two minutes, and after further ones up to twenty. A round that is
//! refused for a reason of its own waits alone. A push that Lichess takes can still hold errors:
//! each game is judged by its own entry in the answer.
//!
//! Corrected moves stay on Lichess as a variation until the round is reset. That is done only on
//! [command](Order::ResetAndPush): viewers see the round empty for a moment.

mod answer;
mod body;
mod client;
mod token;

pub use self::{
    answer::GameError,
    client::{Client, PushError, RoundForm},
    token::{NoToken, Token},
};

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use remisd_vocabulary::{name::BoardId, retry::Backoff};
use tokio::{
    sync::{mpsc, watch},
    time::{Instant, sleep, sleep_until},
};

use crate::{files, http::Published, transport::Transport};

/// The least time between two requests.
const PACE: Duration = Duration::from_secs(1);
/// The first and the longest wait after a failure. A wait is at least half of these.
const WAITS: (Duration, Duration) = (Duration::from_mins(2), Duration::from_mins(20));

/// Which rounds are pushed to.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The ids of the Lichess rounds by the number of ours. More than one if the boards are split.
    pub rounds: BTreeMap<u32, Vec<String>>,
    /// Where the bodies are written instead of being sent.
    pub dry_run: Option<PathBuf>,
    /// The seed of the back-off's jitter.
    pub seed: u64,
}

/// What an arbiter or operator orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Removes every game of our round from Lichess and pushes it again.
    ResetAndPush(u32),
}

/// What is wrong with the broadcast now. Empty when all is well.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// What Lichess says about single games.
    pub games: BTreeMap<BoardId, String>,
    /// Why whole rounds are not taken, by the id of the Lichess round.
    pub rounds: BTreeMap<String, String>,
    /// The number of pushes that Lichess has taken.
    pub pushes: u64,
}

/// Pushes the rounds until the sender of `texts` is gone.
pub async fn run<T: Transport>(
    settings: Settings,
    client: Client<T>,
    mut texts: watch::Receiver<Published>,
    mut orders: mpsc::Receiver<Order>,
    report: watch::Sender<Report>,
) {
    let (first, longest) = WAITS;
    let mut pusher = Pusher {
        backoff: Backoff::new(first, longest, settings.seed),
        settings,
        client,
        report,
        taken: BTreeMap::new(),
        refused: BTreeMap::new(),
        resets: Vec::new(),
        next: Instant::now(),
    };
    let far = Duration::from_hours(24);
    let (mut halted, mut wake) = (None, None);
    loop {
        let published = texts.borrow_and_update().clone();
        if halted.is_none_or(|until| until <= Instant::now()) {
            (halted, wake) = match pusher.push_changed(&published).await {
                Ok(next) => (None, next),
                Err(until) => (Some(until), Some(until)),
            };
        }
        tokio::select! {
            changed = texts.changed() => if changed.is_err() { return },
            Some(order) = orders.recv() => pusher.order(order),
            () = sleep_until(wake.unwrap_or_else(|| Instant::now() + far)) => {}
        }
    }
}

struct Pusher<T> {
    settings: Settings,
    client: Client<T>,
    report: watch::Sender<Report>,
    backoff: Backoff,
    /// The body that each Lichess round has taken last.
    taken: BTreeMap<String, String>,
    /// The Lichess rounds that are refused for a reason of their own, and when each is tried again.
    refused: BTreeMap<String, (Backoff, Instant)>,
    /// The Lichess rounds that are to be reset before the next push.
    resets: Vec<String>,
    /// When the next request may be sent.
    next: Instant,
}

impl<T: Transport> Pusher<T> {
    fn order(&mut self, order: Order) {
        let Order::ResetAndPush(round) = order;
        for id in self.settings.rounds.get(&round).into_iter().flatten() {
            self.resets.push(id.clone());
            self.taken.remove(id);
        }
    }

    /// Pushes each round whose body has changed. Returns when a refused one is tried again.
    ///
    /// # Errors
    ///
    /// Returns until when nothing may be pushed, after a failure that concerns all rounds.
    async fn push_changed(&mut self, published: &Published) -> Result<Option<Instant>, Instant> {
        let rounds = self.settings.rounds.clone();
        for (number, ids) in &rounds {
            let Some(round) = published.get(number) else {
                continue;
            };
            for (id, games) in body::parts(round, ids) {
                let body = match body::of(&games) {
                    Ok(body) => body,
                    Err(error) => {
                        self.fault(id, Some(error.to_string()));
                        continue;
                    }
                };
                let waits = (self.refused.get(id)).is_some_and(|(_, at)| *at > Instant::now());
                if waits || self.taken.get(id) == Some(&body) {
                    continue;
                }
                let Err(error) = self.push(id, &games, body).await else {
                    self.refused.remove(id);
                    self.fault(id, None);
                    continue;
                };
                tracing::warn!(round = id, "Lichess has not taken a push: {error}");
                self.fault(id, Some(error.to_string()));
                if matches!(error, PushError::NoRound | PushError::Forbidden) {
                    self.refuse(id);
                } else {
                    return Err(Instant::now() + self.backoff.wait());
                }
            }
        }
        self.backoff.reset();
        let again = self.refused.values().map(|(_, at)| *at);
        Ok(again.filter(|at| *at > Instant::now()).min())
    }

    /// Lets a round wait that is refused for a reason of its own, such as a wrong id.
    fn refuse(&mut self, id: &str) {
        let new = || Backoff::new(WAITS.0, WAITS.1, self.settings.seed);
        let (mut backoff, _) = (self.refused.remove(id)).unwrap_or_else(|| (new(), Instant::now()));
        let again = Instant::now() + backoff.wait();
        self.refused.insert(id.to_owned(), (backoff, again));
    }

    async fn push(
        &mut self,
        id: &str,
        games: &[&crate::GameText],
        body: String,
    ) -> Result<(), PushError> {
        if let Some(folder) = &self.settings.dry_run {
            let path = folder.join(format!("lichess-{id}.pgn"));
            std::fs::create_dir_all(folder)?;
            files::replace(&path, body.as_bytes())?;
            self.taken.insert(id.to_owned(), body);
            return Ok(());
        }
        if self.resets.iter().any(|reset| reset == id) {
            self.pace().await;
            self.client.reset(id).await?;
            self.resets.retain(|reset| reset != id);
        }
        self.pace().await;
        let sent = self.client.push(id, body.clone()).await;
        self.next = Instant::now() + PACE;
        let errors = answer::errors(&sent?, games)?;
        for GameError { board, reason } in &errors {
            tracing::warn!(%board, round = id, "Lichess refuses a game: {reason}");
        }
        self.report.send_modify(|report| {
            for game in games {
                report.games.remove(&game.board);
            }
            let refused = errors.into_iter().map(|error| (error.board, error.reason));
            report.games.extend(refused);
            report.pushes += 1;
        });
        self.taken.insert(id.to_owned(), body);
        Ok(())
    }

    /// Waits until the next request may be sent.
    async fn pace(&mut self) {
        sleep(self.next.saturating_duration_since(Instant::now())).await;
        self.next = Instant::now() + PACE;
    }

    fn fault(&self, id: &str, reason: Option<String>) {
        self.report.send_if_modified(|report| {
            let before = report.rounds.get(id) != reason.as_ref();
            match reason {
                Some(reason) => report.rounds.insert(id.to_owned(), reason),
                None => report.rounds.remove(id),
            };
            before
        });
    }
}

/// The games of a round with the Lichess round that they go to.
type Part<'a> = (&'a str, Vec<&'a crate::GameText>);

#[cfg(any(test, feature = "fake"))]
pub mod fake;
#[cfg(test)]
mod tests;
