//! Programs that were written for `LiveChess`, with the daemon in its place. They are the Python
//! package `livechess`, a client that does what lichess.org's page does, and one that reads the
//! squares alone.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod pages;
mod reconstruction;
mod second;
mod watcher;

use std::time::Duration;

use remisd::simulate::{Options, score};
use remisd_testkit::{
    by_hand::ByHand,
    mosquitto::Mosquitto,
    port::free_port,
    remisd::{Home, Remisd},
    table::SimulatedTable,
    witness::Witness,
};
use serde_json::Value;
use shakmaty::Square;

use self::{
    pages::{Page, SquaresAlone},
    watcher::Watcher,
};

/// A game with a castling, checks and a mate, which ends it without anybody's word.
const GAME: &str = "[Event \"Opera\"]\n[Round \"1\"]\n[White \"Morphy, Paul\"]\n\
    [Black \"Duke of Brunswick\"]\n[TimeControl \"5400\"]\n\n\
    1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 \
    b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. \
    Qb8+ Nxb8 17. Rd8# 1-0\n";

/// Its first position, as the page writes it.
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w QKqk - 0 1";

/// How much faster than people the simulated world is. Squares are published ten times a second of
/// real time.
const SPEED: u32 = 4;

struct Stage {
    // Dropped before the folder that it writes to.
    daemon: Remisd,
    home: Home,
    witness: Witness,
    broker: Mosquitto,
    port: u16,
}

impl Stage {
    /// A daemon with a board `b1` and the API, whose hands are `speed` times as fast as people's.
    async fn set(speed: u32) -> Self {
        let broker = Mosquitto::start().await;
        let port = free_port();
        let sections = format!(
            "[audience]\nprofile = \"casual\"\n\
             [livechess]\nenabled = true\nlisten = \"127.0.0.1:{port}\"\n"
        );
        let tuning = format!(
            "orientation = \"normal\"\n[board.hand]\nspeed = {speed}\n\
             new_game_ms = 1200\nmismatch_ms = 4000\n[board.dgt]\ncommand_gap_ms = 5\n\
             quiet_ms = 15\nburst_ms = 75\ndump_every_ms = 250\n"
        );
        let home = Home::new(&broker.url(), &sections, &["b1"], &tuning);
        let witness = Witness::watch(broker.address(), &["chess/v1/+/#"]).await;
        let daemon = home.start();
        Self {
            daemon,
            home,
            witness: witness.checking(),
            broker,
            port,
        }
    }

    /// Kills the daemon and starts it again.
    async fn restart(&mut self) {
        self.daemon.restart(&self.home).await;
    }

    /// Waits for a value of a topic of `b1` for operators.
    async fn operator<T>(&self, leaf: &str, find: impl FnMut(&Value) -> Option<T>) -> T {
        let topic = format!("chess/v1/hall/operator/b1/{leaf}");
        self.witness.retained(&topic, find).await
    }

    async fn sees_the_board(&self) {
        self.operator("squares", |squares| {
            squares["placement"].is_string().then_some(())
        })
        .await;
    }

    async fn has_moves(&self, count: usize) {
        let enough = |game: &Value| (game["moves"].as_array()?.len() == count).then_some(());
        self.operator("game", enough).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_is_found_by_pages_and_raises_no_event() {
    let watcher = Watcher::prepare().await;
    let stage = Stage::set(SPEED).await;
    let options = Options {
        speed: f64::from(SPEED),
        longest_thought: Duration::from_secs(3),
        ..Options::default()
    };
    let port = stage.home.port("b1");
    let played = score::read(GAME).unwrap().remove(0).unwrap();
    let sans: Vec<String> = played.plies.into_iter().map(|ply| ply.san).collect();
    let mut table = SimulatedTable::start(&port, GAME, options);
    stage.sees_the_board().await;
    let mut page = Page::open(stage.port, START).await;
    let mut squares = SquaresAlone::open(stage.port).await;
    let mut watcher = watcher.watch(stage.port);
    let count = sans.len();
    let (found, seen, ()) = tokio::join!(page.moves(count), squares.moves(count), async {
        loop {
            let events = watcher.events().await;
            assert!(events.is_empty(), "{events:?}");
            let over = |game: &Value| Some(game["result"].is_object());
            if stage.operator("game", over).await {
                return;
            }
        }
    });
    assert_eq!(found, sans);
    assert_eq!(seen, sans);
    stage.has_moves(count).await;
    table.finished().await;
    assert!(watcher.events().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fault_raises_its_event() {
    let watcher = Watcher::prepare().await;
    let stage = Stage::set(20).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees_the_board().await;
    let mut watcher = watcher.watch(stage.port);
    watcher.until("nothing", <[String]>::is_empty).await;
    board.play("e2e4").await;
    board.play("e7e5").await;
    stage.has_moves(2).await;
    let had = |event: &'static str| move |events: &[String]| events.iter().any(|one| one == event);
    // No one has pressed the clock of this board: it is stopped.
    watcher.until("a stopped clock", had("clock_paused")).await;
    let events = watcher.events().await;
    assert_eq!(events, ["clock_paused"]);

    // Four pieces that went where none may go.
    let astray = [
        (Square::A1, Square::A4),
        (Square::H1, Square::H4),
        (Square::A8, Square::A5),
        (Square::H8, Square::H5),
    ];
    for (from, to) in astray {
        board.carry(from, to).await;
    }
    let wrong = "error_reconstructing_game";
    watcher.until("a wrong board", had(wrong)).await;
    for (from, to) in astray {
        board.carry(to, from).await;
    }
    let right = |events: &[String]| !events.iter().any(|event| event == wrong);
    watcher.until("a board that is right again", right).await;

    let cable = board.cable();
    cable.unplug();
    watcher.until("a lost board", had("board_missing")).await;
    board.play("g1f3").await;
    cable.plug_in();
    watcher.until("an unseen move", had("long_move_bug")).await;
    let there = |events: &[String]| !events.iter().any(|event| event == "board_missing");
    watcher.until("a board that is back", there).await;
}
