//! Replaces a damaged segment by a valid one.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use super::{Repair, Surgeon, encode_header};
use crate::{
    JournalError, Recovered, RetiredNumbers,
    chain::ChainLink,
    identity,
    line::{self, Record},
    naming::{DAMAGED, file_name},
    retention::Removed,
    segment::{self, Scan, Segment},
};
use remisd_vocabulary::name::BoardId;

impl Surgeon<'_> {
    /// Sets a damaged file aside and puts a valid one in its place. The new file holds the good
    /// records and those that the chain proves.
    pub(super) fn replace(
        &self,
        segment: &Segment,
        kept: &DamagedSegment<'_>,
        line: usize,
        found: &mut Recovered,
    ) -> Result<(usize, ChainLink), JournalError> {
        let scan = kept.scan;
        let failed = |error| JournalError::io("repair", &segment.path, error);
        let set_aside = self.keep_aside(segment).map_err(failed)?;
        let (mut sound, mut seal) = match scan.link.filter(|_| scan.header.is_some()) {
            Some(seal) => (kept.bytes[..scan.good_end].to_vec(), seal),
            None => self.seal_anew(segment, kept, &set_aside).map_err(failed)?,
        };
        let (records, newly_lost) = behind_damage(scan, &file_name(&set_aside));
        seal = encode_records(&records, seal, &mut sound).map_err(failed)?;
        for record in &records {
            found.last_seq = record.numbers().1;
            if let Record::Lost(lost) = record {
                found.lost.push(lost.clone());
            }
        }
        self.put(segment, &sound).map_err(failed)?;
        found.repairs.push(Repair::Damage {
            file: segment.path.clone(),
            line,
            set_aside,
            lost: newly_lost,
        });
        Ok((sound.len(), seal))
    }

    /// Writes the good records of a segment under a new header, which names the file set aside.
    fn seal_anew(
        &self,
        segment: &Segment,
        kept: &DamagedSegment<'_>,
        set_aside: &Path,
    ) -> io::Result<(Vec<u8>, ChainLink)> {
        let mut bytes = Vec::new();
        let mut header = (self.header)(segment.first, self.link_before(segment, kept.earlier)?);
        header.record = identity::proved_in(kept.bytes, kept.board);
        header.repaired = Some(file_name(set_aside));
        let link = encode_header(&header, &mut bytes)?;
        let link = encode_records(&kept.scan.records(), link, &mut bytes)?;
        Ok((bytes, link))
    }

    /// The link of the last line before a segment: from an earlier file, or from the note about
    /// removed games.
    pub(super) fn link_before(
        &self,
        segment: &Segment,
        earlier: &[Segment],
    ) -> io::Result<ChainLink> {
        for segment in earlier.iter().rev() {
            let bytes = fs::read(&segment.path)?;
            if let Some(link) = segment::scan_records(segment, &bytes).link {
                return Ok(link);
            }
        }
        let removed = Removed::read(self.directory).ok().flatten();
        let removed = removed.filter(|removed| removed.next() == segment.first);
        Ok(removed.map_or(ChainLink::NONE, |removed| removed.chain))
    }

    /// Gives the file a second name, so that it exists at every moment.
    fn keep_aside(&self, segment: &Segment) -> io::Result<PathBuf> {
        for number in 0.. {
            let name = match number {
                0 => format!("{}.{DAMAGED}", segment.file_name()),
                n => format!("{}.{DAMAGED}.{n}", segment.file_name()),
            };
            let aside = self.directory.join(name);
            match fs::hard_link(&segment.path, &aside) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                // Some file systems do not support hard links.
                Err(_) if !aside.exists() => {
                    fs::copy(&segment.path, &aside)?;
                    self.disk.sync_all(&File::open(&aside)?)?;
                }
                Err(error) => return Err(error),
            }
            self.disk.sync_directory(self.directory)?;
            return Ok(aside);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

/// The remains of a damaged segment.
pub(super) struct DamagedSegment<'a> {
    pub(super) board: &'a BoardId,
    pub(super) earlier: &'a [Segment],
    pub(super) bytes: &'a [u8],
    pub(super) scan: &'a Scan,
}

/// Returns the records after the good part of a damaged segment, and the numbers lost now, with the
/// file `aside`. Together the records cover every number.
fn behind_damage(scan: &Scan, aside: &str) -> (Vec<Record>, Vec<RetiredNumbers>) {
    let newly_lost: Vec<RetiredNumbers> = (scan.unproved().into_iter())
        .map(|(from, to)| RetiredNumbers {
            from,
            to,
            file: aside.to_owned(),
            cause: None,
        })
        .collect();
    let lost = newly_lost.iter().cloned().map(Record::Lost);
    let mut records: Vec<Record> = scan.behind.iter().cloned().chain(lost).collect();
    records.sort_by_key(|record| record.numbers().0);
    (records, newly_lost)
}

/// Appends the lines of `records` to `out`, sealed after `link`, and returns the last link.
fn encode_records(records: &[Record], link: ChainLink, out: &mut Vec<u8>) -> io::Result<ChainLink> {
    records.iter().try_fold(link, |link, record| {
        Ok(match record {
            Record::Entry(entry) => line::encode_entry(entry.seq, &entry.body, link, out),
            Record::Lost(lost) => line::encode_lost(lost, link, out)?,
        })
    })
}
