//! The games of a round, board by board in one constant order.
//!
//! A receiver finds a game again by its `GameId`, by its board and players, or by its moves. So the
//! whole round always leaves in the same order, and each game keeps its id.
//!
//! * The round is the number in the tag `Round`: `3` in `3.7`.
//! * The number of the board is the tag `Board`, or what follows the point in `Round`, or the place
//!   in the configuration.
//! * The id is `remisd-<site>-<round>-<board>-<game>`. The daemon numbers the games of a board in
//!   its journal, so the id is the same after a restart.
//! * A name that is corrected keeps the id: it is the same game. If other people play, `.2` follows
//!   the id, then `.3`: see [`Opponents`].
//! * A game that begins at a board after a finished one of the same round follows it, with its own
//!   id. It replaces an unfinished one once it has a move or names other players.
//! * A replaced game is kept. If the arbiter enters its result later, it is shown before its
//!   successor. If the public lacks some of its moves, its end is uncertain.
//! * A game whose end was missed gets it from the topic `earlier`.
//! * A stray game is unfinished, without names, and after a finished game with names: people try
//!   moves when a round is over. It is not shown once the board has begun a game of another round.
//!
//! The next event begins with round 1 again. So not the number says which round is the newest and
//! which one is forgotten, but when it has begun and when it has changed last: see [`Ages`].

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use remisd_topics::{EntryRef, Envelope, Game};
use remisd_vocabulary::name::{BoardId, SiteId};
use serde::{Deserialize, Serialize};

use crate::{opponents::Opponents, person::Person};

mod ages;
mod board_games;
mod earlier_results;
mod forgotten;
mod missed;

pub(crate) use self::ages::Age;
use self::{
    ages::Ages,
    board_games::{bound_unfinished, current, has_stray_end, is_finished, is_stray},
    earlier_results::EarlierResults,
    forgotten::Forgotten,
};

/// The greatest number of a board. A greater one in a tag is a mistake.
const GREATEST_BOARD: u32 = 9_999;

/// The games of the newest rounds.
#[derive(Debug, Clone)]
pub struct Rounds {
    site: SiteId,
    /// The boards in the order of the configuration.
    order: Vec<BoardId>,
    games: BTreeMap<u32, Boards>,
    ages: Ages,
    /// Whether the values that were there at the start still arrive.
    is_starting: bool,
    forgotten: Forgotten,
    earlier_results: EarlierResults,
    /// How the games before the current one of each board were left, as the public saw them.
    earlier: BTreeMap<BoardId, Vec<PublicGame>>,
}

/// The games of a round by board.
type Boards = BTreeMap<BoardId, Vec<RoundGame>>;

/// A game as the public sees it, and the entry of the journal that this rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicGame {
    game: Game,
    entry: EntryRef,
}

impl From<Envelope<Game>> for PublicGame {
    fn from(envelope: Envelope<Game>) -> Self {
        let entry = envelope.entry();
        let game = envelope.content;
        Self { game, entry }
    }
}

/// A game of a round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundGame {
    /// The game as the public sees it.
    #[serde(flatten)]
    pub shown: Game,
    /// Who has played it.
    #[serde(default)]
    opponents: Opponents,
    /// The entry that it rests on; an earlier version kept none.
    #[serde(default)]
    entry: EntryRef,
    /// Whether its result came after it was left; an earlier version did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    is_decided_later: Option<bool>,
}

/// The place of a board in a round.
#[derive(Debug, Clone, Copy)]
pub struct RoundEntry<'a> {
    /// The board.
    pub board: &'a BoardId,
    /// Its number in the round.
    pub number: u32,
    /// Its games in this round, oldest first, also those that another one has replaced; none if it
    /// has not begun.
    pub games: &'a [RoundGame],
    /// Whether another game has begun at the board since, in another round.
    pub is_left: bool,
}

impl<'a> RoundEntry<'a> {
    /// The games that are broadcast: the finished ones and the current one.
    pub fn shown(&self) -> impl Iterator<Item = &'a RoundGame> + use<'a> {
        let current = current(self.games);
        let current = current.filter(|game| !self.is_left || !is_stray(self.games, game));
        let current = current.map(|game| game.shown.game);
        let games = self.games.iter();
        games.filter(move |game| is_finished(&game.shown) || Some(game.shown.game) == current)
    }
}

impl Rounds {
    /// No games yet, at these boards in this order.
    #[must_use]
    pub const fn new(site: SiteId, order: Vec<BoardId>) -> Self {
        Self {
            site,
            order,
            games: BTreeMap::new(),
            ages: Ages::new(),
            is_starting: false,
            forgotten: Forgotten::new(),
            earlier_results: EarlierResults::new(),
            earlier: BTreeMap::new(),
        }
    }

    /// The same, until [`complete`](Self::complete) for values that were there at the start. They
    /// may be old: a board that is no longer used still shows its last game.
    #[must_use]
    pub(crate) fn starting(self) -> Self {
        Self {
            is_starting: true,
            ..self
        }
    }

    /// The values that were there at the start have arrived. No round is forgotten before.
    pub(crate) fn complete(&mut self) {
        self.is_starting = false;
        self.forget_old();
    }

    /// Puts back what an earlier run had kept, and the age of its round. A game that has come since
    /// is newer, also if it is in another round now.
    pub(crate) fn restore(&mut self, round: u32, age: Age, board: &BoardId, kept: Vec<RoundGame>) {
        if !self.order.contains(board) || kept.is_empty() {
            return;
        }
        self.ages.restore(round, age);
        for mut kept in kept {
            // An earlier version kept no opponents.
            kept.opponents.take(&kept.shown.headers, |_| false);
            let mut rounds = self.games.values_mut();
            let same = rounds.find_map(|boards| {
                let mut games = boards.get_mut(board)?.iter_mut();
                games.find(|game| game.shown.game == kept.shown.game)
            });
            if let Some(game) = same {
                game.opponents.follow(kept.opponents);
            } else {
                let boards = self.games.entry(round).or_default();
                boards.entry(board.clone()).or_default().push(kept);
            }
        }
        let boards = self.games.get_mut(&round);
        if let Some(games) = boards.and_then(|boards| boards.get_mut(board)) {
            games.sort_by_key(|game| game.shown.game);
            bound_unfinished(games);
        }
        self.decide_earlier(board);
        self.catch_up(board);
    }

    /// Gives the earlier games of a board the results that they got after they were left. Returns
    /// the rounds that have changed.
    fn decide_earlier(&mut self, board: &BoardId) -> BTreeSet<u32> {
        let mut changed = BTreeSet::new();
        for (round, boards) in &mut self.games {
            for kept in boards.get_mut(board).into_iter().flatten() {
                let game = &mut kept.shown;
                let (uncertain, result) = (game.uncertain, game.result.clone());
                if !self.earlier_results.decide(board, game) {
                    continue;
                }
                let is_noted = kept.is_decided_later.replace(true) == Some(true);
                if game.uncertain != uncertain {
                    let (moves, number) = (game.moves.len(), game.game);
                    let plies = game.result.as_ref().and_then(|result| result.ply);
                    tracing::warn!(%board, game = %number, moves, plies, "an earlier game has its result, and the public has not all of its moves");
                }
                if !is_noted || game.uncertain != uncertain || game.result != result {
                    changed.insert(*round);
                }
            }
        }
        changed
    }

    /// Takes what the public now sees at a board, and returns the rounds that have changed.
    ///
    /// A broker that was killed comes back with an older state of a game. That changes nothing.
    pub fn take(&mut self, board: &BoardId, seen: impl Into<PublicGame>) -> BTreeSet<u32> {
        let PublicGame { mut game, entry } = seen.into();
        if !self.order.contains(board) || self.has_newer(board, game.game, &entry) {
            return BTreeSet::new();
        }
        let results = std::mem::take(&mut game.earlier_results);
        for left in self.earlier_results.take(board, results) {
            if !self.is_starting && self.kept(board, left).is_none() {
                tracing::warn!(%board, game = %left, "the result of an earlier game that is not kept here is not broadcast, unless the game is read from the disk later");
            }
        }
        let mut changed = self.decide_earlier(board);
        changed.extend(self.put(board, PublicGame { game, entry }));
        changed
    }

    /// Puts a game into its round, and returns the rounds that have changed.
    fn put(&mut self, board: &BoardId, seen: PublicGame) -> BTreeSet<u32> {
        let number = self.round_of(board, &seen.game);
        self.put_in(number, board, seen)
    }

    /// Puts a game into this round, and returns the rounds that have changed.
    fn put_in(
        &mut self,
        number: u32,
        board: &BoardId,
        PublicGame { game, entry }: PublicGame,
    ) -> BTreeSet<u32> {
        let mut changed = BTreeSet::new();
        if !self.games.contains_key(&number) && self.forgotten.has(number, board, game.game) {
            tracing::warn!(%board, round = number, "a change in a round that is no longer kept is not broadcast");
            return changed;
        }
        let is_newer = |other: &RoundGame| other.shown.game <= game.game;
        let mut known = self.games.values().filter_map(|boards| boards.get(board));
        let mut is_new = !self.is_starting || known.any(|games| games.iter().all(is_newer));
        // A daemon that starts publishes earlier games once more. That makes no round newer.
        let mut all = self.games.values().filter_map(|boards| boards.get(board));
        let is_newest = all.all(|games| games.iter().all(is_newer));
        // Its tags may have arrived after it had begun.
        let mut opponents = Opponents::default();
        for (round, boards) in &mut self.games {
            if *round != number
                && let Some(games) = boards.get_mut(board)
                && let Some(at) = games.iter().position(|other| other.shown.game == game.game)
            {
                opponents = games.remove(at).opponents;
                if games.is_empty() {
                    boards.remove(board);
                }
                changed.insert(*round);
                is_new = true;
            }
        }
        let boards = self.games.entry(number).or_default();
        let mut games = boards.remove(board).unwrap_or_default();
        let at = games.iter().position(|other| other.shown.game == game.game);
        let before = at.map(|at| games.remove(at));
        let is_same = before.as_ref().is_some_and(|before| before.shown == game);
        let begins = before.is_none();
        let mut taken = RoundGame {
            shown: game,
            entry,
            // Of the topic `game`, a result came before the game was left.
            is_decided_later: Some(false),
            opponents: before.map_or(opponents, |before| before.opponents),
        };
        if !is_same {
            let is_elsewhere = |person: &Person| {
                let mut others = boards.values().flatten();
                others.any(|other| other.opponents.have(person))
            };
            taken.opponents.take(&taken.shown.headers, is_elsewhere);
        }
        games.push(taken);
        games.sort_by_key(|game| game.shown.game);
        bound_unfinished(&mut games);
        boards.insert(board.clone(), games);
        if is_same {
            return changed;
        }
        changed.insert(number);
        if begins {
            // A stray game in another round is no longer shown.
            let others = self.games.iter().filter(|(round, _)| **round != number);
            let ends_with_a_stray = |boards: &Boards| {
                let games = boards.get(board);
                games.is_some_and(|games| has_stray_end(games))
            };
            let others = others.filter(|(_, boards)| ends_with_a_stray(boards));
            changed.extend(others.map(|(round, _)| *round));
        }
        if is_new && is_newest {
            self.ages.note(number);
        }
        self.forget_old();
        changed
    }

    /// The venue or event.
    pub(crate) const fn site(&self) -> &SiteId {
        &self.site
    }

    /// The age of a round.
    pub(crate) fn age(&self, round: u32) -> Age {
        self.ages.of(round)
    }

    /// Forgets the rounds that have no game any more. Their last change was published.
    pub(crate) fn forget_empty(&mut self) {
        self.games.retain(|_, boards| !boards.is_empty());
        self.ages.forget_all_but(&self.games);
    }

    /// The numbers of the rounds that are kept, lowest first.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.games.keys().copied()
    }

    /// The boards of a round in their order, those without a game included.
    #[must_use]
    pub fn places(&self, round: u32) -> Vec<RoundEntry<'_>> {
        let boards = self.games.get(&round);
        let games = |board| boards.and_then(|boards| boards.get(board));
        let mut taken = BTreeSet::new();
        let mut tagged: BTreeMap<&BoardId, u32> = BTreeMap::new();
        for board in &self.order {
            let newest_first = games(board).into_iter().flatten().rev();
            // A game that follows need not have the tag.
            let mut numbers = newest_first.filter_map(|game| board_number(&game.shown));
            if let Some(number) = numbers.next()
                && taken.insert(number)
            {
                tagged.insert(board, number);
            }
        }
        let places = self.order.iter().zip(1..).map(|(board, index)| {
            let number = tagged.get(board).copied().unwrap_or_else(|| {
                let free = std::iter::once(index)
                    .chain(1..=u32::MAX)
                    .find(|n| taken.insert(*n));
                free.unwrap_or(index)
            });
            RoundEntry {
                board,
                number,
                games: games(board).map_or(&[], Vec::as_slice),
                is_left: self.has_left(round, board),
            }
        });
        places.collect()
    }

    /// Whether a board has begun another game in another round since.
    fn has_left(&self, round: u32, board: &BoardId) -> bool {
        let newest = |boards: &Boards| Some(boards.get(board)?.last()?.shown.game);
        let here = self.games.get(&round).and_then(newest);
        let mut newest = self.games.values().filter_map(newest);
        newest.any(|other| Some(other) > here)
    }

    /// The id of a game: the same for as long as the journal is and the same people play.
    #[must_use]
    pub fn id(&self, round: u32, board: &BoardId, game: &RoundGame) -> String {
        let id = format!("remisd-{}-{round}-{board}-{}", self.site, game.shown.game);
        match game.opponents.number() {
            1 => id,
            // No name of a board has a point, so no other game has this id.
            number => format!("{id}.{number}"),
        }
    }

    /// The round of a game: its tag, or where the board or the others are.
    fn round_of(&self, board: &BoardId, game: &Game) -> u32 {
        let holds = |(round, boards): (&u32, &Boards)| boards.contains_key(board).then_some(*round);
        let newest_first = || {
            let mut rounds: Vec<_> = self.games.iter().collect();
            rounds.retain(|(_, boards)| !boards.is_empty());
            rounds.sort_by_key(|(round, _)| Reverse((self.age(**round).begun(), **round)));
            rounds.into_iter()
        };
        round_number(game)
            .or_else(|| newest_first().find_map(holds))
            .or_else(|| newest_first().next().map(|(round, _)| *round))
            .unwrap_or(1)
    }

    /// Forgets all rounds but the newest ones: first those without a game, then those whose last
    /// change is longest ago.
    pub(crate) fn forget_old(&mut self) {
        if !self.is_starting {
            self.forgotten.forget_old(&mut self.games, &self.ages);
        }
        self.ages.forget_all_but(&self.games);
    }
}

/// The number of the round that the tags give.
fn round_number(game: &Game) -> Option<u32> {
    game.headers.get("Round").and_then(|tag| leading(tag))
}

/// The number of the board that the tags give; `None` for one that no hall has.
fn board_number(game: &Game) -> Option<u32> {
    let board = game.headers.get("Board");
    let of_board = board.and_then(|tag| tag.trim().parse().ok());
    let after_point = || {
        let (_, board) = game.headers.get("Round")?.split_once('.')?;
        leading(board)
    };
    let number = of_board.or_else(after_point);
    number.filter(|number| (1..=GREATEST_BOARD).contains(number))
}

/// The number that a text begins with.
fn leading(text: &str) -> Option<u32> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit());
    text[..end.unwrap_or(text.len())].parse().ok()
}

#[cfg(test)]
mod tests;
