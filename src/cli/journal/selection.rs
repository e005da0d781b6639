//! The selected boards of a journal, and what all subcommands share.

use std::{
    io::{self, Write},
    panic::resume_unwind,
    thread,
};

use super::played::Doubt;
use crate::{cli::Outcome, publish::outbox::Cursors};
use remisd_journal::{Contradiction, Reader, SegmentFile};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// The selected boards of a journal.
pub struct Selection {
    /// Reads the journal.
    pub reader: Reader,
    /// What the broker has confirmed; `None` if the file cannot be read.
    pub cursors: Option<Cursors>,
    /// The boards, sorted.
    pub boards: Vec<BoardId>,
    /// Whether the players' names are left out.
    pub masks_names: bool,
}

impl Selection {
    /// Does `work` for each board. One that cannot be read is reported, and the others are done.
    /// What `work` has written before an error is output.
    ///
    /// # Errors
    ///
    /// The output cannot be written.
    pub fn each_board(
        &self,
        out: &mut dyn Write,
        mut work: impl FnMut(&BoardId, &mut Vec<u8>) -> anyhow::Result<Outcome>,
    ) -> io::Result<Outcome> {
        let mut outcome = Outcome::Fine;
        for board in &self.boards {
            let mut text = Vec::new();
            let done = work(board, &mut text);
            out.write_all(&text)?;
            outcome = outcome.or(done.unwrap_or_else(|error| failed(board, &error)));
        }
        Ok(outcome)
    }

    /// The last of a board's entries that the broker has confirmed.
    pub fn confirmed(&self, board: &BoardId) -> EntrySeq {
        let cursors = self.cursors.as_ref();
        cursors
            .and_then(|cursors| cursors.get(board))
            .unwrap_or_default()
    }

    /// A board's segments, with what is known about the end of the newest.
    pub fn segments(&self, board: &BoardId) -> io::Result<Vec<SegmentFile>> {
        self.reader.each_segment_up_to(board, self.confirmed(board))
    }

    /// The files of a board that contradict others; `None` if that is not known, which is reported.
    pub fn contradictions(&self, board: &BoardId) -> Option<Vec<Contradiction>> {
        let found = self.reader.contradictions(board, self.confirmed(board));
        found
            .inspect_err(|error| {
                anstream::eprintln!(
                    "remisd: board {board}: whether files contradict each other is not known: {error}"
                );
            })
            .ok()
    }

    /// Checks whether entries are missing at the end of a board's record, and reports it.
    pub fn is_cut_off(&self, board: &BoardId) -> anyhow::Result<Outcome> {
        let last = self.reader.last_number(board)?;
        let confirmed = self.confirmed(board);
        if confirmed <= last {
            return Ok(Outcome::Fine);
        }
        anstream::eprintln!(
            "remisd: board {board}: the record is cut off after entry {last}: entries up to {confirmed} were recorded"
        );
        Ok(Outcome::Failed)
    }
}

/// Maps `work` over the segments in order, on as many threads as there are cores.
pub fn in_order<T: Send>(
    segments: &[SegmentFile],
    work: impl Fn(&SegmentFile) -> io::Result<T> + Sync,
) -> Vec<io::Result<T>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = segments.len().div_ceil(cores).max(1);
    let work = &work;
    thread::scope(|scope| {
        let shares: Vec<_> = segments
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(work).collect::<Vec<_>>()))
            .collect();
        let done = shares.into_iter().map(thread::ScopedJoinHandle::join);
        // Propagate a panic of a thread.
        done.flat_map(|share| share.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// Reports the doubts about a game.
pub fn report(board: &BoardId, doubts: &[Doubt]) -> Outcome {
    for Doubt { seq, to, what } in doubts {
        let up_to = if to > seq {
            format!(" (up to {to})")
        } else {
            String::new()
        };
        anstream::eprintln!("remisd: board {board}, entry {seq}: {what}{up_to}");
    }
    if doubts.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Failed
    }
}

/// Reports a board that cannot be read.
fn failed(board: &BoardId, error: &anyhow::Error) -> Outcome {
    anstream::eprintln!("remisd: board {board}: {error:#}");
    Outcome::Failed
}

/// Reports a requested game that was not found.
pub fn found(found: bool, game: Option<EntrySeq>) -> Outcome {
    if found {
        return Outcome::Fine;
    }
    match game {
        Some(number) => anstream::eprintln!("remisd: no board has a game {number}: see `list`"),
        None => anstream::eprintln!("remisd: nothing was recorded"),
    }
    Outcome::Failed
}
