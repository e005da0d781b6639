//! Standings for the overlay, from tournament reports and from the games that the public sees.
//!
//! Of a report only rounds count that are public: those before the earliest round that is still
//! played, or more if the configuration says so. Whatever the report says about later rounds changes
//! nothing. Their results come from the public's topics `game` and `earlier`, which are behind the
//! delay. The topic `result` is not, and is not read here.

mod report_file;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Json,
    extract::{Query, State},
    response::{IntoResponse, Response},
};
use remisd_laws::Score;
use remisd_trf::{AddError, Outcome, Published, Report, Table, standings};
use remisd_vocabulary::{name::BoardId, time::Moment};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use self::report_file::{ReportFile, Unusable};
use super::{Hall, answer::Refusal, mirror::Mirror};
use crate::{config::Tournament, pairings};

/// The most games that are remembered per tournament.
const GAMES: usize = 4096;
/// The maximum number of answers in preparation.
const ANSWERS: usize = 2;
/// The most games that are remembered per board after they were left without a result.
const LEFT: usize = 4;

/// The query of `GET api/standings`.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    /// The tournament; without it the first one.
    tournament: Option<String>,
}

/// The response.
#[derive(Debug, Clone, Serialize)]
struct Answer {
    schema: &'static str,
    tournament: String,
    /// The last round that is taken from the report.
    published_rounds: u16,
    /// The boards with a player of the tournament whose public game is not counted.
    not_counted: Vec<BoardId>,
    #[serde(flatten)]
    table: Table,
}

/// The tournaments of the configuration.
#[derive(Debug)]
pub(super) struct Tournaments {
    kept: Vec<Mutex<Kept>>,
    /// The slots for answers in preparation. The slot of a request whose client has gone is free
    /// only when its answer is ready, so that such requests do not occupy the blocking threads.
    slots: Arc<Semaphore>,
}

/// A tournament with what is remembered of it.
#[derive(Debug)]
struct Kept {
    tournament: Tournament,
    report: ReportFile,
    /// The last answer, which serves until the report or the public's games change.
    last: Option<Last>,
    /// The public's games, by board and number of the game. A board shows one game at a time, and
    /// the finished ones of a round must still count when the next round begins elsewhere.
    games: BTreeMap<(BoardId, u64), Seen>,
    /// How many games were remembered so far.
    seen: u64,
    /// The report whose starting ranks are in `games`.
    ranked_by: Option<Arc<Report>>,
}

/// An answer with what it follows from.
#[derive(Debug)]
struct Last {
    report: Arc<Report>,
    games: Vec<(BoardId, PublicGame)>,
    answer: Answer,
}

/// A game of the public.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    round: u16,
    /// The players, as the tags name them: a report that is exported again can rank them anew.
    players: [Player; 2],
    /// Their starting ranks; none if they are no longer in the report.
    starts: Option<[u16; 2]>,
    outcome: Option<Outcome>,
    /// Whether the game is over. An annulled game is over without an outcome.
    is_over: bool,
    /// The place in the order in which the games were first seen.
    order: u64,
    /// Whether another game has begun at the board before it was over.
    is_left: bool,
}

/// A player, as the tags name him.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Player {
    fide_id: Option<u64>,
    name: String,
}

impl Player {
    fn of(game: &PublicGame, side: &str) -> Self {
        let tag = |name: &str| game.headers.get(name).map_or("", String::as_str);
        let id = tag(&format!("{side}FideId")).trim().parse().ok();
        Self {
            fide_id: id.filter(|id| *id > 0),
            name: tag(side).to_owned(),
        }
    }

    fn start(&self, players: &Published) -> Option<u16> {
        players.find(self.fide_id, &self.name)
    }
}

/// The parts of the public's topic `game` that count.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct PublicGame {
    game: u64,
    headers: BTreeMap<String, String>,
    result: Option<PublicResult>,
    #[serde(default)]
    earlier_results: Vec<EarlierResult>,
    /// The results with which earlier games were left, as the topic `earlier` says.
    #[serde(skip)]
    left: Vec<EarlierResult>,
}

/// The public's topic `earlier`.
#[derive(Debug, Deserialize)]
struct PublicEarlier {
    games: Vec<PublicGame>,
}

/// The result of an earlier game at the board.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct EarlierResult {
    game: u64,
    result: PublicResult,
}

/// The part of its result that counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct PublicResult {
    score: Score,
}

impl Tournaments {
    pub(super) fn new(tournaments: &[Tournament]) -> Self {
        let kept = tournaments.iter().cloned().map(Kept::new);
        Self {
            kept: kept.map(Mutex::new).collect(),
            slots: Arc::new(Semaphore::new(ANSWERS)),
        }
    }

    /// The names of the tournaments.
    pub(super) fn ids(&self) -> Vec<String> {
        let kept = self.kept.iter().map(lock);
        kept.map(|kept| kept.tournament.id.clone()).collect()
    }

    fn answer(&self, id: Option<&str>, public: &Mirror, now: Moment) -> Result<Answer, Refusal> {
        let is_wanted = |kept: &&Mutex<Kept>| id.is_none_or(|id| lock(kept).tournament.id == id);
        let kept = self.kept.iter().find(is_wanted).ok_or(Refusal::NotFound)?;
        lock(kept).answer(public, now)
    }
}

fn lock(kept: &Mutex<Kept>) -> std::sync::MutexGuard<'_, Kept> {
    // What is remembered is replaced as a whole, so a panic leaves it consistent.
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Kept {
    fn new(tournament: Tournament) -> Self {
        Self {
            report: ReportFile::new(&tournament.file),
            tournament,
            last: None,
            games: BTreeMap::new(),
            seen: 0,
            ranked_by: None,
        }
    }

    fn answer(&mut self, public: &Mirror, now: Moment) -> Result<Answer, Refusal> {
        if !public.is_complete() {
            // A board of the running round may be among those that have not arrived.
            return Err(Refusal::NoBroker);
        }
        let report = self.report.newest_whole(now).map_err(|Unusable| {
            // The public may not know what the file says, so its content is in the log alone.
            Refusal::Internal("the tournament's report cannot be read".to_owned())
        })?;
        let games = public.boards().into_iter().filter_map(|board| {
            let payload = public.payload(&board, "game")?;
            let mut game = serde_json::from_slice::<PublicGame>(&payload).ok()?;
            game.left = left_at(&board, public);
            Some((board, game))
        });
        let games: Vec<(BoardId, PublicGame)> = games.collect();
        if let Some(last) = &self.last
            && Arc::ptr_eq(&last.report, &report)
            && last.games == games
        {
            return Ok(last.answer.clone());
        }
        let (table, through, not_counted) = self.table(&report, &games);
        let answer = Answer {
            schema: "remisd/standings/1",
            tournament: self.tournament.id.clone(),
            published_rounds: through,
            not_counted,
            table,
        };
        self.last = Some(Last {
            report,
            games,
            answer: answer.clone(),
        });
        Ok(answer)
    }

    /// The standings from a report and the public's games now.
    fn table(
        &mut self,
        report: &Arc<Report>,
        games: &[(BoardId, PublicGame)],
    ) -> (Table, u16, Vec<BoardId>) {
        let players = Published::of(report, 0);
        self.rank(report, &players);
        let mut not_counted = Vec::new();
        let mut newest = 0;
        // A running game of unknown players or of an unknown round may be of any round.
        let mut is_held = false;
        for (board, game) in games {
            let place = (board.clone(), game.game);
            self.log_unknown(board, game);
            let known = self.leave_all_but(board, game);
            let both = ["White", "Black"].map(|side| Player::of(game, side));
            let starts = both.each_ref().map(|player| player.start(&players));
            let round = game.headers.get("Round").and_then(|tag| leading(tag));
            match (starts, round.filter(|round| *round > 0)) {
                ([Some(white), Some(black)], Some(round)) if white != black => {
                    newest = newest.max(round);
                    let result = game.result.as_ref();
                    let order = known.unwrap_or(self.seen);
                    self.seen = self.seen.max(order + 1);
                    let seen = Seen {
                        round,
                        players: both,
                        starts: Some([white, black]),
                        outcome: result.and_then(|result| pairings::outcome(result.score)),
                        is_over: result.is_some(),
                        order,
                        is_left: false,
                    };
                    if self.games.len() < GAMES {
                        self.games.insert(place, seen);
                    }
                }
                (starts, _) => {
                    is_held |= game.result.is_none();
                    if starts.iter().any(Option::is_some) {
                        not_counted.push(board.clone());
                    }
                }
            }
        }
        let before = match self.earliest_played(games, newest) {
            _ if is_held => 0,
            Some(earliest) => earliest.saturating_sub(1),
            // The public may not have seen every board of the newest round.
            None => newest.saturating_sub(1),
        };
        let through = self.tournament.published_rounds.unwrap_or(before);
        let mut published = Published::of(report, through);
        // A replayed game counts, wherever it is played.
        let mut remembered: Vec<_> = self.games.iter().collect();
        remembered.sort_by_key(|(_, seen)| seen.order);
        for ((board, _), seen) in remembered {
            if seen.is_left || (seen.is_over && seen.outcome.is_none()) {
                continue;
            }
            let added = seen
                .starts
                .map(|[white, black]| published.add(seen.round, white, black, seen.outcome));
            let is_counted = matches!(added, Some(Ok(()) | Err(AddError::FromFile(_))));
            if !is_counted && !not_counted.contains(board) {
                not_counted.push(board.clone());
            }
        }
        (standings(&published), through, not_counted)
    }

    /// Logs earlier games of a board that have a result since the last answer and are not remembered
    /// here. They may be of another tournament.
    fn log_unknown(&self, board: &BoardId, now: &PublicGame) {
        let last = self.last.iter().flat_map(|last| &last.games);
        let mut before = last.filter(|(of, _)| of == board);
        let before = before
            .next()
            .map_or(&[][..], |(_, game)| &game.earlier_results);
        let results = now.earlier_results.iter();
        let is_unknown = |result: &&EarlierResult| {
            !before.contains(result) && !self.games.contains_key(&(board.clone(), result.game))
        };
        for EarlierResult { game, .. } in results.filter(is_unknown) {
            let tournament = &self.tournament.id;
            tracing::info!(%board, game, %tournament, "an earlier game has a result, and the standings do not know its players: if it is of this tournament, its result does not count");
        }
    }

    /// Takes what the public knows of the games before this one at its board. One that was left
    /// without a result may still get it: the newest ones are remembered. Returns the place of this
    /// game in the order, if it was seen before.
    fn leave_all_but(&mut self, board: &BoardId, now: &PublicGame) -> Option<u64> {
        let known = self.games.remove(&(board.clone(), now.game));
        let all = (board.clone(), 0)..=(board.clone(), u64::MAX);
        let others: Vec<u64> = (self.games.range(all))
            .map(|((_, number), _)| *number)
            .collect();
        let mut left = 0;
        for number in others.into_iter().rev() {
            let place = (board.clone(), number);
            let mut results = now.earlier_results.iter().chain(&now.left);
            let later = results.find(|one| one.game == number);
            let Some(seen) = self.games.get_mut(&place) else {
                continue;
            };
            if let Some(later) = later {
                seen.outcome = pairings::outcome(later.result.score);
                seen.is_over = true;
            }
            seen.is_left = !seen.is_over;
            left += usize::from(seen.is_left);
            let is_annulled = seen.is_over && seen.outcome.is_none();
            if is_annulled || (seen.is_left && left > LEFT) {
                self.games.remove(&place);
            }
        }
        known.map(|seen| seen.order)
    }

    /// Finds the starting ranks of the remembered games anew if the report has changed.
    fn rank(&mut self, report: &Arc<Report>, players: &Published) {
        if self
            .ranked_by
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, report))
        {
            return;
        }
        for seen in self.games.values_mut() {
            let [white, black] = seen.players.each_ref().map(|player| player.start(players));
            seen.starts = white.zip(black).map(|(white, black)| [white, black]);
        }
        self.ranked_by = Some(Arc::clone(report));
    }

    /// The earliest round that is still played, of the games on these boards. `newest` is the newest
    /// round among them.
    ///
    /// A board can be left with a game of an earlier round. An unfinished one is not played any more
    /// if one of its players has a game of a later round. A finished one holds its round until both
    /// have, or until the public is two rounds further.
    fn earliest_played(&self, boards: &[(BoardId, PublicGame)], newest: u16) -> Option<u16> {
        let on_boards = boards
            .iter()
            .filter_map(|(board, game)| self.games.get(&(board.clone(), game.game)));
        let played = on_boards.filter(|seen| {
            let plays_on = |start: u16| {
                let mut later = (self.games.values())
                    .filter(|other| !other.is_left && other.round > seen.round);
                later.any(|other| other.starts.is_some_and(|starts| starts.contains(&start)))
            };
            let mut starts = seen.starts.into_iter().flatten();
            if seen.is_over {
                newest < seen.round.saturating_add(2) && !starts.all(plays_on)
            } else {
                !starts.any(plays_on)
            }
        });
        played.map(|seen| seen.round).min()
    }
}

/// The results with which the games before the current one of a board were left.
fn left_at(board: &BoardId, public: &Mirror) -> Vec<EarlierResult> {
    let payload = public.payload(board, "earlier");
    let earlier: Option<PublicEarlier> =
        payload.and_then(|payload| serde_json::from_slice(&payload).ok());
    let games = earlier.into_iter().flat_map(|earlier| earlier.games);
    let results = games.filter_map(|PublicGame { game, result, .. }| {
        let result = result?;
        Some(EarlierResult { game, result })
    });
    results.collect()
}

/// The number that a tag begins with: `3` in `3.7`.
fn leading(tag: &str) -> Option<u16> {
    let tag = tag.trim();
    let end = tag.find(|c: char| !c.is_ascii_digit());
    tag[..end.unwrap_or(tag.len())].parse().ok()
}

/// Handles `GET api/standings?tournament=open-a`, which is for everyone.
pub(super) async fn show(State(hall): State<Arc<Hall>>, Query(wish): Query<Wish>) -> Response {
    let slots = Arc::clone(&hall.tournaments.slots);
    // Nobody closes the slots, so there is one.
    let slot = slots.acquire_owned().await.ok();
    let now = hall.monotonic();
    let answer = tokio::task::spawn_blocking(move || {
        let _slot = slot;
        let id = wish.tournament.as_deref().filter(|id| !id.is_empty());
        hall.tournaments.answer(id, &hall.public.mirror, now)
    });
    match answer.await {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(refused)) => refused.into_response(),
        Err(error) => Refusal::Internal(error.to_string()).into_response(),
    }
}

#[cfg(test)]
mod tests;
