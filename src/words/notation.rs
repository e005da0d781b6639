//! Moves, pieces, colours and times in each language's notation.

use std::fmt::Write as _;

use serde_json::Map;
use shakmaty::{Color, Role, san::SanPlus};

use super::{Language, Words};

/// The letters of king, queen, rook, bishop and knight; a pawn has none (FIDE C.3).
const ENGLISH: [char; 5] = ['K', 'Q', 'R', 'B', 'N'];

impl Language {
    const fn letters(self) -> [char; 5] {
        match self {
            Self::En => ENGLISH,
            Self::De | Self::DeCh => ['K', 'D', 'T', 'L', 'S'],
            Self::Nl => ['K', 'D', 'T', 'L', 'P'],
        }
    }

    const fn decimal_point(self) -> char {
        match self {
            Self::En => '.',
            Self::De | Self::DeCh | Self::Nl => ',',
        }
    }
}

impl Words {
    /// Localises a move in English notation: `Nbd7` becomes `Sbd7` in German and `Pbd7` in Dutch.
    /// Any other text is returned unchanged.
    #[must_use]
    pub fn san(&self, san: &str) -> String {
        // Castling is `O-O`, and squares have no upper-case letters, so only piece letters are
        // replaced.
        if SanPlus::from_ascii(san.as_bytes()).is_err() {
            return san.to_owned();
        }
        let letters = self.language.letters();
        let localised = san.chars().map(|letter| {
            let piece = ENGLISH.iter().position(|english| *english == letter);
            piece.map_or(letter, |piece| letters[piece])
        });
        localised.collect()
    }

    /// The name of a piece: `knight`, `Springer`, `paard`.
    #[must_use]
    pub fn piece_name(&self, piece: Role) -> String {
        let id = match piece {
            Role::King => "piece-king",
            Role::Queen => "piece-queen",
            Role::Rook => "piece-rook",
            Role::Bishop => "piece-bishop",
            Role::Knight => "piece-knight",
            Role::Pawn => "piece-pawn",
        };
        self.text(id, &Map::new())
    }

    /// The name of a colour as a heading: `White`, `Weiß`, `Wit`.
    #[must_use]
    pub fn color_name(&self, color: Color) -> String {
        self.text(color.fold_wb("white", "black"), &Map::new())
    }

    /// A change of a clock's time: `2:00`, `1:30:00`, with tenths if there are any. For the time
    /// that a clock shows see [`Words::clock_time`].
    #[must_use]
    pub fn added_time(&self, ms: u64) -> String {
        let time = self.clock_time(ms);
        let short = time.strip_prefix("0:").unwrap_or(&time);
        match short.strip_prefix('0') {
            Some(shorter) if short.len() < time.len() => shorter.to_owned(),
            _ => short.to_owned(),
        }
    }

    /// The time that a clock shows or is to show, always with hours: `0:09:53`, `0:01:03.5`.
    #[must_use]
    pub fn clock_time(&self, ms: u64) -> String {
        let (seconds, tenths) = (ms / 1000, ms % 1000 / 100);
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let mut time = format!("{hours}:{minutes:02}:{seconds:02}");
        if tenths > 0 {
            // Writing to a `String` cannot fail.
            let _ = write!(time, "{}{tenths}", self.language.decimal_point());
        }
        time
    }
}

/// A list of squares: `e2, e4`, the same in every language.
#[must_use]
pub fn squares(squares: impl IntoIterator<Item = shakmaty::Square>) -> String {
    let names: Vec<String> = squares
        .into_iter()
        .map(|square| square.to_string())
        .collect();
    names.join(", ")
}
