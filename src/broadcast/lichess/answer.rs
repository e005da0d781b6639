//! What Lichess answers to a push.

use remisd_vocabulary::name::BoardId;
use serde::Deserialize;

use super::{client::PushError, server_text::ServerText, token::Token};
use crate::text::GameText;

/// A game that Lichess has not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameError {
    /// Its board.
    pub board: BoardId,
    /// Its place among the games of the board, from 0.
    pub index: usize,
    /// What Lichess says.
    pub reason: ServerText,
}

#[derive(Debug, Deserialize)]
struct PushReply {
    games: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    #[serde(default)]
    tags: serde_json::Map<String, serde_json::Value>,
    #[serde(default)]
    error: Option<String>,
}

/// The errors of single games. The entries come in the order of the games that were sent.
pub(super) fn errors(
    answer: &[u8],
    games: &[&GameText],
    token: &Token,
) -> Result<Vec<GameError>, PushError> {
    let refused = |text: &str| PushError::Answer(ServerText::new(text, token));
    // The reader's error repeats values of the answer.
    let answer: PushReply = serde_json::from_slice(answer)
        .map_err(|error| refused(&format!("it is not understood: {error}")))?;
    let boards = games
        .iter()
        .flat_map(|game| (0..game.count.max(1)).map(|index| (&game.board, index)));
    let sent: Vec<(&BoardId, usize)> = boards.collect();
    // A round that Lichess fetches by itself answers with one entry without tags.
    if let [
        Entry {
            tags,
            error: Some(error),
        },
    ] = &answer.games[..]
        && tags.is_empty()
        && sent.len() != 1
    {
        return Err(refused(error));
    }
    if answer.games.len() != sent.len() {
        let (answered, sent) = (answer.games.len(), sent.len());
        return Err(refused(&format!(
            "{sent} games were sent, {answered} are in the answer"
        )));
    }
    let judged = answer.games.into_iter().zip(sent);
    let errors = judged.filter_map(|(entry, (board, index))| {
        Some(GameError {
            board: board.clone(),
            index,
            reason: ServerText::new(&entry.error?, token),
        })
    });
    Ok(errors.collect())
}
