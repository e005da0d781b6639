//! What an edition of the Laws is made of: the parameters in which editions differ.
//!
//! The editions themselves stand in [`super::editions`], one table each. A field that
//! rests on no text that was read is named in [`Edition::provisional`] and can be set
//! by the event ([`super::Overrides`]).

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Articles, ByRate, EDITIONS};

/// One edition of the Laws, as far as draws depend on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Edition {
    /// The name that people write in configurations: `fide-2023`.
    pub id: &'static str,
    /// The first day on which it is in force, `YYYY-MM-DD`.
    pub in_force_from: &'static str,
    /// The congress that adopted it.
    pub adopted: &'static str,
    /// The numbers of its articles.
    pub articles: Articles,
    /// Draw offers and agreement (9.1).
    pub offers: Offers,
    /// Occurrences of a position, the present one included, from which a draw can be
    /// claimed (9.2).
    pub claimable_occurrences: u32,
    /// Halfmoves without pawn move and capture from which a draw can be claimed (9.3).
    pub claimable_halfmoves: u32,
    /// How claims are made, lost and checked (9.2 to 9.5).
    pub claims: Claims,
    /// Whether a position counts as the same when the king had to move out of check
    /// with a castling right unspent.
    pub forced_king_move: ForcedKingMove,
    /// What an incorrect claim costs (9.5).
    pub incorrect_claim: ByRate<IncorrectClaim>,
    /// When repetition ends the game by itself; `None` where no article says so (9.6).
    pub fivefold: Option<Fivefold>,
    /// Halfmoves without pawn move and capture that end the game by themselves (9.6).
    pub automatic_halfmoves: Option<u32>,
    /// What illegal moves cost without adequate supervision; [`Self::supervised_illegal_moves`]
    /// is what they cost with it.
    pub illegal_moves: ByRate<IllegalMoves>,
    /// What illegal moves cost under adequate supervision.
    pub supervised_illegal_moves: ByRate<IllegalMoves>,
    /// Whether an illegal position that nobody claimed and that still stands after the
    /// next move is a draw in rapid and blitz without adequate supervision.
    pub illegal_position_draws: bool,
    /// Whether the arbiter calls a fallen flag, without adequate supervision.
    pub flag_calls: ByRate<FlagCall>,
    /// Whether a win on time needs time left on the claimant's own clock, in rapid and
    /// blitz without adequate supervision.
    pub flag_claim_needs_time: bool,
    /// What follows when both flags have fallen and nobody can tell which fell first.
    pub both_flags: BothFlags,
    /// Whether resigning is a draw when the opponent cannot mate (5.1.2 of 2023).
    pub resignation_needs_mate: bool,
    /// The claim in the last two minutes.
    pub quickplay: Quickplay,
    /// What rests on no text that was read.
    pub provisional: &'static [Parameter],
}

/// Draw offers and agreement (9.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// Whether touching a piece already refuses an offer; a move and a word always do.
    pub refused_by_touch: bool,
    /// Whether a claim of a draw is also an offer.
    pub claim_is_offer: bool,
    /// What an event may forbid without the arbiter's consent.
    pub restriction: Restriction,
    /// Moves that each player must have made before a draw can be agreed.
    pub min_moves_each: u32,
}

/// What an event may forbid without the arbiter's consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restriction {
    /// Nothing: the edition has no such article.
    None,
    /// Agreeing to a draw.
    Agree,
    /// Offering a draw and agreeing to one.
    OfferOrAgree,
}

/// How claims are made, lost and checked (9.2 to 9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claims {
    /// What loses the right to claim at a move (9.4).
    pub lost_by: LostBy,
    /// Whether the fifty moves of the position on the board must have been completed,
    /// that is, with the clock pressed; else it is enough that they were made.
    pub fifty_completed: bool,
    /// Who stops the clock (9.5).
    pub clock: StopsClock,
    /// Whether unreasonable claims distract the opponent as repeated offers do (12.5).
    pub distract: bool,
}

/// What loses the right to claim at a move (9.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LostBy {
    /// Making a move without having claimed.
    Move,
    /// Touching a piece as in 4.3 without having claimed.
    Touch,
}

/// Who stops the clock for a claim (9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopsClock {
    /// The claimant must, at once.
    PlayerShall,
    /// The claimant may.
    PlayerMay,
    /// The claimant or the arbiter shall.
    PlayerOrArbiter,
}

/// A position that recurs except for a castling right that could not be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedKingMove {
    /// The right existed until the king had moved: the positions differ.
    Different,
    /// Arbiters have ruled both ways: the arbiter decides.
    Disputed,
}

/// What an incorrect claim costs (9.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IncorrectClaim {
    /// What the opponent's clock gains, in seconds.
    pub opponent_bonus_s: u32,
    /// What the claimant's clock loses.
    pub claimant: ClaimantLoses,
}

/// What the claimant's clock loses by an incorrect claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimantLoses {
    /// Nothing.
    Nothing,
    /// Half of the remaining time, at most three minutes.
    Half,
    /// With more than two minutes left half of it, at most three minutes; with one to two
    /// minutes left it is set to one minute; with less, nothing.
    HalfAboveTwoMinutes,
}

/// How an edition counts the repetition that ends the game by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fivefold {
    /// At least this many occurrences, whatever was played between them.
    AnySpacing {
        /// Occurrences, the present one included.
        occurrences: u32,
    },
    /// This many occurrences by consecutive alternate moves: each two moves by each
    /// player after the one before. The text of 2014 is read so; longer cycles are
    /// shown to the arbiter.
    Consecutive {
        /// Occurrences, the present one included.
        occurrences: u32,
        /// Plies between two of them.
        plies_apart: u32,
    },
}

/// What illegal moves of one player cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IllegalMoves {
    /// What the opponent's clock gains by each that does not lose, in seconds.
    pub opponent_bonus_s: u32,
    /// Which one loses the game, counted from 1; `None` where none does.
    pub loses_at: Option<u32>,
    /// Whether the arbiter acts only when the opponent claims: a ruling must say that he has.
    pub on_claim: bool,
    /// Whether the game is drawn instead of lost when the opponent cannot mate.
    pub draw_if_cannot_mate: bool,
}

/// Whether the arbiter calls a fallen flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagCall {
    /// He calls it.
    Call,
    /// He may call it.
    MayCall,
    /// He waits for the opponent's claim.
    Refrain,
}

/// What follows when both flags have fallen and nobody can tell which fell first: play goes
/// on, but from 2009 a game is drawn in its last period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BothFlags {
    /// Whether this stands in the guidelines for games without an increment, which must
    /// have been announced and are not for blitz.
    pub guideline: bool,
    /// Whether the game is drawn in the last period.
    pub drawn_in_last_period: bool,
    /// Whether the game is drawn in any period in rapid and blitz without adequate supervision.
    pub drawn_unsupervised: bool,
}

/// The claim in the last two minutes: 10.2, from 2014 Appendix G, from 2017 Guidelines III.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a clause of its own")]
pub struct Quickplay {
    /// Whether it must have been announced before the event that it applies.
    pub must_be_announced: bool,
    /// Whether it applies with an increment, too.
    pub with_increment: bool,
    /// Whether it applies in blitz, too.
    pub in_blitz: bool,
    /// Whether only the player having the move can claim.
    pub needs_the_move: bool,
    /// Less than this must be left on the claimant's clock, in milliseconds.
    pub below_ms: u64,
    /// Whether the arbiter can reject the claim at once.
    pub may_reject: bool,
    /// Whether the claim is also an offer.
    pub is_offer: bool,
    /// What the opponent's clock gains when the claim is rejected, in seconds; when the
    /// decision is postponed the arbiter may give it.
    pub opponent_bonus_s: u32,
    /// Whether the player can ask for an increment of five seconds a move instead, which
    /// is also an offer.
    pub may_ask_for_increment: bool,
}

/// A parameter of an edition, by name.
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
    /// The same in rapid play.
    IllegalMovesRapid,
    /// The same in blitz.
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
    /// A number among [`Articles`]; it cannot be set, only the text would tell.
    ArticleNumbers,
}

/// The edition in force today.
///
/// # Panics
///
/// Never: the table is not empty.
#[must_use]
pub fn newest() -> &'static Edition {
    EDITIONS.last().expect("the table of editions is not empty")
}

/// The edition with this name.
///
/// # Errors
///
/// [`UnknownEdition`] names what was asked for and what there is.
pub fn find(id: &str) -> Result<&'static Edition, UnknownEdition> {
    EDITIONS
        .iter()
        .copied()
        .find(|edition| edition.id == id)
        .ok_or_else(|| UnknownEdition {
            refused: id.chars().take(64).collect(),
        })
}

/// A name that no edition has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownEdition {
    /// The name asked for.
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
