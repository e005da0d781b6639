//! Alerts: conditions, true now, that the arbiter or operator must know.

mod condition;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::condition::Alerts;
pub(crate) use self::condition::Condition;
use remisd_vocabulary::time::as_rfc3339;

/// An open alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Alert {
    /// Unique on its board: the code and what it is about, or the `seq` of the entry that
    /// raised it.
    pub id: String,
    /// How urgent it is.
    pub level: Level,
    /// What it is about.
    pub code: AlertCode,
    /// What the text needs: names and values, also for other languages.
    pub arguments: serde_json::Map<String, serde_json::Value>,
    /// The article it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// When it was raised.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub since: Timestamp,
    /// Who acknowledged it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_by: Option<String>,
    /// When it was acknowledged.
    #[serde(
        default,
        with = "as_rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub acknowledged_at: Option<Timestamp>,
    /// It is red and was not acknowledged in time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub escalated: bool,
    /// Which of several conditions of this code it is about; empty where there is one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub subject: String,
}

/// How urgent an alert is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Act now.
    Red,
    /// Look at it; the text says whether to intervene.
    Amber,
    /// The equipment needs attention.
    Grey,
}

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertCode {
    /// The same position for the fifth time: the game is drawn.
    Fivefold,
    /// 75 moves by each player without pawn move and capture: the game is drawn.
    SeventyFiveMove,
    /// Neither player can mate: the game is drawn.
    DeadPosition,
    /// Checkmate or stalemate is on the board.
    GameOver,
    /// Moves, offers, claims or a resignation are made although the game was over.
    PlayAfterEnd,
    /// A player claims a draw.
    ClaimMade,
    /// A flag has fallen.
    FlagFall,
    /// A draw was agreed that is not allowed.
    AgreementRestricted,
    /// Another move was made than the one announced with a claim.
    AnnouncedMoveNotPlayed,
    /// The clock has to be set.
    ClockAdjustment,
    /// The arbiter has to decide, as it is not known whether the opponent can mate.
    DecisionNeeded,
    /// A game was left, or a position set up in it, while something waited for the arbiter. That is
    /// a claim, a request for an increment, a decision, an agreement, a resignation or another loss,
    /// or a shown result. If a game has begun and only its result is missing, the level is amber.
    LeftUndecided,
    /// The disk does not take the journal: what happens now is not safe from a power cut.
    JournalDown,
    /// Another daemon has the same name, so both publish on the same topics.
    NodeTwice,
    /// The journal was damaged and has lost entries.
    EntriesLost,
    /// A file in the journal is of another record, or contradicts the rest of the board's record.
    OtherRecord,
    /// A draw by repetition can be claimed.
    ThreefoldClaimable,
    /// A draw by fifty moves can be claimed.
    FiftyMoveClaimable,
    /// The same position for the fourth time.
    FourthOccurrence,
    /// 70 moves by each player without pawn move and capture.
    SeventyMoves,
    /// The third occurrence hangs on how a castling right is read.
    RepetitionDisputed,
    /// The fifth occurrence, but not in consecutive moves as the Laws of 2014 ask.
    FivefoldUneven,
    /// A player offers a draw again and again.
    OfferRepeated,
    /// A player claims a draw again and again without ground.
    ClaimsRepeated,
    /// A draw was offered before the event allows it.
    OfferRestricted,
    /// A draw was agreed before each player had made a move, which this edition allows.
    AgreedWithoutPlay,
    /// The decision on a claim in the last two minutes is still to be made.
    DecisionPostponed,
    /// A piece was lifted before the claim.
    ClaimContested,
    /// A claim was ruled incorrect, and its record was corrected since.
    ClaimReconsidered,
    /// No legal move explains the board. Or the starting position for the next game is set up wrongly.
    BoardMismatch,
    /// The clock is stopped although the game is on.
    ClockStopped,
    /// Occurrences and moves are counted from a position that was set up.
    CountsRestarted,
    /// The players have ended the game; the arbiter has not confirmed it yet.
    ResultToConfirm,
    /// The end of an earlier game was never confirmed.
    ResultUnconfirmed,
    /// The players have shown a result on the board.
    ResultProposed,
    /// A pawn was promoted, and the piece is assumed: a queen on a board that does not identify
    /// pieces, or a rook that may be an inverted one.
    PromotionAssumed,
    /// The program that writes the game leaves plies in doubt: it may have guessed them, they cannot
    /// be read, or it differs from the record. Or other games have the number of the board.
    SourceUncertain,
    /// The program that writes the game has changed plies that were recorded.
    SourceRewritten,
    /// A second account of the game differs from the record.
    AccountsDiffer,
    /// A second account is not compared with the record, or cannot be read.
    AccountNotCompared,
    /// Another client has thrown the daemon off the broker by connecting under its client id.
    SessionTakenOver,
    /// A phone does not take the messages about this board.
    PhoneSilent,
    /// The board does not answer.
    BoardLost,
    /// The sensors of some squares contradict the game and are ignored.
    SensorsFaulty,
    /// The clock has run for a while for the player who does not have the move.
    ClockMismatch,
    /// Plies were made out of sight of the board and worked out afterwards.
    PliesReconstructed,
}

impl AlertCode {
    /// Every code, the urgent ones first.
    pub const ALL: [Self; 46] = [
        Self::Fivefold,
        Self::SeventyFiveMove,
        Self::DeadPosition,
        Self::GameOver,
        Self::PlayAfterEnd,
        Self::ClaimMade,
        Self::FlagFall,
        Self::AgreementRestricted,
        Self::AnnouncedMoveNotPlayed,
        Self::ClockAdjustment,
        Self::DecisionNeeded,
        Self::LeftUndecided,
        Self::JournalDown,
        Self::NodeTwice,
        Self::EntriesLost,
        Self::OtherRecord,
        Self::ThreefoldClaimable,
        Self::FiftyMoveClaimable,
        Self::FourthOccurrence,
        Self::SeventyMoves,
        Self::RepetitionDisputed,
        Self::FivefoldUneven,
        Self::OfferRepeated,
        Self::ClaimsRepeated,
        Self::OfferRestricted,
        Self::AgreedWithoutPlay,
        Self::DecisionPostponed,
        Self::ClaimContested,
        Self::ClaimReconsidered,
        Self::BoardMismatch,
        Self::ClockStopped,
        Self::CountsRestarted,
        Self::ResultToConfirm,
        Self::ResultUnconfirmed,
        Self::ResultProposed,
        Self::PromotionAssumed,
        Self::SourceUncertain,
        Self::SourceRewritten,
        Self::AccountsDiffer,
        Self::AccountNotCompared,
        Self::SessionTakenOver,
        Self::PhoneSilent,
        Self::BoardLost,
        Self::SensorsFaulty,
        Self::ClockMismatch,
        Self::PliesReconstructed,
    ];

    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fivefold => "fivefold",
            Self::SeventyFiveMove => "seventy_five_move",
            Self::DeadPosition => "dead_position",
            Self::GameOver => "game_over",
            Self::PlayAfterEnd => "play_after_end",
            Self::ClaimMade => "claim_made",
            Self::FlagFall => "flag_fall",
            Self::AgreementRestricted => "agreement_restricted",
            Self::AnnouncedMoveNotPlayed => "announced_move_not_played",
            Self::ClockAdjustment => "clock_adjustment",
            Self::DecisionNeeded => "decision_needed",
            Self::LeftUndecided => "left_undecided",
            Self::ThreefoldClaimable => "threefold_claimable",
            Self::FiftyMoveClaimable => "fifty_move_claimable",
            Self::FourthOccurrence => "fourth_occurrence",
            Self::SeventyMoves => "seventy_moves",
            Self::RepetitionDisputed => "repetition_disputed",
            Self::FivefoldUneven => "fivefold_uneven",
            Self::OfferRepeated => "offer_repeated",
            Self::ClaimsRepeated => "claims_repeated",
            Self::OfferRestricted => "offer_restricted",
            Self::AgreedWithoutPlay => "agreed_without_play",
            Self::DecisionPostponed => "decision_postponed",
            Self::ClaimContested => "claim_contested",
            Self::ClaimReconsidered => "claim_reconsidered",
            Self::BoardMismatch => "board_mismatch",
            Self::ClockStopped => "clock_stopped",
            Self::CountsRestarted => "counts_restarted",
            Self::ResultToConfirm => "result_to_confirm",
            Self::ResultUnconfirmed => "result_unconfirmed",
            Self::ResultProposed => "result_proposed",
            Self::PromotionAssumed => "promotion_assumed",
            Self::SourceUncertain => "source_uncertain",
            Self::SourceRewritten => "source_rewritten",
            Self::AccountsDiffer => "accounts_differ",
            Self::AccountNotCompared => "account_not_compared",
            Self::JournalDown => "journal_down",
            Self::NodeTwice => "node_twice",
            Self::SessionTakenOver => "session_taken_over",
            Self::PhoneSilent => "phone_silent",
            Self::EntriesLost => "entries_lost",
            Self::OtherRecord => "other_record",
            Self::BoardLost => "board_lost",
            Self::SensorsFaulty => "sensors_faulty",
            Self::ClockMismatch => "clock_mismatch",
            Self::PliesReconstructed => "plies_reconstructed",
        }
    }

    /// Whether it reveals that a draw can be claimed, how near that is, or that a claim may have
    /// been correct after all. A message that a phone does not take may be about that. Such alerts
    /// are for the arbiter alone.
    #[must_use]
    pub const fn reveals_claims(self) -> bool {
        matches!(
            self,
            Self::ThreefoldClaimable
                | Self::FiftyMoveClaimable
                | Self::FourthOccurrence
                | Self::SeventyMoves
                | Self::RepetitionDisputed
                | Self::FivefoldUneven
                | Self::ClaimReconsidered
                | Self::PhoneSilent
        )
    }

    /// How urgent it is when it is raised.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Self::Fivefold
            | Self::SeventyFiveMove
            | Self::DeadPosition
            | Self::GameOver
            | Self::PlayAfterEnd
            | Self::ClaimMade
            | Self::FlagFall
            | Self::AgreementRestricted
            | Self::AnnouncedMoveNotPlayed
            | Self::ClockAdjustment
            | Self::DecisionNeeded
            | Self::LeftUndecided
            | Self::JournalDown
            | Self::NodeTwice
            | Self::EntriesLost
            | Self::OtherRecord => Level::Red,
            Self::ThreefoldClaimable
            | Self::FiftyMoveClaimable
            | Self::FourthOccurrence
            | Self::SeventyMoves
            | Self::RepetitionDisputed
            | Self::FivefoldUneven
            | Self::OfferRepeated
            | Self::ClaimsRepeated
            | Self::OfferRestricted
            | Self::AgreedWithoutPlay
            | Self::DecisionPostponed
            | Self::ClaimContested
            | Self::ClaimReconsidered
            | Self::BoardMismatch
            | Self::ClockStopped
            | Self::CountsRestarted
            | Self::ResultToConfirm
            | Self::ResultUnconfirmed
            | Self::ResultProposed
            | Self::PromotionAssumed
            | Self::SourceUncertain
            | Self::SourceRewritten
            | Self::AccountsDiffer
            | Self::AccountNotCompared
            | Self::SessionTakenOver
            | Self::PhoneSilent => Level::Amber,
            Self::BoardLost
            | Self::SensorsFaulty
            | Self::ClockMismatch
            | Self::PliesReconstructed => Level::Grey,
        }
    }
}
