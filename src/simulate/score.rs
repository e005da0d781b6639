//! The games that a simulated hand is to play.

use std::ops::ControlFlow;

use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{CastlingMode, Chess, Move, fen::Fen};

/// The time on each clock when a game does not say.
const DEFAULT_TIME_MS: u64 = 90 * 60 * 1000;

/// One game, checked: every ply is legal.
#[derive(Debug, Clone)]
pub struct Score {
    /// White's name, or `?`.
    pub white: String,
    /// Black's name, or `?`.
    pub black: String,
    /// The position before the first ply.
    pub start: Chess,
    /// The time on each clock before the first ply, in milliseconds.
    pub time_ms: u64,
    /// The plies.
    pub plies: Vec<Ply>,
    /// The result as in PGN: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

/// One ply of a game.
#[derive(Debug, Clone)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// In short algebraic notation, with `+` and `#`.
    pub san: String,
    /// As `e2e4`.
    pub uci: String,
    /// The player's time after it, in milliseconds, where the game has `[%clk]`.
    pub clock_ms: Option<u64>,
}

/// Games that cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// The text has no game.
    #[error("no game in the PGN")]
    NoGame,
    /// The text cannot be read at all.
    #[error("the PGN cannot be read: {0}")]
    Unreadable(String),
    /// A starting position that cannot be.
    #[error("game {game}: the FEN \"{fen}\" is no position to start from")]
    Fen {
        /// Which game, counted from 0.
        game: usize,
        /// What was refused.
        fen: String,
    },
    /// A move that cannot be played.
    #[error("game {game}, ply {ply}: {san} is not legal there")]
    Illegal {
        /// Which game, counted from 0.
        game: usize,
        /// Which ply, counted from 1.
        ply: usize,
        /// What was refused.
        san: String,
    },
}

/// Reads all games of a PGN text.
///
/// # Errors
///
/// [`ScoreError`] for the first game that cannot be played as it stands.
///
/// ```
/// let games = remisd::simulate::score::read("1. e4 {[%clk 1:29:50]} e5 *").unwrap();
/// assert_eq!(games[0].plies[0].uci, "e2e4");
/// assert_eq!(games[0].plies[0].clock_ms, Some(5_390_000));
/// ```
pub fn read(pgn: &str) -> Result<Vec<Score>, ScoreError> {
    let mut reader = Reader::new(pgn.as_bytes());
    let mut games = Vec::new();
    let unreadable = |error: std::io::Error| ScoreError::Unreadable(error.to_string());
    while let Some(game) = reader
        .read_game(&mut Builder { game: games.len() })
        .map_err(unreadable)?
    {
        games.push(game?);
    }
    if games.is_empty() {
        return Err(ScoreError::NoGame);
    }
    Ok(games)
}

struct Builder {
    game: usize,
}

/// A score and the position after its last ply.
struct Draft {
    score: Score,
    position: Chess,
}

impl Visitor for Builder {
    type Tags = Score;
    type Movetext = Draft;
    type Output = Result<Score, ScoreError>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Score> {
        ControlFlow::Continue(Score {
            white: "?".into(),
            black: "?".into(),
            start: Chess::default(),
            time_ms: DEFAULT_TIME_MS,
            plies: Vec::new(),
            result: "*".into(),
        })
    }

    fn tag(
        &mut self,
        score: &mut Score,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy();
        match name {
            b"White" => score.white = value.into_owned(),
            b"Black" => score.black = value.into_owned(),
            b"FEN" => {
                let position = value
                    .parse::<Fen>()
                    .ok()
                    .and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
                match position {
                    Some(position) => score.start = position,
                    None => {
                        return ControlFlow::Break(Err(ScoreError::Fen {
                            game: self.game,
                            fen: value.into_owned(),
                        }));
                    }
                }
            }
            b"TimeControl" => {
                let seconds = value
                    .split(['+', ':'])
                    .next()
                    .and_then(|base| base.parse::<u64>().ok());
                if let Some(seconds @ 1..36_000) = seconds {
                    score.time_ms = seconds * 1000;
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, score: Score) -> ControlFlow<Self::Output, Draft> {
        ControlFlow::Continue(Draft {
            position: score.start.clone(),
            score,
        })
    }

    fn san(&mut self, draft: &mut Draft, san: SanPlus) -> ControlFlow<Self::Output> {
        match san.san.to_move(&draft.position) {
            Ok(played) => {
                let uci = played.to_uci(CastlingMode::Standard).to_string();
                let san = SanPlus::from_move_and_play_unchecked(&mut draft.position, played);
                draft.score.plies.push(Ply {
                    played,
                    san: san.to_string(),
                    uci,
                    clock_ms: None,
                });
                ControlFlow::Continue(())
            }
            Err(_) => ControlFlow::Break(Err(ScoreError::Illegal {
                game: self.game,
                ply: draft.score.plies.len() + 1,
                san: san.to_string(),
            })),
        }
    }

    fn comment(&mut self, draft: &mut Draft, comment: RawComment<'_>) -> ControlFlow<Self::Output> {
        let text = String::from_utf8_lossy(comment.as_bytes());
        if let (Some(ply), Some(ms)) = (draft.score.plies.last_mut(), clock_ms(&text)) {
            ply.clock_ms = Some(ms);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, draft: &mut Draft, outcome: Outcome) -> ControlFlow<Self::Output> {
        draft.score.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, draft: Draft) -> Self::Output {
        Ok(draft.score)
    }
}

/// The time in `[%clk h:mm:ss]` or `[%clk h:mm:ss.f]`, in milliseconds.
fn clock_ms(comment: &str) -> Option<u64> {
    let (_, after) = comment.split_once("[%clk ")?;
    let (time, _) = after.split_once(']')?;
    let (whole, fraction) = time.trim().split_once('.').unwrap_or((time.trim(), "0"));
    let seconds = whole.split(':').try_fold(0u64, |sum, part| {
        sum.checked_mul(60)?.checked_add(part.parse().ok()?)
    })?;
    let thousandths: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    seconds.checked_mul(1000)?.checked_add(thousandths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_games_with_tags_and_clocks_read() {
        let games = read(
            "[White \"A\"]\n[TimeControl \"300+3\"]\n\n1. e4 {[%clk 0:05:01.5]} (1. d4) e5 1-0\n\n\
             [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 1/2-1/2\n",
        )
        .unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].white.as_str(), games[0].time_ms), ("A", 300_000));
        assert_eq!(games[0].plies[0].clock_ms, Some(301_500));
        assert_eq!(games[0].plies.len(), 2);
        assert_eq!(games[1].result, "1/2-1/2");
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        assert_eq!(read("").unwrap_err(), ScoreError::NoGame);
        let illegal = ScoreError::Illegal {
            game: 0,
            ply: 2,
            san: "Ke5".into(),
        };
        assert_eq!(read("1. e4 Ke5 *").unwrap_err(), illegal);
    }
}
