//! What may have been on the board before the players took the kings to show a result.

use shakmaty::{Bitboard, Move, Position};

use super::{
    Hypothesis, due::is_king_to_centre, evidence::margin, hypothesis::FOREIGN, sight::Sight,
    tracker::Tracker,
};
use remisd_vocabulary::time::Millis;

/// Within this time after the first king the other one is taken up, where a result is shown.
pub(super) const BOTH_KINGS_MS: Millis = 2_000;

/// The lines that are known while a result is shown.
struct BeforeSign<'a> {
    tracker: &'a Tracker,
    /// Where the kings stand, if they show it.
    kings: Option<Bitboard>,
    /// Whether a piece in the centre may be a king or what stood there.
    blind: bool,
}

impl Tracker {
    /// The lines that may have been on the board before the kings were taken: the likeliest one,
    /// and those that are as good.
    pub(super) fn last_before_sign(&self) -> Vec<usize> {
        let sight = self.sight.as_ref();
        let before = BeforeSign {
            tracker: self,
            kings: sight.and_then(|sight| self.kings_in_centre(sight)),
            blind: sight.map_or(Bitboard::EMPTY, Sight::unknown).any(),
        };
        let mut possible = before.possible();
        if let Some(best) = before.best(&possible) {
            possible.retain(|&index| before.is_as_good(index, best));
            possible.sort_by_key(|&index| (before.moved(index), before.cost(index)));
            let lonely = (0..self.hypotheses.len()).filter(|&index| before.is_lonely(index));
            let besides: Vec<usize> = lonely.filter(|index| !possible.contains(index)).collect();
            possible.extend(besides);
        }
        possible
    }
}

impl BeforeSign<'_> {
    fn line(&self, index: usize) -> &Hypothesis {
        &self.tracker.hypotheses[index]
    }

    /// Those that are known to have been on the board.
    fn possible(&self) -> Vec<usize> {
        let all = 0..self.tracker.hypotheses.len();
        let all: Vec<usize> = all.filter(|&index| self.may_be(index)).collect();
        let stood = |index: usize| self.line(index).stood.is_some();
        let shown = |index: usize| {
            let line = self.line(index);
            // Where kinds are not known, a capture that nobody saw stands beside the piece still being in
            // the hand.
            line.line.is_empty() || line.clear_ms() > 0 || (self.blind && stood(index))
        };
        if all.iter().any(|&index| shown(index)) {
            all.into_iter().filter(|&index| shown(index)).collect()
        } else {
            all.into_iter().filter(|&index| stood(index)).collect()
        }
    }

    fn may_be(&self, index: usize) -> bool {
        let line = self.line(index);
        let played = self.tracker.was_played(line) == line.line.len();
        self.is_explained(index) && !self.is_first_step(index) && played
    }

    /// Whether the kings and what made room for them are all that is amiss. Where they show the result,
    /// neither is where something still stands outside of the centre.
    fn is_explained(&self, index: usize) -> bool {
        let line = self.line(index);
        let kings = line.after.board().kings();
        let amiss = line.difference.all();
        let left = self.kings.is_none() || (kings & !Bitboard::CENTER).is_subset(amiss);
        amiss.is_subset(kings | Bitboard::CENTER) && left
    }

    /// The step of a king to the centre that a line ends with.
    fn step(&self, index: usize) -> Option<Move> {
        let last = self.line(index).line.last().copied();
        last.filter(|last| is_king_to_centre(*last))
    }

    /// Whether the last step of a line is where the king stands now, to show the result.
    fn is_first_step(&self, index: usize) -> bool {
        let line = self.line(index);
        let stays = |m: Move| !line.difference.all().contains(m.to());
        let soon = line.clear_ms() < self.tracker.settings.result_ms;
        self.kings.is_some() && soon && self.step(index).is_some_and(stays)
    }

    /// Whether a line ends with a king in the centre for so long that it was hardly the sign: who puts his
    /// king there to show a result does not wait for long with the other one, nor before he takes it to
    /// another square.
    fn is_lonely(&self, index: usize) -> bool {
        let long = BOTH_KINGS_MS..self.tracker.settings.result_ms;
        let held_back = long.contains(&self.line(index).clear_ms());
        let step = self.kings.is_some() && self.step(index).is_some();
        held_back && step && self.is_explained(index)
    }

    fn best(&self, possible: &[usize]) -> Option<usize> {
        let all = possible.iter().copied();
        all.min_by_key(|&index| (self.moved(index), self.cost(index)))
    }

    fn is_as_good(&self, index: usize, best: usize) -> bool {
        let both = [index, best];
        let alike = self.blind && self.line(index).line.len() == self.line(best).line.len();
        // A step of a king to the centre may be the sign itself, whatever is amiss before it.
        let [cost, least] = if self.step(index).is_some() == self.step(best).is_some() {
            both.map(|index| self.cost(index))
        } else {
            both.map(|index| self.line(index).cost)
        };
        // The more is left unexplained, also of the sign itself, the less a little decides.
        let lead = margin(least);
        cost < least.saturating_add(lead) && (alike || self.moved(index) == self.moved(best))
    }

    /// How many pieces have made room for a king where something else stands by this line.
    fn room(&self, index: usize) -> u32 {
        let line = self.line(index);
        let kings = self.kings.unwrap_or(Bitboard::EMPTY);
        let made = kings & !line.after.board().kings() & !line.difference.all();
        u32::try_from(made.count()).unwrap_or(u32::MAX)
    }

    /// How many squares the players have changed to show the result.
    fn moved(&self, index: usize) -> u32 {
        let amiss = self.line(index).difference.all().count();
        u32::try_from(amiss)
            .unwrap_or(u32::MAX)
            .saturating_add(self.room(index))
    }

    fn cost(&self, index: usize) -> u32 {
        let total = self.tracker.total(index, self.tracker.changed_at);
        total.saturating_add(FOREIGN * self.room(index))
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{
        CastlingMode, Chess, Color, Move, Position, Role, Square, fen::Fen, uci::UciMove,
    };

    use crate::{Reading, Settings, Tracker};
    use remisd_vocabulary::sensor::{Placement, ResultPiece, Seen, Sensed};

    /// Which moves are settled when a piece of White's has gone from one square to another, and both kings
    /// show a result, or a piece of its own does.
    fn settled((from, to, role): (Square, Square, Role), by_kings: bool) -> Vec<Move> {
        let fen: Fen = "8/8/7k/8/8/4K3/8/R7 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let mut tracker = Tracker::new(Settings::default(), position.clone());
        tracker.sense(&Sensed::Placement(Placement::from(position.board())), 0);
        let mut told = |square, seen, at| tracker.sense(&Sensed::Square(square, seen), at);
        told(from, Seen::Empty, 5_000);
        told(to, Seen::Piece(role.of(Color::White)), 5_300);
        if by_kings {
            for (at, from, to, color) in [
                (5_400, Square::E3, Square::E4, Color::White),
                (6_000, Square::H6, Square::D5, Color::Black),
            ] {
                told(from, Seen::Empty, at);
                told(to, Seen::Piece(Role::King.of(color)), at + 300);
            }
        } else {
            let piece = ResultPiece::WhiteWins;
            told(Square::C5, Seen::ResultPiece(piece), 5_500);
        }
        for at in (14..60).map(|half| half * 500) {
            tracker.tick(at);
        }
        let readings = tracker.readings();
        let proposed = |one: &Reading| matches!(one, Reading::Proposed(_));
        assert!(readings.iter().any(proposed), "{readings:?}");
        let amiss = |one: &Reading| matches!(one, Reading::Mismatch(_));
        assert!(!readings.iter().any(amiss), "{readings:?}");
        let moves = readings.iter().filter_map(|reading| match reading {
            Reading::Settled(settled) => Some(settled.m),
            _ => None,
        });
        moves.collect()
    }

    #[test]
    fn a_last_move_is_not_lost_whatever_shows_the_result() {
        let fen: Fen = "8/8/7k/8/8/4K3/8/R7 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let of = |uci: &str| uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        let rook = (Square::A1, Square::A2, Role::Rook);
        assert_eq!(settled(rook, true), [of("a1a2")]);
        assert_eq!(settled(rook, false), [of("a1a2")]);
        let king = (Square::E3, Square::E4, Role::King);
        assert_eq!(settled(king, false), [of("e3e4")]);
    }
}
