//! Standings for the overlay, from tournament reports and from the games that the public sees.
//!
//! Of a report only rounds count that are public: those before the earliest round that a public
//! game of the tournament has, or more if the configuration says so. Whatever the report says about
//! later rounds changes nothing. Their results come from the public's topic `game`, which is behind
//! the delay. The topic `result` is not, and is not read here.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Read as _,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use axum::{
    Json,
    extract::{Query, State},
    response::{IntoResponse, Response},
};
use remisd_laws::Score;
use remisd_trf::{AddError, MAX_BYTES, Outcome, Published, Report, Table, standings};
use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};

use super::{Hall, answer::Refused, mirror::Mirror};
use crate::config::Tournament;

/// The most games that are remembered per tournament.
const GAMES: usize = 4096;

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
#[derive(Debug, Default)]
pub(super) struct Tournaments(Vec<Mutex<Kept>>);

/// A tournament with what is remembered of it.
#[derive(Debug)]
struct Kept {
    tournament: Tournament,
    report: Option<(Version, Arc<Report>)>,
    /// The state of the file that could not be read: it is not tried again.
    failed: Option<Version>,
    /// The last answer, which serves until the report or the public's games change.
    last: Option<Last>,
    /// The public's games, by board and number of the game. A board shows one game at a time, and
    /// the finished ones of a round must still count when the next round begins elsewhere.
    games: BTreeMap<(BoardId, u64), Seen>,
}

/// An answer with what it follows from.
#[derive(Debug)]
struct Last {
    report: Arc<Report>,
    games: Vec<(BoardId, PublicGame)>,
    answer: Answer,
}

/// The state of a file.
type Version = (Option<SystemTime>, u64);

/// A game of the public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    round: u16,
    white: u16,
    black: u16,
    outcome: Option<Outcome>,
}

/// The parts of the public's topic `game` that count.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct PublicGame {
    game: u64,
    headers: BTreeMap<String, String>,
    result: Option<PublicResult>,
}

/// The part of its result that counts.
#[derive(Debug, PartialEq, Eq, Deserialize)]
struct PublicResult {
    score: Score,
}

impl Tournaments {
    pub(super) fn new(tournaments: &[Tournament]) -> Self {
        let kept = tournaments.iter().map(|tournament| {
            Mutex::new(Kept {
                tournament: tournament.clone(),
                report: None,
                failed: None,
                last: None,
                games: BTreeMap::new(),
            })
        });
        Self(kept.collect())
    }

    /// The names of the tournaments.
    pub(super) fn ids(&self) -> Vec<String> {
        let kept = self.0.iter().map(lock);
        kept.map(|kept| kept.tournament.id.clone()).collect()
    }

    fn answer(&self, id: Option<&str>, public: &Mirror) -> Result<Answer, Refused> {
        let is_wanted = |kept: &&Mutex<Kept>| id.is_none_or(|id| lock(kept).tournament.id == id);
        let kept = self.0.iter().find(is_wanted).ok_or(Refused::NotFound)?;
        lock(kept).answer(public)
    }
}

fn lock(kept: &Mutex<Kept>) -> std::sync::MutexGuard<'_, Kept> {
    // What is remembered is replaced as a whole, so a panic leaves it consistent.
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Kept {
    fn answer(&mut self, public: &Mirror) -> Result<Answer, Refused> {
        if !public.is_complete() {
            // A board of the running round may be among those that have not arrived.
            return Err(Refused::NoBroker);
        }
        let report = self.report()?;
        let games = public.boards().into_iter().filter_map(|board| {
            let payload = public.payload(&board, "game")?;
            let game = serde_json::from_slice::<PublicGame>(&payload).ok()?;
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
        report: &Report,
        games: &[(BoardId, PublicGame)],
    ) -> (Table, u16, Vec<BoardId>) {
        let players = Published::of(report, 0);
        let mut not_counted = Vec::new();
        let mut current = Vec::new();
        // A running game of unknown players or of an unknown round may be of any round.
        let mut is_held = false;
        for (board, game) in games {
            let place = (board.clone(), game.game);
            // An unfinished game that another one has replaced never had a result.
            self.games.retain(|(other, number), seen| {
                other != board || (*number != game.game && seen.outcome.is_some())
            });
            let tag = |name: &str| game.headers.get(name).map_or("", String::as_str);
            let find = |side: &str| {
                let id = tag(&format!("{side}FideId")).trim().parse().ok();
                players.find(id.filter(|id| *id > 0), tag(side))
            };
            let round = leading(tag("Round")).filter(|round| *round > 0);
            match (find("White"), find("Black"), round) {
                (Some(white), Some(black), Some(round)) if white != black => {
                    let outcome = game
                        .result
                        .as_ref()
                        .and_then(|result| outcome(result.score));
                    let seen = Seen {
                        round,
                        white,
                        black,
                        outcome,
                    };
                    current.push(round);
                    if self.games.len() < GAMES {
                        self.games.insert(place, seen);
                    }
                }
                (white, black, _) => {
                    is_held |= game.result.is_none();
                    if white.is_some() || black.is_some() {
                        not_counted.push(board.clone());
                    }
                }
            }
        }
        let running = self.games.values().filter(|seen| seen.outcome.is_none());
        current.extend(running.map(|seen| seen.round));
        let earliest = current.iter().min().filter(|_| !is_held);
        let before = earliest.map_or(0, |earliest| earliest - 1);
        let through = self.tournament.published_rounds.unwrap_or(before);
        let mut published = Published::of(report, through);
        for ((board, _), seen) in &self.games {
            let added = published.add(seen.round, seen.white, seen.black, seen.outcome);
            let is_lost = added.is_err_and(|error| !matches!(error, AddError::FromFile(_)));
            if is_lost && !not_counted.contains(board) {
                not_counted.push(board.clone());
            }
        }
        (standings(&published), through, not_counted)
    }

    /// The report, read again if its file has changed.
    fn report(&mut self) -> Result<Arc<Report>, Refused> {
        let file = &self.tournament.file;
        // The public may not know what the file says, so its content is in the log alone.
        let unreadable = || Refused::Internal("the tournament's report cannot be read".to_owned());
        let known = version(file);
        let state = known.as_ref().map_or((None, 0), |state| *state);
        if self.failed == Some(state) {
            return Err(unreadable());
        }
        let failed = &mut self.failed;
        let mut refused = |error: &dyn std::fmt::Display| {
            tracing::warn!(file = %file.display(), "the tournament's report: {error}");
            *failed = Some(state);
            unreadable()
        };
        let version = known.map_err(|error| refused(&error))?;
        if let Some((known, report)) = &self.report
            && *known == version
        {
            return Ok(Arc::clone(report));
        }
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) + 1;
        let read = File::open(file).and_then(|opened| opened.take(limit).read_to_end(&mut bytes));
        read.map_err(|error| refused(&error))?;
        let report = Report::read(&bytes).map_err(|error| refused(&error))?;
        for finding in report.findings() {
            let (line, column, what) = (finding.line, finding.column, &finding.what);
            tracing::info!(file = %file.display(), "line {line}, column {column}: {what}");
        }
        let report = Arc::new(report);
        self.report = Some((version, Arc::clone(&report)));
        Ok(report)
    }
}

fn version(file: &Path) -> std::io::Result<Version> {
    let about = fs::metadata(file)?;
    Ok((about.modified().ok(), about.len()))
}

/// The number that a tag begins with: `3` in `3.7`.
fn leading(tag: &str) -> Option<u16> {
    let tag = tag.trim();
    let end = tag.find(|c: char| !c.is_ascii_digit());
    tag[..end.unwrap_or(tag.len())].parse().ok()
}

const fn outcome(score: Score) -> Option<Outcome> {
    match score {
        Score::WhiteWins => Some(Outcome::WhiteWins),
        Score::BlackWins => Some(Outcome::BlackWins),
        Score::Draw => Some(Outcome::Draw),
        Score::BothLose => Some(Outcome::BothLose),
        Score::None => None,
    }
}

/// Handles `GET api/standings?tournament=open-a`, which is for everyone.
pub(super) async fn show(State(hall): State<Arc<Hall>>, Query(wish): Query<Wish>) -> Response {
    let answer = tokio::task::spawn_blocking(move || {
        let id = wish.tournament.as_deref().filter(|id| !id.is_empty());
        hall.tournaments.answer(id, &hall.public.mirror)
    });
    match answer.await {
        Ok(Ok(answer)) => Json(answer).into_response(),
        Ok(Err(refused)) => refused.into_response(),
        Err(error) => Refused::Internal(error.to_string()).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(rounds: &[&str; 4]) -> Report {
        let lines = (1..).zip(["A", "B", "C", "D"]).zip(rounds);
        let lines = lines.map(|((start, name), rounds)| {
            format!("001 {start:>4}      {name:<33}                                            {rounds}\n")
        });
        Report::read(lines.collect::<String>().as_bytes()).unwrap()
    }

    fn kept(published_rounds: Option<u16>) -> Kept {
        Kept {
            tournament: Tournament {
                id: "open".to_owned(),
                file: "/none".into(),
                published_rounds,
            },
            report: None,
            failed: None,
            last: None,
            games: BTreeMap::new(),
        }
    }

    fn game(
        board: &str,
        number: u64,
        round: &str,
        players: [&str; 2],
        score: &str,
    ) -> (BoardId, PublicGame) {
        let result = format!("{{\"score\":\"{score}\",\"reason\":\"arbiter\",\"confirmed\":true}}");
        let result = if score.is_empty() {
            "null".to_owned()
        } else {
            result
        };
        let [white, black] = players;
        let text = format!(
            "{{\"game\":{number},\"headers\":{{\"White\":\"{white}\",\"Black\":\"{black}\",\
             \"Round\":\"{round}\"}},\"result\":{result}}}"
        );
        (board.parse().unwrap(), serde_json::from_str(&text).unwrap())
    }

    fn points(table: &Table) -> Vec<(u16, String)> {
        table
            .rows
            .iter()
            .map(|row| (row.start, row.points.to_string()))
            .collect()
    }

    const FIRST: [&str; 4] = ["   2 w 1", "   1 b 0", "   4 w 1", "   3 b 0"];
    /// Round 2 is running, and the file has its results already.
    const SECOND: [&str; 4] = [
        "   2 w 1     3 b 0     4 w",
        "   1 b 0     4 w =     3 b",
        "   4 w 1     1 w 1     2 w",
        "   3 b 0     2 b =     1 b",
    ];

    #[test]
    fn a_report_with_the_running_rounds_results_shows_what_one_without_them_does() {
        let public = [
            game("b1", 1, "2.1", ["C", "A"], ""),
            game("b2", 1, "2.2", ["B", "D"], "1/2-1/2"),
        ];
        let early = kept(None).table(&report(&FIRST), &public);
        let late = kept(None).table(&report(&SECOND), &public);
        assert_eq!(early, late);
        assert_eq!(late.1, 1);
        let points = points(&late.0);
        for (start, expected) in [(1, "1"), (2, "0.5"), (3, "1"), (4, "0.5")] {
            assert!(points.contains(&(start, expected.to_owned())), "{points:?}");
        }
    }

    #[test]
    fn nothing_of_the_report_is_public_before_the_public_sees_a_game() {
        let none = kept(None).table(&report(&SECOND), &[]);
        assert_eq!(none.1, 0);
        assert!(none.0.rows.iter().all(|row| row.points.to_string() == "0"));
        let said = kept(Some(1)).table(&report(&SECOND), &[]);
        assert_eq!(said.0.rounds, 1);
        assert_eq!(said.0.rows[0].points.to_string(), "1");
    }

    #[test]
    fn a_finished_game_counts_until_its_round_is_taken_from_the_report() {
        let mut kept = kept(None);
        let before = [
            game("b1", 1, "2", ["C", "A"], ""),
            game("b2", 1, "2", ["B", "D"], "1-0"),
        ];
        let before = kept.table(&report(&FIRST), &before);
        // The other board is in the next round already.
        let next = [
            game("b1", 1, "2", ["C", "A"], "0-1"),
            game("b2", 9, "3", ["C", "B"], ""),
        ];
        let after = kept.table(&report(&SECOND), &next);
        assert_eq!((before.1, after.1), (1, 1));
        assert!(points(&after.0).contains(&(2, "1".to_owned())), "{after:?}");
        assert!(points(&after.0).contains(&(1, "2".to_owned())), "{after:?}");
        // All are in the next round: now the report counts, where 2 drew and 3 won.
        let all = [
            game("b1", 12, "3", ["A", "D"], ""),
            game("b2", 9, "3", ["C", "B"], ""),
        ];
        let all = kept.table(&report(&SECOND), &all);
        assert_eq!(all.1, 2);
        assert!(points(&all.0).contains(&(2, "0.5".to_owned())), "{all:?}");
        assert!(points(&all.0).contains(&(3, "2".to_owned())), "{all:?}");
    }

    #[test]
    fn a_result_that_is_withdrawn_and_a_pairing_that_is_changed_do_not_stay() {
        let mut kept = kept(None);
        let won = [game("b1", 1, "2", ["C", "A"], "1-0")];
        kept.table(&report(&FIRST), &won);
        let other = [game("b1", 1, "2", ["C", "B"], "*")];
        let after = kept.table(&report(&FIRST), &other);
        assert!(points(&after.0).contains(&(3, "1".to_owned())), "{after:?}");
        assert!(points(&after.0).contains(&(1, "1".to_owned())), "{after:?}");
    }

    #[test]
    fn games_that_cannot_be_counted_are_named() {
        let games = [
            game("b1", 1, "2", ["C", "Nobody"], ""),
            game("b2", 1, "?", ["A", "B"], ""),
            game("b3", 1, "2", ["X", "Y"], ""),
        ];
        let table = kept(None).table(&report(&FIRST), &games);
        assert_eq!(
            table.2,
            ["b1".parse().unwrap(), "b2".parse::<BoardId>().unwrap()]
        );
    }
}
