//! The demo from start to finish.

use std::{num::NonZeroUsize, time::Duration};

use anyhow::Context as _;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{Instant, sleep_until, timeout},
};

use super::{
    Arguments,
    board::DemoBoard,
    stage::{Program, Stage, id},
};
use crate::{
    cli::{
        Outcome,
        screen::{self, News, Row, Style, Terminal, print},
        service::Ending,
    },
    simulate::score,
};

/// Real games. The first one ends by fivefold repetition.
const GAMES: &str = concat!(
    include_str!("robson-moranda-2019.pgn"),
    "\n",
    include_str!("more-games.pgn")
);
/// Time limit for the daemon to stop.
const FAREWELL: Duration = Duration::from_secs(6);

/// Runs the demo until it is interrupted or, without a terminal, its games are over.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    // Install the signal handlers before anything starts, so that every folder is removed.
    let ending = Ending::new()?;
    // Closing the terminal ends the demo as well.
    let hang_up = signal(SignalKind::hangup()).context("SIGHUP cannot be caught")?;
    let program = program(&arguments).await?;
    let mut stage = Stage::start(&program, arguments.mqtt, arguments.http).await?;
    let mut show = Show {
        terminal: Terminal::of_stdout(),
        boards: (0..program.deal.len()).map(DemoBoard::new).collect(),
        pages: format!("http://{}/", stage.pages()),
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

/// The games to play, and how.
async fn program(arguments: &Arguments) -> anyhow::Result<Program> {
    let pgn = match &arguments.pgn {
        None => GAMES.as_bytes().to_vec(),
        Some(file) => {
            let bytes = tokio::fs::read(file).await;
            bytes.with_context(|| format!("cannot read {}", file.display()))?
        }
    };
    let found = score::read(&pgn)?.len();
    let boards = usize::from(arguments.boards);
    let deal = match arguments.game.map(NonZeroUsize::get) {
        Some(number) if number > found => anyhow::bail!("--game {number}: there are {found} games"),
        Some(number) => vec![vec![number - 1]; boards],
        None if arguments.pgn.is_none() => (0..boards).map(|board| vec![board % found]).collect(),
        None => deal(found, boards),
    };
    Ok(Program {
        pgn,
        deal,
        repeat: arguments.repeat,
        speed: arguments.speed,
        wait: Duration::from_secs(arguments.wait),
    })
}

/// Deals the games out in turn; with fewer games than boards, several boards play the same game.
fn deal(games: usize, boards: usize) -> Vec<Vec<usize>> {
    let of_board = |board: usize| match (board..games).step_by(boards).collect::<Vec<_>>() {
        none if none.is_empty() => vec![board % games],
        games => games,
    };
    (0..boards).map(of_board).collect()
}

/// The running demo, as the terminal shows it.
struct Show {
    terminal: Terminal,
    boards: Vec<DemoBoard>,
    /// The address of the pages.
    pages: String,
    ending: Ending,
    hang_up: Signal,
}

impl Show {
    /// Prints the topics and then the events, until it is time to end.
    async fn go_on(&mut self, stage: &mut Stage) -> anyhow::Result<()> {
        print(&introduction(stage))?;
        loop {
            let end = self.end();
            tokio::select! {
                message = stage.watch.next() => {
                    let (topic, payload) = message?;
                    self.take(&topic, &payload)?;
                    self.name_players(stage).await;
                }
                Some((board, progress)) = stage.progress.recv() => {
                    let line = self.boards[board].progress(&progress);
                    let line = line.map(|line| self.labelled(board, &line));
                    self.show(&line.into_iter().collect::<Vec<_>>())?;
                    self.name_players(stage).await;
                }
                ended = &mut stage.daemon => {
                    ended.context("the daemon has failed")??;
                    anyhow::bail!("the daemon has ended by itself");
                }
                () = self.ending.signalled() => return Ok(()),
                _ = self.hang_up.recv() => return Ok(()),
                () = sleep_until(end.unwrap_or_else(Instant::now)), if end.is_some() => {
                    return Ok(());
                }
            }
        }
    }

    async fn name_players(&mut self, stage: &Stage) {
        for board in &mut self.boards {
            board.begin_from_position(stage).await;
            board.name_players(stage);
        }
    }

    /// When everything counts as shown; never on a live terminal.
    fn end(&self) -> Option<Instant> {
        if self.terminal.is_live() {
            return None;
        }
        let ends: Option<Vec<Instant>> = self.boards.iter().map(DemoBoard::end).collect();
        ends?.into_iter().max()
    }

    /// Prefixes a line with its board if there are several.
    fn labelled(&self, board: usize, line: &str) -> String {
        match self.boards.len() {
            1 => line.to_owned(),
            _ => format!("{:<4}{line}", self.boards[board].id),
        }
    }

    /// Applies a message and shows what changed.
    fn take(&mut self, topic: &str, payload: &[u8]) -> std::io::Result<()> {
        let mut lines = Vec::new();
        for board in 0..self.boards.len() {
            for news in self.boards[board].take(topic, payload) {
                match news {
                    // All boards share one daemon.
                    News::Daemon(_) if board > 0 => {}
                    News::Daemon(_) => lines.extend(screen::lines(&news)),
                    _ => {
                        let described = screen::lines(&news);
                        lines.extend(described.iter().map(|line| self.labelled(board, line)));
                    }
                }
            }
        }
        self.show(&lines)
    }

    fn show(&mut self, lines: &[String]) -> std::io::Result<()> {
        let Self {
            terminal,
            boards,
            pages,
            ..
        } = self;
        terminal.show(lines, |style| picture(boards, pages, style))
    }

    /// Waits for the daemon to stop and shows its last messages.
    async fn farewell(&mut self, stage: &mut Stage) -> anyhow::Result<()> {
        let until = Instant::now() + FAREWELL;
        if stage.daemon.is_finished() {
            return Ok(()); // it failed, which is reported elsewhere
        }
        loop {
            tokio::select! {
                message = stage.watch.next() => {
                    let Ok((topic, payload)) = message else { continue };
                    self.take(&topic, &payload).ok();
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
        // The daemon's last messages may still be on their way.
        let rest = async {
            while self.boards[0].account.daemon.as_deref() != Some("offline") {
                let (topic, payload) = stage.watch.next().await?;
                self.take(&topic, &payload).ok();
            }
            anyhow::Ok(())
        };
        timeout(Duration::from_millis(200), rest)
            .await
            .unwrap_or(Ok(()))
    }
}

/// The display on a terminal: everything about a single board, or an overview of several. The last
/// line has the pages' address.
fn picture<'a>(boards: &'a [DemoBoard], pages: &str, style: Style) -> Vec<String> {
    let over = boards.iter().all(|board| board.finished.is_some());
    let over = if over {
        "The last game has been played. "
    } else {
        ""
    };
    let left_out = boards.iter().rfind(|board| !board.left_out.is_empty());
    let left_out = left_out.map_or("", |board| &board.left_out);
    // A line that is too long is cut at its end, so the address comes first.
    let hint = format!("Pages: {pages}  Press Ctrl-C to quit. {over}{left_out}");
    if let [board] = boards {
        return screen::picture(&board.account, &board.title, "", &hint, style);
    }
    let row = |board: &'a DemoBoard| Row {
        id: &board.id,
        title: &board.title,
        warning: "",
        account: &board.account,
    };
    let rows: Vec<Row<'_>> = boards.iter().map(row).collect();
    screen::overview(&rows, &hint, style)
}

/// The introduction: how to subscribe, and at the end where the pages are.
fn introduction(stage: &Stage) -> Vec<String> {
    let address = stage.address();
    let (host, port) = (address.ip(), address.port());
    let boards = stage.devices().count();
    let level = if boards == 1 { "b1" } else { "+" };
    let listen = |audience: &str| {
        let topics = format!("'chess/v1/demo/{audience}/{level}/#'");
        format!("  {audience:<9}mosquitto_sub -h {host} -p {port} -v -t {topics}")
    };
    let mut lines = vec![
        "remisd demo: all of this runs in one process, on this computer only.".to_owned(),
        format!("  broker   mqtt://{address}  (no password, nothing on disk)"),
    ];
    lines.extend(stage.devices().enumerate().map(|(board, device)| {
        format!("  {:<9}{}  (DGT, simulated)", id(board), device.display())
    }));
    lines.push(format!(
        "  journal  {}  (removed at the end)",
        stage.folder().display()
    ));
    lines.push(String::new());
    lines.push("Listen from another terminal as:".to_owned());
    lines.extend(["arbiter", "public", "hall"].map(listen));
    lines.push(format!(
        "  daemon   mosquitto_sub -h {host} -p {port} -v -t 'chess/v1/demo/node/#'"
    ));
    lines.push("  leaves   game draw clock result alerts link availability event".to_owned());
    lines.push(String::new());
    lines.push("Open the pages; they ask for no password:".to_owned());
    lines.push(format!("  pages    http://{}/", stage.pages()));
    lines.push(String::new());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_dealt_out_to_the_boards_in_turn() {
        assert_eq!(deal(5, 2), [vec![0, 2, 4], vec![1, 3]]);
        assert_eq!(deal(3, 1), [vec![0, 1, 2]]);
        assert_eq!(deal(2, 4), [vec![0], vec![1], vec![0], vec![1]]);
    }

    #[test]
    fn the_games_of_the_demo_can_all_be_played() {
        let games = score::read(GAMES).unwrap();
        assert_eq!(games.len(), 4);
        assert!(games.iter().all(Result::is_ok));
        assert_eq!(games[0].as_ref().unwrap().first_claim(), Some(76));
    }

    #[test]
    fn the_address_of_the_pages_is_the_last_thing_on_the_screen() {
        for count in [1, 4, 16] {
            let boards: Vec<DemoBoard> = (0..count).map(DemoBoard::new).collect();
            let style = Style {
                colour: false,
                columns: 80,
            };
            let lines = picture(&boards, "http://127.0.0.1:65535/", style);
            assert!(
                lines.last().unwrap().contains("http://127.0.0.1:65535/ "),
                "{lines:#?}"
            );
        }
    }
}
