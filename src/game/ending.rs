//! Ends of a game by a decision: resignation, flag fall, illegal moves, the arbiter.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color};

use super::{
    ClaimRecord, Confirm, Fact, Game, GameResult, Refusal, ResultReason, Side, Status, Unconfirmed,
    claim_first::rule_first_on,
    clock::{AdjustmentReason, time_changes},
};
use remisd_laws::{self as laws, IllegalMoveOutcome, Ply, Remark, Score, TimeChange};
use remisd_vocabulary::seq::EntrySeq;

/// A loss that would be a draw if the opponent cannot mate, while that is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingLoss {
    /// What lost the game.
    pub what: LossBy,
    /// The player who lost it.
    pub loser: Side,
    /// The arbiter has ruled it.
    pub by_arbiter: bool,
}

/// What loses a game unless the opponent cannot mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LossBy {
    /// Resignation (5.1.2 of 2023).
    Resignation,
    /// Flag fall (6.9).
    FlagFall,
    /// An illegal move (7.5).
    IllegalMove,
}

impl From<LossBy> for ResultReason {
    fn from(what: LossBy) -> Self {
        match what {
            LossBy::Resignation => Self::Resignation,
            LossBy::FlagFall => Self::FlagFall,
            LossBy::IllegalMove => Self::IllegalMove,
        }
    }
}

/// Whether each side can still mate by any series of legal moves; `None` if the solver could not
/// decide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CanMate {
    /// White.
    pub white: Option<bool>,
    /// Black.
    pub black: Option<bool>,
}

impl CanMate {
    /// The answer for one side.
    #[must_use]
    pub const fn of(self, color: Color) -> Option<bool> {
        match color {
            Color::White => self.white,
            Color::Black => self.black,
        }
    }
}

impl Game {
    /// Ends the game by a decision, or by the Laws.
    pub(super) fn conclude(
        &mut self,
        score: Score,
        reason: ResultReason,
        article: &str,
        by_arbiter: bool,
    ) -> Vec<Fact> {
        let waits = self.end_waits_for_claim() && reason.is_automatic();
        let waits = waits || self.end_waits_for_record(reason);
        let ended = self.ended().filter(|_| reason.is_automatic());
        self.conclude_as(GameResult {
            score,
            reason,
            article: (!article.is_empty()).then(|| article.to_owned()),
            ply: ended.map_or(self.ply(), |(ply, _)| ply),
            announced: None,
            confirmed: by_arbiter || (self.rules.confirm == Confirm::Automatic && !waits),
        })
    }

    /// The game has this result.
    pub(super) fn conclude_as(&mut self, result: GameResult) -> Vec<Fact> {
        self.outcome.conclude(result.clone());
        // While the end is not confirmed, the board is still compared with the game.
        if self.is_at_rest() {
            self.stop_comparing();
        }
        // While the end is not announced to the players, their offers remain valid.
        let mut facts = if self.is_secretly_over() {
            Vec::new()
        } else {
            self.end_offer_with_game()
        };
        facts.push(Fact::ResultSet(result));
        facts
    }

    /// Whether a ply comes after the one by which the Laws have ended the game: no move of the game
    /// is missing there. That is so if the result is that end and is announced, or if the end is on
    /// the board. Otherwise a doubt that vanishes would reveal an end that is not announced.
    pub(super) fn is_after_end(&self, ply: Ply) -> bool {
        let result = self.result().filter(|result| result.reason.is_automatic());
        let is_result = result.is_some_and(|result| ply > result.ply) && !self.is_secretly_over();
        let is_on_board = ply > self.ply() && self.is_over_on_the_board();
        is_result || is_on_board
    }

    /// The board contradicts the game now, and will soon not be compared with it: the doubt stays.
    pub(super) fn keep_doubt(&mut self) {
        let Some(since) = self.contradicted_since() else {
            return;
        };
        if !self.shows_known_sign() {
            self.outcome.doubt_from(since);
        }
    }

    /// The board is not compared with the game any more, which is over. What it contradicted, and
    /// what was out of sight, stays in doubt.
    pub(super) fn stop_comparing(&mut self) {
        self.keep_doubt();
        self.outcome.keep_unseen();
        self.sensors.forget_mismatch();
    }

    /// The arbiter finds that a flag has fallen.
    pub(super) fn rule_on_flag(&mut self, player: Color) -> Result<Vec<Fact>, Refusal> {
        self.flag_may_decide()?;
        let claimant = player.other();
        if self.regulations.flag_claim_needs_time() && self.clock.remaining_ms(claimant) == Some(0)
        {
            let text = "a win on time needs time left on the claimant's own clock";
            return Err(Refusal::not_admissible(text));
        }
        Ok(self.lose(LossBy::FlagFall, player, true))
    }

    /// The arbiter finds both flags fallen, and cannot establish which fell first.
    pub(super) fn rule_on_both_flags(&mut self, last_period: bool) -> Result<Vec<Fact>, Refusal> {
        self.flag_may_decide()?;
        let outcome = laws::both_flags(&self.regulations, last_period).map_err(|error| {
            Refusal::not_admissible(format!("{error}: enter a result, or let the game go on"))
        })?;
        let article = outcome.article;
        let mut facts = vec![Fact::BothFlags {
            drawn: outcome.drawn,
            article: article.to_owned(),
        }];
        if outcome.drawn {
            facts.extend(self.conclude(Score::Draw, ResultReason::FlagFall, article, true));
        } else {
            self.clock.accept_flag();
        }
        Ok(facts)
    }

    /// Whether a flag can still decide: nothing ended the game before, nothing waits that
    /// goes before it.
    fn flag_may_decide(&self) -> Result<(), Refusal> {
        self.must_be_in_progress()?;
        // A claim that comes when the flag is down was not made before it.
        let before = |claim: &&ClaimRecord| !claim.remarks.contains(&Remark::FlagFallen);
        let postponed = self.postponed_claims().into_iter().find(before);
        let text = match (self.open_claim().filter(before), postponed) {
            (None, None) => return Ok(()),
            (Some(claim), _) => return Err(rule_first_on(claim, "the flag")),
            (None, Some(claim)) => format!(
                "the decision on the claim of ply {} was postponed: make it before the flag ({})",
                claim.ply, claim.article
            ),
        };
        Err(Refusal::wrong_state(text))
    }

    /// The arbiter finds an illegal move; it counts whether or not it was restored.
    pub(super) fn rule_on_illegal_move(
        &mut self,
        player: Color,
        claimed: bool,
    ) -> Result<Vec<Fact>, Refusal> {
        self.must_be_in_progress()?;
        if self.regulations.illegal_moves().on_claim && !claimed {
            let article = self.regulations.edition.articles.illegal_move;
            let text = format!(
                "the arbiter acts when the opponent has claimed it: then with \"claimed\":true ({article})"
            );
            return Err(Refusal::not_admissible(text));
        }
        let by = Side::from(player);
        let nth = self.illegal_moves.next(by);
        let outcome = laws::illegal_move(&self.regulations, nth);
        if let (IllegalMoveOutcome::Over { .. }, Some(claim)) = (outcome, self.open_claim()) {
            return Err(rule_first_on(claim, "the illegal move"));
        }
        self.illegal_moves.rule(by);
        let mut facts = vec![Fact::IllegalMove { by, nth }];
        match outcome {
            IllegalMoveOutcome::GoesOn { opponent } => {
                let changes = time_changes(player, TimeChange::None, opponent);
                let ordered = self.order_adjustment(changes, AdjustmentReason::IllegalMove);
                self.illegal_moves.note_penalty(&ordered);
                facts.extend(ordered);
            }
            IllegalMoveOutcome::Over { .. } => {
                facts.extend(self.lose(LossBy::IllegalMove, player, true));
            }
        }
        Ok(facts)
    }

    /// An illegal position remains after the next move, in rapid and blitz.
    pub(super) fn rule_on_illegal_position(&mut self) -> Result<Vec<Fact>, Refusal> {
        self.must_be_in_progress()?;
        if !self.regulations.illegal_position_draws() {
            let text = "an illegal position is a draw only in rapid and blitz without adequate \
                        supervision, from 2014";
            return Err(Refusal::not_admissible(text));
        }
        let article = self.regulations.edition.articles.illegal_position;
        Ok(self.conclude(Score::Draw, ResultReason::IllegalPosition, article, true))
    }

    /// The arbiter enters a result, or withdraws it.
    pub(super) fn enter_result(&mut self, score: Score) -> Vec<Fact> {
        if score != Score::None {
            return self.conclude(score, ResultReason::Arbiter, "", true);
        }
        let granted = self.granted_claim();
        let was_ended = self.ended().is_some();
        let mut facts = self.withdraw_result();
        facts.extend(self.reopen_claim(granted));
        if was_ended {
            // It may have hidden what the board shows: a mate, 75 moves.
            facts.extend(self.end_that_was_hidden());
        }
        facts.extend(self.take_up_decided());
        facts
    }

    /// What says that there is no result any more.
    const fn no_result(&self) -> GameResult {
        GameResult::entered(Score::None, self.ply())
    }

    /// Withdraws the result, and overrules an end that the Laws have made.
    pub(super) fn withdraw_result(&mut self) -> Vec<Fact> {
        let result = self.no_result();
        self.keep_doubt();
        self.sensors.forget_mismatch();
        self.outcome.withdraw();
        self.note_outage();
        self.shown.forget_known();
        let mut facts = vec![Fact::ResultSet(result)];
        if let Some(ply) = self.ends.overrule(self.ply(), self.record.draw()) {
            facts.push(Fact::EndRetracted { ply });
        }
        facts
    }

    pub(super) fn lose(&mut self, what: LossBy, loser: Color, by_arbiter: bool) -> Vec<Fact> {
        let pending = PendingLoss {
            what,
            loser: loser.into(),
            by_arbiter,
        };
        let can_mate = self.can_mate().map(|can| can.of(loser.other()));
        if let Some(facts) = self.decide(pending, can_mate.flatten()) {
            return facts;
        }
        self.outcome.await_mate(pending);
        vec![Fact::LossPending(pending)]
    }

    /// The article under which it loses the game.
    pub(super) const fn article_of(&self, what: LossBy) -> &'static str {
        let articles = &self.regulations.edition.articles;
        match what {
            LossBy::Resignation => articles.resignation,
            LossBy::FlagFall => articles.flag_fall,
            LossBy::IllegalMove => articles.illegal_move,
        }
    }

    /// Concludes a loss if what it depends on is known.
    fn decide(
        &mut self,
        pending: PendingLoss,
        opponent_can_mate: Option<bool>,
    ) -> Option<Vec<Fact>> {
        let edition = self.regulations.edition;
        let needs_mate = match pending.what {
            LossBy::Resignation => edition.resignation_needs_mate,
            LossBy::FlagFall => true,
            LossBy::IllegalMove => self.regulations.illegal_moves().draw_if_cannot_mate,
        };
        let article = self.article_of(pending.what);
        let loser = pending.loser.color();
        let score = laws::lost_unless_unwinnable(loser, needs_mate, opponent_can_mate)?;
        let facts = self.conclude(score, pending.what.into(), article, pending.by_arbiter);
        if needs_mate {
            self.outcome.rest_on_mate(pending);
        }
        Some(facts)
    }

    /// The record was corrected, and `before` was on the board before that. A result that follows
    /// from who can mate is decided again if another position is on the board now.
    pub(super) fn reconsider_loss(&mut self, before: &Chess) -> Vec<Fact> {
        // An end by the Laws came first, and has an alert.
        if self.position() == before || self.ended().is_some() {
            return Vec::new();
        }
        let Some((loss, confirmed)) = self.outcome.take_result_on_mate() else {
            return Vec::new();
        };
        // What the arbiter has confirmed needs no second confirmation.
        let confirmed = confirmed && self.rules.confirm == Confirm::Arbiter;
        let by_arbiter = loss.by_arbiter || confirmed;
        let mut facts = vec![Fact::ResultSet(self.no_result())];
        facts.extend(self.lose(loss.what, loss.loser.color(), by_arbiter));
        facts
    }

    /// The solver has examined both sides.
    pub(super) fn winnability_known(
        &mut self,
        ply: Ply,
        position: EntrySeq,
        can_mate: CanMate,
    ) -> Vec<Fact> {
        if (ply, position) != (self.ply(), self.position_seq()) {
            return Vec::new();
        }
        self.solved.answer(can_mate);
        let mut facts = vec![Fact::Winnability { ply, can_mate }];
        if let Status::LossPending(pending) = self.status() {
            let opponent = pending.loser.color().other();
            if let Some(concluded) = self.decide(pending, can_mate.of(opponent)) {
                facts.extend(concluded);
            }
        }
        facts
    }

    /// Whether something depends on who can still mate, and the solver was not asked yet.
    #[must_use]
    pub fn wants_winnability(&self) -> bool {
        self.winnability_matters() && self.can_mate().is_none()
    }

    /// Whether something depends on who can still mate, and this answer says more about it than is
    /// known.
    #[must_use]
    pub fn learns_from(&self, can_mate: CanMate) -> bool {
        let is_new = |known: CanMate| {
            (known.white.is_none() && can_mate.white.is_some())
                || (known.black.is_none() && can_mate.black.is_some())
        };
        self.winnability_matters() && self.can_mate().is_none_or(is_new)
    }

    fn winnability_matters(&self) -> bool {
        let flag = self.clock.fallen_flag().is_some();
        match self.status() {
            Status::InProgress => flag,
            Status::LossPending(_) => true,
            Status::Ended(_) | Status::Closed(_) => false,
        }
    }

    /// A pending loss becomes a loss when the game is left. Whether it is a win was never found out.
    pub(super) fn conclude_pending(&mut self) {
        if let Status::LossPending(pending) = self.status() {
            let winner = pending.loser.color().other();
            self.conclude(Score::won_by(winner), pending.what.into(), "", false);
            self.outcome.unconfirm();
        }
    }

    /// Keeps an unconfirmed end of this game in view when another game begins.
    pub(super) fn keep_unconfirmed(&mut self) {
        self.conclude_pending();
        let played = self.ply() > 0;
        if let Some(result) = self.outcome.take_unconfirmed(played) {
            let game = self.number;
            self.backlog.keep_unconfirmed(Unconfirmed { game, result });
        }
    }
}
