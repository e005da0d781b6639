//! PGN over HTTP: `/pgn/round.pgn` and `/pgn/game-M.pgn` of the newest round, and both below
//! `/pgn/round-N/` for the rounds that are kept.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
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
}

/// The routes.
pub fn router(rounds: watch::Receiver<Published>, dialect: DialectChoice) -> Router {
    Router::new()
        .route("/pgn/{file}", get(newest))
        .route("/pgn/{round}/{file}", get(of_round))
        .with_state(Served { rounds, dialect })
}

async fn newest(
    State(served): State<Served>,
    Path(file): Path<String>,
    headers: HeaderMap,
) -> Response {
    let rounds = served.rounds.borrow().clone();
    let newest = RoundText::newest_first(&rounds);
    answer(
        newest.first().map(|round| &***round),
        &file,
        served.dialect,
        &headers,
    )
}

async fn of_round(
    State(served): State<Served>,
    Path((round, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let rounds = served.rounds.borrow().clone();
    let number = round.strip_prefix("round-").and_then(|n| n.parse().ok());
    let round = number.and_then(|number: u32| rounds.get(&number));
    answer(round.map(|round| &**round), &file, served.dialect, &headers)
}

fn answer(
    round: Option<&RoundText>,
    file: &str,
    dialect: DialectChoice,
    headers: &HeaderMap,
) -> Response {
    let text = round.and_then(|round| text(round, file, dialect));
    let mut response = match text {
        None => (StatusCode::NOT_FOUND, "there is no such game\n").into_response(),
        Some(text) => {
            let tag = etag(text.as_bytes());
            let mut response = if is_known(headers, &tag) {
                StatusCode::NOT_MODIFIED.into_response()
            } else {
                let mut response = Response::new(Body::from(text));
                let kind = HeaderValue::from_static("application/vnd.chess-pgn");
                response.headers_mut().insert(header::CONTENT_TYPE, kind);
                response
            };
            response
                .headers_mut()
                .extend(HeaderValue::from_str(&tag).map(|tag| (header::ETAG, tag)));
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

fn text(round: &RoundText, file: &str, dialect: DialectChoice) -> Option<String> {
    if matches!(file, "round.pgn" | "games.pgn") {
        return Some(round.joined(|texts| dialect.of(texts)));
    }
    let number = file.strip_prefix("game-")?.strip_suffix(".pgn")?;
    let number: u32 = number.parse().ok()?;
    let game = round.games.iter().find(|game| game.number == number)?;
    Some(dialect.of(&game.texts).to_string())
}

/// A strong tag: the content decides.
fn etag(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let digits = digest.iter().take(16).map(|byte| format!("{byte:02x}"));
    format!("\"{}\"", digits.collect::<String>())
}

/// Whether the client has this content already (RFC 9110, section 13.1.2).
fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter();
    let texts = known.filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    })
}
