//! The starting position of a game.

use shakmaty::{
    CastlingMode, Chess, FromSetup as _, PositionError,
    fen::{Fen, ParseFenError},
};

use super::Game;
use remisd_vocabulary::notation;

/// Variants that resemble chess but are not supported.
const OTHER_GAMES: [&str; 20] = [
    "antichess",
    "atomic",
    "bughouse",
    "crazyhouse",
    "duck",
    "fogofwar",
    "giveaway",
    "horde",
    "kingofthehill",
    "koth",
    "losers",
    "placement",
    "racingkings",
    "shatranj",
    "suicide",
    "threecheck",
    "3check",
    "3checks",
    "xiangqi",
    "makruk",
];
/// The names of Chess960.
const CHESS960: [&str; 8] = [
    "chess960",
    "960",
    "chess9lx",
    "fischerandom",
    "fischerrandom",
    "fischerandomchess",
    "fischerrandomchess",
    "freestyle",
];

/// Why a game's starting position cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The tag is not a FEN.
    #[error("the FEN tag \"{fen}\" cannot be read: {source}")]
    Fen {
        /// The tag's value.
        fen: String,
        /// The defect.
        source: ParseFenError,
    },
    /// The FEN is not a legal chess position.
    #[error("the FEN tag \"{fen}\" is not a legal position: {source}")]
    Position {
        /// The tag's value.
        fen: String,
        /// The defect.
        source: Box<PositionError<Chess>>,
    },
    /// The tags announce a set-up position but do not give it.
    #[error("the tag SetUp says that the game begins from a position, and there is no FEN tag")]
    Missing,
    /// The game is a chess variant.
    #[error("the tag Variant says \"{0}\", which is not played by the Laws of Chess")]
    Variant(String),
}

impl Game {
    /// The starting position: the tag `FEN`, or else the standard one. Castling rights follow
    /// Chess960 if the tag `Variant` or the FEN itself says so.
    ///
    /// # Errors
    ///
    /// [`StartError`] if the tags do not give a legal chess position.
    pub fn start(&self) -> Result<Chess, StartError> {
        let variant = self.tag("Variant").unwrap_or_default();
        let plain = plain(variant);
        if OTHER_GAMES.contains(&plain.as_str()) {
            return Err(StartError::Variant(variant.chars().take(64).collect()));
        }
        let Some(text) = self.tag("FEN").filter(|text| !text.trim().is_empty()) else {
            return match self.tag("SetUp").map(str::trim) {
                Some("1") => Err(StartError::Missing),
                _ => Ok(Chess::default()),
            };
        };
        let fen = fen(text).map_err(|source| StartError::Fen {
            fen: text.chars().take(120).collect(),
            source,
        })?;
        let setup = fen.into_setup();
        let mode = if CHESS960.contains(&plain.as_str()) {
            CastlingMode::Chess960
        } else {
            CastlingMode::detect(&setup)
        };
        Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_too_much_material)
            .map_err(|source| StartError::Position {
                fen: text.chars().take(120).collect(),
                source: Box::new(source),
            })
    }
}

/// Parses a FEN, tolerating several spaces between fields and other kinds of dashes.
fn fen(text: &str) -> Result<Fen, ParseFenError> {
    let text = text.replace(notation::is_dash, "-");
    let fields: Vec<&str> = text.split_whitespace().collect();
    fields.join(" ").parse()
}

/// Letters and digits only, in lower case.
fn plain(variant: &str) -> String {
    let letters = variant.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}
