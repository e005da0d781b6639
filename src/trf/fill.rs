//! Writes results into a report.

use shakmaty::Color;

use crate::{
    AddError, MAX_ROUNDS, Outcome, Published, Report,
    player::{Cell, put},
    standings,
};

impl Report {
    /// Writes a result of a round into the lines of both players. `by_forfeit` says that no game
    /// was played.
    ///
    /// # Errors
    ///
    /// A player is not in the report, or the round cannot be.
    pub fn set_result(
        &mut self,
        round: u16,
        white: u16,
        black: u16,
        outcome: Outcome,
        by_forfeit: bool,
    ) -> Result<(), AddError> {
        if round == 0 || round > MAX_ROUNDS {
            return Err(AddError::Round(round));
        }
        if white == black {
            return Err(AddError::Player(white));
        }
        for start in [white, black] {
            self.player(start).ok_or(AddError::Player(start))?;
        }
        for (start, opponent, color) in [(white, black, Color::White), (black, white, Color::Black)]
        {
            let cell = Cell {
                opponent: Some(opponent),
                color: Some(color),
                code: Some(outcome.code(color, by_forfeit)),
            };
            if let Some(player) = self.player_mut(start) {
                player.set(round, cell);
            }
        }
        Ok(())
    }

    /// Computes points and ranks of all rounds anew and writes them into the players' lines. For
    /// the arbiter: it shows what the public may not know yet.
    pub fn count(&mut self) {
        let table = standings(&Published::of(self, self.rounds()));
        for row in table.rows {
            if let Some(player) = self.player_mut(row.start) {
                put(&mut player.text, 81, &row.points.in_field());
                put(&mut player.text, 86, &format!("{:>4}", row.rank.min(9999)));
            }
        }
    }
}
