//! Sets up a board: its game from the journal, its board actor and the reader of its port.

use std::sync::Arc;

use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

use super::{
    QUEUE, backlog,
    board_actor::{
        ActorParts, AwaitsFirstMove, BoardActor, ComparedBoard, FeedReader, Inbox, MoveSource,
        RefusalLimits, SecondAccount, ShownLine,
    },
    delay_board::DelayBoard,
    feeds::{Feeds, Reader},
    metrics::Metrics,
    record::{PublicReplay, Record, RecordOnDisk},
    solver::Solver,
    topics::{EntryTime, PublicDelay, TopicPublisher},
    watchdog::WatchedBoard,
};
use crate::{
    config::{self, BoardPort, BoardSource, Compare, Config, LiveChessMoves},
    publish::{
        Commands, Publisher,
        numbering::Seqs,
        topic::Audience,
        views::{BoardConnection, Views},
    },
};
use remisd_board::{self as board, BoardSettings, DgtTiming};
use remisd_broadcast::notify::SilentByBoard;
use remisd_feed::{Identity, livechess::LiveChessBoard};
use remisd_game::{Game, Rules};
use remisd_hand as hand;
use remisd_journal::{Journal, RawLog};
use remisd_vocabulary::{
    sensor::Orientation,
    tap::Tap,
    time::{Clock, Span, TimeScale},
};

/// What all boards of a daemon share.
pub(super) struct SharedParts<'a> {
    pub(super) config: &'a Config,
    pub(super) session: &'a str,
    pub(super) journal: &'a Journal,
    pub(super) raw: Option<&'a RawLog>,
    pub(super) clock: &'a Arc<dyn Clock>,
    pub(super) publisher: &'a Publisher,
    pub(super) solver: &'a Solver,
    pub(super) metrics: &'a Metrics,
    pub(super) places: &'a board::Places,
    pub(super) delays: &'a DelayBoard,
    pub(super) phones: &'a SilentByBoard,
    pub(super) cancel: &'a CancellationToken,
}

impl SharedParts<'_> {
    /// Starts a board's actor and the reader of its port.
    pub(super) async fn spawn_board(
        &self,
        board: &config::Board,
        commands: Commands,
        feeds: &mut Feeds,
        actors: &mut JoinSet<()>,
    ) -> anyhow::Result<WatchedBoard> {
        let config = self.config;
        let recorder = self.raw.map(|raw| raw.recorder(&board.id));
        let mut parts = self.restore_board(board).await?;
        parts.record.seal(recorder.clone());
        let masks = config.journal.names == config::Names::Mask;
        parts.record.mask_names(masks);
        parts.topics.clear_forbidden_topics();
        if let Some(prefix) = &config.mqtt.home_assistant {
            parts.topics.announce(prefix, &config.site.node);
        }
        let (events, board_events) = mpsc::channel(QUEUE);
        let known = parts.record.game().orientation();
        let mut compared = ComparedBoard::default();
        let mut reader = None;
        let moves = match &board.source {
            BoardSource::Port(port) => {
                let mut settings = board_settings(board, port, self.places, known);
                settings.tap = recorder.map(|recorder| recorder as Arc<dyn Tap>);
                let clock = self.clock.clone();
                reader = Some(board::spawn(settings, clock, events, self.cancel.clone()));
                MoveSource::Sensors
            }
            BoardSource::Feed(feed) => {
                let game = parts.record.game();
                let tags = game
                    .source()
                    .map_or(game.headers(), |report| &report.headers);
                let sightings = feeds.add(feed, Identity::of_tags(tags), Reader::Board);
                MoveSource::Feed(FeedReader::new(board.place(), sightings))
            }
            BoardSource::LiveChess(source) => {
                let (pairing, pairings) = watch::channel(None);
                let reconstruction = watch::Sender::default();
                if source.compared != LiveChessMoves::Off {
                    let account = SecondAccount::of_live_chess(reconstruction.subscribe());
                    compared.accounts.push(account);
                }
                let read = LiveChessBoard {
                    serial: source.serial.clone(),
                    orientation: board.orientation,
                    known_orientation: known,
                    events,
                    pairing,
                    reconstruction,
                    calls_setup: source.compared == LiveChessMoves::Setup,
                };
                compared.awaits_first_move = Some(AwaitsFirstMove {
                    serial: source.serial.clone(),
                    boards: feeds.add_live_chess(&source.url, read),
                });
                MoveSource::LiveChess(pairings)
            }
            BoardSource::Commands => MoveSource::Commands,
        };
        self.compare_board(board, &mut compared, feeds);
        let (requests, questions) = mpsc::channel(1);
        let watched = WatchedBoard {
            board: board.id.clone(),
            requests,
            blocked: parts.record.blocked(),
        };
        let inbox = Inbox {
            events: board_events,
            commands,
            questions,
            phones: self.phones.subscribe(),
        };
        let actor = BoardActor::new(parts, moves, compared);
        let cancel = self.cancel.clone();
        actors.spawn(async move {
            Box::pin(actor.run(inbox, cancel)).await;
            if let Some(reader) = reader {
                reader.await.ok();
            }
        });
        Ok(watched)
    }

    /// Gives a board the second account of its game, and its line to boards that are compared with
    /// it.
    fn compare_board(
        &self,
        board: &config::Board,
        compared: &mut ComparedBoard,
        feeds: &mut Feeds,
    ) {
        match &board.compare {
            Some(Compare::Feed(feed)) => {
                // By number, and not by the players of the record: the board's own game has those.
                let sightings = feeds.add(feed, Identity::default(), Reader::Account);
                let place = feed.location.to_string();
                let account = SecondAccount::of_feed(&place, sightings);
                compared.accounts.push(account);
            }
            Some(Compare::Board(other)) => {
                let line = feeds.line_of(other).subscribe();
                let account = SecondAccount::of_board(other.to_string(), line);
                compared.accounts.push(account);
            }
            None => {}
        }
        let mut others = self.config.boards.iter();
        let is_compared = |other: &config::Board| matches!(&other.compare, Some(Compare::Board(id)) if *id == board.id);
        if others.any(is_compared) {
            compared.shown_line = Some(ShownLine::new(feeds.line_of(&board.id)));
        }
    }

    /// Restores a board's game from the journal.
    async fn restore_board(&self, board: &config::Board) -> anyhow::Result<ActorParts> {
        let rules = Rules {
            regulations: self.config.laws.regulations.clone(),
            confirm: self.config.laws.confirm,
            escalate_ms: self.config.laws.escalate_ms,
            clock_mismatch_ms: self.config.laws.clock_mismatch_ms,
        };
        let delay = PublicDelay {
            time: Span::from_millis(self.config.audience.delay_ms),
            plies: self.config.audience.delay_plies,
        };
        let mut topics = TopicPublisher::new(
            self.config.site.id.clone(),
            board.id.clone(),
            self.session.to_owned(),
            Views::new(self.config.audience.clone()),
            self.publisher.clone(),
            delay,
            self.delays.clone(),
        );
        let shows_operators_all = topics.views().is_open(Audience::Operator);
        let line = BoardConnection::default();
        let at = self.clock.monotonic();
        let show = |game: &Game, time, age| {
            let moment = EntryTime {
                seqs: Seqs::of(game),
                time,
                at,
                age,
            };
            topics.replay(game, &line, &moment);
        };
        let mut record = Record::recover(
            self.config.site.id.clone(),
            board.id.clone(),
            self.session.to_owned(),
            self.journal.clone(),
            self.clock.clone(),
            rules.clone(),
            PublicReplay { delay, show },
        )
        .await?;
        record.show_operators_all(shows_operators_all);
        // Without a disk, the extent of the record is not known yet.
        if !record.is_offline() {
            let found = RecordOnDisk {
                before_first: record.recovered_after(),
                last: record.game().seq(),
            };
            backlog::register_board(self.publisher, record.reader().clone(), &board.id, found)
                .await;
        }
        let counted = record.game().numbers().operator;
        topics.output().set_operator_seq(counted);
        Ok(ActorParts {
            site: self.config.site.id.clone(),
            board: board.id.clone(),
            rules,
            hand: hand_settings(board),
            time_scale: TimeScale::new(board.hand.speed),
            record,
            topics,
            publisher: self.publisher.clone(),
            solver: self.solver.clone().of(board.id.clone()),
            clock: self.clock.clone(),
            settling: self.metrics.settling_of(&board.id),
            failed_commands: self.metrics.failed_commands.clone(),
            refusals: RefusalLimits::new(&self.config.limits),
        })
    }
}

/// How moves are recognised at a board.
pub(super) fn hand_settings(board: &config::Board) -> hand::Settings {
    hand::Settings {
        mismatch_after: Span::from_millis(board.hand.mismatch_ms),
        new_game_after: Span::from_millis(board.hand.new_game_ms),
        learn_clock: board.clock_white == board::ClockSide::Auto,
        promotion: board.hand.promotion,
        new_games: board.new_game == config::NewGame::Automatic,
        ..hand::Settings::default()
    }
}

fn board_settings(
    board: &config::Board,
    port: &BoardPort,
    places: &board::Places,
    known: Option<Orientation>,
) -> BoardSettings {
    BoardSettings {
        id: board.id.clone(),
        kind: port.kind,
        port: port.port.clone(),
        serial: port.serial.clone(),
        places: places.clone(),
        orientation: board.orientation,
        known_orientation: known,
        clock_white: board.clock_white,
        timing: DgtTiming {
            command_gap_ms: board.dgt.command_gap_ms,
            quiet_ms: board.dgt.quiet_ms,
            burst_ms: board.dgt.burst_ms,
            interval_ms: board.dgt.dump_every_ms,
            dump_ms: board.dgt.answer_ms,
            ..DgtTiming::default()
        },
        tap: None,
    }
}
