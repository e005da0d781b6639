//! PGN files pushed to a web server by HTTP PUT, in the layout of the folder.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::http::{Method, Request, header};
use bytes::Bytes;
use remisd_vocabulary::{retry::Backoff, time::Clock};
use tokio::{sync::watch, time::sleep};

use crate::{
    ExitReport,
    folder::{DialectChoice, file_name},
    http::Published,
    transport::Transport,
};

/// The first and the longest wait after an error.
const WAITS: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(10));

/// Where files are pushed to.
#[derive(Debug, Clone)]
pub struct Upload {
    /// The address of the folder, without a slash at its end.
    pub url: String,
    /// The value of the header `Authorization`, if the server wants one. It is never logged.
    pub authorization: Option<crate::lichess::Token>,
    /// The dialect of the files.
    pub dialect: DialectChoice,
}

impl Upload {
    /// Pushes every file that changes, one request at a time, until the sender of `rounds` is gone.
    pub async fn run(
        self,
        transport: impl Transport,
        mut rounds: watch::Receiver<Published>,
        report: watch::Sender<ExitReport>,
        clock: Arc<dyn Clock>,
    ) {
        let mut sent: HashMap<String, Arc<str>> = HashMap::new();
        let mut backoff = Backoff::new(WAITS.0, WAITS.1, 3);
        let mut reported = false;
        loop {
            let texts = rounds.borrow_and_update().clone();
            match self.send_changed(&transport, &texts, &mut sent).await {
                Ok(()) => {
                    backoff.reset();
                    reported = false;
                    if !texts.is_empty() {
                        ExitReport::note(&report, &*clock, None);
                    }
                    if rounds.changed().await.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    ExitReport::note(&report, &*clock, Some(error.clone()));
                    if !reported {
                        tracing::warn!("a PGN file cannot be uploaded: {error}");
                        reported = true;
                    }
                    sleep(backoff.wait()).await;
                    if rounds.has_changed().is_err() {
                        return;
                    }
                }
            }
        }
    }

    async fn send_changed(
        &self,
        transport: &impl Transport,
        texts: &Published,
        sent: &mut HashMap<String, Arc<str>>,
    ) -> Result<(), String> {
        for (number, round) in &**texts {
            let games = round.games.iter().map(|game| {
                let name = format!("round-{number}/{}", file_name(game.number));
                (name, self.dialect.of(&game.texts).clone())
            });
            let all = round.joined(|texts| self.dialect.of(texts));
            let all = (format!("round-{number}/games.pgn"), Arc::from(all));
            for (name, text) in games.chain([all]) {
                if sent.get(&name) != Some(&text) {
                    self.put(transport, &name, &text).await?;
                    sent.insert(name, text);
                }
            }
        }
        Ok(())
    }

    async fn put(&self, transport: &impl Transport, name: &str, text: &str) -> Result<(), String> {
        let mut request = Request::builder()
            .method(Method::PUT)
            .uri(format!("{}/{name}", self.url))
            .header(header::CONTENT_TYPE, "application/vnd.chess-pgn");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization.reveal());
        }
        let body = Bytes::copy_from_slice(text.as_bytes());
        let request = request.body(body).map_err(|error| error.to_string())?;
        let answer = transport
            .send(request)
            .await
            .map_err(|error| error.to_string())?;
        if answer.status().is_success() {
            Ok(())
        } else {
            Err(format!("{name}: the server answers {}", answer.status()))
        }
    }
}
