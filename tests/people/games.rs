//! Whole games out of PGN files, as legal moves.
//!
//! This reader is small on purpose: the emulator shares nothing with the programs it judges.

use std::path::PathBuf;

use shakmaty::{Chess, Move, Position as _, san::San};

/// Games shorter than this many plies show too little of a hand.
const SHORTEST: usize = 16;

/// The moves of one game from the start array.
pub type Moves = Vec<Move>;

/// The games that hands are made to play.
#[derive(Debug, Clone)]
pub struct Library {
    games: Vec<Moves>,
    promoting: Vec<usize>,
}

impl Library {
    /// Reads the games of the project's test data.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub fn load() -> std::io::Result<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/games");
        let mut games = Vec::new();
        for name in ["otb-2025.pgn", "online-draws.pgn"] {
            games.extend(read(&std::fs::read_to_string(folder.join(name))?));
        }
        Ok(Self::of(games))
    }

    /// The library of these games.
    #[must_use]
    pub fn of(games: Vec<Moves>) -> Self {
        let promoting = (0..games.len())
            .filter(|&index| games[index].iter().any(|m| m.is_promotion()))
            .collect();
        Self { games, promoting }
    }

    /// The game of this number; the numbers go round.
    ///
    /// # Panics
    ///
    /// If there are no games.
    #[must_use]
    pub fn game(&self, number: usize) -> &Moves {
        &self.games[number % self.games.len()]
    }

    /// The same among games in which a pawn is promoted.
    ///
    /// # Panics
    ///
    /// If there are none.
    #[must_use]
    pub fn promoting(&self, number: usize) -> &Moves {
        &self.games[self.promoting[number % self.promoting.len()]]
    }

    /// How many games there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.games.is_empty()
    }
}

/// The games in PGN text. A game ends at the first word that is not a legal move.
#[must_use]
pub fn read(text: &str) -> Vec<Moves> {
    let mut games = Vec::new();
    let mut moves = Moves::new();
    let mut position = Chess::default();
    let mut open = true;
    let mut inside = 0_usize;
    for line in text.lines() {
        if line.starts_with('[') && inside == 0 {
            if line.starts_with("[Event ") {
                games.push(std::mem::take(&mut moves));
                position = Chess::default();
                open = true;
            }
            // A game from another array is none for these hands.
            open &= !line.starts_with("[FEN ");
            continue;
        }
        for word in line
            .replace(['{', '('], " ( ")
            .replace(['}', ')'], " ) ")
            .split_whitespace()
        {
            match word {
                "(" => inside += 1,
                ")" => inside = inside.saturating_sub(1),
                _ if inside == 0 && open => {
                    let word = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                    if word.is_empty() || word.starts_with(['$', '-', '/']) || word == "*" {
                        continue;
                    }
                    match San::from_ascii(word.as_bytes())
                        .ok()
                        .and_then(|san| san.to_move(&position).ok())
                    {
                        Some(m) => {
                            position.play_unchecked(m);
                            moves.push(m);
                            // Mate, stalemate and dead positions end the game immediately (5.1, 5.2).
                            open = !position.is_game_over();
                        }
                        None => open = false,
                    }
                }
                _ => {}
            }
        }
    }
    games.push(moves);
    games.retain(|moves| moves.len() >= SHORTEST);
    games
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_is_read() {
        let library = Library::load().unwrap();
        assert!(library.len() > 700, "{}", library.len());
        assert!(library.promoting(0).iter().any(|m| m.is_promotion()));
    }

    #[test]
    fn comments_and_results_are_no_moves() {
        let text = "[Event \"a\"]\n1. e4 {best} e5 2. Nf3 (2. f4 exf4) Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 \
                    6. Re1 b5 7. Bb3 d6 8. c3 O-O 1/2-1/2";
        assert_eq!(read(text).iter().map(Vec::len).collect::<Vec<_>>(), [16]);
    }
}
