//! Moves by their numbers, as on a scoresheet.

use serde_json::{Value, json};
use shakmaty::{Color, Position as _};

use super::{AnnouncedMove, ClaimRecord, record::Record};
use remisd_laws::Ply;

/// What stands for the move before the first one.
const START: &str = "start";

impl Record {
    /// A ply by its move in English letters: `26.Nb5`, `25…Ra8`, or `start`; null if it is not in
    /// the record.
    pub(super) fn numbered(&self, ply: Ply) -> Value {
        let Some(at) = ply.checked_sub(1) else {
            return json!(START);
        };
        let played = self.moves().get(at as usize);
        played.map_or(Value::Null, |played| {
            json!(self.with_number(ply, &played.text.san))
        })
    }

    /// Several plies by their moves in English letters; see [`Self::numbered`].
    pub(super) fn all_numbered(&self, plies: &[Ply]) -> Value {
        plies.iter().map(|ply| self.numbered(*ply)).collect()
    }

    /// The moves after a ply, as on a scoresheet: `12.Nf3 Nc6 13.e4`; empty if there are none.
    pub(super) fn line_after(&self, ply: Ply) -> String {
        let moves = self.moves().iter().skip(ply as usize);
        self.line_of(ply, moves.map(|played| played.text.san.as_str()))
    }

    /// Moves that would come after a ply, as on a scoresheet.
    pub(super) fn line_of<'m>(&self, ply: Ply, sans: impl Iterator<Item = &'m str>) -> String {
        let mut line = String::new();
        for (san, at) in sans.zip(ply.saturating_add(1)..) {
            let first = line.is_empty();
            let half: Ply = self.start().turn().fold_wb(0, 1) + at - 1;
            if !first {
                line.push(' ');
            }
            if first || half.is_multiple_of(2) {
                line.push_str(&self.with_number(at, san));
            } else {
                line.push_str(san);
            }
        }
        line
    }

    /// The plies at which a claimed position occurred; the announced move is not made yet.
    pub(super) fn occurrences_numbered(&self, claim: &ClaimRecord) -> Value {
        let announced = claim.announced.as_ref().map(AnnouncedMove::san);
        let plies = claim.plies.iter().map(|ply| match announced {
            Some(san) if *ply == claim.ply + 1 => json!(self.with_number(*ply, san)),
            _ => self.numbered(*ply),
        });
        plies.collect()
    }

    fn with_number(&self, ply: Ply, san: &str) -> String {
        let before = self.start().turn().fold_wb(0, 1) + ply.saturating_sub(1);
        let number = self.start().fullmoves().get().saturating_add(before / 2);
        let mover = if before.is_multiple_of(2) {
            Color::White
        } else {
            Color::Black
        };
        format!("{number}{}{san}", mover.fold_wb(".", "…"))
    }
}
