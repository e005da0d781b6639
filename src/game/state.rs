//! The state of a game, in parts that each own their fields.

use std::collections::BTreeMap;

use shakmaty::Chess;

use super::{
    Alerts, BrokerConflict, Rules, SeenSquare, SilentPhone, TakenPairing, Touched,
    account::Accounts, announced::Announcements, answers::Answers, backlog::Backlog,
    claim_book::ClaimBook, clock_record::ClockRecord, dead::Solved, ends::Ends,
    illegal::IllegalMoves, judgement::Judgement, missing::JournalState, numbers::Numbering,
    offer::OfferBook, outcome::Outcome, proposal::ShownResult, record::Record, sensors::Sensors,
    sequence::Sequence, source::Source, touch::Touches,
};
use remisd_laws::{LostBy, Ply, Regulations};
use remisd_vocabulary::{
    notation::{Counters, MoveText},
    reading::MismatchReason,
    sensor::DownCode,
    seq::EntrySeq,
};

/// Whether the board is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tracking {
    /// Every square agrees with the game, as far as is known.
    Following,
    /// No legal move explains the squares.
    Mismatch(Mismatch),
    /// The game is over, or the players have shown a result: the board is not watched
    /// for moves.
    Resting,
}

/// How the board differs from the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Why.
    pub reason: MismatchReason,
    /// The squares.
    pub squares: Vec<SeenSquare>,
    /// The first ply that is not settled.
    pub since_ply: Ply,
    /// The first settled ply that may have been read wrongly, if one may.
    pub doubted_since: Option<Ply>,
    /// For an ambiguity: the lines that are all possible.
    pub candidates: Vec<Vec<MoveText>>,
}

/// Why a board does not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkDown {
    /// In a word; `None` in journals of versions that did not write it.
    pub code: Option<DownCode>,
    /// For people, in English.
    pub reason: String,
}

/// Claims that could have been made and no longer can (9.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostClaims {
    /// The position in which they could be made.
    pub position: Chess,
    /// After which ply.
    pub ply: Ply,
    /// What could have been claimed.
    pub claims: Vec<remisd_laws::Claim>,
    /// What lost them.
    pub by: LostBy,
    /// The piece that was touched; `None` when a move lost them.
    pub touched: Option<Touched>,
}

/// The game at one board.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// The rules of the event, under which the next game begins.
    pub(super) rules: Rules,
    pub(super) sequence: Sequence,
    /// How each audience counts.
    pub(super) numbering: Numbering,
    /// How the entry that is applied is judged.
    pub(super) judgement: Judgement,
    /// The `seq` of the input that began this game; 0 before the first one.
    pub(super) number: EntrySeq,
    /// The regulations that this game is played under.
    pub(super) regulations: Regulations,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) record: Record,
    pub(super) ends: Ends,
    pub(super) outcome: Outcome,
    pub(super) solved: Solved,
    pub(super) offers: OfferBook,
    pub(super) claims: ClaimBook,
    pub(super) announced: Announcements,
    pub(super) touches: Touches,
    pub(super) illegal_moves: IllegalMoves,
    pub(super) shown: ShownResult,
    pub(super) clock: ClockRecord,
    pub(super) sensors: Sensors,
    pub(super) source: Source,
    pub(super) accounts: Accounts,
    pub(super) journal: JournalState,
    pub(super) broker_conflict: BrokerConflict,
    pub(super) silent_phones: Vec<SilentPhone>,
    pub(super) pairing: TakenPairing,
    pub(super) backlog: Backlog,
    pub(super) alerts: Alerts,
    pub(super) answers: Answers,
}

impl Game {
    /// A board at which nothing has happened yet: the starting position, number 0.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        let edition = rules.regulations.edition;
        Self {
            regulations: rules.regulations.clone(),
            rules,
            sequence: Sequence::default(),
            numbering: Numbering::default(),
            judgement: Judgement::CURRENT,
            number: EntrySeq::ZERO,
            headers: BTreeMap::new(),
            record: Record::new(Chess::default(), Counters::ALL, edition),
            ends: Ends::default(),
            outcome: Outcome::default(),
            solved: Solved::default(),
            offers: OfferBook::default(),
            claims: ClaimBook::default(),
            announced: Announcements::default(),
            touches: Touches::default(),
            illegal_moves: IllegalMoves::default(),
            shown: ShownResult::default(),
            clock: ClockRecord::default(),
            sensors: Sensors::default(),
            source: Source::default(),
            accounts: Accounts::default(),
            journal: JournalState::default(),
            broker_conflict: BrokerConflict::default(),
            silent_phones: Vec::new(),
            pairing: TakenPairing::default(),
            backlog: Backlog::default(),
            alerts: Alerts::default(),
            answers: Answers::default(),
        }
    }
}
