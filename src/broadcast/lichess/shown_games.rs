//! What Lichess shows of each game, after the pushes that it has taken.
//!
//! A move that a correction has replaced stays on Lichess as a variation until the round is reset.
//!
//! So does a game whose id is no longer pushed, because other people play, or it belongs to another
//! round. Lichess can take the game that follows it for the same one: with the same `Event` and
//! `Site`, and the same position after the last ply that both have. Then it has one game, under the
//! new id. Otherwise the old one is left over.
//!
//! A tag that is no longer pushed stays as well, such as the FIDE id of the player before.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};

use crate::{disk::StatePlace, store::FileStore, text::Line};

/// The replaced lines of a game that are kept.
const KEPT: usize = 16;

/// A game that Lichess has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownGame {
    /// The tag `GameId`.
    pub id: String,
    /// The tags `Event` and `Site`.
    #[serde(default)]
    event: String,
    /// The moves in SAN, with a space between them.
    moves: String,
    /// The tags about the players that Lichess has.
    #[serde(default)]
    about: BTreeSet<String>,
    /// The tags about the players that Lichess has and that are no longer pushed.
    #[serde(default)]
    pub stale_tags: BTreeSet<String>,
    /// Whether its id is no longer pushed.
    #[serde(default)]
    pub left_over: bool,
    /// Whole lines that were replaced, oldest first.
    #[serde(default)]
    old: Vec<String>,
    /// How many older ones were forgotten.
    #[serde(default)]
    pub left_out: u32,
    /// When Lichess has taken it last, RFC 3339.
    pub at: String,
}

/// Moves that are no longer played, and that Lichess still shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The ply of the first of them.
    pub ply: u32,
    /// The moves in SAN, with a space between them.
    pub moves: String,
}

impl ShownGame {
    /// The number of plies.
    #[must_use]
    pub fn plies(&self) -> u32 {
        count(self.moves.split_whitespace())
    }

    /// The moves that Lichess shows although they were replaced.
    pub fn replaced(&self) -> impl Iterator<Item = Replaced> {
        self.old.iter().map(|old| {
            let mut line = self.moves.split_whitespace();
            let common = (old.split_whitespace()).take_while(|san| line.next() == Some(san));
            let common = common.count();
            let rest: Vec<&str> = old.split_whitespace().skip(common).collect();
            Replaced {
                ply: u32::try_from(common + 1).unwrap_or(u32::MAX),
                moves: rest.join(" "),
            }
        })
    }

    fn new(line: &Line, at: &str) -> Self {
        Self {
            id: line.id.clone(),
            event: line.event.clone(),
            moves: line.moves.clone(),
            about: line.about.clone(),
            stale_tags: BTreeSet::new(),
            left_over: false,
            old: Vec::new(),
            left_out: 0,
            at: at.to_owned(),
        }
    }

    /// Whether Lichess takes a game with another id for this one.
    fn is_taken_for(&self, line: &Line) -> bool {
        let (one, other) = (&self.moves, &line.moves);
        self.event == line.event && (continues(one, other) || continues(other, one))
    }

    fn take(&mut self, line: &Line, at: &str) {
        self.id.clone_from(&line.id);
        self.event.clone_from(&line.event);
        self.stale_tags = self.about.difference(&line.about).cloned().collect();
        self.about.extend(line.about.iter().cloned());
        if self.moves != line.moves {
            self.replace_moves(&line.moves, at);
        }
    }

    fn replace_moves(&mut self, moves: &str, at: &str) {
        let before = std::mem::replace(&mut self.moves, moves.to_owned());
        self.old.push(before);
        let line = &self.moves;
        self.old.retain(|old| !continues(line, old));
        let old = std::mem::take(&mut self.old);
        for one in old {
            // Of a line and its beginning, the line says it all.
            if !self.old.iter().any(|other| continues(other, &one)) {
                self.old.retain(|other| !continues(&one, other));
                self.old.push(one);
            }
        }
        while self.old.len() > KEPT {
            self.old.remove(0);
            self.left_out = self.left_out.saturating_add(1);
        }
        at.clone_into(&mut self.at);
    }
}

/// Whether a line begins with the moves of another one.
fn continues(line: &str, other: &str) -> bool {
    let mut moves = line.split_whitespace();
    other
        .split_whitespace()
        .all(|san| moves.next() == Some(san))
}

fn count(moves: impl Iterator) -> u32 {
    u32::try_from(moves.count()).unwrap_or(u32::MAX)
}

/// A Lichess round and a board.
type Place = (String, BoardId);

/// The games of all Lichess rounds, and where they are kept.
#[derive(Debug, Default)]
pub(super) struct ShownGames {
    store: Option<FileStore<Kept>>,
    games: BTreeMap<Place, Vec<ShownGame>>,
    /// Games that were sent with a new id or with corrected moves, and whose answer is not known:
    /// Lichess may have taken them.
    sent: BTreeMap<Place, Sent>,
}

/// The games of a board in a push, and when it was sent, RFC 3339.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Sent {
    at: String,
    lines: Vec<Line>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    round: String,
    board: BoardId,
    games: Vec<ShownGame>,
    #[serde(default)]
    sent: Option<Sent>,
}

impl ShownGames {
    /// Nothing yet; [`read`](Self::read) reads what an earlier run has kept.
    pub(super) fn kept_in(place: Option<StatePlace>) -> Self {
        Self {
            store: place.map(FileStore::new),
            ..Self::default()
        }
    }

    /// Reads what an earlier run has kept of these Lichess rounds, if that was not done yet.
    /// Returns whether it was done now.
    ///
    /// # Errors
    ///
    /// The disk is not there or does not answer: the next call goes on.
    pub(super) async fn read(&mut self) -> io::Result<bool> {
        let Some(store) = &mut self.store else {
            return Ok(false);
        };
        let Some(files) = store.read().await? else {
            return Ok(false);
        };
        for (_, kept) in files {
            let place = (kept.round, kept.board);
            let later = self.games.insert(place.clone(), kept.games);
            let is_late = later.is_some() || self.sent.contains_key(&place);
            if let Some(sent) = kept.sent {
                let later = self.sent.insert(place.clone(), sent);
                if is_late {
                    self.settle(&place);
                    later.and_then(|later| self.sent.insert(place.clone(), later));
                }
            }
            // The file could not be read before. What was pushed since then is newer.
            let games = self.games.entry(place.clone()).or_default();
            for game in later.into_iter().flatten() {
                match games.iter_mut().find(|known| known.id == game.id) {
                    Some(known) if known.moves != game.moves => {
                        known.replace_moves(&game.moves, &game.at);
                    }
                    Some(_) => {}
                    None => games.push(game),
                }
            }
            if is_late {
                self.put(&place);
            }
        }
        Ok(true)
    }

    /// The games of a board that a Lichess round shows.
    pub(super) fn of(&self, round: &str, board: &BoardId) -> &[ShownGame] {
        let games = self.games.get(&(round.to_owned(), board.clone()));
        games.map_or(&[], Vec::as_slice)
    }

    /// The games of all Lichess rounds, by board.
    pub(super) fn all(&self) -> BTreeMap<BoardId, BTreeMap<String, Vec<ShownGame>>> {
        let mut boards: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for ((round, board), games) in &self.games {
            let rounds = boards.entry(board.clone()).or_default();
            rounds.insert(round.clone(), games.clone());
        }
        boards
    }

    /// Notes the games of a board that are about to be pushed, if Lichess could show something new
    /// of them: another id, or moves beside those that it has. Returns whether it has noted
    /// something. That must be [kept](Self::is_kept) before the push, or else be
    /// [withdrawn](Self::withdraw).
    pub(super) fn send(&mut self, round: &str, board: &BoardId, lines: &[Line], at: &str) -> bool {
        let place = (round.to_owned(), board.clone());
        if (self.sent.get(&place)).is_some_and(|sent| sent.lines == lines) {
            return false;
        }
        self.settle(&place);
        let games = self.of(round, board);
        let is_noted = |line: &Line| {
            let mut games = games.iter().filter(|game| game.id == line.id);
            games.any(|game| continues(&line.moves, &game.moves))
        };
        if lines.iter().all(is_noted) {
            return false;
        }
        let (at, lines) = (at.to_owned(), lines.to_vec());
        self.sent.insert(place.clone(), Sent { at, lines });
        self.put(&place);
        true
    }

    /// Whether what is noted of a board is on the disk.
    pub(super) fn is_kept(&self, round: &str, board: &BoardId) -> bool {
        let store = self.store.as_ref();
        store.is_none_or(|store| store.is_written(&file_name(round, board)))
    }

    /// Takes back that the games of a board are about to be pushed: they were not.
    pub(super) fn withdraw(&mut self, round: &str, board: &BoardId) {
        let place = (round.to_owned(), board.clone());
        self.sent.remove(&place);
        self.put(&place);
    }

    /// Notes that Lichess has certainly not taken what was pushed to a round.
    pub(super) fn not_sent(&mut self, round: &str) {
        let of_round = |(of, _): &Place, _: &mut Sent| of == round;
        let places: Vec<_> = self.sent.extract_if(.., of_round).collect();
        for (place, _) in places {
            self.put(&place);
        }
    }

    /// Takes for shown what was sent without an answer.
    fn settle(&mut self, place: &Place) {
        if let Some(sent) = self.sent.remove(place) {
            self.note(place, &sent.lines, |_| true, &sent.at);
            self.put(place);
        }
    }

    /// Notes the games of a board that were pushed, of which Lichess has taken those that `taken`
    /// holds of.
    pub(super) fn take(
        &mut self,
        round: &str,
        board: &BoardId,
        lines: &[Line],
        taken: impl Fn(usize) -> bool,
        at: &str,
    ) {
        let place = (round.to_owned(), board.clone());
        // The answer is to these alone.
        let was_sent = (self.sent.get(&place)).is_some_and(|sent| sent.lines == lines);
        if was_sent {
            self.sent.remove(&place);
        }
        self.settle(&place);
        if self.note(&place, lines, taken, at) || was_sent {
            self.put(&place);
        }
    }

    /// Returns whether anything has changed.
    fn note(
        &mut self,
        place: &Place,
        lines: &[Line],
        taken: impl Fn(usize) -> bool,
        at: &str,
    ) -> bool {
        let (round, board) = place;
        let games = self.games.entry(place.clone()).or_default();
        let before = games.clone();
        let is_pushed = |game: &ShownGame| lines.iter().any(|line| line.id == game.id);
        for (_, line) in lines.iter().enumerate().filter(|(index, _)| taken(*index)) {
            let same = games.iter().position(|game| game.id == line.id);
            let same = same.or_else(|| {
                let mut games = games.iter();
                games.position(|game| !is_pushed(game) && game.is_taken_for(line))
            });
            match same {
                Some(place) => games[place].take(line, at),
                None => games.push(ShownGame::new(line, at)),
            }
        }
        for game in games.iter_mut() {
            let left_over = !is_pushed(game);
            if left_over && !game.left_over {
                tracing::warn!(%board, round, id = game.id, "Lichess still shows a game of an earlier pairing");
            }
            game.left_over = left_over;
        }
        // A board has few games in a round; its number bounds what a wrong tag could make.
        let surplus = games.len().saturating_sub(KEPT);
        games.drain(..surplus);
        *games != before
    }

    /// Forgets what a Lichess round shows: it was reset.
    pub(super) fn forget(&mut self, round: &str) {
        let places = self.games.keys().chain(self.sent.keys());
        let places: BTreeSet<Place> = places.filter(|(of, _)| of == round).cloned().collect();
        for place in places {
            self.games.remove(&place);
            self.sent.remove(&place);
            self.put(&place);
        }
    }

    /// Keeps what is noted. It is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk does not take it or does not answer: the next call goes on.
    pub(super) async fn keep(&mut self) -> io::Result<()> {
        match &mut self.store {
            Some(store) => store.write().await,
            None => Ok(()),
        }
    }

    fn put(&mut self, place: &Place) {
        let Some(store) = &mut self.store else {
            return;
        };
        let (round, board) = place;
        let games = self.games.get(place).cloned().unwrap_or_default();
        let sent = self.sent.get(place).cloned();
        let is_empty = games.is_empty() && sent.is_none();
        let kept = Kept {
            round: round.clone(),
            board: board.clone(),
            games,
            sent,
        };
        // Plain fields always have a JSON form.
        let content = serde_json::to_vec(&kept).ok().filter(|_| !is_empty);
        store.put(file_name(round, board), content);
    }
}

fn file_name(round: &str, board: &BoardId) -> String {
    format!("{round}-{board}.json")
}

#[cfg(test)]
mod tests;
