//! Chooses each board's game among all that a source has.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use super::game::SourceGame;

/// What names a game, as far as its tags do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    id: Option<String>,
    round: Option<u32>,
    players: Option<(String, String)>,
    /// Where the game was, and how far; `None` if only its record is known.
    last: Option<LastSeen>,
}

/// A game as it was at the last look.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LastSeen {
    file_number: Option<u32>,
    nth: Option<u32>,
    game: Arc<SourceGame>,
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
            last: None,
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
    /// `None` while the place is not certain.
    pub nth: Option<u32>,
    /// Whether its file was read as it is now.
    pub is_current: bool,
    /// The game itself.
    pub game: Arc<SourceGame>,
}

impl FoundGame {
    pub(crate) fn identity(&self) -> Identity {
        Identity {
            round: self.folder_round.or_else(|| self.game.round()),
            last: Some(LastSeen {
                file_number: self.file_number,
                nth: self.nth,
                game: self.game.clone(),
            }),
            ..Identity::of_tags(&self.game.tags)
        }
    }

    fn round(&self) -> u32 {
        self.folder_round.or_else(|| self.game.round()).unwrap_or(0)
    }

    fn has_players(&self) -> bool {
        ["White", "Black"]
            .iter()
            .all(|name| self.game.tag(name).is_some())
    }

    fn has_begun(&self) -> bool {
        !self.game.plies.is_empty()
    }
}

/// The numbers in the tags of a round's games.
#[derive(Debug, Default)]
struct RoundNumbers {
    count: usize,
    numbers: HashSet<Option<u32>>,
    /// How many have the names of both players.
    named: usize,
}

impl RoundNumbers {
    fn add(&mut self, found: &FoundGame) {
        self.count += 1;
        self.numbers.insert(found.game.board());
        self.named += usize::from(found.has_players());
    }

    /// Whether several games have the same number, and none has another one.
    fn is_shared(&self) -> bool {
        self.count > 1 && self.numbers.len() == 1 && !self.numbers.contains(&None)
    }
}

/// The games of a source, each with the number of its board.
#[derive(Debug, Default)]
pub(crate) struct FoundGames {
    /// A game without a number may still be the one that a board has.
    games: Vec<(Option<u32>, FoundGame)>,
    /// The rounds and numbers that games of different players share.
    doubled: HashSet<(u32, u32)>,
    /// The rounds whose games all have one number, so that files or places had to decide.
    guessed: HashSet<u32>,
}

impl FoundGames {
    /// Numbers the games: by their tags, or else by their files' names, or else by their places in
    /// the file.
    ///
    /// If all games of a round have the same number in the tag `Round`, it may be no number of a
    /// board. Then the files' names decide, and places do unless all games have names of players.
    /// With names, the games may as well be those of one board, of which one was left behind. The
    /// tag `Board` is always a number of a board.
    pub(crate) fn new(games: Vec<FoundGame>) -> Self {
        let mut rounds: HashMap<u32, RoundNumbers> = HashMap::new();
        for found in &games {
            rounds.entry(found.round()).or_default().add(found);
        }
        let mut guessed = HashSet::new();
        let mut number = |found: &FoundGame| {
            let by_tags = found.game.board();
            let of_round = rounds.get(&found.round());
            let of_round = of_round.filter(|of_round| of_round.is_shared());
            let has_board = found.game.tag("Board").is_some();
            let Some(of_round) = of_round.filter(|_| !has_board) else {
                return by_tags.or(found.file_number).or(found.nth);
            };
            let by_place = found.nth.filter(|_| of_round.named < of_round.count);
            let by_source = found.file_number.or(by_place);
            if by_source.is_some() {
                guessed.insert(found.round());
            }
            by_source.or(by_tags)
        };
        let games: Vec<_> = games
            .into_iter()
            .map(|found| (number(&found), found))
            .collect();
        let mut seen = HashMap::new();
        let mut doubled = HashSet::new();
        for (number, found) in &games {
            let Some(number) = *number else {
                continue;
            };
            let place = (found.round(), number);
            let players = found.identity().players;
            let before = seen
                .entry(place)
                .or_insert_with(|| (found, players.clone()));
            let is_other = !std::ptr::eq(before.0, found);
            if is_other && (players.is_none() || before.1 != players) {
                doubled.insert(place);
            }
        }
        Self {
            games,
            doubled,
            guessed,
        }
    }

    /// Whether the tags give other games of the round the number of this one, so that it may be
    /// another board's, or a game that was left behind.
    pub(crate) fn shares_number(&self, found: &FoundGame) -> bool {
        let round = found.round();
        let is_doubled = |(number, other): &(Option<u32>, FoundGame)| {
            let place = number.map(|number| (round, number));
            std::ptr::eq(other, found) && place.is_some_and(|place| self.doubled.contains(&place))
        };
        self.guessed.contains(&round) || self.games.iter().any(is_doubled)
    }

    /// Whether different games have this number in a round.
    pub(crate) fn is_doubled(&self, number: u32) -> bool {
        self.doubled.iter().any(|(_, doubled)| *doubled == number)
    }

    pub(crate) fn len(&self) -> usize {
        self.games.len()
    }

    /// The game of board `number`, whose record has `current`.
    ///
    /// It is of the newest round in which the board has moved. There, a board keeps its game by its
    /// `GameId`, or else by its players. Otherwise the number decides, if only one game has it. If
    /// none does, a game that had neither an id nor names is the one that continues it in its place.
    pub(crate) fn of_board(&self, number: u32, current: &Identity) -> Option<&FoundGame> {
        let mine = || {
            self.games
                .iter()
                .filter(|(of, _)| *of == Some(number))
                .map(|(_, found)| found)
        };
        let begun = mine()
            .filter(|found| found.has_begun())
            .map(FoundGame::round)
            .max();
        let round = begun.or_else(|| self.first_round(number));
        // No game has its number. It may still have the one that it had.
        let round = round.unwrap_or_else(|| current.round.unwrap_or(0));
        let is_doubled = self.doubled.contains(&(round, number));
        let numbered = || mine().rfind(|found| !is_doubled && found.round() == round);
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
            .or_else(|| self.in_place_of(current))
    }

    /// The game in the place of a board's nameless game, if it continues that one.
    fn in_place_of(&self, current: &Identity) -> Option<&FoundGame> {
        let is_nameless = current.id.is_none() && current.players.is_none();
        let last = current.last.as_ref().filter(|_| is_nameless)?;
        self.all().find(|found| {
            let is_there = (found.file_number, found.nth) == (last.file_number, last.nth);
            let is_placed = found.file_number.or(found.nth).is_some();
            let is_round = found.round() == current.round.unwrap_or(0);
            is_there && is_placed && is_round && found.game.continues(&last.game)
        })
    }

    fn all(&self) -> impl Iterator<Item = &FoundGame> {
        self.games.iter().map(|(_, found)| found)
    }

    /// The round of a board that has not moved: the newest one in which anybody has moved, if the
    /// board is in it, or else its first one.
    fn first_round(&self, number: u32) -> Option<u32> {
        let mine = || {
            self.games
                .iter()
                .filter(|(of, _)| *of == Some(number))
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
