//! The records over HTTP: the tournament, its rounds, its pairings and their games.
//!
//! | address below `/api/v1.0/` | answer |
//! |---|---|
//! | `tournaments` | array of [`Summary`] |
//! | `tournament/{uuid}` | [`Tournament`] |
//! | `round/{uuid}/{n}`, n from 0 | [`Round`] |
//! | `game/{uuid of a pairing}` | [`Game`] |
//!
//! The key sets are known from one client, which refuses any other.
//!
//! A site is one tournament. Its rounds are those that the games' headers name; of each board only
//! the newest game is known, so an earlier round is empty. A pairing has its board's number, which
//! is the place in [`Tournament::eboards`].

use remisd_laws::Score;
use remisd_topics as topics;
use serde::Serialize;

use super::{
    board::Board,
    names::{parts, uuid},
    wire::Clock,
};

/// The most rounds of a tournament: a header may say anything.
const ROUNDS: u32 = 99;
/// The number of the ordinary starting position in Chess960.
const ORDINARY: u32 = 518;

/// A tournament, in the list.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    uuid: String,
    description: String,
    rounds: u32,
}

/// A tournament.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Tournament {
    uuid: String,
    name: String,
    description: String,
    location: Option<String>,
    country: Option<String>,
    rounds: u32,
    /// The key of each board; the place is the number of its pairing less one.
    eboards: Vec<String>,
}

/// A round.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Round {
    nr: u32,
    date: Option<String>,
    pairings: Vec<Pairing>,
}

/// A pairing.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Pairing {
    nr: usize,
    uuid: String,
    white: Player,
    black: Player,
    /// They still play.
    live: bool,
    result: Option<&'static str>,
}

/// A player.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Player {
    fname: Option<String>,
    mname: Option<String>,
    lname: Option<String>,
    title: Option<String>,
    federation: Option<String>,
    gender: Option<String>,
    fideid: Option<String>,
}

/// A game.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Game {
    chess960: u32,
    result: Option<&'static str>,
    comment: Option<String>,
    clock: Option<Clock>,
    /// Each move in SAN, a blank, and the seconds left. `+` and seconds: those that were used, if
    /// it is unknown how many are left. A move alone was not seen.
    moves: Vec<String>,
}

/// The boards of a site, each with its name and its key.
#[derive(Debug)]
pub struct Records<'a> {
    /// The site.
    pub site: &'a str,
    /// The boards.
    pub boards: Vec<(&'a str, String, &'a Board)>,
    /// The time, in milliseconds since 1970.
    pub now: i64,
}

impl Records<'_> {
    /// All tournaments: one.
    #[must_use]
    pub fn tournaments(&self) -> [Summary; 1] {
        [Summary {
            uuid: self.uuid(),
            description: self.name(),
            rounds: self.rounds(),
        }]
    }

    /// The tournament with this id.
    #[must_use]
    pub fn tournament(&self, id: &str) -> Option<Tournament> {
        (id == self.uuid()).then(|| Tournament {
            uuid: self.uuid(),
            name: self.name(),
            description: self.name(),
            location: self.tag("Site"),
            country: None,
            rounds: self.rounds(),
            eboards: self.boards.iter().map(|(_, key, _)| key.clone()).collect(),
        })
    }

    /// A round of it, counted from 0.
    #[must_use]
    pub fn round(&self, id: &str, index: u32) -> Option<Round> {
        if id != self.uuid() || index >= self.rounds() {
            return None;
        }
        let nr = index + 1;
        let games = (1..)
            .zip(&self.boards)
            .filter_map(|(number, (board, _, known))| {
                let game = known.game().filter(|game| round_of(game) == nr)?;
                Some((number, *board, game))
            });
        let mut date = None;
        let pairings = games.map(|(number, board, game)| {
            date = date.take().or_else(|| date_of(game));
            let result = result_of(game);
            Pairing {
                nr: number,
                uuid: self.game_uuid(board, game),
                white: player(game, "White"),
                black: player(game, "Black"),
                live: game.result.is_none(),
                result,
            }
        });
        let pairings = pairings.collect();
        Some(Round { nr, date, pairings })
    }

    /// The game of the pairing with this id.
    #[must_use]
    pub fn game(&self, id: &str) -> Option<Game> {
        self.boards.iter().find_map(|(board, _, known)| {
            let game = known.game()?;
            (id == self.game_uuid(board, game)).then(|| Game {
                chess960: ORDINARY,
                // A result that the players have shown on the board, while the pairing has none.
                result: result_of(game)
                    .or_else(|| game.proposed_result.and_then(|shown| word(shown.score))),
                comment: None,
                clock: Some(known.clock().unwrap_or_else(|| self.no_clock(game))),
                moves: game.moves.iter().map(move_text).collect(),
            })
        })
    }

    /// What stands for a clock at a board without one: clients take a missing clock, or a stopped
    /// one, for the end of the game.
    fn no_clock(&self, game: &topics::Game) -> Clock {
        let plays = game.result.is_none() && game.proposed_result.is_none();
        Clock {
            white: 0,
            black: 0,
            run: plays.then(|| game.turn == "white"),
            time: self.now,
        }
    }

    fn uuid(&self) -> String {
        uuid(&[self.site])
    }

    fn game_uuid(&self, board: &str, game: &topics::Game) -> String {
        uuid(&[self.site, board, &game.game.to_string()])
    }

    fn name(&self) -> String {
        self.tag("Event").unwrap_or_else(|| self.site.to_owned())
    }

    fn rounds(&self) -> u32 {
        let games = self.boards.iter().filter_map(|(_, _, board)| board.game());
        games.map(round_of).max().unwrap_or(1)
    }

    /// A header of the first game that has it.
    fn tag(&self, name: &str) -> Option<String> {
        let mut games = self.boards.iter().filter_map(|(_, _, board)| board.game());
        games.find_map(|game| tag(game, name))
    }
}

/// A header, unless its value says that it is unknown.
fn tag(game: &topics::Game, name: &str) -> Option<String> {
    let value = game.headers.get(name)?.trim();
    (!matches!(value, "" | "?" | "-")).then(|| value.to_owned())
}

/// The number of the round: `3` and `3.1` are the third one.
fn round_of(game: &topics::Game) -> u32 {
    let round = game.headers.get("Round").map_or("", String::as_str);
    let number = round.trim().split('.').next().unwrap_or_default();
    number.parse().unwrap_or(1).clamp(1, ROUNDS)
}

/// The date as `2026-11-27`, if it is known to the day.
fn date_of(game: &topics::Game) -> Option<String> {
    let date = tag(game, "Date")?;
    let is_full = !date.contains('?') && date.split('.').count() == 3;
    is_full.then(|| date.replace('.', "-"))
}

fn player(game: &topics::Game, color: &str) -> Player {
    let name = game.headers.get(color).map_or("", String::as_str);
    let (lname, fname, mname) = parts(name);
    let of = |what: &str| tag(game, &format!("{color}{what}"));
    Player {
        fname,
        mname,
        lname,
        title: of("Title"),
        federation: of("Federation").or_else(|| of("Fed")),
        gender: None,
        fideid: of("FideId"),
    }
}

fn result_of(game: &topics::Game) -> Option<&'static str> {
    game.result.as_ref().and_then(|result| word(result.score))
}

/// The word for a score. The original also knows `WHITEFORFAIT` and `BLACKFORFAIT`; a game that has
/// a board is none. Whether it knows a game that both lose is unknown: another client has seen `*`
/// where there is no score.
fn word(score: Score) -> Option<&'static str> {
    match score {
        Score::WhiteWins => Some("WHITEWIN"),
        Score::BlackWins => Some("BLACKWIN"),
        Score::Draw => Some("DRAW"),
        Score::BothLose => Some("*"),
        Score::None => None,
    }
}

fn move_text(played: &topics::GameMove) -> String {
    let san = &played.san;
    match played.clock_ms {
        _ if played.reconstructed => san.clone(),
        Some(left) => format!("{san} {}", left / 1000),
        // A move without a second part counts as guessed.
        None => format!("{san} +0"),
    }
}
