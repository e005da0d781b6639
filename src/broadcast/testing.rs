//! Games for tests.

use std::{collections::BTreeMap, fs, path::Path, time::Duration};

use remisd_game::ResultReason;
use remisd_laws::{Rate, Score, newest};
use remisd_topics::{EarlierResult, Envelope, Game, GameMove, GameResult, Tracker, TrackerState};
use remisd_vocabulary::{name::BoardId, notation, seq::AudienceSeq};
use shakmaty::{Chess, Position as _, san::San};
use tokio::time::sleep;

use crate::PublicGame;

/// The board with this number.
pub fn board(number: u32) -> BoardId {
    format!("b{number}").parse().unwrap()
}

/// Checks a file every few milliseconds until it contains `text`, and returns its content.
pub async fn file_with(path: &Path, text: &str) -> String {
    poll(|| {
        fs::read_to_string(path)
            .ok()
            .filter(|found| found.contains(text))
    })
    .await
    .unwrap_or_else(|| panic!("{} has no {text}", path.display()))
}

/// Checks every few milliseconds for a value; `None` if there is none for long.
pub async fn poll<T>(mut check: impl FnMut() -> Option<T>) -> Option<T> {
    for _ in 0..2_000 {
        if let Some(found) = check() {
            return Some(found);
        }
        sleep(Duration::from_millis(10)).await;
    }
    None
}

/// Of a game on a sheet nothing says when it became so.
impl From<Game> for PublicGame {
    fn from(game: Game) -> Self {
        seen(game, 0, "")
    }
}

/// A game as the public sees it with this `seq`, at this time.
pub fn seen(game: Game, seq: u64, time: &str) -> PublicGame {
    let envelope = Envelope {
        schema: "remisd/game/1".into(),
        site: "open".to_owned(),
        board: "b1".to_owned(),
        session: time.to_owned(),
        seq: AudienceSeq::new(seq),
        time: time.to_owned(),
        content: game,
    };
    envelope.into()
}

/// A game which says that the one on the sheet got its result after it was left.
pub fn with_earlier_result(mut now: Game, left: Sheet) -> Game {
    let left = left.game();
    let (game, result) = (left.game, left.result.unwrap());
    now.earlier_results = vec![EarlierResult { game, result }];
    now
}

/// What a game is made of.
#[derive(Debug, Clone)]
pub struct Sheet {
    game: u64,
    headers: BTreeMap<String, String>,
    moves: Vec<String>,
    result: Option<Score>,
}

impl Sheet {
    pub fn new(game: u64) -> Self {
        Self {
            game,
            headers: BTreeMap::new(),
            moves: Vec::new(),
            result: None,
        }
    }

    pub fn tag(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The tags of a pairing.
    pub fn paired(self, round: u32, white: &str, black: &str) -> Self {
        self.tag("Event", "Open")
            .tag("Site", "Town")
            .tag("Round", &round.to_string())
            .tag("White", white)
            .tag("Black", black)
            .tag("TimeControl", "5400+30")
    }

    /// The moves, from the start.
    pub fn moves(mut self, sans: &str) -> Self {
        self.moves = sans.split_whitespace().map(str::to_owned).collect();
        self
    }

    pub fn result(mut self, score: Score) -> Self {
        self.result = Some(score);
        self
    }

    pub fn game(self) -> Game {
        let mut position = Chess::default();
        let mut left = [5_400_000; 2];
        let moves = self.moves.iter().enumerate().map(|(index, san)| {
            let played = san.parse::<San>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(played);
            left[index % 2] -= 7_000;
            GameMove {
                uci: played.to_uci(shakmaty::CastlingMode::Standard).to_string(),
                san: san.clone(),
                clock_ms: Some(left[index % 2]),
                reconstructed: false,
            }
        });
        let moves: Vec<_> = moves.collect();
        let ply = u32::try_from(moves.len()).unwrap();
        Game {
            game: AudienceSeq::new(self.game),
            headers: self.headers,
            laws: newest().id.into(),
            rate: Rate::Standard,
            start_fen: notation::fen(&Chess::default()),
            fen: notation::fen(&position),
            ply: Some(ply),
            turn: notation::color(position.turn()).into(),
            moves,
            offers: Vec::new(),
            clocks: None,
            earlier_results: Vec::new(),
            clocks_at: None,
            tracker: Tracker {
                state: TrackerState::Following,
                reason: None,
                squares: Vec::new(),
            },
            uncertain: None,
            proposed_result: None,
            result: self.result.map(|score| GameResult {
                score,
                reason: ResultReason::Agreement,
                article: None,
                ply: Some(ply),
                announced: None,
                confirmed: true,
            }),
        }
    }
}
