//! Keeping the lines side by side that may explain what is seen.

use shakmaty::{Bitboard, Chess, Move, Position as _};

use super::{
    Hypothesis,
    changes::Changes,
    contested::may_have_moved,
    evidence,
    keep::HOPELESS,
    origins::MOST_ORIGINS,
    search::Search,
    sight::Sight,
    stands::{self, avoided},
    story::{self, Story},
    tracker::{Tracker, Watching},
};
use remisd_vocabulary::time::Millis;

/// Plies that are thought of after one event while other squares are amiss.
const PLIES_UNFINISHED: usize = 3;
/// Plies that are searched where every piece that moved was seen to move.
const PLIES_OF_ACTIVE: usize = 6;
/// Plies that are searched when the board is seen again after a gap. Not more: with
/// four, a piece that went out and back would explain almost any illegal position.
const PLIES_AFTER_GAP: usize = 3;
/// By how many plies more than those known a line is sought that questions one which explains all.
const LONGER: usize = 1;
/// And where no kinds are seen, so that a piece that has left its square may have captured already.
const LONGER_WITHOUT_KINDS: usize = 2;
/// The longest line that is kept.
const LONGEST: usize = 64;
/// Positions that are looked at after one event, at most.
pub(super) const POSITIONS: u32 = 1_500;
/// The same after a gap, which happens seldom.
const POSITIONS_AFTER_GAP: u32 = 30_000;

/// A line that goes on from a hypothesis, and the position after it.
type Found = (usize, Vec<Move>, Chess);

impl Tracker {
    /// Looks for the lines that explain what is seen now, and draws the conclusions.
    pub(super) fn explain(&mut self, now: Millis) {
        if self.sight.is_none() {
            return;
        }
        self.sign_leaves();
        if let Watching::NewArray { stands } = self.watching {
            // The game is closed. A new one begins with the start array, or with a first
            // move from it if that was set up already.
            self.start_seen |= stands;
            self.try_new_game(now);
            return;
        }
        self.faults_recover(now);
        self.weigh(now);
        let explained = |hypothesis: &Hypothesis| {
            hypothesis.is_exact()
                && hypothesis.cost == 0
                && stands::returned(hypothesis, &self.hypotheses) == 0
        };
        if !self.hypotheses.iter().any(explained) {
            self.grow(now);
        }
        if self.hypotheses.iter().any(Hypothesis::is_exact) {
            self.unexplained_since = None;
        } else {
            self.unexplained_since.get_or_insert(now);
        }
        self.reconsider(now);
        self.note_doubt(now);
        self.decide(now);
    }

    /// Notes since when it has not been clear what stands on the board.
    pub(super) fn note_doubt(&mut self, now: Millis) {
        let choice = self.choose(now);
        if choice.clear && self.hypotheses[choice.best].is_exact() {
            self.doubtful_since = None;
        } else {
            self.doubtful_since.get_or_insert(now);
        }
    }

    /// Holds every line against what is seen.
    pub(super) fn weigh(&mut self, now: Millis) {
        let Some(sight) = &self.sight else { return };
        let ignored = self.faults.squares();
        for hypothesis in &mut self.hypotheses {
            hypothesis.hold_against(sight, ignored, now, &self.changes, self.settings.scan_ms);
        }
    }

    /// Seeks lines that go on from the known ones to what is seen.
    pub(super) fn grow(&mut self, now: Millis) {
        let Some(sight) = self.sight.clone() else {
            return;
        };
        let mut found = self.further(&sight, now);
        if !self.is_blind(now) {
            found.extend(self.unfinished(&sight, now));
        }
        let known = self.hypotheses.len();
        let most_cost = self.least_total(now).saturating_add(HOPELESS);
        for (origin, line, after) in found {
            // Lines that lead to the same position go on as one does, whatever the search had time
            // for.
            let here = &self.hypotheses[origin];
            let same = |other: &usize| {
                let other = &self.hypotheses[*other];
                other.line.len() == here.line.len() && other.after == here.after
            };
            let twins: Vec<usize> = (0..known).filter(same).collect();
            for twin in twins {
                self.add(twin, &line, &after, &sight, now, most_cost);
            }
        }
        self.keep_the_cheapest(now);
        let best = self.choose(now).best;
        if self.hypotheses[best].line.len() >= LONGEST {
            // What goes on from it is sought no more.
            self.least_given_up = Some(0);
        }
    }

    /// Whether anything may have been played unseen: the board has come into sight, and nothing
    /// that explains it has been found yet.
    pub(super) fn is_blind(&self, now: Millis) -> bool {
        let mut known = self.hypotheses.iter();
        self.gap && (self.looked_at == now || !known.any(|known| self.was_found(known)))
    }

    /// Whether the board has looked as after a line since it came into sight.
    pub(super) fn was_found(&self, known: &Hypothesis) -> bool {
        known
            .stood
            .is_some_and(|stood| stood.until >= self.found_at)
    }

    /// The shortest lines from the settled position that lead through known ones to exactly
    /// what is seen, and those that are longer by a ply, or two
    /// where no kinds are seen.
    fn further(&self, sight: &Sight, now: Millis) -> Vec<Found> {
        let blind = self.is_blind(now);
        let (most, budget) = if blind {
            (PLIES_AFTER_GAP, POSITIONS_AFTER_GAP)
        } else {
            (PLIES_OF_ACTIVE, POSITIONS)
        };
        let mut search = Search::new(sight, self.faults.squares(), budget);
        search.blind = blind;
        let origins = self.origins(now);
        let mut found: Vec<Found> = Vec::new();
        // One ply further is thought of from each of them.
        for &origin in &origins {
            if self.hypotheses[origin].line.len() < LONGEST {
                self.further_from(origin, 1, &mut search, &mut found);
            }
        }
        let origins = &origins[..origins.len().min(MOST_ORIGINS)];
        let longest = (origins.iter())
            .map(|&origin| self.hypotheses[origin].line.len())
            .max()
            .unwrap_or(0);
        let ignored = self.faults.squares();
        // What the board showed before it went out of sight, and was not settled.
        let shown = |origin: &&usize| {
            let known = &self.hypotheses[**origin];
            let shown = known.clear_ms() > 0 || self.out_of_sight.began_at(&known.after, ignored);
            !known.line.is_empty() && shown
        };
        let seen = (origins.iter().filter(shown))
            .map(|&origin| self.hypotheses[origin].line.len())
            .max();
        let longer = if self.knows_no_kinds() {
            LONGER_WITHOUT_KINDS
        } else {
            LONGER
        };
        let each = longest + longer;
        let longest = longest + most;
        let mut enough = longest;
        for length in 1..=longest.min(LONGEST) {
            if length > enough {
                break;
            }
            for &origin in origins {
                let hypothesis = &self.hypotheses[origin];
                let plies = length.saturating_sub(hypothesis.line.len());
                if (2..=most).contains(&plies) {
                    self.further_from(origin, plies, &mut search, &mut found);
                }
            }
            let known = found.iter().any(|(origin, line, after)| {
                let short = self.hypotheses[*origin].line.len() + line.len() <= length;
                // Whose move it is, the clock knows where the board has not seen it.
                short && self.to_move().is_none_or(|to_move| to_move == after.turn())
            });
            if known && enough == longest {
                // What explains everything is not questioned by longer lines, but where more
                // plies have been seen already.
                let free = |one: &Found| {
                    self.hypotheses[one.0].cost == 0 && self.further_cost(one, sight) == 0
                };
                let longer =
                    |known: &Hypothesis| known.clear_ms() > 0 && known.line.len() >= length;
                let back = self.hypotheses.iter().any(longer);
                let question = !blind && (back || !found.iter().any(free));
                enough = if question {
                    each.max(length + 2)
                } else if blind {
                    // Nobody saw whose move it is now, nor what was played of what was seen
                    // before.
                    seen.map_or(0, |seen| seen + most).max(length + 1)
                } else {
                    length
                };
            }
        }
        if blind && search.budget == 0 {
            // Nobody knows what else would explain it.
            found.clear();
        }
        found
    }

    /// The lines that go on from one hypothesis for so many plies and are not known.
    fn further_from(
        &self,
        origin: usize,
        plies: usize,
        search: &mut Search<'_>,
        found: &mut Vec<Found>,
    ) {
        let hypothesis = &self.hypotheses[origin];
        search.active = if search.blind {
            Bitboard::FULL
        } else {
            self.active_after(hypothesis)
        };
        let left = search.budget;
        // A few plies are thought of whatever has been spent on longer lines.
        let few = plies == 1 || (plies == 2 && !search.blind);
        if few {
            search.budget = POSITIONS;
        }
        search.lines(&hypothesis.after, plies);
        if few {
            search.budget = left;
        }
        for (line, after) in search.found.drain(..) {
            let whole = [&hypothesis.line[..], &line].concat();
            let known = self.hypotheses.iter().any(|known| known.line == whole);
            let landed = |last: &Move| !search.blind && self.has_just_landed(*last);
            if !known || line.last().is_some_and(landed) {
                found.push((origin, line, after));
            }
        }
    }

    /// Whether a piece of unknown kind has come this moment to where a move ends: a line that was
    /// thought of before may be told anew with it.
    fn has_just_landed(&self, m: Move) -> bool {
        let unknown = |sight: &Sight| sight.unknown().contains(m.to());
        self.sight.as_ref().is_some_and(unknown) && self.changes.at(m.to()) == Some(self.changed_at)
    }

    /// Lines that stand on the board although other squares are amiss.
    fn unfinished(&self, sight: &Sight, now: Millis) -> Vec<Found> {
        let mut search = Search::new(sight, self.faults.squares(), POSITIONS);
        let origins = self.origins(now);
        let mut found: Vec<Found> = Vec::new();
        for plies in 1..=PLIES_UNFINISHED {
            let many = if plies == 1 { usize::MAX } else { MOST_ORIGINS };
            for &origin in origins.iter().take(many) {
                let hypothesis = &self.hypotheses[origin];
                if hypothesis.line.len() + plies > LONGEST {
                    continue;
                }
                search.active = self.active_after(hypothesis);
                search.unfinished_lines(&hypothesis.after, plies);
                if plies == 1 {
                    search.stuck_moves(&hypothesis.after);
                }
                let lines = search.found.drain(..);
                let told = |(line, _): &(Vec<Move>, Chess)| self.is_told(hypothesis, line, sight);
                let lines = lines.filter(|line| !told(line));
                found.extend(lines.map(|(line, after)| (origin, line, after)));
            }
        }
        found
    }

    /// Whether a line is known that ends where no kinds are seen, and nothing has come there now that
    /// could tell it anew.
    fn is_told(&self, from: &Hypothesis, further: &[Move], sight: &Sight) -> bool {
        let unknown = |m: &Move| sight.unknown().contains(m.to()) && !self.has_just_landed(*m);
        let known = |one: &Hypothesis| {
            let rest = one.line.strip_prefix(&from.line[..]);
            rest == Some(further)
        };
        further.last().is_some_and(unknown) && self.hypotheses.iter().any(known)
    }

    /// Takes a line that goes on from a known one, if it costs no more than `most_cost`.
    fn add(
        &mut self,
        origin: usize,
        line: &[Move],
        after: &Chess,
        sight: &Sight,
        now: Millis,
        most_cost: u32,
    ) {
        let from = &self.hypotheses[origin];
        let further = self.cost_from(from, line, sight);
        // Its next moves may have begun before it was finished.
        let cost = from.cost + further + self.cost_unseen(from, line);
        if cost > most_cost {
            return;
        }
        let whole = [&from.line[..], line].concat();
        let mut hypothesis = Hypothesis::new(whole, after.clone(), cost, from.since(), from.told);
        (hypothesis.leap, hypothesis.leap_plies) = if further > from.leap {
            (further, hypothesis.line.len())
        } else {
            (from.leap, from.leap_plies)
        };
        hypothesis.spent_at_start = from.spent_after(0);
        for (ply, spent) in from.spent.iter().enumerate() {
            hypothesis.spent[ply] = *spent;
        }
        if let Some(last) = from.line.len().checked_sub(1) {
            hypothesis.spent[last] = from.cost.into();
        }
        hypothesis.rested_against = from.rested_against;
        hypothesis.untold = [&from.untold[..], line].concat();
        let scan_ms = self.settings.scan_ms;
        hypothesis.hold_against(sight, self.faults.squares(), now, &self.changes, scan_ms);
        let no_kinds = self.knows_no_kinds();
        let changes = &self.changes;
        let same = |known: &&mut Hypothesis| known.line == hypothesis.line;
        match self.hypotheses.iter_mut().find(same) {
            // Where no kinds are seen, what came since the board showed the line may be the piece of a later
            // move: it makes this one no cheaper.
            Some(known)
                if no_kinds
                    && known.stood_after(&hypothesis)
                    && may_be_a_later_one(known, changes) => {}
            Some(known) => known.take_cheaper(hypothesis, &self.changes, scan_ms),
            None if hypothesis.cost_so_far(&self.changes, scan_ms) > most_cost => {}
            None => self.hypotheses.push(hypothesis),
        }
    }

    /// What a line costs beyond the hypothesis it goes on from.
    pub(super) fn cost_from(&self, from: &Hypothesis, line: &[Move], sight: &Sight) -> u32 {
        let scan_ms = self.settings.scan_ms;
        evidence::cost(from, line, &self.hypotheses, sight, &self.changes, scan_ms)
    }

    /// What it costs besides that a line does not lead through what was seen at both ends of the
    /// time in which nobody saw the board.
    fn cost_unseen(&self, from: &Hypothesis, line: &[Move]) -> u32 {
        if !self.gap || self.was_found(from) {
            return 0;
        }
        let ignored = self.faults.squares();
        let last = |known: &&Hypothesis| self.out_of_sight.began_at(&known.after, ignored);
        let charged = avoided(from, line, self.hypotheses.iter().filter(last));
        (self.out_of_sight).cost(&from.after, line, ignored, charged)
    }

    /// What a line costs beyond the hypothesis it goes on from, with what the changes since say
    /// against it.
    pub(super) fn further_cost(&self, (origin, line, after): &Found, sight: &Sight) -> u32 {
        let from = &self.hypotheses[*origin];
        let cost = self.cost_from(from, line, sight) + self.cost_unseen(from, line);
        let untold = [&from.untold[..], line].concat();
        let scan_ms = self.settings.scan_ms;
        let story = Story {
            changes: &self.changes,
            told: from.told,
            line: &untold,
            after,
            now: Bitboard::EMPTY,
            scan_ms,
        };
        cost + story::cost(story, None)
    }
}

/// Whether a piece that was taken up since the board showed a line may have come to where its last move
/// ends.
fn may_be_a_later_one(known: &Hypothesis, changes: &Changes) -> bool {
    let Some(last) = known.line.last() else {
        return false;
    };
    let board = known.after.board();
    changes.since(known.told).any(|change| {
        let piece = board.piece_at(change.square).filter(|_| change.is_empty());
        piece.is_some_and(|piece| may_have_moved(piece, piece.color, change.square, last.to()))
    })
}
