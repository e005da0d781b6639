//! Ends by the Laws alone: mate, stalemate, dead position, fivefold repetition, 75 moves.

use super::Game;
use remisd_laws::{AutomaticEnd, AutomaticKind, DrawState, Ply};

/// An end and the ply after which it came.
pub(super) type End = (Ply, AutomaticEnd);

/// Overruled ends that are kept for one game, the newest ones.
const OVERRULED: usize = 64;

/// The ends by the Laws alone in one record of moves. An end is in force even if play continues.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Ends {
    standing: Option<End>,
    /// The end that came after the claim by which the game is drawn.
    behind_claim: Option<End>,
    /// The first one, kept also when the arbiter has overruled it.
    first: Option<End>,
    /// The first one before a position was set up in this game.
    before_setup: Option<End>,
    /// The ends that the arbiter has overruled, each with its ply.
    overruled: Vec<(Ply, AutomaticKind)>,
    /// A player has offered, answered, claimed or resigned after an end unknown to the player.
    acted_since: bool,
    /// The end after which the arbiter has seen that play continues.
    play_seen: Option<Ply>,
}

impl Ends {
    /// A position is set up: another record of moves begins in the same game.
    pub(super) fn set_up(&mut self) {
        *self = Self {
            before_setup: self.before_setup.or(self.first),
            ..Self::default()
        };
    }

    /// Whether an end would take the place of the one in force.
    pub(super) fn precedes_standing(&self, end: End) -> bool {
        self.standing.is_none_or(|other| goes_before(end, other))
    }

    /// Records an end by the Laws. It need not come into force.
    pub(super) fn note(&mut self, end: End) {
        if self.first.is_none_or(|other| goes_before(end, other)) {
            self.first = Some(end);
        }
    }

    /// Records an end after the claim by which the game is drawn.
    pub(super) fn note_behind_claim(&mut self, end: End) {
        self.behind_claim.get_or_insert(end);
    }

    /// The end is in force from now on.
    pub(super) const fn stand(&mut self, end: End) {
        self.standing = Some(end);
    }

    /// The game is drawn by a claim before the end in force; returns the end's ply.
    pub(super) fn move_behind_claim(&mut self) -> Option<Ply> {
        let end = self.retract()?;
        self.behind_claim = Some(end);
        Some(end.0)
    }

    /// The claim before an end no longer decides the game: that end is in force again.
    pub(super) fn stand_again(&mut self) -> Option<End> {
        let end = self.behind_claim.take()?;
        self.standing = Some(end);
        Some(end)
    }

    /// The arbiter overrules the end in force; returns its ply.
    ///
    /// Play may have continued to another end of the same kind on the board. The arbiter sees that
    /// one as well.
    pub(super) fn overrule(&mut self, ply: Ply, draw: &DrawState) -> Option<Ply> {
        let (at, end) = self.retract()?;
        self.push_overruled((at, end.kind));
        let on_board = draw.automatic.map(|end| end.kind);
        if on_board == Some(end.kind) && !self.is_overruled(end.kind, ply, draw) {
            self.push_overruled((ply, end.kind));
        }
        Some(at)
    }

    fn retract(&mut self) -> Option<End> {
        let end = self.standing.take()?;
        self.acted_since = false;
        Some(end)
    }

    fn push_overruled(&mut self, end: (Ply, AutomaticKind)) {
        if self.overruled.contains(&end) {
            return;
        }
        if self.overruled.len() == OVERRULED {
            self.overruled.remove(0);
        }
        self.overruled.push(end);
    }

    /// Whether the arbiter has overruled an end of this kind.
    ///
    /// Mate and stalemate stay overruled at their ply, a repetition in its position, 75 moves as
    /// long as they last, a dead position for good.
    pub(super) fn is_overruled(&self, kind: AutomaticKind, ply: Ply, draw: &DrawState) -> bool {
        self.overruled.iter().any(|(at, overruled)| {
            let lasts = match kind {
                AutomaticKind::Checkmate | AutomaticKind::Stalemate => *at == ply,
                AutomaticKind::Fivefold => draw.repetition.plies.contains(at),
                AutomaticKind::SeventyFiveMove => at.saturating_add(draw.halfmove_clock) >= ply,
                AutomaticKind::DeadPosition => true,
            };
            *overruled == kind && lasts
        })
    }

    /// The overruled ends whose ply satisfies `wanted`.
    pub(super) fn overruled_where(
        &self,
        wanted: impl Fn(Ply) -> bool,
    ) -> Vec<(Ply, AutomaticKind)> {
        let overruled = self.overruled.iter().copied();
        overruled.filter(|(ply, _)| wanted(*ply)).collect()
    }

    /// These ends stay overruled after a correction of the record.
    pub(super) fn keep_overruled(&mut self, ends: Vec<(Ply, AutomaticKind)>) {
        for end in ends {
            self.push_overruled(end);
        }
    }

    /// Moves are taken back to after `to_ply`. Returns the ply of the end that is set aside.
    ///
    /// 75 moves stay overruled if they are still full after `to_ply`; then `full_since` is the ply
    /// of the last pawn move or capture.
    pub(super) fn take_back_to(&mut self, to_ply: Ply, full_since: Option<Ply>) -> Option<Ply> {
        let later = |end: &mut End| end.0 > to_ply;
        self.behind_claim.take_if(later);
        self.first.take_if(later);
        for (ply, kind) in &mut self.overruled {
            let same = full_since.is_some_and(|since| *ply >= since && to_ply >= since);
            if *kind == AutomaticKind::SeventyFiveMove && *ply > to_ply && same {
                *ply = to_ply;
            }
        }
        self.overruled.retain(|(ply, _)| *ply <= to_ply);
        self.standing.filter(|(ply, _)| *ply > to_ply)?;
        self.retract().map(|(ply, _)| ply)
    }

    /// A player acts although an end is in force that the player does not know of.
    pub(super) const fn note_act(&mut self) {
        self.acted_since = true;
    }

    /// Whether moves or acts of players have followed the end in force.
    pub(super) fn is_played_past(&self, ply: Ply) -> bool {
        self.standing.is_some_and(|(at, _)| ply > at) || self.acted_since
    }

    /// The arbiter has seen that play continues after the end in force.
    pub(super) fn acknowledge_play(&mut self) {
        self.play_seen = self.standing.map(|(ply, _)| ply);
    }

    /// Whether the arbiter has seen that play continues after the end at `ply`.
    pub(super) fn is_play_seen_after(&self, ply: Ply) -> bool {
        self.play_seen == Some(ply)
    }
}

impl Game {
    /// The automatic end in force, and its ply.
    #[must_use]
    pub const fn ended(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ends.standing
    }

    /// The first automatic end of this record and its ply, also when it was overruled or play
    /// has gone on since.
    #[must_use]
    pub const fn first_end(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ends.first
    }

    /// The first end by the Laws alone before a position was set up in this game: its ply is
    /// that of an earlier record.
    #[must_use]
    pub const fn end_before_setup(&self) -> Option<(Ply, AutomaticEnd)> {
        self.ends.before_setup
    }
}

/// Whether an end goes before another: the earlier ply, and after the same ply what the
/// position itself says before what was counted (5.1.1, 5.2 before 9.6).
fn goes_before(one: End, other: End) -> bool {
    let rank = |(ply, end): End| {
        let is_counted = matches!(
            end.kind,
            AutomaticKind::Fivefold | AutomaticKind::SeventyFiveMove
        );
        (ply, is_counted)
    };
    rank(one) < rank(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_laws::{Edition, History};

    const EDITION: &Edition = &remisd_laws::FIDE_2023;

    fn end(ply: Ply, kind: AutomaticKind) -> End {
        (ply, kind.under(EDITION))
    }

    #[test]
    fn the_position_goes_before_what_was_counted() {
        let mut ends = Ends::default();
        ends.stand(end(4, AutomaticKind::Fivefold));
        assert!(ends.precedes_standing(end(4, AutomaticKind::DeadPosition)));
        assert!(ends.precedes_standing(end(3, AutomaticKind::SeventyFiveMove)));
        assert!(!ends.precedes_standing(end(4, AutomaticKind::SeventyFiveMove)));
        assert!(!ends.precedes_standing(end(5, AutomaticKind::DeadPosition)));
    }

    #[test]
    fn an_end_that_falls_takes_the_acts_after_it_along() {
        let mut ends = Ends::default();
        ends.stand(end(4, AutomaticKind::Fivefold));
        ends.note_act();
        assert!(ends.is_played_past(4));
        assert_eq!(ends.take_back_to(4, None), None);
        assert_eq!(ends.take_back_to(3, None), Some(4));
        assert!(!ends.is_played_past(9));
    }

    #[test]
    fn full_75_moves_stay_overruled_when_moves_are_taken_back() {
        let draw = History::new(shakmaty::Chess::default()).draw_state(EDITION);
        let overruled = |full_since| {
            let mut ends = Ends::default();
            ends.stand(end(160, AutomaticKind::SeventyFiveMove));
            assert_eq!(ends.overrule(160, &draw), Some(160));
            ends.take_back_to(155, full_since);
            ends.is_overruled(AutomaticKind::SeventyFiveMove, 155, &draw)
        };
        assert!(overruled(Some(4)));
        assert!(!overruled(Some(157)), "other 75 moves");
        assert!(!overruled(None), "not full any more");
    }

    #[test]
    fn corrections_do_not_make_overruled_ends_grow() {
        let draw = History::new(shakmaty::Chess::default()).draw_state(EDITION);
        let mut ends = Ends::default();
        for round in 0..3 * u32::try_from(OVERRULED).unwrap() {
            let ply = 160 + round;
            ends.stand(end(ply, AutomaticKind::SeventyFiveMove));
            ends.overrule(ply, &draw);
            let overruled = ends.overruled_where(|at| at > 155);
            ends.take_back_to(155, Some(4));
            ends.keep_overruled(overruled);
            assert!(ends.overruled.len() <= OVERRULED, "{round}");
            let newest = (ply, AutomaticKind::SeventyFiveMove);
            assert!(ends.overruled.contains(&newest), "{round}");
        }
    }
}
