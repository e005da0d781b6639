//! Corrections of the record by the arbiter.

use shakmaty::Chess;

use super::{ClockState, Fact, Game, Refusal, claim_shift::AppendedPlies, refusal::truncated};
use remisd_laws::Ply;
use remisd_vocabulary::notation;

/// The most moves in one correction.
pub(crate) const MOVES: usize = 1024;

impl Game {
    /// The arbiter corrects the record: see [`Self::correct`].
    pub(super) fn corrected_by(
        &mut self,
        to_ply: Ply,
        moves: &[String],
        by: &str,
    ) -> Result<Vec<Fact>, Refusal> {
        if moves.len() > MOVES {
            let text = format!("a correction has at most {MOVES} moves");
            return Err(Refusal::bad_value(text));
        }
        let before = self.source.clone();
        self.correct_source(to_ply, false);
        let moves = moves.iter().map(|text| (text.clone(), None));
        match self.correct(to_ply, moves, by, AppendedPlies::BeforeClaim) {
            Ok(facts) => {
                self.source_corrected();
                Ok(facts)
            }
            Err(refusal) => {
                self.source = before;
                Err(refusal)
            }
        }
    }

    /// Takes the game back to after `to_ply` and makes `moves` from there, in UCI or SAN, each with
    /// what the clock showed then.
    ///
    /// Nothing changes unless every move is legal.
    pub(super) fn correct(
        &mut self,
        to_ply: Ply,
        moves: impl Iterator<Item = (String, Option<ClockState>)>,
        by: &str,
        appended: AppendedPlies,
    ) -> Result<Vec<Fact>, Refusal> {
        if to_ply > self.ply() {
            let text = format!("the game has {} plies", self.ply());
            return Err(Refusal::bad_value(text));
        }
        let mut corrected = self.record.replayed(to_ply);
        let (mut played, mut positions) = (Vec::new(), Vec::new());
        for (at, (text, clock)) in moves.enumerate() {
            let m = notation::parse_move(&text, corrected.position()).map_err(|error| {
                let ply = to_ply as usize + at + 1;
                Refusal::bad_value(format!("ply {ply}, \"{}\": {error}", truncated(&text)))
            })?;
            played.push((m, clock));
            corrected.play(m).map_err(Refusal::bad_value)?;
            positions.push(corrected.position().clone());
        }
        let mut facts = vec![Fact::Corrected {
            to_ply,
            by: by.to_owned(),
        }];
        let before = self.position().clone();
        let mut announced = self.announced_before();
        let mut claimed_at = self.claimed_at();
        let mut shift = None;
        if self.judgement.doubts_the_record() {
            shift = self.claim_shift(to_ply, &played, &positions, appended);
        }
        if let Some(shift) = shift {
            self.shift_claim(shift);
            claimed_at = claimed_at.map(|_| shift.to);
            if let Some((must, _)) = &mut announced {
                must.ply = shift.shifted(must.ply);
            }
        }
        let mut touched = self.record.touched_since(to_ply);
        touched.push(self.touched().to_vec());
        // What was overruled stays so if the same position comes after the same ply again.
        let overruled = self.ends.overruled_where(|at| {
            let after = at.checked_sub(to_ply + 1);
            let after = after.and_then(|index| positions.get(index as usize));
            after.is_some_and(|position| self.record.replayed(at).position() == position)
        });
        let mut seen = self.announced.reconsider();
        if let (Some(shift), Some(seen)) = (shift, &mut seen) {
            seen.ply = shift.shifted(seen.ply);
        }
        facts.extend(self.take_back_to(to_ply));
        self.journal.correct_from(to_ply);
        self.outcome.correct_from(to_ply);
        self.ends.keep_overruled(overruled);
        for (m, clock) in played {
            facts.extend(self.make(m, None, clock));
        }
        facts.extend(self.end_that_was_hidden());
        // The moves are others now; what the players touched, they still did.
        let mut touched = touched.into_iter();
        self.record.keep_touched(to_ply, &mut touched);
        self.touches.restore(touched.next().unwrap_or_default());
        facts.extend(self.keep_announced(announced));
        self.announced.keep_acknowledged(seen.as_ref());
        facts.extend(self.offers_after_taking_back());
        facts.extend(self.take_up_decided());
        self.prune_marks();
        self.sensors.forget_mismatch();
        self.note_outage();
        self.take_claim_along(claimed_at);
        self.reconsider_claim();
        facts.extend(self.reconsider_ruling());
        if self.judgement.doubts_the_record() {
            self.reconsider_draw();
            facts.extend(self.reconsider_loss(&before));
            self.outcome.move_to(self.record.ply());
        }
        Ok(facts)
    }

    /// Takes plies back, and with them what they brought: ends, offers, touches.
    pub(super) fn take_back_to(&mut self, to_ply: Ply) -> Vec<Fact> {
        let zeroed_at = self.ply().saturating_sub(self.draw().halfmove_clock);
        let mut ply = self.ply();
        let mut facts = Vec::new();
        let removed = self.record.take_back_to(to_ply, self.regulations.edition);
        for was in removed {
            let uci = self.record.uci(was.m);
            facts.push(Fact::MoveRetracted { ply, uci });
            ply -= 1;
            self.touches.restore(was.touched);
        }
        let full_since = self.has_full_75_moves().then_some(zeroed_at);
        if let Some(ply) = self.ends.take_back_to(to_ply, full_since) {
            self.outcome.drop_automatic();
            facts.push(Fact::EndRetracted { ply });
        }
        self.touches.stop_adjusting();
        self.shown.forget_known();
        self.claims.lose(Vec::new());
        self.announced.take_back_to(to_ply);
        if self.unruled_claim().is_some_and(|claim| claim.ply > to_ply) {
            self.reconsider_claim();
        }
        self.source.take_back_to(to_ply);
        self.sequence.position_changed();
        self.solved.take_back_to(to_ply);
        facts
    }

    /// The positions after each ply from this one on; the one on the board at least.
    #[must_use]
    pub fn positions_from(&self, first: Ply) -> Vec<Chess> {
        self.record.positions_from(first)
    }
}
