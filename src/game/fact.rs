//! Facts: what has become true at a board.

mod result;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Square, uci::UciMove};

pub use self::result::{GameResult, ResultReason};
use super::{
    AccountKind, AccountVersion, Adjustment, AgreementPending, Alert, Answer, BrokenAnnouncement,
    CanMate, Cause, ClaimRecord, DecidedAfterEnd, EarlierGame, HeldResignation, JournalDown,
    LostEntries, MustPlay, OfferEnd, PauseReason, PendingLoss, ProposedResult, Side, StandingOffer,
    Touched, Unresolved,
    command::{is_true, yes},
};
use remisd_dead::Verdict;
use remisd_laws::{AutomaticEnd, AutomaticKind, Edition, Ply, QuickplayDecision, Rate, Score};
use remisd_vocabulary::{
    notation::MoveText,
    reading::{DifferingSquare, MismatchReason, SettledBy},
    sensor::{Orientation, Seen},
    seq::EntrySeq,
    written::as_text,
};

/// What has become true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// A game has begun.
    GameStarted {
        /// Its number: the `seq` of the entry that began it.
        game: EntrySeq,
        /// The starting position.
        start_fen: String,
        /// The edition of the Laws.
        #[serde(with = "as_text")]
        #[schemars(with = "String")]
        laws: &'static Edition,
        /// The rate of play.
        rate: Rate,
        /// Why it began; absent for a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<Cause>,
    },
    /// A game was left without a result when another one began.
    GameLeft {
        /// Its number.
        game: EntrySeq,
        /// Its plies.
        ply: Ply,
        /// The first ply that was not certain at its end. Either the board did not agree with the
        /// game, because moves may be missing or wrong or the pieces were cleared away, or a
        /// promotion was assumed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uncertain_since: Option<Ply>,
    },
    /// A game was left before the arbiter had decided what only the arbiter can decide, or after it
    /// had begun and without a result.
    LeftUndecided(Unresolved),
    /// The game continues from another position.
    PositionSet {
        /// The position, which is the game's ply 0 now.
        fen: String,
    },
    /// The PGN tags have changed.
    HeadersSet {
        /// All of them.
        headers: BTreeMap<String, String>,
    },
    /// A move has been made.
    MoveMade {
        /// Its ply.
        ply: Ply,
        /// UCI.
        #[serde(with = "as_text")]
        #[schemars(with = "String")]
        uci: UciMove,
        /// Standard algebraic notation.
        san: String,
        /// The position after it.
        fen: String,
        /// What settled it; absent for a move that replaced another one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<SettledBy>,
        /// The game was over before it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        after_end: bool,
    },
    /// A move was taken back; what takes its place, if anything does, follows.
    MoveRetracted {
        /// Its ply.
        ply: Ply,
        /// What it was, in UCI.
        #[serde(with = "as_text")]
        #[schemars(with = "String")]
        uci: UciMove,
    },
    /// The Laws have ended the game.
    Ended {
        /// The ply at which they did.
        ply: Ply,
        /// Why.
        kind: AutomaticKind,
        /// The article.
        article: String,
    },
    /// An end was taken back together with the ply that made it, or overruled by the arbiter.
    EndRetracted {
        /// The ply.
        ply: Ply,
    },
    /// The game has a result.
    ResultSet(GameResult),
    /// The arbiter has entered the result of an earlier game.
    ResultRecorded {
        /// The game.
        game: EntrySeq,
        /// Its score.
        score: Score,
        /// The person who did it.
        by: String,
    },
    /// The arbiter has confirmed the result.
    ResultConfirmed {
        /// The person who did it.
        by: String,
        /// The game; absent for the one on the board.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<EntrySeq>,
    },
    /// A player offers a draw.
    OfferMade(StandingOffer),
    /// An offer has ended.
    OfferEnded {
        /// Whose it was.
        by: Side,
        /// How.
        how: OfferEnd,
        /// The square of the piece that was touched.
        #[serde(
            default,
            with = "as_text::option",
            skip_serializing_if = "Option::is_none"
        )]
        #[schemars(with = "Option<String>")]
        square: Option<Square>,
    },
    /// An offer is valid again: the arbiter finds that a touch had not refused it, or the move
    /// that had was none.
    OfferRestored {
        /// Whose it is.
        by: Side,
    },
    /// A draw was agreed before each player had made a move, which this edition allows.
    AgreedWithoutPlay,
    /// A draw was agreed that needs the arbiter's consent.
    AgreementPending(AgreementPending),
    /// The arbiter has consented to it, or not.
    AgreementRuled {
        /// Whether the arbiter has consented.
        consent: bool,
    },
    /// Players have decided something in a game whose end was not announced to them.
    DecidedAfterEnd(DecidedAfterEnd),
    /// A player claims a draw.
    ClaimMade(ClaimRecord),
    /// A claim was ruled on.
    ClaimRuled {
        /// Which.
        claim: EntrySeq,
        /// Whether it is valid.
        correct: bool,
        /// Whether it could be made at all; absent when it could.
        #[serde(default = "yes", skip_serializing_if = "is_true")]
        admissible: bool,
        /// By whom.
        by: String,
    },
    /// The arbiter has taken back the granting of a claim: it is being checked again.
    ClaimReopened {
        /// Which.
        claim: EntrySeq,
    },
    /// A claim in the last two minutes was decided.
    QuickplayRuled {
        /// Which.
        claim: EntrySeq,
        /// How.
        decision: QuickplayDecision,
        /// By whom.
        by: String,
    },
    /// The announced move must be made now.
    MustPlay(MustPlay),
    /// Another move was made.
    AnnouncedMoveNotPlayed(BrokenAnnouncement),
    /// The player having the move has touched a piece.
    PieceTouched(Touched),
    /// A player announces adjusting pieces.
    Adjusting {
        /// The player.
        by: Side,
    },
    /// The arbiter finds that a player's touches at this move meant nothing.
    TouchesVoid {
        /// The player whose it is.
        by: Side,
    },
    /// The clock is to be stopped.
    Paused {
        /// Why.
        reason: PauseReason,
    },
    /// It may run again.
    Resumed {
        /// Whose side.
        running: Side,
    },
    /// The clock is to change the remaining times.
    AdjustmentOrdered(Adjustment),
    /// It has.
    AdjustmentMade {
        /// Which change.
        id: String,
    },
    /// It need not any more: what it was ordered for is taken back.
    AdjustmentWithdrawn {
        /// Which change.
        id: String,
    },
    /// The arbiter has found an illegal move.
    IllegalMove {
        /// By whom.
        by: Side,
        /// How many illegal moves this player has now made in this game.
        nth: u32,
    },
    /// The arbiter has taken back the ruling on an illegal move.
    IllegalMoveWithdrawn {
        /// Whose it was.
        by: Side,
        /// How many of the player's illegal moves still count.
        left: u32,
    },
    /// Both flags have fallen, and it cannot be established which fell first.
    BothFlags {
        /// Whether the game is drawn; else it continues.
        drawn: bool,
        /// The article.
        article: String,
    },
    /// A game is lost unless the opponent cannot mate, which is not known yet.
    LossPending(PendingLoss),
    /// A player has resigned, after something that may have ended the game before.
    ResignationHeld(HeldResignation),
    /// Which side can still mate.
    Winnability {
        /// After which ply.
        ply: Ply,
        /// The answers.
        can_mate: CanMate,
    },
    /// The arbiter has corrected the record: the moves taken back and made follow.
    Corrected {
        /// The last ply that was kept.
        to_ply: Ply,
        /// By whom.
        by: String,
    },
    /// The arbiter has chosen between the record and a second account that differs from it. If the
    /// account counts, the correction follows.
    VersionChosen {
        /// What the account comes from.
        account: AccountKind,
        /// The account's name.
        name: String,
        /// The first ply that differed.
        ply: Ply,
        /// Which of them counts.
        version: AccountVersion,
        /// By whom.
        by: String,
    },
    /// Whether either side can still mate.
    DeadVerdict {
        /// After which ply.
        ply: Ply,
        /// The answer.
        verdict: Verdict,
    },
    /// No legal move explains the board.
    TrackingLost {
        /// Why.
        reason: MismatchReason,
        /// The squares that differ.
        squares: Vec<SeenSquare>,
    },
    /// A move was perhaps on the board when the game was decided, or left for another one. It is
    /// not in the record.
    MoveUnsettled {
        /// The ply that it would have been.
        ply: Ply,
        /// The move.
        #[serde(rename = "move")]
        m: MoveText,
    },
    /// The board agrees with the game again.
    TrackingRestored,
    /// The players have shown a result on the board.
    ResultProposed(ProposedResult),
    /// The arbiter has seen that, and the game continues as it was.
    ProposalDeclined {
        /// By whom.
        by: String,
    },
    /// The journal was damaged, and entries are lost.
    EntriesLost {
        /// Which.
        lost: Vec<LostEntries>,
        /// The first ply that is not certain; absent if no ply is lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Ply>,
        /// The earlier game whose entries they are; absent for the game that is played.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<EarlierGame>,
    },
    /// The disk does not take the journal any more, or does again.
    JournalChanged {
        /// Why not; null when it does.
        down: Option<JournalDown>,
    },
    /// The sensors of these squares are ignored; an empty list means that none are.
    SensorsFaulty {
        /// The squares.
        #[serde(with = "as_text::each")]
        #[schemars(with = "Vec<String>")]
        squares: Vec<Square>,
    },
    /// A daemon has started to serve the board.
    DaemonStarted {
        /// Its version.
        version: String,
    },
    /// The line to the board came up or went down.
    LinkChanged {
        /// Whether the board answers.
        up: bool,
        /// Why not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The board was found to lie the other way round.
    OrientationChanged {
        /// How it lies.
        orientation: Orientation,
    },
    /// An alert was raised.
    AlertRaised(Alert),
    /// An alert's cause is gone.
    AlertCleared {
        /// Which.
        id: String,
    },
    /// An alert was acknowledged.
    AlertAcknowledged {
        /// Which.
        id: String,
        /// By whom.
        by: String,
    },
    /// A red alert was not acknowledged in time.
    AlertEscalated {
        /// Which.
        id: String,
    },
    /// A command was answered.
    Answered(Answer),
    /// An input made no sense here and changed nothing.
    Refused {
        /// Why.
        reason: String,
    },
}

impl Fact {
    /// The Laws have ended the game.
    pub(super) fn ended(ply: Ply, end: AutomaticEnd) -> Self {
        Self::Ended {
            ply,
            kind: end.kind,
            article: end.article.to_owned(),
        }
    }
}

/// A square on which game and sensors differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenSquare {
    /// The square: `e4`.
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    pub square: Square,
    /// What should stand there, as in FEN; null for nothing.
    pub expected: Option<char>,
    /// What the sensors see there; null for nothing.
    pub seen: Option<char>,
}

impl From<&DifferingSquare> for SeenSquare {
    fn from(differing: &DifferingSquare) -> Self {
        Self {
            square: differing.square,
            expected: differing.expected.map(shakmaty::Piece::char),
            seen: match differing.seen {
                Seen::Piece(piece) => Some(piece.char()),
                Seen::Occupied => Some('?'),
                Seen::Empty | Seen::ResultPiece(_) => None,
            },
        }
    }
}
