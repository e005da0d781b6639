//! Looking for the legal lines that explain what is seen.

use shakmaty::{Board, CastlingSide, Chess, Color, Move, Position, Rank, Role, Square};

use super::{
    DifferingSquare, Hypothesis, Mismatch, MismatchReason, Reading, SettledBy, exact_lines,
    one_ply,
    tracker::{Doubt, MOST_IN_HAND, Tracker, Watching},
};
use crate::time::Millis;

/// Plies that are searched after every event.
const PLIES_AT_ONCE: usize = 2;
/// Plies that are searched when the board is seen again after a gap. Not more: with
/// four, a piece that went out and back would explain almost any illegal position.
const PLIES_AFTER_GAP: usize = 3;
/// Plies at most that are taken for first steps of clearing the board.
const MOST_STEPS: usize = 4;
/// How long it may take from the first steps of clearing the board to the start array.
const CLEARING_MS: Millis = 45_000;
/// Lines that are kept side by side at most.
const MOST_RIVALS: usize = 32;

impl Tracker {
    /// Looks for the lines that explain what is seen now.
    pub(super) fn explain(&mut self, now: Millis) {
        let Some(seen) = self.seen.clone() else {
            return;
        };
        if let Watching::NewArray { stands } = self.watching {
            // The game is closed. A new one begins with the start array, or with a first
            // move from it if that was set up already.
            self.start_seen |= stands;
            self.try_new_game(&seen, now);
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
        } else if self.stood_long_enough() && lines.iter().all(|h| h.line.len() > 1) {
            let mut after = self.root.clone();
            after.play_unchecked(stood);
            let stood = Hypothesis::new(vec![stood], after, seen);
            lines.extend(further(&stood, seen, plies));
        }
        lines
    }

    /// Whether what looks like a move and its reply may as well be two pieces in the
    /// hand: after Qxe4 dxe4 the board is the same as while the queen takes the pawn from
    /// d3, after hxg4 hxg4 the same as when somebody clears away both pawns. And after
    /// Nc5 stood there, a bishop that slides over d6 to take it does not say Nd6 Bxd6.
    fn in_hand(&self, exact: &Hypothesis, seen: &Board) -> bool {
        let Some(made) = exact.line.len().checked_sub(2) else {
            return false;
        };
        if made == 0
            && let Some(stood) = self.stood
            && stood.from() == exact.line[0].from()
        {
            return stood != exact.line[0];
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
        let by = if self.gap {
            SettledBy::AfterGap
        } else {
            SettledBy::Reply
        };
        self.agree();
        let Some(last) = hypothesis.line.pop() else {
            self.pending = None;
            return;
        };
        for m in std::mem::take(&mut hypothesis.line) {
            self.settle(m, by);
        }
        hypothesis.line.push(last);
        if self.stood != Some(last) {
            self.stood = Some(last);
            self.stood_from = self.changed_at;
            self.stood_until = self.changed_at;
        }
        self.pending = Some(hypothesis);
    }

    /// Whether the move that stands, or stood last, was more than a stop on the way.
    const fn stood_long_enough(&self) -> bool {
        self.stood_until >= self.stood_from + self.settings.lift_ms
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
        let ready = self.stood == Some(m)
            && self.hold(only) == self.settings.settle_ms
            && self.stood_long_enough();
        if ready {
            self.agree();
            self.settle(m, SettledBy::OpponentLifted);
        } else {
            // The piece may still be on its way: settled when nothing moves any more.
            let only = only.clone();
            self.agree();
            self.pending = Some(only);
        }
        true
    }

    /// The piece that made the last settled move has gone on: a stop on the way was
    /// taken for the move, or the rook's step for a move instead of castling.
    fn revised(&mut self, seen: &Board) -> bool {
        let Some(Doubt::MayGoOn { before, was, until }) = self.doubt.clone() else {
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
        if self.changed_at > until && self.late_revision.is_none() {
            self.late_revision = Some((before.clone(), was));
        }
        // It may go on yet again, as long as the opponent has not moved.
        self.doubt = Some(Doubt::MayGoOn {
            before,
            was: now,
            until,
        });
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

    /// What seemed to go on after a long rest was the first step of clearing the board:
    /// the move was the one that had stood.
    fn undo_late_revision(&mut self) {
        if let Some((before, was)) = self.late_revision.take() {
            self.root = before;
            self.root.play_unchecked(was);
            self.doubt = None;
            self.readings.push(Reading::Revised { now: was });
        }
    }

    pub(super) fn begin_new_game(&mut self, now: Millis) {
        self.agree();
        self.undo_late_revision();
        // The last move of a game stands for a while before anybody clears the board.
        // Where many have not, the game was played that fast, and nothing can be told;
        // nor where the board was in use for long after the last ply that was read.
        let soon = self.changed_at <= self.settled_at + CLEARING_MS;
        if self.unrested <= MOST_STEPS && soon {
            let steps = std::iter::repeat_n(Reading::Withdrawn, self.unrested);
            self.readings.extend(steps);
        }
        self.unrested = 0;
        self.readings.push(Reading::NewGame);
        self.root = Chess::default();
        self.doubt = None;
        self.pending = None;
        self.start_seen = false;
        self.watching = Watching::Game;
        self.changed_at = now;
    }

    /// Nothing has explained the squares for as long as we are patient.
    pub(super) fn stand_unexplained(&mut self, seen: &Board) {
        let lines = self.lines(seen, self.plies());
        if let [only] = &lines[..] {
            self.take_exact(only.clone());
            return;
        }
        self.undo_late_revision();
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

    pub(super) fn agree(&mut self) {
        self.gap = false;
        self.rivals.clear();
        if self.mismatch.take().is_some() {
            self.readings.push(Reading::Agreed);
        }
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
pub(super) fn is_castling_with(m: Move, from: Square, to: Square) -> bool {
    match m {
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_king_side(king < rook);
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
