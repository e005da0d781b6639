//! `remisd journal verify`: whether each board's record is intact.

use std::io::Write;

use super::selection::Selection;
use crate::{cli::Outcome, publish::outbox::CURSORS};
use remisd_vocabulary::name::BoardId;

impl Selection {
    pub(super) fn verify(&self, out: &mut dyn Write) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        if self.cursors.is_none() {
            outcome = Outcome::Failed;
            writeln!(
                out,
                "{CURSORS}: BROKEN: whether the end of a record is missing is not known"
            )?;
        }
        let verified = self.each_board(out, |board, out| {
            let mut verified = match self.reader.verify(board) {
                Ok(verified) => verified,
                Err(error) => {
                    writeln!(out, "{board}: {error}")?;
                    return Ok(Outcome::Failed);
                }
            };
            let confirmed = self.confirmed(board);
            verified.compare_with(confirmed);
            let contradictions = self.contradictions(board);
            let all_compared = contradictions.is_some();
            verified.add_contradictions(contradictions.into_iter().flatten());
            for finding in &verified.findings {
                let kind = match &finding.what {
                    what if what.is_break() => "BROKEN",
                    what if what.is_loss() => "LOST",
                    _ => "note",
                };
                writeln!(out, "{board}: {kind}: {finding}")?;
            }
            let has_loss = verified.findings.iter().any(|found| found.what.is_loss());
            let whole = verified.first_break().is_none() && !has_loss && all_compared;
            writeln!(
                out,
                "{board}: {}, {} entries in {} files, up to {}, chain {}",
                if whole { "whole" } else { "NOT WHOLE" },
                verified.entries,
                verified.segments,
                verified.last_seq,
                verified.link,
            )?;
            if whole && self.verify_raw(board, out)? {
                Ok(Outcome::Fine)
            } else {
                Ok(Outcome::Failed)
            }
        })?;
        Ok(outcome.or(verified))
    }

    /// Checks whether the available raw data matches its seals.
    fn verify_raw(&self, board: &BoardId, out: &mut dyn Write) -> anyhow::Result<bool> {
        let raw = self.reader.verify_raw(board)?;
        for found in &raw.breaks {
            writeln!(out, "{board}: raw: BROKEN: {found}")?;
        }
        if raw.files > 0 || raw.missing > 0 {
            let (blocks, files) = (raw.blocks, raw.files);
            writeln!(out, "{board}: raw: {blocks} blocks in {files} files")?;
        }
        if raw.missing > 0 {
            let missing = raw.missing;
            writeln!(
                out,
                "{board}: raw: note: {missing} blocks that entries seal are not here: removed for room, or taken by a power cut"
            )?;
        }
        Ok(raw.breaks.is_empty())
    }
}
