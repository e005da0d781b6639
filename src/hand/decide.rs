//! What is settled, and when: the cheapest line wins when it is clear, and nothing is
//! settled while two are close.

use super::{
    SettledBy,
    due::lacks_only_reply,
    tracker::{Tracker, Watching},
};
use remisd_vocabulary::time::Millis;

impl Tracker {
    /// Settles what is beyond doubt now.
    pub(super) fn decide(&mut self, now: Millis) {
        if self.watching != Watching::Game || self.sight.is_none() {
            return;
        }
        let choice = self.choose(self.changed_at);
        if self.hypotheses[choice.best].is_exact() {
            self.start_seen &= !choice.clear;
            let gap = self.gap;
            // What was done out of sight is settled as such first.
            if choice.clear && (choice.best == 0 || !gap) {
                self.agree();
            }
            if choice.clear || !gap {
                self.settle_replied(choice, gap, now);
            }
        } else if choice.clear && lacks_only_reply(&self.hypotheses[choice.best]) {
            self.settle_replied(choice, self.gap, now);
            self.opponent_lifted(self.choose(self.changed_at), now);
        } else {
            self.try_new_game(now);
        }
    }

    /// Time has passed with the board as it is.
    pub(super) fn stand_still(&mut self, now: Millis) {
        if self.start_seen && self.sees_start_array() {
            self.begin_new_game(now);
            return;
        }
        if self.watching != Watching::Game {
            self.propose();
            return;
        }
        if self.reply_due().is_some_and(|due| now >= due) {
            self.decide(now);
            return;
        }
        // Who is called late finds what was clear when he should have been called.
        let due = self.pending_due().filter(|due| now >= *due);
        let when_due = || due.and_then(|due| self.pending(due));
        if let Some(index) =
            (self.pending(now).or_else(when_due)).filter(|&index| now >= self.shown_at(index))
        {
            let by_lever = self.lever_due(index).is_some_and(|due| now >= due);
            let by = if by_lever {
                SettledBy::Clock
            } else {
                SettledBy::StoodStill
            };
            let gap = self.gap;
            self.agree();
            self.settle_all(index, by, gap);
            return;
        }
        if self.sign_due().is_some_and(|due| now >= due) {
            self.propose();
            return;
        }
        if self.revised(now) {
            return;
        }
        if self.taken_back(now) {
            return;
        }
        if self.reconsider(now) {
            self.decide(now);
            return;
        }
        if !self.outvote(now) {
            self.stand_unexplained();
        }
    }
}
