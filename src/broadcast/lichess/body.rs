//! The body of a push: which games it holds, and that it fits.

use super::Part;
use crate::text::{GameText, RoundText};

/// The most games that Lichess takes; it ignores the others without a word.
pub const MOST_GAMES: usize = 100;
/// The body must be smaller than this: Lichess's server keeps no more in memory.
pub const MOST_BYTES: usize = 512 * 1024;

/// Why a body cannot be sent.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Too many games.
    #[error(
        "{0} games: Lichess takes {MOST_GAMES} in a round; give this round more Lichess rounds"
    )]
    Games(usize),
    /// Too many bytes.
    #[error(
        "{0} bytes: Lichess takes less than {MOST_BYTES} for a round; give this round more Lichess rounds"
    )]
    Bytes(usize),
}

/// The games of a round, in equal parts for the Lichess rounds.
pub(super) fn parts<'a>(round: &'a RoundText, ids: &'a [String]) -> Vec<Part<'a>> {
    let games: Vec<&GameText> = round.games.iter().collect();
    let size = games.len().div_ceil(ids.len().max(1)).max(1);
    let parts = ids.iter().zip(games.chunks(size));
    parts
        .map(|(id, games)| (id.as_str(), games.to_vec()))
        .collect()
}

/// The body with these games.
///
/// If it is too large, the times in finished games are left out: Lichess keeps those that it has.
pub(super) fn of(games: &[&GameText]) -> Result<String, Unfit> {
    let count: usize = games.iter().map(|game| game.count.max(1)).sum();
    if count > MOST_GAMES {
        return Err(Unfit::Games(count));
    }
    let whole: String = games.iter().map(|game| &*game.texts.lichess).collect();
    if whole.len() < MOST_BYTES {
        return Ok(whole);
    }
    let shortened = games.iter().map(|game| {
        if game.finished {
            without_times(&game.texts.lichess)
        } else {
            game.texts.lichess.to_string()
        }
    });
    let shortened: String = shortened.collect();
    if shortened.len() < MOST_BYTES {
        Ok(shortened)
    } else {
        Err(Unfit::Bytes(shortened.len()))
    }
}

/// Whether a text is the id of a Lichess round.
#[must_use]
pub fn is_round(id: &str) -> bool {
    id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// A game without its `{[%clk …]}`.
fn without_times(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once("{[%clk ") {
        kept.push_str(before.trim_end_matches(' '));
        rest = after.split_once("]}").map_or("", |(_, rest)| rest);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Texts;

    fn game(board: usize, text: &str, finished: bool) -> GameText {
        let text = std::sync::Arc::from(text);
        GameText {
            board: format!("b{board}").parse().unwrap(),
            number: 1,
            count: 1,
            finished,
            lines: Vec::new(),
            texts: Texts {
                archive: std::sync::Arc::clone(&text),
                feed: std::sync::Arc::clone(&text),
                lichess: text,
            },
        }
    }

    fn made(games: &[GameText]) -> Result<String, Unfit> {
        of(&games.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_body_that_is_too_large_loses_the_times_of_finished_games_first() {
        let long = format!(
            "[A \"b\"]\n\n{}*\n\n",
            "1. e4 {[%clk 1:30:00]}\n".repeat(12_000)
        );
        let one = game(1, &long, false);
        assert_eq!(made(std::slice::from_ref(&one)), Ok(long.clone()));
        let finished = game(2, &long, true);
        let body = made(&[one.clone(), finished.clone()]).unwrap();
        assert!(body.starts_with(&long) && body.len() < MOST_BYTES);
        assert_eq!(body.matches("e4").count(), 24_000);
        assert_eq!(body.matches("%clk").count(), 12_000);
        assert!(matches!(made(&[one.clone(), one]), Err(Unfit::Bytes(_))));
    }

    #[test]
    fn more_than_a_hundred_games_are_split_or_refused_and_never_cut() {
        let games: Vec<_> = (0..101).map(|board| game(board, "x", false)).collect();
        assert_eq!(made(&games), Err(Unfit::Games(101)));
        let round = RoundText {
            site: "open".parse().unwrap(),
            number: 1,
            begun: 0,
            games,
        };
        let ids = ["a".to_owned(), "b".to_owned()];
        let sizes: Vec<_> = parts(&round, &ids)
            .into_iter()
            .map(|(id, games)| (id, games.len()))
            .collect();
        assert_eq!(sizes, [("a", 51), ("b", 50)]);
    }
}
