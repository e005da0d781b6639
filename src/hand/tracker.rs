//! The tracker: one game's hands, event by event.

use shakmaty::{Board, Chess, Color, Move, Piece, Position, Rank, Role, Square};

use super::{
    DifferingSquare, Hypothesis, Mismatch, MismatchReason, Reading, Settings, Settled, SettledBy,
    difference, exact_lines, one_ply,
};
use crate::{
    board::event::{LinkReport, Placement, Seen, Sensed},
    time::Millis,
};

/// Plies that are searched after every event.
const PLIES_AT_ONCE: usize = 2;
/// Plies that are searched when the board is seen again after a gap. Not more: with
/// four, a piece that went out and back would explain almost any illegal position.
const PLIES_AFTER_GAP: usize = 3;
/// Pieces that two players can be thought to hold at once.
const MOST_IN_HAND: usize = 2;

/// Lines that are kept side by side at most.
const MOST_RIVALS: usize = 32;

/// Follows the hands of one game.
#[derive(Debug)]
pub struct Tracker {
    settings: Settings,
    /// The settled position: what the game knows.
    root: Chess,
    /// The settled move before it and the position it was made in, while it may
    /// still turn out to have been only a stop on the way.
    revisable: Option<(Chess, Move)>,
    /// What the sensors see; `None` before the first placement.
    seen: Option<Board>,
    /// When a square last changed.
    changed_at: Millis,
    /// A line that the board shows exactly, its last move not yet settled. It has
    /// more than one move while a rival keeps the earlier ones from being settled.
    pending: Option<Hypothesis>,
    /// The last first move that was seen exactly, even if its piece is up again.
    stood: Option<Move>,
    /// Lines that explained the board equally well when it was last explained: the
    /// next plies decide among them.
    rivals: Vec<Hypothesis>,
    /// The start array was seen and is not a position of this game's course.
    start_seen: bool,
    /// Following a game, or waiting for a new one to be set up.
    following: bool,
    mismatch: Option<Mismatch>,
    /// Whose move it is by the clock lever.
    lever: Option<Color>,
    /// The board was out of sight, and what is seen since has not been explained.
    gap: bool,
    readings: Vec<Reading>,
}

impl Tracker {
    /// Follows a game that stands at `position`.
    #[must_use]
    pub const fn new(settings: Settings, position: Chess) -> Self {
        Self {
            settings,
            root: position,
            revisable: None,
            seen: None,
            changed_at: 0,
            pending: None,
            stood: None,
            rivals: Vec::new(),
            start_seen: false,
            following: true,
            mismatch: None,
            lever: None,
            gap: true,
            readings: Vec::new(),
        }
    }

    /// Takes up the game at another position: a new game, a correction, a set-up.
    pub fn follow(&mut self, position: Chess, now: Millis) {
        self.root = position;
        self.revisable = None;
        self.pending = None;
        self.stood = None;
        self.start_seen = false;
        self.following = true;
        self.changed_at = now;
        self.explain(now);
    }

    /// Whether it is following a game that stands at `position`.
    #[must_use]
    pub fn follows(&self, position: &Chess) -> bool {
        self.following && self.root == *position
    }

    /// Stops following: the game is over. Only the start array is looked for.
    pub fn rest(&mut self) {
        self.following = false;
        self.pending = None;
        self.revisable = None;
        self.mismatch = None;
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
        self.changed_at = now;
        self.explain(now);
    }

    /// When [`Tracker::tick`] has something to do, if nothing is sensed before.
    #[must_use]
    pub fn deadline(&self) -> Option<Millis> {
        let seen = self.seen.as_ref()?;
        if self.start_seen && *seen == Board::new() {
            return Some(self.changed_at + self.settings.new_game_ms);
        }
        if !self.following {
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
    fn hold(&self, pending: &Hypothesis) -> Millis {
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

    fn cheapest(&self, seen: &Board) -> Hypothesis {
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

    /// Looks for the lines that explain what is seen now.
    fn explain(&mut self, now: Millis) {
        let Some(seen) = self.seen.clone() else {
            return;
        };
        if !self.following {
            self.start_seen = self.settings.new_games && seen == Board::new();
            return;
        }
        let lines = self.lines(&seen, PLIES_AT_ONCE);
        match &lines[..] {
            [only] => {
                self.start_seen = false;
                if self.in_hand(only, &seen) {
                    // Not settled before it has stood or a further ply goes on from it.
                    self.pending = Some(only.clone());
                    self.rivals = vec![only.clone()];
                } else {
                    self.take_exact(only.clone());
                }
            }
            [] => {
                self.pending = None;
                if !self.opponent_lifted(&seen) && !self.revised(&seen) {
                    self.try_new_game(&seen, now);
                }
            }
            // Several: nothing is settled while they are as good.
            _ => {
                self.pending = None;
                if lines.len() <= MOST_RIVALS {
                    self.rivals = lines;
                }
            }
        }
    }

    /// The lines that lead exactly to what is seen. A move that stood on the board
    /// counts as evidence: lines that go on from it are preferred (f2-f4 g4xf3 e.p. and
    /// f2-f3 g4xf3 end alike, but only one of the pawn moves was seen), and it is
    /// searched from as well, since two more plies may have come at once.
    fn lines(&self, seen: &Board, plies: usize) -> Vec<Hypothesis> {
        let mut lines = exact_lines(&self.root, seen, plies);
        for rival in &self.rivals {
            for line in further(rival, seen, plies) {
                if !lines.iter().any(|known| known.line == line.line) {
                    lines.push(line);
                }
            }
        }
        let Some(stood) = self.stood else {
            return lines;
        };
        let goes_on = |h: &Hypothesis| h.line.first() == Some(&stood);
        if lines.iter().any(goes_on) {
            lines.retain(goes_on);
        } else if lines.iter().all(|h| h.line.len() > 1) {
            let mut after = self.root.clone();
            after.play_unchecked(stood);
            let stood = Hypothesis::new(vec![stood], after, seen);
            lines.extend(further(&stood, seen, plies));
        }
        lines
    }

    /// Whether what looks like a move and its reply may as well be two pieces in the
    /// hand: after Qxe4 dxe4 the board is the same as while the queen takes the pawn from
    /// d3, after hxg4 hxg4 the same as when somebody clears away both pawns.
    fn in_hand(&self, exact: &Hypothesis, seen: &Board) -> bool {
        let Some(made) = exact.line.len().checked_sub(2) else {
            return false;
        };
        if made == 0 && self.stood == Some(exact.line[0]) {
            return false;
        }
        let mut before = self.root.clone();
        for &m in &exact.line[..made] {
            before.play_unchecked(m);
        }
        let still = Hypothesis::new(Vec::new(), before, seen);
        still.foreign.is_empty()
    }

    /// The squares are exactly those after `line`.
    fn take_exact(&mut self, mut hypothesis: Hypothesis) {
        self.agree();
        let Some(last) = hypothesis.line.pop() else {
            self.pending = None;
            return;
        };
        for m in std::mem::take(&mut hypothesis.line) {
            self.settle(m, SettledBy::Reply);
        }
        hypothesis.line.push(last);
        self.stood = Some(last);
        self.pending = Some(hypothesis);
    }

    /// Settles a move if the only thing amiss after it is that the opponent has
    /// pieces in the hand, and the mover cannot still be on the way to capture them.
    fn opponent_lifted(&mut self, seen: &Board) -> bool {
        let opponent = self.root.turn().other();
        let all = one_ply(&self.root, seen);
        let mut made = all
            .iter()
            .filter(|h| h.lacks_only(opponent) && h.missing.count() <= MOST_IN_HAND);
        let (Some(only), None) = (made.next(), made.next()) else {
            return false;
        };
        let m = only.line[0];
        let still_capturing = all.iter().map(|h| h.line[0]).any(|other| {
            other.from() == m.from() && other.is_capture() && only.missing.contains(other.to())
        });
        if still_capturing {
            return false;
        }
        self.agree();
        self.settle(m, SettledBy::OpponentLifted);
        true
    }

    /// The piece that made the last settled move has gone on: a stop on the way was
    /// taken for the move, or the rook's step for a move instead of castling.
    fn revised(&mut self, seen: &Board) -> bool {
        let Some((before, was)) = self.revisable.clone() else {
            return false;
        };
        let lines = exact_lines(&before, seen, 1);
        let [Hypothesis { line, after, .. }] = &lines[..] else {
            return false;
        };
        let [now] = line[..] else { return false };
        let same_hand = now.from() == was.from() || is_castling_over(now, was);
        if !same_hand {
            return false;
        }
        self.agree();
        self.root = after.clone();
        // It may go on yet again, as long as the opponent has not moved.
        self.revisable = Some((before, now));
        self.readings.push(Reading::Revised { now });
        true
    }

    /// The start array, or a first move made in it before it was taken for a new game.
    fn try_new_game(&mut self, seen: &Board, now: Millis) {
        if !self.settings.new_games {
            return;
        }
        if *seen == Board::new() {
            self.start_seen = true;
            return;
        }
        if !self.start_seen {
            return;
        }
        let lines = exact_lines(&Chess::default(), seen, PLIES_AT_ONCE);
        if let [only] = &lines[..] {
            let only = only.clone();
            self.begin_new_game(now);
            self.take_exact(only);
        }
    }

    fn begin_new_game(&mut self, now: Millis) {
        self.agree();
        self.readings.push(Reading::NewGame);
        self.root = Chess::default();
        self.revisable = None;
        self.pending = None;
        self.start_seen = false;
        self.following = true;
        self.changed_at = now;
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

    fn settle_pending(&mut self, by: SettledBy) {
        if let Some(pending) = self.pending.take() {
            for m in pending.line {
                self.settle(m, by);
            }
        }
    }

    fn settle(&mut self, m: Move, by: SettledBy) {
        let before = self.root.clone();
        self.root.play_unchecked(m);
        self.stood = None;
        self.revisable = (by == SettledBy::StoodStill).then_some((before, m));
        self.readings.push(Reading::Settled(Settled { m, by }));
    }

    /// Nothing has explained the squares for as long as we are patient.
    fn stand_unexplained(&mut self, seen: &Board) {
        let lines = self.lines(seen, self.plies());
        if let [only] = &lines[..] {
            self.take_exact(only.clone());
            return;
        }
        let cheapest = self.cheapest(seen);
        let reason = if lines.len() > 1 {
            MismatchReason::Ambiguous
        } else if unpromoted(seen).is_some() {
            MismatchReason::PawnNotPromoted
        } else if cheapest.foreign.is_empty() {
            MismatchReason::PieceMissing
        } else {
            MismatchReason::NoLegalMove
        };
        let squares = (cheapest.missing | cheapest.foreign)
            .into_iter()
            .map(|square| DifferingSquare {
                square,
                expected: cheapest.after.board().piece_at(square),
                seen: seen.piece_at(square),
            })
            .collect();
        let mismatch = Mismatch {
            reason,
            squares,
            candidates: lines.into_iter().map(|h| h.line).collect(),
        };
        self.mismatch = Some(mismatch.clone());
        self.readings.push(Reading::Mismatch(mismatch));
    }

    const fn plies(&self) -> usize {
        if self.gap {
            PLIES_AFTER_GAP
        } else {
            PLIES_AT_ONCE
        }
    }

    fn agree(&mut self) {
        self.gap = false;
        self.rivals.clear();
        if self.mismatch.take().is_some() {
            self.readings.push(Reading::Agreed);
        }
    }
}

fn put(board: &mut Board, square: Square, piece: Option<Piece>) {
    match piece {
        Some(piece) => board.set_piece_at(square, piece),
        None => board.discard_piece_at(square),
    }
}

/// The lines that go on from `hypothesis` to exactly what is seen.
fn further<'a>(
    hypothesis: &'a Hypothesis,
    seen: &'a Board,
    plies: usize,
) -> impl Iterator<Item = Hypothesis> + 'a {
    exact_lines(&hypothesis.after, seen, plies)
        .into_iter()
        .map(|further| {
            let line = [&hypothesis.line[..], &further.line[..]].concat();
            Hypothesis::new(line, further.after, seen)
        })
}

/// Whether `m` castles with the rook of `from`, which goes to `to` in it.
fn is_castling_with(m: Move, from: Square, to: Square) -> bool {
    match m {
        Move::Castle { king, rook } => {
            let side = shakmaty::CastlingSide::from_king_side(king < rook);
            rook == from && side.rook_to(color_of_rank(king)) == to
        }
        _ => false,
    }
}

/// Whether castling `now` has the rook move `was` as its first half.
fn is_castling_over(now: Move, was: Move) -> bool {
    match was {
        Move::Normal {
            role: Role::Rook,
            from,
            to,
            ..
        } => is_castling_with(now, from, to),
        _ => false,
    }
}

fn color_of_rank(square: Square) -> Color {
    Color::from_white(square.rank() == Rank::First)
}

/// A pawn on the first or last rank, where none can stand.
fn unpromoted(seen: &Board) -> Option<Square> {
    (seen.by_role(Role::Pawn) & shakmaty::Bitboard::BACKRANKS).first()
}
