//! The result of a game, and what waits to become one.

use super::{
    Confirm, Decided, DecidedAfterEnd, Game, GameResult, HeldResignation, LossBy, PendingLoss,
    ResultReason, Score, Side, WaitsFor,
};
use remisd_laws::Ply;
use remisd_vocabulary::notation::MoveText;

/// Whether a game is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status<'a> {
    /// Play continues.
    InProgress,
    /// A player has lost unless the opponent cannot mate, which is not known yet.
    LossPending(PendingLoss),
    /// The Laws alone have ended the game, and it is not closed. Its moves are still recorded: if
    /// the end is overlooked, play continues.
    Ended(&'a GameResult),
    /// The players or the arbiter have closed the game: moves on the board no longer belong to it.
    Closed(&'a GameResult),
}

impl<'a> Status<'a> {
    /// Whether players can still do what the Laws let them do.
    #[must_use]
    pub const fn is_in_progress(self) -> bool {
        matches!(self, Self::InProgress)
    }

    /// Whether the Laws have ended the game by something that only counting or analysis shows, and
    /// the players have not been informed. They continue as if the game were not over.
    pub(super) const fn is_secretly_over(self) -> bool {
        match self {
            Self::Ended(result) => {
                let hidden = matches!(
                    result.reason,
                    ResultReason::Fivefold
                        | ResultReason::SeventyFiveMove
                        | ResultReason::DeadPosition
                );
                hidden && !result.confirmed
            }
            Self::InProgress | Self::LossPending(_) | Self::Closed(_) => false,
        }
    }

    /// Whether moves on the board no longer belong to the game.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::LossPending(_) | Self::Closed(_))
    }

    /// The result; `None` while there is none.
    #[must_use]
    pub const fn result(self) -> Option<&'a GameResult> {
        match self {
            Self::InProgress | Self::LossPending(_) => None,
            Self::Ended(result) | Self::Closed(result) => Some(result),
        }
    }
}

/// What has ended the game, and what would end it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Outcome {
    result: Option<GameResult>,
    pending_loss: Option<PendingLoss>,
    /// The loss that the result follows from, if it is a draw where the opponent cannot mate.
    rests_on_mate: Option<PendingLoss>,
    /// A resignation that waits for what came before it.
    held: Option<HeldResignation>,
    /// What players have decided after an end that was not announced to them.
    late: Option<DecidedAfterEnd>,
    /// The first uncertain ply when the board contradicted the game as the result was decided, or
    /// as the daemon started again.
    uncertain_since: Option<Ply>,
    /// The first ply that may be missing because the board was out of sight and has not agreed with
    /// the game since. It is uncertain once the game is decided or left.
    unseen_since: Option<Ply>,
    /// The move that was perhaps on the board when the game was decided or left, and its ply.
    unsettled: Option<(Ply, MoveText)>,
}

impl Outcome {
    /// Whether the game is on. An end by the Laws alone closes a game only when the arbiter has
    /// confirmed it; an event without that confirmation never closes it.
    pub(super) fn status(&self, confirm: Confirm) -> Status<'_> {
        match (&self.result, self.pending_loss) {
            (None, None) => Status::InProgress,
            (None, Some(pending)) => Status::LossPending(pending),
            (Some(result), _) => {
                let confirmed = result.confirmed && confirm == Confirm::Arbiter;
                if result.reason.is_automatic() && !confirmed {
                    Status::Ended(result)
                } else {
                    Status::Closed(result)
                }
            }
        }
    }

    /// Whether the players themselves have ended the game, effective or not.
    pub(super) const fn is_ended_by_players(&self) -> bool {
        self.late.is_some() || self.held.is_some()
    }

    /// Whether the players have stopped moving: a resignation that waits for the move on the board
    /// is not that yet.
    pub(super) fn is_abandoned(&self) -> bool {
        let held = self.held.as_ref();
        self.late.is_some() || held.is_some_and(|held| held.waits_for == WaitsFor::Claim)
    }

    /// The game has this result. A resignation that waited comes too late.
    pub(super) fn conclude(&mut self, result: GameResult) {
        self.result = Some(result);
        self.pending_loss = None;
        self.rests_on_mate = None;
        if let Some(held) = self.held.take() {
            self.late = Some(held.into());
        }
    }

    /// The board contradicts the game from this ply on, and may not be compared with it again.
    pub(super) fn doubt_from(&mut self, ply: Ply) {
        let since = self.uncertain_since.map_or(ply, |since| since.min(ply));
        self.uncertain_since = Some(since);
    }

    /// The board is out of sight: moves may be missing from this ply on.
    pub(super) fn lose_sight(&mut self, ply: Ply) {
        let since = self.unseen_since.map_or(ply, |since| since.min(ply));
        self.unseen_since = Some(since);
    }

    /// The first ply that may be missing because the board was out of sight and has not agreed with
    /// the game since.
    pub(super) const fn unseen_since(&self) -> Option<Ply> {
        self.unseen_since
    }

    /// The game is decided: what may be missing from it is uncertain for good.
    pub(super) fn keep_unseen(&mut self) {
        if let Some(since) = self.unseen_since.take() {
            self.doubt_from(since);
        }
    }

    /// The board, or the program that writes the game, agrees with it, and it goes on.
    pub(super) const fn board_agrees(&mut self) {
        self.uncertain_since = None;
        self.unseen_since = None;
    }

    /// The first uncertain ply when the board contradicted the game as the result was decided, or
    /// as the daemon started again.
    pub(super) const fn uncertain_since(&self) -> Option<Ply> {
        self.uncertain_since
    }

    /// This move was perhaps on the board when the game was decided or left.
    pub(super) fn leave_unsettled(&mut self, ply: Ply, m: MoveText) {
        self.unsettled = Some((ply, m));
    }

    /// The move that was perhaps on the board when the game was decided or left, and its ply.
    pub(super) const fn unsettled(&self) -> Option<&(Ply, MoveText)> {
        self.unsettled.as_ref()
    }

    /// A move was made after that.
    pub(super) fn forget_unsettled(&mut self) {
        self.unsettled = None;
    }

    /// The corrected record has this many plies. Where the Laws or a claim have ended the game, it is
    /// over after their ply, as far as there is one.
    pub(super) fn move_to(&mut self, plies: Ply) {
        if let Some(result) = &mut self.result {
            let had_ended = result.reason.is_automatic() || result.reason.is_by_claim();
            let ply = if had_ended { result.ply } else { plies };
            result.ply = ply.min(plies);
        }
    }

    /// A correction moves the claim that has drawn the game.
    pub(super) fn shift_claim(&mut self, from: Ply, to: Ply) {
        let by_claim = (self.result.as_mut()).filter(|result| result.reason.is_by_claim());
        if let Some(result) = by_claim.filter(|result| result.ply == from) {
            result.ply = to;
        }
    }

    /// The arbiter has corrected the record from after `to_ply`.
    pub(super) fn correct_from(&mut self, to_ply: Ply) {
        self.uncertain_since.take_if(|since| *since > to_ply);
        self.unseen_since.take_if(|since| *since > to_ply);
        self.unsettled.take_if(|(ply, _)| *ply > to_ply);
    }

    /// The game has no result, and nothing waits to become one. What is uncertain stays so.
    pub(super) fn withdraw(&mut self) {
        *self = Self {
            late: self.late,
            uncertain_since: self.uncertain_since,
            unseen_since: self.unseen_since,
            unsettled: self.unsettled.take(),
            ..Self::default()
        };
    }

    /// A result by the Laws alone falls; what players and arbiter have decided stays.
    pub(super) fn drop_automatic(&mut self) {
        self.result.take_if(|result| result.reason.is_automatic());
    }

    /// Confirms the result; returns whether that is new.
    pub(super) fn confirm(&mut self) -> bool {
        let open = self.result.as_mut().filter(|result| !result.confirmed);
        open.is_some_and(|result| {
            result.confirmed = true;
            true
        })
    }

    /// The result follows from this loss, and from whether the opponent can mate.
    pub(super) const fn rest_on_mate(&mut self, loss: PendingLoss) {
        self.rests_on_mate = Some(loss);
    }

    /// Takes out a result that follows from whether a player can mate. Returns the loss, and whether
    /// the result was confirmed.
    pub(super) fn take_result_on_mate(&mut self) -> Option<(PendingLoss, bool)> {
        let loss = self.rests_on_mate.take()?;
        Some((loss, self.result.take()?.confirmed))
    }

    /// The game is lost unless the opponent cannot mate.
    pub(super) const fn await_mate(&mut self, loss: PendingLoss) {
        self.pending_loss = Some(loss);
    }

    /// A resignation waits for what came before it.
    pub(super) fn hold(&mut self, held: HeldResignation) {
        self.held = Some(held);
    }

    /// Takes out a resignation that waits for something.
    pub(super) fn release(&mut self) -> Option<HeldResignation> {
        self.held.take()
    }

    /// Takes out a resignation that waits for a move.
    pub(super) fn release_for_move(&mut self) -> Option<HeldResignation> {
        self.held.take_if(|held| held.waits_for == WaitsFor::Move)
    }

    /// The players have decided something after an end that was not announced to them.
    pub(super) const fn decide_late(&mut self, decided: DecidedAfterEnd) {
        self.late = Some(decided);
    }

    /// Takes out what the players have decided after an end that has fallen.
    pub(super) const fn take_late(&mut self) -> Option<DecidedAfterEnd> {
        self.late.take()
    }

    /// Takes out a result that still needs confirmation when the game is left. An end by the Laws
    /// before the first move needs none.
    pub(super) fn take_unconfirmed(&mut self, played: bool) -> Option<GameResult> {
        self.result
            .take_if(|result| !result.confirmed && (played || !result.reason.is_automatic()))
    }

    /// The arbiter has to confirm the result after all.
    pub(super) fn unconfirm(&mut self) {
        if let Some(result) = &mut self.result {
            result.confirmed = false;
        }
    }

    /// Whether the game is lost by this, or would be.
    pub(super) fn is_lost_by(&self, what: LossBy) -> bool {
        let reason = self.result.as_ref().map(|result| result.reason);
        self.pending_loss.is_some_and(|loss| loss.what == what) || reason == Some(what.into())
    }

    /// Whether the game is drawn by a claim.
    pub(super) fn drawn_by_claim(&self) -> Option<&GameResult> {
        let result = self.result.as_ref();
        result.filter(|result| result.reason.is_by_claim())
    }

    /// What the players have decided, as both of them know it, apart from an agreement that needs
    /// consent.
    pub(super) fn decided_by_players(&self) -> Option<Decided> {
        if let Some(decided) = self.late {
            return Some(decided.what);
        }
        let pending = self.pending_loss.map(|loss| loss.what);
        if self.held.is_some() || pending == Some(LossBy::Resignation) {
            return Some(Decided::Resignation);
        }
        match self.result.as_ref()?.reason {
            ResultReason::Agreement => Some(Decided::Agreement),
            ResultReason::Resignation => Some(Decided::Resignation),
            _ => None,
        }
    }

    /// What the players have decided and the arbiter has not confirmed, where the Laws turn out to
    /// have ended the game before with this score. `ply` is the one on the board.
    pub(super) fn overtaken_by(
        &self,
        score: Score,
        ply: Ply,
        confirm: Confirm,
    ) -> Option<DecidedAfterEnd> {
        let decided = |what, by, ply| DecidedAfterEnd {
            what,
            by,
            consented: false,
            ply,
        };
        if let Some(held) = &self.held {
            return Some(held.clone().into());
        }
        if let Some(loss) = self.pending_loss {
            let resigned = loss.what == LossBy::Resignation;
            return resigned.then(|| decided(Decided::Resignation, Some(loss.loser), ply));
        }
        let result = self
            .result
            .as_ref()
            .filter(|result| result.score != score)?;
        if result.confirmed && confirm == Confirm::Arbiter {
            return None;
        }
        let (what, by) = match (result.reason, result.score) {
            (ResultReason::Agreement, _) => (Decided::Agreement, None),
            (ResultReason::Resignation, Score::WhiteWins) => {
                (Decided::Resignation, Some(Side::Black))
            }
            (ResultReason::Resignation, Score::BlackWins) => {
                (Decided::Resignation, Some(Side::White))
            }
            _ => return None,
        };
        Some(decided(what, by, result.ply))
    }
}

impl Game {
    /// The result, if there is one.
    #[must_use]
    pub const fn result(&self) -> Option<&GameResult> {
        self.outcome.result.as_ref()
    }

    /// A loss that depends on whether the opponent can mate.
    #[must_use]
    pub const fn pending_loss(&self) -> Option<PendingLoss> {
        self.outcome.pending_loss
    }

    /// A resignation that waits for what came before it.
    #[must_use]
    pub const fn held_resignation(&self) -> Option<&HeldResignation> {
        self.outcome.held.as_ref()
    }

    /// What players have decided after an end that was not announced to them.
    #[must_use]
    pub const fn decided_after_end(&self) -> Option<DecidedAfterEnd> {
        self.outcome.late
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

    /// Whether a player has claimed it.
    pub(super) const fn is_by_claim(self) -> bool {
        matches!(
            self,
            Self::ThreefoldClaim | Self::FiftyMoveClaim | Self::Quickplay
        )
    }
}
