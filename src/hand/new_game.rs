//! A new game: the start array, or first moves made in it.

use shakmaty::{Bitboard, Board, Chess, Move};

use super::{
    Hypothesis, Reading, SettledBy,
    before_sign::BOTH_KINGS_MS,
    due::is_king_to_centre,
    explain::POSITIONS,
    search::Search,
    sight::Sight,
    tracker::{MOST_IN_HAND, Tracker, Watching},
};
use remisd_vocabulary::time::Millis;

/// Plies at most that are taken for first steps of clearing the board.
const MOST_STEPS: usize = 4;
/// How long it may take from the first steps of clearing the board to the start array.
const CLEARING_MS: Millis = 45_000;

impl Tracker {
    /// Whether what is seen is the array at the start of a game.
    pub(super) fn sees_start_array(&self) -> bool {
        self.sight
            .as_ref()
            .is_some_and(|sight| sight.is(&Board::new()))
    }

    /// The start array, or a first move made in it before it was taken for a new game.
    pub(super) fn try_new_game(&mut self, now: Millis) {
        if !self.settings.new_games {
            return;
        }
        if self.sees_start_array() {
            self.start_seen |= !self.start_stood;
            return;
        }
        if !self.start_seen {
            return;
        }
        let Some(sight) = self.sight.clone() else {
            return;
        };
        let lines = first_moves(&sight);
        if let [(line, _)] = &lines[..]
            && !line.is_empty()
        {
            self.begin_new_game(now);
            self.explain(now);
        }
    }

    /// Whether the start array stands but for what hands may hold or have brushed by.
    pub(super) fn nearly_shows_start_array(&self) -> bool {
        (self.sight.as_ref())
            .is_some_and(|sight| sight.difference(&Board::new()).all().count() <= MOST_IN_HAND)
    }

    pub(super) fn begin_new_game(&mut self, now: Millis) {
        self.gap = false;
        self.out_of_sight.close();
        self.settle_last_step();
        // What was amiss in the game before was never explained, and nobody says that it was.
        self.mismatch = None;
        self.undo_late_revision();
        // The last move of a game stands for a while before anybody clears the board.
        // Where many have not, the game was played that fast, and nothing can be told;
        // nor where the board was in use for long after the last ply that was read.
        let soon = self.changed_at <= self.settled_at + CLEARING_MS;
        if self.unrested <= MOST_STEPS && soon {
            let steps = std::iter::repeat_n(Reading::Withdrawn, self.unrested);
            self.readings.extend(steps);
        }
        self.readings.push(Reading::NewGame);
        self.take_up(Chess::default(), 0, now);
    }

    /// A king's step to the centre that was held back, since it could have begun to show the result,
    /// was the last move of the game if it stood alone for long, and no result was shown.
    fn settle_last_step(&mut self) {
        let stood_alone = |known: &Hypothesis| {
            let steps = known
                .line
                .last()
                .is_some_and(|last| is_king_to_centre(*last));
            steps && known.clear_ms() >= BOTH_KINGS_MS
        };
        let step = self.hypotheses.iter().position(stood_alone);
        let known = self.watching == Watching::Game && !self.choose(self.changed_at).given_up;
        if let Some(step) = step.filter(|_| known) {
            self.settle_all(step, SettledBy::StoodStill, self.gap);
        }
    }
}

/// The shortest lines of first moves, up to one of each player, to exactly what is seen.
fn first_moves(sight: &Sight) -> Vec<(Vec<Move>, Chess)> {
    let mut search = Search::new(sight, Bitboard::EMPTY, POSITIONS);
    for plies in 0..=2 {
        search.lines(&Chess::default(), plies);
        if !search.found.is_empty() {
            break;
        }
    }
    search.found
}
