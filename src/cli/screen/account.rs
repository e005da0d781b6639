//! The state of a board as published to an audience, and what changed in it.
//!
//! It knows no more than any other client with the same subscription. An unreadable payload counts
//! as a cleared topic.

use serde::de::DeserializeOwned;

use super::words::half_moves;
use crate::publish::payload::{
    AlertText, Alerts, Availability, AvailabilityState, Claim, Draw, DrawNow, Game, GameResult,
    Link, NodeState, TrackerState,
};

/// The known state of the board.
#[derive(Debug, Default)]
pub struct Account {
    /// The topic prefix before the leaf: `chess/v1/demo/arbiter/b1/`.
    prefix: String,
    /// Whether new moves are taken from `game`, for an audience whose `draw` lacks the counters.
    moves_from_game: bool,
    /// The topic of the daemon's state, if it is watched here.
    node: Option<&'static str>,
    /// The game and its moves.
    pub game: Option<Game>,
    /// The draw state.
    pub draw: Option<DrawNow>,
    /// The open alerts.
    pub alerts: Vec<AlertText>,
    /// The result, once there is one.
    pub result: Option<GameResult>,
    /// The connection to the board.
    pub link: Option<Link>,
    /// Whether the board can be read.
    pub availability: Option<AvailabilityState>,
    /// The state of the daemon: `online`, `offline` or `lost`.
    pub daemon: Option<String>,
    /// Number of games begun.
    pub games: usize,
}

/// A change of the state.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A game has begun; the number counts the games so far.
    Game(usize),
    /// The draw state after a further ply or a correction.
    Ply {
        /// The draw state.
        draw: Box<Draw>,
        /// Whether a different ply was seen here before.
        corrected: bool,
    },
    /// Moves of an audience without the draw state.
    Moves {
        /// The number of the first one, in half-moves: twice the move number, plus one for Black.
        first: usize,
        /// The moves in SAN.
        sans: Vec<String>,
        /// Whether other moves were seen here before.
        corrected: bool,
    },
    /// Plies that were published only together with a later one.
    Missed {
        /// The number of the first such ply.
        ply: u32,
        /// Their moves in SAN, as far as they are known.
        sans: Vec<String>,
    },
    /// Claims that would succeed now.
    Claims(Vec<Claim>),
    /// No claim would succeed any longer.
    NoClaims,
    /// An alert was raised.
    Raised(Box<AlertText>),
    /// An alert was cleared.
    Cleared(Box<AlertText>),
    /// The game has a result.
    Result(GameResult),
    /// The result was withdrawn, or the next game has begun.
    NoResult,
    /// The agreement between pieces and game has changed.
    Tracker(TrackerState),
    /// The connection to the board came up or went down.
    Link(bool),
    /// The board's availability has changed.
    Availability(AvailabilityState),
    /// The daemon came or went.
    Daemon(String),
}

impl Account {
    /// An empty state for the topics below `prefix`.
    pub fn below(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
            ..Self::default()
        }
    }

    /// The same for an audience without the draw state.
    pub fn without_draw(prefix: &str) -> Self {
        Self {
            moves_from_game: true,
            ..Self::below(prefix)
        }
    }

    /// An empty state for the topics below `prefix` and the topic `node`.
    #[cfg(any(test, feature = "embedded-broker"))]
    pub fn new(prefix: &str, node: &'static str) -> Self {
        Self {
            node: Some(node),
            ..Self::below(prefix)
        }
    }

    /// The game, once both of its topics have arrived. A new game appears on one of them first.
    pub fn current_game(&self) -> Option<&Game> {
        let draw = self.draw.as_ref()?;
        self.game
            .as_ref()
            .filter(|game| game.game.get() == draw.draw.game)
    }

    /// Number of plies in the game.
    pub fn ply(&self) -> usize {
        self.game.as_ref().map_or(0, |game| game.moves.len())
    }

    /// Applies a message and returns what changed.
    pub fn take(&mut self, topic: &str, payload: &[u8]) -> Vec<News> {
        if self.node == Some(topic) {
            let now = read(payload).map(|now: NodeState| now.state.into_owned());
            let news = now.clone().filter(|_| self.daemon != now);
            self.daemon = now;
            return news.map(News::Daemon).into_iter().collect();
        }
        match topic.strip_prefix(&self.prefix) {
            Some("draw") if self.moves_from_game => Vec::new(),
            Some("draw") => self.draw(read(payload)),
            Some("game") => self.game(read(payload)),
            Some("alerts") => {
                self.alerts(read(payload).map_or_else(Vec::new, |a: Alerts| a.alerts))
            }
            Some("result") => self.result(read(payload)),
            Some("link") => {
                let before = self.link.take().map(|link| link.up);
                self.link = read(payload);
                let now = self.link.as_ref().map(|link| link.up);
                news_if_new(before, now, News::Link)
            }
            Some("availability") => {
                let now = read(payload).map(|now: Availability| now.state);
                let before = std::mem::replace(&mut self.availability, now);
                news_if_new(before, now, News::Availability)
            }
            _ => Vec::new(),
        }
    }

    fn draw(&mut self, now: Option<DrawNow>) -> Vec<News> {
        let before = std::mem::replace(&mut self.draw, now);
        let Some(now) = &self.draw else {
            return Vec::new();
        };
        let now = &now.draw;
        let before = before.as_ref().map(|before| &before.draw);
        let same_game = before.filter(|before| before.game == now.game);
        let mut news = Vec::new();
        if same_game.is_none() {
            self.games += 1;
            news.push(News::Game(self.games));
        }
        let seen = same_game.map_or(0, |before| before.ply);
        let again = same_game.is_some_and(|before| {
            (before.ply, &before.last_move, &before.fen) == (now.ply, &now.last_move, &now.fen)
        });
        if !again {
            if now.ply > seen + 1 {
                news.push(self.missed(seen + 1, now.ply));
            }
            news.push(News::Ply {
                draw: Box::new(now.clone()),
                corrected: same_game.is_some() && now.ply <= seen,
            });
        }
        news.extend(claims(before, now));
        news
    }

    /// The plies from `first` up to, but excluding, `next`.
    fn missed(&self, first: u32, next: u32) -> News {
        let moves = self.game.iter().flat_map(|game| &game.moves);
        let skip = usize::try_from(first - 1).unwrap_or(usize::MAX);
        let count = usize::try_from(next - first).unwrap_or(usize::MAX);
        let sans = moves.skip(skip).take(count).map(|m| m.san.clone());
        News::Missed {
            ply: first,
            sans: sans.collect(),
        }
    }

    fn game(&mut self, now: Option<Game>) -> Vec<News> {
        let before = std::mem::replace(&mut self.game, now);
        let now = self.game.as_ref();
        let mut news = Vec::new();
        if let Some(now) = now.filter(|_| self.moves_from_game) {
            let same_game = before.as_ref().filter(|before| before.game == now.game);
            if same_game.is_none() {
                self.games += 1;
                news.push(News::Game(self.games));
            }
            news.extend(moves(same_game, now));
        }
        let state = |game: &Game| game.tracker.state;
        let (before, now) = (before.as_ref().map(state), now.map(state));
        news.extend(news_if_new(before, now, News::Tracker));
        news
    }

    fn alerts(&mut self, open: Vec<AlertText>) -> Vec<News> {
        let within =
            |alert: &AlertText, among: &[AlertText]| among.iter().any(|a| a.id == alert.id);
        let gone = self.alerts.iter().filter(|alert| !within(alert, &open));
        let mut news: Vec<News> = gone.cloned().map(|a| News::Cleared(Box::new(a))).collect();
        let fresh = open.iter().filter(|alert| !within(alert, &self.alerts));
        news.extend(fresh.cloned().map(|a| News::Raised(Box::new(a))));
        self.alerts = open;
        news
    }

    fn result(&mut self, now: Option<GameResult>) -> Vec<News> {
        if self.result == now {
            return Vec::new();
        }
        self.result.clone_from(&now);
        vec![now.map_or(News::NoResult, News::Result)]
    }
}

fn read<T: DeserializeOwned>(payload: &[u8]) -> Option<T> {
    // Parse to a `Value` first, so that a duplicate name does not make the payload unreadable.
    let value: serde_json::Value = serde_json::from_slice(payload).ok()?;
    serde_json::from_value(value).ok()
}

/// The claims that make sense; none after the Laws have ended the game.
pub fn claims_of(draw: &Draw) -> &[Claim] {
    if draw.automatic.is_some() || draw.after_end {
        &[]
    } else {
        &draw.claims
    }
}

/// The moves of a game that were not seen before.
fn moves(before: Option<&Game>, now: &Game) -> Option<News> {
    let known = before.map_or(&[][..], |before| &before.moves);
    let same = known.iter().zip(&now.moves);
    let same = same.take_while(|(known, now)| known.uci == now.uci).count();
    let sans: Vec<String> = now.moves[same..].iter().map(|m| m.san.clone()).collect();
    let corrected = same < known.len();
    (corrected || !sans.is_empty()).then(|| News::Moves {
        first: half_moves(&now.start_fen) + same,
        sans,
        corrected,
    })
}

/// The change in the claims.
fn claims(before: Option<&Draw>, now: &Draw) -> Option<News> {
    let before = before.map_or(&[][..], claims_of);
    let now = claims_of(now);
    if now.is_empty() {
        return (!before.is_empty()).then_some(News::NoClaims);
    }
    let fresh = now.iter().filter(|claim| !before.contains(claim));
    let fresh: Vec<Claim> = fresh.cloned().collect();
    (!fresh.is_empty()).then_some(News::Claims(fresh))
}

fn news_if_new<T: PartialEq + Copy>(
    before: Option<T>,
    now: Option<T>,
    news: fn(T) -> News,
) -> Vec<News> {
    now.filter(|_| before != now)
        .map(news)
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(game: u64, ply: u32, san: &str, claims: &str) -> String {
        format!(
            r#"{{"schema":"remisd/draw/1","seq":7,"game":{game},"ply":{ply},"turn":"white","fen":"{ply}",
                "laws":"fide-2023","move":{{"uci":"a7a8","san":"{san}"}},
                "repetition":{{"count":1,"plies":[{ply}]}},"halfmove_clock":0,"claims":[{claims}],
                "automatic":null,"automatic_in":{{"plies":150,"occurrences":4}},"schema":"remisd/draw/1"}}"#
        )
    }

    #[test]
    fn news_is_what_was_not_so_before() {
        let mut account = Account::new("a/", "n");
        let claim = r#"{"by":"white","kind":"threefold","basis":"appeared","article":"9.2.2"}"#;
        let news = account.take("a/draw", draw(1, 1, "e4", claim).as_bytes());
        assert!(
            matches!(&news[..], [News::Game(1), News::Ply { .. }, News::Claims(claims)] if claims.len() == 1),
            "{news:?}"
        );
        assert_eq!(
            account.take("a/draw", draw(1, 1, "e4", claim).as_bytes()),
            []
        );
        let news = account.take("a/draw", draw(1, 3, "d4", "").as_bytes());
        assert!(
            matches!(
                &news[..],
                [
                    News::Missed { ply: 2, .. },
                    News::Ply {
                        corrected: false,
                        ..
                    },
                    News::NoClaims
                ]
            ),
            "{news:?}"
        );
        let news = account.take("a/draw", draw(1, 3, "d3", "").as_bytes());
        assert!(matches!(
            &news[..],
            [News::Ply {
                corrected: true,
                ..
            }]
        ));
        let news = account.take("a/draw", draw(9, 1, "c4", "").as_bytes());
        assert!(matches!(&news[..], [News::Game(2), News::Ply { .. }]));
    }

    #[test]
    fn alerts_come_and_go_and_nonsense_is_nothing() {
        let mut account = Account::new("a/", "n");
        let alert = r#"{"alerts":[{"id":"fivefold-9","level":"red","code":"fivefold","arguments":{},
            "article":"9.6.1","text":{"en":"Drawn."},"since":"x","acknowledged_by":null}]}"#;
        assert!(matches!(
            account.take("a/alerts", alert.as_bytes())[..],
            [News::Raised(_)]
        ));
        assert!(account.take("a/alerts", alert.as_bytes()).is_empty());
        assert!(matches!(
            account.take("a/alerts", b"")[..],
            [News::Cleared(_)]
        ));
        for leaf in [
            "draw",
            "game",
            "alerts",
            "result",
            "link",
            "availability",
            "event",
        ] {
            assert_eq!(account.take(&format!("a/{leaf}"), b"\xff{"), [], "{leaf}");
        }
    }
}
