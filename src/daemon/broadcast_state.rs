//! Publishes how the broadcast and the phones are: `node/<node>/broadcast`.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use jiff::SignedDuration;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

use super::delay_board::Behind;
use crate::{
    config::Config,
    publish::{
        Publisher,
        payload::{
            DelayState, ExitState, LichessBoard, LichessGame, LichessOrder, LichessRound,
            LichessState, NodeBroadcast, PhoneState, ReplacedMoves,
        },
        topic,
    },
};
use remisd_broadcast::{
    ExitReport,
    lichess::{Order, OrderStore, PlacedOrder, Progress, Report, ShownGame, StoredOrders},
};
use remisd_vocabulary::{
    name::BoardId,
    time::{Clock, Moment, rfc3339},
};

/// The least time between two messages.
const PACE: Duration = Duration::from_secs(1);

/// What the message is made of.
pub(super) struct BroadcastState {
    pub(super) config: Config,
    pub(super) session: String,
    pub(super) report: watch::Receiver<Report>,
    pub(super) orders: OrderStore,
    pub(super) phones: watch::Receiver<Vec<PhoneState>>,
    pub(super) folder: watch::Receiver<ExitReport>,
    pub(super) upload: watch::Receiver<ExitReport>,
    pub(super) unkept: watch::Receiver<Option<String>>,
    pub(super) delays: watch::Receiver<BTreeMap<BoardId, Behind>>,
    pub(super) publisher: Publisher,
    pub(super) clock: Arc<dyn Clock>,
}

impl BroadcastState {
    /// Publishes every change, at most one a second.
    pub(super) async fn run(mut self) {
        let mut stored = self.orders.stored();
        loop {
            let next = Instant::now() + PACE;
            let state = self.state(&stored.borrow_and_update());
            self.publish(&state);
            tokio::select! {
                Ok(()) = self.report.changed() => {}
                Ok(()) = stored.changed() => {}
                Ok(()) = self.phones.changed() => {}
                Ok(()) = self.folder.changed() => {}
                Ok(()) = self.upload.changed() => {}
                Ok(()) = self.unkept.changed() => {}
                Ok(()) = self.delays.changed() => {}
                else => return,
            }
            sleep_until(next).await;
        }
    }

    fn publish(&self, state: &NodeBroadcast) {
        let (site, node) = (&self.config.site.id, &self.config.site.node);
        // Strings, numbers and lists only: they always serialise to JSON.
        let payload = Bytes::from(serde_json::to_vec(state).unwrap_or_default());
        let topic = topic::node_broadcast(site, node);
        if let Err(error) = self.publisher.retain(&topic, Some(payload)) {
            tracing::warn!("{error}");
        }
    }

    fn state(&mut self, stored: &StoredOrders) -> NodeBroadcast {
        let configured = self.config.broadcast.lichess.as_ref();
        let report = self.report.borrow_and_update();
        let lichess = configured.map(|configured| LichessState {
            creates: configured.tournament.is_some(),
            dry_run: configured.dry_run.is_some(),
            halted_until: report.halted_until.clone(),
            fault: stored.fault.clone().or_else(|| report.fault.clone()),
            rounds: rounds(&report),
            unassigned: report.unassigned,
            boards: boards(&report),
            orders: stored.orders.iter().map(order).collect(),
        });
        let broadcast = &self.config.broadcast;
        let folder = broadcast.folder.as_ref().map(|path| {
            let path = Some(path.display().to_string());
            exit(path, &self.folder.borrow_and_update())
        });
        let upload = broadcast.upload.as_ref();
        let upload = upload.map(|_| exit(None, &self.upload.borrow_and_update()));
        let (now, moment) = (self.clock.now(), self.clock.monotonic());
        let time = |due: Moment| {
            let left = SignedDuration::from_millis(
                i64::try_from((due - moment).as_millis()).unwrap_or(i64::MAX),
            );
            now.checked_add(left).ok().map(rfc3339)
        };
        let delays = self.delays.borrow_and_update();
        let delays: Vec<_> = (delays.iter())
            .map(|(board, behind)| {
                let state = DelayState {
                    plies: behind.plies,
                    next_at: behind.next.and_then(time),
                    all_at: behind.last.and_then(time),
                };
                (board.to_string(), state)
            })
            .collect();
        NodeBroadcast {
            schema: NodeBroadcast::SCHEMA.into(),
            site: self.config.site.id.to_string(),
            node: self.config.site.node.to_string(),
            session: self.session.clone(),
            time: rfc3339(self.clock.now()),
            unkept: self.unkept.borrow_and_update().clone(),
            folder,
            upload,
            delays: delays.into_iter().collect(),
            lichess,
            phones: self.phones.borrow_and_update().clone(),
        }
    }
}

fn exit(path: Option<String>, report: &ExitReport) -> ExitState {
    ExitState {
        path,
        written_at: report.at.clone(),
        error: report
            .error
            .as_ref()
            .map(|error| error.reason.as_str().to_owned()),
        cause: report.error.as_ref().map(|error| error.cause),
    }
}

fn rounds(report: &Report) -> Vec<LichessRound> {
    let rounds = report.all.iter().map(|round| LichessRound {
        round: round.round,
        id: round.id.clone(),
        closed: round.closed,
        behind: round.behind,
        taken_at: report.taken.get(&round.id).cloned(),
        error: report.rounds.get(&round.id).cloned(),
    });
    rounds.collect()
}

fn boards(report: &Report) -> BTreeMap<String, LichessBoard> {
    let boards = report.shown.iter().map(|(board, shown)| {
        let error = report.games.get(board).cloned();
        let mut games = Vec::new();
        for round in &report.all {
            let shown = shown.get(&round.id).into_iter().flatten();
            games.extend(shown.map(|shown| game(round.round, shown)));
        }
        (board.to_string(), LichessBoard { error, games })
    });
    boards.collect()
}

fn game(round: u32, shown: &ShownGame) -> LichessGame {
    let replaced = shown.replaced().map(|replaced| ReplacedMoves {
        from_ply: replaced.ply,
        moves: replaced.moves,
    });
    LichessGame {
        id: shown.id.clone(),
        round,
        plies: shown.plies(),
        taken_at: shown.at.clone(),
        left_over: shown.left_over,
        stale_tags: shown.stale_tags.iter().cloned().collect(),
        replaced: replaced.collect(),
        replaced_more: shown.left_out,
    }
}

fn order(placed: &PlacedOrder) -> LichessOrder {
    let verb = match &placed.order {
        Order::LichessReset { .. } => "lichess_reset",
        Order::LichessCreate { .. } => "lichess_create",
        Order::LichessClose { .. } => "lichess_close",
    };
    let state = match placed.progress {
        Progress::Waiting => "waiting",
        Progress::Sent => "sent",
        Progress::Done => "done",
        Progress::Failed => "failed",
        Progress::Unknown => "unknown",
    };
    LichessOrder {
        role: placed.role,
        id: placed.id.clone(),
        by: placed.by.clone(),
        verb: verb.into(),
        round: placed.order.round(),
        time: placed.at.clone(),
        state: state.into(),
        reason: placed.reason.clone(),
        made: placed.made.clone(),
    }
}
