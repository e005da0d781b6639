//! Cuts a stream of PGN into games.

use bytes::BytesMut;
use remisd_pgn::{Game, Games};

use super::request::Failure;

/// The longest game in bytes, and the most blank lines in it.
const LONGEST: usize = 1024 * 1024;
const GAPS: usize = 64;

/// What was read of the next game.
#[derive(Debug, Default)]
pub(crate) struct GameCutter {
    text: BytesMut,
    gaps: usize,
    /// Whether the line that has begun has more than blanks.
    has_words: bool,
}

impl GameCutter {
    /// Whether no game has begun.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes in a line, or the part of one that has come. A blank line after a result or `*` ends a
    /// game; this returns it, with those before it that had no end of their own.
    ///
    /// # Errors
    ///
    /// [`Failure::EndlessGame`] if the game is longer than any.
    pub(crate) fn take(&mut self, line: &[u8]) -> Result<Vec<Game>, Failure> {
        let is_blank = line.trim_ascii().is_empty();
        if self.text.is_empty() && is_blank {
            return Ok(Vec::new());
        }
        self.text.extend_from_slice(line);
        if self.text.len() > LONGEST {
            return Err(Failure::EndlessGame);
        }
        self.has_words |= !is_blank;
        if !line.ends_with(b"\n") || std::mem::take(&mut self.has_words) {
            return Ok(Vec::new());
        }
        self.gaps += 1;
        if self.gaps > GAPS {
            return Err(Failure::EndlessGame);
        }
        let games: Vec<Game> = Games::new(&self.text[..]).filter_map(Result::ok).collect();
        // Without a result at the end, the blank line is one inside of the game.
        if games.last().is_none_or(|game| game.outcome.is_none()) {
            return Ok(Vec::new());
        }
        self.text.clear();
        self.gaps = 0;
        Ok(games)
    }
}

#[cfg(test)]
mod tests {
    use super::GameCutter;

    fn cut(parts: &[&str]) -> Vec<usize> {
        let mut cutter = GameCutter::default();
        let lines = parts.iter().flat_map(|part| part.split_inclusive('\n'));
        let games = lines.flat_map(|line| cutter.take(line.as_bytes()).unwrap());
        games.map(|game| game.moves.len()).collect()
    }

    #[test]
    fn a_game_ends_at_the_blank_line_after_its_result_and_at_no_other() {
        let one = "[White \"A\"]\n\n1. e4 {a comment\n\n1-0\n\nof three parts} e5 *\n\n\n";
        let two = "[White \"B\"]\r\n\r\n1. d4 1-0\r\n\r\n";
        let both = format!(" \n{one}{two}");
        assert_eq!(cut(&[&both]), [2, 1]);
        for at in (0..=both.len()).filter(|at| both.is_char_boundary(*at)) {
            let (first, rest) = both.split_at(at);
            assert_eq!(cut(&[first, rest]), [2, 1], "{at}");
        }
        // A game without an end is over when another one is.
        assert_eq!(cut(&["[White \"A\"]\n\n1. e4\n\n", two]), [1, 1]);
        assert!(cut(&["[White \"A\"]\n\n1. e4\n\n"]).is_empty());
    }

    #[test]
    fn a_game_of_blank_lines_is_refused() {
        let mut cutter = GameCutter::default();
        cutter.take(b"{\n").unwrap();
        let mut lines = (0..100).map(|_| cutter.take(b"\n"));
        assert!(lines.any(|taken| taken.is_err()));
    }
}
