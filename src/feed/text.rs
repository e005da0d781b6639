//! A text of games, from a file or an address.

use std::{io, sync::Arc};

use remisd_pgn::Games;

use super::game::SourceGame;

/// The longest text in bytes, and the most games.
pub(crate) const LONGEST: u64 = 16 * 1024 * 1024;
pub(crate) const MOST_GAMES: usize = 8_192;
/// The same for messages.
pub(crate) const LONGEST_SHOWN: &str = "16 MiB";
pub(crate) const MOST_GAMES_SHOWN: &str = "8,192 games";

/// Why a text cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TextError {
    /// Reading fails.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It has too many games.
    #[error("more than {MOST_GAMES_SHOWN}")]
    TooManyGames,
}

/// The games of a text.
#[derive(Debug, Default)]
pub(crate) struct GameText {
    /// Each game with its number in the text, from 1.
    pub games: Vec<(u32, Arc<SourceGame>)>,
    /// The number of the last game, also if it is left out; 0 without games.
    pub last: u32,
    /// Whether the last game ends with a result or `*`. If not, its last word may be half a move.
    /// The games before it are whole, since another one begins after them.
    pub is_terminated: bool,
    /// Whether it is blank, or has a tag, a move or a result.
    pub is_pgn: bool,
}

impl GameText {
    /// Reads a text. Games without a round in their tags get `round`. A game that cannot be followed
    /// is left out and logged with `place`, the name of the source.
    ///
    /// # Errors
    ///
    /// [`TextError::TooManyGames`].
    pub(crate) fn read(text: &[u8], round: Option<u32>, place: &str) -> Result<Self, TextError> {
        let mut read = Self {
            games: Vec::new(),
            last: 0,
            is_terminated: true,
            is_pgn: text.trim_ascii().is_empty(),
        };
        for (game, nth) in Games::new(text).zip(1..) {
            let game = game?;
            read.is_pgn |= has_pgn(&game);
            read.last = nth;
            read.is_terminated = game.outcome.is_some();
            match SourceGame::read(&game) {
                Ok(mut game) => {
                    if let Some(round) = round {
                        game.name_round(round);
                    }
                    read.games.push((nth, Arc::new(game)));
                }
                Err(reason) => {
                    tracing::warn!(
                        source = place,
                        game = nth,
                        "a game is not followed: {reason}"
                    );
                }
            }
            if read.games.len() > MOST_GAMES {
                return Err(TextError::TooManyGames);
            }
        }
        Ok(read)
    }
}

fn has_pgn(game: &remisd_pgn::Game) -> bool {
    !game.tags.is_empty() || !game.moves.is_empty() || game.outcome.is_some()
}
