//! The course of the demo, from the first line to the last.

use std::{collections::BTreeMap, time::Duration};

use anyhow::Context as _;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    Arguments,
    account::{Account, News},
    stage::{ARBITER, NAMES, NODE, Stage},
    terminal::{Terminal, print},
    words::printable,
};
use crate::{
    cli::{Outcome, service::Ending},
    publish::mqtt::client::Asked,
    simulate::Progress,
};

/// A real game that ends by fivefold repetition.
const GAME: &str = include_str!("robson-moranda-2019.pgn");
/// After the last game, how long nothing may happen before all counts as shown.
const QUIET: Duration = Duration::from_secs(3);
/// The same when the last game has all its plies and a result.
const QUIET_COMPLETE: Duration = Duration::from_millis(500);
/// How often, and how soon again, the players' names are told.
const TRIES: usize = 10;
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// How long the daemon may take to end.
const FAREWELL: Duration = Duration::from_secs(6);

/// Runs the demo until it is interrupted or, without a terminal, its games are over.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    // Caught before anything is started, so that nothing is left behind.
    let ending = Ending::new()?;
    // A terminal that is closed is a way to end it, too.
    let hang_up = signal(SignalKind::hangup()).context("SIGHUP cannot be caught")?;
    let pgn = match &arguments.pgn {
        None => GAME.to_owned(),
        Some(file) => {
            let bytes = tokio::fs::read(file).await;
            let bytes = bytes.with_context(|| format!("cannot read {}", file.display()))?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    };
    let mut stage = Stage::start(&pgn, arguments.speed, arguments.mqtt, arguments.http).await?;
    let mut show = Show {
        terminal: Terminal::of_stdout(),
        account: Account::new(ARBITER, NODE),
        title: String::new(),
        tags: BTreeMap::new(),
        started: 0,
        named: 0,
        left_out: String::new(),
        plies: 0,
        finished: None,
        ending,
        hang_up,
    };
    let shown = show.go_on(&mut stage).await;
    stage.close();
    let closed = show.farewell(&mut stage).await;
    stage.clear().await;
    drop(show);
    shown.and(closed).map(|()| Outcome::Fine)
}

struct Show {
    terminal: Terminal,
    account: Account,
    /// Who plays, as the simulated hand says.
    title: String,
    /// The tags of the game that the hand plays.
    tags: BTreeMap<String, String>,
    /// How many games the hand has begun, and of how many the daemon has been told who plays.
    started: usize,
    named: usize,
    /// Which game was left out last.
    left_out: String,
    /// How many plies the game on the board will have.
    plies: usize,
    /// When the last game was over or something last happened after that.
    finished: Option<Instant>,
    ending: Ending,
    hang_up: Signal,
}

impl Show {
    /// Prints the topics and then what happens, until it is time to end.
    async fn go_on(&mut self, stage: &mut Stage) -> anyhow::Result<()> {
        print(&introduction(stage))?;
        loop {
            let end = self.end();
            tokio::select! {
                message = stage.watch.next() => {
                    let (topic, payload) = message?;
                    let news = self.account.take(&topic, &payload);
                    self.show(&news)?;
                    self.name_players(stage);
                }
                Some(progress) = stage.progress.recv() => {
                    self.progress(&progress)?;
                    self.name_players(stage);
                }
                ended = &mut stage.daemon => {
                    ended.context("the daemon has failed")??;
                    anyhow::bail!("the daemon has ended by itself");
                }
                () = self.ending.told() => return Ok(()),
                _ = self.hang_up.recv() => return Ok(()),
                () = sleep_until(end.unwrap_or_else(Instant::now)), if end.is_some() => {
                    return Ok(());
                }
            }
        }
    }

    /// Tells the daemon who plays, once it knows of the game that the hand has begun.
    fn name_players(&mut self, stage: &Stage) {
        if self.named == self.started || self.account.games != self.started {
            return;
        }
        self.named = self.started;
        let payload = serde_json::json!({
            "id": format!("names-{}", self.named),
            "by": "demo",
            "headers": self.tags,
        });
        let command = Asked {
            topic: NAMES.to_owned(),
            payload: payload.to_string().into(),
            response_topic: None,
            correlation: None,
        };
        let commands = stage.commands.clone();
        tokio::spawn(async move {
            // The line may not stand yet.
            for _ in 0..TRIES {
                if commands.ask(command.clone()).await.is_ok() {
                    return;
                }
                sleep(TRY_AGAIN).await;
            }
            tracing::warn!("the players' names could not be told");
        });
    }

    /// When everything counts as shown: never while somebody looks.
    fn end(&self) -> Option<Instant> {
        let since = self.finished.filter(|_| !self.terminal.is_live())?;
        let complete = self.account.ply() >= self.plies && self.account.result.is_some();
        Some(since + if complete { QUIET_COMPLETE } else { QUIET })
    }

    fn progress(&mut self, progress: &Progress) -> anyhow::Result<()> {
        let said = match progress {
            Progress::GameStarted {
                white,
                black,
                plies,
                tags,
                ..
            } => {
                self.tags.clone_from(tags);
                self.started += 1;
                self.title = format!("{white} – {black}");
                self.plies = *plies;
                format!("on the board: {}, {plies} plies", self.title)
            }
            Progress::GameSkipped { game, ply, reason } => {
                self.left_out = format!("Game {} of the file is left out. ", game + 1);
                format!(
                    "game {} of the file is left out: ply {ply}: {reason}",
                    game + 1
                )
            }
            Progress::GameOver { .. } | Progress::Ply { .. } => return Ok(()),
            Progress::Finished => {
                self.finished = Some(Instant::now());
                "the last game has been played".to_owned()
            }
        };
        if self.terminal.is_live() {
            self.show(&[])
        } else {
            Ok(print(&[said])?)
        }
    }

    fn show(&mut self, news: &[News]) -> anyhow::Result<()> {
        if self.finished.is_some() && !news.is_empty() {
            self.finished = Some(Instant::now());
        }
        let hint = match self.finished {
            Some(_) => "The last game has been played. Ctrl-C ends the demo.",
            None => "Ctrl-C ends the demo.",
        };
        let hint = format!("{}{hint}", self.left_out);
        self.terminal
            .show(&self.account, news, &printable(&self.title), &hint)?;
        Ok(())
    }

    /// Waits for the daemon's end and shows what it still has to say, if anybody looks.
    async fn farewell(&mut self, stage: &mut Stage) -> anyhow::Result<()> {
        let until = Instant::now() + FAREWELL;
        if stage.daemon.is_finished() {
            return Ok(()); // it has failed, and that is told
        }
        loop {
            tokio::select! {
                message = stage.watch.next() => {
                    let Ok((topic, payload)) = message else { continue };
                    let news = self.account.take(&topic, &payload);
                    self.show(&news).ok();
                }
                ended = &mut stage.daemon => {
                    ended.context("the daemon has failed")??;
                    break;
                }
                () = sleep_until(until) => {
                    tracing::warn!("the daemon does not end by itself; it is ended");
                    break;
                }
            }
        }
        // What it said last may still be on its way.
        let rest = async {
            while self.account.daemon.as_deref() != Some("offline") {
                let (topic, payload) = stage.watch.next().await?;
                let news = self.account.take(&topic, &payload);
                self.show(&news).ok();
            }
            anyhow::Ok(())
        };
        timeout(Duration::from_millis(200), rest)
            .await
            .unwrap_or(Ok(()))
    }
}

/// What is told first: where everything is, and how to listen.
fn introduction(stage: &Stage) -> Vec<String> {
    let address = stage.address();
    let (host, port) = (address.ip(), address.port());
    let listen = |audience: &str| {
        let topics = format!("'chess/v1/demo/{audience}/b1/#'");
        format!("  {audience:<9}mosquitto_sub -h {host} -p {port} -v -t {topics}")
    };
    let mut lines = vec![
        "remisd demo: all of this runs in one process, on this computer only.".to_owned(),
        format!("  pages    http://{}/  (no password)", stage.pages()),
        format!("  broker   mqtt://{address}  (no password, nothing on disk)"),
        format!("  board    {}  (DGT, simulated)", stage.device().display()),
        format!(
            "  journal  {}  (removed at the end)",
            stage.folder().display()
        ),
        String::new(),
        "Listen from another terminal, as:".to_owned(),
    ];
    lines.extend(["arbiter", "public", "hall"].map(listen));
    lines.push(format!(
        "  daemon   mosquitto_sub -h {host} -p {port} -v -t 'chess/v1/demo/node/#'"
    ));
    lines.push("  leaves   game draw clock result alerts link availability event".to_owned());
    lines.push(String::new());
    lines
}
