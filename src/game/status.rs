//! Whether a game is on.

use super::{
    Confirm, DecidedAfterEnd, Game, GameResult, PendingLoss, RefusalCode, ResultReason, Score,
    WaitsFor, obey::Refused,
};

/// Whether a game is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status<'a> {
    /// Play goes on.
    InProgress,
    /// A player has lost unless his opponent cannot mate, and that is not known yet.
    LossPending(PendingLoss),
    /// The Laws alone have ended the game, and nobody has closed it. Its moves are still
    /// recorded: if the end is overlooked, play goes on.
    Ended(&'a GameResult),
    /// The players or the arbiter have closed the game: moves on the board are no longer its.
    Closed(&'a GameResult),
}

impl<'a> Status<'a> {
    /// Whether players can still do what the Laws let them do.
    #[must_use]
    pub const fn is_in_progress(self) -> bool {
        matches!(self, Self::InProgress)
    }

    /// Whether the Laws have ended the game in a way that the board does not show, and
    /// nobody has told the players: they go on as if it were not.
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

    /// Whether moves on the board are no longer the game's.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::LossPending(_) | Self::Closed(_))
    }

    /// The result; `None` as long as there is none.
    #[must_use]
    pub const fn result(self) -> Option<&'a GameResult> {
        match self {
            Self::InProgress | Self::LossPending(_) => None,
            Self::Ended(result) | Self::Closed(result) => Some(result),
        }
    }
}

impl Game {
    /// Whether the game is on.
    #[must_use]
    pub fn status(&self) -> Status<'_> {
        match (&self.result, self.pending_loss) {
            (None, None) => Status::InProgress,
            (None, Some(pending)) => Status::LossPending(pending),
            (Some(result), _) if self.is_left_open(result) => Status::Ended(result),
            (Some(result), _) => Status::Closed(result),
        }
    }

    /// An end by the Laws alone closes a game only with the arbiter's word, and where he
    /// is not asked for it, not at all.
    fn is_left_open(&self, result: &GameResult) -> bool {
        let confirmed = result.confirmed && self.rules.confirm == Confirm::Arbiter;
        result.reason.is_automatic() && !confirmed
    }

    pub(super) fn is_secretly_over(&self) -> bool {
        self.status().is_secretly_over() && !self.is_over_on_the_board()
    }

    /// Whether players may do what they do at the board, for all that they know: the game
    /// is on, or nobody has told them that it is not, and they have not ended it themselves.
    #[must_use]
    pub fn is_open_to_players(&self) -> bool {
        let status = self.status();
        let goes_on = status.is_in_progress() || self.is_secretly_over();
        goes_on && self.decided_after_end.is_none() && self.held_resignation.is_none()
    }

    /// Whether moves on the board are no longer the game's: it is closed, or the players
    /// have ended it without knowing that it was over, or they have shown what everybody
    /// sees, mate or stalemate.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let status = self.status();
        let ended = matches!(status, Status::Ended(_));
        let on_the_board = ended && self.is_over_on_the_board();
        // Who has resigned plays no more; only a move that stands already is waited for.
        let resigned = self.held_resignation.as_ref();
        let resigned = resigned.is_some_and(|held| held.waits_for == WaitsFor::Claim);
        status.is_closed()
            || self.decided_after_end.is_some()
            || resigned
            || (self.sign_shown && on_the_board)
    }

    /// Whether the players show the result on the board that the game has already.
    #[must_use]
    pub const fn shows_known_sign(&self) -> bool {
        self.sign_shown
    }

    /// Refuses what players can only do while play goes on, for all that they know: an
    /// answer must not tell them what the arbiter has not (12.6).
    pub(super) fn must_be_open_to_players(&self) -> Result<(), Refused> {
        if self.held_resignation.is_some() {
            return Err((RefusalCode::WrongState, ASK.to_owned()));
        }
        if !self.is_secretly_over() {
            return self.must_be_in_progress();
        }
        match self.decided_after_end {
            None => Ok(()),
            Some(DecidedAfterEnd {
                consented: true, ..
            }) => Err((RefusalCode::WrongState, over(Score::Draw))),
            Some(_) => Err((RefusalCode::WrongState, ASK.to_owned())),
        }
    }

    /// Refuses what can only be done while play goes on.
    pub(super) fn must_be_in_progress(&self) -> Result<(), Refused> {
        let text = match self.status() {
            Status::InProgress => return Ok(()),
            Status::Ended(result) | Status::Closed(result) if result.confirmed => {
                over(result.score)
            }
            // Players need not learn from this what the arbiter has not told them yet.
            Status::LossPending(_) | Status::Ended(_) | Status::Closed(_) => ASK.to_owned(),
        };
        Err((RefusalCode::WrongState, text))
    }
}

/// What a player is told who must not be told why.
const ASK: &str = "not now: ask the arbiter";

fn over(score: Score) -> String {
    format!("the game is over: {}", score.as_str())
}
