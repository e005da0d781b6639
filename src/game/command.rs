//! Commands: what people and their devices may request.

mod answer;

use std::{collections::BTreeMap, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Square, uci::UciMove};

pub use self::answer::{Answer, RefusalCode, RoleAnswer};
use super::{AccountVersion, Claimed, ClockState, Score, Side};
use remisd_laws::{Edition, Ply, QuickplayDecision, Rate, TimeChange};
use remisd_vocabulary::{
    seq::{AudienceSeq, EntrySeq},
    written::Written,
};

/// A command, read from its topic and payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// Chosen by the sender; the same id again gets the same answer.
    pub id: String,
    /// The sender's role, as the topic says and the broker's access list proves.
    pub role: Role,
    /// The sender's own name, for the record; it proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Refuse when something has changed since this `seq`, as the role counts. If the daemon has
    /// first settled a move that the command answers, it is that move's `seq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_seq: Option<AudienceSeq>,
    /// The move, in UCI, that was on the board when the command came and was not settled
    /// yet. The daemon sets it; a sender cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<Written<UciMove>>,
    /// What a command requests.
    #[serde(flatten)]
    pub verb: Verb,
}

impl Command {
    /// The player who acts at the board by it; `None` if no player does, or none is named.
    #[must_use]
    pub fn player(&self) -> Option<Side> {
        let named = match &self.verb {
            Verb::Offer { player, .. }
            | Verb::Accept { player }
            | Verb::Decline { player }
            | Verb::Claim { player, .. }
            | Verb::Resign { player } => *player,
            _ => return None,
        };
        match self.role {
            Role::White => Some(Side::White),
            Role::Black => Some(Side::Black),
            Role::Arbiter | Role::Operator | Role::Clock | Role::Board => named,
        }
    }
}

/// The role of a sender.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The arbiter.
    Arbiter,
    /// The operator, who looks after boards and broadcast.
    Operator,
    /// The player with the white pieces.
    White,
    /// The player with the black pieces.
    Black,
    /// The chess clock.
    Clock,
    /// A device that enters the moves, at a board without sensors.
    Board,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 6] = [
        Self::Arbiter,
        Self::Operator,
        Self::White,
        Self::Black,
        Self::Clock,
        Self::Board,
    ];

    /// The word for it in topics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::Operator => "operator",
            Self::White => "white",
            Self::Black => "black",
            Self::Clock => "clock",
            Self::Board => "board",
        }
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or(())
    }
}

/// What a command requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verb", content = "arguments", rename_all = "snake_case")]
pub enum Verb {
    /// Begin a new game.
    NewGame {
        /// The starting position as FEN; absent for the usual one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_fen: Option<String>,
        /// The edition; absent for the configured one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        laws: Option<Written<&'static Edition>>,
        /// The rate of play; absent for the configured one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rate: Option<Rate>,
        /// PGN tags.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
    /// Continue from this position: the game's record begins anew there.
    Setup {
        /// The position as FEN.
        fen: String,
    },
    /// Set PGN tags; an empty value removes one.
    Headers {
        /// The tags to change.
        headers: BTreeMap<String, String>,
    },
    /// Enter the result; `*` withdraws it.
    Result {
        /// The score.
        score: Score,
        /// The game that it is for, since the board may have been reset. It is the one on the
        /// board, or an earlier one with an open matter; any other is refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<EntrySeq>,
    },
    /// Offer a draw.
    Offer {
        /// The player who offers. Players need not name themselves; the clock and the arbiter must.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
        /// A condition that was named; it is void, the offer is valid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        condition: Option<String>,
    },
    /// Accept the opponent's offer.
    Accept {
        /// The player who accepts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
    },
    /// Refuse the opponent's offer in words.
    Decline {
        /// The player who refuses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
    },
    /// Claim a draw. It cannot be withdrawn.
    Claim {
        /// The player who claims.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
        /// What.
        kind: Claimed,
        /// The move that is announced, in UCI or SAN; absent for the position on the board.
        #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
        announced: Option<String>,
        /// Whether the announced move is written down. A move that comes in the command
        /// is, unless it says otherwise.
        #[serde(default = "yes")]
        written: bool,
    },
    /// Rule on what is open.
    Ruling(Ruling),
    /// Resign.
    Resign {
        /// The player who resigns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
    },
    /// Take the record back to a ply and make other moves from there.
    Correct {
        /// The last ply to keep.
        to_ply: Ply,
        /// The moves from there, in UCI or SAN.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        moves: Vec<String>,
    },
    /// A player has touched a piece, as the arbiter has seen.
    Touch {
        /// The player.
        player: Side,
        /// The square of the piece.
        square: Written<Square>,
    },
    /// From a player or the clock: the player adjusts pieces (j'adoube). From the arbiter: the
    /// player's touches at this move meant nothing.
    Adjust {
        /// The player.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
    },
    /// Stop the clock.
    Pause {},
    /// Let the clock run again.
    Resume {
        /// Whose side; absent for the player having the move.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        running: Option<Side>,
    },
    /// What a clock of its own shows.
    ClockState {
        /// The clock.
        #[serde(flatten)]
        clock: ClockState,
        /// The adjustment that it has made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        adjusted: Option<String>,
    },
    /// Enter the next move, at a board without sensors.
    Move {
        /// The ply that it is, counted from 1.
        ply: Ply,
        /// The move, in UCI or SAN.
        #[serde(rename = "move")]
        text: String,
        /// What the clock shows after it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<ClockState>,
    },
    /// Take back the last move that was entered.
    Undo {
        /// The ply that it is, counted from 1.
        ply: Ply,
    },
    /// Choose between the record and a second account that differs from it.
    Choose {
        /// The id of the alert about the difference.
        alert: String,
        /// Which of them counts.
        version: AccountVersion,
        /// How many later plies of the record may be lost because the account ends before them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dropped: Option<Ply>,
    },
    /// Acknowledge an alert. For the end of a game this confirms the result.
    Ack {
        /// The alert's id.
        alert: String,
    },
}

impl Verb {
    /// Whether a client that saw the board before it need not look again.
    pub(crate) const fn is_quiet(&self) -> bool {
        matches!(
            self,
            Self::ClockState { .. }
                | Self::Ack { .. }
                | Self::Choose {
                    version: AccountVersion::Record,
                    ..
                }
        )
    }
}

pub(super) const fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands out references"
)]
pub(super) const fn is_true(value: &bool) -> bool {
    *value
}

/// What the arbiter rules, by what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "on", rename_all = "snake_case")]
pub enum Ruling {
    /// The claim that is being checked (9.5).
    Claim {
        /// Whether it is correct.
        correct: bool,
        /// Whether it could be made at all; if not, `correct` must be false, and nothing
        /// follows (9.4).
        #[serde(default = "yes", skip_serializing_if = "is_true")]
        admissible: bool,
    },
    /// A draw that was agreed, or is offered, although the event asks for consent (9.1).
    Agreement {
        /// Whether it is valid.
        consent: bool,
    },
    /// A claim in the last two minutes, or a request for an increment.
    Quickplay {
        /// The decision.
        decision: QuickplayDecision,
        /// Whether the opponent gains time although the decision is postponed.
        #[serde(default)]
        bonus: bool,
        /// Whose claim it is on, where decisions for both players were postponed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        player: Option<Side>,
    },
    /// A player has made an illegal move.
    IllegalMove {
        /// The player.
        player: Side,
        /// Whether the opponent has claimed it. Under some editions the arbiter acts only then, in
        /// rapid and blitz.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        claimed: bool,
        /// Whether the newest ruling of this kind against the player is taken back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        withdrawn: bool,
    },
    /// An illegal position remains after the next move.
    IllegalPosition {},
    /// A player's flag has fallen.
    Flag {
        /// The player whose it is.
        player: Side,
    },
    /// Both flags have fallen, and it cannot be established which fell first.
    BothFlags {
        /// Whether all remaining moves had to be made in this period: none follows it.
        last_period: bool,
    },
    /// The remaining times change by the arbiter's own decision.
    Clock {
        /// White's.
        #[serde(default)]
        white: TimeChange,
        /// Black's.
        #[serde(default)]
        black: TimeChange,
    },
}

/// The verbs by name: the last level of a command's topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "the table in protocol/commands.md describes them"
)]
pub enum VerbName {
    Offer,
    Accept,
    Decline,
    Claim,
    Ruling,
    Resign,
    Result,
    Correct,
    Choose,
    Touch,
    Adjust,
    NewGame,
    Setup,
    Headers,
    Pause,
    Resume,
    Ack,
    ClockState,
    Move,
    Undo,
    Evidence,
}

impl VerbName {
    /// Every verb of the interface with the roles that may use it.
    pub const TABLE: [(Self, &'static str, &'static [Role]); 21] = {
        use Role::{Arbiter, Black, Board, Clock, Operator, White};
        const AT_THE_BOARD: &[Role] = &[White, Black, Clock, Arbiter];
        [
            (Self::Offer, "offer", AT_THE_BOARD),
            (Self::Accept, "accept", AT_THE_BOARD),
            (Self::Decline, "decline", AT_THE_BOARD),
            (Self::Claim, "claim", AT_THE_BOARD),
            (Self::Ruling, "ruling", &[Arbiter]),
            (Self::Resign, "resign", AT_THE_BOARD),
            (Self::Result, "result", &[Arbiter]),
            (Self::Correct, "correct", &[Arbiter]),
            (Self::Choose, "choose", &[Arbiter]),
            (Self::Touch, "touch", &[Arbiter]),
            (Self::Adjust, "adjust", AT_THE_BOARD),
            (Self::NewGame, "new_game", &[Arbiter, Operator]),
            (Self::Setup, "setup", &[Arbiter, Operator]),
            (Self::Headers, "headers", &[Arbiter, Operator]),
            (Self::Pause, "pause", AT_THE_BOARD),
            (Self::Resume, "resume", &[Arbiter]),
            (Self::Ack, "ack", &[Arbiter]),
            (Self::ClockState, "clock_state", &[Clock]),
            (Self::Move, "move", &[Board]),
            (Self::Undo, "undo", &[Board]),
            (Self::Evidence, "evidence", &[Arbiter]),
        ]
    };

    /// The roles that may use this verb.
    #[must_use]
    pub fn roles(self) -> &'static [Role] {
        Self::TABLE
            .iter()
            .find(|(verb, _, _)| *verb == self)
            .map_or(&[], |(_, _, roles)| roles)
    }
}

impl VerbName {
    /// The name of what is asked for.
    #[must_use]
    pub const fn of(verb: &Verb) -> Self {
        match verb {
            Verb::NewGame { .. } => Self::NewGame,
            Verb::Setup { .. } => Self::Setup,
            Verb::Headers { .. } => Self::Headers,
            Verb::Result { .. } => Self::Result,
            Verb::Offer { .. } => Self::Offer,
            Verb::Accept { .. } => Self::Accept,
            Verb::Decline { .. } => Self::Decline,
            Verb::Claim { .. } => Self::Claim,
            Verb::Ruling(_) => Self::Ruling,
            Verb::Resign { .. } => Self::Resign,
            Verb::Correct { .. } => Self::Correct,
            Verb::Choose { .. } => Self::Choose,
            Verb::Touch { .. } => Self::Touch,
            Verb::Adjust { .. } => Self::Adjust,
            Verb::Pause {} => Self::Pause,
            Verb::Resume { .. } => Self::Resume,
            Verb::ClockState { .. } => Self::ClockState,
            Verb::Move { .. } => Self::Move,
            Verb::Undo { .. } => Self::Undo,
            Verb::Ack { .. } => Self::Ack,
        }
    }
}

impl FromStr for VerbName {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::TABLE
            .iter()
            .find(|(_, name, _)| *name == word)
            .map(|(verb, _, _)| *verb)
            .ok_or(())
    }
}
