//! What the log says about a game: its start, claims, rulings and results.
//!
//! The journal holds everything; these are the few lines for an administrator.

use serde::Serialize;

use remisd_game::{Fact, Game};
use remisd_vocabulary::name::BoardId;

/// Logs a fact if it belongs in the log.
pub fn log(board: &BoardId, fact: &Fact) {
    match fact {
        Fact::GameStarted { game, laws, .. } => {
            let laws = laws.id;
            tracing::info!(%board, game = game.get(), laws, "a game begins");
        }
        Fact::GameLeft { game, ply, .. } => {
            tracing::info!(%board, game = game.get(), ply, "the game was left without a result");
        }
        Fact::MoveMade { ply, san, fen, .. } => {
            tracing::debug!(%board, ply, san, fen, "move");
        }
        Fact::MoveRetracted { ply, uci } => {
            tracing::debug!(%board, ply, %uci, "a move is taken back");
        }
        Fact::Ended { ply, kind, article } => {
            let kind = kind.as_str();
            tracing::info!(%board, ply, kind, article, "the Laws have ended the game");
        }
        Fact::EndRetracted { ply } => {
            tracing::info!(%board, ply, "the end of the game is withdrawn");
        }
        Fact::ClaimMade(claim) => {
            let (by, kind) = (claim.by.as_str(), claim.kind.as_str());
            let article = &claim.article;
            tracing::info!(%board, claim = claim.id.get(), by, kind, article, "a draw is claimed");
        }
        Fact::ClaimRuled {
            claim, correct, by, ..
        } => tracing::info!(%board, claim = claim.get(), correct, by, "the claim is ruled on"),
        Fact::ClaimReopened { claim } => {
            tracing::info!(%board, claim = claim.get(), "the ruling on the claim is withdrawn");
        }
        Fact::QuickplayRuled {
            claim,
            decision,
            by,
        } => {
            let decision = word(decision);
            tracing::info!(%board, claim = claim.get(), decision, by, "the claim is ruled on");
        }
        Fact::ResultSet(result) => {
            let (score, reason) = (result.score.as_str(), word(&result.reason));
            let (ply, confirmed) = (result.ply, result.confirmed);
            tracing::info!(%board, score, reason, ply, confirmed, "result");
        }
        Fact::ResultConfirmed { by, .. } => {
            tracing::info!(%board, by, "the result is confirmed");
        }
        Fact::ResultRecorded { game, score, by } => {
            let score = score.as_str();
            tracing::info!(%board, game = game.get(), score, by, "the result of an earlier game");
        }
        Fact::VersionChosen {
            name,
            ply,
            version,
            by,
            ..
        } => {
            let version = word(version);
            tracing::info!(%board, name, ply, version, by, "the arbiter has chosen a version");
        }
        Fact::TrackingLost { reason, .. } => {
            let reason = word(reason);
            tracing::info!(%board, reason, "the pieces differ from the game");
        }
        Fact::MoveUnsettled { ply, m } => {
            let (ply, san) = (*ply, m.san.as_str());
            tracing::warn!(%board, ply, san, "this move was perhaps on the board and is not recorded");
        }
        Fact::TrackingRestored => {
            tracing::info!(%board, "the pieces agree with the game again");
        }
        _ => {}
    }
}

/// Logs the result of an earlier game whose public number is not known, because an earlier version of
/// the daemon did not record it.
pub fn log_without_public_number(board: &BoardId, fact: &Fact, now: &Game) {
    let (Fact::ResultRecorded { game, .. }
    | Fact::ResultConfirmed {
        game: Some(game), ..
    }) = fact
    else {
        return;
    };
    let mut results = now.earlier_results().filter(|left| left.game == *game);
    if results.any(|left| left.public.is_none()) {
        tracing::warn!(%board, game = game.get(), "the result of this earlier game reaches neither standings nor broadcast: an earlier version did not record its public number");
    }
}

/// Returns the JSON string for a value.
pub fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => "?".to_owned(),
    }
}
