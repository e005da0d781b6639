//! What the board could not show, and deserves an alert.

use serde_json::{Value, json};
use shakmaty::Square;

use crate::{
    Game, Mismatch, Tracking,
    alert::{AlertCode, Condition},
};
use remisd_laws::Ply;

impl Game {
    pub(super) fn mismatch_condition(&self) -> Option<Condition> {
        // While a result is shown, the board is not watched for moves.
        let mismatch = self.sensors.mismatch();
        let mismatch = mismatch.filter(|_| self.proposed_result().is_none())?;
        Some(self.condition_of(mismatch))
    }

    /// The starting position for the next game is set up wrongly.
    pub(super) fn wrong_start_condition(&self) -> Option<Condition> {
        let wrong = self.sensors.wrong_start();
        let wrong = wrong.filter(|_| self.tracking() == Tracking::Resting)?;
        Some(self.condition_of(wrong).about("start"))
    }

    fn condition_of(&self, mismatch: &Mismatch) -> Condition {
        let squares = in_words(mismatch.squares.iter().map(|seen| &seen.square));
        let candidates = mismatch.candidates.iter().map(|line| {
            let sans: Vec<&str> = line.iter().map(|m| m.san.as_str()).collect();
            sans.join(" ")
        });
        let doubted = mismatch.doubted_since;
        let doubted = doubted.into_iter().flat_map(|ply| {
            [
                ("doubted_since", json!(ply)),
                ("doubted_from", self.record.numbered(ply)),
            ]
        });
        let arguments = [
            ("reason", json!(mismatch.reason)),
            ("squares", squares),
            ("since_ply", json!(mismatch.since_ply)),
            (
                "after",
                self.record.numbered(mismatch.since_ply.saturating_sub(1)),
            ),
            ("candidates", json!(candidates.collect::<Vec<_>>())),
        ];
        let arguments = arguments.into_iter().chain(doubted);
        Condition::new(AlertCode::BoardMismatch, None, arguments)
    }

    /// The players have shown a result that the game does not have.
    pub(super) fn proposal_condition(&self) -> Option<Condition> {
        let proposed = self.proposed_result()?;
        let arguments = [
            ("winner", json!(proposed.winner())),
            ("score", json!(proposed.score)),
            ("sign", json!(proposed.sign)),
            ("ply", json!(proposed.ply)),
            ("after", self.record.numbered(proposed.ply)),
            ("result", json!(self.result().map(|r| r.score))),
        ];
        Some(Condition::new(AlertCode::ResultProposed, None, arguments))
    }

    /// What the sensors could not show.
    pub(super) fn sensor_conditions(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        if !self.faulty_squares().is_empty() {
            let arguments = [("squares", in_words(self.faulty_squares().iter()))];
            conditions.push(Condition::new(AlertCode::SensorsFaulty, None, arguments));
        }
        let plies = self.record.reconstructed();
        if !plies.is_empty() {
            let arguments = [
                ("count", json!(plies.len())),
                ("plies", json!(plies)),
                ("after", self.record.all_numbered(&plies)),
            ];
            let code = AlertCode::PliesReconstructed;
            conditions.push(Condition::new(code, None, arguments));
        }
        let assumed = self.record.assumed();
        let (plies, moves): (Vec<Ply>, Vec<&str>) = assumed
            .map(|(ply, played)| (ply, played.text.san.as_str()))
            .unzip();
        if !plies.is_empty() {
            let arguments = [
                ("count", json!(plies.len())),
                ("plies", json!(plies)),
                ("after", self.record.all_numbered(&plies)),
                ("moves", json!(moves)),
            ];
            let code = AlertCode::PromotionAssumed;
            conditions.push(Condition::new(code, None, arguments));
        }
        conditions
    }
}

fn in_words<'a>(squares: impl Iterator<Item = &'a Square>) -> Value {
    squares.map(Square::to_string).collect()
}
