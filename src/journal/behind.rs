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
    chain::Link,
    line::{self, Record, Sealed},
    segment::{Lines, Scan},
};

/// Maximum number of links remembered from unproved lines; the newest are kept.
const CANDIDATES: usize = 64;

/// Returns the proved records after the good part of `scan`, which ends before `damaged`.
pub fn proved(scan: &Scan, damaged: &[u8], rest: Lines<'_>) -> Vec<Record> {
    let mut search = Search {
        proved: Vec::new(),
        last: scan.link,
        next: scan.next,
        unproved: Vec::new(),
        body: None,
    };
    search.line(damaged);
    for line in rest {
        search.line(line);
    }
    search.proved
}

struct Search {
    proved: Vec<Record>,
    /// The link of the last proved line.
    last: Option<Link>,
    /// The number after that line.
    next: u64,
    /// The links read since then.
    unproved: Vec<Link>,
    /// The body of the only damaged line since then, and the link that it would make.
    body: Option<(Vec<u8>, Link)>,
}

impl Search {
    fn line(&mut self, line: &[u8]) {
        match line::record(line) {
            Some(sealed) => self.readable(sealed),
            None => self.damaged(line),
        }
    }

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
        self.unproved.clear();
        self.body = None;
    }

    fn damaged(&mut self, line: &[u8]) {
        let is_first = self.unproved.is_empty() && self.body.is_none();
        let body = line::readable_body(line).filter(|_| is_first);
        self.body = self
            .last
            .zip(body)
            .map(|(last, body)| (body.to_vec(), last.then(body)));
        self.note(line::readable_links(line));
    }

    fn note(&mut self, links: impl IntoIterator<Item = Link>) {
        self.unproved.extend(links);
        let surplus = self.unproved.len().saturating_sub(CANDIDATES);
        self.unproved.drain(..surplus);
    }
}
