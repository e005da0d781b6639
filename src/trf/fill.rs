//! Writes results into a report.

use shakmaty::Color;

use crate::{Code, Outcome, Published, Report, Scoring, player::put, standings};

/// Why a result is not filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    /// The round has no pairing of these two, with these colours.
    #[error("players {white} and {black} are not paired in round {round}")]
    NotPaired {
        /// The round.
        round: u16,
        /// White's starting rank.
        white: u16,
        /// Black's starting rank.
        black: u16,
    },
    /// The round has the pairing, with the colours the other way round.
    #[error("round {round} has the pairing with the colours the other way round")]
    Colors {
        /// The round.
        round: u16,
    },
    /// The file has another result of this game.
    #[error("the file has another result: player {start} has {}", .code.letter())]
    OtherResult {
        /// The player's starting rank.
        start: u16,
        /// The code in the file.
        code: Code,
    },
}

impl Report {
    /// Fills a result into the pairing of a round: the codes of both players, and nothing else.
    ///
    /// A code that says the same is kept as it is, such as `+` for a win.
    ///
    /// # Errors
    ///
    /// The file does not have this pairing, or has another result of it. Nothing has changed.
    pub fn fill_result(
        &mut self,
        round: u16,
        white: u16,
        black: u16,
        outcome: Outcome,
        by_forfeit: bool,
    ) -> Result<(), FillError> {
        self.check_pairing(round, white, black)?;
        let cell = |start| self.player(start).map(|player| player.cell(round));
        let scoring = Scoring::default();
        let codes = [(white, Color::White), (black, Color::Black)];
        let codes = codes.map(|(start, color)| (start, outcome.code(color, by_forfeit)));
        for (start, code) in codes {
            let known = cell(start).and_then(|cell| cell.code);
            if let Some(known) =
                known.filter(|known| known.points(&scoring) != code.points(&scoring))
            {
                return Err(FillError::OtherResult { start, code: known });
            }
        }
        for (start, code) in codes {
            let player = self.player_mut(start);
            if let Some(player) = player.filter(|player| player.cell(round).code.is_none()) {
                player.set_code(round, code);
            }
        }
        Ok(())
    }

    /// Checks that these two are paired in a round.
    ///
    /// # Errors
    ///
    /// They are not, or with the other colours.
    pub fn check_pairing(&self, round: u16, white: u16, black: u16) -> Result<(), FillError> {
        let are_paired = |color: Color| {
            let cells = [(white, black, color), (black, white, color.other())];
            cells.into_iter().all(|(start, opponent, color)| {
                let player = self.player(start);
                let cell = player.map(|player| player.cell(round)).unwrap_or_default();
                cell.opponent == Some(opponent) && cell.color == Some(color)
            })
        };
        if are_paired(Color::White) {
            Ok(())
        } else if are_paired(Color::Black) {
            Err(FillError::Colors { round })
        } else {
            Err(FillError::NotPaired {
                round,
                white,
                black,
            })
        }
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
