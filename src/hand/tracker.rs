//! The tracker: one game's hands, event by event.

use std::collections::VecDeque;

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position};

use super::{
    Confidence, Hypothesis, Mismatch, Proposal, Reading, Settings, Settled, SettledBy,
    changes::Changes, clock_way::ClockWay, contested::Contested, course::Course, doubt::Doubt,
    faulty::Faults, gap::Gap, lever::Presses, paused::Running, sight::Sight, touch::Touches,
};
use remisd_vocabulary::time::Millis;

/// Pieces that two players can be thought to hold at once.
pub(super) const MOST_IN_HAND: usize = 2;

/// Follows the hands of one game.
#[derive(Debug)]
pub struct Tracker {
    pub(super) settings: Settings,
    /// The lines that may be on the board. The first one is the settled position itself.
    pub(super) hypotheses: Vec<Hypothesis>,
    /// What was left unexplained before the settled position: it belongs to no move after it.
    pub(super) settled_cost: u32,
    /// The boards of the settled positions before it, the newest last.
    pub(super) past: VecDeque<Board>,
    /// When all squares were last told at once.
    pub(super) looked_at: Millis,
    /// When they were first told again after the board had been out of sight.
    pub(super) found_at: Millis,
    /// What was seen at both ends of the time in which it was out of sight.
    pub(super) out_of_sight: Gap,
    /// What the sensors see; `None` before the first placement.
    pub(super) sight: Option<Sight>,
    /// How many changes there had been when a settled position was last seen by itself, and
    /// what was settled since.
    pub(super) since_seen: (u64, Vec<Move>),
    /// When a square last changed.
    pub(super) changed_at: Millis,
    /// When the squares last changed, one by one.
    pub(super) changes: Changes,
    /// Since when no line explains the squares.
    pub(super) unexplained_since: Option<Millis>,
    /// Since when none has done so beyond doubt, after the last settled move.
    pub(super) doubtful_since: Option<Millis>,
    /// Squares that are not listened to.
    pub(super) faults: Faults,
    /// Who has lifted what.
    pub(super) touches: Touches,
    /// Which settled plies what contradicts the game speaks against.
    pub(super) contested: Contested,
    /// What may still be said against the last settled move.
    pub(super) doubt: Option<Doubt>,
    /// Plies settled since the board last stood still, the lever turned, or several lines were
    /// told to be possible: the last ones may be the first steps of clearing the board.
    pub(super) unrested: usize,
    /// The move that had stood for long before it was revised, and the position before
    /// it: the board may be being cleared.
    pub(super) late_revision: Option<(Chess, Move)>,
    /// Where the pieces are going in the game.
    pub(super) course: Course,
    /// When the board last changed before the last move was settled.
    pub(super) settled_at: Millis,
    /// The start array was seen and is not a position of this game's course.
    pub(super) start_seen: bool,
    /// The start array stood already when the game was set up at another position: it is
    /// what the pieces are taken from, and begins no game.
    pub(super) start_stood: bool,
    /// What is waited for: moves of a game, or a new array.
    pub(super) watching: Watching,
    pub(super) mismatch: Option<Mismatch>,
    /// Since when several lines have been possible, if that has been told: when the board had last changed
    /// then. Until everything is explained again; a reply may settle a part of it before.
    pub(super) ambiguous_since: Option<Millis>,
    /// Whose move it is by the clock lever.
    pub(super) lever: Option<Color>,
    /// Whether the clock runs.
    pub(super) running: Running,
    /// How the lever was turned.
    pub(super) presses: Presses,
    /// How the clock stands.
    pub(super) clock_way: ClockWay,
    /// The result that was shown last, while it stands.
    pub(super) proposed: Option<Proposal>,
    /// The least that a line cost which was given up although it may have been played: one too many to be
    /// kept. While what goes on from it could be as good as the best line, nothing is settled. A line
    /// that cost less than any lead, or one that grew too long to be gone on from, holds until somebody
    /// says what stands.
    pub(super) least_given_up: Option<u32>,
    /// The board was out of sight, and what is seen since has not been explained.
    pub(super) gap: bool,
    pub(super) readings: Vec<Reading>,
}

/// What a tracker waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watching {
    /// Moves of the game.
    Game,
    /// The game is closed: the array of the next one.
    NewArray {
        /// It stood already when the game was closed.
        stands: bool,
    },
}

impl Tracker {
    /// Creates a tracker of a game that stands at `position`.
    #[must_use]
    pub fn new(settings: Settings, position: Chess) -> Self {
        Self {
            settings,
            hypotheses: vec![Hypothesis::root(position, 0, &Changes::none())],
            settled_cost: 0,
            past: VecDeque::new(),
            since_seen: (0, Vec::new()),
            looked_at: 0,
            found_at: 0,
            out_of_sight: Gap::default(),
            sight: None,
            changed_at: 0,
            changes: Changes::none(),
            unexplained_since: None,
            doubtful_since: None,
            faults: Faults::default(),
            touches: Touches::default(),
            contested: Contested::none(),
            doubt: None,
            unrested: 0,
            late_revision: None,
            course: Course::default(),
            settled_at: 0,
            start_seen: false,
            start_stood: false,
            watching: Watching::Game,
            mismatch: None,
            ambiguous_since: None,
            lever: None,
            running: Running::default(),
            presses: Presses::default(),
            clock_way: ClockWay::new(settings.learn_clock, settings.scan_ms),
            proposed: None,
            least_given_up: None,
            gap: true,
            readings: Vec::new(),
        }
    }

    /// The settled position: what the game knows.
    pub(super) fn root(&self) -> &Chess {
        &self.hypotheses[0].after
    }

    /// Continues from another position: a new game, a correction, a set-up. Moves already seen to
    /// continue from `position` remain pending.
    pub fn follow(&mut self, position: Chess, now: Millis) {
        let now = self.hand_time(now);
        self.take_up(position, now, now);
    }

    /// Continues from a position that is still to be set up on the board. If the start array stands
    /// there now, the players take the pieces from it, so it begins no game.
    pub fn await_set_up(&mut self, position: Chess, now: Millis) {
        let now = self.hand_time(now);
        let stood = self.sees_start_array() && *position.board() != Board::new();
        self.take_up(position, now, now);
        self.start_stood = stood;
        self.start_seen &= !stood;
    }

    /// Goes on from `position`. What has happened since `from` may belong to its first moves.
    pub(super) fn take_up(&mut self, position: Chess, from: Millis, now: Millis) {
        let known = (self.hypotheses.iter())
            .position(|known| !known.line.is_empty() && known.after == position);
        match known {
            Some(index) => self.settle_silently(index, self.hypotheses[index].line.len()),
            None => {
                self.stand_at(position, from);
            }
        }
        self.past.clear();
        self.contested = Contested::none();
        let turn = self.root().turn();
        self.presses.agree(0, turn);
        self.clock_way.interrupt();
        self.running = Running::Unknown;
        self.course = Course::default();
        self.late_revision = None;
        self.touches.forget();
        self.doubt = None;
        self.unrested = 0;
        self.start_seen = false;
        self.start_stood = false;
        self.watching = Watching::Game;
        self.changed_at = now;
        // Nothing that was said of the old position holds for the new one.
        self.agree();
        self.explain(now);
    }

    /// Goes on from a position of which nothing else is known.
    pub(super) fn stand_at(&mut self, position: Chess, from: Millis) {
        self.out_of_sight.close();
        self.hypotheses = vec![Hypothesis::root(position, from, &self.changes)];
        self.since_seen = (self.changes.count(), Vec::new());
        self.settled_cost = 0;
        self.least_given_up = None;
        self.ambiguous_since = None;
        self.doubtful_since = None;
    }

    /// Whether the tracker follows a game whose settled position is `position`.
    #[must_use]
    pub fn follows(&self, position: &Chess) -> bool {
        self.watching == Watching::Game && self.root() == position
    }

    /// The next move of the game, if it stands on the board with certainty but is not settled yet.
    /// This assumes that nothing is sensed until `now`.
    #[must_use]
    pub fn standing(&self, now: Millis) -> Option<Move> {
        if self.watching != Watching::Game || self.sight.is_none() {
            return None;
        }
        let index = self.pending(self.hand_time(now))?;
        self.hypotheses[index].line.first().copied()
    }

    /// Settles the moves that stand on the board with certainty at `now`, because a command
    /// confirms them. A command by `player` confirms the moves up to the opponent's last one. With
    /// `None`, all are settled, except a king's last move to the centre, which may show a result.
    /// Returns whether a move was settled.
    pub fn answered(&mut self, player: Option<Color>, now: Millis) -> bool {
        if self.watching != Watching::Game || self.sight.is_none() {
            return false;
        }
        let now = self.hand_time(now);
        let settled = self.settle_answered(player, now);
        self.take_clock_round(now);
        settled
    }

    /// Stops following the moves: the game is over. Only the start array and results shown on the
    /// board are still recognised.
    pub fn rest(&mut self) {
        self.hypotheses.truncate(1);
        self.doubt = None;
        self.mismatch = None;
        self.ambiguous_since = None;
        self.unexplained_since = None;
        self.watching = Watching::NewArray {
            stands: self.sees_start_array(),
        };
    }

    /// Takes the readings since the last call, in order.
    pub fn readings(&mut self) -> Vec<Reading> {
        std::mem::take(&mut self.readings)
    }

    /// The mismatch that stands now, if any.
    #[must_use]
    pub const fn mismatch(&self) -> Option<&Mismatch> {
        self.mismatch.as_ref()
    }

    /// The squares that are ignored because they contradict the moves of the game.
    #[must_use]
    pub const fn faulty(&self) -> Bitboard {
        self.faults.squares()
    }

    /// The beam: all hypotheses, with the settled position first.
    #[must_use]
    pub fn hypotheses(&self) -> &[Hypothesis] {
        &self.hypotheses
    }

    /// The cost of each of [`Tracker::hypotheses`] at the last change. Costs are small numbers
    /// without a unit. A ply is settled only if the best hypothesis leads by a margin.
    #[must_use]
    pub fn costs(&self) -> Vec<u32> {
        (0..self.hypotheses.len())
            .map(|index| self.total(index, self.changed_at))
            .collect()
    }

    /// How well the tracker understands what the board shows.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        if self.sight.is_none() {
            Confidence::Blind
        } else if self.mismatch.is_some() {
            Confidence::Uncertain
        } else if self.watching == Watching::Game && !self.hypotheses[0].is_exact() {
            Confidence::Moving
        } else {
            Confidence::Certain
        }
    }

    /// When to call [`Tracker::tick`] next, if nothing is sensed before.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let due = [self.settling_at(), self.touches.due(self.settings.touch_ms)];
        let due = due.into_iter().flatten().min()?;
        Some(due.div_ceil(self.settings.speed.max(1)))
    }

    /// The time by which people's hands would be as far: inside, all times are such.
    pub(super) fn hand_time(&self, now: Millis) -> Millis {
        now.saturating_mul(self.settings.speed.max(1))
    }

    /// Lets time pass until `now` without a sensor event.
    pub fn tick(&mut self, now: Millis) {
        let now = self.hand_time(now);
        self.touches_last(now);
        if self.settling_at().is_some_and(|due| now >= due) {
            self.stand_still(now);
        }
        self.take_clock_round(now);
    }

    pub(super) fn settle(&mut self, m: Move, by: SettledBy) {
        self.settled_at = self.changed_at;
        self.presses.settle(1);
        self.late_revision = None;
        self.touches.played(m, &mut self.readings);
        self.unrested = match by {
            SettledBy::StoodStill | SettledBy::Clock | SettledBy::Reconstructed => 0,
            SettledBy::OpponentLifted
            | SettledBy::Reply
            | SettledBy::Answered
            | SettledBy::Assumed => self.unrested + 1,
        };
        let by = self.settled_by(m, by);
        self.readings.push(Reading::Settled(Settled { m, by }));
    }
}
