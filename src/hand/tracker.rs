//! The tracker: one game's hands, event by event.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Piece, Position, Role, Square};

use super::{
    Hypothesis, Mismatch, Reading, Settings, Settled, SettledBy, difference,
    explain::is_castling_with, one_ply,
};
use crate::{
    board::event::{LinkReport, Placement, Seen, Sensed},
    time::Millis,
};

/// Pieces that two players can be thought to hold at once.
pub(super) const MOST_IN_HAND: usize = 2;

/// Follows the hands of one game.
#[derive(Debug)]
pub struct Tracker {
    pub(super) settings: Settings,
    /// The settled position: what the game knows.
    pub(super) root: Chess,
    /// What may still be said against the last settled move.
    pub(super) doubt: Option<Doubt>,
    /// Plies settled since the board last stood still or the lever turned: the last ones
    /// may be the first steps of clearing the board.
    pub(super) unrested: usize,
    /// The move that had stood for long before it was revised, and the position before
    /// it: the board may be being cleared.
    pub(super) late_revision: Option<(Chess, Move)>,
    /// When the board last changed before the last move was settled.
    pub(super) settled_at: Millis,
    /// What the sensors see; `None` before the first placement.
    pub(super) seen: Option<Board>,
    /// When a square last changed.
    pub(super) changed_at: Millis,
    /// A line that the board shows exactly, its last move not yet settled. It has
    /// more than one move while a rival keeps the earlier ones from being settled.
    pub(super) pending: Option<Hypothesis>,
    /// The last first move that was seen exactly, even if its piece is up again.
    pub(super) stood: Option<Move>,
    /// When it came to stand, and until when everything was still as after it.
    pub(super) stood_from: Millis,
    pub(super) stood_until: Millis,
    /// Lines that explained the board equally well when it was last explained: the
    /// next plies decide among them.
    pub(super) rivals: Vec<Hypothesis>,
    /// The start array was seen and is not a position of this game's course.
    pub(super) start_seen: bool,
    /// Squares from which the player having the move has lifted his pieces.
    pub(super) touched: Bitboard,
    /// What is waited for: moves of a game, or a new array.
    pub(super) watching: Watching,
    pub(super) mismatch: Option<Mismatch>,
    /// Whose move it is by the clock lever.
    pub(super) lever: Option<Color>,
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

/// What may still be said against the last settled move.
#[derive(Debug, Clone)]
pub(super) enum Doubt {
    /// Time alone settled it: its piece may only have stopped on the way.
    MayGoOn {
        /// The position in which it was made.
        before: Chess,
        /// The move.
        was: Move,
        /// A piece that is taken up again later than this may be one that is cleared away.
        until: Millis,
    },
}

impl Tracker {
    /// Follows a game that stands at `position`.
    #[must_use]
    pub const fn new(settings: Settings, position: Chess) -> Self {
        Self {
            settings,
            root: position,
            doubt: None,
            unrested: 0,
            late_revision: None,
            settled_at: 0,
            seen: None,
            changed_at: 0,
            pending: None,
            stood: None,
            stood_from: 0,
            stood_until: 0,
            rivals: Vec::new(),
            start_seen: false,
            touched: Bitboard::EMPTY,
            watching: Watching::Game,
            mismatch: None,
            lever: None,
            gap: true,
            readings: Vec::new(),
        }
    }

    /// Takes up the game at another position: a new game, a correction, a set-up.
    pub fn follow(&mut self, position: Chess, now: Millis) {
        self.root = position;
        self.late_revision = None;
        self.touched = Bitboard::EMPTY;
        self.doubt = None;
        self.unrested = 0;
        self.pending = None;
        self.stood = None;
        self.start_seen = false;
        self.watching = Watching::Game;
        self.changed_at = now;
        // Nothing that was said of the old position holds for the new one.
        self.agree();
        self.explain(now);
    }

    /// Whether it is following a game that stands at `position`.
    #[must_use]
    pub fn follows(&self, position: &Chess) -> bool {
        self.watching == Watching::Game && self.root == *position
    }

    /// Stops following: the game is over. Only the start array is looked for.
    pub fn rest(&mut self) {
        self.pending = None;
        self.doubt = None;
        self.mismatch = None;
        self.rivals.clear();
        self.watching = Watching::NewArray {
            stands: self.seen.as_ref() == Some(&Board::new()),
        };
    }

    /// What has been read since the last call, in order.
    pub fn readings(&mut self) -> Vec<Reading> {
        std::mem::take(&mut self.readings)
    }

    /// Whether squares are unexplained at the moment.
    #[must_use]
    pub const fn mismatch(&self) -> Option<&Mismatch> {
        self.mismatch.as_ref()
    }

    /// The lines that may explain what is seen now, cheapest first.
    #[must_use]
    pub fn hypotheses(&self) -> Vec<Hypothesis> {
        let Some(seen) = &self.seen else {
            return Vec::new();
        };
        let mut all = one_ply(&self.root, seen);
        all.push(Hypothesis::new(Vec::new(), self.root.clone(), seen));
        all.sort_by_key(Hypothesis::cost);
        all
    }

    /// Takes in one event that was heard at `now`. What nothing has disturbed until then
    /// is settled first, even if nobody has called [`Tracker::tick`] in time.
    pub fn sense(&mut self, sensed: &Sensed, now: Millis) {
        self.tick(now);
        match sensed {
            Sensed::Square(square, seen) => self.square(*square, *seen, now),
            Sensed::Placement(placement) => self.placement(placement, now),
            Sensed::Clock(reading) => {
                let before = std::mem::replace(&mut self.lever, reading.lever);
                // A lever that nobody touches says nothing, whichever side is down.
                if let (Some(before), Some(to_move)) = (before, reading.lever)
                    && before != to_move
                {
                    self.lever_turned(to_move);
                }
            }
            Sensed::Link(LinkReport::Up(_) | LinkReport::Down { .. }) => {
                self.seen = None;
                self.gap = true;
            }
            Sensed::Orientation(_) | Sensed::Link(LinkReport::Counters(_)) => {}
        }
    }

    fn square(&mut self, square: Square, seen: Seen, now: Millis) {
        // A change before the first placement says nothing about the other squares.
        let Some(board) = &mut self.seen else { return };
        if board.piece_at(square) == seen.piece() {
            return;
        }
        put(board, square, seen.piece());
        self.changed(now);
    }

    fn placement(&mut self, placement: &Placement, now: Millis) {
        let mut board = Board::empty();
        for square in Square::ALL {
            put(&mut board, square, placement.get(square).piece());
        }
        if self.seen.as_ref() != Some(&board) {
            self.seen = Some(board);
            self.changed(now);
        }
    }

    fn changed(&mut self, now: Millis) {
        if self.pending.as_ref().is_some_and(Hypothesis::is_exact) {
            self.stood_until = now;
        }
        self.changed_at = now;
        self.explain(now);
        self.notice_touches();
    }

    /// Tells each piece of the player having the move that is missing from the settled
    /// position, once, as long as nothing else is on the board that should not be: he
    /// has lifted it. An opponent's piece beside it is being captured.
    fn notice_touches(&mut self) {
        let Some(seen) = &self.seen else { return };
        let settled = self.watching == Watching::Game && self.pending.is_none() && !self.gap;
        let differing = difference(self.root.board(), seen);
        let missing = differing & !seen.occupied();
        if !settled || missing != differing || missing.count() > MOST_IN_HAND {
            return;
        }
        let by = self.root.turn();
        for square in missing & self.root.us() & !self.touched {
            self.touched |= square;
            self.readings.push(Reading::Touched { square, by });
        }
    }

    /// When [`Tracker::tick`] has something to do, if nothing is sensed before.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let seen = self.seen.as_ref()?;
        if self.start_seen && *seen == Board::new() {
            return Some(self.changed_at + self.settings.new_game_ms);
        }
        if self.watching != Watching::Game {
            return None;
        }
        if let Some(pending) = &self.pending {
            return Some(self.changed_at + self.hold(pending));
        }
        if self.mismatch.is_some() {
            return None;
        }
        if !self.rivals.is_empty() {
            return Some(self.changed_at + self.settings.mismatch_ms);
        }
        if difference(self.root.board(), seen).any() {
            return Some(self.changed_at + self.patience(seen));
        }
        None
    }

    /// Lets time pass: nothing has been sensed until `now`.
    pub fn tick(&mut self, now: Millis) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        let Some(seen) = self.seen.clone() else {
            return;
        };
        if self.start_seen && seen == Board::new() {
            self.begin_new_game(now);
        } else if self.pending.is_some() {
            self.settle_pending(SettledBy::StoodStill);
        } else {
            self.stand_unexplained(&seen);
        }
    }

    /// How long a move must stand before it counts as made.
    pub(super) fn hold(&self, pending: &Hypothesis) -> Millis {
        let half_castling = matches!(
            pending.line[0],
            Move::Normal { role: Role::Rook, from, to, .. }
                if self.root.legal_moves().iter().any(|other| is_castling_with(*other, from, to))
        );
        if half_castling || pending.line.len() > 1 {
            self.settings.castling_hold_ms.max(self.settings.settle_ms)
        } else {
            self.settings.settle_ms
        }
    }

    /// How long squares may differ before they are reported.
    fn patience(&self, seen: &Board) -> Millis {
        let cheapest = self.cheapest(seen);
        if cheapest.foreign.is_empty() && cheapest.missing.count() <= MOST_IN_HAND {
            self.settings.in_hand_ms
        } else {
            self.settings.mismatch_ms
        }
    }

    pub(super) fn cheapest(&self, seen: &Board) -> Hypothesis {
        let still = Hypothesis::new(Vec::new(), self.root.clone(), seen);
        one_ply(&self.root, seen)
            .into_iter()
            .fold(still, |best, next| {
                if next.cost() < best.cost() {
                    next
                } else {
                    best
                }
            })
    }

    /// The lever has turned: it is `to_move`'s turn, says the clock.
    fn lever_turned(&mut self, to_move: Color) {
        if self
            .pending
            .as_ref()
            .is_some_and(|pending| pending.after.turn() == to_move && pending.line.len() == 1)
        {
            self.settle_pending(SettledBy::Clock);
        }
    }

    /// How long after it was settled a move may still turn out to have been a stop.
    const fn patience_with_a_stop(&self) -> Millis {
        if self.settings.castling_hold_ms > self.settings.settle_ms {
            self.settings.castling_hold_ms
        } else {
            self.settings.settle_ms
        }
    }

    fn settle_pending(&mut self, by: SettledBy) {
        if let Some(pending) = self.pending.take() {
            for m in pending.line {
                self.settle(m, by);
            }
        }
    }

    pub(super) fn settle(&mut self, m: Move, by: SettledBy) {
        let before = self.root.clone();
        self.root.play_unchecked(m);
        self.settled_at = self.changed_at;
        self.late_revision = None;
        self.touched = Bitboard::EMPTY;
        self.stood = None;
        self.doubt = match by {
            SettledBy::StoodStill => Some(Doubt::MayGoOn {
                before,
                was: m,
                until: self.changed_at + self.settings.settle_ms + self.patience_with_a_stop(),
            }),
            SettledBy::OpponentLifted
            | SettledBy::Reply
            | SettledBy::Clock
            | SettledBy::AfterGap => None,
        };
        self.unrested = match by {
            SettledBy::StoodStill | SettledBy::Clock | SettledBy::AfterGap => 0,
            SettledBy::OpponentLifted | SettledBy::Reply => self.unrested + 1,
        };
        self.readings.push(Reading::Settled(Settled { m, by }));
    }
}

fn put(board: &mut Board, square: Square, piece: Option<Piece>) {
    match piece {
        Some(piece) => board.set_piece_at(square, piece),
        None => board.discard_piece_at(square),
    }
}
