//! The record of a game up to a claim, however it was kept.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, Move, Position as _, uci::UciMove};

use super::{
    Place,
    form::{Form, as_edition, as_side},
};
use remisd_dead::Grounds;
use remisd_game::{
    AdjustmentReason, AnnouncedMove, ClaimDecision, ClaimRuling, Claimed, ClockState, GameResult,
    SeenSquare, Side, Touched,
};
use remisd_hand::MismatchReason;
use remisd_laws::{AutomaticEnd, Edition, Ply, Rate, Regulations, TimeChange};
use remisd_vocabulary::{
    notation::{self, MoveError, MoveText},
    time::as_rfc3339,
};

/// A game up to a claim, or up to its last move.
///
/// As JSON it is a [`Form`]; one in which a move is not legal is refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "Form", try_from = "Form")]
pub struct Record {
    /// PGN tags; what stands in them is nobody's but the sender's.
    pub tags: Vec<(String, String)>,
    /// The board, where it is not among the tags.
    pub board: Option<String>,
    /// When the game began, where that is known; a tag `Date` goes before it.
    pub began: Option<Timestamp>,
    /// Edition, rate, and what the event has decided.
    pub regulations: Regulations,
    /// The starting position.
    pub start: Chess,
    /// The moves up to the claim.
    pub moves: Vec<Made>,
    /// The claim; `None` for a look at the position on the board.
    pub claim: Option<Claim>,
    /// What the clock showed at the claim.
    pub times: Option<Times>,
    /// Whether the last move was completed by pressing the clock, if that is known.
    pub completed: Option<bool>,
    /// Where the mark (=) stands: after which ply, by whom.
    pub offers: Vec<(Ply, Color)>,
    /// Illegal moves of White and of Black that the arbiter has found.
    pub illegal_moves: (u32, u32),
    /// What the arbiter should see of what happened before the claim.
    pub incidents: Vec<Incident>,
    /// An automatic end that the moves alone do not show.
    pub ended: Option<(Ply, AutomaticEnd)>,
    /// Why no side could mate in a dead position, and after which ply it stood.
    pub grounds: Option<(Ply, Grounds)>,
    /// The result, where there is no claim and the game has one.
    pub result: Option<GameResult>,
    /// What is not certain.
    pub doubts: Vec<Doubt>,
    /// Where the record comes from.
    pub source: Option<Source>,
    /// The position after the last move.
    position: Chess,
}

/// A move as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// Both notations.
    #[serde(flatten)]
    pub text: MoveText,
    /// The mover's remaining time after it, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_ms: Option<u64>,
    /// It was worked out after the board had been out of sight.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_gap: bool,
}

/// A claim as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EvidenceClaim")]
pub struct Claim {
    /// Its number in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u64>,
    /// Who claims.
    #[serde(with = "as_side")]
    #[schemars(with = "Side")]
    pub by: Color,
    /// What.
    pub kind: Claimed,
    /// The announced move; `None` for the position on the board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<Announced>,
    /// Whether the announced move is written down.
    pub written: bool,
    /// When.
    #[serde(
        default,
        with = "as_rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub time: Option<Timestamp>,
    /// The claimant's clock should have been stopped and was not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clock_ran: bool,
    /// The clock showed a fallen flag already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_flag: bool,
    /// The piece that was touched before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<Touched>,
    /// What was ruled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<ClaimRuling>,
    /// What was ruled before, on a record that was corrected since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruled_before: Option<ClaimRuling>,
}

/// A move that was announced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Announced {
    /// The move.
    #[serde(flatten)]
    pub text: AnnouncedMove,
    /// Whether it is legal.
    pub legal: bool,
}

impl Announced {
    /// The move for the rules of chess, if it is legal.
    pub(super) fn on(&self, position: &Chess) -> Option<Move> {
        let m = notation::parse_move(self.text.text(), position).ok();
        m.filter(|_| self.legal)
    }
}

/// Remaining times in milliseconds, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// White's.
    pub white_ms: Option<u64>,
    /// Black's.
    pub black_ms: Option<u64>,
}

impl Times {
    /// One player's.
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

/// Something that happened before the claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Incident {
    /// After which ply.
    pub ply: Ply,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// What.
    #[serde(flatten)]
    pub what: Happened,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Happened {
    /// The arbiter has found an illegal move.
    IllegalMove {
        /// Whose.
        #[serde(with = "as_side")]
        #[schemars(with = "Side")]
        by: Color,
        /// How many illegal moves the player had made then.
        nth: u32,
    },
    /// The clocks were to be changed.
    Adjustment {
        /// White's clock.
        white: TimeChange,
        /// Black's clock.
        black: TimeChange,
        /// Why.
        reason: AdjustmentReason,
    },
    /// An earlier claim.
    Claimed {
        /// Its number.
        id: u64,
        /// Whose.
        #[serde(with = "as_side")]
        #[schemars(with = "Side")]
        by: Color,
        /// What.
        kind: Claimed,
    },
    /// The ruling on an earlier claim.
    Ruled {
        /// Its number.
        id: u64,
        /// What it was.
        decision: ClaimDecision,
    },
    /// Another move was made than the announced one.
    NotPlayed {
        /// Whose.
        #[serde(with = "as_side")]
        #[schemars(with = "Side")]
        by: Color,
        /// What was announced.
        announced: AnnouncedMove,
        /// What was made.
        played: MoveText,
    },
    /// The arbiter has corrected the record from after this ply.
    Corrected {
        /// The last ply that was kept.
        to_ply: Ply,
        /// Who.
        by: String,
    },
}

/// What is not certain, or not as it usually is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "doubt", content = "about", rename_all = "snake_case")]
pub enum Doubt {
    /// The position was set up in mid-game: what was before it is not counted.
    SetUp,
    /// These moves were worked out after the board had been out of sight.
    AfterGap(Vec<Ply>),
    /// These promotions were taken for a queen's: the board does not know its pieces.
    Assumed(Vec<Ply>),
    /// The board did not agree with the game.
    Mismatch {
        /// Why.
        reason: MismatchReason,
        /// Where.
        squares: Vec<SeenSquare>,
        /// The first ply that is not settled.
        since_ply: Ply,
        /// The first settled ply that may have been read wrongly, if one may.
        doubted_since: Option<Ply>,
    },
    /// Entries of the journal are missing.
    MissingEntries {
        /// The first number.
        from: u64,
        /// The last number.
        to: u64,
    },
    /// Entries of the journal that this version does not understand, or draws other
    /// conclusions from than the one that wrote them.
    StrangeEntries(Vec<u64>),
    /// The arbiter has corrected moves up to this claim after it was made: what is shown is the
    /// record as it was at the claim.
    CorrectedSince {
        /// The last ply that was kept.
        to_ply: Ply,
        /// Who.
        by: String,
    },
    /// These entries of the journal are not on its disk yet.
    NotRecorded {
        /// The first number.
        from: u64,
        /// The last number.
        to: u64,
    },
    /// What follows the claim in the game's text cannot be read. No doubt, but to be known.
    Unreadable(String),
    /// The game began from a given position. No doubt, but to be known.
    StartGiven {
        /// The halfmoves that it came with.
        halfmoves: u32,
    },
    /// The claim is examined under other laws than the game was played under. No doubt,
    /// but to be known.
    OtherLaws {
        /// The edition of the game.
        #[serde(with = "as_edition")]
        #[schemars(with = "String")]
        edition: &'static Edition,
        /// Its rate.
        rate: Rate,
    },
}

impl Doubt {
    /// Whether something may be wrong; else it is only to be known.
    #[must_use]
    pub const fn is_serious(&self) -> bool {
        !matches!(
            self,
            Self::Unreadable(_) | Self::StartGiven { .. } | Self::OtherLaws { .. }
        )
    }
}

/// Where a record comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// A board's journal.
    Journal {
        /// The segment's file.
        file: String,
        /// The number of the first entry.
        first: u64,
        /// The number of the last one that was used.
        last: u64,
        /// How many they are.
        entries: usize,
        /// SHA-256 over them, each followed by a line feed, in hexadecimal digits.
        sha256: String,
    },
    /// A PGN file.
    Pgn {
        /// Its name as it was given.
        file: String,
        /// Which game, counted from 1.
        game: usize,
        /// SHA-256 of the whole file, in hexadecimal digits.
        sha256: String,
    },
}

/// A move that cannot be made in a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply}, \"{text}\": {reason}")]
pub struct MoveRefused {
    /// Which ply it would have been.
    pub ply: Ply,
    /// The move.
    pub text: String,
    /// Why.
    pub reason: MoveError,
}

impl Made {
    /// A move of which nothing else is known.
    #[must_use]
    pub const fn new(text: MoveText) -> Self {
        Self {
            text,
            clock_ms: None,
            after_gap: false,
        }
    }

    /// The same move for the rules of chess.
    pub(super) fn on(&self, position: &Chess) -> Option<Move> {
        let uci = self.text.uci.parse::<UciMove>().ok()?;
        uci.to_move(position).ok()
    }
}

impl Record {
    /// A game that has just begun.
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
    /// [`MoveRefused`] when it is not legal; nothing changes.
    pub fn play(&mut self, text: &str) -> Result<&mut Made, MoveRefused> {
        let m = notation::read_move(text, &self.position)
            .map_err(|reason| self.refused(text, reason))?;
        Ok(self.make(m))
    }

    /// Adds a legal move.
    pub fn make(&mut self, m: Move) -> &mut Made {
        self.moves.push(Made::new(MoveText::new(m, &self.position)));
        self.position.play_unchecked(m);
        let last = self.moves.len() - 1;
        &mut self.moves[last]
    }

    /// The player having the move claims a draw; with `announced`, a move in UCI or SAN
    /// that is written down, by that move.
    ///
    /// # Errors
    ///
    /// [`MoveRefused`] when the text is no move at all, or may be several. An illegal move
    /// can be announced.
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

    /// Every position with the move that led to it, the starting position first.
    pub(super) fn places(&self) -> Vec<Place> {
        let mut position = self.start.clone();
        let mut places = vec![Place {
            ply: 0,
            position: position.clone(),
            made: None,
        }];
        for (ply, made) in (1..).zip(&self.moves) {
            // Moves enter a record only where they are legal.
            let Some(m) = made.on(&position) else { break };
            position.play_unchecked(m);
            places.push(Place {
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
