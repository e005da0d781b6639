//! Doubts about a record, and where it comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use remisd_game::SeenSquare;
use remisd_laws::{Edition, Ply, Rate};
use remisd_vocabulary::{reading::MismatchReason, seq::EntrySeq};

use crate::evidence::form::as_edition;

/// A doubt about a record, or a fact that is worth noting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "doubt", content = "about", rename_all = "snake_case")]
pub enum Doubt {
    /// The position was set up in mid-game: earlier positions are not counted.
    SetUp,
    /// These moves were reconstructed after an outage of the board.
    AfterGap(Vec<Ply>),
    /// The pieces of these promotions were assumed, because the board could not identify a queen.
    Assumed(Vec<Ply>),
    /// The board did not match the game.
    Mismatch {
        /// The kind of mismatch.
        reason: MismatchReason,
        /// The squares that differ.
        squares: Vec<SeenSquare>,
        /// The first ply that is not settled.
        since_ply: Ply,
        /// The first settled ply that may be wrong, if there is one.
        doubted_since: Option<Ply>,
    },
    /// The board was out of sight, or had contradicted the game before the daemon started again, and
    /// has not agreed with it since. Moves from this ply on may be wrong or missing.
    NotAgreed(Ply),
    /// The program that writes the game leaves moves from this ply on in doubt.
    SourceUncertain(Ply),
    /// A second account of the game differs from the record, and the arbiter had not chosen yet.
    AccountDiffers {
        /// The program, the file or the board.
        source: String,
        /// The first ply that differs.
        from: Ply,
        /// What the record has there, numbered; empty if its game is over.
        record: String,
        /// What the account has there, or its word that is no legal move.
        other: String,
    },
    /// Entries of the journal are missing.
    MissingEntries {
        /// The first number.
        from: EntrySeq,
        /// The last number.
        to: EntrySeq,
    },
    /// Entries of the journal that this version cannot read, or from which it draws other
    /// conclusions than the version that wrote them.
    StrangeEntries(Vec<EntrySeq>),
    /// The arbiter corrected moves before this claim after it was made. The sheet shows the record
    /// as it was at the claim.
    CorrectedSince {
        /// The last ply that was kept.
        to_ply: Ply,
        /// The arbiter's name.
        by: String,
    },
    /// These entries of the journal are not yet on its disk.
    NotRecorded {
        /// The first number.
        from: EntrySeq,
        /// The last number.
        to: EntrySeq,
    },
    /// This program has written the moves; no sensor has seen them. This is a note, not a doubt.
    WrittenBy(String),
    /// Moves after the claim cannot be read. This is a note, not a doubt.
    Unreadable(String),
    /// The game began from a given position. This is a note, not a doubt.
    StartGiven {
        /// The halfmove clock of that position.
        halfmoves: u32,
    },
    /// The claim is examined under other laws than those of the game. This is a note, not a doubt.
    OtherLaws {
        /// The edition of the game.
        #[serde(with = "as_edition")]
        #[schemars(with = "String")]
        edition: &'static Edition,
        /// The rate of the game.
        rate: Rate,
    },
}

impl Doubt {
    /// Whether something may be wrong; otherwise it is only a note.
    #[must_use]
    pub const fn is_serious(&self) -> bool {
        !matches!(
            self,
            Self::WrittenBy(_)
                | Self::Unreadable(_)
                | Self::StartGiven { .. }
                | Self::OtherLaws { .. }
        )
    }
}

/// The source of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "from", rename_all = "snake_case")]
pub enum Source {
    /// A board's journal.
    Journal {
        /// The segment's file.
        file: String,
        /// The number of the first entry.
        first: EntrySeq,
        /// The number of the last entry used.
        last: EntrySeq,
        /// Number of entries used.
        entries: usize,
        /// SHA-256 of these entries, each followed by a line feed, in hexadecimal digits.
        sha256: String,
    },
    /// A PGN file.
    Pgn {
        /// The file's name as it was given.
        file: String,
        /// The number of the game in the file, from 1.
        game: usize,
        /// SHA-256 of the whole file, in hexadecimal digits.
        sha256: String,
    },
}
