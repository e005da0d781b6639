//! An event's choices within the Laws: edition, rate, supervision, restrictions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Color;

use super::{
    ClaimantLoses, Edition, FlagCall, IllegalMoves, IncorrectClaim, Parameter, Quickplay, Rate,
    find, newest,
};

/// The regulations of an event, as far as they concern draws.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Regulations {
    /// The edition of the Laws.
    #[serde(with = "edition_id")]
    #[schemars(with = "String")]
    pub edition: &'static Edition,
    /// The rate of play.
    #[serde(default)]
    pub rate: Rate,
    /// Whether each arbiter watches few enough games that the Competition Rules apply to rapid and
    /// blitz. Standard play is always supervised.
    #[serde(default)]
    pub supervised: bool,
    /// When players may agree to a draw without the arbiter's consent (9.1.1 of 2023).
    #[serde(default)]
    pub agreement: AgreementRule,
    /// Whether the claim in the last two minutes was announced before the event.
    #[serde(default)]
    pub quickplay_announced: bool,
    /// Whether each move adds time.
    #[serde(default)]
    pub increment: bool,
    /// Parameters set by the event where the edition's text was not available.
    #[serde(default, skip_serializing_if = "Overrides::is_empty")]
    pub overrides: Overrides,
}

/// When players may agree to a draw without the arbiter's consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "rule", content = "moves", rename_all = "snake_case")]
pub enum AgreementRule {
    /// At any time.
    #[default]
    Free,
    /// Not before both players have made this many moves.
    NotBefore(u32),
    /// Never.
    Never,
}

/// Passes to the macro `$make` every parameter that an event may set where the edition's text was
/// not available. Each entry has its name in the configuration, its type, and the parameter it
/// stands for at a rate.
#[macro_export]
macro_rules! overrides {
    ($make:ident) => {
        $make! {
            /// The time added to the opponent's clock for an incorrect claim, in seconds.
            incorrect_claim_bonus_s: u32 = Parameter::incorrect_claim_bonus,
            /// The time taken from the claimant's clock for an incorrect claim.
            incorrect_claim_claimant: ClaimantLoses = |_| Parameter::IncorrectClaimClaimant,
            /// The time added to the opponent's clock for an illegal move, in seconds.
            illegal_move_bonus_s: u32 = Parameter::illegal_moves,
            /// Which illegal move of a player loses the game; 0 if none does.
            illegal_moves_lose_at: u32 = Parameter::illegal_moves,
            /// Whether the arbiter calls a fallen flag in rapid and blitz.
            flag_call: FlagCall = |_| Parameter::FlagCalls,
            /// Whether only the player having the move can claim in the last two minutes.
            quickplay_needs_the_move: bool = |_| Parameter::QuickplayNeedsTheMove,
            /// Whether the arbiter can reject the claim in the last two minutes outright.
            quickplay_may_reject: bool = |_| Parameter::QuickplayMayReject,
            /// Whether an illegal position is a draw if it remains after the next move.
            illegal_position_draws: bool = |_| Parameter::IllegalPositionDraws,
            /// Whether a win on time requires time left on the claimant's own clock.
            flag_claim_needs_time: bool = |_| Parameter::FlagClaimNeedsTime,
            /// Whether the game is drawn when both flags have fallen in the last period.
            both_flags_drawn_in_last_period: bool = |_| Parameter::BothFlagsLastPeriod,
        }
    };
}

macro_rules! define {
    ($($(#[$about:meta])* $field:ident: $value:ty = $parameter:expr,)*) => {
        /// Parameters set by the event where the edition's text was not available. Only parameters
        /// listed in [`Edition::provisional`] may be set.
        #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct Overrides {
            $(
                $(#[$about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub $field: Option<$value>,
            )*
        }

        impl Overrides {
            /// All parameters that are set, with their names in the configuration.
            #[must_use]
            pub fn set(&self, rate: Rate) -> Vec<(&'static str, Parameter)> {
                let mut set = Vec::new();
                $(if self.$field.is_some() {
                    let parameter: fn(Rate) -> Parameter = $parameter;
                    set.push((stringify!($field), parameter(rate)));
                })*
                set
            }

            /// Keeps the parameters that are provisional under this edition at this rate.
            fn where_provisional(&self, edition: &Edition, rate: Rate) -> Self {
                let provisional = |parameter: fn(Rate) -> Parameter| {
                    edition.provisional.contains(&parameter(rate))
                };
                Self {
                    $($field: self.$field.filter(|_| provisional($parameter)),)*
                }
            }
        }
    };
}

overrides!(define);

impl Overrides {
    /// Whether no parameter is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Parameter {
    /// The opponent's gain by an incorrect claim at this rate.
    const fn incorrect_claim_bonus(rate: Rate) -> Self {
        match rate {
            Rate::Standard => Self::IncorrectClaimBonusStandard,
            Rate::Rapid => Self::IncorrectClaimBonusRapid,
            Rate::Blitz => Self::IncorrectClaimBonusBlitz,
        }
    }

    /// The cost of illegal moves at this rate.
    const fn illegal_moves(rate: Rate) -> Self {
        match rate {
            Rate::Standard => Self::IllegalMovesStandard,
            Rate::Rapid => Self::IllegalMovesRapid,
            Rate::Blitz => Self::IllegalMovesBlitz,
        }
    }
}

impl Default for Regulations {
    fn default() -> Self {
        Self::new(newest(), Rate::Standard)
    }
}

impl Regulations {
    /// The edition without restrictions.
    #[must_use]
    pub fn new(edition: &'static Edition, rate: Rate) -> Self {
        Self {
            edition,
            rate,
            supervised: false,
            agreement: AgreementRule::Free,
            quickplay_announced: false,
            increment: false,
            overrides: Overrides::default(),
        }
    }

    /// These regulations under another edition or at another rate. Overrides are kept at another
    /// rate if they are provisional there, and dropped under another edition.
    #[must_use]
    pub fn under(&self, edition: &'static Edition, rate: Rate) -> Self {
        let overrides = if edition.id == self.edition.id {
            self.overrides.where_provisional(edition, rate)
        } else {
            Overrides::default()
        };
        Self {
            edition,
            rate,
            overrides,
            ..self.clone()
        }
    }

    /// Whether the rules of standard play apply: at standard rate or under supervision.
    #[must_use]
    pub fn has_supervision(&self) -> bool {
        self.supervised || self.rate == Rate::Standard
    }

    /// The cost of an incorrect claim (9.5).
    #[must_use]
    pub fn incorrect_claim(&self) -> IncorrectClaim {
        let text = self.edition.incorrect_claim.at(self.rate);
        let set = &self.overrides;
        IncorrectClaim {
            opponent_bonus_s: set.incorrect_claim_bonus_s.unwrap_or(text.opponent_bonus_s),
            claimant: set.incorrect_claim_claimant.unwrap_or(text.claimant),
        }
    }

    /// The cost of illegal moves.
    #[must_use]
    pub fn illegal_moves(&self) -> IllegalMoves {
        let table = if self.has_supervision() {
            &self.edition.supervised_illegal_moves
        } else {
            &self.edition.illegal_moves
        };
        let text = table.at(self.rate);
        let set = &self.overrides;
        IllegalMoves {
            opponent_bonus_s: set.illegal_move_bonus_s.unwrap_or(text.opponent_bonus_s),
            loses_at: match set.illegal_moves_lose_at {
                Some(0) => None,
                Some(nth) => Some(nth),
                None => text.loses_at,
            },
            ..text
        }
    }

    /// Whether the arbiter calls a fallen flag.
    #[must_use]
    pub fn flag_call(&self) -> FlagCall {
        if self.has_supervision() {
            return FlagCall::Call;
        }
        let text = self.edition.flag_calls.at(self.rate);
        self.overrides.flag_call.unwrap_or(text)
    }

    /// Whether a win on time requires time left on the claimant's own clock.
    #[must_use]
    pub fn flag_claim_needs_time(&self) -> bool {
        let text = self.edition.flag_claim_needs_time;
        !self.has_supervision() && self.overrides.flag_claim_needs_time.unwrap_or(text)
    }

    /// Whether the game is drawn when both flags have fallen in the last period and it is unknown
    /// which fell first.
    #[must_use]
    pub fn both_flags_drawn_in_last_period(&self) -> bool {
        let text = self.edition.both_flags.drawn_in_last_period;
        let set = self.overrides.both_flags_drawn_in_last_period;
        set.unwrap_or(text)
    }

    /// Whether an illegal position is a draw if it remains after the next move.
    #[must_use]
    pub fn illegal_position_draws(&self) -> bool {
        let text = self.edition.illegal_position_draws;
        !self.has_supervision() && self.overrides.illegal_position_draws.unwrap_or(text)
    }

    /// The claim in the last two minutes.
    #[must_use]
    pub fn quickplay(&self) -> Quickplay {
        let text = self.edition.quickplay;
        let set = &self.overrides;
        Quickplay {
            needs_the_move: set.quickplay_needs_the_move.unwrap_or(text.needs_the_move),
            may_reject: set.quickplay_may_reject.unwrap_or(text.may_reject),
            ..text
        }
    }
}

/// The score of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Score {
    /// White has won.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// Black has won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// Drawn.
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// Neither player wins, by the arbiter's decision.
    #[serde(rename = "0-0")]
    BothLose,
    /// No result: play continues, or a result was withdrawn.
    #[serde(rename = "*")]
    None,
}

impl Score {
    /// The score when `winner` wins.
    #[must_use]
    pub const fn won_by(winner: Color) -> Self {
        match winner {
            Color::White => Self::WhiteWins,
            Color::Black => Self::BlackWins,
        }
    }

    /// The notation used in PGN and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
            Self::BothLose => "0-0",
            Self::None => "*",
        }
    }
}

mod edition_id {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    use super::{Edition, find};

    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes values by reference"
    )]
    pub fn serialize<S: Serializer>(
        edition: &&'static Edition,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(edition.id)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<&'static Edition, D::Error> {
        let id = String::deserialize(deserializer)?;
        find(&id).map_err(D::Error::custom)
    }
}
