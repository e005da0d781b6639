//! Completes a game at its end.

use shakmaty::{CastlingSide, Position as _};

use super::PartialGame;
use crate::{Game, result, tags};

impl PartialGame {
    /// Reports an unclosed comment or variation. It is unknown which moves belong outside it.
    pub(super) fn unclosed(&mut self) {
        let (sign, line, reason) = match &self.comment {
            Some(comment) => ("{", comment.line, "the comment is not closed"),
            None => ("(", self.variation_line, "the variation is not closed"),
        };
        self.castle_by_zeros();
        self.refuse(sign, line, reason);
    }

    /// Completes the game at its end.
    pub(super) fn finished(mut self) -> Game {
        if !self.inside_nothing() {
            self.unclosed();
        }
        if let Some(open) = self.open_tag.take() {
            self.game
                .tags
                .extend(tags::unclosed(&open).map(|(name, value)| (name.to_owned(), value)));
        }
        if self.zeros.is_some() && self.game.outcome.is_none() {
            if self.zeros_are_castling() {
                self.castle_by_zeros();
            } else {
                self.zeros = None;
                self.game.outcome = Some("0-0");
            }
        }
        if let Some(tag) = self.contradiction.take() {
            // It is unknown to which tag the moves belong.
            self.game.moves.clear();
            self.game.unreadable = Some(tag);
        }
        self.game
    }

    /// Whether `0-0` at the end is castling: if the tag `Result` has another result and the player
    /// can castle. Otherwise it is the result.
    pub(super) fn zeros_are_castling(&self) -> bool {
        let tag = self.game.tag("Result").and_then(result::of_tag);
        if tag.is_none_or(|tag| tag == "0-0") || self.game.unreadable.is_some() {
            return false;
        }
        let Ok(mut position) = self.game.start() else {
            return false;
        };
        for written in &self.game.moves {
            let Ok(m) = written.word.to_move(&position) else {
                return false;
            };
            position.play_unchecked(m);
        }
        !position.castling_moves(CastlingSide::KingSide).is_empty()
    }
}
