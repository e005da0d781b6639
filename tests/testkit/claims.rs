//! The games of `tests/data/claims`, with the claims and the end that each edition gives them.

use std::{collections::BTreeSet, fs, path::PathBuf};

use remisd::pgn::{Game, Games};
use remisd_laws::Ply;
use serde_json::Value;
use shakmaty::{Chess, Move, Position as _};

/// A game of the table.
pub struct ClaimCase {
    /// The name of its file.
    pub file: String,
    /// The text of its file.
    pub text: String,
    /// Its line of the table.
    pub line: Value,
    /// Its starting position.
    pub start: Chess,
    /// Its moves.
    pub moves: Vec<Move>,
}

/// What an edition gives a game.
pub struct Expected<'a>(&'a Value);

impl ClaimCase {
    /// All games of the table.
    pub fn all() -> Vec<Self> {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../data/claims");
        let table = fs::read_to_string(folder.join("expected.jsonl")).unwrap();
        let lines = table.lines().map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let file = line["file"].as_str().unwrap().to_owned();
            let text = fs::read_to_string(folder.join(&file)).unwrap();
            let game = Games::new(text.as_bytes()).next().unwrap().unwrap();
            let (start, moves) = played(&game);
            let plies = u64::try_from(moves.len()).unwrap();
            assert_eq!(line["plies"], plies, "{file}");
            Self {
                file,
                text,
                line,
                start,
                moves,
            }
        });
        lines.collect()
    }

    /// What the edition with this id gives it.
    pub fn under(&self, edition: &str) -> Expected<'_> {
        let rows = self.line["editions"].as_array().unwrap();
        let named = |row: &&Value| row["of"].as_array().unwrap().contains(&edition.into());
        let mut rows = rows.iter().filter(named);
        let row = rows
            .next()
            .unwrap_or_else(|| panic!("{}: no {edition}", self.file));
        assert!(rows.next().is_none(), "{}: {edition} twice", self.file);
        Expected(row)
    }

    /// The plies in a column of its line.
    pub fn plies(&self, part: &str, column: &str) -> BTreeSet<Ply> {
        plies(&self.line[part][column])
    }
}

impl Expected<'_> {
    /// The plies in a column.
    pub fn plies(&self, column: &str) -> BTreeSet<Ply> {
        plies(&self.0[column])
    }

    /// The ply and the kind of the automatic end.
    pub fn end(&self) -> Option<(Ply, &str)> {
        let ply = Ply::try_from(self.0["end_ply"].as_u64()?).unwrap();
        Some((ply, self.0["end"].as_str().unwrap()))
    }
}

/// The moves before the first word that is not a legal move.
fn played(game: &Game) -> (Chess, Vec<Move>) {
    let start = game.start().unwrap();
    let mut position = start.clone();
    let moves = game.moves.iter().map_while(|written| {
        let m = written.to_move(&position).ok()?;
        position.play_unchecked(m);
        Some(m)
    });
    let moves = moves.collect();
    (start, moves)
}

/// Plies as the table has them: `7 15-16`.
fn plies(column: &Value) -> BTreeSet<Ply> {
    if let Some(ply) = column.as_u64() {
        return BTreeSet::from([Ply::try_from(ply).unwrap()]);
    }
    let words = column.as_str().unwrap_or_default().split_whitespace();
    let all = words.flat_map(|word| {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        first.parse().unwrap()..=last.parse().unwrap()
    });
    all.collect()
}
