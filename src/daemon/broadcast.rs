//! What leaves for the world: the wiring of the broadcast to the broker and to its exits.
//!
//! The broadcast reads the public topics from the broker, as the public's user. So it knows only
//! what the delay has let through.

use std::{sync::Arc, time::Duration};

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
            Access, Credentials, Timing,
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

/// The silence after which all retained messages count as received.
const QUIET: Duration = Duration::from_millis(500);

/// Starts everything that the configuration asks for, and returns the routes of the games.
///
/// # Errors
///
/// Fails if a secret cannot be read.
pub(super) fn start(
    config: &Config,
    actors: &mut JoinSet<()>,
    cancel: &CancellationToken,
) -> anyhow::Result<(Router, watch::Receiver<Report>)> {
    let (told, report) = watch::channel(Report::default());
    let broadcast = &config.broadcast;
    if !broadcast.is_used() {
        return Ok((Router::new(), report));
    }
    let folder = broadcast.folder.clone().map(|path| Folder {
        path,
        dialect: broadcast.dialect,
    });
    let settings = Settings {
        site: config.site.id.clone(),
        boards: config.boards.iter().map(|board| board.id.clone()).collect(),
        state: config.journal.dir.join("broadcast"),
        folder,
    };
    let (updates, texts) = remisd_broadcast::spawn(settings, cancel.clone());
    let events = public_topics(config, cancel)?;
    actors.spawn(listen(config.clone(), events, updates));
    if let Some(upload) = &broadcast.upload {
        let upload = Upload {
            url: upload.url.clone(),
            authorization: upload.authorization.as_ref().map(token).transpose()?,
            dialect: broadcast.dialect,
        };
        let (texts, cancel) = (texts.clone(), cancel.clone());
        let transport = Https::new()?;
        actors.spawn(async move {
            cancel
                .run_until_cancelled(upload.run(transport, texts))
                .await;
        });
    }
    if let Some(settings) = &broadcast.lichess {
        let client = lichess_client(settings)?;
        let settings = lichess::Settings {
            rounds: settings.rounds.clone(),
            dry_run: settings.dry_run.clone(),
            seed: u64::from(std::process::id()),
        };
        let (texts, cancel) = (texts.clone(), cancel.clone());
        // Nobody orders yet; the queue stays open as long as the actor.
        let (orders, ordered) = mpsc::channel(1);
        actors.spawn(async move {
            let pushing = lichess::run(settings, client, texts, ordered, told);
            cancel.run_until_cancelled(pushing).await;
            drop(orders);
        });
    }
    let routes = if broadcast.http {
        http::router(texts, broadcast.dialect)
    } else {
        Router::new()
    };
    Ok((routes, report))
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

/// Subscribes to the games that the public sees.
fn public_topics(
    config: &Config,
    cancel: &CancellationToken,
) -> anyhow::Result<(Client, mpsc::Receiver<ClientEvent>)> {
    let password = config.http.public_password.as_ref();
    let password = password.map(SecretSource::read).transpose()?;
    let user = config.http.public_username.as_ref();
    let credentials = user.map(|username| Credentials {
        username: username.clone(),
        password: password.map_or_else(String::new, |secret| secret.reveal().to_owned()),
    });
    let site = &config.site.id;
    let boards = config.boards.iter();
    let settings = ClientSettings {
        url: config.mqtt.url.clone(),
        access: Access {
            credentials,
            tls: config.mqtt.read_tls()?,
        },
        client_id: format!("remisd-broadcast-{site}-{}", config.site.node),
        filters: boards
            .map(|board| topic::board(site, Audience::Public, &board.id, Leaf::Game))
            .collect(),
        jitter_seed: u64::from(std::process::id()) + 1,
        timing: Timing::default(),
    };
    Ok(client::spawn(settings, cancel.clone()))
}

/// Hands on what the broker says, until the client ends.
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
