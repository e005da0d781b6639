//! The record of a game up to a claim, independent of its source.

mod doubt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Move, Position as _, uci::UciMove};

pub use self::doubt::{Doubt, Source};
use super::{
    PositionAtPly,
    form::{Form, as_side},
};
use remisd_dead::Grounds;
use remisd_game::{
    AccountVersion, AdjustmentReason, AnnouncedMove, ClaimDecision, ClaimRuling, Claimed,
    ClockState, GameResult, Side, Touched,
};
use remisd_laws::{AutomaticEnd, Ply, Regulations, TimeChange};
use remisd_vocabulary::{
    notation::{self, MoveError, MoveText},
    seq::EntrySeq,
    time::as_rfc3339,
};

/// A game up to a claim, or up to its last move.
///
/// Its JSON is a [`Form`]; a form with an illegal move is refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "Form", try_from = "Form")]
pub struct Record {
    /// PGN tags; their content is unverified.
    pub tags: Vec<(String, String)>,
    /// The board, if the tags do not name it.
    pub board: Option<String>,
    /// When the game began, if known; a tag `Date` takes precedence.
    pub began: Option<Timestamp>,
    /// The edition, the rate, and the event's own decisions.
    pub regulations: Regulations,
    /// The starting position.
    pub start: Chess,
    /// The moves up to the claim.
    pub moves: Vec<RecordedMove>,
    /// The claim; `None` if the sheet shows the position on the board.
    pub claim: Option<Claim>,
    /// The clock times at the claim.
    pub times: Option<Times>,
    /// Whether the last move was completed by pressing the clock, if known.
    pub completed: Option<bool>,
    /// The marks (=) in the score: the ply after which each was made, and the player.
    pub offers: Vec<(Ply, Color)>,
    /// The number of illegal moves of White and of Black that the arbiter has found.
    pub illegal_moves: (u32, u32),
    /// Events before the claim that the arbiter should see.
    pub incidents: Vec<Incident>,
    /// The first automatic end of the game. It may not follow from the moves alone.
    pub ended: Option<(Ply, AutomaticEnd)>,
    /// Why neither side can mate in a dead position, and the ply after which it arose.
    pub grounds: Option<(Ply, Grounds)>,
    /// The result, if there is no claim and the game has one.
    pub result: Option<GameResult>,
    /// The doubts about the record.
    pub doubts: Vec<Doubt>,
    /// The source of the record.
    pub source: Option<Source>,
    /// The position after the last move.
    position: Chess,
}

/// A move as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Made")]
pub struct RecordedMove {
    /// The move in both notations.
    #[serde(flatten)]
    pub text: MoveText,
    /// The mover's remaining time after it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// The move was reconstructed after an outage of the board.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_gap: bool,
}

/// A claim as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceClaim")]
pub struct Claim {
    /// Its number in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<EntrySeq>,
    /// The claimant.
    #[serde(with = "as_side")]
    #[schemars(with = "Side")]
    pub by: Color,
    /// The kind of claim.
    pub kind: Claimed,
    /// The announced move; `None` for the position on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<Announced>,
    /// Whether the announced move is written down.
    pub written: bool,
    /// The time of the claim.
    #[serde(
        default,
        with = "as_rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub time: Option<Timestamp>,
    /// The claimant's clock should have been stopped but was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock_ran: bool,
    /// The clock already showed a fallen flag.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_flag: bool,
    /// The piece that was touched before the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<Touched>,
    /// The ruling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<ClaimRuling>,
    /// The earlier ruling, from before the record was corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled_before: Option<ClaimRuling>,
}

/// An announced move.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Announced {
    /// The move.
    #[serde(flatten)]
    pub text: AnnouncedMove,
    /// Whether it is legal.
    pub legal: bool,
}

impl Announced {
    /// The move for the chess rules, if it is legal.
    pub(super) fn on(&self, position: &Chess) -> Option<Move> {
        let m = notation::parse_move(self.text.text(), position).ok();
        m.filter(|_| self.legal)
    }
}

/// Remaining times in milliseconds, if known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// White's time.
    pub white_ms: Option<u64>,
    /// Black's time.
    pub black_ms: Option<u64>,
}

impl Times {
    /// The time of one player.
    #[must_use]
    pub const fn of(self, player: Color) -> Option<u64> {
        match player {
            Color::White => self.white_ms,
            Color::Black => self.black_ms,
        }
    }
}

impl From<ClockState> for Times {
    fn from(clock: ClockState) -> Self {
        Self {
            white_ms: Some(clock.white_ms),
            black_ms: Some(clock.black_ms),
        }
    }
}

/// An event before the claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// The ply after which it happened.
    pub ply: Ply,
    /// The time of the event.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// The event.
    #[serde(flatten)]
    pub what: Happened,
}

/// The kinds of events before a claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Happened {
    /// The arbiter found an illegal move.
    IllegalMove {
        /// The player.
        #[serde(with = "as_side")]
        #[schemars(with = "Side")]
        by: Color,
        /// How many illegal moves this player had then made in this game.
        nth: u32,
    },
    /// The clocks were to be adjusted.
    Adjustment {
        /// The change of White's clock.
        white: TimeChange,
        /// The change of Black's clock.
        black: TimeChange,
        /// The reason.
        reason: AdjustmentReason,
    },
    /// An earlier claim.
    Claimed {
        /// The number of the claim.
        id: EntrySeq,
        /// The claimant.
        #[serde(with = "as_side")]
        #[schemars(with = "Side")]
        by: Color,
        /// The kind of claim.
        kind: Claimed,
    },
    /// The ruling on an earlier claim.
    Ruled {
        /// The number of the claim.
        id: EntrySeq,
        /// The ruling.
        decision: ClaimDecision,
    },
    /// A move other than the announced one was made.
    NotPlayed {
        /// The player.
        #[serde(with = "as_side")]
        #[schemars(with = "Side")]
        by: Color,
        /// The announced move.
        announced: AnnouncedMove,
        /// The move made.
        played: MoveText,
    },
    /// The arbiter chose between the record and a second account that differed from it.
    VersionChosen {
        /// The program, the file or the board.
        source: String,
        /// The first ply that differed.
        from: Ply,
        /// Which of them counts.
        version: AccountVersion,
        /// The arbiter's name.
        by: String,
    },
    /// The arbiter corrected the record after this ply.
    Corrected {
        /// The last ply that was kept.
        to_ply: Ply,
        /// The arbiter's name.
        by: String,
    },
}

/// A move that cannot be made in a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply}, \"{text}\": {reason}")]
pub struct MoveRefused {
    /// The ply that the move would have had.
    pub ply: Ply,
    /// The move.
    pub text: String,
    /// The reason.
    pub reason: MoveError,
}

impl RecordedMove {
    /// A move without further information.
    #[must_use]
    pub const fn new(text: MoveText) -> Self {
        Self {
            text,
            clock_ms: None,
            after_gap: false,
        }
    }

    /// The move for the chess rules, if it is legal in `position`.
    pub(super) fn on(&self, position: &Chess) -> Option<Move> {
        let uci = self.text.uci.parse::<UciMove>().ok()?;
        uci.to_move(position).ok()
    }
}

impl Record {
    /// A game without moves.
    #[must_use]
    pub fn new(start: Chess, regulations: Regulations) -> Self {
        Self {
            position: start.clone(),
            tags: Vec::new(),
            board: None,
            began: None,
            regulations,
            start,
            moves: Vec::new(),
            claim: None,
            times: None,
            completed: None,
            offers: Vec::new(),
            illegal_moves: (0, 0),
            incidents: Vec::new(),
            ended: None,
            grounds: None,
            result: None,
            doubts: Vec::new(),
            source: None,
        }
    }

    /// Adds a move in UCI or SAN.
    ///
    /// # Errors
    ///
    /// [`MoveRefused`] if the move is not legal; nothing changes.
    pub fn play(&mut self, text: &str) -> Result<&mut RecordedMove, MoveRefused> {
        let m = notation::read_move(text, &self.position)
            .map_err(|reason| self.refused(text, reason))?;
        Ok(self.make(m))
    }

    /// Adds a legal move.
    pub fn make(&mut self, m: Move) -> &mut RecordedMove {
        self.moves
            .push(RecordedMove::new(MoveText::new(m, &self.position)));
        self.position.play_unchecked(m);
        let last = self.moves.len() - 1;
        &mut self.moves[last]
    }

    /// Adds a draw claim by the player who has the move. With `announced`, a move in UCI or SAN,
    /// the claim is based on that move, which counts as written down.
    ///
    /// # Errors
    ///
    /// [`MoveRefused`] if the text is not a move or is ambiguous. An illegal move can be announced.
    pub fn claim(&mut self, kind: Claimed, announced: Option<&str>) -> Result<(), MoveRefused> {
        let position = &self.position;
        let announced = match announced.map(|text| (text, notation::read_move(text, position))) {
            None => None,
            Some((_, Ok(m))) => Some(Announced {
                text: MoveText::new(m, position).into(),
                legal: true,
            }),
            Some((text, Err(MoveError::Illegal))) => Some(Announced {
                text: AnnouncedMove::illegal(&notation::strict(text)),
                legal: false,
            }),
            Some((text, Err(reason @ (MoveError::NoMove | MoveError::Ambiguous)))) => {
                return Err(self.refused(text, reason));
            }
        };
        self.claim = Some(Claim {
            id: None,
            by: position.turn(),
            kind,
            announced,
            written: true,
            time: None,
            clock_ran: false,
            after_flag: false,
            touched: None,
            ruling: None,
            ruled_before: None,
        });
        Ok(())
    }

    /// The value of a PGN tag, unless it is empty or a question mark.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let (_, value) = self.tags.iter().find(|(tag, _)| tag == name)?;
        let value = value.trim();
        let unknown = value.chars().all(|c| matches!(c, '?' | '.' | '-'));
        (!unknown).then_some(value)
    }

    /// The position after the last move.
    #[must_use]
    pub const fn position(&self) -> &Chess {
        &self.position
    }

    /// Every position with the move that led to it, from the starting position on.
    pub(super) fn places(&self) -> Vec<PositionAtPly> {
        let mut position = self.start.clone();
        let mut places = vec![PositionAtPly {
            ply: 0,
            position: position.clone(),
            made: None,
        }];
        for (ply, made) in (1..).zip(&self.moves) {
            // A record contains legal moves only.
            let Some(m) = made.on(&position) else { break };
            position.play_unchecked(m);
            places.push(PositionAtPly {
                ply,
                position: position.clone(),
                made: Some(made.clone()),
            });
        }
        places
    }

    fn refused(&self, text: &str, reason: MoveError) -> MoveRefused {
        MoveRefused {
            ply: Ply::try_from(self.moves.len() + 1).unwrap_or(Ply::MAX),
            text: text.chars().take(32).collect(),
            reason,
        }
    }
}
