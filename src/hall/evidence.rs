//! The sheet of evidence, made from what is published to the arbiter.
//!
//! It has the moves, the times and the claim. What happened besides stands in the journal
//! alone, and the sheet says so: `remisd evidence --journal` has it.

use std::sync::Arc;

use axum::{
    extract::{Path, Query, State},
    http::{HeaderMap, HeaderValue, header},
    response::{Html, IntoResponse, Response},
};
use bytes::Bytes;
use jiff::tz::TimeZone;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};

use super::{Hall, answer::Refused};
use crate::{
    evidence::{
        Doubt, Evidence, Record, Source, Times,
        page::{Style, page},
        recall::hex,
    },
    game::{ClaimRecord, Claimed},
    laws::{Edition, Ply, Regulations},
    name::BoardId,
    publish::{
        payload::{DrawNow, Envelope, Game},
        topic::Audience,
    },
    words::Language,
};

/// A sheet has its style in itself and shows nothing else.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";

/// What is to be examined; without a claim the one that is open, else the position.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    claim: Option<Claimed>,
    #[serde(rename = "move")]
    announced: Option<String>,
    ply: Option<Ply>,
    lang: Option<String>,
}

/// `GET evidence/<board>`.
pub(super) async fn sheet(
    State(hall): State<Arc<Hall>>,
    headers: HeaderMap,
    Path(board): Path<String>,
    Query(wish): Query<Wish>,
) -> Response {
    let made = board.parse().map_err(|_| Refused::NotFound);
    match made.and_then(|board| make(&hall, &headers, &board, &wish)) {
        Ok(sheet) => {
            let policy = HeaderValue::from_static(POLICY);
            ([(header::CONTENT_SECURITY_POLICY, policy)], Html(sheet)).into_response()
        }
        Err(refused) => refused.into_response(),
    }
}

fn make(hall: &Hall, headers: &HeaderMap, board: &BoardId, wish: &Wish) -> Result<String, Refused> {
    let upstream = hall.upstream(headers, Audience::Arbiter, None);
    let upstream = upstream.ok_or(Refused::NotSignedIn)?;
    let payload = upstream
        .mirror
        .payload(board, "game")
        .ok_or(Refused::NotFound)?;
    let unreadable = |error| Refused::Internal(format!("the game of {board}: {error}"));
    let game: Envelope<Game> = serde_json::from_slice(&payload).map_err(unreadable)?;
    let claim = match wish.claim {
        Some(_) => None,
        None => open_claim(upstream.mirror.payload(board, "draw")),
    };
    let mut record = record(
        &game.content,
        claim.as_ref().map(|claim| claim.ply).or(wish.ply),
    )
    .map_err(Refused::Internal)?;
    record.board = Some(board.to_string());
    record.source = Some(Source::Published {
        seq: game.seq,
        sha256: hex(&Sha256::digest(&payload)),
    });
    match (&claim, wish.claim) {
        (Some(claim), _) => record.claim = Some(claim.clone().into()),
        (None, Some(kind)) => (record.claim(kind, wish.announced.as_deref()))
            .map_err(|error| Refused::Bad(error.to_string()))?,
        (None, None) => {}
    }
    let wanted = wish.lang.as_deref();
    let language = Language::ALL
        .into_iter()
        .find(|language| Some(language.code()) == wanted);
    let style = Style {
        language: language.unwrap_or(Language::En),
        zone: TimeZone::system(),
    };
    Ok(page(&record, &Evidence::of(&record), &style))
}

/// The claim that is being checked, or was the last at this ply.
fn open_claim(draw: Option<Bytes>) -> Option<ClaimRecord> {
    let draw: Envelope<DrawNow> = serde_json::from_slice(&draw?).ok()?;
    draw.content.dealings?.claim
}

/// The game up to a ply, or up to its last move.
fn record(game: &Game, to: Option<Ply>) -> Result<Record, String> {
    let edition: &'static Edition = game.laws.parse().map_err(|error| format!("{error}"))?;
    let fen: Fen = game.start_fen.parse().map_err(|error| format!("{error}"))?;
    let start: Chess =
        (fen.into_position(CastlingMode::Standard)).map_err(|error| error.to_string())?;
    let mut record = Record::new(start.clone(), Regulations::new(edition, game.rate));
    record.tags = game.headers.clone().into_iter().collect();
    let plies = to.map_or(usize::MAX, |ply| usize::try_from(ply).unwrap_or(usize::MAX));
    let mut gaps = Vec::new();
    let mut times = [None, None];
    for (ply, played) in (1..).zip(game.moves.iter().take(plies)) {
        let made = record
            .play(&played.uci)
            .map_err(|error| error.to_string())?;
        made.clock_ms = played.clock_ms;
        made.after_gap = played.reconstructed;
        if played.reconstructed {
            gaps.push(ply);
        }
        let mover = record.position().turn().other().fold_wb(0, 1);
        times[mover] = played.clock_ms.or(times[mover]);
    }
    let [white_ms, black_ms] = times;
    record.times = (white_ms.or(black_ms).is_some()).then_some(Times { white_ms, black_ms });
    let offers = game.offers.iter().map(|mark| (mark.ply, mark.by.into()));
    record.offers = offers
        .filter(|(ply, _)| to.is_none_or(|to| *ply <= to))
        .collect();
    if !gaps.is_empty() {
        record.doubts.push(Doubt::AfterGap(gaps));
    }
    if start != Chess::default() {
        let halfmoves = start.halfmoves();
        record.doubts.push(Doubt::StartGiven { halfmoves });
    }
    if let (Some(uncertain), None) = (&game.uncertain, to) {
        let next = Ply::try_from(game.moves.len())
            .unwrap_or(Ply::MAX)
            .saturating_add(1);
        if let Some(reason) = game.tracker.reason {
            record.doubts.push(Doubt::Mismatch {
                reason,
                squares: game.tracker.squares.clone(),
                since_ply: next,
                doubted_since: uncertain.since_ply.filter(|since| *since < next),
            });
        }
    }
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Profile,
        game::{Command, Input, Role, Rules, Stamped, Verb},
        publish::{
            topic::Leaf,
            views::{Line, Scene, Views},
        },
    };

    #[test]
    fn the_claim_that_is_checked_is_found_in_what_is_published() {
        let mut game = crate::game::Game::new(Rules::default());
        let verb = Verb::Claim {
            player: None,
            kind: Claimed::Threefold,
            announced: Some("e4".to_owned()),
            written: true,
        };
        let input = Input::Command(Command {
            id: "1".to_owned(),
            role: Role::White,
            by: None,
            if_seq: None,
            unsettled: None,
            verb,
        });
        let (seq, time) = (1, jiff::Timestamp::UNIX_EPOCH);
        game.apply(&Stamped { seq, time, input });
        let views = Views::under(Profile::Competition);
        let view = views.view(
            Audience::Arbiter,
            Leaf::Draw,
            &Scene::of(&game, &Line::default()),
        );
        let view = view.unwrap();
        let around = Envelope {
            schema: view.schema.into(),
            site: "hall".to_owned(),
            board: "b1".to_owned(),
            session: "s".to_owned(),
            seq,
            time: "1970-01-01T00:00:00.000Z".to_owned(),
            content: (),
        };
        let claim = open_claim(Some(view.within(&around).payload)).expect("the claim is open");
        assert_eq!(claim.announced.unwrap().san, "e4");
    }
}
