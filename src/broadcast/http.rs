//! PGN over HTTP: `/pgn/round.pgn` and `/pgn/game-M.pgn` of the newest round, and both below
//! `/pgn/round-N/` for the rounds that are kept.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use crate::{folder::DialectChoice, text::RoundText};

/// The rounds as every exit sees them, by number.
pub type Published = Arc<BTreeMap<u32, Arc<RoundText>>>;

/// What the routes serve.
#[derive(Debug, Clone)]
struct Served {
    rounds: watch::Receiver<Published>,
    dialect: DialectChoice,
    /// The files that were requested, by round.
    made: Arc<Mutex<BTreeMap<u32, RoundFiles>>>,
}

/// The files of a round, each made at its first request. All answers share them.
#[derive(Debug)]
struct RoundFiles {
    /// What they were made of.
    round: Arc<RoundText>,
    files: BTreeMap<FileName, PgnFile>,
}

/// A file of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FileName {
    /// All games.
    Round,
    /// The games at the board with this number.
    Board(u32),
}

/// A file that is served.
#[derive(Debug, Clone)]
struct PgnFile {
    content: Bytes,
    tag: HeaderValue,
}

/// Which round is requested.
#[derive(Debug, Clone, Copy)]
enum RoundChoice {
    Newest,
    Number(u32),
}

/// The routes.
pub fn router(rounds: watch::Receiver<Published>, dialect: DialectChoice) -> Router {
    Router::new()
        .route("/pgn/{file}", get(newest))
        .route("/pgn/{round}/{file}", get(of_round))
        .with_state(Served {
            rounds,
            dialect,
            made: Arc::default(),
        })
}

async fn newest(
    State(served): State<Served>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Response {
    answer(served.file(RoundChoice::Newest, &file), &headers)
}

async fn of_round(
    State(served): State<Served>,
    Path((round, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let number = round.strip_prefix("round-").and_then(|n| n.parse().ok());
    let file = number.and_then(|number| served.file(RoundChoice::Number(number), &file));
    answer(file, &headers)
}

impl Served {
    /// A file; `None` if there is none of this name.
    fn file(&self, choice: RoundChoice, name: &str) -> Option<PgnFile> {
        let name = FileName::of(name)?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let rounds = self.rounds.borrow().clone();
        let round = match choice {
            RoundChoice::Newest => *RoundText::newest_first(&rounds).first()?,
            RoundChoice::Number(number) => rounds.get(&number)?,
        };
        // What was made of an earlier text is of no use any more.
        made.retain(|number, made| {
            let now = rounds.get(number);
            now.is_some_and(|now| Arc::ptr_eq(now, &made.round))
        });
        let made = made.entry(round.number).or_insert_with(|| RoundFiles {
            round: Arc::clone(round),
            files: BTreeMap::new(),
        });
        if let Some(file) = made.files.get(&name) {
            return Some(file.clone());
        }
        let file = PgnFile::of(round, name, self.dialect)?;
        made.files.insert(name, file.clone());
        Some(file)
    }
}

impl FileName {
    fn of(text: &str) -> Option<Self> {
        if matches!(text, "round.pgn" | "games.pgn") {
            return Some(Self::Round);
        }
        let number = text.strip_prefix("game-")?.strip_suffix(".pgn")?;
        number.parse().ok().map(Self::Board)
    }
}

impl PgnFile {
    fn of(round: &RoundText, name: FileName, dialect: DialectChoice) -> Option<Self> {
        let content = match name {
            FileName::Round => Bytes::from(round.joined(|texts| dialect.of(texts))),
            FileName::Board(number) => {
                let game = round.games.iter().find(|game| game.number == number)?;
                Bytes::copy_from_slice(dialect.of(&game.texts).as_bytes())
            }
        };
        let tag = HeaderValue::from_str(&etag(&content)).ok()?;
        Some(Self { content, tag })
    }
}

fn answer(file: Option<PgnFile>, headers: &HeaderMap) -> Response {
    let mut response = match file {
        None => (StatusCode::NOT_FOUND, "there is no such game\n").into_response(),
        Some(file) => {
            let mut response = if is_known(headers, &file.tag) {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                let mut response = Response::new(Body::from(file.content));
                let kind = HeaderValue::from_static("application/vnd.chess-pgn");
                response.headers_mut().insert(header::CONTENT_TYPE, kind);
                response
            };
            response.headers_mut().insert(header::ETAG, file.tag);
            response
        }
    };
    let always: [(HeaderName, &'static str); 3] = [
        (header::CACHE_CONTROL, "no-cache"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "ETag"),
    ];
    for (name, value) in always {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A strong tag: the content decides.
fn etag(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let digits = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
    format!("\"{}\"", digits.collect::<String>())
}

/// Whether the client has this content already (RFC 9110, section 13.1.2).
fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let texts = known.filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == *tag
    })
}
