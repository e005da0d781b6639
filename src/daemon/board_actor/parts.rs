//! What a board's actor is made of.

use std::sync::Arc;

use super::{
    BoardActor, ComparedBoard, MoveSource, RefusalLimits, SettlingTimes, doubted::Doubted,
    evidence::ReadPermits, squares::SquaresWatch,
};
use crate::{
    daemon::{
        failed_commands::FailedCommands, record::Record, solver::Inquirer, topics::TopicPublisher,
    },
    publish::{Publisher, views::BoardConnection},
};
use remisd_game::Rules;
use remisd_hand::{Settings, Tracker};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    time::{Clock, Moment, TimeScale},
};

/// What a board's actor needs, wherever its moves come from.
#[derive(Debug)]
pub struct ActorParts {
    /// The site, used to check the topics of answers.
    pub site: SiteId,
    /// The board.
    pub board: BoardId,
    /// The rules for new games.
    pub rules: Rules,
    /// How moves are recognised from the board's events.
    pub hand: Settings,
    /// The time of the hands that the tracker reads.
    pub time_scale: TimeScale,
    /// The game and its journal.
    pub record: Record,
    /// The retained topics.
    pub topics: TopicPublisher,
    /// Publishes to the broker.
    pub publisher: Publisher,
    /// The board's access to the solver.
    pub solver: Inquirer,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Measures how long moves take to settle.
    pub settling: SettlingTimes,
    /// Counts the commands that were not done.
    pub failed_commands: FailedCommands,
    /// Limits the refused commands that are recorded.
    pub refusals: RefusalLimits,
}

impl BoardActor {
    /// An actor whose tracker is at the position of the record.
    #[must_use]
    pub fn new(parts: ActorParts, moves: MoveSource, compared: ComparedBoard) -> Self {
        let position = parts.record.game().position().clone();
        Self {
            site: parts.site,
            board: parts.board,
            rules: parts.rules,
            tracker: Box::new(Tracker::new(parts.hand, position)),
            moves,
            held: None,
            compared: Box::new(compared),
            time_scale: parts.time_scale,
            record: parts.record,
            topics: parts.topics,
            publisher: parts.publisher,
            solver: parts.solver,
            alive: None,
            clock: parts.clock,
            line: BoardConnection::default(),
            reading: None,
            external_clock: None,
            counters_at: Moment::START,
            squares: SquaresWatch::default(),
            confidence_at: None,
            pending: None,
            settling: parts.settling,
            doubted: Doubted::default(),
            readers: ReadPermits::default(),
            failed_commands: parts.failed_commands,
            refusals: parts.refusals,
        }
    }
}
