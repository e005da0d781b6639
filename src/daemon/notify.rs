//! Alerts to phones: what the arbiter's topics say, passed on to the configured receivers.
//!
//! They are taken from the daemon's publisher and not from the broker. A broker that is down is a
//! reason to call the arbiter, and no password that can read the arbiter's topics lies on the disk.

use std::collections::HashMap;

use serde::Deserialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::broadcast::beside_journal;
use crate::{
    config::{Config, Notify, Profile, Unusable},
    publish::{
        Publisher,
        tap::Tap,
        topic::{self, Audience, Leaf},
    },
    words::Words,
};
use remisd_broadcast::{
    disk::StatePlace,
    notify::{Due, Message, Outbox, Receiver, Scope, SilentByBoard, report_without_sending, run},
};
use remisd_game::Alert;
use remisd_transport::Https;
use remisd_vocabulary::name::BoardId;

/// The content of the topic `alerts`.
#[derive(Deserialize)]
struct Listed {
    alerts: Vec<Alert>,
}

/// Starts a sender for each receiver. It must be called before any board publishes. In `silent` it
/// shows the receivers that take no messages.
///
/// To a receiver whose secret cannot be read nothing is sent, with an error in the log.
pub(super) fn start(
    config: &Config,
    publisher: &Publisher,
    actors: &mut JoinSet<()>,
    cancel: &CancellationToken,
    silent: &SilentByBoard,
) {
    let mut outboxes = Vec::new();
    for (number, notify) in config.notify.iter().enumerate() {
        let due = Due::new(scope(config, notify), notify.rates);
        match receiver_with_transport(number, notify) {
            Ok((receiver, transport)) => {
                let outbox = Outbox::new(due, Some(state_file(config, number)));
                outboxes.push(outbox.clone());
                let (words, site) = (Words::of(notify.language), config.site.id.clone());
                let phrase = std::sync::Arc::new(move |notice: &_| words.notice(&site, notice));
                let seed = u64::from(std::process::id()) + number as u64;
                let sending = run(receiver, outbox, phrase, transport, silent.clone(), seed);
                let cancel = cancel.clone();
                actors.spawn(async move {
                    cancel.run_until_cancelled(sending).await;
                });
            }
            Err(error) => {
                let (name, reason) = (format!("notify.{number}"), format!("{error:#}"));
                tracing::error!("{name} gets no messages: {reason}");
                let outbox = Outbox::new(due, None);
                outboxes.push(outbox.clone());
                let reporting = report_without_sending(name, outbox, silent.clone(), reason);
                let cancel = cancel.clone();
                actors.spawn(async move {
                    cancel.run_until_cancelled(reporting).await;
                });
            }
        }
    }
    if outboxes.is_empty() {
        return;
    }
    let boards = config.boards.iter();
    let topics: HashMap<String, BoardId> = boards
        .map(|board| {
            let topic = topic::board(&config.site.id, Audience::Arbiter, &board.id, Leaf::Alerts);
            (topic, board.id.clone())
        })
        .collect();
    let tap = publisher.tap(topics);
    let cancel = cancel.clone();
    actors.spawn(async move {
        cancel.run_until_cancelled(pass_on(tap, outboxes)).await;
    });
}

/// Passes on each board's open alerts to all outboxes, for ever.
async fn pass_on(tap: Tap, outboxes: Vec<Outbox>) {
    loop {
        for (board, payload) in tap.next().await {
            match serde_json::from_slice(&payload) {
                Ok(Listed { alerts }) => {
                    for outbox in &outboxes {
                        outbox.take(&board, &alerts);
                    }
                }
                Err(error) => tracing::error!(%board, "phones get no alerts: {error}"),
            }
        }
    }
}

/// The receiver with this number in the configuration.
///
/// # Errors
///
/// Its token cannot be read.
fn receiver(number: usize, notify: &Notify) -> Result<Receiver, Unusable> {
    let base = format!("notify.{number}.token");
    let token = notify.token.as_ref();
    let token = token.map(|source| source.token_of(&base)).transpose()?;
    Ok(Receiver {
        name: format!("notify.{number}"),
        url: notify.url.reveal().to_owned(),
        kind: notify.kind.clone(),
        token,
    })
}

fn receiver_with_transport(number: usize, notify: &Notify) -> anyhow::Result<(Receiver, Https)> {
    Ok((receiver(number, notify)?, Https::new()?))
}

/// In a competition players may read a phone that lies about.
fn scope(config: &Config, notify: &Notify) -> Scope {
    Scope {
        least: notify.least,
        content: config.audience.profile != Profile::Competition,
    }
}

/// The file beside the journals of the boards in which a receiver's state is kept.
fn state_file(config: &Config, number: usize) -> StatePlace {
    beside_journal(config, &format!("notify.{number}.json"), || Ok(()))
}

/// Sends a test message to a receiver, and returns the server's answer.
///
/// # Errors
///
/// The token cannot be read, or the server does not take the message.
pub async fn send_test(config: &Config, number: usize) -> anyhow::Result<String> {
    let notify = &config.notify[number];
    let message: Message = Words::of(notify.language).test_notice(&config.site.id);
    let receiver = receiver(number, notify)?;
    Ok(receiver.send(&Https::new()?, &message).await?)
}
