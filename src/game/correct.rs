//! Corrections of the record by the arbiter.

use shakmaty::{Chess, uci::UciMove};

use super::{
    Fact, Game, Played, RefusalCode, ResultReason, Touched,
    obey::{Refused, shown},
};
use remisd_laws::{AutomaticKind, History, Ply};
use remisd_vocabulary::notation::{self, MoveText};

/// The most moves in one correction.
const MOVES: usize = 1024;

impl Game {
    /// Takes the game back to after `to_ply` and makes `moves` from there, in UCI or SAN.
    ///
    /// Nothing changes unless every move is legal.
    pub(super) fn correct(
        &mut self,
        to_ply: Ply,
        moves: &[String],
        by: &str,
    ) -> Result<Vec<Fact>, Refused> {
        if to_ply > self.ply() {
            let text = format!("the game has {} plies", self.ply());
            return Err((RefusalCode::BadValue, text));
        }
        if moves.len() > MOVES {
            let text = format!("a correction has at most {MOVES} moves");
            return Err((RefusalCode::BadValue, text));
        }
        let mut corrected = self.replayed(to_ply);
        let mut played = Vec::with_capacity(moves.len());
        let mut positions = Vec::with_capacity(moves.len());
        for (at, text) in moves.iter().enumerate() {
            let position = corrected.position();
            let m = notation::parse_move(text, position).map_err(|error| {
                let ply = to_ply as usize + at + 1;
                let text = format!("ply {ply}, \"{}\": {error}", shown(text));
                (RefusalCode::BadValue, text)
            })?;
            played.push(MoveText::new(m, position));
            corrected
                .play(m)
                .map_err(|error| (RefusalCode::BadValue, error.to_string()))?;
            positions.push(corrected.position().clone());
        }
        let mut facts = vec![Fact::Corrected {
            to_ply,
            by: by.to_owned(),
        }];
        let announced = self.announced_before();
        let claimed_at = self.claimed_at();
        let touched = self.touches_since(to_ply);
        let overruled = self.overruled_again(to_ply, &positions);
        self.broken_announcement = None;
        let seen = self.announcement_seen.take();
        facts.extend(self.take_back_to(to_ply));
        self.missing_since.take_if(|since| *since > to_ply);
        self.overruled.extend(overruled);
        for text in played {
            facts.extend(self.make(&text.uci, None, None));
        }
        facts.extend(self.end_that_was_hidden());
        self.keep_touches(to_ply, touched);
        facts.extend(self.keep_announced(announced));
        self.keep_acknowledged(seen.as_ref());
        facts.extend(self.offers_after_taking_back());
        facts.extend(self.take_up_decided());
        self.prune_marks();
        self.mismatch = None;
        self.take_claim_along(claimed_at);
        self.reconsider_claim();
        facts.extend(self.reconsider_ruling());
        Ok(facts)
    }

    /// Takes plies back, and with them what they brought: ends, offers, touches.
    pub(super) fn take_back_to(&mut self, to_ply: Ply) -> Vec<Fact> {
        let mut facts = Vec::new();
        let counted_from = self.ply().saturating_sub(self.draw.halfmove_clock);
        while self.ply_of_moves() > to_ply {
            let Some(was) = self.moves.pop() else { break };
            self.touched = was.touched;
            facts.push(Fact::MoveRetracted {
                ply: self.ply_of_moves() + 1,
                uci: was.text.uci,
            });
        }
        if let Some((ply, _)) = self.ended
            && ply > to_ply
        {
            self.ended = None;
            self.acted_after_end = false;
            // What players and arbiter have decided is not the board's to take back.
            self.result.take_if(|result| result.reason.is_automatic());
            facts.push(Fact::EndRetracted { ply });
        }
        self.end_behind_claim.take_if(|(ply, _)| *ply > to_ply);
        self.history = self.replayed(to_ply);
        self.reconstructed_seen = self.reconstructed_seen.min(to_ply);
        self.assumed_seen = self.assumed_seen.min(to_ply);
        self.adjusting = None;
        self.sign_shown = false;
        self.lost.clear();
        self.unwritten = None;
        self.broken_announcement
            .take_if(|broken| broken.ply > to_ply);
        self.announcement_seen.take_if(|seen| seen.ply > to_ply);
        self.must_play.take_if(|must| must.ply > to_ply + 1);
        self.first_end.take_if(|(ply, _)| *ply > to_ply);
        if self.unruled_claim().is_some_and(|claim| claim.ply > to_ply) {
            self.reconsider_claim();
        }
        self.position_seq = self.seq;
        self.dead = None;
        self.grounds.take_if(|(ply, _)| *ply > to_ply);
        self.can_mate = None;
        self.draw = self.history.draw_state(self.regulations.edition);
        self.keep_overruled(to_ply, counted_from);
        facts
    }

    /// What the arbiter has overruled up to `to_ply`, and 75 moves that are still full there, if they
    /// are those since `counted_from`.
    fn keep_overruled(&mut self, to_ply: Ply, counted_from: Ply) {
        let limit = self.regulations.edition.automatic_halfmoves;
        let full = limit.is_some_and(|limit| self.draw.halfmove_clock >= limit);
        for (ply, kind) in &mut self.overruled {
            let same = *ply >= counted_from && to_ply >= counted_from;
            if *kind == AutomaticKind::SeventyFiveMove && *ply > to_ply && same && full {
                *ply = to_ply;
            }
        }
        self.overruled.retain(|(ply, _)| *ply <= to_ply);
    }

    /// What the arbiter has overruled after `to_ply` and what will be on the board again: the
    /// same position after the same ply. `positions` are those that follow `to_ply` now.
    fn overruled_again(&self, to_ply: Ply, positions: &[Chess]) -> Vec<(Ply, AutomaticKind)> {
        let again = |(at, _): &&(Ply, AutomaticKind)| {
            let after = at.checked_sub(to_ply + 1);
            let after = after.and_then(|index| positions.get(index as usize));
            after.is_some_and(|position| self.replayed(*at).position() == position)
        };
        self.overruled.iter().filter(again).copied().collect()
    }

    /// What was touched after each ply from `to_ply` on.
    fn touches_since(&self, to_ply: Ply) -> Vec<Vec<Touched>> {
        let taken_back = self.moves.iter().skip(to_ply as usize);
        let touched = taken_back.map(|played| played.touched.clone());
        touched.chain([self.touched.clone()]).collect()
    }

    /// The moves of these plies are others now; what players touched there, they did.
    fn keep_touches(&mut self, to_ply: Ply, touched: Vec<Vec<Touched>>) {
        let mut touched = touched.into_iter();
        for played in self.moves.iter_mut().skip(to_ply as usize) {
            played.touched = touched.next().unwrap_or_default();
        }
        self.touched = touched.next().unwrap_or_default();
    }

    fn ply_of_moves(&self) -> Ply {
        Ply::try_from(self.moves.len()).unwrap_or(Ply::MAX)
    }

    /// The positions after each ply from this one on; the one on the board at least.
    #[must_use]
    pub fn positions_from(&self, first: Ply) -> Vec<Chess> {
        if first >= self.ply() {
            return vec![self.position().clone()];
        }
        let mut history = History::new(self.start.clone());
        let mut positions = Vec::new();
        loop {
            if history.ply() >= first {
                positions.push(history.position().clone());
            }
            // These moves were legal when they were made from the same start.
            let text = self
                .moves
                .get(history.ply() as usize)
                .map(|played| &played.text.uci);
            let m = text.and_then(|uci| uci.parse::<UciMove>().ok());
            let m = m.and_then(|m| m.to_move(history.position()).ok());
            if m.is_none_or(|m| history.play(m).is_err()) {
                return positions;
            }
        }
    }

    /// The positions up to a ply.
    pub(super) fn replayed(&self, to_ply: Ply) -> History {
        let mut history = History::new(self.start.clone());
        for Played { text, .. } in self.moves.iter().take(to_ply as usize) {
            // These moves were legal when they were made from the same start.
            let m = text.uci.parse::<UciMove>().ok();
            if let Some(m) = m.and_then(|m| m.to_move(history.position()).ok()) {
                history.play(m).ok();
            }
        }
        history
    }
}

impl ResultReason {
    /// Whether the Laws alone ended the game.
    #[must_use]
    pub const fn is_automatic(self) -> bool {
        matches!(
            self,
            Self::Checkmate
                | Self::Stalemate
                | Self::DeadPosition
                | Self::Fivefold
                | Self::SeventyFiveMove
        )
    }
}
