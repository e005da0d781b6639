//! A board read by an actor, with test deadlines.

use std::{path::Path, sync::Arc, time::Duration};

use remisd::simulate::Options;
use remisd_board::{self as board, BoardSettings, DgtTiming};
use remisd_vocabulary::{
    sensor::{BoardEvent, Device, LinkReport, Placement, Sensed},
    time::SystemClock,
};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

pub const DEADLINE: Duration = Duration::from_mins(1);

pub const GAME: &str = "[White \"A\"]\n[TimeControl \"300\"]\n\n\
    1. e4 {[%clk 0:04:58]} d5 {[%clk 0:04:57]} 2. exd5 {[%clk 0:04:50]} c5 {[%clk 0:04:44]} \
    3. dxc6 {[%clk 0:04:40]} Qd5 {[%clk 0:04:33]} 4. cxb7 {[%clk 0:04:30]} Nf6 {[%clk 0:04:21]} \
    5. bxa8=Q {[%clk 0:04:20]} e5 {[%clk 0:04:11]} 6. Nf3 {[%clk 0:04:10]} Be7 {[%clk 0:04:01]} \
    7. Be2 {[%clk 0:04:00]} O-O {[%clk 0:03:51]} 8. O-O {[%clk 0:03:50]} 1-0\n\n";

/// A board read by an actor, with its events.
pub struct Bench {
    pub events: mpsc::Receiver<BoardEvent>,
    pub cancel: CancellationToken,
    pub actor: tokio::task::JoinHandle<()>,
}

impl Bench {
    pub fn read(port: &Path, adjust: impl FnOnce(&mut BoardSettings)) -> Self {
        let (events, receiver) = mpsc::channel(64);
        let cancel = CancellationToken::new();
        let mut settings = BoardSettings::new("b1".parse().unwrap(), port.to_str().unwrap());
        settings.timing = quick();
        adjust(&mut settings);
        let clock = Arc::new(SystemClock::new());
        Self {
            events: receiver,
            actor: board::spawn(settings, clock, events, cancel.clone()),
            cancel,
        }
    }

    /// Waits for the first event for which `wanted` returns a value.
    pub async fn wait<T>(&mut self, what: &str, mut wanted: impl FnMut(&Sensed) -> Option<T>) -> T {
        let search = async {
            loop {
                let event = self.events.recv().await.expect("the actor lives");
                if let Some(found) = wanted(&event.sensed) {
                    return found;
                }
            }
        };
        timeout(DEADLINE, search)
            .await
            .unwrap_or_else(|_| panic!("no {what} came"))
    }

    pub async fn up(&mut self) -> Device {
        self.wait("board", |sensed| match sensed {
            Sensed::Link(LinkReport::Up(device)) => Some(device.clone()),
            _ => None,
        })
        .await
    }

    pub async fn down(&mut self) -> String {
        self.wait("loss", |sensed| match sensed {
            Sensed::Link(LinkReport::Down { reason, .. }) => Some(reason.clone()),
            _ => None,
        })
        .await
    }

    pub async fn placement(&mut self, wanted: &Placement) {
        self.wait("placement", |sensed| {
            matches!(sensed, Sensed::Placement(seen) if seen == wanted).then_some(())
        })
        .await;
    }
}

/// At most a tenth of the usual time limits.
pub fn quick() -> DgtTiming {
    DgtTiming {
        command_gap_ms: 5,
        question_ms: 200,
        dump_ms: 400,
        quiet_ms: 15,
        burst_ms: 100,
        interval_ms: 200,
        reopen_min_ms: 20,
        reopen_max_ms: 100,
        counters_ms: 50,
        ..DgtTiming::default()
    }
}

pub fn fast(speed: f64) -> Options {
    Options {
        speed,
        ..Options::default()
    }
}
