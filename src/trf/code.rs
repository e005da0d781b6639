//! The codes of results, and the one rule for what each is worth.

use shakmaty::Color;

use crate::{Points, Scoring};

/// The result of a round in a player's line.
///
/// | code | meaning | played | points (default) |
/// |---|---|---|---|
/// | `1` `=` `0` | win, draw, loss | yes | 1, ½, 0 |
/// | `W` `D` `L` | the same, not rated | yes | 1, ½, 0 |
/// | `+` `-` | win or loss by forfeit | no | 1, 0 |
/// | `F` `H` `Z` | full-, half-, zero-point bye | no | 1, ½, 0 |
/// | `U` | pairing-allocated bye | no | 1 |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// `1`: a win.
    Win,
    /// `=`: a draw.
    Draw,
    /// `0`: a loss.
    Loss,
    /// `W`: a win in a game of less than one move, not rated.
    UnratedWin,
    /// `D`: a draw in a game of less than one move, not rated.
    UnratedDraw,
    /// `L`: a loss in a game of less than one move, not rated.
    UnratedLoss,
    /// `+`: a win by forfeit.
    ForfeitWin,
    /// `-`: a loss by forfeit.
    ForfeitLoss,
    /// `H`: a half-point bye.
    HalfPointBye,
    /// `F`: a full-point bye.
    FullPointBye,
    /// `U`: a bye allocated by the pairing.
    PairingBye,
    /// `Z`: a zero-point bye, a known absence.
    ZeroPointBye,
}

/// Every code with its letter.
const LETTERS: [(Code, char); 12] = [
    (Code::Win, '1'),
    (Code::Draw, '='),
    (Code::Loss, '0'),
    (Code::UnratedWin, 'W'),
    (Code::UnratedDraw, 'D'),
    (Code::UnratedLoss, 'L'),
    (Code::ForfeitWin, '+'),
    (Code::ForfeitLoss, '-'),
    (Code::HalfPointBye, 'H'),
    (Code::FullPointBye, 'F'),
    (Code::PairingBye, 'U'),
    (Code::ZeroPointBye, 'Z'),
];

impl Code {
    /// The code of a letter. Letters are case-insensitive.
    #[must_use]
    pub fn of(letter: char) -> Option<Self> {
        let letter = letter.to_ascii_uppercase();
        let found = LETTERS.iter().find(|(_, known)| *known == letter);
        found.map(|(code, _)| *code)
    }

    /// The letter of the code.
    #[must_use]
    pub fn letter(self) -> char {
        let found = LETTERS.iter().find(|(code, _)| *code == self);
        found.map_or(' ', |(_, letter)| *letter)
    }

    /// Whether a game was played over the board. Tie-breaks count opponents of such games alone.
    #[must_use]
    pub const fn is_played(self) -> bool {
        matches!(
            self,
            Self::Win
                | Self::Draw
                | Self::Loss
                | Self::UnratedWin
                | Self::UnratedDraw
                | Self::UnratedLoss
        )
    }

    /// What the code is worth.
    #[must_use]
    pub const fn points(self, scoring: &Scoring) -> Points {
        match self {
            Self::Win | Self::UnratedWin | Self::ForfeitWin | Self::FullPointBye => scoring.win,
            Self::Draw | Self::UnratedDraw | Self::HalfPointBye => scoring.draw,
            Self::Loss | Self::UnratedLoss => scoring.loss,
            Self::ForfeitLoss | Self::ZeroPointBye => scoring.absence,
            Self::PairingBye => scoring.pairing_bye,
        }
    }
}

/// The result of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// White has won.
    WhiteWins,
    /// Black has won.
    BlackWins,
    /// Drawn.
    Draw,
    /// Neither player wins, by the arbiter's decision.
    BothLose,
}

impl Outcome {
    /// The code of the result for a player of this colour. With `by_forfeit`, no game was played.
    ///
    /// TRF has no draw by forfeit: such a result is a draw that is not rated.
    #[must_use]
    pub const fn code(self, color: Color, by_forfeit: bool) -> Code {
        let wins = matches!(
            (self, color),
            (Self::WhiteWins, Color::White) | (Self::BlackWins, Color::Black)
        );
        match (self, by_forfeit) {
            (Self::Draw, false) => Code::Draw,
            (Self::Draw, true) => Code::UnratedDraw,
            (_, false) if wins => Code::Win,
            (_, true) if wins => Code::ForfeitWin,
            (_, false) => Code::Loss,
            (_, true) => Code::ForfeitLoss,
        }
    }
}
