//! What the chain proves of the lines behind a damaged one.
//!
//! Each link seals the link before it and a body. A line behind the damage is proved when its link
//! follows from a link that stands before it: the last one that was good, or one that can still be
//! read in a line that is damaged or not proved itself. A damaged line is proved too when the line
//! behind it follows from its body: then only its checksum, its number or its link was hit.

use super::{
    Entry,
    chain::Link,
    line::{self, Record, Sealed},
    segment::{Lines, Scan},
};

/// Links that are remembered at most from lines that are not proved, the newest ones.
const CANDIDATES: usize = 64;

/// The records behind the good part of `scan`, which ends before `damaged`.
///
/// Readable lines are taken in the order of their numbers, so a line that was moved loses nothing.
/// A line that cannot be read stays behind the one that it follows in the file.
pub fn proved(scan: &Scan, damaged: &[u8], rest: Lines<'_>) -> Vec<Record> {
    let mut search = Search {
        proved: Vec::new(),
        last: scan.link,
        next: scan.next,
        unproved: Vec::new(),
        is_behind_proved: true,
        body: None,
    };
    let mut number = 0;
    let mut lines: Vec<(u64, &[u8], Option<Sealed>)> = std::iter::once(damaged)
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

struct Search {
    proved: Vec<Record>,
    /// The link of the last line that is proved.
    last: Option<Link>,
    /// The number behind that line.
    next: u64,
    /// The links read in other lines, before it or behind it.
    unproved: Vec<Link>,
    /// Nothing was read since that line.
    is_behind_proved: bool,
    /// The one damaged line since then, if it is one: its body, and the link that this makes.
    body: Option<(Vec<u8>, Link)>,
}

impl Search {
    fn readable(&mut self, sealed: Sealed) {
        let Sealed { record, link } = sealed;
        let (from, to) = record.numbers();
        let follows = |before: &Link| record.link(*before) == link;
        let in_order = from >= self.next && to >= from;
        if in_order && let Some((body, _)) = self.body.take_if(|(_, made)| follows(made)) {
            if from == self.next.saturating_add(1) {
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

    fn take(&mut self, record: Record, link: Link) {
        self.next = record.numbers().1.saturating_add(1);
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

    fn note(&mut self, links: impl IntoIterator<Item = Link>) {
        self.is_behind_proved = false;
        self.unproved.extend(links);
        let surplus = self.unproved.len().saturating_sub(CANDIDATES);
        self.unproved.drain(..surplus);
    }
}
