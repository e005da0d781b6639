//! What the solver has found out: who can still mate, and since when no one can.

use super::{CanMate, Fact, Game};
use remisd_dead::{Grounds, Proofs, Verdict};
use remisd_laws::{AutomaticKind, Ply};
use remisd_vocabulary::seq::EntrySeq;

/// What the solver has found out about the position on the board.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Solved {
    dead: Option<Verdict>,
    can_mate: Option<CanMate>,
    /// Why no side could mate in a position of this record, and after which ply.
    grounds: Option<(Ply, Grounds)>,
}

impl Solved {
    /// Another position is on the board.
    pub(super) const fn position_changed(&mut self) {
        self.dead = None;
        self.can_mate = None;
    }

    /// Moves are taken back to after `to_ply`.
    pub(super) fn take_back_to(&mut self, to_ply: Ply) {
        self.position_changed();
        self.grounds.take_if(|(ply, _)| *ply > to_ply);
    }

    /// The solver has examined both sides.
    pub(super) const fn answer(&mut self, can_mate: CanMate) {
        self.can_mate = Some(can_mate);
    }
}

impl Game {
    /// Whether either side can still mate; `None` while it is not known.
    #[must_use]
    pub const fn dead(&self) -> Option<Verdict> {
        self.solved.dead
    }

    /// Which side can still mate; `None` while the solver was not asked.
    #[must_use]
    pub const fn can_mate(&self) -> Option<CanMate> {
        self.solved.can_mate
    }

    /// Whether a dead position on the board, or one before it, would be how the game has ended. It
    /// precedes a repetition and 75 moves after the same ply, and a stalemate after a later one.
    #[must_use]
    pub fn may_have_died(&self) -> bool {
        self.ended().is_none_or(|(ply, end)| {
            let goes_before = matches!(
                end.kind,
                AutomaticKind::Fivefold | AutomaticKind::SeventyFiveMove | AutomaticKind::Stalemate
            );
            ply == self.ply() && goes_before
        })
    }

    /// Whether the position on the board is mate or stalemate, which is visible to everybody.
    #[must_use]
    pub fn is_over_on_the_board(&self) -> bool {
        let over = self.draw().automatic.map(|end| end.kind);
        matches!(
            over,
            Some(AutomaticKind::Checkmate | AutomaticKind::Stalemate)
        )
    }

    /// Why no side could mate in the position that ended the game, and after which ply.
    #[must_use]
    pub fn grounds(&self) -> Option<(Ply, &Grounds)> {
        let (ply, grounds) = self.solved.grounds.as_ref()?;
        Some((*ply, grounds))
    }

    /// The solver has an answer about the position after a ply.
    ///
    /// `asked` is that ply and the input that produced the position. A dead position has been so
    /// since the ply `since`.
    pub(super) fn dead_verdict(
        &mut self,
        asked: (Ply, EntrySeq),
        verdict: Verdict,
        since: Ply,
        proofs: Option<&Proofs>,
    ) -> Vec<Fact> {
        let ply = self.ply();
        if asked != (ply, self.position_seq()) {
            return Vec::new();
        }
        self.solved.dead = Some(verdict);
        let mut facts = vec![Fact::DeadVerdict { ply, verdict }];
        let since = since.min(ply);
        let natural = since == ply && self.is_over_on_the_board();
        if verdict == Verdict::Dead && !natural {
            let end = AutomaticKind::DeadPosition.under(self.regulations.edition);
            self.solved.grounds = proofs.and_then(|proofs| {
                let positions = self.positions_from(since);
                Some((since, Grounds::of(positions.first()?, proofs)?))
            });
            facts.extend(self.end_after(since, end));
        }
        facts
    }
}
