//! Under which rules the games at a board are played.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::Square;

use super::{
    Alert, BrokerConflict, CarriedSource, ClockState, EarlierLoss, JournalDown, LeftOut, LinkDown,
    Loss, OtherRecordFile, RoleAnswer, Side, SilentPhone, TakenPairing, Unconfirmed, Unresolved,
    earlier::LeftGame,
};
use remisd_laws::Regulations;
use remisd_vocabulary::{
    sensor::{DownCode, Orientation},
    time::as_rfc3339,
    written::as_text,
};

/// Under which rules the games at a board are played, unless a command says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rules {
    /// The event's regulations.
    pub regulations: Regulations,
    /// Whether the arbiter has to confirm the end of a game before it is published.
    pub confirm: Confirm,
    /// How long a red alert may stay unacknowledged before it is escalated, in
    /// milliseconds; 0 for ever.
    pub escalate_ms: u64,
    /// How long the clock may run for the player who does not have the move before an alert, in
    /// milliseconds; 0 for ever.
    #[serde(default = "a_minute")]
    pub clock_mismatch_ms: u64,
}

const fn a_minute() -> u64 {
    60_000
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            regulations: Regulations::default(),
            confirm: Confirm::Arbiter,
            escalate_ms: 20_000,
            clock_mismatch_ms: a_minute(),
        }
    }
}

/// Whether the end of a game needs confirmation before it is published. In law the game is over
/// either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confirm {
    /// The arbiter confirms it by acknowledging the alert, and rules on every claim.
    Arbiter,
    /// It is published immediately, and a claim is ruled on as the moves show it.
    Automatic,
}

/// What is to be remembered of a board beyond one game; written down again whenever a
/// new segment of the journal begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Carried {
    /// The rules of the event.
    pub rules: Rules,
    /// The regulations of the game that has begun.
    pub regulations: Regulations,
    /// What the clock shows, without a flag: that was the last game's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockState>,
    /// When the clock showed that.
    #[serde(
        default,
        with = "as_rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub clock_at: Option<Timestamp>,
    /// The flag that an earlier game has left fallen on the clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<Side>,
    /// How the board was found to lie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,
    /// The clock was found to be the other way round from what its board assumes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock_reversed: bool,
    /// Unconfirmed ends of earlier games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unconfirmed: Vec<Unconfirmed>,
    /// What earlier games have left undecided and is not acknowledged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_undecided: Vec<Unresolved>,
    /// How many matters of still earlier games are left out of the two lists.
    #[serde(default, skip_serializing_if = "LeftOut::is_none")]
    pub left_out: LeftOut,
    /// The newest games before the one that has begun, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<LeftGame>,
    /// What the journal has lost and is not acknowledged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// What the journal has lost of earlier games, acknowledged or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_losses: Vec<EarlierLoss>,
    /// Files in the journal that contradict the rest of the record, acknowledged or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_record: Vec<OtherRecordFile>,
    /// The newest answers to commands, so that one that is sent again is not done again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<RoleAnswer>,
    /// The alerts that are open: since when, seen by whom, escalated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<Alert>,
    /// Whether the board answers; absent before it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<CarriedLink>,
    /// What is remembered of the program that writes the games.
    #[serde(default, skip_serializing_if = "CarriedSource::is_none")]
    pub source: CarriedSource,
    /// Squares whose sensors are ignored.
    #[serde(default, with = "as_text::each", skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub faulty: Vec<Square>,
    /// Why entries were not written when the game began; absent if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_down: Option<JournalDown>,
    /// Who interferes with the daemon at the broker; absent if there is none.
    #[serde(
        default,
        rename = "intrusion",
        skip_serializing_if = "BrokerConflict::is_none"
    )]
    pub broker_conflict: BrokerConflict,
    /// The pairing that the program which reads the board has named last.
    #[serde(default, skip_serializing_if = "TakenPairing::is_none")]
    pub pairing: TakenPairing,
    /// The phones that do not take the messages about this board.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silent_phones: Vec<SilentPhone>,
}

/// Whether a board answered when a segment of the journal began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CarriedLink {
    /// Whether it did.
    pub up: bool,
    /// Why not, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<DownCode>,
    /// The same for people, in English.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl From<&Result<(), LinkDown>> for CarriedLink {
    fn from(link: &Result<(), LinkDown>) -> Self {
        let down = link.as_ref().err();
        Self {
            up: down.is_none(),
            code: down.and_then(|down| down.code),
            reason: down.map_or_else(String::new, |down| down.reason.clone()),
        }
    }
}

impl From<&CarriedLink> for Result<(), LinkDown> {
    fn from(carried: &CarriedLink) -> Self {
        if carried.up {
            return Ok(());
        }
        let (code, reason) = (carried.code, carried.reason.clone());
        Err(LinkDown { code, reason })
    }
}
