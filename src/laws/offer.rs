//! Draw offers and agreement (9.1, 5.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{AgreementRule, Edition, Regulations, Restriction};

/// Whether an offer comes at the moment the Laws require: after the player's own move and before
/// pressing the clock. An offer at any other time is still valid.
///
/// `turn` has the move on the board, and `running` is whose clock runs. Returns `None` when the
/// clock does not say.
#[must_use]
pub fn is_regular(turn: Color, by: Color, running: Option<Color>) -> Option<bool> {
    if turn == by {
        return Some(false);
    }
    running.map(|running| running == by)
}

/// How the opponent declines an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decline {
    /// Declining in words.
    Oral,
    /// Touching a piece with the intention of moving or capturing it.
    Touch,
    /// Making a move.
    Move,
}

/// Whether this act declines an offer under this edition.
#[must_use]
pub const fn declines(edition: &Edition, how: Decline) -> bool {
    match how {
        Decline::Oral | Decline::Move => true,
        Decline::Touch => edition.offers.refused_by_touch,
    }
}

/// Whether an agreement between the players is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The game is drawn.
    Stands {
        /// Whether a player had not yet moved. The edition allows such a draw, but it may bring the
        /// game into disrepute.
        early: bool,
    },
    /// Both players must make more moves first.
    TooEarly {
        /// The required number of moves by each player.
        moves: u32,
        /// The article.
        article: &'static str,
    },
    /// The event requires the arbiter's consent.
    NeedsConsent {
        /// The move from which consent is no longer required; `None` if it always is.
        before_move: Option<u32>,
        /// The article.
        article: &'static str,
    },
}

/// Judges an agreement after `moves_each` moves by each player (the smaller number counts).
#[must_use]
pub fn agreement(regulations: &Regulations, moves_each: u32) -> Agreement {
    let edition = regulations.edition;
    if moves_each < edition.offers.min_moves_each {
        return Agreement::TooEarly {
            moves: edition.offers.min_moves_each,
            article: edition.articles.agreement,
        };
    }
    if edition.offers.restriction != Restriction::None && is_restricted(regulations, moves_each) {
        return Agreement::NeedsConsent {
            before_move: match regulations.agreement {
                AgreementRule::NotBefore(moves) => Some(moves),
                AgreementRule::Free | AgreementRule::Never => None,
            },
            article: edition.articles.restriction,
        };
    }
    Agreement::Stands {
        early: moves_each == 0,
    }
}

/// Whether the offer itself already breaks the regulations without the arbiter's consent.
#[must_use]
pub fn offer_is_restricted(regulations: &Regulations, moves_each: u32) -> bool {
    regulations.edition.offers.restriction == Restriction::OfferOrAgree
        && is_restricted(regulations, moves_each)
}

/// Whether the event requires the arbiter's consent at this point.
fn is_restricted(regulations: &Regulations, moves_each: u32) -> bool {
    match regulations.agreement {
        AgreementRule::Free => false,
        AgreementRule::NotBefore(moves) => moves_each < moves,
        AgreementRule::Never => true,
    }
}
