//! Whether the pieces go on in the game, or somebody takes them back.

use shakmaty::Board;

use super::{Hypothesis, due::lacks_only_reply, tracker::Tracker};
use remisd_vocabulary::time::Millis;

/// Plies that are taken back at once.
const GONE_BACK: usize = 8;

/// Where the pieces are going in the game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Course {
    /// On from the settled position.
    #[default]
    Onward,
    /// The board has shown an earlier position, and not the settled one since: pieces were taken
    /// back, and what is moved then may be no play.
    Back,
}

impl Tracker {
    /// The board has shown an earlier position for a while, and nothing else explains it: somebody goes
    /// back in the game, until the settled position is seen again.
    pub(super) fn notice_going_back(&mut self, now: Millis) {
        if now < self.changed_at + self.settings.scan_ms || self.gap {
            return;
        }
        let settled = &self.hypotheses[0];
        if settled.is_exact() || lacks_only_reply(settled) {
            self.course = Course::Onward;
        } else if !self.hypotheses.iter().any(Hypothesis::is_exact)
            && !self.may_be_put_back()
            && self.earlier_of(GONE_BACK).is_some()
        {
            self.course = Course::Back;
        }
    }

    /// How many plies ago the board looked as it does now, if it did in this game.
    pub(super) fn earlier(&self) -> Option<usize> {
        self.earlier_of(usize::MAX)
    }

    /// The same of the last so many.
    fn earlier_of(&self, plies: usize) -> Option<usize> {
        let sight = self.sight.as_ref()?;
        let ignored = self.faults.squares();
        let shows = |board: &Board| sight.difference(board).without(ignored).is_none();
        let ago = self.past.iter().rev().take(plies).position(shows)?;
        Some(ago + 1)
    }
}
