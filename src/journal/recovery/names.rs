//! Gives each file of a record the name that its header states.

use std::{collections::BTreeMap, fs, io};

use super::{Repair, Surgeon};
use crate::{
    JournalError, Recovered,
    identity::{self, Established},
    line::Header,
    naming::{self, Misnamed, Misnaming},
    raw,
    segment::{self, Segment},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

impl Surgeon<'_> {
    /// Sets files of another record aside, gives each file of this one the name that its header
    /// states, and sets copies aside.
    ///
    /// Two files may have each other's names. So a file on its way has a name that only this
    /// function and the reader know.
    pub(super) fn restore_names(
        &self,
        board: &BoardId,
        found: &mut Recovered,
    ) -> Result<Established, JournalError> {
        let failed = |error| JournalError::io("rename files in", self.directory, error);
        let mut renamed = naming::finish(self.directory).map_err(failed)?;
        let mut moved = !renamed.is_empty();
        let segments = segment::list(self.directory).map_err(failed)?;
        let heads = naming::heads(&segments, board).map_err(failed)?;
        let established = identity::establish(self.directory, &heads);
        let (other, heads) = naming::of_other_record(heads, established.identity);
        for head in other {
            let Segment { first, path: file } = head.segment;
            let set_aside = naming::set_aside(&file, naming::OTHER).map_err(failed)?;
            moved = true;
            let is_first = |header: &Header| header.first_seq == first;
            if !heads
                .iter()
                .filter_map(|head| head.header.as_ref())
                .any(is_first)
            {
                self.set_raw_aside(first).map_err(failed)?;
            }
            found.repairs.push(Repair::OtherRecord { file, set_aside });
        }
        let Misnaming { misnamed, copies } = naming::by_header(&heads);
        for Misnamed { segment, first } in copies {
            let set_aside = naming::set_aside(&segment.path, naming::COPY).map_err(failed)?;
            moved = true;
            found.repairs.push(Repair::Copy {
                file: segment.path,
                of: first,
                set_aside,
            });
        }
        let mut old_names = BTreeMap::new();
        for Misnamed { segment, first } in misnamed {
            let to = Segment::of(self.directory, first).path;
            let between = naming::on_its_way(&to);
            if between.exists() {
                // It is the only copy of another file that was on its way to this name.
                let (file, other) = (segment.path.display(), between.display());
                tracing::warn!("{file} is not renamed: {other} is in the way");
                continue;
            }
            fs::rename(&segment.path, &between).map_err(failed)?;
            old_names.insert(between, segment.path);
        }
        for (between, to) in naming::finish(self.directory).map_err(failed)? {
            let from = old_names.remove(&between).unwrap_or(between);
            renamed.push((from, to));
        }
        moved |= !renamed.is_empty();
        let renamed = renamed.into_iter();
        let renamed = renamed.map(|(from, to)| Repair::Renamed { from, to });
        found.repairs.extend(renamed);
        if moved {
            self.disk.sync_directory(self.directory).map_err(failed)?;
        }
        Ok(established)
    }

    /// Sets the raw data of a segment of another record aside. Else its name would prove that
    /// numbers of our record are lost.
    fn set_raw_aside(&self, segment: EntrySeq) -> io::Result<()> {
        let raw = raw::files(self.directory)?.into_iter();
        for file in raw.filter(|file| file.segment == segment) {
            naming::set_aside(&file.path, naming::OTHER)?;
        }
        Ok(())
    }
}
