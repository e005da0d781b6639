//! How a game ended, as PGN says it.

use remisd_game::ResultReason;

/// The values of the tag `Termination` (PGN standard 1994, section 9.8.1) that a game at a board
/// can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// By the Laws or by the players.
    Normal,
    /// By the arbiter's decision.
    Adjudication,
    /// On time.
    TimeForfeit,
    /// For an illegal move or another infraction.
    RulesInfraction,
    /// Still in progress.
    Unterminated,
}

impl Termination {
    /// The tag's value.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Normal => "normal",
            Self::Adjudication => "adjudication",
            Self::TimeForfeit => "time forfeit",
            Self::RulesInfraction => "rules infraction",
            Self::Unterminated => "unterminated",
        }
    }
}

/// How a game ended: the value of `Termination`, and the reason in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// The value of the tag; `None` if the arbiter has entered a result without saying why. It may
    /// be a resignation, a draw agreed or a decision.
    pub termination: Option<Termination>,
    /// The reason, with the article if one is known.
    pub reason: String,
}

impl Ending {
    /// The ending for a reason and the article that it rests on.
    ///
    /// ```
    /// use remisd_game::ResultReason;
    /// use remisd_pgn::{Ending, Termination};
    ///
    /// let ending = Ending::of(ResultReason::Fivefold, Some("9.6.1"));
    /// assert_eq!(ending.reason, "fivefold repetition, article 9.6.1");
    /// assert_eq!(ending.termination, Some(Termination::Normal));
    /// ```
    #[must_use]
    pub fn of(reason: ResultReason, article: Option<&str>) -> Self {
        use ResultReason as R;
        let (termination, words) = match reason {
            R::Checkmate => (Some(Termination::Normal), "checkmate"),
            R::Stalemate => (Some(Termination::Normal), "stalemate"),
            R::DeadPosition => (Some(Termination::Normal), "dead position"),
            R::Fivefold => (Some(Termination::Normal), "fivefold repetition"),
            R::SeventyFiveMove => (
                Some(Termination::Normal),
                "75 moves without capture and pawn move",
            ),
            R::ThreefoldClaim => (Some(Termination::Normal), "threefold repetition, claimed"),
            R::FiftyMoveClaim => (Some(Termination::Normal), "fifty moves, claimed"),
            R::Agreement => (Some(Termination::Normal), "draw agreed"),
            R::Resignation => (Some(Termination::Normal), "resignation"),
            R::FlagFall => (Some(Termination::TimeForfeit), "flag fall"),
            R::IllegalMove => (Some(Termination::RulesInfraction), "illegal move"),
            R::IllegalPosition => (Some(Termination::RulesInfraction), "illegal position"),
            R::Quickplay => (
                Some(Termination::Adjudication),
                "claim in the last two minutes",
            ),
            R::Arbiter => (None, "result entered by the arbiter"),
        };
        let reason = match article {
            Some(article) => format!("{words}, article {article}"),
            None => words.to_owned(),
        };
        Self {
            termination,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_the_arbiter_has_entered_claims_no_adjudication() {
        let entered = Ending::of(ResultReason::Arbiter, None);
        assert_eq!(entered.termination, None);
        let decided = Ending::of(ResultReason::Quickplay, None);
        assert_eq!(decided.termination, Some(Termination::Adjudication));
    }
}
