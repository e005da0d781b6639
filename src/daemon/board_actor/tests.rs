mod answers;
mod flood;
mod hands;
mod merge;
mod twins;

use shakmaty::{Board, CastlingMode, Chess, Color, Square, fen::Fen};

use super::{
    super::{delay_board::DelayBoard, record::PublicReplay, solver::Solver, topics::PublicDelay},
    *,
};
use crate::daemon::journal_queue::tests::Quick;
use crate::{
    config::{Limits, Profile},
    publish::{
        CommandMessage,
        topic::{self, Audience as Outside, Leaf},
        views::{BoardSnapshot, Views},
    },
};
use remisd_broadcast::notify::SilentByBoard;
use remisd_dead::Verdict;
use remisd_game::{AlertCode, Confirm, Game, Role, Tracking};
use remisd_journal::{DaemonSession, Journal, JournalLocation, disk::Disk};
use remisd_laws::{self as laws, AutomaticKind, Edition, Rate, Regulations};
use remisd_vocabulary::{
    reading::MismatchReason,
    sensor::{Device, Placement, Seen},
    time::{ManualClock, TimeScale},
};

/// The usual limits.
const LIMITS: Limits = Limits {
    arbiter: 20,
    operator: 10,
    player: 5,
    clock: 10,
    burst_s: 4,
};

fn competition() -> Views {
    Views::under(Profile::Competition)
}

/// A board actor with a manual clock, and a board that shows what the test sets.
struct Seat {
    clock: Arc<ManualClock>,
    actor: BoardActor,
    answer: mpsc::Sender<SolverAnswer>,
    answers: mpsc::Receiver<SolverAnswer>,
    journal: Journal,
    writer: std::thread::JoinHandle<()>,
    _directory: Option<tempfile::TempDir>,
}

/// The queues of an actor, and the sender of requests for its health. No phone is silent.
fn inbox(
    events: mpsc::Receiver<BoardEvent>,
    commands: Commands,
) -> (mpsc::Sender<HealthRequest>, Inbox) {
    let (requests, questions) = mpsc::channel(1);
    let phones = SilentByBoard::default().subscribe();
    let inbox = Inbox {
        events,
        commands,
        questions,
        phones,
    };
    (requests, inbox)
}

impl Seat {
    async fn under(edition: &'static Edition) -> Self {
        Self::on(edition, remisd_journal::disk::System).await
    }

    async fn on(edition: &'static Edition, disk: impl Disk + 'static) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = JournalLocation::from(directory.path());
        Self::at(edition, place, disk, Some(directory)).await
    }

    /// Creates a seat whose journal is at `place`, now or later.
    async fn at(
        edition: &'static Edition,
        place: JournalLocation,
        disk: impl Disk + 'static,
        directory: Option<tempfile::TempDir>,
    ) -> Self {
        let manual = Arc::new(ManualClock::default());
        let clock: Arc<dyn Clock> = manual.clone();
        let (site, board): (SiteId, BoardId) = ("hall".parse().unwrap(), "b1".parse().unwrap());
        let session = DaemonSession::begin().unwrap();
        let disk = Box::new(disk);
        let (journal, writer, _) =
            Journal::open_at_on(place, session, clock.clone(), disk).unwrap();
        let rules = Rules {
            regulations: Regulations::new(edition, Rate::Standard),
            confirm: Confirm::Arbiter,
            ..Rules::default()
        };
        let named = "session".to_owned();
        let record = Record::recover(
            site.clone(),
            board.clone(),
            named.clone(),
            journal.clone(),
            clock.clone(),
            rules.clone(),
            PublicReplay {
                delay: PublicDelay::default(),
                show: |_: &Game, _, _| {},
            },
        )
        .await
        .unwrap();
        let views = competition();
        let publisher = Publisher::detached(&site);
        let shown = publisher.clone();
        let (answer, answers) = mpsc::channel(16);
        let parts = ActorParts {
            topics: TopicPublisher::new(
                site.clone(),
                board.clone(),
                named,
                views,
                shown,
                PublicDelay::default(),
                DelayBoard::default(),
            ),
            hand: remisd_vocabulary::reading::Settings::default(),
            time_scale: TimeScale::HUMAN,
            site,
            board,
            rules,
            record,
            publisher,
            solver: Solver::start().unwrap().of("b1".parse().unwrap()),
            clock,
            settling: SettlingTimes::default(),
            failed_commands: FailedCommands::default(),
            refusals: RefusalLimits::new(&LIMITS),
        };
        let mut seat = Self {
            clock: manual,
            actor: BoardActor::new(parts, MoveSource::Sensors, ComparedBoard::default()),
            answer,
            answers,
            journal,
            writer,
            _directory: directory,
        };
        seat.actor.begin(false, &seat.answer).await;
        let up = LinkReport::Up(Device::default());
        seat.senses(Sensed::Link(up)).await;
        seat
    }

    async fn senses(&mut self, sensed: Sensed) {
        let at = self.clock.monotonic();
        let event = BoardEvent { at, sensed };
        self.actor.event(event, &self.answer).await;
        self.rest().await;
    }

    /// Waits until everything is on the disk or the disk is known to refuse it.
    async fn rest(&mut self) {
        self.actor.record_journal_state().await;
        let waits = |record: &Record| record.waiting() > 0 && !record.is_closed();
        while waits(&self.actor.record) && !self.actor.record.is_down() {
            self.actor.record.changed().await;
            self.actor.record_journal_state().await;
        }
    }

    /// Shows this on the board for ten seconds.
    async fn shows(&mut self, board: &Board) {
        self.senses(Sensed::Placement(Placement::from(board))).await;
        for _ in 0..100 {
            self.clock.advance(100);
            let now = self.clock.monotonic();
            self.actor.tracker.tick(now);
            self.actor.read_hand(&self.answer).await;
        }
        self.rest().await;
    }

    async fn clock_shows(&mut self, white_ms: u64, running: Option<Color>) {
        let reading = ClockReading {
            white_ms,
            black_ms: 300_000,
            running,
            lever: Some(Color::White),
            flag: None,
            low_battery: false,
        };
        self.senses(Sensed::Clock(reading)).await;
    }

    /// Sends a command and returns whether it was obeyed.
    async fn asks(&mut self, role: Role, verb: &str, arguments: &str) -> bool {
        let id = format!("{verb}-{}", self.game().seq());
        let message = CommandMessage {
            topic: format!("chess/v1/hall/cmd/{}/b1/{verb}", role.as_str()),
            payload: format!("{{\"id\":\"{id}\",{arguments}}}").into(),
            retain: false,
            response_topic: None,
            correlation: None,
            at: None,
        };
        self.actor.command(&message, &self.answer).await;
        self.rest().await;
        self.game().answer(role, &id).unwrap().ok
    }

    /// Feeds in the solver's answers up to the one about the latest question.
    async fn answered(&mut self) -> Verdict {
        loop {
            let found = self.answers.recv().await.unwrap();
            let verdict = found.verdict;
            let is_newest = found.asked.position == self.game().position_seq();
            self.actor.answered(found, &self.answer).await;
            if is_newest {
                return verdict;
            }
        }
    }

    fn game(&self) -> &Game {
        self.actor.record.game()
    }
}

#[tokio::test]
async fn a_claim_is_judged_by_the_time_that_is_left_when_it_is_made() {
    let claim = "\"kind\":\"quickplay\"";
    let mut seat = Seat::under(&laws::FIDE_2001).await;
    seat.clock_shows(125_000, Some(Color::White)).await;
    assert!(
        !seat.asks(Role::White, "claim", claim).await,
        "10.2: two minutes"
    );
    seat.clock.advance(10_000);
    assert!(seat.asks(Role::White, "claim", claim).await);
    let clock = seat.game().clock().unwrap();
    assert_eq!((clock.white_ms, clock.black_ms), (115_000, 300_000));

    let mut seat = Seat::under(&laws::FIDE_2001).await;
    seat.clock_shows(125_000, None).await;
    seat.clock.advance(10_000);
    assert!(!seat.asks(Role::White, "claim", claim).await, "it stands");
}

#[tokio::test]
async fn a_game_that_was_dead_before_several_moves_ended_then() {
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let setup = "\"fen\":\"8/8/8/3k4/8/8/6K1/7r w - - 0 1\"";
    assert!(seat.asks(Role::Arbiter, "setup", setup).await);
    assert_eq!(seat.answered().await, Verdict::Alive);
    assert_eq!(seat.actor.alive, Some(0));
    let correct = "\"to_ply\":0,\"moves\":[\"Kf3\",\"Rh3\",\"Kg2\",\"Kd6\",\"Kxh3\",\"Kd5\"]";
    assert!(seat.asks(Role::Arbiter, "correct", correct).await);
    assert_eq!(seat.answered().await, Verdict::Dead);
    let (ply, end) = seat.game().ended().unwrap();
    assert_eq!((ply, end.kind), (5, AutomaticKind::DeadPosition));
    assert_eq!(seat.game().grounds().unwrap().0, 5);
    let mut alerts = seat.game().alerts().open().iter();
    let alert = alerts
        .find(|alert| alert.code == AlertCode::DeadPosition)
        .unwrap();
    assert_eq!(alert.arguments["black"]["kind"], "material");
}

#[tokio::test]
async fn a_game_continues_while_the_disk_is_full_and_the_arbiter_is_alerted() {
    let disk = Quick::default();
    let mut seat = Seat::on(&laws::FIDE_2023, disk.clone()).await;
    let alert = |seat: &Seat| {
        let mut open = seat.game().alerts().open().iter();
        open.find(|alert| alert.code == AlertCode::JournalDown)
            .cloned()
    };
    disk.fails.store(true, std::sync::atomic::Ordering::SeqCst);
    let correct = "\"to_ply\":0,\"moves\":[\"e4\",\"e5\"]";
    assert!(seat.asks(Role::Arbiter, "correct", correct).await);
    assert_eq!(seat.game().ply(), 2);
    // The last entry reports the disk.
    let published = seat.game().seq() - 1;
    let known = seat.game().seq_for(Role::White);
    let raised = alert(&seat).unwrap();
    assert_eq!(raised.arguments["code"], "full");
    assert_eq!(raised.level, remisd_game::Level::Red);
    let all_published = seat.actor.topics.output().no_events_pending();
    assert!(!all_published, "no event before it is kept");

    disk.fails.store(false, std::sync::atomic::Ordering::SeqCst);
    while !seat.actor.topics.output().no_events_pending() {
        seat.actor.record.changed().await;
        seat.actor.record_journal_state().await;
    }
    seat.rest().await;
    assert_eq!(alert(&seat), None);
    assert_eq!(seat.actor.record.durable(), seat.game().seq());
    let changed = seat.game().seq();
    assert!(changed > published, "the outage is recorded");
    let current = format!("\"if_seq\":{known}");
    assert!(
        seat.asks(Role::White, "offer", &current).await,
        "no news of the game"
    );
}

#[tokio::test]
async fn a_penalty_rests_on_the_time_that_is_left_at_the_ruling() {
    let mut seat = Seat::under(&laws::FIDE_2001).await;
    seat.clock_shows(130_000, Some(Color::White)).await;
    assert!(
        seat.asks(Role::White, "claim", "\"kind\":\"threefold\"")
            .await
    );
    seat.clock.advance(40_000);
    let incorrect = "\"on\":\"claim\",\"correct\":false";
    assert!(seat.asks(Role::Arbiter, "ruling", incorrect).await);
    let white = seat.game().adjustments()[0].white;
    assert_eq!(white, laws::TimeChange::SetMs(60_000), "1:30 is left");
}

#[tokio::test]
async fn a_clock_of_its_own_runs_on_between_its_messages() {
    let clock_state = "\"white_ms\":125000,\"black_ms\":300000,\"running\":\"white\"";
    let claim = "\"kind\":\"quickplay\"";
    let mut seat = Seat::under(&laws::FIDE_2001).await;
    // The clock at the board reported earlier, and shows other times.
    seat.clock_shows(400_000, Some(Color::White)).await;
    seat.clock.advance(1_000);
    assert!(seat.asks(Role::Clock, "clock_state", clock_state).await);
    assert!(!seat.asks(Role::White, "claim", claim).await);
    seat.clock.advance(10_000);
    assert!(seat.asks(Role::White, "claim", claim).await);
    let clock = seat.game().clock().unwrap();
    assert_eq!((clock.white_ms, clock.black_ms), (115_000, 300_000));
}

#[tokio::test]
async fn a_clock_that_is_out_of_sight_is_not_guessed_at() {
    let mut seat = Seat::under(&laws::FIDE_2001).await;
    seat.clock_shows(125_000, Some(Color::White)).await;
    let (code, reason) = (
        remisd_vocabulary::sensor::DownCode::Missing,
        "unplugged".to_owned(),
    );
    seat.senses(Sensed::Link(LinkReport::Down { code, reason }))
        .await;
    seat.clock.advance(10_000);
    let claim = "\"kind\":\"threefold\"";
    assert!(seat.asks(Role::White, "claim", claim).await);
    assert_eq!(seat.game().clock().unwrap().white_ms, 125_000);
}

/// Sets up a position and shows it on the board.
async fn seat_at(fen: &str) -> (Seat, Board) {
    let start: Fen = fen.parse().unwrap();
    let start: Chess = start.into_position(CastlingMode::Standard).unwrap();
    let board = shakmaty::Position::board(&start).clone();
    let mut seat = Seat::under(&laws::FIDE_2023).await;
    let arguments = format!("\"fen\":\"{fen}\"");
    assert!(seat.asks(Role::Arbiter, "setup", &arguments).await);
    seat.shows(&board).await;
    (seat, board)
}

fn carry(board: &mut Board, from: Square, to: Square) {
    let piece = board.remove_piece_at(from).unwrap();
    board.set_piece_at(to, piece);
}
