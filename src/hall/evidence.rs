//! The evidence sheet in the console.
//!
//! The board's daemon has the journal. The hall requests the record up to the claim as the
//! signed-in arbiter, and renders the sheet as `remisd evidence` does. The response is always a
//! page; without a sheet, the page says why.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{Html, IntoResponse, Response},
};
use bytes::Bytes;
use jiff::tz::TimeZone;
use maud::{DOCTYPE, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Hall, upstream::NoAnswer};
use crate::{
    evidence::{
        Evidence, Record,
        page::{Style, page},
    },
    publish::{mqtt::client::AskError, payload::Reply, topic::Audience},
    words::{Language, Words},
};
use remisd_game::RefusalCode;
use remisd_vocabulary::name::BoardId;

/// A sheet contains its style and loads nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/// The query: a claim by its number, or else the newest claim of a game, or else the newest claim
/// at the board.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    claim: Option<String>,
    game: Option<String>,
    lang: Option<String>,
}

/// Why there is no sheet.
#[derive(Debug)]
enum NoSheet {
    Bad(String),
    NoBoard,
    SignedOut,
    NoBroker,
    ByBroker(String),
    Silent,
    /// The daemon refused.
    Daemon(Option<RefusalCode>, String),
    Internal(String),
}

/// Handles `GET evidence/<board>`.
pub(super) async fn sheet(
    State(hall): State<Arc<Hall>>,
    headers: HeaderMap,
    Path(board): Path<String>,
    Query(wish): Query<Wish>,
) -> Response {
    let wanted = wish.lang.as_deref();
    let mut languages = Language::ALL.into_iter();
    let language = languages.find(|language| Some(language.code()) == wanted);
    let language = language.unwrap_or(Language::En);
    let (status, page) = match record(&hall, &headers, &board, &wish).await {
        Ok(record) => {
            let zone = TimeZone::system();
            let style = Style { language, zone };
            (
                StatusCode::OK,
                page(&record, &Evidence::of(&record), &style),
            )
        }
        Err(why) => (why.status(), why.page(&board, language)),
    };
    let policy = HeaderValue::from_static(POLICY);
    let policy = [(header::CONTENT_SECURITY_POLICY, policy)];
    (status, policy, Html(page)).into_response()
}

/// Requests the record from the daemon.
async fn record(
    hall: &Hall,
    headers: &HeaderMap,
    board: &str,
    wish: &Wish,
) -> Result<Record, NoSheet> {
    let board: BoardId = board.parse().map_err(|_| NoSheet::NoBoard)?;
    let question = json!({
        "id": "sheet",
        "claim": number("claim", wish.claim.as_deref())?,
        "game": number("game", wish.game.as_deref())?,
    });
    let upstream = hall.upstream(headers, Audience::Arbiter, None);
    let upstream = upstream.ok_or(NoSheet::SignedOut)?;
    if upstream.mirror.payload(&board, "game").is_none() {
        return Err(NoSheet::NoBoard);
    }
    let question = Bytes::from(question.to_string());
    let answer = upstream.command("arbiter", &board, "evidence", question);
    let answer = answer.await.map_err(|error| match error {
        NoAnswer::Broker(AskError::NoBroker | AskError::TooMany) => NoSheet::NoBroker,
        NoAnswer::Broker(AskError::Refused(why)) => NoSheet::ByBroker(why),
        NoAnswer::Silent => NoSheet::Silent,
    })?;
    let unreadable = |error: &dyn std::fmt::Display| {
        NoSheet::Internal(format!("the answer cannot be read: {error}"))
    };
    let reply: Reply = serde_json::from_slice(&answer).map_err(|error| unreadable(&error))?;
    match reply.evidence {
        Some(form) if reply.ok => Record::try_from(*form).map_err(|error| unreadable(&error)),
        _ => Err(NoSheet::Daemon(
            reply.code,
            reply.message.unwrap_or_default(),
        )),
    }
}

fn number(name: &str, text: Option<&str>) -> Result<Option<u64>, NoSheet> {
    let Some(text) = text else { return Ok(None) };
    let number = text.parse().map_err(|_| {
        let text: String = text.chars().take(32).collect();
        NoSheet::Bad(format!("{name}={text}"))
    });
    number.map(Some)
}

impl NoSheet {
    const fn status(&self) -> StatusCode {
        match self {
            Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::NoBoard | Self::Daemon(Some(RefusalCode::NotFound), _) => StatusCode::NOT_FOUND,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::NoBroker | Self::Daemon(Some(RefusalCode::Unavailable), _) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Self::ByBroker(_) => StatusCode::FORBIDDEN,
            Self::Silent => StatusCode::GATEWAY_TIMEOUT,
            Self::Daemon(..) => StatusCode::BAD_GATEWAY,
            Self::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The page shown in place of the sheet.
    fn page(&self, board: &str, language: Language) -> String {
        let (why, detail) = match self {
            Self::Bad(detail) => ("bad", detail.as_str()),
            Self::NoBoard => ("no_board", ""),
            Self::SignedOut => ("signed_out", ""),
            Self::NoBroker => ("no_broker", ""),
            Self::ByBroker(detail) => ("by_broker", detail.as_str()),
            Self::Silent => ("silent", ""),
            Self::Daemon(_, detail) => ("daemon", detail.as_str()),
            Self::Internal(detail) => ("internal", detail.as_str()),
        };
        // Even when the daemon does not answer, the journal exists.
        let has_journal = matches!(self, Self::NoBroker | Self::Silent | Self::Daemon(..));
        let board: String = board.chars().take(32).collect();
        let command = format!("remisd evidence --journal DIR --board {board} -o FILE.html");
        let words = Words::of(language);
        let text = |id: &str, arguments: &[(&str, &str)]| {
            let arguments = arguments.iter();
            let arguments =
                arguments.map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
            words.text(id, &arguments.collect())
        };
        let title = text("evidence-refused", &[]);
        let why = [("why", why), ("board", &board), ("detail", detail)];
        let page = html! {
            (DOCTYPE)
            html lang=(language.tag()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { (title) }
                    style { "body{font:16px/1.4 sans-serif;max-width:40em;margin:2em auto;padding:0 1em}" }
                }
                body {
                    h1 { (title) }
                    p { bdi { (text("evidence-refused-why", &why)) } }
                    @if has_journal {
                        p { (text("evidence-refused-otherwise", &[("command", &command)])) }
                    }
                }
            }
        };
        page.into_string()
    }
}
