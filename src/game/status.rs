//! What may still be done in a game.

use super::{DecidedAfterEnd, Game, Refusal, Score, Status};

impl Game {
    /// Whether the game is on.
    #[must_use]
    pub fn status(&self) -> Status<'_> {
        self.outcome.status(self.rules.confirm)
    }

    pub(super) fn is_secretly_over(&self) -> bool {
        self.status().is_secretly_over() && !self.is_over_on_the_board()
    }

    /// Whether players may act at the board as far as they know: the game is on, or its end is
    /// not announced, and they have not ended it themselves.
    #[must_use]
    pub fn is_open_to_players(&self) -> bool {
        let goes_on = self.status().is_in_progress() || self.is_secretly_over();
        goes_on && !self.outcome.is_ended_by_players()
    }

    /// Whether moves on the board no longer belong to the game.
    ///
    /// The game is closed, or the players have ended it without knowing that it was over. Or they
    /// have shown the result of a mate or stalemate, which is visible to everybody.
    #[must_use]
    pub fn is_at_rest(&self) -> bool {
        let status = self.status();
        let ended = matches!(status, Status::Ended(_));
        let shown = ended && self.is_over_on_the_board() && self.shows_known_sign();
        status.is_closed() || self.outcome.is_abandoned() || shown
    }

    /// Refuses what players can only do while play continues as far as they know. An answer must
    /// not reveal what the arbiter has not announced (12.6).
    pub(super) fn must_be_open_to_players(&self) -> Result<(), Refusal> {
        if self.held_resignation().is_some() {
            return Err(Refusal::wrong_state(ASK));
        }
        if !self.is_secretly_over() {
            return self.must_be_in_progress();
        }
        match self.decided_after_end() {
            None => Ok(()),
            Some(DecidedAfterEnd {
                consented: true, ..
            }) => Err(over(Score::Draw)),
            Some(_) => Err(Refusal::wrong_state(ASK)),
        }
    }

    /// Refuses what can only be done while play continues.
    pub(super) fn must_be_in_progress(&self) -> Result<(), Refusal> {
        match self.status() {
            Status::InProgress => Ok(()),
            Status::Ended(result) | Status::Closed(result) if result.confirmed => {
                Err(over(result.score))
            }
            // The answer does not reveal a result that is not announced yet.
            Status::LossPending(_) | Status::Ended(_) | Status::Closed(_) => {
                Err(Refusal::wrong_state(ASK))
            }
        }
    }
}

/// The answer to a player who must not learn why.
const ASK: &str = "not now: ask the arbiter";

fn over(score: Score) -> Refusal {
    Refusal::wrong_state(format!("the game is over: {}", score.as_str()))
}
