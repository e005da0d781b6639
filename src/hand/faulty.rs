//! Squares whose sensors contradict everything that was played.
//!
//! A dead square says the same for ever; play goes on around it. When only one line of
//! legal moves explains all other squares, and the contradiction has lasted, the square
//! is outvoted: it is not listened to until it changes and agrees again.

use shakmaty::{Bitboard, Chess, Move, Piece, Position, Rank, Role, Square, attacks};

use super::{Hypothesis, Reading, evidence, search::Search, sight::Sight, tracker::Tracker};
use remisd_vocabulary::time::Millis;

/// Squares that may be ignored at once.
const MOST: usize = 2;
/// Plies that are sought around a dead square.
const PLIES: usize = 3;
/// Positions that are looked at for it.
const POSITIONS: u32 = 3_000;
/// Hypotheses from which lines are sought.
const ORIGINS: usize = 4;

/// The squares that are not listened to.
#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    squares: Bitboard,
    /// When the last of them was found out.
    since: Millis,
}

impl Faults {
    pub(super) const fn squares(&self) -> Bitboard {
        self.squares
    }
}

/// A line that explains everything but one square.
struct Around {
    square: Square,
    origin: usize,
    line: Vec<Move>,
    after: Chess,
    cost: u32,
}

impl Tracker {
    /// Looks for the one line that explains everything but one square. Returns whether
    /// there was one, which has been taken.
    pub(super) fn outvote(&mut self, now: Millis) -> bool {
        let long =
            (self.unexplained_since).is_some_and(|since| now >= since + self.settings.fault_ms);
        // Where several lines were possible before, a square says nothing of them.
        let doubted = |doubtful: Millis| {
            (self.unexplained_since)
                .is_some_and(|since| doubtful + self.settings.mismatch_ms < since)
        };
        let several = self.gap
            || self.choose(now).given_up
            || self.ambiguous_since.is_some()
            || self.doubtful_since.is_some_and(doubted);
        if !long || several || self.faults.squares.count() >= MOST {
            return false;
        }
        let mut found = self.lines_around(now);
        found.sort_by_key(|around| around.cost);
        let Some(best) = found.first() else {
            return false;
        };
        let (square, cost) = (best.square, best.cost);
        let whole =
            |around: &Around| [&self.hypotheses[around.origin].line[..], &around.line[..]].concat();
        let line = whole(best);
        let rival =
            |around: &&Around| around.cost < cost + evidence::margin(cost) && whole(around) != line;
        if found.iter().any(|around| rival(&around)) {
            return false;
        }
        let best = found.swap_remove(0);
        self.faults.squares.add(square);
        self.faults.since = now;
        self.readings.push(Reading::Faulty(self.faults.squares));
        let mut hypothesis = Hypothesis::new(line, best.after, cost, now, self.changes.count());
        if let Some(sight) = &self.sight {
            hypothesis.hold_against(
                sight,
                self.faults.squares,
                now,
                &self.changes,
                self.settings.scan_ms,
            );
        }
        self.hypotheses.push(hypothesis);
        self.weigh(now);
        self.unexplained_since = None;
        self.decide(now);
        true
    }

    fn lines_around(&self, now: Millis) -> Vec<Around> {
        let Some(sight) = &self.sight else {
            return Vec::new();
        };
        let mut origins: Vec<usize> = (0..self.hypotheses.len()).collect();
        origins.sort_by_key(|&index| self.total(index, now));
        origins.truncate(ORIGINS);
        let mut found = Vec::new();
        for origin in origins {
            let hypothesis = &self.hypotheses[origin];
            let suspects = self.suspects(hypothesis, now);
            for square in suspects {
                let ignored = self.faults.squares | Bitboard::from(square);
                let mut search = Search::new(sight, ignored, POSITIONS);
                search.active = self.changes.after(hypothesis.since());
                for plies in 0..=PLIES {
                    search.lines(&hypothesis.after, plies);
                }
                found.extend(
                    (search.found.into_iter())
                        .filter(|(line, _)| goes_on_without(&hypothesis.line, line, square))
                        .filter_map(|found| self.around(square, origin, found, sight)),
                );
            }
        }
        found
    }

    /// A line that explains everything but a square, if what it leaves unexplained besides can be
    /// believed.
    fn around(
        &self,
        square: Square,
        origin: usize,
        (line, after): (Vec<Move>, Chess),
        sight: &Sight,
    ) -> Option<Around> {
        let found = (origin, line, after);
        let further = self.further_cost(&found, sight);
        let (origin, line, after) = found;
        (further < evidence::INCREDIBLE).then(|| Around {
            square,
            origin,
            line,
            after,
            cost: self.hypotheses[origin].cost + further,
        })
    }

    /// Squares that contradict a hypothesis and have not changed for long.
    fn suspects(&self, hypothesis: &Hypothesis, now: Millis) -> Vec<Square> {
        let quiet = |square: &Square| {
            self.changes
                .at(*square)
                .is_none_or(|at| now >= at + self.settings.fault_ms)
        };
        let differing = hypothesis.difference.all();
        if differing.count() > 8 {
            return Vec::new();
        }
        // Where the piece went that is missing may be the dead square as well, whoever moved it.
        let board = hypothesis.after.board();
        let targets: Bitboard = (differing.into_iter())
            .filter_map(|square| Some((square, board.piece_at(square)?)))
            .flat_map(|(square, piece)| reach(piece, square, board.occupied() & !differing))
            .collect();
        (differing | targets).into_iter().filter(quiet).collect()
    }

    /// A square that has changed and agrees again is listened to.
    pub(super) fn faults_recover(&mut self, now: Millis) {
        if self.faults.squares.is_empty() {
            return;
        }
        let Some(sight) = &self.sight else { return };
        let best = &self.hypotheses[self.choose(now).best];
        let differs = sight.difference(best.after.board()).all();
        let recovered: Bitboard = (self.faults.squares & !differs)
            .into_iter()
            .filter(|square| {
                self.changes
                    .at(*square)
                    .is_some_and(|at| at > self.faults.since)
            })
            .collect();
        if recovered.any() {
            self.faults.squares &= !recovered;
            self.readings.push(Reading::Faulty(self.faults.squares));
        }
    }
}

/// Where a piece may go from a square in one move.
fn reach(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    let attacked = attacks::attacks(from, piece, occupied);
    if piece.role != Role::Pawn {
        return attacked;
    }
    let ahead = |square: Square| square.offset(piece.color.fold_wb(8, -8));
    let one = ahead(from);
    let two = one.filter(|_| from.rank() == piece.color.fold_wb(Rank::Second, Rank::Seventh));
    attacked
        | one
            .into_iter()
            .chain(two.and_then(ahead))
            .collect::<Bitboard>()
}

/// Whether play has gone on without the square: there is a last ply, and it has nothing to
/// do with it.
fn goes_on_without(known: &[Move], line: &[Move], square: Square) -> bool {
    let last = line.last().or(known.last());
    let elsewhere = |m: &Move| m.from() != Some(square) && m.to() != square;
    last.is_some_and(elsewhere)
}
