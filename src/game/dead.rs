//! Dead positions: what the solver has found out, and since when the game was over.

use super::{Fact, Game};
use remisd_dead::{Grounds, Proofs, Verdict};
use remisd_laws::{AutomaticKind, Ply};

impl Game {
    /// Whether a dead position on the board, or one before it, would be how the game has
    /// ended: it goes before a repetition and 75 moves after the same ply, and before a
    /// stalemate after a later one.
    #[must_use]
    pub fn may_have_died(&self) -> bool {
        self.ended.is_none_or(|(ply, end)| {
            let goes_before = matches!(
                end.kind,
                AutomaticKind::Fivefold | AutomaticKind::SeventyFiveMove | AutomaticKind::Stalemate
            );
            ply == self.ply() && goes_before
        })
    }

    /// Whether the position on the board is mate or stalemate, which everybody sees.
    #[must_use]
    pub fn is_over_on_the_board(&self) -> bool {
        let over = self.draw.automatic.map(|end| end.kind);
        matches!(
            over,
            Some(AutomaticKind::Checkmate | AutomaticKind::Stalemate)
        )
    }

    /// Why no side could mate in the position that ended the game, and after which ply.
    #[must_use]
    pub fn grounds(&self) -> Option<(Ply, &Grounds)> {
        let (ply, grounds) = self.grounds.as_ref()?;
        Some((*ply, grounds))
    }

    /// The solver has an answer about the position after a ply, which an input has brought:
    /// `asked` are both numbers. Of a dead one, that it has been so since an earlier ply.
    pub(super) fn dead_verdict(
        &mut self,
        asked: (Ply, u64),
        verdict: Verdict,
        since: Ply,
        proofs: Option<&Proofs>,
    ) -> Vec<Fact> {
        let ply = self.ply();
        if asked != (ply, self.position_seq) {
            return Vec::new();
        }
        self.dead = Some(verdict);
        let mut facts = vec![Fact::DeadVerdict { ply, verdict }];
        let since = since.min(ply);
        let natural = since == ply && self.is_over_on_the_board();
        if verdict == Verdict::Dead && !natural {
            let end = AutomaticKind::DeadPosition.under(self.regulations.edition);
            self.grounds = proofs.and_then(|proofs| {
                let positions = self.positions_from(since);
                Some((since, Grounds::of(positions.first()?, proofs)?))
            });
            facts.extend(self.end_after(since, end));
        }
        facts
    }
}
