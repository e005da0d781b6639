//! The texts of a round's games, in both dialects.

use std::{cmp::Reverse, collections::BTreeSet, sync::Arc};

use remisd_laws::Score;
use remisd_pgn::{Archive, Ending, Feed, Remark, Written};
use remisd_topics::Game;
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    notation::parse_position,
};
use serde::{Deserialize, Serialize};
use shakmaty::{ByColor, Chess};

use crate::{
    http::Published,
    round::{RoundEntry, RoundGame, Rounds},
};

/// The texts of a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundText {
    /// The venue or event, as it is in the ids.
    pub site: SiteId,
    /// Its number.
    pub number: u32,
    /// When it has begun: greater is later, 0 is not known.
    pub begun: u64,
    /// The boards in their constant order.
    pub games: Vec<GameText>,
}

/// The texts of a board's games in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameText {
    /// The board.
    pub board: BoardId,
    /// Its number in the round, from 1.
    pub number: u32,
    /// The number of games; 0 while the board has none, and the texts have only tags.
    pub count: usize,
    /// Whether all of them are finished.
    pub finished: bool,
    /// Their ids and moves, oldest first; none while the board has no game.
    pub lines: Vec<Line>,
    /// The texts.
    pub texts: Texts,
}

/// The tags about a player, after `White` or `Black`.
const ABOUT: [&str; 4] = ["Elo", "FideId", "Team", "Title"];

/// What identifies a game for a receiver, and its moves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Line {
    /// The tag `GameId`.
    pub id: String,
    /// The tags `Event` and `Site`: a receiver may know a game by them.
    pub event: String,
    /// The tags about the players that the game has.
    pub about: BTreeSet<String>,
    /// The moves in SAN, with a space between them.
    pub moves: String,
}

/// The same games in each dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// Everything that the public may know.
    pub archive: Arc<str>,
    /// What receivers take.
    pub feed: Arc<str>,
    /// The same, with the running times for Lichess.
    pub lichess: Arc<str>,
}

impl RoundText {
    /// The texts of a round. Boards whose games have not changed since `before` keep theirs.
    #[must_use]
    pub fn of(rounds: &Rounds, number: u32, before: Option<&Self>, changed: &[BoardId]) -> Self {
        let event = event(rounds, number);
        let games = rounds.places(number).into_iter().map(|place| {
            let known = before.and_then(|before| {
                let same = |game: &&GameText| {
                    game.board == *place.board && game.number == place.number && game.count > 0
                };
                before.games.iter().find(same)
            });
            match known {
                Some(known) if !changed.contains(place.board) => known.clone(),
                _ => GameText::of(rounds, number, &place, &event),
            }
        });
        Self {
            site: rounds.site().clone(),
            number,
            begun: rounds.age(number).begun(),
            games: games.collect(),
        }
    }

    /// The same round, in which the boards that are not `ready` have their games of `before`, or
    /// none. `None` if that is not certain: a board's number has changed, or no game is left.
    pub(crate) fn without(
        &self,
        rounds: &Rounds,
        before: Option<&Self>,
        is_ready: impl Fn(&GameText) -> bool,
    ) -> Option<Self> {
        let event = event(rounds, self.number);
        let held = |game: &GameText| {
            if is_ready(game) {
                return Some(game.clone());
            }
            let mut earlier = before.iter().flat_map(|before| &before.games);
            if let Some(earlier) = earlier.find(|earlier| earlier.board == game.board) {
                return (earlier.number == game.number).then(|| earlier.clone());
            }
            let place = RoundEntry {
                board: &game.board,
                number: game.number,
                games: &[],
                is_left: false,
            };
            Some(GameText::of(rounds, self.number, &place, &event))
        };
        let games: Option<Vec<_>> = self.games.iter().map(held).collect();
        let text = Self {
            site: self.site.clone(),
            number: self.number,
            begun: self.begun,
            games: games?,
        };
        text.has_games().then_some(text)
    }

    /// Whether any board has a game.
    #[must_use]
    pub fn has_games(&self) -> bool {
        self.games.iter().any(|game| game.count > 0)
    }

    /// The rounds, the newest first: first those that have games, then by when they have begun.
    pub(crate) fn newest_first(rounds: &Published) -> Vec<&Arc<Self>> {
        let mut rounds: Vec<_> = rounds.values().collect();
        rounds.sort_by_key(|round| Reverse((round.has_games(), round.begun, round.number)));
        rounds
    }

    /// All games in a dialect, in their order.
    #[must_use]
    pub fn joined(&self, text: impl Fn(&Texts) -> &Arc<str>) -> String {
        self.games.iter().map(|game| &**text(&game.texts)).collect()
    }
}

/// The tags that describe a round, for boards that have no game yet.
fn event(rounds: &Rounds, number: u32) -> Vec<(String, String)> {
    let places = rounds.places(number);
    let first = places.iter().find_map(|place| place.shown().last());
    let tags = ["Event", "Site", "Date"].into_iter().filter_map(|tag| {
        let value = first?.shown.headers.get(tag)?;
        Some((tag.to_owned(), value.clone()))
    });
    tags.collect()
}

impl GameText {
    fn of(rounds: &Rounds, round: u32, place: &RoundEntry<'_>, event: &[(String, String)]) -> Self {
        let board = [
            ("Round".to_owned(), format!("{round}.{}", place.number)),
            ("Board".to_owned(), place.number.to_string()),
        ];
        let empty = || {
            let tags = [event, &board].concat();
            let start = Chess::default();
            Texts::of(&Written {
                tags: &tags,
                ..Written::of(&start)
            })
        };
        let texts = place.shown().map(|kept| {
            let game = &kept.shown;
            let mut tags: Vec<(String, String)> = game.headers.clone().into_iter().collect();
            tags.retain(|(name, _)| !["Round", "Board", "GameId"].contains(&name.as_str()));
            tags.extend(board.clone());
            tags.push(("GameId".to_owned(), rounds.id(round, place.board, kept)));
            written(game, &tags)
        });
        let texts = texts
            .reduce(|one, next| one.then(&next))
            .unwrap_or_else(empty);
        let is_over = |kept: &RoundGame| score(&kept.shown) != Score::None;
        Self {
            board: place.board.clone(),
            number: place.number,
            count: place.shown().count(),
            finished: !place.games.is_empty() && place.shown().all(is_over),
            lines: (place.shown())
                .map(|kept| Line::of(&kept.shown, rounds.id(round, place.board, kept)))
                .collect(),
            texts,
        }
    }
}

impl Line {
    fn of(game: &Game, id: String) -> Self {
        let tag = |name: &str| game.headers.get(name).map_or("", String::as_str);
        let about = ["White", "Black"].into_iter().flat_map(|side| {
            let tags = ABOUT.into_iter().map(move |about| format!("{side}{about}"));
            tags.filter(|name| !tag(name).is_empty())
        });
        let moves: Vec<&str> = game.moves.iter().map(|made| made.san.as_str()).collect();
        Self {
            id,
            event: ["Event", "Site"].map(tag).join("\n"),
            about: about.collect(),
            moves: moves.join(" "),
        }
    }
}

impl Texts {
    fn of(game: &Written<'_>) -> Self {
        let text = |dialect: &dyn Fn() -> String| Arc::from(dialect());
        Self {
            archive: text(&|| game.to_text(&Archive)),
            feed: text(&|| game.to_text(&Feed::default())),
            lichess: text(&|| {
                game.to_text(&Feed {
                    running_clock: true,
                })
            }),
        }
    }

    fn then(&self, next: &Self) -> Self {
        let both = |one: &str, other: &str| Arc::from([one, other].concat());
        Self {
            archive: both(&self.archive, &next.archive),
            feed: both(&self.feed, &next.feed),
            lichess: both(&self.lichess, &next.lichess),
        }
    }
}

fn score(game: &Game) -> Score {
    game.result
        .as_ref()
        .map_or(Score::None, |result| result.score)
}

fn written(game: &Game, tags: &[(String, String)]) -> Texts {
    // A topic's position is a legal one; without it, the moves end before the first.
    let start = parse_position(&game.start_fen).unwrap_or_default();
    let moves = game
        .moves
        .iter()
        .map(|made| (made.san.as_str(), made.clock_ms));
    let moves: Vec<_> = moves.collect();
    let offers = game.offers.iter().map(|mark| Remark::offer(mark.ply));
    let remarks: Vec<_> = offers.collect();
    let ending = game.result.as_ref();
    let ending = ending.map(|end| Ending::of(end.reason, end.article.as_deref()));
    let running = game.clocks.filter(|clocks| clocks.running.is_some());
    Texts::of(&Written {
        tags,
        moves: &moves,
        remarks: &remarks,
        clocks: running.map(|clocks| ByColor {
            white: clocks.white_ms,
            black: clocks.black_ms,
        }),
        uncertain_since: game.uncertain.and_then(|uncertain| uncertain.since_ply),
        result: score(game),
        ending: ending.as_ref(),
        ..Written::of(&start)
    })
}
