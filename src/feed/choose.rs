//! Chooses each board's game among all that a source has.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use super::game::SourceGame;

/// What names a game, as far as its tags do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    id: Option<String>,
    round: Option<u32>,
    players: Option<(String, String)>,
}

impl Identity {
    /// Reads it from the tags of a record.
    #[must_use]
    pub fn of_tags(tags: &BTreeMap<String, String>) -> Self {
        let value = |name: &str| tags.get(name).filter(|value| *value != "?").cloned();
        let round = value("Round").and_then(|round| round.split('.').next()?.trim().parse().ok());
        Self {
            id: value("GameId"),
            round,
            players: value("White").zip(value("Black")),
        }
    }
}

/// A game with its place in the source.
#[derive(Debug, Clone)]
pub(crate) struct FoundGame {
    /// The round of its folder: 3 for `round-3`.
    pub folder_round: Option<u32>,
    /// The number of its file: 12 for `game-12.pgn`.
    pub file_number: Option<u32>,
    /// Its place in the text, from 1. The files of a folder are one text if they have no numbers.
    pub nth: u32,
    /// Whether its file was read as it is now.
    pub is_current: bool,
    /// The game itself.
    pub game: Arc<SourceGame>,
}

impl FoundGame {
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            round: self.folder_round.or_else(|| self.game.round()),
            ..Identity::of_tags(&self.game.tags)
        }
    }

    fn round(&self) -> u32 {
        self.folder_round.or_else(|| self.game.round()).unwrap_or(0)
    }

    fn has_begun(&self) -> bool {
        !self.game.plies.is_empty()
    }
}

/// The games of a source, each with the number of its board.
#[derive(Debug, Default)]
pub(crate) struct FoundGames(Vec<(u32, FoundGame)>);

impl FoundGames {
    /// Numbers the games: by their tags, or else by their files' names, or else by their places in
    /// the file.
    ///
    /// If tags give two games of a round the same number, places decide for the whole round.
    pub(crate) fn new(games: Vec<FoundGame>) -> Self {
        let by_place = |found: &FoundGame| found.file_number.unwrap_or(found.nth);
        let by_tags = |found: &FoundGame| found.game.board().unwrap_or_else(|| by_place(found));
        let mut seen = HashSet::new();
        let mut ambiguous = HashSet::new();
        for found in &games {
            if !seen.insert((found.round(), by_tags(found))) {
                ambiguous.insert(found.round());
            }
        }
        let number = |found: &FoundGame| {
            if ambiguous.contains(&found.round()) {
                by_place(found)
            } else {
                by_tags(found)
            }
        };
        Self(
            games
                .into_iter()
                .map(|found| (number(&found), found))
                .collect(),
        )
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The game of board `number`, whose record has `current`.
    ///
    /// It is of the newest round in which the board has moved. There, a board keeps its game by its
    /// `GameId`, or else by its players. Otherwise the number decides.
    pub(crate) fn of_board(&self, number: u32, current: &Identity) -> Option<&FoundGame> {
        let mine = || {
            self.0
                .iter()
                .filter(|(of, _)| *of == number)
                .map(|(_, found)| found)
        };
        let begun = mine()
            .filter(|found| found.has_begun())
            .map(FoundGame::round)
            .max();
        let round = begun.or_else(|| self.first_round(number))?;
        let numbered = || mine().rfind(|found| found.round() == round);
        if current.round.unwrap_or(0) != round {
            return numbered();
        }
        let same_id = |found: &&FoundGame| {
            current.id.is_some() && found.game.tag("GameId") == current.id.as_deref()
        };
        let same_players = |found: &&FoundGame| {
            found.round() == round
                && current.players.is_some()
                && found.identity().players == current.players
        };
        // Two games of the same players are told apart by their numbers.
        let by_players = || {
            let of_number = mine().rfind(same_players);
            of_number.or_else(|| self.all().find(same_players))
        };
        self.all()
            .find(same_id)
            .or_else(by_players)
            .or_else(numbered)
    }

    fn all(&self) -> impl Iterator<Item = &FoundGame> {
        self.0.iter().map(|(_, found)| found)
    }

    /// The round of a board that has not moved: the newest one in which anybody has moved, if the
    /// board is in it, or else its first one.
    fn first_round(&self, number: u32) -> Option<u32> {
        let mine = || {
            self.0
                .iter()
                .filter(|(of, _)| *of == number)
                .map(|(_, found)| found.round())
        };
        let begun = self
            .all()
            .filter(|found| found.has_begun())
            .map(FoundGame::round);
        let newest = begun
            .max()
            .filter(|newest| mine().any(|round| round == *newest));
        newest.or_else(|| mine().min())
    }
}
