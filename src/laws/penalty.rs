//! Changes to the clocks by the arbiter, and when a game is lost (7.5, 9.5, 6.9, 5.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{ClaimantLoses, Inadmissible, Rate, Regulations, Score};

const MINUTE_MS: u64 = 60_000;

/// A change to one player's remaining time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(tag = "change", content = "ms", rename_all = "snake_case")]
pub enum TimeChange {
    /// No change.
    #[default]
    None,
    /// These milliseconds are added, or subtracted if negative.
    #[serde(rename = "add")]
    AddMs(i64),
    /// The clock is set to these milliseconds.
    #[serde(rename = "set")]
    SetMs(u64),
    /// The change depends on the remaining time, which is unknown: the arbiter must read it off.
    Unknown,
}

impl TimeChange {
    /// The remaining time after the change, never below zero; `None` if it is unknown.
    #[must_use]
    pub fn apply(self, remaining_ms: u64) -> Option<u64> {
        match self {
            Self::None => Some(remaining_ms),
            Self::AddMs(ms) => Some(remaining_ms.saturating_add_signed(ms)),
            Self::SetMs(ms) => Some(ms),
            Self::Unknown => None,
        }
    }
}

/// The changes for the claimant and for the opponent after an incorrect claim (9.5).
///
/// Half of a time is rounded down to whole milliseconds: the Laws do not specify it, and it is the
/// arbiter who sets the clock.
#[must_use]
pub fn incorrect_claim(
    regulations: &Regulations,
    claimant_ms: Option<u64>,
) -> (TimeChange, TimeChange) {
    let rule = regulations.incorrect_claim();
    let half = |ms: u64| {
        let deducted = (ms - ms / 2).min(3 * MINUTE_MS);
        TimeChange::AddMs(-i64::try_from(deducted).unwrap_or(i64::MAX))
    };
    let claimant = match (rule.claimant, claimant_ms) {
        (ClaimantLoses::Nothing, _) => TimeChange::None,
        (_, None) => TimeChange::Unknown,
        (ClaimantLoses::Half, Some(ms)) => half(ms),
        (ClaimantLoses::HalfAboveTwoMinutes, Some(ms)) if ms > 2 * MINUTE_MS => half(ms),
        (ClaimantLoses::HalfAboveTwoMinutes, Some(ms)) if ms > MINUTE_MS => {
            TimeChange::SetMs(MINUTE_MS)
        }
        (ClaimantLoses::HalfAboveTwoMinutes, Some(_)) => TimeChange::None,
    };
    (claimant, bonus(rule.opponent_bonus_s))
}

/// A gain of `seconds` on a clock.
#[must_use]
pub fn bonus(seconds: u32) -> TimeChange {
    if seconds == 0 {
        TimeChange::None
    } else {
        TimeChange::AddMs(i64::from(seconds) * 1_000)
    }
}

/// The consequence of a player's illegal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IllegalMoveOutcome {
    /// The position is restored and the opponent's clock changes.
    GoesOn {
        /// The change to the opponent's clock.
        opponent: TimeChange,
    },
    /// The game is over: lost, or drawn if the opponent cannot mate.
    Over {
        /// Whether the game is lost only if the opponent can mate.
        needs_mate: bool,
    },
}

/// The consequence of a player's `nth` illegal move, counted from 1 (7.5).
#[must_use]
pub fn illegal_move(regulations: &Regulations, nth: u32) -> IllegalMoveOutcome {
    let rule = regulations.illegal_moves();
    if rule.loses_at.is_some_and(|loses| nth >= loses) {
        IllegalMoveOutcome::Over {
            needs_mate: rule.draw_if_cannot_mate,
        }
    } else {
        IllegalMoveOutcome::GoesOn {
            opponent: bonus(rule.opponent_bonus_s),
        }
    }
}

/// The score when `loser` loses, except that the game is drawn if the opponent cannot mate by any
/// series of legal moves (6.9, 7.5.5, 5.1.2). `None` if that matters and is unknown.
#[must_use]
pub fn lost_unless_unwinnable(
    loser: Color,
    needs_mate: bool,
    opponent_can_mate: Option<bool>,
) -> Option<Score> {
    match (needs_mate, opponent_can_mate) {
        (false, _) | (true, Some(true)) => Some(Score::won_by(loser.other())),
        (true, Some(false)) => Some(Score::Draw),
        (true, None) => None,
    }
}

/// The consequence when both flags have fallen and it is unknown which fell first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BothFlagsOutcome {
    /// Whether the game is drawn; otherwise it continues.
    pub drawn: bool,
    /// The article that says so.
    pub article: &'static str,
}

/// The consequence when both flags have fallen and it is unknown which fell first: 6.11 and 10.4,
/// from 2014 Appendix G, from 2017 Guidelines III. `last_period` is whether all remaining moves had
/// to be made in this period.
///
/// # Errors
///
/// Returns [`Inadmissible`] if the edition has no answer: its guidelines were not announced, or do
/// not cover this event.
pub fn both_flags(
    regulations: &Regulations,
    last_period: bool,
) -> Result<BothFlagsOutcome, Inadmissible> {
    let articles = &regulations.edition.articles;
    let rule = regulations.edition.both_flags;
    if rule.drawn_unsupervised && !regulations.has_supervision() {
        let article = articles.both_flags_unsupervised;
        return Ok(BothFlagsOutcome {
            drawn: true,
            article,
        });
    }
    let drawn = last_period && regulations.both_flags_drawn_in_last_period();
    let article = if drawn {
        articles.both_flags_last
    } else {
        articles.both_flags
    };
    if rule.guideline {
        if !regulations.quickplay_announced {
            return Err(Inadmissible::NotAnnounced { article });
        }
        if regulations.rate == Rate::Blitz {
            return Err(Inadmissible::InBlitz { article });
        }
        if regulations.increment {
            return Err(Inadmissible::WithIncrement { article });
        }
    }
    Ok(BothFlagsOutcome { drawn, article })
}

/// The arbiter's decision on a claim in the last two minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuickplayDecision {
    /// The game is drawn.
    Draw,
    /// Play continues and the arbiter decides later.
    Postpone,
    /// Play continues and the opponent's clock gains time.
    Reject,
    /// Play continues with an increment of five seconds a move for both players.
    Increment,
}

/// The gain on the opponent's clock by a decision; `None` if the edition does not provide for it.
/// `bonus` is whether the arbiter adds time when postponing.
#[must_use]
pub fn quickplay(
    regulations: &Regulations,
    decision: QuickplayDecision,
    bonus: bool,
) -> Option<TimeChange> {
    let rule = regulations.quickplay();
    let gain = self::bonus(rule.opponent_bonus_s);
    match decision {
        QuickplayDecision::Postpone if bonus => Some(gain),
        QuickplayDecision::Draw | QuickplayDecision::Postpone => Some(TimeChange::None),
        QuickplayDecision::Reject => rule.may_reject.then_some(gain),
        QuickplayDecision::Increment => rule.may_ask_for_increment.then_some(gain),
    }
}
