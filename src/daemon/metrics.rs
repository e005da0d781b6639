//! The daemon's metrics in the text format of Prometheus (`OpenMetrics` 1.0).

use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::Gauge,
        histogram::Histogram,
    },
    registry::{Registry, Unit},
};

use super::{
    board_actor::{SettlingTimes, settling_times},
    failed_commands::FailedCommands,
};
use crate::publish::payload::{BoardHealth, Health};
use remisd_journal::DiskTimes;
use remisd_vocabulary::name::BoardId;

/// The board that a metric is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OfBoard {
    board: String,
}

/// Messages of a board that were not understood, and why.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Dropped {
    board: String,
    reason: &'static str,
}

/// The metrics counted at their source; the rest comes from each health result.
#[derive(Debug, Clone)]
pub(super) struct Metrics {
    journal: DiskTimes,
    /// Commands that were not done.
    pub(super) failed_commands: FailedCommands,
    settling: Family<OfBoard, Histogram>,
}

impl Metrics {
    /// Creates the metrics with the times of this journal.
    pub(super) fn new(journal: DiskTimes) -> Self {
        Self {
            journal,
            failed_commands: FailedCommands::default(),
            settling: Family::new_with_constructor(settling_times),
        }
    }

    /// Returns the measurement of a board's settling times.
    pub(super) fn settling_of(&self, board: &BoardId) -> SettlingTimes {
        let of = OfBoard {
            board: board.to_string(),
        };
        SettlingTimes::counted_in(self.settling.get_or_create(&of).clone())
    }
}

/// Encodes all metrics as of the given health result.
pub(super) fn text(health: &Health, metrics: &Metrics) -> String {
    let mut all = Registry::with_prefix("remisd");
    daemon(&mut all, health);
    broker(&mut all, health);
    boards(&mut all, &health.boards);
    all.register_with_unit(
        "journal_write",
        "From the first byte of some entries to the disk's word that they are kept",
        Unit::Seconds,
        metrics.journal.write.clone(),
    );
    all.register_with_unit(
        "journal_fsync",
        "One call that makes sure of bytes: fdatasync or fsync of a file or a directory",
        Unit::Seconds,
        metrics.journal.sync.clone(),
    );
    all.register(
        "commands_not_done",
        "Commands that were refused, were too many, or could not be answered",
        metrics.failed_commands.family(),
    );
    all.register_with_unit(
        "board_settling",
        "From the last change on a move's own squares, or the press that settled it, to the settled move",
        Unit::Seconds,
        metrics.settling.clone(),
    );
    let mut text = String::new();
    // Writing to a string cannot fail.
    encode(&mut text, &all).ok();
    text
}

fn daemon(all: &mut Registry, health: &Health) {
    gauge(
        all,
        "up_ms",
        "Milliseconds since the daemon started",
        health.up_ms,
    );
    let alive = "Whether every part of the daemon answers";
    gauge(all, "alive", alive, u64::from(health.alive));
    let answers = "Whether the thread that writes the journal answers";
    gauge(
        all,
        "journal_answers",
        answers,
        u64::from(health.journal_answers),
    );
}

fn broker(all: &mut Registry, health: &Health) {
    let broker = &health.broker;
    gauge(
        all,
        "broker_up",
        "Whether the broker is connected",
        u64::from(broker.up),
    );
    let waiting = "Messages that are not sent or not acknowledged yet";
    gauge(all, "outbox_depth", waiting, broker.waiting);
    for (name, help, value) in [
        (
            "published",
            "Messages that the broker acknowledged, but for the arbiter's and answers",
            broker.published,
        ),
        (
            "refused",
            "Messages that were refused or too large",
            broker.refused,
        ),
        (
            "broker_reconnects",
            "Connections after the first",
            broker.reconnects,
        ),
        (
            "broker_taken_over",
            "Times that another client has taken the session over",
            broker.taken_over,
        ),
        (
            "commands_busy",
            "Commands that were answered busy: too many of a role, or waiting for the disk",
            broker.commands_busy,
        ),
        (
            "commands_dropped",
            "Commands that were not answered: there was no room, or too many were answered busy",
            broker.commands_dropped,
        ),
        (
            "replies_dropped",
            "Answers for which there was no room",
            broker.replies_dropped,
        ),
    ] {
        all.register(name, help, ConstCounter::new(value));
    }
}

fn gauge(all: &mut Registry, name: &str, help: &str, value: u64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(signed(value));
    all.register(name, help, gauge);
}

fn boards(all: &mut Registry, boards: &[BoardHealth]) {
    type Figure = (&'static str, &'static str, fn(&BoardHealth) -> u64);
    let metrics: [Figure; 6] = [
        (
            "board_answers",
            "Whether the part of the daemon that follows the board answers",
            |board| u64::from(board.answers),
        ),
        ("board_up", "Whether the board answers", |board| {
            u64::from(board.board_up)
        }),
        ("board_ply", "Plies of the game on the board", |board| {
            u64::from(board.ply)
        }),
        (
            "board_seq",
            "The number of the board's last entry",
            |board| board.seq.get(),
        ),
        (
            "board_not_recorded",
            "Entries that the disk does not have",
            |board| board.not_recorded,
        ),
        ("board_alerts", "Open alerts", |board| board.alerts),
    ];
    for (name, help, value) in metrics {
        let family = Family::<OfBoard, Gauge>::default();
        for board in boards {
            let of = OfBoard {
                board: board.board.clone(),
            };
            family.get_or_create(&of).set(signed(value(board)));
        }
        all.register(name, help, family);
    }
    let frames = Family::<OfBoard, Counter>::default();
    let reconnects = Family::<OfBoard, Counter>::default();
    let noise = Family::<OfBoard, Counter>::default();
    let dropped = Family::<Dropped, Counter>::default();
    for BoardHealth {
        board, counters, ..
    } in boards
    {
        let of = OfBoard {
            board: board.clone(),
        };
        frames.get_or_create(&of).inc_by(counters.frames);
        reconnects.get_or_create(&of).inc_by(counters.reconnects);
        noise.get_or_create(&of).inc_by(counters.noise_bytes);
        for (reason, count) in [
            ("unknown", counters.unknown_frames),
            ("bad", counters.bad_frames),
        ] {
            let why = Dropped {
                board: board.clone(),
                reason,
            };
            dropped.get_or_create(&why).inc_by(count);
        }
    }
    all.register(
        "board_frames",
        "Messages of the board that were understood",
        frames,
    );
    all.register(
        "board_reconnects",
        "Times that the board's port was opened again",
        reconnects,
    );
    all.register(
        "board_frames_dropped",
        "Messages of the board that were skipped or refused",
        dropped,
    );
    all.register("board_noise", "Bytes that belonged to no message", noise);
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_vocabulary::seq::AudienceSeq;
    use shakmaty::{Move, Role, Square};

    use crate::{daemon::failed_commands::Outcome, publish::payload::BrokerHealth};
    use remisd_game::{RefusalCode, Role as Side};
    use remisd_vocabulary::{
        reading::{Settled, SettledBy},
        sensor::{LinkCounters, Seen, Sensed},
        time::Moment,
    };

    #[test]
    fn every_figure_has_a_line_that_others_can_read() {
        let health = Health {
            schema: Health::SCHEMA.into(),
            site: "hall".to_owned(),
            node: "remisd".to_owned(),
            session: "s".to_owned(),
            time: "t".to_owned(),
            up_ms: 5,
            alive: true,
            journal_answers: false,
            namesakes: Vec::new(),
            broker: BrokerHealth {
                up: true,
                for_ms: 1,
                waiting: 2,
                published: 3,
                refused: 4,
                reconnects: 5,
                taken_over: 8,
                commands_busy: 9,
                commands_dropped: 6,
                replies_dropped: 7,
            },
            broadcast: std::collections::BTreeMap::new(),
            boards: vec![BoardHealth {
                answers: true,
                board_up: true,
                seq: AudienceSeq::new(9),
                ply: 41,
                counters: LinkCounters {
                    frames: 100,
                    noise_bytes: 3,
                    unknown_frames: 2,
                    bad_frames: 1,
                    reconnects: 8,
                },
                ..BoardHealth::silent(&"b1".parse().unwrap())
            }],
        };
        let metrics = Metrics::new(DiskTimes::default());
        metrics.journal.write.observe(0.05);
        metrics.journal.sync.observe(0.000_123);
        let stale = Outcome::Refused(RefusalCode::Stale);
        let board = "b1".parse().unwrap();
        metrics
            .failed_commands
            .note(&board, Some(Side::White), stale);
        let mut settling = metrics.settling_of(&"b1".parse().unwrap());
        settling.sense(
            &Sensed::Square(Square::E2, Seen::Empty),
            Moment::from_millis(100),
        );
        let m = Move::Normal {
            role: Role::Pawn,
            from: Square::E2,
            capture: None,
            to: Square::E4,
            promotion: None,
        };
        let by = SettledBy::StoodStill;
        settling.settled(&Settled { m, by }, Moment::from_millis(380));
        let text = text(&health, &metrics);
        for line in [
            "remisd_alive 1",
            "remisd_journal_answers 0",
            "remisd_broker_up 1",
            "remisd_outbox_depth 2",
            "remisd_published_total 3",
            "remisd_broker_reconnects_total 5",
            "remisd_broker_taken_over_total 8",
            "remisd_commands_busy_total 9",
            "remisd_commands_not_done_total{board=\"b1\",role=\"white\",reason=\"stale\"} 1",
            "remisd_board_ply{board=\"b1\"} 41",
            "remisd_board_seq{board=\"b1\"} 9",
            "remisd_board_frames_total{board=\"b1\"} 100",
            "remisd_board_noise_total{board=\"b1\"} 3",
            "remisd_board_frames_dropped_total{board=\"b1\",reason=\"bad\"} 1",
            "remisd_board_frames_dropped_total{board=\"b1\",reason=\"unknown\"} 2",
            "remisd_journal_write_seconds_count 1",
            "remisd_journal_fsync_seconds_sum 0.000123",
            "remisd_journal_fsync_seconds_bucket{le=\"0.0001\"} 0",
            "remisd_journal_fsync_seconds_bucket{le=\"0.00025\"} 1",
            "remisd_board_settling_seconds_sum{board=\"b1\"} 0.28",
            "remisd_board_settling_seconds_bucket{le=\"0.2\",board=\"b1\"} 0",
            "remisd_board_settling_seconds_bucket{le=\"0.3\",board=\"b1\"} 1",
            "remisd_journal_write_seconds_bucket{le=\"0.1\"} 1",
            "# EOF",
        ] {
            assert!(text.lines().any(|one| one == line), "{line}:\n{text}");
        }
    }
}
