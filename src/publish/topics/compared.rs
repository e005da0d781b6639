//! Second accounts of the game, as the leaf `link` shows them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use remisd_game::{AccountKind, AccountStanding, Game, OtherGame};
use remisd_laws::Ply;

/// A second account of the game, and how it compares with the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedAccount {
    /// What it comes from.
    pub account: AccountKind,
    /// The program, the file or the board.
    pub name: String,
    /// How it compares with the record.
    pub state: ComparedState,
    /// The first ply that differs, or from which a board is contradicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ply: Option<Ply>,
    /// What shows that it is of another game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<OtherGame>,
    /// Why it cannot be read now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

/// How a second account compares with the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedState {
    /// Nothing was read yet.
    Unread,
    /// They agree, as far as both have moves.
    Agrees,
    /// They differ, and the arbiter has to choose.
    Differs,
    /// They differ where one of the boards is contradicted now.
    Waits,
    /// It is of another game and not compared.
    OtherGame,
}

impl ComparedAccount {
    /// The second accounts of a game.
    #[must_use]
    pub fn all_of(game: &Game) -> Vec<Self> {
        let accounts = game.accounts().map(|report| {
            let is_open = game.open_difference(report.account).is_some();
            let (state, since_ply, why) = match &report.standing {
                AccountStanding::Unread => (ComparedState::Unread, None, None),
                AccountStanding::Differs(difference) if is_open => {
                    (ComparedState::Differs, Some(difference.from), None)
                }
                // The arbiter has chosen.
                AccountStanding::Agrees | AccountStanding::Differs(_) => {
                    (ComparedState::Agrees, None, None)
                }
                AccountStanding::Waits { since } => (ComparedState::Waits, Some(*since), None),
                AccountStanding::OtherGame { why } => (ComparedState::OtherGame, None, Some(*why)),
            };
            Self {
                account: report.account,
                name: report.name.clone(),
                state,
                since_ply,
                why,
                lost: report.lost.clone(),
            }
        });
        accounts.collect()
    }
}
