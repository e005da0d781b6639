//! `remisd journal list`: one line per game.

use std::io::Write;

use super::{
    later::{Gathered, gather, results_in},
    outline::Outline,
    played::doubts_of,
    selection::{Selection, in_order, report},
};
use crate::{cli::Outcome, pgn::names};
use remisd_journal::OtherRecord;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Marks the line of a game with missing entries.
pub const MARK: &str = "  ENTRIES MISSING";

/// Marks the line of a game whose file contradicts another one.
pub const CONTRADICTS: &str = "  CONTRADICTS ";

/// Marks the line of a file that is of another record.
const OF_OTHER_RECORD: &str = "  OF ANOTHER RECORD";

impl Selection {
    pub(super) fn list(&self, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let listed = self.each_board(out, |board, out| {
            let mut outcome = self.is_cut_off(board)?;
            let contradictions = self.contradictions(board);
            if contradictions.is_none() {
                outcome = Outcome::Failed;
            }
            let segments = self.segments(board)?;
            let lines = in_order(&segments, |segment| {
                let segment = segment.read()?;
                let doubts = doubts_of(&segment);
                let decided = results_in(&segment);
                Ok(((segment.first, Outline::of(&segment), doubts), decided))
            });
            let Gathered { read, later, error } = gather(lines);
            for (first, mut outline, doubts) in read {
                if let (Some(outline), Some(later)) = (&mut outline, later.of(first)) {
                    outline.decide(later);
                }
                let mut line = self.listed(board, first, outline, !doubts.is_empty());
                outcome = outcome.or(report(board, &doubts));
                let mut contradictions = contradictions.iter().flatten();
                if let Some(found) = contradictions.find(|found| found.first == first) {
                    if line.is_empty() {
                        line = format!("{board}  {first:>8}  no game was begun");
                    }
                    line = format!("{}{CONTRADICTS}{}\n", line.trim_end(), found.other);
                    outcome = outcome.or(Outcome::Failed);
                }
                out.write_all(line.as_bytes())?;
            }
            if let Some(error) = error {
                return Err(error.into());
            }
            for OtherRecord { file, first, .. } in self.reader.other_record(board)? {
                writeln!(out, "{board}  {first:>8}  {file}{OF_OTHER_RECORD}")?;
                outcome = Outcome::Failed;
            }
            Ok(outcome)
        });
        Ok(listed?)
    }

    /// The line of a game, marked if entries are missing; empty if no game was begun.
    fn listed(
        &self,
        board: &BoardId,
        first: EntrySeq,
        outline: Option<Outline>,
        damaged: bool,
    ) -> String {
        let Some(mut game) = outline else {
            return if damaged {
                format!("{board}  {first:>8}  nothing is left of this game{MARK}\n")
            } else {
                String::new()
            };
        };
        if self.masks_names {
            game.tags = names::masked_tags(&game.tags);
        }
        let player = |name| game.tags.get(name).map_or("?", String::as_str);
        format!(
            "{board}  {:>8}  {}  {} - {}  {} plies  {}{}\n",
            first,
            game.time,
            player("White"),
            player("Black"),
            game.plies,
            game.score.as_str(),
            if damaged { MARK } else { "" },
        )
    }
}
