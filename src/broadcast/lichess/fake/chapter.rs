//! Games as Lichess reads, matches and keeps them.

use std::collections::BTreeMap;

use shakmaty::{Chess, EnPassantMode, Position as _, fen::Fen, san::San};

/// A game on Lichess.
#[derive(Debug, Clone, Default)]
pub struct Chapter {
    /// The tags.
    pub tags: BTreeMap<String, String>,
    /// The main line in SAN, with the clock after each move.
    pub moves: Vec<(String, Option<String>)>,
    /// Lines that were replaced.
    pub variations: Vec<Vec<String>>,
    /// The position after each ply, from ply 0.
    positions: Vec<String>,
}

/// The tags that Lichess keeps.
const KEPT: [&str; 21] = [
    "White",
    "Black",
    "WhiteElo",
    "BlackElo",
    "WhiteTitle",
    "BlackTitle",
    "WhiteTeam",
    "BlackTeam",
    "WhiteFideId",
    "BlackFideId",
    "Event",
    "Site",
    "Round",
    "Board",
    "TimeControl",
    "Result",
    "Termination",
    "GameId",
    "FEN",
    "Variant",
    "WhiteClock",
];

impl Chapter {
    /// Reads a game, or says why it cannot be played.
    pub(super) fn read(text: &str) -> Result<Self, (BTreeMap<String, String>, String)> {
        let mut chapter = Self::default();
        let mut movetext = String::new();
        for line in text.lines() {
            if let Some((name, value)) = tag(line)
                && movetext.trim().is_empty()
            {
                if !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
                    return Err((chapter.tags, format!("Cannot parse tag {name}")));
                }
                if KEPT.contains(&name) || name == "BlackClock" || name == "Annotator" {
                    chapter.tags.insert(name.to_owned(), value);
                }
            } else {
                movetext.push_str(line);
                movetext.push('\n');
            }
        }
        let start = match chapter.tags.get("FEN") {
            None => Chess::default(),
            Some(fen) => {
                let fen: Result<Fen, _> = fen.parse();
                let setup = fen.map_err(|error| (chapter.tags.clone(), error.to_string()))?;
                setup
                    .into_position(shakmaty::CastlingMode::Chess960)
                    .map_err(|_| (chapter.tags.clone(), "Invalid position".to_owned()))?
            }
        };
        let words = words(&movetext);
        let count = words
            .iter()
            .filter(|word| matches!(word, Word::Move(_)))
            .count();
        let mut position = start;
        chapter.positions.push(key(&position));
        for word in words {
            match word {
                Word::Clock(clock) => {
                    if let Some(last) = chapter.moves.last_mut() {
                        last.1 = Some(clock);
                    }
                }
                Word::Move(text) => {
                    let played = text.parse::<San>().ok();
                    let played = played.and_then(|san| san.to_move(&position).ok());
                    let Some(played) = played else {
                        let last = chapter.moves.len() + 1 == count;
                        let centre = ["Kd4", "Ke4", "Kd5", "Ke5"].contains(&text.as_str());
                        if last && centre {
                            break;
                        }
                        let ply = chapter.moves.len() + 1;
                        return Err((chapter.tags, format!("Cannot play {text} at ply {ply}")));
                    };
                    position.play_unchecked(played);
                    chapter.positions.push(key(&position));
                    chapter.moves.push((text, None));
                }
            }
        }
        let result = chapter
            .tags
            .entry("Result".to_owned())
            .or_insert_with(|| "*".to_owned());
        // 50 moves, 75 moves and repetitions are not inferred.
        if result == "*" && position.is_game_over() {
            *result = match position.outcome() {
                shakmaty::Outcome::Known(outcome) => outcome.to_string(),
                shakmaty::Outcome::Unknown => "*".to_owned(),
            };
        }
        Ok(chapter)
    }

    /// Whether Lichess drops the game without a word: no one plays there.
    pub(super) fn is_dropped(&self) -> bool {
        ["White", "Black"].iter().any(|side| {
            let name = self.tags.get(*side).map(|name| name.trim().to_lowercase());
            let name = name.filter(|name| !name.is_empty() && name != "?");
            let id = self.tags.get(&format!("{side}FideId"));
            match name {
                None => id.is_none(),
                Some(name) => name == "bye" || name == "unknown" || name.chars().count() == 1,
            }
        })
    }

    /// Whether a pushed game continues this chapter.
    pub(super) fn is_same_game(&self, pushed: &Self) -> bool {
        let equal = |name: &str| self.tags.get(name) == pushed.tags.get(name);
        if self.tag("GameId").is_some() && equal("GameId") {
            return true;
        }
        if !(equal("Event") && equal("Site") && self.round() == pushed.round()) {
            return false;
        }
        if self.board() == pushed.board() && equal("White") && equal("Black") {
            return true;
        }
        let common = self.positions.len().min(pushed.positions.len());
        common == 0 || self.positions[common - 1] == pushed.positions[common - 1]
    }

    /// Takes what was pushed. The old line stays as a variation if another one replaces it.
    pub(super) fn update(&mut self, pushed: Self) {
        self.tags.extend(pushed.tags);
        let old: Vec<&str> = self.moves.iter().map(|(san, _)| san.as_str()).collect();
        let new: Vec<&str> = pushed.moves.iter().map(|(san, _)| san.as_str()).collect();
        if old.starts_with(&new) {
            for (kept, (_, clock)) in self.moves.iter_mut().zip(pushed.moves) {
                kept.1 = clock.or(kept.1.take());
            }
            return;
        }
        let common = old
            .iter()
            .zip(&new)
            .take_while(|(one, other)| one == other)
            .count();
        if common < old.len() {
            let line = old[common..].iter().map(|san| (*san).to_owned());
            self.variations.push(line.collect());
        }
        let clocks: Vec<_> = self.moves.iter().map(|(_, clock)| clock.clone()).collect();
        self.moves = pushed.moves;
        for ((_, clock), old) in self.moves.iter_mut().zip(clocks).take(common) {
            *clock = clock.take().or(old);
        }
        self.positions = pushed.positions;
    }

    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// The moves of the main line.
    #[must_use]
    pub fn line(&self) -> String {
        let moves: Vec<_> = self.moves.iter().map(|(san, _)| san.as_str()).collect();
        moves.join(" ")
    }

    fn round(&self) -> Option<u32> {
        let round = self.tag("Round")?;
        round.split('.').next()?.parse().ok()
    }

    pub(super) fn board(&self) -> Option<u32> {
        match self.tag("Board") {
            Some(board) => board.parse().ok(),
            None => self.tag("Round")?.split('.').nth(1)?.parse().ok(),
        }
    }
}

/// The games in a body: cut where an empty line is followed by a bracket.
pub(super) fn split(body: &str) -> Vec<String> {
    let body = body.replace('\r', "");
    let mut games = vec![String::new()];
    let mut empty = false;
    for line in body.lines() {
        if empty && line.starts_with('[') {
            games.push(String::new());
        }
        empty = line.trim().is_empty();
        if let Some(game) = games.last_mut() {
            game.push_str(line);
            game.push('\n');
        }
    }
    games.retain(|game| !game.trim().is_empty());
    games
}

enum Word {
    Move(String),
    Clock(String),
}

/// The moves and clocks of a movetext. Other comments, variations and glyphs are dropped.
fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix('{') {
            let (comment, after) = comment.split_once('}').unwrap_or((comment, ""));
            if let Some((_, clock)) = comment.split_once("[%clk ") {
                let clock = clock.split(']').next().unwrap_or_default();
                words.push(Word::Clock(clock.trim().to_owned()));
            }
            rest = after.trim_start();
            continue;
        }
        let end = rest.find([' ', '\n', '{']).unwrap_or(rest.len());
        let word = &rest[..end];
        rest = rest[end..].trim_start();
        let number = word
            .trim_end_matches('.')
            .bytes()
            .all(|byte| byte.is_ascii_digit());
        if !number && !["*", "1-0", "0-1", "1/2-1/2"].contains(&word) {
            words.push(Word::Move(word.to_owned()));
        }
    }
    words
}

fn tag(line: &str) -> Option<(&str, String)> {
    let (name, value) = line
        .strip_prefix('[')?
        .strip_suffix("\"]")?
        .split_once(" \"")?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

fn key(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}
