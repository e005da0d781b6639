//! Draw offers and agreement (9.1, 5.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{AgreementRule, Edition, Regulations, Restriction};

/// Whether an offer comes at the moment the Laws ask for: after the player's own move
/// and before he presses the clock. At any other time it is valid all the same.
///
/// `turn` has the move on the board, `running` is whose clock runs. `None` when the
/// clock does not say.
#[must_use]
pub fn is_regular(turn: Color, by: Color, running: Option<Color>) -> Option<bool> {
    if turn == by {
        return Some(false);
    }
    running.map(|running| running == by)
}

/// How the opponent answers an offer without a word or with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// He says no.
    Oral,
    /// He touches a piece in order to move or capture it.
    Touch,
    /// He makes a move.
    Move,
}

/// Whether that refuses an offer under this edition.
#[must_use]
pub const fn refuses(edition: &Edition, how: Refusal) -> bool {
    match how {
        Refusal::Oral | Refusal::Move => true,
        Refusal::Touch => edition.offers.refused_by_touch,
    }
}

/// Whether an agreement of the players stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The game is drawn.
    Stands {
        /// It was agreed before each had made a move, which the edition allows but which
        /// may bring the game into disrepute.
        early: bool,
    },
    /// Both players must have made more moves first.
    TooEarly {
        /// Moves each.
        moves: u32,
        /// The article.
        article: &'static str,
    },
    /// The event asks for the arbiter's consent.
    NeedsConsent {
        /// The move from which it would not, if there is one.
        before_move: Option<u32>,
        /// The article.
        article: &'static str,
    },
}

/// Judges an agreement after `moves_each` moves by each player (the lesser number).
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

/// Whether already the offer is against the regulations without the arbiter's consent.
#[must_use]
pub fn offer_is_restricted(regulations: &Regulations, moves_each: u32) -> bool {
    regulations.edition.offers.restriction == Restriction::OfferOrAgree
        && is_restricted(regulations, moves_each)
}

/// Whether the event asks for the arbiter's consent now.
fn is_restricted(regulations: &Regulations, moves_each: u32) -> bool {
    match regulations.agreement {
        AgreementRule::Free => false,
        AgreementRule::NotBefore(moves) => moves_each < moves,
        AgreementRule::Never => true,
    }
}
