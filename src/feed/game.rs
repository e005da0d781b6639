//! A game as its source has it.

use std::collections::BTreeMap;

use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

use remisd_game::UnreadablePly;
use remisd_laws::{Ply, Score};
use remisd_pgn::{GAME_TAGS, Game, StartError};
use remisd_vocabulary::notation::{PositionTextError, parse_position};

/// The tags that the record takes over besides those that name any game. Others may reveal the result
/// or the position before the moves do, or change with every write.
const KEPT: [&str; 6] = [
    "WhiteNA",
    "BlackNA",
    "Board",
    "EventType",
    "Table",
    "UTCDate",
];
/// The longest value of a tag, in bytes.
const LONGEST: usize = 255;

/// Why a game of a source cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum UnusableGame {
    /// Its tags do not give a starting position.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The tag `FEN` is not a position that a game can begin from.
    #[error("the FEN tag: {0}")]
    Position(#[from] PositionTextError),
    /// The tag `FEN` does not say which castling rights the tag `Variant` means.
    #[error("the FEN tag and the Variant tag differ on castling")]
    Castling,
}

/// A ply as the source has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePly {
    /// The move; it is legal.
    pub m: Move,
    /// The mover's remaining time in milliseconds.
    pub clock_ms: Option<u64>,
}

/// A game as its source has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceGame {
    /// The program that wrote it, as it calls itself: `LiveChess 2.2.6`; `None` if it does not.
    pub program: Option<String>,
    /// The PGN tags that the record takes over. Empty and unknown values are left out.
    pub tags: BTreeMap<String, String>,
    /// The starting position.
    pub start: Chess,
    /// The tag `FEN`.
    pub start_fen: Option<String>,
    /// The plies up to the first word that is not a legal move.
    pub plies: Vec<SourcePly>,
    /// The first word that is not a legal move.
    pub unreadable: Option<UnreadablePly>,
    /// The result; `None` while the game is played.
    pub result: Option<Score>,
    /// Whether the text ends with a result or `*`. If not, its last word may be half a move.
    pub is_terminated: bool,
    /// The initial time of each clock, in milliseconds.
    start_ms: Option<u64>,
}

impl SourceGame {
    /// Reads the moves of a game from a PGN text.
    ///
    /// # Errors
    ///
    /// [`UnusableGame`] if its starting position cannot be used.
    pub fn read(game: &Game) -> Result<Self, UnusableGame> {
        let start = game.start()?;
        let start_fen = game.tag("FEN").filter(|fen| !fen.trim().is_empty());
        if let Some(fen) = start_fen
            && parse_position(fen)? != start
        {
            return Err(UnusableGame::Castling);
        }
        let mut position = start.clone();
        let mut plies = Vec::with_capacity(game.moves.len());
        let mut unreadable = None;
        for written in &game.moves {
            match written.to_move(&position) {
                Ok(m) => {
                    position.play_unchecked(m);
                    let clock_ms = written.clock_ms;
                    plies.push(SourcePly { m, clock_ms });
                }
                Err(error) => {
                    unreadable = Some((error.text, error.reason));
                    break;
                }
            }
        }
        let result = game.outcome.filter(|outcome| *outcome != "*");
        let result = result.or_else(|| game.tag("Result")).and_then(score);
        let words = game.moves.get(plies.len()..).unwrap_or_default();
        let shows_result = words.len() <= 2 && words.iter().all(|word| is_king_sign(&word.text));
        if result.is_some() && shows_result {
            unreadable = None;
        }
        let beyond = game.unreadable.as_ref();
        let beyond = beyond.map(|word| (word.text.clone(), word.reason.clone()));
        let unreadable = unreadable.or(beyond).map(|(text, reason)| UnreadablePly {
            ply: count(plies.len()) + 1,
            text,
            reason,
        });
        Ok(Self {
            program: program(game),
            tags: tags(game),
            start_fen: start_fen.map(str::to_owned),
            start,
            plies,
            unreadable,
            result,
            is_terminated: game.outcome.is_some(),
            start_ms: game.start_ms(),
        })
    }

    /// Sets the round of a game whose tags do not name one.
    pub(crate) fn name_round(&mut self, round: u32) {
        self.tags
            .entry("Round".to_owned())
            .or_insert_with(|| round.to_string());
    }

    /// A tag's value.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// Whether an earlier text of a game is the beginning of this one.
    pub(crate) fn continues(&self, before: &Self) -> bool {
        let both = self.plies.iter().zip(&before.plies);
        let mut both = both.map(|(ply, before)| (ply.m, before.m));
        self.start == before.start
            && self.plies.len() >= before.plies.len()
            && both.all(|(ply, before)| ply == before)
    }

    /// The plies that the program may have guessed, of those up to `last`.
    ///
    /// A program that records clock times has seen a press after each move. It fills a gap with
    /// moves that have none.
    #[must_use]
    pub fn guessed(&self, last: Ply) -> Vec<Ply> {
        let timed = self
            .plies
            .iter()
            .filter(|ply| ply.clock_ms.is_some())
            .count();
        let newest_timed = self.plies.iter().rposition(|ply| ply.clock_ms.is_some());
        let Some(newest_timed) = newest_timed.filter(|_| timed * 2 > self.plies.len()) else {
            return Vec::new();
        };
        let before = self.plies.iter().zip(1..).take(newest_timed);
        let untimed = before.filter(|(ply, _)| ply.clock_ms.is_none());
        untimed
            .map(|(_, ply)| ply)
            .take_while(|ply| *ply <= last)
            .collect()
    }

    /// The last plies, up to `last`, if they are king moves to the centre of a game that is over:
    /// the kings may only show the result.
    #[must_use]
    pub fn king_moves(&self, last: Ply) -> Vec<Ply> {
        if self.result.is_none() {
            return Vec::new();
        }
        let sign = |ply: &&SourcePly| ply.m.role() == Role::King && is_central(ply.m.to());
        let signs = self.plies.iter().rev().take(2).take_while(sign).count();
        let all = count(self.plies.len());
        let first = all + 1 - count(signs);
        (first..=all).filter(|ply| *ply <= last).collect()
    }

    /// The remaining times after a ply, as `[white, black]` in milliseconds. A player who has not
    /// moved yet has the initial time. `None` if a player's last ply has no time.
    #[must_use]
    pub fn times_after(&self, ply: Ply) -> Option<[u64; 2]> {
        let first = self.start.turn();
        let last = |color: Color| {
            let plies = self.plies.iter().enumerate().take(ply as usize).rev();
            let mover = |at: usize| {
                if at.is_multiple_of(2) {
                    first
                } else {
                    first.other()
                }
            };
            let mut own = plies.filter(|(at, _)| mover(*at) == color);
            own.next().map_or(self.start_ms, |(_, ply)| ply.clock_ms)
        };
        Some([last(Color::White)?, last(Color::Black)?])
    }

    /// The number of the game's board, from the tag `Board` or the tag `Round` as `3.12`.
    #[must_use]
    pub fn board(&self) -> Option<u32> {
        let board = self
            .tag("Board")
            .and_then(|board| board.trim().parse().ok());
        board.or_else(|| self.tag("Round")?.split('.').nth(1)?.trim().parse().ok())
    }

    /// The number of the round: the first part of the tag `Round`.
    #[must_use]
    pub fn round(&self) -> Option<u32> {
        self.tag("Round")?.split('.').next()?.trim().parse().ok()
    }
}

/// A number of plies. A text has at most 20,000.
pub(crate) fn count(plies: usize) -> Ply {
    Ply::try_from(plies).unwrap_or(Ply::MAX)
}

fn is_central(square: Square) -> bool {
    matches!(square, Square::D4 | Square::D5 | Square::E4 | Square::E5)
}

/// Whether a word would be a king's move to the centre.
fn is_king_sign(word: &str) -> bool {
    let word = word.trim_end_matches(['+', '#']).replace('x', "");
    let square = word
        .strip_prefix('K')
        .and_then(|square| square.parse().ok());
    square.is_some_and(is_central)
}

fn score(text: &str) -> Option<Score> {
    match text {
        "1-0" => Some(Score::WhiteWins),
        "0-1" => Some(Score::BlackWins),
        "1/2-1/2" => Some(Score::Draw),
        "0-0" => Some(Score::BothLose),
        _ => None,
    }
}

/// The program of the tag `ePGN`, whose value is `0.1;DGT LiveChess/2.2.6`.
fn program(game: &Game) -> Option<String> {
    let (_, program) = game.tag("ePGN")?.split_once(';')?;
    let name = program.trim().replace('/', " ");
    let name: String = name.chars().filter(|c| !c.is_control()).take(64).collect();
    (!name.is_empty()).then_some(name)
}

fn tags(game: &Game) -> BTreeMap<String, String> {
    let values = GAME_TAGS.into_iter().chain(KEPT).filter_map(|name| {
        let value = game.tag(name)?.trim();
        let is_known = value.len() <= LONGEST && !matches!(value, "" | "?" | "????.??.??");
        is_known.then(|| (name.to_owned(), value.to_owned()))
    });
    values.collect()
}
