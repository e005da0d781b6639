//! The API for programs that were written for `LiveChess`: a client of the broker like any other,
//! and a server on its own port.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use remisd_livechess::{BoardSettings, Hub, Settings};
use remisd_vocabulary::time::{Clock, TimeScale};
use tokio_util::sync::CancellationToken;

use super::spawn::hand_settings;
use crate::{
    config::{Config, LiveChessAudience},
    hall,
    publish::{
        mqtt::{
            Access, ClientId, Credentials, CurrentAccess, Timing,
            client::{self, ClientEvent, ClientSettings},
        },
        topic::Audience,
    },
};

/// After which time a failed start is tried again.
const AGAIN: Duration = Duration::from_secs(10);

/// Runs the API until `cancel`, if it is configured. Whatever is wrong with it must not stop a
/// game.
pub(super) async fn run(config: Config, clock: Arc<dyn Clock>, cancel: CancellationToken) {
    if !config.livechess.enabled {
        return;
    }
    let settings = loop {
        match client_settings(&config) {
            Ok(settings) => break settings,
            Err(error) => tracing::error!("the LiveChess API cannot read the broker: {error:#}"),
        }
        let again = tokio::time::sleep(AGAIN);
        if cancel.run_until_cancelled(again).await.is_none() {
            return;
        }
    };
    let hub = Hub::new(Settings {
        site: config.site.id.clone(),
        audience: audience(config.livechess.audience),
        boards: (config.boards.iter())
            .map(|board| BoardSettings {
                id: board.id.clone(),
                hand: hand_settings(board),
                time_scale: TimeScale::new(board.hand.speed),
            })
            .collect(),
        origins: config.livechess.origins.clone(),
        names: config.http.names.clone(),
        clock,
    });
    let settings = ClientSettings {
        filters: hub.filters(),
        ..settings
    };
    let listen = config.livechess.listen;
    let serving = hall::serve_router(
        "livechess.listen",
        listen,
        hub.router(cancel.clone()),
        &cancel,
    );
    tokio::join!(serving, follow_topics(hub, settings, &cancel));
}

/// Passes on what the broker sends.
async fn follow_topics(hub: Hub, settings: ClientSettings, cancel: &CancellationToken) {
    let (_client, mut events) = client::spawn(settings, cancel.clone());
    let mut known = None;
    while let Some(event) = events.recv().await {
        match event {
            ClientEvent::Up => {
                known = None;
                hub.connect(true);
            }
            ClientEvent::SubscriptionsRefused { count, why } => {
                tracing::warn!(
                    count,
                    "the broker refuses subscriptions of the LiveChess API: {why}"
                );
            }
            ClientEvent::Pong(_) => {}
            ClientEvent::Message(message) => hub.take(&message.topic, &message.payload),
            ClientEvent::ConnectionLost { why, refused } => {
                hub.connect(false);
                if known.as_ref() != Some(&why) {
                    tracing::warn!(
                        refused,
                        "the LiveChess API has no connection to the broker: {why}"
                    );
                    known = Some(why);
                }
            }
        }
    }
}

fn client_settings(config: &Config) -> anyhow::Result<ClientSettings> {
    let livechess = &config.livechess;
    let password = livechess.password.as_ref();
    let password = password.map(|source| source.read_of("livechess.password"));
    let password = password.transpose()?;
    let credentials = livechess.username.as_ref().map(|username| Credentials {
        username: username.clone(),
        password: password.map_or_else(String::new, |secret| secret.reveal().to_owned()),
    });
    let name = format!("remisd-livechess-{}-{}", config.site.id, config.site.node);
    Ok(ClientSettings {
        brokers: config.mqtt.brokers.clone(),
        access: CurrentAccess::fixed(Access {
            credentials,
            tls: config.mqtt.read_tls().context("TLS to the broker")?,
        }),
        client_id: ClientId::random(name).draw().context("no client id")?,
        filters: Vec::new(),
        jitter_seed: u64::from(std::process::id()) + 1,
        timing: Timing::default(),
    })
}

const fn audience(shown: LiveChessAudience) -> Audience {
    match shown {
        LiveChessAudience::Arbiter => Audience::Arbiter,
        LiveChessAudience::Operator => Audience::Operator,
        LiveChessAudience::Public => Audience::Public,
    }
}
