//! What leaves for the world: the wiring of the broadcast to the broker and to its exits.
//!
//! The broadcast reads the public topics from the broker, as the public's user. So it knows only
//! what the delay has let through.

use std::{pin::Pin, sync::Arc, time::Duration};

use anyhow::Context as _;
use axum::Router;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    config::{Config, Lichess, SecretSource},
    publish::{
        mqtt::{
            Access, ClientId, Credentials, Timing,
            client::{self, Client, ClientEvent, ClientSettings},
        },
        topic::{self, Audience, Leaf},
    },
};
use remisd_broadcast::{
    Settings, Update,
    folder::Folder,
    http,
    lichess::{self, Report, Token},
    transport::Https,
    upload::Upload,
};

/// The directory of its state, beside the journals of the boards: no board can have this name.
const STATE: &str = "broadcast.state";
/// The silence after which all retained messages count as received.
const QUIET: Duration = Duration::from_millis(500);

/// Starts everything that the configuration asks for, and returns the routes of the games.
///
/// A secret that cannot be read stops the broadcast, and no game.
pub(super) fn start(
    config: &Config,
    actors: &mut JoinSet<()>,
    cancel: &CancellationToken,
) -> (Router, watch::Receiver<Report>) {
    let (reports, report) = watch::channel(Report::default());
    let routes = if config.broadcast.is_used() {
        match Exits::of(config) {
            Ok(exits) => exits.start(config, actors, cancel, reports),
            Err(error) => {
                tracing::error!("nothing is broadcast: {error:#}");
                Router::new()
            }
        }
    } else {
        Router::new()
    };
    (routes, report)
}

/// What the exits need that can fail.
struct Exits {
    topics: ClientSettings,
    upload: Option<(Upload, Https)>,
    lichess: Option<(lichess::Settings, lichess::Client<Https>)>,
}

impl Exits {
    fn of(config: &Config) -> anyhow::Result<Self> {
        let broadcast = &config.broadcast;
        let upload = broadcast.upload.as_ref().map(|upload| {
            let authorization = upload.authorization.as_ref();
            let upload = Upload {
                url: upload.url.clone(),
                authorization: authorization.map(token).transpose()?,
                dialect: broadcast.dialect,
            };
            anyhow::Ok((upload, Https::new()?))
        });
        let lichess = broadcast.lichess.as_ref().map(|settings| {
            let client = lichess_client(settings)?;
            let settings = lichess::Settings {
                rounds: settings.rounds.clone(),
                dry_run: settings.dry_run.clone(),
                seed: u64::from(std::process::id()),
            };
            anyhow::Ok((settings, client))
        });
        Ok(Self {
            topics: public_topics(config)?,
            upload: upload.transpose()?,
            lichess: lichess.transpose()?,
        })
    }

    fn start(
        self,
        config: &Config,
        actors: &mut JoinSet<()>,
        cancel: &CancellationToken,
        reports: watch::Sender<Report>,
    ) -> Router {
        let broadcast = &config.broadcast;
        let folder = broadcast.folder.clone().map(|path| Folder {
            path,
            dialect: broadcast.dialect,
        });
        let (updates, texts, publishing) = remisd_broadcast::actor(Settings {
            site: config.site.id.clone(),
            boards: config.boards.iter().map(|board| board.id.clone()).collect(),
            state: config.journal.dir.join(STATE),
            folder,
        });
        let mut run = |exit: Pin<Box<dyn Future<Output = ()> + Send>>| {
            let cancel = cancel.clone();
            actors.spawn(async move {
                cancel.run_until_cancelled(exit).await;
            });
        };
        run(Box::pin(publishing));
        let events = client::spawn(self.topics, cancel.clone());
        run(Box::pin(listen(config.clone(), events, updates)));
        if let Some((upload, transport)) = self.upload {
            run(Box::pin(upload.run(transport, texts.clone())));
        }
        if let Some((settings, client)) = self.lichess {
            let texts = texts.clone();
            // No command gives orders yet. The queue stays open as long as the actor runs.
            let (orders, ordered) = mpsc::channel(1);
            run(Box::pin(async move {
                lichess::run(settings, client, texts, ordered, reports).await;
                drop(orders);
            }));
        }
        if broadcast.http {
            http::router(texts, broadcast.dialect)
        } else {
            Router::new()
        }
    }
}

fn lichess_client(settings: &Lichess) -> anyhow::Result<lichess::Client<Https>> {
    let token = match &settings.token {
        Some(source) => token(source)?,
        // A dry run sends nothing.
        None => Token::new("none")?,
    };
    Ok(lichess::Client::new(
        Https::new()?,
        &settings.host,
        token,
        &settings.user,
    ))
}

fn token(source: &SecretSource) -> anyhow::Result<Token> {
    Ok(Token::new(source.read()?.reveal())?)
}

/// The subscription to the games that the public sees.
fn public_topics(config: &Config) -> anyhow::Result<ClientSettings> {
    let password = config.http.public_password.as_ref();
    let password = password.map(SecretSource::read).transpose()?;
    let user = config.http.public_username.as_ref();
    let credentials = user.map(|username| Credentials {
        username: username.clone(),
        password: password.map_or_else(String::new, |secret| secret.reveal().to_owned()),
    });
    let site = &config.site.id;
    let boards = config.boards.iter();
    Ok(ClientSettings {
        url: config.mqtt.url.clone(),
        access: Access {
            credentials,
            tls: config.mqtt.read_tls()?,
        },
        client_id: ClientId::random(format!("remisd-broadcast-{site}-{}", config.site.node))
            .draw()
            .context("no client id can be drawn")?,
        filters: boards
            .map(|board| topic::board(site, Audience::Public, &board.id, Leaf::Game))
            .collect(),
        jitter_seed: u64::from(std::process::id()) + 1,
        timing: Timing::default(),
    })
}

/// Passes on what the broker sends, until the client ends.
async fn listen(
    config: Config,
    // It sends no commands, and ends with its handle.
    (_client, mut events): (Client, mpsc::Receiver<ClientEvent>),
    updates: mpsc::Sender<Update>,
) {
    let far = Duration::from_hours(24);
    let mut complete_at = None;
    let boards: Vec<_> = (config.boards.iter())
        .map(|board| {
            let topic = topic::board(&config.site.id, Audience::Public, &board.id, Leaf::Game);
            (topic, board.id.clone())
        })
        .collect();
    let boards = Arc::new(boards);
    loop {
        let event = tokio::select! {
            event = events.recv() => event,
            () = sleep_until(complete_at.unwrap_or_else(|| Instant::now() + far)) => {
                complete_at = None;
                if updates.send(Update::Complete).await.is_err() {
                    return;
                }
                continue;
            }
        };
        match event {
            None => return,
            Some(ClientEvent::Up) => complete_at = Some(Instant::now() + QUIET),
            Some(ClientEvent::ConnectionLost { why, .. }) => {
                complete_at = None;
                tracing::info!("the broadcast has no connection to the broker: {why}");
            }
            Some(ClientEvent::Message(message)) => {
                if message.retained && complete_at.is_some() {
                    complete_at = Some(Instant::now() + QUIET);
                }
                let Some((_, board)) = boards.iter().find(|(topic, _)| *topic == message.topic)
                else {
                    continue;
                };
                match Update::of_topic(board.clone(), &message.payload) {
                    Ok(None) => {}
                    Ok(Some(update)) => {
                        if updates.send(update).await.is_err() {
                            return;
                        }
                    }
                    Err(error) => tracing::warn!(%board, "not a game for the broadcast: {error}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use remisd_vocabulary::name::BoardId;

    use super::*;

    #[test]
    fn no_board_has_the_name_of_the_state_directory() {
        assert!(STATE.parse::<BoardId>().is_err());
    }
}
