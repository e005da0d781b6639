//! Inputs: what can change a game.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Square, uci::UciMove};

use super::{
    AccountReport, CanMate, Command, EarlierGame, LostEntries, OtherRecordFile, RefusalCode,
    RewrittenPly, Role, Rules, SeenSquare, SourceReport, UnresolvedGame, VerbName,
    command::{is_true, yes},
};
use remisd_dead::{Proofs, Verdict};
use remisd_laws::{Edition, Ply, Rate};
use remisd_vocabulary::{
    reading::{MismatchReason, SettledBy, Sign},
    sensor::{DownCode, Orientation},
    seq::EntrySeq,
    written::{Written, as_text},
};

/// An input with its number in the journal and the wall time at which it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped {
    /// The number of its journal entry: per board, growing by one, never reused.
    pub seq: EntrySeq,
    /// When it came.
    pub time: Timestamp,
    /// The input itself.
    pub input: Input,
}

/// Why the journal cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JournalDown {
    /// In a word.
    pub code: JournalFault,
    /// As the system says it, in English.
    pub reason: String,
}

impl JournalDown {
    /// The disk has not answered in time.
    #[must_use]
    pub fn slow() -> Self {
        Self {
            code: JournalFault::Slow,
            reason: "the disk does not answer".to_owned(),
        }
    }
}

/// The other client that interferes with the daemon at the broker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Intrusion")]
pub struct BrokerConflict {
    /// Another client has connected under the daemon's client id and disconnected it.
    pub taken_over: bool,
    /// The other computers that run a daemon of the same name.
    pub namesakes: Vec<String>,
}

impl BrokerConflict {
    /// Whether there is none.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        !self.taken_over && self.namesakes.is_empty()
    }
}

/// A phone that does not take the messages about this board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilentPhone {
    /// Its name in the configuration: `notify.0` is the first.
    pub name: String,
    /// What its server has answered, or why it was not reached. In English, at most 200 characters.
    pub reason: String,
}

/// What keeps a journal from being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JournalFault {
    /// There is no room left.
    Full,
    /// The file system is read-only.
    ReadOnly,
    /// The disk does not answer.
    Slow,
    /// Something else.
    Other,
}

/// What can change a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Input {
    /// A new game begins.
    NewGame {
        /// The starting position as FEN; absent for the usual one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_fen: Option<String>,
        /// The edition of the Laws it is played under.
        laws: Written<&'static Edition>,
        /// The rate of play.
        rate: Rate,
        /// PGN tags.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
        /// Why it began.
        cause: Cause,
    },
    /// A move was settled. A later entry may replace or withdraw it.
    Move {
        /// The move in UCI.
        uci: Written<UciMove>,
        /// What settled it.
        by: SettledBy,
        /// What the clock showed then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<ClockState>,
    },
    /// The last settled move is replaced by this one.
    Revise {
        /// The move that takes its place, in UCI.
        uci: Written<UciMove>,
        /// What the clock showed then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clock: Option<ClockState>,
    },
    /// The last settled move is withdrawn: it does not count as played.
    Withdraw,
    /// The program that writes the game has taken recorded plies back and continues differently.
    Rewrite {
        /// The last ply that stays.
        to_ply: Ply,
        /// The plies that follow it now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        plies: Vec<RewrittenPly>,
    },
    /// What the program that writes the game says of it, beyond its moves, has changed.
    Source {
        /// All that it says.
        report: Box<SourceReport>,
        /// Its PGN tags that are new or have changed. Masked names do not show that themselves.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        new_tags: Vec<String>,
    },
    /// The comparison of a second account with the record has changed.
    Account {
        /// What it says now.
        report: Box<AccountReport>,
    },
    /// No legal move explains the board.
    Mismatch {
        /// Why.
        reason: MismatchReason,
        /// The squares that differ.
        squares: Vec<SeenSquare>,
        /// For an ambiguity: the lines that are all possible, in UCI.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        candidates: Vec<Vec<Written<UciMove>>>,
        /// How many of the last plies may have been read wrongly: what speaks against the game may
        /// speak against them.
        #[serde(default, skip_serializing_if = "is_zero")]
        doubted: Ply,
    },
    /// This move was perhaps on the board when the game was decided, or left for another one. It
    /// is not settled, so it is not in the record.
    Unsettled {
        /// The move in UCI.
        uci: Written<UciMove>,
    },
    /// The board agrees with the game again.
    Agreed,
    /// The clock's state has changed otherwise than by running.
    Clock {
        /// What it shows; absent when no clock is connected any more.
        clock: Option<ClockState>,
    },
    /// A daemon has started to serve the board; whether the board answers is not known yet.
    Start {
        /// The daemon's version.
        version: String,
        /// The rules of the event from now on; the game in progress keeps its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rules: Option<Box<Rules>>,
    },
    /// The player to move has lifted a piece: their own or, perhaps to capture it, one of the
    /// opponent's.
    Touched {
        /// The player.
        by: Side,
        /// The square of the piece.
        #[serde(with = "as_text")]
        #[schemars(with = "String")]
        square: Square,
        /// Whether it stayed up for long or was played; else it was only seen missing, or is
        /// the opponent's.
        #[serde(default = "yes", skip_serializing_if = "is_true")]
        sure: bool,
    },
    /// The players have shown a result on the board.
    ResultProposed {
        /// The winner; null for a draw.
        winner: Option<Side>,
        /// How it was shown.
        sign: Sign,
    },
    /// The sensors of these squares are ignored; an empty list means that none are.
    Faulty {
        /// The squares.
        #[serde(with = "as_text::each")]
        #[schemars(with = "Vec<String>")]
        squares: Vec<Square>,
    },
    /// The disk does not take the journal any more, or does again.
    Journal {
        /// Why not; null when it does.
        down: Option<JournalDown>,
    },
    /// An interference with the daemon at the broker has begun or ended.
    Broker {
        /// What is known of that.
        #[serde(flatten)]
        conflict: BrokerConflict,
    },
    /// The game takes a pairing of the program that reads the board.
    Pairing {
        /// Its id in that program.
        id: String,
        /// Event, round and players as PGN tags.
        headers: BTreeMap<String, String>,
        /// The names of the tags that are set, or removed if the pairing has none of that name.
        set: Vec<String>,
    },
    /// The phones that do not take the messages about this board are others than before.
    Phones {
        /// All of them; empty if there is none.
        silent: Vec<SilentPhone>,
    },
    /// The disk, which was not there when the daemon started, has come: before this game it has
    /// the record of another one.
    #[serde(rename = "reunited")]
    MergedWithDisk {
        /// What that game leaves to the board.
        left: Box<UnresolvedGame>,
    },
    /// The journal was damaged: entries before this one are lost.
    EntriesLost {
        /// Which.
        lost: Vec<LostEntries>,
        /// The first ply of the game that is not certain; absent if no ply is lost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Ply>,
        /// The earlier game whose entries they are; absent for the game that is played.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<EarlierGame>,
    },
    /// Files in the journal are of another record, or contradict the rest of the board's record; or
    /// none is or does so any more.
    OtherRecord {
        /// The files, at most 16, in order. The oldest of them counts those that are left out.
        files: Vec<OtherRecordFile>,
    },
    /// Red alerts have been unacknowledged for too long, or the clock has run for the wrong
    /// player for as long.
    Overdue,
    /// The solver has looked at both sides in the position after a ply.
    Winnability {
        /// The ply.
        ply: Ply,
        /// Which position it was asked about: see [`Game::position_seq`].
        ///
        /// [`Game::position_seq`]: super::Game::position_seq
        position: EntrySeq,
        /// The answers.
        can_mate: CanMate,
    },
    /// The line to the board came up or went down.
    Link {
        /// Whether the board answers.
        up: bool,
        /// Why not, in a word.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<DownCode>,
        /// The same for people, in English.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The board or its clock was found to be the other way round.
    Orientation {
        /// How the board lies.
        orientation: Orientation,
        /// Moves have shown that the clock is the other way round from what its board assumes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        clock_reversed: bool,
    },
    /// The solver has an answer for the position after a ply.
    Dead {
        /// The ply.
        ply: Ply,
        /// Which position it was asked about: see [`Game::position_seq`].
        ///
        /// [`Game::position_seq`]: super::Game::position_seq
        position: EntrySeq,
        /// The answer.
        verdict: Verdict,
        /// The ply after which no side could mate any more, if that is an earlier one. Several
        /// plies may have been settled together.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Ply>,
        /// Why no side can mate in the position after that ply.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        proofs: Option<Box<Proofs>>,
    },
    /// A command has come.
    Command(Command),
    /// A command was refused and has changed nothing: what is kept of a long one.
    CommandRefused {
        /// The sender's role.
        role: Role,
        /// What was requested.
        verb: VerbName,
        /// The command's id.
        id: String,
        /// Why it was refused.
        code: RefusalCode,
        /// The same in words.
        message: String,
    },
}

/// Why a game began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The daemon has begun to watch the board.
    Startup,
    /// The starting position was set up.
    StartArray,
    /// The program that writes the games has begun another one.
    Source,
}

/// What a chess clock shows, in the words of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClockState {
    /// White's remaining time in milliseconds.
    pub white_ms: u64,
    /// Black's remaining time in milliseconds.
    pub black_ms: u64,
    /// Whose time is running; null while the clock is stopped.
    pub running: Option<Side>,
    /// Whose flag has fallen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<Side>,
}

/// A colour in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// White.
    White,
    /// Black.
    Black,
}

impl From<shakmaty::Color> for Side {
    fn from(color: shakmaty::Color) -> Self {
        color.fold_wb(Self::White, Self::Black)
    }
}

impl From<Side> for shakmaty::Color {
    fn from(side: Side) -> Self {
        side.color()
    }
}

impl Side {
    /// The colour of this side's pieces.
    #[must_use]
    pub const fn color(self) -> shakmaty::Color {
        match self {
            Self::White => shakmaty::Color::White,
            Self::Black => shakmaty::Color::Black,
        }
    }

    /// The word for it in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Black => "black",
        }
    }
}

impl From<remisd_vocabulary::sensor::ClockReading> for ClockState {
    fn from(reading: remisd_vocabulary::sensor::ClockReading) -> Self {
        Self {
            white_ms: reading.white_ms,
            black_ms: reading.black_ms,
            running: reading.running.map(Side::from),
            flag: reading.flag.map(Side::from),
        }
    }
}

/// Whether the field is left out.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(plies: &Ply) -> bool {
    *plies == 0
}
