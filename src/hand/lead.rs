//! How much more than the best line another one must cost to be no rival of it.
//!
//! Where kinds are seen, the more is left unexplained, the less a little decides. Where none are seen,
//! every line leaves something unexplained at each capture, and a plain figure tells them apart.

use shakmaty::Move;

use super::{Hypothesis, evidence::margin, tracker::Tracker};

/// What a line that explains every square may cost more than one that does not, and still
/// be its rival.
pub(super) const UNFINISHED: u32 = 5;

/// What a line may leave unexplained and need no greater lead, where one may be needed.
const FREE_OF_DOUBT: u32 = 2;
/// What a longer line may cost more where neither the board nor a clock has seen what was done.
const UNWITNESSED: u32 = 1;

/// What a line must cost less where no kinds are seen, and no more plies than so many are unsettled or
/// it leaves hardly anything unexplained.
const LEAD_WITHOUT_KINDS: u32 = 3;
const FEW_PLIES: usize = 2;
/// And otherwise, or where several lines have been told to be possible.
const LONG_LEAD_WITHOUT_KINDS: u32 = 7;
/// And then, if the other one is as long and ends in the same position: no later ply will tell them apart.
const ALIKE_LEAD_WITHOUT_KINDS: u32 = 5;
/// And more than one in which a piece was taken where it had just come, if the line says that it took
/// another one elsewhere: it may have stood there between two looks.
const TAKEN_AT_ONCE: u32 = 2;

/// Plies after which two lines that go on alike are told apart by no later one.
const GOES_ON_ALIKE: usize = 2;

/// What a line must cost less, besides, than one in which pieces of both players move on from where
/// it takes them for having stopped.
const STOPS_OF_BOTH: u32 = 2;

/// The plies in which both players move a piece on.
const STOPPING: usize = 4;

impl Tracker {
    /// How much more than the line `index`, which costs `total` in all, another one must cost to be no
    /// rival of it.
    pub(super) fn lead(&self, index: usize, total: u32) -> u32 {
        let cost = self.cost_since_settled(index, total);
        // What was done out of sight may have taken a ply more, which the next ply shows, or less.
        let unwitnessed = self.gap && self.to_move().is_none();
        let more = if unwitnessed { UNWITNESSED } else { 0 };
        let told_ambiguous = self.is_told_ambiguous();
        let lead = if self.knows_no_kinds() {
            let few = self.hypotheses[index].line.len() <= FEW_PLIES || cost <= FREE_OF_DOUBT;
            if few && !told_ambiguous {
                LEAD_WITHOUT_KINDS
            } else {
                LONG_LEAD_WITHOUT_KINDS
            }
        } else if told_ambiguous {
            2 * margin(cost)
        } else {
            margin(cost)
        };
        lead + more
    }

    /// Whether the line `best`, which costs `cost` since the settled position, leaves no doubt of the line
    /// `index`: it is cheaper `by` so much, and a `lead` would do where nothing else is asked.
    pub(super) fn beats(&self, best: usize, index: usize, by: u32, cost: u32, lead: u32) -> bool {
        let no_kinds = self.knows_no_kinds();
        let (best, rival) = (&self.hypotheses[best], &self.hypotheses[index]);
        // A line that leaves squares amiss needs more against one that leaves none.
        let besides = if rival.is_exact() && !best.is_exact() {
            UNFINISHED
        } else if cost > FREE_OF_DOUBT && goes_by_stops(&best.line, &rival.line) {
            STOPS_OF_BOTH
        } else if no_kinds && takes_at_once(&best.line, &rival.line) {
            TAKEN_AT_ONCE
        } else {
            0
        };
        let beaten = |lead: u32| by >= lead + besides;
        if beaten(lead) && !self.is_other_order(best, rival, lead) {
            return true;
        }
        if self.gap {
            return false;
        }
        if no_kinds {
            let alike = best.line.len() == rival.line.len() && best.after == rival.after;
            return alike && beaten(ALIKE_LEAD_WITHOUT_KINDS);
        }
        margin_where_they_differ(best, rival).is_some_and(beaten)
    }

    /// Whether a line tells in another order what nobody saw, and goes on as the best one does: no
    /// later ply tells them apart.
    fn is_other_order(&self, best: &Hypothesis, rival: &Hypothesis, lead: u32) -> bool {
        if !self.gap || best.line.len() != rival.line.len() || best.after != rival.after {
            return false;
        }
        let same = common_end(&best.line, &rival.line);
        let plies = best.line.len() - same;
        same > 0 && rival.spent_after(plies) < best.spent_after(plies) + i64::from(lead)
    }

    /// What the line `index` that costs `total` in all has left unexplained since the settled position.
    /// What was left so before belongs to no move, nor does what was done before the board showed it and
    /// the line was begun: a position is set up piece by piece. Where no kinds are seen, the board shows
    /// the settled position whenever pieces have come back, and whatever was done until then counts so.
    pub(super) fn cost_since_settled(&self, index: usize, total: u32) -> u32 {
        let before = if self.knows_no_kinds() {
            self.hypotheses[0].cost
        } else {
            self.hypotheses[index].spent_before()
        };
        total.saturating_sub(self.settled_cost.max(before))
    }

    /// Whether the board does not tell the kinds of its pieces.
    pub(super) fn knows_no_kinds(&self) -> bool {
        (self.sight.as_ref()).is_some_and(|sight| !sight.knows_kinds())
    }
}

/// The lead that a line needs over one that goes on as it does after the moves in which they
/// differ: what both leave unexplained since says nothing of those, and no later ply will.
fn margin_where_they_differ(best: &Hypothesis, rival: &Hypothesis) -> Option<u32> {
    let before = common_start(&best.line, &rival.line);
    let shorter = best.line.len().min(rival.line.len());
    let after = common_end(&best.line, &rival.line).min(shorter - before);
    if after < GOES_ON_ALIKE {
        return None;
    }
    let differing = best.spent_after(best.line.len() - after) - best.spent_after(before);
    Some(margin(u32::try_from(differing).unwrap_or(0)))
}

/// Whether a line takes each player's piece by stops to where another one takes it at once: the
/// rooks go from e1 to e2 and on to e3, from d6 to b6 and on to a6.
fn goes_by_stops(at_once: &[Move], by_stops: &[Move]) -> bool {
    let common = common_start(at_once, by_stops);
    let (at_once, by_stops) = (&at_once[common..], &by_stops[common..]);
    let more = by_stops.len().saturating_sub(at_once.len());
    let same = common_end(at_once, by_stops);
    let by_stops = &by_stops[..by_stops.len() - same];
    let goes_on = |moves: &[Move]| moves.len() < 3 || moves[2].from() == Some(moves[0].to());
    !at_once.is_empty()
        && more >= 2
        && by_stops.len() >= STOPPING
        && (0..by_stops.len()).all(|ply| goes_on(&by_stops[ply..]))
}

/// Whether a rival tells that a piece was taken where it had just come, and the line that it took
/// something elsewhere and the reply was none to it.
fn takes_at_once(line: &[Move], rival: &[Move]) -> bool {
    let common = common_start(line, rival);
    let ([there, reply, ..], [here, taking, ..]) = (&line[common..], &rival[common..]) else {
        return false;
    };
    there.is_capture()
        && there.from() == here.from()
        && here.to() == taking.to()
        && there.to() != here.to()
        && (reply.from(), reply.to()) == (taking.from(), taking.to())
}

/// How many plies two lines begin with alike.
pub(super) fn common_start(one: &[Move], other: &[Move]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// How many plies two lines end with alike.
fn common_end(one: &[Move], other: &[Move]) -> usize {
    let pairs = one.iter().rev().zip(other.iter().rev());
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, CastlingMode, Chess, Move, Position, fen::Fen, uci::UciMove};

    use super::{STOPS_OF_BOTH, goes_by_stops, takes_at_once};
    use crate::{Hypothesis, Settings, Tracker, sight::Sight};
    use remisd_vocabulary::sensor::{Placement, Seen};

    fn line(fen: &str, moves: &str) -> Vec<Move> {
        let fen: Fen = fen.parse().unwrap();
        played(fen.into_position(CastlingMode::Standard).unwrap(), moves).0
    }

    fn played(mut position: Chess, moves: &str) -> (Vec<Move>, Chess) {
        let moves = moves.split(' ').map(|uci| {
            let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(m);
            m
        });
        (moves.collect(), position)
    }

    /// By how much the first line, which costs `cost`, has to be cheaper than the other one on a board
    /// without kinds.
    fn asked(told: bool, cost: u32, best: &str, rival: &str) -> Option<u32> {
        let mut tracker = Tracker::new(Settings::default(), Chess::default());
        let mut placement = Placement::from(&Board::empty());
        for square in Chess::default().board().occupied() {
            placement.set(square, Seen::Occupied);
        }
        tracker.sight = Some(Sight::new(&placement));
        tracker.gap = false;
        tracker.ambiguous_since = told.then_some(0);
        for moves in [best, rival] {
            let (line, after) = played(Chess::default(), moves);
            (tracker.hypotheses).push(Hypothesis::new(line, after, cost, 0, 0));
        }
        let lead = tracker.lead(1, cost);
        (0..20).find(|&by| tracker.beats(1, 2, by, cost, lead))
    }

    #[test]
    fn without_kinds_a_line_has_to_lead_by_a_plain_figure() {
        for cost in [0, 3, 40] {
            assert_eq!(asked(false, cost, "g1f3 g8f6", "b1c3 g8f6"), Some(3));
            assert_eq!(asked(true, cost, "g1f3 g8f6", "b1c3 g8f6"), Some(7));
        }
        let asked_of_three = |cost| asked(false, cost, "g1f3 g8f6 d2d4", "b1c3 g8f6 d2d4");
        assert_eq!(asked_of_three(2), Some(3), "hardly anything is unexplained");
        assert_eq!(asked_of_three(3), Some(7));
        assert_eq!(asked_of_three(40), Some(7));
    }

    #[test]
    fn without_kinds_less_is_asked_where_no_later_ply_tells_two_lines_apart() {
        let best = "g1f3 g8f6 b1c3 b8c6";
        assert_eq!(asked(false, 3, best, "b1c3 g8f6 g1f3 b8c6"), Some(5));
        assert_eq!(asked(true, 3, best, "b1c3 g8f6 g1f3 b8c6"), Some(5));
        let longer = "g1h3 g8h6 h3g1 h6g8 g1f3 g8f6 b1c3 b8c6";
        assert_eq!(
            asked(false, 3, best, longer),
            Some(7 + STOPS_OF_BOTH),
            "longer"
        );
    }

    #[test]
    fn without_kinds_more_is_asked_of_a_capture_whose_piece_may_have_been_taken_itself() {
        let before = "e2e4 d7d5 g1f3 g8h6 ";
        let lines = ["e4d5 h6g4", "f3g5 h6g4"].map(|moves| format!("{before}{moves}"));
        assert_eq!(
            asked(false, 3, &lines[0], &lines[1]),
            Some(7),
            "of another piece"
        );
        let before = "d2d4 e7e5 d1d3 d8g5 ";
        let lines = ["d3h7 g5g6", "d3g6 g5g6"].map(|moves| format!("{before}{moves}"));
        assert_eq!(asked(false, 3, &lines[0], &lines[1]), Some(9));
    }

    const ROOKS: &str = "6k1/8/3r4/8/8/8/8/4R1K1 w - - 0 1";
    const QUEENS: &str = "k7/8/5q2/7p/6Q1/8/8/6K1 w - - 0 1";

    #[test]
    fn both_players_that_stop_on_the_way_are_known_from_one_that_does() {
        let by_stops = |at_once, stops| goes_by_stops(&line(ROOKS, at_once), &line(ROOKS, stops));
        assert!(by_stops("e1e3 d6a6", "e1e2 d6b6 e2e3 b6a6"));
        assert!(
            by_stops("e1e3 d6a6 g1h1", "e1e2 d6b6 e2e3 b6a6 g1h1"),
            "whatever follows"
        );
        assert!(!by_stops("e1e3 d6a6", "e1e2 d6a6 e2e3 g8h8"), "one player");
        assert!(!by_stops("e1e3", "e1e2 d6b6 e2e3"), "three plies");
        assert!(
            !by_stops("e1e2 d6b6 e2e3 b6a6", "e1e3 d6a6"),
            "the other way"
        );
    }

    #[test]
    fn a_piece_that_was_taken_where_it_had_just_come_is_known_from_one_that_took_out_of_sight() {
        let at_once = |read, rival| takes_at_once(&line(QUEENS, read), &line(QUEENS, rival));
        assert!(at_once("g4h5 f6g5", "g4g5 f6g5"));
        assert!(at_once("g4h5 f6g5 g1h1", "g4g5 f6g5"), "whatever follows");
        assert!(!at_once("g4g5 f6g5", "g4h5 f6g5"), "the other way");
        assert!(!at_once("g4h5 f6g5", "g4g3 f6g5"), "nothing is taken");
        assert!(!at_once("g4h5 f6e7", "g4g5 f6g5"), "another reply");
        assert!(!at_once("g4e2 f6g5", "g4g5 f6g5"), "it took nothing");
        assert!(!at_once("g4h5", "g4g5"));
        assert!(!at_once("g4h5 f6h6", "g4h5 f6h6"), "there is no difference");
    }
}
