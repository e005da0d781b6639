//! The parameters in which editions of the Laws differ.
//!
//! The editions themselves are in [`super::editions`], one table each. A field whose text was not
//! available is listed in [`Edition::provisional`]; the event can set it ([`super::Overrides`]).

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Articles, ByRate, EDITIONS};

/// One edition of the Laws, as far as it concerns draws.
#[derive(Debug, PartialEq, Eq)]
pub struct Edition {
    /// The name used in configurations: `fide-2023`.
    pub id: &'static str,
    /// The day it came into force, `YYYY-MM-DD`.
    pub in_force_from: &'static str,
    /// The congress that adopted it.
    pub adopted: &'static str,
    /// The numbers of its articles.
    pub articles: Articles,
    /// Draw offers and agreement (9.1).
    pub offers: Offers,
    /// How often a position must occur, including the present time, before a draw can be claimed
    /// (9.2).
    pub claimable_occurrences: u32,
    /// Halfmoves without a pawn move or capture after which a draw can be claimed (9.3).
    pub claimable_halfmoves: u32,
    /// How claims are made, lost and checked (9.2 to 9.5).
    pub claims: Claims,
    /// Whether positions count as the same if they differ only in a castling right that the king
    /// had to give up by moving out of check.
    pub forced_king_move: ForcedKingMove,
    /// The cost of an incorrect claim (9.5).
    pub incorrect_claim: ByRate<IncorrectClaim>,
    /// When repetition ends the game automatically; `None` without such an article (9.6).
    pub fivefold: Option<Fivefold>,
    /// Halfmoves without a pawn move or capture that end the game automatically (9.6).
    pub automatic_halfmoves: Option<u32>,
    /// The cost of illegal moves without adequate supervision. With it,
    /// [`Self::supervised_illegal_moves`] applies.
    pub illegal_moves: ByRate<IllegalMoves>,
    /// The cost of illegal moves under adequate supervision.
    pub supervised_illegal_moves: ByRate<IllegalMoves>,
    /// Whether an illegal position is a draw if no one claimed it and it remains after the next
    /// move. Applies to rapid and blitz without adequate supervision.
    pub illegal_position_draws: bool,
    /// Whether the arbiter calls a fallen flag, without adequate supervision.
    pub flag_calls: ByRate<FlagCall>,
    /// Whether a win on time requires time left on the claimant's own clock. Applies to rapid and
    /// blitz without adequate supervision.
    pub flag_claim_needs_time: bool,
    /// The consequence when both flags have fallen and it is unknown which fell first.
    pub both_flags: BothFlags,
    /// Whether resignation is a draw if the opponent cannot mate (5.1.2 of 2023).
    pub resignation_needs_mate: bool,
    /// The claim in the last two minutes.
    pub quickplay: Quickplay,
    /// The parameters whose text was not available.
    pub provisional: &'static [Parameter],
}

/// Draw offers and agreement (9.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// Whether touching a piece already declines an offer. A move or a spoken refusal always does.
    pub refused_by_touch: bool,
    /// Whether a claim of a draw is also an offer.
    pub claim_is_offer: bool,
    /// What an event may forbid without the arbiter's consent.
    pub restriction: Restriction,
    /// Moves that each player must make before a draw can be agreed.
    pub min_moves_each: u32,
}

/// What an event may forbid without the arbiter's consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restriction {
    /// Nothing: the edition has no such article.
    None,
    /// Agreeing to a draw.
    Agree,
    /// Offering a draw or agreeing to one.
    OfferOrAgree,
}

/// How claims are made, lost and checked (9.2 to 9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// What forfeits the right to claim on a move (9.4).
    pub lost_by: LostBy,
    /// Whether the fifty moves must be completed, the last one by pressing the clock. Otherwise it
    /// is enough that they were made. Concerns claims on the position on the board.
    pub fifty_completed: bool,
    /// Who stops the clock (9.5).
    pub clock: StopsClock,
    /// Whether unreasonable claims distract the opponent, as repeated offers do (12.5).
    pub distract: bool,
}

/// What forfeits the right to claim on a move (9.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LostBy {
    /// Making a move without a claim.
    Move,
    /// Touching a piece as in 4.3 without a claim.
    Touch,
}

/// Who stops the clock for a claim (9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopsClock {
    /// The claimant must, immediately.
    PlayerShall,
    /// The claimant may.
    PlayerMay,
    /// The claimant or the arbiter shall.
    PlayerOrArbiter,
}

/// The treatment of a position that recurs except for a castling right that could not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedKingMove {
    /// The right existed until the king moved, so the positions differ.
    Different,
    /// Arbiters have ruled both ways, so the arbiter decides.
    Disputed,
}

/// The cost of an incorrect claim (9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncorrectClaim {
    /// The time added to the opponent's clock, in seconds.
    pub opponent_bonus_s: u32,
    /// The time taken from the claimant's clock.
    pub claimant: ClaimantLoses,
}

/// The time taken from the claimant's clock for an incorrect claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimantLoses {
    /// Nothing.
    Nothing,
    /// Half of the remaining time, at most three minutes.
    Half,
    /// With more than two minutes left: half of the remaining time, at most three minutes. With one
    /// to two minutes left the clock is set to one minute; with less, nothing is taken.
    HalfAboveTwoMinutes,
}

/// How an edition counts the repetition that ends the game automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fivefold {
    /// At least this many occurrences, at any distance.
    AnySpacing {
        /// The number of occurrences, including the present one.
        occurrences: u32,
    },
    /// This many occurrences by consecutive alternate moves: two moves by each player between one
    /// and the next. The text of 2014 is read this way. Longer cycles are reported to the arbiter.
    Consecutive {
        /// The number of occurrences, including the present one.
        occurrences: u32,
        /// Plies from one occurrence to the next.
        plies_apart: u32,
    },
}

/// The cost of a player's illegal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IllegalMoves {
    /// The time added to the opponent's clock for each illegal move that does not lose, in seconds.
    pub opponent_bonus_s: u32,
    /// Which illegal move loses the game, counted from 1; `None` if none does.
    pub loses_at: Option<u32>,
    /// Whether the arbiter acts only on the opponent's claim; the ruling must then record the
    /// claim.
    pub on_claim: bool,
    /// Whether the game is drawn instead of lost if the opponent cannot mate.
    pub draw_if_cannot_mate: bool,
}

/// Whether the arbiter calls a fallen flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagCall {
    /// The arbiter calls it.
    Call,
    /// The arbiter may call it.
    MayCall,
    /// The arbiter waits for the opponent's claim.
    Refrain,
}

/// The consequence when both flags have fallen and it is unknown which fell first. Play continues;
/// since 2009 the game is drawn if this happens in its last period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BothFlags {
    /// Whether this rule is in the guidelines for games without an increment, which must be
    /// announced and do not apply to blitz.
    pub guideline: bool,
    /// Whether the game is drawn in the last period.
    pub drawn_in_last_period: bool,
    /// Whether the game is drawn in any period, in rapid and blitz without adequate supervision.
    pub drawn_unsupervised: bool,
}

/// The claim in the last two minutes: 10.2, from 2014 Appendix G, from 2017 Guidelines III.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate clause")]
pub struct Quickplay {
    /// Whether the event must have announced the rule beforehand.
    pub must_be_announced: bool,
    /// Whether the rule also applies with an increment.
    pub with_increment: bool,
    /// Whether the rule also applies in blitz.
    pub in_blitz: bool,
    /// Whether only the player having the move can claim.
    pub needs_the_move: bool,
    /// The claimant's clock must show less than this, in milliseconds.
    pub below_ms: u64,
    /// Whether the arbiter can reject the claim outright.
    pub may_reject: bool,
    /// Whether the claim is also an offer.
    pub is_offer: bool,
    /// The time added to the opponent's clock when the claim is rejected, in seconds. When
    /// postponing the decision, the arbiter may add it.
    pub opponent_bonus_s: u32,
    /// Whether the player can request an increment of five seconds a move instead, which is also an
    /// offer.
    pub may_ask_for_increment: bool,
}

/// The name of a parameter of an edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parameter {
    /// [`IncorrectClaim::opponent_bonus_s`] in standard play.
    IncorrectClaimBonusStandard,
    /// [`IncorrectClaim::opponent_bonus_s`] in rapid play.
    IncorrectClaimBonusRapid,
    /// [`IncorrectClaim::opponent_bonus_s`] in blitz.
    IncorrectClaimBonusBlitz,
    /// [`IncorrectClaim::claimant`].
    IncorrectClaimClaimant,
    /// [`IllegalMoves::opponent_bonus_s`] and [`IllegalMoves::loses_at`] in standard play.
    IllegalMovesStandard,
    /// [`IllegalMoves::opponent_bonus_s`] and [`IllegalMoves::loses_at`] in rapid play.
    IllegalMovesRapid,
    /// [`IllegalMoves::opponent_bonus_s`] and [`IllegalMoves::loses_at`] in blitz.
    IllegalMovesBlitz,
    /// [`Edition::flag_calls`] in rapid and blitz.
    FlagCalls,
    /// [`BothFlags::drawn_in_last_period`].
    BothFlagsLastPeriod,
    /// [`Quickplay::needs_the_move`].
    QuickplayNeedsTheMove,
    /// [`Quickplay::may_reject`].
    QuickplayMayReject,
    /// [`Edition::illegal_position_draws`].
    IllegalPositionDraws,
    /// [`Edition::flag_claim_needs_time`].
    FlagClaimNeedsTime,
    /// A number in [`Articles`]. It cannot be set: only the text can provide it.
    ArticleNumbers,
}

/// The newest edition, which is in force today.
///
/// # Panics
///
/// Never: the table is not empty.
#[must_use]
pub fn newest() -> &'static Edition {
    EDITIONS.last().expect("the table of editions is not empty")
}

/// Finds the edition with this name.
///
/// # Errors
///
/// Returns [`UnknownEdition`], which lists the available names.
pub fn find(id: &str) -> Result<&'static Edition, UnknownEdition> {
    EDITIONS
        .iter()
        .copied()
        .find(|edition| edition.id == id)
        .ok_or_else(|| UnknownEdition {
            refused: id.chars().take(64).collect(),
        })
}

/// The error for a name that no edition has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEdition {
    /// The requested name.
    pub refused: String,
}

impl fmt::Display for UnknownEdition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown edition \"{}\"; known are", self.refused)?;
        for (i, edition) in EDITIONS.iter().enumerate() {
            write!(f, "{} {}", if i == 0 { "" } else { "," }, edition.id)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownEdition {}

impl fmt::Display for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl FromStr for &'static Edition {
    type Err = UnknownEdition;

    fn from_str(id: &str) -> Result<Self, UnknownEdition> {
        find(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edition_is_found_by_its_name() {
        for edition in EDITIONS {
            assert_eq!(find(edition.id), Ok(*edition));
        }
    }

    #[test]
    fn editions_stand_in_the_order_in_which_they_came_into_force() {
        assert!(EDITIONS.is_sorted_by_key(|edition| edition.in_force_from));
    }

    #[test]
    fn an_unknown_edition_is_answered_with_the_known_ones() {
        let message = find("fide-1066").unwrap_err().to_string();
        assert!(
            message.contains("fide-1066") && message.contains("fide-2023"),
            "{message}"
        );
    }

    #[test]
    fn an_article_stands_exactly_where_the_edition_has_the_rule() {
        for edition in EDITIONS {
            let a = &edition.articles;
            let has = [
                (edition.fivefold.is_some(), a.fivefold),
                (edition.automatic_halfmoves.is_some(), a.seventy_five),
                (edition.offers.claim_is_offer, a.claim_is_offer),
                (
                    edition.offers.restriction != Restriction::None,
                    a.restriction,
                ),
                (edition.illegal_position_draws, a.illegal_position),
                (
                    edition.both_flags.drawn_unsupervised,
                    a.both_flags_unsupervised,
                ),
                (
                    edition.quickplay.may_ask_for_increment,
                    a.quickplay_increment,
                ),
            ];
            for (rule, article) in has {
                assert_eq!(rule, !article.is_empty(), "{}: {article:?}", edition.id);
            }
        }
    }
}
