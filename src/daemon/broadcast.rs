//! What leaves for the world: the wiring of the broadcast to the broker and to its exits.
//!
//! The broadcast reads the public topics from the broker, as the public's user. So it knows only
//! what the delay has let through.

use std::{io, pin::Pin, sync::Arc, time::Duration};

use anyhow::Context as _;
use axum::Router;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;

use super::{reload::PublicAccess, upload::Way};
use crate::{
    config::{Config, LICHESS_TOKEN, Lichess, Unusable},
    publish::{
        mqtt::{
            ClientId, CurrentAccess, Timing,
            client::{self, Client, ClientEvent, ClientSettings},
        },
        topic::{self, Audience, Leaf},
    },
};
use remisd_broadcast::{
    ExitCause, ExitError, ExitReport, Settings, Update,
    disk::StatePlace,
    folder::Folder,
    http,
    lichess::{self, OrderIntake, OrderStore, Report, RoundReport, Token, Wiring},
    upload::Upload,
};
use remisd_journal::{Journal, check_mount};
use remisd_transport::Https;
use remisd_vocabulary::time::Clock;

/// The directory of its state, beside the journals of the boards: no board can have this name.
const STATE: &str = "broadcast.state";
/// Where it is kept what was ordered from Lichess, and what Lichess shows. No board can have these
/// names.
const ORDERS: &str = "lichess.json";
const SHOWN: &str = "lichess.state";
/// The topics of a board that are read: how games were left comes before the next one.
const LEAVES: [Leaf; 2] = [Leaf::Earlier, Leaf::Game];
/// The least silence after which all retained messages count as received.
const QUIET: Duration = Duration::from_millis(500);

/// What the rest of the daemon needs of the broadcast.
pub(super) struct Started {
    /// The routes of the games.
    pub(super) routes: Router,
    /// How the Lichess broadcast is.
    pub(super) report: watch::Receiver<Report>,
    /// What was ordered from Lichess.
    pub(super) orders: OrderStore,
    /// How the folder of PGN files is.
    pub(super) folder: watch::Receiver<ExitReport>,
    /// How the upload of PGN files is.
    pub(super) upload: watch::Receiver<ExitReport>,
    /// Why the games are not kept over a restart.
    pub(super) unkept: watch::Receiver<Option<String>>,
    /// Takes orders for Lichess; none if no Lichess broadcast runs.
    pub(super) order_intake: Option<OrderIntake>,
}

/// Starts everything that the configuration asks for.
///
/// A secret that cannot be read stops the exit that needs it, and no game.
pub(super) fn start(
    config: &Config,
    public: &PublicAccess,
    journal: &Journal,
    clock: &Arc<dyn Clock>,
    actors: &mut JoinSet<()>,
    cancel: &CancellationToken,
) -> Started {
    let (reports, report) = watch::channel(Report::default());
    let lichess = config.broadcast.lichess.as_ref();
    let tournament = lichess.and_then(|lichess| lichess.tournament.clone());
    let is_open = journal.openness();
    let file = beside_journal(config, ORDERS, move || {
        let text = "the disk of the journal is not there";
        let error = || io::Error::new(io::ErrorKind::NotFound, text);
        is_open().then_some(()).ok_or_else(error)
    });
    let orders = OrderStore::kept_in(file, tournament);
    let (to_folder, folder) = watch::channel(ExitReport::default());
    let (to_upload, upload) = watch::channel(ExitReport::default());
    let (to_unkept, unkept) = watch::channel(None);
    let mut started = Started {
        folder,
        upload,
        unkept,
        routes: Router::new(),
        report,
        orders: orders.clone(),
        order_intake: None,
    };
    if config.broadcast.is_used() {
        let reporting = Reporting {
            orders,
            reports,
            folder: to_folder,
            upload: to_upload,
            unkept: to_unkept,
            clock: Arc::clone(clock),
        };
        match Exits::of(config, public, &reporting) {
            Ok(exits) => {
                (started.routes, started.order_intake) =
                    exits.start(config, actors, cancel, reporting);
            }
            Err(error) => {
                tracing::error!("nothing is broadcast: {error:#}");
                reporting.nothing_leaves(config, &format!("{error:#}"));
            }
        }
    }
    started
}

/// A file or directory beside the journals of the boards, and the check of their disk: that of the
/// journal, and `is_usable`.
pub(super) fn beside_journal(
    config: &Config,
    name: &str,
    is_usable: impl Fn() -> io::Result<()> + Send + Sync + 'static,
) -> StatePlace {
    let mount = config.journal.mount.clone();
    StatePlace::new(config.journal.dir.join(name), move || {
        if let Some(mount) = &mount {
            check_mount(mount).map_err(io::Error::other)?;
        }
        is_usable()
    })
}

/// What the exits share with the rest of the daemon.
struct Reporting {
    orders: OrderStore,
    reports: watch::Sender<Report>,
    folder: watch::Sender<ExitReport>,
    upload: watch::Sender<ExitReport>,
    unkept: watch::Sender<Option<String>>,
    clock: Arc<dyn Clock>,
}

impl Reporting {
    /// Reports at every exit why it does not work.
    fn nothing_leaves(&self, config: &Config, reason: &str) {
        for exit in [&self.folder, &self.upload] {
            let error = ExitError::new(ExitCause::Settings, reason);
            ExitReport::note(exit, &*self.clock, Some(error));
        }
        if let Some(lichess) = &config.broadcast.lichess {
            self.nothing_is_pushed(lichess, reason);
        }
    }

    /// Reports why nothing is pushed to Lichess.
    fn nothing_is_pushed(&self, lichess: &Lichess, reason: &str) {
        self.reports.send_modify(|report| {
            for (round, ids) in &lichess.rounds {
                for id in ids {
                    report.all.push(RoundReport {
                        round: *round,
                        id: id.clone(),
                        closed: false,
                        behind: true,
                    });
                    report.rounds.insert(id.clone(), reason.to_owned());
                }
            }
        });
    }
}

/// What the exits need that can fail. An exit that cannot be used holds back no other.
struct Exits {
    topics: ClientSettings,
    upload: Option<Way>,
    lichess: Option<(lichess::Settings, lichess::Client<Https>)>,
}

impl Exits {
    /// Reads what the exits need; those that cannot be used are logged and reported.
    ///
    /// # Errors
    ///
    /// The public topics cannot be read: no exit would have anything.
    fn of(config: &Config, public: &PublicAccess, reporting: &Reporting) -> anyhow::Result<Self> {
        let access = public.clone().map_err(anyhow::Error::msg)?;
        let topics = public_topics(config, access)?;
        let upload = Way::configured(&config.broadcast).unwrap_or_else(|error| {
            tracing::error!("nothing is uploaded: {error}");
            let error = ExitError::new(ExitCause::Settings, &error.to_string());
            ExitReport::note(&reporting.upload, &*reporting.clock, Some(error));
            None
        });
        let lichess = config.broadcast.lichess.as_ref();
        let lichess = lichess.and_then(|configured| match lichess_client(configured) {
            Ok(client) => Some((lichess_settings(config, configured), client)),
            Err(error) => {
                tracing::error!("nothing is pushed to Lichess: {error}");
                reporting.nothing_is_pushed(configured, &error.to_string());
                None
            }
        });
        Ok(Self {
            topics,
            upload,
            lichess,
        })
    }

    fn start(
        self,
        config: &Config,
        actors: &mut JoinSet<()>,
        cancel: &CancellationToken,
        reporting: Reporting,
    ) -> (Router, Option<OrderIntake>) {
        let broadcast = &config.broadcast;
        let Reporting {
            orders,
            reports,
            folder: to_folder,
            upload: to_upload,
            unkept,
            clock,
        } = reporting;
        let folder = broadcast.folder.clone().map(|path| Folder {
            path,
            dialect: broadcast.dialect,
        });
        let (updates, texts, publishing) = remisd_broadcast::actor(Settings {
            site: config.site.id.clone(),
            boards: config.boards.iter().map(|board| board.id.clone()).collect(),
            state: beside_journal(config, STATE, || Ok(())),
            unkept,
            folder,
            report: to_folder,
            clock: Arc::clone(&clock),
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
        if let Some(way) = self.upload {
            let upload = Upload {
                dialect: broadcast.dialect,
            };
            run(way.run(upload, texts.clone(), to_upload, Arc::clone(&clock)));
        }
        let order_intake = self.lichess.map(|(settings, client)| {
            let order_intake = OrderIntake::new(
                settings.clone(),
                orders.clone(),
                texts.clone(),
                Arc::clone(&clock),
            );
            let report = reports;
            let wiring = Wiring {
                client,
                orders,
                report,
                clock,
            };
            run(Box::pin(lichess::run(settings, wiring, texts.clone())));
            order_intake
        });
        let routes = if broadcast.http {
            http::router(texts, broadcast.dialect)
        } else {
            Router::new()
        };
        (routes, order_intake)
    }
}

fn lichess_settings(config: &Config, lichess: &Lichess) -> lichess::Settings {
    lichess::Settings {
        rounds: lichess.rounds.clone(),
        tournament: lichess.tournament.clone(),
        boards: config.boards.len(),
        shown: Some(beside_journal(config, SHOWN, || Ok(()))),
        dry_run: lichess.dry_run.clone(),
        seed: u64::from(std::process::id()),
    }
}

fn lichess_client(settings: &Lichess) -> Result<lichess::Client<Https>, Unusable> {
    let token = match &settings.token {
        Some(source) => source.token_of(LICHESS_TOKEN)?,
        // A dry run sends nothing.
        None => Token::new("none").map_err(|error| Unusable::new(LICHESS_TOKEN, &error))?,
    };
    let transport = Https::new().map_err(|error| Unusable::new("broadcast.lichess", &error))?;
    Ok(lichess::Client::new(
        transport,
        &settings.host,
        token,
        &settings.user,
    ))
}

/// The subscription to the games that the public sees.
fn public_topics(config: &Config, access: CurrentAccess) -> anyhow::Result<ClientSettings> {
    let site = &config.site.id;
    let boards = config.boards.iter();
    Ok(ClientSettings {
        brokers: config.mqtt.brokers.clone(),
        access,
        client_id: ClientId::random(format!("remisd-broadcast-{site}-{}", config.site.node))
            .draw()
            .context("no client id can be drawn")?,
        filters: boards
            .flat_map(|board| {
                LEAVES.map(|leaf| topic::board(site, Audience::Public, &board.id, leaf))
            })
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
    let quiet = config.mqtt.brokers.quiet().max(QUIET);
    let mut complete_at = None;
    let boards: Vec<_> = (config.boards.iter())
        .flat_map(|board| LEAVES.map(|leaf| (board.id.clone(), leaf)))
        .map(|(board, leaf)| {
            let topic = topic::board(&config.site.id, Audience::Public, &board, leaf);
            (topic, board, leaf)
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
            Some(ClientEvent::Up) => complete_at = Some(Instant::now() + quiet),
            Some(ClientEvent::SubscriptionsRefused { count, why }) => {
                tracing::warn!(
                    count,
                    "the broker refuses subscriptions of the broadcast: {why}"
                );
            }
            Some(ClientEvent::Pong(_)) => {}
            Some(ClientEvent::ConnectionLost { why, .. }) => {
                complete_at = None;
                tracing::info!("the broadcast has no connection to the broker: {why}");
            }
            Some(ClientEvent::Message(message)) => {
                if message.retained && complete_at.is_some() {
                    complete_at = Some(Instant::now() + quiet);
                }
                let Some((_, board, leaf)) =
                    boards.iter().find(|(topic, ..)| *topic == message.topic)
                else {
                    continue;
                };
                match Update::of_topic(board.clone(), *leaf, &message.payload) {
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
    use crate::config::{Configuration, Environment, editions};

    #[test]
    fn nothing_beside_the_journal_is_used_while_its_disk_is_not_mounted() {
        let folder = tempfile::tempdir().unwrap();
        let mount = folder.path().display().to_string();
        let text = format!("[journal]\ndir = \"{mount}/journal\"\nmount = \"{mount}\"\n");
        let nothing = Environment::default();
        let read = Configuration::parse(&text, "remisd.toml", &nothing, &editions()).unwrap();
        let place = |config: &Config| beside_journal(config, STATE, || Ok(()));
        let error = place(&read.config).path().unwrap_err().to_string();
        assert_eq!(
            error,
            format!("cannot use {mount}: no file system is mounted there")
        );
        // At the root, a file system is mounted on every system.
        let mut config = read.config;
        config.journal.mount = Some("/".into());
        assert_eq!(
            place(&config).path().unwrap(),
            &folder.path().join("journal").join(STATE)
        );
    }

    #[test]
    fn no_board_has_the_name_of_a_state() {
        for name in [STATE, ORDERS, SHOWN] {
            assert!(name.parse::<BoardId>().is_err());
        }
    }
}
