//! Recovers records after a damaged line, as far as the chain proves them.
//!
//! Each link seals the previous link and a body. A line after the damage is proved when its link
//! follows from an earlier one. That earlier link is the last good one, or one still readable in a
//! damaged or unproved line.
//!
//! A damaged line is itself proved when the next line follows from its body. Then only its
//! checksum, number or link was damaged.

use super::{
    Entry,
    chain::ChainLink,
    line::{self, Record, Sealed},
    segment::{Lines, Scan},
};
use remisd_vocabulary::seq::EntrySeq;

/// Maximum number of links remembered from unproved lines; the newest are kept.
const CANDIDATES: usize = 64;

/// Returns the proved records after the good part of `scan`, which ends before `damaged`.
///
/// Readable lines are taken in the order of their numbers, so a line that was moved loses nothing.
/// An unreadable line stays after the line that it follows in the file.
pub fn proved(scan: &Scan, damaged: &[u8], rest: Lines<'_>) -> Vec<Record> {
    let mut search = ChainSearch {
        proved: Vec::new(),
        last: scan.link,
        next: scan.next,
        unproved: Vec::new(),
        is_behind_proved: true,
        body: None,
    };
    let mut number = EntrySeq::ZERO;
    let mut lines: Vec<(EntrySeq, &[u8], Option<Sealed>)> = std::iter::once(damaged)
        .chain(rest)
        .map(|line| {
            let sealed = line::record(line);
            if let Some(sealed) = &sealed {
                number = sealed.record.numbers().0;
            }
            (number, line, sealed)
        })
        .collect();
    lines.sort_by_key(|(number, ..)| *number);
    for (_, line, sealed) in lines {
        match sealed {
            Some(sealed) => search.readable(sealed),
            None => search.damaged(line),
        }
    }
    search.proved
}

struct ChainSearch {
    proved: Vec<Record>,
    /// The link of the last proved line.
    last: Option<ChainLink>,
    /// The number after that line.
    next: EntrySeq,
    /// The links read in other lines, before it or after it.
    unproved: Vec<ChainLink>,
    /// Nothing was read since that line.
    is_behind_proved: bool,
    /// The body of the only damaged line since then, and the link that it would make.
    body: Option<(Vec<u8>, ChainLink)>,
}

impl ChainSearch {
    fn readable(&mut self, sealed: Sealed) {
        let Sealed { record, link } = sealed;
        let (from, to) = record.numbers();
        if from < self.next {
            // A duplicate of a line that is proved already: it says nothing of the ones after it.
            return;
        }
        let follows = |before: &ChainLink| record.link(*before) == link;
        let in_order = to >= from;
        if in_order && let Some((body, _)) = self.body.take_if(|(_, made)| follows(made)) {
            if from == self.next.next() {
                self.proved.push(Record::Entry(Entry {
                    seq: self.next,
                    body: body.into(),
                }));
            }
            self.take(record, link);
        } else if in_order && self.last.iter().chain(&self.unproved).any(follows) {
            self.take(record, link);
        } else {
            self.body = None;
            self.note([link]);
        }
    }

    fn take(&mut self, record: Record, link: ChainLink) {
        self.next = record.numbers().1.next();
        self.proved.push(record);
        self.last = Some(link);
        self.is_behind_proved = true;
        self.body = None;
    }

    fn damaged(&mut self, line: &[u8]) {
        let body = line::readable_body(line).filter(|_| self.is_behind_proved);
        self.body = self
            .last
            .zip(body)
            .map(|(last, body)| (body.to_vec(), last.then(body)));
        self.note(line::readable_links(line));
    }

    fn note(&mut self, links: impl IntoIterator<Item = ChainLink>) {
        self.is_behind_proved = false;
        self.unproved.extend(links);
        let surplus = self.unproved.len().saturating_sub(CANDIDATES);
        self.unproved.drain(..surplus);
    }
}
