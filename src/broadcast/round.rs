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

use remisd_laws::{Ply, Score};
use remisd_topics::{EarlierResult, EntryRef, Envelope, Game, Uncertain};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    seq::AudienceSeq,
};
use serde::{Deserialize, Serialize};

use crate::{opponents::Opponents, person::Person};

mod ages;
mod missed;

pub(crate) use self::ages::Age;
use self::ages::Ages;

/// The rounds that are kept: the current one, and the one before it while its last games are
/// played.
const KEPT: usize = 2;

/// The most unfinished games that are kept for each board of a round, the current one included.
const UNFINISHED: usize = 16;

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
    /// The newest game of each board that was forgotten, with its round.
    forgotten: BTreeMap<BoardId, (u32, AudienceSeq)>,
    /// The results that earlier games of each board got after they were left.
    earlier_results: BTreeMap<BoardId, Vec<EarlierResult>>,
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

/// The game that is played at a board of a round, or was played last: the newest one. One without a
/// move does not replace an unfinished one before it, unless its tags name other players.
fn current(games: &[RoundGame]) -> Option<&RoundGame> {
    let (newest, before) = games.split_last()?;
    let has_begun = |game: &RoundGame| is_finished(&game.shown) || !game.shown.moves.is_empty();
    if has_begun(newest) {
        return Some(newest);
    }
    let begun = before.iter().rposition(has_begun);
    let stays = |at: &usize| {
        let left = &games[*at];
        let mut later = games[at + 1..].iter();
        !is_finished(&left.shown)
            && later.all(|game| game.opponents.may_be(&left.opponents))
            && !is_stray(games, left)
    };
    Some(begun.filter(stays).map_or(newest, |at| &games[at]))
}

/// Whether a game is without names, and after a finished one with names: people try moves when a
/// round is over.
fn is_stray(games: &[RoundGame], game: &RoundGame) -> bool {
    let is_earlier = |other: &&RoundGame| other.shown.game < game.shown.game;
    let mut earlier = games.iter().take_while(is_earlier);
    !game.opponents.are_named()
        && earlier.any(|other| is_finished(&other.shown) && other.opponents.are_named())
}

/// Bounds the unfinished games of a board: the oldest ones without a move go
/// first, then the oldest ones. The newest game and the current one stay.
fn bound_unfinished(games: &mut Vec<RoundGame>) {
    let is_unfinished = |game: &RoundGame| !is_finished(&game.shown);
    while games.iter().filter(|game| is_unfinished(game)).count() > UNFINISHED {
        let stay = [games.last(), current(games)].map(|game| game.map(|game| game.shown.game));
        let may_go =
            |game: &RoundGame| is_unfinished(game) && !stay.contains(&Some(game.shown.game));
        let is_empty = |game: &RoundGame| may_go(game) && game.shown.moves.is_empty();
        let Some(at) = (games.iter().position(is_empty)).or_else(|| games.iter().position(may_go))
        else {
            return;
        };
        games.remove(at);
    }
}

/// The end of a game that ended at this ply: uncertain after the moves that the public has, if it
/// lacks some.
fn end_of(game: &Game, ended: Option<Ply>) -> Option<Uncertain> {
    let moves = Ply::try_from(game.moves.len()).unwrap_or(Ply::MAX);
    if ended.is_none_or(|ended| ended <= moves) {
        return game.uncertain;
    }
    let since = moves.saturating_add(1);
    let known = game.uncertain.and_then(|uncertain| uncertain.since_ply);
    let since_ply = Some(known.map_or(since, |known| known.min(since)));
    Some(Uncertain { since_ply })
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
            forgotten: BTreeMap::new(),
            earlier_results: BTreeMap::new(),
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
        let results = self.earlier_results.get(board).into_iter().flatten();
        for EarlierResult { game, result } in results {
            for (round, boards) in &mut self.games {
                let mut games = boards.get_mut(board).into_iter().flatten();
                let Some(kept) = games.find(|kept| kept.shown.game == *game) else {
                    continue;
                };
                let uncertain = end_of(&kept.shown, result.ply);
                if kept.shown.uncertain != uncertain {
                    let (moves, plies) = (kept.shown.moves.len(), result.ply);
                    tracing::warn!(%board, %game, moves, plies, "an earlier game has its result, and the public has not all of its moves");
                    kept.shown.uncertain = uncertain;
                    changed.insert(*round);
                }
                if kept.shown.result.as_ref() != Some(result) {
                    kept.shown.result = Some(result.clone());
                    changed.insert(*round);
                }
            }
        }
        changed
    }

    /// Logs the earlier games of a board that have a result since `before` and are not kept.
    fn log_unknown(&self, board: &BoardId, before: &[EarlierResult]) {
        let results = self.earlier_results.get(board).into_iter().flatten();
        for EarlierResult { game, .. } in results.filter(|result| !before.contains(result)) {
            let games = (self.games.values()).filter_map(|boards| boards.get(board));
            let mut kept = games.flatten();
            if !kept.any(|kept| kept.shown.game == *game) {
                tracing::warn!(%board, %game, "the result of an earlier game that is not kept here is not broadcast, unless the game is read from the disk later");
            }
        }
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
        let before = self.earlier_results.insert(board.clone(), results);
        if !self.is_starting {
            self.log_unknown(board, &before.unwrap_or_default());
        }
        let mut changed = self.decide_earlier(board);
        changed.extend(self.put(board, PublicGame { game, entry }));
        changed
    }

    /// Puts a game into its round, and returns the rounds that have changed.
    fn put(&mut self, board: &BoardId, PublicGame { game, entry }: PublicGame) -> BTreeSet<u32> {
        let mut changed = BTreeSet::new();
        let number = self.round_of(board, &game);
        if self.is_forgotten(number, board, &game) {
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
            opponents: before.map_or(opponents, |before| before.opponents),
            entry,
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
                let games = boards.get(board).map_or(&[][..], Vec::as_slice);
                current(games)
                    .is_some_and(|game| !is_finished(&game.shown) && is_stray(games, game))
            };
            changed.extend(
                others
                    .filter(|(_, boards)| ends_with_a_stray(boards))
                    .map(|(round, _)| *round),
            );
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
        let tagged = game.headers.get("Round").and_then(|tag| leading(tag));
        let holds = |(round, boards): (&u32, &BTreeMap<BoardId, Vec<RoundGame>>)| {
            boards.contains_key(board).then_some(*round)
        };
        let newest_first = || {
            let mut rounds: Vec<_> = self.games.iter().collect();
            rounds.retain(|(_, boards)| !boards.is_empty());
            rounds.sort_by_key(|(round, _)| Reverse((self.age(**round).begun(), **round)));
            rounds.into_iter()
        };
        tagged
            .or_else(|| newest_first().find_map(holds))
            .or_else(|| newest_first().next().map(|(round, _)| *round))
            .unwrap_or(1)
    }

    /// Whether a game belongs to a round that was forgotten, and not to one of the next event.
    fn is_forgotten(&self, round: u32, board: &BoardId, game: &Game) -> bool {
        let is_old = |(of, newest): &(u32, AudienceSeq)| *of == round && game.game <= *newest;
        !self.games.contains_key(&round) && self.forgotten.get(board).is_some_and(is_old)
    }

    /// Forgets all rounds but the newest ones: first those without a game, then those whose last
    /// change is longest ago.
    pub(crate) fn forget_old(&mut self) {
        while !self.is_starting && self.games.len() > KEPT {
            let age = |(round, boards): &(&u32, &Boards)| {
                (!boards.is_empty(), self.age(**round).changed(), **round)
            };
            let oldest = self.games.iter().min_by_key(age).map(|(round, _)| *round);
            let Some(oldest) = oldest else {
                return;
            };
            let boards = self.games.remove(&oldest).unwrap_or_default();
            for (board, games) in boards {
                if let Some(newest) = games.last() {
                    self.forgotten.insert(board, (oldest, newest.shown.game));
                }
            }
        }
        self.ages.forget_all_but(&self.games);
    }
}

fn is_finished(game: &Game) -> bool {
    let result = game.result.as_ref();
    result.is_some_and(|result| result.score != Score::None)
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
