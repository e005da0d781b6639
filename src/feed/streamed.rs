//! The games of a stream, by what names them there.

use std::{collections::HashMap, mem::size_of, sync::Arc};

use remisd_pgn::Game;
use remisd_vocabulary::text::OneLine;

use super::{
    choose::FoundGame,
    game::{SourceGame, SourcePly},
    request::Failure,
    text::{LONGEST, MOST_GAMES},
};

/// The longest value that names a game, in bytes.
const LONGEST_NAME: usize = 255;
/// How many games that cannot be followed are named.
const NAMED: usize = 3;

/// A game with what names it in the stream.
#[derive(Debug, Clone)]
pub(crate) struct StreamedGame {
    key: Key,
    /// The game, or why it cannot be followed.
    game: Result<Arc<SourceGame>, String>,
    /// Its place in the round, from 1; `None` until all games have come in their order.
    place: Option<u32>,
}

/// What names a game in the stream: its address, or else its id, or else its place and players.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Address(String),
    Id(String),
    Tags([Option<String>; 4]),
}

impl Key {
    fn of(game: &Game, round: &str) -> Self {
        let in_round = format!("/{round}/");
        let tag = |name| game.tag(name).filter(|value| value.len() <= LONGEST_NAME);
        let address = |name| {
            let value = tag(name)?;
            let (_, id) = value.split_once(&in_round)?;
            (!id.is_empty()).then(|| value.to_owned())
        };
        if let Some(address) = address("GameURL").or_else(|| address("Site")) {
            return Self::Address(address);
        }
        if let Some(id) = tag("GameId") {
            return Self::Id(id.to_owned());
        }
        let tags = ["Round", "Board", "White", "Black"];
        Self::Tags(tags.map(|name| tag(name).map(str::to_owned)))
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Address(text) | Self::Id(text) => text.len(),
            Self::Tags(tags) => tags.iter().flatten().map(String::len).sum(),
        }
    }
}

impl StreamedGame {
    /// Reads a game of the round with this id.
    pub(crate) fn read(game: &Game, round: &str) -> Self {
        let read = SourceGame::read(game);
        Self {
            key: Key::of(game, round),
            game: read
                .map(Arc::new)
                .map_err(|reason| OneLine::bounded(&reason.to_string(), 200).to_string()),
            place: None,
        }
    }

    /// Why it cannot be followed.
    pub(crate) fn trouble(&self) -> Option<&str> {
        self.game.as_ref().err().map(String::as_str)
    }

    /// The round and the board that its tags name.
    fn number(&self) -> Option<(Option<u32>, u32)> {
        let game = self.game.as_ref().ok()?;
        Some((game.round(), game.board()?))
    }

    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let game = self.game.as_ref().map_or(0, |game| {
            let tags = game
                .tags
                .iter()
                .map(|(name, value)| name.len() + value.len());
            game.plies.len() * size_of::<SourcePly>() + tags.sum::<usize>()
        });
        size_of::<SourceGame>() + self.key.bytes() + game
    }
}

/// Games in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct StreamedGames {
    games: Vec<StreamedGame>,
    /// Where each of them is.
    places: HashMap<Key, usize>,
    /// About how much memory they take.
    bytes: usize,
}

impl StreamedGames {
    pub(crate) const fn len(&self) -> usize {
        self.games.len()
    }

    /// Whether this game, perhaps with another text, is one of them.
    pub(crate) fn has(&self, game: &StreamedGame) -> bool {
        self.places.contains_key(&game.key)
    }

    /// Puts a game in the place of its older text, or at the end.
    ///
    /// # Errors
    ///
    /// [`Failure::TooManyGames`] and [`Failure::TooLong`] if they are too many or too large.
    pub(crate) fn put(&mut self, game: StreamedGame) -> Result<(), Failure> {
        let at = self.places.get(&game.key).copied();
        let old = at.and_then(|at| self.games.get_mut(at));
        let freed = old.as_deref().map_or(0, StreamedGame::bytes);
        let bytes = self.bytes - freed + game.bytes();
        if bytes as u64 > LONGEST {
            return Err(Failure::TooLong);
        }
        self.bytes = bytes;
        if let Some(old) = old {
            old.game = game.game;
        } else if self.games.len() < MOST_GAMES {
            self.places.insert(game.key.clone(), self.games.len());
            self.games.push(game);
        } else {
            return Err(Failure::TooManyGames);
        }
        Ok(())
    }

    /// Takes out the game whose place in the round this one has, if `first` does not have it: the
    /// round was reset, and its games have other names. This one gets its place.
    pub(crate) fn supersede(&mut self, game: &StreamedGame, first: &Self) {
        let number = game.number();
        if number.is_none() || self.has(game) {
            return;
        }
        let old = (self.games.iter_mut())
            .find(|old| old.number() == number && !first.places.contains_key(&old.key));
        if let Some(old) = old
            && let Some(at) = self.places.remove(&old.key)
        {
            old.key = game.key.clone();
            self.places.insert(game.key.clone(), at);
        }
    }

    /// They are all games of the round, so the order in which they came is that of the round.
    pub(crate) fn are_all(&mut self) {
        for (game, place) in self.games.iter_mut().zip(1..) {
            game.place = Some(place);
        }
    }

    /// Those that can be followed. They are current if `is_current`, or if `first` has them.
    pub(crate) fn found(&self, is_current: bool, first: Option<&Self>) -> Vec<FoundGame> {
        let found = self.games.iter().filter_map(|streamed| {
            let is_confirmed = || first.is_some_and(|first| first.has(streamed));
            Some(FoundGame {
                folder_round: None,
                file_number: None,
                nth: streamed.place,
                is_current: is_current || is_confirmed(),
                game: streamed.game.as_ref().ok()?.clone(),
            })
        });
        found.collect()
    }

    /// Which of them cannot be followed, and why.
    pub(crate) fn trouble(&self) -> Option<String> {
        let named = self.games.iter().zip(1..).filter_map(|(game, place)| {
            let reason = game.trouble()?;
            Some(format!("game {place} cannot be followed: {reason}"))
        });
        let named: Vec<String> = named.take(NAMED).collect();
        (!named.is_empty()).then(|| named.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use remisd_pgn::Games;

    use super::*;

    fn streamed(pgn: &str) -> StreamedGame {
        let game = Games::new(pgn.as_bytes()).next().unwrap().unwrap();
        StreamedGame::read(&game, "AbCd1234")
    }

    #[test]
    fn games_are_refused_once_they_take_too_much_memory() {
        let moves = "Nf3 Nf6 Ng1 Ng8 ".repeat(4_000);
        let mut games = StreamedGames::default();
        let mut put = |id: usize| games.put(streamed(&format!("[GameId \"{id}\"]\n\n{moves} *")));
        // The same game again takes no more memory.
        for _ in 0..3 {
            put(0).unwrap();
        }
        let refused = (1..MOST_GAMES).find_map(|id| put(id).err());
        assert!(matches!(refused, Some(Failure::TooLong)));
        let taken = games.len() * 16_000 * size_of::<SourcePly>();
        assert!(taken as u64 <= LONGEST);
    }

    #[test]
    fn a_name_that_is_too_long_names_nothing() {
        let long = "x".repeat(10_000);
        let game = streamed(&format!(
            "[GameId \"{long}\"]\n[White \"{long}\"]\n\n1. e4 *"
        ));
        assert!(game.key.bytes() <= 4 * LONGEST_NAME);
    }
}
