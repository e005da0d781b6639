//! Players' claims of a draw: whether they are admissible and correct (9.2 to 9.5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, Position as _};

use super::{ClaimKind, ForcedKingMove, History, Ply, Regulations};

/// A player's claim of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DrawClaim {
    /// The claimant.
    pub by: Color,
    /// What is claimed.
    pub kind: ClaimKind,
    /// The basis of the claim.
    pub basis: ClaimBasis,
}

/// The basis of a player's claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimBasis {
    /// The position that has just appeared.
    Appeared,
    /// A legal move that the player announced.
    Intended {
        /// The move.
        m: Move,
        /// Whether the move is on the scoresheet.
        written: bool,
    },
    /// An announced move that is not legal.
    IntendedIllegal {
        /// Whether the move is on the scoresheet.
        written: bool,
    },
}

/// The result of an examination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// The game is drawn.
    Correct,
    /// The claim is wrong; the penalty of 9.5 applies.
    Incorrect,
    /// The announced move was not written down, so there is nothing to examine yet. The player may
    /// write it down and claim again. There is no penalty.
    DefectiveNotWritten,
    /// The edition's text has been read both ways.
    ArbiterDecides,
}

/// The result of examining a claim, with the evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examination {
    /// The outcome.
    pub finding: Finding,
    /// The article of the claim.
    pub article: &'static str,
    /// The plies at which the claimed position was on the board. For an intended move the last
    /// entry is the ply of that move.
    pub plies: Vec<Ply>,
    /// The plies at which the position occurred if castling rights that could not be kept are
    /// ignored. Empty where that makes no difference.
    pub disputed_plies: Vec<Ply>,
    /// Halfmoves without a pawn move or capture in the claimed position.
    pub halfmove_clock: u32,
    /// The last ply that was a pawn move or a capture; `None` if there was none since the start.
    pub last_zeroing: Option<Ply>,
    /// Further facts for the arbiter.
    pub remarks: Vec<Remark>,
}

/// A further fact for the arbiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remark {
    /// The announced move is not legal. The player must make another legal move with that piece;
    /// this does not count as an illegal move.
    AnnouncedMoveIllegal,
    /// The announced move itself ends the game.
    AnnouncedMoveEndsGame,
    /// The opponent has not pressed the clock: the last move is made but not completed.
    LastMoveNotCompleted,
    /// The claimant touched a piece before the claim (9.4).
    PieceTouchedBefore,
    /// A piece was missing from the board for only a moment before the claim; whether it was
    /// touched (9.4) is uncertain.
    TouchUnsure,
    /// The claimant's own move was already on the board at the time of the claim (9.4).
    MoveMadeBefore,
    /// Moves are missing from the record: play continued from a position that was set up, no legal
    /// move explains the board, or the board is not seen.
    RecordIncomplete,
    /// The arbiter has corrected the record since.
    RecordChanged,
    /// The claimant did not stop the clock, although the Laws require it.
    ClockNotStopped,
    /// The clock showed a fallen flag at the time of the claim. A flag counts as fallen only once
    /// somebody notices it (6.8).
    FlagFallen,
}

/// Why a claim, or another article's decision, is not available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Inadmissible {
    /// Only the player having the move can claim.
    #[error("only the player having the move can claim ({article})")]
    NotHavingTheMove {
        /// The article that says so.
        article: &'static str,
    },
    /// The event did not announce this rule.
    #[error("the event has not announced that this rule applies ({article})")]
    NotAnnounced {
        /// The article.
        article: &'static str,
    },
    /// The rule does not apply with an increment.
    #[error("this rule does not apply with an increment ({article})")]
    WithIncrement {
        /// The article.
        article: &'static str,
    },
    /// The rule does not apply in blitz.
    #[error("this rule does not apply in blitz ({article})")]
    InBlitz {
        /// The article.
        article: &'static str,
    },
    /// The edition has no request for an increment.
    #[error("this edition knows no request for an increment ({article})")]
    NoSuchRequest {
        /// The article on the claim in the last two minutes.
        article: &'static str,
    },
    /// The claimant's flag has fallen.
    #[error("it must be claimed before the flag falls ({article})")]
    AfterFlagFall {
        /// The article.
        article: &'static str,
    },
    /// The claimant has too much time left.
    #[error("the claimant has two minutes or more left ({article})")]
    TooMuchTime {
        /// The article.
        article: &'static str,
    },
}

/// Examines a claim under 9.2 or 9.3 against the moves of the game. `completed` says whether the
/// opponent has pressed the clock since their last move, if known.
///
/// # Errors
///
/// Returns [`Inadmissible`] when the claimant does not have the move.
pub fn examine(
    history: &History,
    regulations: &Regulations,
    claim: DrawClaim,
    completed: Option<bool>,
) -> Result<Examination, Inadmissible> {
    let edition = regulations.edition;
    let intended = claim.basis != ClaimBasis::Appeared;
    let articles = &edition.articles;
    let article = match (claim.kind, intended) {
        (ClaimKind::Threefold, true) => articles.threefold_intended,
        (ClaimKind::Threefold, false) => articles.threefold_appeared,
        (ClaimKind::FiftyMove, true) => articles.fifty_intended,
        (ClaimKind::FiftyMove, false) => articles.fifty_appeared,
    };
    if claim.by != history.position().turn() {
        return Err(Inadmissible::NotHavingTheMove { article });
    }
    let mut found = Examination {
        finding: Finding::Incorrect,
        article,
        plies: Vec::new(),
        disputed_plies: Vec::new(),
        halfmove_clock: history.position().halfmoves(),
        last_zeroing: history
            .ply()
            .checked_sub(history.position().halfmoves())
            .filter(|ply| *ply > 0),
        remarks: Vec::new(),
    };
    let claimed = match claim.basis {
        ClaimBasis::Appeared => Some(history.position().clone()),
        ClaimBasis::Intended { m, .. } => {
            let mut after = history.position().clone();
            after.play_unchecked(m);
            found.halfmove_clock = after.halfmoves();
            if m.is_zeroing() {
                found.last_zeroing = Some(history.ply() + 1);
            }
            if after.legal_moves().is_empty() {
                found.remarks.push(Remark::AnnouncedMoveEndsGame);
            }
            Some(after)
        }
        ClaimBasis::IntendedIllegal { .. } => {
            found.remarks.push(Remark::AnnouncedMoveIllegal);
            None
        }
    };
    if let Some(claimed) = &claimed {
        found.plies = history.plies_of(claimed);
        if edition.forced_king_move == ForcedKingMove::Disputed {
            let lenient = history.plies_of_leniently(claimed);
            if lenient != found.plies {
                found.disputed_plies = lenient;
            }
        }
        if intended {
            found.plies.push(history.ply() + 1);
            if !found.disputed_plies.is_empty() {
                found.disputed_plies.push(history.ply() + 1);
            }
        }
    }
    let needed = edition.claimable_occurrences as usize;
    let (correct, disputed) = match claim.kind {
        ClaimKind::Threefold => (
            found.plies.len() >= needed,
            found.disputed_plies.len() >= needed,
        ),
        ClaimKind::FiftyMove => (found.halfmove_clock >= edition.claimable_halfmoves, false),
    };
    let unwritten = matches!(
        claim.basis,
        ClaimBasis::Intended { written: false, .. }
            | ClaimBasis::IntendedIllegal { written: false }
    );
    found.finding = if unwritten {
        Finding::DefectiveNotWritten
    } else if claimed.is_some() && correct {
        Finding::Correct
    } else if disputed {
        Finding::ArbiterDecides
    } else {
        Finding::Incorrect
    };
    let counts_completed = claim.kind == ClaimKind::FiftyMove
        && claim.basis == ClaimBasis::Appeared
        && edition.claims.fifty_completed;
    if counts_completed
        && completed == Some(false)
        && found.halfmove_clock == edition.claimable_halfmoves
    {
        found.remarks.push(Remark::LastMoveNotCompleted);
        if found.finding == Finding::Correct {
            found.finding = Finding::ArbiterDecides;
        }
    }
    Ok(found)
}

/// The clock of a player who makes a claim in the last two minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortOfTime {
    /// Whether the player has the move.
    pub has_the_move: bool,
    /// The player's remaining time, if known.
    pub remaining_ms: Option<u64>,
    /// Whether the clock shows the player's flag as fallen.
    pub flag_fallen: bool,
}

/// Checks whether the claim in the last two minutes is admissible: 10.2, Appendix G, Guidelines
/// III.
///
/// # Errors
///
/// Returns [`Inadmissible`] with the first condition that is not met.
pub fn quickplay_admissible(
    regulations: &Regulations,
    player: ShortOfTime,
) -> Result<(), Inadmissible> {
    let article = regulations.edition.articles.quickplay;
    in_the_last_two_minutes(regulations, article, player)
}

/// Checks whether an increment of five seconds a move may be requested: G.4, Guidelines III.4.
///
/// # Errors
///
/// Returns [`Inadmissible`] with the first condition that is not met.
pub fn increment_admissible(
    regulations: &Regulations,
    player: ShortOfTime,
) -> Result<(), Inadmissible> {
    let articles = &regulations.edition.articles;
    if !regulations.quickplay().may_ask_for_increment {
        let article = articles.quickplay;
        return Err(Inadmissible::NoSuchRequest { article });
    }
    let article = articles.quickplay_increment;
    in_the_last_two_minutes(regulations, article, player)
}

fn in_the_last_two_minutes(
    regulations: &Regulations,
    article: &'static str,
    player: ShortOfTime,
) -> Result<(), Inadmissible> {
    let rule = regulations.quickplay();
    if rule.must_be_announced && !regulations.quickplay_announced {
        return Err(Inadmissible::NotAnnounced { article });
    }
    if !rule.in_blitz && regulations.rate == super::Rate::Blitz {
        return Err(Inadmissible::InBlitz { article });
    }
    if !rule.with_increment && regulations.increment {
        return Err(Inadmissible::WithIncrement { article });
    }
    if rule.needs_the_move && !player.has_the_move {
        return Err(Inadmissible::NotHavingTheMove { article });
    }
    if player.remaining_ms.is_some_and(|ms| ms >= rule.below_ms) {
        return Err(Inadmissible::TooMuchTime { article });
    }
    if player.flag_fallen {
        return Err(Inadmissible::AfterFlagFall { article });
    }
    Ok(())
}
