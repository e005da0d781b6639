//! The pusher carries out what was ordered, between its pushes.

use remisd_vocabulary::time::rfc3339;
use tokio::time::Instant;

use super::{
    Order, OrderKey, PlacedOrder, Progress, PushError, Pusher, RoundForm, RoundReport, Wait, body,
};
use crate::{http::Published, text::RoundText};
use remisd_transport::Transport;

impl<T: Transport> Pusher<T> {
    /// Ends the orders of an earlier run: in a dry run nothing is sent.
    pub(super) async fn refuse_orders(&mut self) {
        for placed in self.waiting() {
            let why = "broadcast.lichess.dry_run is set: nothing is sent";
            self.end(&placed, Progress::Failed, Some(why.to_owned()))
                .await;
        }
    }

    /// Begins resets: the next push of their rounds resets them first.
    pub(super) fn begin_resets(&mut self) {
        for placed in self.waiting() {
            if let Order::LichessReset { round } = &placed.order
                && self.begun.insert(key(&placed))
            {
                self.begin_reset(*round);
            }
        }
    }

    /// Creates the rounds that were ordered. After a failure the next attempt waits.
    ///
    /// # Errors
    ///
    /// Returns until when nothing may be sent, after a failure that concerns all requests.
    pub(super) async fn create_rounds(&mut self) -> Result<(), Instant> {
        if self.creates_again.is_some_and(|at| at > Instant::now()) {
            return Ok(());
        }
        self.creates_again = None;
        for placed in self.waiting() {
            if matches!(placed.order, Order::LichessCreate { .. }) {
                self.create(&placed).await?;
                if self.creates_again.is_some() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Lets the next attempt to create a round wait.
    fn postpone_creations(&mut self) {
        self.creates_again = Some(Instant::now() + self.create_backoff.wait());
    }

    /// Ends the resets whose rounds were pushed, and closes rounds.
    pub(super) async fn end_orders(&mut self, published: &Published) -> Result<(), Instant> {
        for placed in self.waiting() {
            let round = placed.order.round();
            // At a start the games come later. An old round is forgotten.
            let text = published.get(&round);
            let is_old = published
                .keys()
                .next()
                .is_some_and(|oldest| *oldest > round);
            match (&placed.order, text) {
                (Order::LichessCreate { .. }, _) => {}
                (_, None) if is_old => {
                    let why = format!("the games of round {round} are no longer kept");
                    self.end(&placed, Progress::Failed, Some(why)).await;
                }
                (_, None) => {}
                (Order::LichessReset { .. }, Some(text)) => self.end_reset(&placed, text).await,
                (Order::LichessClose { .. }, Some(_)) => self.close(&placed, round).await?,
            }
        }
        Ok(())
    }

    /// Lets the next push of a round reset it first.
    fn begin_reset(&mut self, round: u32) {
        let rounds = self.rounds();
        let ids = rounds.ids(round);
        for id in ids {
            self.resets.insert(id.clone());
            self.taken.remove(id);
            self.refused.remove(id);
            self.incomplete.remove(id);
        }
    }

    fn waiting(&self) -> Vec<PlacedOrder> {
        let stored = self.wiring.orders.stored();
        let stored = stored.borrow();
        stored.waiting().cloned().collect()
    }

    async fn create(&mut self, placed: &PlacedOrder) -> Result<(), Instant> {
        let Order::LichessCreate { name, rated, round } = &placed.order else {
            return Ok(());
        };
        let Some(tournament) = self.settings.tournament.clone() else {
            let why = "broadcast.lichess.tournament is not set";
            self.end(placed, Progress::Failed, Some(why.to_owned()))
                .await;
            return Ok(());
        };
        let (role, id) = key(placed);
        let sent = |stored: &mut super::StoredOrders| {
            if let Some(placed) = stored.find_mut(role, &id) {
                placed.progress = Progress::Sent;
            }
        };
        if let Err(error) = self.wiring.orders.change(sent).await {
            // Without the note, a restart could make a second one.
            tracing::error!("no Lichess round is created: {error}");
            self.postpone_creations();
            return Ok(());
        }
        self.pace().await;
        let form = RoundForm {
            name: name.clone(),
            rated: *rated,
            delay_s: 0,
        };
        let made = self.wiring.client.create_round(&tournament, &form).await;
        self.next = Instant::now() + super::PACE;
        let made = made.and_then(|id| {
            let is_closed = self.wiring.orders.stored().borrow().closed.contains(&id);
            if !body::is_round(&id) {
                Err(self.wiring.client.not_understood("with an id that is none"))
            } else if self.rounds().has(&id) || is_closed {
                let why = format!("with {id}, the id of a round that is in use already");
                Err(self.wiring.client.not_understood(&why))
            } else {
                Ok(id)
            }
        });
        match made {
            Ok(lichess) => {
                tracing::info!(round = %round, id = %lichess, "a Lichess round was created");
                let made = |stored: &mut super::StoredOrders| {
                    stored.made.entry(*round).or_default().push(lichess.clone());
                    if let Some(placed) = stored.find_mut(role, &id) {
                        placed.progress = Progress::Done;
                        placed.reason = None;
                        placed.made = Some(lichess.clone());
                    }
                };
                self.wiring.orders.note(made).await;
                self.create_backoff.reset();
                Ok(())
            }
            Err(error) if error.is_final() => {
                let why = match error {
                    PushError::NoRound => "Lichess knows no such tournament".to_owned(),
                    PushError::Forbidden => {
                        "the token's user may not create rounds in this tournament".to_owned()
                    }
                    error => error.to_string(),
                };
                self.end(placed, Progress::Failed, Some(why)).await;
                Ok(())
            }
            Err(error) => {
                let progress = if error.is_undone() {
                    Progress::Waiting
                } else {
                    Progress::Unknown
                };
                tracing::warn!("a Lichess round is not created: {error}");
                self.end(placed, progress, Some(error.to_string())).await;
                self.postpone_creations();
                if error.concerns_all() {
                    return Err(self.halt());
                }
                Ok(())
            }
        }
    }

    /// Ends a reset after a pass over all rounds. What was not pushed then has a fault of its own: if
    /// that may pass, the reset waits with its round.
    async fn end_reset(&mut self, placed: &PlacedOrder, text: &RoundText) {
        let rounds = self.rounds();
        let ids = rounds.ids(text.number);
        let parts = body::parts(text, ids);
        let undone = parts
            .iter()
            .find(|(id, _)| self.resets.contains(*id) || !self.taken.contains_key(*id));
        let undone = undone.map(|(id, _)| (*id).to_owned());
        let why =
            (undone.as_ref()).and_then(|id| self.wiring.report.borrow().rounds.get(id).cloned());
        let waits = parts
            .iter()
            .any(|(id, _)| self.refused.get(*id).is_some_and(|wait| !wait.is_final));
        if undone.is_some() && waits {
            if placed.reason != why {
                self.end(placed, Progress::Waiting, why).await;
            }
            return;
        }
        for id in ids {
            self.resets.remove(id);
        }
        match undone {
            None => self.end(placed, Progress::Done, None).await,
            Some(_) => self.end(placed, Progress::Failed, why).await,
        }
    }

    async fn close(&mut self, placed: &PlacedOrder, round: u32) -> Result<(), Instant> {
        let key = key(placed);
        if self
            .orders_wait
            .get(&key)
            .is_some_and(|wait| !wait.is_over())
        {
            return Ok(());
        }
        let before = self.orders_wait.remove(&key);
        let rounds = self.rounds();
        for id in rounds.ids(round) {
            if self.wiring.orders.stored().borrow().closed.contains(id) {
                continue;
            }
            self.pace().await;
            let closed = self.wiring.client.close_round(id).await;
            self.next = Instant::now() + super::PACE;
            match closed {
                Ok(()) => {
                    let close =
                        |stored: &mut super::StoredOrders| _ = stored.closed.insert(id.clone());
                    self.wiring.orders.note(close).await;
                }
                Err(error) => {
                    tracing::warn!(round = id, "a Lichess round is not closed: {error}");
                    let is_final = error.is_final();
                    let progress = if is_final {
                        Progress::Failed
                    } else {
                        Progress::Waiting
                    };
                    self.end(placed, progress, Some(error.to_string())).await;
                    if error.concerns_all() {
                        return Err(self.halt());
                    }
                    if !is_final {
                        let wait = Wait::after(before, self.settings.seed, false);
                        self.orders_wait.insert(key, wait);
                    }
                    return Ok(());
                }
            }
        }
        self.end(placed, Progress::Done, None).await;
        Ok(())
    }

    /// Notes how far an order is.
    async fn end(&mut self, placed: &PlacedOrder, progress: Progress, reason: Option<String>) {
        let (role, id) = key(placed);
        if progress != Progress::Waiting {
            self.begun.remove(&key(placed));
        }
        let end = |stored: &mut super::StoredOrders| {
            if let Some(placed) = stored.find_mut(role, &id) {
                placed.progress = progress;
                placed.reason.clone_from(&reason);
            }
        };
        self.wiring.orders.note(end).await;
    }

    /// Reports the Lichess rounds, and until when nothing is sent.
    pub(super) fn show_rounds(&mut self, published: &Published, halted: Option<Instant>) {
        let closed = self.wiring.orders.stored().borrow().closed.clone();
        let mut all = Vec::new();
        let rounds = self.rounds();
        for (number, ids) in &rounds.0 {
            let text = published.get(number);
            let parts = text.map(|text| body::parts(text, ids)).unwrap_or_default();
            all.extend(ids.iter().map(|id| {
                let part = parts.iter().find(|(of, _)| of == id);
                let body = part.and_then(|(_, games)| body::of(games).ok());
                RoundReport {
                    round: *number,
                    id: id.clone(),
                    closed: closed.contains(id),
                    behind: part.is_some()
                        && (body.is_none()
                            || self.taken.get(id) != body.as_ref()
                            || self.incomplete.contains_key(id)),
                }
            }));
        }
        let left = halted.map(|until| until.saturating_duration_since(Instant::now()));
        let now = self.wiring.clock.now();
        let halted_until = left
            .and_then(|left| now.checked_add(left).ok())
            .map(rfc3339);
        let newest = RoundText::newest_first(published).into_iter().next();
        let unassigned = newest
            .filter(|text| text.has_games() && rounds.ids(text.number).is_empty())
            .filter(|text| !self.settings.rounds.contains_key(&text.number))
            .map(|text| text.number);
        let waits_else = std::mem::replace(&mut self.halted, halted) != halted;
        self.wiring.report.send_if_modified(|report| {
            if let Some(round) = unassigned.filter(|_| report.unassigned != unassigned) {
                tracing::warn!(round, "no round on Lichess: nothing of this round is sent");
            }
            let changed = report.all != all || report.unassigned != unassigned || waits_else;
            if changed {
                (report.all, report.unassigned) = (all, unassigned);
                report.halted_until = halted_until;
            }
            changed
        });
    }
}

fn key(placed: &PlacedOrder) -> OrderKey {
    (placed.role, placed.id.clone())
}
