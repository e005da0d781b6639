//! Asks a server of pages whether its parts make progress, for the watchdog of its service.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::sites::Sites;

/// A question to the server, answered between two connections.
pub(super) type ServerQuestion = oneshot::Sender<()>;

/// Asks the server and the broker connections of all sites.
#[derive(Debug)]
pub struct HealthProbe {
    pub(super) server: mpsc::Sender<ServerQuestion>,
    pub(super) sites: Sites,
}

/// The health of a server of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerHealth {
    /// Whether the server accepts connections.
    pub server_answers: bool,
    /// The users whose broker connections make no progress. A broker that is away is no reason.
    pub silent: Vec<String>,
    /// The number of sites.
    pub sites: usize,
    /// For how many sites the broker is connected.
    pub connected: usize,
}

impl ServerHealth {
    /// Whether every part makes progress.
    #[must_use]
    pub const fn is_alive(&self) -> bool {
        self.server_answers && self.silent.is_empty()
    }
}

impl HealthProbe {
    /// Asks every part, and waits for an answer for so long at most.
    pub async fn look(&self, within: Duration) -> ServerHealth {
        let upstreams: Vec<_> = self.sites.all().flat_map(|hall| hall.upstreams()).collect();
        let asked = upstreams.into_iter().map(async |upstream| {
            let progresses = upstream.makes_progress(within).await;
            (!progresses).then(|| upstream.who().to_owned())
        });
        let (server_answers, silent) = tokio::join!(self.server_answers(within), join_all(asked));
        let connected = self.sites.all().filter(|hall| hall.public.is_up()).count();
        ServerHealth {
            server_answers,
            silent: silent.into_iter().flatten().collect(),
            sites: self.sites.all().count(),
            connected,
        }
    }

    async fn server_answers(&self, within: Duration) -> bool {
        let (question, answer) = oneshot::channel();
        let asked = self.server.try_send(question).is_ok();
        asked && matches!(timeout(within, answer).await, Ok(Ok(())))
    }
}
